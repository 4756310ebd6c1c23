/* SPDX-License-Identifier: Apache-2.0
 * Setting breakpoints and logpoints; the list of breakpoints. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/**
 * Break: strings are owned
 * @hit_condition: only of programs; in a line it is part of the condition
 */
typedef struct
{
  SondeCommand parent;
  SondeBreakpointSpec spec;
  char *pattern, *condition, *hit_condition, *log;
} Break;

/* ---- rendering ----------------------------------------------------------- */

static void
json_breakpoint (const SondeBreakpoint *info, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "id", info->id);
  sonde_json_set_string (builder, "node", info->pattern);
  sonde_json_set_string (builder, "when", sonde_moment_name (info->moment));
  sonde_json_set_boolean (builder, "temporary", info->temporary);
  sonde_json_set_boolean (builder, "enabled", info->enabled);
  sonde_json_set_int (builder, "hits", (gint64) info->hits);
  sonde_json_set_int (builder, "ignore", (gint64) info->ignore);
  sonde_json_set_int (builder, "positions", info->n_positions);
  if (info->condition != NULL)
    sonde_json_set_string (builder, "condition", info->condition);
  if (info->hit_condition != NULL)
    sonde_json_set_string (builder, "hit_condition", info->hit_condition);
  if (info->log != NULL)
    sonde_json_set_string (builder, "log", info->log);
  if (info->note != NULL)
    sonde_json_set_string (builder, "note", sonde_message_get_english (info->note));
}

/* (transfer full) */
static char *
describe (const SondeBreakpoint *info)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  gboolean catches = g_str_equal (info->pattern, SONDE_BREAKPOINT_ERRORS);
  g_autofree char *place = sonde_command_format_place (info->moment, info->pattern, NULL);

  sonde_clauses_add (clauses, "%s", catches ? _ ("where a node fails") : place);
  if (info->temporary)
    sonde_clauses_add (clauses, "%s", _ ("temporary"));
  if (!catches)
    sonde_clauses_add (clauses, P_ ("%u location", "%u locations", info->n_positions),
                       info->n_positions);
  sonde_clauses_add (clauses, P_ ("%" PRIu64 " hit", "%" PRIu64 " hits", info->hits), info->hits);
  if (info->ignore > 0)
    sonde_clauses_add (clauses,
                       P_ ("the next %" PRIu64 " hit is ignored",
                           "the next %" PRIu64 " hits are ignored", info->ignore),
                       info->ignore);
  if (!info->enabled)
    sonde_clauses_add (clauses, "%s", _ ("disabled"));
  return sonde_clauses_join (clauses);
}

static void
text_details (const SondeBreakpoint *info, GString *text)
{
  if (info->condition != NULL)
    g_string_append_printf (text, _ ("   stops only if %s\n"), info->condition);
  if (info->hit_condition != NULL)
    g_string_append_printf (text, _ ("   stops only if the hit count is %s\n"),
                            info->hit_condition);
  if (info->log != NULL)
    g_string_append_printf (text, _ ("   prints \"%s\"\n"), info->log);
  if (info->note != NULL && info->condition == NULL && info->hit_condition == NULL)
    g_string_append_printf (text, "   %s\n", sonde_message_get_text (info->note));
  else if (info->note != NULL)
    g_string_append_printf (text, _ ("   condition not evaluated: %s\n"),
                            sonde_message_get_text (info->note));
}

static void
one_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeBreakpoint *info = g_ptr_array_index (result->breakpoints.breakpoints, 0);
  g_autofree char *description = describe (info);

  g_string_append_printf (text, _ ("Breakpoint %u: %s\n"), info->id, description);
  text_details (info, text);
}

static void
one_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  json_breakpoint (g_ptr_array_index (result->breakpoints.breakpoints, 0), builder);
}

static void
list_to_text (const SondeCommandResult *result, GString *text)
{
  const GPtrArray *breakpoints = result->breakpoints.breakpoints,
                  *watches = result->breakpoints.watches;

  for (guint i = 0; i < breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints, i);
      g_autofree char *description = describe (info);

      g_string_append_printf (text, "%u: %s\n", info->id, description);
      text_details (info, text);
    }
  if (breakpoints->len == 0 && (watches == NULL || watches->len == 0))
    g_string_append (text, _ ("No breakpoints.\n"));
  if (watches != NULL)
    sonde_command_text_watches (watches, text);
}

static void
list_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const GPtrArray *breakpoints = result->breakpoints.breakpoints;

  sonde_json_begin_array (builder, "breakpoints");
  for (guint i = 0; i < breakpoints->len; i++)
    {
      json_builder_begin_object (builder);
      json_breakpoint (g_ptr_array_index (breakpoints, i), builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  if (result->breakpoints.watches != NULL)
    sonde_command_json_watches (result->breakpoints.watches, builder);
}

static void
result_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->breakpoints.breakpoints);
  g_clear_pointer (&result->breakpoints.watches, g_ptr_array_unref);
}

