/* SPDX-License-Identifier: Apache-2.0
 * RNN, GRU and LSTM: MindSpore has one primitive, for plain LSTMs; all others run step by step. */
#include <string.h>

#include "data/models/mindir/write/sonde-mindir-rounds.h"
#include "data/models/mindir/sonde-mindir-term.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)

enum
{
  X,
  W,
  R,
  B,
  LENGTHS,
  H,
  C,
  P,
};

#define MAX_GATES 4
#define MAX_ACTIVATIONS 3

/**
 * Layer: @w's names of one direction's weights belong to the function at work
 * @activations: primitives, of this direction
 * @like: the input, for the type of numbers
 */
typedef struct
{
  const SondeNode *node;
  gint64 steps, batch, hidden, gates;
  guint n_directions, direction, n_activations;
  gboolean backwards;
  const char *activations[MAX_ACTIVATIONS];
  const SondeGraphValue *like;
} Layer;

/* ---- what the node says -------------------------------------------------- */

static const char *
find_primitive (const char *activation)
{
  static const char *const names[][2] = {
    { "sigmoid", "Sigmoid" },
    { "tanh", "Tanh" },
    { "relu", "ReLU" },
    { "softplus", "Softplus" },
  };

  for (guint i = 0; activation != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strcasecmp (names[i][0], activation) == 0)
      return names[i][1];
  return NULL;
}

