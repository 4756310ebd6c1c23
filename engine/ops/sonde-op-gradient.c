/* SPDX-License-Identifier: Apache-2.0
 * Helpers of gradient rules: short names for what a rule looks at and appends. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

SondeGraphValue *
sonde_rule_x (const SondeGradientContext *context, guint k)
{
  return sonde_node_get_input (context->node, k);
}

SondeGraphValue *
sonde_rule_y (const SondeGradientContext *context, guint k)
{
  return sonde_node_get_output (context->node, k);
}

SondeGraphValue *
sonde_rule_ensure_y (SondeGradientContext *context, guint k)
{
  SondeGraphValue *y = sonde_node_get_output (context->node, k);
  g_autofree char *name = NULL;

  if (y != NULL)
    return y;
  name = g_strdup_printf ("%s_output_%u", context->node->name, k);
  y = sonde_graph_add_value (context->graph, name, NULL);
  sonde_node_set_output (context->graph, context->node, k, y);
  (void) sonde_build_infer (context->graph, context->node, NULL);
  return y;
}

SondeGraphValue *
sonde_rule_dy (const SondeGradientContext *context)
{
  return context->output_gradients[0];
}

static SondeGraphValue *
add_node (SondeGradientContext *context, const char *domain, const char *op,
          gboolean copy_attributes, va_list arguments)
{
  SondeGraphValue *inputs[16];
  SondeGraphValue *input = NULL;
  guint n = 0;
  SondeNode *node = NULL;

  while (n < G_N_ELEMENTS (inputs) && (input = va_arg (arguments, SondeGraphValue *)) != NULL)
    inputs[n++] = input;
  node = sonde_graph_add_node (context->graph, NULL, domain, op, inputs, n, 1);
  if (copy_attributes)
    sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  return sonde_node_get_output (node, 0);
}

SondeGraphValue *
sonde_rule_own (SondeGradientContext *context, const char *op, ...)
{
  SondeGraphValue *result = NULL;
  va_list arguments;

  va_start (arguments, op);
  result = add_node (context, SONDE_DOMAIN, op, FALSE, arguments);
  va_end (arguments);
  return result;
}

SondeGraphValue *
sonde_rule_op (SondeGradientContext *context, const char *op, ...)
{
  SondeGraphValue *result = NULL;
  va_list arguments;

  va_start (arguments, op);
  result = add_node (context, "", op, FALSE, arguments);
  va_end (arguments);
  return result;
}

SondeGraphValue *
sonde_rule_own_copying (SondeGradientContext *context, const char *op, ...)
{
  SondeGraphValue *result = NULL;
  va_list arguments;

  va_start (arguments, op);
  result = add_node (context, SONDE_DOMAIN, op, TRUE, arguments);
  va_end (arguments);
  return result;
}

SondeGraphValue *
sonde_rule_infer (SondeGradientContext *context, SondeGraphValue *value)
{
  (void) sonde_build_infer (context->graph, value->producer, NULL);
  return value;
}

void
sonde_rule_copy_attributes (SondeNode *to, const SondeNode *from)
{
  for (guint i = 0; i < from->attributes->len; i++)
    sonde_node_take_attribute (to, sonde_attribute_copy (from->attributes->pdata[i]));
}

SondeGraphValue *
sonde_rule_unary (SondeGradientContext *context, const char *op, SondeGraphValue *x)
{
  return sonde_build_unary (context->graph, op, x);
}

SondeGraphValue *
sonde_rule_binary (SondeGradientContext *context, const char *op, SondeGraphValue *a,
                   SondeGraphValue *b)
{
  return sonde_build_binary (context->graph, op, a, b);
}

SondeGraphValue *
sonde_rule_scalar (SondeGradientContext *context, double value)
{
  SondeGraphValue *like = sonde_rule_x (context, 0);
  SondeDtype dtype = like ? like->type.dtype : SONDE_DTYPE_INVALID;

  return sonde_build_scalar (context->graph, sonde_dtype_is_float (dtype) ? dtype : SONDE_DTYPE_F32,
                             value);
}

SondeGraphValue *
sonde_rule_number (SondeGradientContext *context, SondeGraphValue *like, double value)
{
  SondeDtype dtype = like->type.dtype;

  /* where nothing is known of it, it is most likely as the node's first input */
  if (!sonde_dtype_is_float (dtype) && !sonde_dtype_is_integer (dtype))
    return sonde_rule_scalar (context, value);
  return sonde_build_scalar (context->graph, like->type.dtype, value);
}

SondeGraphValue *
sonde_rule_scale (SondeGradientContext *context, SondeGraphValue *x, double factor)
{
  return factor == 1
             ? x
             : sonde_rule_binary (context, "Mul", x, sonde_rule_number (context, x, factor));
}

SondeGraphValue *
sonde_rule_where (SondeGradientContext *context, SondeGraphValue *condition, SondeGraphValue *a,
                  SondeGraphValue *b)
{
  return sonde_rule_op (context, "Where", condition, a ? a : sonde_rule_number (context, b, 0),
                        b ? b : sonde_rule_number (context, a, 0), NULL);
}

