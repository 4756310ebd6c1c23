/* SPDX-License-Identifier: Apache-2.0
 * LSTMGrad, GRUGrad, RNNGrad with the default functions, of a node that gives its states (Y): gates
 * of all steps in two products, then backwards with one product a step, and the weights' gradients
 * in one product each. Formulas: engine/ops/rnn/sonde-recurrent-cell-gradient.c. */
#include "engine/devices/cpu/product/sonde-cpu-cell-private.h"

#include "engine/devices/cpu/sonde-cpu-math.h"

#include <string.h>

enum
{
  INPUT_X,
  INPUT_W,
  INPUT_R,
  INPUT_B,
  INPUT_H = 5,
  INPUT_C,
  INPUT_DY = 8,
  INPUT_DH,
  INPUT_DC,
  INPUT_Y,
  INPUT_SUMS,
  N_INPUTS,
};

enum
{
  OUTPUT_DX,
  OUTPUT_DW,
  OUTPUT_DR,
  OUTPUT_DB,
  OUTPUT_DH,
  OUTPUT_DC,
  N_OUTPUTS,
};

typedef enum
{
  PRODUCT_INPUT, /* X·Wᵀ */
  PRODUCT_STATE, /* H·Rᵀ, H the states before each step */
  PRODUCT_BACK,  /* of one step, and of one part: gates' gradients times R */
  PRODUCT_DX,
  PRODUCT_DW,
  PRODUCT_DR,
  PACK_BACK, /* R as PRODUCT_BACK wants it */
  N_PRIMITIVES,
} Product;

typedef struct _GradRow GradRow;

/**
 * RecurrentGradKernel:
 * @parts: of the batch's rows; @back_bytes: workspace of each one's product
 * @before … @column: places in the workspace, in bytes
 */
typedef struct
{
  SondeKernel base;
  const GradRow *row;
  SondeDnnlPrimitive *primitives[N_PRIMITIVES];
  gint64 steps, batch, inputs, hidden, parts;
  int directions;
  gboolean reverse;
  gsize back_bytes;
  gboolean has_input[N_INPUTS], has_output[N_OUTPUTS];
  gsize before, gates, recurrent, bias, cells, direct, through, dc, packed, dx, column;
} RecurrentGradKernel;

/**
 * GradCell: one row of the batch at one step
 * @gates, @recurrent: sums of W's and of R's side; then what the functions gave; then the gradients
 * of the sums
 * @sums: (nullable): all sums, where the forward node gave them
 * @h: state before; @dh: of the state after; @direct: of the state before, without what comes
 * through R
 */
typedef struct
{
  gint64 hidden;
  float *gates, *recurrent;
  const float *bias, *recurrent_bias, *sums, *h, *c;
  float *next_c, *dc, *direct;
  const float *dy, *through;
} GradCell;

/* @splits: the gradients of R's side are others than of W's, in GradCell.recurrent; @kept:
 * (nullable): forward from sums */
struct _GradRow
{
  const char *op;
  int gates;
  gboolean splits;
  void (*forward) (const GradCell *cell);
  void (*kept) (const GradCell *cell);
  void (*backward) (const GradCell *cell);
};

/* ---- cells --------------------------------------------------------------- */

/* Sum of a gate; only there n is the number of units. */
#define SUM(gate)                                                                                  \
  (cell->gates[(gate) *n + u] + cell->bias[(gate) *n + u] + cell->recurrent[(gate) *n + u])

/* What comes to the state after the step, together. */
#define STATE_GRADIENT ((dy != NULL ? dy[u] : 0) + cell->direct[u] + cell->through[u])

SONDE_CPU_CLONES static void
forward_lstm (const GradCell *cell)
{
  const gint64 n = cell->hidden;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float i = sonde_cpu_sigmoid (SUM (0)), o = sonde_cpu_sigmoid (SUM (1));
      const float f = sonde_cpu_sigmoid (SUM (2)), g = sonde_cpu_tanh (SUM (3));

      cell->gates[u] = i;
      cell->gates[n + u] = o;
      cell->gates[2 * n + u] = f;
      cell->gates[3 * n + u] = g;
      cell->next_c[u] = f * cell->c[u] + i * g;
    }
}

