/* SPDX-License-Identifier: Apache-2.0
 * Operators that move or repeat all elements: Transpose, Expand, Tile. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include "data/base/sonde-checked.h"

#include <string.h>

/* ---- Transpose ----------------------------------------------------------- */

static gboolean
read_permutation (const SondeNode *node, int rank, int *permutation, GError **error)
{
  gsize n = 0;
  const gint64 *perm = sonde_node_get_ints (node, "perm", &n);
  gboolean seen[SONDE_MAX_RANK] = { FALSE };

  for (int d = 0; d < rank && perm == NULL; d++)
    permutation[d] = rank - 1 - d;
  if (perm == NULL)
    return TRUE;
  if (n != (gsize) rank)
    return sonde_infer_fail (error, "perm has %zu entries, but the input has %d dimensions", n,
                             rank);
  for (int d = 0; d < rank; d++)
    {
      if (perm[d] < 0 || perm[d] >= rank || seen[perm[d]])
        return sonde_infer_fail (error, "perm is not a permutation of 0 to %d", rank - 1);
      seen[perm[d]] = TRUE;
      permutation[d] = (int) perm[d];
    }
  return TRUE;
}

static gboolean
infer_transpose (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  int permutation[SONDE_MAX_RANK];

  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!read_permutation (context->node, x->rank, permutation, error))
    return FALSE;
  context->outputs[0] = *x;
  for (int d = 0; d < x->rank; d++)
    context->outputs[0].dims[d] = x->dims[permutation[d]];
  return TRUE;
}

static void
compute_transpose (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  int permutation[SONDE_MAX_RANK];
  gint64 own[SONDE_MAX_RANK], from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];

  (void) read_permutation (context->node, x->shape.rank, permutation, NULL);
  sonde_strided_row_major (&x->shape, own);
  sonde_strided_row_major (&y->shape, to);
  for (int d = 0; d < x->shape.rank; d++)
    from[d] = own[permutation[d]];
  sonde_strided_copy (&y->shape, sonde_dtype_size (x->dtype), x->data, from, y->data, to);
  sonde_kernel_own_strings (y);
}

static gboolean
gradient_transpose (SondeGradientContext *context, GError **error)
{
  gsize n = 0;
  gboolean given = sonde_node_get_ints (context->node, "perm", &n) != NULL;
  int permutation[SONDE_MAX_RANK];
  gint64 inverse[SONDE_MAX_RANK];
  SondeGraphValue *dx = sonde_rule_unary (context, "Transpose", sonde_rule_dy (context));

  if (n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "perm of node “%s” has %zu entries", context->node->name, n);
  if (!read_permutation (context->node, (int) n, permutation, error))
    return FALSE;
  for (gsize d = 0; d < n; d++)
    inverse[permutation[d]] = (gint64) d;
  if (given)
    sonde_node_set_ints (dx->producer, "perm", inverse, n);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* ---- Expand, Tile -------------------------------------------------------- */

static gboolean
infer_expand (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *shape = &context->inputs[1];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 1, &n);
  gint64 length = sizes ? (gint64) n : shape->rank == 1 ? shape->dims[0].size : -1;
  SondeType target;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1) || length < 0)
    return TRUE;
  if (length > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "%" PRIi64 " dimensions are more than %d", length,
                             SONDE_MAX_RANK);
  target = sonde_infer_type (x->dtype, (int) length);
  for (gsize d = 0; d < n; d++)
    {
      if (sizes[d] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[d]);
      target.dims[d].size = sizes[d];
    }
  return sonde_infer_broadcast (x, &target, &context->outputs[0], error);
}

static void
compute_expand (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];

  sonde_strided_broadcast (&x->shape, &y->shape, from);
  sonde_strided_row_major (&y->shape, to);
  sonde_strided_copy (&y->shape, sonde_dtype_size (x->dtype), x->data, from, y->data, to);
  sonde_kernel_own_strings (y);
}

