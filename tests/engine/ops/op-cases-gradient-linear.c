/* SPDX-License-Identifier: Apache-2.0
 * Gradients of products, equations, matrices and transforms: first and second order. */
#include "tests/engine/ops/op-case.h"

#define TWICE OP_CASE_TWICE

const OpCase op_cases_gradient_linear[] = {
  /* products */
  { "MatMul/twice", NULL, { "~2x3", "~3x2" }, { "2x2" }, 3 | TWICE, NULL },
  { "MatMul/batches-twice", NULL, { "~2x1x2x3", "~3x3x2" }, { "2x3x2x2" }, 3 | TWICE, NULL },
  { "MatMul/list-twice", NULL, { "~3", "~2x3x2" }, { "2x2" }, 3 | TWICE, NULL },
  { "MatMul/lists-twice", NULL, { "~3", "~3" }, { "scalar" }, 3 | TWICE, NULL },
  { "MatMul/right-list-twice", NULL, { "~2x2x3", "~3" }, { "2x2" }, 3 | TWICE, NULL },
  { "MatMul/nothing-inside", NULL, { "2x0:", "0x3:" }, { "2x3" }, 3, NULL },
  { "Gemm/twice", "alpha=2.0 beta=0.5 transA=1", { "~3x2", "~3x2", "~2" }, { "2x2" }, 7 | TWICE, NULL },

  { "sonde.MatMulNBitsGrad/zeros", "K=4 N=1 bits=8 block_size=4",
    { "f32 1x1: 3", "f32 1x4: 0", "u8 1x1x4: 10 11 12 13", "f32 1x1: 2", "u8 1x1: 10" }, { "f32 1x4: 0 6 12 18" }, 0, "closed form" },

  /* equations */
  { "Einsum/product", "equation='ij,jk->ik'", { "~2x3", "~3x2" }, { "2x2" }, 3 | TWICE, NULL },
  { "Einsum/no-arrow", "equation='bij,bjk'", { "~2x1x3", "~2x3x2" }, { "1x2" }, 3, NULL },
  { "Einsum/sum", "equation='ij->'", { "~2x3" }, { "scalar" }, 1 | TWICE, NULL },
  { "Einsum/rows", "equation='iJk->k'", { "~2x3x2" }, { "2" }, 1, NULL },
  { "Einsum/transpose", "equation='ij->ji'", { "~2x3" }, { "3x2" }, 1 | TWICE, NULL },
  { "Einsum/diagonal-gradient", "equation='ii->i'", { "~3x3" }, { "3" }, 1 | TWICE, NULL },
  { "Einsum/trace-gradient", "equation='ii'", { "~3x3" }, { "scalar" }, 1 | TWICE, NULL },
  { "Einsum/batch-diagonal", "equation='...ii->...i'", { "~2x3x3" }, { "2x3" }, 1, NULL },
  { "Einsum/three-times", "equation='iii->i'", { "~2x2x2" }, { "2" }, 1, NULL },
  { "Einsum/three-operands", "equation='ij,jk,kl->il'", { "~2x3", "~3x2", "~2x2" }, { "2x2" }, 7 | TWICE, NULL },
  { "Einsum/dots-gradient", "equation='...ij,...jk->...ik'", { "~2x1x2x3", "~3x3x2" }, { "2x3x2x2" }, 3 | TWICE, NULL },
  { "Einsum/dots-summed", "equation='...i->i'", { "~2x3x2" }, { "2" }, 1, NULL },
  { "Einsum/ones-repeated", "equation='ij,ij->i'", { "~2x3", "~2x1" }, { "2" }, 3, NULL },
  { "Einsum/one-of-two", "equation='ij,j->i'", { "~2x3", "1: 2" }, { "2" }, 3, NULL },
  { "Einsum/outer-gradient", "equation='i,j->ij'", { "~2", "~3" }, { "2x3" }, 3 | TWICE, NULL },
  { "Einsum/left-alone", "equation='ij,k->k'", { "~2x3", "~2" }, { "2" }, 3, NULL },

  /* matrices */
  { "Det/gradient", NULL, { "2x2: 2 1 -1 3" }, { "scalar: 7" }, 1 | TWICE, NULL },
  { "Det/batches", NULL, { "2x3x3: 2 1 0 -1 3 1 0 1 1 1 0 2 0 1 0 3 0 1" }, { "2: 5 -5" }, 1 | TWICE, NULL },
  { "Det/singular-gradient", NULL, { "2x2: 1 2 2 4" }, { "scalar: 0" }, 1, NULL },
  { "Det/singular-batch", NULL, { "2x3x3: 1 2 3 2 4 6 1 0 1 0 0 0 0 0 0 0 0 5" }, { "2: 0 0" }, 1, NULL },
  { "Det/one", NULL, { "2x1x1: 3 0" }, { "2: 3 0" }, 1, NULL },
  { "sonde.Cofactor/signs", NULL, { "3x3: 1 2 3 0 4 5 1 0 6" }, { "3x3: 24 5 -4 -12 3 2 -2 -5 4" }, 0, "closed form" },
  { "sonde.Inverse/gradient", NULL, { "2x2x2: 2 1 -1 3 1 2 0 1" }, { "2x2x2" }, 1 | TWICE, NULL },

  /* transforms */
  { "DFT/gradient", NULL, { "~2x5x1" }, { "2x5x2" }, 1 | TWICE, NULL },
  { "DFT/complex-gradient", NULL, { "~1x4x2" }, { "1x4x2" }, 1 | TWICE, NULL },
  { "DFT/inverse-gradient", "inverse=1", { "~1x5x2" }, { "1x5x2" }, 1 | TWICE, NULL },
  { "DFT/one-sided-gradient", "onesided=1", { "~1x5x1" }, { "1x3x2" }, 1 | TWICE, NULL },
  { "DFT/one-sided-even", "onesided=1", { "~2x4x2" }, { "2x3x2" }, 1, NULL },
  { "DFT/inverse-half-gradient", "inverse=1 onesided=1", { "~1x3x2" }, { "1x4x1" }, 1 | TWICE, NULL },
  { "DFT/inverse-half-odd", "inverse=1 onesided=1", { "~1x3x2", "=i64 scalar: 5" }, { "1x5x1" }, 1, NULL },
  { "DFT/inverse-half-cut", "inverse=1 onesided=1", { "~1x5x2", "=i64 scalar: 4" }, { "1x4x1" }, 1, NULL },
  { "DFT/padded-gradient", NULL, { "~1x3x1", "=i64 scalar: 5" }, { "1x5x2" }, 1 | TWICE, NULL },
  { "DFT/cropped-gradient", NULL, { "~1x5x2", "=i64 scalar: 3" }, { "1x3x2" }, 1, NULL },
  { "DFT/axis-gradient", NULL, { "~3x2x2", "-", "=i64 scalar: 0" }, { "3x2x2" }, 1 | TWICE, NULL },
  { "STFT/gradient", NULL, { "~2x7x1", "=i64 scalar: 2", "~4" }, { "2x2x3x2" }, 5 | TWICE, NULL },
  { "STFT/flat-gradient", NULL, { "~2x7", "=i64 scalar: 2", "~4" }, { "2x2x3x2" }, 5 | TWICE, NULL },
  { "STFT/whole-gradient", "onesided=0", { "~1x6x2", "=i64 scalar: 1", "~3" }, { "1x4x3x2" }, 5, NULL },
  { "STFT/no-window", NULL, { "~1x6x1", "=i64 scalar: 1", "-", "=i64 scalar: 4" }, { "1x3x3x2" }, 1, NULL },
  { NULL },
};
