/* SPDX-License-Identifier: Apache-2.0
 * Recurrent layers as single operators. Their states are variables, which are zero at the start.
 * Source: tensorflow/lite/kernels/lstm_eval.cc, internal/reference/svdf.h */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

/* Inputs of UNIDIRECTIONAL_SEQUENCE_LSTM; gates in the order input, forget, cell, output. */
enum
{
  INPUT_WEIGHTS = 1,
  RECURRENT_WEIGHTS = 5,
  PEEPHOLES = 9, /* input, forget, output */
  BIASES = 12,
  PROJECTION = 16,
  PROJECTION_BIAS = 17,
  STATE = 18,
  CELL = 19,
  NORMS = 20,

  GATES = 4,
  INPUT = 0,
  FORGET = 1,
  CANDIDATE = 2,
  OUTPUT = 3,
  LAYER_NORM_VARIANCE_AXIS = -1,
};

static gboolean
has (const SondeTfliteLower *lower, guint k)
{
  return sonde_tflite_in_tensor (lower, k) != NULL;
}

static SondeGraphValue *
emit (SondeTfliteLower *lower, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  return sonde_lowering_op (lower->to, op, SONDE_VALUES (a, b));
}

static SondeGraphValue *
emit_one (SondeTfliteLower *lower, const char *op, SondeGraphValue *a)
{
  return sonde_lowering_op (lower->to, op, SONDE_VALUES (a));
}

/* [batch, time, …] ↔ [time, batch, …] */
static SondeGraphValue *
swap_time (SondeTfliteLower *lower, SondeGraphValue *value)
{
  static const gint64 order[] = { 1, 0, 2 };

  return sonde_lowering_permute (lower->to, value, order, 3);
}

/* a · bᵀ for weights [out, in]. */
static SondeGraphValue *
product (SondeTfliteLower *lower, SondeGraphValue *value, SondeGraphValue *weights)
{
  SondeGraphValue *result = emit (lower, "Gemm", value, weights);

  sonde_node_set_int (result->producer, "transB", 1);
  return result;
}

/* ---- one step of an LSTM ------------------------------------------------- */

/* What a step reads; in the body of Scan these are captured. */
typedef struct
{
  SondeGraphValue *input[GATES], *recurrent[GATES], *peephole[GATES], *bias[GATES], *norm[GATES];
  SondeGraphValue *projection, *projection_bias;
  float cell_clip, projection_clip;
} Cell;

static void
read_cell (SondeTfliteLower *lower, Cell *cell)
{
  static const int peepholes[GATES] = { 0, 1, -1, 2 };

  for (guint g = 0; g < GATES; g++)
    {
      cell->input[g] = sonde_tflite_in (lower, INPUT_WEIGHTS + g);
      cell->recurrent[g] = sonde_tflite_in (lower, RECURRENT_WEIGHTS + g);
      cell->peephole[g]
          = peepholes[g] < 0 ? NULL : sonde_tflite_in (lower, PEEPHOLES + (guint) peepholes[g]);
      cell->bias[g] = sonde_tflite_in (lower, BIASES + g);
      cell->norm[g] = sonde_tflite_in (lower, NORMS + g);
    }
  cell->projection = sonde_tflite_in (lower, PROJECTION);
  cell->projection_bias = sonde_tflite_in (lower, PROJECTION_BIAS);
  cell->cell_clip = sonde_tflite_option_float (lower, 1);
  cell->projection_clip = sonde_tflite_option_float (lower, 2);
}

static SondeGraphValue *
clip (SondeTfliteLower *lower, SondeGraphValue *value, float limit)
{
  if (!(limit > 0))
    return value;
  return sonde_lowering_op (
      lower->to, "Clip",
      SONDE_VALUES (value, sonde_lowering_number (lower->to, SONDE_DTYPE_F32, (double) -limit),
                    sonde_lowering_number (lower->to, SONDE_DTYPE_F32, (double) limit)));
}

static SondeGraphValue *
normalise (SondeTfliteLower *lower, SondeGraphValue *value, SondeGraphValue *scale)
{
  SondeGraphValue *result = emit (lower, "LayerNormalization", value, scale);

  sonde_node_set_int (result->producer, "axis", LAYER_NORM_VARIANCE_AXIS);
  sonde_node_set_float (result->producer, "epsilon", 1e-8);
  return result;
}

