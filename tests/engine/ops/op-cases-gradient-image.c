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
  { "RoiAlign/mean", "output_width=2 output_height=2 spatial_scale=0.8", { "~2x2x5x4", "2x4: 0.5 0.2 3.5 3.9 -2 -1 2.7 4.1", "i64 2: 1 0" },
    { "2x2x2x2" }, 1 },
  { "RoiAlign/output-half-pixel", "output_width=3 sampling_ratio=2 coordinate_transformation_mode='output_half_pixel'",
    { "~1x1x4x5", "1x4: 0.5 0.2 3.5 3.9", "i64 1: 0" }, { "1x1x1x3" }, 1 },
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
  { "RoiAlign/max", "output_width=2 output_height=2 sampling_ratio=2 mode='max'", { "+2x2x5x4", "2x4: 0.5 0.2 3.5 3.9 1 0.4 2.7 4.1", "i64 2: 1 0" },
    { "2x2x2x2" }, 1 },
  { "MaxRoiPool/boxes", "pooled_shape=[2,2] spatial_scale=0.5", { "~2x2x4x4", "3x5: 0 0.5 0.2 5.5 5.9 1 1 1 9 9 0 4 4 2 2" }, { "3x2x2x2" }, 1 },
  { "sonde.CropAndResize/boxes", "extrapolation_value=2.0", { "~2x2x4x5", "3x4: 0.1 0.15 0.8 0.9 0.31 0.2 0.62 1.3 0.9 0.7 0.2 0.1", "i32 3: 1 0 1", "=i64 2: 3 2" },
    { "3x2x3x2" }, 3 },
  { "sonde.CropAndResize/one", NULL, { "~1x2x4x5", "1x4: 0.1 0.15 0.8 0.9", "i64 1: 0", "=i64 2: 1 1" }, { "1x2x1x1" }, 3 },
  { "sonde.CropAndResize/nearest", "mode='nearest'", { "~1x2x4x5", "1x4: 0.1 0.15 0.8 0.9", "i64 1: 0", "=i64 2: 2 3" }, { "1x2x2x3" }, 1 },
  { "DeformConv/plain", NULL, { "~2x2x4x4", "~3x2x2x2", "2x8x3x3: -0.31 0.27 0.63 0.18 -0.72 1.36 0.11 -0.23 0.44 0.52 -0.61 0.29 0.37 0.83 -0.17 0.21 0.67 "
    "-0.47 0.33 0.14 -1.13 0.74 0.58 -0.38 0.26 0.41 -0.89 0.62 -0.27 0.36 0.15 0.71 -0.53 0.88 -0.16 0.34 0.22 -0.66 0.49 0.81 "
    "-0.19 0.57 -0.42 0.13 0.76 -0.35 0.64 0.28 -0.78 0.46 0.39 -0.24 0.69 0.12 -0.55 0.32 0.84 -0.43 0.17 0.59 -0.68 0.25 0.73 "
    "-0.37 0.48 0.16 -0.82 0.54 0.23 -0.63 0.42 0.79 -0.29 0.65 -0.14 0.38 0.86 -0.51 0.19 0.61 -0.33 0.47 -0.77 0.24 0.56 -0.18 "
    "0.72 0.35 -0.45 0.87 0.26 -0.58 0.43 0.15 -0.69 0.31 0.62 -0.21 0.53 -0.84 0.37 0.74 -0.28 0.49 0.66 -0.39 0.17 0.57 -0.73 "
    "0.22 0.81 -0.46 0.34 0.63 -0.12 0.55 -0.87 0.41 0.78 -0.25 0.51 0.18 -0.64 0.29 0.71 -0.36 0.47 -0.53 0.85 0.13 -0.76 0.32 "
    "0.59 -0.44 0.27 0.68 -0.15 0.83 -0.57 0.24 0.75 -0.31" }, { "2x3x3x3" }, 7 },
  { "DeformConv/everything", "group=2 offset_group=2 pads=[1,0,0,1] strides=[2,1] dilations=[1,2]",
    { "~1x4x3x3", "~2x2x2x2", "1x16x2x2: -0.31 0.27 0.63 0.18 -0.72 1.36 0.11 -0.23 0.44 0.52 -0.61 0.29 0.37 0.83 -0.17 0.21 0.67 -0.47 0.33 0.14 -1.13 "
    "0.74 0.58 -0.38 0.26 0.41 -0.89 0.62 -0.27 0.36 0.15 0.71 -0.53 0.88 -0.16 0.34 0.22 -0.66 0.49 0.81 -0.19 0.57 -0.42 0.13 "
    "0.76 -0.35 0.64 0.28 -0.78 0.46 0.39 -0.24 0.69 0.12 -0.55 0.32 0.84 -0.43 0.17 0.59 -0.68 0.25 0.73 -0.37", "~2", "+1x8x2x2" }, { "1x2x2x2" }, 31 },
  { "DeformConv/line", NULL, { "~1x2x5", "~2x2x2", "1x2x4: 0.3 -0.4 0.6 0.21 -0.7 1.2 -0.33 0.45", "~2" }, { "1x2x4" }, 15 },
  { "GridSample/line", NULL, { "~1x2x4", "1x3x1: -0.8 0.1 0.73" }, { "1x2x3" }, 3 },
  { "GridSample/space", "padding_mode='border'", { "~1x1x2x3x3", "1x1x2x2x3: -0.8 0.1 0.73 0.3 -0.45 -1.3 0.2 0.9 -0.1 1.4 -0.6 0.31" },
    { "1x1x1x2x2" }, 3 },
  { NULL },
};
