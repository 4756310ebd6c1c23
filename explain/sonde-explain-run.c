/* SPDX-License-Identifier: Apache-2.0
 * Classify, choose, explain. */
#include "explain/sonde-explain-run.h"

#include <math.h>
#include <string.h>

#include "data/images/sonde-png.h"

#define BATCH 64

static void
prediction_free (void *data)
{
  SondePrediction *prediction = data;

  g_free (prediction->name);
  g_free (prediction->probabilities);
  g_free (prediction);
}

double
sonde_prediction_get_probability (const SondePrediction *prediction,
                                  gint64                 c)
{
  return c >= 0 && c < prediction->n_classes ? prediction->probabilities[c] : NAN;
}

double
sonde_prediction_get_margin (const SondePrediction *prediction)
{
  double other = 0.0;

  for (guint c = 0; c < prediction->n_classes; c++)
    if (c != prediction->predicted)
      other = fmax (other, prediction->probabilities[c]);
  return prediction->probabilities[prediction->predicted] - other;
}

gboolean
sonde_prediction_is_error (const SondePrediction *prediction)
{
  return prediction->label >= 0 && prediction->label != prediction->predicted;
}

static gboolean
check_size (SondeExplainer *explainer,
            SondeDataset   *dataset,
            GError        **error)
{
  gint64 channels, height, width;

  if (dataset->dtype != SONDE_DTYPE_F32)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The samples are %s, not pictures; only pictures and numbers can be explained.",
                   sonde_dtype_name (dataset->dtype));
      return FALSE;
    }
  sonde_explainer_get_input_size (explainer, &channels, &height, &width);
  if ((channels < 0 || channels == dataset->channels) && (height < 0 || height == dataset->height)
      && (width < 0 || width == dataset->width))
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "The pictures are %d×%d×%d, the model takes %" G_GINT64_FORMAT "×%" G_GINT64_FORMAT "×%" G_GINT64_FORMAT
               " (channels × height × width).",
               dataset->channels, dataset->height, dataset->width, channels, height, width);
  return FALSE;
}

/* float32 [n, C, H, W] of the samples that @sample_of gives. */
static SondeTensor *
load_batch (SondeDataset *dataset,
            const guint  *samples,
            guint         n,
            GError      **error)
{
  SondeShape shape = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, "batch of pictures", error);
  gint64 size = (gint64) dataset->channels * dataset->height * dataset->width;

  if (inputs == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!sonde_dataset_fill (dataset, samples[i], (float *) (void *) inputs->data + i * size, error))
      return NULL;
  return g_steal_pointer (&inputs);
}

static SondePrediction *
make_prediction (SondeDataset *dataset,
                 guint         sample,
                 SondeTensor  *logits,
                 SondeTensor  *probabilities,
                 gint64        row)
{
  SondePrediction *prediction = g_new0 (SondePrediction, 1);
  gint64 classes = logits->shape.dims[1];

  prediction->sample = sample;
  prediction->name = sonde_dataset_dup_name (dataset, sample);
  prediction->label = sonde_dataset_get_label (dataset, sample);
  prediction->n_classes = (guint) classes;
  prediction->probabilities = g_new (float, classes);
  for (gint64 c = 0; c < classes; c++)
    {
      prediction->probabilities[c] = (float) sonde_tensor_get_double (probabilities, row * classes + c);
      if (sonde_tensor_get_double (logits, row * classes + c)
          > sonde_tensor_get_double (logits, row * classes + prediction->predicted))
        prediction->predicted = c;
    }
  return prediction;
}

GPtrArray *
sonde_explain_classify (SondeExplainer      *explainer,
                        SondeDataset        *dataset,
                        const guint         *samples,
                        guint                n,
                        SondeExplainProgress progress,
                        gpointer             data,
                        GError             **error)
{
  g_autoptr (GPtrArray) predictions = g_ptr_array_new_with_free_func (prediction_free);

  if (!check_size (explainer, dataset, error))
    return NULL;
  for (guint done = 0; done < n; done += BATCH)
    {
      guint count = MIN (BATCH, n - done);
      g_autoptr (SondeTensor) inputs = load_batch (dataset, samples + done, count, error);
      g_autoptr (SondeTensor) logits = inputs != NULL ? sonde_explainer_forward (explainer, inputs, error) : NULL;
      g_autoptr (SondeTensor) probabilities = NULL;

      if (logits == NULL)
        return NULL;
      probabilities = sonde_explainer_softmax (logits);
      for (guint i = 0; i < count; i++)
        g_ptr_array_add (predictions, make_prediction (dataset, samples[done + i], logits, probabilities, i));
      if (progress != NULL && !progress (done + count, n, data, error))
        return NULL;
    }
  return g_steal_pointer (&predictions);
}

