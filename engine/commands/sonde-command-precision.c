/* SPDX-License-Identifier: Apache-2.0
 * The search for nodes that must stay float32. */
#include <math.h>

#include "engine/commands/sonde-command-table.h"

/* @precision: (nullable); @values: (element-type utf8) */
typedef struct
{
  SondeCommand parent;
  char *file, *precision;
  double tolerance;
  GPtrArray *values;
} Precision;

/* ---- the result ---------------------------------------------------------- */

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondePrecisionFound *found = result->precision.found;

  sonde_json_set_string (builder, "file", result->precision.file);
  sonde_json_set_double (builder, "tolerance", found->tolerance);
  sonde_json_set_double (builder, "reached", found->reached);
  sonde_command_json_names (found->kept, "kept", builder);
  sonde_json_set_int (builder, "nodes", found->n_nodes);
  sonde_json_set_int (builder, "runs", found->n_runs);
  sonde_json_set_double (builder, "whole_runs", found->whole_runs);
  sonde_json_set_string (builder, "precision", sonde_dtype_name (found->precision));
  sonde_json_set_double (builder, "all_low", found->lowest);
  sonde_command_json_names (found->values, "values", builder);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondePrecisionFound *found = result->precision.found;
  const char *precision = sonde_dtype_name (found->precision);

  g_string_append_printf (
      text,
      _ ("%u of %u nodes stay float32, the others use %s: error %.4g, tolerance %.4g (error %.4g "
         "with all nodes in %s).\n"),
      found->kept->len, found->n_nodes, precision, found->reached, found->tolerance, found->lowest,
      precision);
  for (guint i = 0; i < found->kept->len; i++)
    g_string_append_printf (text, "  %s\n", (const char *) found->kept->pdata[i]);
  g_string_append_printf (
      text, _ ("%u combinations tried, at the cost of %.1f full runs. Written to “%s”.\n"),
      found->n_runs, found->whole_runs, result->precision.file);
}

static void
result_clear (SondeCommandResult *result)
{
  g_free (result->precision.file);
  sonde_precision_found_free (result->precision.found);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- parsing ------------------------------------------------------------- */

/* @why: a sentence, marked by N_() */
static gboolean
fail_usage (GError **error, const char *why)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "%-s Usage: precision F.ini --tolerance T [--precision bf16|f16] [--value V]….",
                   why);
  return FALSE;
}

static gboolean
take_option (Precision *self, const char *option, const char *value, GError **error)
{
  char *end = NULL;

  if (value == NULL)
    return fail_usage (error, N_ ("The last option has no value."));
  if (g_str_equal (option, "--precision"))
    {
      g_free (self->precision);
      self->precision = g_strdup (value);
    }
  else if (g_str_equal (option, "--value"))
    g_ptr_array_add (self->values, g_strdup (value));
  else if (!g_str_equal (option, "--tolerance"))
    return fail_usage (error, N_ ("Unknown option."));
  else
    {
      self->tolerance = g_ascii_strtod (value, &end);
      if (end == value || *end != '\0' || !(self->tolerance >= 0) || isinf (self->tolerance))
        return fail_usage (error, N_ ("The tolerance must be a number of at least 0."));
    }
  return TRUE;
}

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Precision *self = (Precision *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  self->tolerance = -1;
  self->values = g_ptr_array_new_with_free_func (g_free);
  if (!sonde_words_are_closed (words, error))
    return FALSE;
  for (guint i = 0; i < words->len; i++)
    {
      const SondeWord *word = sonde_words_get (words, i);

      if (word->quoted || !g_str_has_prefix (word->text, "--"))
        {
          if (self->file != NULL)
            return fail_usage (error, N_ ("More than one file given."));
          self->file = g_strdup (word->text);
          continue;
        }
      i++;
      if (!take_option (self, word->text, i < words->len ? sonde_words_get (words, i)->text : NULL,
                        error))
        return FALSE;
    }
  if (self->file == NULL || !g_str_has_suffix (self->file, ".ini"))
    return fail_usage (error, "Output file missing: name a file that ends in .ini");
  return self->tolerance >= 0
         || fail_usage (error, "Tolerance missing: a number relative to the largest number of an "
                               "output, as 0.01");
}

static void
format (const SondeCommand *command, GString *line)
{
  const Precision *self = (const Precision *) command;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  sonde_command_append_word (line, self->file);
  g_string_append_printf (line, " --tolerance %s",
                          g_ascii_dtostr (number, sizeof number, self->tolerance));
  if (self->precision != NULL)
    {
      g_string_append (line, " --precision");
      sonde_command_append_word (line, self->precision);
    }
  for (guint i = 0; i < self->values->len; i++)
    {
      g_string_append (line, " --value");
      sonde_command_append_word (line, g_ptr_array_index (self->values, i));
    }
}

/* ---- running ------------------------------------------------------------- */

static void
clear (SondeCommand *command)
{
  Precision *self = (Precision *) command;

  g_free (self->file);
  g_free (self->precision);
  g_clear_pointer (&self->values, g_ptr_array_unref);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Precision *self = (const Precision *) command;
  g_autofree char *path = sonde_command_absolute_path (self->file);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (SondeSessionReply) reply = NULL;
  SondeCommandResult *result;

  g_ptr_array_extend (values, self->values, NULL, NULL);
  g_ptr_array_add (values, NULL);
  reply = sonde_command_runner_call (
      runner,
      sonde_session_request_precision (path, self->precision, self->tolerance,
                                       (const char *const *) values->pdata),
      error);
  if (reply == NULL || reply->precision == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_PRECISION, &result_class);
  result->precision.file = g_strdup (self->file);
  result->precision.found = g_steal_pointer (&reply->precision);
  return result;
}

SondeCommand *
sonde_command_new_precision (const char *path, const char *precision, double tolerance,
                             const char *const *values)
{
  Precision *self = sonde_command_new (&sonde_command_class_precision);

  self->file = g_strdup (path);
  self->precision = g_strdup (precision);
  self->tolerance = tolerance;
  self->values = g_ptr_array_new_with_free_func (g_free);
  for (; values != NULL && *values != NULL; values++)
    g_ptr_array_add (self->values, g_strdup (*values));
  return &self->parent;
}

const SondeCommandClass sonde_command_class_precision
    = { .name = "precision",
        .arguments = "F.ini --tolerance T [--precision bf16|f16] [--value V]…",
        .summary = N_ ("Find the fewest nodes that must stay float32 and write them as a recipe."),
        .size = sizeof (Precision),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