static gboolean
read_activations (Layer *layer)
{
  static const char *const lstm[] = { "Sigmoid", "Tanh", "Tanh" };
  static const char *const gru[] = { "Sigmoid", "Tanh" }, *const rnn[] = { "Tanh" };
  const char *const *defaults = layer->gates == 4 ? lstm : layer->gates == 3 ? gru : rnn;
  const SondeAttribute *named = sonde_node_find_attribute (layer->node, "activations");

  layer->n_activations = layer->gates == 4 ? 3 : layer->gates == 3 ? 2 : 1;
  for (guint i = 0; i < layer->n_activations; i++)
    {
      const gsize at = layer->direction * layer->n_activations + i;

      layer->activations[i]
          = find_primitive (named != NULL && named->kind == SONDE_ATTRIBUTE_STRINGS && at < named->n
                                ? named->u.strings[at]
                                : defaults[i]);
      if (layer->activations[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Sizes of the input, which lie time first but where the layout is 1. */
static gboolean
read_sizes (Layer *layer)
{
  const SondeNode *node = layer->node;
  const gboolean batch_first = sonde_node_get_int (node, "layout", 0) != 0;
  g_autoptr (GArray) sizes = sonde_mindir_sizes (VALUE (X));
  g_autoptr (GArray) weight = sonde_mindir_sizes (VALUE (R));
  const char *direction = sonde_node_get_string (node, "direction", "forward");

  if (sizes == NULL || sizes->len != 3 || weight == NULL || weight->len != 3)
    return FALSE;
  layer->steps = g_array_index (sizes, gint64, batch_first ? 1 : 0);
  layer->batch = g_array_index (sizes, gint64, batch_first ? 0 : 1);
  layer->hidden = g_array_index (weight, gint64, 2);
  layer->gates = strcmp (node->op, "LSTM") == 0 ? 4 : strcmp (node->op, "GRU") == 0 ? 3 : 1;
  layer->n_directions = strcmp (direction, "bidirectional") == 0 ? 2 : 1;
  layer->backwards = strcmp (direction, "reverse") == 0;
  layer->like = VALUE (X);
  return g_array_index (weight, gint64, 0) == layer->n_directions
         && g_array_index (weight, gint64, 1) == layer->gates * layer->hidden;
}

/* ---- pieces -------------------------------------------------------------- */

static const char *
write_part (SondeMindirWriter *w, const char *x, gint64 index)
{
  return sonde_mindir_pick (w, x, sonde_mindir_write_whole (w, index), 0);
}

/* One of @n equal parts of the last dimension, or of the first and only one. */
static const char *
split (SondeMindirWriter *w, const char *x, gint64 axis, gint64 n, const char **parts)
{
  const char *tuple
      = CALL ("Split", x, sonde_mindir_write_int (w, axis), sonde_mindir_write_int (w, n));

  for (gint64 i = 0; i < n; i++)
    parts[i] = sonde_mindir_item (w, tuple, i);
  return tuple;
}

static const char *
clip (SondeMindirWriter *w, const Layer *layer, const char *x)
{
  const double bound = sonde_node_get_float (layer->node, "clip", 0);

  if (bound <= 0)
    return x;
  x = CALL ("Maximum", x, sonde_mindir_write_number (w, -bound, layer->like));
  return CALL ("Minimum", x, sonde_mindir_write_number (w, bound, layer->like));
}

static const char *
activate (SondeMindirWriter *w, const Layer *layer, guint which, const char *x)
{
  return CALL (layer->activations[which], clip (w, layer, x));
}

/* 1 − x */
static const char *
complement (SondeMindirWriter *w, const Layer *layer, const char *x)
{
  return CALL ("Sub", sonde_mindir_write_number (w, 1, layer->like), x);
}

/* x·mᵀ + b */
static const char *
transform (SondeMindirWriter *w, const char *x, const char *matrix, const char *bias)
{
  const char *y = CALL ("MatMul", x, matrix, sonde_mindir_write_bool (w, FALSE),
                        sonde_mindir_write_bool (w, TRUE));

  return bias != NULL ? CALL ("Add", y, bias) : y;
}

/* ---- cells --------------------------------------------------------------- */

/**
 * Cell: names in the function at work
 * @w, @r: [gates·hidden, …]; @wb, @rb: (nullable): [gates·hidden]; @p: (nullable): [3·hidden]
 * @h, @c: (nullable): the state, and after the step the next one
 */
typedef struct
{
  const char *x, *w, *r, *wb, *rb, *p, *h, *c;
} Cell;

static void
step_rnn (SondeMindirWriter *w, const Layer *layer, Cell *cell)
{
  const char *sum = CALL ("Add", transform (w, cell->x, cell->w, cell->wb),
                          transform (w, cell->h, cell->r, cell->rb));

  cell->h = activate (w, layer, 0, sum);
}

/* Rows of the gates are z, r, h. */
static void
step_gru (SondeMindirWriter *w, const Layer *layer, Cell *cell)
{
  const gboolean after = sonde_node_get_int (layer->node, "linear_before_reset", 0) != 0;
  const char *x[MAX_GATES], *h[MAX_GATES], *matrices[MAX_GATES], *biases[MAX_GATES] = { NULL };
  const char *z, *r, *candidate;

  split (w, transform (w, cell->x, cell->w, cell->wb), -1, 3, x);
  split (w, transform (w, cell->h, cell->r, cell->rb), -1, 3, h);
  z = activate (w, layer, 0, CALL ("Add", x[0], h[0]));
  r = activate (w, layer, 0, CALL ("Add", x[1], h[1]));
  if (after)
    candidate = CALL ("Mul", r, h[2]);
  else
    {
      split (w, cell->r, 0, 3, matrices);
      if (cell->rb != NULL)
        split (w, cell->rb, 0, 3, biases);
      candidate = transform (w, CALL ("Mul", r, cell->h), matrices[2], biases[2]);
    }
  candidate = activate (w, layer, 1, CALL ("Add", x[2], candidate));
  cell->h
      = CALL ("Add", CALL ("Mul", complement (w, layer, z), candidate), CALL ("Mul", z, cell->h));
}

static const char *
peep (SondeMindirWriter *w, const char *gate, const char *peephole, const char *c)
{
  return peephole != NULL ? CALL ("Add", gate, CALL ("Mul", peephole, c)) : gate;
}

/* Rows of the gates are i, o, f, c; those of the peepholes i, o, f. */
static void
step_lstm (SondeMindirWriter *w, const Layer *layer, Cell *cell)
{
  const char *gates[MAX_GATES], *peepholes[MAX_GATES] = { NULL }, *i, *o, *f, *g;

  split (w,
         CALL ("Add", transform (w, cell->x, cell->w, cell->wb),
               transform (w, cell->h, cell->r, cell->rb)),
         -1, 4, gates);
  if (cell->p != NULL)
    split (w, cell->p, 0, 3, peepholes);
  i = activate (w, layer, 0, peep (w, gates[0], peepholes[0], cell->c));
  f = sonde_node_get_int (layer->node, "input_forget", 0) != 0
          ? complement (w, layer, i)
          : activate (w, layer, 0, peep (w, gates[2], peepholes[2], cell->c));
  g = activate (w, layer, 1, gates[3]);
  cell->c = CALL ("Add", CALL ("Mul", f, cell->c), CALL ("Mul", i, g));
  o = activate (w, layer, 0, peep (w, gates[1], peepholes[1], cell->c));
  cell->h = CALL ("Mul", o, CALL (layer->activations[2], cell->c));
}

static void
step (SondeMindirWriter *w, const Layer *layer, Cell *cell)
{
  if (layer->gates == 4)
    step_lstm (w, layer, cell);
  else if (layer->gates == 3)
    step_gru (w, layer, cell);
  else
    step_rnn (w, layer, cell);
}

/* ---- directions ---------------------------------------------------------- */

/* What goes round in a direction, by its place. */
typedef struct
{
  guint h, c, y, x, w, r, wb, rb, p, lengths;
} Places;

/* Zeros where the node has no first state. */
static const char *
write_state (SondeMindirWriter *w, const Layer *layer, guint input, const SondeType *type)
{
  const SondeNode *node = layer->node;
  const char *state = input < node->inputs->len ? IN (input) : NULL;
  g_autoptr (SondeTensor) zeros = NULL;
  SondeShape shape;

  if (state != NULL && sonde_node_get_int (node, "layout", 0) != 0)
    state = CALL ("Transpose", state, sonde_mindir_write_ints (w, (const gint64[]){ 1, 0, 2 }, 3));
  if (state != NULL)
    return write_part (w, state, layer->direction);
  sonde_type_get_shape (type, &shape);
  zeros = sonde_tensor_new (type->dtype, &shape);
  return sonde_mindir_write_tensor (w, zeros);
}

static SondeType
make_type (const Layer *layer, int rank, const gint64 *sizes)
{
  SondeShape shape = { .rank = rank };

  for (int i = 0; i < rank; i++)
    shape.dims[i] = sizes[i];
  return sonde_type_tensor (layer->like->type.dtype, &shape);
}

static guint
add_part (SondeMindirWriter *w, const Layer *layer, SondeMindirRounds *rounds, guint input)
{
  const SondeNode *node = layer->node;

  if (VALUE (input) == NULL)
    return 0;
  return sonde_mindir_rounds_add (rounds, write_part (w, IN (input), layer->direction), NULL);
}

/* The bias of the node is that of W and that of R in one row. */
static void
add_biases (SondeMindirWriter *w, const Layer *layer, SondeMindirRounds *rounds, Places *places)
{
  const SondeNode *node = layer->node;
  const char *halves[2];

  if (VALUE (B) == NULL)
    return;
  split (w, write_part (w, IN (B), layer->direction), 0, 2, halves);
  places->wb = sonde_mindir_rounds_add (rounds, halves[0], NULL);
  places->rb = sonde_mindir_rounds_add (rounds, halves[1], NULL);
}

static const char *
get (const SondeMindirRounds *rounds, guint place)
{
  return place != 0 ? rounds->names->pdata[place] : NULL;
}

/* Sequences that are shorter keep their state and give zeros. */
static const char *
keep_within (SondeMindirWriter *w, const char *valid, const char *new, const char *old)
{
  return valid != NULL ? CALL ("Select", valid, new, old) : new;
}

/* [batch, hidden] of truth: whether the sequences have the step @number. */
static const char *
write_valid (SondeMindirWriter *w, const Layer *layer, const char *lengths, const char *number)
{
  const gint64 column[] = { -1, 1 }, sizes[] = { layer->batch, layer->hidden };
  const char *within;

  if (lengths == NULL)
    return NULL;
  within = CALL ("Less", number, CALL ("Cast", lengths, sonde_mindir_write_int (w, 35)));
  within = CALL ("Reshape", within, sonde_mindir_write_ints (w, column, 2));
  return CALL ("BroadcastTo", within, sonde_mindir_write_ints (w, sizes, 2));
}

static void
write_step (SondeMindirWriter *w, const Layer *layer, SondeMindirRounds *rounds,
            const Places *places)
{
  void **names = rounds->names->pdata;
  const char *number = names[SONDE_ROUND_NUMBER], *valid, *y;
  Cell cell = { NULL,
                get (rounds, places->w),
                get (rounds, places->r),
                get (rounds, places->wb),
                get (rounds, places->rb),
                get (rounds, places->p),
                names[places->h],
                get (rounds, places->c) };

  if (layer->backwards)
    number = CALL ("Sub", sonde_mindir_write_whole (w, layer->steps - 1), number);
  cell.x = sonde_mindir_pick (w, names[places->x], number, 0);
  step (w, layer, &cell);
  valid = write_valid (w, layer, get (rounds, places->lengths), number);
  y = valid != NULL ? CALL ("Select", valid, cell.h, CALL ("ZerosLike", cell.h)) : cell.h;
  names[places->h] = (gpointer) keep_within (w, valid, cell.h, names[places->h]);
  if (places->c != 0)
    names[places->c] = (gpointer) keep_within (w, valid, cell.c, names[places->c]);
  names[places->y] = (gpointer) sonde_mindir_place (w, names[places->y], number, y);
}

/* @results: [steps, batch, hidden], and the last states [batch, hidden] */
static void
write_direction (SondeMindirWriter *w, const Layer *layer, const char *x, const char **results)
{
  const SondeNode *node = layer->node;
  const SondeType state = make_type (layer, 2, (const gint64[]){ layer->batch, layer->hidden });
  const SondeType all
      = make_type (layer, 3, (const gint64[]){ layer->steps, layer->batch, layer->hidden });
  g_auto (SondeMindirRounds) rounds = { NULL };
  Places places = { 0 };

  sonde_mindir_rounds_init (&rounds, w, NULL);
  places.h = sonde_mindir_rounds_add (&rounds, write_state (w, layer, H, &state), &state);
  if (layer->gates == 4)
    places.c = sonde_mindir_rounds_add (&rounds, write_state (w, layer, C, &state), &state);
  places.y = sonde_mindir_rounds_add (&rounds, sonde_mindir_write_room (w, &all, 0), &all);
  places.x = sonde_mindir_rounds_add (&rounds, x, NULL);
  places.w = add_part (w, layer, &rounds, W);
  places.r = add_part (w, layer, &rounds, R);
  add_biases (w, layer, &rounds, &places);
  places.p = layer->gates == 4 ? add_part (w, layer, &rounds, P) : 0;
  if (VALUE (LENGTHS) != NULL)
    places.lengths = sonde_mindir_rounds_add (&rounds, IN (LENGTHS), &VALUE (LENGTHS)->type);
  sonde_mindir_rounds_set_limit (&rounds, sonde_mindir_write_whole (w, layer->steps));
  sonde_mindir_rounds_begin (&rounds, w);
  write_step (w, layer, &rounds, &places);
  sonde_mindir_rounds_end (&rounds, w);
  results[0] = get (&rounds, places.y);
  results[1] = get (&rounds, places.h);
  results[2] = get (&rounds, places.c);
}

/* ---- the primitive ------------------------------------------------------- */

/* Weights of a direction as MindSpore has them on the processor: W, R, the sum of both biases, each in
 * the order i, f, g, o. */
static const char *
write_flat_weight (SondeMindirWriter *w, const Layer *layer)
{
  static const gint64 order[] = { 0, 2, 3, 1 };
  const SondeNode *node = layer->node;
  const SondeTensor *tensors[] = { sonde_mindir_known (node, W), sonde_mindir_known (node, R),
                                   VALUE (B) != NULL ? sonde_mindir_known (node, B) : NULL };
  const gint64 inputs = tensors[0]->shape.dims[2], h = layer->hidden, d = layer->direction;
  const SondeShape shape = { .rank = 3, .dims = { 4 * h * (inputs + h + 1), 1, 1 } };
  g_autoptr (SondeTensor) flat = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 at = 0;

  for (guint t = 0; t < 2; t++)
    for (guint k = 0; k < 4; k++)
      {
        const gint64 n = h * tensors[t]->shape.dims[2], from = (4 * d + order[k]) * n;

        for (gint64 i = 0; i < n; i++)
          sonde_tensor_set_double (flat, at++, sonde_tensor_get_double (tensors[t], from + i));
      }
  for (guint k = 0; k < 4; k++)
    for (gint64 i = 0; i < h; i++)
      {
        const gint64 from = 8 * d * h + order[k] * h + i;

        sonde_tensor_set_double (flat, at++,
                                 tensors[2] == NULL
                                     ? 0
                                     : sonde_tensor_get_double (tensors[2], from)
                                           + sonde_tensor_get_double (tensors[2], from + 4 * h));
      }
  return sonde_mindir_write_tensor (w, flat);
}

static gboolean
is_plain (const Layer *layer)
{
  const SondeNode *node = layer->node;

  return layer->gates == 4 && sonde_node_find_attribute (node, "activations") == NULL
         && sonde_node_get_float (node, "clip", 0) <= 0
         && sonde_node_get_int (node, "input_forget", 0) == 0 && VALUE (LENGTHS) == NULL
         && VALUE (P) == NULL && layer->like->type.dtype == SONDE_DTYPE_F32
         && sonde_mindir_known (node, W) != NULL && sonde_mindir_known (node, R) != NULL
         && (VALUE (B) == NULL || sonde_mindir_known (node, B) != NULL);
}

static const char *
turn (SondeMindirWriter *w, const Layer *layer, const char *x)
{
  return layer->backwards ? CALL ("ReverseV2", x, sonde_mindir_write_ints (w, (gint64[]){ 0 }, 1))
                          : x;
}

static void
write_primitive (SondeMindirWriter *w, const Layer *layer, const char *x, const char **results)
{
  const SondeType state = make_type (layer, 2, (const gint64[]){ layer->batch, layer->hidden });
  const char *first = sonde_mindir_write_int (w, 0), *h, *c, *weight, *all;

  h = CALL ("ExpandDims", write_state (w, layer, H, &state), first);
  c = CALL ("ExpandDims", write_state (w, layer, C, &state), first);
  weight = write_flat_weight (w, layer);
  x = turn (w, layer, x);
  sonde_mindir_attribute_int (w, "input_size", sonde_mindir_known (layer->node, W)->shape.dims[2]);
  sonde_mindir_attribute_int (w, "hidden_size", layer->hidden);
  sonde_mindir_attribute_int (w, "num_layers", 1);
  sonde_mindir_attribute_bool (w, "has_bias", TRUE);
  sonde_mindir_attribute_bool (w, "bidirectional", FALSE);
  sonde_mindir_attribute_float (w, "dropout", 0);
  sonde_mindir_attribute_int (w, "proj_size", 0);
  all = sonde_mindir_call_old (w, "LSTM", SONDE_NAMES (x, h, c, weight));
  results[0] = turn (w, layer, sonde_mindir_item (w, all, 0));
  for (guint i = 1; i < 3; i++)
    results[i] = write_part (w, sonde_mindir_item (w, all, i), 0);
}

/* ---- the node ------------------------------------------------------------ */

/* [directions, …] of what the directions give; @axis: where they stand side by side */
static const char *
join (SondeMindirWriter *w, const Layer *layer, const char *const *parts, gint64 axis)
{
  const char *wide[2];

  for (guint i = 0; i < layer->n_directions; i++)
    wide[i] = CALL ("ExpandDims", parts[i], sonde_mindir_write_int (w, axis));
  if (layer->n_directions == 1)
    return wide[0];
  return CALL ("Concat", sonde_mindir_tuple (w, wide, 2), sonde_mindir_write_int (w, axis));
}

/* Y [steps, directions, batch, hidden] and states [directions, batch, hidden], batch first in layout 1 */
static void
set_outputs (SondeMindirWriter *w, const Layer *layer, const char *results[2][3])
{
  static const gint64 y_order[] = { 2, 0, 1, 3 }, state_order[] = { 1, 0, 2 };
  const gboolean batch_first = sonde_node_get_int (layer->node, "layout", 0) != 0;

  for (guint k = 0; k < MIN (layer->node->outputs->len, layer->gates == 4 ? 3 : 2); k++)
    {
      const char *parts[2] = { results[0][k], results[1][k] }, *y;

      if (sonde_node_get_output (layer->node, k) == NULL)
        continue;
      y = join (w, layer, parts, k == 0 ? 1 : 0);
      if (batch_first)
        y = CALL ("Transpose", y,
                  k == 0 ? sonde_mindir_write_ints (w, y_order, 4)
                         : sonde_mindir_write_ints (w, state_order, 3));
      sonde_mindir_set (w, layer->node, k, y);
    }
}

static void
write_recurrent (SondeMindirWriter *w, const SondeNode *node)
{
  Layer layer = { .node = node };
  const char *results[2][3] = { { NULL } }, *x = IN (X);

  if (!read_sizes (&layer))
    {
      sonde_mindir_cannot (w, node, N_ ("its sizes are not known before the net runs"));
      return;
    }
  if (sonde_node_get_int (node, "layout", 0) != 0)
    x = CALL ("Transpose", x, sonde_mindir_write_ints (w, (const gint64[]){ 1, 0, 2 }, 3));
  for (guint d = 0; d < layer.n_directions; d++)
    {
      layer.direction = d;
      layer.backwards = layer.backwards || d == 1;
      if (!read_activations (&layer))
        {
          sonde_mindir_cannot (w, node, N_ ("one of its functions has no primitive"));
          return;
        }
      if (is_plain (&layer))
        write_primitive (w, &layer, x, results[d]);
      else
        write_direction (w, &layer, x, results[d]);
    }
  set_outputs (w, &layer, results);
}

const SondeMindirWriteRow sonde_mindir_write_recurrent_rows[] = {
  { "LSTM", write_recurrent, NULL, 0 },
  { "GRU", write_recurrent, NULL, 0 },
  { "RNN", write_recurrent, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
