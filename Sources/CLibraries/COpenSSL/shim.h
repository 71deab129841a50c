/* SHA256_Init and related functions: libcrypto's only SHA-256 that does not allocate. */
#define OPENSSL_SUPPRESS_DEPRECATED 1

#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>

#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>

/* Fills memory with random bytes from the kernel; returns 0 or an errno. RAND_bytes uses a lock, which may stay locked
   forever in a forked child. */
static inline int tp_random(void *memory, size_t size) {
  unsigned char *place = memory;
  while (size > 0) {
    const ssize_t count = getrandom(place, size, 0);
    if (count < 0 && errno != EINTR) return errno;
    if (count < 0) continue;
    place += count;
    size -= (size_t)count;
  }
  return 0;
}

/* AES in single blocks with a key of 16, 24 or 32 bytes; NULL for other sizes. Fetched once and kept, because
   EVP_aes_128_ecb and the like are looked up under a lock at each use. */
static inline EVP_CIPHER *tp_aes_block(int key_size) {
  static _Atomic(EVP_CIPHER *) fetched[3];
  static const char *const names[3] = {"AES-128-ECB", "AES-192-ECB", "AES-256-ECB"};
  if (key_size != 16 && key_size != 24 && key_size != 32) return NULL;
  const int index = key_size / 8 - 2;
  EVP_CIPHER *cipher = atomic_load_explicit(&fetched[index], memory_order_acquire);
  if (cipher != NULL) return cipher;
  EVP_CIPHER *fresh = EVP_CIPHER_fetch(NULL, names[index], NULL);
  if (fresh == NULL || atomic_compare_exchange_strong(&fetched[index], &cipher, fresh)) return fresh;
  EVP_CIPHER_free(fresh);
  return cipher;
}
