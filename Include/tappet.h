/** @file tappet.h
 * libtappet: signed NFC tags, MQTT over mutual TLS and the whole kiosk, for C and everything that speaks to C.
 *
 * The library never prints, exits, aborts or changes signal handlers, the locale, the working directory or the environment.
 * Sections: errors, values, broker, reader, panel, kiosk. Each is usable without the others.
 *
 * @par Results
 * Functions return an int: 0 or a count, else a negative ::tappet_error. Results leave through the last parameters, whose
 * names begin with ret_; they are untouched on failure. ARGUMENT is returned for every NULL that is not said to be allowed.
 *
 * @par Memory
 * What the caller passes in is copied or used during the call only, callbacks and their contexts excepted. Texts are UTF-8.
 * A function that fills a buffer answers the size that it needs, and writes nothing, when the buffer is NULL and its size 0;
 * where a text is written the room must be one byte larger than the answer, for the NUL.
 *
 * @par Structures
 * The caller sets their first member, size, to sizeof the structure before each call: so programs that were built with an
 * older header keep working. Structures that callbacks get have it set by the library.
 *
 * @par Objects
 * Pointers to them are tickets: never look behind one. A call with an object that was freed, or never was, answers OBJECT;
 * free it once and for all with its _free, which takes NULL and freed objects too and does nothing with them.
 *
 * @par Threads
 * Functions without an object are safe on any thread at any time. An object is of one thread at a time, any one: a call while
 * another thread is inside a call with the same object answers THREAD. Callbacks are called inside _dispatch and _run only,
 * on the thread that called it; they may call any function, also with the same object, and may free it. They return: neither
 * a C++ exception nor a longjmp may leave one. An object that one thread frees while another is inside a call goes when that
 * call returns.
 *
 * @par Fork
 * In a child after fork the parent's objects answer FORK, and _free only forgets them. Do not fork while another thread is
 * inside a call. The library's descriptors are closed by exec, but for libmosquitto's own pair of sockets for each
 * connection, which stay open in the new program: close what is above 2 in the child before exec, as by closefrom().
 *
 * @par Blocking
 * No function blocks unless it says so. */
