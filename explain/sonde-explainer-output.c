/* SPDX-License-Identifier: Apache-2.0
 * Copies of a network's graph whose output is something else. */
#include "explain/sonde-explainer-output.h"

#include <string.h>

#include "engine/live/sonde-nearest.h"
#include "engine/ops/sonde-build.h"
#include "explain/sonde-explainer-ending.h"
#include "explain/sonde-explainer-model.h"

/* The explainer of @graph, whose only output becomes @output. */
static SondeExplainer *
keep_output (SondeExplainer *explainer, const char *key, SondeGraph *graph, SondeGraphValue *output,
             GError **error)
{
  SondeExplainer *made;

  g_ptr_array_set_size (graph->outputs, 0);
  sonde_graph_add_output (graph, output);
  sonde_pass_dce (graph);
  made = sonde_explainer_new_beside (explainer, graph, error);
  if (made != NULL)
    sonde_explainer_keep (explainer, key, made, (GDestroyNotify) sonde_explainer_free);
  return made;
}

/* What lies at @place of @axis; the axis stays, of size 1. */
static SondeGraphValue *
take_index (SondeGraph *graph, SondeGraphValue *x, int axis, gint64 place)
{
  SondeNode *node = sonde_graph_add_node (
      graph, NULL, "", "Gather", (SondeGraphValue *[]){ x, sonde_build_ints (graph, &place, 1) }, 2,
      1);

  sonde_node_set_int (node, "axis", axis);
  return sonde_node_get_output (node, 0);
}

/* ---- one element --------------------------------------------------------- */

static const char *
value_candidate (guint k, gpointer data)
{
  const SondeGraphValue *value = g_ptr_array_index (((const SondeGraph *) data)->values, k);

  return value != NULL && value->producer != NULL ? value->name : NULL;
}

static SondeGraphValue *
find_value (SondeGraph *graph, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;
  const char *nearest;

  if (node != NULL)
    value = sonde_node_get_output (node, 0);
  if (value != NULL)
    return value;
  nearest = sonde_nearest_name (name, value_candidate, graph->values->len, graph);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "neuron: the model has no value or node “%s”; did you mean “%s”?", name,
                     nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "neuron: the model has no value or node “%s”.", name);
  return NULL;
}

/* One place a dimension after the first, −1 for all of them. */
static gboolean
parse_places (const SondeGraphValue *value, char *const *items, const char *text, gint64 *places,
              GError **error)
{
  const SondeType *type = &value->type;
  g_autofree char *form = NULL;
  int d = 1;

  if (type->kind == SONDE_VALUE_TENSOR && type->dtype == SONDE_DTYPE_F32 && type->rank >= 2)
    {
      for (; d < type->rank && items[d - 1] != NULL && type->dims[d].size > 0; d++)
        if (g_str_equal (items[d - 1], "*"))
          places[d] = -1;
        else if (!g_ascii_string_to_signed (items[d - 1], 10, 0, type->dims[d].size - 1, &places[d],
                                            NULL))
          break;
      if (d == type->rank && items[d - 1] == NULL)
        return TRUE;
    }
  form = sonde_type_to_string (type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "neuron=%s: the value is %s; give an index counted from 0, or * for the mean of "
                   "all, for every dimension of float32 [N, …] except the first.",
                   text, form);
  return FALSE;
}

/* The places, by a copy of the network that is inferred for @inputs. Returns: rank of the value, −1
 * with @error set */
static int
read_places (SondeExplainer *explainer, SondeTensor *inputs, const char *name, char *const *items,
             const char *text, gint64 *places, GError **error)
{
  SondeBinding binding = { sonde_explainer_get_input (explainer),
                           sonde_type_tensor (inputs->dtype, &inputs->shape) };
  g_autoptr (SondeGraph) graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  SondeGraphValue *value = find_value (graph, name, error);

  if (value == NULL || !sonde_pass_infer (graph, &binding, 1, error)
      || !parse_places (value, items, text, places, error))
    return -1;
  return value->type.rank;
}

