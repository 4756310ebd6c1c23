/* SPDX-License-Identifier: Apache-2.0
 * Attention in the form of opset 25 (23 and 24 are the same without window and without
 * nonpad_kv_seqlen). Everything between the operands and the results is float64, one query row at a
 * time. Shapes: q [B, Hq, L, E] or [B, L, Hq·E], k [B, Hkv, S, E], v [B, Hkv, S, F]; with a past of
 * P keys T = P + S. */
#include "engine/ops/nn/sonde-attention-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-strided.h"

#include <math.h>
#include <string.h>

/* What output 3 shows. */
enum
{
  SHOW_PRODUCT,
  SHOW_CAPPED,
  SHOW_BIASED,
  SHOW_PROBABILITIES,
};

/* ---- kernel -------------------------------------------------------------- */

/**
 * AttentionRun: what one call needs
 * @bias: (nullable): the mask as numbers to add: -inf where a bool says no
 * @bias_strides: of batch, head, query, key; @bias_width: keys that it speaks of, the others are
 * masked
 * @offset: how many keys stand before the first query, of the sample that runs
 * @valid: keys that are no padding, of the sample that runs
 * @k, @v: [T, E] and [T, F] of the head that runs
 */
typedef struct
{
  const SondeKernelContext *context;
  SondeAttentionSizes sizes;
  double scale, softcap;
  gboolean causal, undefined;
  gint64 left, right, show;
  SondeDtype precision;
  double *bias;
  gint64 bias_strides[4], bias_width;
  gint64 offset, valid;
  double *k, *v, *q, *scores, *added, *y;
} AttentionRun;

