/* SPDX-License-Identifier: Apache-2.0
 * Numbers of 8 bits: convolutions of integers through oneDNN, and on dense memory QuantizeLinear, DequantizeLinear
 * and the groups DequantizeLinear, Add or MaxPool, Relu, QuantizeLinear. Scales and zero points are constants here;
 * what they vary over other than output channels of weights is the reference's. */
#include "engine/devices/cpu/sonde-cpu-fused-private.h"

#include "engine/ops/sonde-window.h"

#include <math.h>
#include <string.h>

/* A value of 8 bits stands for (q − zero) · scale. */
typedef struct
{
  SondeDtype dtype;
  float scale;
  gint32 zero;
} Quantity;

static gboolean
read_quantity (const SondeGraphValue *scale,
               const SondeGraphValue *zero,
               SondeDtype             dtype,
               Quantity              *quantity)
{
  SondeTensor *tensor = zero != NULL && zero->role == SONDE_ROLE_CONSTANT && zero->constant != NULL
                          ? sonde_value_get_tensor (zero->constant)
                          : NULL;

  quantity->dtype = dtype;
  quantity->zero = 0;
  if ((dtype != SONDE_DTYPE_I8 && dtype != SONDE_DTYPE_U8) || !sonde_cpu_read_scalar (scale, &quantity->scale)
      || !(quantity->scale > 0) || (zero != NULL && (tensor == NULL || sonde_tensor_n_elements (tensor) != 1)))
    return FALSE;

  if (tensor != NULL)
    quantity->zero = (gint32) sonde_tensor_get_int (tensor, 0);
  return TRUE;
}

static SondeDtype
dtype_of (const SondeGraphValue *value)
{
  return value != NULL ? value->type.dtype : SONDE_DTYPE_INVALID;
}

/* DequantizeLinear of 8 bits to float32 with one scale; what it reads. */
static SondeGraphValue *
read_dequantise (const SondeNode *node,
                 Quantity        *quantity)
{
  SondeGraphValue *x = sonde_node_get_input (node, 0);

  return sonde_node_is_op (node, "DequantizeLinear") && dtype_of (sonde_node_get_output (node, 0)) == SONDE_DTYPE_F32
             && read_quantity (sonde_node_get_input (node, 1), sonde_node_get_input (node, 2), dtype_of (x), quantity)
           ? x
           : NULL;
}

static gboolean
read_quantise (const SondeNode       *node,
               const SondeGraphValue *value,
               Quantity              *quantity)
{
  return sonde_node_is_op (node, "QuantizeLinear") && sonde_node_get_input (node, 0) == value
         && dtype_of (value) == SONDE_DTYPE_F32
         && read_quantity (sonde_node_get_input (node, 1), sonde_node_get_input (node, 2),
                           dtype_of (sonde_node_get_output (node, 0)), quantity);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static const float lowest[] = { [SONDE_DTYPE_I8] = -128, [SONDE_DTYPE_U8] = 0 };
static const float highest[] = { [SONDE_DTYPE_I8] = 127, [SONDE_DTYPE_U8] = 255 };

/* Ties to even; NaN becomes the lowest number. */
#define STORE(T, value) (T) (gint32) ((value) > low ? (value) < high ? nearbyintf (value) : high : low)

#define LOOPS(suffix, T)                                                                                       \
  SONDE_CPU_CLONES static void quantise_##suffix (gint64 n, const float *x, float scale, float zero, float low, \
                                                  float high, T *y)                                            \
  {                                                                                                            \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                                       \
    {                                                                                                          \
      const float value = nearbyintf (x[i] / scale) + zero;                                                    \
      y[i] = STORE (T, value);                                                                                 \
    }                                                                                                          \
  }                                                                                                            \
  SONDE_CPU_CLONES static void dequantise_##suffix (gint64 n, const T *x, float scale, gint32 zero, float *y)  \
  {                                                                                                            \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] = (float) ((gint32) x[i] - zero) * scale;        \
  }                                                                                                            \
  SONDE_CPU_CLONES static void add_##suffix (gint64 n, const T *a, float sa, gint32 za, const T *b, float sb,  \
                                             gint32 zb, float floor, float scale, float zero, float low,       \
                                             float high, T *y)                                                 \
  {                                                                                                            \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                                       \
    {                                                                                                          \
      const float sum = (float) ((gint32) a[i] - za) * sa + (float) ((gint32) b[i] - zb) * sb;                 \
      const float value = nearbyintf ((sum < floor ? floor : sum) / scale) + zero;                             \
      y[i] = STORE (T, value);                                                                                 \
    }                                                                                                          \
  }                                                                                                            \
  SONDE_CPU_CLONES static void largest_##suffix (gint64 n, const T *x, T *y)                                   \
  {                                                                                                            \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y[i] = x[i] > y[i] ? x[i] : y[i];                     \
  }
