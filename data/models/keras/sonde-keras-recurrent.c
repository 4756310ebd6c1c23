/* SPDX-License-Identifier: Apache-2.0
 * LSTM, GRU, SimpleRNN, and Bidirectional around them: an operator of ONNX a direction. With a mask a
 * Scan over the steps: what a step that does not count would change stays as it was. */
#include <math.h>

#include "data/models/keras/sonde-keras-lower.h"

#define MOST_GATES 4
#define MOST_FUNCTIONS 3

/**
 * Cell: a kind of recurrent layer
 * @part: where its weights lie in the layer
 * @n_functions: activations in ONNX; the last ones are "activation", those before "recurrent_activation"
 * @order: gate i of ONNX is gate order[i] of Keras
 */
typedef struct
{
  const char *class_name, *op;
  SondeKerasPart part;
  int n_gates, n_functions, n_inner;
  int order[MOST_GATES];
} Cell;

static const Cell cells[] = {
  { "LSTM",
    "LSTM",
    { "cell", NULL, "lstm_cell" },
    4,
    3,
    1,
    { 0, 3, 1, 2 } },                                                   /* i f c o -> i o f c */
  { "GRU", "GRU", { "cell", NULL, "gru_cell" }, 3, 2, 1, { 0, 1, 2 } }, /* z r h */
  { "SimpleRNN", "RNN", { "cell", NULL, "simple_rnn_cell" }, 1, 1, 0, { 0 } },
};

/**
 * Recurrent: one direction of one layer
 * @w: @r: @b: (nullable): as ONNX has them
 * @h: @c: (nullable): states at the beginning, [batch, units]
 * @mask: (nullable): [batch, steps]
 * @zero: a step that does not count gives zeros; else what the one before gave
 */
typedef struct
{
  const Cell *cell;
  SondeGraphValue *w, *r, *b, *h, *c, *mask;
  gint64 units;
  gboolean backwards, zero;
} Recurrent;

/* What it gives: @sequence: [batch, steps, units] in the order of the steps; @c: (nullable) */
typedef struct
{
  SondeGraphValue *sequence, *h, *c;
} Result;

static const Cell *
find_cell (const char *class_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    if (g_str_equal (cells[i].class_name, class_name))
      return &cells[i];
  return NULL;
}

/* ---- weights ------------------------------------------------------------- */

/* The gates along @axis in ONNX's order. */
static SondeGraphValue *
reorder (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *x, gint64 axis)
{
  const Cell *cell = recurrent->cell;
  SondeGraphValue *gates[MOST_GATES];

  if (cell->n_gates < MOST_GATES)
    return x;
  for (int i = 0; i < cell->n_gates; i++)
    gates[i] = sonde_lowering_slice (self->out, x, axis, cell->order[i] * recurrent->units,
                                     (cell->order[i] + 1) * recurrent->units, 1);
  return sonde_lowering_concat (self->out, gates, (guint) cell->n_gates, axis);
}

/* [in, gates · units] -> [1, gates · units, in] */
static SondeGraphValue *
turn (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *kernel)
{
  static const gint64 turned[] = { 1, 0 };

  kernel = sonde_lowering_permute (self->out, kernel, turned, 2);
  return sonde_lowering_unsqueeze (self->out, reorder (self, recurrent, kernel, 0), 0);
}

/* One row for the input, one for the state, behind each other: [1, 2 · gates · units]; a layer with
 * one row has zeros for the other. */
