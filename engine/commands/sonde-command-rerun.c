/* SPDX-License-Identifier: Apache-2.0
 * Re-running one node under other conditions. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/* @precision, @device: (nullable) */
typedef struct
{
  SondeCommand parent;
  char *node, *precision, *device;
  gboolean take;
} Rerun;

/* ---- the result ---------------------------------------------------------- */

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeCommandRerun *rerun = &result->rerun;

  if (rerun->note != NULL)
    g_string_append_printf (text, "%s\n", sonde_message_get_text (rerun->note));
  for (guint i = 0; i < rerun->differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (rerun->differences, i);

      g_string_append_printf (text, "  %s: ", difference->value);
      sonde_command_text_difference (difference, text);
    }
  for (guint i = 0; i < rerun->edits->len; i++)
    sonde_command_text_edit (g_ptr_array_index (rerun->edits, i), text);
}

static const SondeDifference *
find_worst (const GPtrArray *differences)
{
  const SondeDifference *worst = NULL;

  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (worst == NULL || difference->comparison.nan_mismatch > worst->comparison.nan_mismatch
          || (difference->comparison.nan_mismatch == worst->comparison.nan_mismatch
              && difference->comparison.max_abs > worst->comparison.max_abs))
        worst = difference;
    }
  return worst;
}

static void
json_statistics (const char *name, const SondeStatistics *statistics, JsonBuilder *builder)
{
  sonde_json_begin_object (builder, name);
  sonde_command_json_statistics (statistics, builder);
  json_builder_end_object (builder);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeCommandRerun *rerun = &result->rerun;
  const SondeDifference *worst = find_worst (rerun->differences);

  sonde_json_set_string (builder, "node", worst != NULL ? worst->node : rerun->node);
  sonde_json_set_string (builder, "op", worst != NULL ? worst->op : NULL);
  sonde_json_set_string (builder, "precision", rerun->precision);
  sonde_json_set_string (builder, "device", rerun->device);
  sonde_json_set_string (builder, "note", sonde_message_get_english (rerun->note));
  sonde_json_set_boolean (builder, "taken", rerun->edits->len > 0);
  if (worst != NULL)
    {
      sonde_json_set_string (builder, "value", worst->value);
      sonde_command_json_difference (worst, builder);
    }
  sonde_json_begin_array (builder, "outputs");
  for (guint i = 0; i < rerun->differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (rerun->differences, i);

      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "value", difference->value);
      sonde_command_json_difference (difference, builder);
      json_statistics ("again", &difference->a, builder);
      json_statistics ("run", &difference->b, builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
result_clear (SondeCommandResult *result)
{
  g_free (result->rerun.node);
  g_free (result->rerun.precision);
  g_free (result->rerun.device);
  sonde_message_free (result->rerun.note);
  g_ptr_array_unref (result->rerun.differences);
  g_ptr_array_unref (result->rerun.edits);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

static gboolean
take_options (Rerun *self, const GPtrArray *words, guint first)
{
  for (guint i = first; i < words->len; i++)
    {
      const char *option = sonde_words_get (words, i)->text;
      const char *value = i + 1 < words->len ? sonde_words_get (words, i + 1)->text : NULL;

      if (g_str_equal (option, "--take"))
        self->take = TRUE;
      else if (g_str_equal (option, "--reference"))
        {
          g_free (self->device);
          self->device = g_strdup ("reference");
        }
      else if (value != NULL && g_str_equal (option, "--precision"))
        {
          g_free (self->precision);
          self->precision = g_strdup (value);
          i++;
        }
      else if (value != NULL && g_str_equal (option, "--device"))
        {
          g_free (self->device);
          self->device = g_strdup (value);
          i++;
        }
      else
        return FALSE;
    }
  return TRUE;
}

/* "NODE [--precision P] [--device D] [--reference] [--take]" */
static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Rerun *self = (Rerun *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);
  guint n = 0;

  while (n < words->len && strncmp (arguments + sonde_words_get (words, n)->start, "--", 2) != 0)
    n++;
  if (n > 0)
    self->node = sonde_words_unquote_part (arguments, 0, sonde_words_get (words, n - 1)->end);
  if (n > 0 && take_options (self, words, n))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Node missing or unknown option. Usage: rerun NODE [--precision "
                   "f64|f32|bf16|f16] [--device D|--reference] [--take].");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Rerun *self = (const Rerun *) command;

  sonde_command_append_word (line, self->node);
  if (self->precision != NULL)
    {
      g_string_append (line, " --precision");
      sonde_command_append_word (line, self->precision);
    }
  if (self->device != NULL)
    {
      g_string_append (line, " --device");
      sonde_command_append_word (line, self->device);
    }
  if (self->take)
    g_string_append (line, " --take");
}

static void
clear (SondeCommand *command)
{
  Rerun *self = (Rerun *) command;

  g_free (self->node);
  g_free (self->precision);
  g_free (self->device);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Rerun *self = (const Rerun *) command;
  const SondeRerunOptions spec = {
    .node = self->node, .precision = self->precision, .device = self->device, .take = self->take
  };
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_rerun (&spec), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->differences == NULL || reply->edits == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_RERUN, &result_class);
  result->rerun.node = g_strdup (self->node);
  result->rerun.precision = g_strdup (self->precision);
  result->rerun.device = g_strdup (self->device);
  result->rerun.note = g_steal_pointer (&reply->note);
  result->rerun.differences = g_steal_pointer (&reply->differences);
  result->rerun.edits = g_steal_pointer (&reply->edits);
  return result;
}

SondeCommand *
sonde_command_new_rerun (const SondeRerunOptions *spec)
{
  Rerun *self = sonde_command_new (&sonde_command_class_rerun);

  self->node = g_strdup (spec->node);
  self->precision = g_strdup (spec->precision);
  self->device = g_strdup (spec->device);
  self->take = spec->take;
  return &self->parent;
}

const SondeCommandClass sonde_command_class_rerun
    = { .name = "rerun",
        .arguments = "NODE [--precision P|--device D|--reference] [--take]",
        .summary = N_ ("Re-run a node with a different precision or device and compare."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (Rerun),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
