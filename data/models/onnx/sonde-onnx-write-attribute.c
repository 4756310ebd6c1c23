/* SPDX-License-Identifier: Apache-2.0
 * Attribute -> AttributeProto: one row for each kind. */
#include "data/models/onnx/sonde-onnx-write.h"

#include <string.h>

#include "data/models/onnx/sonde-onnx-tensor.h"
#include "data/models/onnx/sonde-onnx-type.h"
#include "data/models/onnx/sonde-onnx-writer.h"

typedef struct
{
  SondeOnnxWriter *writer;
  const SondeAttribute *attribute;
  guint depth;
  Onnx__AttributeProto *proto;
} AttributeWrite;

static gboolean
write_int (AttributeWrite *write, GError **error)
{
  write->proto->has_i = TRUE;
  write->proto->i = write->attribute->u.i;
  return TRUE;
}

static gboolean
write_float (AttributeWrite *write, GError **error)
{
  write->proto->has_f = TRUE;
  write->proto->f = (float) write->attribute->u.f;
  return TRUE;
}

static ProtobufCBinaryData
bytes_of (char *string)
{
  return (ProtobufCBinaryData){ string ? strlen (string) : 0, (guint8 *) string };
}

static gboolean
write_string (AttributeWrite *write, GError **error)
{
  write->proto->has_s = TRUE;
  write->proto->s = bytes_of (write->attribute->u.string);
  return TRUE;
}

static gboolean
write_tensors_to (AttributeWrite *write, SondeTensor *const *tensors, Onnx__TensorProto **protos,
                  gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (!sonde_onnx_write_tensor (write->writer, tensors[i], NULL, protos[i], error))
      return FALSE;
  return TRUE;
}

static Onnx__TensorProto **
new_tensors (AttributeWrite *write)
{
  static const Onnx__TensorProto init = ONNX__TENSOR_PROTO__INIT;

  return sonde_onnx_alloc_messages (write->writer, write->attribute->n, &init, sizeof init);
}

static Onnx__GraphProto **
new_graphs (AttributeWrite *write)
{
  static const Onnx__GraphProto init = ONNX__GRAPH_PROTO__INIT;

  return sonde_onnx_alloc_messages (write->writer, write->attribute->n, &init, sizeof init);
}

static gboolean
write_tensor (AttributeWrite *write, GError **error)
{
  Onnx__TensorProto **protos = new_tensors (write);

  write->proto->t = protos[0];
  return write_tensors_to (write, &write->attribute->u.tensor, protos, 1, error);
}

static gboolean
write_tensors (AttributeWrite *write, GError **error)
{
  write->proto->n_tensors = write->attribute->n;
  write->proto->tensors = new_tensors (write);
  return write_tensors_to (write, write->attribute->u.tensors, write->proto->tensors,
                           write->attribute->n, error);
}

static gboolean
write_graph (AttributeWrite *write, GError **error)
{
  write->proto->g = new_graphs (write)[0];
  return sonde_onnx_write_graph (write->writer, write->attribute->u.graph, write->depth + 1,
                                 write->proto->g, error);
}

static gboolean
write_graphs (AttributeWrite *write, GError **error)
{
  write->proto->n_graphs = write->attribute->n;
  write->proto->graphs = new_graphs (write);
  for (gsize i = 0; i < write->attribute->n; i++)
    if (!sonde_onnx_write_graph (write->writer, write->attribute->u.graphs[i], write->depth + 1,
                                 write->proto->graphs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
write_ints (AttributeWrite *write, GError **error)
{
  write->proto->n_ints = write->attribute->n;
  write->proto->ints = write->attribute->u.ints;
  return TRUE;
}

static gboolean
write_floats (AttributeWrite *write, GError **error)
{
  gsize n = write->attribute->n;

  write->proto->n_floats = n;
  write->proto->floats = sonde_onnx_alloc (write->writer, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    write->proto->floats[i] = (float) write->attribute->u.floats[i];
  return TRUE;
}

static gboolean
write_strings (AttributeWrite *write, GError **error)
{
  gsize n = write->attribute->n;

  write->proto->n_strings = n;
  write->proto->strings = sonde_onnx_alloc (write->writer, n * sizeof (ProtobufCBinaryData));
  for (gsize i = 0; i < n; i++)
    write->proto->strings[i] = bytes_of (write->attribute->u.strings[i]);
  return TRUE;
}

static Onnx__TypeProto *
write_one_type (AttributeWrite *write, gsize i)
{
  static const Onnx__TypeProto init = ONNX__TYPE_PROTO__INIT;
  Onnx__TypeProto *proto = sonde_onnx_write_type (write->writer, &write->attribute->u.types[i]);

  if (proto == NULL)
    {
      proto = sonde_onnx_alloc (write->writer, sizeof *proto);
      *proto = init;
    }
  return proto;
}

/* One type is written as the single form: readers take either for it. */
static gboolean
write_types (AttributeWrite *write, GError **error)
{
  gsize n = write->attribute->n;

  if (n == 1)
    {
      write->proto->tp = write_one_type (write, 0);
      return TRUE;
    }
  write->proto->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS;
  write->proto->n_type_protos = n;
  write->proto->type_protos = sonde_onnx_alloc (write->writer, n * sizeof (Onnx__TypeProto *));
  for (gsize i = 0; i < n; i++)
    write->proto->type_protos[i] = write_one_type (write, i);
  return TRUE;
}

static gboolean
write_reference (AttributeWrite *write, GError **error)
{
  write->proto->ref_attr_name = write->attribute->u.string;
  return TRUE;
}

#define TYPE(name) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##name

static const struct
{
  int type; /* AttributeProto.AttributeType */
  gboolean (*write) (AttributeWrite *write, GError **error);
} kinds[] = {
  [SONDE_ATTRIBUTE_INT] = { TYPE (INT), write_int },
  [SONDE_ATTRIBUTE_FLOAT] = { TYPE (FLOAT), write_float },
  [SONDE_ATTRIBUTE_STRING] = { TYPE (STRING), write_string },
  [SONDE_ATTRIBUTE_TENSOR] = { TYPE (TENSOR), write_tensor },
  [SONDE_ATTRIBUTE_GRAPH] = { TYPE (GRAPH), write_graph },
  [SONDE_ATTRIBUTE_INTS] = { TYPE (INTS), write_ints },
  [SONDE_ATTRIBUTE_FLOATS] = { TYPE (FLOATS), write_floats },
  [SONDE_ATTRIBUTE_STRINGS] = { TYPE (STRINGS), write_strings },
  [SONDE_ATTRIBUTE_TENSORS] = { TYPE (TENSORS), write_tensors },
  [SONDE_ATTRIBUTE_GRAPHS] = { TYPE (GRAPHS), write_graphs },
  [SONDE_ATTRIBUTE_TYPE] = { TYPE (TYPE_PROTO), write_types },
  [SONDE_ATTRIBUTE_REFERENCE] = { TYPE (UNDEFINED), write_reference },
};

gboolean
sonde_onnx_write_attribute (SondeOnnxWriter *writer, const SondeAttribute *attribute, guint depth,
                            Onnx__AttributeProto *proto, GError **error)
{
  AttributeWrite write = { writer, attribute, depth, proto };
  gboolean is_reference = attribute->kind == SONDE_ATTRIBUTE_REFERENCE;

  proto->name = attribute->name;
  proto->has_type = TRUE;
  proto->type = kinds[is_reference ? attribute->reference_kind : attribute->kind].type;
  return kinds[attribute->kind].write (&write, error);
}
