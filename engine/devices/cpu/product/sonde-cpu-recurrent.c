/* SPDX-License-Identifier: Apache-2.0
 * LSTM, GRU, RNN with their default functions: one product for the inputs of all steps, then a
 * product of rows and the gates' functions for each step. Directions run beside each other; a big
 * cell is cut into parts of its units. */
#include "engine/devices/cpu/product/sonde-cpu-cell-private.h"
#include "engine/devices/cpu/product/sonde-cpu-product.h"
#include "engine/ops/rnn/sonde-recurrent.h"

#include <string.h>

/* Multiplications of one step that make it worth to wait for another thread after each. */
#define WORTH_A_PART 200000
#define UNITS 16
/* Rows of the batch from which a primitive with packed weights is the faster product of a step. */
#define WIDE 8

enum
{
  INPUT_X,
  INPUT_W,
  INPUT_R,
  INPUT_B,
  INPUT_LENGTHS,
  INPUT_H,
  INPUT_C,
  INPUT_P,
};

/**
 * RecurrentKernel:
 * @primitive: the inputs' product of all steps; @step: (nullable): the states' product of one step,
 *   of a wide batch or one of its @parts, each of which has @step_bytes of workspace
 * @quantised: the states' product reads the state as 8 bits hold it
 * @product … @reset: places in the workspace, in bytes
 */
typedef struct
{
  SondeKernel base;
  const SondeCpuCellRow *row;
  SondeDnnlPrimitive *primitive, *step;
  gint64 steps, batch, inputs, hidden, parts;
  int directions;
  gboolean reverse, has_bias, quantised;
  gboolean has_input[8], has_output[4];
  gsize step_bytes, product, recurrent, bias, state, memory, reset;
} RecurrentKernel;

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  const RecurrentKernel *kernel;
  const SondeRunArguments *arguments;
  guint8 *workspace;
} RecurrentCall;

static float *
scratch (const RecurrentCall *call, gsize offset)
{
  return (float *) (void *) (call->workspace + offset);
}

/* The lengths of the batch's sequences, NULL: all steps. */
static const gint32 *
get_lengths (const RecurrentCall *call)
{
  return call->kernel->has_input[INPUT_LENGTHS] ? call->arguments->inputs[INPUT_LENGTHS] : NULL;
}

/* The state that step @step leaves: a place in Y, or one of two in turn; so too with lengths, as Y
 * then has zeros behind the end of a sequence, whose state stays. */
static float *
state_after (const RecurrentCall *call, int direction, gint64 count, gint64 step)
{
  const RecurrentKernel *k = call->kernel;
  gint64 size = k->batch * k->hidden;

  if (k->has_output[0] && !k->has_input[INPUT_LENGTHS])
    return (float *) call->arguments->outputs[0] + (step * k->directions + direction) * size;
  return scratch (call, k->state) + (direction * 2 + count % 2) * size;
}

/* Biases of both products where they are only added: [directions, gates, hidden], then GRU's of the
 * candidate. */
static void
add_biases (const RecurrentCall *call)
{
  const RecurrentKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden;
  float *sums = scratch (call, k->bias), *apart = sums + k->directions * rows;
  const float *b = k->has_bias ? call->arguments->inputs[INPUT_B] : NULL;

  if (b == NULL)
    {
      memset (sums, 0, (gsize) (k->directions * (rows + k->hidden)) * sizeof (float));
      return;
    }

  for (int d = 0; d < k->directions; d++, b += 2 * rows)
    for (gint64 i = 0; i < rows; i++)
      {
        gboolean candidate = k->row->gates == 3 && i >= 2 * k->hidden;

        sums[d * rows + i] = candidate ? b[i] : b[i] + b[rows + i];
        if (candidate)
          apart[d * k->hidden + i - 2 * k->hidden] = b[rows + i];
      }
}

/* The products of one step for the units @first to before @end: gates @from to before @to of all
 * rows. */
