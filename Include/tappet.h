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
 * stored through the last parameters, whose names start with ret_; on failure, they are left unchanged. NULL is
 * rejected with TAPPET_ERROR_ARGUMENT unless the parameter's description allows it. Calls may change errno.
 *
 * @par Memory
 * Arguments are copied or used only during the call, except callbacks and their contexts. Text is UTF-8. To determine
 * the required size of a buffer, pass NULL and a size of 0: the function writes nothing and returns that size. For
 * text, provide one more byte for the terminating NUL.
 *
 * If there is no memory for a payload, topic, filter or message, the call fails with TAPPET_ERROR_MEMORY. Apart from
 * these, the library needs a few hundred kilobytes at a time: a process with less than 1 MiB left may be terminated by
 * a signal.
 *
 * @par Structures
 * Before each call, the caller sets a structure's first member, size, to sizeof the structure. Programs built with an
 * older header therefore keep working. A library older than the program's header neither reads nor writes the members
 * that it does not know, whatever their values; tappet_version() returns its version. Members named reserved must be 0.
 * In structures that are passed to callbacks, the library sets the size.
 *
 * @par Objects
 * Pointers to objects are handles; never dereference them. A call with an object that was freed or never existed
 * returns TAPPET_ERROR_OBJECT. Free each object once, with its _free function, which ignores NULL and freed objects. A
 * process can have at most 1023 objects at a time; beyond that, the functions that create objects return
 * TAPPET_ERROR_LIMIT.
 *
 * @par Threads
 * Functions without an object are safe on any thread at any time. An object may be used from any thread, but only from
 * one at a time: a call made while another thread is inside a call with the same object returns TAPPET_ERROR_THREAD,
 * unless the function's description allows calls from any thread. Callbacks run only inside _dispatch and _run, or, for
 * an inventory, inside the call that they were passed to, and on the thread that made this call. Callbacks may call any
 * function, even with the same object, and may free the object. They must return normally: neither a C++ exception nor
 * a longjmp may leave a callback. If one thread frees an object while another is inside a call with it, the object is
 * destroyed when that call returns.
 *
 * The library starts its own threads, with all signals blocked: "tappet-link" for each connection to a broker, from the
 * first connect until the object is freed, and "tappet-store" for each running kiosk. A reader, and therefore a kiosk,
 * has a child process, tappet-reader; a kiosk with webhooks has a second one, tappet-webhook, while it calls web
 * servers. The library waits for these processes itself: wait for your own children by process id only.
 *
 * @par Signals
 * libmosquitto sets SIGPIPE to be ignored when a connection starts, and the library restores it immediately. During
 * these microseconds, a SIGPIPE for another thread is lost, and the write of that thread fails with EPIPE. The
 * library's own writes cause no SIGPIPE.
 *
 * @par Fork
 * In the child of a fork, calls with the parent's objects return TAPPET_ERROR_FORK, and _free only invalidates the
 * handle. The functions of the sections errors and values work, except with a token receiver of the parent. Until an
 * exec, the child must not call any other function: a thread that exists only in the parent may hold a lock. Do not
 * fork while another thread is inside a call. An exec closes the library's descriptors, except the pair of sockets that
 * libmosquitto creates for each connection, which stays open in the new program. In the child, close every descriptor
 * above 2 before the exec, for example with closefrom().
 *
 * @par Blocking
 * No function blocks unless its description says so.
 *
 * @par Sentences
 * Sentences for people use the configuration file's names for settings: "ca" in a sentence is ca_file in C.
 *
 * @par Environment
 * TAPPET_READER is the path of tappet-reader, TAPPET_WEBHOOK that of tappet-webhook, and TAPPET_PROFILES the folder of
 * board profiles. If they are not set, the library searches relative to the program and to itself, then in /usr/local
 * and /usr. */
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
  TAPPET_ERROR_ARGUMENT = -1,  /**< The caller's error: NULL where it is not allowed, or a value out of range. */
  TAPPET_ERROR_BUFFER = -2,    /**< The caller's buffer is too small. */
  TAPPET_ERROR_MEMORY = -3,    /**< No memory or no random numbers are available. */
  TAPPET_ERROR_OBJECT = -4,    /**< No such object: it was freed, or is of another kind. */
  TAPPET_ERROR_STATE = -5,     /**< The object's current state does not allow the call. */
  TAPPET_ERROR_THREAD = -6,    /**< Another thread is inside a call with this object. */
  TAPPET_ERROR_FORK = -7,      /**< The object belongs to the process that this one was forked from. */
  TAPPET_ERROR_LIMIT = -8,     /**< A maximum number has been reached. */
  TAPPET_ERROR_SCHEME = -10,     /**< The URL does not start with smp:// (smpshare://secret for a share URL). */
  TAPPET_ERROR_HOST = -11,       /**< The URL does not start with smp://action. */
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
  TAPPET_ERROR_NDEF_TRUNCATED = -30, /**< A record claims more bytes than the message contains. */
  TAPPET_ERROR_NDEF_STRUCTURE = -31, /**< The message does not start or end where it must. */
  TAPPET_ERROR_NDEF_CHUNKED = -32,   /**< A record is split into chunks; unsupported, because no tag URL needs them. */
  TAPPET_ERROR_NDEF_RECORD = -33,    /**< A record breaks the rules of its format. */
  TAPPET_ERROR_NDEF_COUNT = -34,     /**< The message has more records than TAPPET_NDEF_RECORDS_MAX. */
  TAPPET_ERROR_NDEF_NO_URI = -35,    /**< The message has no URI record. */
  TAPPET_ERROR_SYSTEM = -40,        /**< A system call failed. */
  TAPPET_ERROR_STORE = -41,         /**< The database or its sealing key cannot be used. */
  TAPPET_ERROR_CONTROL = -42,       /**< The control socket cannot be created: the kiosk is probably running already. */
  TAPPET_ERROR_CONFIGURATION = -44, /**< The configuration has errors. */
  TAPPET_ERROR_NOT_CONNECTED = -50, /**< There is no connection to the broker, or it ended before the response
                                         arrived. */
  TAPPET_ERROR_REFUSED = -51        /**< The broker refused the request, and will refuse it again. */
};

/** Urgency of a log record, with syslog's numbers. */
enum tappet_log_priority {
  TAPPET_LOG_PRIORITY_ERROR = 3,   /**< Something does not work and needs attention. */
  TAPPET_LOG_PRIORITY_WARNING = 4, /**< Something did not work. */
  TAPPET_LOG_PRIORITY_NOTICE = 5,  /**< Something significant but normal happened. */
  TAPPET_LOG_PRIORITY_INFO = 6     /**< Something routine happened. */
};

/** A failure of an object. */
struct tappet_failure {
  size_t size;          /**< sizeof(struct tappet_failure), set by the caller. */
  int code;             /**< Error code: a ::tappet_error; 0 if nothing has failed yet. */
  int system_code;      /**< The errno that caused the failure; 0 if there is none. */
  int file_line;        /**< Line of the configuration file, from 1; 0 if the failure is not in a file. */
  int file_column;      /**< Byte within that line, from 1; 0 if the failure is not in a file. */
  const char *sentence; /**< Description of what happened, where, and what to do, with one line of text for each error;
                             never NULL; owned by the object and valid until the next call with it. */
};

/** One field of a log record. */
struct tappet_log_field {
  const char *key;   /**< Name of the field, a single word. */
  const char *value; /**< Value of the field: any text, not escaped. */
};

/** A log record. It and everything it points to are valid only during the callback. */
struct tappet_log_record {
  size_t size;                           /**< sizeof(struct tappet_log_record), as the library was built. */
  enum tappet_log_priority priority;     /**< Urgency of the event. */
  const char *name;                      /**< Name of the event, such as "tap-refused". */
  const char *sentence;                  /**< A sentence for a person; contains no secrets. */
  const struct tappet_log_field *fields; /**< Fields of the event; NULL if there are none. */
  size_t field_count;                    /**< Number of fields. */
};

/** Receives a log record.
 * @param context The pointer that was passed with the callback.
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
 * those of the phone app SecuredMQTTPublisher and its project's ESP32 firmware.
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
/** Maximum number of records in an NDEF message; no tag needs more. */
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

/** Decodes an NDEF message. Any input yields either a message or an error.
 * @param message The whole message.
 * @param message_size Size of the message in bytes; at most TAPPET_NDEF_SIZE_MAX.
 * @param ret_records Receives the records. They point into message and are valid as long as it is. The first one's size
 *   must be set. May be NULL if ret_count is 0.
 * @param ret_count Capacity of ret_records, in records; TAPPET_NDEF_RECORDS_MAX is always enough.
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

/** Finds the first URI in an NDEF message, preferring one in a Smart Poster, and expands its abbreviated prefix. Skips
 * other records.
 * @param message The whole message.
 * @param message_size Size of the message in bytes; at most TAPPET_NDEF_SIZE_MAX.
 * @param ret_uri Receives the URI and a NUL; may be NULL if ret_size is 0. Do not trust the URI: anyone can write a
 *   tag, and the URI may contain a NUL.
 * @param ret_size Size of ret_uri in bytes.
 * @return The URI's size in bytes without the NUL; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER,
 *   TAPPET_ERROR_NDEF_NO_URI, or an error of tappet_ndef_decode(). */
int tappet_ndef_uri_decode(const uint8_t *message, size_t message_size, char *ret_uri, size_t ret_size);

/** Encodes a URI as an NDEF message of one URI record, as on the tags of Tappet: without abbreviating the prefix.
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
  size_t key_index;    /**< Index of the key that matches the signature, from 0. */
  bool carries_key;    /**< Whether the URL contains its key, so that anyone who reads the tag can forge others. */
  uint8_t reserved[7]; /**< Set to 0. */
};

/** Verifies that a tag URL was signed with one of the caller's keys. Tries every key, in a time that does not reveal
 * which one matches; ignores a key contained in the URL. Allocates nothing.
 * @param url The URL; no terminating NUL needed.
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

/** A shared secret. Contains a key: wipe it after use. */
struct tappet_share {
  size_t size;                           /**< sizeof(struct tappet_share), set by the caller. */
  int64_t index;                         /**< The idx of the secret's action. */
  uint8_t key[TAPPET_KEY_SIZE];          /**< Key of the tags. */
  char label[TAPPET_LABEL_SIZE_MAX + 1]; /**< Label for people, trimmed, with a NUL; empty if there is none. */
  uint8_t reserved[7];                   /**< Set to 0. */
};

/** Writes a share URL, which one phone or kiosk passes to another as a QR code. The URL contains the key: wipe it after
 * use.
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
 * @param url The URL; no terminating NUL needed.
 * @param url_size Size of the URL in bytes; at most 2048.
 * @param ret_share Receives the secret; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SCHEME, TAPPET_ERROR_PARAMETER or TAPPET_ERROR_LABEL. */
int tappet_share_decode(const char *url, size_t url_size, struct tappet_share *ret_share);

/** Encrypts a time as a token, which proves to a receiver with the same key that a message is fresh. Two tokens for the
 * same second differ.
 * @param unix_seconds The time in seconds since 1970.
 * @param key The key.
 * @param key_size Size of the key in bytes: 16, 24 or 32 (the ESP32 accepts only 16).
 * @param ret_token Receives 32 digits and a NUL; may be NULL if ret_size is 0.
 * @param ret_size Size of ret_token in bytes; TAPPET_TOKEN_SIZE is enough.
 * @return 32; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_BUFFER, TAPPET_ERROR_TIME or TAPPET_ERROR_MEMORY. */
int tappet_token_seal(int64_t unix_seconds, const uint8_t *key, size_t key_size, char *ret_token, size_t ret_size);

/** Decrypts a token and returns its time. Checks neither the token's age nor whether it was used before; do so
 * yourself, or use tappet_token_receiver_accept().
 * @param token The token; no terminating NUL needed.
 * @param token_size Size of the token in bytes.
 * @param key The key.
 * @param key_size Size of the key in bytes: 16, 24 or 32.
 * @param ret_unix_seconds Receives the time in seconds since 1970.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_TOKEN, TAPPET_ERROR_CHECKSUM or TAPPET_ERROR_MEMORY. */
int tappet_token_open(
    const char *token, size_t token_size, const uint8_t *key, size_t key_size, int64_t *ret_unix_seconds);

/** A receiver of tokens. It decides which tokens to accept and remembers the last 64 that it accepted. Tokens as old as
 * a forgotten one are refused with TAPPET_ERROR_WINDOW: a receiver is not meant for more than 64 in one second. */
struct tappet_token_receiver;

