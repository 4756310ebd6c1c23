/* SPDX-License-Identifier: Apache-2.0
 * profile start, profile stop, profile save, info profile: what a run does and when, recorded while it goes on. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "engine/commands/sonde-command-table.h"

/* @options: .n_steps, .kernels and .slower */
typedef struct
{
  SondeCommand parent;
  SondeSpanLogOptions options;
} ProfileStart;

/* @run: "" where none was named */
typedef struct
{
  SondeCommand parent;
  char *run;
} ProfileSave;

/* ---- the result ---------------------------------------------------------- */

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeSpanLogStatus *status = &result->profile.status;
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *bytes = sonde_format_bytes (status->bytes), *joined = NULL;

  if (!status->recording && status->steps == 0)
    {
      g_string_append (text, _ ("No profile is being recorded.\n"));
      return;
    }
  sonde_clauses_add (clauses, P_ ("%" PRIu64 " step", "%" PRIu64 " steps", status->steps),
                     status->steps);
  sonde_clauses_add (clauses, P_ ("%" PRIu64 " span", "%" PRIu64 " spans", status->spans),
                     status->spans);
  sonde_clauses_add (clauses, "%s", bytes);
  if (status->dropped > 0)
    sonde_clauses_add (clauses,
                       P_ ("%" PRIu64 " span lost", "%" PRIu64 " spans lost", status->dropped),
                       status->dropped);
  sonde_clauses_add (clauses, _ ("%.3f ms of overhead"), status->overhead_ms);
  joined = sonde_clauses_join (clauses);
  g_string_append_printf (
      text, status->recording ? _ ("Recording a profile: %s.\n") : _ ("Profile recorded: %s.\n"),
      joined);
  if (result->profile.run != NULL)
    g_string_append_printf (text, _ ("It is in the run “%s”: sonde profile shows it.\n"),
                            result->profile.run);
  if (result->profile.trace != NULL)
    g_string_append_printf (text, _ ("The trace is “%s”.\n"), result->profile.trace);
  if (result->profile.needs_run)
    g_string_append (text, _ ("To keep it: profile save RUN.\n"));
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeSpanLogStatus *status = &result->profile.status;

  sonde_json_set_boolean (builder, "recording", status->recording);
  sonde_json_set_int (builder, "steps", (gint64) status->steps);
  sonde_json_set_int (builder, "spans", (gint64) status->spans);
  sonde_json_set_int (builder, "bytes", (gint64) status->bytes);
  sonde_json_set_int (builder, "dropped", (gint64) status->dropped);
  sonde_json_set_double (builder, "overhead_ms", status->overhead_ms);
  if (result->profile.run != NULL)
    sonde_json_set_string (builder, "run", result->profile.run);
  if (result->profile.trace != NULL)
    sonde_json_set_string (builder, "trace", result->profile.trace);
}

static void
result_clear (SondeCommandResult *result)
{
  g_free (result->profile.run);
  g_free (result->profile.trace);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

static SondeActivityKind
get_kind (SondeCommandRunner *runner)
{
  g_autoptr (SondeSessionStatus) status = sonde_command_runner_get_status (runner, NULL);

  return status != NULL ? status->facts.kind : SONDE_ACTIVITY_TRAINING;
}

/* A training has a run of its own. */
static gboolean
needs_run (SondeActivityKind kind, const SondeSessionReply *reply)
{
  return kind == SONDE_ACTIVITY_INFERENCE && !reply->profile.recording && reply->profile.steps > 0
         && reply->path == NULL;
}

/* @request is sent. */
static SondeCommandResult *
ask (SondeCommandRunner *runner, SondeSessionRequest *request, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (runner, request, error);
  SondeActivityKind kind;
  SondeCommandResult *result;

  if (reply == NULL)
    return NULL;
  kind = get_kind (runner);
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_PROFILE, &result_class);
  result->profile.needs_run = needs_run (kind, reply);
  result->profile.status = reply->profile;
  if (kind == SONDE_ACTIVITY_PYTORCH)
    result->profile.trace = g_steal_pointer (&reply->path);
  else
    result->profile.run = g_steal_pointer (&reply->path);
  return result;
}

/* ---- start ----------------------------------------------------------------- */

/* "step_ms > K*median", blanks anywhere between the parts. */
static gboolean
parse_condition (const char *text, double *slower, GError **error)
{
  g_autofree char *condition = g_strdup (text);
  const char *const beginning = "step_ms>", *const ending = "*median";
  const char *number = NULL;
  char *to = condition, *end = NULL;

  for (const char *from = text; *from != '\0'; from++)
    if (!g_ascii_isspace (*from))
      *to++ = *from;
  *to = '\0';
  if (g_str_has_prefix (condition, beginning))
    number = condition + strlen (beginning);
  /* no sign, and what strtod() takes beside decimals */
  if (number != NULL && g_ascii_isdigit (*number) && strpbrk (number, "xX") == NULL)
    *slower = g_ascii_strtod (number, &end);
  if (end != NULL && g_str_equal (end, ending) && isfinite (*slower) && *slower > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is no condition for a profile: write when step_ms > K*median, with a "
                   "positive number K.",
                   text);
  return FALSE;
}

