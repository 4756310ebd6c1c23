/* SPDX-License-Identifier: Apache-2.0
 * Every operator the cpu device has a kernel for, against the reference device, on random inputs
 * over several shapes; on one and two threads. A row of the device's tables without a case here
 * fails. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/sonde-device.h"
#include "engine/ops/sonde-build.h"

#include <math.h>
#include <string.h>

/**
 * Case: one node
 * @inputs: "DTYPE SHAPE", separated by ";": "f32 2x3"; "-" is absent; "ints 0,2" and "f32=0.5" are
 *   constants; "const 2x3" is a float32 constant; "labels 4<10" is int64 [4] below 10; "positive 3"
 *   float32 in 0.5…1.5; "wide 3" in -30…30; "special 3" has NaN, infinities, zeros of both signs
 *   and subnormal numbers
 * @attributes: "name=value" separated by ";": a number with a point is a float, "1,2" (or "1,") a
 * list
 */
typedef struct
{
  const char *domain, *op, *inputs, *attributes;
  guint n_outputs;
  double tolerance;
} Case;

static const Case cases[] = {
  /* convolutions: odd channels, strides, dilation, groups, one dimension, uneven padding, no
   * bias */
  { "", "Conv", "f32 2x1x28x28;f32 6x1x5x5;f32 6", "pads=2,2,2,2", 1, 1e-5 },
  { "", "Conv", "f32 3x6x14x14;f32 16x6x5x5;f32 16", "", 1, 1e-5 },
  { "", "Conv", "f32 1x16x9x7;f32 24x16x3x3;-", "pads=1,1,1,1;strides=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x8x10x10;f32 12x4x3x3;f32 12", "group=2;pads=1,0,2,1", 1, 1e-5 },
  { "", "Conv", "f32 2x8x10x10;f32 8x1x3x3;f32 8", "group=8;pads=1,1,1,1", 1, 1e-5 },
  { "", "Conv", "f32 1x3x12x12;f32 5x3x3x3", "dilations=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x4x20;f32 7x4x3;f32 7", "strides=2,", 1, 1e-5 },
  /* few channels and constant weights: places or output channels as vectors, parts of images, rows
   * of any length */
  { "", "Conv", "f32 16x1x28x28;const 6x1x5x5;const 6", "pads=2,2,2,2", 1, 1e-5 },
  { "", "Conv", "f32 16x6x14x14;const 16x6x5x5;const 16", "", 1, 1e-5 },
  { "", "Conv", "f32 1x3x70x33;const 13x3x3x3", "pads=1,0,2,1", 1, 1e-5 },
  { "", "Conv", "f32 2x3x20x9;const 32x3x3x2;-", "pads=2,1,2,1;dilations=2,3", 1, 1e-5 },
  { "", "Conv", "f32 1x8x5x2;const 7x8x1x1;const 7", "", 1, 1e-5 },
  { "", "Conv", "f32 1x2x40x230;const 48x2x3x3;const 48", "pads=1,1,1,1", 1, 1e-5 },
  { "", "Conv", "f32 1x4x1x3;const 5x4x7x3", "pads=9,0,4,1", 1, 1e-5 },
  { "", "Conv", "f32 2x8x20x1;f32 12x4x5x1;f32 12", "group=2;pads=2,0,1,0;strides=2,1", 1, 1e-5 },
  { "", "Conv", "f32 2x8x20x1;f32 12x8x5x1", "dilations=2,1", 1, 1e-5 },
  { "", "Conv", "f32 1x2x5x6x7;f32 3x2x2x2x2", "", 1, 1e-5 },
  { "", "Conv", "f32 2x64x1x1;f32 10x64x1x1;f32 10", "", 1, 1e-5 },
  /* each channel alone: vectors of channels, whole, overlapping, fewer; edges wider than the
   * data */
  { "", "Conv", "f32 2x64x50;const 64x1x9;const 64", "group=64;pads=4,4", 1, 1e-5 },
  { "", "Conv", "f32 1x24x37;f32 24x1x5;f32 24", "group=24;pads=3,1;strides=2,;dilations=3,", 1,
    1e-5 },
  { "", "Conv", "f32 2x5x19;const 5x1x4", "group=5;pads=0,7;strides=3,", 1, 1e-5 },
  { "", "Conv", "f32 1x128x6;const 128x1x7;const 128", "group=128;pads=30,30;dilations=5,", 1,
    1e-5 },
  /* Channels around the border of a vector of 8 and of 16. */
  { "", "Conv", "f32 2x7x29;f32 7x1x5;f32 7", "group=7;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x8x29;f32 8x1x5;f32 8", "group=8;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x9x29;f32 9x1x5", "group=9;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x15x29;f32 15x1x5;f32 15", "group=15;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x16x29;f32 16x1x5", "group=16;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x17x29;f32 17x1x5;f32 17", "group=17;pads=2,2;strides=2,", 1, 1e-5 },
  { "", "Conv", "f32 2x64x9;f32 64x1x5", "group=64;pads=2,2", 1, 1e-5 },
  { "", "Conv", "f32 2x33x14x13;const 33x1x7x3;const 33", "group=33;pads=9,2,9,2;dilations=3,2", 1,
    1e-5 },
  { "", "Conv", "f32 1x16x5x6x7;const 16x1x3x2x3;const 16",
    "group=16;pads=1,0,1,1,1,0;strides=1,2,1", 1, 1e-5 },
  /* along a row */
  { "", "Conv", "f32 1x32x70;const 48x32x3;const 48", "pads=4,4;dilations=4,", 1, 1e-5 },
  { "", "Conv", "f32 1x1x400;const 32x1x10", "strides=5,", 1, 1e-5 },
  { "", "Conv", "f64 1x2x5x5;f64 3x2x3x3", "", 1, 1e-12 },
  { "sonde", "ConvGradInput", "f32 2x6x28x28;f32 6x1x5x5;f32 2x1x28x28", "pads=2,2,2,2", 1, 1e-5 },
  { "sonde", "ConvGradInput", "f32 3x16x10x10;f32 16x6x5x5;f32 3x6x14x14", "", 1, 1e-5 },
  { "sonde", "ConvGradInput", "f32 2x12x10x10;f32 12x4x3x3;f32 2x8x10x10", "group=2;pads=1,1,1,1",
    1, 1e-5 },
  { "sonde", "ConvGradInput", "f32 1x24x5x4;f32 24x16x3x3;f32 1x16x9x7", "pads=1,1,1,1;strides=2,2",
    1, 1e-5 },
  { "sonde", "ConvGradInput", "f32 2x12x18x1;f32 12x4x5x1;f32 2x8x20x1", "group=2;pads=1,0,1,0", 1,
    1e-5 },
  { "sonde", "ConvGradWeight", "f32 2x12x18x1;f32 2x8x20x1;f32 12x4x5x1", "group=2;pads=1,0,1,0", 1,
    1e-4 },
  { "sonde", "ConvGradWeight", "f32 2x6x28x28;f32 2x1x28x28;f32 6x1x5x5", "pads=2,2,2,2", 1, 1e-4 },
  { "sonde", "ConvGradWeight", "f32 3x16x10x10;f32 3x6x14x14;f32 16x6x5x5", "", 1, 1e-4 },
  { "sonde", "ConvGradWeight", "f32 2x12x10x10;f32 2x8x10x10;f32 12x4x3x3", "group=2;pads=1,1,1,1",
    1, 1e-4 },
  { "sonde", "ConvGradWeight", "f32 1x24x5x4;f32 1x16x9x7;f32 24x16x3x3",
    "pads=1,1,1,1;strides=2,2", 1, 1e-4 },
  { "", "ConvTranspose", "f32 2x6x5x7;f32 6x4x3x3;f32 4",
    "strides=2,2;pads=1,1,1,1;output_padding=1,1", 1, 1e-5 },
  { "", "ConvTranspose", "f32 1x8x5x7;f32 8x4x2x2", "strides=2,2", 1, 1e-5 },
  { "", "ConvTranspose", "f32 2x8x9;f32 8x3x4;f32 6", "group=2;strides=3,;dilations=2,", 1, 1e-5 },
  { "", "ConvTranspose", "f32 1x3x4x4;f32 3x5x3x3;f32 5", "pads=0,1,2,0", 1, 1e-5 },
  { "", "ConvInteger", "u8 2x3x11x9;i8 5x3x3x3", "pads=1,1,1,1", 1, 0 },
  { "", "ConvInteger", "i8 2x3x11x9;u8 5x3x3x3;i8 1;u8 5", "pads=1,0,2,1;strides=2,2", 1, 0 },
  { "", "ConvInteger", "u8 1x8x10x10;u8 12x4x3x3;u8 1;u8 1", "group=2;dilations=2,2;pads=3,3,3,3",
    1, 0 },
  { "", "ConvInteger", "i8 2x4x20;i8 7x4x5;i8 1", "strides=3,;pads=2,2", 1, 0 },
  { "", "ConvInteger", "u8 1x2x5x6x7;i8 3x2x2x2x2;u8 1;i8 3", "pads=1,1,1,1,1,1", 1, 0 },
  { "", "ConvInteger", "u8 1x3x4x4;i8 2x3x3x3;u8 1", "pads=4,4,4,4;strides=3,3", 1, 0 },
  /* More than a block of taps, of places and of filters, and fewer in the last ones. */
  { "", "ConvInteger", "u8 1x30x13x11;u8 70x30x3x3;u8 1;u8 70", "pads=1,1,1,1", 1, 0 },
  { "", "ConvInteger", "i8 2x65x17x19;i8 130x65x2x2;i8 1;i8 1", "strides=1,2", 1, 0 },
  /* Rows of the image of one to nine places. */
  { "", "ConvInteger", "u8 1x2x5x1;i8 3x2x3x1;u8 1", "", 1, 0 },
  { "", "ConvInteger", "u8 1x2x5x3;i8 3x2x3x3;u8 1", "pads=1,1,1,1", 1, 0 },
  { "", "ConvInteger", "i8 1x2x5x5;i8 3x2x3x3;i8 1", "pads=1,1,1,1", 1, 0 },
  { "", "ConvInteger", "u8 1x2x5x7;i8 3x2x3x3;u8 1", "pads=1,1,1,1", 1, 0 },
  { "", "ConvInteger", "i8 1x2x5x9;i8 3x2x3x3;i8 1", "pads=1,1,1,1", 1, 0 },
  { "", "MatMulInteger", "u8 17x31;i8 31x23;u8 1;i8 23", "", 1, 0 },
  { "", "MatMulInteger", "i8 2x1x9x300;u8 3x300x70;i8 1;u8 1", "", 1, 0 },
  { "", "DynamicQuantizeLinear", "f32 7x13x91", "", 3, 0 },
  { "", "DynamicQuantizeLinear", "special 301", "", 3, 0 },
  { "", "DynamicQuantizeLinear", "positive 5", "", 3, 0 },
  /* matrices */
  { "", "Gemm", "f32 64x400;f32 120x400;f32 120", "transB=1", 1, 1e-5 },
  { "", "Gemm", "f32 5x7;f32 7x3;f32 5x3", "", 1, 1e-5 },
  { "", "Gemm", "f32 7x5;f32 7x3;f32 1x3", "transA=1", 1, 1e-5 },
  { "", "Gemm", "f32 7x5;f32 3x7;-", "transA=1;transB=1;alpha=0.5", 1, 1e-5 },
  { "", "Gemm", "f32 4x5;f32 5x3;f32 4x1", "alpha=2.0;beta=0.5", 1, 1e-5 },
  { "", "Gemm", "f32 4x5;f32 5x3;f32=0.5", "", 1, 1e-5 },
  { "", "MatMul", "f32 17x31;f32 31x5", "", 1, 1e-5 },
  { "", "MatMul", "f32 2x3x17x31;f32 31x5", "", 1, 1e-5 },
  { "", "MatMul", "f32 2x3x4x5;f32 3x5x6", "", 1, 1e-5 },
  { "", "MatMul", "f32 2x1x4x5;f32 1x3x5x6", "", 1, 1e-5 },
  { "", "MatMul", "f32 5;f32 5x6", "", 1, 1e-5 },
  { "", "MatMul", "f64 4x5;f64 5x6", "", 1, 1e-12 },
  /* pooling: ties are likely after Relu-like inputs ("ties" has few different values) */
  { "", "MaxPool", "ties 2x6x28x28", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "MaxPool", "f32 2x5x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 0 },
  { "", "MaxPool", "f32 1x3x10x10", "kernel_shape=3,2;dilations=2,3;ceil_mode=1;strides=2,2", 1,
    0 },
  { "", "MaxPool", "f32 2x4x11", "kernel_shape=3,;strides=2,", 1, 0 },
  { "", "MaxPool", "ties 2x6x41x45", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "MaxPool", "f32 2x6x8x9", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "MaxPool", "special 3x3x80x50", "kernel_shape=3,5;pads=1,2,1,2", 1, 0 },
  { "", "MaxPool", "f32 1x2x6x6", "kernel_shape=2,2", 2, 0 },
  { "", "MaxPool", "f32 1x2x4x4x4", "kernel_shape=2,2,2", 1, 0 },
  /* Channels around the border of a vector of 8, of 16 and of several. */
  { "", "MaxPool", "ties 2x7x9x7", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "MaxPool", "ties 2x9x8x3", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "MaxPool", "special 2x8x9x3", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 0 },
  { "", "MaxPool", "special 2x17x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 0 },
  { "", "MaxPool", "special 2x33x9x7", "kernel_shape=3,2;dilations=2,3;strides=2,1", 1, 0 },
  { "", "MaxPool", "special 1x71x9x7", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "", "AveragePool", "f32 2x16x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 1e-6 },
  { "", "AveragePool", "f32 2x37x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 1e-6 },
  { "", "AveragePool", "f32 1x100x9x7", "kernel_shape=3,2", 1, 1e-6 },
  { "", "AveragePool", "f32 2x5x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 1e-6 },
  { "", "AveragePool", "f32 2x5x9x37", "kernel_shape=3,3;pads=1,1,1,1", 1, 1e-6 },
  { "", "AveragePool", "f32 2x5x9x7",
    "kernel_shape=3,3;strides=2,2;pads=1,1,1,1;count_include_pad=1;ceil_mode=1", 1, 1e-6 },
  { "", "GlobalAveragePool", "f32 2x5x9x7", "", 1, 1e-6 },
  { "sonde", "MaxPoolGrad", "f32 2x6x14x14;ties 2x6x28x28", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "sonde", "MaxPoolGrad", "f32 2x6x4x3;ties 2x6x9x7", "kernel_shape=2,2;strides=2,2", 1, 0 },
  { "sonde", "MaxPoolGrad", "f32 2x5x5x4;ties 2x5x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1",
    1, 1e-6 },
  { "sonde", "AveragePoolGrad", "f32 2x5x5x4;f32 2x5x9x7",
    "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 1e-6 },
  { "sonde", "BroadcastLike", "f32 2x5x1x1;f32 2x5x9x7", "axes=2,3;mean=1", 1, 1e-6 },
  /* element by element */
  { "", "Add", "f32 3x5x7x9;f32 3x5x7x9", "", 1, 0 },
  { "", "Add", "f32 3x5;f32=0.25", "", 1, 0 },
  { "", "Add", "f32 2x5x4x4;f32 5x1x1", "", 1, 0 },
  { "", "Add", "i64 4x4;i64 4x4", "", 1, 0 },
  { "", "Add", "f32 2x5x4x4;f32 2x1x4x1", "", 1, 0 },
  { "", "Add", "f32 1;f32 1x1x1", "", 1, 0 },
  { "", "Add", "f32 3x1x5;f32 4x1", "", 1, 0 },
  { "", "Add", "f32 0x5;f32 5", "", 1, 0 },
  { "", "Add", "special 7x13;special 13", "", 1, 0 },
  { "", "Add", "f32 7x5001;f32 7x1", "", 1, 0 },
  { "", "Add", "f32 3x70000;f32 70000", "", 1, 0 },
  { "", "Add", "i32 4x3;i32 3", "", 1, 0 },
  { "", "Add", "f32 2x300x200;f32 2x300x200", "", 1, 0 },
  { "", "Sub", "f32 3x5;f32 3x5", "", 1, 0 },
  { "", "Sub", "f32 1;f32 3x5", "", 1, 0 },
  { "", "Mul", "f32 3x5;f32 3x5", "", 1, 0 },
  { "", "Mul", "f32 3x5;f32=3.0", "", 1, 0 },
  { "", "Mul", "f32 2x65x30x3;f32 2x65x1x1", "", 1, 0 },
  { "", "Mul", "i64 3;i64 1", "", 1, 0 },
  { "", "Div", "i64 100;i64 100", "", 1, 0 },
  { "", "Div", "i32 100;i32 1", "", 1, 0 },
  { "", "Div", "special 13x13;special 13x1", "", 1, 0 },
  { "", "Max", "special 13x13;special 13x1", "", 1, 0 },
  { "", "Max", "f32 3x5;f32 3x5;f32 5;f32 1", "", 1, 0 },
  { "", "Min", "special 13x13;special 13", "", 1, 0 },
  { "", "Min", "i64 5;i64 5", "", 1, 0 },
  { "", "Sum", "f32 3x1;f32 5;f32 2x3x5;f32 1", "", 1, 0 },
  { "", "Sum", "f32 3x4", "", 1, 0 },
  { "", "Mean", "f32 3x4;f32 4;f32 3x1", "", 1, 0 },
  { "", "Pow", "positive 3x40;f32 40", "", 1, 1e-6 },
  { "", "Pow", "special 300;f32=2", "", 1, 0 },
  { "", "Pow", "special 300;f32=0.5", "", 1, 1e-7 },
  { "", "Pow", "special 300;f32=3", "", 1, 1e-7 },
  { "", "And", "bool 7x9;bool 9", "", 1, 0 },
  { "", "Or", "bool 7x9;bool 7x9", "", 1, 0 },
  { "", "Xor", "bool 7x9;bool 7x1", "", 1, 0 },
  { "", "Equal", "special 300;special 300", "", 1, 0 },
  { "", "Equal", "bool 7x9;bool 9", "", 1, 0 },
  { "", "Equal", "i64 7x9;i64 9", "", 1, 0 },
  { "", "Greater", "special 20x20;special 20", "", 1, 0 },
  { "", "GreaterOrEqual", "special 20x20;special 20", "", 1, 0 },
  { "", "Less", "special 20x20;special 20x1", "", 1, 0 },
  { "", "Less", "i32 20x20;i32 1", "", 1, 0 },
  { "", "LessOrEqual", "special 20x20;special 20", "", 1, 0 },
  { "", "Where", "bool 7x9;f32 7x9;f32 7x9", "", 1, 0 },
  { "", "Where", "bool 3x1x9;f32=2;f32 3x7x9", "", 1, 0 },
  { "", "Where", "bool 1x7x1;i64 9;i64 3x1x1", "", 1, 0 },
  { "", "Where", "bool 5;bool 5;bool 1", "", 1, 0 },
  { "", "Where", "bool 64x1;f32 64x700;f32 700", "", 1, 0 },
  { "", "Div", "f32 3x5;positive 3x5", "", 1, 0 },
  { "", "Relu", "f32 7x33x5", "", 1, 0 },
  { "", "Relu", "f32 200000", "", 1, 0 },
  { "sonde", "ReluGrad", "f32 7x33x5;ties 7x33x5", "", 1, 0 },
  { "sonde", "ReluRescaleGrad", "f32 7x33x5;ties 7x33x5;ties 1x33x5", "", 1, 1e-6 },
  { "sonde", "ReluRescaleGrad", "f32 7x3x9x5;f32 7x3x9x5;f32 7x3x9x5", "", 1, 1e-6 },
  { "sonde", "ShareGrad", "f32 300;f32 300", "epsilon=0.01", 1, 1e-6 },
  { "sonde", "SplitGrad", "f32 7x33x5;ties 7x33x5;f32 7x33x5", "epsilon=0.01;factor=0.5", 1, 1e-6 },
  { "sonde", "AboveShareGrad", "f32 7x33x5;ties 7x33x5;f32 7x33x5", "epsilon=0.01", 1, 1e-6 },
  { "sonde", "BelowShareGrad", "f32 7x33x5;ties 7x33x5;f32 7x33x5", "epsilon=0.01;factor=2.25", 1,
    1e-6 },
  { "", "Abs", "special 300", "", 1, 0 },
  { "", "Clip", "f32 70000;f32=-0.5;f32=0.5", "", 1, 0 },
  { "", "Clip", "special 300;f32=-0.5;f32=0.5", "", 1, 0 },
  { "", "Clip", "f32 100;-;f32=0.5", "", 1, 0 },
  { "", "Clip", "special 100", "", 1, 0 },
  { "", "Clip", "i64 100;-;-", "", 1, 0 },
  { "", "Elu", "wide 70000", "", 1, 1e-7 },
  { "", "Elu", "special 300", "alpha=0.3", 1, 1e-7 },
  { "", "Erf", "f32 70000", "", 1, 2e-7 },
  { "", "Erf", "special 300", "", 1, 2e-7 },
  { "", "Exp", "f32 1000", "", 1, 2e-7 },
  { "", "Exp", "special 300", "", 1, 2e-7 },
  { "", "Gelu", "wide 1000", "", 1, 2e-7 },
  { "", "Gelu", "wide 40000", "approximate=tanh", 1, 2e-7 },
  { "", "HardSigmoid", "special 300", "", 1, 0 },
  { "", "HardSigmoid", "wide 70000", "alpha=0.1;beta=0.3", 1, 0 },
  { "", "HardSwish", "wide 70000", "", 1, 0 },
  { "", "HardSwish", "special 300", "", 1, 0 },
  { "", "LeakyRelu", "f32 70000", "alpha=0.1", 1, 0 },
  { "", "Log", "positive 70001", "", 1, 2e-7 },
  { "", "Log", "special 300", "", 1, 2e-7 },
  { "", "Mish", "wide 300", "", 1, 2e-7 },
  { "", "Mish", "special 300", "", 1, 2e-7 },
  { "", "Neg", "special 300", "", 1, 0 },
  { "", "PRelu", "special 2x5x60;f32 5x1", "", 1, 0 },
  { "", "Reciprocal", "special 300", "", 1, 0 },
  { "", "Selu", "wide 3000", "", 1, 2e-7 },
  { "", "Sigmoid", "wide 3x1000", "", 1, 2e-7 },
  { "", "Sigmoid", "special 3x100", "", 1, 2e-7 },
  { "", "Softplus", "wide 3x1000", "", 1, 2e-7 },
  { "", "Softplus", "special 3x100", "", 1, 2e-7 },
  { "", "Softsign", "wide 3x1000", "", 1, 0 },
  { "", "Sqrt", "positive 3x1000", "", 1, 0 },
  { "", "Sqrt", "special 3x100", "", 1, 0 },
  { "", "Swish", "wide 300", "", 1, 2e-7 },
  { "", "Swish", "wide 300", "alpha=0.5", 1, 2e-7 },
  { "", "Tanh", "wide 1000", "", 1, 2e-7 },
  { "", "Tanh", "special 100", "", 1, 2e-7 },
  { "sonde", "ErfGrad", "f32 7x33x5;f32 7x33x5", "", 1, 1e-6 },
  { "sonde", "GeluGrad", "f32 70000;f32 70000", "", 1, 1e-6 },
  { "sonde", "GeluGrad", "f32 70000;wide 70000", "", 1, 1e-6 },
  { "sonde", "GeluGrad", "f32 7x33x5;f32 7x33x5", "approximate=tanh", 1, 1e-6 },
  { "sonde", "LogSoftmaxGrad", "f32 4x9x33;f32 4x9x33", "", 1, 1e-6 },
  { "sonde", "SoftmaxGrad", "f32 4x9x33;f32 4x9x33", "", 1, 1e-6 },
  { "sonde", "SoftmaxGrad", "f32 200x700;positive 200x700", "axis=1", 1, 1e-6 },
  { "sonde", "SoftmaxGrad", "f32 4x9x33;f32 4x9x33", "axis=1", 1, 1e-6 },
  { "sonde", "SigmoidGrad", "f32 70000;f32 70000", "", 1, 0 },
  { "sonde", "TanhGrad", "f32 70000;f32 70000", "", 1, 0 },
  /* attention */
  { "", "Attention", "f32 2x3x5x8;f32 2x3x7x8;f32 2x3x7x6", "", 1, 2e-6 },
  { "", "Attention", "f32 2x33x24;f32 2x40x12;f32 2x40x14",
    "q_num_heads=4;kv_num_heads=2;is_causal=1", 1, 2e-6 },
  { "", "Attention", "f32 1x2x5x8;f32 1x2x5x8;f32 1x2x5x8;bool 5x5", "softcap=2.0;scale=0.5", 1,
    2e-6 },
  { "", "Attention", "f32 2x4x5x8;f32 2x2x5x8;f32 2x2x5x8;f32 2x1x5x11;f32 2x2x6x8;f32 2x2x6x8",
    "is_causal=1", 3, 2e-6 },
  { "", "Attention", "f32 1x2x40x8;f32 1x2x40x8;f32 1x2x40x8",
    "left_window_size=3;right_window_size=2", 1, 2e-6 },
  { "", "Attention", "f32 3x2x1x16;f32 3x2x9x16;f32 3x2x9x16;-;-;-;labels 3<9", "is_causal=1", 1,
    2e-6 },
  /* halves: rounded once, so within a unit of the last place */
  { "", "Add", "f16 5x70;f16 70", "", 1, 0 },
  { "", "Mul", "bf16 5x70;bf16 5x1", "", 1, 0 },
  { "", "Sigmoid", "f16 5x70", "", 1, 1e-3 },
  { "", "Conv", "f16 2x8x10x10;f16 12x4x3x3;f16 12", "group=2;pads=1,0,2,1", 1, 2e-3 },
  { "", "MatMul", "f16 17x31;f16 31x5", "", 1, 1e-3 },
  { "", "LayerNormalization", "f16 3x7x33;f16 33;f16 33", "", 1, 2e-3 },
  { "", "ReduceMean", "bf16 2x5x6x7;ints 2,3", "", 1, 1e-2 },
  { "", "MaxPool", "f16 2x5x9x7", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 0 },
  { "", "Add", "bf16 2x5x60x41;bf16 2x5x60x41", "", 1, 0 },
  { "", "Sum", "bf16 3x700;bf16 3x700;bf16 1;bf16 3x700", "", 1, 0 },
  { "", "Sub", "bf16 1;bf16 3x5", "", 1, 0 },
  { "", "Add", "bf16 7x33x41;bf16 41", "", 1, 0 },
  { "", "Add", "bf16 7x33x41;bf16 33x41", "", 1, 0 },
  { "", "Relu", "bf16 2x5x60x41", "", 1, 0 },
  { "", "Gelu", "bf16 2x5x60x41", "", 1, 1e-2 },
  { "sonde", "ReluGrad", "bf16 2x5x60x41;bf16 2x5x60x41", "", 1, 0 },
  { "", "Conv", "bf16 2x8x10x10;bf16 12x4x3x3;bf16 12", "group=2;pads=1,0,2,1", 1, 1e-2 },
  { "", "Conv", "bf16 2x16x9x7;bf16 32x16x3x3", "pads=1,1,1,1;strides=2,2", 1, 1e-2 },
  { "sonde", "ConvGradInput", "bf16 2x32x5x4;bf16 32x16x3x3;bf16 2x16x9x7",
    "pads=1,1,1,1;strides=2,2", 1, 1e-2 },
  { "sonde", "ConvGradInput", "bf16 3x16x10x10;bf16 16x6x5x5;bf16 3x6x14x14", "", 1, 1e-2 },
  { "sonde", "ConvGradWeight", "bf16 2x32x5x4;bf16 2x16x9x7;bf16 32x16x3x3",
    "pads=1,1,1,1;strides=2,2", 1, 1e-2 },
  { "sonde", "ConvGradWeight", "bf16 2x16x32x32;bf16 2x3x32x32;bf16 16x3x3x3", "pads=1,1,1,1", 1,
    1e-2 },
  { "sonde", "ConvGradWeight", "bf16 2x12x18x1;bf16 2x8x20x1;bf16 12x4x5x1", "group=2;pads=1,0,1,0",
    1, 1e-2 },
  { "", "Gemm", "bf16 64x400;bf16 120x400;bf16 120", "transB=1", 1, 1e-2 },
  { "", "MatMul", "bf16 2x3x4x5;bf16 3x5x6", "", 1, 1e-2 },
  { "", "BatchNormalization", "bf16 9x16x60x7;f32 16;f32 16;f32 16;positive 16",
    "training_mode=1;momentum=0.8", 5, 1e-2 },
  { "", "BatchNormalization", "bf16 4x70x9x10;f32 70;f32 70;f32 70;positive 70", "training_mode=1",
    5, 1e-2 },
  { "", "BatchNormalization", "f32 4x70x9x10;f32 70;f32 70;f32 70;positive 70", "training_mode=1",
    5, 1e-5 },
  { "sonde", "BatchNormalizationGrad", "bf16 4x70x9x10;bf16 4x70x9x10;f32 70;f32 70;positive 70",
    "training_mode=1", 3, 2e-2 },
  { "sonde", "BatchNormalizationGrad", "f32 5x24x8x6;f32 5x24x8x6;f32 24;f32 24;positive 24",
    "training_mode=1", 3, 1e-5 },
  { "sonde", "GeluGrad", "bf16 2x5x60x41;bf16 2x5x60x41", "", 1, 1e-2 },
  { "sonde", "GeluGrad", "bf16 2x5x60x41;bf16 2x5x60x41", "approximate=tanh", 1, 1e-2 },
  { "", "BatchNormalization", "bf16 3x5x6x7;f32 5;f32 5;f32 5;positive 5", "", 1, 1e-2 },
  { "sonde", "BatchNormalizationGrad", "bf16 3x5x6x7;bf16 3x5x6x7;f32 5;f32 5;positive 5", "", 3,
    1e-2 },
  { "sonde", "BatchNormalizationGrad", "bf16 9x16x60x7;bf16 9x16x60x7;f32 16;f32 16;positive 16",
    "training_mode=1", 3, 1e-2 },
  /* recurrence */
  { "", "LSTM", "f32 7x3x5;f32 1x16x5;f32 1x16x4;f32 1x32", "", 3, 1e-6 },
  { "", "LSTM", "f32 9x1x40;f32 2x136x40;f32 2x136x34;f32 2x272;-;f32 2x1x34;f32 2x1x34",
    "direction=bidirectional", 3, 1e-6 },
  { "", "LSTM", "f32 5x2x8;f32 1x2400x8;f32 1x2400x600;-", "direction=reverse", 3, 1e-4 },
  { "", "LSTM", "f32 4x7x6;f32 1x80x6;f32 1x80x20;f32 1x160", "", 1, 1e-6 },
  { "", "LSTM", "f32 6x12x20;f32 1x192x20;f32 1x192x48;f32 1x384", "direction=reverse", 3, 1e-6 },
  { "", "MaxPool", "u8 2x5x13x12", "kernel_shape=3,3;strides=2,2;pads=1,1,1,1", 1, 0 },
  { "", "MaxPool", "i8 1x40x9x11", "kernel_shape=2,3;dilations=2,1;ceil_mode=1;strides=2,2", 1, 0 },
  /* lengths of the sequences */
  { "", "LSTM", "f32 7x5x6;f32 2x64x6;f32 2x64x16;f32 2x128;lengths 5<8;f32 2x5x16;f32 2x5x16",
    "direction=bidirectional", 3, 1e-6 },
  { "", "LSTM", "f32 6x12x20;f32 1x192x20;f32 1x192x48;f32 1x384;lengths 12<7", "direction=reverse",
    3, 1e-6 },
  { "", "LSTM", "f32 6x12x20;f32 1x192x20;f32 1x192x48;f32 1x384;lengths 12<7;f32 1x12x48", "", 1,
    1e-6 },
  { "", "GRU", "f32 7x3x5;f32 1x12x5;f32 1x12x4;f32 1x24;lengths 3<8;f32 1x3x4", "", 2, 1e-6 },
  { "", "GRU", "f32 5x3x20;f32 2x96x20;f32 2x96x32;f32 2x192;lengths 3<6;f32 2x3x32",
    "linear_before_reset=1;direction=bidirectional", 2, 1e-6 },
  { "", "RNN", "f32 5x32x20;f32 1x32x20;f32 1x32x32;f32 1x64;lengths 32<6", "", 2, 1e-5 },
  { "", "GRU", "f32 5x9x20;f32 1x96x20;f32 1x96x32;f32 1x192", "linear_before_reset=1", 2, 1e-6 },
  { "", "GRU", "f32 7x3x5;f32 1x12x5;f32 1x12x4;f32 1x24", "", 2, 1e-6 },
  { "", "GRU", "f32 7x3x5;f32 1x12x5;f32 1x12x4;f32 1x24", "linear_before_reset=1", 2, 1e-6 },
  { "", "GRU", "f32 6x5x8;f32 2x60x8;f32 2x60x20;-;-;f32 2x5x20",
    "linear_before_reset=1;direction=bidirectional", 2, 1e-6 },
  { "", "GRU", "f32 5x1x8;f32 1x1800x8;f32 1x1800x600;f32 1x3600", "", 2, 1e-3 },
  { "", "RNN", "f32 7x3x5;f32 1x17x5;f32 1x17x17;f32 1x34", "", 2, 1e-5 },
  { "", "RNN", "f32 7x3x5;f32 2x9x5;f32 2x9x9", "direction=bidirectional", 2, 1e-6 },
  /* moving */
  { "", "Transpose", "f32 7x13", "", 1, 0 },
  { "", "Transpose", "f32 2x3x67x45", "perm=0,1,3,2", 1, 0 },
  { "", "Transpose", "f32 1x64x4x16", "perm=0,2,1,3", 1, 0 },
  { "", "Transpose", "f32 1x64x4x16", "perm=0,2,3,1", 1, 0 },
  { "", "Transpose", "f32 2x9x7x5", "perm=0,3,1,2", 1, 0 },
  { "", "Transpose", "i64 3x4x5", "perm=2,0,1", 1, 0 },
  { "", "Transpose", "bool 33x41", "", 1, 0 },
  { "", "Transpose", "f16 33x41", "", 1, 0 },
  { "", "Transpose", "f32 300x201", "", 1, 0 },
  { "", "Transpose", "f32 2x3x2x3x2", "perm=4,1,3,0,2", 1, 0 },
  { "", "Transpose", "f32", "", 1, 0 },
  { "", "Transpose", "f32 0x3", "", 1, 0 },
  { "", "Expand", "f32 3x1;ints 2,3,4", "", 1, 0 },
  { "", "Expand", "i64 1;ints 100000,", "", 1, 0 },
  { "", "Expand", "bool 5;ints 7,5", "", 1, 0 },
  { "", "Tile", "f32 3x5;ints 2,3", "", 1, 0 },
  { "", "Tile", "f16 3x1x5;ints 1,7,1", "", 1, 0 },
  { "", "Slice", "f32 6x7x8;ints 1,2;ints 5,-1;ints 0,-1", "", 1, 0 },
  { "", "Slice", "f32 6x7x8;ints -1,6;ints -100,0;ints 0,1;ints -2,-3", "", 1, 0 },
  { "", "Slice", "f32 100x70;ints 0,;ints 1000,;ints 1,;ints 2,", "", 1, 0 },
  { "", "Slice", "i64 10;ints -3,;ints 9223372036854775807,", "", 1, 0 },
  { "", "Slice", "f32 4x5;ints 3,;ints 3,", "", 1, 0 },
  { "", "Concat", "f32 2x3x4x5;f32 2x1x4x5;f32 2x7x4x5", "axis=1", 1, 0 },
  { "", "Concat", "f32 2x3x40x50;f32 2x3x1x50", "axis=-2", 1, 0 },
  { "", "Concat", "f32 2x3x4x5;f32 2x3x4x5", "axis=0", 1, 0 },
  { "", "Concat", "f32 2x0;f32 2x3;f32 2x0;f32 2x5", "axis=1", 1, 0 },
  { "", "Concat", "i64 1;i64 3;i64 2", "axis=0", 1, 0 },
  { "", "Split", "f32 2x9x4x5", "axis=1", 3, 0 },
  { "", "Split", "f32 2x9x40x50;ints 2,7", "axis=1", 2, 0 },
  { "", "Split", "i64 7;ints 0,3,4", "axis=0", 3, 0 },
  { "", "Gather", "f32 9x5;labels 4x3<9", "", 1, 0 },
  { "", "Gather", "f32 9x5x7;labels 6<5", "axis=1", 1, 0 },
  { "", "Gather", "i64 9;ints0 -2", "", 1, 0 },
  { "", "Gather", "f32 900x300;labels 200<900", "", 1, 0 },
  { "", "Pad", "f32 2x3x7x9;ints 0,0,1,2,0,0,3,4", "", 1, 0 },
  { "", "Pad", "f32 2x3x7x9;ints 0,1,1,2,0,2,3,4;f32=0.5", "", 1, 0 },
  { "", "Pad", "f32 3x9;ints 0,-2,0,3", "", 1, 0 },
  { "", "Pad", "f32 3x9;ints 2,8,1,3", "mode=reflect", 1, 0 },
  { "", "Pad", "f32 3x9;ints 2,8,1,30", "mode=edge", 1, 0 },
  { "", "Pad", "f32 3x9;ints 2,8,1,30", "mode=wrap", 1, 0 },
  { "", "Pad", "i64 5;ints 1,2", "", 1, 0 },
  { "", "Cast", "special 300", "to=7", 1, 0 },
  { "", "Cast", "special 300", "to=9", 1, 0 },
  { "", "Cast", "f32 70000", "to=10", 1, 0 },
  { "", "Cast", "i64 70000", "to=1", 1, 0 },
  { "", "Cast", "bool 70000", "to=1", 1, 0 },
  { "", "Cast", "f16 70000", "to=1", 1, 0 },
  { "", "Cast", "bf16 70000", "to=1", 1, 0 },
  { "", "Cast", "special 300", "to=10", 1, 0 },
  { "", "Cast", "special 300", "to=16", 1, 0 },
  { "", "Cast", "f32 70000", "to=16", 1, 0 },
  /* reductions */
  { "", "ReduceSum", "f32 64x6x28x28;ints 0,2,3", "keepdims=0", 1, 1e-5 },
  { "", "ReduceSum", "f32 64x120;ints 0", "keepdims=0", 1, 1e-6 },
  { "", "ReduceSum", "f32 5x6x7;ints 1,2", "", 1, 1e-6 },
  { "", "ReduceSum", "f32 5x6x7;ints -2", "keepdims=0", 1, 1e-6 },
  { "", "ReduceSum", "f32 5x6x7", "keepdims=0", 1, 1e-6 },
  { "", "ReduceSum", "f32 5x6x7;ints 0,2", "", 1, 1e-6 },
  { "", "ReduceMean", "f32 5x6x7000;ints 2", "", 1, 1e-6 },
  { "", "ReduceMean", "f32 5x6x7x8;ints 2,3", "", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x5x6x7;ints 2", "", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x5x6x7;ints 2", "keepdims=0", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x5x6x7;ints 1", "", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x5x6x7;ints 0,1", "keepdims=0", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x5x6x7;ints 0", "keepdims=0", 1, 1e-6 },
  { "", "ReduceMean", "f32 2x65x31x7;ints 2,3", "keepdims=0", 1, 1e-6 },
  { "", "ReduceMax", "special 20x30;ints 1", "", 1, 0 },
  { "", "ReduceMax", "f32 20x30x3;ints 1", "", 1, 0 },
  { "", "ReduceMax", "special 2x7x5x3;ints 2,3", "", 1, 0 },
  { "", "ReduceMax", "i64 5x6;ints 1", "", 1, 0 },
  { "", "ReduceMin", "special 20x30;ints 0", "", 1, 0 },
  { "", "ReduceProd", "positive 20x9;ints 1", "", 1, 1e-6 },
  { "", "ReduceL1", "f32 20x33;ints 1", "", 1, 1e-6 },
  { "", "ReduceL2", "f32 20x33;ints 1", "", 1, 1e-6 },
  { "", "ReduceL2", "f32 2x3x4x5x6;ints 0,2,4", "", 1, 1e-6 },
  { "", "ReduceLogSum", "positive 20x33;ints 1", "", 1, 1e-6 },
  { "", "ReduceSumSquare", "f32 20x33x2;ints 1", "", 1, 1e-6 },
  { "", "GlobalMaxPool", "f32 2x5x9x7", "", 1, 0 },
  { "", "GlobalAveragePool", "f32 2x5x9", "", 1, 1e-6 },
  { "sonde", "GlobalNorm", "f32 5x6x7x8;f32 100000;f32 3", "", 1, 1e-6 },
  /* normalisation */
  { "", "BatchNormalization", "f32 3x5x6x7;f32 5;f32 5;f32 5;positive 5", "", 1, 2e-6 },
  { "", "BatchNormalization", "f32 3x5;f32 5;f32 5;f32 5;positive 5", "", 1, 2e-6 },
  { "", "BatchNormalization", "f32 3x5x6x7;f32 5;f32 5;f32 5;positive 5", "training_mode=1", 5,
    2e-6 },
  { "", "BatchNormalization", "f32 9x16x60x7;f32 16;f32 16;f32 16;positive 16",
    "training_mode=1;momentum=0.8", 3, 2e-6 },
  { "sonde", "LayerNormalizationGrad", "f32 5x3x7;f32 5x3x7;f32 7;f32 5x3x1;positive 5x3x1", "", 3,
    1e-6 },
  { "sonde", "LayerNormalizationGrad", "f32 200x300;f32 200x300;f32 300;f32 200x1;positive 200x1",
    "", 3, 1e-6 },
  { "sonde", "LayerNormalizationGrad", "f32 2x5x33;f32 2x5x33;f32 5x33;f32 2x1x1;positive 2x1x1",
    "axis=1", 3, 1e-6 },
  { "sonde", "BatchNormalizationGrad", "f32 3x5x6x7;f32 3x5x6x7;f32 5;f32 5;positive 5", "", 3,
    1e-5 },
  { "sonde", "BatchNormalizationGrad", "f32 9x16x60x7;f32 9x16x60x7;f32 16;f32 16;positive 16",
    "training_mode=1", 3, 1e-5 },
  { "", "LayerNormalization", "f32 3x7x33;f32 33;f32 33", "", 1, 2e-6 },
  { "", "LayerNormalization", "f32 3x7x33;f32 7x33;-", "axis=1;epsilon=0.1", 3, 2e-6 },
  { "", "LayerNormalization", "special 30x33;f32 33;f32 33", "", 1, 2e-6 },
  { "", "RMSNormalization", "f32 3x7x33;f32 33", "", 1, 2e-6 },
  { "", "GroupNormalization", "f32 2x12x5x7;f32 12;f32 12", "num_groups=3", 1, 2e-6 },
  { "", "GroupNormalization", "f32 2x12x50x70;f32 12;f32 12", "num_groups=4", 1, 2e-6 },
  { "", "InstanceNormalization", "f32 2x5x9x7;f32 5;f32 5", "", 1, 2e-6 },
  { "", "InstanceNormalization", "f32 2x5x90;f32 5;f32 5", "epsilon=0.01", 1, 2e-6 },
  { "", "LRN", "f32 2x17x9x7", "size=5", 1, 1e-6 },
  { "", "LRN", "f32 2x300x3x3", "size=4;alpha=0.5;beta=0.75;bias=2.0", 1, 1e-6 },
  { "", "LRN", "wide 2x7x40x30", "size=3;alpha=0.1;beta=0.6", 1, 1e-6 },
  { "", "Softmax", "f32 64x10", "", 1, 1e-6 },
  { "", "Softmax", "wide 64x37", "", 1, 1e-6 },
  { "", "Softmax", "special 64x5", "", 1, 1e-6 },
  { "", "Softmax", "wide 2x37x70", "axis=1", 1, 1e-6 },
  { "", "LogSoftmax", "wide 2x37x70", "axis=-2", 1, 1e-6 },
  { "", "Softmax", "f32 4x7x9", "axis=1", 1, 1e-6 },
  { "", "LogSoftmax", "f32 64x10", "", 1, 2e-6 },
  /* optimisers */
  { "sonde", "SgdUpdate", "f32 16x6x5x5;f32 16x6x5x5;f32 16x6x5x5;f32=0.01",
    "momentum=0.9;weight_decay=0.001", 2, 1e-6 },
  { "sonde", "SgdUpdate", "f32 60000;f32 60000;-;f32=0.01", "", 1, 1e-6 },
  { "sonde", "AdamUpdate", "f32 60000;f32 60000;f32 60000;positive 60000;f32=0.001;ints0 3",
    "weight_decay=0.01", 3, 2e-6 },
  { "sonde", "AdamUpdate", "f32 600;f32 600;f32 600;positive 600;f32=0.001;ints0 1",
    "weight_decay=0.01;decoupled=1", 3, 2e-6 },
  /* shape only */
  { "", "Reshape", "f32 4x6;ints 3,8", "", 1, 0 },
  { "", "Flatten", "f32 64x16x5x5", "", 1, 0 },
  { "sonde", "StopGradient", "f32 64x400", "", 1, 0 },
  { "sonde", "ReshapeLike", "f32 64x400;f32 64x16x5x5", "", 1, 0 },
  /* resizing: growing and shrinking, few and many planes, one dimension, channels */
  { "", "Resize", "f32 2x3x5x7;-;-;ints 2,3,11,9", "mode=linear", 1, 1e-6 },
  { "", "Resize", "f32 1x1x40x70;-;-;ints 1,1,90,31", "mode=linear", 1, 1e-6 },
  { "", "Resize", "f32 2x24x20x19;-;-;ints 2,24,40,38",
    "mode=linear;coordinate_transformation_mode=align_corners", 1, 1e-6 },
  { "", "Resize", "f32 2x3x9x7;-;-;ints 2,3,4,21", "mode=cubic", 1, 1e-5 },
  { "", "Resize", "f32 1x5x30x37;-;-;ints 1,5,9,11", "mode=linear;antialias=1", 1, 1e-5 },
  { "", "Resize", "f32 2x3x5x7;-;-;ints 2,3,10,14", "", 1, 0 },
  { "", "Resize", "f32 2x30x20x10;-;-;ints 2,30,13,25", "nearest_mode=floor", 1, 0 },
  { "", "Resize", "uint8 2x3x5x7;-;-;ints 2,4,10,7", "", 1, 0 },
  { "", "Resize", "float16 1x3x5x7;-;-;ints 1,3,5,14", "", 1, 0 },
  { "", "Resize", "f32 3x40;-;-;ints 5,60", "mode=linear", 1, 1e-6 },
  { "", "Resize", "f32 2x3x4x5x6;-;-;ints 2,3,8,3,9", "mode=linear", 1, 1e-6 },
  { "", "Resize", "f64 1x2x5x5;-;-;ints 1,2,9,9", "mode=linear", 1, 1e-12 },
  /* depth and space */
  { "", "DepthToSpace", "f32 2x12x5x7", "blocksize=2", 1, 0 },
  { "", "DepthToSpace", "uint8 1x18x40x31", "blocksize=3;mode=CRD", 1, 0 },
  { "", "DepthToSpace", "f64 1x4x3x5", "blocksize=2", 1, 0 },
  { "", "SpaceToDepth", "f32 2x3x10x14", "blocksize=2", 1, 0 },
  { "", "SpaceToDepth", "float16 1x2x9x60", "blocksize=3;mode=CRD", 1, 0 },
  /* reference kernels in parts */
  { "", "GridSample", "f32 2x9x20x21;f32 2x30x20x2", "mode=cubic", 1, 0 },
  { "", "DeformConv", "f32 1x6x20x21;f32 4x6x3x3;f32 1x18x18x19", "", 1, 0 },
  { "", "RoiAlign", "f32 2x6x20x21;positive 40x4;labels 40<2", "output_height=3;output_width=4", 1,
    0 },
  { "", "MaxPool", "f32 2x6x9x10x11", "kernel_shape=2,3,2", 2, 0 },
  { "", "LpPool", "f32 2x16x30x31", "kernel_shape=3,3;strides=2,2", 1, 0 },
};

/* ---- building a case ----------------------------------------------------- */

static SondeShape
parse_shape (const char *text)
{
  SondeShape shape = sonde_shape_scalar ();
  g_auto (GStrv) parts = g_strsplit (text, "x", -1);

  for (int i = 0; parts[i] != NULL; i++)
    shape.dims[shape.rank++] = g_ascii_strtoll (parts[i], NULL, 10);
  return shape;
}

static SondeTensor *
parse_ints (const char *text, gboolean scalar)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gint64 values[8];
  int n = 0;
  SondeShape shape;

  for (; parts[n] != NULL; n++)
    if (*parts[n] != '\0')
      values[n] = g_ascii_strtoll (parts[n], NULL, 10);
    else
      break;
  shape = scalar ? sonde_shape_scalar () : sonde_shape_make (1, n);
  return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values);
}

static SondeTensor *
random_tensor (const char *kind, const char *shape_text, GRand *random)
{
  static const double special[]
      = { NAN, INFINITY, -INFINITY, 0, -0.0, 1e-40, -1e-40, 1, -1, 3e38, -3e38, 0.5, 2 };
  g_auto (GStrv) words = g_strsplit (shape_text != NULL ? shape_text : "", "<", 2);
  SondeShape shape = parse_shape (words[0] != NULL ? words[0] : "");
  SondeDtype dtype = g_str_equal (kind, "labels")    ? SONDE_DTYPE_I64
                     : g_str_equal (kind, "lengths") ? SONDE_DTYPE_I32
                                                     : sonde_dtype_from_name (kind);
  SondeTensor *tensor
      = sonde_tensor_new (dtype != SONDE_DTYPE_INVALID ? dtype : SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      double value = g_rand_double_range (random, -1, 1);

      if (g_str_equal (kind, "labels") || g_str_equal (kind, "lengths"))
        value = g_rand_int_range (random, 0, (gint32) g_ascii_strtoll (words[1], NULL, 10));
      else if (g_str_equal (kind, "positive"))
        value = g_rand_double_range (random, 0.5, 1.5);
      else if (g_str_equal (kind, "wide"))
        value = g_rand_double_range (random, -30, 30);
      else if (g_str_equal (kind, "special"))
        value = special[g_rand_int_range (random, 0, G_N_ELEMENTS (special))];
      else if (tensor->dtype == SONDE_DTYPE_BOOL)
        value = g_rand_int_range (random, 0, 2);
      else if (g_str_equal (kind, "ties"))
        value = g_rand_int_range (random, 0, 4) / 4.0;
      else if (sonde_dtype_is_integer (tensor->dtype))
        value = g_rand_int_range (random, -100, 100);
      sonde_tensor_set_double (tensor, i, value);
    }

  return tensor;
}

static void
add_operand (SondeGraph *graph, const char *text, GRand *random, GPtrArray *values,
             GPtrArray *tensors)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 2);
  SondeTensor *tensor;
  SondeType type;

  if (g_str_equal (text, "-"))
    {
      g_ptr_array_add (values, NULL);
      g_ptr_array_add (tensors, NULL);
      return;
    }

  if (g_str_has_prefix (text, "f32="))
    tensor = sonde_tensor_new_f32 ((float) g_ascii_strtod (text + 4, NULL));
  else if (g_str_has_prefix (text, "ints"))
    tensor = parse_ints (words[1], g_str_equal (words[0], "ints0"));
  else
    tensor = random_tensor (words[0], words[1], random);

  g_ptr_array_add (tensors, tensor);
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  g_ptr_array_add (values, g_str_has_prefix (text, "ints") || g_str_equal (words[0], "const")
                               ? sonde_build_constant (graph, NULL, tensor)
                               : sonde_graph_add_input (graph, NULL, &type));
}

static void
set_attribute (SondeNode *node, const char *text)
{
  g_auto (GStrv) pair = g_strsplit (text, "=", 2);
  gint64 values[8];
  gsize n = 0;

  if (strchr (pair[1], ',') != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (pair[1], ",", -1);

      for (; parts[n] != NULL && *parts[n] != '\0'; n++)
        values[n] = g_ascii_strtoll (parts[n], NULL, 10);
      sonde_node_set_ints (node, pair[0], values, n);
    }
  else if (strchr (pair[1], '.') != NULL)
    sonde_node_set_float (node, pair[0], g_ascii_strtod (pair[1], NULL));
  else if (g_ascii_isalpha (pair[1][0]))
    sonde_node_set_string (node, pair[0], pair[1]);
  else
    sonde_node_set_int (node, pair[0], g_ascii_strtoll (pair[1], NULL, 10));
}

static SondeNode *
build_case (const Case *row, SondeGraph *graph, GRand *random, GPtrArray *tensors)
{
  g_auto (GStrv) inputs = g_strsplit (row->inputs, ";", -1);
  g_auto (GStrv) attributes = g_strsplit (row->attributes, ";", -1);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  SondeNode *node;

  for (int i = 0; inputs[i] != NULL; i++)
    add_operand (graph, inputs[i], random, values, tensors);

  node = sonde_graph_add_node (graph, NULL, row->domain, row->op,
                               (SondeGraphValue *const *) values->pdata, values->len,
                               row->n_outputs);
  for (int i = 0; attributes[i] != NULL && *attributes[i] != '\0'; i++)
    set_attribute (node, attributes[i]);

  sonde_build_infer (graph, node, &error);
  g_assert_no_error (error);
  return node;
}

/* ---- comparing ----------------------------------------------------------- */

static void
compare (const SondeTensor *ours, const SondeTensor *reference, double tolerance, const char *what)
{
  double scale = 1;

  g_assert_true (sonde_shape_equal (&ours->shape, &reference->shape));
  g_assert_cmpint (ours->dtype, ==, reference->dtype);
  for (gint64 i = 0; i < sonde_tensor_n_elements (reference); i++)
    if (isfinite (sonde_tensor_get_double (reference, i)))
      scale = MAX (scale, fabs (sonde_tensor_get_double (reference, i)));

  for (gint64 i = 0; i < sonde_tensor_n_elements (reference); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (reference, i);

      if (!(fabs (a - b) <= tolerance * scale) && !(a == b) && !(isnan (a) && isnan (b)))
        g_error ("%s: element %" G_GINT64_FORMAT " is %.9g, the reference says %.9g (tolerance %g)",
                 what, i, a, b, tolerance * scale);
    }
}

/* A device whose kernels find their inputs channels-last. */
static SondeKernel *
prepare_channels_last (SondeDevice *device, SondePrepareRequest *request, GError **error)
{
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 1, error);

  for (guint k = 0; k < request->n_inputs; k++)
    {
      const SondeGraphValue *value = request->inputs[k];
      SondeShape shape;

      if (value != NULL && sonde_type_get_shape (&value->type, &shape)
          && sonde_dtype_size (value->type.dtype) <= 4)
        request->input_layouts[k] = sonde_dnnl_channels_last (value->type.dtype, &shape);
    }

  return cpu->klass->prepare (device, request, error);
}

static void
run_case (const Case *row, int threads, gboolean channels_last)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
  g_autoptr (GRand) random = g_rand_new_with_seed (20260101);
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", threads, &error);
  g_autoptr (SondeDevice) reference = sonde_device_open ("reference", 0, &error);
  SondeNode *node = build_case (row, graph, random, tensors);
  SondeTensor *ours[5] = { NULL }, *theirs[5] = { NULL };
  g_autofree char *what
      = g_strdup_printf ("%s (%s) {%s}, %d threads%s", row->op, row->inputs, row->attributes,
                         threads, channels_last ? ", channels-last" : "");
  SondeDeviceClass klass = *cpu->klass;

  if (channels_last)
    {
      klass.prepare = prepare_channels_last;
      cpu->klass = &klass;
    }

  sonde_device_run_node (cpu, node, (SondeTensor *const *) tensors->pdata, 1, 2, ours, &error);
  g_assert_no_error (error);
  sonde_device_run_node (reference, node, (SondeTensor *const *) tensors->pdata, 1, 2, theirs,
                         &error);
  g_assert_no_error (error);

  for (guint k = 0; k < row->n_outputs; k++)
    {
      compare (ours[k], theirs[k], row->tolerance, what);
      sonde_tensor_unref (ours[k]);
      sonde_tensor_unref (theirs[k]);
    }
}

static void
test_case (gconstpointer data)
{
  const Case *row = data;

  if (sonde_op_table_find (row->domain, row->op) == NULL)
    {
      g_test_skip ("there is no such operator");
      return;
    }

  run_case (row, 1, FALSE);
  run_case (row, 2, FALSE);
  run_case (row, 2, TRUE);
}

static void
test_coverage (void)
{
  /* These have cases in tests of their own. */
  static const char *const elsewhere[]
      = { "GRUGrad",          "LSTMGrad",    "RNNGrad",       "QuantizeLinear",
          "DequantizeLinear", "QLinearConv", "QLinearMatMul", NULL };

  for (const SondeCpuRow *const *table = sonde_cpu_row_tables; *table != NULL; table++)
    for (const SondeCpuRow *row = *table; row->op != NULL; row++)
      {
        gboolean found = sonde_op_table_find (row->domain, row->op) == NULL
                         || g_strv_contains (elsewhere, row->op);

        for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
          found = found
                  || (g_str_equal (cases[i].op, row->op)
                      && g_str_equal (cases[i].domain, row->domain));
        if (!found)
          g_error ("the cpu device's kernel of %s has no case in this test", row->op);
      }
}

/* ---- properties that a tolerance would not show -------------------------- */

static void
test_nan_survives (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 1, &error);
  const char *ops[] = { "Relu", "MaxPool" };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      const Case row
          = { "", ops[i], "f32 1x3x4x4", i == 1 ? "kernel_shape=2,2;strides=2,2" : "", 1, 0 };
      g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
      g_autoptr (GRand) random = g_rand_new_with_seed (1);
      g_autoptr (GPtrArray) tensors
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
      SondeNode *node = build_case (&row, graph, random, tensors);
      SondeTensor *result = NULL;

      sonde_tensor_set_double (g_ptr_array_index (tensors, 0), 0, NAN);
      g_assert_true (sonde_device_run_node (cpu, node, (SondeTensor *const *) tensors->pdata, 0, 0,
                                            &result, &error));
      g_assert_true (isnan (sonde_tensor_get_double (result, 0)));
      sonde_tensor_unref (result);
    }
}