/** Rules by which a receiver accepts tokens. */
enum tappet_token_rule {
  TAPPET_TOKEN_RULE_WINDOW = 0,  /**< Accepts each token once, neither older nor newer than the tolerance allows. */
  TAPPET_TOKEN_RULE_FIRMWARE = 1 /**< As on the ESP32: accepts tokens at most 5 s old or with any future time, even
                                      repeated tokens. */
};

/** Creates a token receiver.
 * @param rule The rule.
 * @param tolerance_seconds Maximum difference between a token's time and the current time, 0 or more; only for
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
 * @param token The token; no terminating NUL needed.
 * @param token_size Size of the token in bytes.
 * @param now_unix_seconds The current time in seconds since 1970; the library does not read a clock here. The time may
 *   be set back: tokens as old as those already forgotten are refused with TAPPET_ERROR_WINDOW.
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
 * One connection to an MQTT broker, over TLS with certificates. The caller is responsible for reconnecting: after
 * TAPPET_BROKER_EVENT_FAILED or TAPPET_BROKER_EVENT_LOST, wait with increasing delays and connect again. Subscriptions
 * end with their connection.
 * @{ */

/** Versions of MQTT. */
enum tappet_broker_protocol {
  TAPPET_BROKER_PROTOCOL_DEFAULT = 0,   /**< With mqtts://, MQTT 5, or 3.1.1 if the broker does not support MQTT 5,
                                             which the object remembers; with mqtt://, MQTT 3.1.1. For MQTT 5, see the
                                             warning below. */
  TAPPET_BROKER_PROTOCOL_MQTT_311 = 311, /**< MQTT 3.1.1, which acknowledges even a message that the broker's access
                                              list denies. */
  TAPPET_BROKER_PROTOCOL_MQTT_5 = 5     /**< Only MQTT 5, and only with mqtts://: a hostile broker can crash the process
                                             with an MQTT 5 packet that libmosquitto does not expect. */
};

/** A broker's address and the client's credentials. Files are specified by path, and read at each connect; they are
 * allowed only with mqtts://. */
struct tappet_broker_options {
  size_t size;                  /**< sizeof(struct tappet_broker_options), set by the caller. */
  const char *url;              /**< mqtts://HOST[:PORT] or mqtt://HOST[:PORT]; at most 300 bytes. */
  const char *client_id;        /**< Name of this client, unique at the broker; 1 to 128 bytes without '/', '+', '#'. */
  const char *ca_file;          /**< PEM file of the only trusted certificates; NULL means the system's trust store. */
  const char *crl_file;         /**< PEM or DER file of revocation lists: the broker's certificate is refused if its
                                     issuer's list contains it, or if there is no valid list. NULL means no check. */
  const char *certificate_file; /**< PEM file of the client's certificate, then its chain; NULL means no certificate. */
  const char *private_key_file; /**< PEM file of the private key, not encrypted; NULL if there is no certificate. */
  const char *username;         /**< User name, 1 to 256 bytes on one line; NULL means none. */
  const char *password;         /**< Password, 1 to 65535 bytes; only with mqtts:// and a user name; NULL means none.
                                     The copy is wiped. */
  const char *will_topic;       /**< Topic of the will, which the broker publishes if the connection breaks: 1 to 65535
                                     bytes without wildcards; NULL means none. Not allowed with announces_status or in a
                                     kiosk. */
  const uint8_t *will_payload;  /**< Payload of the will; may be NULL if will_payload_size is 0. */
  size_t will_payload_size;     /**< Size of the will's payload in bytes, at most 65535. */
  enum tappet_broker_protocol protocol; /**< Version of MQTT. */
  int keepalive_seconds;        /**< Keep-alive interval, 5 to 65535; 0 means 60. */
  int will_qos;                 /**< QoS of the will, 0 to 2. */
  bool announces_status;        /**< Whether "online" or "offline" (also as the last will) is published retained to
                                     tappet/CLIENT_ID/status, as a kiosk always does; otherwise only the caller's
                                     messages are published. */
  bool will_is_retained;        /**< Whether the broker retains the will for later subscribers. */
  uint8_t reserved[2];          /**< Must be 0. */
};

/** A user property of an MQTT 5 message. Names may repeat. */
struct tappet_broker_user_property {
  const char *name;  /**< Name of the property, UTF-8. */
  const char *value; /**< Value of the property, UTF-8. */
};

/** The properties of an MQTT 5 message: texts and correlation data of at most 65535 bytes in total. When publishing, a
 * text with a control character or a noncharacter is rejected, as in topics. */
struct tappet_broker_properties {
  size_t size;                 /**< sizeof(struct tappet_broker_properties), set by the caller, or by the library in an
                                    event. */
  const char *content_type;    /**< Content type of the payload, such as "application/json"; NULL means none, as
                                    does an empty text. */
  const char *response_topic;  /**< Topic for the reply, without wildcards; NULL means none. */
  const uint8_t *correlation;  /**< Correlation data to be included in the reply; NULL if correlation_size is 0. */
  size_t correlation_size;     /**< Size of the correlation data in bytes, at most 65535. */
  const struct tappet_broker_user_property *user_properties; /**< The user properties; NULL if there are none. */
  size_t user_property_count;  /**< Number of user properties, at most 64; if a received message has more, only the
                                    first 64 are included. */
  const uint32_t *subscription_ids; /**< In a received message: identifiers of the matching subscriptions; NULL if there
                                         are none. Must be NULL when publishing. */
  size_t subscription_id_count; /**< Number of subscription_ids; otherwise 0. */
  uint32_t expiry_seconds;     /**< How long the broker may still deliver the message, in seconds; 0 means no limit. */
  bool is_text;                /**< Whether the payload is declared to be UTF-8. */
  uint8_t reserved[3];         /**< Must be 0. */
};

/** Which retained messages the broker sends at the start of an MQTT 5 subscription. */
enum tappet_broker_retained {
  TAPPET_BROKER_RETAINED_ALL = 0,  /**< All that match the filter, as with MQTT 3.1.1. */
  TAPPET_BROKER_RETAINED_NEW = 1,  /**< All, if no subscription with this filter exists yet. */
  TAPPET_BROKER_RETAINED_NONE = 2  /**< None of them. */
};

/** Options for a subscription. All except qos need MQTT 5. */
struct tappet_broker_subscribe_options {
  size_t size;              /**< sizeof(struct tappet_broker_subscribe_options), set by the caller. */
  int qos;                  /**< Maximum QoS of the messages, 0 to 2. */
  enum tappet_broker_retained retained; /**< Which retained messages the broker sends immediately. */
  uint32_t subscription_id; /**< Subscription identifier in each message of the subscription, 1 to 268435455; 0 means
                                 none. */
  bool excludes_own;        /**< Whether to exclude messages published on this connection. */
  bool keeps_retain;        /**< Whether a message keeps the retain flag that it was published with; otherwise
                                 is_retained is true only for messages that the broker had retained. */
  uint8_t reserved[2];      /**< Must be 0. */
};

/** Stages of an attempt to connect, in their order. */
enum tappet_broker_stage {
  TAPPET_BROKER_STAGE_FILES = 1, /**< Local preparation: files, memory, options. Reported only on failure. */
  TAPPET_BROKER_STAGE_NAME = 2,  /**< Resolving the host name. */
  TAPPET_BROKER_STAGE_TCP = 3,   /**< Connecting to an address. */
  TAPPET_BROKER_STAGE_TLS = 4,   /**< Setting up TLS with the broker. */
  TAPPET_BROKER_STAGE_MQTT = 5   /**< Receiving the broker's CONNACK. */
};

/** One step of an attempt to connect. Its text is valid until the next call of tappet_broker_get_step() with the same
 * object. */
struct tappet_broker_step {
  size_t size;                    /**< sizeof(struct tappet_broker_step), set by the caller. */
  enum tappet_broker_stage stage; /**< Stage of the step; a stage can occur more than once, with several addresses or
                                       versions. */
  bool is_good;                   /**< Whether the step succeeded. */
  uint8_t reserved[3];            /**< 0. */
  int64_t microseconds;           /**< Time that it took. */
  const char *text;               /**< The result, or a sentence about the failure, for a person. */
};

/** A certificate of the broker's verified chain. Its texts come from a third party and are valid until the next call of
 * tappet_broker_get_certificate() with the same object. */
struct tappet_broker_certificate {
  size_t size;               /**< sizeof(struct tappet_broker_certificate), set by the caller. */
  const char *subject;       /**< Subject on one line, as OpenSSL prints it. */
  const char *issuer;        /**< Issuer on one line, as OpenSSL prints it. */
  const char *names;         /**< Names for which it is valid (subjectAltName); empty if it has none. */
  int64_t expires_unix_seconds; /**< When it expires, in seconds since 1970. */
};

/** Report on the last attempt to connect: what `tappet mqtt connect` prints. Numbers from MQTT 5's CONNACK are -1 if
 * the broker does not state them, or with MQTT 3.1.1. The texts are valid until the next call of
 * tappet_broker_get_report() with the same object. */
struct tappet_broker_report {
  size_t size;                 /**< sizeof(struct tappet_broker_report), set by the caller. */
  int64_t microseconds;        /**< Time from the start of the attempt to the end of its last step. */
  size_t step_count;           /**< Number of steps, for tappet_broker_get_step(). */
  size_t certificate_count;    /**< Number of certificates, for tappet_broker_get_certificate(). */
  const char *address;         /**< The address that was tried last; NULL if there was none. */
  const char *tls_version;     /**< TLS version, such as "TLSv1.3"; NULL without TLS, or before the handshake has
                                    finished. */
  const char *tls_cipher;      /**< TLS cipher, such as "TLS_AES_256_GCM_SHA384"; NULL like tls_version. */
  const char *tls_alpn;        /**< Protocol that the broker selected with ALPN; NULL if it selected none. */
  const char *assigned_client_id; /**< Client id assigned by the broker; NULL if it assigned none. */
  const char *broker_reason;   /**< The broker's reason text in CONNACK, from a third party; NULL if there is none. */
  enum tappet_broker_protocol protocol; /**< Version of MQTT that was tried last; DEFAULT if none was. */
  bool is_connected;           /**< Whether the broker accepted the connection. */
  bool asks_certificate;       /**< Whether the broker requested a client certificate. */
  uint8_t reserved[2];         /**< 0. */
  int64_t receive_maximum;     /**< Maximum number of unacknowledged messages with QoS 1 and 2. */
  int64_t maximum_packet_size; /**< Maximum size of a packet, in bytes. */
  int64_t session_expiry_seconds; /**< How long the broker keeps the session, in seconds. */
  int32_t keepalive_seconds;   /**< Keep-alive interval imposed by the broker, in seconds. */
  int32_t topic_alias_maximum; /**< Maximum number of topic aliases. */
  int8_t maximum_qos;          /**< Maximum QoS of messages. */
  int8_t has_retained;         /**< Whether the broker supports retained messages: 1, 0 or -1. */
  int8_t has_wildcards;        /**< Whether filters may contain wildcards: 1, 0 or -1. */
  int8_t has_shared_subscriptions; /**< Whether the broker supports shared subscriptions: 1, 0 or -1. */
  uint8_t reserved_end[4];     /**< 0. */
};

/** A connection to a broker. */
struct tappet_broker;

/** Types of events on a connection. */
enum tappet_broker_event_type {
  TAPPET_BROKER_EVENT_CONNECTED = 1,    /**< The broker accepted the connection. */
  TAPPET_BROKER_EVENT_FAILED = 2,       /**< The attempt to connect failed; sentence states why, and what to do. */
  TAPPET_BROKER_EVENT_LOST = 3,         /**< The connection broke; sentence states why. */
  TAPPET_BROKER_EVENT_DISCONNECTED = 4, /**< The connection ended at the caller's request. */
  TAPPET_BROKER_EVENT_MESSAGE = 5       /**< A message arrived for a subscription. */
};

/** An event on a connection. It and everything it points to are valid only during the callback. */
struct tappet_broker_event {
  size_t size;            /**< sizeof(struct tappet_broker_event), as the library was built. */
  enum tappet_broker_event_type type; /**< Type of the event; later versions may add some. */
  int qos;                /**< MESSAGE: QoS of the received message. */
  int reason;             /**< FAILED, LOST: MQTT 5's reason code, 0x80 to 0xFF, if the broker sent one; otherwise 0. */
  bool is_retained;       /**< MESSAGE: whether it was published before the subscription. */
  const char *sentence;   /**< FAILED, LOST: a sentence for a person; otherwise NULL. */
  const char *topic;      /**< MESSAGE: its topic; otherwise NULL. */
  const uint8_t *payload; /**< MESSAGE: its payload; NULL if it is empty. */
  size_t payload_size;    /**< Size of the payload in bytes. */
  uint64_t lost_count;    /**< MESSAGE: number of messages discarded before this one because they arrived faster than
                               they were dispatched (256 can wait), or were larger than 256 KiB or the available
                               memory. */
  const struct tappet_broker_properties *properties; /**< MESSAGE with MQTT 5: its properties; NULL if it has none. */
};

