/* SPDX-License-Identifier: Apache-2.0
 * Limits of images and what a request to the helper asks for, for both sides; docs/limits.md. */
#pragma once

#include <glib.h>

#define SONDE_IMAGE_MAX_SIDE 16384
#define SONDE_IMAGE_MAX_PIXELS ((gint64) 64 << 20)
#define SONDE_IMAGE_MAX_BYTES ((guint64) 256 << 20)    /* encoded, and decoded */
#define SONDE_ANIMATION_MAX_FRAMES 2000                /* of a longer one the first are decoded */
#define SONDE_ANIMATION_MAX_PIXELS ((gint64) 16 << 20) /* of all frames, but of the first */

/* The kind of a request. A whole animation is answered with its width, height, frames and how many
 * frames the file has; the payload is each frame's RGBA, then a guint32 a frame: ms. All others are
 * answered with width, height and channels of one image. */
enum
{
  SONDE_IMAGE_REQUEST_JPEG,
  SONDE_IMAGE_REQUEST_PNG,
  SONDE_IMAGE_REQUEST_GIF, /* its first frame */
  SONDE_IMAGE_REQUEST_ANIMATION,
};
