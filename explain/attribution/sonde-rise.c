/* SPDX-License-Identifier: Apache-2.0
 * RISE: the score under random masks, and what each pixel's presence has to do with it. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "explain/attribution/sonde-occlusion.h"
#include "explain/attribution/sonde-perturbation.h"
#include "explain/attribution/sonde-resize.h"
#include "explain/sonde-explainer-model.h"

#define STREAM_CELLS "rise-cells"
#define STREAM_OFFSETS "rise-offsets"
#define SMALL_SIDE 32      /* with fewer cells */
#define LEAST_SPREAD 1e-12 /* variance of a pixel's mask, below which nothing can be said of it */

/**
 * Masks: the same ones for every image, each a function of its number
 * @given: (nullable): float32 [N, H, W]
 * @cells: a side of the grid
 * @coarse, @fine: scratch: the grid, and its resized plane of @fine_height × @fine_width
 */
typedef struct
{
  SondeTensor *given;
  gint64 n, height, width, cells, fine_height, fine_width;
  gboolean antithetic;
  double p;
  guint64 seed;
  float *coarse, *fine;
} Masks;

/**
 * Rise: one request
 * @lead: rows before the masked ones: the image, and with a companion its baseline
 * @slots: masks of the rows of a batch
 * @products: Σ f M, by row of the request; @sum, @square: Σ M, Σ M² of the masks; @total: Σ f by
 * row of the request
 * @intact, @empty: what the companion says of the present image and of its baseline
 */
typedef struct
{
  const SondeTargets *targets;
  const SondeAttributionSpec *spec;
  Masks masks;
  gint64 lead;
  gboolean centred;
  float *baseline, *slots;
  double *products, *sum, *square, *total;
  double intact, empty;
  SondeTensor *scores, *maps;
} Rise;

static void
rise_clear (Rise *rise)
{
  g_clear_pointer (&rise->masks.given, sonde_tensor_unref);
  g_free (rise->masks.coarse);
  g_free (rise->masks.fine);
  g_free (rise->baseline);
  g_free (rise->slots);
  g_free (rise->products);
  g_free (rise->sum);
  g_free (rise->square);
  g_free (rise->total);
  g_clear_pointer (&rise->scores, sonde_tensor_unref);
  g_clear_pointer (&rise->maps, sonde_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rise, rise_clear)

/* ---- masks --------------------------------------------------------------- */

/* Grid of cells that are there with probability p, resized, cut at a random offset of less than a
 * cell. */
static void
draw_mask (Masks *masks, gint64 index, float *mask)
{
  guint64 number = (guint64) (masks->antithetic ? index / 2 : index),
          cells = (guint64) (masks->cells * masks->cells);
  guint64 stream = sonde_random_stream (STREAM_CELLS),
          offsets = sonde_random_stream (STREAM_OFFSETS);
  gint64 y = (gint64) (sonde_random_uniform (masks->seed, offsets, 2 * number)
                       * (double) (masks->fine_height / (masks->cells + 1)));
  gint64 x = (gint64) (sonde_random_uniform (masks->seed, offsets, 2 * number + 1)
                       * (double) (masks->fine_width / (masks->cells + 1)));

  for (guint64 i = 0; i < cells; i++)
    masks->coarse[i]
        = sonde_random_uniform (masks->seed, stream, number * cells + i) < masks->p ? 1.0f : 0.0f;
  sonde_resize_plane (masks->coarse, masks->cells, masks->cells, masks->fine, masks->fine_height,
                      masks->fine_width, SONDE_RESIZE_HALF_PIXEL);
  for (gint64 line = 0; line < masks->height; line++)
    memcpy (mask + line * masks->width, masks->fine + (line + y) * masks->fine_width + x,
            sizeof (float) * (gsize) masks->width);
  for (gint64 i = 0; masks->antithetic && index % 2 == 1 && i < masks->height * masks->width; i++)
    mask[i] = 1.0f - mask[i];
}

static void
get_mask (Masks *masks, gint64 index, float *mask)
{
  gint64 pixels = masks->height * masks->width;

  if (masks->given == NULL)
    draw_mask (masks, index, mask);
  else
    memcpy (mask, (const float *) (const void *) masks->given->data + index * pixels,
            sizeof (float) * (gsize) pixels);
}

static gboolean
masks_init (Masks *masks, const SondeTargets *targets, const SondeAttributionRequest *request,
            GError **error)
{
  const SondeAttributionSpec *spec = request->spec;
  SondeShape shape = sonde_shape_make (3, -1, targets->height, targets->width);
  gint64 cell_height, cell_width;

  masks->height = targets->height;
  masks->width = targets->width;
  masks->seed = request->seed;
  masks->p = sonde_attribution_spec_get_number (spec, "p");
  masks->antithetic = sonde_attribution_spec_is (spec, "antithetic", "yes");
  masks->cells = MIN (targets->height, targets->width) <= SMALL_SIDE ? 4 : 7;
  if (sonde_attribution_spec_get (spec, "cells") != NULL)
    masks->cells = sonde_attribution_spec_get_count (spec, "cells");
  masks->n = sonde_attribution_spec_get_count (spec, "samples");
  if (masks->antithetic && masks->p != 0.5)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "antithetic=yes pairs each mask with its complement and requires p=0.5.");
      return FALSE;
    }
  if (sonde_attribution_spec_get (spec, "masks") != NULL)
    {
      masks->given = sonde_attribution_spec_read (spec, "masks", &shape, error);
      masks->n = masks->given != NULL ? masks->given->shape.dims[0] : 0;
      return masks->given != NULL;
    }
  cell_height = (masks->height + masks->cells - 1) / masks->cells;
  cell_width = (masks->width + masks->cells - 1) / masks->cells;
  masks->fine_height = cell_height * (masks->cells + 1);
  masks->fine_width = cell_width * (masks->cells + 1);
  masks->coarse = g_new (float, masks->cells * masks->cells);
  masks->fine = g_new (float, masks->fine_height * masks->fine_width);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static void