SONDE_CPU_CLONES static void
forward_lstm_kept (const GradCell *cell)
{
  const gint64 n = cell->hidden;
  const float *sums = cell->sums;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float i = sonde_cpu_sigmoid (sums[u]), o = sonde_cpu_sigmoid (sums[n + u]);
      const float f = sonde_cpu_sigmoid (sums[2 * n + u]), g = sonde_cpu_tanh (sums[3 * n + u]);

      cell->gates[u] = i;
      cell->gates[n + u] = o;
      cell->gates[2 * n + u] = f;
      cell->gates[3 * n + u] = g;
      cell->next_c[u] = f * cell->c[u] + i * g;
    }
}

SONDE_CPU_CLONES static void
backward_lstm (const GradCell *cell)
{
  const gint64 n = cell->hidden;
  const float *dy = cell->dy;
  float *gates = cell->gates;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float i = gates[u], o = gates[n + u], f = gates[2 * n + u], g = gates[3 * n + u];
      const float dh = STATE_GRADIENT, t = sonde_cpu_tanh (cell->next_c[u]);
      const float dc = cell->dc[u] + dh * o * (1 - t * t);

      gates[u] = dc * g * i * (1 - i);
      gates[n + u] = dh * t * o * (1 - o);
      gates[2 * n + u] = dc * cell->c[u] * f * (1 - f);
      gates[3 * n + u] = dc * i * (1 - g * g);
      cell->dc[u] = dc * f;
      cell->direct[u] = 0;
    }
}

SONDE_CPU_CLONES static void
forward_rnn (const GradCell *cell)
{
  const gint64 n = cell->hidden;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    cell->gates[u] = sonde_cpu_tanh (SUM (0));
}

SONDE_CPU_CLONES static void
backward_rnn (const GradCell *cell)
{
  const gint64 n = cell->hidden;
  const float *dy = cell->dy;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float h = cell->gates[u], dh = STATE_GRADIENT;

      cell->gates[u] = dh * (1 - h * h);
      cell->direct[u] = 0;
    }
}

/* The reset gate multiplies the product; recurrent keeps that. */
SONDE_CPU_CLONES static void
forward_gru (const GradCell *cell)
{
  const gint64 n = cell->hidden;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float z = sonde_cpu_sigmoid (SUM (0)), r = sonde_cpu_sigmoid (SUM (1));
      const float inner = cell->recurrent[2 * n + u] + cell->recurrent_bias[u];

      cell->gates[u] = z;
      cell->gates[n + u] = r;
      cell->gates[2 * n + u]
          = sonde_cpu_tanh (cell->gates[2 * n + u] + cell->bias[2 * n + u] + r * inner);
      cell->recurrent[2 * n + u] = inner;
    }
}

SONDE_CPU_CLONES static void
backward_gru (const GradCell *cell)
{
  const gint64 n = cell->hidden;
  const float *dy = cell->dy;
  float *gates = cell->gates, *recurrent = cell->recurrent;

#pragma GCC ivdep
  for (gint64 u = 0; u < n; u++)
    {
      const float z = gates[u], r = gates[n + u], candidate = gates[2 * n + u];
      const float dh = STATE_GRADIENT, inner = recurrent[2 * n + u];
      const float d = dh * (1 - z) * (1 - candidate * candidate);
      const float dz = dh * (cell->h[u] - candidate) * z * (1 - z), dr = d * inner * r * (1 - r);

      gates[u] = recurrent[u] = dz;
      gates[n + u] = recurrent[n + u] = dr;
      gates[2 * n + u] = d;
      recurrent[2 * n + u] = d * r;
      cell->direct[u] = dh * z;
    }
}

static const GradRow grad_rows[] = {
  { "GRUGrad", 3, TRUE, forward_gru, NULL, backward_gru },
  { "LSTMGrad", 4, FALSE, forward_lstm, forward_lstm_kept, backward_lstm },
  { "RNNGrad", 1, FALSE, forward_rnn, NULL, backward_rnn },
};

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  SondeCpuDevice *device;
  const RecurrentGradKernel *kernel;
  const SondeRunArguments *arguments;
  int direction;
  gint64 step;
  const float *weights; /* R for PRODUCT_BACK */
} GradCall;