static SondeGraphValue *
read_bias (SondeKerasLowering *self, const Recurrent *recurrent)
{
  gint64 n = recurrent->cell->n_gates * recurrent->units;
  gboolean two = g_str_equal (recurrent->cell->op, "GRU")
                 && sonde_keras_bool (self, "reset_after", self->version >= 2);
  SondeShape shape = two ? (SondeShape){ 2, { 2, n } } : (SondeShape){ 1, { n } };
  const gint64 joined[] = { 1, 2 * n };
  SondeGraphValue *bias = NULL, *zeros = NULL;

  if (!sonde_keras_bool (self, "use_bias", TRUE))
    return NULL;
  bias = sonde_keras_weight (self, &recurrent->cell->part, "bias", 2, &shape);
  if (two)
    return sonde_lowering_reshape (self->out, bias, joined, 2);
  bias = reorder (self, recurrent, bias, 0);
  zeros = sonde_lowering_op (
      self->out, "Expand",
      SONDE_VALUES (sonde_keras_scalar (self, bias, 0), sonde_lowering_ints (self->out, &n, 1)));
  bias = sonde_lowering_concat (self->out, (SondeGraphValue *const[]){ bias, zeros }, 2, 0);
  return sonde_lowering_unsqueeze (self->out, bias, 0);
}

static void
read_weights (SondeKerasLowering *self, Recurrent *recurrent, gint64 n_in)
{
  gint64 n = recurrent->cell->n_gates * recurrent->units;
  const SondeShape kernel = { 2, { n_in, n } }, states = { 2, { recurrent->units, n } };

  recurrent->w = turn (self, recurrent,
                       sonde_keras_weight (self, &recurrent->cell->part, "kernel", 0, &kernel));
  recurrent->r
      = turn (self, recurrent,
              sonde_keras_weight (self, &recurrent->cell->part, "recurrent_kernel", 1, &states));
  recurrent->b = read_bias (self, recurrent);
}

/* ---- activations --------------------------------------------------------- */

/* @alpha, @beta: of a function that has them; NaN for others */
typedef struct
{
  const char *name, *onnx;
  double alpha, beta;
} Function;

static const Function functions[] = {
  { "tanh", "Tanh", NAN, NAN },
  { "sigmoid", "Sigmoid", NAN, NAN },
  { "relu", "Relu", NAN, NAN },
  { "linear", "Affine", 1, 0 },
  { "hard_sigmoid", "HardSigmoid", 1.0 / 6, 0.5 },
  { "elu", "Elu", 1, NAN },
  { "softsign", "Softsign", NAN, NAN },
  { "softplus", "Softplus", NAN, NAN },
  { "leaky_relu", "LeakyRelu", 0.2, NAN },
};

/* (nullable): none that ONNX has */
static const Function *
find_function (SondeKerasLowering *self, const char *member, const char *fallback)
{
  const char *name = sonde_keras_text (self, member, NULL);

  if (name == NULL)
    name = sonde_json_member_text (sonde_json_member_object (self->config, member), "config");
  if (name == NULL)
    name = sonde_keras_has (self, member) ? "" : fallback;
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_equal (functions[i].name, name))
      return &functions[i];
  return NULL;
}

static void
set_activations (SondeKerasLowering *self, SondeNode *node, const Cell *cell)
{
  SondeAttribute *attribute = g_new0 (SondeAttribute, 1);
  double alphas[MOST_FUNCTIONS], betas[MOST_FUNCTIONS];
  gsize n_alphas = 0, n_betas = 0;

  attribute->name = g_strdup ("activations");
  attribute->kind = SONDE_ATTRIBUTE_STRINGS;
  attribute->n = (gsize) cell->n_functions;
  attribute->u.strings = g_new0 (char *, (gsize) cell->n_functions + 1);
  for (int i = 0; i < cell->n_functions; i++)
    {
      const Function *function = i < cell->n_inner
                                     ? find_function (self, "recurrent_activation", "sigmoid")
                                     : find_function (self, "activation", "tanh");
      gboolean old = g_str_equal (function->name, "hard_sigmoid") && self->version < 3;

      attribute->u.strings[i] = g_strdup (function->onnx);
      if (!isnan (function->alpha))
        alphas[n_alphas++] = old ? 0.2 : function->alpha;
      if (!isnan (function->beta))
        betas[n_betas++] = function->beta;
    }
  sonde_node_take_attribute (node, attribute);
  if (n_alphas > 0)
    sonde_node_set_floats (node, "activation_alpha", alphas, n_alphas);
  if (n_betas > 0)
    sonde_node_set_floats (node, "activation_beta", betas, n_betas);
}

