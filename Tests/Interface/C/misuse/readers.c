/* Readers: bad arguments, a missing tappet-reader, and a callback that removes itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "misuse.h"

void readers(void) {
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
  setenv("TAPPET_READER", "/bin/true", 1);
  CHECK(tappet_reader_list(NULL, 0) == 0);
  /* A process that ends at once is reported as an event. */
  setenv("TAPPET_READER", "/bin/false", 1);
  CHECK(tappet_reader_list(NULL, 0) == TAPPET_ERROR_SYSTEM);
  CHECK(tappet_reader_open(reader, NULL) == 0);
  struct pollfd entry = {.fd = tappet_reader_fd(reader), .events = POLLIN};
  CHECK(poll(&entry, 1, 10000) == 1);
  event.size = sizeof event;
  CHECK(tappet_reader_next(reader, &event) == 1 && event.type == TAPPET_READER_EVENT_LOST && event.sentence != NULL);
  CHECK(tappet_reader_next(reader, &event) == 0);
  unsetenv("TAPPET_READER");
  tappet_reader_free(reader);
}

/* Sends a message of tappet-reader, with the time at its end (ReaderFrame.swift). */
static void send_message(const char *message, size_t size) {
  uint8_t datagram[64];
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  uint64_t nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  memcpy(datagram, message, size);
  for (size_t i = 0; i < 8; i++) datagram[size + i] = (uint8_t)(nanoseconds >> (56 - 8 * i));
  send(3, datagram, size + 8, MSG_NOSIGNAL);
}

int act_as_reader(const char *path) {
  send_message("\1\5made up", 9);
  send_message("\6\4\1\2\3\4", 6);
  int fifo = open(path, O_WRONLY);
  if (fifo < 0 || write(fifo, "", 1) != 1) return 1;
  char order[16384];
  while (recv(3, order, sizeof order, 0) > 0) continue;
  return 0;
}

struct once {
  struct tappet_reader *reader;
  int calls;
};

static int calls_without_context;

static void remove_itself(void *context, const struct tappet_reader_event *event) {
  struct once *once = context;
  if (once == NULL) {
    calls_without_context++;
    return;
  }
  if (event->type == TAPPET_READER_EVENT_READY) once->calls++;
  if (tappet_reader_set_event_callback(once->reader, NULL, NULL) != 0) once->calls = -1;
}

void reader_callbacks(void) {
  char path[512];
  snprintf(path, sizeof path, "%s.fifo", folder);
  CHECK(mkfifo(path, 0600) == 0);
  int fifo = open(path, O_RDONLY | O_NONBLOCK);
  setenv("TAPPET_READER", program, 1);
  struct once once = {.calls = 0};
  struct tappet_reader_event event = {.size = sizeof event};
  CHECK(tappet_reader_new(&once.reader) == 0);
  CHECK(tappet_reader_set_event_callback(once.reader, remove_itself, &once) == 0);
  CHECK(tappet_reader_open(once.reader, path) == 0);
  struct pollfd sent = {.fd = fifo, .events = POLLIN};
  CHECK(poll(&sent, 1, 10000) == 1 && (sent.revents & POLLIN) != 0);
  /* The second event has no callback any more, and waits. */
  CHECK(tappet_reader_dispatch(once.reader) == 1 && once.calls == 1 && calls_without_context == 0);
  CHECK(tappet_reader_dispatch(once.reader) == TAPPET_ERROR_STATE);
  CHECK(tappet_reader_next(once.reader, &event) == 1 && event.type == TAPPET_READER_EVENT_TAG_LEFT);
  CHECK(tappet_reader_next(once.reader, &event) == 0);
  /* An impossible size does not cancel a write that waits for a tag. */
  CHECK(tappet_reader_write(once.reader, (const uint8_t *)"\xD0\0\0", 3) == 0);
  CHECK(tappet_reader_write(once.reader, key, SIZE_MAX) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(once.reader, key, (size_t)1 << (8 * sizeof(size_t) - 1)) == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_reader_write(once.reader, key, 0) == 0);
  unsetenv("TAPPET_READER");
  tappet_reader_free(once.reader);
  close(fifo);
}

/* A reader that was ready and falls silent is given 12 s, and the sentence does not promise a restart. */
void silent_reader(void) {
  char path[512];
  snprintf(path, sizeof path, "%s.silent", folder);
  CHECK(mkfifo(path, 0600) == 0);
  int fifo = open(path, O_RDONLY | O_NONBLOCK);
  setenv("TAPPET_READER", program, 1);
  struct tappet_reader *reader = NULL;
  struct tappet_reader_event event = {.size = sizeof event};
  CHECK(tappet_reader_new(&reader) == 0 && tappet_reader_open(reader, path) == 0);
  CHECK(tappet_reader_wait(reader, 10000) == 1 && tappet_reader_next(reader, &event) == 1);
  CHECK(event.type == TAPPET_READER_EVENT_READY && strcmp(event.device, "made up") == 0);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (event.type != TAPPET_READER_EVENT_LOST && tappet_reader_wait(reader, 20000) == 1)
    CHECK(tappet_reader_next(reader, &event) >= 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  CHECK(event.type == TAPPET_READER_EVENT_LOST && end.tv_sec - start.tv_sec >= 11);
  CHECK(strstr(event.sentence, "open the reader again") != NULL);
  unsetenv("TAPPET_READER");
  tappet_reader_free(reader);
  close(fifo);
}
