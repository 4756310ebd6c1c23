/* SPDX-License-Identifier: Apache-2.0
 * Debugger commands as values: made from a line that somebody typed or by a constructor, run by a
 * SondeCommandRunner (sonde-command-runner.h), answered by a SondeCommandResult
 * (sonde-command-result.h). What does not live here: the session itself (engine/session), reading
 * lines (app/repl/sonde-repl.h). No GTK.
 *
 * A command is immutable. Constructors copy what they are given. Paths are made absolute when the
 * command runs, because the engine may have another working directory. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

typedef struct _SondeCommand SondeCommand;

/* What running a command does to the session. */
typedef enum
{
  SONDE_COMMAND_QUERIES, /* only reads, or changes breakpoints, watches and displays */
  SONDE_COMMAND_CHANGES, /* values, nodes, the branch or the selected frame may be others */
  SONDE_COMMAND_RESUMES, /* the run goes on; the result is a stop or the end */
  SONDE_COMMAND_LEAVES,  /* ends the session or detaches from it */
} SondeCommandEffect;

/**
 * sonde_command_parse:
 * @line: a command with its arguments, as docs/debugger.md describes them
 *
 * Words are separated by blanks outside of double quotes, parentheses and brackets. A quoted word
 * may contain blanks; in it \" is a quote and \\ a backslash, and what stands in braces is kept
 * with its own quotes. A word in single quotes is taken as it stands. Arguments that take names of values or nodes also accept them unquoted with
 * blanks, as long as nothing else follows.
 *
 * Returns: (transfer full) (nullable): NULL without @error for an empty line and a comment (#).
 * Errors: NOT_FOUND for an unknown or ambiguous command, naming the nearest; INVALID for wrong
 * arguments, naming what is expected.
 */
SondeCommand *sonde_command_parse (const char *line, GError **error);
/* The word that the answer to @line carries where @line is no command: that of the command it was
 * meant for, else what was typed. (transfer full) */
char *sonde_command_dup_word (const char *line);
void sonde_command_free (SondeCommand *command);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCommand, sonde_command_free)

/* The command word: "break", "info"; static */
const char *sonde_command_get_name (const SondeCommand *command);
SondeCommandEffect sonde_command_get_effect (const SondeCommand *command);
/* A line that sonde_command_parse() makes the same command of. (transfer full) */
char *sonde_command_to_line (const SondeCommand *command);

/* "conv1" as conv1, "a b" as "\"a b\"". (transfer full) */
char *sonde_command_quote (const char *word);

/**
 * SondeCommandHelp: the help of one command
 * @arguments: as in "NODE [before|after]"; "" when there are none
 * @summary: one sentence, translated
 */
typedef struct
{
  const char *name;
  const char *alias; /* (nullable) */
  const char *arguments;
  const char *summary;
  SondeCommandEffect effect;
} SondeCommandHelp;

