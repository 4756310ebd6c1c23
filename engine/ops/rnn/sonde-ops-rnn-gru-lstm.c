/* SPDX-License-Identifier: Apache-2.0
 * RNN, GRU, LSTM in one or both directions, in the form of opset 22. Sequences shorter than the
 * longest leave zeros in Y; an empty one has zeros as its last state (as in ONNX Runtime). The
 * cells are in sonde-recurrent-cell.c, the gradient is a node of its own
 * (sonde-ops-rnn-gru-lstm-gradient-kernels.c). */
#include "engine/ops/rnn/sonde-recurrent.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

static void
load_state (const SondeTensor *from, gint64 index, gint64 n, double *to)
{
  if (from == NULL)
    memset (to, 0, sizeof (double) * (gsize) n);
  else
    sonde_dtype_convert (from->dtype,
                         from->data + (gsize) (index * n) * sonde_dtype_size (from->dtype),
                         SONDE_DTYPE_F64, to, (gsize) n);
}

static void
store_state (const double *from, gint64 index, gint64 n, SondeTensor *to)
{
  if (to != NULL)
    sonde_dtype_convert (SONDE_DTYPE_F64, from, to->dtype,
                         to->data + (gsize) (index * n) * sonde_dtype_size (to->dtype), (gsize) n);
}

/* One sequence in one direction. */
static void
run_sequence (const SondeKernelContext *context, const SondeRecurrentSizes *sizes,
              SondeRecurrentCell *cell, int direction, gint64 batch, gint64 length)
{
  const SondeTensor *x = context->inputs[SONDE_RECURRENT_X];
  gsize x_bytes = (gsize) sizes->inputs * sonde_dtype_size (x->dtype);
  gint64 state = sonde_recurrent_state_index (sizes, direction, batch);
  gboolean backwards = sizes->reverse || direction == 1;

  load_state (length > 0 ? sonde_kernel_input (context, SONDE_RECURRENT_H) : NULL, state,
              sizes->hidden, cell->h);
  load_state (length > 0 ? sonde_kernel_input (context, SONDE_RECURRENT_C) : NULL, state,
              sizes->hidden, cell->c);
  for (gint64 i = 0; i < length; i++)
    {
      gint64 step = backwards ? length - 1 - i : i;
      gint64 at = sizes->batchwise ? batch * sizes->steps + step : step * sizes->batch + batch;

      sonde_cell_step (cell, x->dtype, x->data + (gsize) at * x_bytes);
      store_state (cell->h, sonde_recurrent_output_index (sizes, step, direction, batch),
                   sizes->hidden, sonde_kernel_output (context, 0));
      store_state (cell->gates, sonde_recurrent_output_index (sizes, step, direction, batch),
                   cell->klass->gates * sizes->hidden,
                   sonde_kernel_output (context, SONDE_RECURRENT_SUMS));
    }
  store_state (cell->h, state, sizes->hidden, sonde_kernel_output (context, 1));
  store_state (cell->c, state, sizes->hidden, sonde_kernel_output (context, 2));
}

/* The state of each sequence of a batch, where they are quantised together step by step. */
typedef struct
{
  double *h, *c;
  float *given, *rounded;
} BatchState;

static void
batch_state_init (BatchState *states, gint64 n)
{
  states->h = g_new0 (double, n + 1);
  states->c = g_new0 (double, n + 1);
  states->given = g_new0 (float, n + 1);
  states->rounded = g_new0 (float, n + 1);
}

static void
batch_state_clear (BatchState *states)
{
  g_free (states->h);
  g_free (states->c);
  g_free (states->given);
  g_free (states->rounded);
}

/* States before step @i, with one scale for all that step @i - 1 made: a sequence that ended there
 * still counts. */
static void
round_states (const SondeRecurrentSizes *sizes, const BatchState *states, const gint64 *lengths,
              gint64 i)
{
  gint64 n = sizes->hidden;
  float range[2] = { 0, 0 };

  for (gint64 b = 0; b < sizes->batch; b++)
    for (gint64 j = b * n; j < (b + 1) * n && i <= lengths[b]; j++)
      states->given[j] = (float) states->h[j];
  for (gint64 b = 0; b < sizes->batch; b++)
    if (i <= lengths[b])
      sonde_recurrent_extend_range (states->given + b * n, n, range);
  sonde_recurrent_round (states->given, sizes->batch * n, range, states->rounded);
}

