/* SPDX-License-Identifier: Apache-2.0
 * Runs of the training graph on a device, for tests in which that cannot fail: an error ends the
 * test. */
#pragma once

#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/training-net.h"

G_BEGIN_DECLS

/* All owned. */
typedef struct
{
  TrainingNet *net;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} NetRun;

/* A batch of 8 images of 16 × 16, two threads. @options: (nullable); @optimiser: (nullable): as of
 * training_net_new() */
void net_run_init (NetRun *run, const char *device, const SondePlanOptions *options,
                   const char *optimiser);
void net_run_clear (NetRun *run);

/* Inputs of the step @seed. */
void net_run_set_batch (NetRun *run, guint32 seed);
void net_run_finish (NetRun *run);
void net_run_train (NetRun *run, guint steps);

/* (transfer full) */
SondeTensor *net_run_read (NetRun *run, SondeGraphValue *value);
double net_run_read_loss (NetRun *run);
/* Every value of the graph that can be read now; by name. (transfer full) (element-type utf8
 * SondeTensor) */
GHashTable *net_run_read_all (NetRun *run);
/* Two of these, bit for bit. */
void net_run_assert_same (GHashTable *a, GHashTable *b);

G_END_DECLS