static float *
scratch (const GradCall *call, gsize offset)
{
  return (float *) (void *) ((guint8 *) call->arguments->workspace + offset);
}

static const float *
given (const GradCall *call, guint k)
{
  return call->kernel->has_input[k] ? call->arguments->inputs[k] : NULL;
}

/* Place in time of the step that runs as number @i. */
static gint64
time_of (const GradCall *call, gint64 i)
{
  return call->kernel->reverse || call->direction == 1 ? call->kernel->steps - 1 - i : i;
}

static gboolean
multiply (const GradCall *call, Product product, const float *source, const float *weights,
          float *target, GError **error)
{
  void *memory[SONDE_DNNL_N_ARGUMENTS] = {
    [SONDE_DNNL_SRC] = (void *) source,
    [SONDE_DNNL_WEIGHTS] = (void *) weights,
    [SONDE_DNNL_DST] = target,
  };

  return sonde_dnnl_primitive_run (call->device->dnnl, call->kernel->primitives[product], memory,
                                   call->arguments->workspace, error);
}

/* A state, or zeros. */
static void
start_state (const GradCall *call, guint input, float *to)
{
  const gint64 size = call->kernel->batch * call->kernel->hidden;
  const float *from = given (call, input);

  if (from != NULL)
    memcpy (to, from + call->direction * size, (gsize) size * sizeof (float));
  else
    memset (to, 0, (gsize) size * sizeof (float));
}

/* States before steps, in the order of time. */
static void
states_range (gint64 begin, gint64 end, gpointer data)
{
  const GradCall *call = data;
  const RecurrentGradKernel *k = call->kernel;
  const gint64 size = k->batch * k->hidden;
  const float *y = given (call, INPUT_Y);
  float *before = scratch (call, k->before);

  if (begin == 0)
    start_state (call, INPUT_H, before + time_of (call, 0) * size);
  for (gint64 i = MAX (begin, 1); i < end; i++)
    memcpy (before + time_of (call, i) * size,
            y + (time_of (call, i - 1) * k->directions + call->direction) * size,
            (gsize) size * sizeof (float));
}

/* Biases of both sides; of a cell that splits, R's of the last gate behind them. */
static void
add_biases (const GradCall *call)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden, apart = k->row->splits ? rows - k->hidden : rows;
  const float *b = given (call, INPUT_B);
  float *bias = scratch (call, k->bias);

  memset (bias, 0, (gsize) (rows + k->hidden) * sizeof (float));
  if (b == NULL)
    return;

  b += call->direction * 2 * rows;
  for (gint64 i = 0; i < rows; i++)
    bias[i] = i < apart ? b[i] + b[rows + i] : b[i];
  for (gint64 i = apart; i < rows; i++)
    bias[rows + i - apart] = b[rows + i];
}

static GradCell
make_cell (const GradCall *call, gint64 i, gint64 b)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 step = time_of (call, i), rows = k->row->gates * k->hidden,
               size = k->batch * k->hidden;
  const gint64 row = step * k->batch + b;
  const float *dy = given (call, INPUT_DY), *sums = given (call, INPUT_SUMS);
  const gint64 block = step * k->directions + call->direction;

  return (GradCell){
    .hidden = k->hidden,
    .gates = scratch (call, k->gates) + row * rows,
    .recurrent = scratch (call, k->recurrent) + row * rows,
    .bias = scratch (call, k->bias),
    .recurrent_bias = scratch (call, k->bias) + rows,
    .h = scratch (call, k->before) + row * k->hidden,
    .c = scratch (call, k->cells) + i * size + b * k->hidden,
    .next_c = scratch (call, k->cells) + (i + 1) * size + b * k->hidden,
    .dc = scratch (call, k->dc) + b * k->hidden,
    .direct = scratch (call, k->direct) + b * k->hidden,
    .through = scratch (call, k->through) + b * k->hidden,
    .sums = sums != NULL ? sums + (block * k->batch + b) * rows : NULL,
    .dy = dy != NULL ? dy + block * size + b * k->hidden : NULL,
  };
}

