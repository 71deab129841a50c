#include "CLineEdit.h"

#include <dlfcn.h>
#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* `fn_complete` of libedit, which no header declares. */
typedef int complete_function(EditLine *, char *(*)(const char *, int), char **(*)(const char *, int, int),
                              const wchar_t *, const wchar_t *, const char *(*)(const char *), size_t, int *, int *,
                              int *, int *);

static struct {
  __typeof__(el_init) *init;
  __typeof__(el_set) *set;
  __typeof__(el_gets) *gets;
  __typeof__(el_line) *line;
  __typeof__(el_deletestr) *delete;
  __typeof__(el_insertstr) *insert;
  __typeof__(el_resize) *resize;
  complete_function *complete;
} library;

static EditLine *editor;
static const char *prompt_text;
static int end_descriptor;

static char *prompt(EditLine *line) {
  (void)line;
  return (char *)prompt_text;
}

/* Bytes that are read before those of the terminal. */
static char waiting[8];
static size_t waiting_size;

static void put_back(const char *bytes, size_t size) {
  memmove(waiting + size, waiting, waiting_size);
  memcpy(waiting, bytes, size);
  waiting_size += size;
}

/* Reads a byte from the terminal; returns 0 at the end, once the other descriptor is readable, or after `limit` ms. */
static int read_byte(EditLine *line, char *ret_byte, int limit) {
  for (;;) {
    /* libedit's own handler detects only the first change of size. */
    library.resize(line);
    struct pollfd both[2] = {{.fd = 0, .events = POLLIN}, {.fd = end_descriptor, .events = POLLIN}};
    const int count = poll(both, 2, limit);
    if (count < 0) {
      if (errno != EINTR) return 0;
      /* The process was stopped and continued, or the window has a new size. */
      library.set(line, EL_REFRESH);
      continue;
    }
    if (count == 0 || both[1].revents != 0) return 0;
    const ssize_t size = read(0, ret_byte, 1);
    if (size >= 0 || (errno != EINTR && errno != EAGAIN)) return size == 1;
  }
}

/* Reads what follows an escape character. A control sequence (ECMA-48, 5.4) that libedit does not support would become
   text, so it is discarded; but Ctrl or Alt with an arrow moves by a word. Returns whether libedit must act. */
static int read_sequence(EditLine *line) {
  const int key_milliseconds = 50;
  char bytes[8];
  size_t size = 0;
  if (!read_byte(line, bytes, key_milliseconds)) return 1;
  if (bytes[0] != '[') {
    put_back(bytes, 1);
    return 1;
  }
  char byte;
  int is_final = 0;
  while (!is_final && read_byte(line, &byte, key_milliseconds)) {
    if (++size < sizeof bytes) bytes[size] = byte;
    /* The function keys of Linux's console are `[[A` to `[[E`. */
    is_final = byte >= 0x40 && byte <= 0x7E && !(size == 1 && byte == '[');
  }
  if (size == 1 || (size == 2 && byte == '~' && strchr("13478", bytes[1]) != NULL)) {
    put_back(bytes, size + 1);
    return 1;
  }
  const int is_word = size == 4 && bytes[1] == '1' && bytes[2] == ';' && (bytes[3] == '5' || bytes[3] == '3');
  if (!is_word || (byte != 'C' && byte != 'D')) return 0;
  put_back(byte == 'C' ? "f" : "b", 1);
  return 1;
}

static int next_byte(EditLine *line, char *ret_byte) {
  if (waiting_size > 0) {
    *ret_byte = waiting[0];
    memmove(waiting, waiting + 1, --waiting_size);
    return 1;
  }
  do {
    if (!read_byte(line, ret_byte, -1)) return 0;
  } while (*ret_byte == 0x1B && !read_sequence(line));
  return 1;
}

