/* SPDX-License-Identifier: Apache-2.0
 * Watches, their hits, and checking values with them. */
#include <math.h>
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/* ---- hits ---------------------------------------------------------------- */

static void
json_number (const char *name, gboolean known, double number, JsonBuilder *builder)
{
  if (known)
    sonde_json_set_double (builder, name, number);
  else
    sonde_json_set_string (builder, name, NULL);
}

static void
json_hit (const SondeWatchHit *hit, JsonBuilder *builder)
{
  g_autofree char *unchecked
      = hit->unchecked != 0 ? sonde_unchecked_to_string (hit->unchecked) : NULL;

  sonde_json_set_int (builder, "step", (gint64) hit->step);
  sonde_json_set_string (builder, "node", hit->node);
  sonde_json_set_string (builder, "value", hit->value);
  sonde_json_set_string (builder, "condition", hit->condition);
  sonde_json_set_string (builder, "parameter", hit->parameter);
  json_number ("threshold", unchecked == NULL && !isnan (hit->threshold), hit->threshold, builder);
  json_number ("actual", unchecked == NULL, hit->actual, builder);
  if (unchecked != NULL)
    sonde_json_set_string (builder, "error", unchecked);
  if (hit->explanation != NULL)
    sonde_json_set_string (builder, "explanation", sonde_message_get_english (hit->explanation));
}

/* Which value at which step. (transfer full) */
static char *
describe_place (const SondeWatchHit *hit)
{
  if (!g_str_equal (hit->value, hit->node))
    return g_strdup_printf (_ ("%s (%s), step %" PRIu64), hit->value, hit->node, hit->step);
  return g_strdup_printf (_ ("%s, step %" PRIu64), hit->value, hit->step);
}

/* What was found there. (transfer full) */
static char *
describe_hit (const SondeWatchHit *hit)
{
  g_autofree char *unchecked = sonde_unchecked_to_string (hit->unchecked);

  if (hit->unchecked != 0)
    return g_strdup_printf (_ ("%s not checked: %s"), hit->condition, unchecked);
  if (hit->explanation != NULL)
    return g_strdup (sonde_message_get_text (hit->explanation));
  return g_strdup_printf (_ ("%s %s = %.9g, actual value %.9g"), hit->condition, hit->parameter,
                          hit->threshold, hit->actual);
}

void
sonde_command_text_hits (const GPtrArray *hits, GString *text)
{
  for (guint i = 0; i < hits->len; i++)
    {
      const SondeWatchHit *hit = g_ptr_array_index (hits, i);
      g_autofree char *place = describe_place (hit), *found = describe_hit (hit);

      g_string_append_printf (text, _ ("Watchpoint %u: %s: %s\n"), hit->watch, place, found);
    }
}

void
sonde_command_json_hits (const GPtrArray *hits, const char *name, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, name);
  for (guint i = 0; hits != NULL && i < hits->len; i++)
    {
      const SondeWatchHit *hit = g_ptr_array_index (hits, i);

      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "id", hit->watch);
      json_hit (hit, builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
hits_to_text (const SondeCommandResult *result, GString *text)
{
  sonde_command_text_hits (result->hits, text);
  if (result->hits->len == 0)
    g_string_append (text, _ ("No hits.\n"));
}

static void
hits_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_command_json_hits (result->hits, "hits", builder);
}

static void
hits_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->hits);
}

static const SondeCommandResultClass hits_class = { hits_to_text, hits_to_json, hits_clear };

/* @request is sent. */
static SondeCommandResult *
ask_hits (SondeCommandRunner *runner, SondeSessionRequest *request, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (runner, request, error);
  SondeCommandResult *result;

  if (reply == NULL || reply->watch_hits == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_HITS, &hits_class);
  result->hits = g_steal_pointer (&reply->watch_hits);
  return result;
}

/* ---- watches ------------------------------------------------------------- */

static void
json_watch (const SondeWatch *info, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "id", info->id);
  sonde_json_set_string (builder, "watch", info->text);
  sonde_json_set_string (builder, "on", info->pattern);
  sonde_json_set_boolean (builder, "inputs", info->on_inputs);
  sonde_json_set_boolean (builder, "stops", !info->log_only);
  sonde_json_set_boolean (builder, "enabled", info->enabled);
  sonde_json_set_int (builder, "values", info->n_values);
  sonde_json_set_int (builder, "hits", (gint64) info->hits);
  sonde_json_set_int (builder, "ignore", (gint64) info->ignore);
  sonde_json_set_int (builder, "unchecked", (gint64) info->unchecked);
  if (info->last == NULL)
    {
      sonde_json_set_string (builder, "last", NULL);
      return;
    }
  sonde_json_begin_object (builder, "last");
  json_hit (info->last, builder);
  json_builder_end_object (builder);
}

