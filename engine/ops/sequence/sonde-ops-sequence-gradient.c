/* SPDX-License-Identifier: Apache-2.0
 * Gradients through sequences: the gradient of a sequence is a sequence of the same length, of the
 * gradients of its items. Our own operators here make those that no operator of ONNX makes. */
#include "engine/ops/sonde-gradient-rules.h"
#include "data/base/sonde-text.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sequence/sonde-sequence-private.h"

#include <string.h>

#define RULE SONDE_GRADIENT

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/* ---- kernels ------------------------------------------------------------- */

static SondeTensor *
item_tensor (const SondeValue *sequence, gsize i)
{
  return sonde_value_get_tensor (sonde_value_get_item (sequence, i));
}

/* Returns: (transfer full) (nullable): NULL with @error */
static SondeValue *
zeros_like (const SondeTensor *x, GError **error)
{
  g_autoptr (SondeTensor) zeros
      = x ? sonde_tensor_try_new (x->dtype, &x->shape, NULL, N_ ("the gradient"), error) : NULL;

  if (x == NULL)
    (void) invalid (error, "an item of the sequence is not a tensor");
  if (zeros == NULL)
    return NULL;
  memset (zeros->data, 0, sonde_tensor_n_bytes (zeros));
  return sonde_value_new_tensor (zeros);
}

/* The position in input 2 of a sequence of @n; @absent without one. */
static gboolean
read_position (const SondeValueContext *context, gsize n, gint64 absent, gint64 *position,
               GError **error)
{
  SondeTensor *tensor = context->n_inputs > 2 ? sonde_value_get_tensor (context->inputs[2]) : NULL;

  if (tensor != NULL
      && (sonde_tensor_n_elements (tensor) != 1 || !sonde_dtype_is_integer (tensor->dtype)))
    return invalid (error, "the position must be one integer");
  *position = tensor ? sonde_tensor_get_int (tensor, 0) : absent;
  *position += *position < 0 ? (gint64) n : 0;
  return (*position >= 0 && *position < (gint64) n)
         || invalid (error, "the position is outside of a sequence of %zu", n);
}

static void
give (const SondeValueContext *context, const GPtrArray *items)
{
  context->outputs[0] = sonde_value_new_sequence ((SondeValue *const *) items->pdata, items->len);
}

/* (dy, like sequence, position): zeros, and dy at the position. */
static gboolean
compute_at_grad (const SondeValueContext *context, GError **error)
{
  const SondeValue *sequence = context->inputs[1];
  gsize n = sonde_value_get_n_items (sequence);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  gint64 at = 0;

  if (!read_position (context, n, 0, &at, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      SondeValue *item = (gint64) i == at ? sonde_sequence_keep (context->inputs[0])
                                          : zeros_like (item_tensor (sequence, i), error);

      if (item == NULL)
        return FALSE;
      g_ptr_array_add (items, item);
    }
  give (context, items);
  return TRUE;
}

/* (dy, like sequence, position?): zeros where the item stood that was taken out. */
static gboolean
compute_erase_grad (const SondeValueContext *context, GError **error)
{
  const SondeValue *dy = context->inputs[0], *sequence = context->inputs[1];
  gsize n = sonde_value_get_n_items (sequence);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  gint64 at = 0;

  if (!read_position (context, n, -1, &at, error))
    return FALSE;
  if (sonde_value_get_n_items (dy) + 1 != n)
    return invalid (error, "the gradient has %zu items for a sequence of %zu",
                    sonde_value_get_n_items (dy), n);
  for (gsize i = 0; i < n; i++)
    {
      gsize from = (gint64) i < at ? i : i - 1;
      SondeValue *item = (gint64) i == at ? zeros_like (item_tensor (sequence, i), error)
                                          : sonde_value_ref (sonde_value_get_item (dy, from));

      if (item == NULL)
        return FALSE;
      g_ptr_array_add (items, item);
    }
  give (context, items);
  return TRUE;
}

/* (dy, like sequence): dy cut where the items met. */
static gboolean
compute_concat_grad (const SondeValueContext *context, GError **error)
{
  SondeTensor *dy = sonde_value_get_tensor (context->inputs[0]);
  const SondeValue *sequence = context->inputs[1];
  gboolean stack = sonde_node_get_int (context->node, "new_axis", 0) != 0;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  gint64 start = 0;
  int axis = 0;

  if (dy == NULL)
    return invalid (error, "the gradient is not a tensor");
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), dy->shape.rank, &axis,
                         error))
    return FALSE;
  for (gsize i = 0; i < sonde_value_get_n_items (sequence); i++)
    {
      SondeTensor *item = item_tensor (sequence, i);
      gint64 size = stack                                     ? 1
                    : item != NULL && axis < item->shape.rank ? item->shape.dims[axis]
                                                              : G_MAXINT64;

      if (size > dy->shape.dims[axis] - start)
        return invalid (error, "the gradient does not fit item %zu of the sequence", i);
      g_ptr_array_add (items, sonde_sequence_cut (dy, axis, start, size, stack));
      start += size;
    }
  give (context, items);
  return TRUE;
}

