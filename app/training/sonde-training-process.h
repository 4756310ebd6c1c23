/* SPDX-License-Identifier: Apache-2.0
 * A training that was started from the window: `sonde train … --run FOLDER`, a process of its own that goes on when the
 * window closes. How far it is stands in its run.
 *
 * Signal "changed" (): it ended, or is to end. */
#pragma once

#include <gio/gio.h>

#include "data/recipes/sonde-recipe.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRAINING_PROCESS (sonde_training_process_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrainingProcess, sonde_training_process, SONDE, TRAINING_PROCESS,
                      GObject)

typedef enum
{
  SONDE_TRAINING_RUNS,
  SONDE_TRAINING_STOPS, /* it was told to; the step under way and the last checkpoint are still made */
  SONDE_TRAINING_ENDED,
  SONDE_TRAINING_STOPPED,
  SONDE_TRAINING_FAILED,
} SondeTrainingStatus;

/**
 * sonde_training_process_start:
 * @program: path of `sonde`
 * @folder: of the run, absolute; the training makes it
 * Errors: the program could not be started.
 */
SondeTrainingProcess *sonde_training_process_start (const char *program, const SondeRecipe *recipe,
                                                    const char *folder, GError **error);

/* As Ctrl+C would: the step ends and a checkpoint is written. */
void sonde_training_process_stop (SondeTrainingProcess *process);

SondeTrainingStatus sonde_training_process_get_status (SondeTrainingProcess *process);
const char *sonde_training_process_get_folder (SondeTrainingProcess *process);
/* Why it failed; NULL unless it did. */
const char *sonde_training_process_get_reason (SondeTrainingProcess *process);

G_END_DECLS
