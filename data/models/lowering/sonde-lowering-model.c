/* SPDX-License-Identifier: Apache-2.0
 * The edges of a converted model: inputs, outputs, the finished graph. */
#include "data/models/lowering/sonde-lowering-private.h"

static const SondeShape *
find_shape (const SondeLowering *lowering, const char *name)
{
  const GPtrArray *shapes = lowering->options.shapes;

  for (guint i = 0; shapes != NULL && i < shapes->len; i++)
    {
      const SondeModelShape *shape = shapes->pdata[i];

      if (g_str_equal (shape->name, name))
        return &shape->shape;
    }
  return NULL;
}

/* @type with the sizes of @shape where it has none. */
static void
fix_sizes (SondeLowering *lowering, const char *name, SondeType *type, const SondeShape *shape)
{
  if (type->rank < 0)
    *type = sonde_type_tensor (type->dtype, shape);
  if (type->rank != shape->rank)
    {
      sonde_lowering_fail (lowering, SONDE_DATA_ERROR_INVALID,
                           "input “%s” has %d dimensions, the given shape has %d", name, type->rank,
                           shape->rank);
      return;
    }
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size >= 0 && type->dims[i].size != shape->dims[i])
        sonde_lowering_fail (lowering, SONDE_DATA_ERROR_INVALID,
                             "dimension %d of input “%s” is %" PRId64
                             " in the model; the given shape has %" PRId64,
                             i, name, type->dims[i].size, shape->dims[i]);
      type->dims[i] = (SondeDimension){ .size = shape->dims[i] };
    }
}

SondeGraphValue *
sonde_lowering_add_input (SondeLowering *lowering, const char *name, const SondeType *type)
{
  SondeGraph *graph = sonde_lowering_get_graph (lowering);
  const SondeShape *shape = lowering->graphs->len == 1 ? find_shape (lowering, name) : NULL;
  SondeType fixed = *type;
  SondeGraphValue *value = NULL;

  if (shape != NULL)
    fix_sizes (lowering, name, &fixed, shape);
  value = sonde_graph_add_input (graph, name, &fixed);
  g_hash_table_add (lowering->named, value);
  return value;
}

/* A model may give back an input under its name; one value twice needs two names. */
void
sonde_lowering_add_output (SondeLowering *lowering, SondeGraphValue *value, const char *name)
{
  SondeGraph *graph = sonde_lowering_get_graph (lowering);
  gboolean again = FALSE;

  value = sonde_lowering_reach (lowering, value);
  again = g_ptr_array_find (graph->outputs, value, NULL);
  if (g_strcmp0 (value->name, name) != 0)
    value = sonde_lowering_name (lowering, value, name);
  else if (again)
    value = sonde_lowering_insert (lowering, "Identity", value);
  sonde_graph_add_output (graph, value);
}

/* ---- the end ------------------------------------------------------------- */

/* Axes and paddings that became attributes, and numbers that were computed with here. */
static void
remove_unread (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->constant != NULL && value->producer == NULL
          && value->users->len == 0 && (value->captures == NULL || value->captures->len == 0)
          && !g_ptr_array_find (graph->outputs, value, NULL)
          && !g_ptr_array_find (graph->inputs, value, NULL))
        sonde_graph_remove_value (graph, value);
    }
}

/* What its readers make of each constant; only they tell weights from other numbers. */
static void
set_roles (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->constant != NULL && value->producer == NULL)
        value->role = sonde_graph_initialiser_role (value);
    }
}

static void
check_shapes (SondeLowering *lowering)
{
  const GPtrArray *shapes = lowering->options.shapes;
  const SondeGraph *root = lowering->graphs->pdata[0];

  for (guint i = 0; shapes != NULL && i < shapes->len; i++)
    {
      const SondeModelShape *shape = shapes->pdata[i];
      SondeGraphValue *value = sonde_graph_find_value (root, shape->name);

      if (value == NULL || !g_ptr_array_find (root->inputs, value, NULL))
        sonde_lowering_fail (lowering, SONDE_DATA_ERROR_INVALID,
                             "a shape is given for “%s”, which is no input of the model",
                             shape->name);
    }
}

SondeGraph *
sonde_lowering_finish (SondeLowering *lowering, SondeConversion **conversion, GError **error)
{
  SondeGraph *root = lowering->graphs->pdata[0];
  gboolean complete = sonde_conversion_is_complete (lowering->conversion);

  check_shapes (lowering);
  if (lowering->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&lowering->error));
      return NULL;
    }
  if (!complete && !lowering->options.partial)
    sonde_conversion_set_unsupported_error (lowering->conversion, lowering->path, error);
  remove_unread (root);
  set_roles (root);
  root->producer = g_strdup (lowering->conversion->producer);
  if (conversion != NULL)
    *conversion = g_steal_pointer (&lowering->conversion);
  if (!complete && !lowering->options.partial)
    return NULL;
  return sonde_graph_ref (root);
}
