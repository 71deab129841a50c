/* libtappet: signed tag URLs and timestamp tokens, for programs in C and everything that speaks to C.
 *
 * Every function here is thread-safe, does not block, keeps no pointer that it is given, and never prints, exits or
 * aborts. Results leave through the last parameters and are untouched on failure. Texts are UTF-8.
 * The formats are those of the phone app SecuredMQTTPublisher and the ESP32 firmware of its project.
 *
 * This header is the first section of the library: values. */
#ifndef TAPPET_H
#define TAPPET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a tag's key. */
#define TAPPET_KEY_SIZE 32

/* Bytes of the longest tag URL that tappet_url_sign writes, its NUL included. */
#define TAPPET_URL_SIZE_MAX 144

/* Bytes of a timestamp token as text, its NUL included. */
#define TAPPET_TOKEN_SIZE 33

/* What the functions answer: 0, or one of these. Values are never reused; later versions may add some. */
enum tappet_error {
  TAPPET_ERROR_ARGUMENT = -1,    /* a NULL that must not be one, or a size out of bounds: the caller's mistake */
  TAPPET_ERROR_BUFFER = -2,      /* the caller's buffer is too small */
  TAPPET_ERROR_MEMORY = -3,      /* out of memory, or of random numbers */
  TAPPET_ERROR_SCHEME = -10,     /* the URL does not begin with smp:// */
  TAPPET_ERROR_HOST = -11,       /* the URL is not smp://action */
  TAPPET_ERROR_PARAMETERS = -12, /* the URL has no parameters */
  TAPPET_ERROR_PARAMETER = -13,  /* one of idx, ts, sig is missing, malformed or there twice */
  TAPPET_ERROR_SIGNATURE = -14,  /* none of the keys made the signature */
  TAPPET_ERROR_TIME = -20,       /* a time that a token does not hold: before 1970 or after 2106 */
  TAPPET_ERROR_TOKEN = -21,      /* not 32 hexadecimal digits */
  TAPPET_ERROR_CHECKSUM = -22    /* sealed with another key, or changed */
};

/* What a tag URL says. Set size to sizeof(struct tappet_url) before the call: it tells the library which fields there are. */
struct tappet_url {
  size_t size;
  int64_t index;     /* the action's idx */
  int64_t timestamp; /* when it was written, seconds since 1970 */
  size_t key_index;  /* which of the keys made the signature, from 0 */
};

/* The library's version, such as "0.1.0". Static: not to be freed. */
const char *tappet_version(void);

/* What an error code means, in English; for an unknown one too. Static: not to be freed. */
const char *tappet_strerror(int error);

/* Whether the tag URL in url[0 … url_size) was signed with one of key_count keys of TAPPET_KEY_SIZE bytes each, one after
 * the other at keys. Tries every key, in a time that does not tell which it was. keys may be NULL where key_count is 0.
 * Returns 0 and fills *ret_url; or ARGUMENT, SCHEME, HOST, PARAMETERS, PARAMETER, SIGNATURE, MEMORY. */
int tappet_url_verify(
    const char *url, size_t url_size, const uint8_t *keys, size_t key_count, struct tappet_url *ret_url);

/* Writes the tag URL of the action index (0 or more), signed with key (TAPPET_KEY_SIZE bytes), with its NUL to ret_url, which
 * has room for ret_size bytes; TAPPET_URL_SIZE_MAX are always enough. timestamp: seconds since 1970, 0 or more.
 * Returns the text's length without its NUL; or ARGUMENT, BUFFER, MEMORY. */
int tappet_url_sign(int64_t index, int64_t timestamp, const uint8_t *key, char *ret_url, size_t ret_size);

/* Seals unix_seconds under key, which has key_size bytes: 16, 24 or 32 (the ESP32 takes 16 only). Two tokens of one second
 * differ. Writes TAPPET_TOKEN_SIZE bytes, the NUL included, to ret_token.
 * Returns 0; or ARGUMENT, TIME, MEMORY. */
int tappet_token_seal(int64_t unix_seconds, const uint8_t *key, size_t key_size, char *ret_token);

/* Opens the token in token[0 … token_size). How old it may be is the caller's to decide.
 * Returns 0 and sets *ret_unix_seconds; or ARGUMENT, TOKEN, CHECKSUM, MEMORY. */
int tappet_token_open(
    const char *token, size_t token_size, const uint8_t *key, size_t key_size, int64_t *ret_unix_seconds);

#ifdef __cplusplus
}
#endif

#endif