/* Before its activation. @c: what its peephole looks at */
static SondeGraphValue *
emit_gate (SondeTfliteLower *lower, const Cell *cell, guint g, SondeGraphValue *x,
           SondeGraphValue *h, SondeGraphValue *c)
{
  SondeGraphValue *sum = emit (lower, "Add", product (lower, x, cell->input[g]),
                               product (lower, h, cell->recurrent[g]));

  if (cell->peephole[g] != NULL)
    sum = emit (lower, "Add", sum, emit (lower, "Mul", c, cell->peephole[g]));
  if (cell->norm[g] != NULL)
    sum = normalise (lower, sum, cell->norm[g]);
  return cell->bias[g] != NULL ? emit (lower, "Add", sum, cell->bias[g]) : sum;
}

/* @h, @c: (inout): the states */
static void
emit_step (SondeTfliteLower *lower, const Cell *cell, SondeGraphValue *x, SondeGraphValue **h,
           SondeGraphValue **c)
{
  int activation = sonde_tflite_option8 (lower, 0);
  SondeGraphValue *forget = emit_one (lower, "Sigmoid", emit_gate (lower, cell, FORGET, x, *h, *c));
  SondeGraphValue *input, *candidate, *output;

  if (cell->input[INPUT] != NULL)
    input = emit_one (lower, "Sigmoid", emit_gate (lower, cell, INPUT, x, *h, *c));
  else /* coupled */
    input = emit (lower, "Sub", sonde_lowering_number (lower->to, SONDE_DTYPE_F32, 1), forget);
  candidate
      = sonde_tflite_activate (lower, emit_gate (lower, cell, CANDIDATE, x, *h, *c), activation);
  *c = emit (lower, "Add", emit (lower, "Mul", forget, *c), emit (lower, "Mul", input, candidate));
  *c = clip (lower, *c, cell->cell_clip);
  output = emit_one (lower, "Sigmoid", emit_gate (lower, cell, OUTPUT, x, *h, *c));
  *h = emit (lower, "Mul", output, sonde_tflite_activate (lower, *c, activation));
  if (cell->projection == NULL)
    return;
  *h = product (lower, *h, cell->projection);
  if (cell->projection_bias != NULL)
    *h = emit (lower, "Add", *h, cell->projection_bias);
  *h = clip (lower, *h, cell->projection_clip);
}

static SondeGraph *
build_body (SondeTfliteLower *lower, const Cell *cell)
{
  const SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_F32, .rank = -1 };
  SondeGraphValue *h, *c, *x;

  sonde_lowering_push_graph (lower->to, "step");
  h = sonde_lowering_add_input (lower->to, "state_in", &type);
  c = sonde_lowering_add_input (lower->to, "cell_in", &type);
  x = sonde_lowering_add_input (lower->to, "frame", &type);
  emit_step (lower, cell, x, &h, &c);
  sonde_tflite_add_body_output (lower, h, "state");
  sonde_tflite_add_body_output (lower, c, "cell");
  sonde_tflite_add_body_output (lower, h, "states");
  return sonde_lowering_pop_graph (lower->to);
}

/* ---- sequences ----------------------------------------------------------- */

/* What ONNX's LSTM does not know. */
static gboolean
needs_steps (const SondeTfliteLower *lower, const Cell *cell)
{
  enum
  {
    TANH = 4
  };

  return cell->cell_clip > 0 || cell->projection != NULL || cell->norm[FORGET] != NULL
         || sonde_tflite_option8 (lower, 0) != TANH;
}

/* @x: [time, batch, in]. Returns: [time, batch, out] */
static SondeGraphValue *
emit_scan (SondeTfliteLower *lower, const Cell *cell, SondeGraphValue *x)
{
  SondeNode *node = sonde_lowering_node (
      lower->to, "", "Scan",
      SONDE_VALUES (sonde_tflite_in (lower, STATE), sonde_tflite_in (lower, CELL), x), 3);

  sonde_node_set_int (node, "num_scan_inputs", 1);
  sonde_node_take_graph (node, "body", build_body (lower, cell));
  return sonde_node_get_output (node, 2);
}

/* Of the gates in ONNX's order, input, output, forget, cell: one behind the other. A coupled input
 * gate is the forget gate's with the other sign, since 1 − σ(z) = σ(−z). */
