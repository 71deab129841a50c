/* SHA256_Init and its kind: the only SHA-256 of libcrypto's that does not allocate. */
#define OPENSSL_SUPPRESS_DEPRECATED 1

#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
