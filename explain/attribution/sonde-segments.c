/* SPDX-License-Identifier: Apache-2.0
 * Segments of an image, and the scores of subsets of them. */
#include "explain/attribution/sonde-segments-private.h"

#include <math.h>
#include <string.h>

#include "explain/attribution/sonde-slic.h"

#define SQUARE 4
#define LARGE_SIDE 96

/* ---- segments ------------------------------------------------------------ */

/* Rows are cut at ⌊H · j / rows⌋, columns alike; numbers run row by row. Of one row each number is
 * its own segment. */
static gboolean
make_grid (SondeSegments *segments, GError **error)
{
  const SondeAttributionSpec *spec = segments->request->spec;
  gint64 height = segments->targets.height, width = segments->targets.width;
  gint64 rows = (height + SQUARE - 1) / SQUARE,
         columns = height == 1 ? width : (width + SQUARE - 1) / SQUARE;

  if (sonde_attribution_spec_get (spec, "grid") != NULL)
    sonde_attribution_spec_get_size (spec, "grid", &rows, &columns);
  if (rows > height || columns > width)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "grid=%" PRIi64 "x%" PRIi64
                       " has more rows or columns than the images, which have %" PRIi64
                       " rows and %" PRIi64 " columns.",
                       rows, columns, height, width);
      return FALSE;
    }
  segments->m = rows * columns;
  for (gint64 r = 0; r < rows; r++)
    for (gint64 y = height * r / rows; y < height * (r + 1) / rows; y++)
      for (gint64 c = 0; c < columns; c++)
        for (gint64 x = width * c / columns; x < width * (c + 1) / columns; x++)
          segments->of[y * width + x] = (gint32) (r * columns + c);
  return TRUE;
}

/* Every image its own, all of the same number of segments. */
static gboolean
make_slic (SondeSegments *segments, GError **error)
{
  const SondeAttributionSpec *spec = segments->request->spec;
  const SondeTargets *targets = &segments->targets;
  gint64 pixels = targets->height * targets->width,
         n = sonde_attribution_spec_get_count (spec, "n"), rows, columns;

  if (n > pixels)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "n=%" PRIi64 ": the images have only %" PRIi64
                       " pixels; choose fewer segments.",
                       n, pixels);
      return FALSE;
    }
  sonde_slic_choose_grid (n, targets->height, targets->width, &rows, &columns);
  g_free (segments->of);
  segments->of = g_new (gint32, MAX (targets->n_images * pixels, 1));
  segments->stride = pixels;
  segments->m = rows * columns;
  for (gint64 p = 0; p < targets->n_images; p++)
    sonde_slic (sonde_targets_get_image (targets, p), targets->channels, targets->height,
                targets->width, rows, columns,
                sonde_attribution_spec_get_number (spec, "compactness"), segments->of + p * pixels);
  return TRUE;
}

static gboolean
wants_slic (const SondeSegments *segments)
{
  const SondeAttributionSpec *spec = segments->request->spec;

  if (sonde_attribution_spec_get (spec, "segments") != NULL)
    return sonde_attribution_spec_is (spec, "segments", "slic");
  return sonde_attribution_spec_get (spec, "grid") == NULL
         && (sonde_attribution_spec_has (spec, "n")
             || MIN (segments->targets.height, segments->targets.width) >= LARGE_SIDE);
}

/* As the request's rows have them. */
static SondeTensor *
copy_segments (const SondeSegments *segments)
{
  const SondeTargets *targets = &segments->targets;
  SondeShape plane = sonde_shape_make (2, targets->height, targets->width),
             planes = sonde_shape_make (3, targets->n, targets->height, targets->width);
  SondeTensor *copy;

  if (segments->stride == 0)
    return sonde_tensor_new_from_data (SONDE_DTYPE_I32, &plane, segments->of);
  copy = sonde_tensor_new (SONDE_DTYPE_I32, &planes);
  for (gint64 p = 0; p < targets->n_images; p++)
    for (gint64 i = targets->begin[p]; i < targets->begin[p + 1]; i++)
      memcpy ((gint32 *) (void *) copy->data + targets->rows[i] * segments->stride,
              segments->of + p * segments->stride, (gsize) segments->stride * sizeof (gint32));
  return copy;
}

