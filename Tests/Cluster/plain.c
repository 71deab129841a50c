/* The program that a kiosk is compared with: a client on libmosquitto alone that publishes with QoS 1 and knows all
   nodes of the cluster. It leaves a node that refuses, that closes the connection, that sends no CONNACK within 5 s or
   that its keepalive of 10 s finds dead, and tries the next one after up to 1 s; libmosquitto then sends again what has
   no PUBACK. It keeps its messages in memory alone. As the subscriber it has a lasting session.

   Usage: plain publish|subscribe CLIENT NAME TOPIC CA CERTIFICATE KEY PORT…
   Input and output: as of sessions.c; the ids are NAME-NUMBER, and the subscriber prints `got ID` */
#include <mosquitto.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEEPALIVE = 10, CONNECT_SECONDS = 5, JITTER_MILLISECONDS = 1000, TURN_MILLISECONDS = 5 };

static const char *own_name, *topic;
static char **ports;
static int port_count, place, names[65536];
static bool is_publisher, is_connected, is_connecting;
static double retry_at, connect_by, press_at;
static long pace;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "plain: %s\n", what);
  exit(EXIT_FAILURE);
}

static void note(const char *word, const char *detail) {
  printf("%.4f 0 %s %s\n", now(), word, detail);
  fflush(stdout);
}

static void try_next(const char *word, const char *why) {
  note(word, why);
  is_connected = is_connecting = false;
  place = (place + 1) % port_count;
  retry_at = now() + (double)(random() % JITTER_MILLISECONDS) / 1e3;
}

static void connected(struct mosquitto *client, void *context, int code) {
  (void)context;
  if (code != 0) return; /* The broker closes the connection, which `turn` notices. */
  is_connected = true, is_connecting = false;
  note("connected", ports[place]);
  if (!is_publisher) mosquitto_subscribe(client, NULL, topic, 1);
}

static void published(struct mosquitto *client, void *context, int id) {
  (void)client, (void)context;
  char name[96];
  snprintf(name, sizeof name, "%s-%d", own_name, names[id]);
  note("delivered", name);
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
  (void)client, (void)context, (void)id;
  note("subscribed", count == 1 && granted[0] == 1 ? "" : "refused");
}

static void received(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
  (void)client, (void)context;
  char name[96];
  snprintf(name, sizeof name, "%.*s", message->payloadlen, (const char *)message->payload);
  note("got", name);
}

static void publish(struct mosquitto *client) {
  static int number;
  char name[96], detail[128];
  int id = 0, size = snprintf(name, sizeof name, "%s-%d", own_name, ++number);
  /* Without a connection, libmosquitto keeps a message with QoS 1 and says so (MOSQ_ERR_NO_CONN). */
  int result = mosquitto_publish(client, &id, topic, size, name, 1, false);
  if (result != MOSQ_ERR_SUCCESS && result != MOSQ_ERR_NO_CONN) return;
  names[id] = number;
  snprintf(detail, sizeof detail, "%s %.4f", name, now());
  note("accepted", detail);
}

/* Returns false at the end of the input. */
static bool listen_to_input(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char line[64];
  if (poll(&input, 1, 0) == 0) return true;
  if (fgets(line, sizeof line, stdin) == NULL) return false;
  if (strncmp(line, "pace ", 5) == 0) pace = atol(line + 5), press_at = now();
  return true;
}

static void turn(struct mosquitto *client) {
  if (pace > 0 && now() >= press_at) {
    publish(client);
    press_at += (double)pace / 1e3;
  }
  if (!is_connected && !is_connecting) {
    if (now() < retry_at) {
      poll(NULL, 0, TURN_MILLISECONDS);
      return;
    }
    is_connecting = true, connect_by = now() + CONNECT_SECONDS;
    int result = mosquitto_connect_async(client, "127.0.0.1", atoi(ports[place]), KEEPALIVE);
    if (result != MOSQ_ERR_SUCCESS) try_next("unreachable", mosquitto_strerror(result));
    return;
  }
  int result = mosquitto_loop(client, TURN_MILLISECONDS, 1);
  if (result != MOSQ_ERR_SUCCESS) try_next(is_connected ? "lost" : "unreachable", mosquitto_strerror(result));
  else if (is_connecting && now() > connect_by) try_next("unreachable", "no CONNACK");
}

int main(int count, char **words) {
  if (count < 9) return 2;
  is_publisher = strcmp(words[1], "publish") == 0, own_name = words[3], topic = words[4];
  ports = words + 8, port_count = count - 8;
  srandom((unsigned)(getpid() ^ (int)time(NULL)));
  setvbuf(stdin, NULL, _IONBF, 0);
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new(words[2], is_publisher, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, published);
  mosquitto_subscribe_callback_set(client, subscribed);
  mosquitto_message_callback_set(client, received);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (mosquitto_tls_set(client, words[5], NULL, words[6], words[7], NULL) != MOSQ_ERR_SUCCESS) fail("the certificates");
  while (listen_to_input()) turn(client);
  mosquitto_disconnect(client);
  mosquitto_loop(client, 100, 1);
  mosquitto_destroy(client);
  mosquitto_lib_cleanup();
  return EXIT_SUCCESS;
}
