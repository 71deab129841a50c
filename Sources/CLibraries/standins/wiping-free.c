/* Replaces the C library's free and realloc: memory is wiped before it is released. Keys pass through buffers that no
   code of ours can reach: a tag's memory on its way here, JSON, Debian's libraries. Only in our programs: a library
   must leave its program's allocator alone. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A block from this size on gets a quarter more than it asks for when it grows. */
static const size_t growing_size = 4096;

/* glibc's own free, under its other name. */
extern void __libc_free(void *memory);

/* A larger block is always a mapping of its own, whatever was freed before (glibc's DEFAULT_MMAP_THRESHOLD_MAX). It
   returns to the kernel, which zeroes it. To wipe it would make memory resident that nobody has touched: a broker may
   claim a packet of 256 MB. */
static const size_t mapped_size = 32 * 1024 * 1024;

void free(void *memory) {
  if (!memory) return;
  const size_t size = malloc_usable_size(memory);
  if (size <= mapped_size) explicit_bzero(memory, size);
  __libc_free(memory);
}

/* glibc's own would release the old block without wiping it. */
void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (!size) {
    free(memory);
    return NULL;
  }
  const size_t before = malloc_usable_size(memory);
  /* A block that fits without wasting half of it stays where it is. */
  if (size <= before && size >= before / 2) return memory;
  /* Memory that grows step by step, as SQLite's does by eight bytes for each hit of a search, must not be copied and
     wiped at each step. */
  const size_t room = size / 4;
  void *moved = malloc(before >= growing_size && size > before && size <= SIZE_MAX - room ? size + room : size);
  if (!moved) return NULL;
  memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}