static gboolean
read_segments (SondeSegments *segments, GError **error)
{
  gint64 pixels = segments->targets.height * segments->targets.width;
  SondeShape shape = sonde_shape_make (2, segments->targets.height, segments->targets.width);
  g_autoptr (SondeTensor) given
      = sonde_attribution_spec_read (segments->request->spec, "segments", &shape, error);

  if (given == NULL)
    return FALSE;
  for (gint64 p = 0; p < pixels; p++)
    {
      double number = sonde_tensor_get_double (given, p);

      if (!(number >= -1.0 && number < (double) pixels))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "segments=%s: pixel %" PRIi64
                           " has the number %g; segments are numbered from 0 to less than %" PRIi64
                           ", and -1 means none.",
                           sonde_attribution_spec_get (segments->request->spec, "segments"), p,
                           number, pixels);
          return FALSE;
        }
      segments->of[p] = (gint32) number;
      segments->m = MAX (segments->m, (gint64) segments->of[p] + 1);
    }
  if (segments->m > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "segments=%s: no pixel belongs to a segment.",
                   sonde_attribution_spec_get (segments->request->spec, "segments"));
  return FALSE;
}

gboolean
sonde_segments_init (SondeSegments *segments, const SondeAttributionRequest *request,
                     GError **error)
{
  segments->request = request;
  sonde_targets_init (&segments->targets, request);
  segments->of = g_new0 (gint32, MAX (segments->targets.height * segments->targets.width, 1));
  if (wants_slic (segments))
    return make_slic (segments, error);
  if (sonde_attribution_spec_get (request->spec, "segments") != NULL)
    return read_segments (segments, error);
  return make_grid (segments, error);
}

void
sonde_segments_clear (SondeSegments *segments)
{
  sonde_targets_clear (&segments->targets);
  g_clear_pointer (&segments->of, g_free);
}

/* ---- scores of subsets --------------------------------------------------- */

/**
 * Subsets: of the present images
 * @present: [m + 1]: the first is 1, of pixels without a segment
 * @baseline: [C, H, W]
 * @values: scores of the present image: [most targets of an image, rows]
 */
typedef struct
{
  SondeSegments *segments;
  const SondeDesign *design;
  guint8 *present;
  float *baseline;
  double *values, *map;
  SondeAttributionResult *result;
} Subsets;

static void
subsets_clear (Subsets *subsets)
{
  g_free (subsets->present);
  g_free (subsets->baseline);
  g_free (subsets->values);
  g_free (subsets->map);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Subsets, subsets_clear)

/* Each segment in its own mean colour. */
static void
make_segment_means (const SondeSegments *segments, gint64 image, float *into)
{
  const SondeTargets *targets = &segments->targets;
  gint64 pixels = targets->height * targets->width;
  const float *x = sonde_targets_get_image (targets, image);
  const gint32 *of = segments->of + image * segments->stride;
  g_autofree double *sums = g_new (double, segments->m), *counts = g_new (double, segments->m);

  for (gint64 c = 0; c < targets->channels; c++)
    {
      for (gint64 j = 0; j < segments->m; j++)
        sums[j] = counts[j] = 0.0;
      for (gint64 p = 0; p < pixels; p++)
        if (of[p] >= 0)
          {
            sums[of[p]] += x[c * pixels + p];
            counts[of[p]] += 1.0;
          }
      for (gint64 p = 0; p < pixels; p++)
        into[c * pixels + p] = of[p] >= 0 ? (float) (sums[of[p]] / counts[of[p]]) : 0.0f;
    }
}

static gboolean
make_baseline (const SondeSegments *segments, gint64 image, float *into, GError **error)
{
  const SondeAttributionSpec *spec = segments->request->spec;

  if (!sonde_attribution_spec_is (spec, "baseline", "segment"))
    return sonde_perturbation_make_baseline (spec, &segments->targets, image, into, error);
  make_segment_means (segments, image, into);
  return TRUE;
}