LOOPS (i8, gint8)
LOOPS (u8, guint8)

/* ---- QuantizeLinear, DequantizeLinear, and Add between them --------------------------------------------- */

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
  Quantity a, b, y;
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
line_range (gint64   begin,
            gint64   end,
            gpointer data)
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
    add_u8 (n, a, k->a.scale, k->a.zero, b, k->b.scale, k->b.zero, k->floor, k->y.scale, zero, low, high, y);
  else
    add_i8 (n, (const gint8 *) a, k->a.scale, k->a.zero, (const gint8 *) b, k->b.scale, k->b.zero, k->floor,
            k->y.scale, zero, low, high, (gint8 *) y);
}

static gboolean
run_line (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const LineKernel *k = (LineKernel *) base;
  LineCall call = { k, arguments->inputs[k->inputs[0]], arguments->inputs[k->inputs[1]], arguments->outputs[0] };

  sonde_cpu_for (device, k->n, 1, line_range, &call);
  return TRUE;
}

/* The result lies as the first operand does: channels-last when that is so, of its own element size. */
static SondeKernel *
answer_line (SondeCpuDevice      *device,
             SondePrepareRequest *request,
             const LineKernel    *line,
             const char          *implementation)
{
  SondeShape shape;
  LineKernel *kernel;
  gboolean last = sonde_cpu_lies_channels_last (request, (guint) line->inputs[0]) && !request->plain_layouts;

  if (!sonde_type_get_shape (&request->outputs[0]->type, &shape) || sonde_shape_n_elements (&shape) <= 0)
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL && last && ((int) i == line->inputs[0] || (int) i == line->inputs[1]))
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
prepare_quantise (SondeCpuDevice      *device,
                  SondePrepareRequest *request)
{
  LineKernel line = { .kind = QUANTISE };

  return request->n_outputs == 1 && request->inputs[0] != NULL
             && read_quantise (request->nodes[0], request->inputs[0], &line.y)
           ? answer_line (device, request, &line, "loop")
           : NULL;
}

static SondeKernel *
prepare_dequantise (SondeCpuDevice      *device,
                    SondePrepareRequest *request)
{
  LineKernel line = { .kind = DEQUANTISE };

  return request->n_outputs == 1 && read_dequantise (request->nodes[0], &line.a) != NULL
           ? answer_line (device, request, &line, "loop")
           : NULL;
}

/* DequantizeLinear, DequantizeLinear, Add, perhaps Relu, QuantizeLinear; @values: what is read. */
static gboolean
read_sum (SondeNode *const *nodes,
          guint             n_nodes,
          LineKernel       *line,
          SondeGraphValue  *values[2])
{
  const SondeNode *add = n_nodes >= 4 ? nodes[2] : NULL, *last = nodes[n_nodes - 1];
  SondeGraphValue *sum, *y;
  SondeShape a, b;

  if (add == NULL || n_nodes > 5 || !sonde_node_is_op (add, "Add"))
    return FALSE;

  for (guint k = 0; k < 2; k++)
    {
      const SondeGraphValue *value = sonde_node_get_input (add, k);
      const SondeNode *node = value->producer == nodes[0] || value->producer == nodes[1] ? value->producer : NULL;

      values[k] = node != NULL ? read_dequantise (node, k == 0 ? &line->a : &line->b) : NULL;
      if (values[k] == NULL)
        return FALSE;
    }

  sum = sonde_node_get_output (add, 0);
  line->floor = -INFINITY;
  if (n_nodes == 5)
    {
      if (!sonde_node_is_op (nodes[3], "Relu") || sonde_node_get_input (nodes[3], 0) != sum)
        return FALSE;
      sum = sonde_node_get_output (nodes[3], 0);
      line->floor = 0;
    }

  line->kind = ADD;
  y = sonde_node_get_output (last, 0);
  return read_quantise (last, sum, &line->y) && line->a.dtype == line->b.dtype && line->a.dtype == line->y.dtype
         && sonde_type_get_shape (&values[0]->type, &a) && sonde_type_get_shape (&values[1]->type, &b)
         && sonde_shape_equal (&a, &b) && y != NULL;
}