static const SondeCommandResultClass one_class = { one_to_text, one_to_json, result_clear };
static const SondeCommandResultClass list_class = { list_to_text, list_to_json, result_clear };

SondeCommandResult *
sonde_command_breakpoints_new (SondeSessionReply *reply, gboolean with_watches)
{
  SondeCommandResult *result
      = sonde_command_result_new (SONDE_COMMAND_RESULT_BREAKPOINTS, &list_class);

  result->breakpoints.breakpoints = g_steal_pointer (&reply->breakpoints);
  if (with_watches)
    result->breakpoints.watches = g_steal_pointer (&reply->watches);
  return result;
}

/* ---- parsing ------------------------------------------------------------- */

static void
fill_spec (Break *self)
{
  self->spec.pattern = self->pattern;
  self->spec.condition = self->condition;
  self->spec.hit_condition = self->hit_condition;
  self->spec.log = self->log;
}

/* The word “if” that a condition follows: its index, or @words->len. */
static guint
find_if (const GPtrArray *words, const char *arguments)
{
  for (guint i = 1; i < words->len; i++)
    {
      const SondeWord *word = sonde_words_get (words, i);
      const char *at = arguments + word->start;

      if (strncmp (at, "if(", 3) == 0
          || (word->end - word->start == 2 && strncmp (at, "if", 2) == 0 && i + 1 < words->len))
        return i;
    }
  return words->len;
}

/* "NODE [before|after] [if EXPR]" */
static gboolean
parse_place (Break *self, const char *arguments, GError **error)
{
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);
  guint n = find_if (words, arguments);
  const SondeWord *last = n > 0 ? sonde_words_get (words, n - 1) : NULL;

  if (n < words->len)
    self->condition
        = g_strstrip (g_strdup (arguments + sonde_words_get (words, n)->start + strlen ("if")));
  self->spec.moment = SONDE_MOMENT_BEFORE;
  self->spec.either = TRUE;
  if (n > 1 && !last->quoted
      && (g_str_equal (last->text, "before") || g_str_equal (last->text, "after")))
    {
      self->spec.moment
          = g_str_equal (last->text, "after") ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
      self->spec.either = FALSE;
      last = sonde_words_get (words, --n - 1);
    }
  self->pattern = last != NULL ? sonde_words_unquote_part (arguments, 0, last->end) : NULL;
  fill_spec (self);
  if (self->pattern != NULL && *self->pattern != '\0')
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "No location given: name a node, a value, a glob, op:TYPE, scope:GLOB or "
                   "phase:forward.");
  return FALSE;
}

static gboolean
parse_break (SondeCommand *command, const char *arguments, GError **error)
{
  return parse_place ((Break *) command, arguments, error);
}

static gboolean
parse_tbreak (SondeCommand *command, const char *arguments, GError **error)
{
  ((Break *) command)->spec.temporary = TRUE;
  return parse_place ((Break *) command, arguments, error);
}

/* "error [if EXPR]" */
static gboolean
parse_catch (SondeCommand *command, const char *arguments, GError **error)
{
  Break *self = (Break *) command;
  g_autofree char *what = NULL;

  if (!parse_place (self, *arguments != '\0' ? arguments : "?", error))
    return FALSE;
  what = g_steal_pointer (&self->pattern);
  if (g_str_equal (what, "error") && self->spec.either)
    {
      self->pattern = g_strdup (SONDE_BREAKPOINT_ERRORS);
      fill_spec (self);
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Only errors can be caught. Usage: catch error [if EXPR].");
  return FALSE;
}

/* NODE [before|after] "TEXT" [if EXPR]; a quoted name comes first. */
static gboolean
parse_log (SondeCommand *command, const char *arguments, GError **error)
{
  Break *self = (Break *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  for (guint i = 1; i < words->len; i++)
    {
      const SondeWord *word = sonde_words_get (words, i);
      g_autofree char *rest = NULL;

      if (!word->quoted)
        continue;
      rest = g_strdup_printf ("%.*s %s", (int) word->start, arguments, arguments + word->end);
      self->log = g_strdup (word->text);
      return parse_place (self, g_strstrip (rest), error);
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Node or quoted message missing. Usage: log NODE [before|after] \"TEXT "
                   "{EXPR}\" [if EXPR].");
  return FALSE;
}

static void
append_quoted (GString *line, const char *text)
{
  g_autofree char *quoted = sonde_words_quote (text);

  if (*quoted == '"')
    g_string_append_printf (line, " %s", quoted);
  else
    g_string_append_printf (line, " \"%s\"", quoted);
}

static void
format (const SondeCommand *command, GString *line)
{
  const Break *self = (const Break *) command;
  gboolean catches = g_strcmp0 (self->pattern, SONDE_BREAKPOINT_ERRORS) == 0;

  sonde_command_append_word (line, catches ? "error" : self->pattern);
  if (!self->spec.either && !catches)
    g_string_append_printf (line, " %s", sonde_moment_name (self->spec.moment));
  if (self->log != NULL)
    append_quoted (line, self->log);
  if (self->condition != NULL && self->hit_condition != NULL)
    g_string_append_printf (line, " if (%s) && (%s)", self->condition, self->hit_condition);
  else if (self->condition != NULL || self->hit_condition != NULL)
    g_string_append_printf (line, " if %s",
                            self->condition != NULL ? self->condition : self->hit_condition);
}

/* ---- running ------------------------------------------------------------- */

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner, sonde_session_request_add_breakpoint (&((const Break *) command)->spec), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->breakpoints->len == 0)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_BREAKPOINT, &one_class);
  result->breakpoints.breakpoints = g_steal_pointer (&reply->breakpoints);
  return result;
}