static void
forward_range (gint64 begin, gint64 end, gpointer data)
{
  const GradCall *call = data;

  for (gint64 i = 0; i < call->kernel->steps; i++)
    for (gint64 b = begin; b < end; b++)
      {
        const GradCell cell = make_cell (call, i, b);

        (cell.sums != NULL ? call->kernel->row->kept : call->kernel->row->forward) (&cell);
      }
}

static void
backward_range (gint64 begin, gint64 end, gpointer data)
{
  const GradCall *call = data;

  for (gint64 b = begin; b < end; b++)
    {
      const GradCell cell = make_cell (call, call->step, b);

      call->kernel->row->backward (&cell);
    }
}

/* Gradients of the gates' sums of all steps, for some rows of the batch; on all threads where all
 * rows are one part. */
static gboolean
run_rows (gint64 part, gpointer data, GError **error)
{
  GradCall call = *(const GradCall *) data;
  const RecurrentGradKernel *k = call.kernel;
  const gint64 gates = k->row->gates * k->hidden, rows = k->batch / k->parts, first = part * rows;
  const float *gradients = scratch (&call, k->row->splits ? k->recurrent : k->gates);

  if (k->parts > 1)
    forward_range (first, first + rows, &call);
  else
    sonde_cpu_for (call.device, k->batch, 20 * k->hidden * k->steps, forward_range, &call);

  for (call.step = k->steps - 1; call.step >= 0; call.step--)
    {
      void *memory[SONDE_DNNL_N_ARGUMENTS] = {
        [SONDE_DNNL_SRC]
        = (void *) (gradients + (time_of (&call, call.step) * k->batch + first) * gates),
        [SONDE_DNNL_WEIGHTS] = (void *) call.weights,
        [SONDE_DNNL_DST] = scratch (&call, k->through) + first * k->hidden,
      };

      if (k->parts > 1)
        backward_range (first, first + rows, &call);
      else
        sonde_cpu_for (call.device, k->batch, 20 * k->hidden, backward_range, &call);
      if (!sonde_dnnl_primitive_run (
              call.device->dnnl, k->primitives[PRODUCT_BACK], memory,
              (guint8 *) call.arguments->workspace + (gsize) part * k->back_bytes, error))
        return FALSE;
    }
  return TRUE;
}

/* The same of all rows, and the gradients of the first states. */
static gboolean
run_steps (GradCall *call, GError **error)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 size = k->batch * k->hidden;
  float *through = scratch (call, k->through), *direct = scratch (call, k->direct);

  start_state (call, INPUT_DH, direct);
  start_state (call, INPUT_DC, scratch (call, k->dc));
  memset (through, 0, (gsize) size * sizeof (float));
  if (k->parts > 1 ? !sonde_cpu_run_parts (call->device, k->parts, run_rows, call, error)
                   : !run_rows (0, call, error))
    return FALSE;

  for (gint64 i = 0; i < size && k->has_output[OUTPUT_DH]; i++)
    ((float *) call->arguments->outputs[OUTPUT_DH])[call->direction * size + i]
        = direct[i] + through[i];
  if (k->has_output[OUTPUT_DC])
    memcpy ((float *) call->arguments->outputs[OUTPUT_DC] + call->direction * size,
            scratch (call, k->dc), (gsize) size * sizeof (float));
  return TRUE;
}

SONDE_CPU_CLONES static void
add_rows (gint64 rows, gint64 stride, gint64 n, const float *x, double *restrict sums)
{
  for (gint64 c = 0; c < n; c++)
    sums[c] = 0;
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < n; c++)
      sums[c] += (double) x[r * stride + c];
}

typedef struct
{
  gint64 rows, columns;
  const float *x;
  double *sums;
  float *y;
} ColumnsCall;

