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

static struct {
  __typeof__(el_init) *init;
  __typeof__(el_set) *set;
  __typeof__(el_gets) *gets;
  __typeof__(el_line) *line;
  __typeof__(el_deletestr) *delete;
  __typeof__(el_insertstr) *insert;
  __typeof__(_el_fn_complete) *complete;
} library;

static EditLine *editor;
static const char *prompt_text;
static int end_descriptor;

static char *prompt(EditLine *line) {
  (void)line;
  return (char *)prompt_text;
}

/* A byte of the terminal; 0 at the end, or once the other descriptor is readable. */
static int next_byte(EditLine *line, char *ret_byte) {
  for (;;) {
    struct pollfd both[2] = {{.fd = 0, .events = POLLIN}, {.fd = end_descriptor, .events = POLLIN}};
    if (poll(both, 2, -1) < 0) {
      if (errno != EINTR) return 0;
      /* The process was stopped and continued, or the window has a new size. */
      library.set(line, EL_REFRESH);
      continue;
    }
    if (both[1].revents != 0) return 0;
    const ssize_t count = read(0, ret_byte, 1);
    if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count == 1;
  }
}

static int next_character(EditLine *line, wchar_t *ret_character) {
  mbstate_t state = {0};
  char byte;
  while (next_byte(line, &byte)) {
    const size_t size = mbrtowc(ret_character, &byte, 1, &state);
    if (size == (size_t)-2) continue;
    if (size == (size_t)-1) *ret_character = 0xFFFD;
    return 1;
  }
  return 0;
}

/* Completes a path; `~/` becomes the home folder first, because only shells expand it. */
static unsigned char complete_path(EditLine *line, int key) {
  const LineInfo *const typed = library.line(line);
  const char *const home = getenv("HOME");
  const size_t size = (size_t)(typed->cursor - typed->buffer);
  char path[PATH_MAX];
  if (home == NULL || size < 2 || strncmp(typed->buffer, "~/", 2) != 0 ||
      (size_t)snprintf(path, sizeof path, "%s%.*s", home, (int)size - 1, typed->buffer + 1) >= sizeof path)
    return library.complete(line, key);
  const size_t count = mbstowcs(NULL, path + strlen(home), 0);
  if (count == (size_t)-1) return CC_ERROR;
  library.delete(line, (int)count + 1);
  library.insert(line, path);
  const unsigned char result = library.complete(line, key);
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
  *(void **)&library.complete = dlsym(found, "_el_fn_complete");
  return library.init != NULL && library.set != NULL && library.gets != NULL && library.line != NULL &&
         library.delete != NULL && library.insert != NULL && library.complete != NULL;
}

static int open_editor(void) {
  static int is_tried;
  if (is_tried) return editor != NULL;
  is_tried = 1;
  const char *const type = getenv("TERM");
  if (type == NULL || *type == 0 || strcmp(type, "dumb") == 0 || !isatty(2) || !load()) return 0;
  // Else each byte of UTF-8 is a character.
  if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  // It would complain about an unknown type of terminal, and works all the same.
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
