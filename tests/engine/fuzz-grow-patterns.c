/* SPDX-License-Identifier: Apache-2.0
 * Chains of plain operators as exporters write them, for sonde_pass_fuse(), and now and then
 * with a number that is not the right one or with a value that somebody else reads. */
#include "tests/engine/fuzz-grow.h"

#include <string.h>

/* The next node of a chain, which seldom is seen by others. NULL where it, or an operand, does not
 * fit. */
static SondeGraphValue *
next (Grower *grower, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *y = NULL;

  if (a == NULL)
    return NULL;
  y = b != NULL ? sonde_build_binary (grower->graph, op, a, b)
                : sonde_build_unary (grower->graph, op, a);
  if (choose (&grower->choices, 24) == 1)
    return keep_value (grower, y);
  if (sonde_build_infer (grower->graph, y->producer, NULL))
    return y;
  sonde_graph_remove_node (grower->graph, y->producer);
  return NULL;
}

/* In either order of operands. */
static SondeGraphValue *
either (Grower *grower, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  if (a == NULL || b == NULL)
    return NULL;
  return choose (&grower->choices, 2) ? next (grower, op, a, b) : next (grower, op, b, a);
}

/* Sometimes another one. */
static SondeGraphValue *
number (Grower *grower, double right)
{
  return sonde_build_scalar (grower->graph, SONDE_DTYPE_F32,
                             choose (&grower->choices, 12) == 1 ? right * 1.01 : right);
}

/* Always a whole one, which is defined for every base. */
static SondeGraphValue *
power (Grower *grower, SondeGraphValue *x, double right)
{
  double exponent = choose (&grower->choices, 12) == 1 ? right + 2 : right;

  return next (grower, "Pow", x, sonde_build_scalar (grower->graph, SONDE_DTYPE_F32, exponent));
}

static SondeGraphValue *
mean_of_last (Grower *grower, SondeGraphValue *x)
{
  const gint64 last = -1;

  return x != NULL ? next (grower, "ReduceMean", x, sonde_build_ints (grower->graph, &last, 1))
                   : NULL;
}

static SondeGraphValue *
square (Grower *grower, SondeGraphValue *x)
{
  return choose (&grower->choices, 2) ? next (grower, "Mul", x, x) : power (grower, x, 2);
}

/* (d ÷ √(mean d² + ε)) · scale + bias of @d, or of x − mean x. */
static SondeGraphValue *
grow_normalised (Grower *grower, SondeGraphValue *x)
{
  SondeShape shape = shape_of (x),
             row = sonde_shape_make (1, shape.rank > 0 ? shape.dims[shape.rank - 1] : 1);
  gboolean centred = choose (&grower->choices, 3) != 0;
  SondeGraphValue *d = centred ? next (grower, "Sub", x, mean_of_last (grower, x)) : x;
  SondeGraphValue *deviation = NULL, *y = NULL;

  if (shape.rank < 1 || d == NULL)
    return NULL;
  deviation
      = either (grower, "Add", mean_of_last (grower, square (grower, d)), number (grower, 1e-3));
  deviation = next (grower, "Sqrt", deviation, NULL);
  if (deviation != NULL && choose (&grower->choices, 3) == 0)
    y = either (grower, "Mul", d, next (grower, "Reciprocal", deviation, NULL));
  else if (deviation != NULL)
    y = next (grower, "Div", d, deviation);
  if (choose (&grower->choices, 3) != 0)
    y = either (grower, "Mul", y, random_constant (grower, &row, 0.5, 1.5));
  return choose (&grower->choices, 2)
             ? either (grower, "Add", y, random_constant (grower, &row, -1, 1))
             : y;
}

/* x·½·(1 + erf (x ÷ √2)) */
static SondeGraphValue *
grow_gelu (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *inner = choose (&grower->choices, 2)
                               ? next (grower, "Div", x, number (grower, G_SQRT2))
                               : either (grower, "Mul", x, number (grower, 1 / G_SQRT2));
  SondeGraphValue *gate
      = either (grower, "Add", next (grower, "Erf", inner, NULL), number (grower, 1));

  if (choose (&grower->choices, 2))
    return either (grower, "Mul", either (grower, "Mul", x, number (grower, 0.5)), gate);
  return either (grower, "Mul", either (grower, "Mul", x, gate), number (grower, 0.5));
}

/* ½·x·(1 + tanh (√(2 ÷ π)·(x + 0.044715·x³))) */
static SondeGraphValue *
grow_tanh_gelu (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *cube = choose (&grower->choices, 2)
                              ? power (grower, x, 3)
                              : either (grower, "Mul", either (grower, "Mul", x, x), x);
  SondeGraphValue *sum
      = either (grower, "Add", x, either (grower, "Mul", cube, number (grower, 0.044715)));
  SondeGraphValue *gate = next (
      grower, "Tanh", either (grower, "Mul", sum, number (grower, 0.7978845608028654)), NULL);

  gate = either (grower, "Add", gate, number (grower, 1));
  return either (grower, "Mul", either (grower, "Mul", x, number (grower, 0.5)), gate);
}

