/* SPDX-License-Identifier: Apache-2.0
 * Random numbers, a function of (seed, node, step, element): RandomNormal, RandomUniform and their
 * -Like forms, Bernoulli, Multinomial. A seed of the node's own stands in for that of the run.
 * Values agree with no other program's; distributions do. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "data/base/sonde-random.h"

#include <string.h>

/* Where a node draws its numbers. */
typedef struct
{
  guint64 seed, stream;
} Source;

static Source
open_source (const SondeKernelContext *context)
{
  Source source = { context->seed, sonde_random_stream (context->node->name) + context->step };

  if (sonde_node_find_attribute (context->node, "seed") != NULL)
    {
      double own = sonde_node_get_float (context->node, "seed", 0);

      memcpy (&source.seed, &own, sizeof own);
    }
  return source;
}

/* ---- shape rules --------------------------------------------------------- */

/* The attribute's type, which must be a float type (@whole: or int32, int64; @any: or any number,
 * or bool). */
static gboolean
named_dtype (const SondeNode *node, gint64 fallback, gboolean whole, gboolean any,
             SondeDtype *dtype, GError **error)
{
  gint64 number = sonde_node_get_int (node, "dtype", fallback);
  gboolean good = FALSE;

  *dtype = sonde_dtype_from_onnx (number);
  good = whole ? *dtype == SONDE_DTYPE_I32 || *dtype == SONDE_DTYPE_I64
         : any && (sonde_dtype_is_integer (*dtype) || *dtype == SONDE_DTYPE_BOOL)
             ? TRUE
             : sonde_dtype_is_float (*dtype);
  return good
         || sonde_infer_fail (error, "dtype %" PRIi64 " is not one that it can produce", number);
}

static gboolean
infer_shaped (SondeInferContext *context, GError **error)
{
  gsize n = 0;
  const gint64 *sizes = sonde_node_get_ints (context->node, "shape", &n);
  SondeDtype dtype = SONDE_DTYPE_INVALID;

  if (!named_dtype (context->node, 1, FALSE, FALSE, &dtype, error))
    return FALSE;
  if (n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "%zu dimensions are more than %d", n, SONDE_MAX_RANK);
  context->outputs[0] = sonde_infer_type (dtype, (int) n);
  for (gsize d = 0; d < n; d++)
    {
      if (sizes[d] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[d]);
      context->outputs[0].dims[d].size = sizes[d];
    }
  return TRUE;
}

static gboolean
infer_like (SondeInferContext *context, gboolean any, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeDtype dtype = x->dtype;

  if (sonde_node_find_attribute (context->node, "dtype") != NULL
      && !named_dtype (context->node, 1, FALSE, any, &dtype, error))
    return FALSE;
  if (x->kind != SONDE_VALUE_TENSOR || dtype == SONDE_DTYPE_INVALID)
    return TRUE;
  if (!any && !sonde_dtype_is_float (dtype))
    return sonde_infer_fail (error, "it makes no numbers of type %s: give it a dtype",
                             sonde_dtype_name (dtype));
  context->outputs[0] = *x;
  context->outputs[0].dtype = dtype;
  return TRUE;
}

static gboolean
infer_number_like (SondeInferContext *context, GError **error)
{
  return infer_like (context, FALSE, error);
}

static gboolean
infer_bernoulli (SondeInferContext *context, GError **error)
{
  return sonde_infer_need_float (context, 0, error) && infer_like (context, TRUE, error);
}

static gboolean
infer_multinomial (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 samples = sonde_node_get_int (context->node, "sample_size", 1);
  SondeDtype dtype = SONDE_DTYPE_INVALID;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_rank (context, 0, 2, error)
      || !named_dtype (context->node, 6, TRUE, FALSE, &dtype, error))
    return FALSE;
  if (samples < 1)
    return sonde_infer_fail (error, "sample_size is %" PRIi64 ", but must be at least 1", samples);
  if (x->rank == 2 && x->dims[1].size == 0)
    return sonde_infer_fail (error, "there are no classes to choose from");
  context->outputs[0] = sonde_infer_type (dtype, 2);
  if (x->rank == 2)
    context->outputs[0].dims[0] = x->dims[0];
  context->outputs[0].dims[1].size = samples;
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

static gint64
count_elements (const SondeKernelContext *context, gint64 *cost)
{
  *cost = 32;
  return sonde_tensor_n_elements (context->outputs[0]);
}
#define uniform_count count_elements
#define normal_count count_elements
#define bernoulli_count count_elements
#define multinomial_count count_elements

#define BLOCK 256

typedef double (*Draw) (const Source *source, guint64 index);

static double
draw_uniform (const Source *source, guint64 index)
{
  return sonde_random_uniform (source->seed, source->stream, index);
}

static double
draw_normal (const Source *source, guint64 index)
{
  return sonde_random_normal (source->seed, source->stream, index);
}

/* base + factor · number, rounded once. */
static void
fill (const SondeKernelContext *context, Draw draw, double base, double factor, gint64 begin,
      gint64 end)
{
  SondeTensor *y = context->outputs[0];
  Source source = open_source (context);
  double block[BLOCK];

  for (gint64 i = begin; i < end; i += BLOCK)
    {
      gint64 n = MIN (end - i, BLOCK);

      for (gint64 k = 0; k < n; k++)
        block[k] = base + factor * draw (&source, (guint64) (i + k));
      sonde_dtype_convert (SONDE_DTYPE_F64, block, y->dtype,
                           y->data + (gsize) i * sonde_dtype_size (y->dtype), (gsize) n);
    }
}

