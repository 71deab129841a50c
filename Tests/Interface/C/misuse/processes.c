/* A child after a fork, and a process without standard descriptors. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misuse.h"

void leave(int code) {
  char command[] = "exit 0";
  command[5] = (char)(command[5] + code);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(99);
}

void forked(void) {
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  struct tappet_kiosk *kiosk = kiosk_new();
  CHECK(tappet_kiosk_start(kiosk) == 0);
  CHECK(tappet_kiosk_dispatch(kiosk) == 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int code = tappet_kiosk_dispatch(kiosk) == TAPPET_ERROR_FORK ? 0 : 1;
    if (tappet_kiosk_stop(kiosk) != TAPPET_ERROR_FORK) code = 1;
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

/* The library's descriptors may then be 0 to 2, and nothing may be written to them by mistake. Called last, because
   there is no output afterwards. */
int without_standard_descriptors(void) {
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
  if (tappet_kiosk_set_event_callback(watch.kiosk, watch_event, &watch) != 0) code = 1;
  if (tappet_kiosk_run(watch.kiosk) != 0) code = 1;
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
