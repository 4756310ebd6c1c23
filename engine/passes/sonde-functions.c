/* SPDX-License-Identifier: Apache-2.0
 * The functions of a model: which one a node calls, and what calls of them come to. Measured
 * function by function before anything is put in place, so that a small file cannot ask for a large
 * graph. */
#include "engine/passes/sonde-functions.h"
#include "engine/passes/sonde-passes.h"

#include "data/base/sonde-budget.h"

#include <string.h>

#define MOST_DEPTH 100
#define MOST_NODES 200000

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/* ---- which one a node calls ---------------------------------------------- */

static char *
key_of (const char *domain, const char *name, const char *overload)
{
  return g_strjoin ("\n", strcmp (domain, "ai.onnx") == 0 ? "" : domain, name,
                    overload ? overload : "", NULL);
}

GHashTable *
sonde_functions_by_name (const SondeGraph *graph)
{
  GHashTable *functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  while (graph->parent != NULL)
    graph = graph->parent;
  for (guint i = 0; i < graph->functions->len; i++)
    {
      SondeFunction *function = graph->functions->pdata[i];

      g_hash_table_insert (functions, key_of (function->domain, function->name, function->overload),
                           function);
    }
  return functions;
}

static gboolean
is_standard_domain (const char *domain)
{
  static const char *const domains[] = {
    "",           "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft",
    SONDE_DOMAIN, NULL,
  };

  return g_strv_contains (domains, domain);
}

SondeFunction *
sonde_function_of_node (GHashTable *functions, const SondeNode *node)
{
  g_autofree char *key = NULL;
  SondeFunction *function = NULL;

  if (g_hash_table_size (functions) == 0)
    return NULL;
  key = key_of (node->domain, node->op, node->overload);
  function = g_hash_table_lookup (functions, key);
  if (function != NULL && is_standard_domain (node->domain)
      && sonde_pass_knows_operator (node->domain, node->op))
    return NULL;
  return function;
}

/* ---- what calls come to -------------------------------------------------- */

/**
 * Measure: of a graph or a function's body, with everything that it calls
 * @nodes: in all
 * @calls: how deep functions call each other in it
 * @nesting: how deep graphs lie in each other in it
 */
typedef struct
{
  guint nodes, calls, nesting;
} Measure;

/**
 * Survey:
 * @measures: SondeFunction -> Measure, of those that are done
 * @chain: (element-type SondeFunction): those that are being measured, each called by the one
 * before it
 */
typedef struct
{
  GHashTable *functions;
  GHashTable *measures;
  GPtrArray *chain;
} Survey;

static gboolean measure_graph (Survey *survey, const SondeGraph *graph, guint level,
                               Measure *measure, GError **error);

/* "Outer → Inner → Outer" */
static gboolean
refuse_cycle (const Survey *survey, guint first, const SondeFunction *function, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = first; i < survey->chain->len; i++)
    g_string_append_printf (text, "%s → ", ((SondeFunction *) survey->chain->pdata[i])->name);
  return invalid (error, "the function “%s” calls itself: %s%s", function->name, text->str,
                  function->name);
}

static gboolean
measure_function (Survey *survey, SondeFunction *function, Measure *measure, GError **error)
{
  const Measure *known = g_hash_table_lookup (survey->measures, function);
  guint at = 0;

  if (known != NULL)
    {
      *measure = *known;
      return TRUE;
    }
  if (g_ptr_array_find (survey->chain, function, &at))
    return refuse_cycle (survey, at, function, error);
  if (survey->chain->len >= MOST_DEPTH)
    return invalid (error, "function calls are nested more than %d deep; the last is “%s”",
                    MOST_DEPTH, function->name);
  g_ptr_array_add (survey->chain, function);
  if (!measure_graph (survey, function->body, 0, measure, error))
    return FALSE;
  g_ptr_array_set_size (survey->chain, (int) survey->chain->len - 1);
  g_hash_table_insert (survey->measures, function, g_memdup2 (measure, sizeof *measure));
  return TRUE;
}

/* One more part of a node: a function that it calls, or a graph that it holds. */
static gboolean
add_part (Measure *sum, const SondeNode *node, const Measure *part, guint calls, guint nesting,
          GError **error)
{
  sum->nodes += part->nodes;
  sum->calls = MAX (sum->calls, part->calls + calls);
  sum->nesting = MAX (sum->nesting, part->nesting + nesting);
  if (sum->nodes > MOST_NODES)
    return invalid (error, "node “%s”: inlining the functions it calls gives more than %d nodes",
                    node->name, MOST_NODES);
  if (sum->calls > MOST_DEPTH)
    return invalid (error, "node “%s”: function calls are nested more than %d deep", node->name,
                    MOST_DEPTH);
  if (sum->nesting > SONDE_BUDGET_SUBGRAPHS)
    return invalid (error,
                    "node “%s”: subgraphs are nested more than %d deep once functions are inlined",
                    node->name, SONDE_BUDGET_SUBGRAPHS);
  return TRUE;
}

static gboolean
measure_node (Survey *survey, const SondeNode *node, guint level, Measure *sum, GError **error)
{
  SondeFunction *function = sonde_function_of_node (survey->functions, node);
  Measure part = { 1, 0, 0 };

  if (function != NULL && !measure_function (survey, function, &part, error))
    return FALSE;
  if (!add_part (sum, node, &part, function != NULL, 0, error))
    return FALSE;
  for (guint k = 0; k < node->attributes->len; k++)
    {
      const SondeAttribute *attribute = node->attributes->pdata[k];
      SondeGraph *const *graphs = attribute->kind == SONDE_ATTRIBUTE_GRAPH    ? &attribute->u.graph
                                  : attribute->kind == SONDE_ATTRIBUTE_GRAPHS ? attribute->u.graphs
                                                                              : NULL;

      for (gsize g = 0; graphs != NULL && g < attribute->n; g++)
        if (graphs[g] != NULL
            && (!measure_graph (survey, graphs[g], level + 1, &part, error)
                || !add_part (sum, node, &part, 0, 1, error)))
          return FALSE;
    }
  return TRUE;
}

static gboolean
measure_graph (Survey *survey, const SondeGraph *graph, guint level, Measure *measure,
               GError **error)
{
  *measure = (Measure){ 0 };
  if (level > SONDE_BUDGET_SUBGRAPHS)
    return invalid (error, "subgraphs are nested more than %d deep", SONDE_BUDGET_SUBGRAPHS);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL
        && !measure_node (survey, graph->nodes->pdata[i], level, measure, error))
      return FALSE;
  return TRUE;
}

gboolean
sonde_functions_measure (GHashTable *functions, const SondeGraph *graph, GError **error)
{
  g_autoptr (GHashTable) measures = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  Survey survey = { functions, measures, chain };
  Measure measure;

  return measure_graph (&survey, graph, 0, &measure, error);
}
