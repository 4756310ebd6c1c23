/* SPDX-License-Identifier: Apache-2.0
 * The loops of element-wise operators, for kernels that run several of them on parts that stay in
 * the cache. */
#pragma once

#include "engine/devices/cpu/elementwise/sonde-cpu-grid-private.h"

G_BEGIN_DECLS

/* x and y may be the same memory. */
typedef void (*SondeCpuUnaryLoop) (gint64 n, const float *x, float *y, float alpha, float beta);

/**
 * SondeCpuUnary:
 * @cost: as sonde_cpu_for() counts it
 * @clip: inputs 1 and 2 take the place of alpha and beta where they are there
 * @name: (nullable): oneDNN's name of the function, or "hardsigmoid"; @loses: it may lose NaN there
 */
typedef struct
{
  SondeCpuUnaryLoop loop;
  float alpha, beta;
  gboolean clip;
  gint64 cost;
  const char *name;
  gboolean loses;
} SondeCpuUnary;

/* How @node is computed on float32. Returns FALSE where it is no function of one operand.
 * (sonde-cpu-unary.c) */
gboolean sonde_cpu_find_unary (const SondeNode *node, SondeCpuUnary *unary);
/* The same of a function by oneDNN's name; NaN stays. (sonde-cpu-unary.c) */
gboolean sonde_cpu_find_function (const char *function, float alpha, float beta,
                                  SondeCpuUnary *unary);
/* The loop of @node, of two operands of float32, or NULL. (sonde-cpu-binary.c) */
SondeCpuBlock sonde_cpu_find_binary (const SondeNode *node);
/* The loop of @node, result of float32 too, that goes on from operand to operand where there are
 * more than two, or NULL. (sonde-cpu-binary.c) */
SondeCpuBlock sonde_cpu_find_loop (const SondeNode *node);

/* ---- chains -------------------------------------------------------------- */

#define SONDE_CPU_MOST_LINKS 16
/* @link: the operand is this link's result; -1: it is @input of the request. @row, @step: strides
 * in elements. */
typedef struct
{
  int link, input;
  gint64 row, step;
} SondeCpuOperand;

/**
 * SondeCpuLink: one node
 * @block: of two operands; NULL: @unary, or the normalisation where @affine
 * @scale: of the request: scale, bias, mean and variance; their factors lie at @factors in the
 * workspace, in floats
 * @limits: of the request: those of Clip, -1: none
 * @by_row: an operand differs from row to row or from column to column
 * @output: of the request; -1: nobody wants the result
 * @streams: the result is wanted, but no step reads it: it need not be in the cache
 */
typedef struct
{
  SondeCpuUnary unary;
  SondeCpuBlock block;
  SondeCpuGrid grid;
  gboolean affine, by_row;
  double epsilon;
  int scale[4];
  gsize factors;
  int limits[2];
  SondeCpuOperand operands[2];
  int output;
  gboolean streams;
} SondeCpuLink;

typedef struct
{
  SondeKernel base;
  gint64 rows, width, cost;
  guint n_links, n_parts;
  SondeCpuLink links[];
} SondeCpuChain;

gboolean sonde_cpu_run_chain (SondeCpuDevice *device, SondeKernel *base,
                              const SondeRunArguments *arguments, GError **error);

/* Nodes that compute a value of one shape from each other: element by element, or
 * BatchNormalization. Their kernel leaves every result that somebody wants. (sonde-cpu-chain.c) */
gboolean sonde_cpu_can_chain (SondeNode *const *nodes, guint n_nodes);
/* NULL: the operands lie so that they are no rows of one width. */
SondeKernel *sonde_cpu_prepare_chain (SondeCpuDevice *device, SondePrepareRequest *request);

G_END_DECLS
