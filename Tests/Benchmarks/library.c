/* Measures tappet_url_verify with 3 keys against three bare HMAC() calls of libcrypto on the same bytes, in turns, in
   one process. Prints both rates, their ratio, and the number of allocations by tappet_url_verify. */
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>
#include <time.h>

/* Every allocation, by any library, passes here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
static unsigned long allocations;
void *malloc(size_t size) { return allocations++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return allocations++, __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return allocations++, __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return allocations++, __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline int hmac(const uint8_t key[TAPPET_KEY_SIZE]) {
  static const char message[] = "idx=0&ts=1767168000";
  unsigned char code[32];
  unsigned int size;
  return HMAC(EVP_sha256(), key, 32, (const unsigned char *)message, strlen(message), code, &size) != NULL;
}

int main(void) {
  enum { ROUNDS = 40, CALLS = 5000 };
  static uint8_t keys[3][TAPPET_KEY_SIZE] = {{1}, {2}, {3}};
  char text[TAPPET_URL_SIZE_MAX];
  int size = tappet_url_sign(0, 1767168000, keys[1], text, sizeof text);
  if (size < 0) return EXIT_FAILURE;
  struct tappet_url url = {.size = sizeof url};
  double ours = 0, theirs = 0;
  unsigned long counted = 0;
  /* The first call of each may load anything. */
  if (tappet_url_verify(text, (size_t)size, keys[0], 3, &url) != 0 || url.key_index != 1) return EXIT_FAILURE;
  if (!hmac(keys[0])) return EXIT_FAILURE;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    unsigned long before = allocations;
    for (int call = 0; call < CALLS; call++)
      if (tappet_url_verify(text, (size_t)size, keys[0], 3, &url) != 0) return EXIT_FAILURE;
    counted += allocations - before;
    ours += now() - start;
    start = now();
    for (int call = 0; call < CALLS; call++)
      for (int key = 0; key < 3; key++)
        if (!hmac(keys[key])) return EXIT_FAILURE;
    theirs += now() - start;
  }
  if (allocations == 0) return EXIT_FAILURE; /* HMAC() allocates: then nothing was counted. */
  double calls = (double)ROUNDS * CALLS;
  printf("%.0f %.0f %.2f %lu\n", calls / ours, calls / theirs, theirs / ours, counted);
  return EXIT_SUCCESS;
}
