/* Replaces the C library's free and realloc: memory is wiped before it is released. Keys pass through buffers that no
   code of ours can reach: a tag's memory on its way here, JSON, Debian's libraries. Only in our programs: a library
   must leave its program's allocator alone. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own free, under its other name. */
extern void __libc_free(void *memory);

void free(void *memory) {
  if (!memory) return;
  explicit_bzero(memory, malloc_usable_size(memory));
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
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}
