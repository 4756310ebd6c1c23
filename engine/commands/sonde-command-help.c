/* SPDX-License-Identifier: Apache-2.0
 * help: the commands, or what expressions consist of. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-expression.h"

/* ---- commands ------------------------------------------------------------ */

#define FORM_WIDTH 48
#define USAGE_WIDTH 34

/* A line; two where the form is long. */
static void
append_help (GString *text, const char *form, guint width, const char *summary)
{
  if (g_utf8_strlen (form, -1) > (glong) width)
    {
      g_string_append_printf (text, "%s\n", form);
      form = "";
    }
  sonde_command_append_cell (text, form, width + 1);
  g_string_append_printf (text, "%s\n", _ (summary));
}

static void
help_to_text (const SondeCommandResult *result, GString *text)
{
  for (guint i = 0; i < result->help->len; i++)
    {
      const SondeCommandHelp *help = g_ptr_array_index (result->help, i);
      g_autofree char *form = g_strdup_printf (
          "%s%s%s", help->name, *help->arguments != '\0' ? " " : "", help->arguments);

      append_help (text, form, FORM_WIDTH, help->summary);
    }
}

static void
help_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "commands");
  for (guint i = 0; i < result->help->len; i++)
    {
      const SondeCommandHelp *help = g_ptr_array_index (result->help, i);

      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", help->name);
      sonde_json_set_string (builder, "arguments", help->arguments);
      sonde_json_set_string (builder, "summary", help->summary);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
help_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->help);
}

static const SondeCommandResultClass help_class = { help_to_text, help_to_json, help_clear };

/* ---- expressions --------------------------------------------------------- */

static void
functions_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeExpressionHelp *help;

  g_string_append (
      text,
      _ ("Values by name (conv1.weight, grad(V), P', state(P, m), \"any name\"), slices x[0, :4], "
         "numbers,\n"
         "|| && ! == != < <= > >= + - * / % **, or, and, not, c ? a : b, parentheses; in "
         "conditions of\n"
         "breakpoints also hits and step. A comparison with NaN is false, except !=. A tensor is "
         "true when any\n"
         "element is. A value that has not been computed yet is unknown, and a condition on it "
         "does not hold.\n"
         "See docs/expressions.md.\n"));
  for (guint k = 0; (help = sonde_expression_help (k)) != NULL; k++)
    append_help (text, help->usage, USAGE_WIDTH, help->summary);
}

static void
functions_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeExpressionHelp *help;

  sonde_json_begin_array (builder, "functions");
  for (guint k = 0; (help = sonde_expression_help (k)) != NULL; k++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", help->name);
      sonde_json_set_string (builder, "usage", help->usage);
      sonde_json_set_string (builder, "summary", help->summary);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static const SondeCommandResultClass functions_class
    = { .to_text = functions_to_text, .to_json = functions_to_json };

/* ---- the command --------------------------------------------------------- */

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const char *topic = ((const SondeTextCommand *) command)->text;
  const SondeCommandHelp *help = NULL;
  SondeCommandResult *result;

  if (topic != NULL && strlen (topic) >= 4 && g_str_has_prefix ("expressions", topic))
    return sonde_command_result_new (SONDE_COMMAND_RESULT_FUNCTIONS, &functions_class);
  if (topic != NULL)
    help = sonde_command_find (topic, error);
  if (topic != NULL && help == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_HELP, &help_class);
  result->help = g_ptr_array_new ();
  if (help != NULL)
    g_ptr_array_add (result->help, (gpointer) help);
  for (guint k = 0; topic == NULL && (help = sonde_command_help (k)) != NULL; k++)
    g_ptr_array_add (result->help, (gpointer) help);
  return result;
}

SondeCommand *
sonde_command_new_help (const char *topic)
{
  return sonde_text_command_new (&sonde_command_class_help, topic);
}

const SondeCommandClass sonde_command_class_help
    = { .name = "help",
        .alias = "h",
        .arguments = "[COMMAND|expressions]",
        .summary = N_ ("List all commands, or describe one; describe expressions."),
        .size = sizeof (SondeTextCommand),
        .parse = sonde_text_command_parse,
        .format = sonde_text_command_format,
        .run = run,
        .clear = sonde_text_command_clear };