static gboolean
gradient_expand (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = sonde_rule_unbroadcast (context, sonde_rule_dy (context), sonde_rule_x (context, 0));
  return TRUE;
}

static gboolean
infer_tile (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *repeats = sonde_infer_known_ints (context, 1, &n);

  if (!sonde_infer_ready (context, 1))
    return TRUE;
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  if (repeats == NULL)
    return TRUE;
  if (n != (gsize) x->rank)
    return sonde_infer_fail (error, "%zu repeats for %d dimensions", n, x->rank);
  for (int d = 0; d < x->rank; d++)
    {
      gint64 size = x->dims[d].size;

      if (repeats[d] < 0 || (size >= 0 && !sonde_checked_mul (&size, size, repeats[d])))
        return sonde_infer_fail (error, "repeat %" PRIi64 " of dimension %d is impossible",
                                 repeats[d], d);
      context->outputs[0].dims[d] = repeats[d] == 1 ? x->dims[d] : sonde_dimension (size);
    }
  return TRUE;
}

/* Each dimension becomes two, [repeat, size], the first of which is read with stride 0. */
static void
compute_tile (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gsize size = sonde_dtype_size (x->dtype);
  gint64 own[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  gint64 index[SONDE_MAX_RANK] = { 0 };
  gint64 n = sonde_tensor_n_elements (y);
  int last = x->shape.rank - 1;
  gint64 row = last >= 0 ? y->shape.dims[last] : 1;

  sonde_strided_row_major (&x->shape, own);
  sonde_strided_row_major (&y->shape, to);
  for (gint64 done = 0; done < n; done += row)
    {
      gint64 offset = 0;
      gint64 part = last >= 0 ? x->shape.dims[last] : 1;

      for (int d = 0; d < last; d++)
        offset += index[d] % x->shape.dims[d] * own[d];
      for (gint64 i = 0; i < row; i += part)
        memcpy (y->data + (gsize) (done + i) * size, x->data + (gsize) offset * size,
                (gsize) part * size);
      for (int d = last - 1; d >= 0; d--)
        {
          if (++index[d] < y->shape.dims[d])
            break;
          index[d] = 0;
        }
    }
  sonde_kernel_own_strings (y);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule perm_rule[] = { { "perm", SONDE_ATTRIBUTE_INTS }, { NULL } };

/* The dimensions that are more than one stay in their order. */
static gboolean
keeps_order (const SondeNode *node)
{
  const SondeGraphValue *x = sonde_node_get_input (node, 0);
  gsize n = 0;
  const gint64 *perm = sonde_node_get_ints (node, "perm", &n);
  gint64 last = -1;

  if (!sonde_identity_of_known_sizes (node) || perm == NULL || (int) n != x->type.rank)
    return FALSE;
  for (gsize d = 0; d < n; d++)
    if (x->type.dims[perm[d]].size != 1)
      {
        if (perm[d] < last)
          return FALSE;
        last = perm[d];
      }
  return TRUE;
}

const SondeOpClass sonde_ops_transpose_expand_tile[] = {
  {
      .domain = "",
      .name = "Transpose",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = perm_rule,
      .infer = infer_transpose,
      .compute = compute_transpose,
      .gradient = gradient_transpose,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES | SONDE_TRAIT_PERMUTES | SONDE_TRAIT_AUTOCAST
                | SONDE_TRAIT_KEEPS_POSITIVE,
      .changes_nothing = keeps_order,
      .attribution = SONDE_ATTRIBUTION_MOVE,
      .id = SONDE_OP_ID_TRANSPOSE,
  },
  {
      .domain = "",
      .name = "Expand",
      .since = 8,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_expand,
      .compute = compute_expand,
      .gradient = gradient_expand,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES,
      .changes_nothing = sonde_identity_of_known_sizes,
  },
  {
      .domain = "",
      .name = "Tile",
      .since = 6,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_tile,
      .compute = compute_tile,
      .gradient = sonde_gradient_tile,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES,
      .changes_nothing = sonde_identity_of_known_sizes,
  },
  { .name = NULL },
};
