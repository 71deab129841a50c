#include <malloc.h>

int tappet_web_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One thread, one heap; memory of a handshake goes back to the kernel soon after it. */
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 16 * 1024);
  mallopt(M_TOP_PAD, 0);
  return tappet_web_main(argc, argv);
}
