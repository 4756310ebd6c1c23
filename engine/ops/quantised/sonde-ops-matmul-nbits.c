/* SPDX-License-Identifier: Apache-2.0
 * sonde.MatMulNBits: a · wᵀ, where the rows of w [N, K] are packed numbers of 2, 4 or 8 bits in
 * blocks with a scale and a zero point each: w = (number − zero)·scale. Operands as those of
 * com.microsoft.MatMulNBits: a […, K], packed [N, blocks, bytes] (the first number in the lowest
 * bits), scales [N, blocks], zeros? (packed in the same way by rows, or of a's type), group of each
 * k? [K], bias? [N]. Rows are unpacked one at a time. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

enum
{
  INPUT_A,
  INPUT_PACKED,
  INPUT_SCALES,
  INPUT_ZEROS,
  INPUT_GROUPS,
  INPUT_BIAS,
};

typedef struct
{
  gint64 k, n, block, blocks, bits;
} BitsSizes;

static gboolean
read_sizes (BitsSizes *sizes, const SondeNode *node, GError **error)
{
  *sizes = (BitsSizes){ .k = sonde_node_get_int (node, "K", 0),
                        .n = sonde_node_get_int (node, "N", 0),
                        .block = sonde_node_get_int (node, "block_size", 0),
                        .bits = sonde_node_get_int (node, "bits", 4) };
  if (sizes->bits != 2 && sizes->bits != 4 && sizes->bits != 8)
    return sonde_infer_fail (
        error, "weights of %" PRIi64 " bits are not implemented, only of 2, 4 and 8", sizes->bits);
  if (sizes->k < 1 || sizes->n < 1 || sizes->k > G_MAXINT32 || sizes->n > G_MAXINT32)
    return sonde_infer_fail (error, "K and N must be at least 1, but are %" PRIi64 " and %" PRIi64,
                             sizes->k, sizes->n);
  if (sizes->block < 4 || sizes->block > G_MAXINT32 || sizes->block * sizes->bits % 8 != 0)
    return sonde_infer_fail (error, "blocks of %" PRIi64 " are not implemented", sizes->block);
  sizes->blocks = (sizes->k + sizes->block - 1) / sizes->block;
  return TRUE;
}

static gint64
zero_bytes (const BitsSizes *sizes)
{
  return (sizes->blocks * sizes->bits + 7) / 8;
}

static gboolean
need_elements (const SondeInferContext *context, guint k, gint64 want, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);
  gint64 have = type != NULL && type->rank >= 0 ? sonde_type_product (type, 0, type->rank) : -1;

  if (have >= 0 && have != want)
    return sonde_infer_fail (error, "input %u has %" PRIi64 " elements, but must have %" PRIi64, k,
                             have, want);
  return TRUE;
}

static gboolean
check_types (const SondeInferContext *context, GError **error)
{
  const SondeType *packed = &context->inputs[INPUT_PACKED],
                  *zeros = sonde_infer_input (context, INPUT_ZEROS);

  if (packed->dtype != SONDE_DTYPE_INVALID && packed->dtype != SONDE_DTYPE_U8)
    return sonde_infer_fail (error, "the packed weights are %s, but must be uint8",
                             sonde_dtype_name (packed->dtype));
  if (zeros != NULL && zeros->dtype != SONDE_DTYPE_INVALID && zeros->dtype != SONDE_DTYPE_U8
      && !sonde_dtype_is_float (zeros->dtype))
    return sonde_infer_fail (error, "the zero points are %s, but must be uint8 or float",
                             sonde_dtype_name (zeros->dtype));
  if (context->inputs[0].dtype == SONDE_DTYPE_F64)
    return sonde_infer_fail (error, "a is float64, which is not implemented");
  return sonde_infer_need_float (context, INPUT_A, error)
         && sonde_infer_need_float (context, INPUT_SCALES, error)
         && sonde_infer_need_float (context, INPUT_BIAS, error)
         && sonde_infer_need_integer (context, INPUT_GROUPS, error);
}

static gboolean
infer_bits (SondeInferContext *context, GError **error)
{
  const SondeType *a = &context->inputs[INPUT_A], *zeros = sonde_infer_input (context, INPUT_ZEROS);
  gboolean bytes = zeros != NULL && zeros->dtype == SONDE_DTYPE_U8;
  BitsSizes s;

  if (!check_types (context, error) || !read_sizes (&s, context->node, error))
    return FALSE;
  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  if (a->rank < 1 || (a->dims[a->rank - 1].size >= 0 && a->dims[a->rank - 1].size != s.k))
    return sonde_infer_fail (error, "a must have rows of K = %" PRIi64 " elements", s.k);
  if (!need_elements (context, INPUT_PACKED, s.n * s.blocks * (s.block * s.bits / 8), error)
      || !need_elements (context, INPUT_SCALES, s.n * s.blocks, error)
      || !need_elements (context, INPUT_ZEROS, s.n * (bytes ? zero_bytes (&s) : s.blocks), error)
      || !need_elements (context, INPUT_GROUPS, s.k, error)
      || !need_elements (context, INPUT_BIAS, s.n, error))
    return FALSE;
  context->outputs[0] = *a;
  context->outputs[0].dims[a->rank - 1] = sonde_dimension (s.n);
  return TRUE;
}

static gboolean
check_groups (const SondeKernelContext *context, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *groups = sonde_kernel_ints (context, INPUT_GROUPS, &n);
  BitsSizes s;

  (void) read_sizes (&s, context->node, NULL);
  for (gsize i = 0; i < n; i++)
    if (groups[i] < 0 || groups[i] >= s.blocks)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "row %zu of the weights is of group %" PRIi64 ", but there are %" PRIi64,
                         i, groups[i], s.blocks);
        return FALSE;
      }
  return TRUE;
}

/* ---- kernel -------------------------------------------------------------- */

