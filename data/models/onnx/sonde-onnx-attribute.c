/* SPDX-License-Identifier: Apache-2.0
 * AttributeProto -> attribute: one row for each type. The way back is
 * sonde-onnx-write-attribute.c. */
#include "data/models/onnx/sonde-onnx-graph.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-tensor.h"
#include "data/models/onnx/sonde-onnx-type.h"

typedef struct
{
  SondeOnnxReader *reader;
  Onnx__AttributeProto *proto;
  SondeGraph *graph;              /* that the node lies in */
  const char *owner_kind, *owner; /* N_("node"), "conv1" */
  SondeAttribute *made;
} AttributeRead;

/* "attribute “value” of node “conv1”" for a %-s; only made where it is shown: there are very many
 * attributes. */
static char *
describe (const AttributeRead *read)
{
  return sonde_message_nest ("attribute “%s” of %-s “%s”",
                             read->proto->name ? read->proto->name : "", read->owner_kind,
                             read->owner);
}

/* ---- single values ------------------------------------------------------- */

/* A missing number is 0: proto3 writers leave zeros out. */
static gboolean
read_int (AttributeRead *read, GError **error)
{
  read->made->u.i = read->proto->i;
  return TRUE;
}

static gboolean
read_float (AttributeRead *read, GError **error)
{
  read->made->u.f = read->proto->f;
  return TRUE;
}

static char *
dup_bytes (AttributeRead *read, const ProtobufCBinaryData *bytes, GError **error)
{
  if (bytes->len > 0 && memchr (bytes->data, 0, bytes->len) != NULL)
    {
      g_autofree char *what = describe (read);

      sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                       "%-s holds a NUL byte, which this version cannot keep", what);
      return NULL;
    }
  return bytes->len > 0 ? g_strndup ((const char *) bytes->data, bytes->len) : g_strdup ("");
}

static gboolean
read_string (AttributeRead *read, GError **error)
{
  read->made->u.string = dup_bytes (read, &read->proto->s, error);
  return read->made->u.string != NULL;
}

static gboolean
fail_empty (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED, "%-s has no content",
                          what);
}

static gboolean
read_tensor (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  if (read->proto->t == NULL)
    return fail_empty (read, error);
  read->made->u.tensor = sonde_onnx_read_tensor (read->reader, read->proto->t, what, error);
  return read->made->u.tensor != NULL;
}

/* A dense tensor to the operator. */
static gboolean
read_sparse (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  if (read->proto->sparse_tensor == NULL)
    return fail_empty (read, error);
  read->made->u.tensor
      = sonde_onnx_read_sparse (read->reader, read->proto->sparse_tensor, what, error);
  return read->made->u.tensor != NULL;
}

static SondeGraph *
read_subgraph (AttributeRead *read, Onnx__GraphProto *proto, GError **error)
{
  SondeGraph *graph = sonde_graph_new_subgraph (read->graph, NULL);

  if (sonde_onnx_read_graph (read->reader, proto, graph, error))
    return graph;
  sonde_graph_unref (graph);
  return NULL;
}

static gboolean
read_graph (AttributeRead *read, GError **error)
{
  if (read->proto->g == NULL)
    return fail_empty (read, error);
  read->made->u.graph = read_subgraph (read, read->proto->g, error);
  return read->made->u.graph != NULL;
}

static gboolean
read_type (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  if (read->proto->tp == NULL)
    return fail_empty (read, error);
  read->made->u.types = g_new0 (SondeType, 1);
  return sonde_onnx_read_type (read->reader, read->proto->tp, what, read->made->u.types, error);
}

/* ---- lists: n grows with what is really there, so that a half-read one can be freed ---- */

static gboolean
read_ints (AttributeRead *read, GError **error)
{
  read->made->n = read->proto->n_ints;
  read->made->u.ints = g_memdup2 (read->proto->ints, read->made->n * sizeof (gint64));
  return TRUE;
}

static gboolean
read_floats (AttributeRead *read, GError **error)
{
  read->made->n = read->proto->n_floats;
  read->made->u.floats = g_new (double, read->made->n);
  for (gsize i = 0; i < read->made->n; i++)
    read->made->u.floats[i] = read->proto->floats[i];
  return TRUE;
}

static gboolean
read_strings (AttributeRead *read, GError **error)
{
  read->made->u.strings = g_new0 (char *, read->proto->n_strings + 1);
  for (gsize i = 0; i < read->proto->n_strings; i++)
    {
      char *string = dup_bytes (read, &read->proto->strings[i], error);

      if (string == NULL)
        return FALSE;
      read->made->u.strings[read->made->n++] = string;
    }
  return TRUE;
}

static gboolean
read_tensors (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  read->made->u.tensors = g_new0 (SondeTensor *, read->proto->n_tensors + 1);
  for (gsize i = 0; i < read->proto->n_tensors; i++)
    {
      SondeTensor *tensor
          = sonde_onnx_read_tensor (read->reader, read->proto->tensors[i], what, error);

      if (tensor == NULL)
        return FALSE;
      read->made->u.tensors[read->made->n++] = tensor;
    }
  return TRUE;
}

static gboolean
read_graphs (AttributeRead *read, GError **error)
{
  read->made->u.graphs = g_new0 (SondeGraph *, read->proto->n_graphs + 1);
  for (gsize i = 0; i < read->proto->n_graphs; i++)
    {
      SondeGraph *graph = read_subgraph (read, read->proto->graphs[i], error);

      if (graph == NULL)
        return FALSE;
      read->made->u.graphs[read->made->n++] = graph;
    }
  return TRUE;
}