static SondeValue *
add_items (SondeTensor *a, SondeTensor *b, GError **error)
{
  g_autoptr (SondeTensor) sum = NULL;

  if (a == NULL || b == NULL || a->dtype != b->dtype || !sonde_dtype_is_float (a->dtype)
      || !sonde_shape_equal (&a->shape, &b->shape))
    {
      (void) invalid (error, "two gradients of one item do not fit each other");
      return NULL;
    }
  sum = sonde_tensor_copy (a);
  for (gint64 i = 0; i < sonde_tensor_n_elements (sum); i++)
    sonde_tensor_set_double (sum, i,
                             sonde_tensor_get_double (a, i) + sonde_tensor_get_double (b, i));
  return sonde_value_new_tensor (sum);
}

/* Item by item; an optional is one of one item. */
static gboolean
compute_add (const SondeValueContext *context, GError **error)
{
  const SondeValue *a = context->inputs[0], *b = context->inputs[1];
  gsize n = sonde_value_get_n_items (a);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);

  if (sonde_value_get_kind (a) != sonde_value_get_kind (b) || n != sonde_value_get_n_items (b))
    return invalid (error, "the two gradients of a sequence are not of one length");
  for (gsize i = 0; i < n; i++)
    {
      SondeValue *item = add_items (item_tensor (a, i), item_tensor (b, i), error);

      if (item == NULL)
        return FALSE;
      g_ptr_array_add (items, item);
    }
  if (sonde_value_get_kind (a) == SONDE_VALUE_OPTIONAL)
    context->outputs[0] = sonde_value_new_optional (n > 0 ? items->pdata[0] : NULL);
  else
    give (context, items);
  return TRUE;
}

/* ---- shape rules --------------------------------------------------------- */

/* As the sequence, input 1. */
static gboolean
infer_like (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_sequence_type (context->inputs[1].dtype);
  return sonde_infer_need_integer (context, 2, error);
}

static gboolean
infer_add (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return TRUE;
}

/* ---- gradients ----------------------------------------------------------- */

static SondeGraphValue *
with_type (SondeGraphValue *value, SondeGraphValue *x)
{
  if (x->type.kind != SONDE_VALUE_NONE)
    value->type = x->type;
  return value;
}

RULE (sequence_construct)
{
  for (guint k = 0; k < context->node->inputs->len; k++)
    if (context->wanted[k])
      context->input_gradients[k]
          = with_type (OP2 ("SequenceAt", sonde_rule_dy (context),
                            sonde_build_scalar (context->graph, SONDE_DTYPE_I64, k)),
                       sonde_rule_x (context, k));
  return TRUE;
}