static SondeCommandResult *
run_info (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_list_breakpoints (), error);

  return reply != NULL ? sonde_command_breakpoints_new (reply, FALSE) : NULL;
}

static void
clear (SondeCommand *command)
{
  Break *self = (Break *) command;

  g_free (self->pattern);
  g_free (self->condition);
  g_free (self->hit_condition);
  g_free (self->log);
}

SondeCommand *
sonde_command_new_break (const SondeBreakpointSpec *spec)
{
  gboolean catches = g_strcmp0 (spec->pattern, SONDE_BREAKPOINT_ERRORS) == 0;
  Break *self = sonde_command_new (catches             ? &sonde_command_class_catch
                                   : spec->log != NULL ? &sonde_command_class_log
                                   : spec->temporary   ? &sonde_command_class_tbreak
                                                       : &sonde_command_class_break);

  self->spec = *spec;
  self->pattern = g_strdup (spec->pattern);
  self->condition = g_strdup (spec->condition);
  self->hit_condition = g_strdup (spec->hit_condition);
  self->log = g_strdup (spec->log);
  fill_spec (self);
  return &self->parent;
}

char *
sonde_command_line_of_breakpoint (const SondeBreakpoint *breakpoint)
{
  const SondeBreakpointSpec spec = { .pattern = breakpoint->pattern,
                                     .moment = breakpoint->moment,
                                     .temporary = breakpoint->temporary,
                                     .condition = breakpoint->condition,
                                     .hit_condition = breakpoint->hit_condition,
                                     .log = breakpoint->log };
  g_autoptr (SondeCommand) command = sonde_command_new_break (&spec);

  return sonde_command_to_line (command);
}

SondeCommand *
sonde_command_new_info_breakpoints (void)
{
  return sonde_command_new (&sonde_command_class_info_breakpoints);
}

const SondeCommandClass sonde_command_class_break
    = { .name = "break",
        .alias = "b",
        .arguments = "NODE|VALUE|GLOB|op:TYPE|scope:GLOB|phase:P [before|after] [if EXPR]",
        .summary = N_ ("Set a breakpoint."),
        .size = sizeof (Break),
        .parse = parse_break,
        .format = format,
        .run = run,
        .clear = clear };

const SondeCommandClass sonde_command_class_tbreak
    = { .name = "tbreak",
        .alias = "tb",
        .arguments = "NODE|VALUE|GLOB|op:TYPE|scope:GLOB|phase:P [before|after] [if EXPR]",
        .summary = N_ ("Set a temporary breakpoint."),
        .size = sizeof (Break),
        .parse = parse_tbreak,
        .format = format,
        .run = run,
        .clear = clear };

const SondeCommandClass sonde_command_class_catch
    = { .name = "catch",
        .arguments = "error [if EXPR]",
        .summary = N_ ("Stop at a node that fails (PyTorch)."),
        .size = sizeof (Break),
        .parse = parse_catch,
        .format = format,
        .run = run,
        .clear = clear };

const SondeCommandClass sonde_command_class_log
    = { .name = "log",
        .arguments = "NODE [before|after] \"TEXT {EXPR}\" [if EXPR]",
        .summary = N_ ("Print a message when a node is reached (logpoint)."),
        .size = sizeof (Break),
        .parse = parse_log,
        .format = format,
        .run = run,
        .clear = clear };

const SondeCommandClass sonde_command_class_info_breakpoints
    = { .name = "info",
        .topic = "breakpoints",
        .alias = "i",
        .arguments = "",
        .summary = N_ ("Show information about the session."),
        .run = run_info };
