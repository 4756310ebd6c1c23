/* SPDX-License-Identifier: Apache-2.0
 * Memory of a message under construction. */
#include "data/models/onnx/sonde-onnx-writer.h"

#include <string.h>

void *
sonde_onnx_alloc (SondeOnnxWriter *writer, gsize bytes)
{
  void *block = g_malloc0 (MAX (bytes, 1));

  g_ptr_array_add (writer->blocks, block);
  return block;
}

char *
sonde_onnx_take_text (SondeOnnxWriter *writer, char *text)
{
  if (text != NULL)
    g_ptr_array_add (writer->blocks, text);
  return text;
}

void *
sonde_onnx_alloc_messages (SondeOnnxWriter *writer, gsize n, const void *init, gsize bytes)
{
  void **pointers = sonde_onnx_alloc (writer, n * sizeof (void *));
  guint8 *structs = sonde_onnx_alloc (writer, n * bytes);

  for (gsize i = 0; i < n; i++)
    {
      pointers[i] = structs + i * bytes;
      memcpy (pointers[i], init, bytes);
    }
  return pointers;
}

Onnx__StringStringEntryProto **
sonde_onnx_new_entries (SondeOnnxWriter *writer, GPtrArray *texts, size_t *n)
{
  static const Onnx__StringStringEntryProto init = ONNX__STRING_STRING_ENTRY_PROTO__INIT;
  Onnx__StringStringEntryProto **entries = NULL;

  *n = texts->len / 2;
  entries = sonde_onnx_alloc_messages (writer, *n, &init, sizeof init);
  for (gsize i = 0; i < *n; i++)
    {
      entries[i]->key = texts->pdata[2 * i];
      entries[i]->value = texts->pdata[2 * i + 1];
    }
  return entries;
}
