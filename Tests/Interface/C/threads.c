/* Calls the value functions from eight threads at once, with data of their own and a shared table of objects.
   Usage: threads [ROUNDS].  Prints how the rate grows with the number of threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8 };
static int rounds = 20000;
static int failures[THREADS];

static void *work(void *place) {
  int *failures = place;
  uint8_t keys[3][TAPPET_KEY_SIZE];
  memset(keys, 0, sizeof keys);
  for (int round = 0; round < rounds; round++) {
    keys[2][0] = (uint8_t)round;
    keys[2][1] = 1;
    char text[TAPPET_URL_SIZE_MAX];
    struct tappet_url url = {.size = sizeof url};
    int size = tappet_url_sign(round, 1, keys[2], text, sizeof text);
    if (size < 0 || tappet_url_verify(text, (size_t)size, keys[0], 3, &url) != 0 || url.index != round ||
        url.key_index != 2)
      ++*failures;
    if (round % 10 != 0) continue;
    struct tappet_token_receiver *receiver = NULL;
    char token[TAPPET_TOKEN_SIZE];
    int64_t seconds = 0;
    if (tappet_token_receiver_new(TAPPET_TOKEN_RULE_WINDOW, 5, keys[2], 16, &receiver) != 0 ||
        tappet_token_seal(round, keys[2], 16, token, sizeof token) != 32 ||
        tappet_token_receiver_accept(receiver, token, 32, round, &seconds) != 0 || seconds != round ||
        tappet_token_receiver_accept(receiver, token, 32, round, &seconds) != TAPPET_ERROR_REPEATED)
      ++*failures;
    tappet_token_receiver_free(receiver);
    uint8_t message[256];
    char back[TAPPET_URL_SIZE_MAX];
    int bytes = tappet_ndef_uri_encode(text, (size_t)size, message, sizeof message);
    if (bytes < 0 || tappet_ndef_uri_decode(message, (size_t)bytes, back, sizeof back) != size ||
        strcmp(text, back) != 0)
      ++*failures;
  }
  return NULL;
}

static double seconds_with(int count) {
  pthread_t threads[THREADS];
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int index = 0; index < count; index++) pthread_create(&threads[index], NULL, work, &failures[index]);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

int main(int argc, char **argv) {
  if (argc == 2) rounds = atoi(argv[1]);
  double one = seconds_with(1), all = seconds_with(THREADS);
  printf("threads: %d threads verify %.1f times as much as one, on %ld processors\n", THREADS, THREADS * one / all,
         sysconf(_SC_NPROCESSORS_ONLN));
  int failed = 0;
  for (int index = 0; index < THREADS; index++) failed += failures[index];
  if (failed > 0) fprintf(stderr, "%d calls failed\n", failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
