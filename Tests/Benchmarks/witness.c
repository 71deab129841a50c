/* Records when messages arrive: subscribes to `bench/#` and the states of doors, and prints CLOCK_BOOTTIME in ns, the
   topic and the payload of each. It decides nothing, and is a process of its own, so that neither of the measured
   programs can influence it.
   Usage: witness PORT CA CERTIFICATE KEY */
#define _GNU_SOURCE
#include <inttypes.h>
#include <mosquitto.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void connected(struct mosquitto *client, void *context, int code) {
  (void)context;
  char *const topics[] = {"bench/#", "tappet/+/input/+"};
  if (code != 0 || mosquitto_subscribe_multiple(client, NULL, 2, topics, 1, 0, NULL) != MOSQ_ERR_SUCCESS) exit(1);
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
  (void)client, (void)context, (void)id, (void)count, (void)granted;
  puts("ready");
}

static void arrived(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
  (void)client, (void)context;
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  printf("%" PRId64 " %s %.*s\n", (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, message->topic, message->payloadlen,
         (const char *)message->payload);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new("witness", true, NULL);
  if (client == NULL) return 1;
  mosquitto_connect_callback_set(client, connected);
  mosquitto_subscribe_callback_set(client, subscribed);
  mosquitto_message_callback_set(client, arrived);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (mosquitto_tls_set(client, arguments[2], NULL, arguments[3], arguments[4], NULL) != MOSQ_ERR_SUCCESS) return 1;
  if (mosquitto_connect(client, "localhost", atoi(arguments[1]), 60) != MOSQ_ERR_SUCCESS) return 1;
  return mosquitto_loop_forever(client, -1, 1) == MOSQ_ERR_SUCCESS ? 0 : 1;
}
