/* The program that Tappet is compared with: one process, one thread, and the same calls of the same libraries, one
   after the other for each tap.

     libnfc      select (finite), READ 3, FAST_READ of the pages that the message has
     own code    TLV, NDEF record, tag URL
     libcrypto   HMAC-SHA256 and a comparison in constant time
     SQLite      INSERT, COMMIT (WAL, synchronous=FULL, Tappet's pragmas and outbox)
     libmosquitto publish with QoS 1 over mutual TLS, PUBACK
     SQLite      DELETE

   A good engineer who wants it to be fast would write it so: the statements are prepared once, and libmosquitto has no
   thread, because mosquitto_loop_start would add two hand-overs between threads. `mosquitto_publish` itself writes to
   the socket, and a poll of our own waits for the PUBACK. It lacks everything that makes Tappet usable: a reader that
   recovers, a link that reconnects, a queue, lights, sentences. Any failure ends it.

   Usage: baseline CONNSTRING PORT CA CERTIFICATE KEY DATABASE SECRET-HEX MILLISECONDS
   MILLISECONDS is the pause between two looks for a tag; 0 is back to back. */
#define _GNU_SOURCE
#include <mosquitto.h>
#include <nfc/nfc.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECRET_SIZE = 32, MEMORY_SIZE_MAX = 16 + 36 * 4, URL_SIZE_MAX = 256, ID_SIZE = 16 };

/* How long a tag that is still there is left alone. */
static const int presence_interval_ms = 150;

static volatile sig_atomic_t is_ending;
static int unacknowledged;

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "baseline: %s\n", what);
  exit(1);
}

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The reader */

static nfc_device *open_reader(nfc_context *context, const char *connstring) {
  nfc_device *device = nfc_open(context, connstring);
  if (device == NULL) fail("no reader");
  if (nfc_initiator_init(device) < 0 || nfc_device_set_property_bool(device, NP_INFINITE_SELECT, false) < 0)
    fail("the device is not a reader");
  return device;
}

static bool select_tag(nfc_device *device) {
  const nfc_modulation modulation = {.nmt = NMT_ISO14443A, .nbr = NBR_106};
  nfc_target target;
  const int count = nfc_initiator_select_passive_target(device, modulation, NULL, 0, &target);
  if (count < 0) fail("select");
  return count > 0;
}

/* The offset of the message's end in a memory of which the first TLVs are known; 0 when there is no message. */
static size_t message_end(const uint8_t memory[MEMORY_SIZE_MAX], size_t size) {
  size_t at = 16;
  while (at + 2 <= size && memory[at] <= 0x02) at += memory[at] == 0x00 ? 1 : 2 + (size_t)memory[at + 1];
  if (at + 2 > size || memory[at] != 0x03) return 0;
  const size_t end = at + 2 + memory[at + 1];
  return end <= MEMORY_SIZE_MAX ? end : 0;
}

/* One command to the tag; false when the answer is not as long as it must be. */
static bool exchange(nfc_device *device, const uint8_t *command, size_t command_size, uint8_t *answer, int size) {
  return nfc_initiator_transceive_bytes(device, command, command_size, answer, (size_t)size, 300) == size;
}

/* READ 3, which has the container and the beginning of the message, then the pages that are missing; false when the tag
   did not answer. Pages 0 to 2 are not needed. */
static bool read_tag(nfc_device *device, uint8_t memory[MEMORY_SIZE_MAX]) {
  static const uint8_t read[] = {0x30, 3};
  nfc_device_set_property_bool(device, NP_EASY_FRAMING, false);
  bool is_read = exchange(device, read, sizeof read, memory + 12, 16) && memory[12] == 0xE1;
  const size_t end = is_read ? message_end(memory, 28) : 0;
  if (end > 28) {
    const uint8_t last = (uint8_t)((end + 3) / 4 - 1);
    const uint8_t fast_read[] = {0x3A, 7, last};
    is_read = exchange(device, fast_read, sizeof fast_read, memory + 28, (last - 6) * 4);
  }
  nfc_device_set_property_bool(device, NP_EASY_FRAMING, true);
  return is_read && end > 0;
}

/* The tag's content */

