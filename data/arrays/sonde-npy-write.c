/* SPDX-License-Identifier: Apache-2.0
 * Writing .npy files: version 1.0, C order, little-endian. */
#include "data/arrays/sonde-npy.h"

#include <inttypes.h>
#include <string.h>

/* Floats that NumPy does not have are written as float32. */
static const char *const descriptions[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_F64] = "<f8", [SONDE_DTYPE_F32] = "<f4", [SONDE_DTYPE_F16] = "<f2",
  [SONDE_DTYPE_I8] = "|i1",  [SONDE_DTYPE_I16] = "<i2", [SONDE_DTYPE_I32] = "<i4",
  [SONDE_DTYPE_I64] = "<i8", [SONDE_DTYPE_U8] = "|u1",  [SONDE_DTYPE_U16] = "<u2",
  [SONDE_DTYPE_U32] = "<u4", [SONDE_DTYPE_U64] = "<u8", [SONDE_DTYPE_BOOL] = "|b1",
  [SONDE_DTYPE_I4] = "|i1",  [SONDE_DTYPE_U4] = "|u1",  [SONDE_DTYPE_I2] = "|i1",
  [SONDE_DTYPE_U2] = "|u1",
};

#define ALIGNMENT 64 /* of the elements in the file, as NumPy has it */
#define PREAMBLE 10

/* Room for header and @n_bytes of elements; the header is filled in. */
static guint8 *
new_file (const char *description, const SondeShape *shape, gsize n_bytes, gsize *data_offset)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const guint8 preamble[PREAMBLE - 2] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0 };
  guint8 *bytes;

  g_string_append_printf (text, "{'descr': '%s', 'fortran_order': False, 'shape': (", description);
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%" PRIi64 "%s", i > 0 ? ", " : "", shape->dims[i],
                            shape->rank == 1 ? "," : "");
  g_string_append (text, "), }");
  while ((PREAMBLE + text->len + 1) % ALIGNMENT != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');

  *data_offset = PREAMBLE + text->len;
  bytes = g_malloc (*data_offset + n_bytes);
  memcpy (bytes, preamble, sizeof preamble);
  bytes[8] = text->len & 0xff;
  bytes[9] = (guint8) (text->len >> 8);
  memcpy (bytes + PREAMBLE, text->str, text->len);
  return bytes;
}

static const char *
string_at (SondeTensor *tensor, gint64 index)
{
  char **strings = (void *) tensor->data;

  return strings[index] != NULL ? strings[index] : "";
}

/* 'U' holds characters; text that is no UTF-8 is kept as bytes, 'S'. */
static GBytes *
serialise_strings (SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  gsize longest = 1, data_offset, item_size;
  gboolean wide = TRUE;
  char description[32];
  guint8 *bytes, *to;

  for (gint64 i = 0; i < n && wide; i++)
    wide = g_utf8_validate (string_at (tensor, i), -1, NULL);
  for (gint64 i = 0; i < n; i++)
    {
      const char *text = string_at (tensor, i);

      longest = MAX (longest, wide ? (gsize) g_utf8_strlen (text, -1) : strlen (text));
    }

  item_size = longest * (wide ? 4 : 1);
  g_snprintf (description, sizeof description, "%s%zu", wide ? "<U" : "|S", longest);
  bytes = new_file (description, &tensor->shape, (gsize) n * item_size, &data_offset);
  to = bytes + data_offset;
  memset (to, 0, (gsize) n * item_size);
  for (gint64 i = 0; i < n; i++, to += item_size)
    {
      const char *text = string_at (tensor, i);
      guint8 *at = to;

      if (!wide)
        memcpy (to, text, strlen (text));
      for (; wide && *text != '\0'; text = g_utf8_next_char (text), at += 4)
        {
          guint32 c = GUINT32_TO_LE (g_utf8_get_char (text));

          memcpy (at, &c, 4);
        }
    }
  return g_bytes_new_take (bytes, data_offset + (gsize) n * item_size);
}

GBytes *
sonde_npy_serialise (SondeTensor *tensor)
{
  gboolean widen = sonde_dtype_has_fractions (tensor->dtype) && descriptions[tensor->dtype] == NULL;
  g_autoptr (SondeTensor) flat
      = sonde_tensor_cast (tensor, widen ? SONDE_DTYPE_F32 : tensor->dtype);
  gsize n_bytes = sonde_tensor_n_bytes (flat), data_offset;
  guint8 *bytes;

  if (flat->dtype == SONDE_DTYPE_STRING)
    return serialise_strings (flat);

  G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);
  bytes = new_file (descriptions[flat->dtype], &flat->shape, n_bytes, &data_offset);
  if (n_bytes > 0)
    memcpy (bytes + data_offset, flat->data, n_bytes);
  return g_bytes_new_take (bytes, data_offset + n_bytes);
}

gboolean
sonde_npy_write (const SondeIo *io, const char *path, SondeTensor *tensor, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor);

  return sonde_io_replace_file (io, path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                error);
}
