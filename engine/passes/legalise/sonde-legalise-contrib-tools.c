/* SPDX-License-Identifier: Apache-2.0
 * Short calls of the rules for com.microsoft. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"
#include "engine/passes/sonde-legalise.h"

#include <math.h>
#include <string.h>

SondeGraphValue *
sonde_contrib_emit (SondeGraph *graph, const char *domain, const char *op,
                    SondeGraphValue *const *inputs, gsize n)
{
  while (n > 0 && inputs[n - 1] == NULL)
    n--;
  return sonde_build_op (graph, NULL, domain, op, (guint) n, inputs);
}

static SondeGraphValue *
again (SondeGraph *graph, SondeGraphValue *value)
{
  (void) sonde_build_infer (graph, value->producer, NULL);
  return value;
}

SondeGraphValue *
sonde_contrib_with_int (SondeGraph *graph, SondeGraphValue *value, const char *name, gint64 number)
{
  sonde_node_set_int (value->producer, name, number);
  return again (graph, value);
}

SondeGraphValue *
sonde_contrib_with_float (SondeGraph *graph, SondeGraphValue *value, const char *name,
                          double number)
{
  sonde_node_set_float (value->producer, name, number);
  return again (graph, value);
}

SondeGraphValue *
sonde_contrib_with_string (SondeGraph *graph, SondeGraphValue *value, const char *name,
                           const char *text)
{
  sonde_node_set_string (value->producer, name, text);
  return again (graph, value);
}

SondeGraphValue *
sonde_contrib_with_ints (SondeGraph *graph, SondeGraphValue *value, const char *name,
                         const gint64 *numbers, gsize n)
{
  sonde_node_set_ints (value->producer, name, numbers, n);
  return again (graph, value);
}

SondeGraphValue *
sonde_contrib_output (SondeGraph *graph, SondeGraphValue *value, guint k)
{
  SondeNode *node = value->producer;

  if (sonde_node_get_output (node, k) == NULL)
    sonde_node_set_output (graph, node, k, sonde_graph_add_value (graph, NULL, NULL));
  (void) sonde_build_infer (graph, node, NULL);
  return sonde_node_get_output (node, k);
}

void
sonde_contrib_give (SondeGraph *graph, SondeNode *node, guint k, SondeGraphValue *value)
{
  SondeGraphValue *output = sonde_legalise_take_output (graph, node, k);
  SondeNode *producer = value->producer;
  guint which = value->producer_output;

  if (output == NULL)
    return;
  if (producer == NULL || producer == node)
    {
      (void) sonde_legalise_add_node (graph, "Identity", value, NULL, output);
      return;
    }
  sonde_node_set_output (graph, producer, which, NULL);
  sonde_graph_replace_value (graph, value, output);
  sonde_graph_remove_value (graph, value);
  sonde_node_set_output (graph, producer, which, output);
  (void) sonde_build_infer (graph, producer, NULL);
}

SondeGraphValue *
sonde_contrib_cast (SondeGraph *graph, SondeGraphValue *x, SondeDtype dtype)
{
  if (x->type.dtype == dtype)
    return x;
  return sonde_contrib_with_int (graph, emit (graph, "Cast", x), "to", sonde_dtype_to_onnx (dtype));
}

SondeGraphValue *
sonde_contrib_transpose (SondeGraph *graph, SondeGraphValue *x, int rank, const gint64 *order)
{
  return sonde_contrib_with_ints (graph, emit (graph, "Transpose", x), "perm", order, (gsize) rank);
}

SondeGraphValue *
sonde_contrib_reshape (SondeGraph *graph, SondeGraphValue *x, int rank, const gint64 *sizes)
{
  return emit (graph, "Reshape", x, sonde_build_ints (graph, sizes, (gsize) rank));
}

SondeGraphValue *
sonde_contrib_unsqueeze (SondeGraph *graph, SondeGraphValue *x, gint64 axis)
{
  return emit (graph, "Unsqueeze", x, sonde_build_ints (graph, &axis, 1));
}

SondeGraphValue *
sonde_contrib_int (SondeGraph *graph, gint64 number)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_i64 (number);

  return sonde_build_constant (graph, NULL, tensor);
}

SondeGraphValue *
sonde_contrib_add (SondeGraph *graph, SondeGraphValue *a, SondeGraphValue *b)
{
  return a == NULL ? b : b == NULL ? a : emit (graph, "Add", a, b);
}

SondeGraphValue *
sonde_contrib_size (SondeGraph *graph, SondeGraphValue *x, gint64 d)
{
  return emit (graph, "Gather", emit (graph, "Shape", x), sonde_contrib_int (graph, d));
}

double
sonde_contrib_nth_float (const SondeNode *node, const char *name, gsize k, double fallback)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);

  return attribute != NULL && attribute->kind == SONDE_ATTRIBUTE_FLOATS && k < attribute->n
             ? attribute->u.floats[k]
             : fallback;
}

SondeGraphValue *
sonde_contrib_activate (SondeGraph *graph, SondeGraphValue *x, const char *name, double alpha,
                        double beta, GError **error)
{
  static const char *const plain[]
      = { "HardSwish", "Relu", "Sigmoid", "Softplus", "Softsign", "Tanh", NULL };
  static const char *const with_parameters[]
      = { "Elu", "HardSigmoid", "LeakyRelu", "ThresholdedRelu", NULL };
  SondeDtype dtype = x->type.dtype != SONDE_DTYPE_INVALID ? x->type.dtype : SONDE_DTYPE_F32;
  SondeGraphValue *y = NULL;

  if (*name == '\0')
    return x;
  if (g_strv_contains (plain, name))
    return emit (graph, name, x);
  if (strcmp (name, "Clip") == 0)
    return emit (graph, "Clip", x, isnan (alpha) ? NULL : sonde_build_scalar (graph, dtype, alpha),
                 isnan (beta) ? NULL : sonde_build_scalar (graph, dtype, beta));
  if (!g_strv_contains (with_parameters, name))
    {
      (void) sonde_contrib_unsupported (error, "its activation “%s” is not implemented", name);
      return NULL;
    }
  y = emit (graph, name, x);
  if (!isnan (alpha))
    (void) sonde_contrib_with_float (graph, y, "alpha", alpha);
  if (!isnan (beta) && strcmp (name, "HardSigmoid") == 0)
    (void) sonde_contrib_with_float (graph, y, "beta", beta);
  return y;
}
