/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: which pictures, how they become numbers, and their labels. */
#pragma once

#include "data/datasets/sonde-dataset.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeExplainDataOptions: texts of the command line, owned by it
 * @notes: (element-type utf8): what was done to the pictures without being asked; owned
 */
typedef struct
{
  char *data, *labels, *mean, *deviation, *size, *channels, *training, *given_labels, *probabilities;
  GPtrArray *notes;
} SondeExplainDataOptions;

void sonde_explain_data_options_clear (SondeExplainDataOptions *options);

/* The pictures of @source (--data or --train-data) as @model takes them, with their own test part when they have one and
 * @training is FALSE (then what is before it). Pictures of another size or channels are fitted when no option says how. Errors: of
 * the options, and of opening. */
SondeDataset *sonde_explain_open_data (SondeExplainDataOptions *options,
                                       const char              *source,
                                       gboolean                 training,
                                       SondeGraph              *model,
                                       const char              *program,
                                       SondeSplitPart          *split,
                                       GError                 **error);

/* Are the data's classes those of the model? Errors: INVALID with both numbers. */
gboolean sonde_explain_check_classes (const SondeExplainDataOptions *options,
                                      const SondeDataset            *dataset,
                                      guint                          n_model_classes,
                                      GError                       **error);

/* Labels of --given-labels in the place of the predictions' own. @predictions: (element-type SondePrediction). Errors: INVALID for a
 * table without the columns file and given (or class), and when it has none of the files. */
gboolean sonde_explain_apply_given_labels (const char   *path,
                                           SondeDataset *dataset,
                                           GPtrArray    *predictions,
                                           GError      **error);

G_END_DECLS