static void
columns_range (gint64 begin, gint64 end, gpointer data)
{
  const ColumnsCall *call = data;

  add_rows (call->rows, call->columns, end - begin, call->x + begin, call->sums + begin);
  for (gint64 i = begin; i < end; i++)
    call->y[i] = (float) call->sums[i];
}

static void
sum_biases (const GradCall *call)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden;
  float *db = k->has_output[OUTPUT_DB]
                  ? (float *) call->arguments->outputs[OUTPUT_DB] + call->direction * 2 * rows
                  : NULL;
  ColumnsCall columns = { k->steps * k->batch, rows, scratch (call, k->gates),
                          (double *) (void *) scratch (call, k->column), db };

  if (db == NULL)
    return;

  sonde_cpu_for (call->device, rows, columns.rows, columns_range, &columns);
  if (!k->row->splits)
    {
      memcpy (db + rows, db, (gsize) rows * sizeof (float));
      return;
    }
  columns.x = scratch (call, k->recurrent);
  columns.y = db + rows;
  sonde_cpu_for (call->device, rows, columns.rows, columns_range, &columns);
}

static gboolean
store_gradients (const GradCall *call, const float *w, GError **error)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden, n = k->steps * k->batch * k->inputs;
  const float *gates = scratch (call, k->gates),
              *recurrent = scratch (call, k->row->splits ? k->recurrent : k->gates);
  float *const dx = k->has_output[OUTPUT_DX] ? call->arguments->outputs[OUTPUT_DX] : NULL;
  float *more = call->direction == 0 ? dx : scratch (call, k->dx);

  sum_biases (call);
  if (dx != NULL && !multiply (call, PRODUCT_DX, gates, w, more, error))
    return FALSE;
  if (dx != NULL && more != dx)
    sonde_cpu_add (call->device, n, more, FALSE, dx);
  if (k->has_output[OUTPUT_DW]
      && !multiply (call, PRODUCT_DW, gates, call->arguments->inputs[INPUT_X],
                    (float *) call->arguments->outputs[OUTPUT_DW]
                        + call->direction * rows * k->inputs,
                    error))
    return FALSE;

  return !k->has_output[OUTPUT_DR]
         || multiply (call, PRODUCT_DR, recurrent, scratch (call, k->before),
                      (float *) call->arguments->outputs[OUTPUT_DR]
                          + call->direction * rows * k->hidden,
                      error);
}

static gboolean
run_direction (GradCall *call, GError **error)
{
  const RecurrentGradKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden;
  const float *w
      = (const float *) call->arguments->inputs[INPUT_W] + call->direction * rows * k->inputs;
  const float *r
      = (const float *) call->arguments->inputs[INPUT_R] + call->direction * rows * k->hidden;

  call->weights = r;
  sonde_cpu_for (call->device, k->steps, k->batch * k->hidden, states_range, call);
  add_biases (call);
  start_state (call, INPUT_C, scratch (call, k->cells));
  if (k->primitives[PACK_BACK] != NULL)
    {
      if (!multiply (call, PACK_BACK, r, NULL, scratch (call, k->packed), error))
        return FALSE;
      call->weights = scratch (call, k->packed);
    }
  if (!k->has_input[INPUT_SUMS]
      && (!multiply (call, PRODUCT_INPUT, call->arguments->inputs[INPUT_X], w,
                     scratch (call, k->gates), error)
          || !multiply (call, PRODUCT_STATE, scratch (call, k->before), r,
                        scratch (call, k->recurrent), error)))
    return FALSE;

  return run_steps (call, error) && store_gradients (call, w, error);
}

static gboolean
run_recurrent_grad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                    GError **error)
{
  const RecurrentGradKernel *k = (RecurrentGradKernel *) base;
  GradCall call = { .device = device, .kernel = k, .arguments = arguments };

  for (call.direction = 0; call.direction < k->directions; call.direction++)
    if (!run_direction (&call, error))
      return FALSE;

  return TRUE;
}

static void
free_recurrent_grad (SondeKernel *base)
{
  RecurrentGradKernel *kernel = (RecurrentGradKernel *) base;

  for (guint i = 0; i < N_PRIMITIVES; i++)
    sonde_dnnl_primitive_free (kernel->primitives[i]);
  g_free (kernel);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeKernel, free_recurrent_grad)

