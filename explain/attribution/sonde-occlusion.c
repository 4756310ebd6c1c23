/* SPDX-License-Identifier: Apache-2.0
 * Occlusion by a window that slides over the image. */
#include "explain/attribution/sonde-occlusion.h"

#include <math.h>
#include <string.h>

#include "explain/attribution/sonde-perturbation.h"

#define DEFAULT_PARTS 12 /* windows along a side, without overlap */
#define SMALL_PROBABILITY 0.01

/**
 * Sliding: one request
 * @xs, @ys: (element-type gint64): where windows begin
 * @baseline: of the present image [C, H, W]
 * @intact: scores of the images as they are, by row of the request
 * @sums: [rows of the request, H, W]; @counts: windows over a pixel [H, W]
 */
typedef struct
{
  const SondeTargets *targets;
  const SondeAttributionSpec *spec;
  gint64 width, height;
  GArray *xs, *ys;
  float *baseline;
  double *intact, *sums;
  gint32 *counts;
  SondeTensor *scores;
} Sliding;

static void
sliding_clear (Sliding *sliding)
{
  g_clear_pointer (&sliding->xs, g_array_unref);
  g_clear_pointer (&sliding->ys, g_array_unref);
  g_clear_pointer (&sliding->scores, sonde_tensor_unref);
  g_free (sliding->baseline);
  g_free (sliding->intact);
  g_free (sliding->sums);
  g_free (sliding->counts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sliding, sliding_clear)

/* 0, s, 2 s …, and a last one flush with the border. */
static GArray *
find_offsets (gint64 length, gint64 window, gint64 stride)
{
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 last = length - window;

  for (gint64 at = 0; at < last; at += stride)
    g_array_append_val (offsets, at);
  g_array_append_val (offsets, last);
  return offsets;
}

static void
get_window (const Sliding *sliding, gint64 row, gint64 *x, gint64 *y)
{
  *x = g_array_index (sliding->xs, gint64, (row - 1) % sliding->xs->len);
  *y = g_array_index (sliding->ys, gint64, (row - 1) / sliding->xs->len);
}

/* Row 0 is the image as it is. */
static void
fill (gpointer data, gint64 image, gint64 row, gint64 slot, float *into)
{
  Sliding *sliding = data;
  const SondeTargets *targets = sliding->targets;
  gint64 pixels = targets->height * targets->width, x, y;

  memcpy (into, sonde_targets_get_image (targets, image),
          sizeof (float) * (gsize) (targets->channels * pixels));
  if (row == 0)
    {
      sonde_perturbation_make_baseline (sliding->spec, targets, image, sliding->baseline, NULL);
      return;
    }
  get_window (sliding, row, &x, &y);
  for (gint64 c = 0; c < targets->channels; c++)
    for (gint64 line = y; line < y + sliding->height; line++)
      memcpy (into + c * pixels + line * targets->width + x,
              sliding->baseline + c * pixels + line * targets->width + x,
              sizeof (float) * (gsize) sliding->width);
}

static void
take (gpointer data, gint64 image, gint64 row, gint64 slot, const double *scores, double beside)
{
  Sliding *sliding = data;
  const SondeTargets *targets = sliding->targets;
  gint64 pixels = targets->height * targets->width, x = 0, y = 0;

  if (row > 0)
    get_window (sliding, row, &x, &y);
  for (gint64 i = targets->begin[image]; i < targets->begin[image + 1]; i++)
    {
      gint64 request_row = targets->rows[i];
      double score = scores[targets->classes[request_row]], drop;

      if (row == 0)
        {
          sliding->intact[request_row] = score;
          sonde_tensor_set_double (sliding->scores, request_row, score);
          continue;
        }
      drop = sliding->intact[request_row] - score;
      for (gint64 line = y; line < y + sliding->height; line++)
        for (gint64 column = x; column < x + sliding->width; column++)
          sliding->sums[request_row * pixels + line * targets->width + column] += drop;
    }
}

static void
count_windows (Sliding *sliding)
{
  for (gint64 row = 1; row <= (gint64) sliding->xs->len * sliding->ys->len; row++)
    {
      gint64 x, y;

      get_window (sliding, row, &x, &y);
      for (gint64 line = y; line < y + sliding->height; line++)
        for (gint64 column = x; column < x + sliding->width; column++)
          sliding->counts[line * sliding->targets->width + column]++;
    }
}

static gboolean
sliding_init (Sliding *sliding, const SondeTargets *targets, const SondeAttributionRequest *request,
              GError **error)
{
  const SondeAttributionSpec *spec = request->spec;
  gint64 stride_x, stride_y, size = targets->channels * targets->height * targets->width;
  SondeShape shape = sonde_shape_make (1, targets->n);

  sliding->targets = targets;
  sliding->spec = spec;
  sliding->width
      = MIN (MAX (3, (targets->width + DEFAULT_PARTS / 2) / DEFAULT_PARTS), targets->width);
  sliding->height
      = MIN (MAX (3, (targets->height + DEFAULT_PARTS / 2) / DEFAULT_PARTS), targets->height);
  if (sonde_attribution_spec_get (spec, "window") != NULL)
    sonde_attribution_spec_get_size (spec, "window", &sliding->width, &sliding->height);
  stride_x = MAX (1, sliding->width / 2);
  stride_y = MAX (1, sliding->height / 2);
  if (sonde_attribution_spec_get (spec, "stride") != NULL)
    sonde_attribution_spec_get_size (spec, "stride", &stride_x, &stride_y);
  if (sliding->width > targets->width || sliding->height > targets->height
      || (sliding->width == targets->width && sliding->height == targets->height))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "A window of %" PRIi64 "×%" PRIi64 " covers the whole image of %" PRIi64
                       "×%" PRIi64 ", so the map would be constant; choose a smaller window.",
                       sliding->width, sliding->height, targets->width, targets->height);
      return FALSE;
    }
  sliding->xs = find_offsets (targets->width, sliding->width, stride_x);
  sliding->ys = find_offsets (targets->height, sliding->height, stride_y);
  sliding->baseline = g_new0 (float, size);
  sliding->intact = g_new0 (double, targets->n + 1);
  sliding->sums = g_new0 (double, targets->n * targets->height * targets->width + 1);
  sliding->counts = g_new0 (gint32, targets->height * targets->width);
  sliding->scores = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  count_windows (sliding);
  return targets->n == 0
         || sonde_perturbation_make_baseline (spec, targets, 0, sliding->baseline, error);
}