/* One step of one sequence, from and to its place in @states. */
static void
step_in_batch (const SondeKernelContext *context, const SondeRecurrentSizes *sizes,
               SondeRecurrentCell *cell, const BatchState *states, int direction, gint64 batch,
               gint64 step)
{
  const SondeTensor *x = context->inputs[SONDE_RECURRENT_X];
  gint64 n = sizes->hidden;
  gint64 at = sizes->batchwise ? batch * sizes->steps + step : step * sizes->batch + batch;
  gint64 place = sonde_recurrent_output_index (sizes, step, direction, batch);

  memcpy (cell->h, states->h + batch * n, sizeof (double) * (gsize) n);
  memcpy (cell->c, states->c + batch * n, sizeof (double) * (gsize) n);
  for (gint64 j = 0; j < n; j++)
    cell->rounded[j] = states->rounded[batch * n + j];
  sonde_cell_step (cell, x->dtype,
                   x->data + (gsize) (at * sizes->inputs) * sonde_dtype_size (x->dtype));
  memcpy (states->h + batch * n, cell->h, sizeof (double) * (gsize) n);
  memcpy (states->c + batch * n, cell->c, sizeof (double) * (gsize) n);
  store_state (cell->h, place, n, sonde_kernel_output (context, 0));
  store_state (cell->gates, place, cell->klass->gates * n,
               sonde_kernel_output (context, SONDE_RECURRENT_SUMS));
}

/* All sequences of one direction, step by step. */
static void
run_batch (const SondeKernelContext *context, const SondeRecurrentSizes *sizes,
           SondeRecurrentCell *cell, int direction, const gint64 *lengths)
{
  gboolean backwards = sizes->reverse || direction == 1;
  gint64 n = sizes->hidden;
  BatchState states;

  batch_state_init (&states, sizes->batch * n);
  for (gint64 b = 0; b < sizes->batch; b++)
    {
      gint64 state = sonde_recurrent_state_index (sizes, direction, b);

      load_state (lengths[b] > 0 ? sonde_kernel_input (context, SONDE_RECURRENT_H) : NULL, state, n,
                  states.h + b * n);
      load_state (lengths[b] > 0 ? sonde_kernel_input (context, SONDE_RECURRENT_C) : NULL, state, n,
                  states.c + b * n);
    }
  for (gint64 i = 0; i < sizes->steps; i++)
    {
      round_states (sizes, &states, lengths, i);
      for (gint64 b = 0; b < sizes->batch; b++)
        if (i < lengths[b])
          step_in_batch (context, sizes, cell, &states, direction, b,
                         backwards ? lengths[b] - 1 - i : i);
    }
  for (gint64 b = 0; b < sizes->batch; b++)
    {
      gint64 state = sonde_recurrent_state_index (sizes, direction, b);

      store_state (states.h + b * n, state, n, sonde_kernel_output (context, 1));
      store_state (states.c + b * n, state, n, sonde_kernel_output (context, 2));
    }
  batch_state_clear (&states);
}

static void
compute_recurrent (const SondeKernelContext *context)
{
  const SondeShape *x = &context->inputs[SONDE_RECURRENT_X]->shape;
  SondeTensor *y = sonde_kernel_output (context, 0),
              *sums = sonde_kernel_output (context, SONDE_RECURRENT_SUMS);
  SondeTensor *weights[] = { context->inputs[SONDE_RECURRENT_W], context->inputs[SONDE_RECURRENT_R],
                             sonde_kernel_input (context, SONDE_RECURRENT_B),
                             sonde_kernel_input (context, SONDE_RECURRENT_P) };
  gsize n = 0;
  g_autofree gint64 *given = sonde_kernel_ints (context, SONDE_RECURRENT_LENGTHS, &n);
  g_autofree gint64 *lengths = NULL;
  SondeRecurrentSizes sizes;

  sonde_recurrent_sizes_init (&sizes, context->node, x, weights[1]->shape.dims[2]);
  lengths = g_new (gint64, sizes.batch + 1);
  for (gint64 batch = 0; batch < sizes.batch; batch++)
    lengths[batch] = given != NULL ? CLAMP (given[batch], 0, sizes.steps) : sizes.steps;
  if (y != NULL)
    memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (sums != NULL)
    memset (sums->data, 0, sonde_tensor_n_bytes (sums));
  for (int direction = 0; direction < sizes.directions; direction++)
    {
      g_auto (SondeRecurrentCell) cell = { NULL };

      sonde_cell_init (&cell, context->node, direction, weights);
      if (cell.rounded != NULL)
        run_batch (context, &sizes, &cell, direction, lengths);
      for (gint64 batch = 0; batch < sizes.batch && cell.rounded == NULL; batch++)
        run_sequence (context, &sizes, &cell, direction, batch, lengths[batch]);
    }
}

