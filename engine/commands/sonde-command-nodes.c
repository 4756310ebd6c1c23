/* SPDX-License-Identifier: Apache-2.0
 * info nodes: the executed nodes with the types of their outputs and their last durations. */
#include <fnmatch.h>
#include <string.h>

#include "engine/commands/sonde-command-steps.h"
#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-live-node.h"

/* ---- the result ---------------------------------------------------------- */

#define OPERATOR_WIDTH 15 /* of the column, at least */

/* @width: of the column of operators */
static void
text_node (const SondeStepInfo *node, guint width, GString *text)
{
  g_autofree char *types = g_strjoinv (", ", node->types);

  sonde_command_append_cell (text, sonde_command_label_phase (node->phase), 10);
  sonde_command_append_cell (text, node->op, width);
  g_string_append_printf (text, "%s -> %s", node->name, types);
  if (node->last_ns > 0)
    g_string_append_printf (text, ", %.1f µs", (double) node->last_ns / 1e3);
  g_string_append_c (text, '\n');
}

static void
text_none (const SondeCommandNodes *nodes, GString *text)
{
  g_autofree char *near = sonde_command_nodes_dup_near (nodes);

  if (nodes->pattern == NULL)
    g_string_append (text, _ ("No nodes.\n"));
  else if (*near == '\0')
    g_string_append_printf (text, _ ("No node matches “%s”.\n"), nodes->pattern);
  else
    g_string_append_printf (text, _ ("No node matches “%s”; names like it: %s\n"), nodes->pattern,
                            near);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const GPtrArray *list = result->nodes.list;
  gsize width = OPERATOR_WIDTH;

  for (guint i = 0; i < list->len; i++)
    width = MAX (width, strlen (((SondeStepInfo *) list->pdata[i])->op) + 1);
  for (guint i = 0; i < list->len; i++)
    text_node (list->pdata[i], (guint) width, text);
  if (list->len == 0)
    text_none (&result->nodes, text);
}

static void
json_node (const SondeStepInfo *node, JsonBuilder *builder)
{
  const guint n_types = g_strv_length (node->types); /* fewer before it ran */

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "node", node->name);
  sonde_json_set_string (builder, "op", node->op);
  sonde_json_set_string (builder, "phase", sonde_phase_name (node->phase));
  sonde_json_begin_array (builder, "outputs");
  for (guint i = 0; node->outputs[i] != NULL; i++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", node->outputs[i]);
      sonde_json_set_string (builder, "type", i < n_types ? node->types[i] : NULL);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  if (node->last_ns > 0)
    sonde_json_set_int (builder, "last_ns", (gint64) node->last_ns);
  else
    sonde_json_set_string (builder, "last_ns", NULL);
  json_builder_end_object (builder);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "nodes");
  for (guint i = 0; i < result->nodes.list->len; i++)
    json_node (result->nodes.list->pdata[i], builder);
  json_builder_end_array (builder);
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_command_nodes_clear (&result->nodes);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

static gboolean
matches (const SondeStepInfo *node, const char *pattern)
{
  g_autofree char *plain = sonde_live_name_without_first (pattern);

  if (fnmatch (pattern, node->name, 0) == 0 || fnmatch (plain, node->name, 0) == 0)
    return TRUE;
  for (guint i = 0; node->nodes[i] != NULL; i++)
    if (fnmatch (pattern, node->nodes[i], 0) == 0)
      return TRUE;
  return FALSE;
}

static void
list_names (const SondeStepInfo *node, GPtrArray *names)
{
  g_ptr_array_add (names, node->name);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  static const SondeStepNames names = { matches, list_names };
  SondeCommandNodes nodes;
  SondeCommandResult *result;

  if (!sonde_command_nodes_read (&nodes, runner, ((const SondeTextCommand *) command)->text, &names,
                                 error))
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_NODES, &result_class);
  result->nodes = nodes;
  return result;
}

SondeCommand *
sonde_command_new_info_nodes (const char *pattern)
{
  return sonde_text_command_new (&sonde_command_class_info_nodes, pattern);
}

const SondeCommandClass sonde_command_class_info_nodes = { .name = "info",
                                                           .topic = "nodes",
                                                           .alias = "i",
                                                           .arguments = "[GLOB]",
                                                           .size = sizeof (SondeTextCommand),
                                                           .parse = sonde_text_command_parse,
                                                           .format = sonde_text_command_format,
                                                           .run = run,
                                                           .clear = sonde_text_command_clear };
