/* SPDX-License-Identifier: Apache-2.0
 * Two images compared, seen at one zoom: beside each other, over each other with a divider that is dragged or moved
 * by the arrow keys, or as a map of their difference. */
#pragma once

#include "viewers/paint/media/sonde-image-pair.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_IMAGE_PAIR_VIEW (sonde_image_pair_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeImagePairView, sonde_image_pair_view, SONDE, IMAGE_PAIR_VIEW, SondeView)

GtkWidget *sonde_image_pair_view_new (void);

/* What each does is told by sonde-image-pair.h. */
void sonde_image_pair_view_set_images (SondeImagePairView *view, const SondeImage *first,
                                       const SondeImage *second);
void sonde_image_pair_view_set_names (SondeImagePairView *view, const char *first,
                                      const char *second);
void sonde_image_pair_view_set_levels (SondeImagePairView *view, double brightness,
                                       double contrast);
void sonde_image_pair_view_set_mode (SondeImagePairView *view, SondeImagePairMode mode);

/* 0: all of the second image … 1: all of the first; 0.5 at first. */
void sonde_image_pair_view_set_divider (SondeImagePairView *view, double divider);
double sonde_image_pair_view_get_divider (SondeImagePairView *view);

/* As sonde_image_pair_describe(). (transfer full) */
char *sonde_image_pair_view_describe_numbers (SondeImagePairView *view);
/* Px that it needs above the images, and below them where there is a map: a tile adds them to its image's height. */
int sonde_image_pair_view_get_extra_height (SondeImagePairMode mode);

G_END_DECLS
