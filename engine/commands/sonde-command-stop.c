/* SPDX-License-Identifier: Apache-2.0
 * Stops and ends: the results of commands that resume a run. */
#include "engine/commands/sonde-command-class.h"

/* ---- text ---------------------------------------------------------------- */

/* "after conv1 (Conv), forward, step 3, iteration 0 of loop, node 2 of 5". (transfer full) */
static char *
describe_place (const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *place = stop->error != NULL
                               ? g_strdup_printf (_ ("error in %s (%s)"), stop->node, stop->op)
                               : sonde_command_format_place (stop->moment, stop->node, stop->op);

  sonde_clauses_add (clauses, "%s", place);
  sonde_clauses_add (clauses, "%s", sonde_command_label_phase (stop->phase));
  if (status->facts.kind != SONDE_ACTIVITY_INFERENCE)
    sonde_clauses_add (clauses, _ ("step %" PRIu64), stop->step);
  sonde_command_add_iterations (stop->frames, clauses);
  sonde_clauses_add (clauses, _ ("node %u of %u"), MIN (stop->position + 1, stop->n_steps),
                     stop->n_steps);
  return sonde_clauses_join (clauses);
}

static void
stop_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeStop *stop = &result->stop.status->stop;
  g_autofree char *place = describe_place (result->stop.status);

  if (result->stop.file != NULL)
    g_string_append_printf (text, _ ("Batch saved to “%s”.\n"), result->stop.file);
  if (stop->n_breakpoints > 0)
    g_string_append_printf (text, _ ("Breakpoint %u: %s\n"), stop->breakpoints[0], place);
  else
    g_string_append_printf (text, _ ("Stopped (%s): %s\n"),
                            sonde_command_label_reason (stop->reason), place);
  if (stop->error != NULL)
    g_string_append_printf (text, "  %s\n", stop->error);
  if (stop->source != NULL)
    g_string_append_printf (text, _ ("  at %s\n"), stop->source);
  if (stop->condition_error != NULL)
    g_string_append_printf (text, "  %s\n", sonde_message_get_text (stop->condition_error));
  if (stop->reason == SONDE_STOP_BEGINNING)
    g_string_append (text, _ ("Reached the earliest recorded position.\n"));
  if (stop->watchpoints != NULL)
    sonde_command_text_hits (stop->watchpoints, text);
  if (result->stop.displays != NULL)
    sonde_command_text_displays (result->stop.displays, text);
}

static gboolean
failed_in_node (const SondeSessionStatus *status)
{
  return status->stop.reason == SONDE_STOP_ERROR;
}

static void
text_failure (const SondeStop *stop, GString *text)
{
  g_autoptr (GPtrArray) iterations = sonde_clauses_new ();
  g_autofree char *joined = NULL;

  sonde_command_add_iterations (stop->frames, iterations);
  joined = sonde_clauses_join (iterations);
  if (iterations->len > 0)
    g_string_append_printf (
        text,
        _ ("Node %s (%s) failed in %s; values computed before the failure can be inspected.\n"),
        stop->node, stop->op, joined);
  else
    g_string_append_printf (
        text, _ ("Node %s (%s) failed; values computed before the failure can be inspected.\n"),
        stop->node, stop->op);
}

static void
end_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeSessionStatus *status = result->stop.status;
  const char *how = sonde_command_label_result (status->end.result);

  if (result->stop.file != NULL)
    g_string_append_printf (text, _ ("Batch saved to “%s”.\n"), result->stop.file);
  if (status->end.message != NULL)
    g_string_append_printf (text, _ ("Ended (%s): %s\n"), how,
                            sonde_message_get_text (status->end.message));
  else
    g_string_append_printf (text, _ ("Ended (%s).\n"), how);
  if (failed_in_node (status))
    text_failure (&status->stop, text);
}

/* ---- JSON ---------------------------------------------------------------- */

static void
json_place (const SondeStop *stop, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "node", stop->node);
  sonde_json_set_string (builder, "op", stop->op);
  sonde_json_set_string (builder, "phase", sonde_phase_name (stop->phase));
  sonde_json_set_int (builder, "step", (gint64) stop->step);
  sonde_json_begin_array (builder, "iteration");
  for (guint i = 0; i < stop->n_iterations; i++)
    json_builder_add_int_value (builder, (gint64) stop->iterations[i]);
  json_builder_end_array (builder);
  sonde_json_set_string (builder, "when", sonde_moment_name (stop->moment));
  sonde_json_set_string (builder, "scope", stop->scope);
  sonde_json_set_int (builder, "position", stop->position);
  sonde_json_set_int (builder, "positions", stop->n_steps);
  if (stop->source != NULL)
    sonde_json_set_string (builder, "source", stop->source);
  if (stop->thread != NULL)
    sonde_json_set_string (builder, "thread", stop->thread);
  if (stop->error != NULL)
    sonde_json_set_string (builder, "error", stop->error);
  sonde_command_json_stack (stop->frames, builder);
}

static void
json_file (const char *file, JsonBuilder *builder)
{
  if (file != NULL)
    sonde_json_set_string (builder, "file", file);
}

static void
stop_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeStop *stop = &result->stop.status->stop;

  json_file (result->stop.file, builder);
  sonde_json_set_string (builder, "event", "stopped");
  sonde_json_set_string (builder, "reason", sonde_stop_reason_name (stop->reason));
  json_place (stop, builder);
  sonde_json_begin_array (builder, "breakpoints");
  for (guint i = 0; i < stop->n_breakpoints; i++)
    json_builder_add_int_value (builder, stop->breakpoints[i]);
  json_builder_end_array (builder);
  if (stop->condition_error != NULL)
    sonde_json_set_string (builder, "condition_error",
                           sonde_message_get_english (stop->condition_error));
  sonde_command_json_hits (stop->watchpoints, "watchpoints", builder);
  if (result->stop.displays != NULL)
    sonde_command_json_displays (result->stop.displays, builder);
}

static void
end_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeSessionStatus *status = result->stop.status;

  json_file (result->stop.file, builder);
  sonde_json_set_string (builder, "event", "ended");
  sonde_json_set_string (builder, "status", sonde_session_result_name (status->end.result));
  if (status->end.message != NULL)
    sonde_json_set_string (builder, "message", sonde_message_get_english (status->end.message));
  if (failed_in_node (status))
    json_place (&status->stop, builder);
}

/* ---- the result ---------------------------------------------------------- */

static void
stop_clear (SondeCommandResult *result)
{
  sonde_session_status_free (result->stop.status);
  g_clear_pointer (&result->stop.displays, g_ptr_array_unref);
  g_free (result->stop.file);
}

static const SondeCommandResultClass stop_class = { stop_to_text, stop_to_json, stop_clear };
static const SondeCommandResultClass end_class = { end_to_text, end_to_json, stop_clear };

SondeCommandResult *
sonde_command_stop_new (SondeCommandRunner *runner, SondeSessionStatus *status, gboolean ended)
{
  SondeCommandResult *result
      = sonde_command_result_new (ended ? SONDE_COMMAND_RESULT_ENDED : SONDE_COMMAND_RESULT_STOPPED,
                                  ended ? &end_class : &stop_class);

  sonde_command_runner_set_listed (runner, 0);
  if (ended && status->end.result == SONDE_SESSION_FAILED)
    sonde_command_runner_set_failed (runner);
  result->stop.status = status;
  if (!ended)
    result->stop.displays = sonde_command_collect_displays (runner);
  return result;
}
