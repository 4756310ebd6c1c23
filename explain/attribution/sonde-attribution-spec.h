/* SPDX-License-Identifier: Apache-2.0
 * A method with its parameters, as a person writes it: LABEL=name:key=value:key=value. */
#pragma once

#include "explain/attribution/sonde-attribution.h"

G_BEGIN_DECLS

/**
 * sonde_attribution_spec_parse:
 * @text: "[LABEL=]name[:key=value]…". LABEL= is recognised before the first ":" only. A ":" begins
 *   a new key only when "word=" follows it, so that values may hold colons (names of layers,
 *   paths); "," joins the items of a list
 *
 * Without LABEL the name is the label.
 * Returns: (transfer full). Errors: INVALID: an unknown method or key, with the nearest; a key that
 * is there twice; a value that the parameter does not allow, naming what it allows; a LABEL that is
 * no file name.
 */
SondeAttributionSpec *sonde_attribution_spec_parse (const char *text, GError **error);
/* @method with all defaults */
SondeAttributionSpec *sonde_attribution_spec_new (const SondeAttribution *method);
void sonde_attribution_spec_free (SondeAttributionSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeAttributionSpec, sonde_attribution_spec_free)

/* "Integrated gradients", with the parameters that were given: "Occlusion (window=4x4)"; the LABEL
 * where there is one; a SPEC that does not parse as it is. (transfer full) */
char *sonde_attribution_spec_dup_title (const char *text);

/* The same with another value of @key, one of the row's. */
SondeAttributionSpec *sonde_attribution_spec_copy_with (const SondeAttributionSpec *spec,
                                                        const char *key, const char *value);

const SondeAttribution *sonde_attribution_spec_get_method (const SondeAttributionSpec *spec);
const char *sonde_attribution_spec_get_label (const SondeAttributionSpec *spec);
/* All parameters that have a value, defaults too: "score=logit:steps=50". Two SPECs of the same
 * text compute the same. */
char *sonde_attribution_spec_dup_parameters (const SondeAttributionSpec *spec);

/* The text of a parameter of the method, the default where none was given, NULL where there is none
 * either. @key is one of the row's. Lent. */
const char *sonde_attribution_spec_get (const SondeAttributionSpec *spec, const char *key);
/* Is it one of the row's? */
gboolean sonde_attribution_spec_knows (const SondeAttributionSpec *spec, const char *key);
/* Was it given? */
gboolean sonde_attribution_spec_has (const SondeAttributionSpec *spec, const char *key);
gboolean sonde_attribution_spec_is (const SondeAttributionSpec *spec, const char *key,
                                    const char *word);
/* Of NUMBER and COUNT, when it is none of the words. */
double sonde_attribution_spec_get_number (const SondeAttributionSpec *spec, const char *key);
gint64 sonde_attribution_spec_get_count (const SondeAttributionSpec *spec, const char *key);
/* Items of a list. (transfer full) */
GStrv sonde_attribution_spec_dup_list (const SondeAttributionSpec *spec, const char *key);
/* Of SIZE. */
void sonde_attribution_spec_get_size (const SondeAttributionSpec *spec, const char *key,
                                      gint64 *width, gint64 *height);
/* "score=probability"? */
SondeScore sonde_attribution_spec_get_score (const SondeAttributionSpec *spec);

/* (nullable): of SONDE_PARAMETER_TARGET, float32 [classes]: the factor of each class; NULL where
 * the method has no such key or it was not given. Errors: INVALID for a class that the model has
 * not: FALSE. */
gboolean sonde_attribution_spec_make_target (const SondeAttributionSpec *spec, gint64 classes,
                                             float **factors, GError **error);

/**
 * sonde_attribution_spec_make_baseline:
 * Of SONDE_PARAMETER_BASELINE, for @inputs [n, C, H, W].
 * Returns: (transfer full): float32 [1, C, H, W] where it is the same for all, else [n, C, H, W].
 * Errors: INVALID for another count of numbers than 1 or C.
 */
SondeTensor *sonde_attribution_spec_make_baseline (const SondeAttributionSpec *spec,
                                                   SondeTensor *inputs, GError **error);

/* Reads a parameter that names a .npy file of numbers or truth values, as float32 of exactly @shape
 * (-1: any size). Errors: of reading; SHAPE naming both shapes, the key and the file. */
SondeTensor *sonde_attribution_spec_read (const SondeAttributionSpec *spec, const char *key,
                                          const SondeShape *shape, GError **error);

G_END_DECLS
