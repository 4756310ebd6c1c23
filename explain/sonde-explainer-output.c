/* SPDX-License-Identifier: Apache-2.0
 * Copies of a network's graph whose output is something else. */
#include "explain/sonde-explainer-output.h"

#include <string.h>

#include "engine/debug/sonde-nearest.h"
#include "engine/ops/sonde-build.h"
#include "explain/sonde-explainer-private.h"

/* The explainer of @graph, whose only output becomes @output. */
static SondeExplainer *
keep_output (SondeExplainer  *explainer,
             const char      *key,
             SondeGraph      *graph,
             SondeGraphValue *output,
             GError         **error)
{
  SondeExplainer *made;

  g_ptr_array_set_size (graph->outputs, 0);
  sonde_graph_add_output (graph, output);
  sonde_pass_prune (graph);
  made = sonde_explainer_new_beside (explainer, graph, error);
  if (made != NULL)
    sonde_explainer_keep (explainer, key, made, (GDestroyNotify) sonde_explainer_free);
  return made;
}

/* ---- one element -------------------------------------------------------------------------------- */

static const char *
value_candidate (guint    k,
                 gpointer data)
{
  const SondeGraphValue *value = g_ptr_array_index (((const SondeGraph *) data)->values, k);

  return value != NULL && value->producer != NULL ? value->name : NULL;
}

static SondeGraphValue *
find_value (SondeGraph *graph,
            const char *name,
            GError    **error)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;
  const char *nearest;

  if (node != NULL)
    value = sonde_node_get_output (node, 0);
  if (value != NULL)
    return value;
  nearest = sonde_nearest_name (name, value_candidate, graph->values->len, graph);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "neuron: the model has no value or node “%s”%s%s%s.", name,
               nearest != NULL ? " (did you mean “" : "", nearest != NULL ? nearest : "", nearest != NULL ? "”?)" : "");
  return NULL;
}

/* The element's number among those of a sample, −1 with @error set. */
static gint64
find_place (const SondeGraphValue *value,
            char *const           *items,
            const char            *text,
            GError               **error)
{
  const SondeType *type = &value->type;
  g_autofree char *form = NULL;
  gint64 place = 0, at = 0;
  int d = 1;

  if (type->kind == SONDE_VALUE_TENSOR && type->dtype == SONDE_DTYPE_F32 && type->rank >= 2)
    {
      while (d < type->rank && items[d - 1] != NULL && type->dims[d].size > 0
             && g_ascii_string_to_signed (items[d - 1], 10, 0, type->dims[d].size - 1, &at, NULL))
        place = place * type->dims[d++].size + at;
      if (d == type->rank && items[d - 1] == NULL)
        return place;
    }
  form = sonde_type_to_string (type);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
               "neuron=%s: the value is %s; write one place, counted from 0, for each dimension of float32 [N, …] but the first.", text,
               form);
  return -1;
}

/* The element's number, by a copy of the network that is inferred for @inputs. */
static gint64
read_place (SondeExplainer *explainer,
            SondeTensor    *inputs,
            const char     *name,
            char *const    *items,
            const char     *text,
            GError        **error)
{
  SondeBinding binding = { sonde_explainer_get_input (explainer), sonde_type_tensor (inputs->dtype, &inputs->shape) };
  g_autoptr (SondeGraph) graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  SondeGraphValue *value = find_value (graph, name, error);

  if (value == NULL || !sonde_pass_infer (graph, &binding, 1, error))
    return -1;
  return find_place (value, items, text, error);
}

SondeExplainer *
sonde_explainer_find_element (SondeExplainer *explainer,
                              SondeTensor    *inputs,
                              const char     *text,
                              GError        **error)
{
  const char *open = strrchr (text, '[');
  gsize length = strlen (text);
  g_autofree char *key = g_strdup_printf ("element:%s", text), *name = NULL, *places = NULL;
  g_auto (GStrv) items = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  SondeExplainer *found = sonde_explainer_find_kept (explainer, key);
  SondeGraphValue *value;
  SondeNode *node;
  gint64 place;

  if (found != NULL)
    return found;
  if (open == NULL || open == text || text[length - 1] != ']')
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "neuron=%s: write a value and the place in it, as “conv2[5,3,4]”: channel, row and column.", text);
      return NULL;
    }
  name = g_strndup (text, (gsize) (open - text));
  places = g_strndup (open + 1, (gsize) (text + length - 1 - (open + 1)));
  items = g_strsplit (places, ",", -1);
  place = read_place (explainer, inputs, name, items, text, error);
  if (place < 0)
    return NULL;
  graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  value = sonde_build_unary (graph, "Flatten", find_value (graph, name, NULL));
  node = sonde_graph_add_node (graph, NULL, "", "Gather",
                               (SondeGraphValue *[]) { value, sonde_build_ints (graph, &place, 1) }, 2, 1);
  sonde_node_set_int (node, "axis", 1);
  return keep_output (explainer, key, graph, sonde_node_get_output (node, 0), error);
}

/* ---- a sum -------------------------------------------------------------------------------------- */

SondeExplainer *
sonde_explainer_find_sum (SondeExplainer *explainer,
                          const float    *factors,
                          gint64          classes,
                          SondeScore      score,
                          const char     *text,
                          GError        **error)
{
  g_autofree char *key = g_strdup_printf ("sum:%d:%s", score, text);
  SondeExplainer *found = sonde_explainer_find_kept (explainer, key);
  SondeShape shape = sonde_shape_from_array (2, (gint64[]) { classes, 1 });
  g_autoptr (SondeTensor) column = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  SondeGraphValue *scores;

  if (found != NULL)
    return found;
  column = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, factors);
  graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  scores = sonde_explainer_find_logits (graph);
  if (score == SONDE_SCORE_PROBABILITY)
    scores = sonde_explainer_ends_in_softmax (explainer) ? g_ptr_array_index (graph->outputs, 0)
                                                         : sonde_build_unary (graph, "Softmax", scores);
  return keep_output (explainer, key, graph,
                      sonde_build_binary (graph, "MatMul", scores, sonde_build_constant (graph, NULL, column)), error);
}
