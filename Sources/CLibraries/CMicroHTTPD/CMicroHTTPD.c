#define _GNU_SOURCE 1
#include "CMicroHTTPD.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- The server ------------------------------------------------------------------------------------------------- */

static struct tw_callbacks callbacks;

/* Writes an address in its usual spelling, and its network. */
static void spell(int family, const void *bytes, char address[64], char network[64]) {
  struct in6_addr six = IN6ADDR_ANY_INIT;
  if (family == AF_INET6) {
    memcpy(&six, bytes, sizeof six);
    bytes = &six;
    if (IN6_IS_ADDR_V4MAPPED(&six)) {
      family = AF_INET;
      bytes = six.s6_addr + 12;
    }
  }
  if (inet_ntop(family, bytes, address, 64) == NULL) strcpy(address, "?");
  if (family == AF_INET6) memset(six.s6_addr + 8, 0, 8);
  if (inet_ntop(family, bytes, network, 64) == NULL) strcpy(network, "?");
}

static void spell_socket(const struct sockaddr *address, char text[64], char network[64]) {
  const void *bytes = address->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
                                                     : (const void *)&((const struct sockaddr_in *)address)->sin_addr;
  spell(address->sa_family, bytes, text, network);
}

/* Beyond its own limit, libmicrohttpd stops listening, and does not always begin again. */
static enum MHD_Result accepts(void *context, const struct sockaddr *address, socklen_t size) {
  char text[64], network[64];
  (void)size;
  spell_socket(address, text, network);
  return callbacks.admits(context, network) ? MHD_YES : MHD_NO;
}

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *body, size_t *size, void **request) {
  (void)version;
  void *kept = callbacks.handle(context, connection, *request, method, path, (const uint8_t *)body, *size);
  *size = 0;
  if (kept == NULL) return MHD_NO;
  *request = kept;
  return MHD_YES;
}

static void completed(
    void *context, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode end) {
  (void)connection;
  (void)end;
  if (*request) callbacks.completed(context, *request);
  *request = NULL;
}

static void changed(
    void *context, struct MHD_Connection *connection, void **socket, enum MHD_ConnectionNotificationCode change) {
  (void)socket;
  if (change != MHD_CONNECTION_NOTIFY_STARTED) {
    return callbacks.closed(context, connection);
  }
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  callbacks.opened(context, connection, info->connect_fd);
}

struct MHD_Daemon *tw_start(
    int listening, const char *certificate, const char *key, struct tw_limits limits,
    const struct tw_callbacks *given) {
  callbacks = *given;
  struct MHD_OptionItem options[] = {
    { MHD_OPTION_LISTEN_SOCKET, listening, NULL },
    { MHD_OPTION_CONNECTION_LIMIT, 2 * (intptr_t)limits.connections, NULL },
    { MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_per_address, NULL },
    { MHD_OPTION_CONNECTION_TIMEOUT, limits.silence_seconds, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits.memory_per_connection, NULL },
    { MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL },
    { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)completed, callbacks.context },
    { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)changed, callbacks.context },
    { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate },
    { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key },
    { MHD_OPTION_HTTPS_PRIORITIES, 0, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE" },
    { MHD_OPTION_END, 0, NULL },
  };
  enum { TLS = 8 };
  if (certificate == NULL) options[TLS].option = MHD_OPTION_END;
  return MHD_start_daemon(
    (certificate ? MHD_USE_TLS : 0) | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, accepts, callbacks.context, handle,
    callbacks.context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

int tw_descriptor(struct MHD_Daemon *daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int64_t tw_timeout(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG left = 0;
  if (MHD_get_timeout(daemon, &left) != MHD_YES) return -1;
  return left > 3600000 ? 3600000 : (int64_t)left;
}

void tw_run(struct MHD_Daemon *daemon) { MHD_run(daemon); }
void tw_hang_up(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

int tw_has_left(int descriptor) {
  struct pollfd it = { .fd = descriptor, .events = POLLRDHUP };
  return poll(&it, 1, 0) > 0 && it.revents != 0;
}

void tw_suspend(struct MHD_Connection *connection) { MHD_suspend_connection(connection); }
void tw_resume(struct MHD_Connection *connection) { MHD_resume_connection(connection); }

const char *tw_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result keep_last(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  if (strcasecmp(name, "X-Forwarded-For") == 0) *(const char **)context = value;
  return MHD_YES;
}

const char *tw_forwarded(struct MHD_Connection *connection) {
  const char *last = NULL;
  MHD_get_connection_values(connection, MHD_HEADER_KIND, keep_last, &last);
  return last;
}

const char *tw_parameter(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *tw_cookie(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, name);
}

enum { HOST, ORIGIN, SITE, LENGTH, ENCODING, DECIDING };
struct deciding { int counts[DECIDING]; bool is_cut; };

static enum MHD_Result count_deciding(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value, size_t size) {
  static const char *const names[DECIDING] = {
    "Host", "Origin", "Sec-Fetch-Site", "Content-Length", "Transfer-Encoding" };
  (void)kind;
  struct deciding *found = context;
  for (int index = 0; index < DECIDING; index++)
    if (strcasecmp(name, names[index]) == 0) found->counts[index]++;
  if (strlen(name) != name_size || (value != NULL && strlen(value) != size)) found->is_cut = true;
  return MHD_YES;
}

int tw_is_ambiguous(struct MHD_Connection *connection) {
  struct deciding found = { 0 };
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_deciding, &found);
  for (int index = 0; index < DECIDING; index++)
    if (found.counts[index] > 1) return 1;
  return found.is_cut || found.counts[HOST] == 0 || (found.counts[LENGTH] && found.counts[ENCODING]);
}

void tw_address(struct MHD_Connection *connection, char text[64], char network[64]) {
  strcpy(text, "?");
  strcpy(network, "?");
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == NULL || info->client_addr == NULL) return;
  spell_socket(info->client_addr, text, network);
}

/* ---- Responses -------------------------------------------------------------------------------------------------- */

struct MHD_Response *tw_response(const void *bytes, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct stream { ssize_t (*read)(void *, uint8_t *, size_t); void *request; };

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t max) {
  (void)position;
  struct stream *stream = context;
  const ssize_t size = stream->read(stream->request, (uint8_t *)bytes, max);
  return size < 0 ? MHD_CONTENT_READER_END_OF_STREAM : size;
}

struct MHD_Response *tw_stream(ssize_t (*read)(void *, uint8_t *, size_t), void *request) {
  struct stream *stream = malloc(sizeof *stream);
  if (stream == NULL) return NULL;
  *stream = (struct stream){ read, request };
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, stream, free);
}

