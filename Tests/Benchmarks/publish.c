/* Publishes messages with QoS 1 over mutual TLS, as fast as a window of unacknowledged ones allows: with libtappet, or
   with libmosquitto alone. Prints the messages a second, and the processor's µs for each.

   Usage: publish tappet|mosquitto PORT CA CERTIFICATE KEY COUNT SIZE WINDOW */
#include <mosquitto.h>
#include <string.h>
#include <tappet.h>

#define PROGRAM "publish"
#include "measure.h"

enum { SIZE_MAX_BYTES = 4096 };

static const char topic[] = "bench/publish";
static const char *const *files;
static int port, size;
static long wanted, window, sent, acknowledged;
static char payload[SIZE_MAX_BYTES];
static bool is_connected;

/* Libmosquitto alone */

static void connected(struct mosquitto *client, void *context, int code) {
  (void)client, (void)context;
  if (code != 0) fail("the broker refuses");
  is_connected = true;
}

static void published(struct mosquitto *client, void *context, int id) {
  (void)client, (void)context, (void)id;
  acknowledged++;
}

static struct mosquitto *client;

static void mosquitto_open(void) {
  mosquitto_lib_init();
  client = mosquitto_new("bench-publish", true, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, published);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_max_inflight_messages_set(client, (unsigned)window);
  if (mosquitto_tls_set(client, files[0], NULL, files[1], files[2], NULL) != MOSQ_ERR_SUCCESS) fail("the certificates");
  if (mosquitto_connect(client, "localhost", port, 60) != MOSQ_ERR_SUCCESS) fail("no broker");
}

static void mosquitto_turn(void) {
  for (; is_connected && sent < wanted && sent - acknowledged < window; sent++)
    if (mosquitto_publish(client, NULL, topic, size, payload, 1, false) != MOSQ_ERR_SUCCESS) fail("publish");
  if (mosquitto_loop(client, 1000, 1) != MOSQ_ERR_SUCCESS) fail("the link is lost");
}

/* Libtappet */

static void happened(void *context, const struct tappet_broker_event *event) {
  (void)context;
  if (event->type != TAPPET_BROKER_EVENT_CONNECTED) fail(event->sentence ? event->sentence : "the link is lost");
  is_connected = true;
}

static void completed(void *context, int result) {
  (void)context;
  if (result < 0) fail("a message was not published");
  acknowledged++;
}

static struct tappet_broker *broker;

static void tappet_open(void) {
  char url[64];
  snprintf(url, sizeof url, "mqtts://localhost:%d", port);
  const struct tappet_broker_options options = {.size = sizeof options, .url = url, .client_id = "bench-publish",
    .ca_file = files[0], .certificate_file = files[1], .private_key_file = files[2],
    .protocol = TAPPET_BROKER_PROTOCOL_MQTT_311};
  if (tappet_broker_new(&broker) < 0) fail("no object");
  tappet_broker_set_event_callback(broker, happened, NULL);
  if (tappet_broker_connect(broker, &options) < 0) fail("connect");
}

static void tappet_turn(void) {
  for (; is_connected && sent < wanted && sent - acknowledged < window; sent++)
    if (tappet_broker_publish(broker, topic, (const uint8_t *)payload, (size_t)size, 1, false, completed, NULL) < 0)
      fail("publish");
  if (tappet_broker_wait(broker, 1000) < 0 || tappet_broker_dispatch(broker) < 0) fail("the link is lost");
}

int main(int count, char **words) {
  if (count != 9) return 2;
  const bool is_ours = strcmp(words[1], "tappet") == 0;
  port = atoi(words[2]), files = (const char *const *)words + 3;
  wanted = atol(words[6]), size = atoi(words[7]), window = atol(words[8]);
  if (size > SIZE_MAX_BYTES) return 2;
  memset(payload, 'x', sizeof payload);
  void (*turn)(void) = is_ours ? tappet_turn : mosquitto_turn;
  is_ours ? tappet_open() : mosquitto_open();
  const long all = wanted;
  wanted = 0;
  while (!is_connected) turn();
  wanted = all;
  const double start = seconds(CLOCK_MONOTONIC), used = processor_seconds();
  while (acknowledged < wanted) turn();
  const double elapsed = seconds(CLOCK_MONOTONIC) - start;
  printf("%.0f %.2f\n", (double)wanted / elapsed, (processor_seconds() - used) * 1e6 / (double)wanted);
  return EXIT_SUCCESS;
}
