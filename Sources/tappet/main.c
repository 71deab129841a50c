#include <malloc.h>

int tappet_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One heap: the threads seldom allocate at the same time, and each further heap keeps what its thread once needed. */
  mallopt(M_ARENA_MAX, 1);
  return tappet_main(argc, argv);
}
