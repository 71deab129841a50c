/* libmicrohttpd, whose variadic functions Swift cannot call, and GnuTLS for the server's own certificate. */
#ifndef TAPPET_CMICROHTTPD_H
#define TAPPET_CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_Response;

/* The callbacks of a server; `context` is passed to each. All are called by tw_run. */
struct tw_callbacks {
  void *context;
  /* A request's first call has no `request`, and returns its new one, or NULL to close the connection. The next calls
     have parts of the body; the last one, with `size` 0, queues a response or suspends the connection, after which it
     comes again. Returns NULL to close the connection. */
  void *(*handle)(
    void *context, struct MHD_Connection *connection, void *request, const char *method, const char *path,
    const uint8_t *body, size_t size);
  /* The request is over, and its connection is not used for it again. */
  void (*completed)(void *context, void *request);
  /* Whether a connection from this network is accepted. */
  int (*admits)(void *context, const char *network);
  /* A connection was accepted, with this descriptor, or is about to be closed. */
  void (*opened)(void *context, struct MHD_Connection *connection, int descriptor);
  void (*closed)(void *context, struct MHD_Connection *connection);
};

struct tw_limits {
  unsigned connections, connections_per_address, silence_seconds;
  size_t memory_per_connection;
};

/* Serves HTTPS on a listening socket, with a certificate and key in PEM, which are copied, or HTTP without them. NULL
   when it cannot. */
struct MHD_Daemon *tw_start(
  int listening, const char *certificate, const char *key, struct tw_limits limits,
  const struct tw_callbacks *callbacks);
/* A descriptor that is readable when tw_run has something to do. */
int tw_descriptor(struct MHD_Daemon *daemon);
/* Milliseconds after which tw_run has something to do anyway; -1: never. */
int64_t tw_timeout(struct MHD_Daemon *daemon);
void tw_run(struct MHD_Daemon *daemon);

/* Ends a connection that sends its request too slowly. */
void tw_hang_up(int descriptor);
/* Whether the client has closed its connection, possibly after it sent its request. */
int tw_has_left(int descriptor);
void tw_suspend(struct MHD_Connection *connection);
void tw_resume(struct MHD_Connection *connection);
/* A header of the request; NULL if it is missing. Valid until the request is over. */
const char *tw_header(struct MHD_Connection *connection, const char *name);
/* The last X-Forwarded-For, which a proxy adds below those of the browser; NULL if there is none. */
const char *tw_forwarded(struct MHD_Connection *connection);
const char *tw_cookie(struct MHD_Connection *connection, const char *name);
/* A parameter of the path's query, decoded; NULL if it is missing. Valid until the request is over. */
const char *tw_parameter(struct MHD_Connection *connection, const char *name);
/* Whether programs could understand the request in different ways: without a Host, with two of a header that decides
   something, with two lengths, or with a NUL in a header. */
int tw_is_ambiguous(struct MHD_Connection *connection);
/* The client's address, and its network, as in tw_parse_address. */
void tw_address(struct MHD_Connection *connection, char text[64], char network[64]);

/* A response with a copy of the bytes. */
struct MHD_Response *tw_response(const void *bytes, size_t size);
/* A response of no known size: `read` copies up to `max` bytes and returns their number, 0 after it has suspended the
   connection, or -1 at the end. */
struct MHD_Response *tw_stream(ssize_t (*read)(void *request, uint8_t *bytes, size_t max), void *request);
void tw_add_header(struct MHD_Response *response, const char *name, const char *value);
/* Queues the response and releases it; negative: the connection must be closed. */
int tw_answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

/* A socket that listens at an address and port in digits; negative: errno is set. */
int tw_listen(const char *address, uint16_t port);
/* The port of a listening socket, and whether it is reached from this machine only. */
int tw_port(int descriptor, int *is_local);
/* Writes an address in its usual spelling, which is IPv4 for one that is mapped to IPv6, and its network: the /64 of an
   IPv6 address, and an IPv4 address itself. 0: the text is not an address. */
int tw_parse_address(const char *text, char address[64], char network[64]);
/* The listening socket that systemd passed to this process; -1 if there is none. */
int tw_listening_socket(void);

/* Writes a new P-256 key in PEM to `pem`; returns its size, or a negative error of GnuTLS. */
ssize_t tw_make_key(char *pem, size_t room);
/* Writes a certificate for the key, signed with it, in PEM. `names` ends with NULL; the first one is the subject. */
ssize_t tw_make_certificate(
  const char *key, const char *const *names, int64_t from, int64_t until, char *pem, size_t room);
/* Finds when a certificate starts and ends, and its SHA-256; negative: it cannot be read, or is not of this key. */
int tw_inspect(const char *certificate, const char *key, int64_t *from, int64_t *until, uint8_t fingerprint[32]);
/* Finds the first weakness of a certificate and its chain, as of OpenSSL's security level 2: 1 a key of `bits` is too
   short, 2 a signature uses MD5 or SHA-1; 0 none. The signature of a certificate with its own key does not count. */
int tw_weakness(const char *certificate, unsigned *bits);
/* The meaning of a negative result. */
const char *tw_error(ssize_t error);

#endif