static SondeGraphValue *
stack_gates (SondeTfliteLower *lower, const Cell *cell, SondeGraphValue *const *values, guint n)
{
  static const guint order[] = { INPUT, OUTPUT, FORGET, CANDIDATE };
  SondeGraphValue *parts[GATES];
  guint n_parts = 0;

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *part = values[order[i]];

      if (order[i] == INPUT && cell->input[INPUT] == NULL && values[FORGET] != NULL)
        part = emit_one (lower, "Neg", values[FORGET]);
      if (part == NULL)
        return NULL;
      parts[n_parts++] = part;
    }
  return sonde_lowering_unsqueeze (lower->to, sonde_lowering_concat (lower->to, parts, n_parts, 0),
                                   0);
}

/* ONNX has biases for the input and for the state. */
static SondeGraphValue *
stack_biases (SondeTfliteLower *lower, const Cell *cell)
{
  SondeGraphValue *biases = stack_gates (lower, cell, cell->bias, GATES), *zeros;

  if (biases == NULL)
    return NULL;
  zeros = emit (lower, "Expand", sonde_lowering_number (lower->to, SONDE_DTYPE_F32, 0),
                emit_one (lower, "Shape", biases));
  return sonde_lowering_concat (lower->to, SONDE_VALUES (biases, zeros), 1);
}

/* @x: [time, batch, in]. Returns: [time, batch, out] */
static SondeGraphValue *
emit_lstm (SondeTfliteLower *lower, const Cell *cell, SondeGraphValue *x)
{
  gint64 size = sonde_tflite_in_tensor (lower, RECURRENT_WEIGHTS + FORGET)->shape.dims[1];
  SondeGraphValue *inputs[8] = {
    x,
    stack_gates (lower, cell, cell->input, GATES),
    stack_gates (lower, cell, cell->recurrent, GATES),
    stack_biases (lower, cell),
    NULL,
    sonde_lowering_unsqueeze (lower->to, sonde_tflite_in (lower, STATE), 0),
    sonde_lowering_unsqueeze (lower->to, sonde_tflite_in (lower, CELL), 0),
    stack_gates (lower, cell, cell->peephole, GATES - 1),
  };
  SondeNode *node
      = sonde_lowering_node (lower->to, "", "LSTM", inputs, inputs[7] != NULL ? 8 : 7, 1);

  sonde_node_set_int (node, "hidden_size", size);
  return sonde_lowering_squeeze (lower->to, sonde_node_get_output (node, 0), 1);
}

/* Sizes of weights and states, which the stacks rely on. */
static gboolean
check_lstm (SondeTfliteLower *lower)
{
  gboolean diagonal = sonde_tflite_option_bool (lower, 5);
  gboolean coupled = !has (lower, INPUT_WEIGHTS);

  for (guint g = 0; g < GATES && !diagonal; g++)
    {
      gboolean wanted = g != INPUT || !coupled;

      if (has (lower, INPUT_WEIGHTS + g) != wanted || has (lower, RECURRENT_WEIGHTS + g) != wanted
          || (wanted
              && (sonde_tflite_in_rank (lower, INPUT_WEIGHTS + g) != 2
                  || sonde_tflite_in_rank (lower, RECURRENT_WEIGHTS + g) != 2)))
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "the weights of gate %u are not there, or no matrices", g);
          return FALSE;
        }
    }
  if (!has (lower, STATE) || !has (lower, CELL))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "its states are not there");
      return FALSE;
    }
  if (!diagonal)
    return sonde_tflite_check_rank (lower, 0, 3);
  sonde_tflite_refuse (lower, sonde_message_new ("its recurrent weights are diagonals"), NULL);
  return FALSE;
}

void
sonde_tflite_build_sequence_lstm (SondeTfliteLower *lower)
{
  gboolean time_first = sonde_tflite_option_bool (lower, 3);
  Cell cell = { 0 };
  SondeGraphValue *x, *value;

  if (!check_lstm (lower))
    return;
  read_cell (lower, &cell);
  x = sonde_tflite_in (lower, 0);
  x = time_first ? x : swap_time (lower, x);
  value = needs_steps (lower, &cell) ? emit_scan (lower, &cell, x) : emit_lstm (lower, &cell, x);
  sonde_tflite_out (lower, 0, time_first ? value : swap_time (lower, value));
}

/* ---- plain recurrence ---------------------------------------------------- */

/* Weights, recurrent weights and bias: constants belong to the graph that is current when they are
 * read first, so they are read outside of a body. */