static void
cost_recurrent (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[SONDE_RECURRENT_X],
                  *w = &context->inputs[SONDE_RECURRENT_W];
  const SondeType *r = &context->inputs[SONDE_RECURRENT_R];
  gint64 each = w->rank == 3 ? sonde_type_product (w, 0, 3) : -1;
  gint64 again = r->rank == 3 ? sonde_type_product (r, 0, 3) : -1;
  gint64 steps = x->rank == 3 ? sonde_type_product (x, 0, 2) : -1;

  cost->flops = steps >= 0 && each >= 0 && again >= 0
                    ? 2.0 * (double) steps * ((double) each + (double) again)
                    : 0;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const directions[] = { "forward", "reverse", "bidirectional", NULL };

#define SHARED_RULES                                                                               \
  { "activation_alpha", SONDE_ATTRIBUTE_FLOATS }, { "activation_beta", SONDE_ATTRIBUTE_FLOATS },   \
      { "activations", SONDE_ATTRIBUTE_STRINGS }, { "clip", SONDE_ATTRIBUTE_FLOAT },               \
      { "direction", SONDE_ATTRIBUTE_STRING, .choices = directions },                              \
      { "hidden_size", SONDE_ATTRIBUTE_INT, FALSE, 1, G_MAXINT32 },                                \
  {                                                                                                \
    "layout", SONDE_ATTRIBUTE_INT, FALSE, 0, 1                                                     \
  }

const SondeAttributeRule sonde_rnn_rules[] = { SHARED_RULES, { NULL } };
const SondeAttributeRule sonde_gru_rules[] = {
  SHARED_RULES,
  { "linear_before_reset", SONDE_ATTRIBUTE_INT },
  { NULL },
};
const SondeAttributeRule sonde_lstm_rules[] = {
  SHARED_RULES,
  { "input_forget", SONDE_ATTRIBUTE_INT },
  /* ours: what is multiplied by R is the state as uint8 holds it, with one scale for all sequences
   * of a step (com.microsoft.DynamicQuantizeLSTM) */
  { "quantise_state", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = 1 },
  { NULL },
};

/* ---- dependency ---------------------------------------------------------- */

/* Inputs X, W, R, B, lengths, initial H (and C), peepholes; Y is [time, direction, batch, hidden],
 * with layout 1 [batch, time, direction, hidden]; the last states lack the time. */
static gboolean
reach_recurrent (SondeReachContext *context)
{
  const gboolean batch_first = sonde_node_get_int (context->node, "layout", 0) != 0;
  const gboolean whole = context->output == 0 && context->shape->rank == 4;
  const char *way = sonde_node_get_string (context->node, "direction", "forward");
  const SondeTensor *x = sonde_reach_input (context, 0);
  const int shift = whole ? 1 : 0;
  gint64 batch, direction, time;
  SondeReach reach;

  if (x == NULL || x->shape.rank != 3 || context->shape->rank != 3 + shift)
    return FALSE;
  batch = context->index[batch_first ? 0 : 1 + shift];
  direction = context->index[batch_first ? 1 + shift : shift];
  time = whole ? context->index[batch_first ? 1 : 0] : -1;
  reach = sonde_reach_whole (x, 0);
  sonde_reach_at (&reach, batch_first ? 0 : 1, batch);
  if (time >= 0 && (direction == 1 || g_str_equal (way, "reverse")))
    sonde_reach_range (&reach, batch_first ? 1 : 0, time, G_MAXINT64);
  else if (time >= 0)
    sonde_reach_range (&reach, batch_first ? 1 : 0, 0, time + 1);
  sonde_reach_add (context, &reach);
  for (guint k = 1; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      if (k == 5 || k == 6)
        {
          sonde_reach_at (&reach, batch_first ? 0 : 1, batch);
          sonde_reach_at (&reach, batch_first ? 1 : 0, direction);
        }
      else
        sonde_reach_at (&reach, 0, direction);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

#define ROW(onnx, most, outs, rules, number)                                                       \
  {                                                                                                \
    .domain = "", .name = onnx, .since = 7, .min_inputs = 3, .max_inputs = most, .min_outputs = 1, \
    .max_outputs = outs, .family = SONDE_FAMILY_MATRIX, .attributes = rules,                       \
    .infer = sonde_recurrent_infer, .compute = compute_recurrent, .check = sonde_recurrent_check,  \
    .cost = cost_recurrent, .gradient = sonde_recurrent_gradient, .reach = { reach_recurrent, 0 }, \
    .typing = SONDE_TYPING_LEADING (SONDE_TYPING_ALL), .traits = SONDE_TRAIT_WEIGHTS,              \
    .id = number,                                                                                  \
  }

const SondeOpClass sonde_ops_rnn_gru_lstm[] = {
  ROW ("GRU", 6, 2, sonde_gru_rules, SONDE_OP_ID_GRU),
  ROW ("LSTM", 8, SONDE_RECURRENT_SUMS + 1, sonde_lstm_rules, SONDE_OP_ID_LSTM),
  ROW ("RNN", 6, 2, sonde_rnn_rules, SONDE_OP_ID_RNN),
  { .name = NULL },
};
