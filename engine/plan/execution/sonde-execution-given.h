/* SPDX-License-Identifier: Apache-2.0
 * What the loop asks of steps that are given. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"
#include "engine/plan/sonde-given-steps.h"

G_BEGIN_DECLS

/* One result: @memory, or @box for what has no memory. */
typedef struct
{
  guint slot;
  void *memory;
  SondeValue *box;
} SondeGivenResult;

/**
 * SondeGivenSteps:
 * @of_step: by step: 1 for one that is given
 * @usual: by slot: where it lies while nothing is given; NULL for slots that stay where they are
 */
struct _SondeGivenSteps
{
  SondeExecution *execution;
  guint8 *of_step;
  GArray *kept; /* (element-type SondeGivenResult) */
  void **usual;
  gboolean on;
};

/* Of an execution with @given: whether the results of @step are there already; what has no memory of
 * its own is put where its readers look. */
gboolean sonde_execution_give (SondeExecution *execution, guint step);

G_END_DECLS
