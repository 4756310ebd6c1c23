/* SPDX-License-Identifier: Apache-2.0
 * Two images to be compared: beside each other, one over the other up to a divider, or their difference as a
 * map with its scale. */
#pragma once

#include "data/values/sonde-image-difference.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_IMAGE_PAIR_BESIDE,
  SONDE_IMAGE_PAIR_DIVIDER,    /* the first left of the divider, the second right of it */
  SONDE_IMAGE_PAIR_DIFFERENCE, /* second − first, blue below zero, red above */
  SONDE_IMAGE_PAIR_MAGNITUDE,  /* |second − first| */
  SONDE_N_IMAGE_PAIR_MODES
} SondeImagePairMode;

typedef struct _SondeImagePair SondeImagePair;

SondeImagePair *sonde_image_pair_new (void);
void sonde_image_pair_free (SondeImagePair *pair); /* (nullable) */

/* @first, @second: (nullable): referenced. The world is the second one's pixels, else the first one's; a first one
 * of another size is drawn as large as the second. */
void sonde_image_pair_set_images (SondeImagePair *pair, const SondeImage *first,
                                  const SondeImage *second);
/* Which images they are: "run a · step 3". (nullable) */
void sonde_image_pair_set_names (SondeImagePair *pair, const char *first, const char *second);
/* How they are shown, as of sonde_image_new_adjusted(); differences are of the images themselves. */
void sonde_image_pair_set_levels (SondeImagePair *pair, double brightness, double contrast);

const SondeImage *sonde_image_pair_get_image (SondeImagePair *pair, guint index); /* (nullable) */
const char *sonde_image_pair_get_name (SondeImagePair *pair, guint index);
/* (nullable): one of them is missing, or they are not of one size */
const SondeImageDifference *sonde_image_pair_get_difference (SondeImagePair *pair);
/* Pixels of the world; FALSE without an image. */
gboolean sonde_image_pair_get_size (SondeImagePair *pair, int *width, int *height);
/* The numbers of the comparison in a line, or why there are none. (transfer full) */
char *sonde_image_pair_describe (SondeImagePair *pair);

/* Where the world is shown: @pane 0 or 1, which differ when they stand beside each other. */
void sonde_image_pair_get_pane (SondeImagePairMode mode, int width, int height, guint pane,
                                cairo_rectangle_t *area);
/* The part of the pane that the image covers, in which the divider moves from 0 to 1. */
void sonde_image_pair_get_sight (SondeImagePair *pair, const cairo_rectangle_t *pane,
                                 const cairo_rectangle_t *world, cairo_rectangle_t *sight);

/* @world: what a pane shows of the world (x, y, width, height in its pixels); @divider: 0…1 */
void sonde_paint_image_pair (cairo_t *cr, const SondeTheme *theme, SondeImagePair *pair,
                             SondeImagePairMode mode, const cairo_rectangle_t *world,
                             double divider, int width, int height);

G_END_DECLS