/** Receives an event on a connection.
 * @param context The pointer that was passed with the callback.
 * @param event The event. */
typedef void (*tappet_broker_event_callback)(void *context, const struct tappet_broker_event *event);

/** Receives the result of a request. Called exactly once for each request that was accepted, but not after the object
 * was freed.
 * @param context The pointer that was passed with the request.
 * @param result 0, or for a subscription the granted QoS; otherwise TAPPET_ERROR_NOT_CONNECTED or
 *   TAPPET_ERROR_REFUSED. */
typedef void (*tappet_broker_completion)(void *context, int result);

/** Creates a connection that is not connected yet.
 * @param ret_broker Receives the connection; the caller frees it with tappet_broker_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_broker_new(struct tappet_broker **ret_broker);

/** Disconnects and frees the connection. Completions of outstanding requests are not called. Blocks for at most 1.2 s.
 * @param broker The connection; may be NULL. */
void tappet_broker_free(struct tappet_broker *broker);

/** Sets the callback for events, replacing the previous one.
 * @param broker The connection.
 * @param callback Called inside tappet_broker_dispatch(); NULL means none.
 * @param context Passed to the callback; must stay valid until the callback is replaced or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_set_event_callback(
    struct tappet_broker *broker, tappet_broker_event_callback callback, void *context);

/** Starts connecting to the broker. Exactly one event TAPPET_BROKER_EVENT_FAILED, TAPPET_BROKER_EVENT_LOST or
 * TAPPET_BROKER_EVENT_DISCONNECTED ends the attempt or the connection. An attempt times out after 20 s, not counting
 * the time that the system's resolver takes for the name.
 * @param broker The connection.
 * @param options The broker and the credentials; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also for MQTT 5 without TLS), TAPPET_ERROR_STATE (connecting, connected,
 *   or the event that ends the connection has not been reported yet), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_connect(struct tappet_broker *broker, const struct tappet_broker_options *options);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_broker_dispatch() has work to do.
 * @param broker The connection.
 * @return A descriptor that the object owns until it is freed: never close or read it; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_fd(const struct tappet_broker *broker);

/** Waits until tappet_broker_dispatch() has work to do, for programs without their own event loop. Other threads may
 * use the object during the wait; if one of them frees the object, the call still waits until the timeout.
 * @param broker The connection.
 * @param timeout_milliseconds Maximum time to wait; -1 means no limit.
 * @return 1 if there is work to do; 0 on timeout or if a signal handler was called; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_broker_wait(struct tappet_broker *broker, int timeout_milliseconds);

/** Calls the callbacks for all pending events. Does not wait.
 * @param broker The connection.
 * @return The number of callbacks called; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from one of the
 *   object's own callbacks), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_dispatch(struct tappet_broker *broker);

/** Publishes a message.
 * @param broker The connection.
 * @param topic A topic without wildcards; 1 to 65535 bytes. Topics that start with '$' are reserved for the broker: it
 *   may accept the message, as AWS IoT does for $aws, discard it or close the connection.
 * @param payload The payload; may be NULL if payload_size is 0.
 * @param payload_size Size of the payload in bytes; at most 64 MiB.
 * @param qos QoS of the message, 0 to 2.
 * @param is_retained Whether the broker retains the message for later subscribers.
 * @param completion Called when the broker has received the message or never will; with QoS 0, as soon as the message
 *   is passed to the connection. May be NULL.
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
 * @param is_retained Whether the broker retains the message for later subscribers.
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
 * @param filter A topic filter, with the wildcards '+' and '#' as whole levels; 1 to 65535 bytes.
 * @param qos Maximum QoS of the messages, 0 to 2.
 * @param completion Called when the broker has responded; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NOT_CONNECTED, TAPPET_ERROR_LIMIT (256 requests to subscribe
 *   or unsubscribe are outstanding), TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_broker_subscribe(
    struct tappet_broker *broker, const char *filter, int qos, tappet_broker_completion completion, void *context);

/** Subscribes to topics with options, for the duration of this connection.
 * @param broker The connection.
 * @param filter A topic filter, as with tappet_broker_subscribe().
 * @param options How to subscribe; its size must be set. Copied.
 * @param completion Called when the broker has responded; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_STATE (an option other than qos is set, and the connection uses MQTT 3.1.1), or the
 *   errors of tappet_broker_subscribe(). */
int tappet_broker_subscribe_with(
    struct tappet_broker *broker, const char *filter, const struct tappet_broker_subscribe_options *options,
    tappet_broker_completion completion, void *context);

/** Ends a subscription. Messages in transit still arrive.
 * @param broker The connection.
 * @param filter The filter of the subscription.
 * @param completion Called when the broker has responded; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_broker_subscribe(). */
int tappet_broker_unsubscribe(
    struct tappet_broker *broker, const char *filter, tappet_broker_completion completion, void *context);

/** Starts an orderly disconnect. The event TAPPET_BROKER_EVENT_DISCONNECTED follows.
 * @param broker The connection.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NOT_CONNECTED, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_broker_disconnect(struct tappet_broker *broker);

/** Returns the reason code of the response that a completion reports. With MQTT 5: 0x10 if the broker has received the
 * message but its topic has no subscriber; from 0x80 on, the reason for a refusal, such as 0x87 for the access list.
 * Only valid inside the completion.
 * @param broker The connection.
 * @return The code, 0 to 0xFF: 0 without a response, outside a completion, and for a message with MQTT 3.1.1; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_reason(const struct tappet_broker *broker);

/** Retrieves a report on the last attempt to connect, even while it is in progress.
 * @param broker The connection.
 * @param ret_report Receives the report; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no attempt), TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_report(struct tappet_broker *broker, struct tappet_broker_report *ret_report);

/** Retrieves a step of the last attempt to connect. The last step states whether the attempt succeeded, and if not,
 * why.
 * @param broker The connection.
 * @param position Position of the step, from 0.
 * @param ret_step Receives the step; its size must be set.
 * @return 1; 0 if there is none at this position; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no
 *   attempt), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_step(struct tappet_broker *broker, size_t position, struct tappet_broker_step *ret_step);

/** Retrieves a certificate from the broker's chain, which starts with the broker's own.
 * @param broker The connection.
 * @param position Position of the certificate, from 0.
 * @param ret_certificate Receives the certificate; its size must be set.
 * @return 1; 0 if there is none at this position; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (there was no
 *   attempt), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_get_certificate(
    struct tappet_broker *broker, size_t position, struct tappet_broker_certificate *ret_certificate);

/** Reports why the last failed call failed.
 * @param broker The connection.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_broker_last_error(const struct tappet_broker *broker, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup reader Reader
 * An NFC reader and the tags on it. libnfc runs in a separate process, tappet-reader. The environment variable
 * TAPPET_READER sets its path; otherwise the library looks next to the program, next to itself, and in /usr/local and
 * /usr.
 * @{ */

/** An NFC reader. */
struct tappet_reader;

/** Size of the longest list of tappet_reader_list() in bytes, including the NUL. */
#define TAPPET_READER_LIST_SIZE 16385

/** Types of events at a reader. */
enum tappet_reader_event_type {
  TAPPET_READER_EVENT_READY = 1,       /**< The reader is polling for tags. */
  TAPPET_READER_EVENT_TAG_ARRIVED = 2, /**< A tag arrived and is being read. */
  TAPPET_READER_EVENT_TAG_READ = 3,    /**< The tag was read; if url is NULL, sentence states why. */
  TAPPET_READER_EVENT_TAG_FAULTED = 4, /**< The tag could not be read; sentence states why. */
  TAPPET_READER_EVENT_TAG_LEFT = 5,    /**< The tag was removed. */
  TAPPET_READER_EVENT_LOST = 6,        /**< The reader failed and is closed; it can be reopened. sentence states why. */
  TAPPET_READER_EVENT_WRITTEN = 7,     /**< A write succeeded: the tag was read back and contains the message. */
  TAPPET_READER_EVENT_WRITE_FAILED = 8 /**< A write failed; sentence states why, and whether the tag changed. */
};

/** Model of a tag, as far as the reader could determine it. */
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
  TAPPET_READER_TAG_OTHER = 41                 /**< Any other tag that responded. */
};

/** An event at a reader. Everything it points to is owned by the reader and valid until the next call with the
 * reader. */
struct tappet_reader_event {
  size_t size;            /**< sizeof(struct tappet_reader_event), set by the caller. */
  enum tappet_reader_event_type type; /**< Type of the event; later versions may add some. */
  enum tappet_reader_tag_model model; /**< TAG_READ, TAG_FAULTED, WRITTEN, WRITE_FAILED: model of the tag; otherwise
                               0. */
  const char *device;     /**< READY: name of the device; otherwise NULL. */
  const uint8_t *uid;     /**< UID of the tag, 1 to 10 bytes; it can be copied and proves nothing. NULL in READY and
                               LOST. */
  size_t uid_size;        /**< Size of the identifier in bytes. */
  const char *url;        /**< TAG_READ: the first URI on the tag, with a NUL, for tappet_url_verify(); NULL if the tag
                               has none. */
  size_t url_size;        /**< Size of the URI in bytes, without the NUL. */
  const uint8_t *message; /**< TAG_READ: the NDEF message; NULL if the tag has none. */
  size_t message_size;    /**< Size of the message in bytes. */
  const uint8_t *memory;  /**< TAG_READ: a Type 2 tag's memory from page 0, or a Type 4 tag's NDEF file, as read. */
  size_t memory_size;     /**< Size of the memory in bytes. */
  const char *sentence;   /**< A sentence for a person; NULL if there is nothing to report. */
};

/** Receives an event at a reader.
 * @param context The pointer that was passed with the callback.
 * @param event The event. */
typedef void (*tappet_reader_event_callback)(void *context, const struct tappet_reader_event *event);

/** Creates a reader that is not open yet.
 * @param ret_reader Receives the reader; the caller frees it with tappet_reader_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_reader_new(struct tappet_reader **ret_reader);

/** Closes and frees the reader. Blocks for at most 1 s, until tappet-reader has exited.
 * @param reader The reader; may be NULL. */
void tappet_reader_free(struct tappet_reader *reader);

/** Sets the callback for events, replacing the previous one. Without a callback, events wait for tappet_reader_next().
 * @param reader The reader.
 * @param callback Called inside tappet_reader_dispatch(); NULL means none.
 * @param context Passed to the callback; must stay valid until the callback is replaced or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_set_event_callback(
    struct tappet_reader *reader, tappet_reader_event_callback callback, void *context);

/** Lists the readers that libnfc finds: those on USB, and those in libnfc's own configuration. A reader on a serial
 * line, I2C or SPI is found only if that configuration contains it. Starts a tappet-reader for the search; blocks for
 * at most 10 s. Any thread may call this at any time.
 * @param ret_devices Receives the connection strings for tappet_reader_open(), each followed by a line feed, and a NUL;
 *   may be NULL if ret_size is 0.
 * @param ret_size Size of ret_devices in bytes; TAPPET_READER_LIST_SIZE is always enough.
 * @return The number of bytes without the NUL, 0 if there is no reader; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_BUFFER or TAPPET_ERROR_SYSTEM (tappet-reader is probably missing, failed, or did not respond in
 *   time). */
int tappet_reader_list(char *ret_devices, size_t ret_size);

