/* SPDX-License-Identifier: Apache-2.0 */
#include "data/arrays/sonde-tensor-blob.h"

#include <string.h>

#include "data/base/sonde-error.h"

SondeTensorBlob *
sonde_tensor_blob_new (const char *location, gsize head, gsize alignment, gsize least)
{
  SondeTensorBlob *blob = g_new0 (SondeTensorBlob, 1);

  *blob = (SondeTensorBlob){ .location = g_strdup (location),
                             .head = head,
                             .alignment = alignment,
                             .least = least,
                             .size = head };
  blob->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  blob->offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  return blob;
}

void
sonde_tensor_blob_free (SondeTensorBlob *blob)
{
  if (blob == NULL)
    return;
  g_free (blob->location);
  g_ptr_array_unref (blob->tensors);
  g_array_unref (blob->offsets);
  g_free (blob);
}

guint64
sonde_tensor_blob_add (SondeTensorBlob *blob, SondeTensor *tensor)
{
  const gsize bytes
      = tensor->dtype != SONDE_DTYPE_STRING ? (gsize) sonde_tensor_n_bytes (tensor) : 0;
  guint64 offset;

  if (bytes == 0 || bytes < blob->least)
    return G_MAXUINT64;
  offset = (blob->size + blob->alignment - 1) / blob->alignment * blob->alignment;
  blob->size = offset + bytes;
  g_ptr_array_add (blob->tensors, sonde_tensor_ref (tensor));
  g_array_append_val (blob->offsets, offset);
  return offset;
}

static guint8 *
fill (const SondeTensorBlob *blob, GError **error)
{
  guint8 *data = sonde_try_alloc (NULL, blob->size, N_ ("the weights of a model"), error);

  if (data == NULL)
    return NULL;
  memset (data, 0, blob->size);
  if (blob->head > 0)
    data[0] = 1;
  for (guint i = 0; i < blob->tensors->len; i++)
    {
      g_autoptr (SondeTensor) flat = sonde_tensor_contiguous (blob->tensors->pdata[i]);

      memcpy (data + g_array_index (blob->offsets, guint64, i), flat->data,
              (gsize) sonde_tensor_n_bytes (flat));
    }
  return data;
}

gboolean
sonde_tensor_blob_write (const SondeTensorBlob *blob, const SondeIo *io, const char *folder,
                         GError **error)
{
  g_autofree char *path = g_build_filename (folder, blob->location, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree guint8 *data = NULL;

  if (!sonde_io_make_directories (io, parent, error))
    return FALSE;
  data = fill (blob, error);
  return data != NULL && sonde_io_replace_file (io, path, data, blob->size, error);
}
