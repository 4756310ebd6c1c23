/* SPDX-License-Identifier: Apache-2.0
 * Deferred steps: what one run of a step works on, and the kernels that are kept from run to run. */
#pragma once

#include "engine/plan/sonde-execution-private.h"
#include "engine/plan/sonde-run-budget.h"

G_BEGIN_DECLS

/* One deferred step keeps the kernels for this many different types of its inputs. */
#define SONDE_DEFERRED_KERNELS 16

/* The kernels of one node, prepared for types that were met. (sonde-deferred-kernels.c) */
typedef struct _SondeLateKernels SondeDeferredKernels;

typedef struct _SondeControl SondeControl; /* sonde-control.h */

struct _SondeLate
{
  const SondeOpClass *klass;
  SondeDeferredKernels *kernels;
  SondeControl *control;
};

/**
 * SondeDeferredRun: one run of a deferred step
 * @values: (array length=n_input_slots): one an operand, owned; NULL for absent ones. Tensors are
 * contiguous
 * @wrapped: whether the value is the memory of a slot, which must not be kept
 */
typedef struct
{
  SondeExecution *execution;
  const SondePlanStep *step;
  SondeNode *node;
  const SondeOpClass *klass;
  const SondeStorage *storage;
  SondeValue **values;
  gboolean *wrapped;
} SondeDeferredRun;

/* @value itself, or a copy when it is the memory of an input's slot; NULL for NULL. Returns:
 * (transfer full) */
SondeValue *sonde_deferred_own_value (const SondeDeferredRun *run, SondeValue *value);
/* Puts @value (transfer full) into the slot of output @k. Errors: SHAPE, when it is not what was
 * planned. */
gboolean sonde_deferred_store (SondeDeferredRun *run, guint k, SondeValue *value, GError **error);
/* Whether output @k is of @type as far as the plan knows. Errors: SHAPE naming the node and
 * both. */
gboolean sonde_deferred_check_output (const SondeDeferredRun *run, guint k, const SondeType *type,
                                      GError **error);

/* The kernels of @step, none yet. */
SondeDeferredKernels *sonde_deferred_kernels_new (const SondeGraph *graph, const SondeNode *node);
void sonde_deferred_kernels_free (SondeDeferredKernels *kernels, SondeDevice *device);
/* Computes the outputs with the device's kernel for these types. All values are tensors of numbers.
 * Errors: of inference and preparation; MEMORY; DEVICE. */
gboolean sonde_deferred_kernels_run (SondeDeferredKernels *kernels, SondeDeferredRun *run,
                                     GError **error);

G_END_DECLS
