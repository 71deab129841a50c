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
  /* A second kiosk on the same folder. */
  struct tappet_kiosk *twin = kiosk_new();
  CHECK(tappet_kiosk_start(twin) == TAPPET_ERROR_CONTROL);
  CHECK(strstr(sentence(twin), "another kiosk is using the state folder") != NULL);
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

/* Its context counts the readers that were lost. */
static void count_losses(void *context, const struct tappet_kiosk_event *event) {
  if (event->type == TAPPET_KIOSK_EVENT_READER_LOST) ++*(int *)context;
}

/* Without a reader none is started and none is missed; one that cannot be started is lost. */
void readerless(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  char path[512];
  snprintf(path, sizeof path, "%s.readerless", folder);
  for (int count = 0; count <= 1; count++) {
    int losses = 0;
    struct tappet_kiosk *kiosk = kiosk_new();
    CHECK(tappet_kiosk_set_state_folder(kiosk, path) == 0);
    CHECK(tappet_kiosk_set_reader_device(kiosk, count == 0 ? "none" : NULL) == 0);
    CHECK(tappet_kiosk_set_event_callback(kiosk, count_losses, &losses) == 0);
    CHECK(tappet_kiosk_start(kiosk) == 0 && tappet_kiosk_press(kiosk, "one") == 0);
    struct tappet_kiosk_counters counters = {.size = sizeof counters};
    const time_t end = time(NULL) + 60;
    while ((counters.accepted == 0 || losses < count) && time(NULL) < end && tappet_kiosk_dispatch(kiosk) == 1) {
      tappet_kiosk_wait(kiosk, 1000);
      CHECK(tappet_kiosk_get_counters(kiosk, &counters) == 0);
    }
    CHECK(counters.accepted == 1 && losses == count);
    tappet_kiosk_free(kiosk);
  }
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
  CHECK(tappet_kiosk_request_output(kiosk, "gate", (enum tappet_kiosk_request)99) == TAPPET_ERROR_ARGUMENT);
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

static int completions, last_result;
static const char *last_sentence;

/* Its context is a kiosk to free, or NULL. */
static void complete(void *context, int result, const char *sentence) {
  completions++;
  last_result = result;
  last_sentence = sentence;
  if (context != NULL) tappet_kiosk_free(context);
}

/* Dispatches until there were `count` completions, for at most 60 s. */
static int completes(struct tappet_kiosk *kiosk, int count) {
  const time_t end = time(NULL) + 60;
  while (completions < count && time(NULL) < end && tappet_kiosk_dispatch(kiosk) == 1) tappet_kiosk_wait(kiosk, 1000);
  return completions == count;
}

/* Requests about people: bad arguments, too many, a kiosk that ends or is freed before the answer. */
void people(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  static const uint8_t uid[11] = {4, 1, 2, 3};
  char path[512], name[130];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  struct tappet_kiosk *kiosk = kiosk_new();
  snprintf(path, sizeof path, "%s.people", folder);
  CHECK(tappet_kiosk_set_state_folder(kiosk, path) == 0);
  CHECK(tappet_kiosk_add_person(kiosk, "Ann", complete, NULL) == TAPPET_ERROR_STATE);
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_add_person(kiosk, name, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_add_person(kiosk, "", complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_add_person(kiosk, "A\nnn", complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_rename_person(kiosk, "Ann", "\xff", complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_assign_tag(kiosk, "", "Ann", complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_learn_tag(kiosk, uid, 4, "two", NULL, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_learn_tag(kiosk, uid, 4, "one", name, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_learn_tag(kiosk, uid, 0, "one", NULL, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_learn_tag(kiosk, uid, 5, "one", NULL, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_forget_tag(kiosk, uid, 11, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_kiosk_forget_tag(kiosk, uid, SIZE_MAX, complete, NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(strstr(sentence(kiosk), "4, 7 or 10 bytes") != NULL);
  /* None of them is completed; one without a completion is done. */
  CHECK(tappet_kiosk_add_person(kiosk, "Ann", NULL, NULL) == 0);
  CHECK(tappet_kiosk_list_people(kiosk, NULL, complete, NULL) == 0 && completions == 0);
  CHECK(completes(kiosk, 1) && last_result == 1 && last_sentence == NULL);
  CHECK(tappet_kiosk_add_person(kiosk, "Ann", complete, NULL) == 0);
  CHECK(completes(kiosk, 2) && last_result == TAPPET_ERROR_ARGUMENT && last_sentence != NULL);
  /* As many as can wait; each of them is completed when the kiosk ends. */
  int count = 0, result = 0;
  while (count < 2000 && (result = tappet_kiosk_suspend_person(kiosk, "Ann", complete, NULL)) == 0) count++;
  CHECK(count > 1000 && count <= 1024 && result == TAPPET_ERROR_LIMIT);
  CHECK(tappet_kiosk_stop(kiosk) == 0 && tappet_kiosk_stop(kiosk) == 0);
  while ((result = tappet_kiosk_dispatch(kiosk)) == 1) tappet_kiosk_wait(kiosk, 1000);
  CHECK(result == 0 && completions == 2 + count && last_result == TAPPET_ERROR_STATE);
  /* A completion frees the kiosk: those after it are not called. */
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_resume_person(kiosk, "Ann", complete, kiosk) == 0);
  CHECK(tappet_kiosk_resume_person(kiosk, "Ann", complete, NULL) == 0);
  CHECK(completes(kiosk, 3 + count) && last_result == 0);
  CHECK(tappet_kiosk_add_person(kiosk, "Ben", complete, NULL) == TAPPET_ERROR_OBJECT);
  unsetenv("TAPPET_READER");
}
