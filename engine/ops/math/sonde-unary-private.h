/* SPDX-License-Identifier: Apache-2.0
 * What the two files of elementwise functions share. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

typedef void (*SondeUnaryLoop) (gint64 n, const void *x, void *y, double alpha, double beta);

/* One loop a dtype; NULL where the operator does not take it. */
typedef const SondeUnaryLoop SondeUnaryLoops[SONDE_N_DTYPES];

static inline void
sonde_unary_run (const SondeKernelContext *context, SondeUnaryLoops loops, double alpha,
                 double beta)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];

  if (y != NULL)
    loops[x->dtype](sonde_tensor_n_elements (x), x->data, y->data, alpha, beta);
}

#define SONDE_UNARY_FLOATS(name) [SONDE_DTYPE_F32] = name##_f32, [SONDE_DTYPE_F64] = name##_f64

/* Selu's defaults, as the ONNX text rounds them. */
#define SONDE_SELU_ALPHA 1.67326319217681884765625
#define SONDE_SELU_GAMMA 1.05070102214813232421875

/* Arithmetic operations a element, for the cost. */
void sonde_unary_cost (const SondeInferContext *context, SondeCost *cost);

G_END_DECLS
