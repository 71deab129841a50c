/* What a caller can do wrong with the objects of tappet.h, each with the error code that it must get: the wrong order, freed
   and foreign pointers, a callback that frees, another thread, a child after fork, closed standard descriptors, a
   tappet-reader that is missing.   Usage: misuse STATE-FOLDER [traced].  Needs neither a broker nor a reader. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tappet.h>
#include <time.h>
#include <unistd.h>

static int passed, failed;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (condition) {                                                            \
      passed++;                                                                 \
    } else {                                                                    \
      failed++;                                                                 \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

static const uint8_t key[TAPPET_KEY_SIZE] = {7};
static const char *folder, *program;
/* Under Valgrind vfork is a fork: there posix_spawn cannot tell that a program is missing. */
static int is_traced;

static struct tappet_broker_options nowhere(void) {
  struct tappet_broker_options options = {.size = sizeof options, .url = "mqtt://127.0.0.1:1", .client_id = "misuse"};
  return options;
}

static struct tappet_action action(const char *name, int64_t index) {
  struct tappet_action action = {.size = sizeof action, .name = name, .index = index, .topic = "t", .message = "m"};
  return action;
}

static struct tappet_kiosk *kiosk_new(void) {
  struct tappet_kiosk *kiosk = NULL;
  CHECK(tappet_kiosk_new(&kiosk) == 0);
  struct tappet_broker_options options = nowhere();
  struct tappet_action one = action("one", 0);
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == 0);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == 0);
  CHECK(tappet_kiosk_set_state_folder(kiosk, folder) == 0);
  CHECK(tappet_kiosk_set_clock_trusted(kiosk, 1) == 0);
  return kiosk;
}

static const char *sentence(const struct tappet_kiosk *kiosk) {
  static struct tappet_failure failure;
  failure.size = sizeof failure;
  return tappet_kiosk_last_error(kiosk, &failure) == 0 ? failure.sentence : "";
}

static void setting_up(void) {
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
  options.size = 8;
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == TAPPET_ERROR_ARGUMENT);
  options = nowhere();
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == 0);
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_CONFIGURATION && strstr(sentence(kiosk), "action") != NULL);

  struct tappet_action one = action("one", 0), two = action("two", 0), bad = action("bad", 5);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == 0);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "'one'") != NULL);
  CHECK(tappet_kiosk_add_action(kiosk, &two) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "index 0") != NULL);
  bad.topic = "a/#";
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("bad", 5);
  bad.expires_milliseconds = INT64_MAX;
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("bad", 5);
  bad.offline = INT32_MIN;
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("bad", INT64_MIN);
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == TAPPET_ERROR_ARGUMENT);
  bad = action("timed", 6);
  bad.message = "%T";
  CHECK(tappet_kiosk_add_action(kiosk, &bad) == 0);
  CHECK(tappet_kiosk_start(kiosk) == TAPPET_ERROR_CONFIGURATION && strstr(sentence(kiosk), "%T") != NULL);

  for (int count = 0; count < 3; count++) CHECK(tappet_kiosk_add_secret(kiosk, "one", key) == 0);
  CHECK(tappet_kiosk_add_secret(kiosk, "one", key) == TAPPET_ERROR_LIMIT);
  CHECK(tappet_kiosk_add_secret(kiosk, "none", key) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_press(kiosk, "one") == TAPPET_ERROR_STATE);
  CHECK(tappet_kiosk_set_timestamp_key(kiosk, key, 15) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_set_state_folder(kiosk, "") == TAPPET_ERROR_ARGUMENT);

  /* A file that is missing, and one with mistakes: facts and a line for each. */
  struct tappet_failure failure = {.size = sizeof failure};
  CHECK(tappet_kiosk_load(kiosk, "/no/such/file") == TAPPET_ERROR_CONFIGURATION);
  CHECK(tappet_kiosk_last_error(kiosk, &failure) == 0 && failure.system_code == ENOENT);
  char path[512];
  snprintf(path, sizeof path, "%s.yaml", folder);
  FILE *file = fopen(path, "w");
  fputs("broker: {url: mqtt://x, client_id: y}\nactions:\n  - {name: a, topc: b, message: c}\n", file);
  fclose(file);
  CHECK(tappet_kiosk_load(kiosk, path) == TAPPET_ERROR_CONFIGURATION);
  CHECK(tappet_kiosk_last_error(kiosk, &failure) == 0 && failure.code == TAPPET_ERROR_CONFIGURATION);
  CHECK(failure.line == 3 && failure.column > 0 && strstr(failure.sentence, "did you mean 'topic'?") != NULL);
  tappet_kiosk_free(kiosk);
}

