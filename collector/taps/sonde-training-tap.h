/* SPDX-License-Identifier: Apache-2.0
 * The engine tap of a training: what is written of each step. Scalars at every step (loss,
 * accuracy, learning-rate, gradient-norm; test/loss, test/accuracy after an evaluation); histograms
 * of weights and gradients and sample images with predictions by policy. Graph and hyper-parameters
 * are given by the caller straight to the writer (they need formats).
 *
 * Step s is the s-th finished step, from 1: loss, gradients/P, samples are of its batch, weights/P
 * as it left them. Images are tagged "samples". */
#pragma once

#include "collector/writer/sonde-policy.h"
#include "collector/writer/sonde-summary-writer.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

typedef struct _SondeTrainingTap SondeTrainingTap;

/**
 * SondeTapSamples: pictures of the batch that has just been trained
 * @get: fills @image (transfer full) and @note (its strings are transfer full; probabilities and
 *   prediction are filled in by the tap) of sample @index of the batch; FALSE: there is no such
 *   picture
 */
typedef struct _SondeTapSamples SondeTapSamples;
struct _SondeTapSamples
{
  gboolean (*get) (SondeTapSamples *samples, guint index, SondeImage **image,
                   SondeSampleNote *note);
};

/**
 * SondeTrainingTapOptions: zero-initialise
 * @every: steps between two records of histograms and images; 0 never
 * @per_second: largest rate of those; 0: no limit
 * @histograms, @images: record them at all
 * @samples: (nullable): source of images; lent
 * @max_images: a step; 0: 8
 * @class_names: (nullable) (array zero-terminated=1): lent
 */
typedef struct
{
  guint64 every;
  double per_second;
  gboolean histograms, images;
  SondeTapSamples *samples;
  guint max_images;
  const char *const *class_names;
} SondeTrainingTapOptions;

/* @trainer, @writer: lent, outlive the tap. Attaches an observer that wants only the optimiser's
 * steps. */
SondeTrainingTap *sonde_training_tap_new (SondeTrainer *trainer, SondeSummaryWriter *writer,
                                          const SondeTrainingTapOptions *options);
void sonde_training_tap_free (SondeTrainingTap *tap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingTap, sonde_training_tap_free)

/* Steps up to @step (from 1) were recorded and run again: nothing of them is written a second
 * time. */
void sonde_training_tap_set_quiet (SondeTrainingTap *tap, guint64 step);

/* From the trainer's listener, trainer's thread: after a step, after an evaluation. */
void sonde_training_tap_step_done (SondeTrainingTap *tap);
void sonde_training_tap_evaluated (SondeTrainingTap *tap);

G_END_DECLS
