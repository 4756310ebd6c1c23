/* SPDX-License-Identifier: Apache-2.0
 * Gradients of what picks elements by index and puts them back: the one is the gradient of the
 * other. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-decompose.h"

#include <string.h>

#define RULE SONDE_GRADIENT

static gint64
axis_of (const SondeGradientContext *context, gint64 fallback)
{
  return sonde_node_get_int (context->node, "axis", fallback);
}

static SondeGraphValue *
with_axis (SondeGradientContext *context, SondeGraphValue *value, gint64 axis)
{
  sonde_node_set_int (value->producer, "axis", axis);
  return sonde_rule_infer (context, value);
}

/* Zeros of x's shape, to which @dy is added at @indices. */
static SondeGraphValue *
add_elements (SondeGradientContext *context, SondeGraphValue *indices, SondeGraphValue *dy,
              gint64 axis)
{
  SondeGraphValue *zeros = sonde_rule_zeros_like (context, sonde_rule_x (context, 0));
  SondeGraphValue *dx = sonde_rule_op (context, "ScatterElements", zeros, indices, dy, NULL);

  sonde_node_set_string (dx->producer, "reduction", "add");
  return with_axis (context, dx, axis);
}

/* ---- gathers ------------------------------------------------------------- */

RULE (gather_elements)
{
  context->input_gradients[0] = add_elements (context, sonde_rule_x (context, 1),
                                              sonde_rule_dy (context), axis_of (context, 0));
  return TRUE;
}

