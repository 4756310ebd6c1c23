/* SPDX-License-Identifier: Apache-2.0
 * What can be known wrong before running. Legacy forms are left to the legalise pass. */
#include "engine/passes/sonde-legalise.h"
#include "engine/passes/sonde-subgraphs.h"

#include "data/base/sonde-budget.h"

#include <string.h>

#define MOST_PROBLEMS 1000

static void add_problem (GPtrArray *problems, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_problem (GPtrArray *problems, const char *format, ...)
{
  va_list arguments;

  if (problems->len >= MOST_PROBLEMS)
    return;
  va_start (arguments, format);
  g_ptr_array_add (problems, sonde_message_new_va (format, arguments));
  va_end (arguments);
}

/* An unknown operator is told once, with the number of its nodes, by legalise; here each node is
 * named. */
static void
check_node (const SondeNode *node, GHashTable *functions, GPtrArray *problems)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (sonde_function_of_node (functions, node) != NULL)
    return;
  if (klass == NULL && sonde_legalise_knows (node->domain, node->op))
    return;
  if (klass != NULL && node->version > 0 && node->version < klass->since)
    return;
  (void) sonde_op_check_node (node, problems);
}

/* A value that is read must be an input, an initialiser, a capture, or made by a node. */
static void
check_value (const SondeGraph *graph, const SondeGraphValue *value, gboolean is_output,
             GPtrArray *problems)
{
  gboolean made = value->producer != NULL || value->constant != NULL || value->outer != NULL
                  || value->role == SONDE_ROLE_INPUT || value->role == SONDE_ROLE_STATE;
  const SondeNode *user = value->users->len > 0 ? value->users->pdata[0] : NULL;

  if (made || (user == NULL && !is_output))
    return;
  if (user != NULL)
    add_problem (problems, "node “%s” (%s) reads “%s”, which no node produces", user->name,
                 user->op, value->name);
  else
    add_problem (problems, "no node produces the output “%s”", value->name);
}

static void
check_cycles (const SondeGraph *graph, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, &error);

  if (order == NULL && problems->len < MOST_PROBLEMS)
    g_ptr_array_add (problems, sonde_message_copy (sonde_error_get_message (error)));
}

/* A graph that a pass or a program put together may hold what a file reader would have refused. */
static void
check_names (const SondeGraph *graph, GPtrArray *problems)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && !g_hash_table_add (seen, value->name))
        add_problem (problems, "two values have the name “%s”", value->name);
    }
  g_hash_table_remove_all (seen);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL && !g_hash_table_add (seen, node->name))
        add_problem (problems, "two nodes have the name “%s”", node->name);
    }
}

static void check_graph (SondeGraph *graph, GHashTable *functions, guint depth,
                         GPtrArray *problems);

/* Problems of the graphs that @node runs, with its name in front. */
static void
check_bodies (const SondeNode *node, GHashTable *functions, guint depth, GPtrArray *problems)
{
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

  if (bodies != NULL && depth >= SONDE_BUDGET_SUBGRAPHS)
    {
      add_problem (problems, "node “%s” (%s): subgraphs are nested more than %d deep", node->name,
                   node->op, SONDE_BUDGET_SUBGRAPHS);
      return;
    }
  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      guint before = problems->len;

      check_graph (bodies->pdata[b], functions, depth + 1, problems);
      for (guint i = before; i < problems->len; i++)
        sonde_message_prepend (problems->pdata[i], "in a body of “%s”: ", node->name);
    }
}

static void
check_graph (SondeGraph *graph, GHashTable *functions, guint depth, GPtrArray *problems)
{
  g_autoptr (GHashTable) outputs = sonde_outputs_of (graph);

  for (guint i = 0; i < graph->nodes->len && problems->len < MOST_PROBLEMS; i++)
    if (graph->nodes->pdata[i] != NULL)
      {
        check_node (graph->nodes->pdata[i], functions, problems);
        check_bodies (graph->nodes->pdata[i], functions, depth, problems);
      }
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL)
        check_value (graph, value, g_hash_table_contains (outputs, value), problems);
    }
  check_names (graph, problems);
  check_cycles (graph, problems);
}

gboolean
sonde_pass_check (SondeGraph *graph, GPtrArray *problems)
{
  g_autoptr (GHashTable) functions = sonde_functions_by_name (graph);
  guint before = problems->len;

  check_graph (graph, functions, 0, problems);
  if (problems->len > MOST_PROBLEMS)
    g_ptr_array_set_size (problems, MOST_PROBLEMS);
  return problems->len == before;
}
