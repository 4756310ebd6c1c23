/* SPDX-License-Identifier: Apache-2.0
 * ATen's recurrent layers: one operator for all layers and directions, several of ONNX. Weights are
 * slices of the parameters, whose names and gates stay PyTorch's. */
#include "data/models/pt2/sonde-pt2-lower.h"

#define MOST_GATES 4

/**
 * Cell: a kind of recurrent layer
 * @op: of ONNX; @activation: (nullable): for RNN
 * @order: gate i of ONNX is gate order[i] of PyTorch
 */
typedef struct
{
  const char *name, *op, *activation;
  int n_gates;
  int order[MOST_GATES];
} Cell;

static const Cell cells[] = {
  { "lstm", "LSTM", NULL, 4, { 0, 3, 1, 2 } }, /* i f g o -> i o f c */
  { "gru", "GRU", NULL, 3, { 1, 0, 2 } },      /* r z n -> z r h */
  { "rnn_tanh", "RNN", "Tanh", 1, { 0 } },
  { "rnn_relu", "RNN", "Relu", 1, { 0 } },
};

/**
 * Recurrent: the open node
 * @h: @c: (nullable): states at the beginning, [layers · directions, batch, hidden]
 * @params: by layer, direction; @per_cell of each: weights of inputs and of states, biases of both
 */
typedef struct
{
  const Cell *cell;
  SondeGraphValue *h, *c;
  GPtrArray *params;
  guint n_layers, n_directions, per_cell;
  gint64 hidden;
} Recurrent;

static SondeGraphValue *
get_param (const Recurrent *recurrent, guint layer, guint direction, guint which)
{
  return recurrent->params
      ->pdata[(layer * recurrent->n_directions + direction) * recurrent->per_cell + which];
}

/* Gates in ONNX's order, along the first axis. */
static SondeGraphValue *
reorder (SondePt2Lowering *self, const Recurrent *recurrent, SondeGraphValue *weights)
{
  SondeGraphValue *gates[MOST_GATES];
  const Cell *cell = recurrent->cell;

  if (cell->n_gates == 1)
    return weights;
  for (int i = 0; i < cell->n_gates; i++)
    gates[i] = sonde_lowering_slice (self->out, weights, 0, cell->order[i] * recurrent->hidden,
                                     (cell->order[i] + 1) * recurrent->hidden, 1);
  return sonde_lowering_concat (self->out, gates, (guint) cell->n_gates, 0);
}

/* Parameter @which of a layer, a row a direction. */
static SondeGraphValue *
stack_directions (SondePt2Lowering *self, const Recurrent *recurrent, guint layer, guint which)
{
  SondeGraphValue *rows[2];

  for (guint i = 0; i < recurrent->n_directions; i++)
    rows[i] = sonde_lowering_unsqueeze (
        self->out, reorder (self, recurrent, get_param (recurrent, layer, i, which)), 0);
  return recurrent->n_directions == 1 ? rows[0] : sonde_lowering_concat (self->out, rows, 2, 0);
}

static SondeGraphValue *
get_biases (SondePt2Lowering *self, const Recurrent *recurrent, guint layer)
{
  SondeGraphValue *halves[2];

  if (recurrent->per_cell < 4)
    return NULL;
  halves[0] = stack_directions (self, recurrent, layer, 2);
  halves[1] = stack_directions (self, recurrent, layer, 3);
  return sonde_lowering_concat (self->out, halves, 2, 1);
}

/* The states of one layer; (nullable) @states */
static SondeGraphValue *
get_states (SondePt2Lowering *self, const Recurrent *recurrent, SondeGraphValue *states,
            guint layer)
{
  gint64 from = (gint64) layer * recurrent->n_directions;

  if (states == NULL || recurrent->n_layers == 1)
    return states;
  return sonde_lowering_slice (self->out, states, 0, from, from + recurrent->n_directions, 1);
}

/* One a direction. */
static void
set_activations (SondeNode *node, const char *name, guint n)
{
  SondeAttribute *attribute = g_new0 (SondeAttribute, 1);

  attribute->name = g_strdup ("activations");
  attribute->kind = SONDE_ATTRIBUTE_STRINGS;
  attribute->n = n;
  attribute->u.strings = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    attribute->u.strings[i] = g_strdup (name);
  sonde_node_take_attribute (node, attribute);
}

static SondeNode *
add_layer (SondePt2Lowering *self, const Recurrent *recurrent, SondeGraphValue *x, guint layer)
{
  const Cell *cell = recurrent->cell;
  SondeGraphValue *const inputs[] = { x,
                                      stack_directions (self, recurrent, layer, 0),
                                      stack_directions (self, recurrent, layer, 1),
                                      get_biases (self, recurrent, layer),
                                      NULL,
                                      get_states (self, recurrent, recurrent->h, layer),
                                      get_states (self, recurrent, recurrent->c, layer) };
  guint n_outputs = recurrent->c != NULL ? 3 : 2;
  SondeNode *node = sonde_lowering_node (self->out, "", cell->op, inputs,
                                         recurrent->c != NULL ? 7 : 6, n_outputs);

  sonde_node_set_int (node, "hidden_size", recurrent->hidden);
  sonde_node_set_string (node, "direction",
                         recurrent->n_directions == 2 ? "bidirectional" : "forward");
  if (g_str_equal (cell->op, "GRU"))
    sonde_node_set_int (node, "linear_before_reset", 1);
  if (cell->activation != NULL)
    set_activations (node, cell->activation, recurrent->n_directions);
  return node;
}

