/* SPDX-License-Identifier: Apache-2.0
 * Class-activation maps from activation and gradient, and what all of them share. */
#include <math.h>

#include "explain/attribution/sonde-cam-private.h"
#include "explain/attribution/sonde-resize.h"
#include "explain/sonde-probabilities.h"

/* ---- what all share ------------------------------------------------------ */

gboolean
sonde_cam_init (SondeCam *cam, SondeExplainer *explainer, const SondeAttributionRequest *request,
                GError **error)
{
  g_autofree char *form = NULL;
  SondeShape shape;

  cam->explainer = explainer;
  cam->request = request;
  sonde_targets_init (&cam->targets, request);
  cam->layer = sonde_explainer_find_layer (
      explainer, sonde_attribution_spec_get (request->spec, "layer"), cam->targets.inputs, error);
  if (cam->layer == NULL)
    return FALSE;
  if (!sonde_explainer_layer_get_size (cam->layer, &cam->channels, &cam->height, &cam->width))
    {
      form = sonde_explainer_layer_dup_form (cam->layer);
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "Layer “%s” is %s; a map requires a float32 layer [N, K, h, w] between the "
                       "input and the logits.",
                       sonde_explainer_layer_get_name (cam->layer), form);
      return FALSE;
    }
  if (cam->height * cam->width < 2)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "Layer “%s” has a single position, so its map would be constant; choose a "
                       "layer with height and width.",
                       sonde_explainer_layer_get_name (cam->layer));
      return FALSE;
    }
  shape = sonde_shape_make (1, cam->targets.n);
  cam->scores = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  cam->low = g_new0 (float, MAX (cam->targets.n * cam->height * cam->width, 1));
  cam->batch = sonde_explainer_get_batch (explainer, cam->targets.inputs, FALSE);
  return TRUE;
}

void
sonde_cam_clear (SondeCam *cam)
{
  sonde_targets_clear (&cam->targets);
  g_clear_pointer (&cam->scores, sonde_tensor_unref);
  g_clear_pointer (&cam->low, g_free);
}

void
sonde_cam_set_scores (SondeCam *cam, SondeTensor *logits, const gint64 *rows, gint64 n)
{
  gboolean logit = sonde_attribution_spec_get_score (cam->request->spec) == SONDE_SCORE_LOGIT;
  g_autoptr (SondeTensor) values
      = logit ? sonde_tensor_ref (logits) : sonde_explainer_probabilities (cam->explainer, logits);
  gint64 classes = logits->shape.dims[1];

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (
        cam->scores, rows[i],
        sonde_tensor_get_double (values, i * classes + cam->targets.classes[rows[i]]));
}

gboolean
sonde_cam_tell (const SondeCam *cam, gint64 done, GError **error)
{
  const SondeAttributionRequest *request = cam->request;

  return request->progress == NULL
         || request->progress ((guint) done, (guint) cam->targets.n, request->progress_data, error);
}

void
sonde_cam_finish (SondeCam *cam, SondeAttributionResult *result)
{
  const SondeAttributionSpec *spec = cam->request->spec;
  gboolean relu = sonde_attribution_spec_is (spec, "relu", "yes"),
           at_layer = sonde_attribution_spec_is (spec, "size", "layer");
  gint64 height = at_layer ? cam->height : cam->targets.height,
         width = at_layer ? cam->width : cam->targets.width;
  gint64 pixels = cam->height * cam->width, negative = 0, constant = 0;
  SondeShape shape = sonde_shape_make (3, cam->targets.n, height, width);
  float *to;

  result->form = SONDE_MAP_PLANE;
  result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  to = (float *) (void *) result->maps->data;
  for (gint64 i = 0; i < cam->targets.n; i++)
    {
      float *low = cam->low + i * pixels, largest = -INFINITY, smallest = INFINITY;

      for (gint64 p = 0; p < pixels; p++)
        {
          largest = MAX (largest, low[p]);
          smallest = MIN (smallest, low[p]);
          if (relu && low[p] < 0.0f)
            low[p] = 0.0f;
        }
      constant += largest == smallest;
      negative += largest <= 0.0f && largest != smallest;
      sonde_resize_plane (low, cam->height, cam->width, to + i * height * width, height, width,
                          SONDE_RESIZE_HALF_PIXEL);
    }
  if (negative > 0 && relu)
    sonde_note_add (&result->note,
                    "%" PRIi64 " of %" PRIi64
                    " maps have no positive evidence: relu=no shows them.",
                    negative, cam->targets.n);
  if (constant > 0)
    sonde_note_add (&result->note, "%" PRIi64 " of %" PRIi64 " maps are constant.", constant,
                    cam->targets.n);
  result->scores = g_steal_pointer (&cam->scores);
}

