/* SPDX-License-Identifier: Apache-2.0
 * Class-activation maps whose weights come from further forward passes. */
#include <math.h>
#include <string.h>

#include "explain/attribution/sonde-cam-private.h"
#include "explain/attribution/sonde-perturbation.h"
#include "explain/attribution/sonde-resize.h"
#include "explain/sonde-probabilities.h"

/* Rows of an image get Σ_k weight · A^k; @weights: [channels] */
static void
combine (SondeCam *cam, const float *a, const double *weights, gint64 row)
{
  gint64 pixels = cam->height * cam->width;
  g_autofree double *map = g_new0 (double, pixels);

  for (gint64 k = 0; k < cam->channels; k++)
    for (gint64 p = 0; p < pixels; p++)
      map[p] += weights[k] * a[k * pixels + p];
  for (gint64 p = 0; p < pixels; p++)
    cam->low[row * pixels + p] = (float) map[p];
}

/* ---- ScoreCAM ------------------------------------------------------------ */

/**
 * Scoring: images masked by their layer's channels
 * @state: of images @from …
 * @weights: [rows of the request, channels]: scores, then weights
 * @empty: scores of all classes of an image of zeros
 * @mask: scratch [H, W]
 */
typedef struct
{
  SondeCam *cam;
  GPtrArray *state;
  gint64 from;
  double *weights, *empty;
  float *mask;
  SondeResizeGrid grid;
} Scoring;

static const float *
get_activation (const Scoring *scoring, gint64 image)
{
  const SondeCam *cam = scoring->cam;

  return (const float *) (const void *) ((SondeTensor *) scoring->state->pdata[0])->data
         + (image - scoring->from) * cam->channels * cam->height * cam->width;
}

/* x ⊙ U^k, U^k = min-max of the resized channel */
static void
score_fill (gpointer data, gint64 image, gint64 row, gint64 slot, float *into)
{
  const Scoring *scoring = data;
  const SondeCam *cam = scoring->cam;
  gint64 pixels = cam->targets.height * cam->targets.width;
  const float *x = sonde_targets_get_image (&cam->targets, image);
  float least = INFINITY, most = -INFINITY, scale;

  sonde_resize_plane (get_activation (scoring, image) + row * cam->height * cam->width, cam->height,
                      cam->width, scoring->mask, cam->targets.height, cam->targets.width,
                      scoring->grid);
  for (gint64 p = 0; p < pixels; p++)
    {
      least = MIN (least, scoring->mask[p]);
      most = MAX (most, scoring->mask[p]);
    }
  scale = 1.0f / (most - least + 1e-8f);
  for (gint64 p = 0; p < pixels; p++)
    scoring->mask[p] = (scoring->mask[p] - least) * scale;
  for (gint64 c = 0; c < cam->targets.channels; c++)
    for (gint64 p = 0; p < pixels; p++)
      into[c * pixels + p] = x[c * pixels + p] * scoring->mask[p];
}

static void
score_take (gpointer data, gint64 image, gint64 row, gint64 slot, const double *scores,
            double beside)
{
  const Scoring *scoring = data;
  const SondeTargets *targets = &scoring->cam->targets;

  for (gint64 i = targets->begin[image]; i < targets->begin[image + 1]; i++)
    scoring->weights[targets->rows[i] * scoring->cam->channels + row]
        = scores[targets->classes[targets->rows[i]]];
}

/* Scores become weights: softmax over channels, or what is more than the empty image's. */
static void
weigh (const SondeCam *cam, double *weights, double empty)
{
  double most = -INFINITY, sum = 0.0;

  if (sonde_attribution_spec_is (cam->request->spec, "weights", "increase"))
    {
      for (gint64 k = 0; k < cam->channels; k++)
        weights[k] -= empty;
      return;
    }
  for (gint64 k = 0; k < cam->channels; k++)
    most = fmax (most, weights[k]);
  for (gint64 k = 0; k < cam->channels; k++)
    sum += weights[k] = exp (weights[k] - most);
  for (gint64 k = 0; k < cam->channels; k++)
    weights[k] /= sum;
}

static void
score_finish (gpointer data, gint64 image)
{
  Scoring *scoring = data;
  SondeCam *cam = scoring->cam;

  for (gint64 i = cam->targets.begin[image]; i < cam->targets.begin[image + 1]; i++)
    {
      gint64 row = cam->targets.rows[i];
      double *weights = scoring->weights + row * cam->channels;

      weigh (cam, weights, scoring->empty[cam->targets.classes[row]]);
      combine (cam, get_activation (scoring, image), weights, row);
    }
}

