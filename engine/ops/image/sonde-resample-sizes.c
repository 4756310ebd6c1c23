/* SPDX-License-Identifier: Apache-2.0
 * The sizes and factors that the inputs of a Resize ask for. */
#include "engine/ops/image/sonde-resample.h"

#include <math.h>
#include <string.h>

#define fail(error, ...)                                                                           \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE, __VA_ARGS__), FALSE)

static gsize
count_of (const SondeTensor *tensor)
{
  return tensor ? (gsize) sonde_tensor_n_elements (tensor) : 0;
}

/* The dimensions that roi, scales and sizes speak of. */
static gboolean
read_axes (const SondeNode *node, int rank, int *axes, gsize *n_axes, GError **error)
{
  gsize n = 0;
  const gint64 *given = sonde_node_get_ints (node, "axes", &n);
  gboolean seen[SONDE_MAX_RANK] = { FALSE };

  *n_axes = given ? n : (gsize) rank;
  for (int d = 0; d < rank && given == NULL; d++)
    axes[d] = d;
  for (gsize i = 0; i < n && given != NULL; i++)
    {
      gint64 axis = given[i] < 0 ? given[i] + rank : given[i];

      if (axis < 0 || axis >= rank)
        return fail (error, "axes names %" PRIi64 ", which is not a dimension of the input",
                     given[i]);
      if (seen[axis])
        return fail (error, "axes names %" PRIi64 " twice", given[i]);
      seen[axis] = TRUE;
      axes[i] = (int) axis;
    }
  return TRUE;
}

static gboolean
check_count (const SondeTensor *tensor, gsize want, const char *what, GError **error)
{
  if (count_of (tensor) == want)
    return TRUE;
  return fail (error, "%s has %zu entries, but needs %zu", what, count_of (tensor), want);
}

static gboolean
apply_scales (const SondeType *x, const SondeTensor *scales, const int *axes, gsize n,
              SondeResampleSizes *result, GError **error)
{
  if (!check_count (scales, n, "scales", error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      double scale = sonde_tensor_get_double (scales, (gint64) i);
      gint64 in = x->dims[axes[i]].size;
      float product = (float) in * (float) scale;

      if (!(scale > 0) || !isfinite (scale))
        return fail (error, "scale %g of dimension %d is not positive", scale, axes[i]);
      if (in >= 0 && product > (float) G_MAXINT32)
        return fail (error, "dimension %d would get size %g", axes[i], (double) product);
      result->scale[axes[i]] = scale;
      result->out[axes[i]] = in >= 0 ? (gint64) floorf (product) : scale == 1 ? in : -1;
    }
  return TRUE;
}

/* One factor for all: the smallest keeps every size at most what was asked for, the largest at
 * least. */
static void
keep_aspect (const SondeType *x, const int *axes, gsize n, gboolean not_larger,
             SondeResampleSizes *result)
{
  double scale = -1;

  for (gsize i = 0; i < n; i++)
    {
      double own = result->scale[axes[i]];

      if (x->dims[axes[i]].size <= 0)
        own = x->dims[axes[i]].size < 0 ? NAN : 1;
      scale = i == 0 || isnan (own) ? own : not_larger ? fmin (scale, own) : fmax (scale, own);
      if (isnan (scale))
        break;
    }
  for (gsize i = 0; i < n; i++)
    {
      gint64 in = x->dims[axes[i]].size;

      result->scale[axes[i]] = scale;
      result->out[axes[i]]
          = isnan (scale) || in < 0 ? -1 : (gint64) fmin (scale * (double) in + 0.5, 4e18);
    }
}

static gboolean
apply_sizes (const SondeNode *node, const SondeType *x, const SondeTensor *sizes, const int *axes,
             gsize n, SondeResampleSizes *result, GError **error)
{
  const char *policy = sonde_node_get_string (node, "keep_aspect_ratio_policy", "stretch");

  if (!check_count (sizes, n, "sizes", error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      gint64 out = sonde_tensor_get_int (sizes, (gint64) i);
      gint64 in = x->dims[axes[i]].size;

      if (out < 0 || out > G_MAXINT32)
        return fail (error, "size %" PRIi64 " of dimension %d is impossible", out, axes[i]);
      result->out[axes[i]] = out;
      result->scale[axes[i]] = in > 0 ? (double) out / (double) in : 1;
    }
  if (strcmp (policy, "stretch") != 0)
    keep_aspect (x, axes, n, strcmp (policy, "not_larger") == 0, result);
  return TRUE;
}

static gboolean
apply_roi (const SondeNode *node, const SondeTensor *roi, const int *axes, gsize n,
           SondeResampleSizes *result, GError **error)
{
  const char *mode = sonde_node_get_string (node, "coordinate_transformation_mode", "half_pixel");

  if (strcmp (mode, "tf_crop_and_resize") != 0 || roi == NULL)
    return TRUE;
  if (!check_count (roi, 2 * n, "roi", error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      result->start[axes[i]] = sonde_tensor_get_double (roi, (gint64) i);
      result->end[axes[i]] = sonde_tensor_get_double (roi, (gint64) (i + n));
    }
  return TRUE;
}

gboolean
sonde_resample_read (const SondeNode *node, const SondeType *x, const SondeTensor *roi,
                     const SondeTensor *scales, const SondeTensor *sizes,
                     SondeResampleSizes *result, GError **error)
{
  int axes[SONDE_MAX_RANK] = { 0 };
  gsize n = 0;

  for (int d = 0; d < x->rank; d++)
    {
      result->out[d] = x->dims[d].size;
      result->scale[d] = result->end[d] = 1;
      result->start[d] = 0;
    }
  if (!read_axes (node, x->rank, axes, &n, error))
    return FALSE;
  if (count_of (sizes) == 0 && count_of (scales) == 0 && n > 0)
    return fail (error, "needs scales or sizes");
  if (count_of (sizes) > 0 && count_of (scales) > 0)
    return fail (error, "has scales and sizes, but can follow only one of them");
  if (count_of (sizes) > 0 ? !apply_sizes (node, x, sizes, axes, n, result, error)
                           : !apply_scales (x, scales, axes, n, result, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    if (result->out[d] > 0
        && (x->dims[d].size == 0 || result->out[d] > G_MAXINT32 || x->dims[d].size > G_MAXINT32))
      return fail (error, "dimension %d cannot go from size %" PRIi64 " to %" PRIi64, d,
                   x->dims[d].size, result->out[d]);
  return apply_roi (node, roi, axes, n, result, error);
}
