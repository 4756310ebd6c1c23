/* SPDX-License-Identifier: Apache-2.0
 * Resize. Numbers are resampled one dimension after the other, in float32 for float32 (and half
 * precision), else in float64: integers are rounded once at the end and saturate. Nearest moves
 * elements of any type. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/image/sonde-resample.h"

#include <math.h>
#include <string.h>

#define T float
#define S f32
#define WEIGHT weight_f32
#define CLONES
#include "engine/ops/image/sonde-resample-template.h"
#define T double
#define S f64
#define WEIGHT weight
#define CLONES
#include "engine/ops/image/sonde-resample-template.h"

/* ---- shape rule ---------------------------------------------------------- */

/* Input @k is not named, or is a tensor without elements. */
static gboolean
is_absent (const SondeInferContext *context, guint k)
{
  const SondeType *type = sonde_infer_input (context, k);

  return type == NULL || (type->rank == 1 && type->dims[0].size == 0);
}

static const SondeTensor *
known_tensor (const SondeInferContext *context, guint k)
{
  return is_absent (context, k) ? NULL : context->known[k];
}

/* Sizes that are not known before the run: dimensions that axes does not name stay all the same. */
static void
infer_unknown (SondeInferContext *context)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (context->node, "axes", &n);

  context->outputs[0] = axes ? *x : sonde_infer_type (x->dtype, x->rank);
  for (gsize i = 0; i < n; i++)
    if (axes[i] >= -x->rank && axes[i] < x->rank)
      context->outputs[0].dims[axes[i] < 0 ? axes[i] + x->rank : axes[i]] = sonde_dimension (-1);
}

static gboolean
is_float_list (const SondeInferContext *context, guint k, const char *what, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL || (type->kind != SONDE_VALUE_TENSOR && type->kind != SONDE_VALUE_NONE)
      || (type->rank >= 0 && type->rank != 1))
    return type == NULL || sonde_infer_fail (error, "%s must be a list of numbers", what);
  return sonde_infer_need_float (context, k, error);
}

static gboolean
is_impossible (const SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const char *mode = sonde_node_get_string (context->node, "mode", "nearest");

  if (strcmp (mode, "nearest") != 0 && x->dtype == SONDE_DTYPE_STRING)
    return !sonde_infer_fail (error, "text cannot be interpolated, only mode nearest works");
  return !is_float_list (context, 1, "roi", error) || !is_float_list (context, 2, "scales", error)
         || !sonde_infer_need_integer (context, 3, error);
}

