/* SPDX-License-Identifier: Apache-2.0
 * What is done to each sample between its source and its batch, in the order named. Random ones act
 * in training only, and their numbers are a function of (seed, epoch, sample): no order, no thread
 * changes them. */
#pragma once

#include "data/values/sonde-shape.h"

G_BEGIN_DECLS

typedef struct _SondeTransforms SondeTransforms;

/**
 * SondeTransformsPlace: what a transform may know of the samples, updated by each
 * @channels, @height, @width: of the sample; float32, planes one behind the other
 * @mean, @std: how its numbers were made of those in [0, 1], for whoever undoes it
 * @black: what is put beside an image, per channel: black as the source has normalised it, or 0
 *   behind a normalise of the list
 */
typedef struct
{
  int channels, height, width;
  float mean[4], std[4], black[4];
} SondeTransformsPlace;

/**
 * sonde_transforms_new:
 * @texts: (array zero-terminated=1): "resize:SIZE" (to cover SIZE × SIZE, cut around the middle),
 *   "grey", "rgb", "crop:SIZE[:LEFT,TOP]" (from the upper left), "centre-crop:SIZE",
 *   "random-crop:PAD[:SIZE][:reflect]" (PAD pixels of black, or of the mirrored image, on each
 *   side; then SIZE × SIZE, or as large as before, from anywhere; when testing from the middle),
 *   "random-flip[:PROBABILITY]" (left to right, 0.5),
 *   "normalise:MEAN[,MEAN…]:DEVIATION[,DEVIATION…]" (one number a channel, or one for all)
 * @place: of the source's samples; (inout): of what comes out
 *
 * Errors: INVALID, naming the transform and what is wrong with it.
 */
SondeTransforms *sonde_transforms_new (const char *const *texts, SondeTransformsPlace *place,
                                       GError **error);
void sonde_transforms_free (SondeTransforms *transforms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTransforms, sonde_transforms_free)

/* Bytes of working memory that sonde_transforms_apply() needs. */
gsize sonde_transforms_get_room (const SondeTransforms *transforms);
/* Whether what comes out when testing shows the same image, whatever its numbers. */
gboolean sonde_transforms_keep_image (const SondeTransforms *transforms);
/* Whether any of them draws random numbers. */
gboolean sonde_transforms_are_random (const SondeTransforms *transforms);

/**
 * SondeDraw: where random numbers come from; NULL in its place: testing
 */
typedef struct
{
  guint64 seed, epoch, sample;
} SondeDraw;

/**
 * sonde_transforms_apply:
 * @from: a sample of the source; @into: one of what comes out; they do not overlap
 * @room: of the size that sonde_transforms_get_room() says, aligned for floats
 * Any thread. Allocates nothing.
 */
void sonde_transforms_apply (const SondeTransforms *transforms, const SondeDraw *draw,
                             const float *from, float *into, void *room);

/* The texts as given, joined by "; ". Returns: (transfer full) */
char *sonde_transforms_describe (const SondeTransforms *transforms);

G_END_DECLS
