/* SPDX-License-Identifier: Apache-2.0
 * Sequences: made, read, changed (a change makes a new sequence that shares its items), and tensors
 * cut into them or joined from them. Our type of a sequence tells the items' element type only:
 * their shapes may differ. Optionals are in sonde-ops-optional.c. Source: the operator texts of
 * ONNX. */
#include "engine/ops/sonde-gradient-rules.h"
#include "data/base/sonde-text.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sequence/sonde-sequence-private.h"

#include "data/base/sonde-checked.h"

#include <string.h>

/* Items of one sequence; each costs some 400 bytes beside its elements. */
#define MOST_ITEMS 1000000

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

static gboolean
need_sequence (const SondeInferContext *context, GError **error)
{
  SondeValueKind kind = context->inputs[0].kind;

  if (kind == SONDE_VALUE_SEQUENCE || kind == SONDE_VALUE_NONE)
    return TRUE;
  return sonde_infer_fail (error, "input 0 must be a sequence");
}

static gboolean
need_sequence_value (const SondeValueContext *context, GError **error)
{
  return sonde_value_get_kind (context->inputs[0]) == SONDE_VALUE_SEQUENCE
         || invalid (error, "input 0 is not a sequence");
}

/* The position in input @k, -@n to @most; @absent without one. */
static gboolean
read_position (const SondeValueContext *context, guint k, gint64 n, gint64 most, gint64 absent,
               gint64 *position, GError **error)
{
  SondeTensor *tensor = k < context->n_inputs ? sonde_value_get_tensor (context->inputs[k]) : NULL;
  gint64 at = absent;

  if (k < context->n_inputs && context->inputs[k] != NULL)
    {
      if (tensor == NULL || sonde_tensor_n_elements (tensor) != 1
          || !sonde_dtype_is_integer (tensor->dtype))
        return invalid (error, "the position must be one integer");
      at = sonde_tensor_get_int (tensor, 0);
    }
  if (at < -n || at > most)
    return invalid (error, "position %" PRIi64 " is outside of a sequence of %" PRIi64, at, n);
  *position = at < 0 ? at + n : at;
  return TRUE;
}

static gboolean
check_count (gint64 n, GError **error)
{
  return n <= MOST_ITEMS
         || invalid (error, "the sequence would have %" PRIi64 " items; at most %d are allowed", n,
                     MOST_ITEMS);
}

static SondeDtype
value_dtype (const SondeValue *value)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);

  return tensor ? tensor->dtype : SONDE_DTYPE_INVALID;
}

/* ---- made ---------------------------------------------------------------- */

static gboolean
infer_empty (SondeInferContext *context, GError **error)
{
  gint64 number = sonde_node_get_int (context->node, "dtype", 1);

  if (sonde_dtype_from_onnx (number) == SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "dtype = %" PRIi64 " is not an element type", number);
  context->outputs[0] = sonde_sequence_type (sonde_dtype_from_onnx (number));
  return TRUE;
}

static gboolean
compute_empty (const SondeValueContext *context, GError **error)
{
  context->outputs[0] = sonde_value_new_sequence (NULL, 0);
  return TRUE;
}

static gboolean
infer_construct (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_same (context, 0, context->n_inputs - 1, error))
    return FALSE;
  context->outputs[0] = sonde_sequence_type (context->inputs[0].dtype);
  return TRUE;
}

static gboolean
compute_construct (const SondeValueContext *context, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);

  for (guint k = 0; k < context->n_inputs; k++)
    {
      if (value_dtype (context->inputs[k]) == SONDE_DTYPE_INVALID)
        return invalid (error, "input %u is not a tensor", k);
      if (value_dtype (context->inputs[k]) != value_dtype (context->inputs[0]))
        return invalid (error, "inputs 0 and %u are of different element types", k);
      g_ptr_array_add (items, sonde_sequence_keep (context->inputs[k]));
    }
  context->outputs[0] = sonde_value_new_sequence ((SondeValue *const *) items->pdata, items->len);
  return TRUE;
}

