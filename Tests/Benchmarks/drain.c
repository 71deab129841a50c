/* Drains a kiosk's outbox as durably as the kiosk does, with libmosquitto and SQLite alone: an entry is published with
   QoS 1 over mutual TLS and is deleted only after its PUBACK. Deletions share commits while messages are in flight.
   Prints the messages a second, and the processor's µs for each.

   Usage: drain PORT CA CERTIFICATE KEY DATABASE COUNT WINDOW BATCH */
#include <mosquitto.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#define PROGRAM "drain"
#include "measure.h"

enum { PAGE = 128, ID_SIZE = 16, TOPIC_SIZE_MAX = 64, MESSAGES_MAX = 1 << 16 };

struct entry {
  sqlite3_int64 sequence;
  char topic[TOPIC_SIZE_MAX], payload[2 * ID_SIZE + 1];
};

static sqlite3 *database;
static sqlite3_stmt *selection, *removal, *beginning, *commit;
/* The sequence number of each message in flight, by its id. */
static sqlite3_int64 sequences[MESSAGES_MAX];
static sqlite3_int64 *removable;
static long removable_count, sent, acknowledged, window, batch;
static bool is_connected;

/* The database */

static sqlite3_stmt *prepare(const char *text) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    fail(sqlite3_errmsg(database));
  return statement;
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(database));
  sqlite3_reset(statement);
}

static void open_outbox(const char *path) {
  /* Tappet's pragmas, as in Tests/Benchmarks/baseline.c; the tables and their triggers are the kiosk's own. */
  static const char pragmas[] =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -256;"
      "PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = FAST;";
  if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
      sqlite3_exec(database, pragmas, NULL, NULL, NULL) != SQLITE_OK)
    fail("no database");
  selection = prepare("SELECT * FROM outbox WHERE destination = 0 AND sequence > ?1 ORDER BY sequence LIMIT ?2");
  removal = prepare("DELETE FROM outbox WHERE destination = 0 AND sequence = ?1");
  beginning = prepare("BEGIN IMMEDIATE"), commit = prepare("COMMIT");
}

static long fetch(struct entry page[PAGE], sqlite3_int64 after, long limit) {
  sqlite3_bind_int64(selection, 1, after);
  sqlite3_bind_int64(selection, 2, limit < PAGE ? limit : PAGE);
  long count = 0;
  for (; sqlite3_step(selection) == SQLITE_ROW; count++) {
    struct entry *entry = &page[count];
    entry->sequence = sqlite3_column_int64(selection, 1);
    const uint8_t *id = sqlite3_column_blob(selection, 2);
    for (int index = 0; index < ID_SIZE; index++) snprintf(entry->payload + 2 * index, 3, "%02x", id[index]);
    snprintf(entry->topic, sizeof entry->topic, "%s", (const char *)sqlite3_column_text(selection, 4));
  }
  sqlite3_reset(selection);
  return count;
}

static void delete_removable(void) {
  if (removable_count == 0) return;
  run(beginning);
  for (long index = 0; index < removable_count; index++) {
    sqlite3_bind_int64(removal, 1, removable[index]);
    run(removal);
  }
  run(commit);
  removable_count = 0;
}

/* The broker */

static void connected(struct mosquitto *client, void *context, int code) {
  (void)client, (void)context;
  if (code != 0) fail("the broker refuses");
  is_connected = true;
}

static void published(struct mosquitto *client, void *context, int id) {
  (void)client, (void)context;
  acknowledged++;
  removable[removable_count++] = sequences[id];
  if (removable_count == batch || sent == acknowledged) delete_removable();
}

static struct mosquitto *connect_to(int port, char *const files[3]) {
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new("bench-drain", true, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, published);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_max_inflight_messages_set(client, (unsigned)window);
  if (mosquitto_tls_set(client, files[0], NULL, files[1], files[2], NULL) != MOSQ_ERR_SUCCESS) fail("the certificates");
  if (mosquitto_connect(client, "localhost", port, 60) != MOSQ_ERR_SUCCESS) fail("no broker");
  return client;
}

static void turn(struct mosquitto *client) {
  if (mosquitto_loop(client, 1000, 1) != MOSQ_ERR_SUCCESS) fail("the link is lost");
}

static void drain(struct mosquitto *client, long wanted) {
  static struct entry page[PAGE];
  long next = 0, count = 0;
  sqlite3_int64 last = 0;
  while (acknowledged < wanted) {
    for (; sent < wanted && sent - acknowledged < window; sent++) {
      if (next == count) {
        next = 0, count = fetch(page, last, wanted - sent);
        if (count == 0) fail("the outbox has too few entries");
      }
      const struct entry *entry = &page[next++];
      int id;
      if (mosquitto_publish(client, &id, entry->topic, 2 * ID_SIZE, entry->payload, 1, false) != MOSQ_ERR_SUCCESS)
        fail("publish");
      sequences[id] = last = entry->sequence;
    }
    turn(client);
  }
  delete_removable();
}

int main(int count, char **words) {
  if (count != 9) return 2;
  const long wanted = atol(words[6]);
  window = atol(words[7]), batch = atol(words[8]);
  removable = calloc((size_t)batch, sizeof *removable);
  if (removable == NULL) fail("no memory");
  open_outbox(words[5]);
  struct mosquitto *client = connect_to(atoi(words[1]), words + 2);
  while (!is_connected) turn(client);
  const double start = seconds(CLOCK_MONOTONIC), used = processor_seconds();
  drain(client, wanted);
  const double elapsed = seconds(CLOCK_MONOTONIC) - start;
  printf("%.0f %.2f\n", (double)wanted / elapsed, (processor_seconds() - used) * 1e6 / (double)wanted);
  return EXIT_SUCCESS;
}