/** Starts the tappet-reader process. The event TAPPET_READER_EVENT_READY or TAPPET_READER_EVENT_LOST follows. A process
 * that is silent for 6 s during startup, or for 12 s afterwards, is terminated, and TAPPET_READER_EVENT_LOST is
 * reported.
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

/** Waits until tappet_reader_dispatch() has work to do, for programs without their own event loop. Other threads may
 * use the object during the wait; if one of them frees the object, the call still waits until the timeout.
 * @param reader The reader.
 * @param timeout_milliseconds Maximum time to wait; -1 means no limit.
 * @return 1 if there is work to do; 0 on timeout or if a signal handler was called; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_reader_wait(struct tappet_reader *reader, int timeout_milliseconds);

/** Retrieves the next event, if there is one. Does not wait.
 * @param reader The reader.
 * @param ret_event Receives the event; its size must be set.
 * @return 1 if there was an event; 0 if there is none now; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called
 *   from the object's own callback), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_reader_next(struct tappet_reader *reader, struct tappet_reader_event *ret_event);

/** Calls the callback for each pending event. Does not wait.
 * @param reader The reader.
 * @return The number of events; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's own
 *   callback, or no callback is set), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_reader_dispatch(struct tappet_reader *reader);

/** Writes a message as the only content of the tag on the reader, or otherwise of the next tag. Does not wait: the
 * event TAPPET_READER_EVENT_WRITTEN or TAPPET_READER_EVENT_WRITE_FAILED follows, unless TAPPET_READER_EVENT_LOST comes
 * first. Writes only the parts that change, and nothing at all if the message does not fit. If the tag is removed
 * during the write, it is empty, unchanged or complete. While there is no tag, a further call replaces this one, and a
 * size of 0 cancels it.
 * @param reader The reader.
 * @param message An NDEF message, as created by tappet_ndef_uri_encode(); copied.
 * @param size Size of the message in bytes, at most 8192.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_NDEF_TRUNCATED, TAPPET_ERROR_NDEF_STRUCTURE,
 *   TAPPET_ERROR_NDEF_CHUNKED, TAPPET_ERROR_NDEF_RECORD, TAPPET_ERROR_NDEF_COUNT, TAPPET_ERROR_STATE (not open, or a
 *   tag is being written), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_write(struct tappet_reader *reader, const uint8_t *message, size_t size);

/** Terminates the tappet-reader process. Does nothing if the reader is closed. Blocks for at most 1 s.
 * @param reader The reader.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's own callback),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_close(struct tappet_reader *reader);

/** Reports why the last failed call failed.
 * @param reader The reader.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_reader_last_error(const struct tappet_reader *reader, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup panel Panel
 * Buttons and outputs (lights, relays) on GPIO lines, through the kernel's character devices. Lines are independent: a
 * line that is missing, busy or lost does not affect the others. (A kiosk drives the panel of its configuration file
 * itself, with interlocks and limits: see tappet_kiosk_request_output().)
 * @{ */

/** A panel of buttons and outputs. */
struct tappet_panel;

/** Bias of an input: what determines its level while the button is not pressed. */
enum tappet_panel_bias {
  TAPPET_PANEL_BIAS_AS_IS = 0,    /**< Leaves the bias unchanged. */
  TAPPET_PANEL_BIAS_DISABLED = 1, /**< No internal resistor. */
  TAPPET_PANEL_BIAS_PULL_UP = 2,  /**< Internal resistor to the supply. */
  TAPPET_PANEL_BIAS_PULL_DOWN = 3 /**< Internal resistor to ground. */
};

/** How an output drives its line. */
enum tappet_panel_drive {
  TAPPET_PANEL_DRIVE_PUSH_PULL = 0,  /**< Drives it high and low. */
  TAPPET_PANEL_DRIVE_OPEN_DRAIN = 1, /**< Drives it low only. */
  TAPPET_PANEL_DRIVE_OPEN_SOURCE = 2 /**< Drives it high only. */
};

/** A GPIO line and how to request it. The line is found by its name; if there is no name, by its pin; if there is
 * neither, by chip and offset. */
struct tappet_panel_line {
  size_t size;                   /**< sizeof(struct tappet_panel_line), set by the caller. */
  const char *name;              /**< Name of the line, such as "GPIO17"; at most 64 bytes; NULL means that the line is
                                      found by its pin, or by chip and offset. */
  const char *chip;              /**< Label or path of the offset's chip, at most 107 bytes; NULL if there is a name or
                                      a pin. */
  uint32_t offset;               /**< Offset of the line on its chip. */
  int pin;                       /**< Pin of the board's header, from 1; needs a profile. 0 means none. */
  bool is_output;                /**< Whether the line is an output (a light or a relay); otherwise it is a button. */
  bool is_active_low;            /**< Whether a low level, instead of a high level, means on or pressed. */
  enum tappet_panel_bias bias;   /**< Bias of a button's line. */
  enum tappet_panel_drive drive; /**< Drive of an output's line. */
  int64_t debounce_milliseconds; /**< How long a button's level must be stable, if the kernel can debounce; 0 to
                                      60000. */
};

/** A line as described by the kernel. Everything it points to is owned by the panel and valid until the next call of
 * tappet_panel_get_line_info() with the panel. */
struct tappet_panel_line_info {
  size_t size;          /**< sizeof(struct tappet_panel_line_info), set by the caller. */
  const char *chip;     /**< Path of the chip, such as "/dev/gpiochip0". */
  const char *label;    /**< Label of the chip, such as "pinctrl-bcm2835". */
  const char *name;     /**< Name of the line, such as "GPIO17"; NULL if it has none. */
  const char *consumer; /**< Name that the line's user registered with the kernel: "tappet" for a panel's own line; NULL
                             if there is none. */
  uint32_t offset;      /**< Offset of the line on its chip. */
  bool is_used;         /**< Whether the line is in use, by this panel or another program. */
  uint8_t reserved[3];  /**< 0. */
};

/** Types of events on a panel. */
enum tappet_panel_event_type {
  TAPPET_PANEL_EVENT_OPENED = 1,  /**< The line is open; is_active states whether a button is pressed now. */
  TAPPET_PANEL_EVENT_CHANGED = 2, /**< A button's level changed, or is reported again because edges were lost. */
  TAPPET_PANEL_EVENT_FAILED = 3   /**< The line is unavailable or was lost; sentence states why; see
                                       tappet_panel_retry(). */
};

/** An event on a panel. It and everything it points to are valid only during the callback. */
struct tappet_panel_event {
  size_t size;                  /**< sizeof(struct tappet_panel_event), as the library was built. */
  enum tappet_panel_event_type type; /**< Type of the event; later versions may add some. */
  int line;                     /**< Number of the line, as returned by tappet_panel_add_line(). */
  bool is_active;               /**< OPENED, CHANGED: whether the button is pressed. */
  bool is_debounced;            /**< OPENED: whether the kernel debounces; otherwise every edge is reported. */
  int64_t boottime_nanoseconds; /**< CHANGED: when the kernel detected the change, by CLOCK_BOOTTIME; otherwise 0. */
  const char *sentence;         /**< FAILED: a sentence for a person; otherwise NULL. */
};

/** Receives an event on a panel.
 * @param context The pointer that was passed with the callback.
 * @param event The event. */
typedef void (*tappet_panel_event_callback)(void *context, const struct tappet_panel_event *event);

/** Creates a panel without lines.
 * @param ret_panel Receives the panel; the caller frees it with tappet_panel_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_panel_new(struct tappet_panel **ret_panel);

/** Turns the outputs off, releases the lines and frees the panel.
 * @param panel The panel; may be NULL. */
void tappet_panel_free(struct tappet_panel *panel);

/** Selects the board profile, which allows lines to be found by their pins.
 * @param panel The panel; not open.
 * @param profile Name of one of Tappet's profiles, such as "raspberry-pi", or path of your own profile.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (there is no such profile,
 *   or it has errors), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_set_profile(struct tappet_panel *panel, const char *profile);

/** Adds a line to the panel.
 * @param panel The panel; not open.
 * @param line The line; its size must be set. Copied.
 * @return The line's number, from 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_LIMIT (64
 *   lines), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_add_line(struct tappet_panel *panel, const struct tappet_panel_line *line);

/** Sets the callback for events, replacing the previous one.
 * @param panel The panel.
 * @param callback Called inside tappet_panel_dispatch(); NULL means none.
 * @param context Passed to the callback; must stay valid until the callback is replaced or the object is freed. May be
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

/** Retries the failed lines that can recover on their own. Each line reports an event as in tappet_panel_open(). When a
 * chip is plugged in, its lines are retried immediately, without this call.
 * @param panel The panel.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_retry(struct tappet_panel *panel);

/** Turns an output on or off, and ends its pulse. If the output is lost, it takes this state when it is available
 * again.
 * @param panel The panel.
 * @param line The number of a line that is an output.
 * @param is_on Whether to turn the output on.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_set(struct tappet_panel *panel, int line, bool is_on);

/** Turns an output on for the given time from now, even if it is already on. tappet_panel_dispatch() ends the pulse: if
 * the caller does not dispatch, or the process hangs, the output stays on.
 * @param panel The panel.
 * @param line The number of a line that is an output.
 * @param length_milliseconds How long the output stays on: 1 to 86400000.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD
 *   or TAPPET_ERROR_FORK. */
int tappet_panel_pulse(struct tappet_panel *panel, int line, int64_t length_milliseconds);

/** Retrieves the state of a button or an output as of the last dispatched event of its line.
 * @param panel The panel.
 * @param line The number of the line.
 * @param ret_is_active Receives whether the button is pressed, or the output was turned on.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open, or the line is unavailable),
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_get(const struct tappet_panel *panel, int line, bool *ret_is_active);

/** Retrieves where a line was found, and its user: the caller's panel, or another program if the line is busy.
 * @param panel The panel.
 * @param line The number of the line.
 * @param ret_info Receives the information; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open, the line was not found, or its chip is
 *   gone), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_get_line_info(struct tappet_panel *panel, int line, struct tappet_panel_line_info *ret_info);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_panel_dispatch() has work to do.
 * @param panel The panel.
 * @return A descriptor that the object owns until it is freed: never close or read it; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_fd(const struct tappet_panel *panel);

/** Waits until tappet_panel_dispatch() has work to do, for programs without their own event loop. Other threads may use
 * the object during the wait; if one of them frees the object, the call still waits until the timeout.
 * @param panel The panel.
 * @param timeout_milliseconds Maximum time to wait; -1 means no limit.
 * @return 1 if there is work to do; 0 on timeout or if a signal handler was called; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_panel_wait(struct tappet_panel *panel, int timeout_milliseconds);

/** Calls the callback for each pending event. Does not wait.
 * @param panel The panel.
 * @return The number of callbacks called; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (called from the object's
 *   own callback), TAPPET_ERROR_SYSTEM, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_dispatch(struct tappet_panel *panel);

/** Reports why the last failed call, or the line that failed last, failed.
 * @param panel The panel.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_panel_last_error(const struct tappet_panel *panel, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup kiosk Kiosk
 * The whole kiosk, as `tappet run` runs it: taps become messages, accepted taps survive a power cut, and all parts
 * recover from faults automatically. Set the kiosk up from a configuration file or with calls, and start it; then
 * either run it in a thread with tappet_kiosk_run(), or add tappet_kiosk_fd() to an event loop.
 * @{ */

/** A kiosk: a reader, a panel, a broker connection and an outbox that survives power cuts. */
struct tappet_kiosk;

/** Handling of a tap while the broker is unreachable. */
enum tappet_kiosk_offline {
  TAPPET_KIOSK_OFFLINE_DEFAULT = 0, /**< DROP for a message with a timestamp token; otherwise QUEUE. */
  TAPPET_KIOSK_OFFLINE_QUEUE = 1,   /**< Keep the tap until the broker is reachable again, or until the tap expires. */
  TAPPET_KIOSK_OFFLINE_DROP = 2     /**< Refuse the tap unless its message can be sent now. */
};

/** An action: the message that a tap or a press publishes, and its rules. */
struct tappet_kiosk_action {
  size_t size;                   /**< sizeof(struct tappet_kiosk_action), set by the caller. */
  int64_t index;                 /**< The idx on the action's tags; -1: as in kiosk.yaml without `index`. */
  const char *name;              /**< Unique name, which secrets refer to; 1 to 64 bytes on one line without invisible
                                      characters. */
  const char *title;             /**< Title for people; at most 128 bytes on one line; NULL means the name. */
  const char *topic;             /**< Topic without wildcards, not below $SYS or $share; at most 65535 bytes. It may
                                      contain "%{uid}" and other placeholders, as in kiosk.yaml. */
  const char *message;           /**< Message of at most 64 KiB. The first "%T" is replaced with a timestamp token, the
                                      first "%I" with a unique id, and "%{uid}" and other placeholders with details of
                                      the tap. */
  enum tappet_kiosk_offline offline; /**< Handling of taps while offline. */
  bool is_retained;              /**< Whether MQTT's retain flag is set. */
  bool unlocks_panel;            /**< Whether a tag of this action unlocks the buttons. */
  int64_t expires_milliseconds;  /**< How long after the tap the message may still be sent, at most 366 days; 0 means
                                      10 s with "%T", and 24 h without. */
  int64_t cooldown_milliseconds; /**< How long the same tag is ignored after a tap, at most 24 h; 0 means 2 s, -1 no
                                      cooldown. */
  int64_t confirm_milliseconds;  /**< How long the person has to confirm, at most 60000; 0 means no confirmation. */
};