/* [N, 1]: the mean of the places of @value. */
static SondeGraphValue *
take_places (SondeGraph *graph, SondeGraphValue *value, const gint64 *places, int rank)
{
  SondeGraphValue *flat;

  for (int d = 1; d < rank; d++)
    if (places[d] >= 0)
      value = take_index (graph, value, d, places[d]);
  flat = sonde_build_unary (graph, "Flatten", value);
  return sonde_build_binary (graph, "ReduceMean", flat,
                             sonde_build_ints (graph, (gint64[]){ 1 }, 1));
}

SondeExplainer *
sonde_explainer_find_element (SondeExplainer *explainer, SondeTensor *inputs, const char *text,
                              GError **error)
{
  const char *open = strrchr (text, '[');
  gsize length = strlen (text);
  g_autofree char *key = g_strdup_printf ("element:%s", text), *name = NULL, *inside = NULL;
  g_auto (GStrv) items = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  SondeExplainer *found = sonde_explainer_find_kept (explainer, key);
  SondeGraphValue *value;
  gint64 places[SONDE_MAX_RANK] = { 0 };
  int rank;

  if (found != NULL)
    return found;
  if (open == NULL || open == text || text[length - 1] != ']')
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "neuron=%s must name a value and an element of it, such as “conv2[5,3,4]” "
                       "for channel, row and column; * means all.",
                       text);
      return NULL;
    }
  name = g_strndup (text, (gsize) (open - text));
  inside = g_strndup (open + 1, (gsize) (text + length - 1 - (open + 1)));
  items = g_strsplit (inside, ",", -1);
  rank = read_places (explainer, inputs, name, items, text, places, error);
  if (rank < 0)
    return NULL;
  graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  value = take_places (graph, find_value (graph, name, NULL), places, rank);
  return keep_output (explainer, key, graph, value, error);
}

/* ---- margins ------------------------------------------------------------- */

SondeExplainer *
sonde_explainer_find_margins (SondeExplainer *explainer, gint64 classes, GError **error)
{
  static const char *const key = "margins";
  SondeExplainer *found = sonde_explainer_find_kept (explainer, key);
  g_autoptr (SondeGraph) graph = NULL;
  SondeGraphValue *scores, *largest, *second, *both, *other;
  SondeNode *top;

  if (found != NULL)
    return found;
  if (classes < 2)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "score=margin requires at least two classes; the model has %" PRIi64 ".",
                       classes);
      return NULL;
    }
  graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  scores = sonde_ending_build_probabilities (graph);
  top = sonde_graph_add_node (
      graph, NULL, "", "TopK",
      (SondeGraphValue *[]){ scores, sonde_build_ints (graph, (gint64[]){ 2 }, 1) }, 2, 2);
  both = sonde_node_get_output (top, 0);
  largest = take_index (graph, both, 1, 0);
  second = take_index (graph, both, 1, 1);
  /* what stands against the largest is the second; of two that are both the largest, the other one,
   * which is as large */
  other
      = sonde_build_op (graph, NULL, "", "Where", 3,
                        (SondeGraphValue *[]){ sonde_build_binary (graph, "Equal", scores, largest),
                                               second, largest });
  return keep_output (explainer, key, graph, sonde_build_binary (graph, "Sub", scores, other),
                      error);
}

/* ---- a sum --------------------------------------------------------------- */

SondeExplainer *
sonde_explainer_find_sum (SondeExplainer *explainer, const float *factors, gint64 classes,
                          SondeScore score, const char *text, GError **error)
{
  g_autofree char *key = g_strdup_printf ("sum:%d:%s", score, text);
  SondeExplainer *found = sonde_explainer_find_kept (explainer, key);
  SondeShape shape = sonde_shape_from_array (2, (gint64[]){ classes, 1 });
  g_autoptr (SondeTensor) column = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  SondeGraphValue *scores;

  if (found != NULL)
    return found;
  column = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, factors);
  graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  scores = score == SONDE_SCORE_PROBABILITY ? sonde_ending_build_probabilities (graph)
                                            : sonde_ending_find_logits (graph);
  return keep_output (
      explainer, key, graph,
      sonde_build_binary (graph, "MatMul", scores, sonde_build_constant (graph, NULL, column)),
      error);
}
