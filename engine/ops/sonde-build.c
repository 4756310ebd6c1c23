/* SPDX-License-Identifier: Apache-2.0
 * Short calls that append nodes; types follow at once as far as they are known. */
#include "engine/ops/sonde-op-implement.h"

gboolean
sonde_build_infer (SondeGraph *graph, SondeNode *node, GError **error)
{
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);

  if (!sonde_op_infer_node (node, NULL, types, NULL, error))
    return FALSE;
  for (guint k = 0; k < node->outputs->len; k++)
    if (node->outputs->pdata[k] != NULL && types[k].kind != SONDE_VALUE_NONE)
      sonde_node_get_output (node, k)->type = types[k];
  return TRUE;
}

SondeGraphValue *
sonde_build_op (SondeGraph *graph, const char *name, const char *domain, const char *op,
                guint n_inputs, SondeGraphValue *const *inputs)
{
  SondeNode *node = sonde_graph_add_node (graph, name, domain, op, inputs, n_inputs, 1);

  /* A node that still lacks attributes may not fit yet; the infer pass speaks up later. */
  (void) sonde_build_infer (graph, node, NULL);
  return sonde_node_get_output (node, 0);
}

SondeGraphValue *
sonde_build_unary (SondeGraph *graph, const char *op, SondeGraphValue *x)
{
  return sonde_build_op (graph, NULL, "", op, 1, &x);
}

SondeGraphValue *
sonde_build_binary (SondeGraph *graph, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_build_op (graph, NULL, "", op, 2, inputs);
}

SondeGraphValue *
sonde_build_constant (SondeGraph *graph, const char *name, SondeTensor *tensor)
{
  return sonde_graph_add_initialiser (graph, name ? name : "constant", tensor, SONDE_ROLE_CONSTANT);
}

SondeGraphValue *
sonde_build_cast (SondeGraph *graph, SondeGraphValue *x, SondeDtype dtype)
{
  SondeGraphValue *y;

  if (x->type.dtype == dtype)
    return x;
  y = sonde_build_unary (graph, "Cast", x);
  sonde_node_set_int (y->producer, "to", sonde_dtype_to_onnx (dtype));
  (void) sonde_build_infer (graph, y->producer, NULL);
  return y;
}

SondeGraphValue *
sonde_build_scalar (SondeGraph *graph, SondeDtype dtype, double value)
{
  SondeShape shape = sonde_shape_scalar ();
  gboolean number = dtype != SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_STRING;
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (number ? dtype : SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (tensor, 0, value);
  return sonde_build_constant (graph, NULL, tensor);
}

SondeGraphValue *
sonde_build_ints (SondeGraph *graph, const gint64 *values, gsize n)
{
  gint64 size = (gint64) n;
  SondeShape shape = sonde_shape_from_array (1, &size);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values);

  return sonde_build_constant (graph, NULL, tensor);
}