/* Gradients go to the same place as the reference's, wherever NaN stands in the window. */
static void
test_nan_gradient (void)
{
  const Case row = {
    "sonde", "MaxPoolGrad", "f32 1x5x3x3;ties 1x5x6x6", "kernel_shape=2,2;strides=2,2", 1, 0
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 1, &error);
  g_autoptr (SondeDevice) reference = sonde_device_open ("reference", 1, &error);

  for (int place = 0; place < 36; place++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
      g_autoptr (GRand) random = g_rand_new_with_seed (3);
      g_autoptr (GPtrArray) tensors
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
      SondeNode *node = build_case (&row, graph, random, tensors);
      g_autoptr (SondeTensor) ours = NULL, theirs = NULL;

      sonde_tensor_set_double (g_ptr_array_index (tensors, 1), place, NAN);
      sonde_tensor_set_double (g_ptr_array_index (tensors, 1), 36 + place * 3 % 36, INFINITY);
      g_assert_true (sonde_device_run_node (cpu, node, (SondeTensor *const *) tensors->pdata, 0, 0,
                                            &ours, &error));
      g_assert_true (sonde_device_run_node (reference, node, (SondeTensor *const *) tensors->pdata,
                                            0, 0, &theirs, &error));
      g_assert_true (sonde_tensor_equal (ours, theirs));
    }
}