/* ---- operators ----------------------------------------------------------- */

/* [batch, units] -> [1, batch, units]; (nullable) */
static SondeGraphValue *
as_state (SondeKerasLowering *self, SondeGraphValue *state)
{
  return state != NULL ? sonde_lowering_unsqueeze (self->out, state, 0) : NULL;
}

/* @x: [steps, batch, in] */
static SondeNode *
add_operator (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *x)
{
  gboolean lstm = recurrent->cell->n_gates == 4;
  SondeGraphValue *const inputs[] = { x,
                                      recurrent->w,
                                      recurrent->r,
                                      recurrent->b,
                                      NULL,
                                      as_state (self, recurrent->h),
                                      lstm ? as_state (self, recurrent->c) : NULL };
  guint n = recurrent->c != NULL && lstm ? 7
            : recurrent->h != NULL       ? 6
            : recurrent->b != NULL       ? 4
                                         : 3;
  SondeNode *node
      = sonde_lowering_node (self->out, "", recurrent->cell->op, inputs, n, lstm ? 3 : 2);

  sonde_node_set_int (node, "hidden_size", recurrent->units);
  if (recurrent->backwards)
    sonde_node_set_string (node, "direction", "reverse");
  if (recurrent->cell->n_gates == 3)
    sonde_node_set_int (node, "linear_before_reset",
                        sonde_keras_bool (self, "reset_after", self->version >= 2) ? 1 : 0);
  set_activations (self, node, recurrent->cell);
  return node;
}

static SondeGraphValue *
drop_first (SondeKerasLowering *self, SondeGraphValue *state)
{
  return sonde_lowering_squeeze (self->out, state, 0);
}

/* @x: [batch, steps, in] */
static Result
run_all (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *x)
{
  static const gint64 swapped[] = { 1, 0, 2 };
  SondeNode *node
      = add_operator (self, recurrent, sonde_lowering_transpose (self->out, x, swapped, 3));
  Result result = { NULL };

  result.sequence = sonde_lowering_squeeze (self->out, sonde_node_get_output (node, 0), 1);
  result.sequence = sonde_lowering_transpose (self->out, result.sequence, swapped, 3);
  result.h = drop_first (self, sonde_node_get_output (node, 1));
  if (recurrent->cell->n_gates == 4)
    result.c = drop_first (self, sonde_node_get_output (node, 2));
  return result;
}

/* ---- with a mask --------------------------------------------------------- */

static SondeGraphValue *
choose (SondeKerasLowering *self, SondeGraphValue *counts, SondeGraphValue *then,
        SondeGraphValue *otherwise)
{
  return sonde_lowering_op (self->out, "Where", SONDE_VALUES (counts, then, otherwise));
}

static void
add_body_output (SondeKerasLowering *self, SondeGraphValue *value, const char *what)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", self->place.name, what);

  sonde_lowering_add_output (self->out, value, name);
}

static SondeGraphValue *
add_body_input (SondeKerasLowering *self, const char *what, SondeDtype dtype)
{
  const SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = 2 };
  SondeType open = type;
  g_autofree char *name = g_strdup_printf ("%s.%s", self->place.name, what);

  open.dims[0].size = open.dims[1].size = -1;
  return sonde_lowering_add_input (self->out, name, &open);
}

/* One step: the states that come in, a frame, and whether it counts. */
static SondeGraph *
build_step (SondeKerasLowering *self, const Recurrent *recurrent, SondeDtype dtype)
{
  gboolean lstm = recurrent->cell->n_gates == 4;
  Recurrent one = *recurrent;
  SondeGraphValue *x = NULL, *counts = NULL, *h = NULL, *c = NULL;
  SondeNode *node = NULL;

  sonde_lowering_push_graph (self->out, "step");
  one.backwards = FALSE;
  one.h = add_body_input (self, "state_in", dtype);
  one.c = lstm ? add_body_input (self, "cell_in", dtype) : NULL;
  x = add_body_input (self, "frame", dtype);
  counts = add_body_input (self, "counts", SONDE_DTYPE_BOOL);
  node = add_operator (self, &one, sonde_lowering_unsqueeze (self->out, x, 0));
  h = choose (self, counts, drop_first (self, sonde_node_get_output (node, 1)), one.h);
  c = lstm ? choose (self, counts, drop_first (self, sonde_node_get_output (node, 2)), one.c)
           : NULL;
  add_body_output (self, h, "state");
  if (lstm)
    add_body_output (self, c, "cell");
  if (recurrent->zero)
    h = choose (self, counts, h, sonde_keras_scalar (self, x, 0));
  add_body_output (self, h, "states");
  return sonde_lowering_pop_graph (self->out);
}

