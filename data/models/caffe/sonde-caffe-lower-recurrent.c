/* SPDX-License-Identifier: Apache-2.0
 * RNN and LSTM: a Scan over the steps. Where `cont` is 0 a sequence begins, and what came before does not
 * count.
 * Source: github.com/BVLC/caffe, src/caffe/layers/{recurrent,rnn,lstm,lstm_unit}_layer.cpp */
#include <string.h>

#include "data/models/caffe/sonde-caffe-lower.h"
#include "data/models/lowering/sonde-lowering-shapes.h"

#define MOST_OUTPUTS (1 << 20)

enum
{
  INPUT,
  CONTINUES,
};

/**
 * Cell: one layer
 * @steps, @batch, @size: of the input; @hidden: num_output
 * @n_states: 2 (h, c) or 1 (h); @n_gates: rows of weights a hidden unit
 * @exposed: states come from bottoms and go to tops; @fixed: place of the bottom that is the same in all
 *   steps, 0: none
 * @weight: of the state; @out_weight, @out_bias: (nullable): of RNN's output
 */
typedef struct
{
  gint64 steps, batch, size, hidden, n_gates;
  guint n_states, fixed;
  gboolean exposed;
  SondeGraphValue *weight, *out_weight, *out_bias;
} Cell;

/* ---- what the layer says ------------------------------------------------- */

static gboolean
fail (SondeCaffeLowering *self, const char *what)
{
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "%-s", what);
  return FALSE;
}

static gboolean
read_cell (SondeCaffeLowering *self, Cell *cell)
{
  const SondeShape x = sonde_caffe_shape_of (sonde_caffe_bottom (self, INPUT));
  const SondeShape continues = sonde_caffe_shape_of (sonde_caffe_bottom (self, CONTINUES));
  const gboolean lstm = strcmp (self->layer->type, "LSTM") == 0;
  const guint n = self->layer->bottoms->len;
  guint used;

  cell->hidden = sonde_caffe_get_int (self->param, "num_output", 0);
  cell->exposed = sonde_caffe_get_bool (self->param, "expose_hidden", FALSE);
  cell->n_states = lstm ? 2 : 1;
  cell->n_gates = lstm ? 4 : 1;
  used = 2 + (cell->exposed ? cell->n_states : 0);
  if (cell->hidden < 1 || cell->hidden > MOST_OUTPUTS)
    return fail (self, N_ ("its num_output is no size"));
  if (x.rank < 3 || continues.rank != 2 || continues.dims[0] != x.dims[0]
      || continues.dims[1] != x.dims[1])
    return fail (self, N_ ("its bottoms are no sequences with a mark for each step"));
  if (n != used && n != used + 1)
    return fail (self, N_ ("the number of its bottoms does not go with expose_hidden"));
  cell->fixed = n > used ? 2 : 0;
  cell->steps = x.dims[0];
  cell->batch = x.dims[1];
  cell->size = sonde_caffe_count_sizes (&x, 2, x.rank);
  return cell->steps > 0 && cell->batch > 0 && cell->size > 0;
}

/* ---- pieces -------------------------------------------------------------- */

/* a·bᵀ + c; (nullable) @c */
static SondeGraphValue *
multiply (SondeCaffeLowering *self, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *c)
{
  SondeGraphValue *y = c != NULL ? sonde_lowering_op (self->out, "Gemm", SONDE_VALUES (a, b, c))
                                 : sonde_caffe_op2 (self, "Gemm", a, b);

  sonde_node_set_int (y->producer, "transB", 1);
  return y;
}

static SondeGraphValue *
reshape (SondeCaffeLowering *self, SondeGraphValue *value, int rank, const gint64 *sizes)
{
  SondeShape shape = { .rank = rank };

  memcpy (shape.dims, sizes, (gsize) rank * sizeof *sizes);
  return sonde_caffe_reshape (self, value, &shape);
}

/* What the input gives the gates of all steps: [steps, batch, gates · hidden]. */
static SondeGraphValue *
transform_input (SondeCaffeLowering *self, const Cell *cell)
{
  const gint64 rows = cell->n_gates * cell->hidden;
  const SondeShape weights = { 2, { rows, cell->size } }, bias = { 1, { rows } };
  const gint64 flat[] = { cell->steps * cell->batch, cell->size };
  const gint64 steps[] = { cell->steps, cell->batch, rows };
  SondeGraphValue *x = sonde_caffe_bottom (self, INPUT), *y;

  y = multiply (self, reshape (self, x, 2, flat), sonde_caffe_blob (self, 0, "weight", &weights),
                sonde_caffe_blob (self, 1, "bias", &bias));
  return reshape (self, y, 3, steps);
}

