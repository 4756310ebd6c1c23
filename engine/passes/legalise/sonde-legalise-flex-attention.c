/* SPDX-License-Identifier: Apache-2.0
 * FlexAttention of ai.onnx.preview: its two products and the softmax as nodes of their own, and
 * between them the nodes of its bodies. */
#include "engine/passes/sonde-legalise.h"

#include <math.h>

#define unsupported(error, ...)                                                                    \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, __VA_ARGS__),     \
   FALSE)

/* ---- bodies -------------------------------------------------------------- */

/* What stands for @value of a body in @graph. Returns: (nullable) */
static SondeGraphValue *
place_value (SondeGraph *graph, GHashTable *places, const SondeGraphValue *value)
{
  SondeGraphValue *place = g_hash_table_lookup (places, value);
  SondeTensor *tensor = value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;

  if (place != NULL)
    return place;
  if (value->outer != NULL)
    place = value->outer;
  else if (tensor != NULL)
    place = sonde_graph_add_initialiser (graph, value->name, tensor, value->role);
  else
    place = sonde_graph_add_value (graph, value->name, &value->type);
  g_hash_table_insert (places, (gpointer) value, place);
  return place;
}

static gboolean
place_node (SondeGraph *graph, GHashTable *places, const SondeNode *from, GError **error)
{
  SondeNode *node = sonde_graph_add_node (graph, from->name, from->domain, from->op, NULL, 0, 0);

  node->version = from->version;
  for (guint k = 0; k < from->inputs->len; k++)
    {
      const SondeGraphValue *input = from->inputs->pdata[k];

      if (input == NULL)
        continue;
      if (input->constant != NULL && sonde_value_get_tensor (input->constant) == NULL)
        return unsupported (error, "“%s” in its body is a constant that is not a tensor",
                            input->name);
      sonde_node_set_input (graph, node, k, place_value (graph, places, input));
    }
  for (guint k = 0; k < from->outputs->len; k++)
    if (from->outputs->pdata[k] != NULL)
      sonde_node_set_output (graph, node, k, place_value (graph, places, from->outputs->pdata[k]));
  for (guint i = 0; i < from->attributes->len; i++)
    {
      const SondeAttribute *attribute = from->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH || attribute->kind == SONDE_ATTRIBUTE_GRAPHS)
        return unsupported (error, "“%s” in its body contains subgraphs, which is not implemented",
                            from->name);
      sonde_node_take_attribute (node, sonde_attribute_copy (attribute));
    }
  return TRUE;
}

/* The nodes of @body, which has one input and one output. @result: (out) */
static gboolean
place_body (SondeGraph *graph, SondeGraph *body, SondeGraphValue *x, SondeGraphValue **result,
            GError **error)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (body, error);

  if (order == NULL)
    return FALSE;
  if (body->inputs->len != 1 || body->outputs->len != 1)
    return unsupported (error, "a body with %u inputs and %u outputs is not implemented",
                        body->inputs->len, body->outputs->len);
  g_hash_table_insert (places, body->inputs->pdata[0], x);
  for (guint i = 0; i < order->len; i++)
    if (!place_node (graph, places, order->pdata[i], error))
      return FALSE;
  *result = place_value (graph, places, body->outputs->pdata[0]);
  return TRUE;
}

static gboolean
modify (SondeGraph *graph, SondeNode *node, const char *name, SondeGraphValue **x, GError **error)
{
  SondeGraph *body = sonde_node_get_graph (node, name);

  return body == NULL || place_body (graph, body, *x, x, error);
}

/* ---- the operator -------------------------------------------------------- */

static SondeGraphValue *
cast (SondeGraph *graph, SondeGraphValue *x, gint64 to)
{
  SondeGraphValue *y = sonde_build_unary (graph, "Cast", x);

  sonde_node_set_int (y->producer, "to", to);
  (void) sonde_build_infer (graph, y->producer, NULL);
  return y;
}

