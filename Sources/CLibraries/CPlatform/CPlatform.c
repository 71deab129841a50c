#include "CPlatform.h"

#include <dlfcn.h>

/* Initialised by the linker: a lazily made mutex of Swift's would have no acquire ordering on arm64. */
static pthread_mutex_t library_mutex = PTHREAD_MUTEX_INITIALIZER;

void tp_library_lock(void) { pthread_mutex_lock(&library_mutex); }
void tp_library_unlock(void) { pthread_mutex_unlock(&library_mutex); }

const char *tp_library_path(void) {
  Dl_info information;
  return dladdr((void *)&library_mutex, &information) != 0 ? information.dli_fname : NULL;
}
