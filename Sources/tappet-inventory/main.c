#include <malloc.h>

int tappet_inventory_main(int argc, char **argv);

int main(int argc, char **argv) {
  /* One heap: each further one keeps what its thread once needed. */
  mallopt(M_ARENA_MAX, 1);
  return tappet_inventory_main(argc, argv);
}
