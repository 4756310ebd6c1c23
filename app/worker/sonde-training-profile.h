/* SPDX-License-Identifier: Apache-2.0
 * What was recorded of a training's steps goes into the run. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-span-log.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/* @log: stopped, with at least a step; with the memory of @trainer and the ceilings of its device, which are
 * measured where they are not known. */
void sonde_training_profile_write (SondeSpanLog *log, SondeTrainer *trainer,
                                   SondeSummaryWriter *writer);

G_END_DECLS
