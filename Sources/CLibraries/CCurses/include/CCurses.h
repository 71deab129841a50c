// Debian's libncursesw.so.6, loaded only for a full-screen view: no program is linked with it, so none needs it to
// start, or spends memory on it. One screen per process; single-threaded.

#ifndef CCURSES_H
#define CCURSES_H

enum tc_outcome {
  TC_OPEN = 0,
  /// The library is not installed, or lacks a function.
  TC_NO_LIBRARY = 1,
  /// The terminal's type (TERM) is unknown.
  TC_UNKNOWN_TERMINAL = 2
};

enum tc_look { TC_PLAIN = 0, TC_REVERSE = 1, TC_RED = 2, TC_YELLOW = 3 };

enum tc_key {
  /// No key is pending.
  TC_NONE = -1,
  /// Keys that produce no character; their numbers are above those of all characters.
  TC_OTHER = 0x200000,
  TC_UP,
  TC_DOWN,
  TC_PAGE_UP,
  TC_PAGE_DOWN
};

/// Takes over the terminal of the standard streams.
enum tc_outcome tc_open(void);
/// Enables colours, if the terminal supports them; otherwise TC_RED and TC_YELLOW are plain.
void tc_use_colours(void);
/// Restores the terminal; does nothing without a screen.
void tc_close(void);
/// Replaces a row, which is shown by the next `tc_show`.
void tc_put(int row, const char *text, enum tc_look look);
/// Shows all rows, and the cursor at the given position; a negative row hides the cursor.
void tc_show(int row, int column);
/// Returns the next key: a character, or a value of `tc_key`.
int tc_next_key(void);
/// Handles a new size of the terminal.
void tc_resize(int rows, int columns);

#endif
