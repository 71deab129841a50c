/* Checks whether a tag's URL was signed with one of the given keys.   Usage: verify URL KEY (64 digits) … */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tappet.h>

int main(int argc, char **argv) {
  uint8_t keys[TAPPET_KEYS_MAX][TAPPET_KEY_SIZE];
  if (argc < 2 || argc - 2 > TAPPET_KEYS_MAX) return 2;
  for (int index = 2; index < argc; index++)
    if (tappet_hex_decode(argv[index], strlen(argv[index]),
                          keys[index - 2], TAPPET_KEY_SIZE) !=
        TAPPET_KEY_SIZE)
      return 2;

  struct tappet_url url = {.size = sizeof url};
  int result = tappet_url_verify(argv[1], strlen(argv[1]),
                                 keys[0], (size_t)(argc - 2), &url);
  if (result < 0) {
    printf("refused: %s\n", tappet_strerror(result));
    return 1;
  }
  printf("action %lld, written at %lld, signed with key %zu\n",
         (long long)url.index, (long long)url.timestamp,
         url.key_index + 1);
}
