/* A planted race: two threads seal tokens into one buffer. The thread sanitizer must report it. */
#include <pthread.h>
#include <tappet.h>

static char shared[TAPPET_TOKEN_SIZE];

static void *seal(void *unused) {
  static const uint8_t key[16];
  for (int round = 0; round < 1000; round++) tappet_token_seal(round, key, sizeof key, shared, sizeof shared);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, seal, NULL);
  seal(NULL);
  pthread_join(other, NULL);
  return 0;
}
