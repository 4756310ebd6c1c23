/* SPDX-License-Identifier: Apache-2.0
 * BatchNormalization (inference and training) and LayerNormalization, and their gradients. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-causes.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>

typedef struct
{
  gint64 batch, channels, inner;
  double epsilon;
  gboolean training;
} BatchSizes;

#define T float
#define S f32
#include "engine/ops/nn/sonde-batch-layer-normalisation-template.h"
#define T double
#define S f64
#include "engine/ops/nn/sonde-batch-layer-normalisation-template.h"

/* ---- BatchNormalization -------------------------------------------------- */

static gboolean
is_training (const SondeNode *node)
{
  return sonde_node_get_int (node, "training_mode", 0) != 0;
}

static gboolean
check_channels (const SondeInferContext *context, const SondeType *x, guint first, guint last,
                GError **error)
{
  if (x->rank < 2)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions", x->rank);
  for (guint k = first; k <= last; k++)
    {
      const SondeType *type = sonde_infer_input (context, k);

      if (!sonde_infer_need_rank (context, k, 1, error))
        return FALSE;
      if (type != NULL && type->rank == 1 && type->dims[0].size >= 0 && x->dims[1].size >= 0
          && type->dims[0].size != x->dims[1].size)
        return sonde_infer_fail (error, "input %u has %" PRIi64 " entries for %" PRIi64 " channels",
                                 k, type->dims[0].size, x->dims[1].size);
    }
  return TRUE;
}

/* x, scale with bias, mean with variance may be of three float types, if all of them or none is
 * float64. */
static gboolean
check_batch_types (const SondeInferContext *context, GError **error)
{
  for (guint k = 0; k < 5; k++)
    {
      SondeDtype dtype = context->inputs[k].dtype;

      if (!sonde_infer_need_float (context, k, error))
        return FALSE;
      if (dtype != SONDE_DTYPE_INVALID && context->inputs[0].dtype != SONDE_DTYPE_INVALID
          && (dtype == SONDE_DTYPE_F64) != (context->inputs[0].dtype == SONDE_DTYPE_F64))
        return sonde_infer_need_same (context, 0, 4, error);
    }
  return sonde_infer_need_same (context, 1, 2, error)
         && sonde_infer_need_same (context, 3, 4, error);
}

static gboolean
infer_batch (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!check_batch_types (context, error))
    return FALSE;
  if (!is_training (context->node) && context->n_outputs > 1)
    return sonde_infer_fail (error, "has %u outputs, but outside of training there is only one",
                             context->n_outputs);
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!check_channels (context, x, 1, 4, error))
    return FALSE;
  context->outputs[0] = *x;
  for (guint k = 1; k < context->n_outputs; k++)
    {
      context->outputs[k] = sonde_infer_type (context->inputs[3].dtype, 1);
      context->outputs[k].dims[0] = x->dims[1];
    }
  return TRUE;
}

static void
batch_sizes_init (BatchSizes *sizes, const SondeNode *node, const SondeTensor *x)
{
  sizes->batch = x->shape.dims[0];
  sizes->channels = x->shape.dims[1];
  sizes->inner = sonde_shape_product (&x->shape, 2, x->shape.rank);
  sizes->epsilon = sonde_node_get_float (node, "epsilon", 1e-5);
  sizes->training = is_training (node);
}

/* running = momentum·running + (1 − momentum)·batch */
static void
update_running (const SondeKernelContext *context, guint input, SondeTensor *batch, guint output)
{
  SondeTensor *old = context->inputs[input];
  SondeTensor *new = sonde_kernel_output (context, output);
  double momentum = sonde_node_get_float (context->node, "momentum", 0.9);
  gint64 n = sonde_tensor_n_elements (batch);

  for (gint64 i = 0; i < n && new != NULL; i++)
    sonde_tensor_set_double (new, i,
                             momentum * sonde_tensor_get_double (old, i)
                                 + (1 - momentum) * sonde_tensor_get_double (batch, i));
}

static SondeTensor *
output_or_scratch (const SondeKernelContext *context, guint k, const SondeTensor *like)
{
  SondeTensor *output = sonde_kernel_output (context, k);

  return output ? sonde_tensor_ref (output) : sonde_tensor_new (like->dtype, &like->shape);
}

