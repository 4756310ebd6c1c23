/* SPDX-License-Identifier: Apache-2.0
 * Normalisation of each sample by itself: InstanceNormalization and GroupNormalization (opset 21; a
 * scale a group, as in 18, is taken too). Statistics are float64. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>

/* @channels: of one group; @inner: elements of one channel */
typedef struct
{
  gint64 batch, groups, channels, inner;
  double epsilon;
} GroupSizes;

/* ---- loops --------------------------------------------------------------- */

static double
mean_of (const double *x, gint64 n)
{
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += x[i];
  return n > 0 ? sum / (double) n : 0;
}

/* x becomes x − mean. Returns: the biased variance */
static double
centre (double *x, gint64 n, double mean)
{
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      x[i] -= mean;
      sum += x[i] * x[i];
    }
  return n > 0 ? sum / (double) n : 0;
}

/* y = scale·(x − mean) / sqrt (var + ε) + bias over one group of one sample. */
static void
normalise_group (const GroupSizes *sizes, double *x, const SondeTensor *scale,
                 const SondeTensor *bias, gint64 group)
{
  gint64 n = sizes->channels * sizes->inner;
  gboolean a_group = sonde_tensor_n_elements (scale) == sizes->groups;
  double inverse = 1 / sqrt (centre (x, n, mean_of (x, n)) + sizes->epsilon);

  for (gint64 c = 0; c < sizes->channels; c++)
    {
      gint64 which = a_group ? group : group * sizes->channels + c;
      double factor = inverse * sonde_tensor_get_double (scale, which);
      double shift = sonde_tensor_get_double (bias, which);
      double *row = x + c * sizes->inner;

      for (gint64 i = 0; i < sizes->inner; i++)
        row[i] = row[i] * factor + shift;
    }
}

/* Groups of channels: each channel is one in InstanceNormalization. */
static gint64
groups_of (const SondeKernelContext *context)
{
  gint64 groups = sonde_node_get_int (context->node, "num_groups", 0);

  return groups > 0 ? groups : context->inputs[0]->shape.dims[1];
}

/* An item is one group of one sample. */
static void
compute_groups (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  gint64 groups = groups_of (context);
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  GroupSizes sizes = { x->shape.dims[0], groups, groups > 0 ? x->shape.dims[1] / groups : 0,
                       sonde_shape_product (&x->shape, 2, x->shape.rank),
                       sonde_node_get_float (context->node, "epsilon", 1e-5) };
  gint64 n = sizes.channels * sizes.inner;
  gsize size = sonde_dtype_size (x->dtype);
  g_autofree double *row = g_new (double, n + 1);

  for (gint64 i = begin; i < end; i++)
    {
      sonde_dtype_convert (x->dtype, x->data + (gsize) (i * n) * size, SONDE_DTYPE_F64, row,
                           (gsize) n);
      normalise_group (&sizes, row, context->inputs[1], context->inputs[2], i % groups);
      sonde_dtype_convert (SONDE_DTYPE_F64, row, y->dtype, y->data + (gsize) (i * n) * size,
                           (gsize) n);
    }
}

static gint64
count_groups (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *x = &context->inputs[0]->shape;
  gint64 items = x->dims[0] * groups_of (context);

  *cost = items > 0 ? 6 * sonde_shape_product (x, 0, x->rank) / items : 0;
  return items;
}

static void
compute_all (const SondeKernelContext *context)
{
  gint64 cost;

  compute_groups (context, 0, count_groups (context, &cost));
}

/* ---- shapes -------------------------------------------------------------- */

static gboolean
check_channels (const SondeInferContext *context, gint64 groups, GError **error)
{
  gint64 channels = context->inputs[0].dims[1].size;

  for (guint k = 1; k < 3; k++)
    {
      const SondeType *type = &context->inputs[k];

      if (!sonde_infer_need_rank (context, k, 1, error))
        return FALSE;
      if (type->rank == 1 && type->dims[0].size >= 0 && channels >= 0
          && type->dims[0].size != channels && type->dims[0].size != groups)
        return sonde_infer_fail (error, "input %u has %" PRIi64 " entries for %" PRIi64 " channels",
                                 k, type->dims[0].size, channels);
    }
  if (context->inputs[1].rank == 1 && context->inputs[2].rank == 1
      && context->inputs[1].dims[0].size >= 0 && context->inputs[2].dims[0].size >= 0
      && context->inputs[1].dims[0].size != context->inputs[2].dims[0].size)
    return sonde_infer_fail (error, "scale and bias have %" PRIi64 " and %" PRIi64 " entries",
                             context->inputs[1].dims[0].size, context->inputs[2].dims[0].size);
  return TRUE;
}

static gboolean
infer_sample (SondeInferContext *context, gint64 groups, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 2)
    return sonde_infer_fail (error, "the input must be [N, C, …], but has %d dimensions", x->rank);
  if (groups > 0 && x->dims[1].size >= 0 && x->dims[1].size % groups != 0)
    return sonde_infer_fail (error, "%" PRIi64 " channels cannot be split into %" PRIi64 " groups",
                             x->dims[1].size, groups);
  context->outputs[0] = *x;
  return check_channels (context, groups, error);
}

static gboolean
infer_instance (SondeInferContext *context, GError **error)
{
  return infer_sample (context, -1, error);
}

static gboolean
infer_group (SondeInferContext *context, GError **error)
{
  gint64 groups = sonde_node_get_int (context->node, "num_groups", 0);

  if (groups < 1)
    return sonde_infer_fail (error, "num_groups must be at least 1, but is %" PRIi64, groups);
  return infer_sample (context, groups, error);
}

static void
cost_sample (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? 6.0 * (double) n : 0;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule instance_rules[]
    = { { "epsilon", SONDE_ATTRIBUTE_FLOAT }, { NULL } };
static const SondeAttributeRule group_rules[] = {
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "num_groups", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { "stash_type", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(onnx, opset, rules, rule, decomposition, ...)                                          \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 3, .max_inputs = 3,                  \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_NORMALISATION, .attributes = rules, \
    .infer = rule, .compute = compute_all, .decompose = decomposition, .cost = cost_sample,        \
    .count_parts = count_groups, .compute_part = compute_groups, __VA_ARGS__                       \
  }

const SondeOpClass sonde_ops_instance_group_normalisation[] = {
  ROW ("GroupNormalization", 21, group_rules, infer_group, sonde_decompose_group,
       .reach = { sonde_reach_group_norm, 0 }, .typing = SONDE_TYPING_UNIFORM,
       .id = SONDE_OP_ID_GROUP_NORMALIZATION),
  ROW ("InstanceNormalization", 6, instance_rules, infer_instance, sonde_decompose_instance,
       .reach = { sonde_reach_channel_norm, 0 }, .typing = SONDE_TYPING_UNIFORM),
  { .name = NULL },
};
