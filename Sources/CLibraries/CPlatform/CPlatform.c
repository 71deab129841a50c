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

void tp_open_standard_descriptors(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

static int output_error;

void tp_put(FILE *stream, const void *bytes, size_t size) {
  errno = 0;
  if ((fwrite(bytes, 1, size, stream) != size || fflush(stream) != 0) && stream == stdout && output_error == 0)
    output_error = errno != 0 ? errno : EIO;
}

int tp_output_error(void) { return output_error; }
