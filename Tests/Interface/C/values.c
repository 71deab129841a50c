/* The values section of tappet.h from C: vectors both ways, and every kind of bad argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

#include "check.h"

int passed, failed;

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
  CHECK(tappet_url_sign(0, 0, url_key, NULL, 1) == TAPPET_ERROR_ARGUMENT);
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

static void sizes(void) {
  CHECK(tappet_url_sign(0, 1767168000, url_key, NULL, 0) == (int)strlen(url));
  CHECK(tappet_url_sign(0, 1767168000, url_key, NULL, 1) == TAPPET_ERROR_ARGUMENT);
  char text[TAPPET_URL_SIZE_MAX];
  memset(text, 'x', sizeof text);
  CHECK(tappet_url_sign(0, 1767168000, url_key, text, strlen(url)) == TAPPET_ERROR_BUFFER && text[0] == 'x');
  CHECK(tappet_url_sign(0, 1767168000, url_key, text, strlen(url) + 1) == (int)strlen(url));
  CHECK(text[strlen(url)] == '\0' && text[strlen(url) + 1] == 'x');
  CHECK(tappet_url_sign(0, 0, url_key, text, SIZE_MAX) == TAPPET_ERROR_ARGUMENT);
}

static void carried_key(void) {
  char text[256];
  struct tappet_url result = fresh();
  CHECK(tappet_url_verify(url, strlen(url), url_key, 1, &result) == 0 && result.carries_key == 0);
  snprintf(text, sizeof text, "%s&key=%064d", url, 1);
  CHECK(tappet_url_verify(text, strlen(text), url_key, 1, &result) == 0 && result.carries_key == 1);
  CHECK(tappet_url_verify(text, strlen(text), NULL, 0, &result) == TAPPET_ERROR_SIGNATURE);
}

static void hex(void) {
  static const uint8_t bytes[] = {0x00, 0x9f, 0xff};
  char text[8];
  uint8_t back[3];
  CHECK(tappet_hex_encode(bytes, 3, NULL, 0) == 6);
  CHECK(tappet_hex_encode(bytes, 3, text, 6) == TAPPET_ERROR_BUFFER);
  CHECK(tappet_hex_encode(bytes, 3, text, 7) == 6 && strcmp(text, "009fff") == 0);
  CHECK(tappet_hex_encode(NULL, 0, text, 1) == 0 && text[0] == '\0');
  CHECK(tappet_hex_encode(NULL, 1, text, sizeof text) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_hex_encode(bytes, SIZE_MAX, text, sizeof text) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_hex_encode(bytes, (size_t)1 << 31, text, sizeof text) == TAPPET_ERROR_ARGUMENT);
  /* Without a buffer, bytes are counted but not read, and the count fits an int. */
  CHECK(tappet_hex_encode(bytes, (size_t)1 << 30, NULL, 0) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_hex_encode(bytes, ((size_t)1 << 30) - 1, NULL, 0) == INT32_MAX - 1);
  CHECK(tappet_hex_decode("009FfF", 6, NULL, 0) == 3);
  CHECK(tappet_hex_decode("009FfF", 6, back, 2) == TAPPET_ERROR_BUFFER);
  CHECK(tappet_hex_decode("009FfF", 6, back, 3) == 3 && memcmp(back, bytes, 3) == 0);
  CHECK(tappet_hex_decode("0", 1, back, 3) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("0g", 2, back, 3) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("0g", 2, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("000", 3, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("01020g", 6, back, 3) == TAPPET_ERROR_HEX && memcmp(back, bytes, 3) == 0);
  /* The characters next to the digits' ranges in ASCII. */
  CHECK(tappet_hex_decode("/0", 2, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("0:", 2, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("@0", 2, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("0`", 2, NULL, 0) == TAPPET_ERROR_HEX);
  CHECK(tappet_hex_decode("", 0, back, 3) == 0);
}

/* NFC Forum RTD URI 1.0, appendix A.1: http://www.nfc.com is prefix 1 and nfc.com. */
static const uint8_t nfc_com[] = {0xd1, 0x01, 0x08, 0x55, 0x01, 0x6e, 0x66, 0x63, 0x2e, 0x63, 0x6f, 0x6d};

static void ndef(void) {
  struct tappet_ndef_record records[TAPPET_NDEF_RECORDS_MAX];
  memset(records, 0, sizeof records);
  records[0].size = sizeof records[0];
  CHECK(tappet_ndef_decode(nfc_com, sizeof nfc_com, NULL, 0) == 1);
  CHECK(tappet_ndef_decode(nfc_com, sizeof nfc_com, records, TAPPET_NDEF_RECORDS_MAX) == 1);
  CHECK(records[0].format == 1 && records[0].type_size == 1 && records[0].type == nfc_com + 3);
  CHECK(records[0].id == NULL && records[0].payload == nfc_com + 4 && records[0].payload_size == 8);

  char uri[64];
  CHECK(tappet_ndef_uri_decode(nfc_com, sizeof nfc_com, NULL, 0) == 18);
  CHECK(tappet_ndef_uri_decode(nfc_com, sizeof nfc_com, uri, sizeof uri) == 18);
  CHECK(strcmp(uri, "http://www.nfc.com") == 0);
  CHECK(tappet_ndef_uri_decode(nfc_com, sizeof nfc_com, uri, 18) == TAPPET_ERROR_BUFFER);

  uint8_t message[512];
  int size = tappet_ndef_uri_encode(url, strlen(url), message, sizeof message);
  CHECK(size == (int)strlen(url) + 5);
  char back[160];
  CHECK(tappet_ndef_uri_decode(message, (size_t)size, back, sizeof back) == (int)strlen(url) && strcmp(back, url) == 0);

  /* Three records: one with an id, an empty one, and one too long for a short record. */
  static uint8_t long_payload[300];
  static const uint8_t type[] = {'T'}, id[] = {'a', 'b'};
  struct tappet_ndef_record three[3];
  memset(three, 0, sizeof three);
  three[0] = (struct tappet_ndef_record){.size = sizeof three[0], .format = 1, .type = type, .type_size = 1, .id = id,
                                         .id_size = 2, .payload = id, .payload_size = 2};
  three[2] = (struct tappet_ndef_record){.format = 4, .type = type, .type_size = 1, .payload = long_payload,
                                         .payload_size = 300};
  size = tappet_ndef_encode(three, 3, message, sizeof message);
  CHECK(size == (3 + 1 + 1 + 2 + 2) + 3 + (6 + 1 + 300));
  CHECK(tappet_ndef_encode(three, 3, NULL, 0) == size);
  records[0].size = sizeof records[0];
  CHECK(tappet_ndef_decode(message, (size_t)size, records, 2) == TAPPET_ERROR_BUFFER);
  CHECK(tappet_ndef_decode(message, (size_t)size, records, 3) == 3);
  CHECK(records[0].id_size == 2 && memcmp(records[0].id, "ab", 2) == 0 && memcmp(records[0].payload, "ab", 2) == 0);
  CHECK(records[1].format == 0 && records[1].type == NULL && records[1].payload == NULL);
  CHECK(records[2].payload_size == 300 && records[2].payload == message + size - 300);

  CHECK(tappet_ndef_decode(nfc_com, sizeof nfc_com - 1, records, 1) == TAPPET_ERROR_NDEF_TRUNCATED);
  CHECK(tappet_ndef_decode((const uint8_t *)"\x51\x01\x00\x55", 4, records, 1) == TAPPET_ERROR_NDEF_STRUCTURE);
  CHECK(tappet_ndef_decode((const uint8_t *)"\xf1\x01\x00\x55", 4, records, 1) == TAPPET_ERROR_NDEF_CHUNKED);
  CHECK(tappet_ndef_decode((const uint8_t *)"\xd7\x01\x00\x55", 4, records, 1) == TAPPET_ERROR_NDEF_RECORD);
  CHECK(tappet_ndef_decode(nfc_com, SIZE_MAX, records, 1) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_ndef_uri_decode((const uint8_t *)"\xd0\x00\x00", 3, uri, sizeof uri) == TAPPET_ERROR_NDEF_NO_URI);
  three[2].reserved[0] = 1;
  CHECK(tappet_ndef_encode(three, 3, message, sizeof message) == TAPPET_ERROR_ARGUMENT);
  three[2].reserved[0] = 0;
  CHECK(tappet_ndef_encode(three, 0, message, sizeof message) == TAPPET_ERROR_NDEF_COUNT);
  CHECK(tappet_ndef_encode(three, 17, message, sizeof message) == TAPPET_ERROR_NDEF_COUNT);
  /* Empty arrays are not read: in Rust and Go, their pointers are not NULL. */
  struct tappet_ndef_record *nowhere = (struct tappet_ndef_record *)(uintptr_t)8;
  CHECK(tappet_ndef_encode(nowhere, 0, message, sizeof message) == TAPPET_ERROR_NDEF_COUNT);
  CHECK(tappet_ndef_decode(nfc_com, sizeof nfc_com, nowhere, 0) == TAPPET_ERROR_BUFFER);
  three[0].size = 0;
  CHECK(tappet_ndef_encode(three, 3, message, sizeof message) == TAPPET_ERROR_ARGUMENT);
  three[0].size = sizeof three[0];
  three[1].payload_size = 1;
  CHECK(tappet_ndef_encode(three, 3, message, sizeof message) == TAPPET_ERROR_ARGUMENT);
  three[1].payload = id;
  CHECK(tappet_ndef_encode(three, 3, message, sizeof message) == TAPPET_ERROR_NDEF_RECORD);
  CHECK(tappet_ndef_uri_encode("", 0, message, sizeof message) == TAPPET_ERROR_ARGUMENT);
}

static void shares(void) {
  char text[TAPPET_SHARE_SIZE_MAX];
  int size = tappet_share_encode(2, url_key, " Front door & M\xc3\xbcll ", 20, text, sizeof text);
  static const char expected[] =
      "smpshare://secret?idx=2&key=0000000000000000000000000000000000000000000000000000000000000001"
      "&label=Front%20door%20%26%20M%C3%BCll";
  CHECK(size == (int)strlen(expected) && strcmp(text, expected) == 0);
  struct tappet_share share;
  memset(&share, 0, sizeof share);
  CHECK(tappet_share_decode(text, strlen(text), &share) == TAPPET_ERROR_ARGUMENT);
  share.size = sizeof share;
  CHECK(tappet_share_decode(text, strlen(text), &share) == 0);
  CHECK(share.index == 2 && memcmp(share.key, url_key, TAPPET_KEY_SIZE) == 0);
  CHECK(strcmp(share.label, "Front door & M\xc3\xbcll") == 0);
  CHECK(tappet_share_encode(0, url_key, NULL, 0, text, sizeof text) == (int)strlen(text) && strlen(text) == 92);
  CHECK(tappet_share_decode(text, strlen(text), &share) == 0 && share.label[0] == '\0');
  CHECK(tappet_share_decode("smp://action?idx=0", 18, &share) == TAPPET_ERROR_SCHEME);
  CHECK(tappet_share_decode("smpshare://secret?idx=0", 23, &share) == TAPPET_ERROR_PARAMETER);
  CHECK(tappet_share_encode(0, url_key, "a\nb", 3, text, sizeof text) == TAPPET_ERROR_LABEL);
  CHECK(tappet_share_encode(0, url_key, "\xff", 1, text, sizeof text) == TAPPET_ERROR_LABEL);
  /* The C1 controls of ISO 6429, which decoding refuses too: U+0085, U+009B. */
  CHECK(tappet_share_encode(0, url_key, "a\xc2\x85" "b", 4, text, sizeof text) == TAPPET_ERROR_LABEL);
  CHECK(tappet_share_encode(0, url_key, "\xc2\x9b" "31m", 5, text, sizeof text) == TAPPET_ERROR_LABEL);
  CHECK(tappet_share_encode(0, url_key, "\x7f", 1, text, sizeof text) == TAPPET_ERROR_LABEL);
  char label[TAPPET_LABEL_SIZE_MAX + 1];
  /* A label that is too long is not read, and not trimmed to one that fits. */
  memset(label, ' ', sizeof label);
  CHECK(tappet_share_encode(0, url_key, label, sizeof label, text, sizeof text) == TAPPET_ERROR_LABEL);
  CHECK(tappet_share_encode(0, url_key, "a", (size_t)1 << 40, text, sizeof text) == TAPPET_ERROR_LABEL);
  memset(label, '&', sizeof label);
  CHECK(tappet_share_encode(INT64_MAX, url_key, label, sizeof label, text, sizeof text) == TAPPET_ERROR_LABEL);
  CHECK(tappet_share_encode(INT64_MAX, url_key, label, sizeof label - 1, text, sizeof text) == (int)strlen(text));
}

static void tokens(void) {
  int64_t seconds = -1;
  CHECK(tappet_token_open(token, 32, token_key, 16, &seconds) == 0 && seconds == 1767225600);
  char sealed[TAPPET_TOKEN_SIZE];
  CHECK(tappet_token_seal(4294967295, token_key, 16, sealed, sizeof sealed) == 32);
  CHECK(tappet_token_seal(0, token_key, 16, NULL, 0) == 32);
  CHECK(tappet_token_seal(0, token_key, 16, sealed, 32) == TAPPET_ERROR_BUFFER);
  CHECK(tappet_token_open(sealed, 32, token_key, 16, &seconds) == 0 && seconds == 4294967295);
  CHECK(tappet_token_seal(4294967296, token_key, 16, sealed, sizeof sealed) == TAPPET_ERROR_TIME);
  CHECK(tappet_token_seal(-1, token_key, 16, sealed, sizeof sealed) == TAPPET_ERROR_TIME);
  CHECK(tappet_token_seal(0, token_key, 15, sealed, sizeof sealed) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_open(token, 31, token_key, 16, &seconds) == TAPPET_ERROR_TOKEN);
  CHECK(tappet_token_open("4b5faf9a581cd27fbe23940cf13ce87g", 32, token_key, 16, &seconds) == TAPPET_ERROR_TOKEN);
  CHECK(tappet_token_open("00000000000000000000000000000001", 32, token_key, 16, &seconds) == TAPPET_ERROR_CHECKSUM);
}

static void receivers(void) {
  const int64_t now = 1767225600;
  int64_t seconds = 0;
  struct tappet_token_receiver *receiver = NULL, *firmware = NULL;
  CHECK(tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, token_key, 16, &receiver) == 0);
  CHECK(tappet_token_receiver_new(TAPPET_TOKEN_RULE_FIRMWARE, 0, token_key, 16, &firmware) == 0);
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now + 6, &seconds) == TAPPET_ERROR_WINDOW);
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now - 6, &seconds) == TAPPET_ERROR_WINDOW);
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now + 5, &seconds) == 0 && seconds == now);
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now + 5, &seconds) == TAPPET_ERROR_REPEATED);
  CHECK(tappet_token_receiver_accept(receiver, "x", 1, now, &seconds) == TAPPET_ERROR_TOKEN);
  CHECK(tappet_token_receiver_accept(firmware, token, 32, now - 600, &seconds) == 0);
  CHECK(tappet_token_receiver_accept(firmware, token, 32, now + 5, &seconds) == 0);
  CHECK(tappet_token_receiver_accept(firmware, token, 32, now + 6, &seconds) == TAPPET_ERROR_WINDOW);
  CHECK(tappet_token_receiver_new(2, 5, token_key, 16, &firmware) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_token_receiver_new(0, -1, token_key, 16, &firmware) == TAPPET_ERROR_ARGUMENT);
  tappet_token_receiver_free(firmware);
  tappet_token_receiver_free(receiver);
  /* Use after free and double free are recognized, even when another object has taken the slot. */
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now, &seconds) == TAPPET_ERROR_OBJECT);
  struct tappet_token_receiver *next = NULL;
  CHECK(tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, token_key, 16, &next) == 0 && next != receiver);
  tappet_token_receiver_free(receiver);
  CHECK(tappet_token_receiver_accept(receiver, token, 32, now, &seconds) == TAPPET_ERROR_OBJECT);
  CHECK(tappet_token_receiver_accept(next, token, 32, now, &seconds) == 0);
  /* A pointer that never was an object. */
  CHECK(tappet_token_receiver_accept((struct tappet_token_receiver *)(void *)&next, token, 32, now, &seconds) ==
        TAPPET_ERROR_OBJECT);
  tappet_token_receiver_free((struct tappet_token_receiver *)(void *)&next);
  tappet_token_receiver_free(next);
  tappet_token_receiver_free(NULL);
}

/* There are at most 1023 objects, and all of them can be freed. */
static void many(void) {
  static struct tappet_token_receiver *all[1024];
  size_t count = 0;
  while (count < 1024 && tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, token_key, 16, &all[count]) == 0)
    count++;
  CHECK(count == 1023);
  CHECK(tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, token_key, 16, &all[count]) == TAPPET_ERROR_LIMIT);
  while (count > 0) tappet_token_receiver_free(all[--count]);
}

static void errors(void) {
  CHECK(strcmp(tappet_strerror(0), "success") == 0);
  CHECK(strcmp(tappet_strerror(TAPPET_ERROR_SCHEME), tappet_strerror(TAPPET_ERROR_HOST)) != 0);
  CHECK(tappet_strerror(-9999)[0] != '\0');
  CHECK(tappet_strerror(TAPPET_ERROR_REFUSED)[0] != '\0');
  CHECK(strcmp(tappet_version(), TAPPET_VERSION) == 0);
}

int main(void) {
  urls();
  refused_urls();
  sizes();
  carried_key();
  hex();
  ndef();
  shares();
  tokens();
  receivers();
  many();
  errors();
  printf("values: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
