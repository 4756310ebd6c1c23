/* SPDX-License-Identifier: Apache-2.0
 * What the files of a training job share: its parts, and which file opens which. */
#pragma once

#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-training-saver.h"
#include "collector/taps/sonde-training-tap.h"
#include "engine/nn/sonde-trainer-history.h"

G_BEGIN_DECLS

/* The batch source the trainer asks; remembers which samples the last training batch had. */
typedef struct
{
  SondeBatchSource base;
  SondeTrainingJob *job;
} SondeTrainingSource;

typedef struct
{
  SondeTapSamples base;
  SondeTrainingJob *job;
} SondeTrainingSamples;

typedef struct
{
  SondeTrainerListener base;
  SondeTrainingJob *job;
} SondeTrainingListener;

struct _SondeTrainingJob
{
  SondeActivity activity; /* first: an activity is cast to its job */
  _Atomic guint ref_count;
  SondeRecipe *recipe;
  char *run, *title;
  const char *device; /* interned */
  SondeDataset *dataset;
  SondeSplitPart split;
  SondeTensor *order;
  SondeBatches *train, *test;
  guint *last_samples;
  guint n_last_samples;
  gboolean labels_are_input;
  const char *loss; /* the recipe's, or the model's own; borrowed */
  int label_input;  /* of the model's inputs, where it takes the labels itself; -1: it does not */
  SondeGraph *model;
  SondeTrainer *trainer;
  SondeSummaryWriter *writer;
  SondeTrainingTap *tap;
  SondeTrainingSource source;
  SondeTrainingSamples samples;
  SondeTrainingListener listener;
  SondeTrainingJobProgress progress;
  gpointer progress_data;
  SondeShape folded;  /* of a sample as the model takes it; rank 0: as it is */
  guint shown_faults; /* samples that cannot be read, as far as they were told */
  SondeTrainingSaver *saver;
  GPtrArray *warnings;    /* (element-type SondeMessage) */
  guint64 samples_before; /* trained by earlier sessions of the run */
  gboolean finished;
  SondeTrainerHistory *history; /* (nullable): while somebody may want to go back */
  guint64 quiet;                /* steps up to it were recorded */
  /* (element-type guint64): steps in which something was set by hand, or before whose next the
   * model was changed */
  GArray *edits;
  SondeSpanLog *spans;         /* where trainer and batches are measured, while somebody wants it */
  SondeSpanCounters *counters; /* of @spans */
  gboolean has_new_profile;    /* a recording was under way when it was looked at last */
  gboolean rebuilt;            /* the next edit is a change of the model */
};

/* Samples a batch: the recipe's, or of a source with ready batches theirs.
 * (sonde-training-data.c) */
guint sonde_training_job_get_batch (const SondeTrainingJob *job);
gboolean sonde_training_job_open_data (SondeTrainingJob *job,
                                       const SondeTrainingJobOptions *options, GError **error);
/* Samples and labels that do not fit the model, said before the first step. */
gboolean sonde_training_job_check_data (SondeTrainingJob *job, GError **error);

/* The other form of opening: one part of the data, in the place of the test part and as tests see it;
 * nothing is trained. @seed: of its order; 0: as it stands. (sonde-training-data.c) */
gboolean sonde_training_job_open_part (SondeTrainingJob *job, const char *program, gboolean test,
                                       guint64 seed, GError **error);
/* Samples that the model takes in other dimensions, or not at all. */
gboolean sonde_training_job_check_samples (SondeTrainingJob *job, GError **error);

/* The graph alone, then with its trainer. (sonde-training-model.c) */
gboolean sonde_training_job_load_graph (SondeTrainingJob *job, GError **error);
gboolean sonde_training_job_open_model (SondeTrainingJob *job,
                                        const SondeTrainingJobOptions *options, GError **error);
/* Those of the recipe's model.weights. */
gboolean sonde_training_job_load_weights (SondeTrainingJob *job, GError **error);

/* The run folder, its writer, what is recorded once. (sonde-training-recording.c) */
gboolean sonde_training_job_open_recording (SondeTrainingJob *job, GError **error);
/* Samples that cannot be read, as far as they are new. */
void sonde_training_job_record_faults (SondeTrainingJob *job);
void sonde_training_job_record_change (SondeTrainingJob *job, const SondeMessage *message);
/* What became of the run when a debugger that held it was lost. */
void sonde_training_job_record_lost (SondeTrainingJob *job, const SondeMessage *message);

/* The log of spans, and who puts something into it. Once all else is there. (sonde-training-recording.c) */
void sonde_training_job_open_spans (SondeTrainingJob *job);
/* A recording of steps that has ended is written. @ends: the training does, and with it a recording.
 * (sonde-training-recording.c) */
void sonde_training_job_record_profile (SondeTrainingJob *job, gboolean ends);

/* A recording that has ended is written at once and readable: in the run, whose absolute folder this returns.
 * (transfer full). Errors: STATE when the run takes no records any more. (sonde-training-recording.c) */
char *sonde_training_job_keep_profile (SondeTrainingJob *job, GError **error);

/* Going back. (sonde-training-history.c) */
void sonde_training_job_keep_history (SondeTrainingJob *job, gboolean keep);
/* The step that was done last had been recorded before. */
gboolean sonde_training_job_is_quiet (const SondeTrainingJob *job);
/* The model is another one; the present step begins again with it. */
void sonde_training_job_note_model (SondeTrainingJob *job);
/* Something was set by hand in the present step. */
void sonde_training_job_note_edit (SondeTrainingJob *job);
extern const SondeDebuggerHistory sonde_training_history; /* its data is the job */
gboolean sonde_training_job_restart (SondeTrainingJob *job, GError **error);
char *sonde_training_job_save_batch (SondeTrainingJob *job, guint64 step, const char *path,
                                     GError **error);

/* The job as an activity of a session. (sonde-training-activity.c) */
extern const SondeActivityClass sonde_training_activity_class;

G_END_DECLS