static void
fill (gpointer data, gint64 image, gint64 row, gint64 slot, float *into)
{
  Subsets *subsets = data;
  const SondeTargets *targets = &subsets->segments->targets;
  const gint32 *of = subsets->segments->of + image * subsets->segments->stride;
  gint64 pixels = targets->height * targets->width;
  const float *x = sonde_targets_get_image (targets, image);

  if (row == 0)
    make_baseline (subsets->segments, image, subsets->baseline, NULL);
  subsets->design->subset (subsets->design->data, row, subsets->present + 1);
  for (gint64 c = 0; c < targets->channels; c++)
    for (gint64 p = 0; p < pixels; p++)
      into[c * pixels + p]
          = subsets->present[of[p] + 1] ? x[c * pixels + p] : subsets->baseline[c * pixels + p];
}

static void
take (gpointer data, gint64 image, gint64 row, gint64 slot, const double *scores, double beside)
{
  Subsets *subsets = data;
  const SondeTargets *targets = &subsets->segments->targets;

  for (gint64 i = targets->begin[image]; i < targets->begin[image + 1]; i++)
    subsets->values[(i - targets->begin[image]) * subsets->design->rows + row]
        = scores[targets->classes[targets->rows[i]]];
}

static void
finish (gpointer data, gint64 image)
{
  Subsets *subsets = data;
  const SondeTargets *targets = &subsets->segments->targets;
  const SondeDesign *design = subsets->design;
  gint64 m = subsets->segments->m;

  for (gint64 i = targets->begin[image]; i < targets->begin[image + 1]; i++)
    {
      const double *values = subsets->values + (i - targets->begin[image]) * design->rows;
      gint64 row = targets->rows[i];
      double gap = design->solve (design->data, values, subsets->map);

      for (gint64 j = 0; j < m; j++)
        sonde_tensor_set_double (subsets->result->maps, row * m + j, subsets->map[j]);
      sonde_tensor_set_double (subsets->result->scores, row, values[design->whole]);
      if (subsets->result->gaps != NULL)
        subsets->result->gaps[row] = gap;
    }
}

static gint64
most_targets (const SondeTargets *targets)
{
  gint64 most = 1;

  for (gint64 p = 0; p < targets->n_images; p++)
    most = MAX (most, targets->begin[p + 1] - targets->begin[p]);
  return most;
}

gboolean
sonde_segments_run (SondeSegments *segments, SondeExplainer *explainer, const SondeDesign *design,
                    SondeAttributionResult *result, GError **error)
{
  const SondeTargets *targets = &segments->targets;
  SondeShape maps = sonde_shape_make (2, targets->n, segments->m),
             scores = sonde_shape_make (1, targets->n);
  g_auto (Subsets) subsets = { .segments = segments, .design = design, .result = result };
  SondePerturbation perturbation
      = { .fill = fill, .take = take, .finish = finish, .data = &subsets };

  subsets.present = g_new0 (guint8, segments->m + 1);
  subsets.present[0] = 1;
  subsets.baseline = g_new0 (float, targets->channels * targets->height * targets->width + 1);
  subsets.values = g_new0 (double, most_targets (targets) * design->rows);
  subsets.map = g_new0 (double, segments->m);
  if (targets->n > 0 && !make_baseline (segments, 0, subsets.baseline, error))
    return FALSE;
  result->form = SONDE_MAP_SEGMENTS;
  result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &maps);
  result->scores = sonde_tensor_new (SONDE_DTYPE_F32, &scores);
  result->segments = copy_segments (segments);
  result->gaps = design->none >= 0 ? g_new0 (double, targets->n + 1) : NULL;
  sonde_perturbation_init (&perturbation, explainer, segments->request, targets);
  perturbation.rows = design->rows;
  if (!sonde_perturbation_run (&perturbation, error))
    return FALSE;
  return TRUE;
}
