#include <malloc.h>

int tappet_webhook_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One heap: libcurl's threads, which only ask for addresses, need none of their own. */
  mallopt(M_ARENA_MAX, 1);
  return tappet_webhook_main(argc, argv);
}
