/* The program that the latencies of `tappet mqtt bench` are compared with: two clients of libmosquitto on one thread,
   over mutual TLS with QoS 1. A message carries its number, and its latency counts from the time at which it was due.

   A good engineer would write it so: TCP_NODELAY, without which Nagle's algorithm is what is measured; no thread of
   libmosquitto's; one ppoll over both sockets until the next message is due; exact percentiles of all latencies.

   Usage: latency PORT CA CERTIFICATE KEY RATE COUNT SIZE     prints "p50 p90 p99 lost" in microseconds */
#define _GNU_SOURCE
#include <mosquitto.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t begin_ns, *latencies;
static int count, rate, received;
static bool is_subscribed, is_connected[2];

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "latency: %s\n", what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t due_ns(int number) { return begin_ns + (int64_t)number * 1000000000 / rate; }

static void on_connect(struct mosquitto *client, void *context, int code) {
  (void)client;
  if (code != 0) fail("refused");
  *(bool *)context = true;
}

static void on_subscribe(struct mosquitto *client, void *context, int id, int qos_count, const int *qos) {
  (void)client, (void)context, (void)id, (void)qos_count, (void)qos;
  is_subscribed = true;
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
  (void)client, (void)context;
  uint32_t number;
  if (message->payloadlen < (int)sizeof number) return;
  memcpy(&number, message->payload, sizeof number);
  if (number < (uint32_t)count && received < count) latencies[received++] = now_ns() - due_ns((int)number);
}

static struct mosquitto *connected(char **arguments, bool *flag) {
  struct mosquitto *client = mosquitto_new(NULL, true, flag);
  if (client == NULL || mosquitto_tls_set(client, arguments[2], NULL, arguments[3], arguments[4], NULL) != 0 ||
      mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1) != 0)
    fail("no client");
  mosquitto_max_inflight_messages_set(client, 100);
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_subscribe_callback_set(client, on_subscribe);
  mosquitto_message_callback_set(client, on_message);
  if (mosquitto_connect(client, "localhost", atoi(arguments[1]), 60) != 0) fail("no connection");
  while (!*flag)
    if (mosquitto_loop(client, 100, 1) != 0) fail("no CONNACK");
  return client;
}

/* Serves both clients until something came, or it is `end`. */
static void turn(struct mosquitto *clients[2], int64_t end) {
  struct pollfd sockets[2];
  for (int i = 0; i < 2; i++) {
    const short events = (short)(POLLIN | (mosquitto_want_write(clients[i]) ? POLLOUT : 0));
    sockets[i] = (struct pollfd){.fd = mosquitto_socket(clients[i]), .events = events};
  }
  const int64_t left = end - now_ns() > 0 ? end - now_ns() : 0;
  const struct timespec limit = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  ppoll(sockets, 2, &limit, NULL);
  for (int i = 0; i < 2; i++) {
    if (sockets[i].revents & POLLIN && mosquitto_loop_read(clients[i], 1) != 0) fail("lost");
    if (mosquitto_want_write(clients[i]) && mosquitto_loop_write(clients[i], 1) != 0) fail("lost");
    if (mosquitto_loop_misc(clients[i]) != 0) fail("lost");
  }
}

static int by_size(const void *a, const void *b) {
  const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

int main(int argc, char **argv) {
  if (argc != 8) return 2;
  rate = atoi(argv[5]), count = atoi(argv[6]);
  const int size = atoi(argv[7]);
  uint8_t *payload = calloc(1, (size_t)size);
  latencies = calloc((size_t)count, sizeof *latencies);
  if (rate <= 0 || count <= 0 || size < 4 || payload == NULL || latencies == NULL) return 2;
  if (mosquitto_lib_init() != 0) fail("no library");
  struct mosquitto *clients[2] = {connected(argv, &is_connected[0]), connected(argv, &is_connected[1])};
  char topic[64];
  snprintf(topic, sizeof topic, "latency/%d", (int)(now_ns() & 0xffffff));
  if (mosquitto_subscribe(clients[0], NULL, topic, 1) != 0) fail("no subscription");
  while (!is_subscribed) turn(clients, now_ns() + 100000000);
  begin_ns = now_ns();
  for (uint32_t number = 0; number < (uint32_t)count; number++) {
    while (now_ns() < due_ns((int)number)) turn(clients, due_ns((int)number));
    memcpy(payload, &number, sizeof number);
    if (mosquitto_publish(clients[1], NULL, topic, size, payload, 1, false) != 0) fail("not published");
  }
  const int64_t end = now_ns() + 5000000000;
  while (received < count && now_ns() < end) turn(clients, now_ns() + 100000000);
  if (received == 0) fail("nothing came");
  qsort(latencies, (size_t)received, sizeof *latencies, by_size);
  for (int share = 0; share < 3; share++) {
    const int thousandths[] = {500, 900, 990};
    int place = (int)(((int64_t)received * thousandths[share] + 999) / 1000) - 1;
    printf("%lld ", (long long)(latencies[place] / 1000));
  }
  printf("%d\n", count - received);
  return 0;
}
