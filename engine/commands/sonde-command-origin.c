/* SPDX-License-Identifier: Apache-2.0
 * Where a NaN or an infinity comes from. */
#include <math.h>

#include "engine/commands/sonde-command-table.h"

#define SHOWN_LINKS 24 /* in text: the first and the last half of them */

/* ---- JSON ---------------------------------------------------------------- */

static void
json_link (const SondeOriginLink *link, JsonBuilder *builder)
{
  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "node", link->node);
  sonde_json_set_string (builder, "op", link->op);
  sonde_json_set_string (builder, "value", link->value);
  sonde_command_json_index (&link->shape, link->element, "index", builder);
  sonde_json_set_double (builder, "number", link->number);
  if (link->node != NULL)
    sonde_json_set_string (builder, "phase", sonde_phase_name (link->phase));
  if (link->iteration >= 0)
    sonde_json_set_int (builder, "iteration", link->iteration);
  sonde_json_set_int (builder, "step", (gint64) link->step);
  json_builder_end_object (builder);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeOrigin *origin = result->origin;

  sonde_json_begin_array (builder, "chain");
  for (guint i = 0; i < origin->chain->len; i++)
    json_link (g_ptr_array_index (origin->chain, i), builder);
  json_builder_end_array (builder);
  sonde_json_set_string (builder, "first_bad_node", origin->first_bad_node);
  sonde_json_set_string (builder, "cause", sonde_message_get_english (origin->cause));
  sonde_json_set_string (builder, "cause_value", origin->cause_value);
  if (origin->cause_value != NULL)
    {
      sonde_command_json_index (&origin->cause_shape, origin->cause_element, "cause_index",
                                builder);
      sonde_json_set_double (builder, "cause_number", origin->cause_number);
    }
  sonde_json_set_int (builder, "step", (gint64) origin->step);
}

/* ---- text ---------------------------------------------------------------- */

static void
text_link (const SondeOriginLink *link, guint64 asked, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *place = sonde_shape_format_index (&link->shape, link->element), *joined = NULL;
  /* a chain has no other numbers */
  const char *number = isnan (link->number) ? "nan" : link->number > 0 ? "inf" : "-inf";

  if (link->node != NULL)
    sonde_clauses_add (clauses, _ ("computed by %s (%s)"), link->node, link->op);
  if (link->iteration >= 0)
    sonde_clauses_add (clauses, _ ("iteration %" PRIi64), link->iteration);
  if (link->step != asked)
    sonde_clauses_add (clauses, _ ("step %" PRIu64), link->step);
  joined = sonde_clauses_join (clauses);
  g_string_append_printf (text, "  %s%s = %s%s%s\n", link->value, link->shape.rank > 0 ? place : "",
                          number, clauses->len > 0 ? "  " : "", joined);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeOrigin *origin = result->origin;
  const guint n = origin->chain->len;

  for (guint i = 0; i < n; i++)
    if (i < SHOWN_LINKS / 2 || i + SHOWN_LINKS / 2 >= n)
      text_link (g_ptr_array_index (origin->chain, i), origin->step, text);
    else if (i == SHOWN_LINKS / 2)
      g_string_append_printf (text,
                              P_ ("  … %u more value\n", "  … %u more values\n", n - SHOWN_LINKS),
                              n - SHOWN_LINKS);
  if (origin->first_bad_node != NULL)
    g_string_append_printf (text, _ ("First bad node: %s (%s)\n"), origin->first_bad_node,
                            sonde_message_get_text (origin->cause));
  else
    g_string_append_printf (text, _ ("Not caused by a node: %s\n"),
                            sonde_message_get_text (origin->cause));
}

/* ---- the command --------------------------------------------------------- */

static void
result_clear (SondeCommandResult *result)
{
  sonde_origin_free (result->origin);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  if (*arguments != '\0')
    return sonde_text_command_parse (command, arguments, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "No value given. Usage: origin VALUE[index], or origin VALUE for its first "
                   "NaN or infinity.");
  return FALSE;
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_origin (self->text), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->origin == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_ORIGIN, &result_class);
  result->origin = g_steal_pointer (&reply->origin);
  return result;
}

SondeCommand *
sonde_command_new_origin (const char *value)
{
  return sonde_text_command_new (&sonde_command_class_origin, value);
}

const SondeCommandClass sonde_command_class_origin
    = { .name = "origin",
        .arguments = "VALUE[index]",
        .summary = N_ ("Find where a NaN or an infinity comes from."),
        .size = sizeof (SondeTextCommand),
        .parse = parse,
        .format = sonde_text_command_format,
        .run = run,
        .clear = sonde_text_command_clear };
