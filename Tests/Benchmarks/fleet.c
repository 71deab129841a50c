/* Plays many kiosks at a broker over mutual TLS, on one connection: their retained status and state, and then changes
   of the state at a steady rate. Prints `ready` when the broker has acknowledged all of them; ends after the changes.

   Usage: fleet PORT CA CERTIFICATE KEY KIOSKS RATE SECONDS */
#include <mosquitto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 500 };

static struct mosquitto *client;
static bool is_connected;
static long sent, acknowledged;

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "fleet: %s\n", what);
  exit(EXIT_FAILURE);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void connected(struct mosquitto *from, void *context, int code) {
  (void)from, (void)context;
  if (code != 0) fail("the broker refuses");
  is_connected = true;
}

static void published(struct mosquitto *from, void *context, int id) {
  (void)from, (void)context, (void)id;
  acknowledged++;
}

static void turn(int milliseconds) {
  if (mosquitto_loop(client, milliseconds, 1) != MOSQ_ERR_SUCCESS) fail("the link is lost");
}

static void publish(const char *topic, const char *payload) {
  while (sent - acknowledged >= WINDOW) turn(100);
  if (mosquitto_publish(client, NULL, topic, (int)strlen(payload), payload, 1, true) != MOSQ_ERR_SUCCESS)
    fail("publish");
  sent++;
}

/* A state as docs/json.schema.json defines it. Of each hundred kiosks one has lost its reader, and one waits with some
   messages. */
static void tell(long kiosk, long outbox) {
  char topic[64], payload[1200], utc[32];
  const time_t seconds = time(NULL);
  struct tm parts;
  strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&seconds, &parts));
  const bool is_lost = kiosk % 100 == 1;
  snprintf(topic, sizeof topic, "tappet/kiosk-%05ld/state", kiosk);
  snprintf(payload, sizeof payload,
    "{\"version\":\"0.1.0\",\"time\":\"%s\",\"uptime_seconds\":86400,\"light\":\"%s\","
    "\"reader\":{\"good\":%s,\"code\":\"%s\"},\"broker\":{\"good\":true,\"code\":\"connected\"},\"webhooks\":null,"
    "\"inventory\":null,\"disk\":{\"good\":true,\"code\":\"good\"},\"panel\":{\"good\":true,\"code\":\"good\"},"
    "\"locked\":null,\"clock\":{\"good\":true,\"trusted\":false,\"needed\":true},\"outbox\":%ld,"
    "\"webhooks_waiting\":0,\"counters\":{\"accepted\":%ld,\"delivered\":1000,\"refused\":3,\"ignored\":17,"
    "\"expired\":0,\"undeliverable\":0},\"certificate_ends_at\":\"2099-01-01T00:00:00.000Z\"}",
    utc, is_lost ? "reader-lost" : "ready", is_lost ? "false" : "true", is_lost ? "device-missing" : "ready",
    kiosk % 100 == 2 ? 1 + outbox : outbox, sent);
  publish(topic, payload);
}

int main(int count, char **words) {
  if (count != 8) return 2;
  const long kiosks = atol(words[5]), rate = atol(words[6]);
  const double seconds = atof(words[7]);
  if (kiosks < 1 || rate < 0) return 2;
  mosquitto_lib_init();
  client = mosquitto_new("bench-fleet", true, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, published);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_max_inflight_messages_set(client, WINDOW);
  if (mosquitto_tls_set(client, words[2], NULL, words[3], words[4], NULL) != MOSQ_ERR_SUCCESS) fail("the certificates");
  if (mosquitto_connect(client, "localhost", atoi(words[1]), 60) != MOSQ_ERR_SUCCESS) fail("no broker");
  while (!is_connected) turn(100);
  for (long kiosk = 0; kiosk < kiosks; kiosk++) {
    char topic[64];
    snprintf(topic, sizeof topic, "tappet/kiosk-%05ld/status", kiosk);
    publish(topic, kiosk % 100 == 3 ? "offline" : "online");
    tell(kiosk, 0);
  }
  while (acknowledged < sent) turn(100);
  puts("ready");
  fflush(stdout);
  const double begin = now();
  for (long change = 0; now() - begin < seconds; change++) {
    tell(change * 7919 % kiosks, change % 2);
    for (double due = begin + (double)(change + 1) / (double)rate; now() < due;) turn((int)((due - now()) * 1000));
  }
  return EXIT_SUCCESS;
}
