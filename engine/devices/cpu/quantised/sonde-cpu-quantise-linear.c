/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 8 bits on dense memory: QuantizeLinear, DequantizeLinear, and the group
 * DequantizeLinear, Add, perhaps Relu, QuantizeLinear. Scales and zero points are constants here;
 * what they vary over is the reference's. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include <math.h>

/* ---- loops --------------------------------------------------------------- */

static const float lowest[] = { [SONDE_DTYPE_I8] = -128, [SONDE_DTYPE_U8] = 0 };
static const float highest[] = { [SONDE_DTYPE_I8] = 127, [SONDE_DTYPE_U8] = 255 };

/* Ties to even; NaN becomes the lowest number. */
#define STORE(T, value)                                                                            \
  (T) (gint32) ((value) > low ? (value) < high ? nearbyintf (value) : high : low)

#define LOOPS(suffix, T)                                                                           \
  SONDE_CPU_CLONES static void quantise_##suffix (gint64 n, const float *x, float scale,           \
                                                  float zero, float low, float high, T *y)         \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const float value = nearbyintf (x[i] / scale) + zero;                                        \
      y[i] = STORE (T, value);                                                                     \
    }                                                                                              \
  }                                                                                                \
  SONDE_CPU_CLONES static void dequantise_##suffix (gint64 n, const T *x, float scale,             \
                                                    gint32 zero, float *y)                         \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i]                                      \
        = (float) ((gint32) x[i] - zero) * scale;                                                  \
  }                                                                                                \
  SONDE_CPU_CLONES static void add_##suffix (gint64 n, const T *a, float sa, gint32 za,            \
                                             const T *b, float sb, gint32 zb, float floor,         \
                                             float scale, float zero, float low, float high, T *y) \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const float sum = (float) ((gint32) a[i] - za) * sa + (float) ((gint32) b[i] - zb) * sb;     \
      const float value = nearbyintf ((sum < floor ? floor : sum) / scale) + zero;                 \
      y[i] = STORE (T, value);                                                                     \
    }                                                                                              \
  }
LOOPS (i8, gint8)
LOOPS (u8, guint8)

void
sonde_cpu_quantise_u8 (gint64 n, const float *x, float scale, float zero, guint8 *y)
{
  quantise_u8 (n, x, scale, zero, lowest[SONDE_DTYPE_U8], highest[SONDE_DTYPE_U8], y);
}

/* ---- QuantizeLinear, DequantizeLinear, and Add between them -------------- */

typedef enum
{
  QUANTISE,
  DEQUANTISE,
  ADD,
} LineKind;

/* @floor: of the sum, 0 with a Relu */
typedef struct
{
  SondeKernel base;
  LineKind kind;
  SondeCpuQuantity a, b, y;
  float floor;
  int inputs[2];
  gint64 n;
} LineKernel;

typedef struct
{
  const LineKernel *kernel;
  const void *a, *b;
  void *y;
} LineCall;

static void
line_range (gint64 begin, gint64 end, gpointer data)
{
  const LineCall *call = data;
  const LineKernel *k = call->kernel;
  SondeDtype dtype = k->kind == DEQUANTISE ? k->a.dtype : k->y.dtype;
  const guint8 *a = (const guint8 *) call->a + begin, *b = (const guint8 *) call->b + begin;
  guint8 *y = (guint8 *) call->y + begin;
  float low = lowest[dtype], high = highest[dtype], zero = (float) k->y.zero;
  gint64 n = end - begin;

  if (k->kind == QUANTISE && dtype == SONDE_DTYPE_U8)
    quantise_u8 (n, (const float *) call->a + begin, k->y.scale, zero, low, high, y);
  else if (k->kind == QUANTISE)
    quantise_i8 (n, (const float *) call->a + begin, k->y.scale, zero, low, high, (gint8 *) y);
  else if (k->kind == DEQUANTISE && dtype == SONDE_DTYPE_U8)
    dequantise_u8 (n, a, k->a.scale, k->a.zero, (float *) call->y + begin);
  else if (k->kind == DEQUANTISE)
    dequantise_i8 (n, (const gint8 *) a, k->a.scale, k->a.zero, (float *) call->y + begin);
  else if (dtype == SONDE_DTYPE_U8)
    add_u8 (n, a, k->a.scale, k->a.zero, b, k->b.scale, k->b.zero, k->floor, k->y.scale, zero, low,
            high, y);
  else
    add_i8 (n, (const gint8 *) a, k->a.scale, k->a.zero, (const gint8 *) b, k->b.scale, k->b.zero,
            k->floor, k->y.scale, zero, low, high, (gint8 *) y);
}

static gboolean
run_line (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const LineKernel *k = (LineKernel *) base;
  LineCall call = { k, arguments->inputs[k->inputs[0]], arguments->inputs[k->inputs[1]],
                    arguments->outputs[0] };

  sonde_cpu_for (device, k->n, 1, line_range, &call);
  return TRUE;
}

