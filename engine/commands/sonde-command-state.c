/* SPDX-License-Identifier: Apache-2.0
 * info state, info values. */
#include <math.h>

#include "engine/commands/sonde-command-table.h"

/* ---- values -------------------------------------------------------------- */

static const char *
role_name (SondeValueRole role)
{
  static const char *const names[] = {
    [SONDE_ROLE_NORMAL] = "value",        [SONDE_ROLE_INPUT] = "input",
    [SONDE_ROLE_PARAMETER] = "parameter", [SONDE_ROLE_CONSTANT] = "constant",
    [SONDE_ROLE_STATE] = "state",
  };

  return (guint) role < G_N_ELEMENTS (names) ? names[role] : "value";
}

static void
values_to_text (const SondeCommandResult *result, GString *text)
{
  for (guint i = 0; i < result->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (result->values, i);

      g_string_append (text, info->available ? "* " : "  ");
      sonde_command_append_cell (text, sonde_command_label_role (info->role), 11);
      g_string_append_printf (text, "%s: %s\n", info->name, info->type);
    }
}

static void
values_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "values");
  for (guint i = 0; i < result->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (result->values, i);

      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", info->name);
      sonde_json_set_string (builder, "type", info->type);
      sonde_json_set_string (builder, "role", role_name (info->role));
      sonde_json_set_string (builder, "node", info->producer);
      sonde_json_set_boolean (builder, "available", info->available);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
values_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->values);
}

static const SondeCommandResultClass values_class
    = { values_to_text, values_to_json, values_clear };

static SondeCommandResult *
run_values (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner,
      sonde_session_request_in_frame (sonde_session_request_values (self->text),
                                      SONDE_SESSION_FRAME_SELECTED),
      error);
  SondeCommandResult *result;

  if (reply == NULL || reply->values == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_VALUES, &values_class);
  result->values = g_steal_pointer (&reply->values);
  return result;
}

/* ---- the state ----------------------------------------------------------- */

/* null where it is not known */
static void
json_number (const char *name, gboolean known, double number, JsonBuilder *builder)
{
  if (known)
    sonde_json_set_double (builder, name, number);
  else
    sonde_json_set_string (builder, name, NULL);
}

static void
json_steps_before (gint64 steps, JsonBuilder *builder)
{
  if (steps >= 0)
    sonde_json_set_int (builder, "steps_before", steps);
  else
    sonde_json_set_string (builder, "steps_before", NULL);
}

static void
state_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeSessionStatus *status = result->status;
  const SondeStop *stop = &status->stop;

  sonde_json_set_string (builder, "state", sonde_session_state_name (status->state));
  sonde_json_set_string (builder, "kind", sonde_activity_kind_name (status->facts.kind));
  sonde_json_set_string (builder, "title", status->facts.title);
  sonde_json_set_string (builder, "run", status->facts.run_directory);
  sonde_json_set_int (builder, "pid", status->pid);
  sonde_json_set_boolean (builder, "in_control", status->in_control);
  sonde_json_set_string (builder, "reason", sonde_stop_reason_name (stop->reason));
  sonde_json_set_string (builder, "node", stop->node);
  sonde_json_set_string (builder, "op", stop->op);
  sonde_json_set_string (builder, "phase", sonde_phase_name (stop->phase));
  sonde_json_set_string (builder, "when", sonde_moment_name (stop->moment));
  sonde_json_set_int (builder, "position", stop->position);
  sonde_json_set_int (builder, "positions", stop->n_steps);
  sonde_json_set_int (
      builder, "step",
      (gint64) (status->state == SONDE_SESSION_PAUSED ? stop->step : status->facts.step));
  sonde_json_set_int (builder, "steps", (gint64) status->facts.total_steps);
  if (status->facts.kind == SONDE_ACTIVITY_PYTORCH)
    json_steps_before (status->facts.steps_before, builder);
  sonde_json_set_int (builder, "branch", status->branch);
  sonde_json_set_int (builder, "epoch", (gint64) status->facts.epoch);
  sonde_json_set_int (builder, "epochs", (gint64) status->facts.n_epochs);
  json_number ("loss", status->facts.measured, status->facts.loss,
               builder); /* NaN is a loss, too */
  json_number ("accuracy", !isnan (status->facts.accuracy), status->facts.accuracy, builder);
  json_number ("learning_rate", !isnan (status->facts.learning_rate), status->facts.learning_rate,
               builder);
  if (status->state == SONDE_SESSION_ENDED)
    sonde_json_set_string (builder, "status", sonde_session_result_name (status->end.result));
}

