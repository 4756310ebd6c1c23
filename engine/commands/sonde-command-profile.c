/* SPDX-License-Identifier: Apache-2.0
 * profile start, profile stop, info profile: what a run does and when, recorded while it goes on. */
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

/* ---- the result ---------------------------------------------------------- */

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeSpanLogStatus *status = &result->profile;
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
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeSpanLogStatus *status = &result->profile;

  sonde_json_set_boolean (builder, "recording", status->recording);
  sonde_json_set_int (builder, "steps", (gint64) status->steps);
  sonde_json_set_int (builder, "spans", (gint64) status->spans);
  sonde_json_set_int (builder, "bytes", (gint64) status->bytes);
  sonde_json_set_int (builder, "dropped", (gint64) status->dropped);
  sonde_json_set_double (builder, "overhead_ms", status->overhead_ms);
}

static const SondeCommandResultClass result_class = { .to_text = to_text, .to_json = to_json };

/* @request is sent. */
static SondeCommandResult *
ask (SondeCommandRunner *runner, SondeSessionRequest *request, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (runner, request, error);
  SondeCommandResult *result;

  if (reply == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_PROFILE, &result_class);
  result->profile = reply->profile;
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
sonde_command_new_info_profile (void)
{
  return sonde_command_new (&sonde_command_class_info_profile);
}

const SondeCommandClass sonde_command_class_profile_start
    = { .name = "profile",
        .topic = "start",
        .arguments = "[N] [kernels] [when step_ms > K*median]",
        .summary = N_ ("Record what the next steps do and when, all of them or the slow ones, "
                       "with kernels and allocations where asked; end the recording."),
        .size = sizeof (ProfileStart),
        .parse = parse_start,
        .format = format_start,
        .run = run_start };

const SondeCommandClass sonde_command_class_profile_stop
    = { .name = "profile", .topic = "stop", .arguments = "", .run = run_stop };

const SondeCommandClass sonde_command_class_info_profile
    = { .name = "info", .topic = "profile", .alias = "i", .arguments = "", .run = run_info };
