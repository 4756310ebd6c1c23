/* SPDX-License-Identifier: Apache-2.0
 * Gradients of what samples pictures. */
#include "tests/engine/ops/op-cases-gradient.h"

#define GRID "2x2x3x2: -0.9 -0.7 0.13 0.31 0.77 -0.21 0.02 0.6 -0.35 1.3 1.7 0.15 0.45 0.33 -1.4 -0.2 0.8 0.9 -0.6 -1.6 0.07 -0.1 0.28 0.52"

/* Linear in the picture: second order too. */
const OpCase op_cases_gradient_image[] = {
  { "Resize/nearest", NULL, { "~1x2x2x3", "-", "=f32 4: 1 1 2 1.5" }, { "1x2x4x4" }, 1 },
  { "Resize/nearest-smaller", "nearest_mode='ceil' coordinate_transformation_mode='asymmetric'", { "~2x5x4", "-", "-", "=i64 3: 2 3 3" }, { "2x3x3" }, 1 },
  { "Resize/linear", "mode='linear'", { "~1x2x3x4", "-", "=f32 4: 1 1 1.7 0.6" }, { "1x2x5x2" }, 1 },
  { "Resize/linear-align-corners", "mode='linear' coordinate_transformation_mode='align_corners'", { "~1x1x3x4", "-", "-", "=i64 4: 1 1 5 7" }, { "1x1x5x7" }, 1 },
  { "Resize/linear-symmetric", "mode='linear' coordinate_transformation_mode='half_pixel_symmetric'", { "~1x1x5", "-", "=f32 3: 1 1 0.7" }, { "1x1x3" }, 1 },
  { "Resize/linear-pytorch", "mode='linear' coordinate_transformation_mode='pytorch_half_pixel'", { "~1x3x3", "-", "-", "=i64 3: 1 1 5" }, { "1x1x5" }, 1 },
  { "Resize/linear-antialias", "mode='linear' antialias=1", { "~1x1x6x7", "-", "-", "=i64 4: 1 1 3 3" }, { "1x1x3x3" }, 1 },
  { "Resize/cubic", "mode='cubic' cubic_coeff_a=-0.5", { "~1x2x4x4", "-", "=f32 4: 1 1 1.5 0.8" }, { "1x2x6x3" }, 1 },
  { "Resize/cubic-exclude-outside", "mode='cubic' exclude_outside=1 coordinate_transformation_mode='asymmetric'", { "~1x4x5", "-", "-", "=i64 3: 1 7 3" }, { "1x7x3" }, 1 },
  { "Resize/cubic-antialias", "mode='cubic' antialias=1", { "~1x1x7x6", "-", "-", "=i64 4: 1 1 3 4" }, { "1x1x3x4" }, 1 },
  { "Resize/crop", "mode='linear' coordinate_transformation_mode='tf_crop_and_resize' extrapolation_value=3.0",
    { "~1x1x4x4", "=f32 8: 0 0 0.2 0.3 1 1 1.2 0.9", "-", "=i64 4: 1 1 3 5" }, { "1x1x3x5" }, 1 },
  { "Resize/axes", "mode='linear' axes=[2,1]", { "~2x3x4", "-", "-", "=i64 2: 7 5" }, { "2x5x7" }, 1 },
  { "Resize/not-larger", "mode='linear' keep_aspect_ratio_policy='not_larger' axes=[1,2]", { "~1x4x3", "-", "-", "=i64 2: 6 9" }, { "1x6x5" }, 1 },
  { "Resize/nothing", "mode='linear'", { "~2x3", "-", "=f32 2: 1 1" }, { "2x3" }, 1 },
  { "Col2Im/overlap", "strides=[1,2] pads=[1,0,0,1]", { "~2x8x6", "=i64 2: 3 4", "=i64 2: 2 2" }, { "2x2x3x4" }, 1 },
  { "Col2Im/line", "dilations=[2] strides=[2]", { "~1x4x3", "=i64 1: 7", "=i64 1: 2" }, { "1x2x7" }, 1 },
  { "AffineGrid/plane", NULL, { "~2x2x3", "=i64 4: 2 3 3 4" }, { "2x3x4x2" }, 1 },
  { "AffineGrid/space", "align_corners=1", { "~1x3x4", "=i64 5: 1 1 2 3 2" }, { "1x2x3x2x3" }, 1 },
  { NULL },
};

const OpCase op_cases_gradient_sampling[] = {
  { "GridSample/linear", NULL, { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/linear-align", "align_corners=1", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/border", "padding_mode='border'", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/reflection", "padding_mode='reflection'", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/reflection-align", "padding_mode='reflection' align_corners=1", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/cubic", "mode='cubic'", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/cubic-border", "mode='cubic' padding_mode='border' align_corners=1", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/cubic-reflection", "mode='cubic' padding_mode='reflection'", { "~2x1x4x4", GRID }, { "2x1x2x3" }, 3 },
  { "GridSample/nearest", "mode='nearest'", { "~2x2x3x4", GRID }, { "2x2x2x3" }, 3 },
  { "GridSample/line", NULL, { "~1x2x4", "1x3x1: -0.8 0.1 0.73" }, { "1x2x3" }, 3 },
  { "GridSample/space", "padding_mode='border'", { "~1x1x2x3x3", "1x1x2x2x3: -0.8 0.1 0.73 0.3 -0.45 -1.3 0.2 0.9 -0.1 1.4 -0.6 0.31" },
    { "1x1x1x2x2" }, 3 },
  { NULL },
};
