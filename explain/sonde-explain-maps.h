/* SPDX-License-Identifier: Apache-2.0
 * From predictions to maps: which classes are explained, batches of samples, maps handed out one by
 * one. The command, the session of the Explain page and the triage all go through here, so that one
 * sample has one map. What does not live here: the methods (attribution/), the cache (session/). */
#pragma once

#include "data/explanations/sonde-attribution-map.h"
#include "explain/sonde-explain-run.h"

G_BEGIN_DECLS

/**
 * sonde_explain_choose_other:
 * @probabilities: (array length=n_classes)
 * @label: true class, -1 unknown
 *
 * The class that a method of pairs subtracts from @target: the true class; where that is unknown or
 * @target itself, the most probable of the others, the first of equals. A correct prediction is
 * thus explained against its runner-up, an error against the truth. -1: there is no other class.
 */
gint64 sonde_explain_choose_other (const float *probabilities, guint n_classes, gint64 target,
                                   gint64 label);

/* A map without its numbers. @text: SPEC as given. (transfer full) */
SondeAttributionMap *sonde_explain_new_map (guint sample, const char *text,
                                            const SondeAttributionSpec *spec, gint64 target);

/**
 * sonde_explain_fill_maps:
 * @inputs: float32 [n, C, H, W]: the samples of @maps as the network takes them
 * @maps: (element-type SondeAttributionMap): with sample, target and other; gets the rest
 * @channels: keep maps before their channels are reduced, too
 * @progress: (nullable)
 *
 * One call of the method for all maps. Errors: of the method.
 */
gboolean sonde_explain_fill_maps (SondeExplainer *explainer, SondeTensor *inputs, GPtrArray *maps,
                                  const SondeAttributionSpec *spec, guint64 seed, gboolean channels,
                                  SondeExplainProgress progress, gpointer data, GError **error);

/* @map: lent: with the method's label as spec, its parameters, and why its target was chosen (of
 * methods that take pairs "contrast": predicted less true, see sonde_explain_choose_other()); @sample:
 * what it is of. Return FALSE with @error set to stop. */
typedef gboolean (*SondeExplainSink) (const SondeAttributionMap *map,
                                      const SondeSampleResult *sample, gpointer data,
                                      GError **error);

/**
 * SondeMapStore: maps that were computed before
 * @load: fills a map that has sample, target and other; FALSE: it is not there
 * @store: keeps a computed map
 */
typedef struct
{
  gboolean (*load) (SondeAttributionMap *map, const SondeAttributionSpec *spec, gpointer data);
  void (*store) (const SondeAttributionMap *map, const SondeAttributionSpec *spec, gpointer data);
  gpointer data;
} SondeMapStore;

/**
 * SondeExplainRequest:
 * @target_is: "predicted" or "true" (samples without label are left out), or "class" with @target;
 *   methods that take pairs explain the predicted class whatever it is
 * @seed: of random numbers
 * @channels: see sonde_explain_fill_maps(); they are computed even for maps that @store has
 * @store: (nullable)
 */
typedef struct
{
  const SondeAttributionSpec *spec;
  const char *target_is;
  gint64 target;
  guint64 seed;
  gboolean channels;
  const SondeMapStore *store;
} SondeExplainRequest;

/* Maps of @chosen (element-type SondeSampleResult), in their order, a batch at a time. Errors:
 * INVALID when the dataset's images do not fit the model; of reading; of the method; of @sink. */
gboolean sonde_explain_maps (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *chosen,
                             const SondeExplainRequest *request, SondeExplainSink sink,
                             gpointer data, GError **error);

/* The map of sample @i of a result as float32 [H, W]: channels aggregated, of segments each pixel
 * the value of its segment; @channels: (out) (optional) (nullable) (transfer full): [C, H, W] where
 * the method has them. (transfer full) */
SondeTensor *sonde_explain_take_map (const SondeAttributionResult *result,
                                     const SondeAttributionSpec *spec, gint64 i,
                                     SondeTensor **channels);

/* Writes a map as a SALIENCY record (tag "saliency") with its image, truth mask and note; @step
 * tells maps of one run apart: the sample's position among those explained. */
gboolean sonde_explain_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                               const SondeAttributionMap *map, const SondeSampleResult *sample,
                               gint64 step, GError **error);

G_END_DECLS
