/* SPDX-License-Identifier: Apache-2.0
 * What a session says as a GVariant a{sv} and tensors beside it, and back: how it crosses to another
 * process and lies in the cache. What comes back is checked: every key, number and shape. */
#pragma once

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

/* Variants are floating; tensors are appended to @tensors (element-type SondeTensor). On the way
 * back: (transfer full), NULL with SONDE_DATA_ERROR_INVALID naming the key. */
GVariant *sonde_explain_settings_to_variant (const SondeExplanationSettings *settings);
SondeExplanationSettings *sonde_explain_settings_from_variant (GVariant *variant, GError **error);
GVariant *sonde_explain_info_to_variant (const SondeExplainInfo *info);
SondeExplainInfo *sonde_explain_info_from_variant (GVariant *variant, GError **error);

/* (element-type SondeSampleResult). Probabilities go along when all rows have them. */
GVariant *sonde_explain_rows_to_variant (GPtrArray *rows, GPtrArray *tensors);
GPtrArray *sonde_explain_rows_from_variant (GVariant *variant, GPtrArray *tensors, GError **error);

GVariant *sonde_explain_maps_to_variant (GPtrArray *maps, GPtrArray *tensors);
GPtrArray *sonde_explain_maps_from_variant (GVariant *variant, GPtrArray *tensors, GError **error);

GVariant *sonde_explain_rating_to_variant (const SondeMapRating *rating);
gboolean sonde_explain_rating_from_variant (GVariant *variant, SondeMapRating *rating,
                                            GError **error);

GVariant *sonde_explain_triage_to_variant (const SondeTriageResult *triage, GPtrArray *tensors);
SondeTriageResult *sonde_explain_triage_from_variant (GVariant *variant, GPtrArray *tensors,
                                                      GError **error);

/* (element-type SondeErrorCluster) */
GVariant *sonde_explain_clusters_to_variant (GPtrArray *clusters, GPtrArray *tensors);
GPtrArray *sonde_explain_clusters_from_variant (GVariant *variant, GPtrArray *tensors,
                                                GError **error);

GVariant *sonde_explain_counterfactual_to_variant (const SondeCounterfactual *boxes);
SondeCounterfactual *sonde_explain_counterfactual_from_variant (GVariant *variant, GError **error);

GVariant *sonde_explain_neighbours_to_variant (GPtrArray *neighbours, GPtrArray *tensors);
GPtrArray *sonde_explain_neighbours_from_variant (GVariant *variant, GPtrArray *tensors,
                                                  GError **error);

GVariant *sonde_explain_prediction_to_variant (const SondeImagePrediction *prediction,
                                               GPtrArray *tensors);
SondeImagePrediction *sonde_explain_prediction_from_variant (GVariant *variant, GPtrArray *tensors,
                                                             GError **error);

GVariant *sonde_explain_scores_to_variant (GPtrArray *scores);
GPtrArray *sonde_explain_scores_from_variant (GVariant *variant, GError **error);
GVariant *sonde_explain_checks_to_variant (GPtrArray *checks);
GPtrArray *sonde_explain_checks_from_variant (GVariant *variant, GError **error);

/* u8 [height, width, channels]. */
SondeTensor *sonde_explain_image_to_tensor (const SondeImage *image);
SondeImage *sonde_explain_image_from_tensor (SondeTensor *tensor, GError **error);

/* Looks up a key of that type in a{sv}; (transfer full). Errors: INVALID naming key and type. */
GVariant *sonde_explain_lookup (GVariant *variant, const char *key, const char *type,
                                GError **error);

G_END_DECLS