/* Zeros [batch, units]. */
static SondeGraphValue *
zero_state (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *x)
{
  SondeGraphValue *batch = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (x)), *sizes = NULL;

  sonde_node_set_int (batch->producer, "end", 1);
  sizes = sonde_lowering_concat (
      self->out,
      (SondeGraphValue *const[]){ batch, sonde_lowering_ints (self->out, &recurrent->units, 1) }, 2,
      0);
  return sonde_lowering_op (self->out, "Expand",
                            SONDE_VALUES (sonde_keras_scalar (self, x, 0), sizes));
}

static SondeNode *
add_scan (SondeKerasLowering *self, const Recurrent *recurrent, SondeGraphValue *x,
          SondeGraphValue *counts)
{
  gboolean lstm = recurrent->cell->n_gates == 4;
  SondeGraphValue *h = recurrent->h != NULL ? recurrent->h : zero_state (self, recurrent, x);
  SondeGraphValue *c
      = recurrent->c != NULL || !lstm ? recurrent->c : zero_state (self, recurrent, x);
  SondeGraphValue *const with_cell[] = { h, c, x, counts }, *const without[] = { h, x, counts };
  SondeNode *node = sonde_lowering_node (self->out, "", "Scan", lstm ? with_cell : without,
                                         lstm ? 4 : 3, lstm ? 3 : 2);
  const gint64 ones[] = { 1, 1 }, back[] = { recurrent->backwards, recurrent->backwards };

  sonde_node_set_int (node, "num_scan_inputs", 2);
  sonde_node_set_ints (node, "scan_input_axes", ones, 2);
  sonde_node_set_ints (node, "scan_output_axes", ones, 1);
  sonde_node_set_ints (node, "scan_input_directions", back, 2);
  sonde_node_set_ints (node, "scan_output_directions", back, 1);
  sonde_node_take_graph (node, "body", build_step (self, recurrent, x->type.dtype));
  return node;
}

/* A body sees what is outside by its name, which must be none of its own. (nullable) */
static SondeGraphValue *
name_for_body (SondeKerasLowering *self, SondeGraphValue *value, const char *what)
{
  g_autofree char *name
      = g_strdup_printf ("%s%s.%u.%s", self->scope, self->place.name, self->call->index, what);

  return value != NULL ? sonde_lowering_name (self->out, value, name) : NULL;
}

static Result
run_masked (SondeKerasLowering *self, Recurrent *recurrent, SondeGraphValue *x)
{
  gboolean lstm = recurrent->cell->n_gates == 4;
  SondeNode *node = NULL;

  recurrent->w = name_for_body (self, recurrent->w, "W");
  recurrent->r = name_for_body (self, recurrent->r, "R");
  recurrent->b = name_for_body (self, recurrent->b, "B");
  node = add_scan (self, recurrent, x, sonde_lowering_unsqueeze (self->out, recurrent->mask, -1));
  return (Result){ .sequence = sonde_node_get_output (node, lstm ? 2 : 1),
                   .h = sonde_node_get_output (node, 0),
                   .c = lstm ? sonde_node_get_output (node, 1) : NULL };
}

/* ---- one direction ------------------------------------------------------- */

