/* Memory that is given back is wiped first: keys pass through buffers that nobody can reach to wipe, those of a tag's memory on
   its way to us, of JSON, of Debian's libraries. Only in our programs: a library must leave its program's memory alone. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, under its other name. */
extern void __libc_free(void *memory);

void free(void *memory) {
  if (!memory) return;
  explicit_bzero(memory, malloc_usable_size(memory));
  __libc_free(memory);
}

/* glibc's would give the old place back by itself. */
void *realloc(void *memory, size_t size) {
  if (!memory) return malloc(size);
  if (!size) {
    free(memory);
    return NULL;
  }
  const size_t before = malloc_usable_size(memory);
  /* What fits, and is no waste, stays. */
  if (size <= before && size >= before / 2) return memory;
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, before < size ? before : size);
  free(memory);
  return moved;
}