/* ---- preparing ----------------------------------------------------------- */

/* [m, k] · [k, n]; a transposed operand lies as its transpose. */
static SondeDnnlPrimitive *
new_product (SondeCpuDevice *device, gint64 m, gint64 k, gint64 n, gboolean transposed_source,
             gboolean transposed_weights)
{
  const SondeDnnlMatmul matmul = {
    .rank = 2,
    .source = { m, k },
    .source_strides = { transposed_source ? 1 : k, transposed_source ? m : 1 },
    .weights = { k, n },
    .weights_strides = { transposed_weights ? 1 : n, transposed_weights ? k : 1 },
    .target = { m, n },
    .scale = 1,
  };

  return sonde_dnnl_matmul (device->dnnl, &matmul);
}

/* [rows of a part, gates] · [gates, hidden] */
static SondeDnnlPrimitive *
new_back (SondeCpuDevice *device, const RecurrentGradKernel *k)
{
  const gint64 gates = k->row->gates * k->hidden, rows = k->batch / k->parts;
  const SondeDnnlMatmul matmul = {
    .rank = 2,
    .source = { rows, gates },
    .source_strides = { gates, 1 },
    .weights = { gates, k->hidden },
    .weights_strides = { k->hidden, 1 },
    .target = { rows, k->hidden },
    .scale = 1,
    .pack = TRUE,
  };

  return k->parts > 1 ? sonde_cpu_part_product (device, &matmul)
                      : sonde_dnnl_matmul (device->dnnl, &matmul);
}

/* R is read at each step: packed once a run. */
static void
pack_back (SondeCpuDevice *device, RecurrentGradKernel *k, gsize *bytes)
{
  const SondeShape shape = sonde_shape_make (2, k->row->gates * k->hidden, k->hidden);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeLayout *layout
      = sonde_dnnl_primitive_dup_layout (k->primitives[PRODUCT_BACK], SONDE_DNNL_WEIGHTS);

  if (layout == NULL)
    return;
  k->primitives[PACK_BACK] = sonde_dnnl_reorder (device->dnnl, &type, NULL, layout);
  *bytes = layout->bytes;
  sonde_layout_unref (layout);
}

static gboolean
make_primitives (SondeCpuDevice *device, RecurrentGradKernel *k, gsize *packed_bytes)
{
  const gint64 rows = k->row->gates * k->hidden, many = k->steps * k->batch;

  k->parts = sonde_cpu_cell_count_parts (device, k->batch);
  if (!k->has_input[INPUT_SUMS])
    {
      k->primitives[PRODUCT_INPUT] = new_product (device, many, k->inputs, rows, FALSE, TRUE);
      k->primitives[PRODUCT_STATE] = new_product (device, many, k->hidden, rows, FALSE, TRUE);
    }
  k->primitives[PRODUCT_BACK] = new_back (device, k);
  k->primitives[PRODUCT_DX] = new_product (device, many, rows, k->inputs, FALSE, FALSE);
  k->primitives[PRODUCT_DW] = new_product (device, rows, many, k->inputs, TRUE, FALSE);
  k->primitives[PRODUCT_DR] = new_product (device, rows, many, k->hidden, TRUE, FALSE);
  for (guint i = k->has_input[INPUT_SUMS] ? PRODUCT_BACK : 0; i < PACK_BACK; i++)
    if (k->primitives[i] == NULL)
      return FALSE;

  pack_back (device, k, packed_bytes);
  return *packed_bytes == 0 || k->primitives[PACK_BACK] != NULL;
}

static gsize
reserve (gsize *end, gsize bytes)
{
  gsize offset = *end;

  *end = (offset + bytes + 63) / 64 * 64;
  return offset;
}

