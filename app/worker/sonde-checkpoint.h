/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of a training: NAME.npz (parameter name -> array) for people and other programs, and
 * NAME.state.npz with everything a resumed run needs (parameters, optimiser state, step …) in one
 * file. Each is replaced atomically, and a resumed run reads state files alone: a kill between the
 * two mixes nothing. */
#pragma once

#include "data/base/sonde-io.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeCheckpointNotes: what the trainer does not know
 * @best: best value of the metric that is watched so far; NAN: none
 * @best_step: when that was
 */
typedef struct
{
  double best;
  guint64 best_step;
} SondeCheckpointNotes;

/**
 * sonde_checkpoint_write:
 * @format: ending of the weights file: ".npz" or ".safetensors"
 * @notes: (nullable)
 *
 * Weights first, then the state: a state file stands for a whole checkpoint. It has a digest of all
 * its members.
 * Errors: IO, NO_SPACE with the path; what was there before stays.
 */
gboolean sonde_checkpoint_write (const SondeIo *io, const char *folder, const char *name,
                                 const char *format, SondeTrainer *trainer,
                                 const SondeCheckpointNotes *notes, GError **error);

/* The weights alone, with members "training-step" and "training-best" where @notes are given. */
gboolean sonde_checkpoint_write_weights (const SondeIo *io, const char *folder, const char *name,
                                         const char *format, SondeTrainer *trainer,
                                         const SondeCheckpointNotes *notes, GError **error);

/* Every trained parameter is a number. */
gboolean sonde_checkpoint_is_finite (SondeTrainer *trainer);

/* Removes all but the newest @keep checkpoints named PREFIX-NNNNNNNN; 0 keeps all. */
void sonde_checkpoint_prune (const SondeIo *io, const char *folder, const char *prefix, guint keep);

/* Removes those named PREFIX-NNNNNNNN of steps after @step: a training that was rolled back makes
 * them anew. */
void sonde_checkpoint_remove_after (const SondeIo *io, const char *folder, const char *prefix,
                                    guint64 step);

/* The step of checkpoint @name, from its state; FALSE when that is missing or damaged. */
gboolean sonde_checkpoint_read_step (const char *folder, const char *name, guint64 *step);

/* There is a state file, whole or not. */
gboolean sonde_checkpoint_exists (const char *folder);

/**
 * sonde_checkpoint_resume:
 * @before: only checkpoints of earlier steps; G_MAXUINT64: any
 * @notes: (out) (optional)
 * @skipped: (inout) (optional) (element-type SondeMessage): of every damaged checkpoint that
 * was passed over
 *
 * Loads the newest whole checkpoint (largest step) below @folder into @trainer, its step too.
 * Temporary files that a killed save has left there are removed.
 * Errors: NOT_FOUND when there is none, with what is wrong with the newest; INVALID when the newest
 * whole one belongs to another model: what is missing, extra, of another shape.
 */
gboolean sonde_checkpoint_resume (const SondeIo *io, const char *folder, guint64 before,
                                  SondeTrainer *trainer, SondeCheckpointNotes *notes,
                                  GPtrArray *skipped, GError **error);

G_END_DECLS
