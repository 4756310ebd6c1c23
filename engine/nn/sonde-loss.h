/* SPDX-License-Identifier: Apache-2.0
 * Losses: each appends nodes to a forward graph and gives one scalar value. Conventions of
 * PyTorch. */
#pragma once

#include "engine/nn/sonde-settings.h"
#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

typedef struct _SondeLoss SondeLoss;

/**
 * sonde_loss_new:
 * @text: "NAME:setting=value;…", x the prediction, y the labels:
 *   cross-entropy: label-smoothing ε 0, ignore −100 (a class)   x logits [N, C, …], y int64 [N, …];
 *     mean over the labels that count, weighted by class: ((1 − ε)·Σ w[y]·−log p[y] + ε/C·Σ Σ
 *     w[c]·−log p[c]) / Σ w[y]
 *   nll: ignore −100                 x log-probabilities [N, C, …]
 *   mse, l1                          x and y of one shape; mean over all elements
 *   smooth-l1: beta 1                huber / β
 *   huber: delta 1                   d²/2 where |d| < δ, else δ·(|d| − δ/2)
 *   bce                              x logits, y in [0, 1] of one shape: log (1 + eˣ) − x·y
 *   kl                               x log-probabilities, y probabilities: Σ y·(log y − x) / N
 *   cosine                           1 − x·y / (|x|·|y|) over the last dimension, mean
 *   ctc: blank 0                     x log-probabilities [T, N, C], y int64 [N, S], labels followed
 *     by −1: loss over its number of labels, mean over N
 * @class_weights: (nullable): F32 [C], of cross-entropy and nll; referenced
 *
 * Errors: INVALID naming the losses there are, or the setting; class weights where a loss has no
 * classes.
 */
SondeLoss *sonde_loss_new (const char *text, SondeTensor *class_weights, GError **error);
void sonde_loss_free (SondeLoss *loss);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLoss, sonde_loss_free)

/* Labels are class indices, so that accuracy and its relatives mean something. */
gboolean sonde_loss_has_classes (const SondeLoss *loss);

/* What the labels of a prediction look like. */
void sonde_loss_get_label_type (const SondeLoss *loss, const SondeType *prediction,
                                SondeType *labels);

/* Returns: the mean over the batch, a scalar. Errors: SHAPE */
SondeGraphValue *sonde_loss_build (const SondeLoss *loss, SondeGraph *graph,
                                   SondeGraphValue *prediction, SondeGraphValue *labels,
                                   GError **error);

char *sonde_loss_list (void); /* (transfer full) */

G_END_DECLS
