/* SPDX-License-Identifier: Apache-2.0
 * Sampling at computed places, for GridSample and its gradient. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

#define SONDE_SAMPLE_DIMS 3
#define SONDE_SAMPLE_TAPS 4 /* of one dimension, at most */

typedef enum
{
  SONDE_PADDING_ZEROS,
  SONDE_PADDING_BORDER,
  SONDE_PADDING_REFLECTION,
} SondePadding;

/* Spatial sizes outermost first. */
typedef struct
{
  int n, taps; /* dimensions; taps of each */
  gint64 in[SONDE_SAMPLE_DIMS];
  gint64 batch, channels, x_plane, points;
  gboolean align;
  SondePadding padding;
  SondeDtype grid_dtype;
} SondeSampling;

extern const SondeAttributeRule sonde_grid_sample_rules[], sonde_affine_grid_rules[];

void sonde_sampling_init (SondeSampling *sampling, const SondeNode *node, const SondeTensor *x,
                          const SondeTensor *grid);

/* The taps of coordinate @normal in dimension @d. A place of -1 is outside, its weight 0.
 * @slopes: (nullable): of the weights with respect to @normal. All have room for
 * SONDE_SAMPLE_TAPS */
void sonde_sampling_place (const SondeSampling *sampling, int d, double normal, gint64 *places,
                           double *weights, double *slopes);

/* The middle of element @i of @size on a line from -1 to 1; with @align the first and last lie on
 * its ends. */
double sonde_grid_position (gint64 i, gint64 size, gboolean align);

/* Shape rules of the forward operators. */
gboolean sonde_sampling_infer (SondeInferContext *context, GError **error);
gboolean sonde_affine_grid_infer (SondeInferContext *context, GError **error);

G_END_DECLS
