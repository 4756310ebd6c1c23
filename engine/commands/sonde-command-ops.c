/* SPDX-License-Identifier: Apache-2.0
 * info ops: which operators run, how often, and what op:NAME may call them. */
#include <fnmatch.h>
#include <string.h>

#include "engine/commands/sonde-command-steps.h"
#include "engine/commands/sonde-command-table.h"

#define OPERATOR_WIDTH 24 /* of the column, at least */

/* @functions: (nullable) (array zero-terminated=1): lent */
typedef struct
{
  const char *op;
  char *const *functions;
  guint count;
} Op;

static int
compare_ops (gconstpointer a, gconstpointer b)
{
  const Op *first = a, *second = b;

  return first->count != second->count ? (first->count > second->count ? -1 : 1)
                                       : strcmp (first->op, second->op);
}

static Op *
find_op (GArray *ops, const char *op)
{
  for (guint i = 0; i < ops->len; i++)
    if (g_str_equal (g_array_index (ops, Op, i).op, op))
      return &g_array_index (ops, Op, i);
  return NULL;
}

/* The most frequent first. (element-type Op) (transfer full) */
static GArray *
count_ops (const GPtrArray *nodes)
{
  GArray *ops = g_array_new (FALSE, FALSE, sizeof (Op));

  for (guint i = 0; i < nodes->len; i++)
    {
      const SondeStepInfo *node = g_ptr_array_index (nodes, i);
      const Op first = { node->op, node->functions, 1 };
      Op *op = find_op (ops, node->op);

      if (op != NULL)
        op->count++;
      else
        g_array_append_val (ops, first);
    }
  g_array_sort (ops, compare_ops);
  return ops;
}

/* ---- the result ---------------------------------------------------------- */

static void
text_none (const SondeCommandNodes *nodes, GString *text)
{
  g_autofree char *near = sonde_command_nodes_dup_near (nodes);

  if (nodes->pattern == NULL)
    g_string_append (text, _ ("No nodes.\n"));
  else if (*near == '\0')
    g_string_append_printf (text, _ ("No operator matches “%s”.\n"), nodes->pattern);
  else
    g_string_append_printf (text, _ ("No operator matches “%s”; names like it: %s\n"),
                            nodes->pattern, near);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  g_autoptr (GArray) ops = count_ops (result->nodes.list);

  for (guint i = 0; i < ops->len; i++)
    {
      const Op *op = &g_array_index (ops, Op, i);
      g_autofree char *functions
          = op->functions != NULL ? g_strjoinv (", ", (char **) op->functions) : g_strdup ("");

      g_string_append_printf (text, "%5u  ", op->count);
      sonde_command_append_cell (text, op->op, *functions != '\0' ? OPERATOR_WIDTH : 0);
      g_string_append_printf (text, "%s\n", functions);
    }
  if (ops->len == 0)
    text_none (&result->nodes, text);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  g_autoptr (GArray) ops = count_ops (result->nodes.list);
  char *const none[] = { NULL };

  sonde_json_begin_array (builder, "ops");
  for (guint i = 0; i < ops->len; i++)
    {
      const Op *op = &g_array_index (ops, Op, i);

      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "op", op->op);
      sonde_command_json_texts (op->functions != NULL ? op->functions : none, "functions", builder);
      sonde_json_set_int (builder, "count", op->count);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_command_nodes_clear (&result->nodes);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

/* Its own name or one that programs use. */
static gboolean
matches (const SondeStepInfo *node, const char *pattern)
{
  if (fnmatch (pattern, node->op, 0) == 0)
    return TRUE;
  for (guint i = 0; node->functions != NULL && node->functions[i] != NULL; i++)
    if (fnmatch (pattern, node->functions[i], 0) == 0)
      return TRUE;
  return FALSE;
}

static void
list_names (const SondeStepInfo *node, GPtrArray *names)
{
  g_ptr_array_add (names, node->op);
  for (guint i = 0; node->functions != NULL && node->functions[i] != NULL; i++)
    g_ptr_array_add (names, node->functions[i]);
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
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_OPS, &result_class);
  result->nodes = nodes;
  return result;
}

SondeCommand *
sonde_command_new_info_ops (const char *pattern)
{
  return sonde_text_command_new (&sonde_command_class_info_ops, pattern);
}

const SondeCommandClass sonde_command_class_info_ops = { .name = "info",
                                                         .topic = "ops",
                                                         .alias = "i",
                                                         .arguments = "[GLOB]",
                                                         .size = sizeof (SondeTextCommand),
                                                         .parse = sonde_text_command_parse,
                                                         .format = sonde_text_command_format,
                                                         .run = run,
                                                         .clear = sonde_text_command_clear };