static void freed(void) {
  struct tappet_kiosk *kiosk = kiosk_new();
  struct tappet_broker *broker = NULL;
  struct tappet_reader *reader = NULL;
  CHECK(tappet_broker_new(&broker) == 0 && tappet_reader_new(&reader) == 0);
  /* One kind for another. */
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

static void orders(void) {
  struct tappet_broker *broker = NULL;
  struct tappet_broker_options options = nowhere();
  CHECK(tappet_broker_new(&broker) == 0);
  CHECK(tappet_broker_publish(broker, "t", NULL, 0, 0, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "$aws/things/x/shadow/update", NULL, 0, 0, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "", NULL, 0, 0, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(broker, "a/+", NULL, 0, 0, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_subscribe(broker, "t", 0, NULL, NULL) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_disconnect(broker) == TAPPET_ERROR_NOT_CONNECTED);
  CHECK(tappet_broker_publish(broker, "#", NULL, 0, 0, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_publish(broker, "t", key, SIZE_MAX, 0, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_broker_subscribe(broker, "t", 3, NULL, NULL) == TAPPET_ERROR_ARGUMENT);
  options.keepalive_seconds = 4;
  CHECK(tappet_broker_connect(broker, &options) == TAPPET_ERROR_ARGUMENT);
  options.keepalive_seconds = 0;
  CHECK(tappet_broker_connect(broker, &options) == 0);
  CHECK(tappet_broker_connect(broker, &options) == TAPPET_ERROR_STATE);
  tappet_broker_free(broker);
}

static void readers(void) {
  struct tappet_reader *reader = NULL;
  struct tappet_reader_event event = {.size = sizeof event};
  struct tappet_failure failure = {.size = sizeof failure};
  CHECK(tappet_reader_new(&reader) == 0);
  CHECK(tappet_reader_next(reader, &event) == 0);
  CHECK(tappet_reader_dispatch(reader) == TAPPET_ERROR_STATE);
  CHECK(tappet_reader_close(reader) == 0);
  CHECK(tappet_reader_write(reader, NULL, 0) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(reader, key, 8193) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(reader, (const uint8_t *)"\xD1\x01\xFF", 3) == TAPPET_ERROR_NDEF_TRUNCATED);
  CHECK(tappet_reader_write(reader, (const uint8_t *)"\xD0\0\0", 3) == TAPPET_ERROR_STATE);
  CHECK(tappet_reader_open(reader, "a\nb") == TAPPET_ERROR_ARGUMENT);
  event.size = 1;
  CHECK(tappet_reader_next(reader, &event) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_open(reader, "") == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_next(reader, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_last_error(reader, &failure) == 0 && strstr(failure.sentence, "event") != NULL);

  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  if (!is_traced) {
    CHECK(tappet_reader_open(reader, NULL) == TAPPET_ERROR_SYSTEM);
    CHECK(tappet_reader_last_error(reader, &failure) == 0 && failure.system_code == ENOENT);
    CHECK(strstr(failure.sentence, "/no/such/tappet-reader") != NULL);
  }
  /* One that ends at once is an event. */
  setenv("TAPPET_READER", "/bin/false", 1);
  CHECK(tappet_reader_open(reader, NULL) == 0);
  struct pollfd entry = {.fd = tappet_reader_fd(reader), .events = POLLIN};
  CHECK(poll(&entry, 1, 10000) == 1);
  event.size = sizeof event;
  CHECK(tappet_reader_next(reader, &event) == 1 && event.type == TAPPET_READER_EVENT_LOST && event.text != NULL);
  CHECK(tappet_reader_next(reader, &event) == 0);
  unsetenv("TAPPET_READER");
  tappet_reader_free(reader);
}

/* In place of tappet-reader: says two things at once, and that it has. */
static int act_as_reader(const char *said) {
  send(3, "\1\2made up", 9, MSG_NOSIGNAL);
  send(3, "\6\4\1\2\3\4", 6, MSG_NOSIGNAL);
  close(open(said, O_CREAT | O_WRONLY, 0600));
  char order[16384];
  while (recv(3, order, sizeof order, 0) > 0) continue;
  return 0;
}

struct once {
  struct tappet_reader *reader;
  int calls;
};

static int calls_without_context;

static void takes_itself_away(void *context, const struct tappet_reader_event *event) {
  struct once *once = context;
  if (once == NULL) {
    calls_without_context++;
    return;
  }
  if (event->type == TAPPET_READER_EVENT_READY) once->calls++;
  if (tappet_reader_set_event_callback(once->reader, NULL, NULL) != 0) once->calls = -1;
}

static void reader_callbacks(void) {
  char said[512];
  snprintf(said, sizeof said, "%s.said", folder);
  remove(said);
  setenv("TAPPET_READER", program, 1);
  struct once once = {.calls = 0};
  struct tappet_reader_event event = {.size = sizeof event};
  CHECK(tappet_reader_new(&once.reader) == 0);
  CHECK(tappet_reader_set_event_callback(once.reader, takes_itself_away, &once) == 0);
  CHECK(tappet_reader_open(once.reader, said) == 0);
  struct timespec turn = {.tv_nsec = 1000000};
  for (int turns = 0; turns < 10000 && access(said, F_OK) != 0; turns++) nanosleep(&turn, NULL);
  /* The second event is nobody's, and waits. */
  CHECK(tappet_reader_dispatch(once.reader) == 1 && once.calls == 1 && calls_without_context == 0);
  CHECK(tappet_reader_dispatch(once.reader) == TAPPET_ERROR_STATE);
  CHECK(tappet_reader_next(once.reader, &event) == 1 && event.type == TAPPET_READER_EVENT_TAG_LEFT);
  CHECK(tappet_reader_next(once.reader, &event) == 0);
  /* A write that waits for a tag is not taken back by a size that is none. */
  CHECK(tappet_reader_write(once.reader, (const uint8_t *)"\xD0\0\0", 3) == 0);
  CHECK(tappet_reader_write(once.reader, key, SIZE_MAX) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(once.reader, key, (size_t)1 << (8 * sizeof(size_t) - 1)) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(once.reader, key, 0) == 0);
  unsetenv("TAPPET_READER");
  tappet_reader_free(once.reader);
}

static void panels(void) {
  struct tappet_panel *panel = NULL;
  struct tappet_line light = {.size = sizeof light, .name = "no-such-line", .is_output = 1}, bad = light;
  CHECK(tappet_panel_new(&panel) == 0);
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
  CHECK(tappet_panel_open(panel) == 0);
  CHECK(tappet_panel_open(panel) == TAPPET_ERROR_STATE);
  CHECK(tappet_panel_set(panel, 64, 1) == TAPPET_ERROR_ARGUMENT && tappet_panel_set(panel, -1, 1) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_panel_set(panel, 63, 1) == 0);
  CHECK(tappet_panel_dispatch(panel) == 0);
  tappet_panel_free(panel);
  CHECK(tappet_panel_dispatch(panel) == TAPPET_ERROR_OBJECT);
}

/* --- callbacks */

struct watch {
  struct tappet_kiosk *kiosk;
  int calls, lines, result, frees;
};

static void told(void *context, const struct tappet_kiosk_event *event) {
  struct watch *watch = context;
  watch->calls++;
  if (event->size != sizeof *event || event->name == NULL || event->sentence == NULL) watch->result = 1;
  /* Its own loop is refused; everything else goes. */
  if (tappet_kiosk_dispatch(watch->kiosk) != TAPPET_ERROR_STATE) watch->result = 2;
  if (tappet_kiosk_run(watch->kiosk) != TAPPET_ERROR_STATE) watch->result = 3;
  struct tappet_counters counters = {.size = sizeof counters};
  if (tappet_kiosk_counters(watch->kiosk, &counters) != 0) watch->result = 4;
  if (watch->frees) {
    tappet_kiosk_free(watch->kiosk);
    if (tappet_kiosk_stop(watch->kiosk) != TAPPET_ERROR_OBJECT) watch->result = 5;
  } else {
    tappet_kiosk_stop(watch->kiosk);
  }
}

static void logged(void *context, const struct tappet_log_line *line) {
  struct watch *watch = context;
  if (line->sentence[0] != '\0' && line->field_count > 0 && strcmp(line->fields[0].key, "event") == 0) watch->lines++;
}

static void callbacks(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct watch watch = {.kiosk = kiosk_new()};
  CHECK(tappet_kiosk_set_event_callback(watch.kiosk, told, &watch) == 0);
  CHECK(tappet_kiosk_set_log_callback(watch.kiosk, logged, &watch) == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == 0 && watch.calls == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == TAPPET_ERROR_STATE);
  struct tappet_action two = action("two", 1);
  CHECK(tappet_kiosk_add_action(watch.kiosk, &two) == TAPPET_ERROR_STATE);
  /* The same kiosk a second time: its control socket is in use. */
  struct tappet_kiosk *twin = kiosk_new();
  CHECK(tappet_kiosk_start(twin) == TAPPET_ERROR_CONTROL && strstr(sentence(twin), "another kiosk runs") != NULL);
  tappet_kiosk_free(twin);
  CHECK(tappet_kiosk_run(watch.kiosk) == 0);
  CHECK(watch.calls > 0 && watch.lines > 0 && watch.result == 0);
  /* A second run of the same object, and one that its callback frees. */
  watch.calls = 0;
  CHECK(tappet_kiosk_run(watch.kiosk) == 0 && watch.calls > 0);
  watch.frees = 1;
  CHECK(tappet_kiosk_run(watch.kiosk) == 0 && watch.result == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == TAPPET_ERROR_OBJECT);
  unsetenv("TAPPET_READER");
}

/* However many presses wait, it can be stopped. */
static void full(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  char path[512];
  snprintf(path, sizeof path, "%s.full", folder);
  CHECK(tappet_kiosk_set_state_folder(kiosk, path) == 0);
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_counters(kiosk, NULL) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "counters") != NULL);
  int count = 0, result = 0;
  while (count < 2000 && (result = tappet_kiosk_press(kiosk, "one")) == 0) count++;
  CHECK(count > 1000 && count <= 1024 && result == TAPPET_ERROR_LIMIT);
  CHECK(tappet_kiosk_stop(kiosk) == 0);
  CHECK(tappet_kiosk_stop(kiosk) == 0);
  time_t end = time(NULL) + 60;
  while ((result = tappet_kiosk_dispatch(kiosk)) == 1 && time(NULL) < end) {
    struct pollfd entry = {.fd = tappet_kiosk_fd(kiosk), .events = POLLIN};
    poll(&entry, 1, 1000);
  }
  CHECK(result == 0);
  tappet_kiosk_free(kiosk);
  unsetenv("TAPPET_READER");
}

/* --- threads */

static void *run(void *kiosk) { return (void *)(intptr_t)tappet_kiosk_run(kiosk); }

static void threads(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  CHECK(tappet_kiosk_start(kiosk) == 0);
  pthread_t thread;
  void *result = NULL;
  CHECK(pthread_create(&thread, NULL, run, kiosk) == 0);
  struct timespec turn = {.tv_nsec = 1000000};
  int code = 1;
  for (int turns = 0; turns < 10000 && code != TAPPET_ERROR_THREAD; turns++) {
    struct tappet_counters counters = {.size = sizeof counters};
    code = tappet_kiosk_counters(kiosk, &counters);
    nanosleep(&turn, NULL);
  }
  CHECK(code == TAPPET_ERROR_THREAD);
  CHECK(tappet_kiosk_dispatch(kiosk) == TAPPET_ERROR_THREAD);
  CHECK(tappet_kiosk_stop(kiosk) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == NULL);
  /* Freed by one thread while another runs it: that one comes back. */
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(pthread_create(&thread, NULL, run, kiosk) == 0);
  for (code = 1; code != TAPPET_ERROR_THREAD; nanosleep(&turn, NULL)) code = tappet_kiosk_press(kiosk, "x");
  tappet_kiosk_free(kiosk);
  CHECK(pthread_join(thread, &result) == 0 && result == NULL);
  unsetenv("TAPPET_READER");
}

/* Not by _exit: Valgrind would look for leaks, and take what the parent's threads hold for one. */
static void leave(int code) {
  char command[] = "exit 0";
  command[5] = (char)(command[5] + code);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(99);
}

static void forked(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_dispatch(kiosk) == 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int code = tappet_kiosk_dispatch(kiosk) == TAPPET_ERROR_FORK && tappet_kiosk_stop(kiosk) == TAPPET_ERROR_FORK ? 0 : 1;
    tappet_kiosk_free(kiosk);
    if (tappet_kiosk_dispatch(kiosk) != TAPPET_ERROR_OBJECT) code = 2;
    struct tappet_kiosk *own = NULL;
    if (tappet_kiosk_new(&own) != 0) code = 3;
    tappet_kiosk_free(own);
    leave(code);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(tappet_kiosk_dispatch(kiosk) == 1);
  tappet_kiosk_free(kiosk);
  unsetenv("TAPPET_READER");
}

/* Descriptors of the library may then be 0 to 2; nothing may be written to them by mistake. Last: there is no output after. */
static int without_standard_descriptors(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child != 0) {
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  failed = 0;
  close(0), close(1), close(2);
  setenv("TAPPET_READER", "/bin/false", 1);
  struct watch watch = {.kiosk = kiosk_new()};
  int code = 0;
  if (tappet_kiosk_set_event_callback(watch.kiosk, told, &watch) != 0 || tappet_kiosk_run(watch.kiosk) != 0) code = 1;
  tappet_kiosk_free(watch.kiosk);
  struct tappet_reader *reader = NULL;
  struct tappet_reader_event event = {.size = sizeof event};
  if (tappet_reader_new(&reader) != 0 || tappet_reader_open(reader, NULL) != 0) code = 2;
  struct pollfd entry = {.fd = tappet_reader_fd(reader), .events = POLLIN};
  if (poll(&entry, 1, 10000) != 1 || tappet_reader_next(reader, &event) != 1) code = 3;
  tappet_reader_free(reader);
  leave(failed > 0 ? 4 : code);
  return 0;
}

int main(int count, char **words) {
  /* --socket 3 --device FILE: started in place of tappet-reader, and then the tests are not run once more by each other. */
  if (count > 1 && words[1][0] == '-') return count == 5 ? act_as_reader(words[4]) : 2;
  if (count < 2) return 2;
  /* The name that it was started by need not be a path. */
  static char path[512];
  program = readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : words[0];
  folder = words[1];
  is_traced = count > 2;
  setting_up();
  freed();
  orders();
  readers();
  reader_callbacks();
  panels();
  callbacks();
  full();
  threads();
  forked();
  CHECK(without_standard_descriptors());
  printf("misuse: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
