/* SPDX-License-Identifier: Apache-2.0
 * Resizing as Resize wants it: dimension by dimension with taps made once, or (nearest) elements
 * looked up in a table for each dimension. For the plain kernel and for devices alike.
 * Formulas: ONNX operator Resize; cubic convolution after Keys 1981, equation 4. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* Tap @t of output @j reads place at[t · out + j] with weight weight[t · out + j]; places are
 * inside. */
typedef struct
{
  int axis;
  gint64 in, out;
  gint64 inner; /* elements behind the dimension when its turn comes */
  gint64 outer; /* those before it */
  int taps;
  /* nearest: each place is read that many times, one after the other, and nothing else; 0: not
   * so */
  int repeats;
  gint32 *at;
  double *weight;
  float *weight_f32;
  guint8 *outside; /* (nullable): outputs that get the extrapolation value */
} SondeResamplePass;

/**
 * SondeResample:
 * @nearest: every pass has one tap of weight 1 and elements are moved as bytes
 * @n_passes: dimensions that change, in the order in which that is cheapest
 * @largest: elements of the largest tensor between two passes
 */
typedef struct
{
  gboolean nearest;
  double extrapolation;
  SondeShape in, out;
  int n_passes;
  SondeResamplePass passes[SONDE_MAX_RANK];
  gint64 largest;
} SondeResample;

/**
 * SondeResampleSizes: what the inputs of a Resize say, a number a dimension
 * @scale: out / in, or the factor as it was given
 * @start, @end: part of the input that is looked at (roi)
 */
typedef struct
{
  gint64 out[SONDE_MAX_RANK];
  double scale[SONDE_MAX_RANK];
  double start[SONDE_MAX_RANK], end[SONDE_MAX_RANK];
} SondeResampleSizes;

/**
 * sonde_resample_read:
 * @x: sizes as far as known; without any the result has -1 for what cannot be told
 * @roi, @scales, @sizes: (nullable): the inputs' tensors; empty ones count as absent. One of scales
 * and sizes must be there
 *
 * Errors: SHAPE, one sentence without the node's name.
 */
gboolean sonde_resample_read (const SondeNode *node, const SondeType *x, const SondeTensor *roi,
                              const SondeTensor *scales, const SondeTensor *sizes,
                              SondeResampleSizes *result, GError **error);

/* Tables for @in → @out with @node's modes; never fails, whatever the numbers are. Both without
 * size 0. */
void sonde_resample_init (SondeResample *resample, const SondeNode *node, const SondeShape *in,
                          const SondeShape *out, const SondeResampleSizes *sizes);
void sonde_resample_clear (SondeResample *resample);

/* Nearest only: how many rows of outputs there are, and rows @begin to before @end of them.
 * Row-major elements of
 * @size bytes; @fill: one element for outputs outside. */
gint64 sonde_resample_n_rows (const SondeResample *resample);
void sonde_resample_move_rows (const SondeResample *resample, gsize size, const void *fill,
                               const void *from, void *to, gint64 begin, gint64 end);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeResample, sonde_resample_clear)

G_END_DECLS
