/* SPDX-License-Identifier: Apache-2.0
 * Sums over blocks. Blocks without NaN and Inf, known by their sum of magnitudes, take the short
 * loop; the others are looked at a second time, while they are in cache. */
#include "data/values/sonde-moments-private.h"

#include "data/values/sonde-tensor-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

void
sonde_moments_init (SondeMoments *moments)
{
  memset (moments, 0, sizeof *moments);
  moments->min = INFINITY;
  moments->max = -INFINITY;
}

/* clang-format off */
#define PRAGMA(text) _Pragma (#text)
#define SUM_LOOP PRAGMA (omp simd \
  reduction(+ : sum, sum_squares, abs_sum, zeros, negatives, nan, infinite, neg_inf) \
  reduction(min : min) reduction(max : max))
/* clang-format on */

/* What one block adds. The loop is vectorised: "omp simd" allows the compiler to reorder just these
 * sums. With @masked, elements that are not finite count as the pivot, which is one of the finite
 * elements: it shifts no sum and is no new minimum or maximum. */
#define DEFINE_ADD(type, suffix, largest)                                                          \
  static inline __attribute__ ((always_inline)) void block_##suffix (                              \
      SondeMoments *block, const type *data, gsize n, gboolean masked)                             \
  {                                                                                                \
    const type pivot = (type) block->pivot;                                                        \
    const double wide_pivot = block->pivot;                                                        \
    double sum = 0, sum_squares = 0, abs_sum = 0;                                                  \
    type min = pivot, max = pivot;                                                                 \
    gint32 zeros = 0, negatives = 0, nan = 0, infinite = 0, neg_inf = 0;                           \
    SUM_LOOP                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        type x = data[i];                                                                          \
        type y = masked && !(ABSOLUTE (x) <= largest) ? pivot : x;                                 \
        type magnitude = masked && !(ABSOLUTE (x) <= largest) ? 0 : ABSOLUTE (x);                  \
        double shifted = (double) y - wide_pivot;                                                  \
        sum += shifted;                                                                            \
        sum_squares += shifted * shifted;                                                          \
        abs_sum += (double) magnitude;                                                             \
        min = y < min ? y : min;                                                                   \
        max = y > max ? y : max;                                                                   \
        zeros += x == 0;                                                                           \
        negatives += x < 0;                                                                        \
        if (masked)                                                                                \
          {                                                                                        \
            nan += x != x;                                                                         \
            infinite += ABSOLUTE (x) > largest;                                                    \
            neg_inf += x < -largest;                                                               \
          }                                                                                        \
      }                                                                                            \
    block->sum = sum;                                                                              \
    block->sum_squares = sum_squares;                                                              \
    block->abs_sum = abs_sum;                                                                      \
    block->min = min;                                                                              \
    block->max = max;                                                                              \
    block->zeros = zeros;                                                                          \
    block->negatives = negatives - neg_inf;                                                        \
    block->nan = nan;                                                                              \
    block->pos_inf = infinite - neg_inf;                                                           \
    block->neg_inf = neg_inf;                                                                      \
  }                                                                                                \
  SONDE_BEST_TARGET static void finite_block_##suffix (SondeMoments *block, const type *data,      \
                                                       gsize n)                                    \
  {                                                                                                \
    block_##suffix (block, data, n, FALSE);                                                        \
  }                                                                                                \
  SONDE_BEST_TARGET static void masked_block_##suffix (SondeMoments *block, const type *data,      \
                                                       gsize n)                                    \
  {                                                                                                \
    block_##suffix (block, data, n, TRUE);                                                         \
  }                                                                                                \
  /* Returns how many elements of the start are not finite and were only counted. */               \
  static gsize find_pivot_##suffix (SondeMoments *moments, const type *data, gsize n)              \
  {                                                                                                \
    gsize i = 0;                                                                                   \
    for (; i < n && !moments->has_pivot; i++)                                                      \
      {                                                                                            \
        moments->has_pivot = isfinite (data[i]);                                                   \
        moments->pivot = moments->has_pivot ? data[i] : 0;                                         \
        moments->nan += isnan (data[i]);                                                           \
        moments->pos_inf += data[i] == INFINITY;                                                   \
        moments->neg_inf += data[i] == -INFINITY;                                                  \
      }                                                                                            \
    i -= moments->has_pivot;                                                                       \
    moments->count += (gint64) i;                                                                  \
    return i;                                                                                      \
  }                                                                                                \
  void sonde_moments_add_##suffix (SondeMoments *moments, const type *data, gsize n)               \
  {                                                                                                \
    gsize i = moments->has_pivot ? 0 : find_pivot_##suffix (moments, data, n);                     \
    for (; i < n; i += SONDE_MOMENTS_BLOCK)                                                        \
      {                                                                                            \
        gsize part = MIN (n - i, SONDE_MOMENTS_BLOCK);                                             \
        SondeMoments block = { .pivot = moments->pivot };                                          \
        finite_block_##suffix (&block, data + i, part);                                            \
        if (!isfinite (block.abs_sum))                                                             \
          masked_block_##suffix (&block, data + i, part);                                          \
        join (moments, &block, (gint64) part);                                                     \
      }                                                                                            \
  }