static void
multiply (const RecurrentCall *call, int direction, int from, int to, gint64 first, gint64 end,
          const float *h)
{
  const RecurrentKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden;
  const float *weights
      = (const float *) call->arguments->inputs[INPUT_R] + direction * k->hidden * rows;
  float *recurrent = scratch (call, k->recurrent) + direction * k->batch * rows;

  for (int g = from; g < to; g++)
    {
      gint64 column = g * k->hidden + first, n = end - first;

      /* Gates of whole cells lie beside each other. */
      if (n == k->hidden)
        {
          n *= to - from;
          g = to;
        }
      sonde_cpu_product (k->batch, k->hidden, n, h, k->hidden, weights + column, rows,
                         recurrent + column, rows);
    }
}

/* What a step of a sequence with a length leaves in Y, for the units @first to before @end of a
 * row. */
static void
store_step (const RecurrentCall *call, int direction, gint64 step, gint64 row, gint64 first,
            gint64 end, gboolean inside, const float *new_h)
{
  const RecurrentKernel *k = call->kernel;
  const gsize bytes = (gsize) (end - first) * sizeof (float);
  float *y = call->arguments->outputs[0];

  if (!k->has_output[0])
    return;

  y += ((step * k->directions + direction) * k->batch + row) * k->hidden + first;
  if (inside)
    memcpy (y, new_h + first, bytes);
  else
    memset (y, 0, bytes);
}

static void
run_cells (const RecurrentCall *call, int direction, gint64 step, gint64 row, gint64 n_rows,
           gint64 first, gint64 end, const float *h, float *new_h,
           void (*function) (const SondeCpuCell *cell))
{
  const RecurrentKernel *k = call->kernel;
  const gint64 rows = k->row->gates * k->hidden, size = k->batch * k->hidden;
  const float *product = scratch (call, k->product) + direction * k->steps * k->batch * rows;
  const float *bias = scratch (call, k->bias);
  const gint32 *lengths = get_lengths (call);
  float *sums = k->has_output[3] ? (float *) call->arguments->outputs[3]
                                       + (step * k->directions + direction) * k->batch * rows
                                 : NULL;

  for (gint64 b = row; b < row + n_rows; b++)
    {
      const SondeCpuCell cell = {
        .hidden = k->hidden,
        .first = first,
        .end = end,
        .input = product + (step * k->batch + b) * rows,
        .recurrent = scratch (call, k->recurrent) + (direction * k->batch + b) * rows,
        .bias = bias + direction * rows,
        .recurrent_bias = bias + k->directions * rows + direction * k->hidden,
        .h = h + b * k->hidden,
        .c = scratch (call, k->memory) + direction * size + b * k->hidden,
        .new_h = new_h + b * k->hidden,
        .reset = scratch (call, k->reset) + direction * size + b * k->hidden,
        .sums = sums != NULL ? sums + b * rows : NULL,
      };
      const gboolean inside = lengths == NULL || step < lengths[b];

      if (inside)
        function (&cell);
      else if (function == k->row->finish)
        memcpy (cell.new_h + first, cell.h + first, (gsize) (end - first) * sizeof (float));
      else
        memset (cell.reset + first, 0, (gsize) (end - first) * sizeof (float));
      if (lengths != NULL && function == k->row->finish)
        store_step (call, direction, step, b, first, end, inside, cell.new_h);
    }
}

/* The state that the product of @step reads, with one scale for all that the step before made: a
 * sequence that ended there still counts. Each part of a step makes it for itself: little beside the product. */
static const float *
round_state (const RecurrentCall *call, gint64 step, const float *h, float *rounded)
{
  const RecurrentKernel *k = call->kernel;
  const gint32 *lengths = get_lengths (call);
  float range[2] = { 0, 0 };

  for (gint64 b = 0; b < k->batch; b++)
    if (lengths == NULL || step <= lengths[b])
      sonde_recurrent_extend_range (h + b * k->hidden, k->hidden, range);
  sonde_recurrent_round (h, k->batch * k->hidden, range, rounded);
  return rounded;
}

/* All steps of one direction for a part of its units; @parts others do the rest and are waited
 * for. */
