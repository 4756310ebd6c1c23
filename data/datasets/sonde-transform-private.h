/* SPDX-License-Identifier: Apache-2.0
 * One transform: how its text is read, what it makes of a shape, what it does to a sample. */
#pragma once

#include "data/datasets/sonde-transforms.h"

typedef struct _SondeTransform SondeTransform;

/**
 * SondeTransformClass: all required
 * @parse: what stands behind the colon, "" when nothing does; FALSE: not understood
 * @plan: from the place before to the place behind; errors: INVALID, why not
 * @apply: @seed: of this transform in this place of the list
 */
typedef struct
{
  const char *name;
  const char *usage;
  gboolean random;
  gboolean (*parse) (SondeTransform *transform, const char *argument);
  gboolean (*plan) (SondeTransform *transform, SondeTransformsPlace *place, GError **error);
  void (*apply) (const SondeTransform *transform, const SondeDraw *draw, const float *from,
                 float *into);
} SondeTransformClass;

/**
 * SondeTransform:
 * @stream: of its random numbers: from its name and its place in the list
 * @before, @after: what it takes and gives
 * @weights, @starts: of resize: (array n_taps a new pixel) shares of old pixels, and the first of
 *   them; rows first, then columns; owned
 */
struct _SondeTransform
{
  const SondeTransformClass *klass;
  guint64 stream;
  SondeTransformsPlace before, after;
  int size, pad, left, top;
  gboolean reflect;
  double probability;
  int n_numbers;
  float mean[4], std[4];
  int n_taps;
  float *weights;
  int *starts;
};

extern const SondeTransformClass sonde_transform_resize;
extern const SondeTransformClass sonde_transform_grey;
extern const SondeTransformClass sonde_transform_rgb;
extern const SondeTransformClass sonde_transform_crop;
extern const SondeTransformClass sonde_transform_centre_crop;
extern const SondeTransformClass sonde_transform_random_crop;
extern const SondeTransformClass sonde_transform_random_flip;
extern const SondeTransformClass sonde_transform_normalise;

#define SONDE_TRANSFORM_MAX_SIZE 16384

/* Reads @text as a transform, without a plan. NULL with error INVALID that lists those there
 * are. */
gboolean sonde_transform_parse (SondeTransform *transform, const char *text, GError **error);