/* Scores of all classes of an image of zeros. */
static double *
score_nothing (SondeCam *cam, GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, 1, cam->targets.channels, cam->targets.height, cam->targets.width);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  return sonde_perturbation_score_image (
      cam->explainer, zeros, sonde_attribution_spec_get_score (cam->request->spec), error);
}

/* Images @from … in one go: the layer of all of them, then every image's masks. */
static gboolean
score_images (SondeCam *cam, SondePerturbation *perturbation, Scoring *scoring, GError **error)
{
  g_autoptr (SondeTensor) images
      = sonde_targets_copy_images (&cam->targets, perturbation->first, perturbation->n);
  g_autoptr (GPtrArray) state = sonde_explainer_layer_run (cam->layer, images, error);
  g_autoptr (SondeTensor) logits
      = state != NULL ? sonde_explainer_layer_finish (cam->layer, state, error) : NULL;
  gint64 classes;

  if (logits == NULL)
    return FALSE;
  classes = logits->shape.dims[1];
  for (gint64 p = 0; p < perturbation->n; p++)
    {
      SondeShape shape = sonde_shape_make (2, 1, classes);
      g_autoptr (SondeTensor) own
          = sonde_tensor_view (logits, &shape, logits->strides, p * classes);
      gint64 image = perturbation->first + p;

      for (gint64 i = cam->targets.begin[image]; i < cam->targets.begin[image + 1]; i++)
        sonde_cam_set_scores (cam, own, &cam->targets.rows[i], 1);
    }
  scoring->state = state;
  scoring->from = perturbation->first;
  return sonde_perturbation_run (perturbation, error);
}

static gboolean
scorecam_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  g_auto (SondeCam) cam = { NULL };
  SondePerturbation perturbation
      = { .fill = score_fill, .take = score_take, .finish = score_finish };
  Scoring scoring = { .cam = &cam };
  g_autofree double *empty = NULL, *weights = NULL;
  g_autofree float *mask = NULL;

  if (!sonde_cam_init (&cam, explainer, request, error))
    return FALSE;
  scoring.empty = empty = score_nothing (&cam, error);
  if (empty == NULL)
    return FALSE;
  scoring.weights = weights = g_new0 (double, MAX (cam.targets.n * cam.channels, 1));
  scoring.mask = mask = g_new (float, cam.targets.height *cam.targets.width);
  scoring.grid = sonde_attribution_spec_is (request->spec, "resize", "corners")
                     ? SONDE_RESIZE_CORNERS
                     : SONDE_RESIZE_HALF_PIXEL;
  sonde_perturbation_init (&perturbation, explainer, request, &cam.targets);
  perturbation.rows = cam.channels;
  perturbation.data = &scoring;
  for (gint64 from = 0; from < cam.targets.n_images; from += cam.batch)
    {
      perturbation.first = from;
      perturbation.n = MIN (cam.batch, cam.targets.n_images - from);
      if (!score_images (&cam, &perturbation, &scoring, error))
        return FALSE;
    }
  sonde_cam_finish (&cam, result);
  return TRUE;
}

/* ---- AblationCAM --------------------------------------------------------- */

/* Channel @channel of row @slot of the activation becomes 0. */
static void
ablate (const SondeCam *cam, SondeTensor *activation, gint64 slot, gint64 channel)
{
  gint64 pixels = cam->height * cam->width;

  memset ((float *) (void *) activation->data + (slot * cam->channels + channel) * pixels, 0,
          sizeof (float) * (gsize) pixels);
}

/* Scores of images @from … with each channel taken away: @scores [images, channels, classes].
 * Only the part after the layer runs. */
static gboolean
ablate_images (SondeCam *cam, GPtrArray *state, gint64 n, gint64 classes, double *scores,
               GError **error)
{
  gboolean logit = sonde_attribution_spec_get_score (cam->request->spec) == SONDE_SCORE_LOGIT;
  gint64 batch = sonde_explainer_layer_get_batch (cam->layer, state, error),
         total = n * cam->channels;
  g_autofree gint64 *rows = g_new (gint64, MAX (batch, 1));

  if (batch < 0)
    return FALSE;
  for (gint64 at = 0; at < total; at += batch)
    {
      gint64 count = MIN (batch, total - at);
      g_autoptr (GPtrArray) part = NULL;
      g_autoptr (SondeTensor) logits = NULL, values = NULL;

      for (gint64 i = 0; i < count; i++)
        rows[i] = (at + i) / cam->channels;
      part = sonde_explainer_layer_gather (state, rows, count);
      for (gint64 i = 0; i < count; i++)
        ablate (cam, part->pdata[0], i, (at + i) % cam->channels);
      logits = sonde_explainer_layer_finish (cam->layer, part, error);
      if (logits == NULL)
        return FALSE;
      values = logit ? sonde_tensor_ref (logits)
                     : sonde_explainer_probabilities (cam->explainer, logits);
      for (gint64 i = 0; i < count * classes; i++)
        scores[at * classes + i] = sonde_tensor_get_double (values, i);
    }
  return TRUE;
}

