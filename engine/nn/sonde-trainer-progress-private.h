/* SPDX-License-Identifier: Apache-2.0
 * How far a training is: what a resumed or restored one goes on with besides its parameters. */
#pragma once

#include "engine/nn/sonde-schedule.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeEarlyStop:
 * @watches: metric looked at: -1 the loss, -2 the accuracy, else an index; @is_set: at all
 * @n_worse: evaluations since @best
 */
typedef struct
{
  gboolean is_set;
  int watches;
  double patience, least, best;
  guint64 n_worse;
} SondeEarlyStop;

/**
 * SondeTrainerProgress:
 * @rate_factor: of the learning rate, below 1 after roll-backs
 * @evaluated_at: step of the last evaluation; G_MAXUINT64: none
 */
typedef struct
{
  SondeTrainerState state;
  SondeSchedule *schedule;
  SondeEarlyStop early_stop;
  double rate_factor;
  guint64 evaluated_at;
} SondeTrainerProgress;

/* Lent; to be changed. */
SondeTrainerProgress *sonde_trainer_get_progress (SondeTrainer *trainer);

/* Where a step that was not finite is rolled back, with half the learning rate from then on; at most
 * 10 times. @listener: (nullable): asked to do it. Errors: STATE; the training ends.
 * (sonde-trainer-not-finite.c) */
gboolean sonde_trainer_roll_back (SondeTrainer *trainer, SondeTrainerProgress *progress,
                                  SondeTrainerListener *listener, GError **error);

G_END_DECLS