/* The result lies as the first operand does: channels-last when that is so, of its own element
 * size. */
static SondeKernel *
answer_line (SondeCpuDevice *device, SondePrepareRequest *request, const LineKernel *line,
             const char *implementation)
{
  SondeShape shape;
  LineKernel *kernel;
  gboolean last
      = sonde_cpu_lies_channels_last (request, (guint) line->inputs[0]) && !request->plain_layouts;

  if (!sonde_type_get_shape (&request->outputs[0]->type, &shape)
      || sonde_shape_n_elements (&shape) <= 0)
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL && last
        && ((int) i == line->inputs[0] || (int) i == line->inputs[1]))
      sonde_cpu_want_channels_last (device, request, i);
    else if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);
  if (last)
    sonde_cpu_give_channels_last (request, 0);

  kernel = g_memdup2 (line, sizeof *line);
  kernel->base.run = run_line;
  kernel->n = sonde_shape_n_elements (&shape);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = implementation;
  return &kernel->base;
}

static SondeKernel *
prepare_quantise (SondeCpuDevice *device, SondePrepareRequest *request)
{
  LineKernel line = { .kind = QUANTISE };

  return request->n_outputs == 1 && request->inputs[0] != NULL
                 && sonde_cpu_read_quantise (request->nodes[0], request->inputs[0], &line.y)
             ? answer_line (device, request, &line, "loop")
             : NULL;
}

static SondeKernel *
prepare_dequantise (SondeCpuDevice *device, SondePrepareRequest *request)
{
  LineKernel line = { .kind = DEQUANTISE };

  return request->n_outputs == 1 && sonde_cpu_read_dequantise (request->nodes[0], &line.a) != NULL
             ? answer_line (device, request, &line, "loop")
             : NULL;
}

/* DequantizeLinear, DequantizeLinear, Add, perhaps Relu, QuantizeLinear; @values: what is read. */
static gboolean
read_sum (SondeNode *const *nodes, guint n_nodes, LineKernel *line, SondeGraphValue *values[2])
{
  const SondeNode *add = n_nodes >= 4 ? nodes[2] : NULL, *last = nodes[n_nodes - 1];
  SondeGraphValue *sum, *y;
  SondeShape a, b;

  if (add == NULL || n_nodes > 5
      || (!sonde_node_is (add, SONDE_OP_ID_ADD)
          && (!sonde_node_is (add, SONDE_OP_ID_SUM) || add->inputs->len != 2)))
    return FALSE;

  for (guint k = 0; k < 2; k++)
    {
      const SondeGraphValue *value = sonde_node_get_input (add, k);
      const SondeNode *node
          = value->producer == nodes[0] || value->producer == nodes[1] ? value->producer : NULL;

      values[k]
          = node != NULL ? sonde_cpu_read_dequantise (node, k == 0 ? &line->a : &line->b) : NULL;
      if (values[k] == NULL)
        return FALSE;
    }

  sum = sonde_node_get_output (add, 0);
  line->floor = -INFINITY;
  if (n_nodes == 5)
    {
      if (!sonde_node_is (nodes[3], SONDE_OP_ID_RELU) || sonde_node_get_input (nodes[3], 0) != sum)
        return FALSE;
      sum = sonde_node_get_output (nodes[3], 0);
      line->floor = 0;
    }

  line->kind = ADD;
  y = sonde_node_get_output (last, 0);
  return sonde_cpu_read_quantise (last, sum, &line->y) && line->a.dtype == line->b.dtype
         && line->a.dtype == line->y.dtype && sonde_type_get_shape (&values[0]->type, &a)
         && sonde_type_get_shape (&values[1]->type, &b) && sonde_shape_equal (&a, &b) && y != NULL;
}

static gboolean
match_quantised_sum (SondeNode *const *nodes, guint n_nodes)
{
  SondeGraphValue *values[2];
  LineKernel line = { .n = 0 };

  return read_sum (nodes, n_nodes, &line, values);
}

static SondeKernel *
prepare_fused_quantised_sum (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeGraphValue *values[2];
  LineKernel line = { .n = 0 };

  if (request->n_outputs != 1 || !read_sum (request->nodes, request->n_nodes, &line, values))
    return NULL;

  line.inputs[0] = sonde_cpu_find_value (request, values[0]);
  line.inputs[1] = sonde_cpu_find_value (request, values[1]);
  return line.inputs[0] >= 0 && line.inputs[1] >= 0 ? answer_line (device, request, &line, "int8")
                                                    : NULL;
}

const SondeCpuRow sonde_cpu_quantise_linear_rows[] = {
  { "", "QuantizeLinear", prepare_quantise },
  { "", "DequantizeLinear", prepare_dequantise },
  { NULL, NULL, NULL },
};

const SondeCpuFusion sonde_cpu_quantise_linear_fusion = {
  .match = match_quantised_sum,
  .prepare = prepare_fused_quantised_sum,
};
