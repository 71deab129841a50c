/* Objects that are set up wrongly or in the wrong order, and pointers that were freed or belong to another kind. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "misuse.h"

void setting_up(void) {
  struct tappet_kiosk *kiosk = NULL;
  CHECK(tappet_kiosk_new(&kiosk) == 0);
  CHECK(tappet_kiosk_dispatch(kiosk) == TAPPET_ERROR_STATE);
  CHECK(tappet_kiosk_fd(kiosk) == TAPPET_ERROR_STATE);
  CHECK(tappet_kiosk_press(kiosk, "x") == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_stop(kiosk) == 0);
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_CONFIGURATION && strstr(sentence(kiosk), "broker") != NULL);
  struct tappet_broker_options options = nowhere();
  options.url = "http://x";
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  options.certificate_file = "/c.pem";
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  options.ca_file = "/ca.pem";
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "mqtts") != NULL);
  options = nowhere();
  options.certificate_file = "/c.pem";
  options.private_key_file = "/c.key";
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  options.protocol = TAPPET_BROKER_PROTOCOL_MQTT_5;
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "mqtts") != NULL);
  options = nowhere();
  options.reserved[1] = 1;
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  options.size = 8;
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == 0);
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_CONFIGURATION && strstr(sentence(kiosk), "action") != NULL);

  struct tappet_kiosk_action one = action("one", 0), two = action("two", 0), bad = action("bad", 5);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == 0);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "'one'") != NULL);
  CHECK(tappet_kiosk_add_action(kiosk, &two) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "index 0") != NULL);
  bad.topic = "a/#";
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("bad", 5);
  bad.expires_milliseconds = INT64_MAX;
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("bad", 5);
  bad.offline = (enum tappet_kiosk_offline)INT32_MAX;
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("o\xe2\x80\x8bne", 5);
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "U+200B") != NULL);
  bad = action("bad", INT64_MIN);
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("timed", 6);
  bad.message = "%T";
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == 0);
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_CONFIGURATION && strstr(sentence(kiosk), "%T") != NULL);

  for (int count = 0; count < 1000; count++) CHECK(tappet_kiosk_add_secret(kiosk, "one", key) == 0);
  CHECK(tappet_kiosk_add_secret(kiosk, "one", key) == TAPPET_ERROR_LIMIT);
  CHECK(tappet_kiosk_add_secret(kiosk, "none", key) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_press(kiosk, "one") == TAPPET_ERROR_STATE);
  CHECK(tappet_kiosk_set_timestamp_key(kiosk, key, 15) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_set_state_folder(kiosk, "") == TAPPET_ERROR_ARGUMENT);

  /* A missing file, and one with mistakes: facts, and a line for each mistake. */
  struct tappet_failure failure = {.size = sizeof failure};
  CHECK(tappet_kiosk_load(kiosk, "/no/such/file") == TAPPET_ERROR_CONFIGURATION);
  CHECK(tappet_kiosk_last_error(kiosk, &failure) == 0 && failure.system_code == ENOENT);
  CHECK(failure.file_line == 0 && failure.file_column == 0);
  char path[512];
  snprintf(path, sizeof path, "%s.yaml", folder);
  FILE *file = fopen(path, "w");
  fputs("broker: {url: mqtt://x, client_id: y}\nactions:\n  - {name: a, topc: b, message: c}\n", file);
  fclose(file);
  CHECK(tappet_kiosk_load(kiosk, path) == TAPPET_ERROR_CONFIGURATION);
  CHECK(tappet_kiosk_last_error(kiosk, &failure) == 0 && failure.code == TAPPET_ERROR_CONFIGURATION);
  CHECK(failure.file_line == 3 && failure.file_column > 0 && strstr(failure.sentence, "did you mean 'topic'?") != NULL);
  tappet_kiosk_free(kiosk);
}

/* A start that fails leaves nothing behind. Under Valgrind mallinfo2 knows nothing; its own search for leaks does. */
void failed_starts(void) {
  struct tappet_kiosk *kiosk = kiosk_new();
  CHECK(tappet_kiosk_set_state_folder(kiosk, "/dev/null") == 0);
  size_t before = 0;
  for (int round = 0; round < 200; round++) {
    CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_STORE);
    if (round == 99) before = mallinfo2().uordblks;
  }
  CHECK(mallinfo2().uordblks <= before);
  tappet_kiosk_free(kiosk);
}

