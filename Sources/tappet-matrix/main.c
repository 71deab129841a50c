#include <malloc.h>

int tappet_matrix_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One heap: libcurl's threads, which only ask for addresses, need none of their own. Memory of a handshake goes back
     to the kernel soon after it. */
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 16 * 1024);
  mallopt(M_TOP_PAD, 0);
  return tappet_matrix_main(argc, argv);
}