static void
join (SondeMoments *moments, const SondeMoments *block, gint64 n)
{
  moments->count += n;
  moments->sum += block->sum;
  moments->sum_squares += block->sum_squares;
  moments->abs_sum += block->abs_sum;
  moments->min = block->min < moments->min ? block->min : moments->min;
  moments->max = block->max > moments->max ? block->max : moments->max;
  moments->zeros += block->zeros;
  moments->negatives += block->negatives;
  moments->nan += block->nan;
  moments->pos_inf += block->pos_inf;
  moments->neg_inf += block->neg_inf;
}

#define ABSOLUTE(x) fabsf (x)
DEFINE_ADD (float, f32, FLT_MAX)
#undef ABSOLUTE
#define ABSOLUTE(x) fabs (x)
DEFINE_ADD (double, f64, DBL_MAX)
#undef ABSOLUTE

/* Blocks */

static gboolean
fits_f32 (SondeDtype dtype)
{
  return sonde_dtype_size (dtype) <= 2;
}

void
sonde_blocks_of_data (SondeDtype dtype, const void *data, gsize n, SondeBlockF32 f32,
                      SondeBlockF64 f64, void *user_data)
{
  gsize size = sonde_dtype_size (dtype);
  double block[SONDE_MOMENTS_BLOCK];

  if (dtype == SONDE_DTYPE_F32)
    f32 (user_data, data, n);
  else if (dtype == SONDE_DTYPE_F64)
    f64 (user_data, data, n);
  else
    for (gsize start = 0; start < n; start += SONDE_MOMENTS_BLOCK)
      {
        gsize part = MIN (n - start, SONDE_MOMENTS_BLOCK);
        const guint8 *from = (const guint8 *) data + start * size;

        sonde_dtype_convert (dtype, from, fits_f32 (dtype) ? SONDE_DTYPE_F32 : SONDE_DTYPE_F64,
                             block, part);
        if (fits_f32 (dtype))
          f32 (user_data, (const float *) block, part);
        else
          f64 (user_data, block, part);
      }
}

/* The elements of a tensor in memory order: dimensions by falling stride, reversed ones turned. */
static SondeTensor *
sorted_view (SondeTensor *tensor)
{
  SondeShape shape = { .rank = 0 };
  gint64 strides[SONDE_MAX_RANK];
  gint64 offset = 0;

  for (int i = 0; i < tensor->shape.rank; i++)
    {
      gint64 size = tensor->shape.dims[i], stride = tensor->strides[i];
      int at = shape.rank++;

      if (stride < 0 && size > 0)
        {
          offset += (size - 1) * stride;
          stride = -stride;
        }
      for (; at > 0 && strides[at - 1] < stride; at--)
        {
          shape.dims[at] = shape.dims[at - 1];
          strides[at] = strides[at - 1];
        }
      shape.dims[at] = size;
      strides[at] = stride;
    }
  return sonde_tensor_new_view (tensor, &shape, strides, offset);
}

void
sonde_blocks_of_tensor (const SondeTensor *tensor, SondeBlockF32 f32, SondeBlockF64 f64,
                        void *user_data)
{
  g_autoptr (SondeTensor) view = sorted_view ((SondeTensor *) tensor);
  gsize size = sonde_dtype_size (tensor->dtype), n_gathered = 0;
  guint64 gathered[SONDE_MOMENTS_BLOCK];
  SondeRuns runs;

  sonde_runs_init (&runs, view);
  for (gint64 i = 0; i < runs.n_runs; i++)
    {
      const guint8 *run = view->data + sonde_runs_next (&runs) * (gint64) size;

      if (runs.stride == 1 && runs.length >= SONDE_MOMENTS_BLOCK / 4)
        {
          sonde_blocks_of_data (tensor->dtype, run, (gsize) runs.length, f32, f64, user_data);
          continue;
        }
      for (gint64 done = 0; done < runs.length;)
        {
          gint64 part = MIN (runs.length - done, (gint64) (SONDE_MOMENTS_BLOCK - n_gathered));

          sonde_elements_gather ((guint8 *) gathered + n_gathered * size,
                                 run + done * runs.stride * (gint64) size, part, runs.stride, size);
          n_gathered += (gsize) part;
          done += part;
          if (n_gathered == SONDE_MOMENTS_BLOCK)
            {
              sonde_blocks_of_data (tensor->dtype, gathered, n_gathered, f32, f64, user_data);
              n_gathered = 0;
            }
        }
    }
  if (n_gathered > 0)
    sonde_blocks_of_data (tensor->dtype, gathered, n_gathered, f32, f64, user_data);
}