static void
read_rnn (SondeTfliteLower *lower, SondeGraphValue **weights)
{
  for (guint k = 0; k < 3; k++)
    weights[k] = sonde_tflite_in (lower, k + 1);
}

static SondeGraphValue *
emit_rnn_step (SondeTfliteLower *lower, SondeGraphValue *x, SondeGraphValue *h,
               SondeGraphValue *const *weights, int activation)
{
  SondeGraphValue *sum
      = emit (lower, "Add", product (lower, x, weights[0]), product (lower, h, weights[1]));

  return sonde_tflite_activate (lower, emit (lower, "Add", sum, weights[2]), activation);
}

void
sonde_tflite_build_rnn (SondeTfliteLower *lower)
{
  SondeGraphValue *weights[3];

  read_rnn (lower, weights);
  sonde_tflite_out (lower, 0,
                    emit_rnn_step (lower, sonde_tflite_in (lower, 0), sonde_tflite_in (lower, 4),
                                   weights, sonde_tflite_option8 (lower, 0)));
}

void
sonde_tflite_build_sequence_rnn (SondeTfliteLower *lower)
{
  const SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_F32, .rank = -1 };
  gboolean time_first = sonde_tflite_option_bool (lower, 0);
  int activation = sonde_tflite_option8 (lower, 1);
  SondeGraphValue *x = sonde_tflite_in (lower, 0), *h, *weights[3];
  SondeNode *node;

  if (!sonde_tflite_check_rank (lower, 0, 3))
    return;
  x = time_first ? x : swap_time (lower, x);
  read_rnn (lower, weights);
  node = sonde_lowering_node (lower->to, "", "Scan", SONDE_VALUES (sonde_tflite_in (lower, 4), x),
                              2);
  sonde_node_set_int (node, "num_scan_inputs", 1);
  sonde_lowering_push_graph (lower->to, "step");
  h = sonde_lowering_add_input (lower->to, "state_in", &type);
  x = sonde_lowering_add_input (lower->to, "frame", &type);
  h = emit_rnn_step (lower, x, h, weights, activation);
  sonde_tflite_add_body_output (lower, h, "state");
  sonde_tflite_add_body_output (lower, h, "states");
  sonde_node_take_graph (node, "body", sonde_lowering_pop_graph (lower->to));
  x = sonde_node_get_output (node, 1);
  sonde_tflite_out (lower, 0, time_first ? x : swap_time (lower, x));
}

/* ---- SVDF ---------------------------------------------------------------- */

/* x [batch, in], features [filters, in], times [filters, memory], bias, state
 * [batch, filters · memory]: the state forgets its oldest column for what the features make of x. */
void
sonde_tflite_build_svdf (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  const SondeShape *times = &sonde_tflite_in_tensor (lower, 2)->shape;
  gint64 rank = sonde_tflite_option (lower, 0, 0), last = -1;
  SondeGraphValue *state, *fresh, *value, *bias = sonde_tflite_in (lower, 3), *axis;

  if (!has (lower, 4) || times->rank != 2 || rank < 1 || times->dims[0] % rank != 0)
    {
      sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED,
                           "its filters do not come in groups of %" PRIi64, rank);
      return;
    }
  axis = sonde_lowering_ints (to, &last, 1);
  fresh = product (lower, sonde_tflite_in (lower, 0), sonde_tflite_in (lower, 1));
  state = sonde_lowering_reshape (to, sonde_tflite_in (lower, 4),
                                  (gint64[]){ -1, times->dims[0], times->dims[1] }, 3);
  state = sonde_lowering_slice (to, state, 2, 1, G_MAXINT64, 1);
  value = sonde_lowering_concat (to, SONDE_VALUES (state, sonde_lowering_unsqueeze (to, fresh, 2)),
                                 2);
  value = emit (lower, "Mul", value, sonde_tflite_in (lower, 2));
  value = emit (lower, "ReduceSum", value, axis);
  value = sonde_lowering_reshape (to, value, (gint64[]){ -1, times->dims[0] / rank, rank }, 3);
  value = emit (lower, "ReduceSum", value, axis);
  sonde_node_set_int (value->producer, "keepdims", 0);
  if (bias != NULL)
    value = emit (lower, "Add", value, bias);
  sonde_tflite_out (lower, 0,
                    sonde_tflite_activate (lower, value, sonde_tflite_option8 (lower, 1)));
}
