/* SPDX-License-Identifier: Apache-2.0
 * What the file of a command implements: a class for the command, one for its result. A new
 * command is a file with both, its name in SONDE_COMMANDS and its constructor (sonde-command.h), and
 * the member of its result (sonde-command-result.h). */
#pragma once

#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"
#include "engine/commands/sonde-command-labels.h"
#include "engine/commands/sonde-command-result.h"
#include "engine/commands/sonde-command-runner.h"
#include "engine/commands/sonde-command-words.h"

G_BEGIN_DECLS

typedef struct _SondeCommandClass SondeCommandClass;

/* The beginning of every command's struct. */
struct _SondeCommand
{
  const SondeCommandClass *class;
};

/**
 * SondeCommandClass:
 * @name: the command word
 * @topic: (nullable): the second word, of commands that share the first: "breakpoints" of info
 * @alias: (nullable): short form, which wins over other abbreviations
 * @arguments: for help; "" for none
 * @summary: for help, marked with N_(); of topics: (nullable)
 * @effect: what it does to the session
 * @size: of the command's struct; 0: it has no members, and takes no arguments where @parse is NULL
 * @parse: (nullable): fills a zeroed @command from @arguments, what stands behind the command word
 *   (and topic), without blanks around
 * @format: (nullable): appends the arguments that @parse reads, with a blank before
 * @run: Returns: (transfer full). Blocks. Errors: of the session
 * @clear: (nullable): frees members
 */
struct _SondeCommandClass
{
  const char *name;
  const char *topic;
  const char *alias;
  const char *arguments;
  const char *summary;
  SondeCommandEffect effect;
  gsize size;
  gboolean (*parse) (SondeCommand *command, const char *arguments, GError **error);
  void (*format) (const SondeCommand *command, GString *line);
  SondeCommandResult *(*run) (const SondeCommand *command, SondeCommandRunner *runner,
                              GError **error);
  void (*clear) (SondeCommand *command);
};

/**
 * SondeCommandResultClass:
 * @to_text, @to_json: see sonde_command_result_to_text(); NULL: nothing
 * @clear: (nullable): frees members
 */
struct _SondeCommandResultClass
{
  void (*to_text) (const SondeCommandResult *result, GString *text);
  void (*to_json) (const SondeCommandResult *result, JsonBuilder *builder);
  void (*clear) (SondeCommandResult *result);
};

/* @class: of the struct that is allocated. (transfer full) */
gpointer sonde_command_new (const SondeCommandClass *class);
SondeCommandResult *sonde_command_result_new (SondeCommandResultKind kind,
                                              const SondeCommandResultClass *class);

/* ---- arguments that several commands have ---------------------------------- */

/* A command with one string: a name, a file, an expression. */
typedef struct
{
  SondeCommand parent;
  char *text; /* (nullable) */
} SondeTextCommand;

/* @text: (nullable) */
SondeCommand *sonde_text_command_new (const SondeCommandClass *class, const char *text);
/* All arguments, without quotes around the whole; NULL for none. */
gboolean sonde_text_command_parse (SondeCommand *command, const char *arguments, GError **error);
void sonde_text_command_format (const SondeCommand *command, GString *line);
void sonde_text_command_clear (SondeCommand *command);

/* A command with one number. */
typedef struct
{
  SondeCommand parent;
  guint64 number;
} SondeNumberCommand;

SondeCommand *sonde_number_command_new (const SondeCommandClass *class, guint64 number);
/* @fallback: without arguments, and what is not formatted; @what: of the error, marked by N_() */
gboolean sonde_number_command_parse (SondeCommand *command, const char *arguments, guint64 fallback,
                                     const char *what, GError **error);

/* " WORD" or " \"WORD\"" */
void sonde_command_append_word (GString *line, const char *word);
/* A path of this process for the engine. (transfer full) */
char *sonde_command_absolute_path (const char *path);
/* "file:F.npy" and "VALUE@run:DIR[:STEP]" with absolute paths, others as they are. (transfer full)
 */
char *sonde_command_absolute_source (const char *what);

/* ---- running --------------------------------------------------------------- */

/* Sends @request and waits for the reply, without end. */
SondeSessionReply *sonde_command_runner_call (SondeCommandRunner *runner,
                                              SondeSessionRequest *request, GError **error);
SondeSessionStatus *sonde_command_runner_get_status (SondeCommandRunner *runner,
                                                     GError **error); /* (transfer full) */
/* Sends what resumes the run and drops the events of before. */
SondeSessionReply *sonde_command_runner_go (SondeCommandRunner *runner,
                                            SondeSessionRequest *request, GError **error);
/* Waits for the stop or the end. Result STOPPED or ENDED */
SondeCommandResult *sonde_command_runner_wait (SondeCommandRunner *runner, GError **error);
/* Both. */
SondeCommandResult *sonde_command_runner_resume (SondeCommandRunner *runner,
                                                 SondeSessionRequest *request, GError **error);
