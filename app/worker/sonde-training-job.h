/* SPDX-License-Identifier: Apache-2.0
 * A training as the program runs it: recipe, dataset, model, trainer, recording, checkpoints
 * joined. It is an activity of a session, so that a debugger can come and go. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-span-counters.h"
#include "data/datasets/sonde-batches.h"
#include "data/recipes/sonde-recipe.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/session/activity/sonde-activity.h"

G_BEGIN_DECLS

typedef struct _SondeTrainingJob SondeTrainingJob;

/**
 * SondeTrainingJobOptions: zero-initialise
 * @recipe: copied
 * @run: run folder; made. An existing run is refused without @resume
 * @resume: continue from the newest checkpoint, as another session of the run
 * @memory: KEEP under a debugger that wants every value
 * @device: (nullable)
 * @program: path of `sonde`, for the image helper
 */
typedef struct
{
  const SondeRecipe *recipe;
  const char *run;
  gboolean resume;
  SondeMemoryMode memory;
  const char *device;
  const char *program;
} SondeTrainingJobOptions;

/**
 * sonde_training_job_open:
 * Opens all parts, writes run.ini, graph and hyper-parameters. Errors: of each part, naming the
 * recipe key.
 */
SondeTrainingJob *sonde_training_job_open (const SondeTrainingJobOptions *options, GError **error);
void sonde_training_job_unref (SondeTrainingJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingJob, sonde_training_job_unref)

/* (transfer full): the job as an activity; its free entry drops the reference it holds */
SondeActivity *sonde_training_job_dup_activity (SondeTrainingJob *job);
SondeTrainer *sonde_training_job_get_trainer (SondeTrainingJob *job);
const char *sonde_training_job_get_run (SondeTrainingJob *job);
/* (transfer none): what the training does and when, while it is started: steps are numbered from 0 */
SondeSpanLog *sonde_training_job_get_spans (SondeTrainingJob *job);
/* What is recorded beside them. */
SondeSpanCounters *sonde_training_job_get_counters (SondeTrainingJob *job);

/* Called after every step on the engine's thread, for progress. */
typedef void (*SondeTrainingJobProgress) (SondeTrainingJob *job, gpointer data);
void sonde_training_job_set_progress (SondeTrainingJob *job, SondeTrainingJobProgress progress,
                                      gpointer data);

/* Training samples a second in this session, over the time of the training loop; NAN before the
 * first step. */
double sonde_training_job_get_speed (SondeTrainingJob *job);

/* What the user should know now: recording fails, samples cannot be read. (transfer full) (nullable):
 * NULL: nothing */
SondeMessage *sonde_training_job_dup_banner (SondeTrainingJob *job);

/* Checkpoints that could not be written so far. */
guint64 sonde_training_job_get_lost_checkpoints (SondeTrainingJob *job);

/* Problems that did not stop it: damaged checkpoints, weights that do not match. (element-type
 * SondeMessage) (transfer none) */
const GPtrArray *sonde_training_job_get_warnings (SondeTrainingJob *job);

/**
 * sonde_training_job_finish:
 * The final checkpoint (final.npz, and final.onnx where the model can be written), all records
 * written and closed. May be called once, wherever the training stands: a step that is under way is
 * left first, see sonde_trainer_leave_step(). Errors: records or the checkpoint were lost, or that
 * step failed.
 */
gboolean sonde_training_job_finish (SondeTrainingJob *job, GError **error);

/* "runs/NAME-DATE" for a recipe; unique. Returns: (transfer full) */
char *sonde_training_job_suggest_run (const SondeRecipe *recipe);

/* Sources and models by recipe, shared with explain. */
SondeDataset *sonde_training_job_open_dataset (const SondeRecipe *recipe, const char *program,
                                               SondeSplitPart *split, GError **error);

G_END_DECLS
