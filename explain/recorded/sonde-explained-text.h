/* SPDX-License-Identifier: Apache-2.0
 * What is said of a recorded sample, in the user's language. */
#pragma once

#include "data/explanations/sonde-explanation-sample.h"

G_BEGIN_DECLS

/* "“cat” classified as “dog”". (transfer full) */
char *sonde_explained_dup_heading (const SondeExplanationSample *sample);
/* Its name, and the probabilities of both classes. (transfer full) */
char *sonde_explained_dup_detail (const SondeExplanationSample *sample);
/* What its maps cannot say: how they were recorded, that there are none, that they are empty.
 * Sentences; "" for nothing. (transfer full) */
char *sonde_explained_dup_note (const SondeExplanationSample *sample);
/* Above a map: its class, and why that one. @name: of the class. (transfer full) */
char *sonde_explained_dup_caption (const SondeAttributionMap *map, const char *name);

G_END_DECLS