static gboolean
infer_resize (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  SondeResampleSizes sizes;
  gboolean by_sizes = !is_absent (context, 3);

  if (is_impossible (context, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if ((by_sizes && known_tensor (context, 3) == NULL)
      || (!is_absent (context, 2) && known_tensor (context, 2) == NULL))
    {
      infer_unknown (context);
      return TRUE;
    }
  if (!sonde_resample_read (context->node, x, known_tensor (context, 1), known_tensor (context, 2),
                            known_tensor (context, 3), &sizes, error))
    return FALSE;
  context->outputs[0] = *x;
  for (int d = 0; d < x->rank; d++)
    if (sizes.out[d] != x->dims[d].size || (sizes.out[d] < 0 && sizes.scale[d] != 1))
      context->outputs[0].dims[d] = sonde_dimension (sizes.out[d]);
  return TRUE;
}

/* ---- kernel -------------------------------------------------------------- */

#define RESAMPLE(suffix, T)                                                                        \
  /* Between @memory's two halves, from @from at first and to @to at last. */                      \
  static void resample_##suffix (const SondeResample *resample, const T *from, T *to, T *memory)   \
  {                                                                                                \
    T *scratch[] = { memory, memory + resample->largest };                                         \
    const T extrapolation = (T) resample->extrapolation;                                           \
    for (int i = 0; i < resample->n_passes; i++)                                                   \
      {                                                                                            \
        const SondeResamplePass *pass = &resample->passes[i];                                      \
        T *y = i == resample->n_passes - 1 ? to : scratch[i % 2];                                  \
        if (pass->inner == 1)                                                                      \
          resample_columns_##suffix (pass, extrapolation, from, y, 0, pass->outer);                \
        else                                                                                       \
          resample_rows_##suffix (pass, extrapolation, from, y, 0, pass->outer * pass->out);       \
        from = y;                                                                                  \
      }                                                                                            \
  }
RESAMPLE (f32, float)
RESAMPLE (f64, double)

static void
resample_floats (const SondeResample *resample, const SondeTensor *x, SondeTensor *y)
{
  g_autofree guint8 *memory
      = g_malloc (2 * (gsize) resample->largest * sonde_dtype_size (x->dtype));

  SONDE_FLOAT_CALL (x->dtype, resample, resample, (const void *) x->data, (void *) y->data,
                    (void *) memory);
}

static void
resample_integers (const SondeResample *resample, const SondeTensor *x, SondeTensor *y)
{
  g_autofree double *memory = g_new (double, 2 * resample->largest);
  g_autofree double *from = g_new (double, sonde_tensor_n_elements (x));
  gint64 n = sonde_tensor_n_elements (y);
  g_autofree double *to = g_new (double, n);

  sonde_dtype_convert (x->dtype, x->data, SONDE_DTYPE_F64, from,
                       (gsize) sonde_tensor_n_elements (x));
  resample_f64 (resample, from, to, memory);
  for (gint64 i = 0; i < n; i++)
    to[i] = rint (to[i]);
  sonde_dtype_convert (SONDE_DTYPE_F64, to, y->dtype, y->data, (gsize) n);
}

static void
move_elements (const SondeResample *resample, const SondeTensor *x, SondeTensor *y)
{
  const char *text = "";
  guint64 fill = 0;

  if (x->dtype != SONDE_DTYPE_STRING)
    sonde_dtype_convert (SONDE_DTYPE_F64, &resample->extrapolation, x->dtype, &fill, 1);
  sonde_resample_move_rows (resample, sonde_dtype_size (x->dtype),
                            x->dtype == SONDE_DTYPE_STRING ? (const void *) &text : &fill, x->data,
                            y->data, 0, sonde_resample_n_rows (resample));
  sonde_kernel_own_strings (y);
}

static void
compute_resize (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  SondeType type = sonde_type_tensor (x->dtype, &x->shape);
  SondeResampleSizes sizes;
  g_auto (SondeResample) resample = { .n_passes = 0 };

  if (sonde_tensor_n_elements (x) == 0 || sonde_tensor_n_elements (y) == 0
      || !sonde_resample_read (context->node, &type, sonde_kernel_input (context, 1),
                               sonde_kernel_input (context, 2), sonde_kernel_input (context, 3),
                               &sizes, NULL))
    return;
  sonde_resample_init (&resample, context->node, &x->shape, &y->shape, &sizes);
  if (resample.n_passes == 0)
    sonde_kernel_copy (x, y);
  else if (resample.nearest)
    move_elements (&resample, x, y);
  else if (sonde_dtype_is_float (x->dtype))
    resample_floats (&resample, x, y);
  else
    resample_integers (&resample, x, y);
}

/* ---- gradient ------------------------------------------------------------ */

/* (dy, like x, roi?, scales?, sizes?) → dx; what the lists say has been looked at in the forward
 * node. */
static gboolean
infer_resize_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dy = &context->inputs[0], *x = &context->inputs[1];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !is_float_list (context, 2, "roi", error) || !is_float_list (context, 3, "scales", error)
      || !sonde_infer_need_integer (context, 4, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (dy->rank != x->rank)
    return sonde_infer_fail (error, "the gradient has %d dimensions, but the input has %d",
                             dy->rank, x->rank);
  context->outputs[0] = *x;
  return TRUE;
}

#define RETURN(suffix, T)                                                                          \
  /* Every tap gets its share of what it helped to make: @x += weights · @y. */                   \
  static void return_pass_##suffix (const SondeResamplePass *pass, const T *y, T *x)               \
  {                                                                                                \
    memset (x, 0, (gsize) (pass->outer * pass->in * pass->inner) * sizeof (T));                    \
    for (gint64 row = 0; row < pass->outer * pass->out; row++)                                     \
      {                                                                                            \
        const gint64 j = row % pass->out;                                                          \
        const T *from = y + row * pass->inner;                                                     \
        for (int t = 0; t < pass->taps && (pass->outside == NULL || !pass->outside[j]); t++)       \
          {                                                                                        \
            const T weight = pass->weight ? (T) pass->weight[t * pass->out + j] : 1;               \
            T *restrict to                                                                         \
                = x + (row / pass->out * pass->in + pass->at[t * pass->out + j]) * pass->inner;    \
            for (gint64 k = 0; k < pass->inner; k++)                                               \
              to[k] += weight * from[k];                                                           \
          }                                                                                        \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void return_all_##suffix (const SondeResample *resample, const T *from, T *to, T *memory) \
  {                                                                                                \
    T *scratch[] = { memory, memory + resample->largest };                                         \
    for (int i = resample->n_passes; i-- > 0;)                                                     \
      {                                                                                            \
        T *x = i == 0 ? to : scratch[i % 2];                                                       \
        return_pass_##suffix (&resample->passes[i], from, x);                                      \
        from = x;                                                                                  \
      }                                                                                            \
  }
RETURN (f32, float)
RETURN (f64, double)

static void
compute_resize_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0], *dx = context->outputs[0];
  SondeType type = sonde_type_tensor (dx->dtype, &dx->shape);
  g_autofree guint8 *memory = NULL;
  SondeResampleSizes sizes;
  g_auto (SondeResample) resample = { .n_passes = 0 };

  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  if (sonde_tensor_n_elements (dx) == 0 || sonde_tensor_n_elements (dy) == 0
      || !sonde_resample_read (context->node, &type, sonde_kernel_input (context, 2),
                               sonde_kernel_input (context, 3), sonde_kernel_input (context, 4),
                               &sizes, NULL))
    return;
  sonde_resample_init (&resample, context->node, &dx->shape, &dy->shape, &sizes);
  if (resample.n_passes == 0)
    {
      sonde_kernel_copy (dy, dx);
      return;
    }
  memory = g_malloc (2 * (gsize) resample.largest * sonde_dtype_size (dx->dtype));
  SONDE_FLOAT_CALL (dx->dtype, return_all, &resample, (const void *) dy->data, (void *) dx->data,
                    (void *) memory);
}

/* @first: which input of the node @roi, scales and sizes begin at. */
static SondeGraphValue *
build_like_this (SondeGradientContext *context, const char *domain, const char *op,
                 SondeGraphValue *like, /* (nullable) */
                 guint first)
{
  SondeGraphValue *inputs[5] = { sonde_rule_dy (context), like };
  guint at = like != NULL ? 2 : 1, n = at;
  SondeGraphValue *result = NULL;

  for (guint k = 0; k < 3; k++)
    if (sonde_rule_x (context, first + k) != NULL)
      {
        inputs[at + k] = sonde_rule_x (context, first + k);
        n = at + k + 1;
      }
  result = sonde_build_op (context->graph, NULL, domain, op, n, inputs);
  sonde_rule_copy_attributes (result->producer, context->node);
  return sonde_rule_infer (context, result);
}

static gboolean
gradient_resize (SondeGradientContext *context, GError **error)
{
  if (context->wanted[0])
    context->input_gradients[0]
        = build_like_this (context, SONDE_DOMAIN, "ResizeGrad", sonde_rule_x (context, 0), 1);
  return TRUE;
}

/* Linear but for the value outside, which nothing moves. */
static gboolean
gradient_resize_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *y = NULL;

  if (!context->wanted[0])
    return TRUE;
  y = build_like_this (context, "", "Resize", NULL, 2);
  (void) sonde_node_remove_attribute (y->producer, "extrapolation_value");
  context->input_gradients[0] = y;
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const modes[] = { "nearest", "linear", "cubic", NULL };
/* "simple" is ours, for version 10. */
static const char *const nearest_modes[]
    = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple", NULL };
static const char *const transforms[] = {
  "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize", NULL,
};
static const char *const policies[] = { "stretch", "not_larger", "not_smaller", NULL };
static const SondeAttributeRule resize_rules[] = {
  { "antialias", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = 1 },
  { "axes", SONDE_ATTRIBUTE_INTS },
  { "coordinate_transformation_mode", SONDE_ATTRIBUTE_STRING, .choices = transforms },
  { "cubic_coeff_a", SONDE_ATTRIBUTE_FLOAT },
  { "exclude_outside", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = 1 },
  { "extrapolation_value", SONDE_ATTRIBUTE_FLOAT },
  { "keep_aspect_ratio_policy", SONDE_ATTRIBUTE_STRING, .choices = policies },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = modes },
  { "nearest_mode", SONDE_ATTRIBUTE_STRING, .choices = nearest_modes },
  { NULL },
};

/* ---- dependency ---------------------------------------------------------- */

/* Around the place that the element comes from: wide enough for cubic and antialias, in every way
 * to count coordinates. */
static gboolean
reach_resize (SondeReachContext *context)
{
  const SondeTensor *x = sonde_reach_input (context, 0);
  SondeReach reach;

  if (x == NULL || x->shape.rank != context->shape->rank
      || g_str_equal (sonde_node_get_string (context->node, "coordinate_transformation_mode", ""),
                      "tf_crop_and_resize"))
    return FALSE;
  reach = sonde_reach_whole (x, 0);
  for (int d = 0; d < reach.rank; d++)
    {
      const double ratio = (double) reach.count[d] / (double) MAX (context->shape->dims[d], 1);
      const double centre = ((double) context->index[d] + 0.5) * ratio,
                   margin = 4 + 4 * fmax (ratio, 1);

      if (reach.count[d] == context->shape->dims[d])
        sonde_reach_at (&reach, d, context->index[d]);
      else
        sonde_reach_range (&reach, d, (gint64) floor (centre - margin),
                           (gint64) ceil (centre + margin));
    }
  sonde_reach_add (context, &reach);
  return TRUE;
}

const SondeOpClass sonde_ops_resize[] = {
  {
      .domain = "",
      .name = "Resize",
      .since = 11,
      .min_inputs = 1,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = resize_rules,
      .infer = infer_resize,
      .compute = compute_resize,
      .gradient = gradient_resize,
      .reach = { reach_resize, 0x1 },
      .typing = SONDE_TYPING_LEADING (1),
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "ResizeGrad",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 5,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = resize_rules,
      .infer = infer_resize_grad,
      .compute = compute_resize_grad,
      .gradient = gradient_resize_grad,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { NULL },
};
