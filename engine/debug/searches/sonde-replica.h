/* SPDX-License-Identifier: Apache-2.0
 * A second execution of a run that is debugged, under other conditions: device, precision, kernels,
 * optimisation, weights, another graph. What the debugger compares with, branches to and searches
 * with. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_REPLICA_AS_IT_IS,  /* the executed graph, every node a step of its own, all values kept */
  SONDE_REPLICA_OPTIMISED, /* as a run nobody looks into: passes, fused steps, memory used again */
} SondeReplicaForm;

/**
 * SondeReplicaOptions: zero-initialise: the same again
 * @device: (nullable): NULL: the original's; "reference": plain kernels
 * @threads: with @device, or with more than 0: of a device of its own
 * @precision: BF16, F16, F64: nodes of float32 compute in that (sonde_pass_insert_casts()); INVALID
 * and F32: as they are
 * @kept: (nullable) (array zero-terminated=1): names of nodes that stay float32 then
 * @form: see above
 * @graph: (nullable): an executed graph to run instead, not bound to sizes yet; copied
 * @parameters: (nullable): name -> SondeTensor: of parameters and states, instead of the original's
 */
typedef struct
{
  const char *device;
  int threads;
  SondeDtype precision;
  const char *const *kept;
  SondeReplicaForm form;
  SondeGraph *graph;
  GHashTable *parameters;
} SondeReplicaOptions;

typedef struct _SondeReplica SondeReplica;

/**
 * sonde_replica_new:
 * @original: may stand anywhere, and is not changed
 *
 * Stands before the first step of the run that @original is in, or had last: with the inputs,
 * parameters, states and random numbers that this began with. A whole training step where @original
 * runs one. Errors: NOT_FOUND for a device; UNSUPPORTED, SHAPE, MEMORY; INVALID for a graph whose
 * inputs the run does not have.
 */
SondeReplica *sonde_replica_new (SondeExecution *original, const SondeReplicaOptions *options,
                                 GError **error);

/* The same plan and kernels, from the beginning of that run. */
SondeReplica *sonde_replica_new_again (SondeExecution *original, GError **error);

/* The same plan, standing where @original stands, with all that was edited:
 * sonde_execution_branch(). */
SondeReplica *sonde_replica_new_branch (SondeExecution *original, GError **error);
void sonde_replica_free (SondeReplica *replica);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReplica, sonde_replica_free)

SondeExecution *sonde_replica_get_execution (SondeReplica *replica); /* (transfer none) */
/* that it runs (transfer none) */
SondeGraph *sonde_replica_get_graph (SondeReplica *replica);

/* Asked before every step; TRUE: the run is given up. */
typedef gboolean (*SondeReplicaTick) (guint step, guint n_steps, gpointer data);

/**
 * sonde_replica_run:
 * @step: up to which (exclusive), as in sonde_execution_run_to(); more than there are: to the end
 * @tick: (nullable)
 *
 * Updates do not take the place of the parameters at the end: P and P' can both be read. Errors: of
 * running; STATE when
 * @tick gave up.
 */
gboolean sonde_replica_run (SondeReplica *replica, guint step, SondeReplicaTick tick, gpointer data,
                            GError **error);

/* Of the run of sonde_replica_new_again(), or a branch where all is kept: whichever has the values
 * of @original as it ran: with what was edited on the way, as far as it stands. */
SondeReplica *sonde_replica_new_as_run (SondeExecution *original, GError **error);

/* The element type that @value was computed in: that of its twin where it is only a float32
 * view. */
SondeDtype sonde_replica_get_computed_dtype (const SondeGraphValue *value);

/* A value by its name. Errors: NOT_FOUND, STATE. Returns: (transfer full) */
SondeValue *sonde_replica_read (SondeReplica *replica, const char *name, GError **error);

G_END_DECLS
