/* SPDX-License-Identifier: Apache-2.0
 * Attention of float32: the keys of a head are turned once, then blocks of queries are multiplied
 * with them, weighed and multiplied with the values. Semantics:
 * engine/ops/nn/sonde-ops-attention.c. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/cpu/sonde-cpu-math.h"
#include "engine/devices/cpu/product/sonde-cpu-product.h"
#include "engine/ops/nn/sonde-attention-private.h"

#include <omp.h>
#include <string.h>

/* Queries of one head that are done at a time. */
#define ROWS 16

typedef float Four __attribute__ ((vector_size (16), aligned (4), may_alias));

/* Where a head's rows lie: strides of batch, head and row in elements. */
typedef struct
{
  gint64 batch, head, row;
} Strides;

/**
 * AttentionKernel:
 * @past, @keys, @total: keys that come from the cache, new ones, both
 * @left, @right: of the window, -1: none
 * @mask: strides of batch, head, query; the last dimension is dense, @mask_width long
 * @scale: the turned keys have it as a factor
 * @padded: @total up to whole vectors: room of a row of turned keys and of scores
 * @undefined: a query that sees nothing has NaN as weights, as a Softmax of -infinity makes them
 * @copies: keys and values are brought together in the workspace at @all_k, @all_v, or in outputs 1
 * and 2
 * @threads_at, @each: of the workspace: a part for each thread
 */
typedef struct
{
  SondeKernel base;
  gint64 batch, q_heads, kv_heads, queries, keys, past, total, padded, width, v_width;
  Strides q, k, v, y;
  float scale, softcap;
  gboolean causal, has_mask, bool_mask, has_lengths, copies, undefined;
  gboolean has_output[3];
  gint64 left, right, mask[3], mask_width;
  gsize all_k, all_v, threads_at, each;
} AttentionKernel;

typedef struct
{
  const AttentionKernel *kernel;
  const SondeRunArguments *arguments;
  const float *k, *v;
  Strides k_strides, v_strides;
} AttentionCall;

/* ---- rows ---------------------------------------------------------------- */

SONDE_CPU_CLONES static void
cap_row (gint64 n, float softcap, float *scores)
{
  for (gint64 j = 0; j < n; j++)
    scores[j] = softcap * sonde_cpu_tanh (scores[j] / softcap);
}

static void
mask_row (const AttentionKernel *k, const void *mask, gint64 at, float *scores)
{
  const float *numbers = (const float *) mask + at;
  const guint8 *choices = (const guint8 *) mask + at;

  for (gint64 j = 0; j < k->mask_width && k->bool_mask; j++)
    scores[j] = choices[j] ? scores[j] : -INFINITY;
  for (gint64 j = 0; j < k->mask_width && !k->bool_mask; j++)
    scores[j] += numbers[j];
}

/* Scores of one query become weights; keys outside of its window, the mask and the padding have
 * none. */
static void
weigh_row (const AttentionCall *call, gint64 batch, gint64 head, gint64 query, float *scores)
{
  const AttentionKernel *k = call->kernel;
  const gint64 *lengths = k->has_lengths ? call->arguments->inputs[SONDE_ATTENTION_LENGTHS] : NULL;
  const gint64 valid = lengths != NULL ? CLAMP (lengths[batch], 0, k->total) : k->total;
  const gint64 position = query + (lengths != NULL ? valid - k->queries : k->past);
  gint64 first = k->left >= 0 ? MAX (position - k->left, 0) : 0, end = valid;
  gboolean nothing = TRUE;

  if (k->causal)
    end = MIN (end, position + 1);
  if (k->right >= 0)
    end = MIN (end, position + k->right + 1);
  if (k->has_mask)
    end = MIN (end, k->mask_width);

  if (k->softcap > 0)
    cap_row (k->total, k->softcap, scores);
  if (k->has_mask)
    mask_row (k, call->arguments->inputs[SONDE_ATTENTION_MASK],
              batch * k->mask[0] + head * k->mask[1] + query * k->mask[2], scores);

  first = CLAMP (first, 0, k->total);
  end = CLAMP (end, first, k->total);
  for (gint64 j = first; j < end && nothing; j++)
    nothing = scores[j] == -INFINITY;

  memset (scores, 0, (gsize) first * sizeof (float));
  memset (scores + end, 0, (gsize) (k->total - end) * sizeof (float));
  if (nothing && !k->undefined)
    memset (scores + first, 0, (gsize) (end - first) * sizeof (float));
  else
    sonde_cpu_softmax_row (end - first, scores + first, FALSE, scores + first);
}