/** Types of events in a kiosk. */
enum tappet_kiosk_event_type {
  TAPPET_KIOSK_EVENT_LIGHT = 1,               /**< A light is to be shown to people at the kiosk. */
  TAPPET_KIOSK_EVENT_REFUSED = 2,             /**< A tap or press was refused; sentence states why. */
  TAPPET_KIOSK_EVENT_IGNORED = 3,             /**< A tap was ignored: the tag is still in the field, or returned too
                                                   soon. */
  TAPPET_KIOSK_EVENT_ACCEPTED = 4,            /**< A tap or press is on the disk and survives a power cut. */
  TAPPET_KIOSK_EVENT_QUEUED = 5,              /**< An accepted entry is pending; sentence states why. */
  TAPPET_KIOSK_EVENT_DELIVERED = 6,           /**< The broker has acknowledged an entry; with MQTT 5, sentence states if
                                                   its topic has no subscriber. */
  TAPPET_KIOSK_EVENT_EXPIRED = 7,             /**< An entry was pending for too long and will not be sent. */
  TAPPET_KIOSK_EVENT_UNDELIVERABLE = 8,       /**< The broker will never accept an entry. */
  TAPPET_KIOSK_EVENT_READER_READY = 9,        /**< The reader is polling for tags. */
  TAPPET_KIOSK_EVENT_READER_LOST = 10,        /**< The reader failed; the kiosk restarts it until it works. */
  TAPPET_KIOSK_EVENT_BROKER_CONNECTED = 11,   /**< The broker accepted the connection. */
  TAPPET_KIOSK_EVENT_BROKER_UNREACHABLE = 12, /**< An attempt to connect failed; the kiosk will retry. */
  TAPPET_KIOSK_EVENT_BROKER_LOST = 13,        /**< The connection broke; the kiosk will reconnect. */
  TAPPET_KIOSK_EVENT_BROKER_STORM = 14,       /**< Connections repeatedly break soon after they are established; the
                                                   kiosk pauses for a minute. */
  TAPPET_KIOSK_EVENT_BROKER_DISCONNECTED = 15, /**< The kiosk ended the connection itself. */
  TAPPET_KIOSK_EVENT_CLOCK_GOOD = 16,         /**< The clock is synchronized; messages with a timestamp are sent
                                                   again. */
  TAPPET_KIOSK_EVENT_CLOCK_UNKNOWN = 17,      /**< The clock is not synchronized; messages with a timestamp are held. */
  TAPPET_KIOSK_EVENT_DISK_TROUBLE = 18,       /**< The disk cannot store taps, so taps are refused. */
  TAPPET_KIOSK_EVENT_DISK_GOOD = 19,          /**< The disk stores taps again. */
  TAPPET_KIOSK_EVENT_OUTBOX_RESTORED = 20,    /**< Entries from before the start are pending. */
  TAPPET_KIOSK_EVENT_STOPPING = 21,           /**< The kiosk received tappet_kiosk_stop(). */
  TAPPET_KIOSK_EVENT_PANEL_LOST = 22,         /**< A part of the panel is unavailable; sentence states which and why. */
  TAPPET_KIOSK_EVENT_PANEL_GOOD = 23,         /**< The part of the panel is available again. */
  TAPPET_KIOSK_EVENT_BUTTON_STUCK = 24,       /**< A button is stuck in the pressed state. */
  TAPPET_KIOSK_EVENT_BUTTON_CHATTERING = 25,  /**< A button's contact keeps bouncing. */
  TAPPET_KIOSK_EVENT_BUTTON_GOOD = 26,        /**< The button works again. */
  TAPPET_KIOSK_EVENT_PANEL_LOCKED = 27,       /**< The buttons do nothing until they are unlocked. */
  TAPPET_KIOSK_EVENT_PANEL_UNLOCKED = 28,     /**< The buttons work. */
  TAPPET_KIOSK_EVENT_CODE_REFUSED = 29,       /**< A wrong button code was entered. */
  TAPPET_KIOSK_EVENT_CONFIRMING = 30,         /**< The person is asked to confirm. */
  TAPPET_KIOSK_EVENT_CONFIRMATION_ENDED = 31, /**< The person did not confirm; nothing happens. */
  TAPPET_KIOSK_EVENT_CERTIFICATE_EXPIRING = 32, /**< A certificate expires soon, or has expired; sentence states
                                                     when. */
  TAPPET_KIOSK_EVENT_CERTIFICATES_GOOD = 33,  /**< No certificate expires soon any longer. */
  TAPPET_KIOSK_EVENT_REFUSED_MORE = 34,       /**< Within a minute, more taps were refused or ignored than are reported
                                                   individually; sentence states how many. */
  TAPPET_KIOSK_EVENT_BROKER_FALLBACK = 35,    /**< The broker does not support MQTT 5; 3.1.1 is used for days. */
  TAPPET_KIOSK_EVENT_TAG_WRITTEN = 36,        /**< The tag requested with tappet_kiosk_write_tag() is written, and its
                                                   secret is stored. */
  TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN = 37,    /**< The tag was not written; sentence states why. */
  TAPPET_KIOSK_EVENT_PERFORMED = 38,          /**< An action without a message is complete. */
  TAPPET_KIOSK_EVENT_OUTPUT_CHANGED = 39,     /**< An output was turned on or off; sentence states why. */
  TAPPET_KIOSK_EVENT_OUTPUT_WAITING = 40,     /**< An output waits for the dead time of its group. */
  TAPPET_KIOSK_EVENT_OUTPUT_REFUSED = 41,     /**< A request to an output had no effect; sentence states why. */
  TAPPET_KIOSK_EVENT_COMMAND_ACCEPTED = 42,   /**< A command passed all checks. */
  TAPPET_KIOSK_EVENT_COMMAND_REFUSED = 43,    /**< A command was refused; sentence states why. */
  TAPPET_KIOSK_EVENT_COMMANDS_REFUSED_MORE = 44, /**< Within a minute, more commands were refused than are reported
                                                      individually; sentence states how many. */
  TAPPET_KIOSK_EVENT_COMMAND_DONE = 45,       /**< The output of an accepted command has switched, or the broker has
                                                   received its action's message. */
  TAPPET_KIOSK_EVENT_COMMANDS_READY = 46,     /**< The subscription to a command topic is active. */
  TAPPET_KIOSK_EVENT_COMMANDS_DENIED = 47,    /**< The broker does not allow the kiosk to subscribe to a command
                                                   topic. */
  TAPPET_KIOSK_EVENT_INVENTORY = 48,          /**< A tap or a scan showed an entry of the inventory, or moved it or
                                                   checked it out or in, with the change on the disk; or a person's tag
                                                   was tapped first, an entry was tapped again, or a job at the
                                                   shelf started or ended. */
  TAPPET_KIOSK_EVENT_INPUT_OPENED = 49,       /**< A door or window was opened, or was open when its line became
                                                   available. */
  TAPPET_KIOSK_EVENT_INPUT_CLOSED = 50,       /**< It was closed, or was closed when its line became available. */
  TAPPET_KIOSK_EVENT_INPUT_FORCED = 51,       /**< It was opened without an opening by its output or a request to
                                                   exit. */
  TAPPET_KIOSK_EVENT_INPUT_HELD_OPEN = 52,    /**< It has been open for longer than `held_open`; repeated every 10
                                                   minutes. */
  TAPPET_KIOSK_EVENT_INPUT_NOT_ENTERED = 53   /**< Its output unlocked it, and nobody opened it. */
};

/** Lights: the states and moments that a kiosk shows. Values below 20 are states, shown as long as they last; values
 * from 20 are moments, shown briefly. If several states apply, the first in this list is shown: CONFIRMING, HOLDING,
 * FORCED, FAULT, READER_LOST, WRITING, DOOR_OPEN, OFFLINE, CLOCK_UNKNOWN, STARTING, CERTIFICATE_EXPIRING, UNREAD,
 * LOCKED, READY. */
enum tappet_kiosk_light {
  TAPPET_KIOSK_LIGHT_STARTING = 1,             /**< State: some parts are not up yet. */
  TAPPET_KIOSK_LIGHT_READY = 2,                /**< State: all parts are up. */
  TAPPET_KIOSK_LIGHT_OFFLINE = 3,              /**< State: a destination that a tap needs is unreachable. */
  TAPPET_KIOSK_LIGHT_READER_LOST = 4,          /**< State: the reader does not work. */
  TAPPET_KIOSK_LIGHT_CLOCK_UNKNOWN = 5,        /**< State: the clock is not synchronized. */
  TAPPET_KIOSK_LIGHT_FAULT = 6,                /**< State: the disk cannot store taps. */
  TAPPET_KIOSK_LIGHT_LOCKED = 7,               /**< State: the buttons are locked. */
  TAPPET_KIOSK_LIGHT_CONFIRMING = 8,           /**< State: the person is asked to confirm. */
  TAPPET_KIOSK_LIGHT_CERTIFICATE_EXPIRING = 9, /**< State: a certificate expires soon; taps work. */
  TAPPET_KIOSK_LIGHT_WRITING = 10,             /**< State: the next tag will be written and is not processed as a
                                                    tap. */
  TAPPET_KIOSK_LIGHT_HOLDING = 11,             /**< State: the next tap at the inventory does something with the entry
                                                    tapped before. */
  TAPPET_KIOSK_LIGHT_UNREAD = 12,              /**< State: messages in a Matrix room or space are unread; all parts are
                                                    up. */
  TAPPET_KIOSK_LIGHT_DOOR_OPEN = 13,           /**< State: a door has been open for too long. */
  TAPPET_KIOSK_LIGHT_FORCED = 14,              /**< State: a door is open by force. */
  TAPPET_KIOSK_LIGHT_READING = 20,             /**< Moment: a tag is being read; hold it still. */
  TAPPET_KIOSK_LIGHT_ACCEPTED = 21,            /**< Moment: the tap or press was accepted. */
  TAPPET_KIOSK_LIGHT_DELIVERED_BY_TAG = 22,    /**< Moment: the broker has received the message of a tap. */
  TAPPET_KIOSK_LIGHT_DELIVERED_BY_BUTTON = 23, /**< Moment: the broker has received the message of a press. */
  TAPPET_KIOSK_LIGHT_QUEUED = 24,              /**< Moment: the message is pending. */
  TAPPET_KIOSK_LIGHT_REFUSED = 25,             /**< Moment: the tap or press was refused. */
  TAPPET_KIOSK_LIGHT_EXPIRED = 26              /**< Moment: the message has expired. */
};

/** Triggers of events. */
enum tappet_kiosk_trigger {
  TAPPET_KIOSK_TRIGGER_NONE = 0,   /**< None of these. */
  TAPPET_KIOSK_TRIGGER_TAG = 1,    /**< A person tapped a tag, or scanned a code of the inventory. */
  TAPPET_KIOSK_TRIGGER_BUTTON = 2, /**< A person pressed a button. */
  TAPPET_KIOSK_TRIGGER_COMMAND = 3, /**< A command arrived from the broker. */
  TAPPET_KIOSK_TRIGGER_INVENTORY = 4, /**< The inventory changed. */
  TAPPET_KIOSK_TRIGGER_INPUT = 5   /**< A door was forced, or was open for too long. */
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
  const uint8_t *uid;         /**< REFUSED, IGNORED, ACCEPTED, TAG_WRITTEN, PERFORMED, INVENTORY: UID of the tag; NULL
                                   in other events, and if there was no tag. */
  size_t uid_size;            /**< Size of the identifier in bytes. */
  int64_t after_milliseconds; /**< DELIVERED: time since the tap; -1 in all other events, and if the tap was accepted
                                   before the start. */
  const char *output;         /**< OUTPUT_CHANGED to OUTPUT_REFUSED: name of the output; COMMAND_ACCEPTED,
                                   COMMAND_REFUSED, COMMAND_DONE: the same, if the command is for an output; otherwise
                                   NULL. */
  bool is_on;                 /**< OUTPUT_CHANGED: whether the output is on. */
  uint8_t reserved[7];        /**< 0. */
  const char *tag;            /**< REFUSED to UNDELIVERABLE, PERFORMED: label of the tag's secret; NULL if it has none,
                                   if the tag is not genuine, and if it was accepted before the start. */
  const char *person;         /**< REFUSED to UNDELIVERABLE, PERFORMED: name of the tag's owner; NULL if it has none, if
                                   the tag is not genuine, and if it was accepted before the start. */
  const char *code;           /**< REFUSED, IGNORED, QUEUED, OUTPUT_REFUSED: the reason for programs, such as
                                   "outside-hours", or "too-late" for what was more than 3 s old when it was dispatched;
                                   otherwise NULL. */
  const char *thing;          /**< INVENTORY: id of the entry, for tappet_inventory_get(); name states what was done,
                                   such as "inventory-moved". NULL in other events, and if a person's tag was tapped
                                   first. */
  const char *input;          /**< INPUT_OPENED to INPUT_NOT_ENTERED: name of the input; otherwise NULL. */
  const char *by;             /**< REFUSED to UNDELIVERABLE, PERFORMED, COMMAND_ACCEPTED, COMMAND_REFUSED, and
                                   OUTPUT_CHANGED to OUTPUT_REFUSED: who caused it, as in `tappet history`, such as
                                   "button bell"; NULL in other events, if it is not known, for an output that a tag
                                   switched, and if it was accepted before the start. */
};

