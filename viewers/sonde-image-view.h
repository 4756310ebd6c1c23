/* SPDX-License-Identifier: Apache-2.0
 * One image, its pixels as squares when enlarged; the pixel's value under the pointer. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_IMAGE_VIEW (sonde_image_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeImageView, sonde_image_view, SONDE, IMAGE_VIEW, SondeView)

/* @image: (nullable) (transfer full) */
void sonde_image_view_set_image (SondeImageView *view, SondeImage *image);
/* What assistive tools hear beside the size: "7, predicted 9". (nullable) */
void sonde_image_view_set_note (SondeImageView *view, const char *note);

G_END_DECLS
