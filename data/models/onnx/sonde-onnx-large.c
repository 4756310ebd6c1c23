/* SPDX-License-Identifier: Apache-2.0
 * Large weights on their way to tensors, without a copy in the decoded message: raw_data of the
 * main graph's initialisers is left out of what protobuf-c decodes and lent to the message
 * afterwards. Of a file it was not even read: see sonde-onnx-file.c. */
#include "data/models/onnx/sonde-onnx-large.h"

#include <string.h>

#include "data/models/onnx/sonde-onnx-field.h"
#include "data/models/onnx/sonde-onnx-file.h"
#include "data/models/onnx/sonde-onnx-reader.h"

/* The only field @number of a message. */
static gboolean
find_only (const guint8 *data, gsize begin, gsize end, guint64 number, SondeOnnxField *found)
{
  guint n = 0;
  SondeOnnxField field = { 0 };

  for (gsize at = begin; at < end; at = field.end)
    {
      if (!sonde_onnx_next_field (data, end, at, &field))
        return FALSE;
      if (field.number == number)
        {
          *found = field;
          n++;
        }
    }
  return n == 1 && found->wire == 2;
}

/* ---- leaving out --------------------------------------------------------- */

static void
append_message (GByteArray *to, guint64 number, guint64 length)
{
  guint64 values[] = { number << 3 | 2, length };

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      guint64 value = values[i];

      do
        {
          guint8 byte = (guint8) (value & 0x7f) | (value >= 0x80 ? 0x80 : 0);

          g_byte_array_append (to, &byte, 1);
          value >>= 7;
        }
      while (value > 0);
    }
}

static void
append_tensor (GByteArray *to, const guint8 *data, const SondeOnnxField *tensor,
               const SondeOnnxField *raw)
{
  append_message (to, SONDE_ONNX_INITIALIZER_FIELD,
                  tensor->end - tensor->content - (raw->end - raw->start));
  g_byte_array_append (to, data + tensor->content, (guint) (raw->start - tensor->content));
  g_byte_array_append (to, data + raw->end, (guint) (tensor->end - raw->end));
}

/* @spans: gets one entry an initialiser. Returns: some were left out. */
static gboolean
strip_graph (const guint8 *data, const SondeOnnxField *graph, GByteArray *to, GArray *spans)
{
  gboolean any = FALSE;
  SondeOnnxField field = { 0 };

  for (gsize at = graph->content; at < graph->end; at = field.end)
    {
      SondeOnnxSpan span = { 0, 0 };
      SondeOnnxField raw;

      if (!sonde_onnx_next_field (data, graph->end, at, &field))
        return FALSE;
      if (field.number == SONDE_ONNX_INITIALIZER_FIELD && field.wire == 2
          && find_only (data, field.content, field.end, SONDE_ONNX_RAW_DATA_FIELD, &raw)
          && raw.end - raw.content >= SONDE_ONNX_LARGE_BYTES)
        {
          span = (SondeOnnxSpan){ raw.content, raw.end - raw.content };
          append_tensor (to, data, &field, &raw);
          any = TRUE;
        }
      else
        g_byte_array_append (to, data + field.start, (guint) (field.end - field.start));
      if (field.number == SONDE_ONNX_INITIALIZER_FIELD)
        g_array_append_val (spans, span);
    }
  return any;
}

GByteArray *
sonde_onnx_large_leave_out (SondeOnnxReader *reader, const guint8 *data, gsize length)
{
  g_autoptr (GByteArray) graph = g_byte_array_new (), model = g_byte_array_new ();
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (SondeOnnxSpan));
  SondeOnnxField field = { 0 };

  if (!find_only (data, 0, length, SONDE_ONNX_GRAPH_FIELD, &field)
      || !strip_graph (data, &field, graph, spans))
    return NULL;

  g_byte_array_append (model, data, (guint) field.start);
  append_message (model, SONDE_ONNX_GRAPH_FIELD, graph->len);
  g_byte_array_append (model, graph->data, graph->len);
  g_byte_array_append (model, data + field.end, (guint) (length - field.end));
  reader->spans = g_steal_pointer (&spans);
  reader->file = data;
  reader->file_bytes = length;
  return g_steal_pointer (&model);
}

/* ---- lending ------------------------------------------------------------- */

gboolean
sonde_onnx_large_lend (SondeOnnxReader *reader, Onnx__ModelProto *model)
{
  if (model->graph == NULL || model->graph->n_initializer != reader->spans->len)
    return FALSE;

  for (guint i = 0; i < reader->spans->len; i++)
    {
      const SondeOnnxSpan *span = &g_array_index (reader->spans, SondeOnnxSpan, i);
      Onnx__TensorProto *tensor = model->graph->initializer[i];

      if (span->length == 0)
        continue;
      tensor->has_raw_data = TRUE;
      tensor->raw_data.data = (guint8 *) reader->file + span->offset;
      tensor->raw_data.len = span->length;
    }
  return TRUE;
}

void
sonde_onnx_large_take_back (SondeOnnxReader *reader, Onnx__ModelProto *model)
{
  for (guint i = 0;
       model->graph != NULL && i < model->graph->n_initializer && i < reader->spans->len; i++)
    if (g_array_index (reader->spans, SondeOnnxSpan, i).length > 0)
      model->graph->initializer[i]->raw_data = (ProtobufCBinaryData){ 0, NULL };
}

gboolean
sonde_onnx_large_is_lent (const SondeOnnxReader *reader, const guint8 *bytes)
{
  guintptr address = (guintptr) bytes, begin = (guintptr) reader->file;

  return reader->spans != NULL && address >= begin && address - begin < reader->file_bytes;
}

gboolean
sonde_onnx_large_copy (const SondeOnnxReader *reader, const guint8 *bytes, gsize length, void *to,
                       GError **error)
{
  if (reader->source != NULL && reader->source->gaps->len > 0)
    return sonde_onnx_file_read (reader->source, bytes, length, to, error);
  memcpy (to, bytes, length);
  return TRUE;
}