/* All commands, in the order of `help`; topics of one word (info, capture) stand together. */
#define SONDE_COMMANDS(X)                                                                          \
  X (break)                                                                                        \
  X (tbreak)                                                                                       \
  X (catch)                                                                                        \
  X (log)                                                                                          \
  X (info_breakpoints)                                                                             \
  X (info_watches)                                                                                 \
  X (info_hits)                                                                                    \
  X (info_nodes)                                                                                   \
  X (info_ops)                                                                                     \
  X (info_values)                                                                                  \
  X (info_edits)                                                                                   \
  X (info_stack)                                                                                   \
  X (info_state)                                                                                   \
  X (info_profile)                                                                                 \
  X (watch)                                                                                        \
  X (recheck)                                                                                      \
  X (enable)                                                                                       \
  X (disable)                                                                                      \
  X (ignore)                                                                                       \
  X (clear)                                                                                        \
  X (run)                                                                                          \
  X (continue)                                                                                     \
  X (pause)                                                                                        \
  X (step)                                                                                         \
  X (next)                                                                                         \
  X (into)                                                                                         \
  X (out)                                                                                          \
  X (until)                                                                                        \
  X (back)                                                                                         \
  X (reverse)                                                                                      \
  X (restart)                                                                                      \
  X (rewind)                                                                                       \
  X (up)                                                                                           \
  X (down)                                                                                         \
  X (list)                                                                                         \
  X (print)                                                                                        \
  X (stats)                                                                                        \
  X (save)                                                                                         \
  X (display)                                                                                      \
  X (undisplay)                                                                                    \
  X (set)                                                                                          \
  X (attr)                                                                                         \
  X (bypass)                                                                                       \
  X (branch)                                                                                       \
  X (origin)                                                                                       \
  X (diverge)                                                                                      \
  X (precision)                                                                                    \
  X (profile_start)                                                                                \
  X (profile_stop)                                                                                 \
  X (profile_save)                                                                                 \
  X (rerun)                                                                                        \
  X (diff)                                                                                         \
  X (capture_save)                                                                                 \
  X (capture_open)                                                                                 \
  X (reduce)                                                                                       \
  X (detach)                                                                                       \
  X (help)                                                                                         \
  X (quit)

/* The command words in the order of `help`. @k: from 0. Returns: (nullable): NULL behind the last
 */
const SondeCommandHelp *sonde_command_help (guint k);
/* @word: name, alias, or the beginning of exactly one name. Errors: NOT_FOUND, as of parsing */
const SondeCommandHelp *sonde_command_find (const char *word, GError **error);

/* ---- breakpoints and watches (results BREAKPOINT, BREAKPOINTS) ------------- */

/* break, tbreak (.temporary), log (.log), catch (.pattern SONDE_BREAKPOINT_ERRORS). Result BREAKPOINT */
SondeCommand *sonde_command_new_break (const SondeBreakpointSpec *spec);
/* @id: of a breakpoint or watch, 0: all of them. Results BREAKPOINTS */
SondeCommand *sonde_command_new_enable (guint id, gboolean enabled);
SondeCommand *sonde_command_new_ignore (guint id, guint64 count);
SondeCommand *sonde_command_new_clear (guint id);
SondeCommand *sonde_command_new_info_breakpoints (void);
/* @text: see sonde_debugger_add_watches(). Result WATCH */
SondeCommand *sonde_command_new_watch (const char *text);
SondeCommand *sonde_command_new_info_watches (void); /* WATCHES */
/* Of one watch, or with 0 of all. Result HITS */
SondeCommand *sonde_command_new_info_hits (guint id);
/* Checks all watches against the values of training step @step; 0: the present one. Result HITS */
SondeCommand *sonde_command_new_recheck (guint64 step);

/* ---- running (results STOPPED or ENDED) ------------------------------------ */

SondeCommand *sonde_command_new_run (void);
/* continue, step, next, into, out, until */
SondeCommand *sonde_command_new_resume (const SondeResume *resume);
/* Stops the run before the next node. */
SondeCommand *sonde_command_new_pause (void);
/* Waits for the stop of a run that this client did not resume; no line makes it. */
SondeCommand *sonde_command_new_wait (void);
/* back, reverse, restart NODE */
SondeCommand *sonde_command_new_back (const SondeBack *back);
/* restart: back to READY, without running. Result RESTARTED */
SondeCommand *sonde_command_new_restart (void);
/* @path: (nullable): of the batch, NULL: the run's captures folder. Result STOPPED with .file */
SondeCommand *sonde_command_new_rewind (const char *path);
SondeCommand *sonde_command_new_detach (void); /* DETACHED */
SondeCommand *sonde_command_new_quit (void);   /* DONE */

/* ---- where the run stands -------------------------------------------------- */