/* x times a function of x. */
static SondeGraphValue *
grow_gated (Grower *grower, SondeGraphValue *x)
{
  SondeGraphValue *gate = NULL;

  switch (choose (&grower->choices, 4))
    {
    case 0:
      gate = next (
          grower, "Sigmoid",
          choose (&grower->choices, 2) ? x : either (grower, "Mul", x, number (grower, 1.7)), NULL);
      break;
    case 1:
      gate = next (grower, "Tanh", next (grower, "Softplus", x, NULL), NULL);
      break;
    case 2:
      gate = next (grower, "HardSigmoid", x, NULL);
      if (gate != NULL)
        sonde_node_set_float (gate->producer, "alpha",
                              choose (&grower->choices, 4) ? 1.0 / 6 : 0.2);
      break;
    default:
      {
        SondeGraphValue *inputs[] = { either (grower, "Add", x, number (grower, 3)),
                                      number (grower, 0), number (grower, 6) };

        if (inputs[0] == NULL)
          return NULL;
        gate = sonde_build_op (grower->graph, NULL, "", "Clip", 3, inputs);
        return next (grower, "Div", either (grower, "Mul", x, gate), number (grower, 6));
      }
    }
  return either (grower, "Mul", x, gate);
}

/* softmax (q·kᵀ·number + mask)·v of [B, H, S, D], all three made of @x. */
static SondeGraphValue *
grow_attention (Grower *grower, SondeGraphValue *x)
{
  static const gint64 swapped[] = { 0, 1, 3, 2 };
  SondeShape shape = shape_of (x), row = sonde_shape_make (1, shape.rank == 4 ? shape.dims[3] : 1),
             mask = shape;
  SondeGraphValue *q = x, *k = NULL, *v = NULL, *scores = NULL;

  if (shape.rank != 4)
    return NULL;
  k = either (grower, "Mul", x, random_constant (grower, &row, -1, 1));
  v = either (grower, "Add", x, random_constant (grower, &row, -1, 1));
  k = k != NULL ? next (grower, "Transpose", k, NULL) : NULL;
  if (k == NULL)
    return NULL;
  sonde_node_set_ints (k->producer, "perm", swapped, 4);
  if (!sonde_build_infer (grower->graph, k->producer, NULL))
    return NULL;
  if (choose (&grower->choices, 2))
    q = either (grower, "Mul", q, number (grower, 0.25));
  scores = q != NULL ? next (grower, "MatMul", q, k) : NULL;
  if (choose (&grower->choices, 2))
    scores = scores != NULL ? next (grower, "Div", scores, number (grower, 4)) : NULL;
  mask.dims[3] = shape.dims[2];
  if (choose (&grower->choices, 2))
    scores = either (grower, "Add", scores, random_constant (grower, &mask, -1, 1));
  return scores != NULL ? next (grower, "MatMul", next (grower, "Softmax", scores, NULL), v) : NULL;
}

/* [N, G·C, …] read as [N, G, C, …], both turned round, and back: what comes after sees channels in
 * another order. */
static SondeGraphValue *
grow_shuffle (Grower *grower, SondeGraphValue *x)
{
  static const gint64 turned[] = { 0, 2, 1, 3, 4 };
  SondeShape shape = shape_of (x);
  gint64 groups = 2 + choose (&grower->choices, 3);
  gint64 apart[5], together[4];
  SondeGraphValue *y = NULL;

  if (shape.rank != 4 || shape.dims[1] % groups != 0)
    return NULL;
  memcpy (together, shape.dims, sizeof together);
  memcpy (apart,
          (const gint64[]){ shape.dims[0], groups, shape.dims[1] / groups, shape.dims[2],
                            shape.dims[3] },
          sizeof apart);
  y = next (grower, "Reshape", x, sonde_build_ints (grower->graph, apart, 5));
  y = y != NULL ? next (grower, "Transpose", y, NULL) : NULL;
  if (y == NULL)
    return NULL;
  sonde_node_set_ints (y->producer, "perm", turned, 5);
  if (!sonde_build_infer (grower->graph, y->producer, NULL))
    return NULL;
  return next (grower, "Reshape", y, sonde_build_ints (grower->graph, together, 4));
}

/* A run of element-wise operators with constants, as scales and biases are written. */
static SondeGraphValue *
grow_chain (Grower *grower, SondeGraphValue *x)
{
  static const char *const pairs[] = { "Add", "Sub", "Mul", "Div", "Max", "Min" };
  static const char *const singles[] = { "Relu", "Tanh",      "Abs", "Neg", "Sigmoid", "Sqrt",
                                         "Log",  "HardSwish", "Elu", "Erf", "Softplus" };
  SondeShape shape = shape_of (x);
  guint n = 2 + choose (&grower->choices, 6);

  for (guint i = 0; i < n && x != NULL; i++)
    {
      guint kind = choose (&grower->choices, 4);
      SondeShape other = kind == 1 ? shape
                         : kind == 2
                             ? sonde_shape_make (1, shape.rank ? shape.dims[shape.rank - 1] : 1)
                             : sonde_shape_scalar ();

      if (kind == 0)
        {
          const char *op = singles[choose (&grower->choices, G_N_ELEMENTS (singles))];

          /* where it is defined, and without a jump where rounding decides */
          if (strcmp (op, "Sqrt") == 0 || strcmp (op, "Log") == 0)
            x = next (grower, "Add", next (grower, "Abs", x, NULL), number (grower, 0.5));
          x = next (grower, op, x, NULL);
        }
      else
        x = next (grower, pairs[choose (&grower->choices, G_N_ELEMENTS (pairs))], x,
                  random_constant (grower, &other, 0.5, 1.5));
    }
  return x;
}

const Grow pattern_growers[] = {
  grow_normalised, grow_normalised, grow_gelu,  grow_tanh_gelu, grow_gated, grow_attention,
  grow_attention,  grow_shuffle,    grow_chain, grow_chain,     grow_chain,
};
const guint n_pattern_growers = G_N_ELEMENTS (pattern_growers);
