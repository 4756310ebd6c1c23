/* SPDX-License-Identifier: Apache-2.0
 * Gradients of what moves elements: mostly another move, backwards. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-decompose.h"

#include <string.h>

#define RULE SONDE_GRADIENT

/* One node of @op on @inputs with the forward node's attributes. */
static SondeGraphValue *
same_attributes (SondeGradientContext *context, const char *domain, const char *op, guint n,
                 SondeGraphValue *const *inputs)
{
  SondeGraphValue *y = sonde_build_op (context->graph, NULL, domain, op, n, inputs);

  sonde_rule_copy_attributes (y->producer, context->node);
  return sonde_rule_infer (context, y);
}

/* The forward operator itself on dy, the other inputs as they are: Trilu, ReverseSequence,
 * DropoutGrad. */
RULE (own_inverse)
{
  SondeGraphValue *inputs[4] = { sonde_rule_dy (context) };
  guint n = context->node->inputs->len;

  for (guint k = 1; k < n; k++)
    inputs[k] = sonde_rule_x (context, k);
  context->input_gradients[0]
      = same_attributes (context, context->node->domain, context->node->op, n, inputs);
  return TRUE;
}

RULE (depth_to_space)
{
  SondeGraphValue *dy = sonde_rule_dy (context);

  context->input_gradients[0] = same_attributes (context, "", "SpaceToDepth", 1, &dy);
  return TRUE;
}

RULE (space_to_depth)
{
  SondeGraphValue *dy = sonde_rule_dy (context);

  context->input_gradients[0] = same_attributes (context, "", "DepthToSpace", 1, &dy);
  return TRUE;
}

/* What was cropped is padded and the other way round; both lie in the middle alike. */
RULE (center_crop_pad)
{
  gsize n = 0;
  const gint64 *axes = sonde_node_get_ints (context->node, "axes", &n);
  SondeGraphValue *shape = OP1 ("Shape", sonde_rule_x (context, 0));
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), shape };

  if (axes != NULL)
    inputs[1] = OP2 ("Gather", shape, sonde_build_ints (context->graph, axes, n));
  context->input_gradients[0] = same_attributes (context, "", "CenterCropPad", 2, inputs);
  return TRUE;
}

/* ---- values that fill ---------------------------------------------------- */

/* Where the hot value stands, or all the others. */
static SondeGraphValue *
sum_of_places (SondeGradientContext *context, gboolean hot)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *values = sonde_rule_x (context, 2);
  SondeShape shape = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) marks = sonde_tensor_new (values->type.dtype, &shape);
  SondeGraphValue *inputs[] = { sonde_rule_x (context, 0), sonde_rule_x (context, 1),
                                sonde_build_constant (context->graph, NULL, marks) };
  SondeGraphValue *sum = NULL;
  const gint64 one = 1;

  sonde_tensor_set_double (marks, hot ? 1 : 0, 1);
  sum = OP1 ("ReduceSum", OP2 ("Mul", dy, same_attributes (context, "", "OneHot", 3, inputs)));
  sonde_node_set_int (sum->producer, "keepdims", 0);
  return OP2 ("Reshape", sonde_rule_infer (context, sum),
              sonde_build_ints (context->graph, &one, 1));
}

RULE (one_hot)
{
  SondeGraphValue *both = NULL;

  if (!context->wanted[2])
    return TRUE;
  both = OP2 ("Concat", sum_of_places (context, FALSE), sum_of_places (context, TRUE));
  sonde_node_set_int (both->producer, "axis", 0);
  context->input_gradients[2] = sonde_rule_infer (context, both);
  return TRUE;
}