/* ---- read ---------------------------------------------------------------- */

static gboolean
infer_at (SondeInferContext *context, GError **error)
{
  if (!need_sequence (context, error) || !sonde_infer_need_integer (context, 1, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, -1);
  return TRUE;
}

static gboolean
compute_at (const SondeValueContext *context, GError **error)
{
  gint64 n = (gint64) sonde_value_get_n_items (context->inputs[0]), at = 0;

  if (!need_sequence_value (context, error) || !read_position (context, 1, n, n - 1, 0, &at, error))
    return FALSE;
  context->outputs[0] = sonde_value_ref (sonde_value_get_item (context->inputs[0], (gsize) at));
  return TRUE;
}

static gboolean
infer_length (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_I64, 0);
  return need_sequence (context, error);
}

static gboolean
compute_length (const SondeValueContext *context, GError **error)
{
  g_autoptr (SondeTensor) length
      = sonde_tensor_new_i64 ((gint64) sonde_value_get_n_items (context->inputs[0]));

  if (!need_sequence_value (context, error))
    return FALSE;
  context->outputs[0] = sonde_value_new_tensor (length);
  return TRUE;
}

/* ---- changed ------------------------------------------------------------- */

static gboolean
infer_insert (SondeInferContext *context, GError **error)
{
  const SondeType *tensor = &context->inputs[1];
  SondeDtype dtype
      = tensor->dtype == SONDE_DTYPE_INVALID ? context->inputs[0].dtype : tensor->dtype;

  if (!need_sequence (context, error) || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (tensor->kind != SONDE_VALUE_TENSOR && tensor->kind != SONDE_VALUE_NONE)
    return sonde_infer_fail (error, "input 1 must be a tensor");
  context->outputs[0] = sonde_sequence_type (dtype);
  return TRUE;
}

static gboolean
compute_insert (const SondeValueContext *context, GError **error)
{
  SondeValue *sequence = context->inputs[0], *item = context->inputs[1];
  gint64 n = (gint64) sonde_value_get_n_items (sequence), at = 0;
  g_autofree SondeValue **items = NULL;
  g_autoptr (SondeValue) kept = NULL;

  if (!need_sequence_value (context, error) || !read_position (context, 2, n, n, n, &at, error)
      || !check_count (n + 1, error))
    return FALSE;
  if (value_dtype (item) == SONDE_DTYPE_INVALID)
    return invalid (error, "input 1 is not a tensor");
  if (n > 0 && value_dtype (item) != value_dtype (sonde_value_get_item (sequence, 0)))
    return invalid (error, "a %s tensor cannot go into a sequence of %s",
                    sonde_dtype_name (value_dtype (item)),
                    sonde_dtype_name (value_dtype (sonde_value_get_item (sequence, 0))));
  kept = sonde_sequence_keep (item);
  items = g_new (SondeValue *, n + 1);
  for (gint64 i = 0; i <= n; i++)
    items[i] = i == at ? kept : sonde_value_get_item (sequence, (gsize) (i < at ? i : i - 1));
  context->outputs[0] = sonde_value_new_sequence (items, (gsize) n + 1);
  return TRUE;
}

static gboolean
infer_erase (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_sequence_type (context->inputs[0].dtype);
  return need_sequence (context, error) && sonde_infer_need_integer (context, 1, error);
}

static gboolean
compute_erase (const SondeValueContext *context, GError **error)
{
  SondeValue *sequence = context->inputs[0];
  gint64 n = (gint64) sonde_value_get_n_items (sequence), at = 0;
  g_autofree SondeValue **items = NULL;

  if (!need_sequence_value (context, error)
      || !read_position (context, 1, n, n - 1, n - 1, &at, error))
    return FALSE;
  items = g_new (SondeValue *, n + 1);
  for (gint64 i = 0; i < n - 1; i++)
    items[i] = sonde_value_get_item (sequence, (gsize) (i < at ? i : i + 1));
  context->outputs[0] = sonde_value_new_sequence (items, (gsize) n - 1);
  return TRUE;
}

/* ---- a tensor cut into parts --------------------------------------------- */

static gboolean
infer_split (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  int axis = 0;

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  context->outputs[0] = sonde_sequence_type (x->dtype);
  return !sonde_infer_ready (context, 1)
         || sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error);
}

