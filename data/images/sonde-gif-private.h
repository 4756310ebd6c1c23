/* SPDX-License-Identifier: Apache-2.0
 * GIF files on the helper's side: their blocks are counted here, their pixels are gdk-pixbuf's
 * work. */
#pragma once

#include "data/helper/sonde-helper-loop.h"

G_BEGIN_DECLS

/**
 * SondeGif: what the blocks of a file say
 * @width, @height: px of every frame that is shown
 * @n_frames: that fit the limits, ≥ 1
 * @n_recorded: that are whole in the file; ≥ @n_frames
 * @head: bytes before the first block
 * @length: bytes up to the end of the last of @n_frames
 */
typedef struct
{
  int width, height;
  guint n_frames, n_recorded;
  gsize head, length;
} SondeGif;

/* @max_frames: ≥ 1. Errors: DAMAGED: no frame, or cut off within one; LIMIT. */
gboolean sonde_gif_measure (const guint8 *data, gsize length, guint max_frames, SondeGif *gif,
                            GError **error);

/* Loads the codec, while files can still be opened. */
void sonde_gif_load_codec (void);

/* Fills facts and payload as a request for an animation, or (@animation FALSE) for one image. Errors:
 * DAMAGED, LIMIT, UNSUPPORTED: no codec is installed. */
gboolean sonde_gif_decode (const guint8 *data, gsize length, gboolean animation,
                           SondeHelperResult *result, GError **error);

G_END_DECLS