static void
uniform_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  double low = sonde_node_get_float (context->node, "low", 0),
         high = sonde_node_get_float (context->node, "high", 1);

  fill (context, draw_uniform, low, high - low, begin, end);
}

static void
normal_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  fill (context, draw_normal, sonde_node_get_float (context->node, "mean", 0),
        sonde_node_get_float (context->node, "scale", 1), begin, end);
}

/* One with the probability that the input says. */
static void
bernoulli_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  Source source = open_source (context);

  for (gint64 i = begin; i < end; i++)
    sonde_tensor_set_double (context->outputs[0], i,
                             draw_uniform (&source, (guint64) i)
                                 < sonde_tensor_get_double (context->inputs[0], i));
}

/* Running sums of exp (x − largest x): what a class weighs. Returns: (transfer full) */
static double *
sum_weights (const SondeTensor *x, gint64 row, gint64 classes)
{
  double *sums = g_new (double, classes);
  double largest = -G_MAXDOUBLE, sum = 0;

  for (gint64 c = 0; c < classes; c++)
    largest = MAX (largest, sonde_tensor_get_double (x, row * classes + c));
  for (gint64 c = 0; c < classes; c++)
    {
      double weight = exp (sonde_tensor_get_double (x, row * classes + c) - largest);

      sum += weight == weight ? MIN (weight, 1) : 0;
      sums[c] = sum;
    }
  return sums;
}

/* The first class whose sum is above @target. */
static gint64
find_class (const double *sums, gint64 classes, double target)
{
  gint64 low = 0, high = classes - 1;

  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;

      if (sums[middle] > target)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static void
multinomial_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  gint64 classes = x->shape.dims[1], samples = context->outputs[0]->shape.dims[1];
  Source source = open_source (context);
  g_autofree double *sums = NULL;

  for (gint64 i = begin; i < end; i++)
    {
      if (sums == NULL || i % samples == 0)
        {
          g_free (sums);
          sums = sum_weights (x, i / samples, classes);
        }
      sonde_tensor_set_double (
          context->outputs[0], i,
          (double) find_class (sums, classes,
                               draw_uniform (&source, (guint64) i) * sums[classes - 1]));
    }
}

SONDE_COMPUTE_PARTS (uniform)
SONDE_COMPUTE_PARTS (normal)
SONDE_COMPUTE_PARTS (bernoulli)
SONDE_COMPUTE_PARTS (multinomial)

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule normal_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "mean", SONDE_ATTRIBUTE_FLOAT },
  { "scale", SONDE_ATTRIBUTE_FLOAT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { "shape", SONDE_ATTRIBUTE_INTS, .required = TRUE },
  { NULL },
};
static const SondeAttributeRule normal_like_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "mean", SONDE_ATTRIBUTE_FLOAT },
  { "scale", SONDE_ATTRIBUTE_FLOAT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule uniform_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "high", SONDE_ATTRIBUTE_FLOAT },
  { "low", SONDE_ATTRIBUTE_FLOAT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { "shape", SONDE_ATTRIBUTE_INTS, .required = TRUE },
  { NULL },
};
static const SondeAttributeRule uniform_like_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "high", SONDE_ATTRIBUTE_FLOAT },
  { "low", SONDE_ATTRIBUTE_FLOAT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule bernoulli_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule multinomial_rules[] = {
  { "dtype", SONDE_ATTRIBUTE_INT },
  { "sample_size", SONDE_ATTRIBUTE_INT },
  { "seed", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};

#define ROW(onnx, opset, n, rules, rule, base, ignored, ...)                                       \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = n, .max_inputs = n,                  \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_RANDOM, .family = SONDE_FAMILY_DATA,     \
    .attributes = rules, .infer = rule, .compute = compute_##base, .shape_only = ignored,          \
    .gradient = sonde_rule_flat, .count_parts = count_elements, .compute_part = base##_part,       \
    __VA_ARGS__                                                                                    \
  }

const SondeOpClass sonde_ops_random[] = {
  ROW ("Bernoulli", 15, 1, bernoulli_rules, infer_bernoulli, bernoulli, 0,
       .reach = { sonde_reach_same, 0x1 }, .typing = SONDE_TYPING_OWN),
  ROW ("Multinomial", 7, 1, multinomial_rules, infer_multinomial, multinomial, 0,
       .reach = { sonde_reach_leading, 1 }, .typing = SONDE_TYPING_OWN),
  ROW ("RandomNormal", 1, 0, normal_rules, infer_shaped, normal, 0,
       .reach = { sonde_reach_nothing, 0 }, .typing = SONDE_TYPING_OWN,
       .traits = SONDE_TRAIT_STRICT),
  ROW ("RandomNormalLike", 1, 1, normal_like_rules, infer_number_like, normal, 1 << 0,
       .reach = { sonde_reach_nothing, 0 }, .typing = SONDE_TYPING_OWN,
       .traits = SONDE_TRAIT_STRICT),
  ROW ("RandomUniform", 1, 0, uniform_rules, infer_shaped, uniform, 0,
       .reach = { sonde_reach_nothing, 0 }, .typing = SONDE_TYPING_OWN,
       .traits = SONDE_TRAIT_STRICT),
  ROW ("RandomUniformLike", 1, 1, uniform_like_rules, infer_number_like, uniform, 1 << 0,
       .reach = { sonde_reach_nothing, 0 }, .typing = SONDE_TYPING_OWN,
       .traits = SONDE_TRAIT_STRICT),
  { .name = NULL },
};