/* yᵢ = start + i·delta; the limit only says how many. */
RULE (range)
{
  SondeGraphValue *dy = sonde_rule_dy (context);

  for (guint k = 0; k < 3; k += 2)
    {
      SondeGraphValue *x = sonde_rule_x (context, k), *sum = dy;

      if (!context->wanted[k])
        continue;
      if (k == 2)
        sum = OP2 (
            "Mul", dy,
            sonde_rule_cast_like (context, sonde_decompose_range (context, OP1 ("Size", dy)), dy));
      sum = OP1 ("ReduceSum", sum);
      sonde_node_set_int (sum->producer, "keepdims", 0);
      context->input_gradients[k]
          = sonde_rule_own (context, "ReshapeLike", sonde_rule_infer (context, sum), x, NULL);
    }
  return TRUE;
}

/* ---- parts --------------------------------------------------------------- */

/* (dy, like x1, …) → dx1, …: a part that nobody looked at is zeros. */
RULE (concat_grad)
{
  guint n = context->node->inputs->len - 1;
  g_autofree SondeGraphValue **parts = g_new0 (SondeGraphValue *, n);
  SondeGraphValue *whole = NULL;

  for (guint k = 0; k < n; k++)
    {
      parts[k] = k < context->node->outputs->len ? context->output_gradients[k] : NULL;
      if (parts[k] == NULL)
        parts[k] = sonde_rule_zeros_like (context, sonde_rule_x (context, k + 1));
    }
  whole = sonde_build_op (context->graph, NULL, "", "Concat", n, parts);
  sonde_node_set_int (whole->producer, "axis", sonde_node_get_int (context->node, "axis", 0));
  context->input_gradients[0] = sonde_rule_infer (context, whole);
  return TRUE;
}

/* (dy, like x, starts, ends, axes?, steps?) → dx */
RULE (slice_grad)
{
  SondeGraphValue *inputs[5] = { sonde_rule_dy (context) };
  guint n = context->node->inputs->len - 1;

  for (guint k = 1; k < n; k++)
    inputs[k] = sonde_rule_x (context, k + 1);
  context->input_gradients[0] = sonde_build_op (context->graph, NULL, "", "Slice", n, inputs);
  return TRUE;
}

static SondeGraphValue *
pad (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue *pads,
     SondeGraphValue *value, SondeGraphValue *axes)
{
  SondeGraphValue *inputs[] = { x, pads, value, axes };

  return same_attributes (context, "", "Pad", axes != NULL ? 4 : value != NULL ? 3 : 2, inputs);
}

/* (dy, like x, pads, axes?) → dx */
RULE (pad_grad)
{
  context->input_gradients[0]
      = pad (context, sonde_rule_dy (context), sonde_rule_x (context, 2), NULL,
             context->node->inputs->len > 3 ? sonde_rule_x (context, 3) : NULL);
  return TRUE;
}

/* (x, pads, value?, axes?): dy of what was added goes to the value. */
RULE (pad)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *x = sonde_rule_x (context, 0),
                  *pads = sonde_rule_x (context, 1);
  SondeGraphValue *value = sonde_rule_x (context, 2), *axes = sonde_rule_x (context, 3);
  SondeGraphValue *inputs[] = { dy, x, pads, axes };
  gboolean constant
      = strcmp (sonde_node_get_string (context->node, "mode", "constant"), "constant") == 0;
  SondeGraphValue *marks = NULL, *sum = NULL;

  if (context->wanted[0])
    context->input_gradients[0]
        = same_attributes (context, SONDE_DOMAIN, "PadGrad", axes ? 4 : 3, inputs);
  if (value == NULL || !context->wanted[2] || !constant)
    return TRUE;
  marks = pad (context, sonde_rule_zeros_like (context, x), pads,
               sonde_rule_number (context, dy, 1), axes);
  sum = OP1 ("ReduceSum", OP2 ("Mul", dy, marks));
  sonde_node_set_int (sum->producer, "keepdims", 0);
  context->input_gradients[2]
      = sonde_rule_own (context, "ReshapeLike", sonde_rule_infer (context, sum), value, NULL);
  return TRUE;
}