/* Passes events that are there to the observer, without those that come with a stop. */
void sonde_command_runner_drain (SondeCommandRunner *runner);
SondeSessionClient *sonde_command_runner_get_client (SondeCommandRunner *runner);
/* The command that runs is to come back. Any thread */
gboolean sonde_command_runner_is_interrupted (SondeCommandRunner *runner);
/* Asks an engine of its own, in which nothing is open and which goes afterwards; an interrupt ends it.
 * @request: (transfer full); @threads: 0: as many as the affinity mask allows. Errors: STATE when it was
 * interrupted */
SondeSessionReply *sonde_command_runner_call_helper (SondeCommandRunner *runner,
                                                     SondeSessionRequest *request, int threads,
                                                     GError **error);
/* The observer is told PROGRESS, at most five times a second, and always of 0. @what: message id without arguments. */
void sonde_command_runner_tell_progress (SondeCommandRunner *runner, const char *what,
                                         double fraction);
/* The last line that was listed; 0: the next listing begins at the current node. */
guint sonde_command_runner_get_listed (SondeCommandRunner *runner);
void sonde_command_runner_set_listed (SondeCommandRunner *runner, guint line);
/* (element-type utf8): expressions shown at every stop, NULL where one was removed */
GPtrArray *sonde_command_runner_get_displays (SondeCommandRunner *runner);
/* sonde-command-leave.c: result DONE */
SondeCommandResult *sonde_command_done_new (void);
void sonde_command_runner_set_failed (SondeCommandRunner *runner);
void sonde_command_runner_detach (SondeCommandRunner *runner);

/* sonde-command-value.c: a value with a slice, or else an expression */
SondeSessionReply *sonde_command_look (SondeCommandRunner *runner, const char *text,
                                       SondeSessionWant want, const char *path, GError **error);
SondeCommandValue *sonde_command_value_new (SondeSessionReply *reply); /* takes what it needs */
/* sonde-command-stop.c. @status: (transfer full): STOPPED's or ENDED's */
SondeCommandResult *sonde_command_stop_new (SondeCommandRunner *runner, SondeSessionStatus *status,
                                            gboolean ended);
/* sonde-command-display.c: of all displays now; (nullable): NULL without displays.
 * (element-type SondeCommandDisplay) */
GPtrArray *sonde_command_collect_displays (SondeCommandRunner *runner);
/* sonde-command-break.c: result BREAKPOINTS; takes the lists of @reply */
SondeCommandResult *sonde_command_breakpoints_new (SondeSessionReply *reply, gboolean with_watches);
/* sonde-command-divergence.c: result DIVERGENCE; takes it */
SondeCommandResult *sonde_command_divergence_new (SondeDivergence *divergence);
/* sonde-command-break.c, -watch.c: lines that set them again. (transfer full) */
char *sonde_command_line_of_breakpoint (const SondeBreakpoint *breakpoint);
char *sonde_command_line_of_watch (const SondeWatch *watch);

/* ---- rendering: parts that several results have ---------------------------- */

void sonde_command_text_displays (const GPtrArray *displays, GString *text);
void sonde_command_json_displays (const GPtrArray *displays, JsonBuilder *builder); /* "display" */
void sonde_command_text_value (const SondeCommandValue *value, GString *text);
void sonde_command_json_value (const SondeCommandValue *value, JsonBuilder *builder);
/* Like NumPy prints it: at most 1,000 elements whole, else the first and last three of each
 * dimension. */
void sonde_command_text_tensor (const SondeTensor *tensor, GString *text);
/* count, min, max … neg_inf */
void sonde_command_json_statistics (const SondeStatistics *statistics, JsonBuilder *builder);
/* As the array @name; in an array that is open without. @hits: (nullable) */
void sonde_command_text_hits (const GPtrArray *hits, GString *text);
void sonde_command_json_hits (const GPtrArray *hits, const char *name, JsonBuilder *builder);
void sonde_command_text_watches (const GPtrArray *watches, GString *text);
void sonde_command_json_watches (const GPtrArray *watches, JsonBuilder *builder);
/* The array "stack". @frames: (nullable) */
void sonde_command_json_stack (const GPtrArray *frames, JsonBuilder *builder);
/* "iteration 2 of outer", "iteration 0 of inner". @frames: (nullable) */
void sonde_command_add_iterations (const GPtrArray *frames, GPtrArray *clauses);
void sonde_command_text_edit (const SondeEdit *edit, GString *text);
/* Where it stands in a branch. */
void sonde_command_text_branch_place (const SondeSessionStatus *status, GString *text);
void sonde_command_json_branch_place (const SondeSessionStatus *status, JsonBuilder *builder);
void sonde_command_text_difference (const SondeDifference *difference, GString *text);
void sonde_command_json_difference (const SondeDifference *difference, JsonBuilder *builder);
/* Arrays of strings. @names: (element-type utf8); @texts: (nullable) */
void sonde_command_json_names (const GPtrArray *names, const char *name, JsonBuilder *builder);
void sonde_command_json_texts (char *const *texts, const char *name, JsonBuilder *builder);
/* The place @element, row-major, as an array of indices */
void sonde_command_json_index (const SondeShape *shape, gint64 element, const char *name,
                               JsonBuilder *builder);

G_END_DECLS
