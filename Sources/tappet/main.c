#include <malloc.h>

int tappet_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One heap: the threads seldom allocate at the same time, and each additional heap keeps its peak size. */
  mallopt(M_ARENA_MAX, 1);
  return tappet_main(argc, argv);
}