static gboolean
read_types (AttributeRead *read, GError **error)
{
  g_autofree char *what = describe (read);

  read->made->n = read->proto->n_type_protos;
  read->made->u.types = g_new0 (SondeType, read->made->n);
  for (gsize i = 0; i < read->made->n; i++)
    if (!sonde_onnx_read_type (read->reader, read->proto->type_protos[i], what,
                               &read->made->u.types[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

/* Rows by AttributeProto.AttributeType; rows without a reader are not supported. */
static const struct
{
  const char *name;
  SondeAttributeKind kind;
  gboolean (*read) (AttributeRead *read, GError **error);
} kinds[] = {
  { "UNDEFINED", SONDE_ATTRIBUTE_REFERENCE, NULL },
  { "FLOAT", SONDE_ATTRIBUTE_FLOAT, read_float },
  { "INT", SONDE_ATTRIBUTE_INT, read_int },
  { "STRING", SONDE_ATTRIBUTE_STRING, read_string },
  { "TENSOR", SONDE_ATTRIBUTE_TENSOR, read_tensor },
  { "GRAPH", SONDE_ATTRIBUTE_GRAPH, read_graph },
  { "FLOATS", SONDE_ATTRIBUTE_FLOATS, read_floats },
  { "INTS", SONDE_ATTRIBUTE_INTS, read_ints },
  { "STRINGS", SONDE_ATTRIBUTE_STRINGS, read_strings },
  { "TENSORS", SONDE_ATTRIBUTE_TENSORS, read_tensors },
  { "GRAPHS", SONDE_ATTRIBUTE_GRAPHS, read_graphs },
  { "SPARSE_TENSOR", SONDE_ATTRIBUTE_TENSOR, read_sparse },
  { "SPARSE_TENSORS", SONDE_ATTRIBUTE_TENSORS, NULL },
  { "TYPE_PROTO", SONDE_ATTRIBUTE_TYPE, read_type },
  { "TYPE_PROTOS", SONDE_ATTRIBUTE_TYPE, read_types },
};

/* IR 1 has no type: whatever is set. */
static int
guess_type (const Onnx__AttributeProto *proto)
{
  const gboolean is_set[] = {
    FALSE,
    proto->has_f,
    proto->has_i,
    proto->has_s,
    proto->t != NULL,
    proto->g != NULL,
    proto->n_floats > 0,
    proto->n_ints > 0,
    proto->n_strings > 0,
    proto->n_tensors > 0,
    proto->n_graphs > 0,
    proto->sparse_tensor != NULL,
    proto->n_sparse_tensors > 0,
    proto->tp != NULL,
    proto->n_type_protos > 0,
  };

  for (guint i = 0; i < G_N_ELEMENTS (is_set); i++)
    if (is_set[i])
      return (int) i;
  return 0;
}

static SondeAttribute *
read_reference (AttributeRead *read, int type, GError **error)
{
  SondeAttribute *made = NULL;

  if (!read->reader->in_function)
    {
      g_autofree char *what = describe (read);

      sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                       "%-s refers to an attribute of a caller, but it is in no function", what);
      return NULL;
    }
  made = sonde_attribute_new (read->proto->name, SONDE_ATTRIBUTE_REFERENCE);
  made->u.string = g_strdup (read->proto->ref_attr_name);
  made->reference_kind = type > 0 ? kinds[type].kind : SONDE_ATTRIBUTE_REFERENCE;
  return made;
}

static gboolean
check_type (const AttributeRead *read, int type, GError **error)
{
  g_autofree char *what = NULL;

  if (type >= 0 && type < (int) G_N_ELEMENTS (kinds) && (type == 0 || kinds[type].read != NULL))
    return TRUE;
  what = describe (read);
  if (type < 0 || type >= (int) G_N_ELEMENTS (kinds))
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                            "%-s has the type number %d, which this version does not know", what,
                            type);
  return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                          "%-s has the type %s, which this version does not support", what,
                          kinds[type].name);
}

SondeAttribute *
sonde_onnx_read_attribute (SondeOnnxReader *reader, Onnx__AttributeProto *proto,
                           const char *owner_kind, const char *owner, SondeGraph *node_graph,
                           GError **error)
{
  AttributeRead read = {
    .reader = reader, .proto = proto, .graph = node_graph, .owner_kind = owner_kind, .owner = owner
  };
  int type = proto->type != 0 ? proto->type : guess_type (proto);

  if (!sonde_onnx_check_text (reader, N_ ("the name of an attribute"), proto->name, error)
      || !sonde_onnx_check_text (reader, N_ ("a reference to an attribute"), proto->ref_attr_name,
                                 error)
      || !check_type (&read, type, error))
    return NULL;
  if (proto->name == NULL || *proto->name == '\0')
    {
      sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                       "an attribute of %-s “%s” has no name", owner_kind, owner);
      return NULL;
    }
  if (proto->ref_attr_name != NULL && *proto->ref_attr_name != '\0')
    return read_reference (&read, type, error);
  if (type == 0)
    {
      g_autofree char *what = describe (&read);

      sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                       "%-s has neither a type nor a value", what);
      return NULL;
    }

  read.made = sonde_attribute_new (proto->name, kinds[type].kind);
  if (kinds[type].read (&read, error))
    return read.made;
  sonde_attribute_free (read.made);
  return NULL;
}
