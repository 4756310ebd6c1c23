/* SPDX-License-Identifier: Apache-2.0
 * One node prepared for types that were met in a run. */
#pragma once

#include "engine/plan/deferred/sonde-deferred-step.h"

G_BEGIN_DECLS

/**
 * SondeDeferredKernel: the node prepared for certain types
 * @key: the types, as numbers
 * @graph: of the one node, whose values carry the types; prepared kernels may look at it when they
 * run
 * @request: with the layouts the kernel wants and gives
 * @kernel: NULL: the outputs have no elements
 * @constants: by input: a constant in the layout the kernel wants; @constant_bytes: of all
 */
typedef struct
{
  GBytes *key;
  SondeGraph *graph;
  SondeNode *node;
  SondePrepareRequest request;
  gboolean *constant, *free_layout;
  SondeKernel *kernel;
  void **constants;
  guint64 constant_bytes;
} SondeDeferredKernel;

/* A graph of @node alone, with values of the same names and the types they have in @graph.
 * @copy: (out): the node in it (sonde-deferred-graph.c) */
SondeGraph *sonde_deferred_graph_new (const SondeGraph *graph, const SondeNode *node,
                                      SondeNode **copy);

/* @node, of @graph, for the types its values have now. Errors: of preparation. */
SondeDeferredKernel *sonde_deferred_kernel_new (const SondeGraph *graph, const SondeNode *node,
                                                const SondePlan *plan, GBytes *key, GError **error);
void sonde_deferred_kernel_free (SondeDeferredKernel *kernel, SondeDevice *device);
/* Computes the outputs of @run. */
gboolean sonde_deferred_kernel_run (SondeDeferredKernel *kernel, SondeDeferredRun *run,
                                    GError **error);

G_END_DECLS
