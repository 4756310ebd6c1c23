/* SPDX-License-Identifier: Apache-2.0
 * Settings of hierarchical occlusion as text, sizes chosen from the image, and the mask. */
#pragma once

#include "explain/counterfactual/sonde-hierarchical-occlusion.h"

G_BEGIN_DECLS

#define SONDE_OCCLUSION_MAX_THRESHOLDS 16

/**
 * SondeOcclusionThreshold:
 * @relative: @value is a share of the image's own score ("0.9p"); @automatic: 0.5, or 0.9 of the
 *   score when that is not above 0.5
 */
typedef struct
{
  double value;
  gboolean relative, automatic;
} SondeOcclusionThreshold;

/**
 * SondeOcclusionSpec:
 * "by=unmasking|masking|flip:threshold=0.5,0.9p|auto:windows=32,16,8|auto|small:strides=6,3,2:
 * mask=auto|gaussian:N|V|R,G,B:score=probability|margin:prune=yes|no". A colon begins a new key
 * only where a word and "=" follow. "auto" by itself is by=unmasking:threshold=auto:prune=yes.
 * @windows, @strides: as given; n_windows 0: chosen for the image
 */
typedef struct
{
  SondeOcclusionGoal goal;
  SondeNetworkScoreKind score;
  guint n_thresholds, n_windows, n_strides;
  SondeOcclusionThreshold thresholds[SONDE_OCCLUSION_MAX_THRESHOLDS];
  int windows[SONDE_OCCLUSION_MAX_LAYERS], strides[SONDE_OCCLUSION_MAX_LAYERS];
  gboolean small_windows, prune;
  char *mask;
} SondeOcclusionSpec;

/* @text: (nullable): NULL and "" are the defaults. Errors: SONDE_DATA_ERROR_INVALID naming the key
 * and what it takes. */
SondeOcclusionSpec *sonde_occlusion_spec_parse (const char *text, GError **error);
void sonde_occlusion_spec_free (SondeOcclusionSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeOcclusionSpec, sonde_occlusion_spec_free)

/**
 * sonde_occlusion_choose_windows:
 * @side: short side, pixels
 * @small: the rule for small images even where the usual one has windows
 *
 * From 56 pixels on: half the side, halved while ≥ 28, at most three, strides a fifth. Below:
 * halved while ≥ 4 (3 at 28 pixels), strides a fifth, at least 1. Returns: number of layers; 0
 * where no window fits.
 */
guint sonde_occlusion_choose_windows (int side, gboolean small, int *windows, int *strides);

/**
 * sonde_occlusion_spec_resolve:
 * @image: float32 [C, H, W]
 * @original: the image's own score, for relative and automatic thresholds
 * @thresholds: (out caller-allocates) (array length=SONDE_OCCLUSION_MAX_THRESHOLDS): @settings
 * points there
 */
gboolean sonde_occlusion_spec_resolve (const SondeOcclusionSpec *spec, SondeTensor *image,
                                       double original, double *thresholds,
                                       SondeOcclusionSettings *settings, GError **error);

/**
 * sonde_occlusion_mask_new:
 * @text: "auto", "gaussian:SIGMA", one number for every channel, or one a channel: "R,G,B", in
 * network space
 * @image: float32 [C, H, W]
 * @name: (out) (optional) (transfer full): what "auto" came to: "gaussian:9"
 *
 * auto is gaussian with σ = round (short side / 25), half to even; below 56 pixels max (1, short
 * side / 16).
 * Returns: (transfer full): float32 [C, H, W]
 */
SondeTensor *sonde_occlusion_mask_new (const char *text, SondeTensor *image, char **name,
                                       GError **error);

/* Separable Gaussian blur of [C, H, W]: half-width ⌊4σ + ½⌋, edges clamped, float32 between the two
 * passes (rows of a column first). @sigma > 0, pixels. Returns: (transfer full) */
SondeTensor *sonde_occlusion_blur (SondeTensor *image, double sigma);

G_END_DECLS