void tw_add_header(struct MHD_Response *response, const char *name, const char *value) {
  MHD_add_response_header(response, name, value);
}

int tw_answer(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
  const enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result == MHD_YES ? 0 : -1;
}

/* ---- Sockets ---------------------------------------------------------------------------------------------------- */

int tw_listen(const char *address, uint16_t port) {
  struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
  struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
  const bool is_six = inet_pton(AF_INET6, address, &six.sin6_addr) == 1;
  if (!is_six && inet_pton(AF_INET, address, &four.sin_addr) != 1) {
    errno = EINVAL;
    return -1;
  }
  const int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const struct sockaddr *place = is_six ? (const struct sockaddr *)&six : (const struct sockaddr *)&four;
  if (bind(fd, place, is_six ? sizeof six : sizeof four) == 0 && listen(fd, 64) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int tw_port(int descriptor, int *is_local) {
  union { struct sockaddr_in four; struct sockaddr_in6 six; } place = { 0 };
  socklen_t size = sizeof place;
  *is_local = 0;
  if (getsockname(descriptor, (struct sockaddr *)&place, &size) != 0) return 0;
  if (place.four.sin_family == AF_INET6) *is_local = IN6_IS_ADDR_LOOPBACK(&place.six.sin6_addr);
  if (place.four.sin_family == AF_INET) *is_local = ntohl(place.four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  return ntohs(place.four.sin_port);
}

int tw_parse_address(const char *text, char address[64], char network[64]) {
  unsigned char bytes[sizeof(struct in6_addr)];
  const int family = inet_pton(AF_INET, text, bytes) == 1 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && inet_pton(AF_INET6, text, bytes) != 1) return 0;
  spell(family, bytes, address, network);
  return 1;
}

/* The protocol of sd_listen_fds(3): the first descriptor is 3. */
int tw_listening_socket(void) {
  const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  if (process == NULL || count == NULL || atoi(process) != getpid() || atoi(count) != 1) return -1;
  if (fcntl(3, F_SETFD, FD_CLOEXEC) != 0 || fcntl(3, F_SETFL, O_NONBLOCK) != 0) return -1;
  return 3;
}

/* ---- The certificate -------------------------------------------------------------------------------------------- */

static gnutls_datum_t datum(const char *text) {
  return (gnutls_datum_t){ (unsigned char *)text, (unsigned)strlen(text) };
}

static int read_key(const char *pem, gnutls_x509_privkey_t *key) {
  int result = gnutls_x509_privkey_init(key);
  const gnutls_datum_t text = datum(pem);
  if (result == 0) result = gnutls_x509_privkey_import(*key, &text, GNUTLS_X509_FMT_PEM);
  return result;
}

ssize_t tw_make_key(char *pem, size_t room) {
  gnutls_x509_privkey_t key = NULL;
  int result = gnutls_x509_privkey_init(&key);
  if (result == 0)
    result = gnutls_x509_privkey_generate(
      key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
  if (result == 0) result = gnutls_x509_privkey_export(key, GNUTLS_X509_FMT_PEM, pem, &room);
  gnutls_x509_privkey_deinit(key);
  return result == 0 ? (ssize_t)room : result;
}

static int describe(gnutls_x509_crt_t crt, const char *const *names, int64_t from, int64_t until) {
  unsigned char serial[16];
  int result = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
  serial[0] = (serial[0] & 0x7F) | 1;
  if (result == 0) result = gnutls_x509_crt_set_version(crt, 3);
  if (result == 0) result = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
  if (result == 0)
    result = gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, names[0], (unsigned)strlen(names[0]));
  for (; *names != NULL && result == 0; names++)
    result = gnutls_x509_crt_set_subject_alt_name(
      crt, GNUTLS_SAN_DNSNAME, *names, (unsigned)strlen(*names), GNUTLS_FSAN_APPEND);
  if (result == 0) result = gnutls_x509_crt_set_activation_time(crt, (time_t)from);
  if (result == 0) result = gnutls_x509_crt_set_expiration_time(crt, (time_t)until);
  if (result == 0) result = gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
  if (result == 0) result = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
  if (result == 0) result = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
  return result;
}

ssize_t tw_make_certificate(
    const char *key_text, const char *const *names, int64_t from, int64_t until, char *pem, size_t room) {
  gnutls_x509_privkey_t key = NULL;
  gnutls_x509_crt_t crt = NULL;
  int result = read_key(key_text, &key);
  if (result == 0) result = gnutls_x509_crt_init(&crt);
  if (result == 0) result = gnutls_x509_crt_set_key(crt, key);
  if (result == 0) result = describe(crt, names, from, until);
  if (result == 0) result = gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
  if (result == 0) result = gnutls_x509_crt_export(crt, GNUTLS_X509_FMT_PEM, pem, &room);
  if (crt != NULL) gnutls_x509_crt_deinit(crt);
  if (key != NULL) gnutls_x509_privkey_deinit(key);
  return result == 0 ? (ssize_t)room : result;
}

int tw_inspect(const char *certificate, const char *key_text, int64_t *from, int64_t *until, uint8_t fingerprint[32]) {
  gnutls_x509_privkey_t key = NULL;
  gnutls_x509_crt_t crt = NULL;
  unsigned char ours[32], theirs[32];
  size_t size = sizeof ours, other = sizeof theirs, room = 32;
  const gnutls_datum_t text = datum(certificate);
  int result = read_key(key_text, &key);
  if (result == 0) result = gnutls_x509_crt_init(&crt);
  if (result == 0) result = gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM);
  if (result == 0) result = gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, ours, &size);
  if (result == 0) result = gnutls_x509_crt_get_key_id(crt, GNUTLS_KEYID_USE_SHA256, theirs, &other);
  if (result == 0 && (size != other || memcmp(ours, theirs, size) != 0)) result = GNUTLS_E_CERTIFICATE_KEY_MISMATCH;
  if (result == 0) result = gnutls_x509_crt_get_fingerprint(crt, GNUTLS_DIG_SHA256, fingerprint, &room);
  if (result == 0) {
    *from = (int64_t)gnutls_x509_crt_get_activation_time(crt);
    *until = (int64_t)gnutls_x509_crt_get_expiration_time(crt);
  }
  if (crt != NULL) gnutls_x509_crt_deinit(crt);
  if (key != NULL) gnutls_x509_privkey_deinit(key);
  return result;
}

