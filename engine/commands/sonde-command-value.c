/* SPDX-License-Identifier: Apache-2.0
 * print, stats, save: a value with a slice, or else an expression. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-expression.h"

/* ---- asking -------------------------------------------------------------- */

/* Requests for a value by name, which need no parser and are answered as soon as the value exists. */
static SondeSessionRequest *
make_plain (const char *value, SondeSessionWant want, const char *path)
{
  if (want == SONDE_SESSION_WANT_SAVED)
    return sonde_session_request_save (value, path);
  return want == SONDE_SESSION_WANT_STATISTICS ? sonde_session_request_statistics (value)
                                               : sonde_session_request_tensor (value);
}

/* Was @text, which cannot be parsed, meant as an expression? Then the parser's error is more helpful
 * than that there is no such value. */
static gboolean
looks_like_expression (const char *text)
{
  return strpbrk (text, "()<>=&|!?+*%\"") != NULL || strstr (text, " - ") != NULL
         || strstr (text, " / ") != NULL;
}

SondeSessionReply *
sonde_command_look (SondeCommandRunner *runner, const char *text, SondeSessionWant want,
                    const char *path, GError **error)
{
  g_autoptr (GError) plain_error = NULL, parse_error = NULL;
  g_autoptr (SondeExpression) expression = NULL;
  SondeSessionReply *reply
      = sonde_command_runner_call (runner, make_plain (text, want, path), &plain_error);

  if (reply != NULL)
    return reply;
  if (g_error_matches (plain_error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
    expression = sonde_expression_parse (text, &parse_error);
  if (expression != NULL)
    return sonde_command_runner_call (runner, sonde_session_request_evaluate (text, want, path),
                                      error);
  if (parse_error != NULL && looks_like_expression (text))
    g_propagate_error (error, g_steal_pointer (&parse_error));
  else
    g_propagate_error (error, g_steal_pointer (&plain_error));
  return NULL;
}

/* ---- values -------------------------------------------------------------- */

SondeCommandValue *
sonde_command_value_new (SondeSessionReply *reply)
{
  SondeCommandValue *value = g_new0 (SondeCommandValue, 1);

  value->name = g_strdup (reply->name);
  value->dtype = reply->dtype;
  value->shape = reply->shape;
  value->tensor = g_steal_pointer (&reply->tensor);
  value->statistics = reply->statistics;
  return value;
}

void
sonde_command_value_free (SondeCommandValue *value)
{
  if (value == NULL)
    return;
  g_free (value->name);
  g_free (value->file);
  g_clear_pointer (&value->tensor, sonde_tensor_unref);
  g_free (value);
}

void
sonde_command_text_value (const SondeCommandValue *value, GString *text)
{
  g_autofree char *shape = sonde_shape_to_string (&value->shape);

  g_string_append_printf (text, "%s: %s %s\n", value->name, sonde_dtype_name (value->dtype), shape);
  sonde_command_text_tensor (value->tensor, text);
}

static void
json_type (const SondeCommandValue *value, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "dtype", sonde_dtype_name (value->dtype));
  sonde_json_set_shape (builder, "shape", &value->shape);
}

void
sonde_command_json_value (const SondeCommandValue *value, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "name", value->name);
  json_type (value, builder);
  sonde_json_set_tensor (builder, "data", value->tensor);
}

static void
tensor_to_text (const SondeCommandResult *result, GString *text)
{
  sonde_command_text_value (result->value, text);
}

static void
tensor_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_command_json_value (result->value, builder);
}

/* ---- statistics ---------------------------------------------------------- */

void
sonde_command_json_statistics (const SondeStatistics *statistics, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "count", statistics->count);
  sonde_json_set_double (builder, "min", statistics->min);
  sonde_json_set_double (builder, "max", statistics->max);
  sonde_json_set_double (builder, "mean", statistics->mean);
  sonde_json_set_double (builder, "std", statistics->std);
  sonde_json_set_double (builder, "abs_mean", statistics->abs_mean);
  sonde_json_set_int (builder, "zeros", statistics->zeros);
  sonde_json_set_int (builder, "negatives", statistics->negatives);
  sonde_json_set_int (builder, "nan", statistics->nan);
  sonde_json_set_int (builder, "pos_inf", statistics->pos_inf);
  sonde_json_set_int (builder, "neg_inf", statistics->neg_inf);
}

static void
statistics_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "name", result->value->name);
  json_type (result->value, builder);
  sonde_command_json_statistics (&result->value->statistics, builder);
}

static void
statistics_to_text (const SondeCommandResult *result, GString *text)
{
  const SondeStatistics *statistics = &result->value->statistics;
  g_autofree char *shape = sonde_shape_to_string (&result->value->shape);

  g_string_append_printf (text,
                          P_ ("%s: %s %s, %" PRIi64 " element\n",
                              "%s: %s %s, %" PRIi64 " elements\n", statistics->count),
                          result->value->name, sonde_dtype_name (result->value->dtype), shape,
                          statistics->count);
  g_string_append_printf (text, _ ("  min %.6g  max %.6g  mean %.6g  std %.6g  abs_mean %.6g\n"),
                          statistics->min, statistics->max, statistics->mean, statistics->std,
                          statistics->abs_mean);
  g_string_append_printf (text,
                          _ ("  zeros %" PRIi64 "  negatives %" PRIi64 "  nan %" PRIi64
                             "  pos_inf %" PRIi64 "  neg_inf %" PRIi64 "\n"),
                          statistics->zeros, statistics->negatives, statistics->nan,
                          statistics->pos_inf, statistics->neg_inf);
}

