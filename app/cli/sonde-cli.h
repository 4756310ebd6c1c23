/* SPDX-License-Identifier: Apache-2.0
 * The command table: one file a command, one line in sonde-cli.c. No GTK here.
 * A command parses its own options (GOption), writes results to stdout, messages to stderr. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Exit statuses of every command. */
enum
{
  SONDE_EXIT_DONE = 0,
  SONDE_EXIT_FAILED = 1, /* a message on stderr says what, where, what to do */
  SONDE_EXIT_USAGE = 2,  /* wrong use */
};

typedef struct _SondeCliCommand SondeCliCommand;

/**
 * SondeCliCommand:
 * @name: first word after `sonde`
 * @synopsis: arguments, as in "RECIPE|MODEL [--set key=value]…"
 * @summary: one sentence
 * @details: (nullable): paragraphs for --help and the man page
 * @run: argv[0] is the command's name. Returns the exit status.
 * @computes: runs the engine in this process: the program re-executes itself once with libgomp's
 *   variables set before it
 * @hidden: not listed (engine and helpers)
 */
struct _SondeCliCommand
{
  const char *name;
  const char *synopsis;
  const char *summary;
  const char *details;
  int (*run) (const SondeCliCommand *command, int argc, char **argv);
  gboolean computes;
  gboolean hidden;
};

extern const SondeCliCommand sonde_cli_command_train;
extern const SondeCliCommand sonde_cli_command_infer;
extern const SondeCliCommand sonde_cli_command_inspect;
extern const SondeCliCommand sonde_cli_command_profile;
extern const SondeCliCommand sonde_cli_command_landscape;
extern const SondeCliCommand sonde_cli_command_export;
extern const SondeCliCommand sonde_cli_command_plot;
extern const SondeCliCommand sonde_cli_command_debug;
extern const SondeCliCommand sonde_cli_command_explain;
extern const SondeCliCommand sonde_cli_command_screenshot;
extern const SondeCliCommand sonde_cli_command_check;
extern const SondeCliCommand sonde_cli_command_convert;
extern const SondeCliCommand sonde_cli_command_scan;
extern const SondeCliCommand sonde_cli_command_engine;
extern const SondeCliCommand sonde_cli_command_hdf5_helper;
extern const SondeCliCommand sonde_cli_command_image_helper;
extern const SondeCliCommand sonde_cli_command_sound_helper;

/* (array zero-terminated=1): in the order of --help */
const SondeCliCommand *const *sonde_cli_list (void);
const SondeCliCommand *sonde_cli_find (const char *name); /* (nullable) */

/**
 * sonde_cli_parse:
 * @entries: GOption table ended by a NULL name
 * @min_operands, @max_operands: -1 for any number
 * @operands: (out) (transfer full) (array zero-terminated=1): what is left
 * @status: (out): what to return when FALSE: 0 after --help, 2 after wrong use (said on stderr)
 */
gboolean sonde_cli_parse (const SondeCliCommand *command, int argc, char **argv,
                          const GOptionEntry *entries, int min_operands, int max_operands,
                          char ***operands, int *status);

/* "sonde train: MESSAGE" on stderr. Returns SONDE_EXIT_FAILED. */
int sonde_cli_fail (const SondeCliCommand *command, const GError *error);
int sonde_cli_misuse (const SondeCliCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3); /* SONDE_EXIT_USAGE */

/* The built-in models, for `sonde train --list`. Returns the exit status. */
int sonde_cli_list_models (const SondeCliCommand *command, gboolean as_json);

/* One JSON object (or with @pretty FALSE one line) and a newline on stdout. Takes @root. */
void sonde_cli_print_json (JsonNode *root, gboolean pretty);

/* A line that replaces itself on stderr, only when that is a terminal; at most 10 a second. */
typedef struct
{
  gint64 last_ns;
  gboolean active;
} SondeProgressLine;
void sonde_cli_progress (SondeProgressLine *line, const char *format, ...) G_GNUC_PRINTF (2, 3);
void sonde_cli_progress_end (SondeProgressLine *line); /* newline if something was shown */

/* "1280x800": sides of 1 to 16384. FALSE when it is not of that form. */
gboolean sonde_cli_parse_size (const char *text, int *width, int *height);

/* Path of the running program (for children) and of the window module beside it. */
char *sonde_cli_dup_program (void);
char *sonde_cli_dup_window_module (void);
/* A function that the module exports; it stays loaded. Errors: NOT_FOUND: there is none, or it cannot be loaded;
 * UNSUPPORTED: it is of another version. (transfer none) */
gpointer sonde_cli_find_in_window (const char *symbol, GError **error);

G_END_DECLS
