/* SPDX-License-Identifier: Apache-2.0
 * Operators that make as many elements as they find: NonZero, Compress, Unique. */
#include "engine/ops/sonde-gradient-rules.h"
#include "data/base/sonde-text.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/indexing/sonde-sort-key.h"

#include <string.h>

#define MOST_SLICES (1 << 28) /* an empty tensor may have more of them than memory could list */

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

static SondeTensor *
input_tensor (const SondeValueContext *context, guint k)
{
  return k < context->n_inputs ? sonde_value_get_tensor (context->inputs[k]) : NULL;
}

static gboolean
is_wanted (const SondeValueContext *context, guint k)
{
  return k < context->n_outputs && sonde_node_get_output (context->node, k) != NULL;
}

/* @axis: of the attribute, made ≥ 0; -1 without it. */
static gboolean
optional_axis (const SondeNode *node, int rank, int *axis, GError **error)
{
  *axis = -1;
  return sonde_node_find_attribute (node, "axis") == NULL
         || sonde_infer_axis (sonde_node_get_int (node, "axis", 0), rank, axis, error);
}

/* [outer, n, inner] around @axis; all of it is n without one. */
static void
split_at (const SondeShape *shape, int axis, gint64 *outer, gint64 *n, gint64 *inner)
{
  *outer = axis < 0 ? 1 : sonde_shape_product (shape, 0, axis);
  *n = axis < 0 ? sonde_shape_product (shape, 0, shape->rank) : shape->dims[axis];
  *inner = axis < 0 ? 1 : sonde_shape_product (shape, axis + 1, shape->rank);
}

/* The slices that @indices name along @axis, in their order. Returns: (transfer full) (nullable) */
static SondeTensor *
take_slices (SondeTensor *x, int axis, const gint64 *indices, gint64 count, GError **error)
{
  SondeShape shape = x->shape;
  gint64 outer, n, inner;
  gsize bytes;
  SondeTensor *y = NULL;
  guint8 *to = NULL;

  split_at (&x->shape, axis, &outer, &n, &inner);
  bytes = (gsize) inner * sonde_dtype_size (x->dtype);
  if (axis < 0)
    shape = sonde_shape_make (1, count);
  else
    shape.dims[axis] = count;
  y = sonde_tensor_try_new (x->dtype, &shape, NULL, N_ ("its output"), error);
  if (y == NULL)
    return NULL;

  to = y->data;
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < count; i++, to += bytes)
      memcpy (to, x->data + (gsize) (o * n + indices[i]) * bytes, bytes);
  sonde_kernel_own_strings (y);
  return y;
}

static void
give (const SondeValueContext *context, guint k, SondeTensor *tensor)
{
  if (is_wanted (context, k))
    context->outputs[k] = sonde_value_new_tensor (tensor);
}

/* ---- NonZero ------------------------------------------------------------- */

static gboolean
infer_non_zero (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_I64, 2);
  if (x->kind == SONDE_VALUE_TENSOR && x->rank >= 0)
    context->outputs[0].dims[0] = sonde_dimension (MAX (x->rank, 1));
  return TRUE;
}

/* One byte an element. Returns: (transfer full) */
static guint8 *
mark_non_zero (const SondeTensor *x, gint64 n, gint64 *count)
{
  guint8 *marks = g_new (guint8, n + 1);
  char *const *strings = (char *const *) (const void *) x->data;

  if (x->dtype != SONDE_DTYPE_STRING)
    sonde_dtype_convert (x->dtype, x->data, SONDE_DTYPE_BOOL, marks, (gsize) n);
  else
    for (gint64 i = 0; i < n; i++)
      marks[i] = strings[i] != NULL && *strings[i] != '\0';
  *count = 0;
  for (gint64 i = 0; i < n; i++)
    *count += marks[i];
  return marks;
}

/* The places of those found in the row of the last dimension that begins at element @first;
 * coordinate d goes to
 * @places + d·@count. Returns: how many */