/* The same for every step, [batch, gates · hidden]. */
static SondeGraphValue *
transform_fixed (SondeCaffeLowering *self, const Cell *cell)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, cell->fixed);
  const SondeShape shape = sonde_caffe_shape_of (x);
  const gint64 size = sonde_caffe_count_sizes (&shape, 1, shape.rank);
  const SondeShape weights = { 2, { cell->n_gates * cell->hidden, size } };
  const gint64 flat[] = { cell->batch, size };

  if (shape.rank < 1 || shape.dims[0] != cell->batch)
    {
      fail (self, N_ ("its third bottom is of another batch"));
      return sonde_caffe_number (self, 0);
    }
  return multiply (self, reshape (self, x, 2, flat),
                   sonde_caffe_blob (self, 2, "static_weight", &weights), NULL);
}

static void
read_weights (SondeCaffeLowering *self, Cell *cell)
{
  const guint first = cell->fixed != 0 ? 3 : 2;
  const SondeShape weights = { 2, { cell->n_gates * cell->hidden, cell->hidden } };
  const SondeShape bias = { 1, { cell->hidden } };

  cell->weight = sonde_caffe_blob (self, first, "hidden_weight", &weights);
  if (cell->n_states == 2)
    return;
  cell->out_weight = sonde_caffe_blob (self, first + 1, "output_weight", &weights);
  cell->out_bias = sonde_caffe_blob (self, first + 2, "output_bias", &bias);
}

/* The first state: zeros, or a bottom [1, batch, hidden]. */
static SondeGraphValue *
make_state (SondeCaffeLowering *self, const Cell *cell, guint index)
{
  const SondeShape shape = { 2, { cell->batch, cell->hidden } };
  const guint bottom = 2 + (cell->fixed != 0 ? 1 : 0) + index;
  g_autoptr (SondeTensor) zeros = NULL;

  if (cell->exposed)
    {
      const SondeShape there = sonde_caffe_shape_of (sonde_caffe_bottom (self, bottom));

      if (sonde_caffe_count_sizes (&there, 0, there.rank) != cell->batch * cell->hidden)
        fail (self, N_ ("the state that it is given has another size"));
      return reshape (self, sonde_caffe_bottom (self, bottom), 2, shape.dims);
    }
  zeros = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, self->layer->name, NULL);
  if (zeros == NULL)
    {
      fail (self, N_ ("its num_output is no size"));
      return sonde_caffe_number (self, 0);
    }
  return sonde_lowering_constant (self->out, NULL, zeros);
}

/* ---- one step ------------------------------------------------------------ */

/* Gates i, f, o, g. @states: h and c, and then the next ones */
static void
step_lstm (SondeCaffeLowering *self, SondeGraphValue *sums, SondeGraphValue *continues,
           SondeGraphValue **states)
{
  static const char *const functions[] = { "Sigmoid", "Sigmoid", "Sigmoid", "Tanh" };
  SondeNode *split = sonde_lowering_node (self->out, "", "Split", SONDE_VALUES (sums), 4);
  SondeGraphValue *gates[4], *kept;

  sonde_node_set_int (split, "axis", 1);
  sonde_node_set_int (split, "num_outputs", 4);
  for (guint i = 0; i < 4; i++)
    gates[i] = sonde_lowering_op (self->out, functions[i],
                                  SONDE_VALUES (sonde_node_get_output (split, i)));
  kept = sonde_caffe_op2 (self, "Mul", sonde_caffe_op2 (self, "Mul", gates[1], continues),
                          states[1]);
  states[1]
      = sonde_caffe_op2 (self, "Add", kept, sonde_caffe_op2 (self, "Mul", gates[0], gates[3]));
  states[0] = sonde_caffe_op2 (self, "Mul", gates[2],
                               sonde_lowering_op (self->out, "Tanh", SONDE_VALUES (states[1])));
}

