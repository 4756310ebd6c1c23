/* SPDX-License-Identifier: Apache-2.0
 * Joining along an axis and its inverse: Concat, Split, and the gradient of Concat. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "data/base/sonde-checked.h"

#include <string.h>

/* ---- Concat -------------------------------------------------------------- */

static gboolean
concat_axis (const SondeNode *node, int rank, int *axis, GError **error)
{
  return sonde_infer_axis (sonde_node_get_int (node, "axis", 1), rank, axis, error);
}

/* Sizes of the other dimensions agree; those along the axis add up. */
static gboolean
append_type (SondeType *whole, const SondeType *part, guint k, int axis, GError **error)
{
  gint64 sum = -1;

  if (part->rank != whole->rank)
    return sonde_infer_fail (error, "input %u has %d dimensions, but input 0 has %d", k, part->rank,
                             whole->rank);
  for (int d = 0; d < whole->rank; d++)
    {
      if (d == axis)
        continue;
      if (!sonde_dimension_unify (&whole->dims[d], &part->dims[d], &whole->dims[d]))
        return sonde_infer_fail (
            error, "input %u has size %" PRIi64 " in dimension %d, where input 0 has %" PRIi64, k,
            part->dims[d].size, d, whole->dims[d].size);
    }
  if (whole->dims[axis].size >= 0 && part->dims[axis].size >= 0
      && !sonde_checked_add (&sum, whole->dims[axis].size, part->dims[axis].size))
    return sonde_infer_fail (error, "the result would be too big");
  whole->dims[axis] = sonde_dimension (sum);
  return TRUE;
}

static gboolean
infer_concat (SondeInferContext *context, GError **error)
{
  SondeType whole = context->inputs[0];
  int axis = 0;

  if (!sonde_infer_need_same (context, 0, context->n_inputs - 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  if (!concat_axis (context->node, whole.rank, &axis, error))
    return FALSE;
  for (guint k = 1; k < context->n_inputs; k++)
    if (!append_type (&whole, &context->inputs[k], k, axis, error))
      return FALSE;
  context->outputs[0] = whole;
  return TRUE;
}

static void
compute_concat (const SondeKernelContext *context)
{
  SondeTensor *whole = context->outputs[0];
  gsize size = sonde_dtype_size (whole->dtype);
  gsize offset = 0;
  gsize stride = 0;
  gint64 outer = 0;
  int axis = 0;

  (void) concat_axis (context->node, whole->shape.rank, &axis, NULL);
  outer = sonde_shape_product (&whole->shape, 0, axis);
  stride = (gsize) sonde_shape_product (&whole->shape, axis, whole->shape.rank) * size;
  for (guint k = 0; k < context->n_inputs; k++)
    {
      SondeTensor *part = context->inputs[k];
      gsize bytes = (gsize) sonde_shape_product (&part->shape, axis, whole->shape.rank) * size;

      for (gint64 o = 0; o < outer && bytes > 0; o++)
        memcpy (whole->data + (gsize) o * stride + offset, part->data + (gsize) o * bytes, bytes);
      offset += bytes;
    }
  sonde_kernel_own_strings (whole);
}

static gboolean
gradient_concat (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, n + 1);
  SondeNode *node = NULL;

  inputs[0] = sonde_rule_dy (context);
  for (guint k = 0; k < n; k++)
    inputs[k + 1] = sonde_rule_x (context, k);
  node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "ConcatGrad", inputs, n + 1, n);
  sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  for (guint k = 0; k < n; k++)
    if (context->wanted[k])
      context->input_gradients[k] = sonde_node_get_output (node, k);
  return TRUE;
}