/* TRUE when self->config is one that ONNX can say; else it was refused. */
static gboolean
check_config (SondeKerasLowering *self)
{
  if (find_function (self, "activation", "tanh") != NULL
      && find_function (self, "recurrent_activation", "sigmoid") != NULL)
    return TRUE;
  sonde_keras_refuse (
      self,
      sonde_message_new ("its activation is none that recurrent layers of ONNX "
                         "have"),
      sonde_message_new ("tanh, sigmoid, relu, linear, hard_sigmoid, elu, softsign, "
                         "softplus and leaky_relu are"));
  return FALSE;
}

/* @first: the input that holds its first state */
static Result
run_direction (SondeKerasLowering *self, const Cell *cell, guint first, gboolean backwards,
               gboolean zero)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  Recurrent recurrent = { .cell = cell,
                          .units = sonde_keras_int (self, "units", 1),
                          .mask = g_hash_table_lookup (self->masks, x),
                          .backwards = backwards,
                          .zero = zero };
  SondeShape from = sonde_keras_shape_of (x);
  SondeShape state = { 2, { from.dims[0], recurrent.units } };
  SondeShape sequence = { 3, { from.dims[0], from.dims[1], recurrent.units } };
  Result result;

  recurrent.units = CLAMP (recurrent.units, 1, 1 << 24);
  if (self->inputs->len > first)
    recurrent.h = sonde_keras_in (self, first);
  if (self->inputs->len > first + 1 && cell->n_gates == 4)
    recurrent.c = sonde_keras_in (self, first + 1);
  read_weights (self, &recurrent, from.dims[2]);
  result
      = recurrent.mask != NULL ? run_masked (self, &recurrent, x) : run_all (self, &recurrent, x);
  sonde_keras_shaped (result.sequence, x, &sequence);
  sonde_keras_shaped (result.h, x, &state);
  if (result.c != NULL)
    sonde_keras_shaped (result.c, x, &state);
  return result;
}

static SondeGraphValue *
reverse_steps (SondeKerasLowering *self, SondeGraphValue *sequence)
{
  SondeGraphValue *value = sonde_lowering_slice (self->out, sequence, 1, -1, G_MININT64, -1);

  value->type = sequence->type;
  return value;
}

static void
keep_sequence_mask (SondeKerasLowering *self)
{
  SondeGraphValue *mask = g_hash_table_lookup (self->masks, sonde_keras_in (self, 0));

  if (mask != NULL)
    g_hash_table_insert (self->masks, self->outputs->pdata[0], mask);
}

static void
lower_recurrent (SondeKerasLowering *self, const char *class_name)
{
  gboolean back = sonde_keras_bool (self, "go_backwards", FALSE);
  gboolean sequences = sonde_keras_bool (self, "return_sequences", FALSE);
  Result result;

  if (!sonde_keras_check_rank (self, 0, 3, 3) || !check_config (self))
    return;
  result = run_direction (self, find_cell (class_name), 1, back,
                          sonde_keras_bool (self, "zero_output_for_mask", FALSE));
  if (sequences && back)
    result.sequence = reverse_steps (self, result.sequence);
  sonde_keras_set_out (self, 0, sequences ? result.sequence : result.h);
  if (sequences)
    keep_sequence_mask (self);
  if (!sonde_keras_bool (self, "return_state", FALSE))
    return;
  sonde_keras_set_out (self, 1, result.h);
  if (result.c != NULL)
    sonde_keras_set_out (self, 2, result.c);
}

/* ---- Bidirectional ------------------------------------------------------- */

/* Both directions: @merge: "concat", "sum", "mul" or "ave" */
static SondeGraphValue *
join (SondeKerasLowering *self, const char *merge, SondeGraphValue *forward,
      SondeGraphValue *backward)
{
  SondeShape shape = sonde_keras_shape_of (forward);
  SondeGraphValue *sum = NULL;

  if (g_str_equal (merge, "concat"))
    {
      shape.dims[shape.rank - 1] *= 2;
      return sonde_keras_shaped (
          sonde_lowering_concat (self->out, (SondeGraphValue *const[]){ forward, backward }, 2, -1),
          forward, &shape);
    }
  if (g_str_equal (merge, "mul"))
    return sonde_keras_op2 (self, "Mul", forward, backward);
  sum = sonde_keras_op2 (self, "Add", forward, backward);
  if (g_str_equal (merge, "ave"))
    sum = sonde_keras_op2 (self, "Div", sum, sonde_keras_scalar (self, sum, 2));
  return sum;
}

