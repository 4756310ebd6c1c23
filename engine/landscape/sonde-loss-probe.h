/* SPDX-License-Identifier: Apache-2.0
 * The loss of a model on fixed batches, with one set of weights after another: forward and loss in
 * evaluation form, planned once. */
#pragma once

#include "engine/landscape/sonde-weight-space.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

typedef struct _SondeLossProbe SondeLossProbe;

/**
 * sonde_loss_probe_new:
 * @model: as of sonde_trainer_new(); its constants are what the probe begins with
 * @options: of the training; loss, precision, groups, device and threads count
 * @source: its test part is what is measured on: batches 0 … @n_batches − 1 of epoch 0, which are
 *   loaded here and kept
 *
 * Errors: of sonde_trainer_new() and @source; LIMIT when the batches take too much memory.
 */
SondeLossProbe *sonde_loss_probe_new (SondeGraph *model, const SondeTrainerOptions *options,
                                      SondeBatchSource *source, guint n_batches, GError **error);
void sonde_loss_probe_free (SondeLossProbe *probe); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLossProbe, sonde_loss_probe_free)

/* Of the parameters that train. (transfer none) */
const SondeWeightSpace *sonde_loss_probe_get_space (const SondeLossProbe *probe);
guint64 sonde_loss_probe_get_n_samples (const SondeLossProbe *probe);

/* Parameters that train; everything else stays. @weights: [n] of the space */
gboolean sonde_loss_probe_set_weights (SondeLossProbe *probe, const float *weights, GError **error);
/* All parameters and running statistics, from the constants of a model of the same names. */
gboolean sonde_loss_probe_set_model (SondeLossProbe *probe, const SondeGraph *model,
                                     GError **error);

/* Mean over the samples, as an evaluation of the training has it; not finite where it is not. */
gboolean sonde_loss_probe_measure (SondeLossProbe *probe, double *loss, GError **error);

G_END_DECLS
