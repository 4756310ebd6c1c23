/* SPDX-License-Identifier: Apache-2.0
 * States of a training at the beginnings of steps, so that it can go back to any of them: the
 * latest one that was kept before it is brought back, and what lies between runs again with the
 * same batches and random numbers, bit for bit. */
#pragma once

#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

typedef struct _SondeTrainerHistory SondeTrainerHistory;

/**
 * sonde_trainer_history_new:
 * @budget: bytes that states may take; there are two at least. 0: a quarter of what the training
 * takes
 *
 * Keeps states from the present step on, or from the next where a batch of this one is done. The
 * first stays; of the others the later ones lie closer together, so that few steps run again for
 * those that were not long ago. Keeping costs at most about one part in a hundred of the training's
 * time. Freed before the trainer.
 */
SondeTrainerHistory *sonde_trainer_history_new (SondeTrainer *trainer, guint64 budget);
void sonde_trainer_history_free (SondeTrainerHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainerHistory, sonde_trainer_history_free)

/* Finished steps of the earliest state; FALSE: there is none yet. */
gboolean sonde_trainer_history_get_first (SondeTrainerHistory *history, guint64 *step);

/* Gives up the step that is under way, if one is, and brings back the latest state of at most @step
 * finished steps.
 * Errors: STATE when there is none. */
gboolean sonde_trainer_history_restore (SondeTrainerHistory *history, guint64 step, GError **error);
/* Something was set by hand in the step that is under way: states after it are no longer what would
 * come, and the state after this step is kept for good, as no earlier one leads to it. */
void sonde_trainer_history_note_edit (SondeTrainerHistory *history);
/* States of more than @step finished steps are no longer what would come. */
void sonde_trainer_history_forget_after (SondeTrainerHistory *history, guint64 step);
/* All of them: it begins anew with the next step. */
void sonde_trainer_history_clear (SondeTrainerHistory *history);
/* The model is another one from the present step on, which has not begun: the state is kept for
 * good, states after it are not what would come. Restoring a state of before brings back the model
 * that the training had then. */
void sonde_trainer_history_note_model (SondeTrainerHistory *history);

/* Batches count without gaps from 0 over all epochs, the accumulated ones of a step, too. The batch
 * whose run has begun and is not done, or the next; the first of step @step (from 1). */
guint64 sonde_trainer_get_batch (SondeTrainer *trainer);
guint64 sonde_trainer_first_batch_of_step (SondeTrainer *trainer, guint64 step);
/* The last step (from 0 finished ones on) whose first batch is not after @batch. */
guint64 sonde_trainer_step_of_batch (SondeTrainer *trainer, guint64 batch);

G_END_DECLS
