/* SPDX-License-Identifier: Apache-2.0
 * TopK and Hardmax. Of equal elements the one with the lower index comes first, NaN is larger than
 * all. TopK's sorted = 0 leaves the order open; it is sorted here all the same. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/indexing/sonde-sort-key.h"

#include <string.h>

/* ---- the k smallest keys of a row ---------------------------------------- */

typedef SondeSortEntry Entry;

/* Fewer than this part of a row are picked by a heap, more by sorting it. */
#define HEAP_SHARE 32

static inline gboolean
is_after (const Entry *a, const Entry *b)
{
  return a->key > b->key || (a->key == b->key && a->index > b->index);
}

/* Restores the heap (the last one in order on top) below @at. */
static void
sift_down (Entry *heap, gint64 n, gint64 at)
{
  const Entry moved = heap[at];

  for (gint64 child = 2 * at + 1; child < n; child = 2 * at + 1)
    {
      if (child + 1 < n && is_after (&heap[child + 1], &heap[child]))
        child++;
      if (!is_after (&heap[child], &moved))
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = moved;
}

/* All of @keys in order to @best, which has room for twice as many. */
static void
sort_all (const guint64 *keys, gint64 n, Entry *best)
{
  for (gint64 i = 0; i < n; i++)
    best[i] = (Entry){ keys[i], i };
  sonde_sort_entries (best, best + n, n);
}

/* The first @k of @keys in order to @best. A heap of the best so far: nearly all of a long row
 * costs one comparison an element. */
static void
select_first (const guint64 *keys, gint64 n, gint64 k, Entry *best)
{
  for (gint64 i = 0; i < k; i++)
    best[i] = (Entry){ keys[i], i };
  for (gint64 i = k / 2 - 1; i >= 0; i--)
    sift_down (best, k, i);
  for (gint64 i = k; i < n && k > 0; i++)
    if (keys[i] < best[0].key)
      {
        best[0] = (Entry){ keys[i], i };
        sift_down (best, k, 0);
      }
  for (gint64 last = k - 1; last > 0; last--)
    {
      const Entry top = best[0];

      best[0] = best[last];
      best[last] = top;
      sift_down (best, last, 0);
    }
}

/* ---- TopK ---------------------------------------------------------------- */

static gboolean
known_count (const SondeInferContext *context, gint64 *k, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *values = sonde_infer_known_ints (context, 1, &n);

  *k = -1;
  if (values == NULL)
    return TRUE;
  if (n != 1)
    return sonde_infer_fail (error, "k must be one number, not %zu", n);
  if (values[0] < 0)
    return sonde_infer_fail (error, "k is %" PRIi64 ", but may not be negative", values[0]);
  *k = values[0];
  return TRUE;
}

static gboolean
infer_top (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 k = -1;
  int axis = 0;

  if (x->dtype != SONDE_DTYPE_INVALID
      && (x->dtype == SONDE_DTYPE_BOOL || !sonde_sort_key_knows (x->dtype)))
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_need_integer (context, 1, error) || !known_count (context, &k, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->rank, &axis, error))
    return FALSE;
  if (k >= 0 && x->dims[axis].size >= 0 && k > x->dims[axis].size)
    return sonde_infer_fail (error,
                             "k is %" PRIi64 ", but dimension %d has only %" PRIi64 " elements", k,
                             axis, x->dims[axis].size);
  for (guint o = 0; o < context->n_outputs; o++)
    {
      context->outputs[o] = *x;
      context->outputs[o].dims[axis] = sonde_dimension (k);
    }
  if (context->n_outputs > 1)
    context->outputs[1].dtype = SONDE_DTYPE_I64;
  return TRUE;
}

static SondeTensor *
any_output (const SondeKernelContext *context)
{
  SondeTensor *values = sonde_kernel_output (context, 0);

  return values != NULL ? values : sonde_kernel_output (context, 1);
}

