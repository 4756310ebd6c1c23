/* SPDX-License-Identifier: Apache-2.0
 * Attributes of nodes. What does not live here: which attributes an operator has (engine/ops). */
#include "data/graph/sonde-graph-private.h"

#include <inttypes.h>
#include <string.h>

SondeAttribute *
sonde_attribute_new (const char *name, SondeAttributeKind kind)
{
  SondeAttribute *attribute = g_new0 (SondeAttribute, 1);

  attribute->name = g_strdup (name);
  attribute->kind = kind;
  attribute->n = kind < SONDE_ATTRIBUTE_INTS || kind >= SONDE_ATTRIBUTE_TYPE ? 1 : 0;
  return attribute;
}

static void
free_entries (gpointer *entries, gsize n, GDestroyNotify destroy)
{
  for (gsize i = 0; entries != NULL && i < n; i++)
    if (entries[i] != NULL)
      destroy (entries[i]);
  g_free (entries);
}

void
sonde_attribute_free (SondeAttribute *attribute)
{
  if (attribute == NULL)
    return;

  switch (attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
    case SONDE_ATTRIBUTE_FLOAT:
      break;
    case SONDE_ATTRIBUTE_STRING:
    case SONDE_ATTRIBUTE_REFERENCE:
    case SONDE_ATTRIBUTE_INTS:
    case SONDE_ATTRIBUTE_FLOATS:
    case SONDE_ATTRIBUTE_TYPE:
      g_free (attribute->u.string); /* one allocation, whatever the member */
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      sonde_tensor_unref (attribute->u.tensor);
      break;
    case SONDE_ATTRIBUTE_GRAPH:
      sonde_graph_unref (attribute->u.graph);
      break;
    case SONDE_ATTRIBUTE_STRINGS:
      free_entries ((gpointer *) attribute->u.strings, attribute->n, g_free);
      break;
    case SONDE_ATTRIBUTE_TENSORS:
      free_entries ((gpointer *) attribute->u.tensors, attribute->n,
                    (GDestroyNotify) sonde_tensor_unref);
      break;
    case SONDE_ATTRIBUTE_GRAPHS:
      free_entries ((gpointer *) attribute->u.graphs, attribute->n,
                    (GDestroyNotify) sonde_graph_unref);
      break;
    }
  g_free (attribute->name);
  g_free (attribute);
}

static SondeGraph *
copy_graph (SondeGraph *graph, SondeGraph *parent, gboolean as_original)
{
  return sonde_graph_copy_into (graph, parent ? parent : graph->parent, as_original);
}

SondeAttribute *
sonde_attribute_copy_into (const SondeAttribute *attribute, SondeGraph *parent,
                           gboolean as_original)
{
  SondeAttribute *copy = sonde_attribute_new (attribute->name, attribute->kind);
  gsize n = attribute->n;

  copy->n = n;
  copy->reference_kind = attribute->reference_kind;
  switch (attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
    case SONDE_ATTRIBUTE_FLOAT:
      copy->u = attribute->u;
      break;
    case SONDE_ATTRIBUTE_STRING:
    case SONDE_ATTRIBUTE_REFERENCE:
      copy->u.string = g_strdup (attribute->u.string);
      break;
    case SONDE_ATTRIBUTE_INTS:
      copy->u.ints = g_memdup2 (attribute->u.ints, n * sizeof (gint64));
      break;
    case SONDE_ATTRIBUTE_FLOATS:
      copy->u.floats = g_memdup2 (attribute->u.floats, n * sizeof (double));
      break;
    case SONDE_ATTRIBUTE_TYPE:
      copy->u.types = g_memdup2 (attribute->u.types, n * sizeof (SondeType));
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      copy->u.tensor = attribute->u.tensor ? sonde_tensor_ref (attribute->u.tensor) : NULL;
      break;
    case SONDE_ATTRIBUTE_GRAPH:
      if (attribute->u.graph != NULL)
        copy->u.graph = copy_graph (attribute->u.graph, parent, as_original);
      break;
    case SONDE_ATTRIBUTE_STRINGS:
      copy->u.strings = g_new0 (char *, n + 1);
      for (gsize i = 0; i < n; i++)
        copy->u.strings[i] = g_strdup (attribute->u.strings[i]);
      break;
    case SONDE_ATTRIBUTE_TENSORS:
      copy->u.tensors = g_new0 (SondeTensor *, n + 1);
      for (gsize i = 0; i < n; i++)
        copy->u.tensors[i] = sonde_tensor_ref (attribute->u.tensors[i]);
      break;
    case SONDE_ATTRIBUTE_GRAPHS:
      copy->u.graphs = g_new0 (SondeGraph *, n + 1);
      for (gsize i = 0; i < n; i++)
        copy->u.graphs[i] = copy_graph (attribute->u.graphs[i], parent, as_original);
      break;
    }
  return copy;
}

SondeAttribute *
sonde_attribute_copy (const SondeAttribute *attribute)
{
  return sonde_attribute_copy_into (attribute, NULL, FALSE);
}

void
sonde_node_foreach_subgraph (const SondeNode *node, SondeSubgraphVisit visit, gpointer data)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = node->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH && attribute->u.graph != NULL)
        visit (attribute->u.graph, data);
      else if (attribute->kind == SONDE_ATTRIBUTE_GRAPHS)
        for (gsize k = 0; k < attribute->n; k++)
          visit (attribute->u.graphs[k], data);
    }
}

/* ---- on a node ----------------------------------------------------------- */