/* ---- files --------------------------------------------------------------- */

static void
saved_to_text (const SondeCommandResult *result, GString *text)
{
  g_string_append_printf (text, "%s -> %s\n", result->value->name, result->value->file);
}

static void
saved_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "name", result->value->name);
  sonde_json_set_string (builder, "file", result->value->file);
  json_type (result->value, builder);
}

/* ---- results ------------------------------------------------------------- */

static void
value_clear (SondeCommandResult *result)
{
  sonde_command_value_free (result->value);
}

static const SondeCommandResultClass tensor_class = { tensor_to_text, tensor_to_json, value_clear };
static const SondeCommandResultClass statistics_class
    = { statistics_to_text, statistics_to_json, value_clear };
static const SondeCommandResultClass saved_class = { saved_to_text, saved_to_json, value_clear };

static SondeCommandResult *
ask (SondeCommandRunner *runner, const char *text, SondeSessionWant want, const char *path,
     GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_look (runner, text, want, path, error);
  SondeCommandResult *result;

  if (reply == NULL)
    return NULL;
  result = want == SONDE_SESSION_WANT_SAVED
               ? sonde_command_result_new (SONDE_COMMAND_RESULT_SAVED, &saved_class)
           : want == SONDE_SESSION_WANT_STATISTICS
               ? sonde_command_result_new (SONDE_COMMAND_RESULT_STATISTICS, &statistics_class)
               : sonde_command_result_new (SONDE_COMMAND_RESULT_TENSOR, &tensor_class);
  result->value = sonde_command_value_new (reply);
  return result;
}

/* ---- commands ------------------------------------------------------------ */

static gboolean
parse_value (SondeCommand *command, const char *arguments, GError **error)
{
  if (*arguments != '\0')
    return sonde_text_command_parse (command, arguments, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "No value given; use info values to list the values.");
  return FALSE;
}

static SondeCommandResult *
run_print (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return ask (runner, ((const SondeTextCommand *) command)->text, SONDE_SESSION_WANT_TENSOR, NULL,
              error);
}

static SondeCommandResult *
run_stats (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return ask (runner, ((const SondeTextCommand *) command)->text, SONDE_SESSION_WANT_STATISTICS,
              NULL, error);
}

/* ---- save ---------------------------------------------------------------- */

typedef struct
{
  SondeCommand parent;
  char *expression, *file;
} Save;

static gboolean
parse_save (SondeCommand *command, const char *arguments, GError **error)
{
  Save *self = (Save *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);
  const SondeWord *last = words->len > 1 ? sonde_words_get (words, words->len - 1) : NULL;

  if (last != NULL && g_str_has_suffix (last->text, ".npy"))
    {
      self->file = g_strdup (last->text);
      self->expression = sonde_words_unquote_part (arguments, 0, last->start);
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Value or .npy file missing. Usage: save VALUE[slice]|EXPR FILE.npy.");
  return FALSE;
}

static void
format_save (const SondeCommand *command, GString *line)
{
  sonde_command_append_word (line, ((const Save *) command)->expression);
  sonde_command_append_word (line, ((const Save *) command)->file);
}

static SondeCommandResult *
run_save (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Save *self = (const Save *) command;
  g_autofree char *path = sonde_command_absolute_path (self->file);
  SondeCommandResult *result
      = ask (runner, self->expression, SONDE_SESSION_WANT_SAVED, path, error);

  if (result != NULL)
    result->value->file = g_strdup (self->file);
  return result;
}

static void
clear_save (SondeCommand *command)
{
  g_free (((Save *) command)->expression);
  g_free (((Save *) command)->file);
}

/* ---- constructors -------------------------------------------------------- */

SondeCommand *
sonde_command_new_print (const char *expression)
{
  return sonde_text_command_new (&sonde_command_class_print, expression);
}

SondeCommand *
sonde_command_new_stats (const char *expression)
{
  return sonde_text_command_new (&sonde_command_class_stats, expression);
}

SondeCommand *
sonde_command_new_save (const char *expression, const char *path)
{
  Save *self = sonde_command_new (&sonde_command_class_save);

  self->expression = g_strdup (expression);
  self->file = g_strdup (path);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_print
    = { .name = "print",
        .alias = "p",
        .arguments = "VALUE[slice]|EXPR",
        .summary = N_ ("Print the elements of a value or an expression."),
        .size = sizeof (SondeTextCommand),
        .parse = parse_value,
        .format = sonde_text_command_format,
        .run = run_print,
        .clear = sonde_text_command_clear };

const SondeCommandClass sonde_command_class_stats
    = { .name = "stats",
        .arguments = "VALUE[slice]|EXPR",
        .summary = N_ ("Print statistics of a value or an expression."),
        .size = sizeof (SondeTextCommand),
        .parse = parse_value,
        .format = sonde_text_command_format,
        .run = run_stats,
        .clear = sonde_text_command_clear };

const SondeCommandClass sonde_command_class_save
    = { .name = "save",
        .arguments = "VALUE[slice]|EXPR FILE.npy",
        .summary = N_ ("Save a value or the value of an expression to a file."),
        .size = sizeof (Save),
        .parse = parse_save,
        .format = format_save,
        .run = run_save,
        .clear = clear_save };
