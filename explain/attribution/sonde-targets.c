/* SPDX-License-Identifier: Apache-2.0
 * Equal images of a request. */
#include "explain/attribution/sonde-targets.h"

#include <string.h>

void
sonde_targets_init (SondeTargets *targets, const SondeAttributionRequest *request)
{
  g_autoptr (GHashTable) known
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autofree gint64 *image_of = NULL;
  gsize bytes;

  targets->inputs = sonde_tensor_contiguous (request->inputs);
  targets->n = request->inputs->shape.dims[0];
  targets->channels = request->inputs->shape.dims[1];
  targets->height = request->inputs->shape.dims[2];
  targets->width = request->inputs->shape.dims[3];
  targets->first = g_new0 (gint64, targets->n + 1);
  targets->begin = g_new0 (gint64, targets->n + 2);
  targets->rows = g_new0 (gint64, targets->n + 1);
  targets->classes = g_new0 (gint64, targets->n + 1);
  image_of = g_new0 (gint64, targets->n + 1);
  bytes = sizeof (float) * (gsize) (targets->channels * targets->height * targets->width);
  for (gint64 i = 0; i < targets->n; i++)
    {
      GBytes *image = g_bytes_new_static (targets->inputs->data + (gsize) i * bytes, bytes);
      void *found;

      if (g_hash_table_lookup_extended (known, image, NULL, &found))
        g_bytes_unref (image);
      else
        {
          found = GSIZE_TO_POINTER ((gsize) targets->n_images);
          targets->first[targets->n_images++] = i;
          g_hash_table_insert (known, image, found);
        }
      image_of[i] = (gint64) GPOINTER_TO_SIZE (found);
      targets->begin[image_of[i] + 1]++;
      targets->classes[i] = sonde_tensor_get_int (request->targets, i);
    }
  for (gint64 p = 0; p < targets->n_images; p++)
    targets->begin[p + 1] += targets->begin[p];
  for (gint64 i = 0; i < targets->n; i++)
    targets->rows[targets->begin[image_of[i]]++] = i;
  for (gint64 p = targets->n_images; p > 0; p--)
    targets->begin[p] = targets->begin[p - 1];
  targets->begin[0] = 0;
}

void
sonde_targets_clear (SondeTargets *targets)
{
  g_clear_pointer (&targets->inputs, sonde_tensor_unref);
  g_clear_pointer (&targets->first, g_free);
  g_clear_pointer (&targets->begin, g_free);
  g_clear_pointer (&targets->rows, g_free);
  g_clear_pointer (&targets->classes, g_free);
}

const float *
sonde_targets_get_image (const SondeTargets *targets, gint64 image)
{
  gint64 size = targets->channels * targets->height * targets->width;

  return (const float *) (const void *) targets->inputs->data + targets->first[image] * size;
}

SondeTensor *
sonde_targets_copy_images (const SondeTargets *targets, gint64 from, gint64 n)
{
  SondeShape shape = sonde_shape_make (4, n, targets->channels, targets->height, targets->width);
  SondeTensor *copy = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gsize bytes = sonde_tensor_n_bytes (copy) / (gsize) MAX (n, 1);

  for (gint64 i = 0; i < n; i++)
    memcpy (copy->data + (gsize) i * bytes, sonde_targets_get_image (targets, from + i), bytes);
  return copy;
}