/* Sizes of the parts: ones; one size for all but a smaller last one; or as listed. */
static gint64 *
part_sizes (const SondeValueContext *context, gint64 size, gint64 *n, GError **error)
{
  SondeTensor *split = context->n_inputs > 1 ? sonde_value_get_tensor (context->inputs[1]) : NULL;
  gboolean listed = split != NULL && split->shape.rank > 0;
  gint64 part = split && !listed && sonde_dtype_is_integer (split->dtype)
                    ? sonde_tensor_get_int (split, 0)
                    : 1;
  gint64 left = size;
  gint64 *sizes = NULL;
  gboolean good = TRUE;

  if (split != NULL && (split->shape.rank > 1 || !sonde_dtype_is_integer (split->dtype)))
    {
      (void) invalid (error, "split must be one size or a list of sizes");
      return NULL;
    }
  if (part <= 0)
    {
      (void) invalid (error, "the parts cannot be %" PRIi64 " long", part);
      return NULL;
    }
  *n = listed ? sonde_tensor_n_elements (split) : size / part + (size % part != 0);
  if (!check_count (*n, error))
    return NULL;
  sizes = g_new (gint64, *n + 1);
  for (gint64 i = 0; i < *n && good; i++)
    {
      sizes[i] = listed ? sonde_tensor_get_int (split, i) : MIN (part, left);
      good = sizes[i] >= 0 && sizes[i] <= left;
      left -= sizes[i];
    }
  if (good && left == 0)
    return sizes;
  (void) invalid (error, "the listed sizes do not add up to the %" PRIi64 " of the axis", size);
  g_free (sizes);
  return NULL;
}

static gboolean
compute_split (const SondeValueContext *context, GError **error)
{
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]);
  gboolean listed = context->n_inputs > 1 && context->inputs[1] != NULL;
  gboolean drop = !listed && sonde_node_get_int (context->node, "keepdims", 1) == 0;
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  g_autofree gint64 *sizes = NULL;
  gint64 n = 0, start = 0;
  int axis = 0;

  if (x == NULL)
    return invalid (error, "input 0 is not a tensor");
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->shape.rank, &axis,
                         error))
    return FALSE;
  sizes = part_sizes (context, x->shape.dims[axis], &n, error);
  if (sizes == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; start += sizes[i], i++)
    g_ptr_array_add (items, sonde_sequence_cut (x, axis, start, sizes[i], drop));
  context->outputs[0] = sonde_value_new_sequence ((SondeValue *const *) items->pdata, items->len);
  return TRUE;
}

/* ---- parts joined to a tensor -------------------------------------------- */

static gboolean
infer_concat (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, -1);
  return need_sequence (context, error);
}

/* Shape of the whole; @axis ≥ 0 in it. */
static gboolean
joined_shape (const SondeValueContext *context, SondeShape *shape, int *axis, GError **error)
{
  SondeValue *sequence = context->inputs[0];
  gsize n = sonde_value_get_n_items (sequence);
  gboolean stack = sonde_node_get_int (context->node, "new_axis", 0) != 0;
  SondeTensor *first = n > 0 ? sonde_value_get_tensor (sonde_value_get_item (sequence, 0)) : NULL;
  gint64 size = 0;

  if (first == NULL)
    return invalid (error, "the sequence is empty: there is nothing to join");
  if (first->shape.rank + stack > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), first->shape.rank + stack,
                         axis, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      SondeTensor *item = sonde_value_get_tensor (sonde_value_get_item (sequence, i));
      gboolean fits
          = item != NULL && item->dtype == first->dtype && item->shape.rank == first->shape.rank;

      for (int d = 0; d < first->shape.rank && fits; d++)
        fits = item->shape.dims[d] == first->shape.dims[d] || (d == *axis && !stack);
      if (!fits || !sonde_checked_add (&size, size, stack ? 1 : item->shape.dims[*axis]))
        return sonde_infer_fail (error, "item %zu does not fit item 0", i);
    }
  *shape = first->shape;
  shape->rank += stack;
  for (int d = *axis + 1; d < shape->rank && stack; d++)
    shape->dims[d] = first->shape.dims[d - 1];
  shape->dims[*axis] = size;
  return TRUE;
}

