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
enum { ok = 0, key_code_yes = 0400, a_reverse = 1 << 18 };

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
  WINDOW **stdscr;
} curses;

static void *library;
static SCREEN *screen;

static const char *const names[] = {
    "newterm",      "delscreen", "endwin",   "cbreak",     "noecho",   "curs_set",
    "set_escdelay", "keypad",    "wtimeout", "wmove",      "wclrtoeol", "wattrset",
    "waddnstr",     "wnoutrefresh", "doupdate", "wget_wch", "resizeterm", "stdscr",
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

void tc_close(void) {
  if (screen == NULL) return;
  curses.curs_set(1);
  curses.endwin();
  curses.delscreen(screen);
  screen = NULL;
}

void tc_put(int row, const char *text, int is_reverse) {
  WINDOW *window = *curses.stdscr;
  if (curses.wmove(window, row, 0) != ok) return;
  curses.wclrtoeol(window);
  curses.wattrset(window, is_reverse ? a_reverse : 0);
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
