/* SPDX-License-Identifier: Apache-2.0
 * A graph as TensorFlow's GraphDef: a node a node, inputs and initialisers as nodes of their own
 * (there are no values besides nodes), names of scopes as they are. Contents of tensors stay out:
 * TensorBoard does not show them. */
#include "data/records/sonde-event-encoder-private.h"

/* ---- names --------------------------------------------------------------- */

/* Nodes are named once; a value without a node gets what is left. (element-type SondeGraphValue
 * utf8) */
typedef struct
{
  const SondeGraph *graph;
  GByteArray *out;
  GHashTable *names;
} Writer;

static const char *
name_of_source (Writer *writer, SondeGraphValue *value)
{
  char *name = g_hash_table_lookup (writer->names, value);

  if (name != NULL)
    return name;
  name = g_strdup (value->name);
  while (sonde_graph_find_node (writer->graph, name) != NULL)
    {
      char *longer = g_strconcat (name, "_value", NULL);

      g_free (name);
      name = longer;
    }
  g_hash_table_insert (writer->names, value, name);
  return name;
}

static void
add_input (Writer *writer, SondeGraphValue *value)
{
  g_autofree char *text = NULL;

  if (value->producer == NULL)
    text = g_strdup (name_of_source (writer, value));
  else if (value->producer_output == 0)
    text = g_strdup (value->producer->name);
  else
    text = g_strdup_printf ("%s:%u", value->producer->name, value->producer_output);
  sonde_emit_text (writer->out, 3, text);
}

/* ---- attributes ---------------------------------------------------------- */

static gsize
begin_attribute (GByteArray *out, const char *name, gsize *value)
{
  gsize entry = sonde_emit_begin (out, 5);

  sonde_emit_text (out, 1, name);
  *value = sonde_emit_begin (out, 2);
  return entry;
}

static void
end_attribute (GByteArray *out, gsize entry, gsize value)
{
  sonde_emit_end (out, value);
  sonde_emit_end (out, entry);
}

static void
add_list (GByteArray *out, const SondeAttribute *attribute)
{
  gsize list = sonde_emit_begin (out, 1), packed;

  if (attribute->kind == SONDE_ATTRIBUTE_STRINGS)
    for (gsize i = 0; i < attribute->n; i++)
      sonde_emit_text (out, 2, attribute->u.strings[i]);
  else
    {
      packed = sonde_emit_begin (out, attribute->kind == SONDE_ATTRIBUTE_INTS ? 3 : 4);
      for (gsize i = 0; i < attribute->n; i++)
        if (attribute->kind == SONDE_ATTRIBUTE_INTS)
          sonde_emit_varint (out, (guint64) attribute->u.ints[i]);
        else
          sonde_emit_raw (out, &(float){ (float) attribute->u.floats[i] }, sizeof (float));
      sonde_emit_end (out, packed);
    }
  sonde_emit_end (out, list);
}

static void
add_attribute (GByteArray *out, const SondeAttribute *attribute)
{
  gsize value, entry;

  if (attribute->kind != SONDE_ATTRIBUTE_INT && attribute->kind != SONDE_ATTRIBUTE_FLOAT
      && attribute->kind != SONDE_ATTRIBUTE_STRING && attribute->kind != SONDE_ATTRIBUTE_INTS
      && attribute->kind != SONDE_ATTRIBUTE_FLOATS && attribute->kind != SONDE_ATTRIBUTE_STRINGS)
    return;
  entry = begin_attribute (out, attribute->name, &value);
  if (attribute->kind == SONDE_ATTRIBUTE_INT)
    sonde_emit_number (out, 3, attribute->u.i);
  else if (attribute->kind == SONDE_ATTRIBUTE_FLOAT)
    sonde_emit_float (out, 4, attribute->u.f);
  else if (attribute->kind == SONDE_ATTRIBUTE_STRING)
    sonde_emit_text (out, 2, attribute->u.string);
  else
    add_list (out, attribute);
  end_attribute (out, entry, value);
}

static void
add_shape (GByteArray *out, const SondeType *type)
{
  gsize shape = sonde_emit_begin (out, 7);

  if (type->rank < 0)
    sonde_emit_number (out, 3, 1);
  for (int i = 0; i < type->rank; i++)
    {
      gsize dim = sonde_emit_begin (out, 2);

      sonde_emit_number (out, 1, type->dims[i].size);
      sonde_emit_end (out, dim);
    }
  sonde_emit_end (out, shape);
}

/* "_output_shapes", from which edges get their labels. */
static void
add_output_shapes (GByteArray *out, SondeGraphValue **values, guint n)
{
  const SondeType unknown = sonde_type_unknown ();
  gsize value, entry = begin_attribute (out, "_output_shapes", &value),
               list = sonde_emit_begin (out, 1);

  for (guint i = 0; i < n; i++)
    add_shape (out, values[i] != NULL ? &values[i]->type : &unknown);
  sonde_emit_end (out, list);
  end_attribute (out, entry, value);
}

/* ---- nodes --------------------------------------------------------------- */

static void
add_source (Writer *writer, SondeGraphValue *value)
{
  gsize node = sonde_emit_begin (writer->out, 1);

  sonde_emit_text (writer->out, 1, name_of_source (writer, value));
  sonde_emit_text (writer->out, 2,
                   value->constant == NULL               ? "Placeholder"
                   : value->role == SONDE_ROLE_PARAMETER ? "Parameter"
                                                         : "Const");
  add_output_shapes (writer->out, &value, 1);
  sonde_emit_end (writer->out, node);
}

static void
add_node (Writer *writer, const SondeNode *node)
{
  gsize start = sonde_emit_begin (writer->out, 1);

  sonde_emit_text (writer->out, 1, node->name);
  sonde_emit_text (writer->out, 2, node->op);
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      add_input (writer, node->inputs->pdata[i]);
  for (guint i = 0; i < node->attributes->len; i++)
    add_attribute (writer->out, node->attributes->pdata[i]);
  add_output_shapes (writer->out, (SondeGraphValue **) node->outputs->pdata, node->outputs->len);
  sonde_emit_end (writer->out, start);
}

gboolean
sonde_event_tensorboard_graph (SondeEventEncoder *encoder, const SondeRecord *record,
                               GByteArray *out, SondeEventFile *file, const char **reason)
{
  g_autoptr (SondeGraph) graph = sonde_event_encoder_dup_graph (encoder, record, reason);
  g_autoptr (GHashTable) names
      = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  Writer writer = { graph, out, names };
  gsize frame, definition, versions;

  if (graph == NULL)
    return FALSE;
  /* An event file has one graph, the last; the original is the one to see. */
  if (record->u.graph.executed)
    {
      *reason = N_ ("a second graph beside the first (the executed one)");
      return FALSE;
    }
  frame = sonde_frame_begin (out);
  sonde_emit_double (out, 1, sonde_event_seconds (record));
  if (record->step != 0)
    sonde_emit_number (out, 2, record->step);
  definition = sonde_emit_begin (out, 4);
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->producer == NULL
          && (value->constant != NULL || value->users->len > 0))
        add_source (&writer, value);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL)
      add_node (&writer, graph->nodes->pdata[i]);
  versions = sonde_emit_begin (out, 4);
  sonde_emit_number (out, 1, 22);
  sonde_emit_end (out, versions);
  sonde_emit_end (out, definition);
  sonde_frame_end (out, frame);
  return TRUE;
}
