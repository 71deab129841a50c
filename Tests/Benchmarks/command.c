// The baseline of Tests/Benchmarks/rooms for commands: polls a Matrix room with libcurl, and for each line '!lamp …'
// commits a row, as durable as the kiosk's, and prints the time in ns of CLOCK_BOOTTIME. It remembers nothing else: a
// restart would lose lines, and a repeated answer would act twice.
//
// Usage: command URL TOKEN ROOM DATABASE
#include <curl/curl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char answer[1 << 20];
static size_t length;

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  (void)context;
  if (length + size * count >= sizeof answer) return 0;
  memcpy(answer + length, bytes, size * count);
  length += size * count;
  answer[length] = 0;
  return size * count;
}

// Copies the text of the member after this word.
static int copy(const char *word, char *text, size_t size) {
  char *begin = strstr(answer, word);
  if (!begin) return 0;
  begin += strlen(word);
  size_t count = strcspn(begin, "\"");
  if (count >= size) return 0;
  memcpy(text, begin, count);
  text[count] = 0;
  return 1;
}

static void act(sqlite3 *database) {
  if (sqlite3_exec(database, "INSERT INTO lines (line) VALUES (randomblob(64))", NULL, NULL, NULL) != SQLITE_OK)
    exit(1);
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  printf("%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
  fflush(stdout);
}

int main(int count, char **words) {
  if (count != 5) return 2;
  char header[1024], url[4096], since[512] = "", filter[1024];
  sqlite3 *database;
  const char *setup = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE lines (line BLOB)";
  if (sqlite3_open(words[4], &database) != SQLITE_OK) return 1;
  if (sqlite3_exec(database, setup, NULL, NULL, NULL) != SQLITE_OK) return 1;
  CURL *curl = curl_easy_init();
  if (!curl) return 1;
  snprintf(header, sizeof header, "Authorization: Bearer %s", words[2]);
  struct curl_slist *headers = curl_slist_append(NULL, header);
  snprintf(filter, sizeof filter,
           "{\"presence\":{\"types\":[]},\"account_data\":{\"types\":[]},\"room\":{\"rooms\":[\"%s\"],"
           "\"ephemeral\":{\"types\":[]},\"account_data\":{\"types\":[]},\"state\":{\"types\":[]},"
           "\"timeline\":{\"limit\":20,\"types\":[\"m.room.message\"]}}}", words[3]);
  char *escaped = curl_easy_escape(curl, filter, 0);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
  for (int is_first = 1;; is_first = 0) {
    snprintf(url, sizeof url, "%s/_matrix/client/v3/sync?set_presence=offline&timeout=%d&filter=%s%s%s", words[1],
             is_first ? 0 : 30000, escaped, is_first ? "" : "&since=", since);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    length = 0;
    long status = 0;
    if (curl_easy_perform(curl) != CURLE_OK) return 1;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || !copy("\"next_batch\":\"", since, sizeof since)) return 1;
    if (is_first) {
      puts("ready");
      fflush(stdout);
    } else if (strstr(answer, "\"body\":\"!lamp ")) {
      act(database);
    }
  }
}