fill (gpointer data, gint64 image, gint64 row, gint64 slot, float *into)
{
  Rise *rise = data;
  const SondeTargets *targets = rise->targets;
  gint64 pixels = targets->height * targets->width;
  const float *x = sonde_targets_get_image (targets, image);
  float *mask = rise->slots + slot * pixels;

  if (row == 0)
    sonde_perturbation_make_baseline (rise->spec, targets, image, rise->baseline, NULL);
  if (row < rise->lead)
    {
      memcpy (into, row == 0 ? x : rise->baseline,
              sizeof (float) * (gsize) (targets->channels * pixels));
      return;
    }
  get_mask (&rise->masks, row - rise->lead, mask);
  for (gint64 c = 0; c < targets->channels; c++)
    for (gint64 p = 0; p < pixels; p++)
      into[c * pixels + p]
          = x[c * pixels + p] * mask[p] + rise->baseline[c * pixels + p] * (1.0f - mask[p]);
}

static void
take (gpointer data, gint64 image, gint64 row, gint64 slot, const double *scores, double beside)
{
  Rise *rise = data;
  const SondeTargets *targets = rise->targets;
  gint64 pixels = targets->height * targets->width;
  const float *mask = rise->slots + slot * pixels;
  double weight = 1.0;

  if (row == 0)
    rise->intact = beside;
  if (row == 1 && rise->lead == 2)
    rise->empty = beside;
  if (rise->lead == 2 && row >= 2) /* how much the masked image is still one the network knows */
    weight = rise->intact > rise->empty
                 ? CLAMP ((beside - rise->empty) / (rise->intact - rise->empty), 0.0, 1.0)
                 : 1.0;
  for (gint64 p = 0; image == 0 && row >= rise->lead && p < pixels; p++)
    {
      rise->sum[p] += mask[p];
      rise->square[p] += (double) mask[p] * mask[p];
    }
  for (gint64 i = targets->begin[image]; i < targets->begin[image + 1]; i++)
    {
      gint64 request_row = targets->rows[i];
      double score = scores[targets->classes[request_row]];
      double *products = rise->products + request_row * pixels;

      if (row == 0)
        sonde_tensor_set_double (rise->scores, request_row, score);
      if (row < rise->lead)
        continue;
      rise->total[request_row] += score;
      for (gint64 p = 0; p < pixels; p++)
        products[p] += weight * score * mask[p];
    }
}

/* S = Σ f M / (N p), or how the score goes with the pixel's mask. */
static gint64
finish (Rise *rise)
{
  gint64 pixels = rise->targets->height * rise->targets->width, still = 0;
  double n = (double) rise->masks.n;
  float *to = (float *) (void *) rise->maps->data;

  for (gint64 i = 0; i < rise->targets->n; i++)
    for (gint64 p = 0; p < pixels; p++)
      {
        double product = rise->products[i * pixels + p] / n, mean = rise->sum[p] / n;
        double spread = rise->square[p] / n - mean * mean;

        if (!rise->centred)
          to[i * pixels + p] = (float) (product / rise->masks.p);
        else
          to[i * pixels + p] = spread > LEAST_SPREAD
                                   ? (float) ((product - rise->total[i] / n * mean) / spread)
                                   : 0.0f;
        still += rise->centred && i == 0 && spread <= LEAST_SPREAD;
      }
  return still;
}