/* Head h of the result is head h / share of @x. */
static SondeGraphValue *
repeat_heads (SondeGraph *graph, SondeGraphValue *x, gint64 heads, gint64 share)
{
  g_autofree gint64 *which = g_new (gint64, heads);
  SondeGraphValue *y = NULL;

  for (gint64 h = 0; h < heads; h++)
    which[h] = h / share;
  y = sonde_build_binary (graph, "Gather", x, sonde_build_ints (graph, which, (gsize) heads));
  sonde_node_set_int (y->producer, "axis", 1);
  (void) sonde_build_infer (graph, y->producer, NULL);
  return y;
}

static SondeGraphValue *
transpose_last (SondeGraph *graph, SondeGraphValue *x)
{
  const gint64 order[] = { 0, 1, 3, 2 };
  SondeGraphValue *y = sonde_build_unary (graph, "Transpose", x);

  sonde_node_set_ints (y->producer, "perm", order, G_N_ELEMENTS (order));
  (void) sonde_build_infer (graph, y->producer, NULL);
  return y;
}

static gboolean
share_heads (SondeGraph *graph, SondeNode *node, SondeGraphValue **k, SondeGraphValue **v,
             GError **error)
{
  const SondeType *q_type = &sonde_node_get_input (node, 0)->type;
  gint64 q_heads = q_type->rank == 4 ? q_type->dims[1].size : -1;
  gint64 kv_heads = (*k)->type.rank == 4 ? (*k)->type.dims[1].size : -1;

  if (q_heads < 0 || kv_heads < 0 || q_heads == kv_heads)
    return TRUE;
  if (kv_heads == 0 || q_heads % kv_heads != 0 || q_heads > G_MAXINT32)
    return unsupported (error, "%" PRIi64 " query heads cannot share %" PRIi64 " key heads",
                        q_heads, kv_heads);
  *k = repeat_heads (graph, *k, q_heads, q_heads / kv_heads);
  *v = repeat_heads (graph, *v, q_heads, q_heads / kv_heads);
  return TRUE;
}

/* scores = score_mod (q·s · (k·s)ᵀ), s² the scale; y = prob_mod (softmax (scores)) · v */
static gboolean
flex_attention (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *q = sonde_node_get_input (node, 0), *k = sonde_node_get_input (node, 1);
  SondeGraphValue *v = sonde_node_get_input (node, 2), *x = NULL, *factor = NULL, *y = NULL;
  SondeDtype dtype = sonde_legalise_dtype (node, 0);
  gint64 own = sonde_dtype_to_onnx (dtype);
  gint64 precision
      = sonde_dtype_to_onnx (dtype == SONDE_DTYPE_F64 ? SONDE_DTYPE_F64 : SONDE_DTYPE_F32);
  double scale;

  if (q == NULL || k == NULL || v == NULL || q->type.rank != 4 || q->type.dims[3].size < 0)
    return unsupported (error,
                        "q, k and v must be present and have 4 dimensions and a known width");
  scale = sonde_node_get_float (node, "scale", 1 / sqrt ((double) q->type.dims[3].size));
  precision = sonde_node_get_int (node, "softmax_precision", precision);
  if (!share_heads (graph, node, &k, &v, error))
    return FALSE;
  factor = sonde_build_scalar (graph, dtype, sqrt (scale));
  x = sonde_build_binary (graph, "MatMul", sonde_build_binary (graph, "Mul", q, factor),
                          transpose_last (graph, sonde_build_binary (graph, "Mul", k, factor)));
  if (precision != own)
    x = cast (graph, x, precision);
  if (!modify (graph, node, "score_mod", &x, error))
    return FALSE;
  x = sonde_build_unary (graph, "Softmax", x);
  if (!modify (graph, node, "prob_mod", &x, error))
    return FALSE;
  y = sonde_legalise_take_output (graph, node, 0);
  if (precision == own)
    (void) sonde_legalise_add_node (graph, "MatMul", x, v, y);
  else
    sonde_node_set_int (sonde_legalise_add_node (
                            graph, "Cast",
                            sonde_build_binary (graph, "MatMul", x, cast (graph, v, precision)),
                            NULL, y),
                        "to", own);
  return TRUE;
}

const SondeLegalisation sonde_legalisations_attention[] = {
  { "FlexAttention", 0, flex_attention, "ai.onnx.preview" },
  { NULL },
};