/* Takes @word off the beginning of *@rest. */
static gboolean
take_word (const char **rest, const char *word)
{
  gsize length = strcspn (*rest, " \t");

  if (length != strlen (word) || strncmp (*rest, word, length) != 0)
    return FALSE;
  *rest += length + strspn (*rest + length, " \t");
  return TRUE;
}

static gboolean
parse_start (SondeCommand *command, const char *arguments, GError **error)
{
  SondeSpanLogOptions *options = &((ProfileStart *) command)->options;
  gsize length = strcspn (arguments, " \t");
  g_autofree char *word = g_strndup (arguments, length);
  const char *rest = arguments;

  if (*word != '\0' && !g_str_equal (word, "when") && !g_str_equal (word, "kernels"))
    {
      if (!sonde_words_parse_number (word, 1, N_ ("number of steps"), &options->n_steps, error))
        return FALSE;
      rest += length + strspn (arguments + length, " \t");
    }
  options->kernels = take_word (&rest, "kernels");
  if (*rest == '\0')
    return TRUE;
  if (take_word (&rest, "when"))
    return parse_condition (rest, &options->slower, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is not expected here. Usage: profile start [N] [kernels] [when step_ms > "
                   "K*median].",
                   rest);
  return FALSE;
}

static void
format_start (const SondeCommand *command, GString *line)
{
  const SondeSpanLogOptions *options = &((const ProfileStart *) command)->options;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (options->n_steps > 0)
    g_string_append_printf (line, " %" PRIu64, options->n_steps);
  if (options->kernels)
    g_string_append (line, " kernels");
  if (options->slower > 0)
    g_string_append_printf (line, " when step_ms > %s*median",
                            g_ascii_dtostr (number, sizeof number, options->slower));
}

static SondeCommandResult *
run_start (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const ProfileStart *self = (const ProfileStart *) command;

  return ask (runner, sonde_session_request_profile_start (&self->options), error);
}

/* ---- stop and status --------------------------------------------------------- */

static SondeCommandResult *
run_stop (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return ask (runner, sonde_session_request_profile_stop (), error);
}

static SondeCommandResult *
run_info (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return ask (runner, sonde_session_request_profile_status (), error);
}

/* ---- save ------------------------------------------------------------------------ */

static gboolean
parse_save (SondeCommand *command, const char *arguments, GError **error)
{
  ((ProfileSave *) command)->run = sonde_words_unquote (arguments);
  return TRUE;
}

static void
format_save (const SondeCommand *command, GString *line)
{
  const ProfileSave *self = (const ProfileSave *) command;

  if (*self->run != '\0')
    sonde_command_append_word (line, self->run);
}

static void
clear_save (SondeCommand *command)
{
  g_free (((ProfileSave *) command)->run);
}

static SondeCommandResult *
run_save (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const ProfileSave *self = (const ProfileSave *) command;
  g_autofree char *folder = *self->run != '\0' ? sonde_command_absolute_path (self->run) : NULL;

  return ask (runner, sonde_session_request_profile_keep (folder), error);
}

/* ---- commands ------------------------------------------------------------------ */

SondeCommand *
sonde_command_new_profile_start (const SondeSpanLogOptions *options)
{
  ProfileStart *self = sonde_command_new (&sonde_command_class_profile_start);

  self->options = *options;
  return &self->parent;
}

SondeCommand *
sonde_command_new_profile_stop (void)
{
  return sonde_command_new (&sonde_command_class_profile_stop);
}

SondeCommand *
sonde_command_new_profile_save (const char *run)
{
  ProfileSave *self = sonde_command_new (&sonde_command_class_profile_save);

  self->run = g_strdup (run != NULL ? run : "");
  return &self->parent;
}

SondeCommand *
sonde_command_new_info_profile (void)
{
  return sonde_command_new (&sonde_command_class_info_profile);
}

const SondeCommandClass sonde_command_class_profile_start
    = { .name = "profile",
        .topic = "start",
        .arguments = "[N] [kernels] [when step_ms > K*median]",
        .summary = N_ ("Record what the next steps do and when, all of them or the slow ones, "
                       "with kernels and allocations where asked; end the recording; keep it in "
                       "a run."),
        .size = sizeof (ProfileStart),
        .parse = parse_start,
        .format = format_start,
        .run = run_start };

const SondeCommandClass sonde_command_class_profile_stop
    = { .name = "profile", .topic = "stop", .arguments = "", .run = run_stop };

const SondeCommandClass sonde_command_class_profile_save = { .name = "profile",
                                                             .topic = "save",
                                                             .arguments = "[RUN]",
                                                             .size = sizeof (ProfileSave),
                                                             .parse = parse_save,
                                                             .format = format_save,
                                                             .run = run_save,
                                                             .clear = clear_save };

const SondeCommandClass sonde_command_class_info_profile
    = { .name = "info", .topic = "profile", .alias = "i", .arguments = "", .run = run_info };
