/* MQTT 5: properties of messages there and back, options of subscriptions, and the report of an attempt to connect. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

#include "guest.h"

/* The last message and its properties. */
static struct {
  int count;
  bool is_retained, is_text, has_properties;
  uint32_t expiry_seconds, subscription_id;
  size_t user_count, subscription_count, correlation_size;
  char content_type[32], response_topic[32], correlation[8], users[64];
} last;

static void note_message(void *context, const struct tappet_broker_event *event) {
  note_event(context, event);
  if (event->type != TAPPET_BROKER_EVENT_MESSAGE) return;
  const int count = last.count;
  memset(&last, 0, sizeof last);
  last.count = count + 1;
  last.is_retained = event->is_retained;
  const struct tappet_broker_properties *given = event->properties;
  if (given == NULL) return;
  CHECK(given->size >= sizeof *given);
  last.has_properties = true;
  last.is_text = given->is_text;
  last.expiry_seconds = given->expiry_seconds;
  last.user_count = given->user_property_count;
  last.subscription_count = given->subscription_id_count;
  if (given->subscription_id_count > 0) last.subscription_id = given->subscription_ids[0];
  if (given->content_type) snprintf(last.content_type, sizeof last.content_type, "%s", given->content_type);
  if (given->response_topic) snprintf(last.response_topic, sizeof last.response_topic, "%s", given->response_topic);
  last.correlation_size = given->correlation_size;
  if (given->correlation_size < sizeof last.correlation && given->correlation != NULL)
    memcpy(last.correlation, given->correlation, given->correlation_size);
  for (size_t i = 0; i < given->user_property_count; i++) {
    const struct tappet_broker_user_property *user = &given->user_properties[i];
    const size_t used = strlen(last.users);
    snprintf(last.users + used, sizeof last.users - used, "%s=%s;", user->name, user->value);
  }
}

static int waits(struct link *link, const int *number, int value) {
  for (int turn = 0; turn < 200 && *number != value; turn++) {
    if (tappet_broker_wait(link->broker, 100) < 0 || tappet_broker_dispatch(link->broker) < 0) return 0;
  }
  return *number == value;
}

static struct link connected(const char *client_id, enum tappet_broker_protocol protocol) {
  struct tappet_broker_options wanted = options();
  wanted.client_id = client_id;
  wanted.protocol = protocol;
  struct link link = link_to(&wanted);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  return link;
}

/* Publishes with properties; returns the call's result. */
static int publish(struct link *link, const char *topic, bool is_retained,
                   const struct tappet_broker_properties *with) {
  const uint8_t *payload = (const uint8_t *)"hi";
  return tappet_broker_publish_with(link->broker, topic, payload, 2, 1, is_retained, with, note_result, link);
}

void properties(void) {
  struct link link = connected("properties", TAPPET_BROKER_PROTOCOL_DEFAULT);
  const struct tappet_broker_user_property users[] = {{"a", "1"}, {"a", "2"}, {"empty", ""}};
  const struct tappet_broker_properties good = {.size = sizeof good, .content_type = "text/plain",
      .response_topic = "home/reply", .correlation = (const uint8_t *)"c\0d", .correlation_size = 3,
      .user_properties = users, .user_property_count = 3, .expiry_seconds = 60, .is_text = true};
  const struct tappet_broker_subscribe_options how = {.size = sizeof how, .qos = 1, .subscription_id = 268435455};
  CHECK(tappet_broker_set_event_callback(link.broker, note_message, &link) == 0);
  CHECK(tappet_broker_subscribe_with(link.broker, "home/five", &how, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 1) && link.result == 1);
  CHECK(publish(&link, "home/five", false, &good) == 0);
  CHECK(waits(&link, &last.count, 1));
  CHECK(strcmp(last.content_type, "text/plain") == 0 && strcmp(last.response_topic, "home/reply") == 0);
  CHECK(last.correlation_size == 3 && memcmp(last.correlation, "c\0d", 3) == 0);
  CHECK(last.user_count == 3 && strcmp(last.users, "a=1;a=2;empty=;") == 0);
  CHECK(last.is_text && last.expiry_seconds > 0 && last.expiry_seconds <= 60);
  CHECK(last.subscription_count == 1 && last.subscription_id == 268435455);
  CHECK(publish(&link, "home/five", false, NULL) == 0);
  CHECK(waits(&link, &last.count, 2) && last.user_count == 0 && last.expiry_seconds == 0 && !last.is_text);
  /* libmosquitto 2.0.11 crashes when it publishes an empty content type. */
  const struct tappet_broker_properties empty = {.size = sizeof empty, .content_type = ""};
  CHECK(publish(&link, "home/five", false, &empty) == 0);
  CHECK(waits(&link, &last.count, 3) && last.content_type[0] == '\0');

  struct tappet_broker_properties bad = good;
  bad.size = sizeof bad - 1;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.reserved[2] = 1;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.response_topic = "home/#";
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.content_type = "\xff";
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  /* libmosquitto leaves these out or sends them, whereupon the broker closes the connection. */
  bad = good, bad.content_type = "text/\tplain";
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  const struct tappet_broker_user_property lines[] = {{"a\nb", "c"}, {"a", "b\nc"}};
  bad = good, bad.user_property_count = 1;
  for (int i = 0; i < 2; i++) {
    bad.user_properties = &lines[i];
    CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  }
  bad = good, bad.correlation_size = 65536;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.user_property_count = 65;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.user_properties = NULL;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = good, bad.subscription_id_count = 1;
  CHECK(publish(&link, "home/five", false, &bad) == TAPPET_ERROR_ARGUMENT);
  tappet_broker_free(link.broker);
}

