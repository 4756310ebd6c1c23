/* SPDX-License-Identifier: Apache-2.0
 * Expressions that are shown at every stop. */
#include "engine/commands/sonde-command-table.h"

/* ---- evaluating ---------------------------------------------------------- */

static void
display_free (gpointer data)
{
  SondeCommandDisplay *display = data;

  g_free (display->expression);
  sonde_command_value_free (display->value);
  g_clear_error (&display->error);
  g_free (display);
}

GPtrArray *
sonde_command_collect_displays (SondeCommandRunner *runner)
{
  const GPtrArray *expressions = sonde_command_runner_get_displays (runner);
  GPtrArray *displays;

  if (expressions->len == 0)
    return NULL;
  displays = g_ptr_array_new_with_free_func (display_free);
  for (guint i = 0; i < expressions->len; i++)
    {
      const char *expression = g_ptr_array_index (expressions, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeSessionReply) reply
          = expression != NULL
                ? sonde_command_look (runner, expression, SONDE_SESSION_WANT_TENSOR, NULL, &error)
                : NULL;
      SondeCommandDisplay *display;

      if (expression == NULL)
        continue;
      display = g_new0 (SondeCommandDisplay, 1);
      display->number = i + 1;
      display->expression = g_strdup (expression);
      display->value = reply != NULL ? sonde_command_value_new (reply) : NULL;
      display->error = g_steal_pointer (&error);
      g_ptr_array_add (displays, display);
    }
  return displays;
}

/* ---- rendering ----------------------------------------------------------- */

void
sonde_command_text_displays (const GPtrArray *displays, GString *text)
{
  for (guint i = 0; i < displays->len; i++)
    {
      const SondeCommandDisplay *display = g_ptr_array_index (displays, i);

      g_string_append_printf (text, "%u: ", display->number);
      if (display->value != NULL)
        sonde_command_text_value (display->value, text);
      else
        g_string_append_printf (text, "%s: %s\n", display->expression,
                                sonde_error_get_text (display->error));
    }
}

void
sonde_command_json_displays (const GPtrArray *displays, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "display");
  for (guint i = 0; i < displays->len; i++)
    {
      const SondeCommandDisplay *display = g_ptr_array_index (displays, i);

      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "number", display->number);
      sonde_json_set_string (builder, "expression", display->expression);
      if (display->value != NULL)
        sonde_command_json_value (display->value, builder);
      else
        sonde_json_set_string (builder, "error", display->error->message);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  if (result->displays != NULL)
    sonde_command_text_displays (result->displays, text);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  if (result->displays != NULL)
    sonde_command_json_displays (result->displays, builder);
}

static void
result_clear (SondeCommandResult *result)
{
  g_clear_pointer (&result->displays, g_ptr_array_unref);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- commands ------------------------------------------------------------ */

static SondeCommandResult *
run_display (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;
  SondeCommandResult *result;

  if (self->text != NULL)
    g_ptr_array_add (sonde_command_runner_get_displays (runner), g_strdup (self->text));
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_DISPLAYS, &result_class);
  result->displays = sonde_command_collect_displays (runner);
  return result;
}

static gboolean
parse_undisplay (SondeCommand *command, const char *arguments, GError **error)
{
  return sonde_number_command_parse (command, arguments, 0, N_ ("display number"), error);
}

static void
format_undisplay (const SondeCommand *command, GString *line)
{
  const SondeNumberCommand *self = (const SondeNumberCommand *) command;

  if (self->number > 0)
    g_string_append_printf (line, " %" PRIu64, self->number);
}

static SondeCommandResult *
run_undisplay (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  guint64 number = ((const SondeNumberCommand *) command)->number;
  GPtrArray *displays = sonde_command_runner_get_displays (runner);

  if (number > displays->len)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no display %" PRIu64 "; use display to list the displays.",
                       number);
      return NULL;
    }
  if (number == 0)
    g_ptr_array_set_size (displays, 0);
  else
    g_clear_pointer (&displays->pdata[number - 1], g_free);
  return sonde_command_done_new ();
}

SondeCommand *
sonde_command_new_display (const char *expression)
{
  return sonde_text_command_new (&sonde_command_class_display, expression);
}

SondeCommand *
sonde_command_new_undisplay (guint number)
{
  return sonde_number_command_new (&sonde_command_class_undisplay, number);
}

const SondeCommandClass sonde_command_class_display
    = { .name = "display",
        .arguments = "[VALUE[slice]|EXPR]",
        .summary = N_ ("Print a value at every stop."),
        .size = sizeof (SondeTextCommand),
        .parse = sonde_text_command_parse,
        .format = sonde_text_command_format,
        .run = run_display,
        .clear = sonde_text_command_clear };

const SondeCommandClass sonde_command_class_undisplay
    = { .name = "undisplay",
        .arguments = "[NUMBER]",
        .summary = N_ ("Delete a display, or all of them."),
        .size = sizeof (SondeNumberCommand),
        .parse = parse_undisplay,
        .format = format_undisplay,
        .run = run_undisplay };
