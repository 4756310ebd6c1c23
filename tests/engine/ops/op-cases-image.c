/* SPDX-License-Identifier: Apache-2.0
 * Cases of operators on pictures: resizing, sampling, regions, pooling. What the standard's own cases leave out. */
#include "tests/engine/ops/op-case.h"

#define CLOSED "closed form"
#define TORCH "PyTorch 2.15"
#define ORT "ONNX Runtime 1.31"
#define NUMPY "NumPy in float64 after the operator's text"

#define PICTURE "1x2x2x3: 0 0.125 0.5 1.125 2 3.125 4.5 6.125 8 10.125 12.5 15.125"
#define GRID "1x2x2x2: -1.5 0.2 0.3 -1.1 0.9 1.9 3.25 -0.4"

#define FEATURES "1x2x3x4: 0 1 2.83 5.2 8 11.18 14.7 18.52 22.63 27 31.62 36.48 41.57 46.87 52.38 58.09 64 70.09 76.37 82.82 89.44 96.23 103.19 110.3"

const OpCase op_cases_image[] = {
  { "Resize/bytes", "mode='linear'", { "u8 1x1x3x4: 0 20 40 60 80 100 120 140 160 180 200 220", "-", "=f32 4: 1 1 1.5 0.5" },
    { "u8 1x1x4x2: 10 50 50 90 103 143 157 197" }, 0, "closed form, rounded to the nearest" },
  { "Resize/saturates", "mode='cubic'", { "i8 4: -128 127 -128 127", "-", "-", "=i64 1: 8" },
    { "i8 8: -128 -61 96 87 -88 -97 60 127" }, 0, "PyTorch 2.15, clipped to int8" },
  { "Resize/cubic", "mode='cubic'", { "1x1x3x4: 0 20 40 60 80 100 120 140 160 180 200 220", "-", "-", "=i64 4: 1 1 4 6" },
    { "1x1x4x6: -7.478298611111 2.3828125 18.51707175926 29.99855324074 46.1328125 55.99392361111 40.64670138889 50.5078125 "
      "66.64207175926 78.12355324074 94.2578125 104.1189236111 115.8810763889 125.7421875 141.8764467593 153.3579282407 "
      "169.4921875 179.3532986111 164.0060763889 173.8671875 190.0014467593 201.4829282407 217.6171875 227.4782986111" }, 0, TORCH },
  { "Resize/three", "mode='linear'", { "1x1x2x2x2: 0 1 2 3 4 5 6 7", "-", "-", "=i64 5: 1 1 3 2 1" },
    { "1x1x3x2x1: 0.5 2.5 2.5 4.5 4.5 6.5" }, 0, TORCH },
  { "Resize/antialias", "mode='linear' antialias=1 exclude_outside=1",
    { "1x1x4x5: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", "-", "-", "=i64 4: 1 1 2 3" },
    { "1x1x2x3: 4 5.571428571429 7.142857142857 11.85714285714 13.42857142857 15" }, 0, TORCH },
  { "Resize/integers", "axes=[-2]", { "i64 2x2: 1 2 3 9007199254740993", "-", "-", "=i64 1: 3" },
    { "i64 3x2: 1 2 1 2 3 9007199254740993" }, 0, CLOSED },
  { "Resize/crop", "mode='nearest' coordinate_transformation_mode='tf_crop_and_resize' extrapolation_value=9.5",
    { "1x4: 1 2 3 4", "=f32 4: 0 -0.5 1 1.5", "-", "=i64 2: 1 3" }, { "1x3: 9.5 2 9.5" }, 0, CLOSED },
  { "Resize/nothing", NULL, { "0x2:", "-", "=f32 2: 2 2" }, { "0x4:" }, 0, CLOSED },
  { "Resize/same", "mode='cubic'", { "2x2: 1 2 3 4", "-", "=f32 2: 1 1" }, { "2x2: 1 2 3 4" }, 0, CLOSED },

  { "GridSample/zeros", "mode='linear'", { PICTURE, GRID }, { "1x2x2x2: 0 0.1175 0 0 0 2.7875 0 0" }, 0, TORCH },
  { "GridSample/border", "padding_mode='border' align_corners=1", { PICTURE, GRID },
    { "1x2x2x2: 0.675 0.2375 3.0125 1.2875 7.875 6.6875 14.8625 10.1375" }, 0, TORCH },
  { "GridSample/reflection", "padding_mode='reflection'", { PICTURE, GRID },
    { "1x2x2x2: 0.95 0.29375 2.075 0.1125 8.975 6.96875 12.275 5.0625" }, 0, TORCH },
  { "GridSample/nearest-reflected", "mode='nearest' padding_mode='reflection' align_corners=1", { PICTURE, GRID },
    { "1x2x2x2: 1.125 0.125 3.125 0 10.125 6.125 15.125 4.5" }, 0, TORCH },
  { "GridSample/cubic", "mode='cubic'", { PICTURE, GRID },
    { "1x2x2x2: -0.09862976074219 -0.046035015625 -0.238608703125 0 -1.042509155273 2.491694234375 -1.121088515625 0" },
    0, TORCH },
  { "GridSample/cubic-reflected", "mode='cubic' padding_mode='reflection' align_corners=1", { PICTURE, GRID },
    { "1x2x2x2: 0.8965 0.27709221875 1.99534334375 0.258875 8.78125 6.96446721875 12.05996834375 5.85978125" }, 0, TORCH },
  { "GridSample/line", "align_corners=1", { "1x1x3: 1 2 4", "1x3x1: -0.5 0.5 1" }, { "1x1x3: 1.5 3 4" }, 0, CLOSED },
  { "GridSample/integers", "align_corners=1", { "i32 1x1x3: 1 2 5", "1x2x1: -0.5 0.5" }, { "i32 1x1x2: 1 3" }, 0, CLOSED },
  { "GridSample/no-number", "padding_mode='border'", { "1x1x3: 1 2 4", "1x2x1: nan inf" }, { "1x1x2: 1 4" }, 0, CLOSED },
  { "GridSample/nothing", NULL, { "1x1x3x3: 1 2 3 4 5 6 7 8 9", "1x0x2x2:" }, { "1x1x0x2:" }, 0, CLOSED },
  { "AffineGrid/plane", NULL, { "1x2x3: 1 0.5 -0.25 0.25 -1 0.5", "=i64 4: 1 1 2 3" },
    { "1x2x3x2: -1.166666666667 0.8333333333333 -0.5 1 0.1666666666667 1.166666666667 -0.6666666666667 -0.1666666666667 "
      "0 0 0.6666666666667 0.1666666666667" }, 0, TORCH },
  { "AffineGrid/corners", "align_corners=1", { "1x2x3: 1 0.5 -0.25 0.25 -1 0.5", "=i64 4: 1 1 1 3" },
    { "1x1x3x2: -1.25 0.25 -0.25 0.5 0.75 0.75" }, 0, TORCH },

  { "DepthToSpace/columns-first", "blocksize=2 mode='CRD'", { "1x8x1x1: 1 2 3 4 5 6 7 8" }, { "1x2x2x2: 1 2 3 4 5 6 7 8" }, 0, CLOSED },
  { "DepthToSpace/depth-first", "blocksize=2", { "i8 1x8x1x2: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" },
    { "i8 1x2x2x4: 0 4 1 5 8 12 9 13 2 6 3 7 10 14 11 15" }, 0, CLOSED },
  { "SpaceToDepth/depth-first", "blocksize=2", { "1x2x2x4: 0 4 1 5 8 12 9 13 2 6 3 7 10 14 11 15" },
    { "1x8x1x2: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" }, 0, CLOSED },
  { "SpaceToDepth/nothing", "blocksize=3", { "0x2x3x6:" }, { "0x18x1x2:" }, 0, CLOSED },
  { "CenterCropPad/odd", NULL, { "2x5: 1 2 3 4 5 6 7 8 9 10", "=i64 2: 3 2" }, { "3x2: 2 3 7 8 0 0" }, 0, CLOSED },
  { "CenterCropPad/one-axis", "axes=[-1]", { "u8 1x2: 7 9", "=i64 1: 5" }, { "u8 1x5: 0 7 9 0 0" }, 0, CLOSED },
  { "CenterCropPad/nothing", NULL, { "2: 1 2", "=i64 1: 0" }, { "0:" }, 0, CLOSED },

  { "MaxPool/bytes", "kernel_shape=[2] strides=[2]", { "i8 1x2x4: -3 -128 7 5 1 2 -1 -2" },
    { "i8 1x2x2: -3 7 2 -1", "i64 1x2x2: 0 2 5 6" }, 0, CLOSED },
  { "MaxPool/bytes-padded", "kernel_shape=[2,2] pads=[1,0,0,1]", { "u8 1x1x2x2: 1 2 255 4" }, { "u8 1x1x2x2: 2 2 255 4" }, 0, CLOSED },
  { "LpPool/one", "kernel_shape=[2] p=1", { "1x1x5: 1 -2 3 -4 5" }, { "1x1x4: 3 5 7 9" }, 0, CLOSED },
  { "LpPool/three", "kernel_shape=[3] p=3 strides=[2]", { "1x1x5: 1 -2 3 -4 5" }, { "1x1x2: 3.301927248895 6" }, 0, CLOSED },
  { "LpPool/two", "kernel_shape=[2] pads=[1,1] strides=[3]", { "1x1x4: 3 1 4 -6" }, { "1x1x2: 3 7.211102550928" }, 0, CLOSED },
  { "GlobalLpPool/two", NULL, { "1x2x2x1: 3 4 -5 12" }, { "1x2x1x1: 5 13" }, 0, CLOSED },
  { "GlobalLpPool/three", "p=3", { "1x1x3: 3 -4 5" }, { "1x1x1: 6" }, 0, CLOSED },
  { "MaxUnpool/padded", "kernel_shape=[2] strides=[2] pads=[1,1]", { "1x1x2: 5 7", "i64 1x1x2: 0 1" }, { "1x1x2: 5 7" }, 0, CLOSED },
  { "MaxUnpool/larger", "kernel_shape=[2,2] strides=[2,2]", { "1x1x1x1: 5", "i64 1x1x1x1: 3", "=i64 4: 1 1 3 3" },
    { "1x1x3x3: 0 0 0 0 5 0 0 0 0" }, 0, CLOSED },

  { "RoiAlign/half-pixel", "output_width=2 spatial_scale=0.875", { FEATURES, "2x4: 0.5 0.2 2.5 1.9 -2 -2 1.6 1.2", "i64 2: 0 0" },
    { "2x2x1x2: 4.067328125 5.897296875 53.0741171875 58.051484375 0 0.4063003472222 0 29.23631857639" }, 0, NUMPY },
  { "RoiAlign/output-half-pixel", "output_width=2 spatial_scale=0.875 coordinate_transformation_mode='output_half_pixel'",
    { FEATURES, "2x4: 0.5 0.2 2.5 1.9 -2 -2 1.6 1.2", "i64 2: 0 0" },
    { "2x2x1x2: 10.81506054687 13.64515234375 67.87609570313 73.28095703125 0.7777777777778 2.224952256944 16.03736111111 "
      "34.33340104167" }, 0, NUMPY },
  { "MaxRoiPool/boxes", "pooled_shape=[2,2]", { FEATURES, "3x5: 0 0.5 0.2 2.5 1.9 0 1 1 9 9 0 2 2 1 1" },
    { "3x2x2x2: 14.7 18.52 31.62 36.48 76.37 82.82 103.19 110.3 36.48 0 0 0 110.3 0 0 0 31.62 31.62 31.62 31.62 103.19 "
      "103.19 103.19 103.19" }, 0, ORT },
  { "NonMaxSuppression/two", NULL,
    { "f32 1x3x4: 0 0 1 1 0 0.1 1 1.1 0 10 1 11", "f32 1x1x3: 0.9 0.95 0.1", "=i64 scalar: 5", "=f32 scalar: 0.5" },
    { "i64 2x3: 0 0 1 0 0 2" }, 0, CLOSED },
  { "NonMaxSuppression/none", NULL, { "f32 1x1x4: 0 0 1 1", "f32 1x1x1: 0.9" }, { "i64 0x3:" }, 0, CLOSED },
  { "NonMaxSuppression/equal-scores", "center_point_box=1",
    { "f32 1x3x4: 0 0 2 2 0 0 2 2 5 5 1 1", "f32 1x1x3: 1 1 1", "=i64 1: 9", "=f32 1: 0.9", "=f32 1: 0" },
    { "i64 2x3: 0 0 0 0 0 2" }, 0, CLOSED },

  { "DeformConv/shifted", NULL,
    { "1x1x3x3: 1 2 3 4 5 6 7 8 9", "1x1x1x1: 2", "1x2x3x3: 0 0 0 1 0 0 0 0 0.5 0 0 0.25 0 0 -1 0 9 0", "1: 0.5",
      "1x1x3x3: 1 1 0.5 1 1 1 1 1 1" },
    { "1x1x3x3: 2.5 4.5 2.75 14.5 10.5 10.5 14.5 0.5 9.5" }, 0, CLOSED },
  { "DeformConv/line", "group=2 offset_group=2 strides=[2]",
    { "1x2x4: 1 2 3 4 5 6 7 8", "2x1x2: 1 1 1 -1", "1x4x2: 0 0 0.5 0 1 0 0 -0.5" }, { "1x2x2: 3.5 7 0 -0.5" }, 0, CLOSED },
  { "Col2Im/overlap", NULL, { "1x2x3: 1 2 3 4 5 6", "=i64 1: 4", "=i64 1: 2" }, { "1x1x4: 1 6 8 6" }, 0, CLOSED },
  { "Col2Im/integers", "strides=[2] pads=[1,0]", { "i8 1x2x2: 1 2 100 50", "=i64 1: 3", "=i64 1: 2" }, { "i8 1x1x3: 100 2 50" }, 0, CLOSED },

  { "GridSample/cubic-border", "mode='cubic' padding_mode='border'", { PICTURE, GRID },
    { "1x2x2x2: 0.811125 0.13971246875 3.24976953125 0.71525 8.555625 6.63457184375 15.41612890625 8.58425" }, 0, TORCH },
  { "AveragePool/ceil-shorter", "kernel_shape=[3] strides=[3] dilations=[2] ceil_mode=1", { "1x1x4: 1 2 3 4" }, { "1x1x1: 2" }, 0, ORT },
  { "MaxPool/column-major", "kernel_shape=[1,1,1] storage_order=1", { "1x1x2x2x2: 1 2 3 4 5 6 7 8" },
    { "1x1x2x2x2: 1 2 3 4 5 6 7 8", "i64 1x1x2x2x2: 0 4 2 6 1 5 3 7" }, 0, ORT },

  { "Resize/float-factor", "coordinate_transformation_mode='asymmetric' nearest_mode='floor'",
    { "7: 0 1 2 3 4 5 6", "-", "=f32 1: 0.8" }, { "5: 0 1 2 3 5" }, 0, ORT },
  { NULL },
};