void subscriptions(void) {
  struct link link = connected("subscriptions", TAPPET_BROKER_PROTOCOL_MQTT_5);
  struct tappet_broker_subscribe_options how = {.size = sizeof how, .qos = 1, .excludes_own = true};
  CHECK(tappet_broker_set_event_callback(link.broker, note_message, &link) == 0);
  last.count = 0;
  CHECK(publish(&link, "home/kept", true, NULL) == 0);
  CHECK(waits(&link, &link.results, 1) && link.result == 0);
  /* Nothing that is kept, and nothing of our own. */
  how.retained = TAPPET_BROKER_RETAINED_NONE;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 2) && link.result == 1);
  CHECK(publish(&link, "home/kept", true, NULL) == 0);
  CHECK(waits(&link, &link.results, 3) && last.count == 0);
  /* mosquitto 2.0.11 keeps the options of a subscription that is made again. */
  CHECK(tappet_broker_unsubscribe(link.broker, "home/kept", note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 4));
  how = (struct tappet_broker_subscribe_options){.size = sizeof how, .qos = 1, .keeps_retain = true};
  how.retained = TAPPET_BROKER_RETAINED_NEW;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, note_result, &link) == 0);
  CHECK(waits(&link, &last.count, 1) && last.is_retained);
  CHECK(publish(&link, "home/kept", true, NULL) == 0);
  CHECK(waits(&link, &last.count, 2) && last.is_retained && waits(&link, &link.results, 6));
  /* It is not new any more. */
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 7));
  CHECK(tappet_broker_publish(link.broker, "home/other", NULL, 0, 1, false, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 8) && last.count == 2);
  how.retained = TAPPET_BROKER_RETAINED_ALL;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, note_result, &link) == 0);
  CHECK(waits(&link, &last.count, 3) && last.is_retained);
  how.subscription_id = 268435456;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  how.subscription_id = 0, how.qos = 3;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  how.qos = 0, how.retained = (enum tappet_broker_retained)3;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  how.retained = TAPPET_BROKER_RETAINED_ALL, how.size--;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(link.broker, "home/kept", NULL, 0, 1, true, NULL, NULL) == 0);
  tappet_broker_free(link.broker);

  /* MQTT 3.1.1 has none of this, and a call that wants it fails. */
  link = connected("subscriptions", TAPPET_BROKER_PROTOCOL_MQTT_311);
  const struct tappet_broker_properties some = {.size = sizeof some, .expiry_seconds = 1};
  CHECK(publish(&link, "home/kept", false, &some) == TAPPET_ERROR_STATE);
  how = (struct tappet_broker_subscribe_options){.size = sizeof how, .qos = 1, .excludes_own = true};
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, NULL, NULL) == TAPPET_ERROR_STATE);
  how.excludes_own = false;
  CHECK(tappet_broker_subscribe_with(link.broker, "home/kept", &how, note_result, &link) == 0);
  CHECK(waits(&link, &link.results, 1) && link.result == 1);
  tappet_broker_free(link.broker);
}

/* The stage and the outcome of the last step. */
static int last_step(struct tappet_broker *broker, bool *is_good, const char **text) {
  struct tappet_broker_report report = {.size = sizeof report};
  struct tappet_broker_step step = {.size = sizeof step};
  CHECK(tappet_broker_get_report(broker, &report) == 0 && report.step_count > 0);
  CHECK(tappet_broker_get_step(broker, report.step_count, &step) == 0);
  CHECK(tappet_broker_get_step(broker, report.step_count - 1, &step) == 1);
  *is_good = step.is_good, *text = step.text;
  return (int)step.stage;
}