static void
test_same_bits_every_time (void)
{
  const Case row
      = { "sonde", "ConvGradWeight", "f32 9x16x10x10;f32 9x6x14x14;f32 16x6x5x5", "", 1, 0 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 2, &error);
  SondeNode *node = build_case (&row, graph, random, tensors);
  g_autoptr (SondeTensor) first = NULL;

  for (int i = 0; i < 10; i++)
    {
      SondeTensor *again = NULL;

      g_assert_true (sonde_device_run_node (cpu, node, (SondeTensor *const *) tensors->pdata, 0, 0,
                                            &again, &error));
      if (first == NULL)
        first = sonde_tensor_ref (again);
      g_assert_true (sonde_tensor_equal (first, again));
      sonde_tensor_unref (again);
    }
}

/* How the work is shared out changes nothing. */
static void
test_same_bits_on_threads (void)
{
  static const Case rows[] = {
    { "", "Conv", "f32 3x1x28x28;const 6x1x5x5;const 6", "pads=2,2,2,2", 1, 0 },
    { "", "Conv", "f32 3x6x24x24;const 16x6x5x5;const 16", "", 1, 0 },
    { "", "Conv", "f32 2x40x500;const 40x1x9;const 40", "group=40;pads=8,8;dilations=2,", 1, 0 },
    { "", "Conv", "f32 2x128x30x30;const 128x1x5x5", "group=128;pads=4,4,4,4;dilations=2,2", 1, 0 },
    { "", "MaxPool", "f32 20x6x40x41", "kernel_shape=2,2;strides=2,2", 1, 0 },
    { "", "AveragePool", "f32 20x6x40x41", "kernel_shape=3,3;strides=2,2", 1, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
      g_autoptr (GRand) random = g_rand_new_with_seed (1);
      g_autoptr (GPtrArray) tensors
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
      SondeNode *node = build_case (&rows[i], graph, random, tensors);
      SondeTensor *results[3] = { NULL };

      for (int threads = 1; threads <= 3; threads++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", threads, &error);

          sonde_device_run_node (cpu, node, (SondeTensor *const *) tensors->pdata, 0, 0,
                                 &results[threads - 1], &error);
          g_assert_no_error (error);
          g_assert_true (sonde_tensor_equal (results[0], results[threads - 1]));
        }
      for (int k = 0; k < 3; k++)
        sonde_tensor_unref (results[k]);
    }
}

static void
test_unknown_device (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_device_open ("abacus", 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "reference"));
}