RULE (gather_tuples)
{
  context->input_gradients[0]
      = sonde_rule_own_copying (context, "GatherNDGrad", sonde_rule_dy (context),
                                sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

RULE (top)
{
  context->input_gradients[0] = add_elements (context, sonde_rule_ensure_y (context, 1),
                                              sonde_rule_dy (context), axis_of (context, -1));
  return TRUE;
}

/* The places that the condition keeps are indices of a Gather. */
RULE (compress)
{
  const gint64 all = -1;
  SondeGraphValue *list = sonde_build_ints (context->graph, &all, 1),
                  *x = sonde_rule_x (context, 0);
  SondeGraphValue *places = OP2 ("Reshape", OP1 ("NonZero", sonde_rule_x (context, 1)), list);
  gboolean flat = sonde_node_find_attribute (context->node, "axis") == NULL;
  SondeGraphValue *from = flat ? OP2 ("Reshape", x, list) : x;
  SondeGraphValue *dx
      = sonde_rule_own (context, "GatherGrad", sonde_rule_dy (context), from, places, NULL);

  dx = with_axis (context, dx, axis_of (context, 0));
  context->input_gradients[0] = flat ? sonde_rule_own (context, "ReshapeLike", dx, x, NULL) : dx;
  return TRUE;
}

RULE (tile)
{
  context->input_gradients[0]
      = sonde_rule_own (context, "TileGrad", sonde_rule_dy (context), sonde_rule_x (context, 0),
                        sonde_rule_x (context, 1), NULL);
  return TRUE;
}

/* Those of (dy, like x, …) → dx: the forward operator on the gradient of dx. */
static void
give_forward (SondeGradientContext *context, const char *op)
{
  SondeGraphValue *y = OP2 (op, sonde_rule_dy (context), sonde_rule_x (context, 2));

  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
}

RULE (gather_grad)
{
  give_forward (context, "Gather");
  return TRUE;
}

RULE (gather_tuples_grad)
{
  give_forward (context, "GatherND");
  return TRUE;
}

RULE (tile_grad)
{
  give_forward (context, "Tile");
  return TRUE;
}

/* ---- scatters ------------------------------------------------------------ */

/* @base with @updates at the node's own places. */
static SondeGraphValue *
put (SondeGradientContext *context, SondeGraphValue *base, SondeGraphValue *updates,
     const char *how)
{
  SondeGraphValue *y
      = sonde_rule_op (context, context->node->op, base, sonde_rule_x (context, 1), updates, NULL);

  sonde_rule_copy_attributes (y->producer, context->node);
  sonde_node_set_string (y->producer, "reduction", how);
  return sonde_rule_infer (context, y);
}

/* What @x has at those places. */
static SondeGraphValue *
pick (SondeGradientContext *context, SondeGraphValue *x)
{
  gboolean tuples = strcmp (context->node->op, "ScatterND") == 0;
  SondeGraphValue *y = OP2 (tuples ? "GatherND" : "GatherElements", x, sonde_rule_x (context, 1));

  return tuples ? y : with_axis (context, y, axis_of (context, 0));
}

/* The last of several updates of one place is the one that counts: numbers 1, 2, … are put and read
 * back. */
static void
replaced (SondeGradientContext *context, SondeGraphValue *dy)
{
  SondeGraphValue *updates = sonde_rule_x (context, 2),
                  *one = sonde_build_scalar (context->graph, SONDE_DTYPE_I64, 1);
  SondeGraphValue *order = NULL, *last = NULL, *base = NULL;
  SondeShape shape = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) zero = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

  if (context->wanted[0])
    context->input_gradients[0]
        = put (context, dy, sonde_rule_zeros_like (context, updates), "none");
  if (!context->wanted[2])
    return;
  order = sonde_rule_op (context, "Range", one, OP2 ("Add", OP1 ("Size", updates), one), one, NULL);
  order = OP2 ("Reshape", order, OP1 ("Shape", updates));
  base = OP1 ("ConstantOfShape", OP1 ("Shape", sonde_rule_x (context, 0)));
  sonde_node_set_tensor (base->producer, "value", zero);
  last = pick (context, put (context, sonde_rule_infer (context, base), order, "none"));
  context->input_gradients[2]
      = sonde_rule_where (context, OP2 ("Equal", last, order), pick (context, dy), NULL);
}

static void
added (SondeGradientContext *context, SondeGraphValue *dy)
{
  if (context->wanted[0])
    context->input_gradients[0] = dy;
  if (context->wanted[2])
    context->input_gradients[2] = pick (context, dy);
}

/* One where @x is zero; @filled: (out): @x with ones for the zeros */
static SondeGraphValue *
mark_zeros (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue **filled)
{
  SondeGraphValue *is_zero = OP2 ("Equal", x, sonde_rule_number (context, x, 0));

  *filled = sonde_rule_where (context, is_zero, sonde_rule_number (context, x, 1), x);
  return sonde_rule_cast_like (context, is_zero, x);
}

/* Each factor gets dy times the product of the others of its place: that of all which are not zero,
 * over its own one, where no other is zero. */
static void
multiplied (SondeGradientContext *context, SondeGraphValue *dy)
{
  SondeGraphValue *data = sonde_rule_x (context, 0), *updates = sonde_rule_x (context, 2);
  SondeGraphValue *full_data = NULL, *full_updates = NULL;
  SondeGraphValue *zero_data = mark_zeros (context, data, &full_data);
  SondeGraphValue *zero_updates = mark_zeros (context, updates, &full_updates);
  SondeGraphValue *zeros = put (context, zero_data, zero_updates, "add");
  SondeGraphValue *product = OP2 ("Mul", dy, put (context, full_data, full_updates, "mul"));

  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_where (context, OP2 ("Equal", zeros, zero_data),
                                                    OP2 ("Div", product, full_data), NULL);
  if (context->wanted[2])
    context->input_gradients[2]
        = sonde_rule_where (context, OP2 ("Equal", pick (context, zeros), zero_updates),
                            OP2 ("Div", pick (context, product), full_updates), NULL);
}

/* Equal shares to all that are the extreme of their place. */
static void
extreme (SondeGradientContext *context, SondeGraphValue *dy)
{
  SondeGraphValue *data = sonde_rule_x (context, 0), *updates = sonde_rule_x (context, 2),
                  *y = sonde_rule_y (context, 0);
  SondeGraphValue *in_data = sonde_rule_cast_like (context, OP2 ("Equal", data, y), data);
  SondeGraphValue *in_updates
      = sonde_rule_cast_like (context, OP2 ("Equal", updates, pick (context, y)), data);
  SondeGraphValue *share = OP2 ("Div", dy, put (context, in_data, in_updates, "add"));

  if (context->wanted[0])
    context->input_gradients[0] = OP2 ("Mul", share, in_data);
  if (context->wanted[2])
    context->input_gradients[2] = OP2 ("Mul", pick (context, share), in_updates);
}

typedef struct
{
  const char *reduction;
  void (*give) (SondeGradientContext *context, SondeGraphValue *dy);
} ScatterRule;

static const ScatterRule scatter_rules[] = {
  { "none", replaced }, { "add", added },   { "mul", multiplied },
  { "max", extreme },   { "min", extreme },
};

RULE (scatter)
{
  const char *reduction = sonde_node_get_string (context->node, "reduction", "none");

  for (gsize i = 0; i < G_N_ELEMENTS (scatter_rules); i++)
    if (strcmp (scatter_rules[i].reduction, reduction) == 0)
      scatter_rules[i].give (context, sonde_rule_dy (context));
  return TRUE;
}

/* ---- TensorScatter ------------------------------------------------------- */

/* [n] → [n, 1, …] with @ones ones */
static SondeGraphValue *
with_ones (SondeGradientContext *context, SondeGraphValue *list, int ones)
{
  gint64 axes[SONDE_MAX_RANK];

  for (int i = 0; i < ones; i++)
    axes[i] = 1 + i;
  return ones > 0 ? OP2 ("Unsqueeze", list, sonde_build_ints (context->graph, axes, (gsize) ones))
                  : list;
}

/* Element s of the update went to place (start + s) mod size along the axis. */
RULE (tensor_scatter)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *update = sonde_rule_x (context, 1),
                  *starts = sonde_rule_x (context, 2);
  SondeGraphValue *inputs[] = { dy, sonde_rule_zeros_like (context, update), starts };
  int rank = update->type.rank, axis = 0;
  SondeGraphValue *places = NULL, *cleared = NULL;

  if (!sonde_infer_axis (axis_of (context, -2), rank, &axis, error))
    return FALSE;
  if (context->wanted[0])
    {
      cleared = sonde_build_op (context->graph, NULL, "", "TensorScatter", starts ? 3 : 2, inputs);
      sonde_rule_copy_attributes (cleared->producer, context->node);
      context->input_gradients[0] = sonde_rule_infer (context, cleared);
    }
  if (!context->wanted[1])
    return TRUE;
  places = sonde_decompose_range (context, sonde_decompose_size (context, update, axis));
  places = with_ones (context, places, rank - 1 - axis);
  if (starts != NULL)
    places = OP2 (
        "Add", places,
        with_ones (context, sonde_decompose_cast (context, starts, SONDE_DTYPE_I64), rank - 1));
  places = OP2 ("Expand", OP2 ("Mod", places, sonde_decompose_size (context, dy, axis)),
                OP1 ("Shape", update));
  context->input_gradients[1] = with_axis (context, OP2 ("GatherElements", dy, places), axis);
  return TRUE;
}