void freed(void) {
  struct tappet_kiosk *kiosk = kiosk_new();
  struct tappet_broker *broker = NULL;
  struct tappet_reader *reader = NULL;
  CHECK(tappet_broker_new(&broker) == 0 && tappet_reader_new(&reader) == 0);
  /* An object of another kind. */
  CHECK(tappet_kiosk_start((struct tappet_kiosk *)(void *)broker) == TAPPET_ERROR_OBJECT);
  CHECK(tappet_broker_dispatch((struct tappet_broker *)(void *)reader) == TAPPET_ERROR_OBJECT);
  tappet_kiosk_free((struct tappet_kiosk *)(void *)broker);
  CHECK(tappet_broker_dispatch(broker) == 0);
  for (int round = 0; round < 2; round++) {
    tappet_kiosk_free(kiosk);
    tappet_broker_free(broker);
    tappet_reader_free(reader);
  }
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_OBJECT);
  CHECK(tappet_kiosk_stop(kiosk) == TAPPET_ERROR_OBJECT);
  CHECK(tappet_broker_dispatch(broker) == TAPPET_ERROR_OBJECT);
  CHECK(tappet_reader_open(reader, NULL) == TAPPET_ERROR_OBJECT);
}

void requests(void) {
  struct tappet_broker *broker = NULL;
  struct tappet_broker_options options = nowhere();
  CHECK(tappet_broker_new(&broker) == 0);
  CHECK(tappet_broker_publish(broker, "t", NULL, 0, 1, false, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "$aws/things/x", NULL, 0, 1, false, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "", NULL, 0, 1, false, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(broker, "a/+", NULL, 0, 1, false, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(broker, "t", NULL, 0, 3, false, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_subscribe(broker, "t", 0, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_unsubscribe(broker, "t", NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_wait(broker, 0) == 0 && tappet_broker_wait(broker, -2) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_disconnect(broker) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "#", NULL, 0, 1, false, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(broker, "t", key, SIZE_MAX, 1, false, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_subscribe(broker, "t", 3, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  options.keepalive_seconds = 4;
  CHECK(tappet_broker_connect(broker, &options) == TAPPET_ERROR_ARGUMENT);
  options.keepalive_seconds = 0;
  CHECK(tappet_broker_connect(broker, &options) == 0);
  CHECK(tappet_broker_connect(broker, &options) == TAPPET_ERROR_STATE);
  tappet_broker_free(broker);
}

void panels(void) {
  struct tappet_panel *panel = NULL;
  struct tappet_panel_line light = {.size = sizeof light, .name = "no-such-line", .is_output = 1}, bad = light;
  bool is_active = true;
  CHECK(tappet_panel_new(&panel) == 0);
  CHECK(tappet_panel_get(panel, 0, &is_active) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_open(panel) == TAPPET_ERROR_STATE);
  CHECK(tappet_panel_retry(panel) == TAPPET_ERROR_STATE);
  bad.bias = 4;
  CHECK(tappet_panel_add_line(panel, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = light;
  bad.name = NULL;
  CHECK(tappet_panel_add_line(panel, &bad) == TAPPET_ERROR_ARGUMENT);
  bad.pin = -1;
  CHECK(tappet_panel_add_line(panel, &bad) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_set_profile(panel, "no-such-board") == TAPPET_ERROR_CONFIGURATION);
  for (int line = 0; line < 64; line++) CHECK(tappet_panel_add_line(panel, &light) == line);
  CHECK(tappet_panel_add_line(panel, &light) == TAPPET_ERROR_LIMIT);
  CHECK(tappet_panel_set(panel, 0, 1) == TAPPET_ERROR_STATE);
  CHECK(tappet_panel_pulse(panel, 0, 1) == TAPPET_ERROR_STATE);
  CHECK(tappet_panel_open(panel) == 0);
  CHECK(tappet_panel_open(panel) == TAPPET_ERROR_STATE);
  CHECK(tappet_panel_set(panel, 64, 1) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_set(panel, -1, 1) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_set(panel, 63, 1) == 0);
  CHECK(tappet_panel_dispatch(panel) == 0);
  CHECK(tappet_panel_pulse(panel, 64, 1) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_pulse(panel, 63, 0) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_pulse(panel, 63, 86400001) == TAPPET_ERROR_ARGUMENT);
  /* Its end is an event of its own, and happens once. */
  CHECK(tappet_panel_pulse(panel, 63, 1) == 0 && tappet_panel_wait(panel, 10000) == 1);
  CHECK(tappet_panel_dispatch(panel) == 0 && tappet_panel_wait(panel, 0) == 0);
  tappet_panel_free(panel);
  CHECK(tappet_panel_dispatch(panel) == TAPPET_ERROR_OBJECT);
}
