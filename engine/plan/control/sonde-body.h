/* SPDX-License-Identifier: Apache-2.0
 * A body of a control node as something that runs: an execution for each set of types that its
 * inputs and captures are met with. */
#pragma once

#include "engine/plan/deferred/sonde-deferred-step.h"

G_BEGIN_DECLS

/* A body is kept planned for this many sets of types; from the fourth on with sizes open that
 * differed. */
#define SONDE_BODY_PLANS 8
#define SONDE_BODY_EXACT 3

typedef struct _SondeBody SondeBody;

/* @graph: of an attribute @name of the node of @step, borrowed */
SondeBody *sonde_body_new (SondeGraph *graph, const char *name, const SondePlanStep *step);
void sonde_body_free (SondeBody *body);
SondeGraph *sonde_body_get_graph (SondeBody *body);

/**
 * sonde_body_prepare:
 * @inputs: (array length=n_inputs): for the body's inputs
 * @epoch: number of the run of the control step: within one run, captures do not change
 * @watched: observers of the outermost execution look at it
 *
 * An execution with everything set, ready for sonde_execution_run_body(); borrowed, valid until the
 * next call.
 * Errors: of planning; INVALID when the body has other inputs.
 */
SondeExecution *sonde_body_prepare (SondeBody *body, const SondeDeferredRun *run,
                                    SondeValue *const *inputs, guint n_inputs, guint64 epoch,
                                    gboolean watched, GError **error);
/* Result @k of the body, which has run. Returns: (transfer full) */
SondeValue *sonde_body_read_result (SondeExecution *inner, guint k, GError **error);
void sonde_body_foreach (SondeBody *body, void (*visit) (SondeExecution *inner, gpointer data),
                         gpointer data);

G_END_DECLS
