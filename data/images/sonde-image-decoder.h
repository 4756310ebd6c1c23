/* SPDX-License-Identifier: Apache-2.0
 * Encoded images (PNG, JPEG, GIF) -> SondeImage, in a limited helper process that lives as long as the
 * decoder: no decoder of an image ever runs in the program that holds the user's data. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/values/sonde-animation.h"

G_BEGIN_DECLS

typedef struct _SondeImageDecoder SondeImageDecoder;

/**
 * sonde_image_decoder_new:
 * @arguments: (array zero-terminated=1): of the helper, as {"/usr/bin/sonde", "image-helper",
 *   NULL}; its stdin and stdout become the socket
 *
 * The helper is started by the first image, and again after it died. Errors: none here.
 */
SondeImageDecoder *sonde_image_decoder_new (const char *const *arguments);
void sonde_image_decoder_free (SondeImageDecoder *decoder); /* ends the helper */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeImageDecoder, sonde_image_decoder_free)

/**
 * sonde_image_decoder_decode:
 * @encoded: PNG, JPEG or GIF bytes, of an animation its first frame; @name: for messages
 * Any thread (one image at a time).
 * Returns: (transfer full). Errors: DAMAGED, LIMIT (16384 px a side, 64 Mpx), UNSUPPORTED format,
 * IO when the helper cannot be started; a helper that dies costs only this image.
 */
SondeImage *sonde_image_decoder_decode (SondeImageDecoder *decoder, GBytes *encoded,
                                        const char *name, GError **error);

/* The frames of a GIF: the first 2,000 at most, and of 16 Mpx together, but always one; other images have
 * one frame. All else as above. */
SondeAnimation *sonde_image_decoder_decode_animation (SondeImageDecoder *decoder, GBytes *encoded,
                                                      const char *name, GError **error);

/* The helper's main loop on socket @fd until its end; sets its own limits first. Returns the exit
 * status. In the library images_helper only, which alone links gdk-pixbuf. */
int sonde_image_helper_run (int fd);

G_END_DECLS