static void
run_direction (const RecurrentCall *call, int direction, gint64 first, gint64 end, gboolean parts)
{
  const RecurrentKernel *k = call->kernel;
  const gint64 size = k->batch * k->hidden;
  const float *h = scratch (call, k->state) + (k->directions * 2 + direction) * size;
  const int split = k->row->first_half != NULL ? 2 : k->row->gates;
  g_autofree float *rounded = k->quantised ? g_new (float, size) : NULL;

  for (gint64 i = 0; i < k->steps; i++)
    {
      gint64 step = k->reverse || direction == 1 ? k->steps - 1 - i : i;
      float *new_h = state_after (call, direction, i, step);

      multiply (call, direction, 0, split, first, end,
                k->quantised ? round_state (call, step, h, rounded) : h);
      if (k->row->first_half != NULL)
        {
          run_cells (call, direction, step, 0, k->batch, first, end, h, new_h, k->row->first_half);
          if (parts)
            {
#pragma omp barrier
            }
          multiply (call, direction, split, k->row->gates, first, end,
                    scratch (call, k->reset) + direction * size);
        }
      run_cells (call, direction, step, 0, k->batch, first, end, h, new_h, k->row->finish);
      if (parts)
        {
#pragma omp barrier
        }
      h = new_h;
    }
}

static gboolean
run_whole_direction (gint64 direction, gpointer call, GError **error)
{
  const RecurrentKernel *k = ((const RecurrentCall *) call)->kernel;

  run_direction (call, (int) direction, 0, k->hidden, FALSE);
  return TRUE;
}

static void
run_part (int part, int parts, gpointer data)
{
  const RecurrentCall *call = data;
  const RecurrentKernel *k = call->kernel;
  const gint64 blocks = (k->hidden + UNITS - 1) / UNITS;
  const gint64 first = blocks * part / parts * UNITS,
               end = MIN (blocks * (part + 1) / parts * UNITS, k->hidden);

  for (int direction = 0; direction < k->directions; direction++)
    run_direction (call, direction, first, end, parts > 1);
}

typedef struct
{
  const RecurrentCall *call;
  gint64 step;
  const float *h;
  float *new_h;
} WideCall;

typedef struct
{
  SondeCpuDevice *device;
  const RecurrentCall *call;
} PartsCall;

static void
wide_range (gint64 begin, gint64 end, gpointer data)
{
  const WideCall *wide = data;
  const RecurrentKernel *k = wide->call->kernel;

  run_cells (wide->call, 0, wide->step, 0, k->batch, begin, end, wide->h, wide->new_h,
             k->row->finish);
}

/* All steps of some rows of a wide batch in one direction: a primitive, then the cells; these on
 * all threads where all rows are one part. */
static gboolean
run_rows (gint64 part, gpointer data, GError **error)
{
  const PartsCall *parts = data;
  const RecurrentCall *call = parts->call;
  const RecurrentKernel *k = call->kernel;
  const gint64 rows = k->batch / k->parts, first = part * rows;
  WideCall wide = { .call = call, .h = scratch (call, k->state) + 2 * k->batch * k->hidden };

  for (gint64 i = 0; i < k->steps; i++)
    {
      void *memory[SONDE_DNNL_N_ARGUMENTS] = {
        [SONDE_DNNL_SRC] = (void *) (wide.h + first * k->hidden),
        [SONDE_DNNL_WEIGHTS] = call->arguments->inputs[INPUT_R],
        [SONDE_DNNL_DST] = scratch (call, k->recurrent) + first * k->row->gates * k->hidden,
      };

      wide.step = k->reverse ? k->steps - 1 - i : i;
      wide.new_h = state_after (call, 0, i, wide.step);
      if (!sonde_dnnl_primitive_run (parts->device->dnnl, k->step, memory,
                                     call->workspace + (gsize) part * k->step_bytes, error))
        return FALSE;
      if (k->parts > 1)
        run_cells (call, 0, wide.step, first, rows, 0, k->hidden, wide.h, wide.new_h,
                   k->row->finish);
      else
        sonde_cpu_for (parts->device, k->hidden, 20 * k->batch, wide_range, &wide);
      wide.h = wide.new_h;
    }
  return TRUE;
}