static int weakness(gnutls_x509_crt_t crt, unsigned *bits) {
  const int algorithm = gnutls_x509_crt_get_pk_algorithm(crt, bits);
  const bool is_curve =
    algorithm == GNUTLS_PK_ECDSA || algorithm == GNUTLS_PK_EDDSA_ED25519 || algorithm == GNUTLS_PK_EDDSA_ED448;
  if (algorithm >= 0 && *bits < (is_curve ? 224 : 2048)) return 1;
  if (gnutls_x509_crt_check_issuer(crt, crt)) return 0;
  const int signature = gnutls_x509_crt_get_signature_algorithm(crt);
  switch (signature < 0 ? GNUTLS_DIG_UNKNOWN : gnutls_sign_get_hash_algorithm(signature)) {
    case GNUTLS_DIG_MD2:
    case GNUTLS_DIG_MD5:
    case GNUTLS_DIG_SHA1: return 2;
    default: return 0;
  }
}

int tw_weakness(const char *certificate, unsigned *bits) {
  gnutls_x509_crt_t *list = NULL;
  unsigned count = 0;
  const gnutls_datum_t text = datum(certificate);
  if (gnutls_x509_crt_list_import2(&list, &count, &text, GNUTLS_X509_FMT_PEM, 0) < 0) return 0;
  int found = 0;
  for (unsigned index = 0; index < count; index++) {
    if (found == 0) found = weakness(list[index], bits);
    gnutls_x509_crt_deinit(list[index]);
  }
  gnutls_free(list);
  return found;
}

const char *tw_error(ssize_t error) { return gnutls_strerror((int)error); }
