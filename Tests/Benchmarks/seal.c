/* Seals secrets as the store does (Sources/TappetStore/Secrets/StoreSecretSeal.swift), for a benchmark that needs
   thousands of them: reads lines of "key context", both in hexadecimal digits, and prints what is sealed.
   Usage: seal FILE-OF-THE-SEALING-KEY */
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t decode(const char *digits, unsigned char *bytes) {
  size_t count = strlen(digits) / 2;
  for (size_t index = 0; index < count; index++) {
    unsigned int byte;
    if (sscanf(digits + 2 * index, "%2x", &byte) != 1) exit(1);
    bytes[index] = (unsigned char)byte;
  }
  return count;
}

int main(int argc, char **argv) {
  unsigned char sealing[32], plain[32], context[1024], sealed[12 + 32 + 16];
  char digits[65], more[2049];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(sealing, 1, sizeof sealing, file) != sizeof sealing) return 1;
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  while (scanf("%64s %2048s", digits, more) == 2) {
    int size;
    if (decode(digits, plain) != sizeof plain || RAND_bytes(sealed, 12) != 1) return 1;
    if (EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, sealing, sealed) != 1 ||
        EVP_EncryptUpdate(cipher, NULL, &size, context, (int)decode(more, context)) != 1 ||
        EVP_EncryptUpdate(cipher, sealed + 12, &size, plain, sizeof plain) != 1 ||
        EVP_EncryptFinal_ex(cipher, sealed + 44, &size) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, sealed + 44) != 1)
      return 1;
    for (size_t index = 0; index < sizeof sealed; index++) printf("%02x", sealed[index]);
    putchar('\n');
  }
  EVP_CIPHER_CTX_free(cipher);
  fclose(file);
  return 0;
}