SondeGraphValue *
sonde_rule_zeros_like (SondeGradientContext *context, SondeGraphValue *x)
{
  SondeShape scalar = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) zero = NULL;
  SondeGraphValue *zeros = NULL;

  zero = sonde_tensor_new (sonde_dtype_is_float (x->type.dtype) ? x->type.dtype : SONDE_DTYPE_F32,
                           &scalar);
  zeros = sonde_rule_unary (context, "ConstantOfShape", sonde_rule_unary (context, "Shape", x));
  sonde_node_set_tensor (zeros->producer, "value", zero);
  zeros = sonde_rule_infer (context, zeros);
  zeros->type = x->type;
  zeros->type.dtype = zero->dtype;
  return zeros;
}

SondeGraphValue *
sonde_rule_cast_like (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue *like)
{
  SondeGraphValue *y = NULL;

  if (x->type.dtype == like->type.dtype)
    return x;
  y = sonde_rule_unary (context, "Cast", x);
  sonde_node_set_int (y->producer, "to", sonde_dtype_to_onnx (like->type.dtype));
  return sonde_rule_infer (context, y);
}

SondeGraphValue *
sonde_rule_flip (SondeGradientContext *context, SondeGraphValue *x)
{
  gint64 permutation[SONDE_MAX_RANK];
  SondeGraphValue *y = sonde_rule_unary (context, "Transpose", x);
  int rank = x->type.rank;

  for (int d = 0; d < rank; d++)
    permutation[d] = d;
  permutation[rank - 2] = rank - 1;
  permutation[rank - 1] = rank - 2;
  sonde_node_set_ints (y->producer, "perm", permutation, (gsize) rank);
  return sonde_rule_infer (context, y);
}

/* Which leading and inner dimensions of @whole come from repeating @part; -1 when it cannot be
 * told. */
static int
find_repeated (const SondeType *part, const SondeType *whole, gint64 *leading, gsize *n_leading,
               gint64 *inner, gsize *n_inner)
{
  int missing = whole->rank - part->rank;

  if (part->rank < 0 || missing < 0)
    return -1;
  *n_leading = *n_inner = 0;
  for (int d = 0; d < missing; d++)
    leading[(*n_leading)++] = d;
  for (int d = 0; d < part->rank; d++)
    {
      const SondeDimension *p = &part->dims[d];
      const SondeDimension *w = &whole->dims[missing + d];
      gboolean same
          = p->size >= 0 ? p->size == w->size || p->size > 1 : p->symbol && p->symbol == w->symbol;

      if (same)
        continue;
      if (p->size != 1)
        return -1;
      inner[(*n_inner)++] = d;
    }
  return 0;
}

static SondeGraphValue *
sum_over (SondeGradientContext *context, SondeGraphValue *x, const gint64 *axes, gsize n,
          gboolean keep)
{
  SondeGraphValue *sum = NULL;

  if (n == 0)
    return x;
  sum = sonde_rule_binary (context, "ReduceSum", x, sonde_build_ints (context->graph, axes, n));
  sonde_node_set_int (sum->producer, "keepdims", keep);
  return sonde_rule_infer (context, sum);
}

SondeGraphValue *
sonde_rule_unbroadcast (SondeGradientContext *context, SondeGraphValue *gradient,
                        SondeGraphValue *x)
{
  gint64 leading[SONDE_MAX_RANK], inner[SONDE_MAX_RANK];
  gsize n_leading = 0, n_inner = 0;

  if (find_repeated (&x->type, &gradient->type, leading, &n_leading, inner, &n_inner) < 0)
    return sonde_rule_own (context, "ReduceToShape", gradient, x, NULL);
  gradient = sum_over (context, gradient, leading, n_leading, FALSE);
  return sum_over (context, gradient, inner, n_inner, TRUE);
}

SondeGraphValue *
sonde_rule_dy_or_zeros (SondeGradientContext *context, guint k)
{
  SondeGraphValue *y = sonde_rule_y (context, k);

  return context->output_gradients[k] != NULL || y == NULL ? context->output_gradients[k]
                                                           : sonde_rule_zeros_like (context, y);
}

gint64 *
sonde_rule_known_ints (SondeGraphValue *value, gsize *n)
{
  SondeTensor *tensor = NULL;
  gint64 *ints = NULL;

  *n = 0;
  if (value == NULL)
    return NULL;
  if (value->constant != NULL && value->role == SONDE_ROLE_CONSTANT)
    tensor = sonde_value_get_tensor (value->constant);
  else if (value->producer != NULL && strcmp (value->producer->op, "Constant") == 0)
    tensor = sonde_node_get_tensor (value->producer, "value");
  if (tensor == NULL || !sonde_dtype_is_integer (tensor->dtype))
    return NULL;
  *n = (gsize) sonde_tensor_n_elements (tensor);
  ints = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    ints[i] = sonde_tensor_get_int (tensor, (gint64) i);
  return ints;
}

gboolean
sonde_rule_flat (SondeGradientContext *context, GError **error)
{
  return TRUE;
}
