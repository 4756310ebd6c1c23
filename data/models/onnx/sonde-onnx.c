/* SPDX-License-Identifier: Apache-2.0
 * From bytes to what the rest of the program works with, and back. */
#include "data/models/onnx/sonde-onnx.h"

#include "data/models/onnx/sonde-onnx-file.h"
#include "data/models/onnx/sonde-onnx-graph.h"
#include "data/models/onnx/sonde-onnx-tensor.h"
#include "data/wire/sonde-wire-cursor.h"

#define FIELDS_SNIFFED 64
#define MAX_IR_VERSION 1000

/* What is parsed: a message at @data and where it comes from. @folder, @file: (nullable). */
typedef struct
{
  const SondeIo *io;
  const guint8 *data;
  gsize length;
  const char *name;
  const char *folder;
  SondeOnnxFile *file;
} Source;

/* @take makes the result while the message lives. */
static gpointer
parse (const Source *source, const ProtobufCMessageDescriptor *root,
       gpointer (*take) (SondeOnnxReader *reader, void *message, GError **error), GError **error)
{
  SondeOnnxReader reader;
  void *message = NULL;
  gpointer result = NULL;

  sonde_onnx_reader_init (&reader, source->io, source->name, source->folder);
  reader.source = source->file;
  message = sonde_onnx_decode (&reader, root, source->data, source->length, error);
  if (message != NULL)
    result = take (&reader, message, error);
  sonde_onnx_reader_clear (&reader);
  return result;
}

/* ---- models -------------------------------------------------------------- */

static gpointer
take_model (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_model (reader, message, error);
}

SondeGraph *
sonde_onnx_load (const SondeIo *io, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  SondeOnnxFile file;
  SondeGraph *graph = NULL;

  if (sonde_onnx_file_open (&file, io, path, error))
    {
      const Source source = { io, file.data, file.length, path, folder, &file };

      graph = parse (&source, &onnx__model_proto__descriptor, take_model, error);
    }
  sonde_onnx_file_close (&file);
  return graph;
}

SondeGraph *
sonde_onnx_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  const Source source = { .data = data, .length = length, .name = name };

  return parse (&source, &onnx__model_proto__descriptor, take_model, error);
}

gboolean
sonde_onnx_sniff (const guint8 *data, gsize length)
{
  SondeWireCursor cursor = sonde_wire_cursor (data, length);
  gboolean plausible = FALSE;

  for (int i = 0; i < FIELDS_SNIFFED && cursor.at != cursor.end; i++)
    {
      const ProtobufCFieldDescriptor *field = NULL;
      guint64 key = 0, value = 0;
      gboolean is_number;

      if (!sonde_wire_take_key (&cursor, &key))
        return FALSE;
      is_number = (key & 7) == SONDE_WIRE_VARINT;
      field = protobuf_c_message_descriptor_get_field (&onnx__model_proto__descriptor,
                                                       (guint32) (key >> 3));
      if (field == NULL || (!is_number && (key & 7) != SONDE_WIRE_BYTES)
          || is_number != (field->type == PROTOBUF_C_TYPE_INT64))
        return FALSE;
      if (!sonde_wire_take_varint (&cursor, &value))
        return plausible;
      if (field->id == 1 && (value == 0 || value > MAX_IR_VERSION))
        return FALSE;
      plausible = plausible || field->id == 1 || field->id == 7;
      if (!is_number && value >= (guint64) (cursor.end - cursor.at))
        return plausible;
      cursor.at += is_number ? 0 : value;
    }
  return plausible;
}

/* ---- values of test data ------------------------------------------------- */

static gpointer
take_tensor (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_tensor (reader, message, N_ ("tensor"), error);
}

static gpointer
take_tensor_value (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_tensor_value (reader, message, error);
}

static gpointer
take_sequence (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_sequence (reader, message, error);
}

static gpointer
take_optional (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_optional (reader, message, error);
}

SondeTensor *
sonde_onnx_parse_tensor (const SondeIo *io, const guint8 *data, gsize length, const char *path,
                         GError **error)
{
  const Source source = { .io = io, .data = data, .length = length, .name = path };

  return parse (&source, &onnx__tensor_proto__descriptor, take_tensor, error);
}

SondeValue *
sonde_onnx_parse_value (const SondeIo *io, const guint8 *data, gsize length, const char *path,
                        const SondeType *type, GError **error)
{
  const Source source = { .io = io, .data = data, .length = length, .name = path };

  if (type->kind == SONDE_VALUE_SEQUENCE)
    return parse (&source, &onnx__sequence_proto__descriptor, take_sequence, error);
  if (type->kind == SONDE_VALUE_OPTIONAL)
    return parse (&source, &onnx__optional_proto__descriptor, take_optional, error);
  if (type->kind == SONDE_VALUE_TENSOR || type->kind == SONDE_VALUE_NONE)
    return parse (&source, &onnx__tensor_proto__descriptor, take_tensor_value, error);

  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” is for a value of the kind %-s, which this version does not read", path,
                   type->kind == SONDE_VALUE_MAP ? N_ ("map") : N_ ("sparse tensor"));
  return NULL;
}
