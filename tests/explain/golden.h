/* SPDX-License-Identifier: Apache-2.0
 * Maps made by the original libraries, and ours beside them. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"

G_BEGIN_DECLS

/**
 * Golden: twelve images with two targets each
 * @spec: with %s for the folder of random numbers
 * @relative: largest difference allowed, of the map's maximum; @absolute: what is allowed of any
 * map
 * @any_sign: the method leaves it open
 * @images: how many of them; 0: all
 */
typedef struct
{
  const char *file, *spec;
  double relative, absolute;
  gboolean any_sign;
  gint64 images;
} Golden;

/* NULL when the shared files are not there: the test is skipped. */
SondeExplainer *golden_open (void);
/* Maps of @images images, for both targets of each; asserts. */
void golden_compute (SondeExplainer *explainer, const char *spec, gint64 images,
                     SondeAttributionResult *result);
void golden_check (SondeExplainer *explainer, const Golden *golden);
/* A file of the golden folder. (transfer full) */
SondeTensor *golden_read (const char *name);

/* Net B of the definitions: a convolution 1 -> 2 with 3×3 ones and bias (−50, −75), ReLU, a dense
 * row (1, 1, 1, 1, 1, −1, −1, −1), ReLU. Values "conv" and "relu". (transfer full) */
SondeExplainer *golden_new_net_b (void);
/* Two classes of images 1×@height×@width: z = w · x + a and its opposite. @weights: [height ×
 * width] (transfer full) */
SondeExplainer *golden_new_linear (gint64 height, gint64 width, const double *weights,
                                   double offset);
/* 0 … 15 as one image of 4×4, @n times. */
SondeTensor *golden_new_ramp (gint64 n);
/* @targets: (nullable): all 0 */
void golden_run (SondeExplainer *explainer, SondeTensor *inputs, const gint64 *targets,
                 const char *spec, SondeAttributionResult *result);
/* Map @row against @expected. */
void golden_assert_map (const SondeAttributionResult *result, gint64 row, const double *expected,
                        gint64 n, double tolerance);

G_END_DECLS
