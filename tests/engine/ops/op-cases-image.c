/* SPDX-License-Identifier: Apache-2.0
 * Cases of operators on pictures: resizing, sampling, regions, pooling. What the standard's own cases leave out. */
#include "tests/engine/ops/op-case.h"

#define CLOSED "closed form"
#define TORCH "PyTorch 2.15"

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
  { NULL },
};