gboolean
sonde_cpu_can_fuse_quantised_sum (SondeNode *const *nodes,
                                  guint             n_nodes)
{
  SondeGraphValue *values[2];
  LineKernel line = { .n = 0 };

  return read_sum (nodes, n_nodes, &line, values);
}

SondeKernel *
sonde_cpu_prepare_fused_quantised_sum (SondeCpuDevice      *device,
                                       SondePrepareRequest *request)
{
  SondeGraphValue *values[2];
  LineKernel line = { .n = 0 };

  if (request->n_outputs != 1 || !read_sum (request->nodes, request->n_nodes, &line, values))
    return NULL;

  line.inputs[0] = sonde_cpu_find_value (request, values[0]);
  line.inputs[1] = sonde_cpu_find_value (request, values[1]);
  return line.inputs[0] >= 0 && line.inputs[1] >= 0 ? answer_line (device, request, &line, "int8") : NULL;
}

/* ---- MaxPool between them ------------------------------------------------------------------------------- */

typedef struct
{
  SondeKernel base;
  SondeDtype dtype;
  SondeDnnlWindow window; /* of two dimensions; @weight only its sizes */
} LargestKernel;

typedef struct
{
  const LargestKernel *kernel;
  const guint8 *x;
  guint8 *y;
} LargestCall;

static void
largest_range (gint64   begin,
               gint64   end,
               gpointer data)
{
  const LargestCall *call = data;
  const SondeDnnlWindow *w = &call->kernel->window;
  const gint64 *in = w->input.dims, *out = w->output.dims;
  gint64 channels = in[1];

  for (gint64 p = begin; p < end; p++)
    {
      gint64 n = p / (out[2] * out[3]), row = p / out[3] % out[2], column = p % out[3];
      guint8 *y = call->y + p * channels;

      memset (y, call->kernel->dtype == SONDE_DTYPE_I8 ? 0x80 : 0, (gsize) channels);
      for (gint64 i = 0; i < w->weight.dims[2]; i++)
        for (gint64 j = 0; j < w->weight.dims[3]; j++)
          {
            gint64 r = row * w->strides[0] - w->begins[0] + i * w->dilations[0];
            gint64 c = column * w->strides[1] - w->begins[1] + j * w->dilations[1];
            const guint8 *x = call->x + ((n * in[2] + r) * in[3] + c) * channels;

            if (r < 0 || r >= in[2] || c < 0 || c >= in[3])
              continue;
            if (call->kernel->dtype == SONDE_DTYPE_U8)
              largest_u8 (channels, x, y);
            else
              largest_i8 (channels, (const gint8 *) x, (gint8 *) y);
          }
    }
}

static gboolean
run_largest (SondeCpuDevice          *device,
             SondeKernel             *base,
             const SondeRunArguments *arguments,
             GError                 **error)
{
  const LargestKernel *k = (LargestKernel *) base;
  const SondeDnnlWindow *w = &k->window;
  LargestCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  sonde_cpu_for (device, w->output.dims[0] * w->output.dims[2] * w->output.dims[3],
                 w->input.dims[1] * w->weight.dims[2] * w->weight.dims[3], largest_range, &call);
  return TRUE;
}

/* DequantizeLinear, MaxPool, QuantizeLinear of one scale and zero point: the largest integer. */
static gboolean
read_largest (SondeNode *const *nodes,
              guint             n_nodes,
              LargestKernel    *kernel)
{
  SondeWindow window;
  SondeDnnlWindow *w = &kernel->window;
  SondeGraphValue *x = NULL, *y = n_nodes == 3 ? sonde_node_get_output (nodes[1], 0) : NULL;
  Quantity from, to;

  if (n_nodes == 3 && sonde_node_is_op (nodes[1], "MaxPool") && sonde_node_get_output (nodes[1], 1) == NULL)
    x = read_dequantise (nodes[0], &from);
  if (x == NULL || sonde_node_get_input (nodes[1], 0) != sonde_node_get_output (nodes[0], 0)
      || !read_quantise (nodes[2], y, &to) || from.dtype != to.dtype || from.zero != to.zero
      || from.scale != to.scale || !sonde_type_get_shape (&x->type, &w->input)
      || !sonde_type_get_shape (&y->type, &w->output) || w->input.rank != 4 || w->output.rank != 4
      || sonde_node_get_int (nodes[1], "storage_order", 0) != 0
      || !sonde_window_read (nodes[1], 2, w->input.dims + 2, NULL, &window, NULL))
    return FALSE;

  kernel->dtype = from.dtype;
  w->weight = w->input;
  for (int i = 0; i < 2; i++)
    {
      w->weight.dims[2 + i] = window.kernel[i];
      w->strides[i] = window.stride[i];
      w->dilations[i] = window.dilation[i];
      w->begins[i] = window.before[i];
    }

  return TRUE;
}

