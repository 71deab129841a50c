/* The safe levels of a program that was killed, set by the one that starts it again.
   Usage: safe FOLDER. */
#include <stdio.h>
#include <tappet.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  printf("%d\n", tappet_kiosk_make_safe(argv[1]));
  return 0;
}