static gboolean
infer_concat_grad (SondeInferContext *context, GError **error)
{
  SondeType whole = context->inputs[1];
  int axis = 0;

  if (context->n_outputs + 1 > context->n_inputs)
    return sonde_infer_fail (error, "has more outputs than parts");
  for (guint k = 1; k < context->n_inputs; k++)
    if (sonde_infer_input (context, k) == NULL)
      return sonde_infer_fail (error, "part %u is missing", k - 1);
  if (!sonde_infer_need_same (context, 0, context->n_inputs - 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  if (!concat_axis (context->node, whole.rank, &axis, error))
    return FALSE;
  for (guint k = 2; k < context->n_inputs; k++)
    if (!append_type (&whole, &context->inputs[k], k, axis, error))
      return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[k + 1];
  return sonde_infer_need_shape (&context->inputs[0], &whole, N_ ("the gradient"), error);
}

/* Parts that nobody wants still take their room: sizes come from the inputs. */
static void
compute_concat_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  gsize size = sonde_dtype_size (dy->dtype);
  gsize offset = 0;
  int axis = 0;

  (void) concat_axis (context->node, dy->shape.rank, &axis, NULL);
  for (guint k = 0; k + 1 < context->n_inputs; k++)
    {
      SondeTensor *part = sonde_kernel_output (context, k);
      gint64 outer = sonde_shape_product (&dy->shape, 0, axis);
      gsize stride = (gsize) sonde_shape_product (&dy->shape, axis, dy->shape.rank) * size;
      gsize bytes
          = (gsize) sonde_shape_product (&context->inputs[k + 1]->shape, axis, dy->shape.rank)
            * size;

      for (gint64 o = 0; o < outer && part != NULL; o++)
        memcpy (part->data + (gsize) o * bytes, dy->data + (gsize) o * stride + offset, bytes);
      if (part != NULL)
        sonde_kernel_own_strings (part);
      offset += bytes;
    }
}

/* ---- Split --------------------------------------------------------------- */

/* Size of output @k along the axis, when the sizes are not listed: equal chunks, the last one
 * smaller. */
static gint64
equal_chunk (gint64 total, gint64 n, guint k)
{
  gint64 chunk = total / n + (total % n != 0);

  return CLAMP (total - (gint64) k * chunk, 0, chunk);
}

static gboolean
infer_split (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 1, &n);
  gint64 parts = sonde_node_get_int (context->node, "num_outputs", context->n_outputs);
  gboolean listed = sonde_infer_input (context, 1) != NULL;
  gint64 sum = 0;
  int axis = 0;

  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error))
    return FALSE;
  if (parts < 1 || (sizes != NULL && n < context->n_outputs)
      || (!listed && parts < context->n_outputs))
    return sonde_infer_fail (error, "splits into fewer parts than it has outputs");
  for (guint k = 0; k < context->n_outputs; k++)
    {
      gint64 total = x->dims[axis].size;

      context->outputs[k] = *x;
      context->outputs[k].dims[axis]
          = sonde_dimension (sizes                 ? sizes[k]
                             : listed || total < 0 ? -1
                                                   : equal_chunk (total, parts, k));
    }
  for (gsize k = 0; k < n; k++)
    if (sizes[k] < 0 || !sonde_checked_add (&sum, sum, sizes[k]))
      return sonde_infer_fail (error, "part %zu has an impossible size", k);
  if (sizes != NULL && x->dims[axis].size >= 0 && sum != x->dims[axis].size)
    return sonde_infer_fail (
        error, "parts of %" PRIi64 " in all do not make up size %" PRIi64 " of dimension %d", sum,
        x->dims[axis].size, axis);
  return TRUE;
}

static void
compute_split (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_kernel_ints (context, 1, &n);
  gsize size = sonde_dtype_size (x->dtype);
  gsize offset = 0;
  int axis = 0;
  gint64 outer, inner, parts;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->shape.rank, &axis,
                           NULL);
  outer = sonde_shape_product (&x->shape, 0, axis);
  inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  parts = sonde_node_get_int (context->node, "num_outputs", context->n_outputs);
  for (guint k = 0; k < context->n_outputs; k++)
    {
      SondeTensor *part = context->outputs[k];
      gint64 length = sizes ? sizes[k] : equal_chunk (x->shape.dims[axis], parts, k);
      gsize bytes = (gsize) (length * inner) * size;
      gsize stride = (gsize) (x->shape.dims[axis] * inner) * size;

      for (gint64 o = 0; o < outer && part != NULL && bytes > 0; o++)
        memcpy (part->data + (gsize) o * bytes, x->data + (gsize) o * stride + offset, bytes);
      if (part != NULL)
        sonde_kernel_own_strings (part);
      offset += bytes;
    }
}

static gboolean
gradient_split (SondeGradientContext *context, GError **error)
{
  guint n = context->node->outputs->len;
  g_autofree SondeGraphValue **parts = g_new0 (SondeGraphValue *, n);
  SondeGraphValue *dx = NULL;

  for (guint k = 0; k < n; k++)
    {
      (void) sonde_rule_ensure_y (context, k);
      parts[k] = sonde_rule_dy_or_zeros (context, k);
    }
  dx = sonde_build_op (context->graph, NULL, "", "Concat", n, parts);
  sonde_node_set_int (dx->producer, "axis", sonde_node_get_int (context->node, "axis", 0));
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule concat_rule[]
    = { { "axis", SONDE_ATTRIBUTE_INT, .required = TRUE }, { NULL } };
static const SondeAttributeRule split_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "num_outputs", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT },
  { NULL },
};

const SondeOpClass sonde_ops_concat_split[] = {
  {
      .domain = "",
      .name = "Concat",
      .since = 4,
      .min_inputs = 1,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = concat_rule,
      .infer = infer_concat,
      .compute = compute_concat,
      .gradient = gradient_concat,
      .reach = { sonde_reach_moved, 0xffffffff },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_AUTOCAST_ALL,
      .changes_nothing = sonde_identity_of_one_input,
      .attribution = SONDE_ATTRIBUTION_MOVE,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "ConcatGrad",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = -1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = axis_rule,
      .infer = infer_concat_grad,
      .compute = compute_concat_grad,
      .gradient = sonde_gradient_concat_grad,
      .shape_only = ~1u,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_LEADING (SONDE_TYPING_ALL),
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "Split",
      .since = 18,
      .min_inputs = 1,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = -1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = split_rules,
      .infer = infer_split,
      .compute = compute_split,
      .gradient = gradient_split,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