void reports(void) {
  struct tappet_broker_options wanted = options();
  struct tappet_broker_report report = {.size = sizeof report};
  struct tappet_broker_step step = {.size = sizeof step};
  struct tappet_broker_certificate certificate = {.size = sizeof certificate};
  struct link link = {.broker = NULL};
  bool is_good;
  const char *text;
  CHECK(tappet_broker_new(&link.broker) == 0);
  CHECK(tappet_broker_get_report(link.broker, &report) == TAPPET_ERROR_STATE);
  CHECK(tappet_broker_get_step(link.broker, 0, &step) == TAPPET_ERROR_STATE);
  CHECK(tappet_broker_connect(link.broker, &wanted) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  CHECK(tappet_broker_get_report(link.broker, &report) == 0 && report.is_connected && report.asks_certificate);
  CHECK(report.protocol == TAPPET_BROKER_PROTOCOL_MQTT_5 && report.microseconds > 0 && report.address != NULL);
  CHECK(strcmp(report.tls_version, "TLSv1.3") == 0 && strncmp(report.tls_cipher, "TLS_", 4) == 0);
  CHECK(report.tls_alpn == NULL && report.receive_maximum > 0 && report.topic_alias_maximum > 0);
  const enum tappet_broker_stage stages[] = {TAPPET_BROKER_STAGE_NAME, TAPPET_BROKER_STAGE_TCP,
                                             TAPPET_BROKER_STAGE_TLS, TAPPET_BROKER_STAGE_MQTT};
  size_t good = 0, found = 0;
  int64_t sum = 0;
  for (size_t i = 0; tappet_broker_get_step(link.broker, i, &step) == 1; i++) {
    /* An address of the name that does not listen is a step too. */
    if (step.is_good && good < 4 && step.stage == stages[good]) good++;
    CHECK(step.microseconds >= 0 && step.text[0] != 0);
    sum += step.microseconds;
  }
  CHECK(good == 4 && sum <= report.microseconds);
  while (tappet_broker_get_certificate(link.broker, found, &certificate) == 1) {
    CHECK(certificate.subject[0] != 0 && certificate.issuer[0] != 0 && certificate.expires_unix_seconds > 1600000000);
    if (found++ == 0) CHECK(strstr(certificate.names, "localhost") != NULL);
  }
  CHECK(found == report.certificate_count && found >= 2);
  report.size = step.size = certificate.size = 8;
  CHECK(tappet_broker_get_report(link.broker, &report) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_get_step(link.broker, 0, &step) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_get_certificate(link.broker, 0, &certificate) == TAPPET_ERROR_ARGUMENT);

  /* The next attempt has a report of its own, as has each cause of a failure. */
  CHECK(tappet_broker_disconnect(link.broker) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_DISCONNECTED));
  char other_ca[512];
  snprintf(other_ca, sizeof other_ca, "%.*s/other-ca.pem", (int)(strlen(wanted.ca_file) - strlen("/ca.pem")),
           wanted.ca_file);
  wanted.ca_file = other_ca;
  link.event = 0;
  CHECK(tappet_broker_connect(link.broker, &wanted) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_FAILED));
  CHECK(last_step(link.broker, &is_good, &text) == TAPPET_BROKER_STAGE_TLS && !is_good && strlen(text) > 10);
  report.size = sizeof report, certificate.size = sizeof certificate;
  CHECK(tappet_broker_get_report(link.broker, &report) == 0 && !report.is_connected && report.tls_version == NULL);
  CHECK(report.receive_maximum == -1 && report.has_retained == -1 && report.certificate_count == 0);
  CHECK(tappet_broker_get_certificate(link.broker, 0, &certificate) == 0);
  wanted.url = "mqtts://127.0.0.1:1";
  link.event = 0;
  CHECK(tappet_broker_connect(link.broker, &wanted) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_FAILED));
  CHECK(last_step(link.broker, &is_good, &text) == TAPPET_BROKER_STAGE_TCP && !is_good);
  wanted.ca_file = "/no/such/file";
  link.event = 0;
  CHECK(tappet_broker_connect(link.broker, &wanted) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_FAILED));
  CHECK(last_step(link.broker, &is_good, &text) == TAPPET_BROKER_STAGE_FILES && !is_good);
  CHECK(strstr(text, "/no/such/file") != NULL);
  tappet_broker_free(link.broker);
}