gboolean
sonde_cpu_can_fuse_quantised_pool (SondeNode *const *nodes,
                                   guint             n_nodes)
{
  LargestKernel kernel = { .dtype = SONDE_DTYPE_INVALID };

  return read_largest (nodes, n_nodes, &kernel);
}

SondeKernel *
sonde_cpu_prepare_fused_quantised_pool (SondeCpuDevice      *device,
                                        SondePrepareRequest *request)
{
  g_autofree LargestKernel *kernel = g_new0 (LargestKernel, 1);

  if (request->plain_layouts || request->n_outputs != 1
      || !read_largest (request->nodes, request->n_nodes, kernel)
      || sonde_cpu_find_input (request, 0, 0) != 0 || sonde_shape_n_elements (&kernel->window.output) <= 0)
    return NULL;

  for (guint i = 1; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_give_channels_last (request, 0);
  kernel->base.run = run_largest;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "int8";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

/* ---- QLinearConv ---------------------------------------------------------------------------------------- */

static SondeTensor *
constant_of (const SondeGraphValue *value)
{
  return value != NULL && value->role == SONDE_ROLE_CONSTANT && value->constant != NULL
           ? sonde_value_get_tensor (value->constant)
           : NULL;
}

static gboolean
is_zero (const SondeGraphValue *value)
{
  SondeTensor *tensor = constant_of (value);

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != 0)
      return FALSE;

  return tensor != NULL;
}

/* What each sum of products is multiplied by. */
static float *
find_scales (const SondePrepareRequest *request,
             const Quantity            *x,
             const Quantity            *y,
             gint64                     channels,
             guint                     *n_scales)
{
  SondeTensor *weights = constant_of (request->inputs[4]);
  gint64 n = weights != NULL && weights->dtype == SONDE_DTYPE_F32 ? sonde_tensor_n_elements (weights) : 0;
  float *scales;

  if (n != 1 && n != channels)
    return NULL;

  scales = g_new (float, n);
  for (gint64 c = 0; c < n; c++)
    scales[c] = (float) ((double) x->scale * sonde_tensor_get_double (weights, c) / (double) y->scale);
  *n_scales = (guint) n;
  return scales;
}

static SondeKernel *
prepare_convolution (SondeCpuDevice      *device,
                     SondePrepareRequest *request)
{
  gboolean bias = sonde_cpu_has_input (request, 8);
  SondeDnnlWindow window = { .plain = FALSE, .bias = bias, .bias_dtype = SONDE_DTYPE_I32 };
  g_autofree float *scales = NULL;
  SondeLayout *layout;
  SondeCpuPrimitiveKernel *kernel;
  SondeDnnlPrimitive *primitive;
  Quantity x, y;

  if (request->plain_layouts || request->n_outputs != 1 || request->n_inputs < 8 || request->inputs[0] == NULL
      || !read_quantity (request->inputs[1], request->inputs[2], dtype_of (request->inputs[0]), &x)
      || !read_quantity (request->inputs[6], request->inputs[7], dtype_of (request->outputs[0]), &y)
      || dtype_of (request->inputs[3]) != SONDE_DTYPE_I8 || !request->constant_inputs[3]
      || !is_zero (request->inputs[5])
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[0], request->inputs[3], request->outputs[0],
                                 &window)
      || sonde_shape_n_elements (&window.output) <= 0 || sonde_shape_n_elements (&window.input) <= 0)
    return NULL;

  scales = find_scales (request, &x, &y, window.output.dims[1], &window.n_scales);
  window.scales = scales;
  window.source_zero = x.zero;
  window.target_zero = y.zero;
  window.source_dtype = x.dtype;
  window.weight_dtype = SONDE_DTYPE_I8;
  window.target_dtype = y.dtype;
  primitive = scales != NULL ? sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &window) : NULL;
  if (primitive == NULL)
    return NULL;

  for (guint i = 1; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, 0);
  layout = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_WEIGHTS);
  sonde_prepare_request_set_layout (&device->base, request, 3, layout);
  sonde_layout_unref (layout);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_WEIGHTS] = 3;
  if (bias)
    kernel->operand[SONDE_DNNL_BIAS] = 8;
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_quantised_rows[] = {
  { "", "QuantizeLinear", prepare_quantise },
  { "", "DequantizeLinear", prepare_dequantise },
  { "", "QLinearConv", prepare_convolution },
  { NULL, NULL, NULL },
};