/* (transfer full) */
static char *
describe_watch (const SondeWatch *info)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();

  if (info->pattern != NULL) /* as `watch` reads it */
    sonde_clauses_add (clauses, "%s on %s%s", info->text, info->pattern,
                       info->on_inputs ? " inputs" : "");
  else
    sonde_clauses_add (clauses, "%s", info->text);
  sonde_clauses_add (clauses, P_ ("%u value", "%u values", info->n_values), info->n_values);
  sonde_clauses_add (clauses, P_ ("%" PRIu64 " hit", "%" PRIu64 " hits", info->hits), info->hits);
  if (info->unchecked > 0)
    sonde_clauses_add (clauses, _ ("%" PRIu64 " not checked"), info->unchecked);
  if (info->ignore > 0)
    sonde_clauses_add (clauses,
                       P_ ("the next %" PRIu64 " hit is ignored",
                           "the next %" PRIu64 " hits are ignored", info->ignore),
                       info->ignore);
  if (info->log_only)
    sonde_clauses_add (clauses, "%s", _ ("does not stop"));
  if (!info->enabled)
    sonde_clauses_add (clauses, "%s", _ ("disabled"));
  return sonde_clauses_join (clauses);
}

static void
text_last_hit (const SondeWatch *info, GString *text)
{
  g_autofree char *place = NULL, *found = NULL;

  if (info->last == NULL)
    return;
  place = describe_place (info->last);
  found = describe_hit (info->last);
  g_string_append_printf (text, _ ("   last hit: %s: %s\n"), place, found);
}

void
sonde_command_text_watches (const GPtrArray *watches, GString *text)
{
  for (guint i = 0; i < watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (watches, i);
      g_autofree char *description = describe_watch (info);

      g_string_append_printf (text, "%u: %s\n", info->id, description);
      text_last_hit (info, text);
    }
}

void
sonde_command_json_watches (const GPtrArray *watches, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "watches");
  for (guint i = 0; i < watches->len; i++)
    {
      json_builder_begin_object (builder);
      json_watch (g_ptr_array_index (watches, i), builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
watches_to_text (const SondeCommandResult *result, GString *text)
{
  const GPtrArray *watches = result->watches;

  if (result->kind == SONDE_COMMAND_RESULT_WATCH && watches->len == 1)
    {
      const SondeWatch *info = g_ptr_array_index (watches, 0);
      g_autofree char *description = describe_watch (info);

      g_string_append_printf (text, _ ("Watchpoint %u: %s\n"), info->id, description);
      return;
    }
  if (result->kind == SONDE_COMMAND_RESULT_WATCH)
    g_string_append (text, _ ("Watchpoints:\n"));
  else if (watches->len == 0)
    g_string_append (text, _ ("No watchpoints.\n"));
  sonde_command_text_watches (watches, text);
}

static void
watches_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  if (result->kind == SONDE_COMMAND_RESULT_WATCH && result->watches->len == 1)
    json_watch (g_ptr_array_index (result->watches, 0), builder);
  sonde_command_json_watches (result->watches, builder);
}

static void
watches_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->watches);
}

static const SondeCommandResultClass watches_class
    = { watches_to_text, watches_to_json, watches_clear };

/* ---- commands ------------------------------------------------------------ */

static gboolean
parse_watch (SondeCommand *command, const char *arguments, GError **error)
{
  ((SondeTextCommand *) command)->text = g_strdup (arguments);
  if (*arguments != '\0')
    return TRUE;
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
      "Nothing to watch: give an expression, preset NAME [key=value…], or preset recommended.");
  return FALSE;
}

static void
format_watch (const SondeCommand *command, GString *line)
{
  g_string_append_printf (line, " %s", ((const SondeTextCommand *) command)->text);
}