static void
rise_allocate (Rise *rise, gint64 batch)
{
  const SondeTargets *targets = rise->targets;
  gint64 pixels = targets->height * targets->width;
  SondeShape shape = sonde_shape_make (3, targets->n, targets->height, targets->width),
             one = sonde_shape_make (1, targets->n);

  rise->baseline = g_new0 (float, targets->channels *pixels);
  rise->slots = g_new0 (float, batch *pixels);
  rise->products = g_new0 (double, targets->n *pixels + 1);
  rise->total = g_new0 (double, targets->n + 1);
  rise->sum = g_new0 (double, pixels);
  rise->square = g_new0 (double, pixels);
  rise->maps = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  rise->scores = sonde_tensor_new (SONDE_DTYPE_F32, &one);
}

/* The network that says how usual an image is. */
static SondeExplainer *
open_companion (const char *path, SondeExplainer *explainer, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, error);

  return model != NULL ? sonde_explainer_new_beside (explainer, model, error) : NULL;
}

static gboolean
compute_with (SondeExplainer *explainer, SondeExplainer *companion,
              const SondeAttributionRequest *request, gboolean centred,
              SondeAttributionResult *result, GError **error)
{
  g_auto (SondeTargets) targets = { 0 };
  g_auto (Rise) rise = { NULL };
  SondePerturbation perturbation
      = { .companion = companion, .fill = fill, .take = take, .data = &rise };
  gint64 still;

  sonde_targets_init (&targets, request);
  rise.targets = &targets;
  rise.spec = request->spec;
  rise.centred = centred;
  rise.lead = companion != NULL ? 2 : 1;
  sonde_perturbation_init (&perturbation, explainer, request, &targets);
  rise_allocate (&rise, perturbation.batch);
  if (!masks_init (&rise.masks, &targets, request, error)
      || (targets.n > 0
          && !sonde_perturbation_make_baseline (request->spec, &targets, 0, rise.baseline, error)))
    return FALSE;
  perturbation.rows = rise.lead + rise.masks.n;
  if (!sonde_perturbation_run (&perturbation, error))
    return FALSE;
  still = finish (&rise);
  if (still > 0)
    sonde_note_add (&result->note, "%" PRIi64 " pixels are masked by all masks alike: they are 0.",
                    still);
  result->form = SONDE_MAP_PLANE;
  result->maps = g_steal_pointer (&rise.maps);
  result->scores = g_steal_pointer (&rise.scores);
  return TRUE;
}

static gboolean
rise_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
              SondeAttributionResult *result, GError **error)
{
  return compute_with (explainer, NULL, request,
                       sonde_attribution_spec_is (request->spec, "centred", "yes"), result, error);
}

static gboolean
riseplus_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  const char *path = sonde_attribution_spec_get (request->spec, "ood");
  g_autoptr (SondeExplainer) companion = NULL;

  if (path != NULL)
    {
      companion = open_companion (path, explainer, error);
      if (companion == NULL)
        return FALSE;
    }
  if (!compute_with (explainer, companion, request, FALSE, result, error))
    return FALSE;
  if (companion == NULL && result->note == NULL)
    sonde_note_add (&result->note,
                    "Without ood=MODEL, all masks have weight 1 and the map equals that of RISE.");
  return TRUE;
}

/* One row a parameter. */
/* clang-format off */
#define MASK_PARAMETERS \
  { "masks", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL, \
    "float32 [N, H, W] in a .npy file; else drawn" }, \
    { "samples", "4000", SONDE_PARAMETER_COUNT, 1, 1 << 24, NULL, "masks that are drawn" }, \
    { "cells", NULL, SONDE_PARAMETER_COUNT, 1, 64, NULL, \
      "along a side of a mask; else 7, 4 for sides up to 32" }, \
    { "p", "0.5", SONDE_PARAMETER_NUMBER, 1e-6, 1, NULL, "probability of a cell to stay" }, \
    { "antithetic", "no", SONDE_PARAMETER_CHOICE, 0, 0, "yes|no", \
      "each second mask is the opposite of the one before" }
/* clang-format on */

static const SondeAttributionParameter rise_parameters[]
    = { MASK_PARAMETERS,
        { "centred", "no", SONDE_PARAMETER_CHOICE, 0, 0, "yes|no",
          "0 for a pixel without influence" },
        SONDE_PARAMETER_BASELINE,
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };
static const SondeAttributionParameter riseplus_parameters[]
    = { MASK_PARAMETERS,
        { "ood", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL,
          "model whose largest output is high for images like those of training" },
        SONDE_PARAMETER_BASELINE,
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };

const SondeAttribution sonde_attribution_rise = {
  .name = "rise",
  .title = "RISE",
  .summary = N_ ("The mean score of the class over random masks that keep the pixel; centred: the "
                 "correlation of the score with the pixel."),
  .parameters = rise_parameters,
  .compute = rise_compute,
};

const SondeAttribution sonde_attribution_riseplus = {
  .name = "riseplus",
  .title = "RISEPlus",
  .summary
  = N_ ("Like RISE, with less weight for masked images that differ from the training images."),
  .parameters = riseplus_parameters,
  .compute = riseplus_compute,
};