/** Receives an event in a kiosk.
 * @param context The pointer that was passed with the callback.
 * @param event The event. */
typedef void (*tappet_kiosk_event_callback)(void *context, const struct tappet_kiosk_event *event);

/** Numbers of taps and presses since the start, by outcome. */
struct tappet_kiosk_counters {
  size_t size;            /**< sizeof(struct tappet_kiosk_counters), set by the caller. */
  uint64_t accepted;      /**< Number stored on the disk. */
  uint64_t delivered;     /**< Number acknowledged by the broker. */
  uint64_t refused;       /**< Number refused, whatever the reason. */
  uint64_t ignored;       /**< Number ignored because the tag stayed in the field or was in its cooldown. */
  uint64_t expired;       /**< Number accepted but not delivered in time. */
  uint64_t undeliverable; /**< Number accepted but permanently refused by the broker. */
  uint64_t waiting;       /**< Number currently in the outbox. */
};

/** Maximum size of an output's name in bytes, without the NUL. */
#define TAPPET_KIOSK_OUTPUT_SIZE_MAX 63

/** Requests to an output. */
enum tappet_kiosk_request {
  TAPPET_KIOSK_REQUEST_ON = 1,    /**< Turn it on. */
  TAPPET_KIOSK_REQUEST_OFF = 2,   /**< Turn it off. */
  TAPPET_KIOSK_REQUEST_PULSE = 3, /**< Switch it away from its safe level for the duration of its `pulse`. */
  TAPPET_KIOSK_REQUEST_TOGGLE = 4 /**< Switch it to the other level. */
};

/** An output of a kiosk's panel. */
struct tappet_kiosk_output {
  size_t size;        /**< sizeof(struct tappet_kiosk_output), set by the caller. */
  char name[TAPPET_KIOSK_OUTPUT_SIZE_MAX + 1]; /**< Name in the configuration, with a NUL. */
  bool is_on;         /**< Whether it is on. */
  bool is_available;  /**< Whether its line is available. */
  uint8_t reserved[6]; /**< Set to 0. */
};

/** A person, as tappet_kiosk_list_people() reports one. It and everything it points to are valid only during the
 * callback. */
struct tappet_kiosk_person {
  size_t size;                  /**< sizeof(struct tappet_kiosk_person), as the library was built. */
  const char *name;             /**< Unique name of the person. */
  size_t tag_count;             /**< Number of the person's tags. */
  int64_t created_unix_seconds; /**< When the person was added, in seconds since 1970. */
  bool is_suspended;            /**< Whether all of the person's tags are refused. */
  uint8_t reserved[7];          /**< 0. */
};

/** Receives a person.
 * @param context The pointer that was passed with the request.
 * @param person The person. */
typedef void (*tappet_kiosk_person_callback)(void *context, const struct tappet_kiosk_person *person);

/** Receives the result of a request about people or learned tags. Called exactly once for each request that was
 * accepted, inside tappet_kiosk_dispatch() and tappet_kiosk_run(), but not after the object was freed.
 * @param context The pointer that was passed with the request.
 * @param result 0, or for tappet_kiosk_list_people() the number of people; otherwise TAPPET_ERROR_ARGUMENT (the request
 *   was refused; sentence states why), TAPPET_ERROR_STORE, TAPPET_ERROR_LIMIT (too many requests at a time), or
 *   TAPPET_ERROR_STATE (the kiosk ended first; the change may have been made).
 * @param sentence A sentence for a person, valid only during the call; NULL if the result is not an error. */
typedef void (*tappet_kiosk_completion)(void *context, int result, const char *sentence);

/** Creates a kiosk without a configuration.
 * @param ret_kiosk Receives the kiosk; the caller frees it with tappet_kiosk_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_SYSTEM or TAPPET_ERROR_LIMIT. */
int tappet_kiosk_new(struct tappet_kiosk **ret_kiosk);

/** Ends the kiosk immediately and frees it. Accepted entries stay on the disk for the next start. Blocks for at most 3
 * s, or longer if the disk hangs.
 * @param kiosk The kiosk; may be NULL. */
void tappet_kiosk_free(struct tappet_kiosk *kiosk);

/** Loads the whole configuration from a file, replacing all earlier settings. Added secrets stay.
 * @param kiosk The kiosk; not started.
 * @param path Path of the file; relative paths in the file are relative to its folder.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (tappet_kiosk_last_error()
 *   has a line for each error), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_load(struct tappet_kiosk *kiosk, const char *path);

/** Loads the whole configuration from memory, replacing all earlier settings: everything that a kiosk.yaml can contain,
 * including the panel, without a file. Added secrets stay.
 * @param kiosk The kiosk; not started.
 * @param yaml The text of a kiosk.yaml; copied.
 * @param size Size of the text in bytes.
 * @param folder Absolute path of the folder that relative paths in the text are relative to.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_CONFIGURATION (tappet_kiosk_last_error()
 *   has a line for each error), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_load_text(struct tappet_kiosk *kiosk, const char *yaml, size_t size, const char *folder);

/** Sets the broker to connect to.
 * @param kiosk The kiosk; not started.
 * @param options The broker and the credentials; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also for MQTT 5 without TLS), TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_broker(struct tappet_kiosk *kiosk, const struct tappet_broker_options *options);

/** Sets the folder of the database; the default is /var/lib/tappet. If it does not exist, it is created with mode 0700.
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
 * @param device libnfc's connection string; at most 1023 bytes. NULL means the first reader that libnfc finds. "none"
 *   means no reader: tappet-reader is not started; buttons and commands work.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_reader_device(struct tappet_kiosk *kiosk, const char *device);

/** Sets whether timestamps are sealed even if the kernel reports the clock as unsynchronized; by default they are not.
 * @param kiosk The kiosk; not started.
 * @param is_trusted Whether to trust the clock.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_set_clock_trusted(struct tappet_kiosk *kiosk, bool is_trusted);

/** Adds an action to the kiosk, which can have at most 256.
 * @param kiosk The kiosk; not started.
 * @param action The action; its size must be set. Copied.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (also if another action has the same name or index), TAPPET_ERROR_STATE,
 *   TAPPET_ERROR_LIMIT, TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_action(struct tappet_kiosk *kiosk, const struct tappet_kiosk_action *action);

/** Adds a secret to those of the database: at most 1000 for each action, or `max_secrets` of the configuration. The
 * secret exists as long as the kiosk object, and is never written to the disk.
 * @param kiosk The kiosk; not started.
 * @param action The name of the action whose tags are signed with the secret.
 * @param key The key, TAPPET_KEY_SIZE bytes; copied, and wiped with the kiosk.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE, TAPPET_ERROR_LIMIT, TAPPET_ERROR_OBJECT,
 *   TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_secret(struct tappet_kiosk *kiosk, const char *action, const uint8_t *key);

/** Sets the callback for events, replacing the previous one.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); NULL means none.
 * @param context Passed to the callback; must stay valid until the callback is replaced or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_event_callback(
    struct tappet_kiosk *kiosk, tappet_kiosk_event_callback callback, void *context);

/** Sets the callback for log records, replacing the previous one.
 * @param kiosk The kiosk.
 * @param callback Called inside tappet_kiosk_dispatch() and tappet_kiosk_run(); NULL means none.
 * @param context Passed to the callback; must stay valid until the callback is replaced or the object is freed. May be
 *   NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_set_log_callback(struct tappet_kiosk *kiosk, tappet_log_callback callback, void *context);

/** Opens the database and starts the kiosk. The first events follow in tappet_kiosk_dispatch(). Blocks on the disk.
 * @param kiosk The kiosk; with at least one action, and with a broker if an action has a topic.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (running already), TAPPET_ERROR_CONFIGURATION
 *   (something is missing or inconsistent), TAPPET_ERROR_STORE, TAPPET_ERROR_CONTROL, TAPPET_ERROR_SYSTEM,
 *   TAPPET_ERROR_MEMORY, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_start(struct tappet_kiosk *kiosk);

/** Returns a descriptor for poll, epoll and event loops. It is readable when tappet_kiosk_dispatch() has work to do.
 * @param kiosk The kiosk.
 * @return A descriptor that the object owns until the kiosk has ended or is freed: never close or read it; otherwise
 *   TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or
 *   TAPPET_ERROR_FORK. */
int tappet_kiosk_fd(const struct tappet_kiosk *kiosk);

/** Waits until tappet_kiosk_dispatch() has work to do, for programs without their own event loop. Returns early if
 * another thread presses a button of the kiosk, stops the kiosk or frees it.
 * @param kiosk The kiosk.
 * @param timeout_milliseconds Maximum time to wait; -1 means no limit.
 * @return 1 if there is work to do; 0 on timeout or if a signal handler was called; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_STATE (not running), TAPPET_ERROR_THREAD, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_wait(struct tappet_kiosk *kiosk, int timeout_milliseconds);

/** Does all pending work. Does not wait, except for at most 2 s when the kiosk ends.
 *
 * Between two calls, nothing happens: pulses and `max_on` do not end, and no light changes. Call it each time the
 * descriptor is readable, and at least every 100 ms while an output may be on. If that cannot be promised, as in a
 * program with a user interface, run the kiosk in a separate thread with tappet_kiosk_run(), which is the recommended
 * way. A press, a tag or a request that is more than 3 s old by the time of the call is refused ("too-late"), except a
 * request that returns an output to its safe level.
 * @param kiosk The kiosk.
 * @return 1 if the kiosk keeps running, 0 if it has ended after tappet_kiosk_stop(); otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_STATE (not running, or called from one of the object's own callbacks), TAPPET_ERROR_SYSTEM,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_dispatch(struct tappet_kiosk *kiosk);

/** Starts the kiosk unless it is running, and dispatches until the kiosk has ended. Blocks until then.
 * @param kiosk The kiosk.
 * @return 0 if the kiosk has ended after tappet_kiosk_stop(); otherwise an error of tappet_kiosk_start() or
 *   tappet_kiosk_dispatch(). */
int tappet_kiosk_run(struct tappet_kiosk *kiosk);

