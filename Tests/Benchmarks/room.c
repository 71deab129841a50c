// The baseline of Tests/Benchmarks/rooms: says a line in a Matrix room with libcurl, on a connection that stays open,
// for each line that it reads, and prints the same line when the homeserver has answered 200.
//
// Usage: room URL TOKEN ROOM     ROOM is escaped already
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  char header[1024], line[128], url[2048], body[256];
  CURL *curl = curl_easy_init();
  if (!curl) return 1;
  snprintf(header, sizeof header, "Authorization: Bearer %s", words[2]);
  struct curl_slist *headers = curl_slist_append(curl_slist_append(NULL, header), "Content-Type: application/json");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "PUT");
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    snprintf(url, sizeof url, "%s/_matrix/client/v3/rooms/%s/send/m.room.message/%s", words[1], words[3], line);
    snprintf(body, sizeof body, "{\"msgtype\":\"m.notice\",\"body\":\"bell %s\"}", line);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    long status = 0;
    if (curl_easy_perform(curl) != CURLE_OK) return 1;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) return 1;
    puts(line);
    fflush(stdout);
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
}