/* The URL of a message that is one short URI record; false for anything else. */
static bool find_url(const uint8_t *memory, size_t size, char url[URL_SIZE_MAX]) {
  size_t at = 16;
  /* Lock and memory control blocks come first; short lengths only. */
  while (at + 2 <= size && memory[at] <= 0x02) at += memory[at] == 0x00 ? 1 : 2 + (size_t)memory[at + 1];
  if (at + 2 > size || memory[at] != 0x03 || memory[at + 1] == 0xFF) return false;
  const uint8_t *message = memory + at + 2;
  const size_t message_size = memory[at + 1];
  if (at + 2 + message_size > size || message_size < 5) return false;
  /* MB, ME, SR, TNF 1; type "U"; identifier code 0. */
  if (message[0] != 0xD1 || message[1] != 1 || message[3] != 'U' || message[4] != 0) return false;
  const size_t url_size = (size_t)message[2] - 1;
  if (message[2] < 1 || url_size + 5 > message_size || url_size >= URL_SIZE_MAX) return false;
  memcpy(url, message + 5, url_size);
  url[url_size] = 0;
  return true;
}

static bool decode_hex(const char *digits, uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    const int high = OPENSSL_hexchar2int((unsigned char)digits[2 * index]);
    const int low = high < 0 ? -1 : OPENSSL_hexchar2int((unsigned char)digits[2 * index + 1]);
    if (low < 0) return false;
    bytes[index] = (uint8_t)(high << 4 | low);
  }
  return digits[2 * count] == 0;
}

static bool is_genuine(const char *url, const uint8_t secret[SECRET_SIZE]) {
  long long index, time;
  int signature_at = -1;
  if (sscanf(url, "smp://action?idx=%18lld&ts=%18lld&sig=%n", &index, &time, &signature_at) != 2 || signature_at < 0)
    return false;
  uint8_t claimed[32], computed[32];
  if (!decode_hex(url + signature_at, claimed, sizeof claimed)) return false;
  char text[64];
  const int text_size = snprintf(text, sizeof text, "idx=%lld&ts=%lld", index, time);
  unsigned size = sizeof computed;
  if (HMAC(EVP_sha256(), secret, SECRET_SIZE, (const uint8_t *)text, (size_t)text_size, computed, &size) == NULL)
    return false;
  return CRYPTO_memcmp(claimed, computed, sizeof computed) == 0;
}

/* The store */

static sqlite3_stmt *insertion, *removal, *beginning, *commit;

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    fail(sqlite3_errmsg(database));
  return statement;
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail("SQLite");
  sqlite3_reset(statement);
}

static sqlite3 *open_store(const char *path) {
  sqlite3 *database;
  if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
      SQLITE_OK)
    fail("no database");
  static const char *const setup =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -256;"
      "PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = FAST;"
      "CREATE TABLE outbox (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, action TEXT NOT NULL,"
      " topic TEXT NOT NULL, message BLOB NOT NULL, retained INTEGER NOT NULL, trigger INTEGER NOT NULL,"
      " uses_timestamp INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, boot INTEGER NOT NULL,"
      " expires_ns INTEGER NOT NULL);"
      "CREATE INDEX outbox_expiry ON outbox (boot, expires_ns);";
  if (sqlite3_exec(database, setup, NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(database));
  insertion =
      prepare(database, "INSERT INTO outbox (id, action, topic, message, retained, trigger, uses_timestamp,"
                        " accepted_unix_ms, boot, expires_ns) VALUES (?1, 'garage', ?2, ?3, 0, 0, 0, ?4, 1, ?5)");
  removal = prepare(database, "DELETE FROM outbox WHERE sequence = ?1");
  beginning = prepare(database, "BEGIN IMMEDIATE");
  commit = prepare(database, "COMMIT");
  return database;
}

static sqlite3_int64 store(sqlite3 *database, const uint8_t id[ID_SIZE], const char *topic, const char *message) {
  sqlite3_bind_blob(insertion, 1, id, ID_SIZE, SQLITE_STATIC);
  sqlite3_bind_text(insertion, 2, topic, -1, SQLITE_STATIC);
  sqlite3_bind_blob(insertion, 3, message, (int)strlen(message), SQLITE_STATIC);
  sqlite3_bind_int64(insertion, 4, now_ns(CLOCK_REALTIME) / 1000000);
  sqlite3_bind_int64(insertion, 5, now_ns(CLOCK_BOOTTIME) + INT64_C(86400000000000));
  run(beginning);
  run(insertion);
  run(commit);
  return sqlite3_last_insert_rowid(database);
}

