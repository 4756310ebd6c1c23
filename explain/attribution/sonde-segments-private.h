/* SPDX-License-Identifier: Apache-2.0
 * What methods on segments share: the segments, and the scores of subsets of them. */
#pragma once

#include "explain/attribution/sonde-perturbation.h"
#include "explain/attribution/sonde-segments.h"

G_BEGIN_DECLS

/* One row a parameter. */
/* clang-format off */
#define SONDE_SEGMENT_PARAMETERS \
  { "grid", NULL, SONDE_PARAMETER_SIZE, 1, 1 << 12, NULL, \
    "ROWSxCOLUMNS of segments; else squares of 4 pixels, for sides from 96 up slic" }, \
    { "segments", NULL, SONDE_PARAMETER_TEXT, 0, 0, "slic", \
      "slic: segments that follow the image's edges; or whole numbers [H, W] in a .npy " \
      "file: each pixel's segment" }, \
    { "n", "196", SONDE_PARAMETER_COUNT, 2, 1 << 16, NULL, "segments of slic, about" }, \
    { "compactness", "10", SONDE_PARAMETER_NUMBER, 1e-6, 1e6, NULL, \
      "of slic: larger is squarer" }, \
    { "baseline", "0", SONDE_PARAMETER_IMAGE, -1e30, 1e30, SONDE_BASELINE_WORDS "|segment", \
      "what stands where a segment is taken away, in network space: one number, one a channel, " \
      "of the image's channels the mean, least or largest value, noise between these, the " \
      "image blurred, the segment's mean, or a .npy file" }
/* clang-format on */

/**
 * SondeDesign: which subsets are looked at
 * @rows: subsets; @whole and @none are two of them, @none -1 where it is not needed
 * @subset: fills @present [m] with 0 or 1
 * @solve: values of all subsets [rows] -> @map [m]. Returns: the completeness gap, NaN where none
 * is promised
 */
typedef struct
{
  gint64 rows, whole, none;
  void (*subset) (gpointer data, gint64 row, guint8 *present);
  double (*solve) (gpointer data, const double *values, double *map);
  gpointer data;
} SondeDesign;

/**
 * SondeSegments: of one request
 * @m: segments
 * @stride: pixels from the segments of an image to those of the next; 0: all have the same
 * @of: (array): segment of a pixel, -1 none [H, W], or [images, H, W]
 */
typedef struct
{
  const SondeAttributionRequest *request;
  SondeTargets targets;
  gint64 m, stride;
  gint32 *of;
} SondeSegments;

/* Errors: INVALID when there are no segments, or more than pixels; of reading. */
gboolean sonde_segments_init (SondeSegments *segments, const SondeAttributionRequest *request,
                              GError **error);
void sonde_segments_clear (SondeSegments *segments);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeSegments, sonde_segments_clear)

/* Scores of all subsets of every image, and the maps made of them. @result: may have a note
 * already */
gboolean sonde_segments_run (SondeSegments *segments, SondeExplainer *explainer,
                             const SondeDesign *design, SondeAttributionResult *result,
                             GError **error);

G_END_DECLS