/* ---- rules: @a activation, @g gradient [channels, pixels] -> @map [pixels], zeroed ---- */

typedef void (*Rule) (const float *a, const float *g, gint64 channels, gint64 pixels, double *map);

static void
add_channel (double weight, const float *a, gint64 pixels, double *map)
{
  for (gint64 p = 0; p < pixels; p++)
    map[p] += weight * a[p];
}

static double
sum_of (const float *values, gint64 n)
{
  double sum = 0.0;

  for (gint64 p = 0; p < n; p++)
    sum += values[p];
  return sum;
}

/* w = mean g */
static void
gradcam_rule (const float *a, const float *g, gint64 channels, gint64 pixels, double *map)
{
  for (gint64 k = 0; k < channels; k++)
    add_channel (sum_of (g + k * pixels, pixels) / (double) pixels, a + k * pixels, pixels, map);
}

/* α = g² / (2 g² + ΣA · g³ + 1e-6), 0 where g = 0; w = Σ max (g, 0) · α */
static void
plus_plus_rule (const float *a, const float *g, gint64 channels, gint64 pixels, double *map)
{
  for (gint64 k = 0; k < channels; k++)
    {
      double sum = sum_of (a + k * pixels, pixels), weight = 0.0;

      for (gint64 p = 0; p < pixels; p++)
        {
          double gradient = g[k * pixels + p], square = gradient * gradient;

          if (gradient > 0.0)
            weight += gradient * square / (2.0 * square + sum * square * gradient + 1e-6);
        }
      add_channel (weight, a + k * pixels, pixels, map);
    }
}

static void
layercam_rule (const float *a, const float *g, gint64 channels, gint64 pixels, double *map)
{
  for (gint64 k = 0; k < channels; k++)
    for (gint64 p = 0; p < pixels; p++)
      map[p] += MAX ((double) g[k * pixels + p], 0.0) * a[k * pixels + p];
}

/* w = Σ g A / (Σ A + 1e-7) */
static void
xgradcam_rule (const float *a, const float *g, gint64 channels, gint64 pixels, double *map)
{
  for (gint64 k = 0; k < channels; k++)
    {
      double product = 0.0;

      for (gint64 p = 0; p < pixels; p++)
        product += (double) g[k * pixels + p] * a[k * pixels + p];
      add_channel (product / (sum_of (a + k * pixels, pixels) + 1e-7), a + k * pixels, pixels, map);
    }
}

static void
hirescam_rule (const float *a, const float *g, gint64 channels, gint64 pixels, double *map)
{
  for (gint64 k = 0; k < channels; k++)
    for (gint64 p = 0; p < pixels; p++)
      map[p] += (double) g[k * pixels + p] * a[k * pixels + p];
}

/* ---- from activation and gradient ---------------------------------------- */

/* d(score of each row's target)/d(logits). */
static SondeTensor *
make_seeds (SondeCam *cam, GPtrArray *state, const gint64 *rows, gint64 n, gint64 classes,
            GError **error)
{
  SondeShape shape = sonde_shape_make (2, n, classes);
  g_autoptr (SondeTensor) seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape), logits = NULL;

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (seeds, i * classes + cam->targets.classes[rows[i]], 1.0);
  if (sonde_attribution_spec_get_score (cam->request->spec) == SONDE_SCORE_LOGIT)
    return g_steal_pointer (&seeds);
  logits = sonde_explainer_layer_finish (cam->layer, state, error);
  return logits != NULL ? sonde_explainer_probability_seeds (cam->explainer, logits, seeds) : NULL;
}

