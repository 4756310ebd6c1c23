/* SPDX-License-Identifier: Apache-2.0
 * The smallest model that still fails. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/* @node: (nullable) */
typedef struct
{
  SondeCommand parent;
  char *file, *node;
} Reduce;

/* ---- the result ---------------------------------------------------------- */

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeReducedCase *info = result->reduction;

  sonde_json_set_string (builder, "model", info->model);
  sonde_json_begin_array (builder, "inputs");
  for (guint k = 0; info->names[k] != NULL; k++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", info->names[k]);
      sonde_json_set_string (builder, "file", info->files[k]);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  sonde_json_set_int (builder, "nodes", info->n_nodes);
  sonde_json_set_string (builder, "shows", info->command); /* "command" is that of the answer */
  sonde_json_set_string (builder, "node", info->node);
  sonde_json_set_string (builder, "value", info->value);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeReducedCase *info = result->reduction;

  g_string_append_printf (
      text, P_ ("%s: %u node reproduces %s\n", "%s: %u nodes reproduce %s\n", info->n_nodes),
      info->model, info->n_nodes, info->value);
  for (guint k = 0; info->names[k] != NULL; k++)
    g_string_append_printf (text, "  %s -> %s\n", info->names[k], info->files[k]);
  g_string_append_printf (text, "%s\n", info->command);
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_reduced_case_free (result->reduction);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

/* "FILE.onnx [NODE]"; the file's name ends with the first word that ends in .onnx. */
static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Reduce *self = (Reduce *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  for (guint i = 0; i < words->len; i++)
    {
      const SondeWord *word = sonde_words_get (words, i);

      if (!g_str_has_suffix (word->text, ".onnx"))
        continue;
      self->file = sonde_words_unquote_part (arguments, 0, word->end);
      if (i + 1 < words->len)
        self->node = sonde_words_unquote (arguments + word->end);
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Output file missing: name a file that ends in .onnx. Usage: reduce "
                   "FILE.onnx [NODE].");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Reduce *self = (const Reduce *) command;

  sonde_command_append_word (line, self->file);
  if (self->node != NULL)
    sonde_command_append_word (line, self->node);
}

static void
clear (SondeCommand *command)
{
  g_free (((Reduce *) command)->file);
  g_free (((Reduce *) command)->node);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Reduce *self = (const Reduce *) command;
  g_autofree char *path = sonde_command_absolute_path (self->file);
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner, sonde_session_request_reduce (self->node != NULL ? self->node : "", path), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->reduction == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_REDUCTION, &result_class);
  result->reduction = g_steal_pointer (&reply->reduction);
  return result;
}

SondeCommand *
sonde_command_new_reduce (const char *path, const char *node)
{
  Reduce *self = sonde_command_new (&sonde_command_class_reduce);

  self->file = g_strdup (path);
  self->node = g_strdup (node);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_reduce
    = { .name = "reduce",
        .arguments = "FILE.onnx [NODE]",
        .summary = N_ ("Extract the smallest model that still fails, with its inputs."),
        .size = sizeof (Reduce),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
