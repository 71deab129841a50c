/* SPDX-License-Identifier: MIT */
/** @file tappet.h
 * libtappet: signed NFC tags, MQTT over mutual TLS and complete kiosks, for C and every language that can call C.
 *
 * The library never prints or exits. It leaves the locale, the working directory, the environment and signal handlers
 * as they are; about SIGPIPE see Signals. It has seven sections: errors, values, broker, reader, panel, kiosk and
 * inventory. Each can be used without the others.
 *
 * @par Results
 * A function that can fail returns an int: 0 or a count on success, otherwise a negative ::tappet_error. Results are
 * stored through the last parameters, whose names begin with ret_; a failure leaves them untouched. NULL is rejected
 * with TAPPET_ERROR_ARGUMENT unless the parameter's description allows it. Calls may change errno.
 *
 * @par Memory
 * Arguments are copied, or used only during the call; callbacks and their contexts are the exception. Text is UTF-8. To
 * find out how large a buffer must be, pass NULL and a size of 0: the function writes nothing and returns the size that
 * it needs. For text, provide one byte more than that, for the terminating NUL.
 *
 * A payload, topic, filter or message for which there is no memory is rejected with TAPPET_ERROR_MEMORY. Apart from
 * these, the library needs some hundred kilobytes at a time: a process that has less than 1 MiB left may be ended by a
 * signal.
 *
 * @par Structures
 * Before each call, the caller sets a structure's first member, size, to sizeof the structure. Programs that were built
 * with an older header therefore keep working. With a library that is older than the program's header, the members that
 * the library does not know are neither read nor written, whatever their values; tappet_version() tells. Members called
 * reserved must be 0. In structures that are passed to callbacks, the library sets the size.
 *
 * @par Objects
 * Pointers to objects are handles; never dereference them. A call with an object that was freed, or that never existed,
 * returns TAPPET_ERROR_OBJECT. Free each object once, with its _free function, which ignores NULL and freed objects. A
 * process has at most 1023 objects at a time; the functions that create them return TAPPET_ERROR_LIMIT beyond that.
 *
 * @par Threads
 * Functions without an object are safe on any thread at any time. An object may be used from any thread, but only from
 * one at a time: a call made while another thread is inside a call with the same object returns TAPPET_ERROR_THREAD,
 * except where the description says that any thread may call. Callbacks are called only inside _dispatch and _run, and
 * those of an inventory inside the call that they were given to, on the thread that called these. They may call any
 * function, even with the same object, and may free it. They must return normally: neither a C++ exception nor a
 * longjmp may leave a callback. If one thread frees an object while another is inside a call with it, the object is
 * destroyed when that call returns.
 *
 * The library starts threads of its own, with all signals blocked: "tappet-link" for each connection to a broker, from
 * the first connect until the object is freed, and "tappet-store" for each running kiosk. A reader, and with it a
 * kiosk, has a child process, tappet-reader, whose end the library waits for, and a kiosk with webhooks has another,
 * tappet-webhook, while it calls web servers: wait for children of your own by their numbers only.
 *
 * @par Signals
 * libmosquitto sets SIGPIPE to be ignored when a connection begins, which the library undoes at once: for these
 * microseconds a SIGPIPE of another thread is lost, and its write fails with EPIPE. The library's own writes cause no
 * SIGPIPE.
 *
 * @par Fork
 * In the child of a fork, calls with the parent's objects return TAPPET_ERROR_FORK, and _free only forgets them.
 * Functions of the sections errors and values work, except that a token receiver of the parent does not. Until an exec,
 * the child must not call anything else: a thread that it does not have may hold a lock. Do not fork while another
 * thread is inside a call. An exec closes the library's descriptors, except libmosquitto's own pair of sockets for each
 * connection, which stays open in the new program. In the child, close every descriptor above 2 before the exec, for
 * example with closefrom().
 *
 * @par Blocking
 * No function blocks unless its description says so.
 *
 * @par Sentences
 * Sentences for people name settings as the configuration file does: where one says "ca", a C program sets ca_file.
 *
 * @par Environment
 * TAPPET_READER is the path of tappet-reader, TAPPET_WEBHOOK that of tappet-webhook, and TAPPET_PROFILES the folder of
 * board profiles. Without them, the library searches relative to the program and to itself, then in /usr/local and
 * /usr. */
