/* SPDX-License-Identifier: Apache-2.0
 * Losses: each appends nodes to a forward graph and gives one scalar value named "loss". */
#pragma once

#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

/**
 * SondeLoss:
 * @name: as in the recipe
 * @has_classes: labels are class indices, so that accuracy means something
 * @label_type: fills the type of the "labels" input from the prediction's type
 * @build: prediction, labels -> mean loss over the batch (scalar). Errors: SHAPE
 */
typedef struct
{
  const char *name;
  gboolean has_classes;
  void (*label_type) (const SondeType *prediction, SondeType *labels);
  SondeGraphValue *(*build) (SondeGraph *graph, SondeGraphValue *prediction, SondeGraphValue *labels, GError **error);
} SondeLoss;

/* "cross-entropy": logits [N, C, …], labels int64 [N, …]; −log softmax (z)[y], mean.
 * "mse": prediction and labels of one shape; mean of squares over all elements.
 * (nullable) */
const SondeLoss *sonde_loss_find (const char *name);
char *sonde_loss_list (void); /* (transfer full) */

G_END_DECLS
