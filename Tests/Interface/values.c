/* The values section of tappet.h from C: vectors both ways, and every kind of bad argument. Prints a line for each failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tappet.h"

static int passed, failed;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (condition) {                                                          \
      passed++;                                                               \
    } else {                                                                  \
      failed++;                                                               \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

/* From Tests/Vectors/smp.json: the first signed URL, and the first two tokens. */
static const char url[] = "smp://action?idx=0&ts=1767168000"
                          "&sig=10739ea3af3bb2a5b72bedaa5b5a7ca90616d9ab5447cf058b0dea802d12e41d";
static const uint8_t url_key[TAPPET_KEY_SIZE] = {[31] = 1};
static const uint8_t token_key[16] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
                                      0x99, 0x00, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const char token[] = "4b5faf9a581cd27fbe23940cf13ce875";

static struct tappet_url fresh(void) {
  struct tappet_url result;
  memset(&result, 0, sizeof result);
  result.size = sizeof result;
  return result;
}

static void urls(void) {
  struct tappet_url result = fresh();
  CHECK(tappet_url_verify(url, strlen(url), url_key, 1, &result) == 0);
  CHECK(result.index == 0 && result.timestamp == 1767168000 && result.key_index == 0);

  uint8_t keys[3 * TAPPET_KEY_SIZE] = {0};
  memcpy(keys + 2 * TAPPET_KEY_SIZE, url_key, TAPPET_KEY_SIZE);
  result = fresh();
  CHECK(tappet_url_verify(url, strlen(url), keys, 3, &result) == 0 && result.key_index == 2);

  char text[TAPPET_URL_SIZE_MAX];
  CHECK(tappet_url_sign(0, 1767168000, url_key, text, sizeof text) == (int)strlen(url));
  CHECK(strcmp(text, url) == 0);
  CHECK(tappet_url_sign(INT64_MAX, INT64_MAX, url_key, text, sizeof text) > 0);
  CHECK(tappet_url_sign(0, 1767168000, url_key, text, strlen(url)) == TAPPET_ERROR_BUFFER);
  CHECK(tappet_url_sign(-1, 0, url_key, text, sizeof text) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_sign(0, 0, NULL, text, sizeof text) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_sign(0, 0, url_key, NULL, 0) == TAPPET_ERROR_ARGUMENT);
}

static void refused_urls(void) {
  struct tappet_url result = fresh();
  result.index = 77;
  CHECK(tappet_url_verify(url, strlen(url), NULL, 0, &result) == TAPPET_ERROR_SIGNATURE);
  CHECK(tappet_url_verify("smq://action?a", 14, url_key, 1, &result) == TAPPET_ERROR_SCHEME);
  CHECK(tappet_url_verify("smp://other?a", 13, url_key, 1, &result) == TAPPET_ERROR_HOST);
  CHECK(tappet_url_verify("smp://action", 12, url_key, 1, &result) == TAPPET_ERROR_PARAMETERS);
  CHECK(tappet_url_verify("smp://action?idx=01&ts=1&sig=", 29, url_key, 1, &result) == TAPPET_ERROR_PARAMETER);
  CHECK(result.index == 77);
  CHECK(tappet_url_verify(NULL, 0, url_key, 1, &result) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_verify(url, SIZE_MAX, url_key, 1, &result) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_verify(url, strlen(url), NULL, 1, &result) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_verify(url, strlen(url), url_key, SIZE_MAX, &result) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_url_verify(url, strlen(url), url_key, 1, NULL) == TAPPET_ERROR_ARGUMENT);
  result.size = 0;
  CHECK(tappet_url_verify(url, strlen(url), url_key, 1, &result) == TAPPET_ERROR_ARGUMENT);
}

static void tokens(void) {
  int64_t seconds = -1;
  CHECK(tappet_token_open(token, 32, token_key, 16, &seconds) == 0 && seconds == 1767225600);
  char sealed[TAPPET_TOKEN_SIZE];
  CHECK(tappet_token_seal(4294967295, token_key, 16, sealed) == 0);
  CHECK(tappet_token_open(sealed, 32, token_key, 16, &seconds) == 0 && seconds == 4294967295);
  CHECK(tappet_token_seal(4294967296, token_key, 16, sealed) == TAPPET_ERROR_TIME);
  CHECK(tappet_token_seal(-1, token_key, 16, sealed) == TAPPET_ERROR_TIME);
  CHECK(tappet_token_seal(0, token_key, 15, sealed) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_seal(0, NULL, 16, sealed) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_seal(0, token_key, 16, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_open(token, 31, token_key, 16, &seconds) == TAPPET_ERROR_TOKEN);
  CHECK(tappet_token_open("4b5faf9a581cd27fbe23940cf13ce87g", 32, token_key, 16, &seconds) == TAPPET_ERROR_TOKEN);
  CHECK(tappet_token_open("00000000000000000000000000000001", 32, token_key, 16, &seconds) == TAPPET_ERROR_CHECKSUM);
  CHECK(tappet_token_open(NULL, 32, token_key, 16, &seconds) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_open(token, 32, token_key, 16, NULL) == TAPPET_ERROR_ARGUMENT);
}

static void errors(void) {
  CHECK(strcmp(tappet_strerror(0), "success") == 0);
  CHECK(strcmp(tappet_strerror(TAPPET_ERROR_SCHEME), tappet_strerror(TAPPET_ERROR_HOST)) != 0);
  CHECK(tappet_strerror(-9999)[0] != '\0');
  CHECK(tappet_version()[0] != '\0');
}

int main(void) {
  urls();
  refused_urls();
  tokens();
  errors();
  printf("interface: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
