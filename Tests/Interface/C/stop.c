/* A stop is never lost, however soon it comes after another thread began to run the kiosk: not while the database is
   being opened, and not before that either. LD_PRELOAD makes the disk slow.   Usage: stop STATE-FOLDER */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <tappet.h>
#include <time.h>

#include "check.h"

enum { ROUNDS = 4 };
int passed, failed;
static sem_t ended;

static struct tappet_kiosk *new_kiosk(const char *folder) {
  struct tappet_broker_options broker = {.size = sizeof broker, .url = "mqtt://127.0.0.1:1", .client_id = "stop"};
  struct tappet_kiosk_action one = {.size = sizeof one, .name = "one", .topic = "t", .message = "m"};
  struct tappet_kiosk *kiosk = NULL;
  CHECK(tappet_kiosk_new(&kiosk) == 0 && tappet_kiosk_set_broker(kiosk, &broker) == 0);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == 0 && tappet_kiosk_set_state_folder(kiosk, folder) == 0);
  return kiosk;
}

static void *run(void *kiosk) {
  const intptr_t result = tappet_kiosk_run(kiosk);
  sem_post(&ended);
  return (void *)result;
}

static int has_ended(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 20;
  return sem_timedwait(&ended, &limit) == 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  setenv("TAPPET_READER", "/no/such/tappet-reader", 1);
  CHECK(sem_init(&ended, 0, 0) == 0);
  struct tappet_kiosk *kiosk = new_kiosk(argv[1]);
  /* Milliseconds between the start of the thread and the stop. */
  static const int delays[] = {0, 1, 20};
  for (int round = 0; round < 3 * ROUNDS; round++) {
    pthread_t thread;
    void *result = NULL;
    CHECK(pthread_create(&thread, NULL, run, kiosk) == 0);
    poll(NULL, 0, delays[round % 3]);
    CHECK(tappet_kiosk_stop(kiosk) == 0);
    if (!has_ended()) {
      CHECK(!"the run has ended");
      return EXIT_FAILURE;
    }
    CHECK(pthread_join(thread, &result) == 0 && result == NULL);
  }
  /* Before there is a run, and with nobody else: the next one ends, and only that. */
  CHECK(tappet_kiosk_stop(kiosk) == 0 && tappet_kiosk_run(kiosk) == 0);
  CHECK(tappet_kiosk_start(kiosk) == 0 && tappet_kiosk_dispatch(kiosk) == 1);
  tappet_kiosk_free(kiosk);
  printf("stop: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