static inline int
unpack (const guint8 *bytes, gint64 i, gint64 bits)
{
  return (bytes[i * bits / 8] >> (i * bits % 8)) & ((1 << bits) - 1);
}

/* Zero points of one row as numbers. */
static void
read_zeros (const BitsSizes *s, const SondeTensor *zeros, gint64 row, float *to)
{
  for (gint64 b = 0; b < s->blocks; b++)
    to[b] = zeros == NULL ? (float) (1 << (s->bits - 1))
            : zeros->dtype == SONDE_DTYPE_U8
                ? (float) unpack (zeros->data + row * zero_bytes (s), b, s->bits)
                : ((const float *) (const void *) zeros->data)[row * s->blocks + b];
}

/* Row @row of w. @groups: (nullable) */
static void
unpack_row (const BitsSizes *s, const guint8 *packed, const float *scales, const float *zeros,
            const gint64 *groups, float *to)
{
  for (gint64 b = 0; b < s->blocks; b++)
    {
      const gint64 first = b * s->block, last = MIN (first + s->block, s->k);
      const float scale = scales[b], zero = zeros[b];

      for (gint64 i = first; i < last; i++)
        to[i] = ((float) unpack (packed, i, s->bits) - zero) * scale;
    }
  for (gint64 i = 0; i < s->k && groups != NULL; i++)
    to[i] = ((float) unpack (packed, i, s->bits) - zeros[groups[i]]) * scales[groups[i]];
}

static double
dot (const float *a, const float *b, gint64 n)
{
  double lanes[8] = { 0 }, sum = 0;
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++)
      lanes[l] += (double) a[i + l] * (double) b[i + l];
  for (; i < n; i++)
    sum += (double) a[i] * (double) b[i];
  for (int l = 0; l < 8; l++)
    sum += lanes[l];
  return sum;
}

