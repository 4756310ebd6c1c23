/* SPDX-License-Identifier: Apache-2.0
 * What a training would be, found out without beginning it: nothing is written. */
#pragma once

#include "app/worker/sonde-training-job.h"

G_BEGIN_DECLS

/**
 * SondeTrainingOutline:
 * @parameters, @trainable: of the model, as in SondeModelSummary; @flops: of one sample forward
 * @n_train, @n_test: samples
 * @sample: of one, without the batch; @dtype: its type
 * @n_classes: 0: the labels are no classes
 * @loss: the one that is used; borrowed from the recipe or static
 * @planned_bytes: that a step takes at its peak
 */
typedef struct
{
  guint64 parameters, trainable;
  double flops;
  guint n_train, n_test;
  SondeShape sample;
  SondeDtype dtype;
  guint n_classes;
  char *loss;
  guint64 steps_per_epoch, steps;
  guint64 planned_bytes;
} SondeTrainingOutline;

/**
 * sonde_training_outline_new:
 * @options: as of sonde_training_job_open(); @run and @resume are not looked at
 *
 * Opens data and model, plans a step, reads the recipe's weights. Errors: those that the training would begin
 * with, but for its folder's.
 */
SondeTrainingOutline *sonde_training_outline_new (const SondeTrainingJobOptions *options,
                                                  GError **error);
void sonde_training_outline_free (SondeTrainingOutline *outline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingOutline, sonde_training_outline_free)

G_END_DECLS
