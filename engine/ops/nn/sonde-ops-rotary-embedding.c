/* SPDX-License-Identifier: Apache-2.0
 * RotaryEmbedding (opset 23): pairs (a, b) of each head turn by an angle that the position tells:
 * (cos·a − sin·b, sin·a + cos·b). Pairs lie half the turned width apart, or beside each other
 * (interleaved). */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

enum
{
  INPUT_X,
  INPUT_COS,
  INPUT_SIN,
  INPUT_POSITIONS,
};

/* @turned: elements of a head that turn, from its start; x is [batch, steps, heads·width] or, not
 * @packed, [batch, heads, steps, width] */
typedef struct
{
  gboolean packed;
  gint64 batch, steps, heads, width, turned;
} RotarySizes;

static gboolean
read_sizes (RotarySizes *sizes, const SondeNode *node, const SondeType *x, GError **error)
{
  gint64 heads = sonde_node_get_int (node, "num_heads", 0);

  *sizes = (RotarySizes){ .packed = x->rank == 3, .batch = x->dims[0].size };
  if (x->rank != 3 && x->rank != 4)
    return sonde_infer_fail (error, "the input must have 3 or 4 dimensions, but has %d", x->rank);
  if (sizes->packed && (heads < 1 || heads > G_MAXINT32))
    return sonde_infer_fail (error, "an input of three dimensions needs num_heads");
  sizes->heads = sizes->packed ? heads : x->dims[1].size;
  sizes->steps = x->dims[sizes->packed ? 1 : 2].size;
  sizes->width = x->dims[x->rank - 1].size;
  if (sizes->packed && sizes->width >= 0)
    {
      if (sizes->width % heads != 0)
        return sonde_infer_fail (error, "%" PRIi64 " heads cannot share a width of %" PRIi64, heads,
                                 sizes->width);
      sizes->width /= heads;
    }
  sizes->turned = sonde_node_get_int (node, "rotary_embedding_dim", 0);
  if (sizes->turned < 0)
    return sonde_infer_fail (error, "rotary_embedding_dim is %" PRIi64, sizes->turned);
  if (sizes->turned == 0)
    sizes->turned = sizes->width;
  if (sizes->turned >= 0 && sizes->width >= 0
      && (sizes->turned > sizes->width || sizes->turned % 2 != 0))
    return sonde_infer_fail (error, "cannot turn %" PRIi64 " of %" PRIi64 " elements of a head",
                             sizes->turned, sizes->width);
  return TRUE;
}

static gboolean
check_caches (const SondeInferContext *context, const RotarySizes *sizes, GError **error)
{
  gint64 half = sizes->turned >= 0 ? sizes->turned / 2 : -1;
  gint64 by_position[] = { -1, half }, by_step[] = { sizes->batch, sizes->steps, half };
  gint64 positions[] = { sizes->batch, sizes->steps };
  gboolean given = sonde_infer_input (context, INPUT_POSITIONS) != NULL;
  const gint64 *want = given ? by_position : by_step;

  return sonde_infer_need_sizes (context, INPUT_COS, given ? 2 : 3, want, error)
         && sonde_infer_need_sizes (context, INPUT_SIN, given ? 2 : 3, want, error)
         && sonde_infer_need_sizes (context, INPUT_POSITIONS, 2, positions, error);
}

static gboolean
infer_rotary (SondeInferContext *context, GError **error)
{
  const SondeType *cosines = &context->inputs[INPUT_COS], *sines = &context->inputs[INPUT_SIN];
  RotarySizes sizes;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error)
      || !sonde_infer_need_integer (context, INPUT_POSITIONS, error))
    return FALSE;
  context->outputs[0] = context->inputs[0];
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (cosines->rank == 2 && sines->rank == 2 && cosines->dims[0].size >= 0
      && sines->dims[0].size >= 0 && cosines->dims[0].size != sines->dims[0].size)
    return sonde_infer_fail (error, "there are %" PRIi64 " cosines, but %" PRIi64 " sines",
                             cosines->dims[0].size, sines->dims[0].size);
  return read_sizes (&sizes, context->node, &context->inputs[0], error)
         && check_caches (context, &sizes, error);
}

static gboolean
check_positions (const SondeKernelContext *context, GError **error)
{
  gint64 most = context->inputs[INPUT_COS]->shape.dims[0];
  gsize n = 0;
  g_autofree gint64 *positions = sonde_kernel_ints (context, INPUT_POSITIONS, &n);

  for (gsize i = 0; i < n; i++)
    if (positions[i] < 0 || positions[i] >= most)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "position %" PRIi64 " is outside of the caches, which have %" PRIi64,
                         positions[i], most);
        return FALSE;
      }
  return TRUE;
}

#define TURN_LOOP(suffix, T)                                                                       \
  static void turn_##suffix (const RotarySizes *sizes, gboolean beside, const void *from,          \
                             const void *cosines, const void *sines, gint64 row, void *to)         \
  {                                                                                                \
    const gint64 half = sizes->turned / 2, step = beside ? 2 : 1, apart = beside ? 1 : half;       \
    const T *x = from, *c = (const T *) cosines + row * half, *s = (const T *) sines + row * half; \
    T *y = to;                                                                                     \
    for (gint64 i = 0; i < half; i++)                                                              \
      {                                                                                            \
        const T a = x[i * step], b = x[i * step + apart];                                          \
        y[i * step] = c[i] * a - s[i] * b;                                                         \
        y[i * step + apart] = s[i] * a + c[i] * b;                                                 \
      }                                                                                            \
    for (gint64 i = sizes->turned; i < sizes->width; i++)                                          \
      y[i] = x[i];                                                                                 \
  }
TURN_LOOP (f32, float)
TURN_LOOP (f64, double)

static void
compute_rotary (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *cosines = context->inputs[INPUT_COS],
              *y = context->outputs[0];
  SondeType type = sonde_type_tensor (x->dtype, &x->shape);
  gboolean beside = sonde_node_get_int (context->node, "interleaved", 0) != 0;
  gsize n = 0;
  g_autofree gint64 *positions = sonde_kernel_ints (context, INPUT_POSITIONS, &n);
  RotarySizes s;

  (void) read_sizes (&s, context->node, &type, NULL);
  for (gint64 i = 0; i < s.batch * s.steps * s.heads; i++)
    {
      gint64 step = s.packed ? i / s.heads % s.steps : i % s.steps;
      gint64 batch = i / (s.heads * s.steps), row = batch * s.steps + step;
      gsize at = (gsize) (i * s.width) * sonde_dtype_size (x->dtype);

      if (positions != NULL)
        row = CLAMP (positions[row], 0, cosines->shape.dims[0] - 1);
      SONDE_FLOAT_CALL (x->dtype, turn, &s, beside, x->data + at, cosines->data,
                        context->inputs[INPUT_SIN]->data, row, y->data + at);
    }
}

static const SondeAttributeRule rules[] = {
  { "interleaved", SONDE_ATTRIBUTE_INT },
  { "num_heads", SONDE_ATTRIBUTE_INT, FALSE, 0, G_MAXINT32 },
  { "rotary_embedding_dim", SONDE_ATTRIBUTE_INT, FALSE, 0, G_MAXINT32 },
  { NULL },
};

const SondeOpClass sonde_ops_rotary_embedding[] = {
  {
      .domain = "",
      .name = "RotaryEmbedding",
      .since = 23,
      .min_inputs = 3,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = rules,
      .infer = infer_rotary,
      .compute = compute_rotary,
      .check = check_positions,
      .gradient = sonde_rotary_gradient,
      .decompose = sonde_decompose_rotary,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
