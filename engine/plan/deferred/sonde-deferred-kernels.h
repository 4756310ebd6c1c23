/* SPDX-License-Identifier: Apache-2.0
 * The kernels of one deferred node, kept from run to run. */
#pragma once

#include "engine/plan/deferred/sonde-deferred-step.h"

G_BEGIN_DECLS

/* One deferred step keeps the kernels for this many different types of its inputs. */
#define SONDE_DEFERRED_KERNELS 16

typedef struct _SondeDeferredKernels SondeDeferredKernels;

/* Those of @node, none yet. */
SondeDeferredKernels *sonde_deferred_kernels_new (const SondeGraph *graph, const SondeNode *node);
void sonde_deferred_kernels_free (SondeDeferredKernels *kernels, SondeDevice *device);
/* Bytes of constants that they keep in layouts of their own. */
guint64 sonde_deferred_kernels_count_kept (const SondeDeferredKernels *kernels);
/* Computes the outputs with the device's kernel for these types. All values are tensors of numbers.
 * Errors: of inference and preparation; MEMORY; DEVICE. */
gboolean sonde_deferred_kernels_run (SondeDeferredKernels *kernels, SondeDeferredRun *run,
                                     GError **error);

G_END_DECLS