static gint64
list_row (const SondeTensor *x, const guint8 *marks, gint64 first, gint64 *places, gint64 count)
{
  int last = x->shape.rank - 1;
  gint64 n = x->shape.dims[last], found = 0, rest = first / n;

  for (gint64 i = 0; i < n; i++)
    if (marks[first + i])
      places[last * count + found++] = i;
  for (int d = last - 1; d >= 0; d--)
    {
      for (gint64 i = 0; i < found; i++)
        places[d * count + i] = rest % x->shape.dims[d];
      rest /= x->shape.dims[d];
    }
  return found;
}

/* Row d holds coordinate d of each element found, in row-major order; a scalar counts as one
 * dimension. */
static gboolean
compute_non_zero (const SondeValueContext *context, GError **error)
{
  SondeTensor *x = input_tensor (context, 0);
  gint64 n = x ? sonde_tensor_n_elements (x) : 0, count = 0, found = 0;
  g_autofree guint8 *marks = x ? mark_non_zero (x, n, &count) : NULL;
  SondeShape shape = sonde_shape_make (2, x ? MAX (x->shape.rank, 1) : 0, count);
  g_autoptr (SondeTensor) y = NULL;
  gint64 *places = NULL;

  if (x == NULL)
    return sonde_infer_fail (error, "its input is not a tensor");
  y = sonde_tensor_try_new (SONDE_DTYPE_I64, &shape, NULL, N_ ("its output"), error);
  if (y == NULL)
    return FALSE;
  places = (gint64 *) (void *) y->data;
  if (x->shape.rank == 0 && count > 0)
    places[0] = 0;
  for (gint64 row = 0; x->shape.rank > 0 && row < n; row += x->shape.dims[x->shape.rank - 1])
    found += list_row (x, marks, row, places + found, count);
  give (context, 0, y);
  return TRUE;
}

/* ---- Compress ------------------------------------------------------------ */

