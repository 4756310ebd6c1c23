/* SPDX-License-Identifier: Apache-2.0
 * One saliency map: what the methods compute, the cache keeps, files hold and the pages show. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeMapRating: whether a map can be trusted; NaN where a number is unknown
 * @faithfulness: area under the insertion curve less area under the deletion curve in the order of
 *   the map, 32 steps, in [−1, 1]; @faithfulness_random: the mean of two random orders. A map that
 *   is not above it says nothing about the model
 * @randomisation: Spearman rank correlation of the magnitudes with the maps of networks with
 *   permuted layers, mean over the last half of a cascade of at most eight: above 0.3 the map
 *   hardly depends on what was learnt
 * @agreement: mean Spearman rank correlation of the magnitudes with the maps of three other methods
 *   (the first three of input-x-gradient, gradcam, occlusion, saliency that are not the map's own)
 * @gap: completeness gap: Σ map − (score − score of the baseline), of methods that promise 0
 */
typedef struct
{
  double faithfulness, faithfulness_random, randomisation, agreement, gap;
} SondeMapRating;

/**
 * SondeAttributionMap: one map, computed or recorded; owned
 * @sample: number in the dataset
 * @spec: SPEC as given, or only the method's label; @title: (nullable): of the method
 * @parameters: (nullable): of recorded maps, as they were written
 * @target: class that is explained, -1 unknown; of a method that takes pairs its score less that of
 *   @other (-1: none)
 * @target_is: (nullable): of recorded maps: why this class: "predicted", "true", "class", "contrast"
 * @target_name: (nullable): of recorded maps: the class, where it is known by name only
 * @map: float32 [H, W], signed; (nullable): NULL: it lies in the file @path
 * @path: (nullable): below the folder of the explanation, or of the run
 * @channels: (nullable): float32 [C, H, W] before the channels were reduced to @map; only where they
 *   were asked for and the method has them
 * @score: logit or probability of the target, as the method explains it; NaN unknown
 * @note: (nullable): sentences on the limits of the map, or that it is constant
 * @rating: NaN until it is computed, except for the gap
 */
typedef struct
{
  guint sample;
  char *spec, *title, *parameters;
  gint64 target, other;
  char *target_is, *target_name;
  SondeTensor *map, *channels;
  char *path;
  double score;
  SondeMessage *note;
  SondeMapRating rating;
} SondeAttributionMap;

/* Without map and score. (transfer full) */
SondeAttributionMap *sonde_attribution_map_new (guint sample, const char *spec, gint64 target);
/* Texts copied, tensors referenced. (transfer full) */
SondeAttributionMap *sonde_attribution_map_copy (const SondeAttributionMap *map);
void sonde_attribution_map_free (SondeAttributionMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeAttributionMap, sonde_attribution_map_free)

G_END_DECLS