static void
plan_workspace (SondePrepareRequest *request, RecurrentGradKernel *k, gsize packed_bytes)
{
  const gsize size = (gsize) (k->batch * k->hidden) * sizeof (float), steps = (gsize) k->steps;
  const gsize gates = (gsize) k->row->gates;
  gsize end = 0;

  for (guint i = 0; i < N_PRIMITIVES; i++)
    if (k->primitives[i] != NULL)
      end = MAX (end, sonde_dnnl_primitive_get_workspace (k->primitives[i]));

  k->back_bytes = (sonde_dnnl_primitive_get_workspace (k->primitives[PRODUCT_BACK]) + 63) / 64 * 64;
  end = MAX (end, (gsize) k->parts * k->back_bytes);
  (void) reserve (&end, 0);
  k->before = reserve (&end, steps * size);
  k->gates = reserve (&end, steps * gates * size);
  k->recurrent = reserve (&end, k->has_input[INPUT_SUMS] ? 0 : steps * gates * size);
  k->bias = reserve (&end, (gates + 1) * (gsize) k->hidden * sizeof (float));
  k->cells = reserve (&end, (steps + 1) * size);
  k->direct = reserve (&end, size);
  k->through = reserve (&end, size);
  k->dc = reserve (&end, size);
  k->packed = reserve (&end, packed_bytes);
  k->dx = reserve (&end,
                   k->directions > 1 ? steps * (gsize) (k->batch * k->inputs) * sizeof (float) : 0);
  k->column = reserve (&end, gates * (gsize) k->hidden * sizeof (double));
  request->workspace_bytes = end;
}

static const GradRow *
find_row (const SondeNode *node)
{
  for (gsize i = 0; i < G_N_ELEMENTS (grad_rows); i++)
    if (g_str_equal (grad_rows[i].op, node->op)
        && (!grad_rows[i].splits || sonde_node_get_int (node, "linear_before_reset", 0) != 0))
      return &grad_rows[i];

  return NULL;
}

/* All operands float32; the sizes. */
static gboolean
read_operands (const SondePrepareRequest *request, RecurrentGradKernel *k)
{
  SondeShape x, r, other;

  if (request->n_inputs <= INPUT_Y || !sonde_cpu_input_f32 (request, INPUT_X, &x)
      || !sonde_cpu_input_f32 (request, INPUT_R, &r)
      || !sonde_cpu_input_f32 (request, INPUT_Y, &other) || x.rank != 3 || r.rank != 3
      || other.rank != 4)
    return FALSE;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL && !sonde_cpu_input_f32 (request, i, &other))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (k->has_input); i++)
    k->has_input[i] = sonde_cpu_has_input (request, i) && (i != INPUT_SUMS || k->row->kept != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (k->has_output); i++)
    k->has_output[i] = sonde_cpu_has_output (request, i);

  k->steps = x.dims[0];
  k->batch = x.dims[1];
  k->inputs = x.dims[2];
  k->hidden = r.dims[2];
  return TRUE;
}

static SondeKernel *
prepare_recurrent_grad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const char *direction = sonde_node_get_string (request->nodes[0], "direction", "forward");
  RecurrentGradKernel *k = g_new0 (RecurrentGradKernel, 1);
  g_autoptr (SondeKernel) kernel = &k->base;
  gsize packed_bytes = 0;

  k->directions = g_ascii_strcasecmp (direction, "bidirectional") == 0 ? 2 : 1;
  k->reverse = g_ascii_strcasecmp (direction, "reverse") == 0;
  k->row = find_row (request->nodes[0]);
  if (k->row == NULL || !sonde_cpu_cell_is_usual (request, k->directions, FALSE)
      || !read_operands (request, k) || !make_primitives (device, k, &packed_bytes))
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);

  plan_workspace (request, k, packed_bytes);
  k->base.run = run_recurrent_grad;
  k->base.free = free_recurrent_grad;
  request->in_place = FALSE;
  request->implementation = "steps";
  return g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_recurrent_grad_rows[] = {
  { SONDE_DOMAIN, "GRUGrad", prepare_recurrent_grad },
  { SONDE_DOMAIN, "LSTMGrad", prepare_recurrent_grad },
  { SONDE_DOMAIN, "RNNGrad", prepare_recurrent_grad },
  { NULL, NULL, NULL },
};