static void
start_states (const RecurrentCall *call)
{
  const RecurrentKernel *k = call->kernel;
  const gsize bytes = (gsize) (k->directions * k->batch * k->hidden) * sizeof (float);
  float *h = scratch (call, k->state) + 2 * k->directions * k->batch * k->hidden;

  if (k->has_input[INPUT_H])
    memcpy (h, call->arguments->inputs[INPUT_H], bytes);
  else
    memset (h, 0, bytes);

  if (k->has_input[INPUT_C])
    memcpy (scratch (call, k->memory), call->arguments->inputs[INPUT_C], bytes);
  else
    memset (scratch (call, k->memory), 0, bytes);
}

/* Sequences without a step leave zeros, whatever they begin with. */
static gboolean
start_lengths (const RecurrentCall *call, GError **error)
{
  const RecurrentKernel *k = call->kernel;
  const gint32 *lengths = get_lengths (call);
  const gsize bytes = (gsize) k->hidden * sizeof (float);
  float *h = scratch (call, k->state) + 2 * k->directions * k->batch * k->hidden;

  for (gint64 b = 0; lengths != NULL && b < k->batch; b++)
    {
      if (!sonde_recurrent_check_length ((gsize) b, lengths[b], k->steps, error))
        return FALSE;
      for (int d = 0; d < k->directions && lengths[b] == 0; d++)
        {
          memset (h + (d * k->batch + b) * k->hidden, 0, bytes);
          memset (scratch (call, k->memory) + (d * k->batch + b) * k->hidden, 0, bytes);
        }
    }
  return TRUE;
}

static void
store_states (const RecurrentCall *call)
{
  const RecurrentKernel *k = call->kernel;
  const gint64 size = k->batch * k->hidden;

  for (int d = 0; d < k->directions && k->has_output[1]; d++)
    memcpy ((float *) call->arguments->outputs[1] + d * size,
            state_after (call, d, k->steps - 1, k->reverse || d == 1 ? 0 : k->steps - 1),
            (gsize) size * sizeof (float));

  if (k->has_output[2])
    memcpy (call->arguments->outputs[2], scratch (call, k->memory),
            (gsize) (k->directions * size) * sizeof (float));
}

/* How many threads share one direction. */
static int
count_parts (const SondeCpuDevice *device, const RecurrentKernel *k)
{
  gint64 work = k->batch * k->row->gates * k->hidden * k->hidden;

  if (k->directions > 1)
    return 1;
  return (int) MIN (MIN (device->threads, work / WORTH_A_PART + 1),
                    (k->hidden + UNITS - 1) / UNITS);
}

static gboolean
run_recurrent (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
               GError **error)
{
  const RecurrentKernel *k = (RecurrentKernel *) base;
  RecurrentCall call = { k, arguments, arguments->workspace };
  const int parts = count_parts (device, k);
  void *memory[SONDE_DNNL_N_ARGUMENTS] = {
    [SONDE_DNNL_SRC] = arguments->inputs[INPUT_X],
    [SONDE_DNNL_WEIGHTS] = arguments->inputs[INPUT_W],
    [SONDE_DNNL_DST] = scratch (&call, k->product),
  };

  if (!sonde_dnnl_primitive_run (device->dnnl, k->primitive, memory, arguments->workspace, error))
    return FALSE;

  start_states (&call);
  if (!start_lengths (&call, error))
    return FALSE;
  add_biases (&call);
  if (k->step != NULL)
    {
      PartsCall rows = { device, &call };

      if (k->parts > 1 ? !sonde_cpu_run_parts (device, k->parts, run_rows, &rows, error)
                       : !run_rows (0, &rows, error))
        return FALSE;
    }
  else if (k->directions == 2 && device->threads > 1)
    {
      if (!sonde_cpu_run_parts (device, 2, run_whole_direction, &call, error))
        return FALSE;
    }
  else if (parts > 1)
    sonde_cpu_run_team (device, parts, run_part, &call);
  else
    run_part (0, 1, &call);

  store_states (&call);
  return TRUE;
}