#ifndef TAPPET_H
#define TAPPET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup errors Errors
 * What went wrong, as a number for programs and as a sentence for people.
 * @{ */

/** The version of this header; tappet_version() is the library's. */
#define TAPPET_VERSION "0.1.0"

/** What functions answer when they fail. Values are never reused; later versions may add some. */
enum tappet_error {
  TAPPET_ERROR_ARGUMENT = -1,  /**< A NULL that must not be one, or a value out of its bounds: the caller's mistake. */
  TAPPET_ERROR_BUFFER = -2,    /**< The caller's buffer is too small. */
  TAPPET_ERROR_MEMORY = -3,    /**< Out of memory, or of random numbers. */
  TAPPET_ERROR_OBJECT = -4,    /**< No such object: it was freed, or is of another kind. */
  TAPPET_ERROR_STATE = -5,     /**< Not now: the call does not fit what the object is doing. */
  TAPPET_ERROR_THREAD = -6,    /**< Another thread is inside a call with this object. */
  TAPPET_ERROR_FORK = -7,      /**< The object belongs to the process that this one was forked from. */
  TAPPET_ERROR_LIMIT = -8,     /**< There are as many as there may be. */
  TAPPET_ERROR_SCHEME = -10,     /**< The URL does not begin with smp:// (smpshare:// for a share URL). */
  TAPPET_ERROR_HOST = -11,       /**< The URL is not smp://action. */
  TAPPET_ERROR_PARAMETERS = -12, /**< The URL has no parameters. */
  TAPPET_ERROR_PARAMETER = -13,  /**< A parameter is missing, malformed or there twice. */
  TAPPET_ERROR_SIGNATURE = -14,  /**< None of the keys made the signature. */
  TAPPET_ERROR_LABEL = -15,      /**< The label is no text for one line, or too long. */
  TAPPET_ERROR_HEX = -16,        /**< Not an even number of hexadecimal digits. */
  TAPPET_ERROR_TIME = -20,     /**< A time that a token does not hold: before 1970 or after 2106. */
  TAPPET_ERROR_TOKEN = -21,    /**< Not 32 hexadecimal digits. */
  TAPPET_ERROR_CHECKSUM = -22, /**< Sealed with another key, or changed. */
  TAPPET_ERROR_WINDOW = -23,   /**< The token is too old, or too far in the future. */
  TAPPET_ERROR_REPEATED = -24, /**< The token was accepted before. */
  TAPPET_ERROR_NDEF_TRUNCATED = -30, /**< A record claims more bytes than there are. */
  TAPPET_ERROR_NDEF_STRUCTURE = -31, /**< The message's begin or end is not where it must be. */
  TAPPET_ERROR_NDEF_CHUNKED = -32,   /**< A record in pieces, which no tag URL needs. */
  TAPPET_ERROR_NDEF_RECORD = -33,    /**< A record that its format does not allow. */
  TAPPET_ERROR_NDEF_COUNT = -34,     /**< More records than TAPPET_NDEF_RECORDS_MAX. */
  TAPPET_ERROR_NDEF_NO_URI = -35,    /**< There is no URI record in the message. */
  TAPPET_ERROR_SYSTEM = -40,        /**< A system call failed. */
  TAPPET_ERROR_STORE = -41,         /**< The database or its sealing key cannot be used. */
  TAPPET_ERROR_CONTROL = -42,       /**< The control socket cannot be made: most likely the same kiosk runs already. */
  TAPPET_ERROR_CONFIGURATION = -44, /**< The configuration has mistakes. */
  TAPPET_ERROR_NOT_CONNECTED = -50, /**< There is no connection to the broker, or it ended before the answer. */
  TAPPET_ERROR_REFUSED = -51        /**< The broker will not take it, now or later. */
};

/** How urgent a line is: syslog's numbers. */
enum tappet_priority {
  TAPPET_PRIORITY_ERROR = 3,   /**< Something does not work until somebody acts. */
  TAPPET_PRIORITY_WARNING = 4, /**< Something did not work. */
  TAPPET_PRIORITY_NOTICE = 5,  /**< Worth knowing. */
  TAPPET_PRIORITY_INFO = 6     /**< The ordinary course. */
};

/** The last failure of an object. */
struct tappet_failure {
  size_t size;          /**< sizeof(struct tappet_failure), set by the caller. */
  int code;             /**< A ::tappet_error; 0: nothing has failed yet. */
  int system_code;      /**< The errno behind it; 0: there is none. */
  int line;             /**< Where in the configuration file, from 1; 0: not in a file. */
  int column;           /**< Where in that line, in bytes from 1; 0: not in a file. */
  const char *sentence; /**< What happened, where, and what to do; several lines for several mistakes. Never NULL; the
                             object's, valid until the next call with it. */
};

/** One fact of a log line. */
struct tappet_field {
  const char *key;   /**< A word. */
  const char *value; /**< Any text; nothing in it is escaped. */
};

/** A line for a log. It and what it points to are valid during the callback only. */
struct tappet_log_line {
  size_t size;                       /**< sizeof the structure as the library knows it. */
  int priority;                      /**< A ::tappet_priority. */
  const char *name;                  /**< The event's name, such as "tap-refused". */
  const char *sentence;              /**< One sentence for a person. Holds no secret. */
  const struct tappet_field *fields; /**< Its facts; NULL: none. */
  size_t field_count;                /**< How many facts. */
};

/** Takes a line for a log.
 * @param context What was given with the callback.
 * @param line The line. */
typedef void (*tappet_log_callback)(void *context, const struct tappet_log_line *line);

/** The library's version.
 * @return A text such as "0.1.0"; static, not to be freed. */
const char *tappet_version(void);

/** What an error code means, in English.
 * @param error A ::tappet_error, or any number.
 * @return A text, for an unknown number too; static, not to be freed. */
const char *tappet_strerror(int error);

/** @} */
/** @defgroup values Values
 * Hexadecimal text, NDEF messages, tag URLs, share URLs and timestamp tokens: bytes in, bytes out. The formats are those of
 * the phone app SecuredMQTTPublisher and the ESP32 firmware of its project.
 * @{ */

/** Bytes of a tag's key. */
#define TAPPET_KEY_SIZE 32
/** Keys that tappet_url_verify() tries at once. */
#define TAPPET_KEYS_MAX 64
/** Bytes of the longest tag URL that tappet_url_sign() writes, its NUL included. */
#define TAPPET_URL_SIZE_MAX 144
/** Bytes of the longest label of a share URL, without a NUL. */
#define TAPPET_LABEL_SIZE_MAX 128
/** Bytes of the longest share URL that tappet_share_encode() writes, its NUL included. */
#define TAPPET_SHARE_SIZE_MAX 512
/** Bytes of a timestamp token as text, its NUL included. */
#define TAPPET_TOKEN_SIZE 33
/** Records of a message; no tag holds more that would make sense. */
#define TAPPET_NDEF_RECORDS_MAX 16
/** Bytes of a message; no tag holds more. */
#define TAPPET_NDEF_SIZE_MAX 8192

/** Bytes as lower-case hexadecimal digits.
 * @param bytes The bytes; may be NULL where size is 0. Not in ret_text's memory.
 * @param size How many; at most 2^30 - 1.
 * @param ret_text Gets the digits and a NUL; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_text has room for.
 * @return The number of digits; or ARGUMENT, BUFFER. */
int tappet_hex_encode(const uint8_t *bytes, size_t size, char *ret_text, size_t ret_size);

/** Hexadecimal digits, of either case, as bytes.
 * @param text The digits and nothing else; may be NULL where text_size is 0.
 * @param text_size How many; at most 2^30.
 * @param ret_bytes Gets the bytes; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_bytes has room for.
 * @return The number of bytes; or ARGUMENT, BUFFER, HEX. */
int tappet_hex_decode(const char *text, size_t text_size, uint8_t *ret_bytes, size_t ret_size);

/** One record of an NDEF message. In an array the first element's size is the distance of them all. */
struct tappet_ndef_record {
  size_t size;            /**< sizeof(struct tappet_ndef_record), set by the caller. */
  const uint8_t *type;    /**< The type; NULL: none. */
  size_t type_size;       /**< Its bytes; at most 255. */
  const uint8_t *id;      /**< The id; NULL: the record has no id field. */
  size_t id_size;         /**< Its bytes; at most 255. */
  const uint8_t *payload; /**< The payload; NULL: none. */
  size_t payload_size;    /**< Its bytes. */
  uint8_t format;         /**< Type Name Format, 0 to 5 (NFC Forum NDEF 1.0, 3.2.6). */
};

/** Takes an NDEF message apart; any bytes are a message or an error.
 * @param message The whole message; at most TAPPET_NDEF_SIZE_MAX bytes.
 * @param message_size Its bytes.
 * @param ret_records Gets the records; they point into message, and are valid as long as it is. The first one's size must
 *   be set. May be NULL where ret_count is 0.
 * @param ret_count How many ret_records has room for; TAPPET_NDEF_RECORDS_MAX are always enough.
 * @return The number of records; or ARGUMENT, BUFFER, NDEF_TRUNCATED, NDEF_STRUCTURE, NDEF_CHUNKED, NDEF_RECORD, NDEF_COUNT. */
int tappet_ndef_decode(
    const uint8_t *message, size_t message_size, struct tappet_ndef_record *ret_records, size_t ret_count);

/** Writes an NDEF message.
 * @param records At least one; the first one's size must be set.
 * @param count How many.
 * @param ret_message Gets the message; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_message has room for.
 * @return The number of bytes, at most TAPPET_NDEF_SIZE_MAX; or ARGUMENT, BUFFER, NDEF_RECORD, NDEF_COUNT. */
int tappet_ndef_encode(
    const struct tappet_ndef_record *records, size_t count, uint8_t *ret_message, size_t ret_size);

/** The first URI of an NDEF message, its abbreviated prefix written out; other records are passed over.
 * @param message The whole message; at most TAPPET_NDEF_SIZE_MAX bytes.
 * @param message_size Its bytes.
 * @param ret_uri Gets the URI and a NUL; may be NULL where ret_size is 0. The URI itself is a stranger's: it may hold a NUL.
 * @param ret_size Bytes that ret_uri has room for.
 * @return The URI's bytes without its NUL; or ARGUMENT, BUFFER, NDEF_NO_URI and what tappet_ndef_decode() answers. */
int tappet_ndef_uri_decode(const uint8_t *message, size_t message_size, char *ret_uri, size_t ret_size);

/** The NDEF message of one URI record, as tags have it: nothing is abbreviated.
 * @param uri The URI.
 * @param uri_size Its bytes; at least 1.
 * @param ret_message Gets the message; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_message has room for.
 * @return The message's bytes; or ARGUMENT, BUFFER. */
int tappet_ndef_uri_encode(const char *uri, size_t uri_size, uint8_t *ret_message, size_t ret_size);

/** What a tag URL says. */
struct tappet_url {
  size_t size;       /**< sizeof(struct tappet_url), set by the caller. */
  int64_t index;     /**< The action's idx. */
  int64_t timestamp; /**< When it was written, seconds since 1970; it never expires. */
  size_t key_index;  /**< Which of the keys made the signature, from 0. */
  int carries_key;   /**< 1: it carries its key, so whoever reads the tag can copy it; 0: it does not. */
};

/** Whether a tag URL was signed with one of the caller's keys. Tries every key, in a time that does not tell which it was;
 * a key that the URL carries takes no part. Allocates nothing.
 * @param url The URL; need not end with a NUL.
 * @param url_size Its bytes; at most 2048.
 * @param keys The keys, TAPPET_KEY_SIZE bytes each, one after the other; may be NULL where key_count is 0.
 * @param key_count How many; at most TAPPET_KEYS_MAX.
 * @param ret_url Gets what the URL says; its size must be set.
 * @return 0; or ARGUMENT, SCHEME, HOST, PARAMETERS, PARAMETER, SIGNATURE. */
int tappet_url_verify(
    const char *url, size_t url_size, const uint8_t *keys, size_t key_count, struct tappet_url *ret_url);

/** Writes a signed tag URL.
 * @param index The action's idx, 0 or more.
 * @param timestamp The time of writing, seconds since 1970, 0 or more.
 * @param key TAPPET_KEY_SIZE bytes.
 * @param ret_url Gets the URL and a NUL; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_url has room for; TAPPET_URL_SIZE_MAX are always enough.
 * @return The URL's bytes without its NUL; or ARGUMENT, BUFFER, MEMORY. */
int tappet_url_sign(int64_t index, int64_t timestamp, const uint8_t *key, char *ret_url, size_t ret_size);

/** A shared secret. It holds a key: wipe it after use. */
struct tappet_share {
  size_t size;                           /**< sizeof(struct tappet_share), set by the caller. */
  int64_t index;                         /**< The idx of the action that it is for. */
  uint8_t key[TAPPET_KEY_SIZE];          /**< The tags' key. */
  char label[TAPPET_LABEL_SIZE_MAX + 1]; /**< For people, trimmed, with a NUL; empty: none. */
};

/** Writes a share URL, which one phone or kiosk gives another as a QR code. It holds the key: wipe it after use.
 * @param index The action's idx, 0 or more.
 * @param key TAPPET_KEY_SIZE bytes.
 * @param label For people, without control characters; trimmed. May be NULL where label_size is 0: none.
 * @param label_size Its bytes; at most TAPPET_LABEL_SIZE_MAX.
 * @param ret_url Gets the URL and a NUL; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_url has room for; TAPPET_SHARE_SIZE_MAX are always enough.
 * @return The URL's bytes without its NUL; or ARGUMENT, BUFFER, LABEL. */
int tappet_share_encode(
    int64_t index, const uint8_t *key, const char *label, size_t label_size, char *ret_url, size_t ret_size);

/** Takes a share URL apart.
 * @param url The URL; need not end with a NUL.
 * @param url_size Its bytes; at most 2048.
 * @param ret_share Gets what it says; its size must be set.
 * @return 0; or ARGUMENT, SCHEME, PARAMETER, LABEL. */
int tappet_share_decode(const char *url, size_t url_size, struct tappet_share *ret_share);

/** Seals a time: a receiver with the same key knows that a message with it is fresh. Two tokens of one second differ.
 * @param unix_seconds The time, seconds since 1970.
 * @param key The key.
 * @param key_size Its bytes: 16, 24 or 32 (the ESP32 takes 16 only).
 * @param ret_token Gets 32 digits and a NUL; may be NULL where ret_size is 0.
 * @param ret_size Bytes that ret_token has room for; TAPPET_TOKEN_SIZE are enough.
 * @return 32; or ARGUMENT, BUFFER, TIME, MEMORY. */
int tappet_token_seal(int64_t unix_seconds, const uint8_t *key, size_t key_size, char *ret_token, size_t ret_size);

/** The time in a token. How old it may be, and whether it was there before, is the caller's to decide; or
 * tappet_token_receiver_accept() does.
 * @param token The token; need not end with a NUL.
 * @param token_size Its bytes.
 * @param key The key.
 * @param key_size Its bytes: 16, 24 or 32.
 * @param ret_unix_seconds Gets the time, seconds since 1970.
 * @return 0; or ARGUMENT, TOKEN, CHECKSUM, MEMORY. */
int tappet_token_open(
    const char *token, size_t token_size, const uint8_t *key, size_t key_size, int64_t *ret_unix_seconds);

/** Decides whether tokens may act, and remembers those that did. Memory is bounded: a few kilobytes. */
struct tappet_token_receiver;

/** How strict a receiver is. */
enum tappet_token_rule {
  TAPPET_TOKEN_RULE_WINDOW = 0,  /**< Neither older nor newer than the tolerance, and each token once. */
  TAPPET_TOKEN_RULE_FIRMWARE = 1 /**< As the ESP32 does: at most 5 s old; any future time, and repeats too. */
};

/** A receiver that has seen nothing.
 * @param rule A ::tappet_token_rule.
 * @param tolerance_seconds By how much a token's time may differ from now, 0 or more; the window rule's alone.
 * @param key The key; copied, and wiped with the receiver.
 * @param key_size Its bytes: 16, 24 or 32.
 * @param ret_receiver Gets the receiver; the caller frees it with tappet_token_receiver_free().
 * @return 0; or ARGUMENT, LIMIT. */
int tappet_token_receiver_new(
    int rule, int64_t tolerance_seconds, const uint8_t *key, size_t key_size,
    struct tappet_token_receiver **ret_receiver);

/** Accepts a token, and remembers it.
 * @param receiver The receiver.
 * @param token The token; need not end with a NUL.
 * @param token_size Its bytes.
 * @param now_unix_seconds The time now, seconds since 1970: the library reads no clock here. It may be set back: what was
 *   forgotten meanwhile is too old (WINDOW).
 * @param ret_unix_seconds Gets the token's time.
 * @return 0; or ARGUMENT, TOKEN, CHECKSUM, WINDOW, REPEATED, MEMORY, OBJECT, THREAD, FORK. */
int tappet_token_receiver_accept(
    struct tappet_token_receiver *receiver, const char *token, size_t token_size, int64_t now_unix_seconds,
    int64_t *ret_unix_seconds);

/** Forgets everything and frees the receiver.
 * @param receiver The receiver; may be NULL. */
void tappet_token_receiver_free(struct tappet_token_receiver *receiver);

/** @} */
/** @defgroup broker Broker
 * One connection to an MQTT broker, over TLS with certificates. Connecting again is the caller's decision: after FAILED or
 * LOST wait a little, longer each time, and connect anew. Subscriptions end with their connection.
 * @{ */

/** Where a broker is, and how to prove who we are. Files are named, not read: they are read at each connect. */
struct tappet_broker_options {
  size_t size;                  /**< sizeof(struct tappet_broker_options), set by the caller. */
  const char *url;              /**< mqtts://HOST[:PORT] or mqtt://HOST[:PORT]; at most 300 bytes. */
  const char *client_id;        /**< Unique at the broker; 1 to 128 bytes without '/', '+', '#'. */
  const char *ca_file;          /**< PEM: exactly these certificates are trusted. NULL: the system's trust store. */
  const char *certificate_file; /**< PEM, the chain after the leaf. NULL: none. */
  const char *private_key_file; /**< PEM, not encrypted. NULL where there is no certificate. */
  int protocol;                 /**< 0 or 311: MQTT 3.1.1; 5: MQTT 5. */
  int keepalive_seconds;        /**< 5 to 65535; 0: 60. */
  int announces_status;         /**< 1: keeps "online" and "offline" (also as last will) retained at
                                     tappet/CLIENT_ID/status; 0: publishes what it is told only. A kiosk always does. */
};

/** A connection. */
struct tappet_broker;

/** What happens on a connection. */
enum tappet_broker_event_type {
  TAPPET_BROKER_EVENT_CONNECTED = 1,    /**< The broker took us. */
  TAPPET_BROKER_EVENT_FAILED = 2,       /**< It could not be connected to; text says why and what to do. */
  TAPPET_BROKER_EVENT_LOST = 3,         /**< The connection broke; text says why. */
  TAPPET_BROKER_EVENT_DISCONNECTED = 4, /**< It ended by our own order. */
  TAPPET_BROKER_EVENT_MESSAGE = 5       /**< A message of a subscription. */
};

/** An event of a connection. It and what it points to are valid during the callback only. */
struct tappet_broker_event {
  size_t size;            /**< sizeof the structure as the library knows it. */
  int type;               /**< A ::tappet_broker_event_type; later versions may add some. */
  int qos;                /**< MESSAGE: the QoS it came with. */
  int is_retained;        /**< MESSAGE: 1: it was published before we subscribed. */
  const char *text;       /**< FAILED, LOST: a sentence for a person; else NULL. */
  const char *topic;      /**< MESSAGE: its topic; else NULL. */
  const uint8_t *payload; /**< MESSAGE: its payload; NULL: it is empty. */
  size_t payload_size;    /**< Its bytes. */
  uint64_t lost_count;    /**< MESSAGE: how many were thrown away before this one, because they came faster than they were
                               dispatched (256 wait) or had more than 256 KiB. */
};

/** Takes an event of a connection.
 * @param context What was given with the callback.
 * @param event The event. */
typedef void (*tappet_broker_event_callback)(void *context, const struct tappet_broker_event *event);

/** Takes the end of an order; called exactly once for each one that was taken, and not after the object was freed.
 * @param context What was given with the order.
 * @param result 0 or the granted QoS; or NOT_CONNECTED, REFUSED. */
typedef void (*tappet_broker_completion)(void *context, int result);

/** A connection that is not there yet.
 * @param ret_broker Gets it; the caller frees it with tappet_broker_free().
 * @return 0; or ARGUMENT, SYSTEM, LIMIT. */
int tappet_broker_new(struct tappet_broker **ret_broker);

/** Disconnects and frees; orders that are under way get no completion. Blocks for at most 1.2 s.
 * @param broker The connection; may be NULL. */
void tappet_broker_free(struct tappet_broker *broker);

/** Who is told what happens; NULL: nobody. Replaces the callback before.
 * @param broker The connection.
 * @param callback Called inside tappet_broker_dispatch(); may be NULL.
 * @param context For the callback; the caller's, to be kept until another is set or the object is freed. May be NULL.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_broker_set_event_callback(
    struct tappet_broker *broker, tappet_broker_event_callback callback, void *context);

/** Begins to connect; exactly one of the events FAILED, LOST and DISCONNECTED ends what this begins.
 * @param broker The connection.
 * @param options Where to; its size must be set. Copied.
 * @return 0; or ARGUMENT, STATE (there is a connection, or an attempt), SYSTEM, OBJECT, THREAD, FORK. */
int tappet_broker_connect(struct tappet_broker *broker, const struct tappet_broker_options *options);

/** For poll, epoll and event loops: readable when tappet_broker_dispatch() has something to do.
 * @param broker The connection.
 * @return A descriptor, the object's: never to be closed or read, valid until the object is freed; or ARGUMENT, OBJECT,
 *   THREAD, FORK. */
int tappet_broker_fd(const struct tappet_broker *broker);

/** Calls the callbacks of what has happened; does not wait.
 * @param broker The connection.
 * @return The number of callbacks; or ARGUMENT, STATE (called by a callback of its own), SYSTEM, OBJECT, THREAD, FORK. */
int tappet_broker_dispatch(struct tappet_broker *broker);

/** Publishes with QoS 1.
 * @param broker The connection.
 * @param topic Without wildcards; 1 to 65535 bytes. What begins with '$' is the broker's own: it takes it, as AWS IoT does for
 *   $aws, or drops it or the connection.
 * @param payload The payload; may be NULL where payload_size is 0.
 * @param payload_size Its bytes; at most 64 MiB.
 * @param is_retained 1: the broker keeps it for later subscribers; 0: it does not.
 * @param completion Told when the broker has it, or never will; may be NULL.
 * @param context For the completion; may be NULL.
 * @return 0; or ARGUMENT, NOT_CONNECTED, LIMIT (256 are under way), OBJECT, THREAD, FORK. */
int tappet_broker_publish(
    struct tappet_broker *broker, const char *topic, const uint8_t *payload, size_t payload_size, int is_retained,
    tappet_broker_completion completion, void *context);

/** Subscribes, on this connection.
 * @param broker The connection.
 * @param filter A topic filter; '+' and '#' are wildcards. At most 65535 bytes.
 * @param qos The highest QoS of its messages, 0 to 2.
 * @param completion Told when the broker has answered; may be NULL.
 * @param context For the completion; may be NULL.
 * @return 0; or ARGUMENT, NOT_CONNECTED, LIMIT (256 are under way), OBJECT, THREAD, FORK. */
int tappet_broker_subscribe(
    struct tappet_broker *broker, const char *filter, int qos, tappet_broker_completion completion, void *context);

/** Begins to disconnect in order; the event DISCONNECTED follows.
 * @param broker The connection.
 * @return 0; or ARGUMENT, NOT_CONNECTED, OBJECT, THREAD, FORK. */
int tappet_broker_disconnect(struct tappet_broker *broker);

/** Why the last call that failed did so.
 * @param broker The connection.
 * @param ret_failure Gets the failure; its size must be set.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_broker_last_error(const struct tappet_broker *broker, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup reader Reader
 * An NFC reader and the tags on it. libnfc runs in a process of its own, tappet-reader, which is looked for where the
 * environment variable TAPPET_READER says, beside the program, beside this library, and in /usr/local and /usr.
 * @{ */

/** A reader. */
struct tappet_reader;

/** What happens at a reader. */
enum tappet_reader_event_type {
  TAPPET_READER_EVENT_READY = 1,       /**< It looks for tags; text is the device's name. */
  TAPPET_READER_EVENT_TAG_ARRIVED = 2, /**< A tag is there; it is being read. */
  TAPPET_READER_EVENT_TAG_READ = 3,    /**< It was read; text says why there is no URL, where url is NULL. */
  TAPPET_READER_EVENT_TAG_FAULTED = 4, /**< It could not be read; text says why. */
  TAPPET_READER_EVENT_TAG_LEFT = 5,    /**< It is gone. */
  TAPPET_READER_EVENT_LOST = 6,        /**< The reader cannot be used any more; text says why. It is closed: open it anew. */
  TAPPET_READER_EVENT_WRITTEN = 7,     /**< tappet_reader_write() is done: the tag was read back and holds the message. */
  TAPPET_READER_EVENT_WRITE_FAILED = 8 /**< tappet_reader_write() is not done; text says why, and whether anything changed. */
};

/** What kind of tag it is, as far as the reader could tell. */
enum tappet_tag_model {
  TAPPET_TAG_TYPE2 = 1,                 /**< A Type 2 tag of no known model. */
  TAPPET_TAG_ULTRALIGHT = 2,            /**< MIFARE Ultralight. */
  TAPPET_TAG_ULTRALIGHT_EV1_SMALL = 3,  /**< MIFARE Ultralight EV1 of 48 bytes. */
  TAPPET_TAG_ULTRALIGHT_EV1_LARGE = 4,  /**< MIFARE Ultralight EV1 of 128 bytes. */
  TAPPET_TAG_NTAG203 = 5,               /**< NTAG203. */
  TAPPET_TAG_NTAG210 = 6,               /**< NTAG210. */
  TAPPET_TAG_NTAG212 = 7,               /**< NTAG212. */
  TAPPET_TAG_NTAG213 = 8,               /**< NTAG213. */
  TAPPET_TAG_NTAG215 = 9,               /**< NTAG215. */
  TAPPET_TAG_NTAG216 = 10,              /**< NTAG216. */
  TAPPET_TAG_NTAG_I2C_1K = 11,          /**< NTAG I2C 1K. */
  TAPPET_TAG_NTAG_I2C_2K = 12,          /**< NTAG I2C 2K. */
  TAPPET_TAG_TYPE4 = 20,                /**< A Type 4 tag. */
  TAPPET_TAG_NTAG424 = 21,              /**< NTAG 424 DNA. */
  TAPPET_TAG_MIFARE_CLASSIC = 40,       /**< MIFARE Classic, which Tappet does not read. */
  TAPPET_TAG_OTHER = 41                 /**< Anything else that answered. */
};

/** An event of a reader. What it points to is the reader's, valid until the next call with it. */
struct tappet_reader_event {
  size_t size;            /**< sizeof(struct tappet_reader_event), set by the caller. */
  int type;               /**< A ::tappet_reader_event_type; later versions may add some. */
  int model;              /**< TAG_READ, TAG_FAULTED, WRITTEN, WRITE_FAILED: a ::tappet_tag_model; else 0. */
  const uint8_t *uid;     /**< TAG_…, WRITE…: the identifier, 1 to 10 bytes; else NULL. No proof of anything: it can be copied. */
  size_t uid_size;        /**< Its bytes. */
  const char *url;        /**< TAG_READ: the first URI on the tag, with a NUL; NULL: there is none. For tappet_url_verify(). */
  size_t url_size;        /**< Its bytes, without the NUL. */
  const uint8_t *message; /**< TAG_READ: the NDEF message; NULL: there is none. */
  size_t message_size;    /**< Its bytes. */
  const uint8_t *memory;  /**< TAG_READ: what was read: a Type 2 tag's memory from page 0, a Type 4 tag's NDEF file. */
  size_t memory_size;     /**< Its bytes. */
  const char *text;       /**< For a person; NULL: nothing to say. */
};

/** Takes an event of a reader.
 * @param context What was given with the callback.
 * @param event The event. */
typedef void (*tappet_reader_event_callback)(void *context, const struct tappet_reader_event *event);

/** A reader that is not open yet.
 * @param ret_reader Gets it; the caller frees it with tappet_reader_free().
 * @return 0; or ARGUMENT, SYSTEM, LIMIT. */
int tappet_reader_new(struct tappet_reader **ret_reader);

/** Closes and frees. Blocks for at most 1 s, until the process has ended.
 * @param reader The reader; may be NULL. */
void tappet_reader_free(struct tappet_reader *reader);

/** Who is told what happens; NULL: nobody, then events wait for tappet_reader_next(). Replaces the callback before.
 * @param reader The reader.
 * @param callback Called inside tappet_reader_dispatch(); may be NULL.
 * @param context For the callback; the caller's, to be kept until another is set or the object is freed. May be NULL.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_reader_set_event_callback(
    struct tappet_reader *reader, tappet_reader_event_callback callback, void *context);

/** Starts tappet-reader; the event READY or LOST follows. One that falls silent for 12 s is ended, with the event LOST.
 * @param reader The reader.
 * @param device libnfc's connection string, such as "pn532_uart:/dev/ttyUSB0"; at most 1023 bytes. May be NULL: the first
 *   that libnfc finds.
 * @return 0; or ARGUMENT, STATE (it is open), SYSTEM (tappet-reader is missing, most likely), OBJECT, THREAD, FORK. */
int tappet_reader_open(struct tappet_reader *reader, const char *device);

/** For poll, epoll and event loops: readable when there may be an event.
 * @param reader The reader.
 * @return A descriptor, the object's: never to be closed or read, valid until the object is freed; or ARGUMENT, OBJECT,
 *   THREAD, FORK. */
int tappet_reader_fd(const struct tappet_reader *reader);

/** The next event, if there is one; does not wait.
 * @param reader The reader.
 * @param ret_event Gets the event; its size must be set.
 * @return 1: there was one; 0: there is none now; or ARGUMENT, STATE (called by a callback of its own), SYSTEM, OBJECT,
 *   THREAD, FORK. */
int tappet_reader_next(struct tappet_reader *reader, struct tappet_reader_event *ret_event);

/** Calls the callback with each event that has happened; does not wait.
 * @param reader The reader.
 * @return The number of events; or ARGUMENT, STATE (called by a callback of its own, or no callback is set), SYSTEM, OBJECT,
 *   THREAD, FORK. */
int tappet_reader_dispatch(struct tappet_reader *reader);

/** Makes a message the only content of the tag that is there, or else of the next one; does not wait. The event WRITTEN or
 * WRITE_FAILED follows, unless LOST comes first. Only what changes is written. A tag that is taken away meanwhile is empty, or
 * as before, or as it was to be; nothing is written that does not fit. Until a tag is there a further call takes this one's
 * place; with a size of 0 nothing is to be written any more.
 * @param reader The reader.
 * @param message An NDEF message, as tappet_ndef_uri_encode() makes it; copied.
 * @param size Its bytes, at most 8192.
 * @return 0; or ARGUMENT, NDEF_TRUNCATED, NDEF_STRUCTURE, NDEF_CHUNKED, NDEF_RECORD, NDEF_COUNT, STATE (it is not open, or a
 *   tag is being written), OBJECT, THREAD, FORK. */
int tappet_reader_write(struct tappet_reader *reader, const uint8_t *message, size_t size);

/** Ends tappet-reader; nothing when it is closed. Blocks for at most 1 s.
 * @param reader The reader.
 * @return 0; or ARGUMENT, STATE (called by a callback of its own), OBJECT, THREAD, FORK. */
int tappet_reader_close(struct tappet_reader *reader);

/** Why the last call that failed did so.
 * @param reader The reader.
 * @param ret_failure Gets the failure; its size must be set.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_reader_last_error(const struct tappet_reader *reader, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup panel Panel
 * Buttons and lights on GPIO lines, through the kernel's character devices. Each line is on its own: one that is missing,
 * taken or lost does not stop the others. (A kiosk drives the panel of its configuration file by itself.)
 * @{ */

/** A panel. */
struct tappet_panel;

/** What holds an input's level while nobody presses. */
enum tappet_line_bias {
  TAPPET_LINE_BIAS_AS_IS = 0,    /**< As the kernel has it. */
  TAPPET_LINE_BIAS_DISABLED = 1, /**< Nothing. */
  TAPPET_LINE_BIAS_PULL_UP = 2,  /**< A resistor to the supply. */
  TAPPET_LINE_BIAS_PULL_DOWN = 3 /**< A resistor to ground. */
};

/** How an output drives its line. */
enum tappet_line_drive {
  TAPPET_LINE_DRIVE_PUSH_PULL = 0,  /**< High and low. */
  TAPPET_LINE_DRIVE_OPEN_DRAIN = 1, /**< Low only. */
  TAPPET_LINE_DRIVE_OPEN_SOURCE = 2 /**< High only. */
};

/** A line and how it is to be requested. It is found by its name; without one by its pin; without that by chip and offset. */
struct tappet_line {
  size_t size;                   /**< sizeof(struct tappet_line), set by the caller. */
  const char *name;              /**< The line's own name, such as "GPIO17"; at most 64 bytes. NULL: found otherwise. */
  const char *chip;              /**< The chip's label or path, for offset. NULL where there is a name or a pin. */
  uint32_t offset;               /**< The line's place on the chip. */
  int pin;                       /**< The pin of the board's header, from 1; needs a profile. 0: none. */
  int is_output;                 /**< 1: a light; 0: a button. */
  int is_active_low;             /**< 1: a low level means lit, or pressed; 0: a high one. */
  int bias;                      /**< A ::tappet_line_bias; buttons only. */
  int drive;                     /**< A ::tappet_line_drive; lights only. */
  int64_t debounce_milliseconds; /**< How long a button's level must be steady, where the kernel can see to it; 0 to 60000. */
};

/** What happens on a panel. */
enum tappet_panel_event_type {
  TAPPET_PANEL_EVENT_OPENED = 1,  /**< The line is in hand; a button's level now is is_active. */
  TAPPET_PANEL_EVENT_CHANGED = 2, /**< A button's level is another now; or, after edges were lost, is told again. */
  TAPPET_PANEL_EVENT_FAILED = 3   /**< The line cannot be had, or was lost; text says why. tappet_panel_retry() tries again. */
};

/** An event of a panel. It and what it points to are valid during the callback only. */
struct tappet_panel_event {
  size_t size;                  /**< sizeof the structure as the library knows it. */
  int type;                     /**< A ::tappet_panel_event_type; later versions may add some. */
  int line;                     /**< The line's number, as tappet_panel_add_line() answered it. */
  int is_active;                /**< OPENED, CHANGED: 1: pressed; 0: not. */
  int is_debounced;             /**< OPENED: 1: the kernel sees to it; 0: edges come as the contact makes them. */
  int64_t boottime_nanoseconds; /**< CHANGED: when, by CLOCK_BOOTTIME, as the kernel saw it; else 0. */
  const char *text;             /**< FAILED: a sentence for a person; else NULL. */
};

/** Takes an event of a panel.
 * @param context What was given with the callback.
 * @param event The event. */
typedef void (*tappet_panel_event_callback)(void *context, const struct tappet_panel_event *event);

/** A panel without lines.
 * @param ret_panel Gets it; the caller frees it with tappet_panel_free().
 * @return 0; or ARGUMENT, SYSTEM, LIMIT. */
int tappet_panel_new(struct tappet_panel **ret_panel);

/** Darkens the lights, gives the lines back, and frees.
 * @param panel The panel; may be NULL. */
void tappet_panel_free(struct tappet_panel *panel);

/** Which board it is, so that lines can be found by their pins.
 * @param panel The panel; not open.
 * @param profile A profile of Tappet's by name, such as "raspberry-pi", or one's own by its path.
 * @return 0; or ARGUMENT, STATE, CONFIGURATION (there is none, or it has mistakes), OBJECT, THREAD, FORK. */
int tappet_panel_set_profile(struct tappet_panel *panel, const char *profile);

/** Adds a line.
 * @param panel The panel; not open.
 * @param line Its size must be set. Copied.
 * @return The line's number, from 0; or ARGUMENT, STATE, LIMIT (64 lines), OBJECT, THREAD, FORK. */
int tappet_panel_add_line(struct tappet_panel *panel, const struct tappet_line *line);

/** Who is told what happens; NULL: nobody. Replaces the callback before.
 * @param panel The panel.
 * @param callback Called inside tappet_panel_dispatch(); may be NULL.
 * @param context For the callback; the caller's, to be kept until another is set or the object is freed. May be NULL.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_panel_set_event_callback(
    struct tappet_panel *panel, tappet_panel_event_callback callback, void *context);

/** Requests every line; each answers by OPENED or FAILED in tappet_panel_dispatch(). Lights start dark.
 * @param panel The panel.
 * @return 0; or ARGUMENT, STATE (it is open, or has no lines), OBJECT, THREAD, FORK. */
int tappet_panel_open(struct tappet_panel *panel);

/** Tries the lines again that failed and may come by themselves; each answers as with tappet_panel_open(). A chip that is
 * plugged in is tried at once by itself.
 * @param panel The panel.
 * @return 0; or ARGUMENT, STATE (it is not open), OBJECT, THREAD, FORK. */
int tappet_panel_retry(struct tappet_panel *panel);

/** Lights a light or darkens it; one that is lost shows it when it comes back.
 * @param panel The panel.
 * @param line The number of a line that is an output.
 * @param is_on 1 or 0.
 * @return 0; or ARGUMENT, STATE (it is not open), OBJECT, THREAD, FORK. */
int tappet_panel_set(struct tappet_panel *panel, int line, int is_on);

/** For poll, epoll and event loops: readable when tappet_panel_dispatch() has something to do.
 * @param panel The panel.
 * @return A descriptor, the object's: never to be closed or read, valid until the object is freed; or ARGUMENT, OBJECT,
 *   THREAD, FORK. */
int tappet_panel_fd(const struct tappet_panel *panel);

/** Calls the callback with each event that has happened; does not wait.
 * @param panel The panel.
 * @return The number of callbacks; or ARGUMENT, STATE (called by a callback of its own), SYSTEM, OBJECT, THREAD, FORK. */
int tappet_panel_dispatch(struct tappet_panel *panel);

/** Why the last call that failed did so, or why a line failed last.
 * @param panel The panel.
 * @param ret_failure Gets the failure; its size must be set.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_panel_last_error(const struct tappet_panel *panel, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup kiosk Kiosk
 * The whole kiosk, as `tappet run` runs it: taps become messages, accepted ones survive a power cut, everything recovers by
 * itself. Set it up from a configuration file or by calls, start it, and either give it a thread with tappet_kiosk_run() or
 * put tappet_kiosk_fd() into an event loop.
 * @{ */

/** A kiosk. */
struct tappet_kiosk;

/** What becomes of a tap while the broker is away. */
enum tappet_offline {
  TAPPET_OFFLINE_DEFAULT = 0, /**< DROP for a message with a timestamp token, else QUEUE. */
  TAPPET_OFFLINE_QUEUE = 1,   /**< Kept until the broker is back, or until it expires. */
  TAPPET_OFFLINE_DROP = 2     /**< Refused unless it can be sent now. */
};

/** What a tap or a press makes happen. */
struct tappet_action {
  size_t size;                   /**< sizeof(struct tappet_action), set by the caller. */
  int64_t index;                 /**< The idx on its tags; -1: its position from 0. */
  const char *name;              /**< Unique; 1 to 64 bytes on one line. Secrets belong to it. */
  const char *title;             /**< For people; at most 128 bytes on one line. NULL: the name. */
  const char *topic;             /**< Without wildcards, not beginning with '$'; at most 65535 bytes. */
  const char *message;           /**< The first %T becomes a timestamp token, the first %I a unique id; at most 64 KiB. */
  int offline;                   /**< A ::tappet_offline. */
  int is_retained;               /**< 1: MQTT's retain flag is set; 0: it is not. */
  int unlocks_panel;             /**< 1: a tag of this action unlocks the buttons; 0: it does not. */
  int64_t expires_milliseconds;  /**< How long after the tap it may still be sent; 0: 10 s with %T, else 24 h. */
  int64_t cooldown_milliseconds; /**< The same tag again counts after; 0: 2 s; -1: at once. */
  int64_t confirm_milliseconds;  /**< How long the person is asked whether it is meant; 0: not at all. At most 60 s. */
};

/** What happens in a kiosk. */
enum tappet_kiosk_event_type {
  TAPPET_KIOSK_EVENT_LIGHT = 1,               /**< What a person in front of it is to be shown: light. */
  TAPPET_KIOSK_EVENT_REFUSED = 2,             /**< A tap or press will do nothing; sentence says why. */
  TAPPET_KIOSK_EVENT_IGNORED = 3,             /**< A tap of a held tag, or too soon after the last. */
  TAPPET_KIOSK_EVENT_ACCEPTED = 4,            /**< A tap or press is on the disk: a power cut will not undo it. */
  TAPPET_KIOSK_EVENT_QUEUED = 5,              /**< An accepted one waits; sentence says what for. */
  TAPPET_KIOSK_EVENT_DELIVERED = 6,           /**< The broker has it. */
  TAPPET_KIOSK_EVENT_EXPIRED = 7,             /**< It waited too long and will not be sent. */
  TAPPET_KIOSK_EVENT_UNDELIVERABLE = 8,       /**< The broker will never take it. */
  TAPPET_KIOSK_EVENT_READER_READY = 9,        /**< The reader looks for tags. */
  TAPPET_KIOSK_EVENT_READER_LOST = 10,        /**< It does not, and is started anew until it does. */
  TAPPET_KIOSK_EVENT_BROKER_CONNECTED = 11,   /**< The broker took us. */
  TAPPET_KIOSK_EVENT_BROKER_UNREACHABLE = 12, /**< It could not be connected to; it is tried again. */
  TAPPET_KIOSK_EVENT_BROKER_LOST = 13,        /**< The connection broke; it is tried again. */
  TAPPET_KIOSK_EVENT_BROKER_STORM = 14,       /**< Connections break soon after they are made: it rests for a minute. */
  TAPPET_KIOSK_EVENT_BROKER_DISCONNECTED = 15, /**< The connection ended by our own order. */
  TAPPET_KIOSK_EVENT_CLOCK_GOOD = 16,         /**< Messages with a timestamp are sent again. */
  TAPPET_KIOSK_EVENT_CLOCK_UNKNOWN = 17,      /**< They wait: the clock is not synchronised. */
  TAPPET_KIOSK_EVENT_DISK_TROUBLE = 18,       /**< Taps are refused: the disk does not take them. */
  TAPPET_KIOSK_EVENT_DISK_GOOD = 19,          /**< It does again. */
  TAPPET_KIOSK_EVENT_OUTBOX_RESTORED = 20,    /**< Entries wait from before the start. */
  TAPPET_KIOSK_EVENT_STOPPING = 21,           /**< tappet_kiosk_stop() was heard. */
  TAPPET_KIOSK_EVENT_PANEL_LOST = 22,         /**< A part of the panel cannot be used; sentence says which and why. */
  TAPPET_KIOSK_EVENT_PANEL_GOOD = 23,         /**< It can be used again. */
  TAPPET_KIOSK_EVENT_BUTTON_STUCK = 24,       /**< A button is pressed all the time. */
  TAPPET_KIOSK_EVENT_BUTTON_CHATTERING = 25,  /**< A button's contact does not come to rest. */
  TAPPET_KIOSK_EVENT_BUTTON_GOOD = 26,        /**< It can be used again. */
  TAPPET_KIOSK_EVENT_PANEL_LOCKED = 27,       /**< The buttons do nothing until they are unlocked. */
  TAPPET_KIOSK_EVENT_PANEL_UNLOCKED = 28,     /**< They do. */
  TAPPET_KIOSK_EVENT_CODE_REFUSED = 29,       /**< A wrong button code. */
  TAPPET_KIOSK_EVENT_CONFIRMING = 30,         /**< The person is asked whether it is meant. */
  TAPPET_KIOSK_EVENT_CONFIRMATION_ENDED = 31, /**< It was not meant; nothing is done. */
  TAPPET_KIOSK_EVENT_CERTIFICATE_EXPIRING = 32, /**< A certificate ends soon, or has ended; sentence says when. */
  TAPPET_KIOSK_EVENT_CERTIFICATES_GOOD = 33,  /**< They have time left again. */
  TAPPET_KIOSK_EVENT_REFUSED_MORE = 34        /**< So many more within a minute that they were not told one by one. */
};

/** What a person is shown. */
enum tappet_light {
  TAPPET_LIGHT_STARTING = 1,             /**< Lasting: not everything is up yet. */
  TAPPET_LIGHT_READY = 2,                /**< Lasting: everything is up. */
  TAPPET_LIGHT_OFFLINE = 3,              /**< Lasting: no broker. */
  TAPPET_LIGHT_READER_LOST = 4,          /**< Lasting: no reader. */
  TAPPET_LIGHT_CLOCK_UNKNOWN = 5,        /**< Lasting: no time. */
  TAPPET_LIGHT_FAULT = 6,                /**< Lasting: the disk. */
  TAPPET_LIGHT_LOCKED = 7,               /**< Lasting: the buttons are locked. */
  TAPPET_LIGHT_CONFIRMING = 8,           /**< Lasting: the person is asked whether it is meant. */
  TAPPET_LIGHT_CERTIFICATE_EXPIRING = 9, /**< Lasting: a certificate ends soon; taps work. */
  TAPPET_LIGHT_WRITING = 10,             /**< Lasting: the next tag is to be written, and is no tap. */
  TAPPET_LIGHT_READING = 20,             /**< A moment: a tag is being read, hold it. */
  TAPPET_LIGHT_ACCEPTED = 21,            /**< A moment: it will happen. */
  TAPPET_LIGHT_DELIVERED_BY_TAG = 22,    /**< A moment: the broker has it. */
  TAPPET_LIGHT_DELIVERED_BY_BUTTON = 23, /**< A moment: the broker has it. */
  TAPPET_LIGHT_QUEUED = 24,              /**< A moment: it waits. */
  TAPPET_LIGHT_REFUSED = 25,             /**< A moment: nothing will happen. */
  TAPPET_LIGHT_EXPIRED = 26              /**< A moment: it waited too long. */
};

/** What set an event off. */
enum tappet_trigger {
  TAPPET_TRIGGER_NONE = 0,  /**< Nothing that a person did. */
  TAPPET_TRIGGER_TAG = 1,   /**< A tag. */
  TAPPET_TRIGGER_BUTTON = 2 /**< A button. */
};

/** An event of a kiosk. It and what it points to are valid during the callback only. */
struct tappet_kiosk_event {
  size_t size;                /**< sizeof the structure as the library knows it. */
  int type;                   /**< A ::tappet_kiosk_event_type; later versions may add some. */
  int trigger;                /**< A ::tappet_trigger. */
  int light;                  /**< LIGHT: a ::tappet_light; else 0. */
  int priority;               /**< A ::tappet_priority. */
  const char *name;           /**< The event's name, such as "tap-refused"; LIGHT: the light's. */
  const char *sentence;       /**< One sentence for a person; LIGHT: empty. */
  const char *action;         /**< The action's name; NULL: no action is concerned. */
  const char *topic;          /**< ACCEPTED to UNDELIVERABLE: where to; else NULL. */
  const char *id;             /**< The same: the entry's unique id, 32 digits, as %I; else NULL. */
  const uint8_t *uid;         /**< The tag's identifier; NULL: no tag is concerned. */
  size_t uid_size;            /**< Its bytes. */
  int64_t after_milliseconds; /**< DELIVERED: how long after the tap; else, and where it was accepted before the start, -1. */
};

/** Takes an event of a kiosk.
 * @param context What was given with the callback.
 * @param event The event. */
typedef void (*tappet_kiosk_event_callback)(void *context, const struct tappet_kiosk_event *event);

/** How many taps and presses came to what, since the start. */
struct tappet_counters {
  size_t size;            /**< sizeof(struct tappet_counters), set by the caller. */
  uint64_t accepted;      /**< On the disk. */
  uint64_t delivered;     /**< At the broker. */
  uint64_t refused;       /**< Not accepted, whatever the reason. */
  uint64_t ignored;       /**< Held tags and cooldowns. */
  uint64_t expired;       /**< Accepted, but not delivered in time. */
  uint64_t undeliverable; /**< Accepted, but refused by the broker for good. */
  uint64_t waiting;       /**< In the outbox now. */
};

/** A kiosk with nothing configured.
 * @param ret_kiosk Gets it; the caller frees it with tappet_kiosk_free().
 * @return 0; or ARGUMENT, SYSTEM, LIMIT. */
int tappet_kiosk_new(struct tappet_kiosk **ret_kiosk);

/** Ends the kiosk at once and frees it; what was accepted stays on the disk for the next start. Blocks for at most 3 s, and
 * longer on a disk that hangs.
 * @param kiosk The kiosk; may be NULL. */
void tappet_kiosk_free(struct tappet_kiosk *kiosk);

/** Takes everything from a configuration file, in place of what was set before; secrets that were added stay.
 * @param kiosk The kiosk; not started.
 * @param path The file; relative paths in it are taken from its folder.
 * @return 0; or ARGUMENT, STATE, CONFIGURATION (tappet_kiosk_last_error() has a line for each mistake), OBJECT, THREAD,
 *   FORK. */
int tappet_kiosk_load(struct tappet_kiosk *kiosk, const char *path);

/** Where the broker is.
 * @param kiosk The kiosk; not started.
 * @param options Its size must be set. Copied.
 * @return 0; or ARGUMENT, STATE, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_broker(struct tappet_kiosk *kiosk, const struct tappet_broker_options *options);

/** Where the database is; /var/lib/tappet unless this is called. Made if it is absent, with mode 0700.
 * @param kiosk The kiosk; not started.
 * @param path A folder; at most 99 bytes, for the control socket is in it.
 * @return 0; or ARGUMENT, STATE, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_state_folder(struct tappet_kiosk *kiosk, const char *path);

/** The key that %T is sealed with.
 * @param kiosk The kiosk; not started.
 * @param key The key; copied, and wiped with the kiosk.
 * @param key_size Its bytes: 16, 24 or 32.
 * @return 0; or ARGUMENT, STATE, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_timestamp_key(struct tappet_kiosk *kiosk, const uint8_t *key, size_t key_size);

/** Which reader is used.
 * @param kiosk The kiosk; not started.
 * @param device libnfc's connection string; at most 1023 bytes. May be NULL: the first that libnfc finds.
 * @return 0; or ARGUMENT, STATE, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_reader_device(struct tappet_kiosk *kiosk, const char *device);

/** Whether %T is sealed though the kernel calls the clock unsynchronised; it is not unless this is called.
 * @param kiosk The kiosk; not started.
 * @param is_trusted 1 or 0.
 * @return 0; or ARGUMENT, STATE, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_clock_trusted(struct tappet_kiosk *kiosk, int is_trusted);

/** Adds an action.
 * @param kiosk The kiosk; not started.
 * @param action Its size must be set. Copied.
 * @return 0; or ARGUMENT (also for a name or an index that another one has), STATE, LIMIT, OBJECT, THREAD, FORK. */
int tappet_kiosk_add_action(struct tappet_kiosk *kiosk, const struct tappet_action *action);

/** Adds a secret beside those of the database; it lives as long as the kiosk and is never written to the disk.
 * @param kiosk The kiosk; not started.
 * @param action The name of the action whose tags are signed with it.
 * @param key TAPPET_KEY_SIZE bytes; copied, and wiped with the kiosk.
 * @return 0; or ARGUMENT, STATE, LIMIT, OBJECT, THREAD, FORK. */
int tappet_kiosk_add_secret(struct tappet_kiosk *kiosk, const char *action, const uint8_t *key);

/** Who is told what happens; NULL: nobody. Replaces the callback before.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); may be NULL.
 * @param context For the callback; the caller's, to be kept until another is set or the object is freed. May be NULL.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_event_callback(
    struct tappet_kiosk *kiosk, tappet_kiosk_event_callback callback, void *context);

/** Who gets the lines for a log; NULL: nobody. Replaces the callback before.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); may be NULL.
 * @param context For the callback; the caller's, to be kept until another is set or the object is freed. May be NULL.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_kiosk_set_log_callback(struct tappet_kiosk *kiosk, tappet_log_callback callback, void *context);

/** Opens the database and begins; the first events follow in tappet_kiosk_dispatch(). Blocks on the disk.
 * @param kiosk The kiosk; with a broker and at least one action.
 * @return 0; or ARGUMENT, STATE (it runs), CONFIGURATION (something is missing, or does not fit), STORE, CONTROL, SYSTEM,
 *   MEMORY, OBJECT, THREAD, FORK. */
int tappet_kiosk_start(struct tappet_kiosk *kiosk);

/** For poll, epoll and event loops: readable when tappet_kiosk_dispatch() has something to do.
 * @param kiosk The kiosk.
 * @return A descriptor, the object's: never to be closed or read, valid until the kiosk has ended or is freed; or ARGUMENT,
 *   STATE (it does not run), OBJECT, THREAD, FORK. */
int tappet_kiosk_fd(const struct tappet_kiosk *kiosk);

/** Does what is to be done now; does not wait, but for at most 2 s when the kiosk ends.
 * @param kiosk The kiosk.
 * @return 1: it runs on; 0: it has ended, as tappet_kiosk_stop() wished; or ARGUMENT, STATE (it does not run, or called by a
 *   callback of its own), SYSTEM, OBJECT, THREAD, FORK. */
int tappet_kiosk_dispatch(struct tappet_kiosk *kiosk);

/** Starts the kiosk, unless it runs, and dispatches until it has ended. Blocks all that time.
 * @param kiosk The kiosk.
 * @return 0: it has ended, as tappet_kiosk_stop() wished; or what tappet_kiosk_start() and tappet_kiosk_dispatch() answer. */
int tappet_kiosk_run(struct tappet_kiosk *kiosk);

/** A button of the caller's own was pressed, on a touch screen for example. It acts in the next tappet_kiosk_dispatch(), and
 * the panel's lock and an action's question count for it as for any button.
 * @param kiosk The kiosk.
 * @param action The name of the action that it sets off.
 * @return 0; or ARGUMENT, STATE (it does not run), LIMIT (1024 presses wait), OBJECT, THREAD, FORK. */
int tappet_kiosk_press(struct tappet_kiosk *kiosk, const char *action);

/** Asks the kiosk to end: it waits for what the broker still owes it, 3 s at most. Asked twice, it ends at once. Any thread
 * may call this at any time, also while another one is in tappet_kiosk_run(); a signal handler may not. It comes after the
 * presses that wait, and gets through however many they are. A kiosk that does not run is not changed.
 * @param kiosk The kiosk.
 * @return 0; or ARGUMENT, OBJECT, FORK. */
int tappet_kiosk_stop(struct tappet_kiosk *kiosk);

/** How many taps and presses came to what.
 * @param kiosk The kiosk.
 * @param ret_counters Gets the counts of this start, or of the last one; its size must be set.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_kiosk_counters(const struct tappet_kiosk *kiosk, struct tappet_counters *ret_counters);

/** Why the last call that failed did so.
 * @param kiosk The kiosk.
 * @param ret_failure Gets the failure; its size must be set.
 * @return 0; or ARGUMENT, OBJECT, THREAD, FORK. */
int tappet_kiosk_last_error(const struct tappet_kiosk *kiosk, struct tappet_failure *ret_failure);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