static int next_character(EditLine *line, wchar_t *ret_character) {
  mbstate_t state = {0};
  char byte;
  while (next_byte(line, &byte)) {
    const int is_partial = !mbsinit(&state);
    const size_t size = mbrtowc(ret_character, &byte, 1, &state);
    if (size == (size_t)-2) continue;
    if (size == (size_t)-1) {
      *ret_character = 0xFFFD;
      /* The byte that ends an incomplete character starts the next one. */
      if (is_partial) put_back(&byte, 1);
    }
    return 1;
  }
  return 0;
}

static char **no_matches(const char *text, int start, int end) {
  (void)text, (void)start, (void)end;
  return NULL;
}

/* Completes a file name; spaces and quotation marks are part of it, because no shell reads the line. */
static unsigned char complete(EditLine *line) {
  int type = 0, is_over = 0;
  return (unsigned char)library.complete(line, NULL, no_matches, L"", NULL, NULL, 100, &type, &is_over, NULL, NULL);
}

/* Completes a path; `~/` becomes the home folder first, because only shells expand it. */
static unsigned char complete_path(EditLine *line, int key) {
  (void)key;
  const LineInfo *const typed = library.line(line);
  const char *const home = getenv("HOME");
  const size_t size = (size_t)(typed->cursor - typed->buffer);
  char path[PATH_MAX];
  if (home == NULL || size < 2 || strncmp(typed->buffer, "~/", 2) != 0 ||
      (size_t)snprintf(path, sizeof path, "%s%.*s", home, (int)size - 1, typed->buffer + 1) >= sizeof path)
    return complete(line);
  const size_t count = mbstowcs(NULL, path + strlen(home), 0);
  if (count == (size_t)-1) return CC_ERROR;
  library.delete(line, (int)count + 1);
  library.insert(line, path);
  const unsigned char result = complete(line);
  return result == CC_NORM || result == CC_ERROR ? CC_REFRESH : result;
}

static int load(void) {
  void *const found = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (found == NULL) return 0;
  *(void **)&library.init = dlsym(found, "el_init");
  *(void **)&library.set = dlsym(found, "el_set");
  *(void **)&library.gets = dlsym(found, "el_gets");
  *(void **)&library.line = dlsym(found, "el_line");
  *(void **)&library.delete = dlsym(found, "el_deletestr");
  *(void **)&library.insert = dlsym(found, "el_insertstr");
  *(void **)&library.resize = dlsym(found, "el_resize");
  *(void **)&library.complete = dlsym(found, "fn_complete");
  return library.init != NULL && library.set != NULL && library.gets != NULL && library.line != NULL &&
         library.delete != NULL && library.insert != NULL && library.resize != NULL && library.complete != NULL;
}

static int open_editor(void) {
  static int is_tried;
  if (is_tried) return editor != NULL;
  is_tried = 1;
  const char *const type = getenv("TERM");
  if (type == NULL || *type == 0 || strcmp(type, "dumb") == 0 || !isatty(2) || !load()) return 0;
  // Otherwise each byte of UTF-8 counts as a character.
  if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  // libedit would report an unknown terminal type, although it works with one.
  FILE *const complaints = fopen("/dev/null", "we");
  if (complaints == NULL) return 0;
  editor = library.init("tappet", stdin, stderr, complaints);
  if (editor == NULL) return 0;
  library.set(editor, EL_SIGNAL, 1);
  library.set(editor, EL_EDITOR, "emacs");
  library.set(editor, EL_PROMPT, prompt);
  library.set(editor, EL_GETCFN, next_character);
  library.set(editor, EL_ADDFN, "complete-path", "completes a path", complete_path);
  library.set(editor, EL_BIND, "^I", "complete-path", NULL);
  return 1;
}

enum tl_outcome tl_read(const char *text, int end_fd, const char **ret_line, size_t *ret_size) {
  if (!isatty(0) || !open_editor()) return TL_NO_EDITOR;
  prompt_text = text;
  end_descriptor = end_fd;
  int size = 0;
  const char *const line = library.gets(editor, &size);
  if (line == NULL || size <= 0) return TL_ENDED;
  *ret_line = line;
  *ret_size = (size_t)size - (line[size - 1] == '\n');
  return TL_LINE;
}
