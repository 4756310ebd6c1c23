/* SPDX-License-Identifier: Apache-2.0
 * Editing the image and seeing at once what the network says then. What does not live here: the
 * network. */
#pragma once

#include <adwaita.h>

#include "app/explain/sample/sonde-sample-maps.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_EDIT (sonde_sample_edit_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleEdit, sonde_sample_edit, SONDE, SAMPLE_EDIT, AdwBin)

/* Emits "prediction-wanted" () when the image changed and no answer is under way: the latest image
 * wins; "map-wanted" (const char *spec, gint64 target) for maps of the image as it is. */
GtkWidget *sonde_sample_edit_new (void);

/* @before: (array length=n) (nullable): probabilities of the original */
void sonde_sample_edit_set_sample (SondeSampleEdit *edit, const SondeImage *image,
                                   const char *const *classes, guint n, const float *before,
                                   gint64 label);
/* (nullable) lent until it is edited again */
const SondeImage *sonde_sample_edit_get_image (SondeSampleEdit *edit);
/* Ends what "prediction-wanted" began. @answer: (nullable): failed, @why says it */
void sonde_sample_edit_set_answer (SondeSampleEdit *edit, const SondeSampleResult *answer,
                                   const char *why);
/* Of the edited image. */
SondeSampleMaps *sonde_sample_edit_get_maps (SondeSampleEdit *edit);

G_END_DECLS
