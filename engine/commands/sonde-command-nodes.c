/* SPDX-License-Identifier: Apache-2.0
 * info nodes: the executed nodes with the types of their outputs and their last durations. */
#include <fnmatch.h>
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-nearest.h"

/* ---- the result ---------------------------------------------------------- */

#define OPERATOR_WIDTH 15 /* of the column, at least */
#define MAX_NEAR 5        /* names that are given for one that is not there */

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
  g_autofree char *near = NULL;

  if (nodes->pattern == NULL)
    g_string_append (text, _ ("No nodes.\n"));
  else if (nodes->near->len == 0)
    g_string_append_printf (text, _ ("No node matches “%s”.\n"), nodes->pattern);
  else
    {
      g_ptr_array_add (nodes->near, NULL);
      near = g_strjoinv (", ", (char **) nodes->near->pdata);
      g_ptr_array_set_size (nodes->near, (int) nodes->near->len - 1);
      g_string_append_printf (text, _ ("No node matches “%s”; names like it: %s\n"), nodes->pattern,
                              near);
    }
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
  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "node", node->name);
  sonde_json_set_string (builder, "op", node->op);
  sonde_json_set_string (builder, "phase", sonde_phase_name (node->phase));
  sonde_json_begin_array (builder, "outputs");
  for (guint i = 0; node->outputs[i] != NULL; i++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "name", node->outputs[i]);
      sonde_json_set_string (builder, "type", node->types[i]);
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
  g_ptr_array_unref (result->nodes.list);
  g_ptr_array_unref (result->nodes.near);
  g_free (result->nodes.pattern);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

static gboolean
matches (const SondeStepInfo *node, const char *pattern)
{
  if (pattern == NULL || fnmatch (pattern, node->name, 0) == 0)
    return TRUE;
  for (guint i = 0; node->nodes[i] != NULL; i++)
    if (fnmatch (pattern, node->nodes[i], 0) == 0)
      return TRUE;
  return FALSE;
}

static const char *
get_name (guint k, gpointer steps)
{
  return ((SondeStepInfo *) ((GPtrArray *) steps)->pdata[k])->name;
}

static void
add_near (GPtrArray *near, const char *name)
{
  if (near->len < MAX_NEAR && !g_ptr_array_find_with_equal_func (near, name, g_str_equal, NULL))
    g_ptr_array_add (near, g_strdup (name));
}

/* The nearest one, and those that hold what was asked for. (transfer full) (element-type utf8) */
static GPtrArray *
find_near (GPtrArray *steps, const char *pattern)
{
  GPtrArray *near = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *wanted = g_ascii_strdown (pattern, -1);
  const char *nearest;

  g_strdelimit (wanted, "*?[]", ' ');
  g_strstrip (wanted);
  nearest = sonde_nearest_name (wanted, get_name, steps->len, steps);
  if (nearest != NULL)
    add_near (near, nearest);
  for (guint i = 0; i < steps->len && *wanted != '\0'; i++)
    {
      g_autofree char *name = g_ascii_strdown (get_name (i, steps), -1);

      if (strstr (name, wanted) != NULL)
        add_near (near, get_name (i, steps));
    }
  return near;
}

static void
keep_matches (SondeCommandNodes *nodes)
{
  GPtrArray *list = nodes->list;
  guint n = 0;

  for (guint i = 0; i < list->len; i++)
    n += matches (list->pdata[i], nodes->pattern);
  nodes->near = n == 0 && nodes->pattern != NULL ? find_near (list, nodes->pattern)
                                                 : g_ptr_array_new_with_free_func (g_free);
  for (guint i = list->len; i > 0; i--)
    if (!matches (list->pdata[i - 1], nodes->pattern))
      g_ptr_array_remove_index (list, i - 1);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const char *pattern = ((const SondeTextCommand *) command)->text;
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner,
      sonde_session_request_in_frame (sonde_session_request_steps (), SONDE_SESSION_FRAME_SELECTED),
      error);
  SondeCommandResult *result;

  if (reply == NULL || reply->steps == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_NODES, &result_class);
  result->nodes.list = g_steal_pointer (&reply->steps);
  result->nodes.pattern = g_strdup (pattern);
  keep_matches (&result->nodes);
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
