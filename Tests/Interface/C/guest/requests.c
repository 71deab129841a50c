/* Every QoS, a subscription and its end, the broker's reasons, a will, and waiting without a loop of the program's
   own. */
#define _POSIX_C_SOURCE 200809L
#include "guest.h"

static int messages;

static void note_message(void *context, const struct tappet_broker_event *event) {
  if (event->type == TAPPET_BROKER_EVENT_MESSAGE) messages++;
  note_event(context, event);
}

/* Waits and dispatches, until a number reaches a value. */
static int waits(struct link *link, const int *number, int value) {
  for (int turn = 0; turn < 200 && *number != value; turn++) {
    if (tappet_broker_wait(link->broker, 100) < 0 || tappet_broker_dispatch(link->broker) < 0) return 0;
  }
  return *number == value;
}

void requests(void) {
  struct tappet_broker_options wanted = options();
  struct link link = link_to(&wanted);
  CHECK(tappet_broker_set_event_callback(link.broker, note_message, &link) == 0);
  CHECK(waits(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  CHECK(tappet_broker_wait(link.broker, 0) == 0);
  CHECK(tappet_broker_subscribe(link.broker, "home/guest", 2, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 1) && link.result == 2);
  for (int qos = 0; qos <= 2; qos++) {
    const uint8_t payload = (uint8_t)('0' + qos);
    CHECK(tappet_broker_publish(link.broker, "home/guest", &payload, 1, qos, false, note_result, &link) == 0);
    CHECK(waits(&link, &link.results, 2 + qos) && link.result == 0);
  }
  CHECK(waits(&link, &messages, 3));
  CHECK(tappet_broker_unsubscribe(link.broker, "home/guest", note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 5) && link.result == 0);
  CHECK(tappet_broker_publish(link.broker, "home/guest", NULL, 0, 1, false, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 6) && messages == 3);
  /* These never reach the broker, so that it cannot have refused them. */
  static const char *const bad[] = {"", "a#", "a/#/b", "#/", "+a", "a/b+/c", "++", "a\n", "\xff"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(tappet_broker_subscribe(link.broker, bad[i], 1, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
    CHECK(tappet_broker_unsubscribe(link.broker, bad[i], NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  }
  static const char *const good[] = {"home/+/guest", "home/+", "home/#", "/", "+/+/#"};
  for (int i = 0; i < 5; i++) {
    CHECK(tappet_broker_unsubscribe(link.broker, good[i], note_result, &link) == 0);
    CHECK(waits(&link, &link.results, 7 + i) && link.result == 0);
  }
  tappet_broker_free(link.broker);
}

static int reason = -1;

static void note_reason(void *context, int result) {
  struct link *link = context;
  reason = tappet_broker_reason(link->broker);
  note_result(context, result);
}

/* The broker says with MQTT 5 that nobody listens; a will needs a topic, and no other will. */
void reasons(void) {
  struct tappet_broker_options wanted = options();
  wanted.client_id = "reasons";
  struct link link = link_to(&wanted);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  CHECK(tappet_broker_publish(link.broker, "nobody/listens", NULL, 0, 1, false, note_reason, &link) == 0);
  CHECK(reaches(&link, &link.results, 1) && link.result == 0 && reason == 0x10);
  CHECK(tappet_broker_reason(link.broker) == 0 && tappet_broker_reason(NULL) == TAPPET_ERROR_ARGUMENT);
  tappet_broker_free(link.broker);

  struct tappet_broker *broker;
  CHECK(tappet_broker_new(&broker) == 0);
  wanted.will_qos = 1;
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  wanted.will_topic = "home/will";
  wanted.announces_status = true;
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  wanted.announces_status = false;
  wanted.will_topic = "home/\nwill";
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  wanted.will_topic = "home/will";
  wanted.password = "no name";
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  wanted.username = "guest";
  wanted.url = "mqtt://127.0.0.1:1";
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  // Without TLS, nothing uses the CA, the certificate and the key.
  wanted.password = NULL;
  CHECK(tappet_broker_connect(broker, &wanted) == TAPPET_ERROR_ARGUMENT);
  wanted.ca_file = wanted.certificate_file = wanted.private_key_file = NULL;
  CHECK(tappet_broker_connect(broker, &wanted) == 0);
  tappet_broker_free(broker);
}

static int reconnected;

static void reconnect(void *context, int result) {
  struct link *link = context;
  const struct tappet_broker_options wanted = options();
  reconnected = tappet_broker_connect(link->broker, &wanted);
  note_result(context, result);
}

/* A completion at the end of a connection comes before its event, which a new attempt could take for its own. */
void ends(void) {
  const struct tappet_broker_options wanted = options();
  struct link link = link_to(&wanted);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  CHECK(tappet_broker_disconnect(link.broker) == 0);
  CHECK(tappet_broker_publish(link.broker, "home/guest", NULL, 0, 1, false, reconnect, &link) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_DISCONNECTED));
  CHECK(link.results == 1 && link.result == TAPPET_ERROR_NOT_CONNECTED && reconnected == TAPPET_ERROR_STATE);
  CHECK(tappet_broker_connect(link.broker, &wanted) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  tappet_broker_free(link.broker);
}
