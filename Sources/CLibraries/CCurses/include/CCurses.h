// Debian's libncursesw.so.6, loaded when a full screen is wanted: no program is linked with it, so that none needs it
// to start, and none has its memory. One screen for the process, and one thread.

#ifndef CCURSES_H
#define CCURSES_H

enum tc_outcome {
  TC_OPEN = 0,
  /// The library is not installed, or is another one.
  TC_NO_LIBRARY = 1,
  /// The terminal's type is unknown: TERM.
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
/// Draws in the terminal's colours from now on, if it has any; else TC_RED and TC_YELLOW are plain.
void tc_use_colours(void);
/// Gives it back as it was; does nothing without a screen.
void tc_close(void);
/// Replaces a row; not shown yet.
void tc_put(int row, const char *text, enum tc_look look);
/// Shows all rows, and the cursor there; a negative row hides it.
void tc_show(int row, int column);
/// The next key: a character, or one of tc_key.
int tc_next_key(void);
/// The terminal has this size now.
void tc_resize(int rows, int columns);

#endif
