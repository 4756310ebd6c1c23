/* SPDX-License-Identifier: Apache-2.0
 * A graph as MindSpore's anf_ir GraphProto: nodes have numbers as names, their own name is the
 * scope and the full name. Contents of tensors stay out. */
#include "data/records/sonde-event-encoder-private.h"

int
sonde_event_mindspore_dtype (SondeDtype dtype)
{
  static const struct
  {
    SondeDtype dtype;
    int number;
  } dtypes[] = {
    { SONDE_DTYPE_BOOL, 1 }, { SONDE_DTYPE_I8, 2 },   { SONDE_DTYPE_I16, 3 },
    { SONDE_DTYPE_I32, 4 },  { SONDE_DTYPE_I64, 5 },  { SONDE_DTYPE_U8, 6 },
    { SONDE_DTYPE_U16, 7 },  { SONDE_DTYPE_U32, 8 },  { SONDE_DTYPE_U64, 9 },
    { SONDE_DTYPE_F16, 10 }, { SONDE_DTYPE_F32, 11 }, { SONDE_DTYPE_F64, 12 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].number;
  return 0;
}

/* A value's name on the wire: the number of its node, or its own. A second output of a node is the
 * node, too: the format has one value a node. */
static void
add_input (GByteArray *out, const SondeGraphValue *value)
{
  g_autofree char *number
      = value->producer != NULL ? g_strdup_printf ("%u", value->producer->id + 1) : NULL;
  gsize input = sonde_emit_begin (out, 1);

  sonde_emit_text (out, 1, number != NULL ? number : value->name);
  sonde_emit_end (out, input);
}

static void
add_type (GByteArray *out, guint field, const SondeType *type)
{
  gsize start = sonde_emit_begin (out, field), tensor, shape;

  sonde_emit_number (out, 1, 14); /* a tensor */
  tensor = sonde_emit_begin (out, 2);
  sonde_emit_number (out, 1, sonde_event_mindspore_dtype (type->dtype));
  if (type->rank > 0)
    {
      shape = sonde_emit_begin (out, 2);
      for (int i = 0; i < type->rank; i++)
        {
          gsize dim = sonde_emit_begin (out, 1);

          sonde_emit_number (out, 1, type->dims[i].size);
          sonde_emit_end (out, dim);
        }
      sonde_emit_end (out, shape);
    }
  sonde_emit_end (out, tensor);
  sonde_emit_end (out, start);
}

/* ValueProto of one number or text: dtype and its field. */
static void
add_single (GByteArray *out, guint field, gint64 integer, double number, const char *text,
            guint kind)
{
  gsize value = sonde_emit_begin (out, field);

  if (kind == 0)
    {
      sonde_emit_number (out, 1, 5);
      sonde_emit_number (out, 3, integer);
    }
  else if (kind == 1)
    {
      sonde_emit_number (out, 1, 12);
      sonde_emit_double (out, 6, number);
    }
  else
    {
      sonde_emit_number (out, 1, 13);
      sonde_emit_text (out, 7, text);
    }
  sonde_emit_end (out, value);
}

static void
add_list (GByteArray *out, const SondeAttribute *attribute, guint kind)
{
  gsize value = sonde_emit_begin (out, 2);

  sonde_emit_number (out, 1, 31); /* a tuple */
  for (gsize i = 0; i < attribute->n; i++)
    add_single (out, 18, kind == 0 ? attribute->u.ints[i] : 0,
                kind == 1 ? attribute->u.floats[i] : 0, kind == 2 ? attribute->u.strings[i] : NULL,
                kind);
  sonde_emit_end (out, value);
}

static void
add_attribute (GByteArray *out, const SondeAttribute *attribute)
{
  static const gint8 singles[]
      = { [SONDE_ATTRIBUTE_INT] = 1, [SONDE_ATTRIBUTE_FLOAT] = 2, [SONDE_ATTRIBUTE_STRING] = 3 };
  static const gint8 lists[]
      = { [SONDE_ATTRIBUTE_INTS] = 1, [SONDE_ATTRIBUTE_FLOATS] = 2, [SONDE_ATTRIBUTE_STRINGS] = 3 };
  gint8 single = (gsize) attribute->kind < sizeof singles ? singles[attribute->kind] : 0;
  gint8 list = (gsize) attribute->kind < sizeof lists ? lists[attribute->kind] : 0;
  gsize start;

  if (single == 0 && list == 0)
    return;
  start = sonde_emit_begin (out, 5);
  sonde_emit_text (out, 1, attribute->name);
  if (single != 0)
    add_single (out, 2, single == 1 ? attribute->u.i : 0, single == 2 ? attribute->u.f : 0,
                single == 3 ? attribute->u.string : NULL, (guint) single - 1);
  else
    add_list (out, attribute, (guint) list - 1);
  sonde_emit_end (out, start);
}

static void
add_node (GByteArray *out, const SondeNode *node)
{
  const SondeType unknown = sonde_type_unknown ();
  const SondeGraphValue *output = sonde_node_get_output (node, 0);
  g_autofree char *number = g_strdup_printf ("%u", node->id + 1);
  gsize start = sonde_emit_begin (out, 1);

  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      add_input (out, node->inputs->pdata[i]);
  sonde_emit_text (out, 2, number);
  sonde_emit_text (out, 3, node->op);
  sonde_emit_text (out, 4, node->scope != NULL ? node->scope : "Default");
  for (guint i = 0; i < node->attributes->len; i++)
    add_attribute (out, node->attributes->pdata[i]);
  add_type (out, 6, output != NULL ? &output->type : &unknown);
  sonde_emit_text (out, 8, node->name);
  sonde_emit_end (out, start);
}

static void
add_ends (GByteArray *out, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];
      gsize parameter;

      if (value == NULL || value->producer != NULL
          || (value->constant == NULL && value->users->len == 0))
        continue;
      parameter = sonde_emit_begin (out, 3);
      sonde_emit_text (out, 1, value->name);
      add_type (out, 2, &value->type);
      sonde_emit_end (out, parameter);
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      const SondeGraphValue *value = graph->outputs->pdata[i];
      g_autofree char *number
          = value->producer != NULL ? g_strdup_printf ("%u", value->producer->id + 1) : NULL;
      gsize output = sonde_emit_begin (out, 4);

      sonde_emit_text (out, 1, number != NULL ? number : value->name);
      add_type (out, 2, &value->type);
      sonde_emit_end (out, output);
    }
}

gboolean
sonde_event_mindspore_graph (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                             SondeEventFile *file, const char **reason)
{
  g_autoptr (SondeGraph) graph = sonde_event_encoder_dup_graph (encoder, record, reason);
  g_autoptr (GPtrArray) sorted = NULL;
  gsize frame, definition;

  if (graph == NULL)
    return FALSE;
  if (record->u.graph.executed)
    {
      *reason = N_ ("a second graph beside the first (the executed one)");
      return FALSE;
    }
  sorted = sonde_graph_sort (graph, NULL);
  if (sorted == NULL)
    {
      *reason = N_ ("a graph with a cycle");
      return FALSE;
    }
  frame = sonde_frame_begin (out);
  sonde_emit_double (out, 1, sonde_event_seconds (record));
  definition = sonde_emit_begin (out, 4);
  for (guint i = 0; i < sorted->len; i++)
    add_node (out, sorted->pdata[i]);
  sonde_emit_text (out, 2, graph->name != NULL ? graph->name : "graph");
  add_ends (out, graph);
  sonde_emit_end (out, definition);
  sonde_frame_end (out, frame);
  return TRUE;
}
