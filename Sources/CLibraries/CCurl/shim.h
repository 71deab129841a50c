#include <stdbool.h>
#include <stddef.h>
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic. */
static inline CURLcode tp_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tp_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tp_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tp_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode tp_curl_set_bytes(CURL *handle, const void *bytes, long size) {
  const CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, size);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}
/* libcurl reads from the blob until the handle is freed. */
static inline CURLcode tp_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t size) {
  struct curl_blob blob = { (void *)bytes, size, CURL_BLOB_NOCOPY };
  return curl_easy_setopt(handle, option, &blob);
}
static inline CURLcode tp_curl_set_writer(CURL *handle, size_t (*writer)(char *, size_t, size_t, void *), void *data) {
  const CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, data);
}
static inline CURLcode tp_curl_set_header_writer(
  CURL *handle, size_t (*writer)(char *, size_t, size_t, void *), void *data) {
  const CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, writer);
  return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, data);
}
static inline long tp_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
static inline const char *tp_curl_text(CURL *handle, CURLINFO info) {
  char *text = NULL;
  return curl_easy_getinfo(handle, info, &text) == CURLE_OK ? text : NULL;
}
static inline long long tp_curl_offset(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? (long long)value : 0;
}
static inline CURLMcode tp_curl_set_multi(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
/* Returns the next finished request; NULL if there is none. */
static inline CURL *tp_curl_next_done(CURLM *multi, CURLcode *ret_code) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    *ret_code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
/* Waits for the requests or `fd`, for at most `timeout_ms`; returns whether `fd` is readable. */
static inline bool tp_curl_wait(CURLM *multi, int fd, int timeout_ms) {
  struct curl_waitfd own = { fd, CURL_WAIT_POLLIN, 0 };
  curl_multi_poll(multi, &own, 1, timeout_ms, NULL);
  return own.revents != 0;
}
static inline long tp_curl_global_flags(void) { return CURL_GLOBAL_DEFAULT; }
