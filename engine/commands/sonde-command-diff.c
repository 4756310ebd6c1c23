/* SPDX-License-Identifier: Apache-2.0
 * Comparing values, expressions and branches. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/* @b: (nullable) */
typedef struct
{
  SondeCommand parent;
  char *a, *b;
} Diff;

/* ---- one difference ------------------------------------------------------ */

static void
json_place (const SondeDifference *difference, JsonBuilder *builder)
{
  g_auto (GStrv) parts = NULL;
  g_autofree char *inside = NULL;

  if (difference->place == NULL || strlen (difference->place) < 2)
    {
      sonde_json_set_string (builder, "index", NULL);
      return;
    }
  inside = g_strndup (difference->place + 1, strlen (difference->place) - 2);
  parts = *inside != '\0' ? g_strsplit (inside, ",", -1) : g_new0 (char *, 1);
  sonde_json_begin_array (builder, "index");
  for (char **part = parts; *part != NULL; part++)
    json_builder_add_int_value (builder, g_ascii_strtoll (*part, NULL, 10));
  json_builder_end_array (builder);
}

void
sonde_command_json_difference (const SondeDifference *difference, JsonBuilder *builder)
{
  const SondeComparison *numbers = &difference->comparison;

  if (difference->problem != NULL)
    {
      sonde_json_set_string (builder, "problem", sonde_message_get_english (difference->problem));
      return;
    }
  sonde_json_set_string (builder, "dtype", sonde_dtype_name (difference->dtype));
  sonde_json_set_shape (builder, "shape", &difference->shape);
  sonde_json_set_double (builder, "max_abs", numbers->max_abs);
  sonde_json_set_double (builder, "max_rel", numbers->max_rel);
  sonde_json_set_double (builder, "mean_abs", numbers->mean_abs);
  sonde_json_set_double (builder, "rms", numbers->rms);
  sonde_json_set_double (builder, "cosine", numbers->cosine);
  sonde_json_set_double (builder, "max_reference", numbers->max_reference);
  sonde_json_set_double (builder, "max_ulp", numbers->max_ulp);
  sonde_json_set_int (builder, "differing", (gint64) numbers->differing);
  sonde_json_set_int (builder, "nan_mismatch", (gint64) numbers->nan_mismatch);
  sonde_json_set_int (builder, "count", (gint64) numbers->count);
  json_place (difference, builder);
  sonde_json_set_double (builder, "a", numbers->a);
  sonde_json_set_double (builder, "b", numbers->b);
}

void
sonde_command_text_difference (const SondeDifference *difference, GString *text)
{
  const SondeComparison *numbers = &difference->comparison;

  if (difference->problem != NULL)
    g_string_append_printf (text, "%s\n", sonde_message_get_text (difference->problem));
  else if (numbers->differing == 0)
    g_string_append_printf (
        text, P_ ("equal, %" PRIu64 " element\n", "equal, %" PRIu64 " elements\n", numbers->count),
        numbers->count);
  else
    g_string_append_printf (text,
                            _ ("%" PRIu64 " of %" PRIu64 " elements differ, max abs %.6g, max rel "
                               "%.6g, mean abs %.6g, cosine %.9g; largest at %s: %.9g and "
                               "%.9g\n"),
                            numbers->differing, numbers->count, numbers->max_abs, numbers->max_rel,
                            numbers->mean_abs, numbers->cosine,
                            difference->place != NULL ? difference->place : "-", numbers->a,
                            numbers->b);
}

/* ---- results ------------------------------------------------------------- */

static gboolean
differs (const SondeDifference *difference)
{
  return difference->problem != NULL || difference->comparison.differing > 0;
}

static void
one_to_text (const SondeCommandResult *result, GString *text)
{
  sonde_command_text_difference (g_ptr_array_index (result->diff.differences, 0), text);
}