static void
compute_batch (const SondeKernelContext *context)
{
  SondeTensor *const *in = context->inputs;
  SondeTensor *y = context->outputs[0];
  g_autoptr (SondeTensor) mean = NULL, variance = NULL;
  BatchSizes sizes;

  batch_sizes_init (&sizes, context->node, in[0]);
  if (!sizes.training)
    {
      SONDE_FLOAT_CALL (y->dtype, batch_normalise, &sizes, in[0]->data, in[1]->data, in[2]->data,
                        in[3]->data, in[4]->data, y->data);
      return;
    }
  mean = output_or_scratch (context, 3, in[3]);
  variance = output_or_scratch (context, 4, in[4]);
  SONDE_FLOAT_CALL (in[0]->dtype, batch_statistics, &sizes, in[0]->data, mean->data,
                    variance->data);
  if (y != NULL)
    SONDE_FLOAT_CALL (y->dtype, batch_normalise, &sizes, in[0]->data, in[1]->data, in[2]->data,
                      mean->data, variance->data, y->data);
  update_running (context, 3, mean, 1);
  update_running (context, 4, variance, 2);
}

/* (dy, x, scale, mean, var) → dx, dscale, dbias */
/* dy and x are of one type, scale, mean and variance of another, if all of them or none is
 * float64. */
static gboolean
check_grad_types (const SondeInferContext *context, GError **error)
{
  gboolean wide
      = context->inputs[1].dtype == SONDE_DTYPE_F64 || context->inputs[2].dtype == SONDE_DTYPE_F64;

  return sonde_infer_need_float (context, 2, error)
         && sonde_infer_need_same (context, wide ? 0 : 2, 4, error);
}

static gboolean
infer_batch_grad (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_float_pair (context, error) || !check_grad_types (context, error))
    return FALSE;
  if (!sonde_infer_ready (context, 5))
    return TRUE;
  if (!check_channels (context, &context->inputs[1], 2, 4, error))
    return FALSE;
  context->outputs[0] = context->inputs[1];
  for (guint k = 1; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[2];
  return TRUE;
}

static void *
output_data (const SondeKernelContext *context, guint k)
{
  SondeTensor *output = sonde_kernel_output (context, k);

  return output ? output->data : NULL;
}

static void
compute_batch_grad (const SondeKernelContext *context)
{
  SondeTensor *const *in = context->inputs;
  BatchSizes sizes;

  batch_sizes_init (&sizes, context->node, in[0]);
  SONDE_FLOAT_CALL (in[0]->dtype, batch_normalise_grad, &sizes, in[0]->data, in[1]->data,
                    in[2]->data, in[3]->data, in[4]->data, output_data (context, 0),
                    output_data (context, 1), output_data (context, 2));
}

/* ---- LayerNormalization -------------------------------------------------- */

static gboolean
layer_axis (const SondeNode *node, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (node, "axis", -1), rank, axis, error);
}

/* Scale and bias must have the normalised shape (leading ones allowed). */
static gboolean
check_scale (const SondeInferContext *context, guint k, const SondeType *x, int axis,
             GError **error)
{
  const SondeType *scale = sonde_infer_input (context, k);
  gint64 want = sonde_type_product (x, axis, x->rank);
  gint64 have
      = scale != NULL && scale->rank >= 0 ? sonde_type_product (scale, 0, scale->rank) : want;

  if (want >= 0 && have >= 0 && want != have)
    return sonde_infer_fail (
        error, "input %u has %" PRIi64 " elements, but %" PRIi64 " are normalised together", k,
        have, want);
  return TRUE;
}