static void
test_describe (void)
{
  for (const char *const *name = sonde_device_list (); *name != NULL; name++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeDevice) device = sonde_device_open (*name, 1, &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = device->klass->describe (device);
      g_assert_true (g_str_has_prefix (text, *name));
    }
}

/* Plain to channels-last and back gives the same bytes, for every rank. */
static void
test_layouts (void)
{
  const char *shapes[] = { "3x5x7", "2x6x5x4", "2x3x4x5x6", "4x1x3x3", "4x7x1x1" };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 1, &error);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SondeTensor) tensor = random_tensor ("f32", shapes[i], random);
      g_autoptr (SondeTensor) back = sonde_tensor_new (SONDE_DTYPE_F32, &tensor->shape);
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &tensor->shape);
      SondeLayout *layout = sonde_dnnl_channels_last (tensor->dtype, &tensor->shape);
      g_autofree char *name = cpu->klass->layout_describe (cpu, layout);
      void *memory
          = cpu->klass->allocate (cpu, cpu->klass->layout_bytes (cpu, &type, layout), &error);

      g_assert_cmpint (layout == NULL, ==, i >= 3);
      g_assert_cmpstr (name, ==, i == 0 ? "nwc" : i == 1 ? "nhwc" : i == 2 ? "ndhwc" : "plain");
      g_assert_true (cpu->klass->write_plain (cpu, &type, layout, tensor->data, memory, &error));
      if (layout != NULL)
        g_assert_cmpfloat (
            ((float *) memory)[1], ==,
            ((float *) (void *) tensor->data)[sonde_tensor_n_elements (tensor)
                                              / tensor->shape.dims[0] / tensor->shape.dims[1]]);
      g_assert_true (cpu->klass->read_plain (cpu, &type, layout, memory, back->data, &error));
      g_assert_true (sonde_tensor_equal (tensor, back));
      cpu->klass->release (cpu, memory);
      if (layout != NULL)
        cpu->klass->layout_unref (cpu, layout);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/devices/operators/%s-%" G_GSIZE_FORMAT, cases[i].op, i);

      g_test_add_data_func (path, &cases[i], test_case);
    }

  g_test_add_func ("/engine/devices/coverage", test_coverage);
  g_test_add_func ("/engine/devices/nan", test_nan_survives);
  g_test_add_func ("/engine/devices/nan-gradient", test_nan_gradient);
  g_test_add_func ("/engine/devices/same-bits", test_same_bits_every_time);
  g_test_add_func ("/engine/devices/same-bits-on-threads", test_same_bits_on_threads);
  g_test_add_func ("/engine/devices/unknown", test_unknown_device);
  g_test_add_func ("/engine/devices/describe", test_describe);
  g_test_add_func ("/engine/devices/layouts", test_layouts);
  return g_test_run ();
}
