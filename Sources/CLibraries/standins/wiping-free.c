/* Replaces the C library's free and realloc with versions that wipe memory before releasing it. Keys pass through
   buffers that our code cannot reach: a tag's memory in transit, JSON, Debian's libraries. Only for our programs: a
   library must not replace its program's allocator. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A growing block of at least this size is allocated a quarter larger than requested. */
static const size_t growing_size = 4096;

/* glibc's free under its alternative name. */
extern void __libc_free(void *memory);

/* A larger block is always a separate mapping, whatever was freed before (glibc's DEFAULT_MMAP_THRESHOLD_MAX). It is
   returned to the kernel, which zeroes it. Wiping it would make untouched memory resident: a broker may announce a
   packet of 256 MB. */
static const size_t mapped_size = 32 * 1024 * 1024;

void free(void *memory) {
  if (!memory) return;
  const size_t size = malloc_usable_size(memory);
  if (size <= mapped_size) explicit_bzero(memory, size);
  __libc_free(memory);
}

/* glibc's realloc would release the old block without wiping it. */
void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (!size) {
    free(memory);
    return NULL;
  }
  const size_t before = malloc_usable_size(memory);
  /* The block is kept if the new size fits and uses at least half of it. */
  if (size <= before && size >= before / 2) return memory;
  /* Memory that grows in small steps, such as SQLite's eight bytes per search hit, must not be copied and wiped at each
     step. */
  const size_t room = size / 4;
  void *moved = malloc(before >= growing_size && size > before && size <= SIZE_MAX - room ? size + room : size);
  if (!moved) return NULL;
  memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}
