/* SPDX-License-Identifier: Apache-2.0
 * Decoded images <-> tensors. */
#include "data/values/sonde-image.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_SIDE 16384

SondeImage *
sonde_image_new (int width, int height, int channels)
{
  SondeImage *image;

  g_return_val_if_fail (width >= 1 && width <= MAX_SIDE, NULL);
  g_return_val_if_fail (height >= 1 && height <= MAX_SIDE, NULL);
  g_return_val_if_fail (channels == 1 || channels == 3 || channels == 4, NULL);

  image = g_new (SondeImage, 1);
  atomic_init (&image->ref_count, 1);
  image->width = width;
  image->height = height;
  image->channels = channels;
  image->pixels = g_malloc0_n ((gsize) width * (gsize) height, (gsize) channels);
  return image;
}

SondeImage *
sonde_image_copy (const SondeImage *image)
{
  SondeImage *copy;

  if (image == NULL)
    return NULL;
  copy = sonde_image_new (image->width, image->height, image->channels);
  memcpy (copy->pixels, image->pixels,
          (gsize) image->width * (gsize) image->height * (gsize) image->channels);
  return copy;
}

SondeImage *
sonde_image_ref (const SondeImage *image)
{
  SondeImage *counted = (SondeImage *) image;

  if (counted != NULL)
    atomic_fetch_add_explicit (&counted->ref_count, 1, memory_order_relaxed);
  return counted;
}

void
sonde_image_unref (SondeImage *image)
{
  if (image == NULL || atomic_fetch_sub (&image->ref_count, 1) != 1)
    return;
  g_free (image->pixels);
  g_free (image);
}

static guint8
byte_of_unit (float value)
{
  float scaled = value * 255.0f + 0.5f;

  if (!(scaled > 0.0f))
    return 0;
  return scaled >= 255.0f ? 255 : (guint8) scaled;
}

/* [C, H, W] of a tensor that may be [H, W]; FALSE when it is no image. */
static gboolean
image_shape (const SondeTensor *tensor, gint64 sizes[3])
{
  int rank = tensor->shape.rank;

  if (rank != 2 && rank != 3)
    return FALSE;
  sizes[0] = rank == 3 ? tensor->shape.dims[0] : 1;
  sizes[1] = tensor->shape.dims[rank - 2];
  sizes[2] = tensor->shape.dims[rank - 1];
  return (sizes[0] == 1 || sizes[0] == 3 || sizes[0] == 4) && sizes[1] >= 1 && sizes[1] <= MAX_SIDE
         && sizes[2] >= 1 && sizes[2] <= MAX_SIDE;
}

SondeImage *
sonde_image_from_tensor (SondeTensor *tensor)
{
  gboolean bytes = tensor->dtype == SONDE_DTYPE_U8;
  g_autoptr (SondeTensor) flat = NULL;
  gint64 sizes[3];
  gsize plane;
  SondeImage *image;

  if (!image_shape (tensor, sizes) || (!bytes && !sonde_dtype_is_float (tensor->dtype)))
    return NULL;

  flat = sonde_tensor_cast (tensor, bytes ? SONDE_DTYPE_U8 : SONDE_DTYPE_F32);
  image = sonde_image_new ((int) sizes[2], (int) sizes[1], (int) sizes[0]);
  plane = (gsize) (sizes[1] * sizes[2]);
  for (gsize c = 0; c < (gsize) sizes[0]; c++)
    {
      const float *floats = (const void *) flat->data;
      guint8 *to = image->pixels + c;

      for (gsize i = 0; i < plane; i++, to += sizes[0])
        *to = bytes ? flat->data[c * plane + i] : byte_of_unit (floats[c * plane + i]);
    }
  return image;
}

SondeTensor *
sonde_image_to_tensor (const SondeImage *image)
{
  SondeShape shape = sonde_shape_make (3, image->channels, image->height, image->width);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gsize plane = (gsize) image->width * (gsize) image->height;
  float *to = (void *) tensor->data;

  for (int c = 0; c < image->channels; c++)
    {
      const guint8 *from = image->pixels + c;

      for (gsize i = 0; i < plane; i++, from += image->channels)
        *to++ = (float) *from / 255.0f;
    }
  return tensor;
}
