/* SPDX-License-Identifier: Apache-2.0
 * Gradients of operators that move, pick, put and make elements: first and second order, with indices that name a
 * place twice, negative axes, nothing at all. */
#include "tests/engine/ops/op-case.h"

#define TWICE OP_CASE_TWICE

const OpCase op_cases_gradient_move[] = {
  /* moves */
  { "Transpose/twice", "perm=[1,2,0]", { "~2x1x3" }, { "1x3x2" }, 1 | TWICE, NULL },
  { "Expand/twice", NULL, { "~2x1", "=i64 3: 2 1 3" }, { "2x2x3" }, 1 | TWICE, NULL },
  { "Tile/gradient", NULL, { "~2x3", "=i64 2: 3 2" }, { "6x6" }, 1 | TWICE, NULL },
  { "Tile/row", NULL, { "~3", "=i64 1: 4" }, { "12" }, 1, NULL },
  { "Tile/no-repeat", NULL, { "~2x1x2", "=i64 3: 1 0 2" }, { "2x0x4" }, 1, NULL },
  { "Tile/nothing", NULL, { "2x0:", "=i64 2: 2 2" }, { "4x0:" }, 1, NULL },
  { "sonde.TileGrad/columns", NULL, { "1x4: 1 2 3 4", "1x2: 0", "=i64 2: 1 2" }, { "1x2: 4 6" }, 1 | TWICE, "closed form" },
  { "Concat/twice", "axis=-1", { "~2x1", "~2x2", "~2x1" }, { "2x4" }, 7 | TWICE, NULL },
  { "Concat/one-wanted-twice", "axis=0", { "~2x3", "~1x3" }, { "3x3" }, 2 | TWICE, NULL },
  { "Split/twice", "axis=0 num_outputs=2", { "~5" }, { "3", "2" }, 1 | TWICE, NULL },
  { "Slice/twice", NULL, { "~2x4", "=i64 2: 1 -1", "=i64 2: 2 -9", "=i64 2: 0 1", "=i64 2: 1 -2" }, { "1x2" }, 1 | TWICE, NULL },
  { "Pad/twice", NULL, { "~2x2", "=i64 4: 0 1 1 -1", "scalar: 9" }, { "3x2" }, 5 | TWICE, NULL },
  { "Pad/edge-twice", "mode='edge'", { "~1x3", "=i64 2: 1 2", "-", "=i64 1: -1" }, { "1x6" }, 1 | TWICE, NULL },
  { "Pad/reflect-twice", "mode='reflect'", { "~3", "=i64 2: 2 1" }, { "6" }, 1 | TWICE, NULL },
  { "Pad/value-list", NULL, { "~2", "=i64 2: 1 1", "1: 9", "=i64 1: 0" }, { "4" }, 5, NULL },
  { "Trilu/gradient", NULL, { "~2x3x3" }, { "2x3x3" }, 1 | TWICE, NULL },
  { "Trilu/lower-gradient", "upper=0", { "~3x4", "=i64 scalar: 1" }, { "3x4" }, 1, NULL },
  { "ReverseSequence/gradient", "batch_axis=0 time_axis=1", { "~2x3x2", "i64 2: 3 2" }, { "2x3x2" }, 1 | TWICE, NULL },
  { "DepthToSpace/gradient", "blocksize=2", { "~1x8x2x1" }, { "1x2x4x2" }, 1 | TWICE, NULL },
  { "DepthToSpace/columns-gradient", "blocksize=2 mode='CRD'", { "~1x8x1x2" }, { "1x2x2x4" }, 1 | TWICE, NULL },
  { "SpaceToDepth/gradient", "blocksize=2", { "~1x2x2x4" }, { "1x8x1x2" }, 1 | TWICE, NULL },
  { "CenterCropPad/gradient", NULL, { "~5x2", "=i64 2: 2 5" }, { "2x5" }, 1 | TWICE, NULL },
  { "CenterCropPad/axes-gradient", "axes=[-1,0]", { "~3x2x4", "=i64 2: 1 6" }, { "6x2x1" }, 1, NULL },
  { "Dropout/training-twice", NULL, { "~20", "scalar: 0.25", "bool scalar: 1" }, { "20" }, 1 | TWICE, NULL },
  { "Reshape/twice", NULL, { "~2x3", "=i64 2: 3 2" }, { "3x2" }, 1 | TWICE, NULL },

  /* picks */
  { "Gather/gradient-twice", "axis=1", { "~2x3", "=i64 1x3: 1 1 -1" }, { "2x1x3" }, 1 | TWICE, NULL },
  { "GatherElements/gradient", "axis=0", { "~3x2", "i64 2x2: 2 0 -1 -3" }, { "2x2" }, 1 | TWICE, NULL },
  { "GatherElements/last-axis", "axis=-1", { "~1x3x2", "i32 1x2x3: 1 1 0 -2 0 1" }, { "1x2x3" }, 1, NULL },
  { "GatherND/gradient", NULL, { "~2x2x2", "i64 3x1: 1 -2 1" }, { "3x2x2" }, 1 | TWICE, NULL },
  { "GatherND/elements-gradient", NULL, { "~2x3", "i64 2x2x2: 0 0 -1 -1 0 0 1 1" }, { "2x2" }, 1, NULL },
  { "GatherND/batches-gradient", "batch_dims=1", { "~2x3x2", "i64 2x2x1: 0 2 -1 0" }, { "2x2x2" }, 1 | TWICE, NULL },
  { "GatherND/nothing", NULL, { "~2x3", "i64 0x1:" }, { "0x3:" }, 1, NULL },
  { "sonde.GatherNDGrad/twice-named", NULL, { "3: 1 2 4", "2x2: 0", "=i64 3x2: 0 1 0 1 -1 0" }, { "2x2: 0 3 4 0" }, 1 | TWICE, "closed form" },
  { "TopK/gradient", NULL, { "~2x5", "=i64 1: 2" }, { "2x2" }, 1 | TWICE, NULL },
  { "TopK/smallest-gradient", "axis=0 largest=0", { "~4x2", "=i64 1: 3" }, { "3x2", "i64 3x2" }, 1, NULL },
  { "TopK/whole-none", NULL, { "~2x3", "=i64 1: 0" }, { "2x0:" }, 1, NULL },
  { "Compress/gradient", "axis=1", { "~2x3", "bool 3: 0 1 1" }, { "2x2" }, 1, NULL },
  { "Compress/flat-gradient", NULL, { "~2x2", "bool 4: 1 0 0 1" }, { "2" }, 1, NULL },
  { "Compress/nothing-gradient", "axis=-2", { "~2x2", "bool 2: 0 0" }, { "0x2:" }, 1, NULL },

  /* puts */
  { "ScatterElements/gradient", "axis=0", { "~3x2", "i64 1x2: 2 -3", "~1x2" }, { "3x2" }, 5 | TWICE, NULL },
  { "ScatterElements/twice-named", "axis=-1", { "~2x3", "i64 2x3: 1 1 -2 0 2 0", "~2x3" }, { "2x3" }, 5, NULL },
  { "ScatterElements/add-gradient", "axis=1 reduction='add'", { "~2x3", "i64 1x3: 1 1 0", "~1x3" }, { "2x3" }, 5 | TWICE, NULL },
  { "ScatterElements/product-gradient", "axis=0 reduction='mul'", { "+4", "i64 4: 1 1 3 -1", "+4" }, { "4" }, 5 | TWICE, NULL },
  { "ScatterElements/product-of-zeros", "axis=0 reduction='mul'", { "4: 0 2 0 3", "i64 5: 0 1 1 2 3", "5: 4 0 5 0 6" }, { "4: 0 0 0 18" }, 5, NULL },
  { "ScatterElements/largest-gradient", "axis=0 reduction='max'", { "~4", "i64 5: 1 1 3 -1 0", "~5" }, { "4" }, 5 | TWICE, NULL },
  { "ScatterElements/smallest-gradient", "axis=1 reduction='min'", { "~2x2", "i64 2x2: 1 1 0 1", "~2x2" }, { "2x2" }, 5, NULL },
  { "ScatterND/gradient", NULL, { "~3x2", "i64 2x1: 2 0", "~2x2" }, { "3x2" }, 5 | TWICE, NULL },
  { "ScatterND/twice-named", NULL, { "~2x2", "i64 3x2: 0 1 0 1 -1 0", "~3" }, { "2x2" }, 5, NULL },
  { "ScatterND/slices-twice-named", NULL, { "~2x2", "i64 3x1: 1 0 -1", "~3x2" }, { "2x2" }, 5, NULL },
  { "ScatterND/add-gradient", "reduction='add'", { "~2x2", "i64 3x2: 0 1 0 1 -1 0", "~3" }, { "2x2" }, 5 | TWICE, NULL },
  { "ScatterND/product-gradient", "reduction='mul'", { "+2x2", "i64 3x1: 1 1 0", "+3x2" }, { "2x2" }, 5, NULL },
  { "ScatterND/largest-gradient", "reduction='max'", { "~2x2", "i64 3x1: 1 1 0", "~3x2" }, { "2x2" }, 5, NULL },
  { "ScatterND/nothing-gradient", NULL, { "~2", "i64 0x1:", "0:" }, { "2" }, 5, NULL },
  { "TensorScatter/gradient", NULL, { "~2x1x3x2", "~2x1x2x2", "i64 2: 0 1" }, { "2x1x3x2" }, 3 | TWICE, NULL },
  { "TensorScatter/circular-gradient", "mode='circular' axis=1", { "~1x3", "~1x2", "i64 1: 5" }, { "1x3" }, 3, NULL },
  { "TensorScatter/start", "axis=-1", { "~2x3", "~2x2" }, { "2x3" }, 3, NULL },

  /* values that fill */
  { "OneHot/gradient", NULL, { "i64 3: 0 -1 5", "=i64 scalar: 3", "~2" }, { "3x3" }, 4 | TWICE, NULL },
  { "OneHot/axis-gradient", "axis=0", { "i64 2x2: 0 1 2 1", "=i64 1: 3", "~2" }, { "3x2x2" }, 4, NULL },
  { "EyeLike/flat", NULL, { "~2x2" }, { "2x2" }, 1, NULL },
  { "Hardmax/flat", NULL, { "~2x3" }, { "2x3" }, 1, NULL },
  { "ConstantOfShape/none-wanted", "value={f32_1:_2}", { "=i64 1: 2" }, { "f32 2: 2 2" }, 0, NULL },
  { NULL },
};
