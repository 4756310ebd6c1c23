/* SPDX-License-Identifier: Apache-2.0
 * When a training writes which checkpoint, by its recipe, and how failures are reported. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-span-log.h"
#include "data/recipes/sonde-recipe.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

typedef struct _SondeTrainingSaver SondeTrainingSaver;

/* @recipe, @trainer: borrowed, outlive it; @run: run folder */
SondeTrainingSaver *sonde_training_saver_new (const SondeRecipe *recipe, const char *run,
                                              SondeTrainer *trainer);
/* For tests; checkpoint.minutes counts from here. (nullable): the system's; borrowed */
void sonde_training_saver_set_clock (SondeTrainingSaver *saver, const SondeClock *clock);
/* @writer: flushed before a checkpoint, so that after a kill no record of an older step is missing;
 * borrowed */
void sonde_training_saver_set_writer (SondeTrainingSaver *saver,
                                      SondeSummaryWriter *writer); /* (nullable) */
/* @log: (nullable): where it is put down how long a checkpoint takes, while it records; borrowed */
void sonde_training_saver_set_spans (SondeTrainingSaver *saver, SondeSpanLog *log);
void sonde_training_saver_free (SondeTrainingSaver *saver); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingSaver, sonde_training_saver_free)

/* FALSE: a resumed run begins again, it was killed before its first checkpoint. */
gboolean sonde_training_saver_has_checkpoint (const SondeTrainingSaver *saver);

/**
 * sonde_training_saver_resume:
 * @warnings: (element-type SondeMessage): of each damaged checkpoint that was skipped
 *
 * The newest whole checkpoint into the trainer. Errors: of sonde_checkpoint_resume()
 */
gboolean sonde_training_saver_resume (SondeTrainingSaver *saver, GPtrArray *warnings,
                                      GError **error);

/* Before the first step: the checkpoint that train.on-nan=roll-back may go back to. */
void sonde_training_saver_begin (SondeTrainingSaver *saver);

/* The newest whole checkpoint again. Errors: there is none that the training wrote */
gboolean sonde_training_saver_roll_back (SondeTrainingSaver *saver, GError **error);

/* After a step. A checkpoint that is due where an evaluation follows waits for
 * sonde_training_saver_epoch_done(), so that what the evaluation changes (schedule, early stop,
 * best value) is in it. */
void sonde_training_saver_step_done (SondeTrainingSaver *saver);
void sonde_training_saver_epoch_done (SondeTrainingSaver *saver);

/* After an evaluation: best.npz when the metric of checkpoint.best is better than ever. */
void sonde_training_saver_evaluated (SondeTrainingSaver *saver);

/**
 * sonde_training_saver_finish:
 * final.npz (and in the recipe's format), final.state.npz, and final.onnx where ONNX can hold the
 * model @original with the trained weights in it. Errors: IO, NO_SPACE naming the file.
 */
gboolean sonde_training_saver_finish (SondeTrainingSaver *saver, SondeGraph *original,
                                      GError **error);

/* While checkpoints fail: the first failure; NULL: none. (transfer full) */
SondeMessage *sonde_training_saver_dup_problem (const SondeTrainingSaver *saver);
/* Checkpoints that could not be written so far. */
guint64 sonde_training_saver_get_lost (const SondeTrainingSaver *saver);

G_END_DECLS
