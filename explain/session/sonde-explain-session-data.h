/* SPDX-License-Identifier: Apache-2.0
 * Which images are studied, how they become numbers, and their labels. Messages name the options
 * of `sonde explain`. */
#pragma once

#include "data/datasets/sonde-dataset.h"
#include "data/graph/sonde-graph.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

/* The images of @source as @model takes them, with their own test part when they have one and
 * @training is FALSE (then what is before it). Images of another size or channels are fitted when
 * no setting says how. @program: path of `sonde`, which decodes images.
 * @notes: (element-type SondeMessage): gets what was done to the images without being asked. Errors: of
 * the settings, and of opening. */
SondeDataset *sonde_explain_session_open_data (const SondeExplanationSettings *settings,
                                               const char *source, gboolean training,
                                               SondeGraph *model, const char *program,
                                               SondeSplitPart *split, GPtrArray *notes,
                                               GError **error);

/* Are the data's classes those of the model? Errors: INVALID with both numbers. */
gboolean sonde_explain_session_check_classes (const SondeExplanationSettings *settings,
                                              const SondeDataset *dataset, guint n_model_classes,
                                              GError **error);

/* Labels of the file @path in the place of the predictions' own. @predictions: (element-type
 * SondeSampleResult). Errors: INVALID for a table without the columns file and given (or class), and
 * when it has none of the files. */
gboolean sonde_explain_session_apply_given_labels (const char *path, SondeDataset *dataset,
                                                   GPtrArray *predictions, GError **error);

G_END_DECLS