static void
free_recurrent (SondeKernel *base)
{
  sonde_dnnl_primitive_free (((RecurrentKernel *) base)->primitive);
  sonde_dnnl_primitive_free (((RecurrentKernel *) base)->step);
  g_free (base);
}

/* ---- preparing ----------------------------------------------------------- */

static gsize
reserve (gsize *end, gint64 n)
{
  gsize offset = *end;

  *end = (offset + (gsize) n * sizeof (float) + 63) / 64 * 64;
  return offset;
}

static void
plan_workspace (SondePrepareRequest *request, RecurrentKernel *k)
{
  const gint64 rows = k->row->gates * k->hidden, size = k->directions * k->batch * k->hidden;
  gsize end;

  k->step_bytes
      = k->step != NULL ? (sonde_dnnl_primitive_get_workspace (k->step) + 63) / 64 * 64 : 0;
  end = (MAX (sonde_dnnl_primitive_get_workspace (k->primitive), (gsize) k->parts * k->step_bytes)
         + 63)
        / 64 * 64;
  k->product = reserve (&end, k->directions * k->steps * k->batch * rows);
  k->recurrent = reserve (&end, k->directions * k->batch * rows);
  k->bias = reserve (&end, k->directions * (rows + k->hidden));
  k->state = reserve (&end, 3 * size);
  k->memory = reserve (&end, size);
  k->reset = reserve (&end, size);
  request->workspace_bytes = end;
}

/* X [steps · batch, inputs] times W [directions, rows, inputs], transposed. */
static SondeDnnlPrimitive *
new_product (SondeCpuDevice *device, const RecurrentKernel *k, gboolean pack)
{
  const gint64 rows = k->row->gates * k->hidden, many = k->steps * k->batch;
  const SondeDnnlMatmul one = {
    .rank = 2,
    .source = { many, k->inputs },
    .source_strides = { k->inputs, 1 },
    .weights = { k->inputs, rows },
    .weights_strides = { 1, k->inputs },
    .target = { many, rows },
    .scale = 1,
    .pack = pack,
  };
  const SondeDnnlMatmul both = {
    .rank = 3,
    .source = { 1, many, k->inputs },
    .source_strides = { many * k->inputs, k->inputs, 1 },
    .weights = { 2, k->inputs, rows },
    .weights_strides = { rows * k->inputs, 1, k->inputs },
    .target = { 2, many, rows },
    .scale = 1,
    .pack = pack,
  };

  return sonde_dnnl_matmul (device->dnnl, k->directions == 1 ? &one : &both);
}

/* States [batch, hidden] times R [1, rows, hidden], transposed; NULL where that is not worth it. */
static SondeDnnlPrimitive *
new_step (SondeCpuDevice *device, const RecurrentKernel *k)
{
  const gint64 rows = k->row->gates * k->hidden;
  const SondeDnnlMatmul matmul = {
    .rank = 2,
    .source = { k->batch / k->parts, k->hidden },
    .source_strides = { k->hidden, 1 },
    .weights = { k->hidden, rows },
    .weights_strides = { 1, k->hidden },
    .target = { k->batch / k->parts, rows },
    .scale = 1,
    .pack = TRUE,
  };

  if (k->quantised || k->directions != 1 || k->batch < WIDE || k->row->first_half != NULL
      || k->hidden < UNITS)
    return NULL;
  return k->parts > 1 ? sonde_cpu_part_product (device, &matmul)
                      : sonde_dnnl_matmul (device->dnnl, &matmul);
}

/* W as the product wants it, R with its hidden inputs outermost, or as the step's product wants
 * it. */