/* ---- heads --------------------------------------------------------------- */

/* Four rows of four, turned. */
static inline void
turn_four (const float *from, gint64 from_row, Four scale, float *to, gint64 to_row)
{
  const Four a = *(const Four *) from * scale, b = *(const Four *) (from + from_row) * scale;
  const Four c = *(const Four *) (from + 2 * from_row) * scale,
             d = *(const Four *) (from + 3 * from_row) * scale;
  const Four ac_low = __builtin_shufflevector (a, c, 0, 4, 1, 5),
             ac_high = __builtin_shufflevector (a, c, 2, 6, 3, 7);
  const Four bd_low = __builtin_shufflevector (b, d, 0, 4, 1, 5),
             bd_high = __builtin_shufflevector (b, d, 2, 6, 3, 7);

  *(Four *) to = __builtin_shufflevector (ac_low, bd_low, 0, 4, 1, 5);
  *(Four *) (to + to_row) = __builtin_shufflevector (ac_low, bd_low, 2, 6, 3, 7);
  *(Four *) (to + 2 * to_row) = __builtin_shufflevector (ac_high, bd_high, 0, 4, 1, 5);
  *(Four *) (to + 3 * to_row) = __builtin_shufflevector (ac_high, bd_high, 2, 6, 3, 7);
}

/* Keys [total, width] to [width, total], times the factor of the scores. */
static void
turn_keys (const AttentionKernel *k, const float *keys, gint64 row, float *turned)
{
  const gint64 width = k->width / 4 * 4, total = k->total / 4 * 4;
  const Four scale = { k->scale, k->scale, k->scale, k->scale };

  for (gint64 j = 0; j < total; j += 4)
    for (gint64 i = 0; i < width; i += 4)
      turn_four (keys + j * row + i, row, scale, turned + i * k->padded + j, k->padded);
  for (gint64 j = 0; j < k->total; j++)
    for (gint64 i = j < total ? width : 0; i < k->width; i++)
      turned[i * k->padded + j] = keys[j * row + i] * k->scale;
  for (gint64 i = 0; i < k->width && k->padded > k->total; i++)
    memset (turned + i * k->padded + k->total, 0, (gsize) (k->padded - k->total) * sizeof (float));
}

static void
attend_block (const AttentionCall *call, gint64 batch, gint64 head, gint64 query, gint64 rows,
              const float *turned, const float *values, float *scores)
{
  const AttentionKernel *k = call->kernel;
  const float *q = (const float *) call->arguments->inputs[SONDE_ATTENTION_Q] + batch * k->q.batch
                   + head * k->q.head + query * k->q.row;
  float *y = (float *) call->arguments->outputs[0] + batch * k->y.batch + head * k->y.head
             + query * k->y.row;

  sonde_cpu_product (rows, k->width, k->padded, q, k->q.row, turned, k->padded, scores, k->padded);
  for (gint64 i = 0; i < rows; i++)
    weigh_row (call, batch, head, query + i, scores + i * k->padded);
  sonde_cpu_product (rows, k->total, k->v_width, scores, k->padded, values, call->v_strides.row, y,
                     k->y.row);
}

/* Heads of keys; several heads of queries share one. */
static void
heads_range (gint64 begin, gint64 end, gpointer data)
{
  const AttentionCall *call = data;
  const AttentionKernel *k = call->kernel;
  const gint64 share = k->q_heads / k->kv_heads;
  float *turned = (float *) (void *) ((guint8 *) call->arguments->workspace + k->threads_at
                                      + (gsize) omp_get_thread_num () * k->each);
  float *scores = turned + k->width * k->padded;

  for (gint64 item = begin; item < end; item++)
    {
      const gint64 batch = item / k->kv_heads, head = item % k->kv_heads;
      const float *keys = call->k + batch * call->k_strides.batch + head * call->k_strides.head;
      const float *values = call->v + batch * call->v_strides.batch + head * call->v_strides.head;

      turn_keys (k, keys, call->k_strides.row, turned);
      for (gint64 i = 0; i < share; i++)
        for (gint64 query = 0; query < k->queries; query += ROWS)
          attend_block (call, batch, head * share + i, query, MIN (ROWS, k->queries - query),
                        turned, values, scores);
    }
}