/* Returns what goes to the first top. */
static SondeGraphValue *
emit_step (SondeCaffeLowering *self, const Cell *cell, SondeGraphValue *sums,
           SondeGraphValue *continues, SondeGraphValue **states)
{
  SondeGraphValue *h;

  continues = sonde_lowering_unsqueeze (self->out, continues, 1);
  h = sonde_caffe_op2 (self, "Mul", states[0], continues);
  sums = multiply (self, h, cell->weight, sums);
  if (cell->n_states == 2)
    {
      step_lstm (self, sums, continues, states);
      return states[0];
    }
  states[0] = sonde_lowering_op (self->out, "Tanh", SONDE_VALUES (sums));
  return sonde_lowering_op (
      self->out, "Tanh",
      SONDE_VALUES (multiply (self, states[0], cell->out_weight, cell->out_bias)));
}

static void
add_output (SondeCaffeLowering *self, SondeGraphValue *value, const char *what, guint index)
{
  g_autofree char *name = g_strdup_printf ("%s.%s_%u", self->layer->name, what, index);

  sonde_lowering_add_output (self->out, value, name);
}

static SondeGraphValue *
add_input (SondeCaffeLowering *self, const char *what, guint index, const SondeShape *shape)
{
  g_autofree char *name = g_strdup_printf ("%s.%s_%u", self->layer->name, what, index);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, shape);

  return sonde_lowering_add_input (self->out, name, &type);
}

static SondeGraph *
build_body (SondeCaffeLowering *self, const Cell *cell)
{
  const SondeShape state = { 2, { cell->batch, cell->hidden } };
  const SondeShape sums = { 2, { cell->batch, cell->n_gates * cell->hidden } };
  const SondeShape marks = { 1, { cell->batch } };
  SondeGraphValue *states[2] = { NULL }, *x, *continues, *y;

  sonde_lowering_push_graph (self->out, "step");
  for (guint i = 0; i < cell->n_states; i++)
    states[i] = add_input (self, "state", i, &state);
  x = add_input (self, "frame", 0, &sums);
  continues = add_input (self, "cont", 0, &marks);
  y = emit_step (self, cell, x, continues, states);
  for (guint i = 0; i < cell->n_states; i++)
    add_output (self, states[i], "next_state", i);
  add_output (self, y, "output", 0);
  return sonde_lowering_pop_graph (self->out);
}

/* ---- the layer ----------------------------------------------------------- */

static void
set_tops (SondeCaffeLowering *self, const Cell *cell, const SondeNode *node)
{
  const SondeShape all = { 3, { cell->steps, cell->batch, cell->hidden } };
  const SondeShape last = { 3, { 1, cell->batch, cell->hidden } };

  sonde_caffe_set_top (self, 0, sonde_node_get_output (node, cell->n_states), &all);
  for (guint i = 0; cell->exposed && i < cell->n_states; i++)
    if (i + 1 < self->layer->tops->len)
      sonde_caffe_set_top (
          self, i + 1, sonde_caffe_reshape (self, sonde_node_get_output (node, i), &last), &last);
}

static void
lower_recurrent (SondeCaffeLowering *self)
{
  Cell cell = { 0 };
  SondeGraphValue *inputs[4], *sums;
  SondeNode *node;

  if (!read_cell (self, &cell))
    return;
  sums = transform_input (self, &cell);
  if (cell.fixed != 0)
    sums = sonde_caffe_op2 (self, "Add", sums, transform_fixed (self, &cell));
  read_weights (self, &cell);
  for (guint i = 0; i < cell.n_states; i++)
    inputs[i] = make_state (self, &cell, i);
  inputs[cell.n_states] = sums;
  inputs[cell.n_states + 1] = sonde_caffe_bottom (self, CONTINUES);
  if (sonde_lowering_has_failed (self->out))
    return;
  node = sonde_lowering_node (self->out, "", "Scan", inputs, cell.n_states + 2, cell.n_states + 1);
  sonde_node_set_int (node, "num_scan_inputs", 2);
  sonde_node_take_graph (node, "body", build_body (self, &cell));
  set_tops (self, &cell, node);
}

const SondeCaffeRow sonde_caffe_recurrent_rows[] = {
  { "LSTM", "recurrent_param", 2, 5, lower_recurrent },
  { "RNN", "recurrent_param", 2, 4, lower_recurrent },
  { NULL, NULL, 0, 0, NULL },
};