static void
want_layouts (SondeCpuDevice *device, SondePrepareRequest *request, const RecurrentKernel *k,
              gboolean pack)
{
  const gint64 rows = k->row->gates * k->hidden;
  const gint64 strides[] = { rows * k->hidden, 1, rows };
  SondeShape shape = sonde_shape_make (3, (gint64) k->directions, rows, k->hidden);
  SondeLayout *weights
      = pack ? sonde_dnnl_primitive_dup_layout (k->primitive, SONDE_DNNL_WEIGHTS) : NULL;
  SondeLayout *recurrent = k->step != NULL
                               ? sonde_dnnl_primitive_dup_layout (k->step, SONDE_DNNL_WEIGHTS)
                               : sonde_dnnl_strided (SONDE_DTYPE_F32, &shape, strides);

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);

  sonde_prepare_request_set_layout (&device->base, request, INPUT_W, weights);
  sonde_prepare_request_set_layout (&device->base, request, INPUT_R, recurrent);
  sonde_layout_unref (weights);
  sonde_layout_unref (recurrent);
}

/* None, or one for each row of the batch; with them the gates' sums are not kept. */
static gboolean
are_lengths_usual (const SondePrepareRequest *request, const RecurrentKernel *k)
{
  SondeShape shape;

  /* backwards, sequences of different lengths are at different steps, whose states have one scale */
  return !k->has_input[INPUT_LENGTHS]
         || (!(k->quantised && (k->reverse || k->directions == 2)) && !k->has_output[3]
             && request->inputs[INPUT_LENGTHS]->type.dtype == SONDE_DTYPE_I32
             && sonde_type_get_shape (&request->inputs[INPUT_LENGTHS]->type, &shape)
             && shape.rank == 1 && shape.dims[0] == k->batch);
}

static SondeKernel *
prepare_recurrent (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const char *direction = sonde_node_get_string (node, "direction", "forward");
  gboolean pack = request->constant_inputs[INPUT_W];
  g_autofree RecurrentKernel *k = g_new0 (RecurrentKernel, 1);
  SondeShape x, r, other;

  k->directions = g_ascii_strcasecmp (direction, "bidirectional") == 0 ? 2 : 1;
  k->reverse = g_ascii_strcasecmp (direction, "reverse") == 0;
  k->quantised = sonde_node_get_int (node, "quantise_state", 0) != 0;
  k->row = sonde_cpu_cell_find (node);
  if (request->plain_layouts || k->row == NULL
      || !sonde_cpu_cell_is_usual (request, k->directions, TRUE)
      || !sonde_cpu_input_f32 (request, INPUT_X, &x) || !sonde_cpu_input_f32 (request, INPUT_R, &r)
      || !sonde_cpu_input_f32 (request, INPUT_W, &other) || x.rank != 3 || r.rank != 3)
    return NULL;

  k->steps = x.dims[0];
  k->batch = x.dims[1];
  k->inputs = x.dims[2];
  k->hidden = r.dims[2];
  k->has_bias = sonde_cpu_has_input (request, INPUT_B);
  for (guint i = 0; i < G_N_ELEMENTS (k->has_input); i++)
    k->has_input[i] = sonde_cpu_has_input (request, i);
  for (guint i = 0; i < G_N_ELEMENTS (k->has_output); i++)
    k->has_output[i] = sonde_cpu_has_output (request, i);

  if (!are_lengths_usual (request, k))
    return NULL;

  k->primitive = new_product (device, k, pack);
  if (k->primitive == NULL)
    return NULL;

  k->parts = sonde_cpu_cell_count_parts (device, k->batch);
  k->step = new_step (device, k);
  want_layouts (device, request, k, pack);
  plan_workspace (request, k);
  k->base.run = run_recurrent;
  k->base.free = free_recurrent;
  request->in_place = FALSE;
  request->implementation = "steps";
  return (SondeKernel *) g_steal_pointer (&k);
}

const SondeCpuRow sonde_cpu_recurrent_rows[] = {
  { "", "GRU", prepare_recurrent },
  { "", "LSTM", prepare_recurrent },
  { "", "RNN", prepare_recurrent },
  { NULL, NULL, NULL },
};
