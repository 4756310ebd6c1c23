/* SPDX-License-Identifier: Apache-2.0
 * The program as a screen reader has it: it runs, and is read and pressed over the accessibility bus.
 * Nothing sleeps: every question is an answer of the program, and is asked until a deadline. */
#pragma once

#include <gio/gio.h>

#include "tests/support/sonde-test-program.h"

G_BEGIN_DECLS

/* An object on the bus. */
typedef struct
{
  char *owner, *path;
} ReaderPlace;

/* @page: of the page that was waited for first; @folder: of the program, its settings and files */
typedef struct
{
  GDBusConnection *bus;
  char *folder;
  SondeTestProgram *program;
  ReaderPlace page;
} ScreenReader;

/* FALSE: there is no accessibility bus here; nothing is to be cleared then. */
gboolean screen_reader_init (ScreenReader *reader);
/* Before the program starts: its window opens on the page, as one does that was closed on it. */
void screen_reader_choose_page (ScreenReader *reader, const char *name);
/* Starts the program and waits for its page @type, as "SondeDebuggerPage". */
void screen_reader_start (ScreenReader *reader, const char *const *arguments, const char *type);
void screen_reader_clear (ScreenReader *reader); /* started or not */

/* The first below @below of that role (nullable) whose name begins so, depth first; fails the test when none comes
 * in time. (transfer full) */
ReaderPlace screen_reader_wait_for (ScreenReader *reader, const ReaderPlace *below,
                                    const char *role, const char *name);
void reader_place_clear (ReaderPlace *place);
/* The same below the page, and nothing more. */
void screen_reader_expect (ScreenReader *reader, const char *role, const char *name);

/* Presses what is called so, below the page. */
void screen_reader_press (ScreenReader *reader, const char *role, const char *name);

/* Moves the pointer over what is called so, below the page, from place to place beginning in the middle, until its
 * description has one more line, of what is under the pointer, or several, and @text in them. */
void screen_reader_find_read (ScreenReader *reader, const char *role, const char *name,
                              const char *text);

/* Fails the test where something below the page that is pressed, written into or chosen has no name. */
void screen_reader_check_names (ScreenReader *reader);
/* The same everywhere in the program: header bar, sidebar, status bar. Images count on pages alone: those beside a
 * text only adorn it. */
void screen_reader_check_all_names (ScreenReader *reader);
/* The same in the windows of the test itself, which has no other program then. The main loop runs meanwhile, as it is
 * that what answers. */
void screen_reader_check_own_names (ScreenReader *reader);

G_END_DECLS