/* @request is sent. */
static SondeCommandResult *
ask_watches (SondeCommandRunner *runner, SondeSessionRequest *request, SondeCommandResultKind kind,
             GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (runner, request, error);
  SondeCommandResult *result;

  if (reply == NULL || reply->watches == NULL)
    return NULL;
  result = sonde_command_result_new (kind, &watches_class);
  result->watches = g_steal_pointer (&reply->watches);
  return result;
}

static SondeCommandResult *
run_watch (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;

  return ask_watches (runner, sonde_session_request_add_watch (self->text),
                      SONDE_COMMAND_RESULT_WATCH, error);
}

static SondeCommandResult *
run_info_watches (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return ask_watches (runner, sonde_session_request_list_watches (), SONDE_COMMAND_RESULT_WATCHES,
                      error);
}

static gboolean
parse_hits (SondeCommand *command, const char *arguments, GError **error)
{
  return sonde_number_command_parse (command, arguments, 0, N_ ("watchpoint number"), error);
}

static gboolean
parse_recheck (SondeCommand *command, const char *arguments, GError **error)
{
  static const char prefix[] = "step:";

  return sonde_number_command_parse (
      command, g_str_has_prefix (arguments, prefix) ? arguments + strlen (prefix) : arguments, 0,
      N_ ("training step"), error);
}

static void
format_number (const SondeCommand *command, GString *line)
{
  const SondeNumberCommand *self = (const SondeNumberCommand *) command;

  if (self->number > 0)
    g_string_append_printf (line, " %s%" PRIu64,
                            command->class == &sonde_command_class_recheck ? "step:" : "",
                            self->number);
}

static SondeCommandResult *
run_hits (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeNumberCommand *self = (const SondeNumberCommand *) command;

  return ask_hits (
      runner, sonde_session_request_list_watch_hits ((guint) MIN (self->number, G_MAXUINT)), error);
}

static SondeCommandResult *
run_recheck (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeNumberCommand *self = (const SondeNumberCommand *) command;

  return ask_hits (runner, sonde_session_request_recheck (self->number), error);
}

SondeCommand *
sonde_command_new_watch (const char *text)
{
  return sonde_text_command_new (&sonde_command_class_watch, text);
}

SondeCommand *
sonde_command_new_info_watches (void)
{
  return sonde_command_new (&sonde_command_class_info_watches);
}

SondeCommand *
sonde_command_new_info_hits (guint id)
{
  return sonde_number_command_new (&sonde_command_class_info_hits, id);
}

SondeCommand *
sonde_command_new_recheck (guint64 step)
{
  return sonde_number_command_new (&sonde_command_class_recheck, step);
}

char *
sonde_command_line_of_watch (const SondeWatch *watch)
{
  GString *line = g_string_new (sonde_command_class_watch.name);

  g_string_append_printf (line, " %s", watch->text);
  if (watch->pattern != NULL)
    g_string_append_printf (line, " on %s", watch->pattern);
  g_string_append (line, watch->on_inputs ? " inputs" : "");
  g_string_append (line, watch->log_only ? " nostop" : "");
  return g_string_free (line, FALSE);
}

const SondeCommandClass sonde_command_class_watch
    = { .name = "watch",
        .alias = "w",
        .arguments = "EXPR|preset NAME [KEY=VALUE…]|preset recommended [on PATTERN] [inputs] "
                     "[nostop]",
        .summary = N_ ("Stop when a value meets a condition (watchpoint)."),
        .size = sizeof (SondeTextCommand),
        .parse = parse_watch,
        .format = format_watch,
        .run = run_watch,
        .clear = sonde_text_command_clear };

const SondeCommandClass sonde_command_class_recheck
    = { .name = "recheck",
        .arguments = "[step:N]",
        .summary
        = N_ ("Check current values, or those of an earlier step, against all watchpoints."),
        .size = sizeof (SondeNumberCommand),
        .parse = parse_recheck,
        .format = format_number,
        .run = run_recheck };

const SondeCommandClass sonde_command_class_info_watches = { .name = "info",
                                                             .topic = "watches",
                                                             .alias = "i",
                                                             .arguments = "",
                                                             .run = run_info_watches };

const SondeCommandClass sonde_command_class_info_hits = { .name = "info",
                                                          .topic = "hits",
                                                          .alias = "i",
                                                          .arguments = "[ID]",
                                                          .size = sizeof (SondeNumberCommand),
                                                          .parse = parse_hits,
                                                          .format = format_number,
                                                          .run = run_hits };