/** Presses a button of the caller's program, for example on a touch screen. The press takes effect in the next
 * tappet_kiosk_dispatch(), which refuses it if it is more than 3 s old by then. As with any button, the panel's lock
 * and the action's confirmation apply. Any thread may call this at any time, even while another one is in
 * tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param action The name of the action that the button triggers.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 presses are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_press(struct tappet_kiosk *kiosk, const char *action);

/** Sends a request to an output of the kiosk's panel (`panel.outputs` in the configuration). It takes effect in the
 * next tappet_kiosk_dispatch(), which refuses it if it is more than 3 s old by then and does not return the output to
 * its safe level. The broker need not be reachable; the output's limits apply: `max_on`, its group and the dead time.
 * TAPPET_KIOSK_EVENT_OUTPUT_CHANGED, OUTPUT_WAITING or OUTPUT_REFUSED follows, or no event if the output already has
 * the level. Any thread may call this at any time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param output The name of the output.
 * @param request The request.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_request_output(struct tappet_kiosk *kiosk, const char *output, enum tappet_kiosk_request request);

/** Retrieves an output of the kiosk's panel, as of the last tappet_kiosk_dispatch(). Any thread may call this at any
 * time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param position Position of the output, from 0, in the order of the configuration. To list all outputs, count up
 *   until 0 is returned.
 * @param ret_output Receives the output; its size must be set.
 * @return 1; 0 if there is no output at this position; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not
 *   running), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_get_output(
    const struct tappet_kiosk *kiosk, size_t position, struct tappet_kiosk_output *ret_output);

/** Makes the tag on the reader, or otherwise the next one, a tag of an action: creates a secret, writes the signed URL,
 * reads it back, and stores the sealed secret in the database. The event TAPPET_KIOSK_EVENT_TAG_WRITTEN or
 * TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN follows; until then, tags are not processed as taps. The wait for a tag has no
 * time limit. Any thread may call this at any time, even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param action The name of the action; NULL means to cancel the wait.
 * @param label A label for the secret, at most 128 bytes on one line; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_write_tag(struct tappet_kiosk *kiosk, const char *action, const char *label);

/** Lists the people of the database, sorted by name. The callbacks follow in tappet_kiosk_dispatch(), the completion
 * last. A person who is added or removed during the listing may be missing. Any thread may call this at any time, even
 * while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param callback Called with each person; NULL means that people are only counted.
 * @param completion Called with the number of people; may be NULL.
 * @param context Passed to the callback and the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_list_people(
    struct tappet_kiosk *kiosk, tappet_kiosk_person_callback callback, tappet_kiosk_completion completion,
    void *context);

/** Adds a person, who has no tags yet. This request and those below are the same as those of `tappet person` and
 * `tappet tag`: tappet_kiosk_dispatch() passes them to the database, in the order of the calls. The audit log records
 * this process. A change is in effect when the completion is called. Any thread may make these requests at any time,
 * even while another one is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param name The name, 1 to 128 bytes on one line, without leading or trailing space. The request is refused if the
 *   name is taken or contains invisible characters.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not running), TAPPET_ERROR_LIMIT (1024 requests are
 *   waiting), TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_add_person(
    struct tappet_kiosk *kiosk, const char *name, tappet_kiosk_completion completion, void *context);

/** Renames a person, who keeps their tags.
 * @param kiosk The kiosk.
 * @param name The person's current name.
 * @param new_name The person's new name, as in tappet_kiosk_add_person().
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

/** Permanently removes a person and the secrets of their tags: these tags are refused from then on. The tap log
 * keeps the person's rows without the name.
 * @param kiosk The kiosk.
 * @param name The person's name.
 * @param forgets_taps Whether to also remove the person's rows from the tap log.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_remove_person(
    struct tappet_kiosk *kiosk, const char *name, bool forgets_taps, tappet_kiosk_completion completion, void *context);

/** Assigns a tag to a person, or removes the assignment. A tag belongs to at most one person; a previous owner loses
 * it.
 * @param kiosk The kiosk.
 * @param secret_id The id of the tag's secret, from TAPPET_KIOSK_EVENT_TAG_WRITTEN or `tappet secret list`, or an
 *   unambiguous prefix of the id.
 * @param name The person's name; NULL means no person.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_assign_tag(
    struct tappet_kiosk *kiosk, const char *secret_id, const char *name, tappet_kiosk_completion completion,
    void *context);

/** Lets an external tag trigger an action by its UID. A UID can be copied by anyone, so it opens no doors: the request
 * is refused for an action that drives an output or unlocks the buttons, and for a random UID that the tag changes
 * at each tap. A tag that is already known gets the new action and label.
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

/** Forgets a tag that was learned by its UID with tappet_kiosk_learn_tag() or `tappet tag learn`.
 * @param kiosk The kiosk.
 * @param uid The UID.
 * @param uid_size Size of the UID in bytes: 4, 7 or 10.
 * @param completion Called with the result; may be NULL.
 * @param context Passed to the completion; may be NULL.
 * @return 0; otherwise the errors of tappet_kiosk_add_person(). */
int tappet_kiosk_forget_tag(
    struct tappet_kiosk *kiosk, const uint8_t *uid, size_t uid_size, tappet_kiosk_completion completion, void *context);

/** Stops the kiosk. The kiosk waits up to 3 s for the broker's outstanding acknowledgements; a second call ends it
 * immediately. Any thread may call this at any time, even while another one is in tappet_kiosk_run(), but a signal
 * handler may not. The request takes effect after the pending presses, and is accepted however many there are. It is
 * never lost: a kiosk that is not running ends as soon as it is started.
 * @param kiosk The kiosk.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_stop(struct tappet_kiosk *kiosk);

/** Sets the outputs and lights of a kiosk that was killed to their safe levels, because some kernels, such as that of
 * Raspberry Pi OS, keep the level of a line whose program has ended. The kiosk records the levels in its state folder;
 * they apply until the machine restarts. Any thread may call this at any time. Blocks on the disk.
 * @param folder The kiosk's state folder.
 * @return The number of outputs and lights that were set, 0 if none is recorded; otherwise TAPPET_ERROR_ARGUMENT,
 *   TAPPET_ERROR_STATE (a kiosk is running with this folder) or TAPPET_ERROR_SYSTEM (at least one level could not be
 *   read or set; the others were set). */
int tappet_kiosk_make_safe(const char *folder);

/** Retrieves the numbers of taps and presses by outcome. Any thread may call this at any time, even while another one
 * is in tappet_kiosk_run().
 * @param kiosk The kiosk.
 * @param ret_counters Receives the numbers since the start of the current or last run; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT or TAPPET_ERROR_FORK. */
int tappet_kiosk_get_counters(const struct tappet_kiosk *kiosk, struct tappet_kiosk_counters *ret_counters);

/** Reports why the last failed call failed.
 * @param kiosk The kiosk.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_kiosk_last_error(const struct tappet_kiosk *kiosk, struct tappet_failure *ret_failure);

/** @} */
/** @defgroup inventory Inventory
 * The contents and location of each box: buildings contain rooms, rooms contain spots, spots contain boxes, boxes
 * contain items. This is the inventory of `tappet box` and `tappet find`, a separate database in a state folder, with
 * the same rules. It needs no kiosk, but a kiosk may be running.
 *
 * Several objects, threads and processes may have one inventory open. Each change is one transaction, which is on the
 * disk when the call returns. All calls with an open inventory block on the disk, and for at most 5 s more while others
 * write.
 * @{ */

/** Size of an id as text in bytes, including the NUL. */
#define TAPPET_INVENTORY_ID_SIZE 37

/** An open inventory. */
struct tappet_inventory;

/** Kinds of entries, from the outermost to the innermost. Each entry is in an entry of the preceding kind. */
enum tappet_inventory_kind {
  TAPPET_INVENTORY_KIND_ANY = 0,      /**< An entry of any kind; only in tappet_inventory_resolve(). */
  TAPPET_INVENTORY_KIND_BUILDING = 1, /**< A building, the outermost kind. */
  TAPPET_INVENTORY_KIND_ROOM = 2,     /**< A room of a building. */
  TAPPET_INVENTORY_KIND_SPOT = 3,     /**< A spot in a room: a shelf, a drawer, a corner. */
  TAPPET_INVENTORY_KIND_BOX = 4,      /**< A box at a spot, with a code. */
  TAPPET_INVENTORY_KIND_ITEM = 5      /**< An item in a box, with a quantity. */
};

/** Values for an entry that is added or edited. */
struct tappet_inventory_values {
  size_t size;             /**< sizeof(struct tappet_inventory_values), set by the caller. */
  const char *name;        /**< The name, or the label of a box: 1 to 512 bytes on one line. Leading and trailing space
                                is removed. NULL means unchanged; a new entry needs a name. */
  const char *code;        /**< Unique text of a box's QR code: 1 to 128 bytes on one line. NULL means unchanged; a new
                                box then gets a code such as "B-7Q2M0ZK4XD". */
  const char *notes;       /**< An item's notes, at most 64 KiB. NULL means unchanged. */
  const int64_t *quantity; /**< Number of pieces of an item, from 0 to 1,000,000,000. NULL means unchanged, or 1 for a
                                new item. */
  const int64_t *minimum;  /**< Number of pieces below which an item is low; -1 removes this minimum. NULL means
                                unchanged, or none for a new item. */
};

/** A building, room, spot, box or item. Its texts are owned by the library. In a callback, they are valid only during
 * the callback; otherwise they are valid until the next call with the object. */
struct tappet_inventory_entry {
  size_t size;                                 /**< sizeof(struct tappet_inventory_entry), set by the caller; in a
                                                    callback, as the library was built. */
  enum tappet_inventory_kind kind;             /**< Kind of the entry. */
  char id[TAPPET_INVENTORY_ID_SIZE];           /**< Id of the entry, a UUID in lower case; never changes. */
  char container_id[TAPPET_INVENTORY_ID_SIZE]; /**< Id of the place that contains the entry; empty for a building. */
  bool is_low;                                 /**< Whether there are fewer pieces of the item than its minimum. */
  uint8_t reserved[1];                         /**< Set to 0. */
  const char *name;                            /**< Name of the entry, or label of a box. */
  const char *location;                        /**< Names of the places that contain the entry, from the building on,
                                                    separated by " → "; empty for a building. */
  const char *code;                            /**< Text of a box's QR code; NULL if it is not a box. */
  const char *notes;                           /**< An item's notes; NULL if it is not an item. */
  const char *photo;                           /**< Path of an item's photo; NULL if there is none. */
  int64_t quantity;                            /**< Number of pieces of an item; 0 if it is not an item. */
  int64_t minimum;                             /**< Number of pieces below which an item is low; -1 if there is none. */
  int64_t created_unix_milliseconds;           /**< When the entry was added, in milliseconds since 1970. */
  const char *holder;                          /**< Names of the people who have the item, pieces of it, or the box,
                                                    separated by ", "; NULL if nobody has. At most eight are named;
                                                    tappet_inventory_list_loans() lists all. */
};

/** A loan of an item, of some of its pieces, or of a box. Its texts are owned by the library and valid only during the
 * callback. */
struct tappet_inventory_loan {
  size_t size;                       /**< sizeof(struct tappet_inventory_loan), as the library was built. */
  enum tappet_inventory_kind kind;   /**< Kind of the entry: an item or a box. */
  char id[TAPPET_INVENTORY_ID_SIZE]; /**< Id of the entry. */
  bool is_overdue;                   /**< Whether the last day is before today, in the machine's time zone. */
  uint8_t reserved[6];               /**< Set to 0. */
  const char *name;                  /**< Name of the entry, or label of a box. */
  const char *person;                /**< Name of the person. */
  const char *due_day;               /**< Last day of the loan, such as "2026-12-24"; NULL if there is none. */
  int64_t quantity;                  /**< Number of pieces; 0 if the person has all of the item, or the box. */
  int64_t since_unix_milliseconds;   /**< Start of the loan, in milliseconds since 1970. */
};

/** A reservation of an item, or of some of its pieces. Its texts are owned by the library and valid only during the
 * callback. */
struct tappet_inventory_reservation {
  size_t size;                       /**< sizeof(struct tappet_inventory_reservation), as the library was built. */
  char id[TAPPET_INVENTORY_ID_SIZE]; /**< Id of the item. */
  uint8_t reserved[3];               /**< Set to 0. */
  const char *name;                  /**< Name of the item. */
  const char *person;                /**< Name of the person. */
  const char *first_day;             /**< First day of the reservation, such as "2026-12-24". */
  const char *last_day;              /**< Last day of the reservation. */
  int64_t quantity;                  /**< Number of pieces; 0 means all of the item. */
};

/** A change that can be undone, or that was undone and can be redone. Its texts are owned by the library and valid only
 * during the callback. */
struct tappet_inventory_change {
  size_t size;                     /**< sizeof(struct tappet_inventory_change), as the library was built. */
  int64_t number;                  /**< Number of the change; later changes have larger numbers. */
  enum tappet_inventory_kind kind; /**< Kind of the changed entry. */
  bool is_undone;                  /**< Whether the change has been undone. */
  uint8_t reserved[3];             /**< Set to 0. */
  const char *verb;                /**< The kind of change: "added", "edited", "moved", "removed", "imported", "lent",
                                        "returned", "reserved", "unreserved" or "counted"; a later version may have
                                        others. */
  const char *name;                /**< Name of the entry before the change. */
  const char *by;                  /**< Name of the person who made the change. */
  int64_t entry_count;             /**< Number of entries that were changed, added or removed. */
  int64_t unix_milliseconds;       /**< Time of the change, in milliseconds since 1970. */
};

/** Receives an entry of a list. The list was read before the first call, so changes do not affect it.
 * @param context The pointer that was passed with the callback.
 * @param entry The entry. */
typedef void (*tappet_inventory_callback)(void *context, const struct tappet_inventory_entry *entry);

/** Receives a loan of a list, as a tappet_inventory_callback receives an entry.
 * @param context The pointer that was passed with the callback.
 * @param loan The loan. */
typedef void (*tappet_inventory_loan_callback)(void *context, const struct tappet_inventory_loan *loan);