static gint64
choose_target (const SondePrediction *prediction,
               const char            *target_is,
               gint64                 target)
{
  if (g_str_equal (target_is, "predicted"))
    return prediction->predicted;
  return g_str_equal (target_is, "true") ? prediction->label : target;
}

/* Explains one batch and hands out its maps. */
static gboolean
explain_batch (SondeExplainer         *explainer,
               SondeDataset           *dataset,
               SondePrediction *const *chosen,
               guint                   n,
               SondeTensor            *targets,
               SondeExplainedMap      *map,
               SondeExplainSink        sink,
               gpointer                data,
               GError                **error)
{
  g_autofree guint *samples = g_new (guint, n);
  g_autoptr (SondeTensor) inputs = NULL, scores = NULL, channels = NULL;
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);

  for (guint i = 0; i < n; i++)
    samples[i] = chosen[i]->sample;
  inputs = load_batch (dataset, samples, n, error);
  if (inputs == NULL)
    return FALSE;
  channels = map->method->compute (explainer, inputs, targets, &scores, error);
  for (guint i = 0; channels != NULL && i < n; i++)
    {
      g_autoptr (SondeTensor) one = sonde_tensor_view (channels, &shape, channels->strides + 1,
                                                       i * channels->strides[0]);
      g_autoptr (SondeTensor) aggregated = sonde_attribution_aggregate (one);

      map->prediction = chosen[i];
      map->target = sonde_tensor_get_int (targets, i);
      map->channels = one;
      map->map = aggregated;
      map->score = sonde_tensor_get_double (scores, i);
      if (!sink (map, data, error))
        return FALSE;
    }
  return channels != NULL;
}

gboolean
sonde_explain_maps (SondeExplainer         *explainer,
                    SondeDataset           *dataset,
                    GPtrArray              *chosen,
                    const SondeAttribution *method,
                    const char             *target_is,
                    gint64                  target,
                    SondeExplainSink        sink,
                    gpointer                data,
                    GError                **error)
{
  g_autoptr (GPtrArray) usable = g_ptr_array_new ();
  SondeExplainedMap map = { .method = method, .target_is = target_is };

  if (!check_size (explainer, dataset, error))
    return FALSE;
  for (guint i = 0; i < chosen->len; i++)
    if (choose_target (g_ptr_array_index (chosen, i), target_is, target) >= 0)
      g_ptr_array_add (usable, g_ptr_array_index (chosen, i));
  for (guint done = 0; done < usable->len; done += BATCH)
    {
      guint n = MIN (BATCH, usable->len - done);
      SondeShape shape = sonde_shape_make (1, (int) n);
      g_autoptr (SondeTensor) targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

      for (guint i = 0; i < n; i++)
        ((gint64 *) (void *) targets->data)[i]
            = choose_target (g_ptr_array_index (usable, done + i), target_is, target);
      if (!explain_batch (explainer, dataset, (SondePrediction **) usable->pdata + done, n, targets, &map, sink, data,
                          error))
        return FALSE;
    }
  return TRUE;
}

static char *
dup_class (SondeDataset *dataset,
           gint64        c)
{
  return c >= 0 && (guint64) c < dataset->n_classes ? g_strdup (dataset->classes[c]) : NULL;
}

gboolean
sonde_explain_record (SondeSummaryWriter      *writer,
                      SondeDataset            *dataset,
                      const SondeExplainedMap *map,
                      gint64                   step,
                      GError                 **error)
{
  const SondePrediction *prediction = map->prediction;
  g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, prediction->sample, error);
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeRecord record = { .kind = SONDE_RECORD_SALIENCY, .step = step, .tag = g_intern_string ("saliency") };
  SondeBox box;

  if (image == NULL)
    return FALSE;
  record.u.saliency.map = sonde_tensor_ref (map->map);
  record.u.saliency.image = sonde_png_encode (image);
  record.u.saliency.method = g_strdup (map->method->name);
  record.u.saliency.target_is = g_strdup (map->target_is);
  record.u.saliency.parameters = g_strdup (map->method->parameters);
  record.u.saliency.target = (int) map->target;
  record.u.saliency.score = map->score;
  if (sonde_dataset_get_truth (dataset, prediction->sample, &box, mask->data))
    record.u.saliency.mask = sonde_tensor_ref (mask);
  record.u.saliency.note = (SondeSampleNote) {
    .sample = g_strdup (prediction->name),
    .label = (int) prediction->label,
    .predicted = (int) prediction->predicted,
    .label_probability = sonde_prediction_get_probability (prediction, prediction->label),
    .predicted_probability = sonde_prediction_get_probability (prediction, prediction->predicted),
    .label_name = dup_class (dataset, prediction->label),
    .predicted_name = dup_class (dataset, prediction->predicted),
  };
  sonde_summary_writer_add_record (writer, &record);
  sonde_record_clear (&record);
  return TRUE;
}
