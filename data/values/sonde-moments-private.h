/* SPDX-License-Identifier: Apache-2.0
 * Sums over blocks of elements, the common base of statistics and histogram. */
#pragma once

#include "data/values/sonde-tensor.h"

/* Elements of a block: it stays in the first cache and its 32-bit counters cannot overflow. */
#define SONDE_MOMENTS_BLOCK 2048

/* The processor's best variant of a loop is picked when the program is loaded. Sanitizers run
 * before the relocations this needs, and clang knows it only in part. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)                           \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SONDE_BEST_TARGET                                                                          \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SONDE_BEST_TARGET
#endif

/**
 * SondeMoments:
 * @pivot: subtracted before summing, so that a large mean costs no digits; the first finite element
 * @sum, @sum_squares: of x − pivot over the finite x, in double
 * @abs_sum: of |x|
 * @min, @max: over the finite x; +∞ and −∞ when there is none
 */
typedef struct
{
  gboolean has_pivot;
  double pivot;
  double sum, sum_squares, abs_sum;
  double min, max;
  gint64 count, zeros, negatives, nan, pos_inf, neg_inf;
} SondeMoments;

void sonde_moments_init (SondeMoments *moments);

/* Adds @n contiguous float32 or float64 elements. */
void sonde_moments_add_f32 (SondeMoments *moments, const float *data, gsize n);
void sonde_moments_add_f64 (SondeMoments *moments, const double *data, gsize n);

/* The two types in which every dtype is held exactly, but for 64-bit integers (rounded to
 * double). */
typedef void (*SondeBlockF32) (void *user_data, const float *data, gsize n);
typedef void (*SondeBlockF64) (void *user_data, const double *data, gsize n);

/* Calls @f32 or @f64 with all of @n contiguous elements of @dtype, in blocks where they have to be
 * converted. Not for STRING. */
void sonde_blocks_of_data (SondeDtype dtype, const void *data, gsize n, SondeBlockF32 f32,
                           SondeBlockF64 f64, void *user_data);

/* The same for all elements of a tensor of any strides, in an order of its own. */
void sonde_blocks_of_tensor (const SondeTensor *tensor, SondeBlockF32 f32, SondeBlockF64 f64,
                             void *user_data);
