/* SPDX-License-Identifier: Apache-2.0
 * A decoded image: 8-bit, interleaved, reference counted. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeImage:
 * @channels: 1 grey, 3 RGB, 4 RGBA (straight alpha)
 * @pixels: height × width × channels bytes, rows without padding; owned. Whoever makes an image
 *   fills them; they do not change once the image has a second reference.
 */
typedef struct
{
  _Atomic guint ref_count;
  int width, height, channels;
  guint8 *pixels;
} SondeImage;

/* Zeroed. @width, @height in 1..16384. Returns: (transfer full) */
SondeImage *sonde_image_new (int width, int height, int channels);
/* References are counted atomically: any thread. NULL stays NULL. The result is for reading and for
 * sonde_image_unref(). */
SondeImage *sonde_image_ref (const SondeImage *image);
void sonde_image_unref (SondeImage *image); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeImage, sonde_image_unref)
/* Pixels of its own, to be changed. NULL stays NULL. (transfer full) */
SondeImage *sonde_image_copy (const SondeImage *image);

/* Each pixel is the mean of @factor × @factor; what is left at the right and below too. Returns:
 * (transfer full) */
SondeImage *sonde_image_new_shrunk (const SondeImage *image, int factor);

/* @brightness: −1…1, added to a channel of 0…1; @contrast: ≥ 0, factor of its distance from the
 * middle. Returns: (transfer full) */
SondeImage *sonde_image_new_adjusted (const SondeImage *image, double brightness, double contrast);

/**
 * sonde_image_from_tensor:
 * @tensor: [C, H, W] or [H, W], C 1, 3 or 4; float dtypes: [0, 1] is mapped to 0..255 and clamped
 *   (NaN is 0); u8 is taken as it is
 * Returns: (transfer full) (nullable): NULL when the shape fits no image
 */
SondeImage *sonde_image_from_tensor (SondeTensor *tensor);

/* [C, H, W] float32 in [0, 1]. Returns: (transfer full) */
SondeTensor *sonde_image_to_tensor (const SondeImage *image);

G_END_DECLS
