/* SPDX-License-Identifier: Apache-2.0
 * Results of an explanation session as a GVariant a{sv} with tensors beside it, and back: how they
 * cross to another process and lie in the cache. What comes back is checked: every key, number and
 * shape. */
#pragma once

#include "explain/session/sonde-explain-cache.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

/**
 * SondeExplainCodec: of one kind of object
 * @pack: floating; tensors are appended to @tensors (element-type SondeTensor), which is (nullable)
 *   for a kind without tensors
 * @unpack: (transfer full) (nullable): errors: SONDE_DATA_ERROR_INVALID naming the key
 * @free: (nullable)
 * @large: of tens of thousands of samples unpacking takes longer than a frame
 */
typedef struct
{
  GVariant *(*pack) (gconstpointer object, GPtrArray *tensors);
  gpointer (*unpack) (GVariant *variant, GPtrArray *tensors, GError **error);
  GDestroyNotify free;
  gboolean large;
} SondeExplainCodec;

extern const SondeExplainCodec sonde_explain_settings_codec; /* SondeExplanationSettings */
extern const SondeExplainCodec sonde_explain_info_codec;     /* SondeExplainInfo */
extern const SondeExplainCodec sonde_explain_rows_codec;     /* GPtrArray of SondeSampleResult;
                                                                  probabilities if all have them */
extern const SondeExplainCodec sonde_explain_map_codec;      /* SondeAttributionMap */
extern const SondeExplainCodec sonde_explain_maps_codec;     /* GPtrArray of SondeAttributionMap */
extern const SondeExplainCodec sonde_explain_rating_codec;   /* SondeMapRating */
extern const SondeExplainCodec sonde_explain_image_codec;    /* SondeBoxedImage */
extern const SondeExplainCodec sonde_explain_prediction_codec; /* SondeSampleResult of an image:
                                                                  probabilities and logits */
extern const SondeExplainCodec sonde_explain_triage_codec;     /* SondeTriageResult */
extern const SondeExplainCodec sonde_explain_clusters_codec;   /* GPtrArray of SondeErrorCluster */
extern const SondeExplainCodec sonde_explain_counterfactual_codec; /* SondeCounterfactual */
extern const SondeExplainCodec
    sonde_explain_neighbours_codec;                         /* GPtrArray of SondeNeighbourSample */
extern const SondeExplainCodec sonde_explain_scores_codec;  /* GPtrArray of SondeMetricScore */
extern const SondeExplainCodec sonde_explain_checks_codec;  /* GPtrArray of SondeSelfTestCheck */
extern const SondeExplainCodec sonde_explain_nothing_codec; /* any pointer but NULL */

/* What @cache has under @key. (transfer full) (nullable): nothing, or damaged: computed again. @cache:
 * (nullable): keeps nothing */
gpointer sonde_explain_codec_load (const SondeExplainCodec *codec, SondeExplainCache *cache,
                                   const char *key);
void sonde_explain_codec_store (const SondeExplainCodec *codec, SondeExplainCache *cache,
                                const char *key, gconstpointer object);

/* u8 [height, width, channels]. */
SondeTensor *sonde_explain_image_to_tensor (const SondeImage *image);
SondeImage *sonde_explain_image_from_tensor (SondeTensor *tensor, GError **error);

/* Looks up a key of that type in a{sv}; (transfer full). Errors: INVALID naming key and type. */
GVariant *sonde_explain_lookup (GVariant *variant, const char *key, const char *type,
                                GError **error);
/* Sets INVALID: the value of @key is out of range. Returns: FALSE */
gboolean sonde_explain_refuse (GError **error, const char *key);

G_END_DECLS
