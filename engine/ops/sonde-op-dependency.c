/* SPDX-License-Identifier: Apache-2.0
 * Asking a row for its dependencies, boxes, and the rules that need no more than broadcasting. */
#include "engine/ops/sonde-op-dependency-rules.h"

/* The row's own rule; the elementwise ones need to name none. */
static SondeReachRule *
find_rule (const SondeOpClass *klass)
{
  if (klass == NULL)
    return sonde_reach_everything;
  if (klass->reach.rule != NULL)
    return klass->reach.rule;
  return klass->flags & SONDE_OP_ELEMENTWISE ? sonde_reach_elementwise : sonde_reach_everything;
}

gboolean
sonde_dependency_is_strict (const SondeOpClass *klass)
{
  return klass != NULL && (klass->traits & SONDE_TRAIT_STRICT) != 0;
}

gboolean
sonde_dependency_is_whole (const SondeOpClass *klass)
{
  return find_rule (klass) == sonde_reach_everything;
}

/* ---- boxes --------------------------------------------------------------- */

const SondeTensor *
sonde_reach_input (const SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = k < context->n_inputs ? context->inputs[k] : NULL;
  const SondeOpClass *klass = sonde_op_of_node (context->node);

  if (tensor == NULL || !sonde_dtype_has_fractions (tensor->dtype))
    return NULL;
  return klass != NULL && (klass->shape_only >> MIN (k, 31) & 1) ? NULL : tensor;
}

SondeReach
sonde_reach_whole (const SondeTensor *tensor, guint k)
{
  SondeReach reach = { .input = k, .rank = tensor->shape.rank };

  for (int d = 0; d < reach.rank; d++)
    {
      reach.count[d] = tensor->shape.dims[d];
      reach.step[d] = 1;
    }
  return reach;
}

gboolean
sonde_reach_range (SondeReach *reach, int dimension, gint64 begin, gint64 end)
{
  const gint64 low = reach->begin[dimension], high = low + reach->count[dimension];

  begin = CLAMP (begin, low, high);
  end = CLAMP (end, begin, high);
  reach->begin[dimension] = begin;
  reach->count[dimension] = end - begin;
  return end > begin;
}

void
sonde_reach_at (SondeReach *reach, int dimension, gint64 position)
{
  sonde_reach_range (reach, dimension, position, position + 1);
}

gint64
sonde_reach_count (const SondeReach *reach)
{
  gint64 n = 1;

  for (int d = 0; d < reach->rank; d++)
    n *= reach->count[d]; /* at most the elements of a tensor */
  return n;
}

void
sonde_reach_add (SondeReachContext *context, const SondeReach *reach)
{
  if (sonde_reach_input (context, reach->input) != NULL && sonde_reach_count (reach) > 0)
    g_array_append_vals (context->reach, reach, 1);
}

void
sonde_reach_add_whole (SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);

  if (tensor != NULL)
    {
      SondeReach reach = sonde_reach_whole (tensor, k);

      sonde_reach_add (context, &reach);
    }
}

static void
unflatten (const SondeShape *shape, gint64 element, gint64 *index)
{
  for (int d = shape->rank - 1; d >= 0; d--)
    {
      const gint64 size = MAX (shape->dims[d], 1);

      index[d] = element % size;
      element /= size;
    }
}

void
sonde_reach_add_element (SondeReachContext *context, guint k, gint64 element)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);
  gint64 index[SONDE_MAX_RANK];
  SondeReach reach;

  if (tensor == NULL || element < 0 || element >= sonde_tensor_n_elements (tensor))
    return;
  reach = sonde_reach_whole (tensor, k);
  unflatten (&tensor->shape, element, index);
  for (int d = 0; d < reach.rank; d++)
    sonde_reach_at (&reach, d, index[d]);
  sonde_reach_add (context, &reach);
}

void
sonde_reach_add_broadcast (SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);
  SondeReach reach;
  int shift;

  if (tensor == NULL)
    return;
  reach = sonde_reach_whole (tensor, k);
  shift = context->shape->rank - reach.rank;
  for (int d = 0; d < reach.rank; d++)
    if (reach.count[d] > 1 && d + shift >= 0 && context->shape->dims[d + shift] == reach.count[d])
      sonde_reach_at (&reach, d, context->index[d + shift]);
  sonde_reach_add (context, &reach);
}

