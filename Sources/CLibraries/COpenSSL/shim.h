/* As in CPlatform: the C library's types must look the same in every module. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
