#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "CCurses.h"

#include <curses.h>
#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define EACH(function)                                                                                               \
  function(newterm) function(delscreen) function(endwin) function(cbreak) function(noecho) function(curs_set)        \
  function(set_escdelay) function(keypad) function(wtimeout) function(wmove) function(wclrtoeol) function(wattrset)  \
  function(waddnstr) function(wnoutrefresh) function(doupdate) function(wget_wch) function(resizeterm)               \
  function(start_color) function(use_default_colors) function(init_pair) function(has_colors) function(COLOR_PAIR)   \
  function(stdscr)

#define MEMBER(name) __typeof__(name) *name;
static struct { EACH(MEMBER) } curses;

static void *library;
static SCREEN *screen;
static int has_colours;

static int load(void) {
  library = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
#define LOAD(name) if ((*(void **)&curses.name = dlsym(library, #name)) == NULL) return 0;
  EACH(LOAD)
  return 1;
}

enum tc_outcome tc_open(void) {
  // Otherwise it takes each byte of UTF-8 for a character.
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
  if (!curses.has_colors() || curses.start_color() != OK || curses.use_default_colors() != OK) return;
  // On the terminal's own background.
  has_colours = curses.init_pair(TC_RED, COLOR_RED, -1) == OK && curses.init_pair(TC_YELLOW, COLOR_YELLOW, -1) == OK;
}

static int attributes(enum tc_look look) {
  switch (look) {
  case TC_REVERSE: return (int)A_REVERSE;
  case TC_RED:
  case TC_YELLOW: return has_colours ? curses.COLOR_PAIR(look) : 0;
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
  if (curses.wmove(window, row, 0) != OK) return;
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
  case OK: return (int)found;
  case KEY_CODE_YES: break;
  default: return TC_NONE;
  }
  switch (found) {
  case KEY_UP: return TC_UP;
  case KEY_DOWN: return TC_DOWN;
  case KEY_PPAGE: return TC_PAGE_UP;
  case KEY_NPAGE: return TC_PAGE_DOWN;
  case KEY_BACKSPACE: return '\b';
  case KEY_ENTER: return '\n';
  default: return TC_OTHER;
  }
}

void tc_resize(int rows, int columns) { curses.resizeterm(rows, columns); }