/* Columns @begin to @end of the result. */
static void
compute_columns (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *packed = context->inputs[INPUT_PACKED],
              *bias = sonde_kernel_input (context, INPUT_BIAS);
  const float *a = (const float *) (void *) context->inputs[INPUT_A]->data;
  const float *scales = (const float *) (void *) context->inputs[INPUT_SCALES]->data;
  float *y = (float *) (void *) context->outputs[0]->data;
  gsize n_groups = 0;
  g_autofree gint64 *groups = sonde_kernel_ints (context, INPUT_GROUPS, &n_groups);
  g_autofree float *row = NULL, *zeros = NULL;
  gint64 rows;
  BitsSizes s;

  (void) read_sizes (&s, context->node, NULL);
  rows = sonde_tensor_n_elements (context->inputs[INPUT_A]) / s.k;
  row = g_new (float, s.k);
  zeros = g_new (float, s.blocks);
  for (gint64 n = begin; n < end; n++)
    {
      double shift = bias != NULL ? sonde_tensor_get_double (bias, n) : 0;

      read_zeros (&s, sonde_kernel_input (context, INPUT_ZEROS), n, zeros);
      unpack_row (&s, packed->data + n * s.blocks * (s.block * s.bits / 8), scales + n * s.blocks,
                  zeros, groups, row);
      for (gint64 m = 0; m < rows; m++)
        y[m * s.n + n] = (float) (dot (a + m * s.k, row, s.k) + shift);
    }
}

static void
compute_bits (const SondeKernelContext *context)
{
  compute_columns (context, 0, sonde_node_get_int (context->node, "N", 0));
}

static gint64
count_columns (const SondeKernelContext *context, gint64 *cost)
{
  gint64 k = sonde_node_get_int (context->node, "K", 1);

  *cost = 2 * k + sonde_tensor_n_elements (context->inputs[INPUT_A]);
  return sonde_node_get_int (context->node, "N", 0);
}

/* ---- gradient ------------------------------------------------------------ */

/* (dy, the inputs of the forward node but its bias) → da = dy · w */
static gboolean
infer_bits_grad (SondeInferContext *context, GError **error)
{
  SondeType y = sonde_type_unknown ();
  SondeTensor *known = NULL;
  SondeInferContext forward = {
    .node = context->node,
    .n_inputs = context->n_inputs - 1,
    .inputs = context->inputs + 1,
    .known = context->known + 1,
    .n_outputs = 1,
    .outputs = &y,
    .known_outputs = &known,
  };

  context->outputs[0] = context->inputs[1];
  if (!infer_bits (&forward, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  return y.rank < 0 || sonde_infer_need_shape (&context->inputs[0], &y, N_ ("the gradient"), error);
}

static gboolean
check_grad_groups (const SondeKernelContext *context, GError **error)
{
  SondeKernelContext forward = *context;

  forward.inputs++;
  forward.n_inputs--;
  return check_groups (&forward, error);
}

/* Items are rows of dy; the rows of w are unpacked once a part. */
static void
grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeKernelContext forward = *context;
  const float *dy = (const float *) (void *) context->inputs[0]->data;
  float *da = (float *) (void *) context->outputs[0]->data;
  gsize n_groups = 0;
  g_autofree gint64 *groups = NULL;
  g_autofree float *row = NULL, *zeros = NULL;
  BitsSizes s;

  forward.inputs++;
  forward.n_inputs--;
  groups = sonde_kernel_ints (&forward, INPUT_GROUPS, &n_groups);
  (void) read_sizes (&s, context->node, NULL);
  row = g_new (float, s.k);
  zeros = g_new (float, s.blocks);
  memset (da + begin * s.k, 0, (gsize) ((end - begin) * s.k) * sizeof *da);
  for (gint64 n = 0; n < s.n && begin < end; n++)
    {
      const float *scales
          = (const float *) (void *) forward.inputs[INPUT_SCALES]->data + n * s.blocks;

      read_zeros (&s, sonde_kernel_input (&forward, INPUT_ZEROS), n, zeros);
      unpack_row (&s, forward.inputs[INPUT_PACKED]->data + n * s.blocks * (s.block * s.bits / 8),
                  scales, zeros, groups, row);
      for (gint64 m = begin; m < end; m++)
        for (gint64 i = 0; i < s.k; i++)
          da[m * s.k + i] += dy[m * s.n + n] * row[i];
    }
}

static gint64
grad_count (const SondeKernelContext *context, gint64 *cost)
{
  gint64 n = sonde_node_get_int (context->node, "N", 1),
         k = sonde_node_get_int (context->node, "K", 1);

  *cost = 2 * k * n;
  return sonde_tensor_n_elements (context->inputs[0]) / MAX (n, 1);
}

SONDE_COMPUTE_PARTS (grad)

/* The weights are numbers of few bits: only a and the bias move. */
static gboolean
gradient_bits (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  SondeGraphValue *inputs[INPUT_BIAS + 1] = { sonde_rule_dy (context) }, *da = NULL;

  for (guint k = 0; k < MIN (n, INPUT_BIAS); k++)
    inputs[k + 1] = sonde_rule_x (context, k);
  if (context->wanted[INPUT_A])
    {
      da = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "MatMulNBitsGrad",
                           MIN (n, INPUT_BIAS) + 1, inputs);
      sonde_rule_copy_attributes (da->producer, context->node);
      context->input_gradients[INPUT_A] = sonde_rule_infer (context, da);
    }
  if (n > INPUT_BIAS && context->wanted[INPUT_BIAS])
    context->input_gradients[INPUT_BIAS]
        = sonde_rule_unbroadcast (context, inputs[0], sonde_rule_x (context, INPUT_BIAS));
  return TRUE;
}