static gboolean
infer_compress (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *condition = &context->inputs[1];
  int axis = -1;

  if (condition->dtype != SONDE_DTYPE_INVALID && condition->dtype != SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "the condition is %s, but must be bool",
                             sonde_dtype_name (condition->dtype));
  if (!sonde_infer_need_rank (context, 1, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!optional_axis (context->node, x->rank, &axis, error))
    return FALSE;
  context->outputs[0] = axis < 0 ? sonde_infer_type (x->dtype, 1) : *x;
  context->outputs[0].dims[MAX (axis, 0)] = sonde_dimension (-1);
  return TRUE;
}

/* A condition shorter than the dimension leaves out the rest. */
static gboolean
compute_compress (const SondeValueContext *context, GError **error)
{
  SondeTensor *x = input_tensor (context, 0), *condition = input_tensor (context, 1);
  g_autofree gint64 *chosen = NULL;
  g_autoptr (SondeTensor) y = NULL;
  gint64 outer, n, inner, count = 0;
  int axis = -1;

  if (x == NULL || condition == NULL)
    return sonde_infer_fail (error, "its inputs must be tensors");
  if (!sonde_kernel_infer_values (context, infer_compress, NULL, error)
      || !optional_axis (context->node, x->shape.rank, &axis, error))
    return FALSE;
  split_at (&x->shape, axis, &outer, &n, &inner);
  chosen = g_new (gint64, condition->shape.dims[0] + 1);
  for (gint64 i = 0; i < condition->shape.dims[0]; i++)
    if (condition->data[i])
      chosen[count++] = i;
  if (count > 0 && chosen[count - 1] >= n)
    return invalid (error, "the condition chooses element %" PRIi64 " of %" PRIi64,
                    chosen[count - 1], n);
  y = take_slices (x, axis, chosen, count, error);
  if (y != NULL)
    give (context, 0, y);
  return y != NULL;
}

/* ---- Unique -------------------------------------------------------------- */

static gboolean
infer_unique (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  int axis = -1;

  for (guint k = 1; k < context->n_outputs; k++)
    context->outputs[k] = sonde_infer_type (SONDE_DTYPE_I64, 1);
  if (x->dtype != SONDE_DTYPE_INVALID && x->dtype != SONDE_DTYPE_STRING
      && !sonde_sort_key_knows (x->dtype))
    return sonde_infer_fail (error, "elements of %s have no order", sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!optional_axis (context->node, x->rank, &axis, error))
    return FALSE;
  context->outputs[0] = axis < 0 ? sonde_infer_type (x->dtype, 1) : *x;
  context->outputs[0].dims[MAX (axis, 0)] = sonde_dimension (-1);
  return TRUE;
}

static int
compare_strings (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

/* A string's key is the first place of an equal one among all, sorted. */
static void
string_keys (char *const *strings, gint64 n, guint64 *keys)
{
  g_autofree char **sorted = g_new (char *, n + 1);

  for (gint64 i = 0; i < n; i++)
    sorted[i] = strings[i] ? strings[i] : (char *) "";
  g_qsort_with_data (sorted, (int) n, sizeof *sorted, compare_strings, NULL);
  for (gint64 i = 0; i < n; i++)
    {
      const char *text = strings[i] ? strings[i] : "";
      gint64 low = 0, high = n - 1;

      while (low < high)
        {
          gint64 middle = low + (high - low) / 2;

          if (strcmp (sorted[middle], text) < 0)
            low = middle + 1;
          else
            high = middle;
        }
      keys[i] = (guint64) low;
    }
}

/**
 * Slices: the things that are compared
 * @keys: [@n, @width]: the elements of each, row-major
 * @order: the slices sorted, equal ones by index
 * @first, @counts: of each group of equal slices: its lowest index, its size
 * @group: of each slice
 */
typedef struct
{
  gint64 n, width;
  guint64 *keys;
  gint64 *order, *first, *counts, *group;
  gint64 n_groups;
} Slices;

static void
slices_clear (Slices *slices)
{
  g_free (slices->keys);
  g_free (slices->order);
  g_free (slices->first);
  g_free (slices->counts);
  g_free (slices->group);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Slices, slices_clear)

static void
slices_init (Slices *slices, const SondeTensor *x, int axis)
{
  gint64 outer, inner, total = sonde_tensor_n_elements (x);
  g_autofree guint64 *flat = g_new (guint64, total + 1);

  split_at (&x->shape, axis, &outer, &slices->n, &inner);
  slices->width = outer * inner;
  slices->keys = g_new (guint64, total + 1);
  slices->order = g_new (gint64, slices->n + 1);
  slices->first = g_new (gint64, slices->n + 1);
  slices->counts = g_new0 (gint64, slices->n + 1);
  slices->group = g_new (gint64, slices->n + 1);
  if (x->dtype == SONDE_DTYPE_STRING)
    string_keys ((char *const *) (const void *) x->data, total, flat);
  else
    sonde_sort_keys (x->dtype, x->data, total, 1, flat);
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < slices->n; i++)
      memcpy (slices->keys + i * slices->width + o * inner, flat + (o * slices->n + i) * inner,
              (gsize) inner * sizeof *flat);
}

static int
compare_keys (const Slices *slices, gint64 a, gint64 b)
{
  const guint64 *ka = slices->keys + a * slices->width, *kb = slices->keys + b * slices->width;

  for (gint64 i = 0; i < slices->width; i++)
    if (ka[i] != kb[i])
      return ka[i] < kb[i] ? -1 : 1;
  return 0;
}

static int
compare_slices (gconstpointer a, gconstpointer b, gpointer data)
{
  const gint64 *ia = a, *ib = b;
  int order = compare_keys (data, *ia, *ib);

  return order != 0 ? order : (*ia > *ib) - (*ia < *ib);
}

static int
compare_firsts (gconstpointer a, gconstpointer b, gpointer data)
{
  const gint64 *first = data, *ia = a, *ib = b;

  return (first[*ia] > first[*ib]) - (first[*ia] < first[*ib]);
}

static void
sort_slices (Slices *slices)
{
  g_autofree SondeSortEntry *entries = NULL;

  for (gint64 i = 0; i < slices->n; i++)
    slices->order[i] = i;
  if (slices->width != 1)
    {
      g_qsort_with_data (slices->order, (int) slices->n, sizeof *slices->order, compare_slices,
                         slices);
      return;
    }
  entries = g_new (SondeSortEntry, 2 * slices->n + 1);
  for (gint64 i = 0; i < slices->n; i++)
    entries[i] = (SondeSortEntry){ slices->keys[i], i };
  sonde_sort_entries (entries, entries + slices->n, slices->n);
  for (gint64 i = 0; i < slices->n; i++)
    slices->order[i] = entries[i].index;
}

static void
find_groups (Slices *slices)
{
  sort_slices (slices);
  slices->n_groups = 0;
  for (gint64 i = 0; i < slices->n; i++)
    {
      if (i == 0 || compare_keys (slices, slices->order[i - 1], slices->order[i]) != 0)
        slices->first[slices->n_groups++] = slices->order[i];
      slices->group[slices->order[i]] = slices->n_groups - 1;
      slices->counts[slices->n_groups - 1]++;
    }
}

/* Groups in the order in which they come first. */
static void
order_by_appearance (Slices *slices)
{
  gint64 n = slices->n_groups;
  g_autofree gint64 *order = g_new (gint64, n + 1);
  g_autofree gint64 *place = g_new (gint64, n + 1);
  g_autofree gint64 *first = g_new (gint64, n + 1);
  g_autofree gint64 *counts = g_new (gint64, n + 1);

  for (gint64 g = 0; g < n; g++)
    order[g] = g;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_firsts, slices->first);
  for (gint64 g = 0; g < n; g++)
    {
      place[order[g]] = g;
      first[g] = slices->first[order[g]];
      counts[g] = slices->counts[order[g]];
    }
  memcpy (slices->first, first, (gsize) n * sizeof *first);
  memcpy (slices->counts, counts, (gsize) n * sizeof *counts);
  for (gint64 i = 0; i < slices->n; i++)
    slices->group[i] = place[slices->group[i]];
}

