/* SPDX-License-Identifier: Apache-2.0
 * Small pieces that readers of several formats emit: moves, windows, slices. Everything belongs to
 * the node of the source that is open. */
#pragma once

#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* ONNX's number of a type that is calculated with; 0 for others. */
gint64 sonde_lowering_onnx_dtype (SondeDtype dtype);

/* A Cast; of the types that are calculated with. */
SondeGraphValue *sonde_lowering_cast (SondeLowering *lowering, SondeGraphValue *value,
                                      SondeDtype dtype);

/* A Transpose that conversion adds, of weights that the source stores in another order. The result
 * has a type where @value has one. @permutation: where dimension i comes from; @rank of them. */
SondeGraphValue *sonde_lowering_permute (SondeLowering *lowering, SondeGraphValue *value,
                                         const gint64 *permutation, int rank);
/* A Transpose that stands for the source's node. */
SondeGraphValue *sonde_lowering_transpose (SondeLowering *lowering, SondeGraphValue *value,
                                           const gint64 *permutation, int rank);
/* −1: as many as are left; 0 is a size of 0. */
SondeGraphValue *sonde_lowering_reshape (SondeLowering *lowering, SondeGraphValue *value,
                                         const gint64 *sizes, int rank);
SondeGraphValue *sonde_lowering_unsqueeze (SondeLowering *lowering, SondeGraphValue *value,
                                           gint64 axis);
SondeGraphValue *sonde_lowering_squeeze (SondeLowering *lowering, SondeGraphValue *value,
                                         gint64 axis);
/* From @start to before @end along @axis, as ONNX counts; G_MAXINT64 is the end. */
SondeGraphValue *sonde_lowering_slice (SondeLowering *lowering, SondeGraphValue *value, gint64 axis,
                                       gint64 start, gint64 end, gint64 step);
SondeGraphValue *sonde_lowering_concat (SondeLowering *lowering, SondeGraphValue *const *values,
                                        guint n, gint64 axis);

/**
 * SondeLoweringWindow: a window over spatial dimensions
 * @n: of them; @sizes: of the input, −1 where unknown; @kernel, @strides, @dilations: ≥ 1
 */
typedef struct
{
  int n;
  gint64 sizes[SONDE_MAX_RANK], kernel[SONDE_MAX_RANK], strides[SONDE_MAX_RANK],
      dilations[SONDE_MAX_RANK];
} SondeLoweringWindow;

/* TensorFlow's padding: @same: as many outputs as inputs by stride, an odd element at the end.
 * Explicit numbers where the sizes are known, or do not matter (stride 1). Sets pads (or auto_pad), strides and dilations. */
void sonde_lowering_set_window (SondeNode *node, const SondeLoweringWindow *window, gboolean same);

/**
 * SondeLoweringSlice: TensorFlow's strided slice
 * @begin: @end: @strides: of rank 1, @n of each, known or not; strides must be known
 * The masks are TensorFlow's, a bit a position of these three; @end_is_length: @end counts from
 * @begin
 */
typedef struct
{
  SondeGraphValue *begin, *end;
  const gint64 *strides;
  int n;
  guint begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  gboolean end_is_length;
} SondeLoweringSlice;

/* @rank: of @value. NULL, without a failure, when the masks ask for more dimensions than there are. */
SondeGraphValue *sonde_lowering_strided_slice (SondeLowering *lowering, SondeGraphValue *value,
                                               int rank, const SondeLoweringSlice *slice);

/* Mirrors along @axis, @before and @after elements; @twice: the element at the border comes again
 * (TensorFlow's symmetric). */
SondeGraphValue *sonde_lowering_mirror (SondeLowering *lowering, SondeGraphValue *value,
                                        gint64 axis, gint64 before, gint64 after, gboolean twice);

G_END_DECLS