static gboolean
infer_layer (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  int axis = 0;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!layer_axis (context->node, x->rank, &axis, error)
      || !check_scale (context, 1, x, axis, error) || !check_scale (context, 2, x, axis, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    {
      context->outputs[k] = *x;
      if (k > 0 && x->dtype != SONDE_DTYPE_F64)
        context->outputs[k].dtype = SONDE_DTYPE_F32;
      for (int d = axis; d < x->rank && k > 0; d++)
        context->outputs[k].dims[d] = sonde_dimension (1);
    }
  return TRUE;
}

static void
compute_layer (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *bias = sonde_kernel_input (context, 2);
  int axis = 0;

  (void) layer_axis (context->node, x->shape.rank, &axis, NULL);
  SONDE_FLOAT_CALL (x->dtype, layer_normalise, sonde_shape_product (&x->shape, 0, axis),
                    sonde_shape_product (&x->shape, axis, x->shape.rank),
                    sonde_node_get_float (context->node, "epsilon", 1e-5), x->data,
                    context->inputs[1]->data, bias ? bias->data : NULL, context->outputs[0]->data,
                    output_data (context, 1), output_data (context, 2));
}

/* Mean and inverse std: one each of what is normalised together, float64 where x is. */
static gboolean
check_statistics (const SondeInferContext *context, int axis, GError **error)
{
  const SondeType *x = &context->inputs[1];
  gint64 want = sonde_type_product (x, 0, axis);

  for (guint k = 3; k < 5; k++)
    {
      const SondeType *type = &context->inputs[k];
      gint64 have = sonde_type_product (type, 0, type->rank);

      if (want >= 0 && have >= 0 && want != have)
        return sonde_infer_fail (error, "input %u has %" PRIi64 " elements, but must have %" PRIi64,
                                 k, have, want);
      if (!sonde_dtype_is_float (type->dtype)
          || (type->dtype == SONDE_DTYPE_F64) != (x->dtype == SONDE_DTYPE_F64))
        return sonde_infer_fail (error, "input %u is %s beside %s", k,
                                 sonde_dtype_name (type->dtype), sonde_dtype_name (x->dtype));
    }
  return TRUE;
}

/* (dy, x, scale, mean, inv_std) → dx, dscale, dbias */
static gboolean
infer_layer_grad (SondeInferContext *context, GError **error)
{
  int axis = 0;

  if (!sonde_infer_float_pair (context, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 5))
    return TRUE;
  if (!layer_axis (context->node, context->inputs[1].rank, &axis, error)
      || !check_scale (context, 2, &context->inputs[1], axis, error)
      || !check_statistics (context, axis, error))
    return FALSE;
  context->outputs[0] = context->inputs[1];
  for (guint k = 1; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[2];
  return TRUE;
}

static void
compute_layer_grad (const SondeKernelContext *context)
{
  SondeTensor *const *in = context->inputs;
  SondeTensor *x = in[1];
  g_autofree double *sums = NULL;
  gint64 n;
  int axis = 0;

  (void) layer_axis (context->node, x->shape.rank, &axis, NULL);
  n = sonde_shape_product (&x->shape, axis, x->shape.rank);
  sums = g_new0 (double, 2 * n + 1);
  SONDE_FLOAT_CALL (x->dtype, layer_normalise_grad, sonde_shape_product (&x->shape, 0, axis), n,
                    in[0]->data, x->data, in[2]->data, in[3]->data, in[4]->data,
                    output_data (context, 0), sums);
  for (guint k = 1; k < 3; k++)
    {
      SondeTensor *output = sonde_kernel_output (context, k);

      if (output != NULL)
        sonde_dtype_convert (SONDE_DTYPE_F64, sums + (k - 1) * n, output->dtype, output->data,
                             (gsize) n);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static void
cost_normalise (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;
  gboolean statistics
      = sonde_node_find_attribute (context->node, "axis") != NULL || is_training (context->node);

  cost->flops = n > 0 ? (statistics ? 6.0 : 2.0) * (double) n : 0;
}

static const SondeAttributeRule batch_rules[] = {
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "momentum", SONDE_ATTRIBUTE_FLOAT },
  { "training_mode", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule layer_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "stash_type", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(set, label, opset, least, most, outs, kind, rules, rule, loop, derivative,             \
            decomposition, ...)                                                                    \
  {                                                                                                \
    .domain = set, .name = label, .since = opset, .min_inputs = least, .max_inputs = most,         \
    .min_outputs = 1, .max_outputs = outs, .family = kind, .attributes = rules, .infer = rule,     \
    .compute = loop, .gradient = derivative, .decompose = decomposition, .cost = cost_normalise,   \
    __VA_ARGS__                                                                                    \
  }

const SondeOpClass sonde_ops_batch_layer_normalisation[] = {
  ROW ("", "BatchNormalization", 14, 5, 5, 5, SONDE_FAMILY_NORMALISATION, batch_rules, infer_batch,
       compute_batch, sonde_batch_normalisation_gradient, NULL,
       .reach = { sonde_reach_batch_norm, 0 }, .typing = SONDE_TYPING_UNIFORM,
       .traits = SONDE_TRAIT_AUTOCAST, .attribution = SONDE_ATTRIBUTION_NORMALISATION,
       .causes = sonde_causes_batch_normalisation, .id = SONDE_OP_ID_BATCH_NORMALIZATION),
  ROW ("", "LayerNormalization", 17, 2, 3, 3, SONDE_FAMILY_NORMALISATION, layer_rules, infer_layer,
       compute_layer, sonde_layer_normalisation_gradient, NULL,
       .reach = { sonde_reach_layer_norm, 0 }, .typing = SONDE_TYPING_UNIFORM),
  ROW (SONDE_DOMAIN, "BatchNormalizationGrad", 1, 5, 5, 3, SONDE_FAMILY_GRADIENT, batch_rules,
       infer_batch_grad, compute_batch_grad, NULL, sonde_decompose_batch_grad,
       .reach = { sonde_reach_batch_norm_grad, 0 }, .typing = SONDE_TYPING_LEADING (5)),
  ROW (SONDE_DOMAIN, "LayerNormalizationGrad", 1, 5, 5, 3, SONDE_FAMILY_GRADIENT, layer_rules,
       infer_layer_grad, compute_layer_grad, NULL, sonde_decompose_layer_grad,
       .reach = { sonde_reach_layer_norm_grad, 0 }, .typing = SONDE_TYPING_LEADING (5)),
  { .name = NULL },
};