/* w_k = (y − y_k) / y; where y is 0 the map is not defined. */
static void
ablation_row (SondeCam *cam, const float *a, const double *scores, gint64 classes, gint64 row,
              gint64 *undefined)
{
  g_autofree double *weights = g_new (double, cam->channels);
  double y = sonde_tensor_get_double (cam->scores, row);

  for (gint64 k = 0; k < cam->channels; k++)
    weights[k] = y != 0.0 ? (y - scores[k * classes + cam->targets.classes[row]]) / y : NAN;
  *undefined += y == 0.0;
  combine (cam, a, weights, row);
}

static gboolean
ablationcam_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                     SondeAttributionResult *result, GError **error)
{
  g_auto (SondeCam) cam = { NULL };
  gint64 size, undefined = 0;

  if (!sonde_cam_init (&cam, explainer, request, error))
    return FALSE;
  size = cam.channels * cam.height * cam.width;
  for (gint64 from = 0; from < cam.targets.n_images;)
    {
      gint64 n = MIN (cam.batch, cam.targets.n_images - from), classes;
      g_autoptr (SondeTensor) images = sonde_targets_copy_images (&cam.targets, from, n);
      g_autoptr (GPtrArray) state = sonde_explainer_layer_run (cam.layer, images, error);
      g_autoptr (SondeTensor) logits
          = state != NULL ? sonde_explainer_layer_finish (cam.layer, state, error) : NULL;
      g_autofree double *scores = NULL;
      const float *a;

      if (logits == NULL)
        return FALSE;
      classes = logits->shape.dims[1];
      scores = g_new (double, n *cam.channels *classes);
      if (!ablate_images (&cam, state, n, classes, scores, error))
        return FALSE;
      a = (const float *) (const void *) ((SondeTensor *) state->pdata[0])->data;
      for (gint64 p = 0; p < n; p++)
        {
          SondeShape shape = sonde_shape_make (2, 1, classes);
          g_autoptr (SondeTensor) own
              = sonde_tensor_view (logits, &shape, logits->strides, p * classes);

          for (gint64 i = cam.targets.begin[from + p]; i < cam.targets.begin[from + p + 1]; i++)
            {
              sonde_cam_set_scores (&cam, own, &cam.targets.rows[i], 1);
              ablation_row (&cam, a + p * size, scores + p * cam.channels * classes, classes,
                            cam.targets.rows[i], &undefined);
            }
        }
      from += n;
      if (!sonde_cam_tell (&cam, cam.targets.begin[from], error))
        return FALSE;
    }
  if (undefined > 0)
    sonde_note_add (&result->note,
                    "The score of %" PRIi64 " of %" PRIi64
                    " samples is 0: shares of it are not defined, their maps are NaN.",
                    undefined, cam.targets.n);
  sonde_cam_finish (&cam, result);
  return TRUE;
}

static const SondeAttributionParameter score_parameters[]
    = { SONDE_CAM_PARAMETERS,
        { "weights", "increase", SONDE_PARAMETER_CHOICE, 0, 0, "increase|softmax",
          "score less that of an image of zeros; softmax over channels, as pytorch-grad-cam" },
        { "resize", "half-pixel", SONDE_PARAMETER_CHOICE, 0, 0, "half-pixel|corners",
          "of the masks" },
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        { NULL } };
static const SondeAttributionParameter ablation_parameters[]
    = { SONDE_CAM_PARAMETERS, SONDE_PARAMETER_SCORE ("logit"), SONDE_PARAMETER_TARGET, { NULL } };

const SondeAttribution sonde_attribution_scorecam = {
  .name = "scorecam",
  .title = "ScoreCAM",
  .summary = N_ ("Where channels are active that preserve the score of the class when used as a "
                 "mask of the image."),
  .parameters = score_parameters,
  .compute = scorecam_compute,
};

const SondeAttribution sonde_attribution_ablationcam = {
  .name = "ablationcam",
  .title = "AblationCAM",
  .summary = N_ ("Where channels are active whose removal lowers the score of the class."),
  .parameters = ablation_parameters,
  .compute = ablationcam_compute,
};
