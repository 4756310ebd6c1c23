/* SPDX-License-Identifier: Apache-2.0
 * What a training holds at which time, for who shows memory: its plans, and the phases in which
 * some of them are there. */
#pragma once

#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeTrainerPlan:
 * @plan: lent by the trainer
 * @execution: (nullable): the same: of it
 * @name: "step", "last step" (of a smaller batch), "accumulation", "evaluation", "last evaluation"
 * @is_first: it takes the model's own parameters; others have copies of those they read
 */
typedef struct
{
  SondePlan *plan;
  SondeExecution *execution;
  const char *name;
  gboolean is_first;
} SondeTrainerPlan;

/**
 * SondeTrainerPhase:
 * @name: "start" (before the first step), "step", "last step", "evaluation"
 * @running: the plan whose steps it is; G_MAXUINT: none
 * @kept: bit by plan: its parameters and inputs are there; @awake: its intermediate values, too
 * @whole_model: the model has all of its first values still
 * @bytes: of all of it, and the model
 */
typedef struct
{
  const char *name;
  guint running;
  guint64 kept, awake;
  gboolean whole_model;
  guint64 bytes;
} SondeTrainerPhase;

typedef struct
{
  GArray *plans;  /* (element-type SondeTrainerPlan) */
  GArray *phases; /* (element-type SondeTrainerPhase): in order of time */
} SondeTrainerMemory;

/* The largest phase has the bytes of sonde_trainer_get_planned_bytes(). (transfer full) */
SondeTrainerMemory *sonde_trainer_describe_memory (SondeTrainer *trainer);
void sonde_trainer_memory_free (SondeTrainerMemory *memory); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainerMemory, sonde_trainer_memory_free)

/* Whether @value, of the model, keeps its first value when steps run. */
gboolean sonde_trainer_keeps (SondeTrainer *trainer, const SondeGraphValue *value);

G_END_DECLS
