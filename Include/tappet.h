/** @file tappet.h
 * libtappet: signed NFC tags, MQTT over mutual TLS and the whole kiosk, for C and everything that speaks to C.
 *
 * The library never prints, exits, aborts or changes signal handlers, the locale, the working directory or the environment.
 * Sections: errors, values, kiosk, reader, broker. Each is usable without the others.
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
 * on the thread that called it; they may call any function, also with the same object, and may free it.
 *
 * @par Fork
 * In a child after fork the parent's objects answer FORK, and _free only forgets them. Do not fork while another thread is
 * inside a call. All descriptors of the library are closed by exec.
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
  TAPPET_ERROR_PANEL = -43,         /**< The configured panel cannot be reached. */
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
 * @param bytes The bytes; may be NULL where size is 0.
 * @param size How many; at most 2^30.
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
 * @param label For people; trimmed. May be NULL where label_size is 0: none.
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
 * @param now_unix_seconds The time now, seconds since 1970: the library reads no clock here.
 * @param ret_unix_seconds Gets the token's time.
 * @return 0; or ARGUMENT, TOKEN, CHECKSUM, WINDOW, REPEATED, MEMORY, OBJECT, THREAD, FORK. */
int tappet_token_receiver_accept(
    struct tappet_token_receiver *receiver, const char *token, size_t token_size, int64_t now_unix_seconds,
    int64_t *ret_unix_seconds);

/** Forgets everything and frees the receiver.
 * @param receiver The receiver; may be NULL. */
void tappet_token_receiver_free(struct tappet_token_receiver *receiver);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