static void
give_list (const SondeValueContext *context, guint k, const gint64 *values, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values);

  give (context, k, tensor);
}

static gboolean
compute_unique (const SondeValueContext *context, GError **error)
{
  SondeTensor *x = input_tensor (context, 0);
  g_auto (Slices) slices = { 0 };
  g_autoptr (SondeTensor) y = NULL;
  int axis = -1;

  if (x == NULL)
    return sonde_infer_fail (error, "its input is not a tensor");
  if (!sonde_kernel_infer_values (context, infer_unique, NULL, error)
      || !optional_axis (context->node, x->shape.rank, &axis, error))
    return FALSE;
  if (sonde_tensor_n_elements (x) > G_MAXINT || (axis >= 0 && x->shape.dims[axis] > MOST_SLICES))
    return sonde_infer_fail (error, "it can sort at most %d elements or %d slices", G_MAXINT,
                             MOST_SLICES);
  slices_init (&slices, x, axis);
  find_groups (&slices);
  if (sonde_node_get_int (context->node, "sorted", 1) == 0)
    order_by_appearance (&slices);

  y = take_slices (x, axis, slices.first, slices.n_groups, error);
  if (y == NULL)
    return FALSE;
  give (context, 0, y);
  give_list (context, 1, slices.first, slices.n_groups);
  give_list (context, 2, slices.group, slices.n);
  give_list (context, 3, slices.counts, slices.n_groups);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule unique_rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "sorted", SONDE_ATTRIBUTE_INT },
  { NULL },
};

const SondeOpClass sonde_ops_nonzero_compress_unique[] = {
  {
      .domain = "",
      .name = "NonZero",
      .since = 9,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_DYNAMIC,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_non_zero,
      .compute_values = compute_non_zero,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "Compress",
      .since = 9,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_DYNAMIC,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = axis_rule,
      .infer = infer_compress,
      .compute_values = compute_compress,
      .gradient = sonde_gradient_compress,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "Unique",
      .since = 11,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 4,
      .flags = SONDE_OP_DYNAMIC,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = unique_rules,
      .infer = infer_unique,
      .compute_values = compute_unique,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
