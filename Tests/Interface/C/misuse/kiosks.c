/* Running kiosks: a callback that frees, a full queue of presses, and two threads. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "misuse.h"

void watch_event(void *context, const struct tappet_kiosk_event *event) {
  struct watch *watch = context;
  watch->calls++;
  if (event->size != sizeof *event || event->name == NULL || event->sentence == NULL) watch->result = 1;
  /* Only the kiosk's own loop is refused. */
  if (tappet_kiosk_dispatch(watch->kiosk) != TAPPET_ERROR_STATE) watch->result = 2;
  if (tappet_kiosk_run(watch->kiosk) != TAPPET_ERROR_STATE) watch->result = 3;
  struct tappet_kiosk_counters counters = {.size = sizeof counters};
  if (tappet_kiosk_get_counters(watch->kiosk, &counters) != 0) watch->result = 4;
  if (watch->frees) {
    tappet_kiosk_free(watch->kiosk);
    if (tappet_kiosk_stop(watch->kiosk) != TAPPET_ERROR_OBJECT) watch->result = 5;
  } else {
    tappet_kiosk_stop(watch->kiosk);
  }
}

static void logged(void *context, const struct tappet_log_record *record) {
  struct watch *watch = context;
  if (record->sentence[0] != '\0' && record->field_count > 0 && strcmp(record->fields[0].key, "event") == 0)
    watch->lines++;
}

void callbacks(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct watch watch = {.kiosk = kiosk_new()};
  CHECK(tappet_kiosk_set_event_callback(watch.kiosk, watch_event, &watch) == 0);
  CHECK(tappet_kiosk_set_log_callback(watch.kiosk, logged, &watch) == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == 0 && watch.calls == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == TAPPET_ERROR_STATE);
  struct tappet_kiosk_action two = action("two", 1);
  CHECK(tappet_kiosk_add_action(watch.kiosk, &two) == TAPPET_ERROR_STATE);
  /* A second kiosk on the same folder: its control socket is in use. */
  struct tappet_kiosk *twin = kiosk_new();
  CHECK(tappet_kiosk_start(twin) == TAPPET_ERROR_CONTROL && strstr(sentence(twin), "another kiosk runs") != NULL);
  tappet_kiosk_free(twin);
  CHECK(tappet_kiosk_run(watch.kiosk) == 0);
  CHECK(watch.calls > 0 && watch.lines > 0 && watch.result == 0);
  /* A second run of the same object, and a run during which a callback frees it. */
  watch.calls = 0;
  CHECK(tappet_kiosk_run(watch.kiosk) == 0 && watch.calls > 0);
  watch.frees = 1;
  CHECK(tappet_kiosk_run(watch.kiosk) == 0 && watch.result == 0);
  CHECK(tappet_kiosk_start(watch.kiosk) == TAPPET_ERROR_OBJECT);
  unsetenv("TAPPET_READER");
}

/* A kiosk can be stopped however many presses wait. */
void full(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  char path[512];
  snprintf(path, sizeof path, "%s.full", folder);
  CHECK(tappet_kiosk_set_state_folder(kiosk, path) == 0);
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_get_counters(kiosk, NULL) == TAPPET_ERROR_ARGUMENT && strstr(sentence(kiosk), "counters") != NULL);
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

static sem_t running;

/* Callbacks are called inside tappet_kiosk_run(): posts that a thread is there. */
static void post(void *context, const struct tappet_kiosk_event *event) {
  (void)context;
  (void)event;
  sem_post(&running);
}

static void *run(void *kiosk) { return (void *)(intptr_t)tappet_kiosk_run(kiosk); }

/* Waits at most 10 s for an event. */
static int has_event(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 10;
  return sem_timedwait(&running, &limit) == 0;
}

/* Runs the kiosk on a thread, and waits until that is inside tappet_kiosk_run(). */
static pthread_t start_running(struct tappet_kiosk *kiosk) {
  pthread_t thread;
  CHECK(sem_init(&running, 0, 0) == 0);
  CHECK(tappet_kiosk_set_event_callback(kiosk, post, NULL) == 0);
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(pthread_create(&thread, NULL, run, kiosk) == 0);
  CHECK(has_event());
  return thread;
}

void threads(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  struct tappet_kiosk_counters counters = {.size = sizeof counters};
  void *result = NULL;
  CHECK(tappet_kiosk_request_output(kiosk, "gate", TAPPET_KIOSK_REQUEST_ON) == TAPPET_ERROR_STATE);
  pthread_t thread = start_running(kiosk);
  CHECK(tappet_kiosk_dispatch(kiosk) == TAPPET_ERROR_THREAD);
  /* Any thread may press, count and stop. The message of the press
     waits for a broker. */
  CHECK(tappet_kiosk_press(kiosk, "x") == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_get_counters(kiosk, &counters) == 0 && counters.refused == 0);
  /* Its panel has no outputs. */
  struct tappet_kiosk_output output = {.size = sizeof output};
  CHECK(tappet_kiosk_request_output(kiosk, "gate", TAPPET_KIOSK_REQUEST_ON) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_request_output(kiosk, "gate", (enum tappet_kiosk_request)5) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_get_output(kiosk, 0, &output) == 0 && tappet_kiosk_get_output(kiosk, SIZE_MAX, &output) == 0);
  CHECK(tappet_kiosk_press(kiosk, "one") == 0);
  while (counters.accepted == 0 && has_event()) CHECK(tappet_kiosk_get_counters(kiosk, &counters) == 0);
  CHECK(counters.accepted == 1 && counters.waiting >= 1);
  CHECK(tappet_kiosk_stop(kiosk) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == NULL);
  /* One thread frees it while another runs it: the call of the other returns. */
  thread = start_running(kiosk);
  tappet_kiosk_free(kiosk);
  CHECK(pthread_join(thread, &result) == 0 && result == NULL);
  unsetenv("TAPPET_READER");
}