RULE (sequence_at)
{
  context->input_gradients[0]
      = sonde_rule_own (context, "SequenceAtGrad", sonde_rule_dy (context),
                        sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

RULE (sequence_erase)
{
  SondeGraphValue *position = context->node->inputs->len > 1 ? sonde_rule_x (context, 1) : NULL;

  context->input_gradients[0]
      = sonde_rule_own (context, "SequenceEraseGrad", sonde_rule_dy (context),
                        sonde_rule_x (context, 0), position, NULL);
  return TRUE;
}

/* Where the item went: a position counted from the end counts from that of the old sequence. */
static SondeGraphValue *
inserted_at (SondeGradientContext *context)
{
  SondeGraphValue *position = context->node->inputs->len > 2 ? sonde_rule_x (context, 2) : NULL;
  SondeGraphValue *length = OP1 ("SequenceLength", sonde_rule_x (context, 0)), *negative = NULL;

  if (position == NULL)
    return length;
  position = sonde_rule_cast_like (context, position, length);
  negative = OP2 ("Less", position, sonde_rule_number (context, length, 0));
  return sonde_rule_where (context, negative, OP2 ("Add", position, length), position);
}

RULE (sequence_insert)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *position = inserted_at (context);

  if (context->wanted[0])
    context->input_gradients[0] = OP2 ("SequenceErase", dy, position);
  if (context->wanted[1])
    context->input_gradients[1]
        = with_type (OP2 ("SequenceAt", dy, position), sonde_rule_x (context, 1));
  return TRUE;
}

RULE (split_to_sequence)
{
  gboolean listed = context->node->inputs->len > 1 && sonde_rule_x (context, 1) != NULL;
  SondeGraphValue *dx = OP1 ("ConcatFromSequence", sonde_rule_dy (context));

  sonde_node_set_int (dx->producer, "axis", sonde_node_get_int (context->node, "axis", 0));
  sonde_node_set_int (dx->producer, "new_axis",
                      !listed && sonde_node_get_int (context->node, "keepdims", 1) == 0);
  context->input_gradients[0]
      = with_type (sonde_rule_infer (context, dx), sonde_rule_x (context, 0));
  return TRUE;
}

RULE (concat_from_sequence)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "ConcatFromSequenceGrad", sonde_rule_dy (context), sonde_rule_x (context, 0), NULL);
  return TRUE;
}

RULE (optional)
{
  if (context->node->inputs->len > 0)
    context->input_gradients[0] = with_type (OP1 ("OptionalGetElement", sonde_rule_dy (context)),
                                             sonde_rule_x (context, 0));
  return TRUE;
}

RULE (optional_get_element)
{
  SondeGraphValue *dy = sonde_rule_dy (context);

  context->input_gradients[0]
      = sonde_rule_x (context, 0)->type.kind == SONDE_VALUE_OPTIONAL ? OP1 ("Optional", dy) : dy;
  return TRUE;
}

static gboolean
gradient_add (SondeGradientContext *context, GError **error)
{
  for (guint k = 0; k < 2; k++)
    context->input_gradients[k] = sonde_rule_dy (context);
  return TRUE;
}

static gboolean
gradient_at_grad (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = with_type (OP2 ("SequenceAt", sonde_rule_dy (context), sonde_rule_x (context, 2)),
                   sonde_rule_x (context, 0));
  return TRUE;
}

static gboolean
gradient_erase_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_dy (context),
                                context->node->inputs->len > 2 ? sonde_rule_x (context, 2) : NULL };

  context->input_gradients[0]
      = sonde_build_op (context->graph, NULL, "", "SequenceErase", inputs[1] ? 2 : 1, inputs);
  return TRUE;
}

static gboolean
gradient_concat_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *whole = OP1 ("ConcatFromSequence", sonde_rule_dy (context));

  sonde_rule_copy_attributes (whole->producer, context->node);
  context->input_gradients[0]
      = with_type (sonde_rule_infer (context, whole), sonde_rule_x (context, 0));
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule concat_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "new_axis", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(own, least, most, rules, rule, base)                                                   \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = own, .since = 1, .min_inputs = least, .max_inputs = most,      \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_DYNAMIC,                                 \
    .family = SONDE_FAMILY_GRADIENT, .attributes = rules, .infer = rule,                           \
    .compute_values = compute_##base, .gradient = gradient_##base,                                 \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_sequence_gradient[] = {
  ROW ("ConcatFromSequenceGrad", 2, 2, concat_rules, infer_like, concat_grad),
  ROW ("SequenceAdd", 2, 2, NULL, infer_add, add),
  ROW ("SequenceAtGrad", 3, 3, NULL, infer_like, at_grad),
  ROW ("SequenceEraseGrad", 2, 3, NULL, infer_like, erase_grad),
  { .name = NULL },
};
