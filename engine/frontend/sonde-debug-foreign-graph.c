/* SPDX-License-Identifier: Apache-2.0
 * A graph from the nodes that ran. */
#include "engine/frontend/sonde-debug-foreign-graph.h"

#include <string.h>

/* "float32 8×4×6×6", as sonde_type_to_string() writes it. FALSE: it is of another form. */
static gboolean
parse_type (const char *text, SondeType *type)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 2);
  g_auto (GStrv) sizes
      = words[0] != NULL && words[1] != NULL ? g_strsplit (words[1], "×", -1) : NULL;
  SondeDtype dtype = words[0] != NULL ? sonde_dtype_from_name (words[0]) : SONDE_DTYPE_INVALID;
  SondeShape shape = { .rank = sizes != NULL ? (int) g_strv_length (sizes) : 0 };

  if (dtype == SONDE_DTYPE_INVALID || shape.rank > SONDE_MAX_RANK)
    return FALSE;
  for (int i = 0; i < shape.rank; i++)
    if (!g_ascii_string_to_signed (sizes[i], 10, 0, G_MAXINT64, &shape.dims[i], NULL))
      return FALSE;
  *type = sonde_type_tensor (dtype, &shape);
  return TRUE;
}

/* "layers.0.conv" as the graph nests scopes. Interned. */
static const char *
nest_scope (const char *scope)
{
  g_autofree char *nested = g_strdup (scope);

  return nested != NULL ? g_intern_string (g_strdelimit (nested, ".", '/')) : NULL;
}

static SondeGraphValue *
find_input (SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);

  return value != NULL ? value : sonde_graph_add_input (graph, name, NULL);
}

static void
name_outputs (SondeGraph *graph, SondeNode *node, const SondeStepInfo *step)
{
  guint n_types = step->types != NULL ? g_strv_length (step->types) : 0;

  for (guint k = 0; step->outputs[k] != NULL; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, k);

      sonde_graph_rename_value (graph, value, step->outputs[k]);
      if (k < n_types)
        parse_type (step->types[k], &value->type);
    }
}

static void
add_step (SondeGraph *graph, const SondeStepInfo *step)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  SondeNode *node;

  for (guint k = 0; step->inputs != NULL && step->inputs[k] != NULL; k++)
    g_ptr_array_add (inputs, find_input (graph, step->inputs[k]));
  node = sonde_graph_add_node (graph, step->name, SONDE_DOMAIN_RECORDED, step->op,
                               (SondeGraphValue *const *) inputs->pdata, inputs->len,
                               step->outputs != NULL ? g_strv_length (step->outputs) : 0);
  node->phase = step->phase;
  node->scope = nest_scope (step->scope);
  if (step->outputs != NULL)
    name_outputs (graph, node, step);
}

SondeGraph *
sonde_debug_foreign_graph_new (const GPtrArray *steps)
{
  SondeGraph *graph = sonde_graph_new (NULL);

  for (guint i = 0; i < steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);

      if (sonde_graph_find_node (graph, step->name) == NULL)
        add_step (graph, step);
    }
  return graph;
}
