/* SPDX-License-Identifier: Apache-2.0
 * What there is, and where the run stands. */
#include "app/front/sonde-front-private.h"

#include <math.h>
#include <string.h>

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

static gboolean
info_values (SondeFront *front, const char *pattern, SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front,
                          sonde_session_request_in_frame (sonde_session_request_values (pattern),
                                                          SONDE_SESSION_FRAME_SELECTED),
                          error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "values");
  for (guint i = 0; i < reply->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (reply->values, i);

      if (!front->options.json)
        {
          g_string_append_printf (answer->text, "%s %-10s %s: %s\n", info->available ? "*" : " ",
                                  role_name (info->role), info->name, info->type);
          continue;
        }
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_json_text_string (&answer->json, "name", info->name);
      sonde_json_text_string (&answer->json, "type", info->type);
      sonde_json_text_string (&answer->json, "role", role_name (info->role));
      sonde_json_text_string (&answer->json, "node", info->producer);
      sonde_json_text_boolean (&answer->json, "available", info->available);
      sonde_json_text_end_object (&answer->json);
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}

/* null where it is not there */
static void
json_number (SondeJsonText *json, const char *name, gboolean there, double number)
{
  if (there)
    sonde_json_text_double (json, name, number);
  else
    sonde_json_text_string (json, name, NULL);
}

static void
json_state (SondeJsonText *json, const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;

  sonde_json_text_string (json, "state", sonde_session_state_name (status->state));
  sonde_json_text_string (json, "kind", sonde_activity_kind_name (status->facts.kind));
  sonde_json_text_string (json, "title", status->facts.title);
  sonde_json_text_string (json, "run", status->facts.run_directory);
  sonde_json_text_int (json, "pid", status->pid);
  sonde_json_text_boolean (json, "in_control", status->in_control);
  sonde_json_text_string (json, "reason", sonde_stop_reason_name (stop->reason));
  sonde_json_text_string (json, "node", stop->node);
  sonde_json_text_string (json, "op", stop->op);
  sonde_json_text_string (json, "phase", sonde_phase_name (stop->phase));
  sonde_json_text_string (json, "when", sonde_moment_name (stop->moment));
  sonde_json_text_uint (json, "position", stop->position);
  sonde_json_text_uint (json, "positions", stop->n_steps);
  sonde_json_text_uint (json, "step",
                        status->state == SONDE_SESSION_PAUSED ? stop->step : status->facts.step);
  sonde_json_text_uint (json, "steps", status->facts.total_steps);
  sonde_json_text_uint (json, "branch", status->branch);
  sonde_json_text_uint (json, "epoch", status->facts.epoch);
  sonde_json_text_uint (json, "epochs", status->facts.n_epochs);
  json_number (json, "loss", status->facts.measured, status->facts.loss); /* NaN is a loss, too */
  json_number (json, "accuracy", !isnan (status->facts.accuracy), status->facts.accuracy);
  json_number (json, "learning_rate", !isnan (status->facts.learning_rate),
               status->facts.learning_rate);
  if (status->state == SONDE_SESSION_ENDED)
    sonde_json_text_string (json, "status", sonde_session_result_name (status->end.result));
}

static void
text_training (GString *text, const SondeSessionStatus *status)
{
  g_string_append_printf (text,
                          "step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                          ", epoch %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
                          status->facts.step, status->facts.total_steps, status->facts.epoch,
                          status->facts.n_epochs);
  if (status->facts.measured)
    g_string_append_printf (text, ", loss %.6g", status->facts.loss);
  if (!isnan (status->facts.accuracy))
    g_string_append_printf (text, ", accuracy %.4g", status->facts.accuracy);
  g_string_append_printf (text, ", run %s\n",
                          status->facts.run_directory != NULL ? status->facts.run_directory : "-");
}

static void
text_state (GString *text, const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;

  g_string_append_printf (text, "%s: %s",
                          status->facts.title != NULL ? status->facts.title : "nothing open",
                          sonde_session_state_name (status->state));
  if (status->state == SONDE_SESSION_ENDED)
    g_string_append_printf (text, " (%s)", sonde_session_result_name (status->end.result));
  if (status->state != SONDE_SESSION_RUNNING && *stop->node != '\0')
    g_string_append_printf (text, ", %s %s (%s), %s", sonde_moment_name (stop->moment), stop->node,
                            stop->op, sonde_phase_name (stop->phase));
  g_string_append_c (text, '\n');
  if (status->facts.kind == SONDE_ACTIVITY_TRAINING)
    text_training (text, status);
  if (status->facts.kind == SONDE_ACTIVITY_DUMP)
    g_string_append_printf (text,
                            "step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                            " (iteration %" G_GUINT64_FORMAT ")\n",
                            status->facts.step, status->facts.total_steps, status->facts.step - 1);
  if (!status->in_control)
    g_string_append (text, "Another client is in control; this one only looks.\n");
}

static gboolean
info_state (SondeFront *front, const char *arguments, SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionStatus) status = sonde_front_get_status (front, error);

  if (status == NULL)
    return FALSE;
  if (front->options.json)
    json_state (&answer->json, status);
  else
    text_state (answer->text, status);
  return TRUE;
}

static gboolean
info_breakpoints (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                  GError **error)
{
  return sonde_front_info_breakpoints (front, answer, error);
}

gboolean
sonde_front_run_info (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  static const struct
  {
    const char *name;
    SondeFrontRun *run;
  } topics[] = {
    { "breakpoints", info_breakpoints },
    { "watches", sonde_front_info_watches },
    { "hits", sonde_front_info_hits },
    { "values", info_values },
    { "edits", sonde_front_info_edits },
    { "stack", sonde_front_info_stack },
    { "state", info_state },
  };
  gsize length = strcspn (arguments, " \t");
  g_autofree char *word = g_strndup (arguments, length);
  const char *rest = arguments + length + strspn (arguments + length, " \t");
  guint found = 0, n = 0;

  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (topics); i++)
    if (g_str_has_prefix (topics[i].name, word))
      {
        found = i;
        n++;
      }
  if (n == 1)
    return topics[found].run (front, rest, answer, error);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Info about what? There are breakpoints, watches, hits [ID], values [GLOB], "
                       "edits, stack, state.");
  return FALSE;
}