SondeCommand *sonde_command_new_info_state (void); /* STATE */
SondeCommand *sonde_command_new_info_stack (void); /* STACK */
/* @count: frames outwards, or with < 0 inwards. Result FRAME */
SondeCommand *sonde_command_new_select_frame (int count);
/* Executed nodes of the selected frame. @pattern: (nullable): glob of names. Result NODES */
SondeCommand *sonde_command_new_info_nodes (const char *pattern);
/* Operators of the selected frame, each once, with what op:NAME may call them. Result OPS */
SondeCommand *sonde_command_new_info_ops (const char *pattern);
/* @node: (nullable): NULL: on from the last listing, or around the current node. Result LISTING */
SondeCommand *sonde_command_new_list (const char *node);

/* ---- values ---------------------------------------------------------------- */

/* "VALUE", "VALUE[slice]" or an expression. Result TENSOR */
SondeCommand *sonde_command_new_print (const char *expression);
SondeCommand *sonde_command_new_stats (const char *expression); /* STATISTICS */
/* @path: ends in .npy. Result SAVED */
SondeCommand *sonde_command_new_save (const char *expression, const char *path);
/* @pattern: (nullable): glob. Result VALUES */
SondeCommand *sonde_command_new_info_values (const char *pattern);
/* @expression: (nullable): to be shown at each stop from now on. Result DISPLAYS */
SondeCommand *sonde_command_new_display (const char *expression);
SondeCommand *sonde_command_new_undisplay (guint number); /* 0: all. DONE */

/* ---- changing -------------------------------------------------------------- */

/* @what: number, "file:F.npy" or an expression. Result EDIT */
SondeCommand *sonde_command_new_set (const char *target, const char *what);
SondeCommand *sonde_command_new_info_edits (void); /* EDITS */
/* Results NODE_CHANGED */
SondeCommand *sonde_command_new_attr (const char *node, const char *key, const char *value);
SondeCommand *sonde_command_new_bypass (const char *node);
/* LIST, MAKE or SWITCH; @name: (nullable). Result BRANCHES */
SondeCommand *sonde_command_new_branch (SondeBranchRequest what, const char *name);
SondeCommand *sonde_command_new_rerun (const SondeRerunOptions *spec); /* RERUN */
/* Values, expressions, VALUE@BRANCH, …, or branches (@b nullable). Result DIFFERENCE or, of
 * branches, BRANCH_DIFFERENCES */
SondeCommand *sonde_command_new_diff (const char *a, const char *b);

/* ---- searches: they take long, see sonde_command_runner_interrupt() -------- */

SondeCommand *sonde_command_new_origin (const char *value); /* ORIGIN */
/* @node: (nullable): that of the last origin or divergence. Result REDUCTION */
SondeCommand *sonde_command_new_reduce (const char *path, const char *node);
SondeCommand *sonde_command_new_diverge (const SondeDivergeRequest *diverge); /* DIVERGENCE */
/* @path: of the recipe, ends in .ini; @precision: (nullable): "bf16", "f16"; @values: (nullable)
 * (array zero-terminated=1). Result PRECISION */
SondeCommand *sonde_command_new_precision (const char *path, const char *precision,
                                           double tolerance, const char *const *values);

/* ---- profiles (result PROFILE) ---------------------------------------------- */

/* @options: .n_steps and .slower */
SondeCommand *sonde_command_new_profile_start (const SondeSpanLogOptions *options);
SondeCommand *sonde_command_new_profile_stop (void);
/* @run: (nullable): NULL of a training, which has a run of its own */
SondeCommand *sonde_command_new_profile_save (const char *run);
SondeCommand *sonde_command_new_info_profile (void);

/* ---- captures and help ----------------------------------------------------- */

/* @values: (nullable) (array zero-terminated=1): globs of values to be kept whole, beside those of
 * the current node. Result CAPTURE */
SondeCommand *sonde_command_new_capture_save (const char *path, const char *const *values);
SondeCommand *sonde_command_new_capture_open (const char *path);
/* @topic: (nullable): a command, or "expressions". Result HELP or FUNCTIONS */
SondeCommand *sonde_command_new_help (const char *topic);

G_END_DECLS