void
sonde_reach_narrow_but (const SondeReachContext *context, SondeReach *reach, int axis)
{
  const gboolean lacks = context->shape->rank == reach->rank - 1;

  for (int d = 0; d < reach->rank; d++)
    {
      const int place = lacks && d > axis ? d - 1 : d;

      if (d != axis && place < context->shape->rank)
        sonde_reach_at (reach, d, context->index[place]);
    }
}

int
sonde_reach_axis (const SondeReachContext *context, int rank, gint64 fallback)
{
  const gint64 axis = sonde_node_get_int (context->node, "axis", fallback);

  return (int) CLAMP (axis < 0 ? axis + rank : axis, 0, MAX (rank - 1, 0));
}

gint64 *
sonde_reach_ints (const SondeReachContext *context, const char *attribute, guint k, gsize *n)
{
  const SondeTensor *tensor = k < context->n_inputs ? context->inputs[k] : NULL;
  const gint64 *ints = attribute != NULL ? sonde_node_get_ints (context->node, attribute, n) : NULL;
  gint64 *result;

  if (ints != NULL)
    return g_memdup2 (ints, *n * sizeof *ints);
  *n = 0;
  if (tensor == NULL || !sonde_dtype_is_integer (tensor->dtype))
    return NULL;
  *n = (gsize) sonde_tensor_n_elements (tensor);
  result = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    result[i] = sonde_tensor_get_int (tensor, (gint64) i);
  return result;
}

void
sonde_reach_foreach (const SondeReach *reach, const SondeShape *shape, SondeReachEach each,
                     gpointer data)
{
  const gint64 n = sonde_reach_count (reach);
  gint64 at[SONDE_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < n; i++)
    {
      gint64 element = 0;

      for (int d = 0; d < reach->rank; d++)
        element = element * shape->dims[d] + reach->begin[d] + at[d] * reach->step[d];
      if (!each (element, data))
        return;
      for (int d = reach->rank - 1; d >= 0 && ++at[d] == reach->count[d]; d--)
        at[d] = 0;
    }
}

/* ---- simple rules -------------------------------------------------------- */

gboolean
sonde_reach_everything (SondeReachContext *context)
{
  for (guint k = 0; k < context->n_inputs; k++)
    sonde_reach_add_whole (context, k);
  return TRUE;
}

gboolean
sonde_reach_nothing (SondeReachContext *context)
{
  return TRUE;
}

gboolean
sonde_reach_elementwise (SondeReachContext *context)
{
  for (guint k = 0; k < context->n_inputs; k++)
    sonde_reach_add_broadcast (context, k);
  return TRUE;
}

/* The element of the same number, shapes aside; further inputs are scalars. */
gboolean
sonde_reach_same (SondeReachContext *context)
{
  sonde_reach_add_element (context, 0, context->element);
  for (guint k = 1; k < context->n_inputs; k++)
    if (context->inputs[k] != NULL && sonde_tensor_n_elements (context->inputs[k]) == 1)
      sonde_reach_add_element (context, k, 0);
  return TRUE;
}

/* Of inputs with the output's first @mask sizes only what has the same first indices; of others
 * everything. */
gboolean
sonde_reach_leading (SondeReachContext *context)
{
  const int n = (int) context->mask;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      for (int d = 0; d < n && d < reach.rank && d < context->shape->rank; d++)
        if (context->shape->dims[d] == reach.count[d])
          sonde_reach_at (&reach, d, context->index[d]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

void
sonde_dependency_reach (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                        guint output, const SondeShape *shape, gint64 element, GArray *reach)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  SondeReachContext context = { .node = node,
                                .n_inputs = n_inputs,
                                .inputs = inputs,
                                .output = output,
                                .shape = shape,
                                .element = element,
                                .reach = reach };
  const guint before = reach->len;

  unflatten (shape, element, context.index);
  context.mask = klass != NULL ? klass->reach.mask : 0;
  if (find_rule (klass) (&context))
    return;
  g_array_set_size (reach, before);
  sonde_reach_everything (&context);
}