/* [time, directions, batch, hidden] -> [time, batch, directions · hidden] */
static SondeGraphValue *
join_directions (SondePt2Lowering *self, SondeGraphValue *y)
{
  static const gint64 order[] = { 0, 2, 1, 3 }, joined[] = { 0, 0, -1 };

  y = sonde_lowering_transpose (self->out, y, order, 4);
  return sonde_pt2_op2 (self, "Reshape", y, sonde_lowering_ints (self->out, joined, 3));
}

/* The last states of all layers. */
static void
set_states (SondePt2Lowering *self, const Recurrent *recurrent, SondeNode *const *layers,
            guint output)
{
  g_autofree SondeGraphValue **states = g_new (SondeGraphValue *, recurrent->n_layers);

  for (guint i = 0; i < recurrent->n_layers; i++)
    states[i] = sonde_node_get_output (layers[i], output);
  sonde_pt2_set_out (self, output,
                     recurrent->n_layers == 1
                         ? states[0]
                         : sonde_lowering_concat (self->out, states, recurrent->n_layers, 0));
}

static void
add_layers (SondePt2Lowering *self, const Recurrent *recurrent)
{
  static const gint64 turned[] = { 1, 0, 2 };
  gboolean batch_first = sonde_pt2_arg_bool (self, "batch_first", FALSE);
  SondeGraphValue *x = sonde_pt2_needed (self, "input");
  g_autofree SondeNode **layers = g_new (SondeNode *, recurrent->n_layers);

  x = batch_first ? sonde_lowering_transpose (self->out, x, turned, 3) : x;
  for (guint i = 0; i < recurrent->n_layers; i++)
    {
      layers[i] = add_layer (self, recurrent, x, i);
      x = join_directions (self, sonde_node_get_output (layers[i], 0));
    }
  x = batch_first ? sonde_lowering_transpose (self->out, x, turned, 3) : x;
  sonde_pt2_set_out (self, 0, x);
  set_states (self, recurrent, layers, 1);
  if (recurrent->c != NULL)
    set_states (self, recurrent, layers, 2);
}

/* ---- what the node says -------------------------------------------------- */

static const Cell *
find_cell (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    if (g_str_equal (cells[i].name, name))
      return &cells[i];
  g_assert_not_reached ();
}

static gboolean
has_none (const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    if (values->pdata[i] == NULL)
      return TRUE;
  return FALSE;
}

/* Two states of an LSTM are a list, the one of the others is a tensor. */
static void
read_states (SondePt2Lowering *self, Recurrent *recurrent)
{
  g_autoptr (GPtrArray) states = sonde_pt2_tensors (self, "hx");

  if (states->len == 2)
    {
      recurrent->h = states->pdata[0];
      recurrent->c = states->pdata[1];
    }
  else
    recurrent->h = sonde_pt2_tensor (self, "hx");
}

static gboolean
is_usable (const Recurrent *recurrent, const SondeGraphValue *x)
{
  const SondeGraphValue *weights = recurrent->params->len > 1 ? recurrent->params->pdata[1] : NULL;
  gboolean lstm = recurrent->cell->n_gates == 4;

  return x->type.rank == 3 && weights != NULL && !has_none (recurrent->params)
         && recurrent->h != NULL && lstm == (recurrent->c != NULL) && weights->type.rank == 2
         && weights->type.dims[0].size == recurrent->cell->n_gates * weights->type.dims[1].size
         && recurrent->params->len
                == recurrent->n_layers * recurrent->n_directions * recurrent->per_cell;
}

static void
lower_recurrent (SondePt2Lowering *self)
{
  g_autoptr (GPtrArray) params = sonde_pt2_tensors (self, "params");
  Recurrent recurrent = { .cell = find_cell (self->op), .params = params };

  recurrent.n_layers = (guint) CLAMP (sonde_pt2_arg_int (self, "num_layers", 1), 1, 1024);
  recurrent.n_directions = sonde_pt2_arg_bool (self, "bidirectional", FALSE) ? 2 : 1;
  recurrent.per_cell = sonde_pt2_arg_bool (self, "has_biases", TRUE) ? 4 : 2;
  read_states (self, &recurrent);
  if (sonde_lowering_has_failed (self->out))
    return;
  if (!is_usable (&recurrent, sonde_pt2_needed (self, "input")))
    {
      sonde_pt2_refuse (self,
                        sonde_message_new ("without batches, with projections or packed it is not "
                                           "read"),
                        sonde_message_new ("Give it a batch of sequences of one length"));
      return;
    }
  recurrent.hidden = ((SondeGraphValue *) params->pdata[1])->type.dims[1].size;
  add_layers (self, &recurrent);
}

const SondePt2Row sonde_pt2_recurrent_rows[] = {
  { "gru.input", lower_recurrent, "gru" },
  { "lstm.input", lower_recurrent, "lstm" },
  { "rnn_relu.input", lower_recurrent, "rnn_relu" },
  { "rnn_tanh.input", lower_recurrent, "rnn_tanh" },
  { NULL },
};