/* Rows of the request for images whose state is there. */
static gboolean
map_rows (SondeCam *cam, GPtrArray *state, const gint64 *rows, gint64 n, gint64 classes, Rule rule,
          GError **error)
{
  gint64 pixels = cam->height * cam->width, size = cam->channels * pixels;
  g_autoptr (SondeTensor) seeds = make_seeds (cam, state, rows, n, classes, error);
  g_autoptr (SondeTensor) logits = NULL, gradient = NULL;
  g_autofree double *map = g_new (double, pixels);
  const float *a, *g;

  if (seeds == NULL)
    return FALSE;
  gradient = sonde_explainer_layer_gradient (cam->layer, state, seeds, &logits, error);
  if (gradient == NULL)
    return FALSE;
  sonde_cam_set_scores (cam, logits, rows, n);
  a = (const float *) (const void *) ((SondeTensor *) state->pdata[0])->data;
  g = (const float *) (const void *) gradient->data;
  for (gint64 i = 0; i < n; i++)
    {
      for (gint64 p = 0; p < pixels; p++)
        map[p] = 0.0;
      rule (a + i * size, g + i * size, cam->channels, pixels, map);
      for (gint64 p = 0; p < pixels; p++)
        cam->low[rows[i] * pixels + p] = (float) map[p];
    }
  return TRUE;
}

/* The part before the layer once an image, the part after it once a row. */
static gboolean
compute_from_gradient (SondeExplainer *explainer, const SondeAttributionRequest *request,
                       SondeAttributionResult *result, Rule rule, GError **error)
{
  g_auto (SondeCam) cam = { NULL };
  gint64 classes = sonde_explainer_get_n_classes (explainer, request->inputs, error);

  if (classes < 0 || !sonde_cam_init (&cam, explainer, request, error))
    return FALSE;
  for (gint64 from = 0, done = 0; from < cam.targets.n_images;)
    {
      gint64 n = MIN (cam.batch, cam.targets.n_images - from);
      g_autoptr (SondeTensor) images = sonde_targets_copy_images (&cam.targets, from, n);
      g_autoptr (GPtrArray) state = sonde_explainer_layer_run (cam.layer, images, error);
      gint64 begin = cam.targets.begin[from], end = cam.targets.begin[from + n];
      g_autofree gint64 *image_of = g_new (gint64, end - begin);

      if (state == NULL)
        return FALSE;
      for (gint64 p = 0; p < n; p++)
        for (gint64 i = cam.targets.begin[from + p]; i < cam.targets.begin[from + p + 1]; i++)
          image_of[i - begin] = p;
      for (gint64 i = begin; i < end; i += n)
        {
          gint64 rows = MIN (n, end - i);
          g_autoptr (GPtrArray) part
              = end - begin == n
                    ? g_ptr_array_ref (state)
                    : sonde_explainer_layer_gather (state, image_of + (i - begin), rows);

          if (!map_rows (&cam, part, cam.targets.rows + i, rows, classes, rule, error))
            return FALSE;
        }
      done += end - begin;
      if (!sonde_cam_tell (&cam, done, error))
        return FALSE;
      from += n;
    }
  sonde_cam_finish (&cam, result);
  return TRUE;
}

static const SondeAttributionParameter parameters[]
    = { SONDE_CAM_PARAMETERS, SONDE_PARAMETER_SCORE ("logit"), SONDE_PARAMETER_TARGET, { NULL } };

#define METHOD(row, method_name, method_title, method_summary, rule)                               \
  static gboolean row##_compute (SondeExplainer *explainer,                                        \
                                 const SondeAttributionRequest *request,                           \
                                 SondeAttributionResult *result, GError **error)                   \
  {                                                                                                \
    return compute_from_gradient (explainer, request, result, rule, error);                        \
  }                                                                                                \
  const SondeAttribution row = { .name = method_name,                                              \
                                 .title = method_title,                                            \
                                 .summary = method_summary,                                        \
                                 .parameters = parameters,                                         \
                                 .compute = row##_compute };

METHOD (sonde_attribution_gradcam, "gradcam", "GradCAM",
        N_ ("Where channels are active whose mean gradient raises the score of the class."),
        gradcam_rule)
METHOD (sonde_attribution_gradcam_plus_plus, "gradcam++", "GradCAM++",
        N_ ("Like GradCAM, with positive gradients weighted so that several objects of one class "
            "are covered."),
        plus_plus_rule)
METHOD (sonde_attribution_layercam, "layercam", "LayerCAM",
        N_ ("Where a channel is active and raises the score of the class at the same position."),
        layercam_rule)
METHOD (sonde_attribution_xgradcam, "xgradcam", "XGradCAM",
        N_ ("Like GradCAM, with gradients weighted by the activation of the channel."),
        xgradcam_rule)
METHOD (sonde_attribution_hirescam, "hirescam", "HiResCAM",
        N_ ("Activation times gradient at each position of the layer, summed over its channels."),
        hirescam_rule)