#ifndef TAPPET_H
#define TAPPET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup errors Errors
 * Error codes for programs and their meaning for people.
 * @{ */

/** Version of this header; tappet_version() returns the library's. */
#define TAPPET_VERSION "0.1.0"
/** Major version of this header. */
#define TAPPET_VERSION_MAJOR 0
/** Minor version of this header. */
#define TAPPET_VERSION_MINOR 1
/** Patch version of this header. */
#define TAPPET_VERSION_PATCH 0

/** Error codes that functions return. Values are never reused; later versions may add some. */
enum tappet_error {
  TAPPET_ERROR_ARGUMENT = -1,  /**< The caller's mistake: NULL where it is not allowed, or a value out of range. */
  TAPPET_ERROR_BUFFER = -2,    /**< The caller's buffer is too small. */
  TAPPET_ERROR_MEMORY = -3,    /**< No memory, or no random numbers, are available. */
  TAPPET_ERROR_OBJECT = -4,    /**< No such object: it was freed, or is of another kind. */
  TAPPET_ERROR_STATE = -5,     /**< The object's current state does not allow the call. */
  TAPPET_ERROR_THREAD = -6,    /**< Another thread is inside a call with this object. */
  TAPPET_ERROR_FORK = -7,      /**< The object belongs to the process that this one was forked from. */
  TAPPET_ERROR_LIMIT = -8,     /**< The maximum number has been reached. */
  TAPPET_ERROR_SCHEME = -10,     /**< The URL does not begin with smp:// (smpshare://secret for a share URL). */
  TAPPET_ERROR_HOST = -11,       /**< The URL does not begin with smp://action. */
  TAPPET_ERROR_PARAMETERS = -12, /**< The URL has no parameters. */
  TAPPET_ERROR_PARAMETER = -13,  /**< A parameter is missing, malformed or repeated. */
  TAPPET_ERROR_SIGNATURE = -14,  /**< The signature matches none of the keys. */
  TAPPET_ERROR_LABEL = -15,      /**< The label is too long, or is not a single line of text. */
  TAPPET_ERROR_HEX = -16,        /**< The text is not an even number of hexadecimal digits. */
  TAPPET_ERROR_TIME = -20,     /**< The time is before 1970 or after 2106, which a token cannot hold. */
  TAPPET_ERROR_TOKEN = -21,    /**< The token is not 32 hexadecimal digits. */
  TAPPET_ERROR_CHECKSUM = -22, /**< The token was sealed with another key, or was altered. */
  TAPPET_ERROR_WINDOW = -23,   /**< The token is too old, or too far in the future. */
  TAPPET_ERROR_REPEATED = -24, /**< The token was accepted before. */
  TAPPET_ERROR_NDEF_TRUNCATED = -30, /**< A record claims more bytes than the message has. */
  TAPPET_ERROR_NDEF_STRUCTURE = -31, /**< The message does not begin or end where it must. */
  TAPPET_ERROR_NDEF_CHUNKED = -32,   /**< A record is split into chunks, which no tag URL needs. */
  TAPPET_ERROR_NDEF_RECORD = -33,    /**< A record breaks the rules of its format. */
  TAPPET_ERROR_NDEF_COUNT = -34,     /**< The message has more records than TAPPET_NDEF_RECORDS_MAX. */
  TAPPET_ERROR_NDEF_NO_URI = -35,    /**< The message has no URI record. */
  TAPPET_ERROR_SYSTEM = -40,        /**< A system call failed. */
  TAPPET_ERROR_STORE = -41,         /**< The database or its sealing key cannot be used. */
  TAPPET_ERROR_CONTROL = -42,       /**< The control socket cannot be created: the kiosk is probably running already. */
  TAPPET_ERROR_CONFIGURATION = -44, /**< The configuration has mistakes. */
  TAPPET_ERROR_NOT_CONNECTED = -50, /**< There is no connection to the broker, or it ended before the answer came. */
  TAPPET_ERROR_REFUSED = -51        /**< The broker refuses the request, now and later. */
};

/** Urgency of a log record, with syslog's numbers. */
enum tappet_log_priority {
  TAPPET_LOG_PRIORITY_ERROR = 3,   /**< Something does not work until somebody acts. */
  TAPPET_LOG_PRIORITY_WARNING = 4, /**< Something did not work. */
  TAPPET_LOG_PRIORITY_NOTICE = 5,  /**< Something is worth knowing. */
  TAPPET_LOG_PRIORITY_INFO = 6     /**< Something ordinary happened. */
};

/** A failure of an object. */
struct tappet_failure {
  size_t size;          /**< sizeof(struct tappet_failure), set by the caller. */
  int code;             /**< Error code: a ::tappet_error; 0 if nothing has failed yet. */
  int system_code;      /**< The errno that caused it; 0 if there is none. */
  int file_line;        /**< Line of the configuration file, from 1; 0 if the failure is not in a file. */
  int file_column;      /**< Byte within that line, from 1; 0 if the failure is not in a file. */
  const char *sentence; /**< Says what happened, where, and what to do, with a line of text for each mistake; never
                             NULL,
                             owned by the object, and valid until the next call with it. */
};

/** One fact of a log record. */
struct tappet_log_field {
  const char *key;   /**< Name of the fact, a single word. */
  const char *value; /**< Value of the fact: any text, with nothing escaped. */
};

/** A log record. It and everything it points to are valid only during the callback. */
struct tappet_log_record {
  size_t size;                           /**< sizeof(struct tappet_log_record), as the library was built. */
  enum tappet_log_priority priority;     /**< Urgency of the event. */
  const char *name;                      /**< Name of the event, such as "tap-refused". */
  const char *sentence;                  /**< One sentence for a person; it contains no secrets. */
  const struct tappet_log_field *fields; /**< Facts of the event; NULL if there are none. */
  size_t field_count;                    /**< Number of facts. */
};

/** Receives a log record.
 * @param context The pointer that was given with the callback.
 * @param record The record. */
typedef void (*tappet_log_callback)(void *context, const struct tappet_log_record *record);

/** Returns the library's version.
 * @return Text such as "0.1.0"; static, never freed. */
const char *tappet_version(void);

/** Returns the meaning of an error code, in English.
 * @param error A ::tappet_error, or any other number.
 * @return Text, even for an unknown number; static, never freed. */
const char *tappet_strerror(int error);

/** @} */
/** @defgroup values Values
 * Hexadecimal text, NDEF messages, tag URLs, share URLs and timestamp tokens: bytes in, bytes out. The formats are
 * those of the phone app SecuredMQTTPublisher and of its project's ESP32 firmware.
 * @{ */

/** Size of a tag's key in bytes. */
#define TAPPET_KEY_SIZE 32
/** Maximum number of keys that one call of tappet_url_verify() tries. */
#define TAPPET_KEYS_MAX 64
/** Maximum size of a tag URL written by tappet_url_sign(), in bytes, including the NUL. */
#define TAPPET_URL_SIZE_MAX 144
/** Maximum size of a share URL's label in bytes, without a NUL. */
#define TAPPET_LABEL_SIZE_MAX 128
/** Maximum size of a share URL written by tappet_share_encode(), in bytes, including the NUL. */
#define TAPPET_SHARE_SIZE_MAX 512
/** Size of a timestamp token as text in bytes, including the NUL. */
#define TAPPET_TOKEN_SIZE 33
/** Maximum number of records in an NDEF message; no tag has a use for more. */
#define TAPPET_NDEF_RECORDS_MAX 16
/** Maximum size of an NDEF message in bytes; no tag holds more. */
#define TAPPET_NDEF_SIZE_MAX 8192

/** Encodes bytes as lower-case hexadecimal digits.
 * @param bytes The bytes; may be NULL if size is 0. Must not overlap ret_text.
 * @param size Number of bytes; at most 2^30 - 1.
 * @param ret_text Receives the digits and a NUL; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_text in bytes.
 * @return The number of digits; otherwise TAPPET_ERROR_ARGUMENT or TAPPET_ERROR_BUFFER. */
int tappet_hex_encode(const uint8_t *bytes, size_t size, char *ret_text, size_t ret_size);

/** Decodes hexadecimal digits, of either case, into bytes.
 * @param text The digits and nothing else; may be NULL if text_size is 0.
 * @param text_size Number of digits; at most 2^30.
 * @param ret_bytes Receives the bytes; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_bytes in bytes.
 * @return The number of bytes; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER or TAPPET_ERROR_HEX. */
int tappet_hex_decode(const char *text, size_t text_size, uint8_t *ret_bytes, size_t ret_size);

/** One record of an NDEF message. In an array, the first element's size is the distance between all of them. */
struct tappet_ndef_record {
  size_t size;            /**< sizeof(struct tappet_ndef_record), set by the caller. */
  const uint8_t *type;    /**< Type of the record; NULL if it has none. */
  size_t type_size;       /**< Size of the type in bytes; at most 255. */
  const uint8_t *id;      /**< Identifier of the record; NULL if it has no id field. */
  size_t id_size;         /**< Size of the identifier in bytes; at most 255. */
  const uint8_t *payload; /**< Payload of the record; NULL if it has none. */
  size_t payload_size;    /**< Size of the payload in bytes. */
  uint8_t format;         /**< Type Name Format, 0 to 5 (NFC Forum NDEF 1.0, 3.2.6). */
  uint8_t reserved[7];    /**< Must be 0. */
};

/** Decodes an NDEF message. Any bytes are either a message or an error.
 * @param message The whole message.
 * @param message_size Size of the message in bytes; at most TAPPET_NDEF_SIZE_MAX.
 * @param ret_records Receives the records. They point into message and are valid as long as it is. The first one's size
 *   must be set. May be NULL if ret_count is 0.
 * @param ret_count Number of records that ret_records has room for; TAPPET_NDEF_RECORDS_MAX is always enough.
 * @return The number of records; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER, TAPPET_ERROR_NDEF_TRUNCATED,
 *   TAPPET_ERROR_NDEF_STRUCTURE, TAPPET_ERROR_NDEF_CHUNKED, TAPPET_ERROR_NDEF_RECORD or TAPPET_ERROR_NDEF_COUNT. */
int tappet_ndef_decode(
    const uint8_t *message, size_t message_size, struct tappet_ndef_record *ret_records, size_t ret_count);

/** Encodes records as an NDEF message.
 * @param records At least one record; the first one's size must be set.
 * @param count Number of records.
 * @param ret_message Receives the message; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_message in bytes.
 * @return The number of bytes, at most TAPPET_NDEF_SIZE_MAX; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER,
 *   TAPPET_ERROR_NDEF_RECORD or TAPPET_ERROR_NDEF_COUNT. */
int tappet_ndef_encode(
    const struct tappet_ndef_record *records, size_t count, uint8_t *ret_message, size_t ret_size);

/** Finds the first URI in an NDEF message, one in a Smart Poster before all others, and expands its abbreviated prefix.
 * Skips other records.
 * @param message The whole message.
 * @param message_size Size of the message in bytes; at most TAPPET_NDEF_SIZE_MAX.
 * @param ret_uri Receives the URI and a NUL; may be NULL if ret_size is 0. Do not trust the URI: it comes from a
 *   stranger, and may itself contain a NUL.
 * @param ret_size Size of ret_uri in bytes.
 * @return The URI's size in bytes without the NUL; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER,
 *   TAPPET_ERROR_NDEF_NO_URI, or an error of tappet_ndef_decode(). */
int tappet_ndef_uri_decode(const uint8_t *message, size_t message_size, char *ret_uri, size_t ret_size);

/** Encodes a URI as an NDEF message of one URI record, as it is on tags: without abbreviating the prefix.
 * @param uri The URI.
 * @param uri_size Size of the URI in bytes; at least 1.
 * @param ret_message Receives the message; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_message in bytes.
 * @return The message's size in bytes; otherwise TAPPET_ERROR_ARGUMENT or TAPPET_ERROR_BUFFER. */
int tappet_ndef_uri_encode(const char *uri, size_t uri_size, uint8_t *ret_message, size_t ret_size);

/** Contents of a verified tag URL. */
struct tappet_url {
  size_t size;         /**< sizeof(struct tappet_url), set by the caller. */
  int64_t index;       /**< The action's idx. */
  int64_t timestamp;   /**< When the URL was written, in seconds since 1970; it never expires. */
  size_t key_index;    /**< Index of the key that made the signature, from 0. */
  bool carries_key;    /**< Whether the URL carries its key, so that anyone who reads the tag can forge others. */
  uint8_t reserved[7]; /**< Set to 0. */
};

/** Verifies that a tag URL was signed with one of the caller's keys. Tries every key, in a time that does not reveal
 * which one it was; ignores a key that the URL carries. Allocates nothing.
 * @param url The URL; need not end with a NUL.
 * @param url_size Size of the URL in bytes; at most 2048.
 * @param keys The keys, TAPPET_KEY_SIZE bytes each, one after the other; may be NULL if key_count is 0.
 * @param key_count Number of keys; at most TAPPET_KEYS_MAX.
 * @param ret_url Receives the URL's contents; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SCHEME, TAPPET_ERROR_HOST, TAPPET_ERROR_PARAMETERS,
 *   TAPPET_ERROR_PARAMETER or TAPPET_ERROR_SIGNATURE. */
int tappet_url_verify(
    const char *url, size_t url_size, const uint8_t *keys, size_t key_count, struct tappet_url *ret_url);

/** Writes a signed tag URL.
 * @param index The action's idx, 0 or more.
 * @param timestamp Time of writing in seconds since 1970, 0 or more.
 * @param key The key, TAPPET_KEY_SIZE bytes.
 * @param ret_url Receives the URL and a NUL; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_url in bytes; TAPPET_URL_SIZE_MAX is always enough.
 * @return The URL's size in bytes without the NUL; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER or
 *   TAPPET_ERROR_MEMORY. */
int tappet_url_sign(int64_t index, int64_t timestamp, const uint8_t *key, char *ret_url, size_t ret_size);

/** A shared secret. It contains a key: wipe it after use. */
struct tappet_share {
  size_t size;                           /**< sizeof(struct tappet_share), set by the caller. */
  int64_t index;                         /**< The idx of the action that the secret is for. */
  uint8_t key[TAPPET_KEY_SIZE];          /**< Key of the tags. */
  char label[TAPPET_LABEL_SIZE_MAX + 1]; /**< Label for people, trimmed, with a NUL; empty if there is none. */
  uint8_t reserved[7];                   /**< Set to 0. */
};

/** Writes a share URL, which one phone or kiosk passes to another as a QR code. It contains the key: wipe it after use.
 * @param index The action's idx, 0 or more.
 * @param key The key, TAPPET_KEY_SIZE bytes.
 * @param label Label for people, without invisible characters; it is trimmed. May be NULL if label_size is 0: no label.
 * @param label_size Size of the label in bytes; at most TAPPET_LABEL_SIZE_MAX.
 * @param ret_url Receives the URL and a NUL; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_url in bytes; TAPPET_SHARE_SIZE_MAX is always enough.
 * @return The URL's size in bytes without the NUL; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER or
 *   TAPPET_ERROR_LABEL. */
int tappet_share_encode(
    int64_t index, const uint8_t *key, const char *label, size_t label_size, char *ret_url, size_t ret_size);

/** Decodes a share URL.
 * @param url The URL; need not end with a NUL.
 * @param url_size Size of the URL in bytes; at most 2048.
 * @param ret_share Receives the secret; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SCHEME, TAPPET_ERROR_PARAMETER or TAPPET_ERROR_LABEL. */
int tappet_share_decode(const char *url, size_t url_size, struct tappet_share *ret_share);

/** Seals a time into a token, which proves to a receiver with the same key that a message is fresh. Two tokens of the
 * same second differ.
 * @param unix_seconds The time in seconds since 1970.
 * @param key The key.
 * @param key_size Size of the key in bytes: 16, 24 or 32 (the ESP32 accepts only 16).
 * @param ret_token Receives 32 digits and a NUL; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_token in bytes; TAPPET_TOKEN_SIZE is enough.
 * @return 32; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER, TAPPET_ERROR_TIME or TAPPET_ERROR_MEMORY. */
int tappet_token_seal(int64_t unix_seconds, const uint8_t *key, size_t key_size, char *ret_token, size_t ret_size);

/** Opens a token and returns the time in it. Checks neither the token's age nor whether it was used before: the caller
 * decides about that, or tappet_token_receiver_accept() does.
 * @param token The token; need not end with a NUL.
 * @param token_size Size of the token in bytes.
 * @param key The key.
 * @param key_size Size of the key in bytes: 16, 24 or 32.
 * @param ret_unix_seconds Receives the time in seconds since 1970.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_TOKEN, TAPPET_ERROR_CHECKSUM or TAPPET_ERROR_MEMORY. */
int tappet_token_open(
    const char *token, size_t token_size, const uint8_t *key, size_t key_size, int64_t *ret_unix_seconds);

/** A receiver of tokens, which decides which ones to accept, and remembers them. Its memory is bounded: a few
 * kilobytes. */
struct tappet_token_receiver;

/** Rules by which a receiver accepts tokens. */
enum tappet_token_rule {
  TAPPET_TOKEN_RULE_WINDOW = 0,  /**< Neither older nor newer than the tolerance allows, and each token once. */
  TAPPET_TOKEN_RULE_FIRMWARE = 1 /**< As on the ESP32: at most 5 s old; any future time, and repeated tokens too. */
};

/** Creates a receiver that has not accepted any token yet.
 * @param rule The rule.
 * @param tolerance_seconds Largest difference between a token's time and the current time, 0 or more; only for
 *   TAPPET_TOKEN_RULE_WINDOW.
 * @param key The key; copied, and wiped with the receiver.
 * @param key_size Size of the key in bytes: 16, 24 or 32.
 * @param ret_receiver Receives the receiver; the caller frees it with tappet_token_receiver_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT or TAPPET_ERROR_LIMIT. */
int tappet_token_receiver_new(
    enum tappet_token_rule rule, int64_t tolerance_seconds, const uint8_t *key, size_t key_size,
    struct tappet_token_receiver **ret_receiver);

/** Accepts a token and remembers it.
 * @param receiver The receiver.
 * @param token The token; need not end with a NUL.
 * @param token_size Size of the token in bytes.
 * @param now_unix_seconds The current time in seconds since 1970; the library does not read a clock here. It may be set
 *   back: tokens as old as those forgotten by then are refused with TAPPET_ERROR_WINDOW.
 * @param ret_unix_seconds Receives the token's time.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_TOKEN, TAPPET_ERROR_CHECKSUM, TAPPET_ERROR_WINDOW,
 *   TAPPET_ERROR_REPEATED, TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_token_receiver_accept(
    struct tappet_token_receiver *receiver, const char *token, size_t token_size, int64_t now_unix_seconds,
    int64_t *ret_unix_seconds);

/** Forgets all tokens and frees the receiver.
 * @param receiver The receiver; may be NULL. */
void tappet_token_receiver_free(struct tappet_token_receiver *receiver);

/** @} */
/** @defgroup broker Broker
 * One connection to an MQTT broker, over TLS with certificates. Reconnecting is left to the caller: after
 * TAPPET_BROKER_EVENT_FAILED or TAPPET_BROKER_EVENT_LOST wait a little, longer each time, and connect again.
 * Subscriptions end with their connection.
 * @{ */

/** Versions of MQTT. */
enum tappet_broker_protocol {
  TAPPET_BROKER_PROTOCOL_DEFAULT = 0,   /**< MQTT 5 with mqtts://, or 3.1.1 if the broker does not take MQTT 5, which
                                             the object remembers; MQTT 3.1.1 with mqtt://. For MQTT 5 the warning
                                             below holds. */
  TAPPET_BROKER_PROTOCOL_MQTT_311 = 311, /**< MQTT 3.1.1, which acknowledges a message that the broker's access list
                                             denies. */
  TAPPET_BROKER_PROTOCOL_MQTT_5 = 5     /**< Only MQTT 5, and only with mqtts://: a hostile broker can end the process
                                             with a packet of MQTT 5 that libmosquitto does not expect. */
};

/** A broker's address and the client's credentials. Files are given by name, and read at each connect. */
struct tappet_broker_options {
  size_t size;                  /**< sizeof(struct tappet_broker_options), set by the caller. */
  const char *url;              /**< mqtts://HOST[:PORT] or mqtt://HOST[:PORT]; at most 300 bytes. */
  const char *client_id;        /**< Name of this client, unique at the broker; 1 to 128 bytes without '/', '+', '#'. */
  const char *ca_file;          /**< PEM file of the only trusted certificates; NULL means the system's trust store. */
  const char *crl_file;         /**< PEM or DER file of revocation lists: the broker's certificate is refused if its
                                     issuer's list has it, or if there is no valid list. NULL means no check. */
  const char *certificate_file; /**< PEM file of the client's certificate, then its chain; NULL means no certificate. */
  const char *private_key_file; /**< PEM file of the private key, not encrypted; NULL if there is no certificate. */
  const char *username;         /**< User name, at most 256 bytes; NULL means none. */
  const char *password;         /**< Password, at most 65535 bytes; only with mqtts:// and a user name; NULL means none.
                                     The copy is wiped. */
  const char *will_topic;       /**< Topic of the message that the broker publishes if the connection breaks, 1 to 65535
                                     bytes without wildcards; NULL means none. Not together with announces_status, and
                                     not in a kiosk. */
  const uint8_t *will_payload;  /**< Payload of the will; may be NULL if will_payload_size is 0. */
  size_t will_payload_size;     /**< Size of the will's payload in bytes, at most 65535. */
  enum tappet_broker_protocol protocol; /**< Version of MQTT. */
  int keepalive_seconds;        /**< Keep-alive interval, 5 to 65535; 0 means 60. */
  int will_qos;                 /**< QoS of the will, 0 to 2. */
  bool announces_status;        /**< Whether "online" or "offline" (also as the last will) is kept retained at
                                     tappet/CLIENT_ID/status, as a kiosk always does; otherwise only the caller's
                                     messages are published. */
  bool will_is_retained;        /**< Whether the broker keeps the will for later subscribers. */
  uint8_t reserved[2];          /**< Must be 0. */
};

/** A user property of a message with MQTT 5. Names may repeat. */
struct tappet_broker_user_property {
  const char *name;  /**< Name of the property, UTF-8. */
  const char *value; /**< Value of the property, UTF-8. */
};

/** The properties of a message with MQTT 5. Together they have at most 65535 bytes when they are sent. */
struct tappet_broker_properties {
  size_t size;                 /**< sizeof(struct tappet_broker_properties), set by the caller, or by the library in an
                                    event. */
  const char *content_type;    /**< Kind of the payload, such as "application/json"; NULL means none. */
  const char *response_topic;  /**< Topic for the reply, without wildcards; NULL means none. */
  const uint8_t *correlation;  /**< Data that the reply is to carry; NULL if correlation_size is 0. */
  size_t correlation_size;     /**< Size of the correlation data in bytes, at most 65535. */
  const struct tappet_broker_user_property *user_properties; /**< The user properties; NULL if there are none. */
  size_t user_property_count;  /**< Number of user properties, at most 64; of a message that has more, the first 64. */
  const uint32_t *subscription_ids; /**< Of a message that arrived: numbers of the subscriptions to which it belongs;
                                         NULL if there are none. To publish it must be NULL. */
  size_t subscription_id_count; /**< Number of subscription_ids; otherwise 0. */
  uint32_t expiry_seconds;     /**< How long the broker may still deliver the message, in seconds; 0 means without an
                                    end. */
  bool is_text;                /**< Whether the payload is declared to be UTF-8. */
  uint8_t reserved[3];         /**< Must be 0. */
};

/** Messages that the broker has kept, at the begin of a subscription with MQTT 5. */
enum tappet_broker_retained {
  TAPPET_BROKER_RETAINED_ALL = 0,  /**< All that fit the filter, as with MQTT 3.1.1. */
  TAPPET_BROKER_RETAINED_NEW = 1,  /**< All, if there was no subscription with this filter yet. */
  TAPPET_BROKER_RETAINED_NONE = 2  /**< None of them. */
};

/** How to subscribe. All but qos need MQTT 5. */
struct tappet_broker_subscribe_options {
  size_t size;              /**< sizeof(struct tappet_broker_subscribe_options), set by the caller. */
  int qos;                  /**< The highest QoS of the messages, 0 to 2. */
  enum tappet_broker_retained retained; /**< Which of the messages that it has kept the broker sends at once. */
  uint32_t subscription_id; /**< Number that each message of the subscription carries, 1 to 268435455; 0 means none. */
  bool excludes_own;        /**< Whether messages that this connection publishes stay away. */
  bool keeps_retain;        /**< Whether a message keeps the retain flag with which it was published; otherwise
                                 is_retained is true only for those that the broker had kept. */
  uint8_t reserved[2];      /**< Must be 0. */
};

/** Stages of an attempt to connect, in their order. */
enum tappet_broker_stage {
  TAPPET_BROKER_STAGE_FILES = 1, /**< This side: files, memory, options. Only reported if it failed. */
  TAPPET_BROKER_STAGE_NAME = 2,  /**< The host's name became addresses. */
  TAPPET_BROKER_STAGE_TCP = 3,   /**< An address answered. */
  TAPPET_BROKER_STAGE_TLS = 4,   /**< Both sides agreed on a secure connection. */
  TAPPET_BROKER_STAGE_MQTT = 5   /**< The broker answered with CONNACK. */
};

/** One step of an attempt to connect. Its text is valid until the next call of tappet_broker_get_step() with the same
 * object. */
struct tappet_broker_step {
  size_t size;                    /**< sizeof(struct tappet_broker_step), set by the caller. */
  enum tappet_broker_stage stage; /**< Stage of the step; one can occur more than once, with several addresses or
                                       versions. */
  bool is_good;                   /**< Whether it succeeded. */
  uint8_t reserved[3];            /**< 0. */
  int64_t microseconds;           /**< Time that it took. */
  const char *text;               /**< The finding, or a sentence about the failure, for a person. */
};

/** A certificate of the broker's verified chain. Its texts are a stranger's, and valid until the next call of
 * tappet_broker_get_certificate() with the same object. */
struct tappet_broker_certificate {
  size_t size;               /**< sizeof(struct tappet_broker_certificate), set by the caller. */
  const char *subject;       /**< Subject on one line, as OpenSSL prints it. */
  const char *issuer;        /**< Issuer on one line, as OpenSSL prints it. */
  const char *names;         /**< Names for which it is valid (subjectAltName); empty if it has none. */
  int64_t expires_unix_seconds; /**< When it expires, in seconds since 1970. */
};

/** Facts about the last attempt to connect: what `tappet mqtt connect` prints. Numbers of MQTT 5's CONNACK are -1 if
 * the broker does not state them, or with MQTT 3.1.1. The texts are valid until the next call of
 * tappet_broker_get_report() with the same object. */
struct tappet_broker_report {
  size_t size;                 /**< sizeof(struct tappet_broker_report), set by the caller. */
  int64_t microseconds;        /**< Time from the begin of the attempt to its last step's end. */
  size_t step_count;           /**< Number of steps, for tappet_broker_get_step(). */
  size_t certificate_count;    /**< Number of certificates, for tappet_broker_get_certificate(). */
  const char *address;         /**< The address that was tried last; NULL if there was none. */
  const char *tls_version;     /**< Such as "TLSv1.3"; NULL without TLS, or before its handshake was over. */
  const char *tls_cipher;      /**< Such as "TLS_AES_256_GCM_SHA384"; NULL as tls_version. */
  const char *tls_alpn;        /**< Protocol that the broker chose of those offered; NULL if it chose none. */
  const char *assigned_client_id; /**< Client id that the broker chose; NULL if it chose none. */
  const char *broker_reason;   /**< The broker's own words in CONNACK, a stranger's text; NULL if it had none. */
  enum tappet_broker_protocol protocol; /**< Version of MQTT that was tried last; DEFAULT if none was. */
  bool is_connected;           /**< Whether the broker accepted the connection. */
  bool asks_certificate;       /**< Whether the broker asked for a client certificate. */
  uint8_t reserved[2];         /**< 0. */
  int64_t receive_maximum;     /**< Messages with QoS 1 and 2 that it takes before it has acknowledged one. */
  int64_t maximum_packet_size; /**< Bytes of the largest packet that it takes. */
  int64_t session_expiry_seconds; /**< How long it keeps the session, in seconds. */
  int32_t keepalive_seconds;   /**< Keep-alive interval that it imposes, in seconds. */
  int32_t topic_alias_maximum; /**< Number of topic aliases that it takes. */
  int8_t maximum_qos;          /**< Highest QoS that it takes. */
  int8_t has_retained;         /**< Whether it keeps messages: 1, 0 or -1. */
  int8_t has_wildcards;        /**< Whether filters may have wildcards: 1, 0 or -1. */
  int8_t has_shared_subscriptions; /**< Whether it has shared subscriptions: 1, 0 or -1. */
  uint8_t reserved_end[4];     /**< 0. */
};

/** A connection to a broker. */
struct tappet_broker;

/** Types of events on a connection. */
enum tappet_broker_event_type {
  TAPPET_BROKER_EVENT_CONNECTED = 1,    /**< The broker accepted the connection. */
  TAPPET_BROKER_EVENT_FAILED = 2,       /**< The attempt to connect failed; sentence says why, and what to do. */
  TAPPET_BROKER_EVENT_LOST = 3,         /**< The connection broke; sentence says why. */
  TAPPET_BROKER_EVENT_DISCONNECTED = 4, /**< The connection ended at the caller's request. */
  TAPPET_BROKER_EVENT_MESSAGE = 5       /**< A message arrived for a subscription. */
};

/** An event on a connection. It and everything it points to are valid only during the callback. */
struct tappet_broker_event {
  size_t size;            /**< sizeof(struct tappet_broker_event), as the library was built. */
  enum tappet_broker_event_type type; /**< Type of the event; later versions may add some. */
  int qos;                /**< MESSAGE: QoS that it arrived with. */
  int reason;             /**< FAILED, LOST: MQTT 5's reason code, 0x80 to 0xFF, if the broker gave one; otherwise 0. */
  bool is_retained;       /**< MESSAGE: whether it was published before the subscription. */
  const char *sentence;   /**< FAILED, LOST: a sentence for a person; otherwise NULL. */
  const char *topic;      /**< MESSAGE: its topic; otherwise NULL. */
  const uint8_t *payload; /**< MESSAGE: its payload; NULL if it is empty. */
  size_t payload_size;    /**< Size of the payload in bytes. */
  uint64_t lost_count;    /**< MESSAGE: number of messages discarded before this one, because they arrived faster than
                               they were dispatched (256 can wait), or were larger than 256 KiB or than the memory that
                               was left. */
  const struct tappet_broker_properties *properties; /**< MESSAGE with MQTT 5: its properties; NULL if it has none. */
};

/** Receives an event on a connection.
 * @param context The pointer that was given with the callback.
 * @param event The event. */
typedef void (*tappet_broker_event_callback)(void *context, const struct tappet_broker_event *event);

/** Receives the result of a request. Called exactly once for each request that was accepted, but not after the object
 * was freed.
 * @param context The pointer that was given with the request.
 * @param result 0, or of a subscription the granted QoS; otherwise TAPPET_ERROR_NOT_CONNECTED or
 *   TAPPET_ERROR_REFUSED. */
typedef void (*tappet_broker_completion)(void *context, int result);

/** Creates a connection that is not connected yet.
 * @param ret_broker Receives the connection; the caller frees it with tappet_broker_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_broker_new(struct tappet_broker **ret_broker);

/** Disconnects and frees the connection. Completions of outstanding requests are not called. Blocks for at most 1.2 s.
 * @param broker The connection; may be NULL. */
void tappet_broker_free(struct tappet_broker *broker);

/** Sets the callback for events, in place of the previous one.
 * @param broker The connection.
 * @param callback Called inside tappet_broker_dispatch(); NULL means none.
 * @param context Passed to the callback; the caller keeps it until another one is set or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_set_event_callback(
    struct tappet_broker *broker, tappet_broker_event_callback callback, void *context);

/** Begins to connect. Exactly one event TAPPET_BROKER_EVENT_FAILED, TAPPET_BROKER_EVENT_LOST or
 * TAPPET_BROKER_EVENT_DISCONNECTED ends what this begins. An attempt fails after 20 s, not counting the time that the
 * system's resolver takes for the name.
 * @param broker The connection.
 * @param options The broker and the credentials; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also for MQTT 5 without TLS), TAPPET_ERROR_STATE (connected or connecting
 *   already), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_connect(struct tappet_broker *broker, const struct tappet_broker_options *options);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_broker_dispatch() has something to
 * do.
 * @param broker The connection.
 * @return A descriptor that the object owns until it is freed: never close or read it; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_fd(const struct tappet_broker *broker);

/** Waits until tappet_broker_dispatch() has something to do, for programs without a loop of their own. Other threads
 * may use the object meanwhile; if one frees it, this still waits until its time is up.
 * @param broker The connection.
 * @param timeout_milliseconds How long to wait at most; -1 means without a limit.
 * @return 1 if there is something to do; 0 if the time is up or a signal handler was called; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_broker_wait(struct tappet_broker *broker, int timeout_milliseconds);

/** Calls the callbacks for everything that has happened. Does not wait.
 * @param broker The connection.
 * @return The number of callbacks called; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from one of the
 *   object's own callbacks), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_dispatch(struct tappet_broker *broker);

/** Publishes a message.
 * @param broker The connection.
 * @param topic A topic without wildcards; 1 to 65535 bytes. Topics that begin with '$' are the broker's own: it accepts
 *   the message, as AWS IoT does for $aws, or discards it or closes the connection.
 * @param payload The payload; may be NULL if payload_size is 0.
 * @param payload_size Size of the payload in bytes; at most 64 MiB.
 * @param qos QoS of the message, 0 to 2.
 * @param is_retained Whether the broker is to keep the message for later subscribers.
 * @param completion Called when the broker has the message, or never will; with QoS 0 as soon as the message was passed
 *   to the connection. May be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NOT_CONNECTED, TAPPET_ERROR_LIMIT (256 messages are
 *   outstanding), TAPPET_ERROR_MEMORY (for three times the payload), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_broker_publish(
    struct tappet_broker *broker, const char *topic, const uint8_t *payload, size_t payload_size, int qos,
    bool is_retained, tappet_broker_completion completion, void *context);

/** Publishes a message with properties, which need MQTT 5.
 * @param broker The connection.
 * @param topic As with tappet_broker_publish().
 * @param payload The payload; may be NULL if payload_size is 0.
 * @param payload_size Size of the payload in bytes; at most 64 MiB.
 * @param qos QoS of the message, 0 to 2.
 * @param is_retained Whether the broker is to keep the message for later subscribers.
 * @param properties The properties; its size must be set. Copied. NULL means none, with every version of MQTT.
 * @param completion Called as with tappet_broker_publish(). May be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_STATE (the connection uses MQTT 3.1.1), or the errors of
 *   tappet_broker_publish(). */
int tappet_broker_publish_with(
    struct tappet_broker *broker, const char *topic, const uint8_t *payload, size_t payload_size, int qos,
    bool is_retained, const struct tappet_broker_properties *properties, tappet_broker_completion completion,
    void *context);

/** Subscribes to topics, for the duration of this connection.
 * @param broker The connection.
 * @param filter A topic filter, in which '+' and '#' are wildcards; at most 65535 bytes.
 * @param qos The highest QoS of the messages, 0 to 2.
 * @param completion Called when the broker has answered; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NOT_CONNECTED, TAPPET_ERROR_LIMIT (256 subscriptions and
 *   their ends are outstanding), TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_subscribe(
    struct tappet_broker *broker, const char *filter, int qos, tappet_broker_completion completion, void *context);

/** Subscribes to topics with options, for the duration of this connection.
 * @param broker The connection.
 * @param filter A topic filter, as with tappet_broker_subscribe().
 * @param options How to subscribe; its size must be set. Copied.
 * @param completion Called when the broker has answered; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_STATE (more than a QoS is wanted, and the connection uses MQTT 3.1.1), or the
 *   errors of tappet_broker_subscribe(). */
int tappet_broker_subscribe_with(
    struct tappet_broker *broker, const char *filter, const struct tappet_broker_subscribe_options *options,
    tappet_broker_completion completion, void *context);

/** Ends a subscription. Messages that are on their way still arrive.
 * @param broker The connection.
 * @param filter The filter of the subscription.
 * @param completion Called when the broker has answered; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_broker_subscribe(). */
int tappet_broker_unsubscribe(
    struct tappet_broker *broker, const char *filter, tappet_broker_completion completion, void *context);

/** Begins an orderly disconnect. The event TAPPET_BROKER_EVENT_DISCONNECTED follows.
 * @param broker The connection.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NOT_CONNECTED, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_broker_disconnect(struct tappet_broker *broker);

/** Returns the reason code of the answer that a completion reports: with MQTT 5, 0x10 if the broker has the message and
 * nobody subscribes to its topic, and from 0x80 on why it refuses, such as 0x87 for its access list. Only valid inside
 * the completion.
 * @param broker The connection.
 * @return The code, 0 to 0xFF: 0 without an answer, outside of a completion, and of a message with MQTT 3.1.1;
 *   otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_reason(const struct tappet_broker *broker);

/** Retrieves facts about the last attempt to connect, while it lasts and afterwards.
 * @param broker The connection.
 * @param ret_report Receives the facts; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no attempt), TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_report(struct tappet_broker *broker, struct tappet_broker_report *ret_report);

/** Retrieves a step of the last attempt to connect. The last one says whether the attempt succeeded, and if not, why.
 * @param broker The connection.
 * @param position Position of the step, from 0.
 * @param ret_step Receives the step; its size must be set.
 * @return 1; 0 if there are not that many; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no attempt),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_step(struct tappet_broker *broker, size_t position, struct tappet_broker_step *ret_step);

/** Retrieves a certificate of the chain with which the broker proved who it is, its own first.
 * @param broker The connection.
 * @param position Position of the certificate, from 0.
 * @param ret_certificate Receives the certificate; its size must be set.
 * @return 1; 0 if there are not that many; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no attempt),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_certificate(
    struct tappet_broker *broker, size_t position, struct tappet_broker_certificate *ret_certificate);

/** Reports why the last call that failed did so.
 * @param broker The connection.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_last_error(const struct tappet_broker *broker, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup reader Reader
 * An NFC reader and the tags on it. libnfc runs in a process of its own, tappet-reader. The environment variable
 * TAPPET_READER gives its path; without it, the library looks next to the program, next to itself, and in /usr/local
 * and /usr.
 * @{ */

/** An NFC reader. */
struct tappet_reader;

/** Size of the longest list of tappet_reader_list() in bytes, including the NUL. */
#define TAPPET_READER_LIST_SIZE 16385

/** Types of events at a reader. */
enum tappet_reader_event_type {
  TAPPET_READER_EVENT_READY = 1,       /**< The reader looks for tags. */
  TAPPET_READER_EVENT_TAG_ARRIVED = 2, /**< A tag arrived and is being read. */
  TAPPET_READER_EVENT_TAG_READ = 3,    /**< The tag was read; if url is NULL, sentence says why. */
  TAPPET_READER_EVENT_TAG_FAULTED = 4, /**< The tag could not be read; sentence says why. */
  TAPPET_READER_EVENT_TAG_LEFT = 5,    /**< The tag was taken away. */
  TAPPET_READER_EVENT_LOST = 6,        /**< The reader failed and is closed, and can be opened again; sentence says
                                            why. */
  TAPPET_READER_EVENT_WRITTEN = 7,     /**< A write succeeded: the tag was read back and holds the message. */
  TAPPET_READER_EVENT_WRITE_FAILED = 8 /**< A write failed; sentence says why, and whether the tag changed. */
};

/** Model of a tag, as far as the reader could tell. */
enum tappet_reader_tag_model {
  TAPPET_READER_TAG_TYPE2 = 1,                 /**< A Type 2 tag of an unknown model. */
  TAPPET_READER_TAG_ULTRALIGHT = 2,            /**< A MIFARE Ultralight. */
  TAPPET_READER_TAG_ULTRALIGHT_EV1_SMALL = 3,  /**< A MIFARE Ultralight EV1 of 48 bytes. */
  TAPPET_READER_TAG_ULTRALIGHT_EV1_LARGE = 4,  /**< A MIFARE Ultralight EV1 of 128 bytes. */
  TAPPET_READER_TAG_NTAG203 = 5,               /**< An NTAG203. */
  TAPPET_READER_TAG_NTAG210 = 6,               /**< An NTAG210. */
  TAPPET_READER_TAG_NTAG212 = 7,               /**< An NTAG212. */
  TAPPET_READER_TAG_NTAG213 = 8,               /**< An NTAG213. */
  TAPPET_READER_TAG_NTAG215 = 9,               /**< An NTAG215. */
  TAPPET_READER_TAG_NTAG216 = 10,              /**< An NTAG216. */
  TAPPET_READER_TAG_NTAG_I2C_1K = 11,          /**< An NTAG I2C 1K. */
  TAPPET_READER_TAG_NTAG_I2C_2K = 12,          /**< An NTAG I2C 2K. */
  TAPPET_READER_TAG_TYPE4 = 20,                /**< A Type 4 tag. */
  TAPPET_READER_TAG_NTAG424 = 21,              /**< An NTAG 424 DNA. */
  TAPPET_READER_TAG_MIFARE_CLASSIC = 40,       /**< A MIFARE Classic, which Tappet does not read. */
  TAPPET_READER_TAG_OTHER = 41                 /**< Any other tag that answered. */
};

/** An event at a reader. Everything it points to belongs to the reader and is valid until the next call with it. */
struct tappet_reader_event {
  size_t size;            /**< sizeof(struct tappet_reader_event), set by the caller. */
  enum tappet_reader_event_type type; /**< Type of the event; later versions may add some. */
  enum tappet_reader_tag_model model; /**< TAG_READ, TAG_FAULTED, WRITTEN, WRITE_FAILED: model of the tag; otherwise
                               0. */
  const char *device;     /**< READY: name of the device; otherwise NULL. */
  const uint8_t *uid;     /**< Identifier of the tag, 1 to 10 bytes, which can be copied and proves nothing; NULL in
                               READY and LOST. */
  size_t uid_size;        /**< Size of the identifier in bytes. */
  const char *url;        /**< TAG_READ: the first URI on the tag, with a NUL, for tappet_url_verify(); NULL if the tag
                               has none. */
  size_t url_size;        /**< Size of the URI in bytes, without the NUL. */
  const uint8_t *message; /**< TAG_READ: the NDEF message; NULL if the tag has none. */
  size_t message_size;    /**< Size of the message in bytes. */
  const uint8_t *memory;  /**< TAG_READ: a Type 2 tag's memory from page 0, or a Type 4 tag's NDEF file, as read. */
  size_t memory_size;     /**< Size of the memory in bytes. */
  const char *sentence;   /**< A sentence for a person; NULL if there is nothing to say. */
};

/** Receives an event at a reader.
 * @param context The pointer that was given with the callback.
 * @param event The event. */
typedef void (*tappet_reader_event_callback)(void *context, const struct tappet_reader_event *event);

/** Creates a reader that is not open yet.
 * @param ret_reader Receives the reader; the caller frees it with tappet_reader_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_reader_new(struct tappet_reader **ret_reader);

/** Closes and frees the reader. Blocks for at most 1 s, until tappet-reader has ended.
 * @param reader The reader; may be NULL. */
void tappet_reader_free(struct tappet_reader *reader);

/** Sets the callback for events, in place of the previous one. Without a callback, events wait for
 * tappet_reader_next().
 * @param reader The reader.
 * @param callback Called inside tappet_reader_dispatch(); NULL means none.
 * @param context Passed to the callback; the caller keeps it until another one is set or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_set_event_callback(
    struct tappet_reader *reader, tappet_reader_event_callback callback, void *context);

/** Lists the readers that libnfc finds: on USB, and those that its own configuration names. A reader on a serial line,
 * I2C or SPI is not found unless that configuration has it. Starts a tappet-reader for it; blocks for at most 10 s.
 * Any thread may call this at any time.
 * @param ret_devices Receives the connection strings for tappet_reader_open(), each followed by a line feed, and a NUL;
 *   may be NULL if ret_size is 0.
 * @param ret_size Size of ret_devices in bytes; TAPPET_READER_LIST_SIZE is always enough.
 * @return The number of bytes without the NUL, 0 if there is no reader; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_BUFFER or TAPPET_ERROR_SYSTEM (tappet-reader is probably missing, or did not answer in time). */
int tappet_reader_list(char *ret_devices, size_t ret_size);

/** Starts the tappet-reader process. The event TAPPET_READER_EVENT_READY or TAPPET_READER_EVENT_LOST follows. A process
 * that is silent for 6 s while it starts, or for 12 s afterwards, is ended, and TAPPET_READER_EVENT_LOST reported.
 * @param reader The reader.
 * @param device libnfc's connection string, such as "pn532_uart:/dev/ttyUSB0"; at most 1023 bytes. NULL means the first
 *   reader that libnfc finds.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (open already), TAPPET_ERROR_SYSTEM (tappet-reader is
 *   probably missing), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_open(struct tappet_reader *reader, const char *device);

/** Returns a descriptor for poll, epoll and event loops. It is readable when there may be an event.
 * @param reader The reader.
 * @return A descriptor that the object owns until it is freed: never close or read it; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_fd(const struct tappet_reader *reader);

/** Waits until tappet_reader_dispatch() has something to do, for programs without a loop of their own. Other threads
 * may use the object meanwhile; if one frees it, this still waits until its time is up.
 * @param reader The reader.
 * @param timeout_milliseconds How long to wait at most; -1 means without a limit.
 * @return 1 if there is something to do; 0 if the time is up or a signal handler was called; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_reader_wait(struct tappet_reader *reader, int timeout_milliseconds);

/** Takes the next event, if there is one. Does not wait.
 * @param reader The reader.
 * @param ret_event Receives the event; its size must be set.
 * @return 1 if there was an event, 0 if there is none now; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called
 *   from the object's own callback), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_reader_next(struct tappet_reader *reader, struct tappet_reader_event *ret_event);

/** Calls the callback with each event that has happened. Does not wait.
 * @param reader The reader.
 * @return The number of events; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's own
 *   callback, or no callback is set), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_reader_dispatch(struct tappet_reader *reader);

/** Makes a message the only content of the tag on the reader, or else of the next one. Does not wait: the event
 * TAPPET_READER_EVENT_WRITTEN or TAPPET_READER_EVENT_WRITE_FAILED follows, unless TAPPET_READER_EVENT_LOST comes first.
 * Writes only the parts that change, and nothing at all if the message does not fit. A tag that is taken away meanwhile
 * is empty, unchanged or complete. As long as no tag is there, another call replaces this one, and a size of 0 cancels
 * it.
 * @param reader The reader.
 * @param message An NDEF message, as made by tappet_ndef_uri_encode(); copied.
 * @param size Size of the message in bytes, at most 8192.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NDEF_TRUNCATED, TAPPET_ERROR_NDEF_STRUCTURE,
 *   TAPPET_ERROR_NDEF_CHUNKED, TAPPET_ERROR_NDEF_RECORD, TAPPET_ERROR_NDEF_COUNT, TAPPET_ERROR_STATE (not open, or a
 *   tag is being written), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_write(struct tappet_reader *reader, const uint8_t *message, size_t size);

/** Ends the tappet-reader process. Does nothing if the reader is closed. Blocks for at most 1 s.
 * @param reader The reader.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's own callback),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_close(struct tappet_reader *reader);

/** Reports why the last call that failed did so.
 * @param reader The reader.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_last_error(const struct tappet_reader *reader, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup panel Panel
 * Buttons and outputs (lights, relays) on GPIO lines, through the kernel's character devices. Lines are independent:
 * one that is missing, busy or lost does not stop the others. (A kiosk drives the panel of its configuration file by
 * itself, with interlocks and limits: see tappet_kiosk_request_output().)
 * @{ */

/** A panel of buttons and outputs. */
struct tappet_panel;

/** Bias of an input: what holds its level while nobody presses the button. */
enum tappet_panel_bias {
  TAPPET_PANEL_BIAS_AS_IS = 0,    /**< Left as the kernel has it. */
  TAPPET_PANEL_BIAS_DISABLED = 1, /**< No resistor holds the level. */
  TAPPET_PANEL_BIAS_PULL_UP = 2,  /**< A resistor to the supply. */
  TAPPET_PANEL_BIAS_PULL_DOWN = 3 /**< A resistor to ground. */
};

/** Levels to which an output drives its line. */
enum tappet_panel_drive {
  TAPPET_PANEL_DRIVE_PUSH_PULL = 0,  /**< Drives it high and low. */
  TAPPET_PANEL_DRIVE_OPEN_DRAIN = 1, /**< Drives it low only. */
  TAPPET_PANEL_DRIVE_OPEN_SOURCE = 2 /**< Drives it high only. */
};

/** A GPIO line and how to request it. It is found by its name; without a name by its pin; without both by chip and
 * offset. */
struct tappet_panel_line {
  size_t size;                   /**< sizeof(struct tappet_panel_line), set by the caller. */
  const char *name;              /**< Name of the line, such as "GPIO17"; at most 64 bytes; NULL means that the line is
                                      found by its pin, or by chip and offset. */
  const char *chip;              /**< Label or path of the offset's chip; NULL if there is a name or a pin. */
  uint32_t offset;               /**< Offset of the line on its chip. */
  int pin;                       /**< Pin of the board's header, from 1, which needs a profile; 0 means none. */
  bool is_output;                /**< Whether the line is an output: a light or a relay; otherwise it is a button. */
  bool is_active_low;            /**< Whether a low level means on or pressed; otherwise a high level does. */
  enum tappet_panel_bias bias;   /**< Bias of a button's line. */
  enum tappet_panel_drive drive; /**< Drive of an output's line. */
  int64_t debounce_milliseconds; /**< How long a button's level must be steady, where the kernel can
                                      debounce; 0 to 60000. */
};

/** A line as the kernel describes it. Everything it points to belongs to the panel and is valid until the next call of
 * tappet_panel_get_line_info() with it. */
struct tappet_panel_line_info {
  size_t size;          /**< sizeof(struct tappet_panel_line_info), set by the caller. */
  const char *chip;     /**< Path of the chip, such as "/dev/gpiochip0". */
  const char *label;    /**< Label of the chip, such as "pinctrl-bcm2835". */
  const char *name;     /**< Name of the line, such as "GPIO17"; NULL if it has none. */
  const char *consumer; /**< Name that its user gave the kernel: "tappet" for a panel's own line; NULL if there is
                             none. */
  uint32_t offset;      /**< Offset of the line on its chip. */
  bool is_used;         /**< Whether the line is in use, by this panel or another program. */
  uint8_t reserved[3];  /**< 0. */
};

/** Types of events on a panel. */
enum tappet_panel_event_type {
  TAPPET_PANEL_EVENT_OPENED = 1,  /**< The line is in use; is_active tells whether a button is pressed now. */
  TAPPET_PANEL_EVENT_CHANGED = 2, /**< A button's level changed, or is reported again because edges were lost. */
  TAPPET_PANEL_EVENT_FAILED = 3   /**< The line is unavailable or was lost; sentence says why; see
                                       tappet_panel_retry(). */
};

/** An event on a panel. It and everything it points to are valid only during the callback. */
struct tappet_panel_event {
  size_t size;                  /**< sizeof(struct tappet_panel_event), as the library was built. */
  enum tappet_panel_event_type type; /**< Type of the event; later versions may add some. */
  int line;                     /**< Number of the line, as returned by tappet_panel_add_line(). */
  bool is_active;               /**< OPENED, CHANGED: whether the button is pressed. */
  bool is_debounced;            /**< OPENED: whether the kernel debounces; otherwise every edge is reported. */
  int64_t boottime_nanoseconds; /**< CHANGED: when the kernel saw it, by CLOCK_BOOTTIME; otherwise 0. */
  const char *sentence;         /**< FAILED: a sentence for a person; otherwise NULL. */
};

/** Receives an event on a panel.
 * @param context The pointer that was given with the callback.
 * @param event The event. */
typedef void (*tappet_panel_event_callback)(void *context, const struct tappet_panel_event *event);

/** Creates a panel without lines.
 * @param ret_panel Receives the panel; the caller frees it with tappet_panel_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_panel_new(struct tappet_panel **ret_panel);

/** Turns the outputs off, releases the lines and frees the panel.
 * @param panel The panel; may be NULL. */
void tappet_panel_free(struct tappet_panel *panel);

/** Selects the board's profile, so that lines can be found by their pins.
 * @param panel The panel; not open.
 * @param profile Name of one of Tappet's profiles, such as "raspberry-pi", or path of a profile of your own.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (there is no such profile,
 *   or it has mistakes), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_set_profile(struct tappet_panel *panel, const char *profile);

/** Adds a line to the panel.
 * @param panel The panel; not open.
 * @param line The line; its size must be set. Copied.
 * @return The line's number, from 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_LIMIT (64
 *   lines), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_add_line(struct tappet_panel *panel, const struct tappet_panel_line *line);

/** Sets the callback for events, in place of the previous one.
 * @param panel The panel.
 * @param callback Called inside tappet_panel_dispatch(); NULL means none.
 * @param context Passed to the callback; the caller keeps it until another one is set or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_set_event_callback(
    struct tappet_panel *panel, tappet_panel_event_callback callback, void *context);

/** Requests every line, with the outputs off. Each line reports TAPPET_PANEL_EVENT_OPENED or TAPPET_PANEL_EVENT_FAILED
 * in tappet_panel_dispatch().
 * @param panel The panel.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (open already, or no lines), TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_open(struct tappet_panel *panel);

/** Retries the failed lines that may recover by themselves. Each one reports as in tappet_panel_open(). When a chip is
 * plugged in, its lines are retried at once without this call.
 * @param panel The panel.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_retry(struct tappet_panel *panel);

/** Turns an output on or off, and ends its pulse. An output that is lost shows its state when it comes back.
 * @param panel The panel.
 * @param line The number of a line that is an output.
 * @param is_on Whether it is on.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_set(struct tappet_panel *panel, int line, bool is_on);

/** Turns an output on for a time, which begins now, even if it is on. tappet_panel_dispatch() ends the pulse: until the
 * caller dispatches again, and if the process hangs, the output stays on.
 * @param panel The panel.
 * @param line The number of a line that is an output.
 * @param length_milliseconds How long it stays on: 1 to 86400000.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_pulse(struct tappet_panel *panel, int line, int64_t length_milliseconds);

/** Retrieves whether a button was pressed, or an output on, when the last event of its line was dispatched.
 * @param panel The panel.
 * @param line The number of the line.
 * @param ret_is_active Receives whether the button is pressed, or the output was turned on.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open, or the line is unavailable),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_get(const struct tappet_panel *panel, int line, bool *ret_is_active);

/** Retrieves where a line was found, and who uses it: the caller's panel, or another program if it is busy.
 * @param panel The panel.
 * @param line The number of the line.
 * @param ret_info Receives the information; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open, the line was not found, or its chip is
 *   gone), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_get_line_info(struct tappet_panel *panel, int line, struct tappet_panel_line_info *ret_info);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_panel_dispatch() has something to
 * do.
 * @param panel The panel.
 * @return A descriptor that the object owns until it is freed: never close or read it; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_fd(const struct tappet_panel *panel);

/** Waits until tappet_panel_dispatch() has something to do, for programs without a loop of their own. Other threads may
 * use the object meanwhile; if one frees it, this still waits until its time is up.
 * @param panel The panel.
 * @param timeout_milliseconds How long to wait at most; -1 means without a limit.
 * @return 1 if there is something to do; 0 if the time is up or a signal handler was called; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_panel_wait(struct tappet_panel *panel, int timeout_milliseconds);

/** Calls the callback with each event that has happened. Does not wait.
 * @param panel The panel.
 * @return The number of callbacks called; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's
 *   own callback), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_dispatch(struct tappet_panel *panel);

/** Reports why the last call that failed did so, or why a line failed last.
 * @param panel The panel.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_last_error(const struct tappet_panel *panel, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup kiosk Kiosk
 * The whole kiosk, as `tappet run` runs it: taps become messages, accepted taps survive a power cut, and everything
 * recovers by itself. Set it up from a configuration file or with calls and start it; then either give it a thread with
 * tappet_kiosk_run(), or add tappet_kiosk_fd() to an event loop.
 * @{ */

/** A kiosk: a reader, a panel, a broker connection and an outbox that survives power cuts. */
struct tappet_kiosk;

/** Handling of a tap while the broker is unreachable. */
enum tappet_kiosk_offline {
  TAPPET_KIOSK_OFFLINE_DEFAULT = 0, /**< DROP for a message with a timestamp token, otherwise QUEUE. */
  TAPPET_KIOSK_OFFLINE_QUEUE = 1,   /**< Keep the tap until the broker is back, or until it expires. */
  TAPPET_KIOSK_OFFLINE_DROP = 2     /**< Refuse the tap unless its message can be sent now. */
};

/** An action: the message that a tap or a press publishes, and its rules. */
struct tappet_kiosk_action {
  size_t size;                   /**< sizeof(struct tappet_kiosk_action), set by the caller. */
  int64_t index;                 /**< The idx on the action's tags; -1: as in kiosk.yaml without `index`. */
  const char *name;              /**< Unique name, to which secrets belong; 1 to 64 bytes on one line. */
  const char *title;             /**< Title for people; at most 128 bytes on one line; NULL means the name. */
  const char *topic;             /**< Topic without wildcards that does not begin with '$'; at most 65535 bytes. It may
                                      have "%{uid}" and the like, as kiosk.yaml's. */
  const char *message;           /**< Message of at most 64 KiB, in which the first "%T" becomes a timestamp token, and
                                      the first "%I" a unique id, and "%{uid}" and the like facts about the tap. */
  enum tappet_kiosk_offline offline; /**< Handling of taps while offline. */
  bool is_retained;              /**< Whether MQTT's retain flag is set. */
  bool unlocks_panel;            /**< Whether a tag of this action unlocks the buttons. */
  int64_t expires_milliseconds;  /**< How long after the tap the message may still be sent; 0 means 10 s with "%T", and
                                      24 h without. */
  int64_t cooldown_milliseconds; /**< How long the same tag is ignored after a tap; 0 means 2 s, -1 not at all. */
  int64_t confirm_milliseconds;  /**< How long the person has to confirm, at most 60000; 0 means no confirmation. */
};

/** Types of events in a kiosk. */
enum tappet_kiosk_event_type {
  TAPPET_KIOSK_EVENT_LIGHT = 1,               /**< People in front of the kiosk are to be shown a light. */
  TAPPET_KIOSK_EVENT_REFUSED = 2,             /**< A tap or press was refused; sentence says why. */
  TAPPET_KIOSK_EVENT_IGNORED = 3,             /**< A tap was ignored: the tag is still there, or came back too soon. */
  TAPPET_KIOSK_EVENT_ACCEPTED = 4,            /**< A tap or press is on the disk: a power cut will not undo it. */
  TAPPET_KIOSK_EVENT_QUEUED = 5,              /**< An accepted entry waits; sentence says what for. */
  TAPPET_KIOSK_EVENT_DELIVERED = 6,           /**< The broker has acknowledged an entry; sentence says if nobody
                                                   subscribes to its topic, which MQTT 5 tells. */
  TAPPET_KIOSK_EVENT_EXPIRED = 7,             /**< An entry waited too long and will not be sent. */
  TAPPET_KIOSK_EVENT_UNDELIVERABLE = 8,       /**< The broker will never accept an entry. */
  TAPPET_KIOSK_EVENT_READER_READY = 9,        /**< The reader looks for tags. */
  TAPPET_KIOSK_EVENT_READER_LOST = 10,        /**< The reader failed, and is restarted until it works. */
  TAPPET_KIOSK_EVENT_BROKER_CONNECTED = 11,   /**< The broker accepted the connection. */
  TAPPET_KIOSK_EVENT_BROKER_UNREACHABLE = 12, /**< An attempt to connect failed; the kiosk tries again. */
  TAPPET_KIOSK_EVENT_BROKER_LOST = 13,        /**< The connection broke; the kiosk connects again. */
  TAPPET_KIOSK_EVENT_BROKER_STORM = 14,       /**< Connections keep breaking soon; the kiosk pauses for a minute. */
  TAPPET_KIOSK_EVENT_BROKER_DISCONNECTED = 15, /**< The kiosk ended the connection itself. */
  TAPPET_KIOSK_EVENT_CLOCK_GOOD = 16,         /**< The clock is good; messages with a timestamp are sent again. */
  TAPPET_KIOSK_EVENT_CLOCK_UNKNOWN = 17,      /**< The clock is not synchronised; messages with a timestamp wait. */
  TAPPET_KIOSK_EVENT_DISK_TROUBLE = 18,       /**< The disk does not store taps, so they are refused. */
  TAPPET_KIOSK_EVENT_DISK_GOOD = 19,          /**< The disk stores taps again. */
  TAPPET_KIOSK_EVENT_OUTBOX_RESTORED = 20,    /**< Entries from before the start are waiting. */
  TAPPET_KIOSK_EVENT_STOPPING = 21,           /**< The kiosk received tappet_kiosk_stop(). */
  TAPPET_KIOSK_EVENT_PANEL_LOST = 22,         /**< A part of the panel cannot be used; sentence says which and why. */
  TAPPET_KIOSK_EVENT_PANEL_GOOD = 23,         /**< The part of the panel can be used again. */
  TAPPET_KIOSK_EVENT_BUTTON_STUCK = 24,       /**< A button is pressed all the time. */
  TAPPET_KIOSK_EVENT_BUTTON_CHATTERING = 25,  /**< A button's contact keeps bouncing. */
  TAPPET_KIOSK_EVENT_BUTTON_GOOD = 26,        /**< The button can be used again. */
  TAPPET_KIOSK_EVENT_PANEL_LOCKED = 27,       /**< The buttons do nothing until they are unlocked. */
  TAPPET_KIOSK_EVENT_PANEL_UNLOCKED = 28,     /**< The buttons work. */
  TAPPET_KIOSK_EVENT_CODE_REFUSED = 29,       /**< A wrong button code was entered. */
  TAPPET_KIOSK_EVENT_CONFIRMING = 30,         /**< The person is asked to confirm. */
  TAPPET_KIOSK_EVENT_CONFIRMATION_ENDED = 31, /**< The person did not confirm; nothing is done. */
  TAPPET_KIOSK_EVENT_CERTIFICATE_EXPIRING = 32, /**< A certificate expires soon, or has expired; sentence says when. */
  TAPPET_KIOSK_EVENT_CERTIFICATES_GOOD = 33,  /**< All certificates have time left again. */
  TAPPET_KIOSK_EVENT_REFUSED_MORE = 34,       /**< Within a minute more taps were refused or ignored than are reported
                                                   one by one; sentence says how many. */
  TAPPET_KIOSK_EVENT_BROKER_FALLBACK = 35,    /**< The broker does not take MQTT 5: 3.1.1 is used for days. */
  TAPPET_KIOSK_EVENT_TAG_WRITTEN = 36,        /**< The tag that tappet_kiosk_write_tag() asked for is written, and its
                                                   secret is stored. */
  TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN = 37,    /**< The tag was not written; sentence says why. */
  TAPPET_KIOSK_EVENT_PERFORMED = 38,          /**< An action without a message did all that it does. */
  TAPPET_KIOSK_EVENT_OUTPUT_CHANGED = 39,     /**< An output was turned on or off; sentence says why. */
  TAPPET_KIOSK_EVENT_OUTPUT_WAITING = 40,     /**< An output waits for the dead time of its group. */
  TAPPET_KIOSK_EVENT_OUTPUT_REFUSED = 41,     /**< A request to an output had no effect; sentence says why. */
  TAPPET_KIOSK_EVENT_COMMAND_ACCEPTED = 42,   /**< A command passed all checks. */
  TAPPET_KIOSK_EVENT_COMMAND_REFUSED = 43,    /**< A command did nothing; sentence says why. */
  TAPPET_KIOSK_EVENT_COMMANDS_REFUSED_MORE = 44, /**< Within a minute more commands were refused than are reported one
                                                   by one; sentence says how many. */
  TAPPET_KIOSK_EVENT_COMMAND_DONE = 45,       /**< The output of an accepted command has switched, or the broker has
                                                   its action's message. */
  TAPPET_KIOSK_EVENT_COMMANDS_READY = 46,     /**< The broker delivers the commands of a topic. */
  TAPPET_KIOSK_EVENT_COMMANDS_DENIED = 47,    /**< The broker does not let the kiosk read a topic with commands. */
  TAPPET_KIOSK_EVENT_INVENTORY = 48           /**< A tap or a scan showed a thing of the inventory, moved it, or checked
                                                   it out or in, which is on the disk; or a person's tag came first. */
};

/** Lights: the states and moments that a kiosk shows to people. Values below 20 are states, shown as long as they last;
 * values from 20 are moments, shown briefly. Of several states, the first of these is shown: CONFIRMING, FAULT,
 * READER_LOST, WRITING, OFFLINE, CLOCK_UNKNOWN, STARTING, CERTIFICATE_EXPIRING, LOCKED, READY. */
enum tappet_kiosk_light {
  TAPPET_KIOSK_LIGHT_STARTING = 1,             /**< State: not everything is up yet. */
  TAPPET_KIOSK_LIGHT_READY = 2,                /**< State: everything is up. */
  TAPPET_KIOSK_LIGHT_OFFLINE = 3,              /**< State: there is no connection to the broker. */
  TAPPET_KIOSK_LIGHT_READER_LOST = 4,          /**< State: the reader does not work. */
  TAPPET_KIOSK_LIGHT_CLOCK_UNKNOWN = 5,        /**< State: the clock is not synchronised. */
  TAPPET_KIOSK_LIGHT_FAULT = 6,                /**< State: the disk does not store taps. */
  TAPPET_KIOSK_LIGHT_LOCKED = 7,               /**< State: the buttons are locked. */
  TAPPET_KIOSK_LIGHT_CONFIRMING = 8,           /**< State: the person is asked to confirm. */
  TAPPET_KIOSK_LIGHT_CERTIFICATE_EXPIRING = 9, /**< State: a certificate expires soon; taps work. */
  TAPPET_KIOSK_LIGHT_WRITING = 10,             /**< State: the next tag will be written, and is not a tap. */
  TAPPET_KIOSK_LIGHT_READING = 20,             /**< Moment: a tag is being read; hold it there. */
  TAPPET_KIOSK_LIGHT_ACCEPTED = 21,            /**< Moment: the tap or press was accepted. */
  TAPPET_KIOSK_LIGHT_DELIVERED_BY_TAG = 22,    /**< Moment: the broker has the message of a tap. */
  TAPPET_KIOSK_LIGHT_DELIVERED_BY_BUTTON = 23, /**< Moment: the broker has the message of a press. */
  TAPPET_KIOSK_LIGHT_QUEUED = 24,              /**< Moment: the message waits. */
  TAPPET_KIOSK_LIGHT_REFUSED = 25,             /**< Moment: the tap or press was refused. */
  TAPPET_KIOSK_LIGHT_EXPIRED = 26              /**< Moment: the message waited too long. */
};

/** Triggers of events. */
enum tappet_kiosk_trigger {
  TAPPET_KIOSK_TRIGGER_NONE = 0,   /**< None of these. */
  TAPPET_KIOSK_TRIGGER_TAG = 1,    /**< A person tapped a tag, or scanned a code of the inventory. */
  TAPPET_KIOSK_TRIGGER_BUTTON = 2, /**< A person pressed a button. */
  TAPPET_KIOSK_TRIGGER_COMMAND = 3, /**< A command came from the broker. */
  TAPPET_KIOSK_TRIGGER_INVENTORY = 4 /**< The inventory changed. */
};

/** An event in a kiosk. It and everything it points to are valid only during the callback. */
struct tappet_kiosk_event {
  size_t size;                /**< sizeof(struct tappet_kiosk_event), as the library was built. */
  enum tappet_kiosk_event_type type; /**< Type of the event; later versions may add some. */
  enum tappet_kiosk_trigger trigger; /**< REFUSED to UNDELIVERABLE, PANEL_UNLOCKED, CODE_REFUSED, CONFIRMING, PERFORMED
                                   to COMMAND_DONE, INVENTORY: what caused it; otherwise NONE. */
  enum tappet_kiosk_light light; /**< LIGHT: the light; otherwise 0. */
  enum tappet_log_priority priority; /**< Urgency of the event. */
  const char *name;           /**< Name of the event, such as "tap-refused"; LIGHT: name of the light. */
  const char *sentence;       /**< One sentence for a person; LIGHT: empty. */
  const char *action;         /**< Name of the action; NULL if the event does not concern one. */
  const char *topic;          /**< ACCEPTED to UNDELIVERABLE: topic of the message; COMMAND_ACCEPTED to
                                   COMMANDS_DENIED, and OUTPUT_CHANGED to OUTPUT_REFUSED by a command for the output:
                                   topic of the commands; otherwise NULL. */
  const char *id;             /**< ACCEPTED to UNDELIVERABLE: the entry's unique id, 32 digits, as in "%I"; TAG_WRITTEN:
                                   the id of the tag's secret, for `tappet secret`; otherwise NULL. */
  const uint8_t *uid;         /**< REFUSED, IGNORED, ACCEPTED, TAG_WRITTEN, PERFORMED, INVENTORY: identifier of the tag;
                                   NULL in other events, and if there was no tag. */
  size_t uid_size;            /**< Size of the identifier in bytes. */
  int64_t after_milliseconds; /**< DELIVERED: time since the tap; -1 in all other events, and if the tap was accepted
                                   before the start. */
  const char *output;         /**< OUTPUT_CHANGED to OUTPUT_REFUSED: name of the output; COMMAND_ACCEPTED,
                                   COMMAND_REFUSED, COMMAND_DONE: the same, if the command is for one; otherwise
                                   NULL. */
  bool is_on;                 /**< OUTPUT_CHANGED: whether the output is on. */
  uint8_t reserved[7];        /**< 0. */
  const char *tag;            /**< REFUSED to UNDELIVERABLE, PERFORMED: label of the tag's secret; NULL if it has none,
                                   if the tag is not genuine, and if it was accepted before the start. */
  const char *person;         /**< The same: name of the person whose tag it is. */
  const char *code;           /**< REFUSED, IGNORED, QUEUED: the reason for programs, such as "outside-hours"; otherwise
                                   NULL. */
  const char *thing;          /**< INVENTORY: id of the thing, for tappet_inventory_get(); name says what was done,
                                   such as "inventory-moved". NULL in other events, and if a person's tag came first. */
};

/** Receives an event in a kiosk.
 * @param context The pointer that was given with the callback.
 * @param event The event. */
typedef void (*tappet_kiosk_event_callback)(void *context, const struct tappet_kiosk_event *event);

/** Numbers of taps and presses by outcome, since the start. */
struct tappet_kiosk_counters {
  size_t size;            /**< sizeof(struct tappet_kiosk_counters), set by the caller. */
  uint64_t accepted;      /**< Number stored on the disk. */
  uint64_t delivered;     /**< Number acknowledged by the broker. */
  uint64_t refused;       /**< Number refused, whatever the reason. */
  uint64_t ignored;       /**< Number ignored, because the tag was held there or in its cooldown. */
  uint64_t expired;       /**< Number accepted, but not delivered in time. */
  uint64_t undeliverable; /**< Number accepted, but refused by the broker for good. */
  uint64_t waiting;       /**< Number in the outbox now. */
};

/** Largest name of an output in bytes, without the NUL. */
#define TAPPET_KIOSK_OUTPUT_SIZE_MAX 63

/** Requests to an output. */
enum tappet_kiosk_request {
  TAPPET_KIOSK_REQUEST_ON = 1,    /**< Turn it on. */
  TAPPET_KIOSK_REQUEST_OFF = 2,   /**< Turn it off. */
  TAPPET_KIOSK_REQUEST_PULSE = 3, /**< Take it from its safe level for the time of its `pulse`. */
  TAPPET_KIOSK_REQUEST_TOGGLE = 4 /**< Give it the other level. */
};

/** An output of a kiosk's panel. */
struct tappet_kiosk_output {
  size_t size;        /**< sizeof(struct tappet_kiosk_output), set by the caller. */
  char name[TAPPET_KIOSK_OUTPUT_SIZE_MAX + 1]; /**< Its name in the configuration, with a NUL. */
  bool is_on;         /**< Whether it is on. */
  bool is_available;  /**< Whether its line is there. */
  uint8_t reserved[6]; /**< Set to 0. */
};

/** A person, as tappet_kiosk_list_people() reports one. It and everything it points to are valid only during the
 * callback. */
struct tappet_kiosk_person {
  size_t size;                  /**< sizeof(struct tappet_kiosk_person), as the library was built. */
  const char *name;             /**< Name of the person, which nobody else has. */
  size_t tag_count;             /**< Number of the person's tags. */
  int64_t created_unix_seconds; /**< When the person was added, in seconds since 1970. */
  bool is_suspended;            /**< Whether all of the person's tags are refused. */
  uint8_t reserved[7];          /**< 0. */
};

/** Receives a person.
 * @param context The pointer that was given with the request.
 * @param person The person. */
typedef void (*tappet_kiosk_person_callback)(void *context, const struct tappet_kiosk_person *person);

/** Receives the result of a request about people or learned tags. Called exactly once for each request that was
 * accepted, inside tappet_kiosk_dispatch() and tappet_kiosk_run(), but not after the object was freed.
 * @param context The pointer that was given with the request.
 * @param result 0, or of tappet_kiosk_list_people() the number of people; otherwise TAPPET_ERROR_ARGUMENT (the request
 *   was refused; sentence says why), TAPPET_ERROR_STORE, TAPPET_ERROR_LIMIT (too much was asked at once), or
 *   TAPPET_ERROR_STATE (the kiosk ended first; the change may have been made).
 * @param sentence A sentence for a person, valid only during the call; NULL if the result is not an error. */
typedef void (*tappet_kiosk_completion)(void *context, int result, const char *sentence);

/** Creates a kiosk with nothing configured.
 * @param ret_kiosk Receives the kiosk; the caller frees it with tappet_kiosk_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_kiosk_new(struct tappet_kiosk **ret_kiosk);

/** Ends the kiosk at once and frees it. Accepted entries stay on the disk for the next start. Blocks for at most 3 s,
 * or longer if the disk hangs.
 * @param kiosk The kiosk; may be NULL. */
void tappet_kiosk_free(struct tappet_kiosk *kiosk);

/** Loads the whole configuration from a file, in place of what was set before. Added secrets stay.
 * @param kiosk The kiosk; not started.
 * @param path Path of the file; relative paths in it start from its folder.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (tappet_kiosk_last_error()
 *   has a line for each mistake), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_load(struct tappet_kiosk *kiosk, const char *path);

/** Loads the whole configuration from memory, in place of what was set before: all that a kiosk.yaml can say, its panel
 * too, without a file. Added secrets stay.
 * @param kiosk The kiosk; not started.
 * @param yaml The text of a kiosk.yaml; copied.
 * @param size Size of the text in bytes.
 * @param folder Absolute path of the folder from which relative paths in the text start.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (tappet_kiosk_last_error()
 *   has a line for each mistake), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_load_text(struct tappet_kiosk *kiosk, const char *yaml, size_t size, const char *folder);

/** Sets the broker to connect to.
 * @param kiosk The kiosk; not started.
 * @param options The broker and the credentials; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also for MQTT 5 without TLS), TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_broker(struct tappet_kiosk *kiosk, const struct tappet_broker_options *options);

/** Sets the folder of the database, in place of /var/lib/tappet. If it does not exist, it is created with mode 0700.
 * @param kiosk The kiosk; not started.
 * @param path Path of the folder; at most 99 bytes, because the control socket is in it.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_state_folder(struct tappet_kiosk *kiosk, const char *path);

/** Sets the key that seals timestamp tokens ("%T").
 * @param kiosk The kiosk; not started.
 * @param key The key; copied, and wiped with the kiosk.
 * @param key_size Size of the key in bytes: 16, 24 or 32.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_timestamp_key(struct tappet_kiosk *kiosk, const uint8_t *key, size_t key_size);

/** Sets the NFC reader to use.
 * @param kiosk The kiosk; not started.
 * @param device libnfc's connection string; at most 1023 bytes. NULL means the first reader that libnfc finds, "none"
 *   that there is no reader: tappet-reader is not started, and buttons and commands work.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_reader_device(struct tappet_kiosk *kiosk, const char *device);

/** Sets whether timestamps are sealed even when the kernel reports the clock as unsynchronised; by default they are
 * not.
 * @param kiosk The kiosk; not started.
 * @param is_trusted Whether to trust the clock.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_clock_trusted(struct tappet_kiosk *kiosk, bool is_trusted);

/** Adds an action to the kiosk, which can have 256.
 * @param kiosk The kiosk; not started.
 * @param action The action; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also if another action has the same name or index), TAPPET_ERROR_STATE,
 *   TAPPET_ERROR_LIMIT, TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_action(struct tappet_kiosk *kiosk, const struct tappet_kiosk_action *action);

/** Adds a secret to those of the database, at most 1000 for each action, or as many as `max_secrets` of the
 * configuration says. It lives as long as the kiosk, and is never written to the disk.
 * @param kiosk The kiosk; not started.
 * @param action The name of the action whose tags are signed with the secret.
 * @param key The key, TAPPET_KEY_SIZE bytes; copied, and wiped with the kiosk.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_LIMIT, TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_secret(struct tappet_kiosk *kiosk, const char *action, const uint8_t *key);

/** Sets the callback for events, in place of the previous one.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); NULL means none.
 * @param context Passed to the callback; the caller keeps it until another one is set or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_event_callback(
    struct tappet_kiosk *kiosk, tappet_kiosk_event_callback callback, void *context);

/** Sets the callback for log records, in place of the previous one.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); NULL means none.
 * @param context Passed to the callback; the caller keeps it until another one is set or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_log_callback(struct tappet_kiosk *kiosk, tappet_log_callback callback, void *context);

/** Opens the database and starts the kiosk. The first events follow in tappet_kiosk_dispatch(). Blocks on the disk.
 * @param kiosk The kiosk; with a broker and at least one action.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (running already), TAPPET_ERROR_CONFIGURATION
 *   (something is missing or inconsistent), TAPPET_ERROR_STORE, TAPPET_ERROR_CONTROL, TAPPET_ERROR_SYSTEM,
 *   TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_start(struct tappet_kiosk *kiosk);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_kiosk_dispatch() has something to
 * do.
 * @param kiosk The kiosk.
 * @return A descriptor that the object owns until the kiosk has ended or is freed: never close or read it; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_fd(const struct tappet_kiosk *kiosk);

/** Waits until tappet_kiosk_dispatch() has something to do, for programs without a loop of their own. It ends early
 * when another thread presses a button of the kiosk, stops it or frees it.
 * @param kiosk The kiosk.
 * @param timeout_milliseconds How long to wait at most; -1 means without a limit.
 * @return 1 if there is something to do; 0 if the time is up or a signal handler was called; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_THREAD, TAPPET_ERROR_OBJECT or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_wait(struct tappet_kiosk *kiosk, int timeout_milliseconds);

/** Does everything that is due now. Does not wait, except for at most 2 s when the kiosk ends.
 * @param kiosk The kiosk.
 * @return 1 if the kiosk keeps running, 0 if it has ended after tappet_kiosk_stop(); otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_STATE (not running, or called from one of the object's own callbacks), TAPPET_ERROR_SYSTEM,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_dispatch(struct tappet_kiosk *kiosk);

/** Starts the kiosk unless it is running, and dispatches until it has ended. Blocks all that time.
 * @param kiosk The kiosk.
 * @return 0 if the kiosk has ended after tappet_kiosk_stop(); otherwise an error of tappet_kiosk_start() or
 *   tappet_kiosk_dispatch(). */
int tappet_kiosk_run(struct tappet_kiosk *kiosk);

/** Presses a button of the caller's own, for example on a touch screen. It takes effect in the next
 * tappet_kiosk_dispatch(). As with any button, the panel's lock and the action's confirmation apply. Any thread may
 * call this at any time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param action The name of the action that the button triggers.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 presses are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_press(struct tappet_kiosk *kiosk, const char *action);

/** Requests something of an output of the kiosk's panel (`panel.outputs` in the configuration). It takes effect in the
 * next tappet_kiosk_dispatch(), whether or not the broker is there, and within the output's limits: `max_on`, its group
 * and the dead time. TAPPET_KIOSK_EVENT_OUTPUT_CHANGED, OUTPUT_WAITING or OUTPUT_REFUSED follows, or nothing if the
 * output has the level already. Any thread may call this at any time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param output The name of the output.
 * @param request The request.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_request_output(struct tappet_kiosk *kiosk, const char *output, enum tappet_kiosk_request request);

/** Retrieves an output of the kiosk's panel, as of the last tappet_kiosk_dispatch(). Any thread may call this at any
 * time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param position From 0, in the order of the configuration. To list the outputs, count up until 0 is returned.
 * @param ret_output Receives the output; its size must be set.
 * @return 1; 0 if there are not that many outputs; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running),
 *   TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_get_output(
    const struct tappet_kiosk *kiosk, size_t position, struct tappet_kiosk_output *ret_output);

/** Makes the tag on the reader, or else the next one, a tag of an action: makes a secret, writes the signed URL, reads
 * it back, and stores the secret, sealed, in the database. The event TAPPET_KIOSK_EVENT_TAG_WRITTEN or
 * TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN follows; until then no tag is a tap. The wait for a tag has no limit. Any thread
 * may call this at any time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param action The name of the action; NULL means that the wait is cancelled.
 * @param label A label for the secret, at most 128 bytes on one line; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_write_tag(struct tappet_kiosk *kiosk, const char *action, const char *label);

/** Lists the people of the database, in the order of their names. The callbacks follow in tappet_kiosk_dispatch(), the
 * completion last. A person who is added or removed meanwhile may be missing. Any thread may call this at any time,
 * even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param callback Called with each person; NULL means that they are only counted.
 * @param completion Called with the number of people; may be NULL.
 * @param context Passed to the callback and the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_list_people(
    struct tappet_kiosk *kiosk, tappet_kiosk_person_callback callback, tappet_kiosk_completion completion,
    void *context);

/** Adds a person, who has no tags yet. This request and those below are the same as those of `tappet person` and
 * `tappet tag`: tappet_kiosk_dispatch() passes them to the database, in the order of the calls. The audit names this
 * process. A change is in force when the completion is called. Any thread may make these requests at any time, even
 * while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param name The name, 1 to 128 bytes on one line, without space at its ends. The request is refused if somebody has
 *   it, or if it has characters that nobody sees.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_person(
    struct tappet_kiosk *kiosk, const char *name, tappet_kiosk_completion completion, void *context);

/** Gives a person another name. Their tags stay theirs.
 * @param kiosk The kiosk.
 * @param name The person's name until now.
 * @param new_name The person's name from now on, as in tappet_kiosk_add_person().
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_rename_person(
    struct tappet_kiosk *kiosk, const char *name, const char *new_name, tappet_kiosk_completion completion,
    void *context);

/** Refuses all tags of a person, until tappet_kiosk_resume_person().
 * @param kiosk The kiosk.
 * @param name The person's name.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_suspend_person(
    struct tappet_kiosk *kiosk, const char *name, tappet_kiosk_completion completion, void *context);

/** Accepts the tags of a suspended person again.
 * @param kiosk The kiosk.
 * @param name The person's name.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_resume_person(
    struct tappet_kiosk *kiosk, const char *name, tappet_kiosk_completion completion, void *context);

/** Removes a person and the secrets of their tags, for good: these tags are refused from then on. The log of taps keeps
 * the person's rows without the name.
 * @param kiosk The kiosk.
 * @param name The person's name.
 * @param forgets_taps Whether the log of taps loses the person's rows, too.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_remove_person(
    struct tappet_kiosk *kiosk, const char *name, bool forgets_taps, tappet_kiosk_completion completion, void *context);

/** Gives a tag to a person, or to nobody. A tag belongs to one person at most; a former owner loses it.
 * @param kiosk The kiosk.
 * @param secret_id The id of the tag's secret, which TAPPET_KIOSK_EVENT_TAG_WRITTEN and `tappet secret list` say, or so
 *   much of its beginning that no other has it.
 * @param name The person's name; NULL means nobody.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_assign_tag(
    struct tappet_kiosk *kiosk, const char *secret_id, const char *name, tappet_kiosk_completion completion,
    void *context);

/** Lets a tag that others wrote set off an action, by its UID. A UID can be copied by anybody and opens no doors: the
 * request is refused for an action that drives an output or unlocks the buttons, and also for a UID that the tag draws
 * by lot at each tap. A tag that is known already gets the new action and label.
 * @param kiosk The kiosk.
 * @param uid The UID, as in struct tappet_kiosk_event; copied.
 * @param uid_size Size of the UID in bytes: 4, 7 or 10.
 * @param action The name of the action.
 * @param label A label, at most 128 bytes on one line; may be NULL.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_learn_tag(
    struct tappet_kiosk *kiosk, const uint8_t *uid, size_t uid_size, const char *action, const char *label,
    tappet_kiosk_completion completion, void *context);

/** Forgets a tag that tappet_kiosk_learn_tag() or `tappet tag learn` has learned by its UID.
 * @param kiosk The kiosk.
 * @param uid The UID.
 * @param uid_size Size of the UID in bytes: 4, 7 or 10.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_forget_tag(
    struct tappet_kiosk *kiosk, const uint8_t *uid, size_t uid_size, tappet_kiosk_completion completion, void *context);

/** Asks the kiosk to end. It waits up to 3 s for the broker's outstanding acknowledgements; a second call ends it at
 * once. Any thread may call this at any time, even while another one is in tappet_kiosk_run(), but a signal handler may
 * not. The request takes effect after the presses that are waiting, and is accepted however many they are. It is never
 * lost: a kiosk that is not running ends as soon as it has been started.
 * @param kiosk The kiosk.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_stop(struct tappet_kiosk *kiosk);

/** Retrieves the numbers of taps and presses by outcome. Any thread may call this at any time, even while another one
 * is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param ret_counters Receives the numbers since this start, or of the last run; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_get_counters(const struct tappet_kiosk *kiosk, struct tappet_kiosk_counters *ret_counters);

/** Reports why the last call that failed did so.
 * @param kiosk The kiosk.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_last_error(const struct tappet_kiosk *kiosk, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup inventory Inventory
 * The contents of each box, and where it is: buildings have rooms, rooms have spots, spots have boxes, boxes have
 * items. It is the inventory of `tappet box` and `tappet find`, a database of its own in a state folder, with the same
 * rules. No kiosk is needed for it, and one may be running.
 *
 * Several objects, threads and processes may have one inventory open. Each change is one transaction, and on the disk
 * when the call returns. All calls with an open inventory block on the disk, and while others write for at most 5 s
 * more.
 * @{ */

/** Size of the text of an id in bytes, including the NUL. */
#define TAPPET_INVENTORY_ID_SIZE 37

/** An open inventory. */
struct tappet_inventory;

/** Kinds of things, from the outermost to the innermost. Each thing is in one of the kind before it. */
enum tappet_inventory_kind {
  TAPPET_INVENTORY_KIND_BUILDING = 1, /**< A building, which is in nothing else. */
  TAPPET_INVENTORY_KIND_ROOM = 2,     /**< A room of a building. */
  TAPPET_INVENTORY_KIND_SPOT = 3,     /**< A spot in a room: a shelf, a drawer, a corner. */
  TAPPET_INVENTORY_KIND_BOX = 4,      /**< A box at a spot, with a code. */
  TAPPET_INVENTORY_KIND_ITEM = 5      /**< An item in a box, with a quantity. */
};

/** Values for a thing that is added or edited. */
struct tappet_inventory_values {
  size_t size;             /**< sizeof(struct tappet_inventory_values), set by the caller. */
  const char *name;        /**< The name, of a box its label: 1 to 512 bytes on one line. Space at its ends is left out.
                                NULL means that it stays; a new thing needs one. */
  const char *code;        /**< Text of a box's QR code, which no other box has: 1 to 128 bytes on one line. NULL means
                                that it stays, and that a new box gets a code such as "B-7Q2M0ZK4XD". */
  const char *notes;       /**< An item's notes, at most 64 KiB. NULL means that they stay. */
  const int64_t *quantity; /**< Number of pieces of an item, from 0 to 1,000,000,000. NULL means that it stays, and 1
                                for a new item. */
  const int64_t *minimum;  /**< Number of pieces below which an item is low; -1 takes it away. NULL means that it stays,
                                and none for a new item. */
};

/** A building, room, spot, box or item. Its texts are owned by the library. In a callback, they are valid only during
 * the callback; otherwise they are valid until the next call with the object. */
struct tappet_inventory_entry {
  size_t size;                                 /**< sizeof(struct tappet_inventory_entry), set by the caller; in a
                                                    callback, as the library was built. */
  enum tappet_inventory_kind kind;             /**< Kind of thing. */
  char id[TAPPET_INVENTORY_ID_SIZE];           /**< Its id, a UUID in lower case, which never changes. */
  char container_id[TAPPET_INVENTORY_ID_SIZE]; /**< The id of the place that it is in; empty for a building. */
  bool is_low;                                 /**< Whether there are fewer pieces of an item than its minimum. */
  uint8_t reserved[1];                         /**< Set to 0. */
  const char *name;                            /**< Its name, of a box its label. */
  const char *location;                        /**< The names of the places that it is in, from the building on, with
                                                    " → " between them; empty for a building. */
  const char *code;                            /**< Text of a box's QR code; NULL if it is not a box. */
  const char *notes;                           /**< An item's notes; NULL if it is not an item. */
  const char *photo;                           /**< Path of an item's photo; NULL if there is none. */
  int64_t quantity;                            /**< Number of pieces of an item; 0 if it is not an item. */
  int64_t minimum;                             /**< Number of pieces below which an item is low; -1 if there is none. */
  int64_t created_unix_milliseconds;           /**< When it was added, in milliseconds since 1970. */
  const char *holder;                          /**< Name of the person who has the item; NULL if it is in its place. */
};

/** Receives a thing of a list. The list was read before the first call, so that changes do not disturb it.
 * @param context The pointer that was given with the callback.
 * @param entry The thing. */
typedef void (*tappet_inventory_callback)(void *context, const struct tappet_inventory_entry *entry);

/** Creates an inventory that is not open yet.
 * @param ret_inventory Receives the inventory; the caller frees it with tappet_inventory_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT or TAPPET_ERROR_LIMIT. */
int tappet_inventory_new(struct tappet_inventory **ret_inventory);

/** Closes and frees an inventory.
 * @param inventory The inventory; NULL and freed ones are ignored. */
void tappet_inventory_free(struct tappet_inventory *inventory);

/** Opens the inventory of a state folder; makes the folder and the database if they are absent.
 * @param inventory The inventory.
 * @param path Path of the state folder, the same as in the configuration of the tools; at most 4095 bytes.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (open already), TAPPET_ERROR_STORE,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_open(struct tappet_inventory *inventory, const char *path);

/** Adds a thing.
 * @param inventory The inventory.
 * @param kind Kind of the thing.
 * @param container_id The id of the place that it comes into; may be NULL, which is right for buildings only.
 * @param values Its values; the name is required.
 * @param by Name of the person who adds it, 1 to 128 bytes on one line.
 * @param ret_entry Receives the thing; its size must be set. May be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (refused; tappet_inventory_last_error() says why: an unknown id, an empty
 *   name, a code that another box has), TAPPET_ERROR_STATE (not open), TAPPET_ERROR_STORE (with ret_entry, the change
 *   may have been made), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_add(
    struct tappet_inventory *inventory, enum tappet_inventory_kind kind, const char *container_id,
    const struct tappet_inventory_values *values, const char *by, struct tappet_inventory_entry *ret_entry);

/** Gives a thing other values. Values that it has already are refused.
 * @param inventory The inventory.
 * @param id The id of the thing.
 * @param values The values that change.
 * @param by Name of the person who changes it, as in tappet_inventory_add().
 * @param ret_entry Receives the thing as it is now; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_edit(
    struct tappet_inventory *inventory, const char *id, const struct tappet_inventory_values *values, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Moves a thing, with everything in it, to another place; `tappet inventory moves` lists it. The place where it is
 * already is refused.
 * @param inventory The inventory.
 * @param id The id of the thing.
 * @param container_id The id of the place that it comes into.
 * @param by Name of the person who moves it, as in tappet_inventory_add().
 * @param ret_entry Receives the thing as it is now; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_move(
    struct tappet_inventory *inventory, const char *id, const char *container_id, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Removes a thing with everything in it.
 * @param inventory The inventory.
 * @param id The id of the thing.
 * @param by Name of the person who removes it, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_remove(struct tappet_inventory *inventory, const char *id, const char *by);

/** Takes back the last change that was not taken back yet, whoever made it, an import too. The last 50 are kept.
 * @param inventory The inventory.
 * @param by Name of the person who takes it back, as in tappet_inventory_add().
 * @return 1; 0 if there is no change that can be taken back; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_undo(struct tappet_inventory *inventory, const char *by);

/** Retrieves a thing by its id.
 * @param inventory The inventory.
 * @param id The id.
 * @param ret_entry Receives the thing; its size must be set.
 * @return 1; 0 if there is no such thing; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open),
 *   TAPPET_ERROR_STORE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_get(
    struct tappet_inventory *inventory, const char *id, struct tappet_inventory_entry *ret_entry);

/** Retrieves the box whose QR code has exactly this text.
 * @param inventory The inventory.
 * @param code Text of the code, as a scanner reads it.
 * @param ret_entry Receives the box; its size must be set.
 * @return 1; 0 if no box has this code; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_get_by_code(
    struct tappet_inventory *inventory, const char *code, struct tappet_inventory_entry *ret_entry);

/** Finds things by their words, as `tappet find` does: those that have each word of the text, as the beginning of a
 * word, in their name or notes, and boxes whose code begins with the text. Case and accents do not matter. Boxes by
 * their code come first, then other places, then items, newest first.
 * @param inventory The inventory.
 * @param text The words, at most 64 KiB.
 * @param limit Maximum number of things to find.
 * @param callback Called with each thing, inside this call; NULL means that they are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of things; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_find(
    struct tappet_inventory *inventory, const char *text, size_t limit, tappet_inventory_callback callback,
    void *context);

/** Lists what is directly in a place, oldest first.
 * @param inventory The inventory.
 * @param container_id The id of the place; NULL means the buildings.
 * @param callback Called with each thing, inside this call; NULL means that they are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of things; otherwise the errors of tappet_inventory_get(), TAPPET_ERROR_ARGUMENT also for an
 *   unknown id. */
int tappet_inventory_list(
    struct tappet_inventory *inventory, const char *container_id, tappet_inventory_callback callback, void *context);

/** Lists the items of which there are fewer pieces than their minimum, newest first, however many they are.
 * @param inventory The inventory.
 * @param callback Called with each item, inside this call; NULL means that they are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of items; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_list_low(
    struct tappet_inventory *inventory, tappet_inventory_callback callback, void *context);

/** Reports why the last call that failed did so.
 * @param inventory The inventory.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_last_error(const struct tappet_inventory *inventory, struct tappet_failure *ret_failure);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