static void forget(sqlite3_int64 sequence) {
  sqlite3_bind_int64(removal, 1, sequence);
  run(beginning);
  run(removal);
  run(commit);
}

/* The broker */

static bool is_connected;

static void connected(struct mosquitto *client, void *context, int code) {
  (void)client, (void)context;
  if (code != 0) fail("the broker refuses");
  is_connected = true;
}

static void published(struct mosquitto *client, void *context, int id) {
  (void)client, (void)context;
  if (id == unacknowledged) unacknowledged = 0;
}

/* Serves the connection until something arrives or the time is over. */
static void serve(struct mosquitto *client, int timeout_ms) {
  struct pollfd entry = {.fd = mosquitto_socket(client), .events = POLLIN};
  if (mosquitto_want_write(client)) entry.events |= POLLOUT;
  if (poll(&entry, 1, timeout_ms) > 0) {
    if (entry.revents & POLLOUT && mosquitto_loop_write(client, 1) != MOSQ_ERR_SUCCESS) fail("the link is lost");
    if (entry.revents & ~POLLOUT && mosquitto_loop_read(client, 1) != MOSQ_ERR_SUCCESS) fail("the link is lost");
  }
  if (mosquitto_loop_misc(client) != MOSQ_ERR_SUCCESS) fail("the link is lost");
}

static struct mosquitto *open_link(char **arguments) {
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new("baseline", true, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, published);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_will_set(client, "tappet/baseline/status", 7, "offline", 1, true);
  if (mosquitto_tls_set(client, arguments[3], NULL, arguments[4], arguments[5], NULL) != MOSQ_ERR_SUCCESS)
    fail("the certificates");
  if (mosquitto_connect(client, "localhost", atoi(arguments[2]), 60) != MOSQ_ERR_SUCCESS) fail("no broker");
  while (!is_connected) serve(client, 50);
  return client;
}

static void publish(struct mosquitto *client, const char *topic, const char *message) {
  if (mosquitto_publish(client, &unacknowledged, topic, (int)strlen(message), message, 1, false) != MOSQ_ERR_SUCCESS)
    fail("publish");
  while (unacknowledged != 0) serve(client, 1000);
}

/* One tap, from the selected tag to the deleted row. */
static void tap(nfc_device *device, sqlite3 *database, struct mosquitto *client, const uint8_t secret[SECRET_SIZE]) {
  static const char topic[] = "bench/baseline";
  uint8_t memory[MEMORY_SIZE_MAX] = {0}, id[ID_SIZE];
  char url[URL_SIZE_MAX], message[64] = "open ";
  if (!read_tag(device, memory)) return;
  if (!find_url(memory, sizeof memory, url) || !is_genuine(url, secret)) return;
  if (RAND_bytes(id, sizeof id) != 1) fail("no randomness");
  for (size_t index = 0; index < sizeof id; index++) sprintf(message + 5 + 2 * index, "%02x", id[index]);
  const sqlite3_int64 sequence = store(database, id, topic, message);
  publish(client, topic, message);
  forget(sequence);
}

static void told_to_end(int number) {
  (void)number;
  is_ending = 1;
}

int main(int count, char **arguments) {
  uint8_t secret[SECRET_SIZE];
  if (count != 9 || !decode_hex(arguments[7], secret, sizeof secret)) return 2;
  const int poll_interval_ms = atoi(arguments[8]);
  signal(SIGTERM, told_to_end);
  nfc_context *context;
  nfc_init(&context);
  if (context == NULL) fail("libnfc");
  sqlite3 *database = open_store(arguments[6]);
  struct mosquitto *client = open_link(arguments);
  nfc_device *device = open_reader(context, arguments[1]);
  puts("ready");
  fflush(stdout);
  while (!is_ending) {
    if (select_tag(device)) {
      tap(device, database, client, secret);
      while (!is_ending && nfc_initiator_target_is_present(device, NULL) == NFC_SUCCESS)
        serve(client, presence_interval_ms);
    }
    serve(client, poll_interval_ms);
  }
  nfc_close(device);
  nfc_exit(context);
  mosquitto_disconnect(client);
  mosquitto_destroy(client);
  sqlite3_finalize(insertion), sqlite3_finalize(removal), sqlite3_finalize(beginning), sqlite3_finalize(commit);
  sqlite3_close(database);
  return 0;
}