/* Items are rows along the axis. */
static gint64
top_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = sonde_kernel_axis (context, -1);

  *cost = shape->dims[axis] * 2;
  return any_output (context) == NULL ? 0
                                      : sonde_shape_product (shape, 0, axis)
                                            * sonde_shape_product (shape, axis + 1, shape->rank);
}

static void
copy_element (gsize size, const guint8 *from, gint64 from_at, guint8 *to, gint64 to_at)
{
  memcpy (to + (gsize) to_at * size, from + (gsize) from_at * size, size);
}

static void
top_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  SondeTensor *values = sonde_kernel_output (context, 0),
              *indices = sonde_kernel_output (context, 1);
  gboolean largest = sonde_node_get_int (context->node, "largest", 1) != 0;
  gsize size = sonde_dtype_size (x->dtype);
  int axis = sonde_kernel_axis (context, -1);
  gint64 n = x->shape.dims[axis], inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  gint64 k = begin < end ? any_output (context)->shape.dims[axis] : 0;
  g_autofree guint64 *keys = g_new (guint64, n + 1);
  gboolean whole = k > n / HEAP_SHARE + 8;
  g_autofree Entry *best = g_new (Entry, (whole ? 2 * n : k) + 1);

  for (gint64 row = begin; row < end; row++)
    {
      gint64 from = row / inner * n * inner + row % inner;
      gint64 to = row / inner * k * inner + row % inner;

      sonde_sort_keys (x->dtype, x->data + (gsize) from * size, n, inner, keys);
      for (gint64 i = 0; i < n && largest; i++)
        keys[i] = ~keys[i];
      if (whole)
        sort_all (keys, n, best);
      else
        select_first (keys, n, k, best);
      for (gint64 i = 0; i < k && values != NULL; i++)
        copy_element (size, x->data, from + best[i].index * inner, values->data, to + i * inner);
      for (gint64 i = 0; i < k && indices != NULL; i++)
        ((gint64 *) (void *) indices->data)[to + i * inner] = best[i].index;
    }
}

SONDE_COMPUTE_PARTS (top)

/* ---- Hardmax ------------------------------------------------------------- */

static gboolean
infer_hardmax (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  int axis = 0;

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  context->outputs[0] = *x;
  return !sonde_infer_ready (context, 1)
         || sonde_infer_axis (sonde_node_get_int (context->node, "axis", -1), x->rank, &axis,
                              error);
}

/* One at the first of the largest elements along the axis. */
static void
compute_hardmax (const SondeKernelContext *context)
{
  const SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  gsize size = sonde_dtype_size (x->dtype);
  int axis = sonde_kernel_axis (context, -1);
  gint64 n = x->shape.dims[axis], inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  gint64 rows = sonde_shape_product (&x->shape, 0, axis) * inner;
  g_autofree guint64 *keys = g_new (guint64, n + 1);

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  for (gint64 row = 0; row < rows && n > 0; row++)
    {
      gint64 from = row / inner * n * inner + row % inner, best = 0;

      sonde_sort_keys (x->dtype, x->data + (gsize) from * size, n, inner, keys);
      for (gint64 i = 1; i < n; i++)
        if (keys[i] > keys[best])
          best = i;
      sonde_tensor_set_double (y, from + best * inner, 1);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule top_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "largest", SONDE_ATTRIBUTE_INT },
  { "sorted", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_topk_hardmax[] = {
  {
      .domain = "",
      .name = "TopK",
      .since = 11,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 2,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = top_rules,
      .infer = infer_top,
      .compute = compute_top,
      .gradient = sonde_gradient_top,
      .count_parts = top_count,
      .compute_part = top_part,
      .reach = { sonde_reach_line, 0x1 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "Hardmax",
      .since = 13,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_ACTIVATION,
      .attributes = axis_rule,
      .infer = infer_hardmax,
      .compute = compute_hardmax,
      .gradient = sonde_rule_flat,
      .reach = { sonde_reach_line, 0x1 },
      .typing = SONDE_TYPING_LEADING (1),
  },
  { .name = NULL },
};