static void
one_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "name", result->diff.a);
  sonde_json_set_string (builder, "reference", result->diff.b);
  sonde_command_json_difference (g_ptr_array_index (result->diff.differences, 0), builder);
}

static void
branches_to_text (const SondeCommandResult *result, GString *text)
{
  const GPtrArray *differences = result->diff.differences;
  guint n = 0;

  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (!differs (difference))
        continue;
      n++;
      if (difference->node != NULL)
        g_string_append_printf (text, "%s (%s): ", difference->value, difference->node);
      else
        g_string_append_printf (text, "%s: ", difference->value);
      sonde_command_text_difference (difference, text);
    }
  g_string_append_printf (text, _ ("%u of %u values differ.\n"), n, differences->len);
}

static void
branches_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const GPtrArray *differences = result->diff.differences;
  const char *first = NULL;
  guint n_different = 0;

  sonde_json_begin_array (builder, "nodes");
  for (guint i = 0; i < differences->len; i++)
    {
      const SondeDifference *difference = g_ptr_array_index (differences, i);

      if (first == NULL && differs (difference) && difference->node != NULL)
        first = difference->node;
      n_different += differs (difference);
      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "node", difference->node);
      sonde_json_set_string (builder, "op", difference->op);
      sonde_json_set_string (builder, "value", difference->value);
      sonde_command_json_difference (difference, builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  sonde_json_set_int (builder, "different", n_different);
  sonde_json_set_string (builder, "first_different_node", first);
}

static void
result_clear (SondeCommandResult *result)
{
  g_free (result->diff.a);
  g_free (result->diff.b);
  g_ptr_array_unref (result->diff.differences);
}

static const SondeCommandResultClass one_class = { one_to_text, one_to_json, result_clear };
static const SondeCommandResultClass branches_class
    = { branches_to_text, branches_to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Diff *self = (Diff *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  if (words->len == 1 || words->len == 2)
    {
      self->a = g_strdup (sonde_words_get (words, 0)->text);
      self->b = words->len == 2 ? g_strdup (sonde_words_get (words, 1)->text) : NULL;
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Two operands are needed: values, expressions (in quotes where they have "
                   "blanks), VALUE@BRANCH, VALUE@prev, VALUE@run:DIR[:STEP], file:F.npy, or "
                   "branches. Usage: diff A B.");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Diff *self = (const Diff *) command;

  sonde_command_append_word (line, self->a);
  if (self->b != NULL)
    sonde_command_append_word (line, self->b);
}

static void
clear (SondeCommand *command)
{
  g_free (((Diff *) command)->a);
  g_free (((Diff *) command)->b);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Diff *self = (const Diff *) command;
  g_autofree char *a = sonde_command_absolute_source (self->a),
                  *b = self->b != NULL ? sonde_command_absolute_source (self->b) : NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_diff (a, b), error);
  gboolean branches = reply != NULL && reply->of_branches;
  SondeCommandResult *result;

  if (reply == NULL || reply->differences == NULL || (!branches && reply->differences->len == 0))
    return NULL;
  result = branches
               ? sonde_command_result_new (SONDE_COMMAND_RESULT_BRANCH_DIFFERENCES, &branches_class)
               : sonde_command_result_new (SONDE_COMMAND_RESULT_DIFFERENCE, &one_class);
  result->diff.a = g_steal_pointer (&a);
  result->diff.b = g_steal_pointer (&b);
  result->diff.differences = g_steal_pointer (&reply->differences);
  return result;
}

SondeCommand *
sonde_command_new_diff (const char *a, const char *b)
{
  Diff *self = sonde_command_new (&sonde_command_class_diff);

  self->a = g_strdup (a);
  self->b = g_strdup (b);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_diff
    = { .name = "diff",
        .arguments = "A B",
        .summary = N_ ("Compare values, expressions, VALUE@BRANCH, VALUE@prev, "
                       "VALUE@run:DIR[:STEP], file:F.npy, or branches."),
        .size = sizeof (Diff),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
