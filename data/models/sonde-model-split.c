/* SPDX-License-Identifier: Apache-2.0 */
#include "data/models/sonde-model-split.h"

#include <string.h>

#include "data/models/mindir/write/sonde-mindir-write.h"
#include "data/models/onnx/sonde-onnx.h"

#define ONNX_ALIGNMENT 4096 /* so that the file can be mapped */
#define ONNX_LEAST 1024     /* smaller ones may be sizes, which readers want at once */
#define MINDIR_ALIGNMENT 64

guint64
sonde_model_count_bytes (const SondeGraph *graph)
{
  guint64 bytes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];
      const SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL && tensor->dtype != SONDE_DTYPE_STRING)
        bytes += (guint64) sonde_tensor_n_bytes (tensor);
    }
  return bytes;
}

static gboolean
write_bytes (const SondeIo *io, const char *folder, const char *name, GBytes *bytes, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return sonde_io_replace_file (io, path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                error);
}

char *
sonde_model_write_split (const SondeIo *io, const char *folder, const char *name, SondeGraph *graph,
                         char **weights, GError **error)
{
  const gboolean mindir = g_str_has_suffix (name, ".mindir");
  g_autofree char *stem = g_strndup (name, strlen (name) - (mindir ? strlen (".mindir") : 0));
  g_autofree char *model = mindir ? g_strconcat (stem, "_graph.mindir", NULL) : g_strdup (name);
  g_autofree char *other = g_strconcat (stem, mindir ? "_variables/data_0" : ".data", NULL);
  g_autoptr (SondeTensorBlob) blob
      = mindir ? sonde_tensor_blob_new (other, MINDIR_ALIGNMENT, MINDIR_ALIGNMENT, 1)
               : sonde_tensor_blob_new (other, 0, ONNX_ALIGNMENT, ONNX_LEAST);
  g_autoptr (GBytes) bytes = mindir ? sonde_mindir_serialise (graph, blob, error)
                                    : sonde_onnx_serialise (graph, blob, error);

  if (bytes == NULL || !sonde_tensor_blob_write (blob, io, folder, error)
      || !write_bytes (io, folder, model, bytes, error))
    return NULL;
  *weights = g_steal_pointer (&other);
  return g_steal_pointer (&model);
}