static gboolean
compute_concat (const SondeValueContext *context, GError **error)
{
  SondeValue *sequence = context->inputs[0];
  g_autoptr (SondeTensor) joined = NULL;
  SondeShape shape;
  gint64 outer;
  gsize row, at = 0;
  int axis = 0;

  if (!need_sequence_value (context, error) || !joined_shape (context, &shape, &axis, error))
    return FALSE;
  joined = sonde_tensor_try_new (value_dtype (sonde_value_get_item (sequence, 0)), &shape, NULL,
                                 N_ ("the joined sequence"), error);
  if (joined == NULL)
    return FALSE;
  outer = sonde_shape_product (&shape, 0, axis);
  row = outer > 0 ? sonde_tensor_n_bytes (joined) / (gsize) outer : 0;
  for (gsize i = 0; i < sonde_value_get_n_items (sequence) && row > 0; i++)
    {
      SondeTensor *item = sonde_value_get_tensor (sonde_value_get_item (sequence, i));
      g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (item);
      gsize bytes = sonde_tensor_n_bytes (plain) / (gsize) outer;

      for (gint64 o = 0; o < outer; o++)
        memcpy (joined->data + (gsize) o * row + at, plain->data + (gsize) o * bytes, bytes);
      at += bytes;
    }
  sonde_kernel_own_strings (joined);
  context->outputs[0] = sonde_value_new_tensor (joined);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule empty_rules[] = { { "dtype", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule concat_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT, TRUE },
  { "new_axis", SONDE_ATTRIBUTE_INT, FALSE, 0, 1 },
  { NULL },
};
static const SondeAttributeRule split_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "keepdims", SONDE_ATTRIBUTE_INT, FALSE, 0, 1 },
  { NULL },
};

#define SEQUENCE(onnx, least, most, rules, rule, kernel, derivative)                               \
  {                                                                                                \
    .domain = "", .name = onnx, .since = 11, .min_inputs = least, .max_inputs = most,              \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_DYNAMIC, .family = SONDE_FAMILY_DATA,    \
    .attributes = rules, .infer = rule, .compute_values = kernel, .gradient = derivative,          \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_sequence[] = {
  SEQUENCE ("ConcatFromSequence", 1, 1, concat_rules, infer_concat, compute_concat,
            sonde_gradient_concat_from_sequence),
  SEQUENCE ("SequenceAt", 2, 2, NULL, infer_at, compute_at, sonde_gradient_sequence_at),
  SEQUENCE ("SequenceConstruct", 1, -1, NULL, infer_construct, compute_construct,
            sonde_gradient_sequence_construct),
  SEQUENCE ("SequenceEmpty", 0, 0, empty_rules, infer_empty, compute_empty, sonde_rule_flat),
  SEQUENCE ("SequenceErase", 1, 2, NULL, infer_erase, compute_erase, sonde_gradient_sequence_erase),
  SEQUENCE ("SequenceInsert", 2, 3, NULL, infer_insert, compute_insert,
            sonde_gradient_sequence_insert),
  SEQUENCE ("SequenceLength", 1, 1, NULL, infer_length, compute_length, NULL),
  SEQUENCE ("SplitToSequence", 1, 2, split_rules, infer_split, compute_split,
            sonde_gradient_split_to_sequence),
  { .name = NULL },
};
