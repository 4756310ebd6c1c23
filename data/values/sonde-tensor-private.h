/* SPDX-License-Identifier: Apache-2.0
 * Walking over the elements of a strided tensor; shared by the files of this folder. */
#pragma once

#include "data/values/sonde-tensor.h"

/**
 * SondeRuns:
 * @n_runs: how many runs of @length elements there are
 * @length: elements of one run
 * @stride: elements from one element of a run to the next
 *
 * The elements of a tensor in row-major order as runs of equal length: neighbouring dimensions that
 * continue each other are joined, so that a contiguous tensor is one run.
 */
typedef struct
{
  gint64 n_runs;
  gint64 length;
  gint64 stride;
  /*< private >*/
  int rank;
  gint64 dims[SONDE_MAX_RANK];
  gint64 strides[SONDE_MAX_RANK];
  gint64 index[SONDE_MAX_RANK];
  gint64 offset;
} SondeRuns;

void sonde_runs_init (SondeRuns *runs, const SondeTensor *tensor);

/* Offset in elements, from the tensor's first, of the next run; call n_runs times at most. */
gint64 sonde_runs_next (SondeRuns *runs);

/* Offset in elements of element @index in row-major order. */
gint64 sonde_tensor_offset_of (const SondeTensor *tensor, gint64 index);

/* Row-major strides of @shape. */
void sonde_shape_fill_strides (const SondeShape *shape, gint64 *strides);

/* A view over the buffer of @tensor; all sizes are trusted. */
SondeTensor *sonde_tensor_new_view (SondeTensor *tensor, const SondeShape *shape,
                                    const gint64 *strides, gint64 offset);

/* Copies @n elements of @size bytes that lie @stride elements apart. */
void sonde_elements_gather (void *to, const void *from, gint64 n, gint64 stride, gsize size);
