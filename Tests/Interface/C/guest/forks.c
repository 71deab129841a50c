/* Children that are forked while a thread of the library is in the middle of a TLS handshake: they can compute. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

enum { CONNECTIONS = 12, CHILDREN = 12 };

/* Makes the calls that a child may make; ends with 0. SIGALRM ends one that hangs. */
static void compute(struct tappet_broker *broker) {
  alarm(20);
  const uint8_t key[TAPPET_KEY_SIZE] = {1};
  char token[TAPPET_TOKEN_SIZE], text[TAPPET_URL_SIZE_MAX];
  int64_t seconds = 0;
  struct tappet_url url = {.size = sizeof url};
  int code = 0;
  if (tappet_token_seal(1767168000, key, 32, token, sizeof token) != 32) code = 1;
  if (tappet_token_open(token, 32, key, 32, &seconds) != 0 || seconds != 1767168000) code = 2;
  if (tappet_url_sign(1, 2, key, text, sizeof text) < 0) code = 3;
  if (tappet_url_verify(text, strlen(text), key, 1, &url) != 0 || url.index != 1) code = 4;
  if (tappet_broker_dispatch(broker) != TAPPET_ERROR_FORK) code = 5;
  tappet_broker_free(broker);
  _exit(code);
}

void forks(void) {
  struct tappet_broker_options wanted = options();
  for (int round = 0; round < CONNECTIONS; round++) {
    struct link link = link_to(&wanted);
    for (int child = 0; child < CHILDREN; child++) {
      const pid_t process = fork();
      if (process == 0) compute(link.broker);
      int status = -1;
      CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
    tappet_broker_free(link.broker);
  }
}
