#include "CCurses.h"

#include <dlfcn.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

// The declarations of <ncurses.h>, ABI 6.
typedef struct _win_st WINDOW;
typedef struct screen SCREEN;
enum { ok = 0, key_code_yes = 0400, a_reverse = 1 << 18, pair_shift = 8 };

static struct {
  SCREEN *(*newterm)(const char *, FILE *, FILE *);
  void (*delscreen)(SCREEN *);
  int (*endwin)(void);
  int (*cbreak)(void);
  int (*noecho)(void);
  int (*curs_set)(int);
  int (*set_escdelay)(int);
  int (*keypad)(WINDOW *, _Bool);
  void (*wtimeout)(WINDOW *, int);
  int (*wmove)(WINDOW *, int, int);
  int (*wclrtoeol)(WINDOW *);
  int (*wattrset)(WINDOW *, int);
  int (*waddnstr)(WINDOW *, const char *, int);
  int (*wnoutrefresh)(WINDOW *);
  int (*doupdate)(void);
  int (*wget_wch)(WINDOW *, wint_t *);
  int (*resizeterm)(int, int);
  int (*start_color)(void);
  int (*use_default_colors)(void);
  int (*init_pair)(short, short, short);
  _Bool (*has_colors)(void);
  WINDOW **stdscr;
} curses;

static void *library;
static SCREEN *screen;
static int has_colours;

static const char *const names[] = {
    "newterm",      "delscreen", "endwin",   "cbreak",     "noecho",   "curs_set",
    "set_escdelay", "keypad",    "wtimeout", "wmove",      "wclrtoeol", "wattrset",
    "waddnstr",     "wnoutrefresh", "doupdate", "wget_wch", "resizeterm", "start_color",
    "use_default_colors", "init_pair", "has_colors", "stdscr",
};
_Static_assert(sizeof curses == sizeof names, "a name for each member");

static int load(void) {
  library = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  void **member = (void **)&curses;
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    member[index] = dlsym(library, names[index]);
    if (member[index] == NULL) return 0;
  }
  return 1;
}

enum tc_outcome tc_open(void) {
  // Else it takes each byte of UTF-8 for a character.
  if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  if (library == NULL && !load()) return TC_NO_LIBRARY;
  screen = curses.newterm(NULL, stdout, stdin);
  if (screen == NULL) return TC_UNKNOWN_TERMINAL;
  curses.cbreak();
  curses.noecho();
  curses.set_escdelay(25);
  curses.keypad(*curses.stdscr, 1);
  curses.wtimeout(*curses.stdscr, 0);
  return TC_OPEN;
}

void tc_use_colours(void) {
  if (!curses.has_colors() || curses.start_color() != ok || curses.use_default_colors() != ok) return;
  // COLOR_RED and COLOR_YELLOW on the terminal's own ground.
  has_colours = curses.init_pair(TC_RED, 1, -1) == ok && curses.init_pair(TC_YELLOW, 3, -1) == ok;
}

static int attributes(enum tc_look look) {
  switch (look) {
  case TC_REVERSE: return a_reverse;
  case TC_RED:
  case TC_YELLOW: return has_colours ? (int)look << pair_shift : 0;
  default: return 0;
  }
}

void tc_close(void) {
  if (screen == NULL) return;
  curses.curs_set(1);
  curses.endwin();
  curses.delscreen(screen);
  screen = NULL;
  has_colours = 0;
}

void tc_put(int row, const char *text, enum tc_look look) {
  WINDOW *window = *curses.stdscr;
  if (curses.wmove(window, row, 0) != ok) return;
  curses.wclrtoeol(window);
  curses.wattrset(window, attributes(look));
  curses.waddnstr(window, text, -1);
  curses.wattrset(window, 0);
}

void tc_show(int row, int column) {
  curses.curs_set(row >= 0);
  if (row >= 0) curses.wmove(*curses.stdscr, row, column);
  curses.wnoutrefresh(*curses.stdscr);
  curses.doupdate();
}

int tc_next_key(void) {
  wint_t found = 0;
  switch (curses.wget_wch(*curses.stdscr, &found)) {
  case ok: return (int)found;
  case key_code_yes: return TC_FUNCTION + (int)found;
  default: return TC_NONE;
  }
}

void tc_resize(int rows, int columns) { curses.resizeterm(rows, columns); }