static void
text_training (const SondeSessionFacts *facts, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *joined = NULL;

  if (facts->total_steps == 0)
    sonde_clauses_add (clauses, _ ("step %" PRIu64), facts->step);
  else
    {
      sonde_clauses_add (clauses, _ ("step %" PRIu64 " of %" PRIu64), facts->step,
                         facts->total_steps);
      sonde_clauses_add (clauses, _ ("epoch %" PRIu64 " of %" PRIu64), facts->epoch,
                         facts->n_epochs);
    }
  if (facts->measured)
    sonde_clauses_add (clauses, _ ("loss %.6g"), facts->loss);
  if (!isnan (facts->accuracy))
    sonde_clauses_add (clauses, _ ("accuracy %.4g"), facts->accuracy);
  if (facts->run_directory != NULL)
    sonde_clauses_add (clauses, _ ("run folder %s"), facts->run_directory);
  joined = sonde_clauses_join (clauses);
  g_string_append_printf (text, "%s\n", joined);
}

/* "paused, after conv1 (Conv), forward". (transfer full) */
static char *
describe_state (const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *place = NULL;

  if (status->state == SONDE_SESSION_ENDED)
    sonde_clauses_add (clauses, _ ("ended (%s)"), sonde_command_label_result (status->end.result));
  else
    sonde_clauses_add (clauses, "%s", sonde_command_label_state (status->state));
  if (status->state != SONDE_SESSION_RUNNING && *stop->node != '\0')
    {
      place = sonde_command_format_place (stop->moment, stop->node, stop->op);
      sonde_clauses_add (clauses, "%s", place);
      sonde_clauses_add (clauses, "%s", sonde_command_label_phase (stop->phase));
    }
  return sonde_clauses_join (clauses);
}

static void
state_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeSessionStatus *status = result->status;
  g_autofree char *state = describe_state (status);

  if (status->facts.title != NULL)
    g_string_append_printf (text, "%s: %s\n", status->facts.title, state);
  else
    g_string_append_printf (text, _ ("Nothing is open (%s).\n"), state);
  if (sonde_activity_kind_has_steps (status->facts.kind))
    text_training (&status->facts, text);
  if (status->facts.kind == SONDE_ACTIVITY_DUMP)
    g_string_append_printf (text, _ ("step %" PRIu64 " of %" PRIu64 " (iteration %" PRIu64 ")\n"),
                            status->facts.step, status->facts.total_steps, status->facts.step - 1);
  if (!status->in_control)
    g_string_append (text, _ ("Another client is in control; this one is read-only.\n"));
}

static void
state_clear (SondeCommandResult *result)
{
  sonde_session_status_free (result->status);
}

static const SondeCommandResultClass state_class = { state_to_text, state_to_json, state_clear };

static SondeCommandResult *
run_state (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  SondeSessionStatus *status = sonde_command_runner_get_status (runner, error);
  SondeCommandResult *result;

  if (status == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_STATE, &state_class);
  result->status = status;
  return result;
}

SondeCommand *
sonde_command_new_info_state (void)
{
  return sonde_command_new (&sonde_command_class_info_state);
}

SondeCommand *
sonde_command_new_info_values (const char *pattern)
{
  return sonde_text_command_new (&sonde_command_class_info_values, pattern);
}

const SondeCommandClass sonde_command_class_info_values = { .name = "info",
                                                            .topic = "values",
                                                            .alias = "i",
                                                            .arguments = "[GLOB]",
                                                            .size = sizeof (SondeTextCommand),
                                                            .parse = sonde_text_command_parse,
                                                            .format = sonde_text_command_format,
                                                            .run = run_values,
                                                            .clear = sonde_text_command_clear };

const SondeCommandClass sonde_command_class_info_state
    = { .name = "info", .topic = "state", .alias = "i", .arguments = "", .run = run_state };