/* The cache and what is new, [batch, heads, total, width]. */
static void
join_keys (const AttentionKernel *k, const float *past, const float *now, Strides strides,
           gint64 width, float *all)
{
  for (gint64 i = 0; i < k->batch * k->kv_heads; i++)
    {
      const float *from = now + i / k->kv_heads * strides.batch + i % k->kv_heads * strides.head;
      float *to = all + i * k->total * width;

      if (k->past > 0)
        memcpy (to, past + i * k->past * width, (gsize) (k->past * width) * sizeof (float));
      for (gint64 j = 0; j < k->keys; j++)
        memcpy (to + (k->past + j) * width, from + j * strides.row, (gsize) width * sizeof (float));
    }
}

static Strides
dense (gint64 heads, gint64 rows, gint64 width)
{
  return (Strides){ heads * rows * width, rows * width, width };
}

static gboolean
run_attention (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
               GError **error)
{
  const AttentionKernel *k = (AttentionKernel *) base;
  AttentionCall call = {
    k,    arguments, arguments->inputs[SONDE_ATTENTION_K], arguments->inputs[SONDE_ATTENTION_V],
    k->k, k->v
  };
  guint8 *workspace = arguments->workspace;

  if (k->copies)
    {
      float *all_k = k->has_output[1] ? arguments->outputs[1] : (void *) (workspace + k->all_k);
      float *all_v = k->has_output[2] ? arguments->outputs[2] : (void *) (workspace + k->all_v);

      join_keys (k, k->past > 0 ? arguments->inputs[SONDE_ATTENTION_PAST_K] : NULL, call.k, k->k,
                 k->width, all_k);
      join_keys (k, k->past > 0 ? arguments->inputs[SONDE_ATTENTION_PAST_V] : NULL, call.v, k->v,
                 k->v_width, all_v);
      call.k = all_k;
      call.v = all_v;
      call.k_strides = dense (k->kv_heads, k->total, k->width);
      call.v_strides = dense (k->kv_heads, k->total, k->v_width);
    }

  if (k->has_output[0])
    sonde_cpu_for (device, k->batch * k->kv_heads,
                   k->q_heads / k->kv_heads * k->queries * k->total * (k->width + k->v_width) / 8,
                   heads_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* [B, H, n, width], or [B, n, H·width] where @heads is known. */
static Strides
read_strides (const SondeShape *shape, gint64 heads)
{
  if (shape->rank == 4)
    return dense (shape->dims[1], shape->dims[2], shape->dims[3]);
  return (Strides){ shape->dims[1] * shape->dims[2], shape->dims[2] / heads, shape->dims[2] };
}

static gboolean
read_sizes (const SondePrepareRequest *request, AttentionKernel *k)
{
  const SondeNode *node = request->nodes[0];
  SondeShape q, keys, v, past;
  gboolean packed;

  if (!sonde_cpu_input_f32 (request, SONDE_ATTENTION_Q, &q)
      || !sonde_cpu_input_f32 (request, SONDE_ATTENTION_K, &keys)
      || !sonde_cpu_input_f32 (request, SONDE_ATTENTION_V, &v) || q.rank < 3 || keys.rank != q.rank
      || v.rank != q.rank)
    return FALSE;

  packed = q.rank == 3;
  k->batch = q.dims[0];
  k->q_heads = packed ? sonde_node_get_int (node, "q_num_heads", 1) : q.dims[1];
  k->kv_heads = packed ? sonde_node_get_int (node, "kv_num_heads", 1) : keys.dims[1];
  k->queries = q.dims[q.rank - 2];
  k->keys = keys.dims[q.rank - 2];
  k->width = packed ? q.dims[2] / k->q_heads : q.dims[3];
  k->v_width = packed ? v.dims[2] / k->kv_heads : v.dims[3];
  k->q = read_strides (&q, k->q_heads);
  k->k = read_strides (&keys, k->kv_heads);
  k->v = read_strides (&v, k->kv_heads);
  k->y = packed ? (Strides){ k->queries * k->q_heads * k->v_width, k->v_width,
                             k->q_heads * k->v_width }
                : dense (k->q_heads, k->queries, k->v_width);
  if (sonde_cpu_has_input (request, SONDE_ATTENTION_PAST_K))
    {
      if (!sonde_cpu_input_f32 (request, SONDE_ATTENTION_PAST_K, &past)
          || !sonde_cpu_has_input (request, SONDE_ATTENTION_PAST_V))
        return FALSE;
      k->past = past.dims[2];
    }
  k->total = k->past + k->keys;
  k->padded = (k->total + 15) / 16 * 16;
  return TRUE;
}

static gboolean
read_mask (const SondePrepareRequest *request, AttentionKernel *k)
{
  const SondeGraphValue *mask = sonde_cpu_has_input (request, SONDE_ATTENTION_MASK)
                                    ? request->inputs[SONDE_ATTENTION_MASK]
                                    : NULL;
  SondeShape shape;
  gint64 stride = 1;

  if (mask == NULL)
    return TRUE;
  if ((mask->type.dtype != SONDE_DTYPE_F32 && mask->type.dtype != SONDE_DTYPE_BOOL)
      || !sonde_type_get_shape (&mask->type, &shape) || shape.rank < 1 || shape.rank > 4
      || sonde_shape_n_elements (&shape) <= 0)
    return FALSE;

  k->has_mask = TRUE;
  k->bool_mask = mask->type.dtype == SONDE_DTYPE_BOOL;
  k->mask_width = stride = shape.dims[shape.rank - 1];
  for (int d = shape.rank - 2; d >= 0; d--)
    {
      k->mask[4 - shape.rank + d] = shape.dims[d] != 1 ? stride : 0;
      stride *= shape.dims[d];
    }
  return TRUE;
}

static gboolean
read_attributes (const SondePrepareRequest *request, AttentionKernel *k)
{
  const SondeNode *node = request->nodes[0];
  gint64 precision = sonde_node_get_int (node, "softmax_precision", 1);

  k->scale = (float) sonde_node_get_float (node, "scale", 1 / sqrt ((double) k->width));
  k->softcap = (float) sonde_node_get_float (node, "softcap", 0);
  k->undefined = sonde_node_get_int (node, SONDE_ATTENTION_UNDEFINED, 0) != 0;
  k->causal = sonde_node_get_int (node, "is_causal", 0) != 0;
  k->left = CLAMP (sonde_node_get_int (node, "left_window_size", -1), -1, G_MAXINT32);
  k->right = CLAMP (sonde_node_get_int (node, "right_window_size", -1), -1, G_MAXINT32);
  k->has_lengths = sonde_cpu_has_input (request, SONDE_ATTENTION_LENGTHS);
  for (guint i = 0; i < G_N_ELEMENTS (k->has_output); i++)
    k->has_output[i] = sonde_cpu_has_output (request, i);
  k->copies = k->past > 0 || k->has_output[1] || k->has_output[2];
  return (precision == 1 || precision == 11) && !sonde_cpu_has_output (request, 3);
}

static void
plan_workspace (SondeCpuDevice *device, SondePrepareRequest *request, AttentionKernel *k)
{
  const gint64 rows = k->batch * k->kv_heads * k->total;
  gsize end = 0;

  if (k->copies && !k->has_output[1])
    end += (gsize) (rows * k->width + 15) / 16 * 64;
  k->all_v = end;
  if (k->copies && !k->has_output[2])
    end += (gsize) (rows * k->v_width + 15) / 16 * 64;
  k->threads_at = end;
  k->each = (gsize) ((k->width + ROWS) * k->padded) * sizeof (float);
  request->workspace_bytes = end + (gsize) device->threads * k->each;
}

static SondeKernel *
prepare_attention (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree AttentionKernel *k = g_new0 (AttentionKernel, 1);

  if (!read_sizes (request, k) || !read_mask (request, k) || !read_attributes (request, k))
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);

  k->base.run = run_attention;
  plan_workspace (device, request, k);
  request->in_place = FALSE;
  request->implementation = "blocks";
  return (SondeKernel *) g_steal_pointer (&k);
}

const SondeCpuRow sonde_cpu_attention_rows[] = {
  { "", "Attention", prepare_attention },
  { NULL, NULL, NULL },
};
