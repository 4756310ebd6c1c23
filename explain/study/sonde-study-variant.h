/* SPDX-License-Identifier: Apache-2.0
 * What a study says as a GVariant a{sv} and tensors beside it, and back: how it crosses to another
 * process and lies in the cache. What comes back is checked: every key, number and shape. */
#pragma once

#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

/* Variants are floating; tensors are appended to @tensors (element-type SondeTensor). On the way
 * back: (transfer full), NULL with SONDE_DATA_ERROR_INVALID naming the key. */
GVariant *sonde_study_settings_to_variant (const SondeExplanationSettings *settings);
SondeExplanationSettings *sonde_study_settings_from_variant (GVariant *variant, GError **error);
GVariant *sonde_study_facts_to_variant (const SondeStudyFacts *facts);
SondeStudyFacts *sonde_study_facts_from_variant (GVariant *variant, GError **error);

/* (element-type SondeSampleResult). Probabilities go along when all rows have them. */
GVariant *sonde_study_rows_to_variant (GPtrArray *rows, GPtrArray *tensors);
GPtrArray *sonde_study_rows_from_variant (GVariant *variant, GPtrArray *tensors, GError **error);

GVariant *sonde_study_maps_to_variant (GPtrArray *maps, GPtrArray *tensors);
GPtrArray *sonde_study_maps_from_variant (GVariant *variant, GPtrArray *tensors, GError **error);

GVariant *sonde_study_rating_to_variant (const SondeMapRating *rating);
gboolean sonde_study_rating_from_variant (GVariant *variant, SondeMapRating *rating,
                                          GError **error);

GVariant *sonde_study_triage_to_variant (const SondeStudyTriage *triage, GPtrArray *tensors);
SondeStudyTriage *sonde_study_triage_from_variant (GVariant *variant, GPtrArray *tensors,
                                                   GError **error);

/* (element-type SondeStudyCluster) */
GVariant *sonde_study_clusters_to_variant (GPtrArray *clusters, GPtrArray *tensors);
GPtrArray *sonde_study_clusters_from_variant (GVariant *variant, GPtrArray *tensors,
                                              GError **error);

GVariant *sonde_study_boxes_to_variant (const SondeCounterfactual *boxes);
SondeCounterfactual *sonde_study_boxes_from_variant (GVariant *variant, GError **error);

GVariant *sonde_study_neighbours_to_variant (GPtrArray *neighbours, GPtrArray *tensors);
GPtrArray *sonde_study_neighbours_from_variant (GVariant *variant, GPtrArray *tensors,
                                                GError **error);

GVariant *sonde_study_answer_to_variant (const SondeStudyAnswer *answer, GPtrArray *tensors);
SondeStudyAnswer *sonde_study_answer_from_variant (GVariant *variant, GPtrArray *tensors,
                                                   GError **error);

GVariant *sonde_study_scores_to_variant (GPtrArray *scores);
GPtrArray *sonde_study_scores_from_variant (GVariant *variant, GError **error);
GVariant *sonde_study_checks_to_variant (GPtrArray *checks);
GPtrArray *sonde_study_checks_from_variant (GVariant *variant, GError **error);

/* u8 [height, width, channels]. */
SondeTensor *sonde_study_image_to_tensor (const SondeImage *image);
SondeImage *sonde_study_image_from_tensor (SondeTensor *tensor, GError **error);

/* Looks up a key of that type in a{sv}; (transfer full). Errors: INVALID naming key and type. */
GVariant *sonde_study_lookup (GVariant *variant, const char *key, const char *type, GError **error);

G_END_DECLS
