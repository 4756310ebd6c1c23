/* SPDX-License-Identifier: Apache-2.0
 * Element-wise nodes of float16 and bfloat16 without a float32 copy of their operands: blocks are
 * upcast, computed by the loops of float32, and rounded, while they are in the nearest cache. */
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"
#include "engine/devices/cpu/sonde-cpu-math.h"

/* Elements of a block. */
#define BLOCK 1024

/* Of bfloat16; @b: only of two operands; y may be one of them. */
typedef void (*Bf16Loop) (gint64 n, const guint16 *a, const guint16 *b, guint16 *y);

/**
 * BlocksKernel: y = a ∘ b, then y = y ∘ c for each further input; or a function of a
 * @bf16: (nullable): does it all, without blocks
 * @block: of two operands; NULL: @unary
 * @ones: operands that are one number
 * @row: elements of @bf16's second operand, which is repeated for each row of the result; 0: it
 * has the result's shape
 */
typedef struct
{
  SondeKernel base;
  SondeDtype dtype;
  SondeCpuUnary unary;
  SondeCpuBlock block;
  Bf16Loop bf16;
  gint64 n, row;
  guint n_inputs;
  guint8 ones[];
} BlocksKernel;

typedef struct
{
  const BlocksKernel *kernel;
  const SondeRunArguments *arguments;
} BlocksCall;

/* ---- loops of bfloat16 --------------------------------------------------- */

#define LOOP(name, expression)                                                                     \
  SONDE_CPU_CLONES static void name (gint64 n, const guint16 *a, const guint16 *b, guint16 *y)     \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] = (guint16) (expression);            \
  }

SONDE_CPU_CLONES static void
add (gint64 n, const guint16 *a, const guint16 *b, guint16 *y)
{
  const SondeCpuPair *from = (const SondeCpuPair *) a, *more = (const SondeCpuPair *) b;
  SondeCpuPair *to = (SondeCpuPair *) y;

#pragma GCC ivdep
  for (gint64 i = 0; i < n / 2; i++)
    to[i] = sonde_cpu_pair_join (sonde_cpu_pair_even (from[i]) + sonde_cpu_pair_even (more[i]),
                                 sonde_cpu_pair_odd (from[i]) + sonde_cpu_pair_odd (more[i]));
  if (n % 2 != 0)
    y[n - 1] = sonde_cpu_f32_to_bf16 (sonde_cpu_bf16_to_f32 (a[n - 1])
                                      + sonde_cpu_bf16_to_f32 (b[n - 1]));
}

/* Below 0, up to infinity: the sign's bit and a magnitude that is no NaN's. */
LOOP (relu, (guint16) (a[i] - 0x8001) < 0x7f80 ? 0 : a[i])
LOOP (relu_grad, (b[i] == 0) | ((guint16) (b[i] - 0x8000) <= 0x7f80) ? 0 : a[i])

typedef struct
{
  const char *op;
  Bf16Loop loop;
} Bf16Row;

static const Bf16Row bf16_rows[] = {
  { "Add", add },
  { "Relu", relu },
  { "ReluGrad", relu_grad },
};

/* NULL: by blocks. */
static Bf16Loop
find_bf16 (const SondeNode *node, const BlocksKernel *kernel)
{
  if (kernel->dtype != SONDE_DTYPE_BF16 || kernel->n_inputs > 2 || kernel->ones[0]
      || kernel->ones[kernel->n_inputs - 1])
    return NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bf16_rows); i++)
    if (g_str_equal (node->op, bf16_rows[i].op))
      return bf16_rows[i].loop;
  return NULL;
}

/* ---- running ------------------------------------------------------------- */

static void
upcast (const BlocksKernel *kernel, const void *operand, gboolean one, gint64 begin, gint64 n,
        float *to)
{
  gsize offset = one ? 0 : (gsize) begin * sonde_dtype_size (kernel->dtype);

  sonde_cpu_convert (kernel->dtype, (const guint8 *) operand + offset, SONDE_DTYPE_F32, to,
                     one ? 1 : (gsize) n);
}

static void
compute_block (const BlocksCall *call, gint64 begin, gint64 n)
{
  const BlocksKernel *kernel = call->kernel;
  void *const *inputs = call->arguments->inputs;
  float a[BLOCK], b[BLOCK], y[BLOCK];
  guint8 *operands[] = { (guint8 *) a, (guint8 *) b, (guint8 *) y };
  SondeCpuGrid grid = { .m = 1, .n = n };

  upcast (kernel, inputs[0], kernel->ones[0], begin, n, a);
  if (kernel->block == NULL)
    kernel->unary.loop (n, a, y, kernel->unary.alpha, kernel->unary.beta);
  for (guint k = 1; k < kernel->n_inputs && kernel->block != NULL; k++)
    {
      upcast (kernel, inputs[k], kernel->ones[k], begin, n, b);
      grid.steps[0] = k > 1 || !kernel->ones[0];
      grid.steps[1] = !kernel->ones[k];
      grid.steps[2] = 1;
      kernel->block (&grid, 1, n, operands, NULL);
      operands[0] = operands[2];
    }

  sonde_cpu_convert (SONDE_DTYPE_F32, y, kernel->dtype,
                     (guint8 *) call->arguments->outputs[0]
                         + (gsize) begin * sonde_dtype_size (kernel->dtype),
                     (gsize) n);
}