static void
attention_run_clear (AttentionRun *run)
{
  double *owned[] = { run->bias, run->k, run->v, run->q, run->scores, run->added, run->y };

  for (gsize i = 0; i < G_N_ELEMENTS (owned); i++)
    g_free (owned[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AttentionRun, attention_run_clear)

/* All rows [n, width] of one head; packed operands have the heads of a position beside each
 * other. */
static void
load_head (const AttentionRun *run, const SondeTensor *tensor, gint64 batch, gint64 head,
           gint64 heads, gint64 n, gint64 width, double *to)
{
  if (!run->sizes.packed)
    sonde_kernel_load (tensor, (batch * heads + head) * n * width, n * width, to);
  for (gint64 i = 0; i < n && run->sizes.packed; i++)
    sonde_kernel_load (tensor, ((batch * n + i) * heads + head) * width, width, to + i * width);
}

/* The past, then what is new; into @present too, which is [B, H, T, width]. */
static void
load_keys (const AttentionRun *run, guint past, guint now, guint present, gint64 batch, gint64 head,
           gint64 width, double *to)
{
  const SondeAttentionSizes *s = &run->sizes;
  SondeTensor *output = sonde_kernel_output (run->context, present);
  gint64 before = s->past * width;

  if (s->past > 0)
    sonde_kernel_load (run->context->inputs[past], (batch * s->kv_heads + head) * before, before,
                       to);
  load_head (run, run->context->inputs[now], batch, head, s->kv_heads, s->keys, width, to + before);
  if (output != NULL)
    sonde_kernel_store (to, s->total * width, output,
                        (batch * s->kv_heads + head) * s->total * width);
}

static void
read_mask (AttentionRun *run, const SondeTensor *mask)
{
  gint64 n, strides[SONDE_MAX_RANK];
  int rank;

  run->bias_width = run->sizes.total;
  if (mask == NULL)
    return;
  n = sonde_tensor_n_elements (mask);
  rank = mask->shape.rank;
  run->bias = g_new (double, n + 1);
  sonde_dtype_convert (mask->dtype, mask->data, SONDE_DTYPE_F64, run->bias, (gsize) n);
  for (gint64 i = 0; i < n && mask->dtype == SONDE_DTYPE_BOOL; i++)
    run->bias[i] = run->bias[i] != 0 ? 0 : -INFINITY;
  sonde_strided_row_major (&mask->shape, strides);
  for (int d = 0; d < rank; d++)
    run->bias_strides[4 - rank + d] = mask->shape.dims[d] != 1 || d == rank - 1 ? strides[d] : 0;
  run->bias_width = mask->shape.dims[rank - 1];
}

/* What is added to the scores of one query: mask, window, causality, padding. Returns: all keys are
 * masked */
static gboolean
fill_bias (AttentionRun *run, gint64 batch, gint64 head, gint64 query)
{
  const gint64 *strides = run->bias_strides;
  const double *mask
      = run->bias ? run->bias + batch * strides[0] + head * strides[1] + query * strides[2] : NULL;
  gint64 position = query + run->offset;
  gint64 last = run->causal ? position : G_MAXINT64,
         first = run->left >= 0 ? position - run->left : 0;
  gboolean nothing = TRUE;

  if (run->right >= 0 && position + run->right < last)
    last = position + run->right;
  for (gint64 j = 0; j < run->sizes.total; j++)
    {
      gboolean seen = j >= first && j <= last && j < run->valid && j < run->bias_width;
      double value = seen ? (mask != NULL ? mask[j] : 0) : -INFINITY;

      run->added[j] = value;
      nothing &= isinf (value) && value < 0;
    }
  return nothing;
}

static gboolean
is_nothing (const double *x, gint64 n)
{
  for (gint64 j = 0; j < n; j++)
    if (x[j] != -INFINITY)
      return FALSE;
  return TRUE;
}

/* Softmax of a row; one that is -inf throughout becomes zeros. */
static void
normalise (double *x, gint64 n)
{
  double top = -INFINITY, sum = 0;

  for (gint64 j = 0; j < n; j++)
    top = x[j] > top || isnan (x[j]) ? x[j] : top;
  if (isinf (top) && top < 0)
    top = 0;
  for (gint64 j = 0; j < n; j++)
    {
      x[j] = exp (x[j] - top);
      sum += x[j];
    }
  for (gint64 j = 0; j < n && sum != 0; j++)
    x[j] /= sum;
}

/* softmax_precision may be less than the operands'. */
static void
round_to (SondeDtype dtype, double *x, gint64 n)
{
  for (gint64 j = 0; j < n && dtype == SONDE_DTYPE_F16; j++)
    x[j] = (double) sonde_f16_to_f32 (sonde_f16_from_f32 ((float) x[j]));
  for (gint64 j = 0; j < n && dtype == SONDE_DTYPE_BF16; j++)
    x[j] = (double) sonde_bf16_to_f32 (sonde_bf16_from_f32 ((float) x[j]));
}

static void
show (const AttentionRun *run, gint64 what, gint64 row)
{
  SondeTensor *output = sonde_kernel_output (run->context, 3);

  if (output != NULL && run->show == what)
    sonde_kernel_store (run->scores, run->sizes.total, output, row * run->sizes.total);
}

/* Lanes that do not wait for each other. */
static double
dot (const double *a, const double *b, gint64 n)
{
  double lanes[8] = { 0 }, sum = 0;
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++)
      lanes[l] += a[i + l] * b[i + l];
  for (; i < n; i++)
    sum += a[i] * b[i];
  for (int l = 0; l < 8; l++)
    sum += lanes[l];
  return sum;
}

/* Scores of one query against all keys. */
static void
score (AttentionRun *run)
{
  const SondeAttentionSizes *s = &run->sizes;

  for (gint64 j = 0; j < s->total; j++)
    run->scores[j] = dot (run->q, run->k + j * s->width, s->width) * run->scale;
}

static void
attend (AttentionRun *run, gint64 batch, gint64 head, gint64 query)
{
  const SondeAttentionSizes *s = &run->sizes;
  gint64 row = (batch * s->q_heads + head) * s->queries + query;
  gint64 packed = (batch * s->queries + query) * s->q_heads + head;
  gboolean nothing = fill_bias (run, batch, head, query);

  sonde_kernel_load (run->context->inputs[SONDE_ATTENTION_Q], (s->packed ? packed : row) * s->width,
                     s->width, run->q);
  score (run);
  show (run, SHOW_PRODUCT, row);
  for (gint64 j = 0; j < s->total && run->softcap > 0; j++)
    run->scores[j] = run->softcap * tanh (run->scores[j] / run->softcap);
  show (run, SHOW_CAPPED, row);
  for (gint64 j = 0; j < s->total; j++)
    run->scores[j] += run->added[j];
  show (run, SHOW_BIASED, row);
  round_to (run->precision, run->scores, s->total);
  if (run->undefined)
    nothing = is_nothing (run->scores, s->total);
  normalise (run->scores, s->total);
  for (gint64 j = 0; j < s->total && nothing; j++)
    run->scores[j] = run->undefined ? NAN : 0;
  show (run, SHOW_PROBABILITIES, row);

  memset (run->y, 0, sizeof (double) * (gsize) s->v_width);
  for (gint64 j = 0; j < s->total; j++)
    for (gint64 i = 0; i < s->v_width; i++)
      run->y[i] += run->scores[j] * run->v[j * s->v_width + i];
  if (run->context->outputs[0] != NULL)
    sonde_kernel_store (run->y, s->v_width, run->context->outputs[0],
                        (s->packed ? packed : row) * s->v_width);
}

static void
read_attributes (AttentionRun *run, const SondeNode *node)
{
  static const SondeDtype precisions[] = { [10] = SONDE_DTYPE_F16, [16] = SONDE_DTYPE_BF16 };
  gint64 precision = sonde_node_get_int (node, "softmax_precision", 1);

  run->scale = sonde_node_get_float (node, "scale", 1 / sqrt ((double) run->sizes.width));
  run->softcap = sonde_node_get_float (node, "softcap", 0);
  run->causal = sonde_node_get_int (node, "is_causal", 0) != 0;
  run->undefined = sonde_node_get_int (node, SONDE_ATTENTION_UNDEFINED, 0) != 0;
  run->left = CLAMP (sonde_node_get_int (node, "left_window_size", -1), -1, G_MAXINT32);
  run->right = CLAMP (sonde_node_get_int (node, "right_window_size", -1), -1, G_MAXINT32);
  run->show = sonde_node_get_int (node, "qk_matmul_output_mode", 0);
  run->precision = precision >= 0 && precision < (gint64) G_N_ELEMENTS (precisions)
                       ? precisions[precision]
                       : 0;
}

/* A past of all keys counts before the queries; a cache kept outside ends with them. */
static void
start_sample (AttentionRun *run, gint64 batch)
{
  SondeTensor *lengths = sonde_kernel_input (run->context, SONDE_ATTENTION_LENGTHS);

  run->offset = run->sizes.past;
  run->valid = run->sizes.total;
  if (lengths == NULL)
    return;
  run->valid = CLAMP (sonde_tensor_get_int (lengths, batch), 0, run->sizes.total);
  run->offset = run->valid - run->sizes.queries;
}

static void
attention_run_init (AttentionRun *run, const SondeKernelContext *context)
{
  SondeTensor *past = sonde_kernel_input (context, SONDE_ATTENTION_PAST_K);
  SondeType types[3], past_type;
  const SondeType *pointers[] = { &types[0], &types[1], &types[2] };

  *run = (AttentionRun){ .context = context };
  for (guint k = 0; k < 3; k++)
    types[k] = sonde_type_tensor (context->inputs[k]->dtype, &context->inputs[k]->shape);
  if (past != NULL)
    past_type = sonde_type_tensor (past->dtype, &past->shape);
  (void) sonde_attention_read_sizes (&run->sizes, context->node, pointers, past ? &past_type : NULL,
                                     NULL);
  read_attributes (run, context->node);
  read_mask (run, sonde_kernel_input (context, SONDE_ATTENTION_MASK));
  run->k = g_new (double, run->sizes.total * run->sizes.width + 1);
  run->v = g_new (double, run->sizes.total * run->sizes.v_width + 1);
  run->q = g_new (double, run->sizes.width + 1);
  run->y = g_new (double, run->sizes.v_width + 1);
  run->scores = g_new (double, run->sizes.total + 1);
  run->added = g_new (double, run->sizes.total + 1);
}

/* An item is one head of keys of one sample, with all heads of queries that share it. */
static void
compute_heads (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  g_auto (AttentionRun) run = { NULL };
  gint64 share;

  attention_run_init (&run, context);
  share = run.sizes.q_heads / run.sizes.kv_heads;
  for (gint64 item = begin; item < end; item++)
    {
      gint64 batch = item / run.sizes.kv_heads, head = item % run.sizes.kv_heads;

      start_sample (&run, batch);
      load_keys (&run, SONDE_ATTENTION_PAST_K, SONDE_ATTENTION_K, 1, batch, head, run.sizes.width,
                 run.k);
      load_keys (&run, SONDE_ATTENTION_PAST_V, SONDE_ATTENTION_V, 2, batch, head, run.sizes.v_width,
                 run.v);
      for (gint64 i = 0; i < share * run.sizes.queries; i++)
        attend (&run, batch, head * share + i / run.sizes.queries, i % run.sizes.queries);
    }
}

static gint64
count_heads (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *q = &context->inputs[SONDE_ATTENTION_Q]->shape,
                   *k = &context->inputs[SONDE_ATTENTION_K]->shape;
  gint64 heads = k->rank == 4 ? k->dims[1] : sonde_node_get_int (context->node, "kv_num_heads", 1);
  gint64 items = k->dims[0] * heads, queries = q->dims[q->rank - 2],
         all = sonde_shape_product (k, 0, k->rank);

  *cost = items > 0 ? all / items * MAX (queries, 1) : 0;
  return items;
}

static void
compute_attention (const SondeKernelContext *context)
{
  gint64 cost;

  compute_heads (context, 0, count_heads (context, &cost));
}

/* ---- row ----------------------------------------------------------------- */

static const SondeAttributeRule rules[] = {
  { "is_causal", SONDE_ATTRIBUTE_INT },
  { "kv_num_heads", SONDE_ATTRIBUTE_INT, FALSE, 1, G_MAXINT32 },
  { "left_window_size", SONDE_ATTRIBUTE_INT, FALSE, -1, G_MAXINT64 },
  { "q_num_heads", SONDE_ATTRIBUTE_INT, FALSE, 1, G_MAXINT32 },
  { "qk_matmul_output_mode", SONDE_ATTRIBUTE_INT, FALSE, 0, 3 },
  { "right_window_size", SONDE_ATTRIBUTE_INT, FALSE, -1, G_MAXINT64 },
  { "scale", SONDE_ATTRIBUTE_FLOAT },
  { "softcap", SONDE_ATTRIBUTE_FLOAT },
  { "softmax_precision", SONDE_ATTRIBUTE_INT },
  { NULL },
};

const SondeOpClass sonde_ops_attention[] = {
  {
      .domain = "",
      .name = "Attention",
      .since = 23,
      .min_inputs = 3,
      .max_inputs = 7,
      .min_outputs = 1,
      .max_outputs = 4,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = rules,
      .infer = sonde_attention_infer,
      .compute = compute_attention,
      .decompose = sonde_decompose_attention,
      .cost = sonde_attention_cost,
      .count_parts = count_heads,
      .compute_part = compute_heads,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_LEADING (3),
  },
  { .name = NULL },
};