static gboolean
find_index (const SondeNode *node, const char *name, guint *index)
{
  for (guint i = 0; i < node->attributes->len; i++)
    if (strcmp (((SondeAttribute *) node->attributes->pdata[i])->name, name) == 0)
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

void
sonde_node_take_attribute (SondeNode *node, SondeAttribute *attribute)
{
  guint index = 0;

  if (!find_index (node, attribute->name, &index))
    {
      g_ptr_array_add (node->attributes, attribute);
      return;
    }
  if (node->attributes->pdata[index] == attribute)
    return;
  sonde_attribute_free (node->attributes->pdata[index]);
  node->attributes->pdata[index] = attribute;
}

SondeAttribute *
sonde_node_find_attribute (const SondeNode *node, const char *name)
{
  guint index = 0;

  return find_index (node, name, &index) ? node->attributes->pdata[index] : NULL;
}

gboolean
sonde_node_remove_attribute (SondeNode *node, const char *name)
{
  guint index = 0;

  if (!find_index (node, name, &index))
    return FALSE;
  g_ptr_array_remove_index (node->attributes, index);
  return TRUE;
}

void
sonde_node_set_int (SondeNode *node, const char *name, gint64 value)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INT);

  attribute->u.i = value;
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_set_float (SondeNode *node, const char *name, double value)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOAT);

  attribute->u.f = value;
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_set_string (SondeNode *node, const char *name, const char *value)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRING);

  attribute->u.string = g_strdup (value);
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_set_ints (SondeNode *node, const char *name, const gint64 *values, gsize n)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_INTS);

  attribute->n = n;
  attribute->u.ints = g_memdup2 (values, n * sizeof (gint64));
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_set_floats (SondeNode *node, const char *name, const double *values, gsize n)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_FLOATS);

  attribute->n = n;
  attribute->u.floats = g_memdup2 (values, n * sizeof (double));
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_set_tensor (SondeNode *node, const char *name, SondeTensor *tensor)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_TENSOR);

  attribute->u.tensor = sonde_tensor_ref (tensor);
  sonde_node_take_attribute (node, attribute);
}

void
sonde_node_take_graph (SondeNode *node, const char *name, SondeGraph *graph)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_GRAPH);

  attribute->u.graph = graph;
  sonde_node_take_attribute (node, attribute);
}

static const SondeAttribute *
find_kind (const SondeNode *node, const char *name, SondeAttributeKind kind)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);

  return attribute && attribute->kind == kind ? attribute : NULL;
}

gint64
sonde_node_get_int (const SondeNode *node, const char *name, gint64 fallback)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_INT);

  return attribute ? attribute->u.i : fallback;
}

double
sonde_node_get_float (const SondeNode *node, const char *name, double fallback)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_FLOAT);

  return attribute ? attribute->u.f : fallback;
}

const char *
sonde_node_get_string (const SondeNode *node, const char *name, const char *fallback)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_STRING);

  return attribute ? attribute->u.string : fallback;
}

const gint64 *
sonde_node_get_ints (const SondeNode *node, const char *name, gsize *n)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_INTS);

  *n = attribute ? attribute->n : 0;
  return attribute ? attribute->u.ints : NULL;
}

SondeTensor *
sonde_node_get_tensor (const SondeNode *node, const char *name)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_TENSOR);

  return attribute ? attribute->u.tensor : NULL;
}

SondeGraph *
sonde_node_get_graph (const SondeNode *node, const char *name)
{
  const SondeAttribute *attribute = find_kind (node, name, SONDE_ATTRIBUTE_GRAPH);

  return attribute ? attribute->u.graph : NULL;
}

/* ---- as text ------------------------------------------------------------- */

static void
append_list (GString *text, const SondeAttribute *attribute)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, '[');
  for (gsize i = 0; i < attribute->n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (attribute->kind == SONDE_ATTRIBUTE_INTS)
        g_string_append_printf (text, "%" PRIi64, attribute->u.ints[i]);
      else if (attribute->kind == SONDE_ATTRIBUTE_FLOATS)
        g_string_append (text,
                         g_ascii_formatd (buffer, sizeof buffer, "%.9g", attribute->u.floats[i]));
      else
        {
          g_autofree char *valid = g_utf8_make_valid (attribute->u.strings[i], -1);

          g_string_append (text, valid);
        }
    }
  g_string_append_c (text, ']');
}

char *
sonde_attribute_to_text (const SondeAttribute *attribute)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  GString *text;

  if (attribute == NULL)
    return g_strdup ("default");
  text = g_string_new (NULL);
  switch ((int) attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
      g_string_append_printf (text, "%" PRIi64, attribute->u.i);
      break;
    case SONDE_ATTRIBUTE_FLOAT:
      g_string_append (text, g_ascii_formatd (buffer, sizeof buffer, "%.9g", attribute->u.f));
      break;
    case SONDE_ATTRIBUTE_STRING:
    case SONDE_ATTRIBUTE_REFERENCE:
      {
        g_autofree char *valid
            = g_utf8_make_valid (attribute->u.string != NULL ? attribute->u.string : "", -1);

        g_string_append (text, valid);
        break;
      }
    case SONDE_ATTRIBUTE_INTS:
    case SONDE_ATTRIBUTE_FLOATS:
    case SONDE_ATTRIBUTE_STRINGS:
      append_list (text, attribute);
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      {
        g_autofree char *shape = sonde_shape_to_string (&attribute->u.tensor->shape);

        g_string_append_printf (text, "%s %s", sonde_dtype_name (attribute->u.tensor->dtype),
                                shape);
        break;
      }
    case SONDE_ATTRIBUTE_GRAPH:
      g_string_append_printf (text, "graph of %u nodes",
                              sonde_graph_count_nodes (attribute->u.graph));
      break;
    default:
      g_string_append_printf (text, "%zu entries", attribute->n);
      break;
    }
  return g_string_free (text, FALSE);
}