static void
blocks_range (gint64 begin, gint64 end, gpointer data)
{
  for (gint64 at = begin; at < end; at += BLOCK)
    compute_block (data, at, MIN (BLOCK, end - at));
}

static void
bf16_range (gint64 begin, gint64 end, gpointer data)
{
  const BlocksCall *call = data;
  const BlocksKernel *kernel = call->kernel;
  const guint16 *a = call->arguments->inputs[0],
                *b = kernel->n_inputs > 1 ? call->arguments->inputs[1] : NULL;
  guint16 *y = call->arguments->outputs[0];

  for (gint64 at = begin, n; at < end; at += n)
    {
      const gint64 column = kernel->row > 0 ? at % kernel->row : at;

      n = kernel->row > 0 ? MIN (kernel->row - column, end - at) : end - at;
      kernel->bf16 (n, a + at, b != NULL ? b + column : NULL, y + at);
    }
}

static gboolean
run_blocks (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const BlocksKernel *kernel = (BlocksKernel *) base;
  BlocksCall call = { kernel, arguments };

  sonde_cpu_for (device, kernel->n, kernel->block != NULL ? kernel->n_inputs : kernel->unary.cost,
                 kernel->bf16 != NULL ? bf16_range : blocks_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* Whether @shape is that of the last dimensions of @result. */
static gboolean
is_row (const SondeShape *shape, const SondeShape *result)
{
  for (int i = 1; i <= shape->rank; i++)
    if (i > result->rank || shape->dims[shape->rank - i] != result->dims[result->rank - i])
      return FALSE;
  return shape->rank > 0;
}

/* All of one half type, and of the result's shape or one number; the second also a row of a plain
 * first one. */
static gboolean
read_operands (const SondePrepareRequest *request, BlocksKernel *kernel)
{
  SondeShape result, shape;

  if (!sonde_cpu_has_output (request, 0) || request->outputs[0]->type.dtype != kernel->dtype
      || !sonde_type_get_shape (&request->outputs[0]->type, &result)
      || sonde_shape_n_elements (&result) <= 0)
    return FALSE;

  kernel->n = sonde_shape_n_elements (&result);
  for (guint k = 0; k < request->n_inputs; k++)
    {
      if (!sonde_cpu_has_input (request, k) || request->inputs[k]->type.dtype != kernel->dtype
          || !sonde_type_get_shape (&request->inputs[k]->type, &shape))
        return FALSE;

      kernel->ones[k] = !sonde_shape_equal (&shape, &result);
      if (k == 1 && kernel->ones[k] && !kernel->ones[0] && request->input_layouts[0] == NULL
          && is_row (&shape, &result))
        {
          kernel->ones[k] = FALSE;
          kernel->row = sonde_shape_n_elements (&shape);
        }
      if (kernel->ones[k] && !sonde_cpu_is_one (&shape, &result))
        return FALSE;
    }

  return TRUE;
}

/* Channels-last where an operand of the result's shape lies so, else plain. */
static void
agree (SondeCpuDevice *device, SondePrepareRequest *request, const BlocksKernel *kernel)
{
  SondeLayout *layout = NULL;

  for (guint k = 0; k < request->n_inputs && layout == NULL && kernel->row == 0; k++)
    if (!kernel->ones[k] && request->input_layouts[k] != NULL
        && request->input_layouts[k]->channels_last)
      layout = sonde_layout_ref (request->input_layouts[k]);
  for (guint k = 0; k < request->n_inputs; k++)
    sonde_cpu_want_same (device, request, k, kernel->ones[k] || kernel->row > 0 ? NULL : layout);

  request->output_layouts[0] = layout;
  request->workspace_bytes = 0;
  request->implementation = "loop";
}

SondeKernel *
sonde_cpu_prepare_half_blocks (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  SondeCpuBlock block = sonde_cpu_find_loop (node);
  g_autofree BlocksKernel *kernel = NULL;

  if (request->n_nodes != 1 || request->n_inputs < 1 || request->n_outputs != 1
      || !sonde_cpu_has_input (request, 0))
    return NULL;

  kernel = g_malloc0 (sizeof (BlocksKernel) + request->n_inputs);
  kernel->base.run = run_blocks;
  kernel->dtype = request->inputs[0]->type.dtype;
  kernel->n_inputs = request->n_inputs;
  kernel->block = block;
  if (kernel->dtype != SONDE_DTYPE_BF16 && kernel->dtype != SONDE_DTYPE_F16)
    return NULL;
  if (block != NULL ? request->n_inputs < 2
                    : request->n_inputs != 1 || !sonde_cpu_find_unary (node, &kernel->unary)
                          || kernel->unary.clip)
    return NULL;
  if (!read_operands (request, kernel))
    return NULL;

  kernel->bf16 = find_bf16 (node, kernel);
  if (kernel->row > 0 && kernel->bf16 == NULL)
    return NULL;

  agree (device, request, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}