/** Receives a reservation of a list, as a tappet_inventory_callback receives an entry.
 * @param context The pointer that was passed with the callback.
 * @param reservation The reservation. */
typedef void (*tappet_inventory_reservation_callback)(
    void *context, const struct tappet_inventory_reservation *reservation);

/** Receives a change of a list, as a tappet_inventory_callback receives an entry.
 * @param context The pointer that was passed with the callback.
 * @param change The change. */
typedef void (*tappet_inventory_change_callback)(void *context, const struct tappet_inventory_change *change);

/** Receives a barcode of a list, as a tappet_inventory_callback receives an entry.
 * @param context The pointer that was passed with the callback.
 * @param barcode The barcode; valid only during the callback. */
typedef void (*tappet_inventory_barcode_callback)(void *context, const char *barcode);

/** Creates an inventory that is not open yet.
 * @param ret_inventory Receives the inventory; the caller frees it with tappet_inventory_free().
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT or TAPPET_ERROR_LIMIT. */
int tappet_inventory_new(struct tappet_inventory **ret_inventory);

/** Closes and frees an inventory.
 * @param inventory The inventory; NULL and freed ones are ignored. */
void tappet_inventory_free(struct tappet_inventory *inventory);

/** Opens the inventory of a state folder; creates the folder and the database if they do not exist.
 * @param inventory The inventory.
 * @param path Path of the state folder, the same as in the configuration of the tools; at most 4095 bytes.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (open already), TAPPET_ERROR_STORE,
 *   TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_open(struct tappet_inventory *inventory, const char *path);

/** Adds an entry.
 * @param inventory The inventory.
 * @param kind Kind of the entry.
 * @param container_id The id of the place to add the entry to; may be NULL, which is valid for buildings only.
 * @param values The entry's values; the name is required.
 * @param by Name of the person who adds the entry, 1 to 128 bytes on one line.
 * @param ret_entry Receives the entry; its size must be set. May be NULL.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT (refused; tappet_inventory_last_error() states why: an unknown id, an
 *   empty name, a code that another box has), TAPPET_ERROR_STATE (not open), TAPPET_ERROR_STORE (with ret_entry, the
 *   change may have been made), TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_add(
    struct tappet_inventory *inventory, enum tappet_inventory_kind kind, const char *container_id,
    const struct tappet_inventory_values *values, const char *by, struct tappet_inventory_entry *ret_entry);

/** Changes values of an entry. Values that the entry already has are refused.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param values The values that change.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @param ret_entry Receives the changed entry; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_edit(
    struct tappet_inventory *inventory, const char *id, const struct tappet_inventory_values *values, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Adds pieces to an item or removes pieces from it, so that changes by several people at the same time add up.
 * @param inventory The inventory.
 * @param id The id of the item.
 * @param pieces Number of pieces to add; negative to remove pieces, but not those that people have on loan.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @param ret_entry Receives the changed item; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_adjust(
    struct tappet_inventory *inventory, const char *id, int64_t pieces, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Adds a barcode to an entry of any kind: an EAN, or another program's number. The entry may have several. Adding
 * a barcode that the entry already has changes nothing.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param barcode The barcode, 1 to 128 bytes on one line without spaces; no other entry may have it, nor a box as code.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_add_barcode(
    struct tappet_inventory *inventory, const char *id, const char *barcode, const char *by);

/** Removes a barcode from an entry. A barcode that the entry does not have is refused.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param barcode The barcode.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_remove_barcode(
    struct tappet_inventory *inventory, const char *id, const char *barcode, const char *by);

/** Moves an entry, with everything in it, to another place; `tappet inventory moves` lists the move. The entry's
 * current place is refused.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param container_id The id of the new place.
 * @param by Name of the person who moves the entry, as in tappet_inventory_add().
 * @param ret_entry Receives the changed entry; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_move(
    struct tappet_inventory *inventory, const char *id, const char *container_id, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Removes an entry with everything in it.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param by Name of the person who removes the entry, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_remove(struct tappet_inventory *inventory, const char *id, const char *by);

/** Lends an item, some of its pieces, or a box to a person, as `tappet item lend` does. The entry keeps its place, to
 * which it returns. Lending all of it to another person ends the previous loan; lending it to the same person again
 * changes the last day. It is refused if other people have too many of the pieces, or have reserved them for a day of
 * the loan.
 * @param inventory The inventory.
 * @param id The id of the item or box.
 * @param person Name of the person, 1 to 128 bytes on one line.
 * @param quantity Number of pieces to lend, in addition to those that the person has; 0 means all of the item, or the
 *   box.
 * @param due_day Last day of the loan, such as "2026-12-24". May be NULL, for a loan without one.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @param ret_entry Receives the entry; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_lend(
    struct tappet_inventory *inventory, const char *id, const char *person, int64_t quantity, const char *due_day,
    const char *by, struct tappet_inventory_entry *ret_entry);

/** Ends a loan, or returns some of the lent pieces. An entry that the person does not have is refused.
 * @param inventory The inventory.
 * @param id The id of the item or box.
 * @param person Name of the person who returns it. May be NULL, unless several people have pieces of the item.
 * @param quantity Number of pieces to return; 0 means everything that the person has.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @param ret_entry Receives the entry; its size must be set. May be NULL.
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_return(
    struct tappet_inventory *inventory, const char *id, const char *person, int64_t quantity, const char *by,
    struct tappet_inventory_entry *ret_entry);

/** Reserves an item, or some of its pieces, for a person. It is refused if other reservations and loans leave too few
 * pieces on one of the days, or if the person has another reservation of the item that starts on the same day.
 * @param inventory The inventory.
 * @param id The id of the item.
 * @param person Name of the person, 1 to 128 bytes on one line.
 * @param quantity Number of pieces to reserve; 0 means all of the item.
 * @param first_day First day of the reservation, such as "2026-12-24".
 * @param last_day Last day of the reservation.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_reserve(
    struct tappet_inventory *inventory, const char *id, const char *person, int64_t quantity, const char *first_day,
    const char *last_day, const char *by);

/** Cancels a reservation of an item. A reservation that does not exist is refused.
 * @param inventory The inventory.
 * @param id The id of the item.
 * @param person Name of the person who has the reservation. May be NULL, unless several people have one from this day.
 * @param first_day First day of the reservation.
 * @param by Name of the person who makes the change, as in tappet_inventory_add().
 * @return 0; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_unreserve(
    struct tappet_inventory *inventory, const char *id, const char *person, const char *first_day, const char *by);

/** Undoes the most recent change that has not been undone, no matter who made it. An import is one change. The last 50
 *  changes are kept.
 * @param inventory The inventory.
 * @param by Name of the person who undoes the change, as in tappet_inventory_add().
 * @return 1; 0 if there is no change to undo; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_undo(struct tappet_inventory *inventory, const char *by);

/** Undoes the change with a number, no matter who made it. It is refused if a later change that was not undone affects
 * the same entries; tappet_inventory_last_error() names that change.
 * @param inventory The inventory.
 * @param number Number of the change, from tappet_inventory_list_changes().
 * @param by Name of the person who undoes the change, as in tappet_inventory_add().
 * @return 1; 0 if there is no such change, or it was already undone; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_undo_change(struct tappet_inventory *inventory, int64_t number, const char *by);

/** Redoes the change that a person undid last. It is refused if a later change affects the same entries, as in
 * tappet_inventory_undo_change().
 * @param inventory The inventory.
 * @param by Name of the person who undid the change, and who redoes it, as in tappet_inventory_add().
 * @return 1; 0 if there is no change to redo; otherwise the errors of tappet_inventory_add(). */
int tappet_inventory_redo(struct tappet_inventory *inventory, const char *by);

/** Retrieves an entry by its id.
 * @param inventory The inventory.
 * @param id The id.
 * @param ret_entry Receives the entry; its size must be set.
 * @return 1; 0 if there is no such entry; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_STATE (not open),
 *   TAPPET_ERROR_STORE, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_get(
    struct tappet_inventory *inventory, const char *id, struct tappet_inventory_entry *ret_entry);

/** Retrieves the box whose QR code has exactly the given text.
 * @param inventory The inventory.
 * @param code Text of the code, as a scanner reads it.
 * @param ret_entry Receives the box; its size must be set.
 * @return 1; 0 if no box has this code; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_get_by_code(
    struct tappet_inventory *inventory, const char *code, struct tappet_inventory_entry *ret_entry);

/** Retrieves the only entry that a text matches, as the commands do: by the code of a box, a barcode or an id, exactly
 * as a scanner reads it; otherwise by a name, or by a path such as "House / Cellar / Shelf", whose start may be left
 * out.
 * @param inventory The inventory.
 * @param kind Kind of the entry. With TAPPET_INVENTORY_KIND_ANY, boxes are searched first, then other places, from the
 *   innermost to the outermost, then items.
 * @param text The text.
 * @param ret_entry Receives the entry; its size must be set.
 * @return 1; 0 if no entry matches; otherwise the errors of tappet_inventory_get(), including TAPPET_ERROR_ARGUMENT if
 *   several entries of one kind match. */
int tappet_inventory_resolve(
    struct tappet_inventory *inventory, enum tappet_inventory_kind kind, const char *text,
    struct tappet_inventory_entry *ret_entry);

/** Finds entries by words, as `tappet find` does: entries whose name or notes contain each word of the text, as the
 * start of a word, and boxes whose code starts with the text. Case and accents are ignored. Boxes found by their code
 * come first, then other places, then items, newest first.
 * @param inventory The inventory.
 * @param text The words, at most 64 KiB.
 * @param limit Maximum number of entries to find.
 * @param callback Called with each entry, inside this call; NULL means that entries are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of entries; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_find(
    struct tappet_inventory *inventory, const char *text, size_t limit, tappet_inventory_callback callback,
    void *context);

/** Lists the entries directly in a place, oldest first.
 * @param inventory The inventory.
 * @param container_id The id of the place; NULL means the buildings.
 * @param callback Called with each entry, inside this call; NULL means that entries are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of entries; otherwise the errors of tappet_inventory_get(), including TAPPET_ERROR_ARGUMENT for an
 *   unknown id. */
int tappet_inventory_list(
    struct tappet_inventory *inventory, const char *container_id, tappet_inventory_callback callback, void *context);

/** Lists all items with fewer pieces than their minimum, newest first.
 * @param inventory The inventory.
 * @param callback Called with each item, inside this call; NULL means that items are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of items; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_list_low(
    struct tappet_inventory *inventory, tappet_inventory_callback callback, void *context);

/** Lists loans: items before boxes, and the longest loan first.
 * @param inventory The inventory.
 * @param id The id of an item or box. May be NULL, which lists all loans.
 * @param callback Called with each loan, inside this call; NULL means that loans are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of loans; otherwise the errors of tappet_inventory_list(). */
int tappet_inventory_list_loans(
    struct tappet_inventory *inventory, const char *id, tappet_inventory_loan_callback callback, void *context);

/** Lists current and future reservations in chronological order.
 * @param inventory The inventory.
 * @param id The id of an item. May be NULL, which lists all reservations.
 * @param callback Called with each reservation, inside this call; NULL means that reservations are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of reservations; otherwise the errors of tappet_inventory_list(). */
int tappet_inventory_list_reservations(
    struct tappet_inventory *inventory, const char *id, tappet_inventory_reservation_callback callback, void *context);

/** Lists the barcodes of an entry in alphabetical order; the code of a box is not one of them.
 * @param inventory The inventory.
 * @param id The id of the entry.
 * @param callback Called with each barcode, inside this call; NULL means that barcodes are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of barcodes; otherwise the errors of tappet_inventory_list(). */
int tappet_inventory_list_barcodes(
    struct tappet_inventory *inventory, const char *id, tappet_inventory_barcode_callback callback, void *context);

/** Lists the last 50 changes, newest first. An import is one change; undos are not listed.
 * @param inventory The inventory.
 * @param callback Called with each change, inside this call; NULL means that changes are only counted.
 * @param context Passed to the callback; may be NULL.
 * @return The number of changes; otherwise the errors of tappet_inventory_get(). */
int tappet_inventory_list_changes(
    struct tappet_inventory *inventory, tappet_inventory_change_callback callback, void *context);

/** Reports why the last failed call failed.
 * @param inventory The inventory.
 * @param ret_failure Receives the failure; its size must be set.
 * @return 0; otherwise TAPPET_ERROR_ARGUMENT, TAPPET_ERROR_OBJECT, TAPPET_ERROR_THREAD or TAPPET_ERROR_FORK. */
int tappet_inventory_last_error(const struct tappet_inventory *inventory, struct tappet_failure *ret_failure);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