/* One of the two, with the configuration and the weights of @json. */
static gboolean
run_side (SondeKerasLowering *self, JsonObject *json, gboolean second, Result *result)
{
  JsonObject *config = sonde_json_member_object (json, "config"), *before = self->config;
  const char *class_name = sonde_json_member_text (json, "class_name");
  const Cell *cell = class_name != NULL ? find_cell (class_name) : NULL;
  const char *inner = sonde_json_member_text (config, "name");
  g_autofree char *name
      = g_strdup_printf ("%s_%s", second ? "backward" : "forward", inner != NULL ? inner : "layer");
  const SondeKerasPart part
      = { second ? "backward_layer" : "forward_layer", second ? "backward_" : "forward_", name };
  SondeKerasPlace place;
  gboolean fits = FALSE;

  if (cell == NULL || config == NULL)
    {
      sonde_keras_refuse (self,
                          sonde_message_new ("around a layer of the class “%s” it is not read",
                                             class_name != NULL ? class_name : "?"),
                          NULL);
      return FALSE;
    }
  self->config = config;
  place = sonde_keras_enter (self, &part);
  fits = check_config (self);
  if (fits)
    *result = run_direction (self, cell,
                             second && cell->n_gates == 4 ? 3
                             : second                     ? 2
                                                          : 1,
                             second, TRUE);
  sonde_keras_leave (self, &place);
  self->config = before;
  return fits;
}

static void
set_states (SondeKerasLowering *self, guint from, const Result *forward, const Result *backward)
{
  guint n = from;

  for (int i = 0; i < 2; i++)
    {
      const Result *side = i == 0 ? forward : backward;

      sonde_keras_set_out (self, n++, side->h);
      if (side->c != NULL)
        sonde_keras_set_out (self, n++, side->c);
    }
}

static void
lower_bidirectional (SondeKerasLowering *self, const char *op)
{
  JsonObject *layer = sonde_json_member_object (self->config, "layer");
  JsonObject *other = sonde_json_member_object (self->config, "backward_layer");
  JsonObject *config = sonde_json_member_object (layer, "config");
  const char *merge = sonde_keras_text (self, "merge_mode", NULL);
  gboolean sequences = sonde_json_member_bool (config, "return_sequences", FALSE);
  SondeGraphValue *ends[2];
  Result forward, backward;
  guint n = 1;

  if (!sonde_keras_check_rank (self, 0, 3, 3) || !run_side (self, layer, FALSE, &forward)
      || !run_side (self, other != NULL ? other : layer, TRUE, &backward))
    return;
  ends[0] = sequences ? forward.sequence : forward.h;
  ends[1] = sequences ? backward.sequence : backward.h;
  if (!json_object_has_member (self->config, "merge_mode"))
    merge = "concat";
  if (merge != NULL)
    sonde_keras_set_out (self, 0, join (self, merge, ends[0], ends[1]));
  else
    for (n = 0; n < 2; n++)
      sonde_keras_set_out (self, n, ends[n]);
  if (sequences)
    keep_sequence_mask (self);
  if (sonde_json_member_bool (config, "return_state", FALSE))
    set_states (self, n, &forward, &backward);
}

const SondeKerasRow sonde_keras_recurrent_rows[] = {
  { "Bidirectional", 1, SONDE_KERAS_PLAIN, lower_bidirectional, NULL },
  { "GRU", 1, SONDE_KERAS_PLAIN, lower_recurrent, "GRU" },
  { "LSTM", 1, SONDE_KERAS_PLAIN, lower_recurrent, "LSTM" },
  { "SimpleRNN", 1, SONDE_KERAS_PLAIN, lower_recurrent, "SimpleRNN" },
  { NULL },
};
