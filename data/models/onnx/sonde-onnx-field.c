/* SPDX-License-Identifier: Apache-2.0
 * One step over a serialised message. */
#include "data/models/onnx/sonde-onnx-field.h"

static gboolean
read_varint (const guint8 *data, gsize end, gsize *at, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && *at < end; shift += 7)
    {
      guint8 byte = data[(*at)++];

      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

/* The bytes were scanned before: what does not fit here only means that nothing is left out. */
gboolean
sonde_onnx_next_field (const guint8 *data, gsize end, gsize at, SondeOnnxField *field)
{
  guint64 tag, length = 0;

  field->start = at;
  if (at >= end || !read_varint (data, end, &at, &tag))
    return FALSE;

  field->number = tag >> 3;
  field->wire = tag & 7;
  field->content = at;
  if (field->wire == 0 && !read_varint (data, end, &at, &length))
    return FALSE;
  if (field->wire == 2)
    {
      if (!read_varint (data, end, &at, &length))
        return FALSE;
      field->content = at;
    }
  else
    length = field->wire == 1 ? 8 : field->wire == 5 ? 4 : 0;

  if (field->wire > 2 && field->wire != 5)
    return FALSE;
  if (length > end - at)
    return FALSE;
  field->end = at + length;
  return TRUE;
}