/* Means over the windows, and what a reader must know of them. */
static void
finish (Sliding *sliding, SondeScore score, SondeAttributionResult *result)
{
  const SondeTargets *targets = sliding->targets;
  gint64 pixels = targets->height * targets->width, bare = 0, small = 0;
  SondeShape shape = sonde_shape_make (3, targets->n, targets->height, targets->width);
  float *to;

  result->form = SONDE_MAP_PLANE;
  result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  result->scores = g_steal_pointer (&sliding->scores);
  to = (float *) (void *) result->maps->data;
  for (gint64 i = 0; i < targets->n * pixels; i++)
    to[i] = sliding->counts[i % pixels] > 0
                ? (float) (sliding->sums[i] / sliding->counts[i % pixels])
                : 0.0f;
  for (gint64 p = 0; p < pixels; p++)
    bare += sliding->counts[p] == 0;
  for (gint64 i = 0; score == SONDE_SCORE_PROBABILITY && i < targets->n; i++)
    small += sliding->intact[i] < SMALL_PROBABILITY;
  if (bare > 0)
    sonde_note_add (&result->note, "%" PRIi64 " pixels lie under no window: they are 0.", bare);
  if (small > 0)
    sonde_note_add (&result->note,
                    "The probability of %" PRIi64 " of %" PRIi64
                    " targets is below %g: their drops are tiny.",
                    small, targets->n, SMALL_PROBABILITY);
}

static gboolean
compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
         SondeAttributionResult *result, GError **error)
{
  g_auto (SondeTargets) targets = { 0 };
  g_auto (Sliding) sliding = { NULL };
  SondePerturbation perturbation = { .fill = fill, .take = take };

  sonde_targets_init (&targets, request);
  if (!sliding_init (&sliding, &targets, request, error))
    return FALSE;
  sonde_perturbation_init (&perturbation, explainer, request, &targets);
  perturbation.rows = 1 + (gint64) sliding.xs->len * sliding.ys->len;
  perturbation.data = &sliding;
  if (!sonde_perturbation_run (&perturbation, error))
    return FALSE;
  finish (&sliding, perturbation.score, result);
  return TRUE;
}

static const SondeAttributionParameter parameters[]
    = { { "window", NULL, SONDE_PARAMETER_SIZE, 1, 1 << 16, NULL,
          "WxH in pixels; else a twelfth of the side, at least 3" },
        { "stride", NULL, SONDE_PARAMETER_SIZE, 1, 1 << 16, NULL,
          "WxH in pixels; else half a window" },
        SONDE_PARAMETER_BASELINE,
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };

const SondeAttribution sonde_attribution_occlusion = {
  .name = "occlusion",
  .title = "Occlusion",
  .summary = N_ ("How much the score of the class falls when a window over the pixel is occluded, "
                 "averaged over all such windows."),
  .parameters = parameters,
  .compute = compute,
};