/* da = dy · w: d dy is the product itself, without a bias. */
static gboolean
gradient_bits_grad (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  SondeGraphValue *inputs[INPUT_BIAS] = { sonde_rule_dy (context) }, *y = NULL;

  for (guint k = 2; k < n; k++)
    inputs[k - 1] = sonde_rule_x (context, k);
  y = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "MatMulNBits", n - 1, inputs);
  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
  return TRUE;
}

static void
cost_bits (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *a = &context->inputs[0];
  gint64 n = a->rank >= 0 ? sonde_type_product (a, 0, a->rank) : -1;

  cost->flops = n >= 0 ? 2.0 * (double) n * (double) sonde_node_get_int (context->node, "N", 0) : 0;
}

static const SondeAttributeRule rules[] = {
  { "K", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { "N", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { "bits", SONDE_ATTRIBUTE_INT, FALSE, 2, 8 },
  { "block_size", SONDE_ATTRIBUTE_INT, TRUE, 4, G_MAXINT32 },
  { NULL },
};

/* ---- dependency ---------------------------------------------------------- */

/* (a, packed weights, scales, …): the row of a, all scales. */
static gboolean
reach_matmul_nbits (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0);

  if (a != NULL)
    {
      SondeReach reach = sonde_reach_whole (a, 0);

      for (int d = 0; d < reach.rank - 1 && d < context->shape->rank - 1; d++)
        sonde_reach_at (&reach, d, context->index[d]);
      sonde_reach_add (context, &reach);
    }
  for (guint k = 1; k < context->n_inputs; k++)
    sonde_reach_add_whole (context, k);
  return TRUE;
}

const SondeOpClass sonde_ops_matmul_nbits[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "MatMulNBits",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 6,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = rules,
      .infer = infer_bits,
      .compute = compute_bits,
      .gradient = gradient_bits,
      .check = check_groups,
      .cost = cost_bits,
      .count_parts = count_columns,
      .compute_part = compute_columns,
      .reach = { reach_matmul_nbits, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "MatMulNBitsGrad",
      .since = 1,
      .min_inputs = 4,
      .max_inputs = 6,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = rules,
      .infer = infer_bits_grad,
      .compute = compute_grad,
      .gradient = gradient_bits_grad,
      .check = check_grad_groups,
      .shape_only = 1 << 1,
      .count_parts = grad_count,
      .compute_part = grad_part,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
