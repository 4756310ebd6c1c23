/* SPDX-License-Identifier: Apache-2.0
 * Classify, choose, explain. */
#include "explain/sonde-explain-run.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/images/sonde-png.h"
#include "explain/sonde-probabilities.h"

#define BATCH 64

void
sonde_prediction_free (SondePrediction *prediction)
{
  if (prediction == NULL)
    return;
  g_free (prediction->name);
  g_free (prediction->logits);
  g_free (prediction->probabilities);
  g_free (prediction->features);
  g_free (prediction);
}

double
sonde_prediction_get_probability (const SondePrediction *prediction, gint64 c)
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

char *
sonde_explain_dup_place (const char *class_name, const char *name)
{
  g_autofree char *folder = g_strdup (class_name != NULL ? class_name : "unknown"),
                  *base = g_path_get_basename (name);
  const char *dot = strrchr (base, '.');

  for (char *p = folder; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '.' && *p != '-' && *p != '_')
      *p = '_';
  if (g_str_equal (folder, ".") || g_str_equal (folder, ".."))
    folder[0] = '_';
  return g_strdup_printf ("%s/%.*s", folder,
                          (int) (dot != NULL && dot != base ? dot - base : (gssize) strlen (base)),
                          base);
}

gboolean
sonde_prediction_is_error (const SondePrediction *prediction)
{
  return prediction->label >= 0 && prediction->label != prediction->predicted;
}

gboolean
sonde_explain_check_size (SondeExplainer *explainer, SondeDataset *dataset, GError **error)
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
               "The pictures are %d×%d×%d, the model takes %" G_GINT64_FORMAT "×%" G_GINT64_FORMAT
               "×%" G_GINT64_FORMAT " (channels × height × width).",
               dataset->channels, dataset->height, dataset->width, channels, height, width);
  return FALSE;
}

SondeTensor *
sonde_explain_load (SondeDataset *dataset, const guint *samples, guint n, GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, "batch of pictures", error);
  gint64 size = (gint64) dataset->channels * dataset->height * dataset->width;

  if (inputs == NULL)
    return NULL;
  for (guint i = 0; i < n; i++)
    if (!sonde_dataset_fill (dataset, samples[i], (float *) (void *) inputs->data + i * size,
                             error))
      return NULL;
  return g_steal_pointer (&inputs);
}

/* Those of @samples that can be read; the rest the dataset has noted as faults. @read: (out) (array
 * length=n_read) */
static SondeTensor *
load_readable (SondeDataset *dataset, const guint *samples, guint n, guint *read, guint *n_read,
               GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, "batch of pictures", error);
  gint64 size = (gint64) dataset->channels * dataset->height * dataset->width;

  for (guint i = 0; inputs != NULL && i < n; i++)
    {
      g_autoptr (GError) reason = NULL;

      if (sonde_dataset_fill (dataset, samples[i], (float *) (void *) inputs->data + *n_read * size,
                              &reason))
        read[(*n_read)++] = samples[i];
      else if (g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID)
               || g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
    }
  if (inputs == NULL || *n_read == n || *n_read == 0)
    return g_steal_pointer (&inputs);
  shape.dims[0] = *n_read;
  return sonde_tensor_view (inputs, &shape, inputs->strides, 0);
}

static SondePrediction *
make_prediction (SondeDataset *dataset, guint sample, SondeTensor *logits,
                 SondeTensor *probabilities, SondeTensor *features, gint64 row)
{
  SondePrediction *prediction = g_new0 (SondePrediction, 1);
  gint64 classes = logits->shape.dims[1];

  prediction->sample = sample;
  prediction->name = sonde_dataset_dup_name (dataset, sample);
  prediction->label = sonde_dataset_get_label (dataset, sample);
  prediction->n_classes = (guint) classes;
  prediction->probabilities = g_new (float, classes);
  prediction->logits = g_new (float, classes);
  if (features != NULL)
    {
      prediction->n_features = (guint) features->shape.dims[1];
      prediction->features
          = g_memdup2 ((float *) (void *) features->data + row * features->shape.dims[1],
                       prediction->n_features * sizeof (float));
    }
  for (gint64 c = 0; c < classes; c++)
    {
      prediction->logits[c] = (float) sonde_tensor_get_double (logits, row * classes + c);
      prediction->probabilities[c]
          = (float) sonde_tensor_get_double (probabilities, row * classes + c);
      if (sonde_tensor_get_double (logits, row * classes + c)
          > sonde_tensor_get_double (logits, row * classes + prediction->predicted))
        prediction->predicted = c;
    }
  return prediction;
}

GPtrArray *
sonde_explain_classify (SondeExplainer *explainer, SondeDataset *dataset, const guint *samples,
                        guint n, SondeExplainProgress progress, gpointer data, GError **error)
{
  g_autoptr (GPtrArray) predictions
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_prediction_free);

  if (!sonde_explain_check_size (explainer, dataset, error))
    return NULL;
  for (guint done = 0; done < n; done += BATCH)
    {
      guint count = MIN (BATCH, n - done), n_read = 0, read[BATCH];
      g_autoptr (SondeTensor) inputs
          = load_readable (dataset, samples + done, count, read, &n_read, error);
      g_autoptr (SondeTensor) features = NULL, logits = NULL, probabilities = NULL;

      if (inputs == NULL)
        return NULL;
      if (n_read > 0)
        logits = sonde_explainer_forward_features (explainer, inputs, &features, error);
      if (n_read > 0 && logits == NULL)
        return NULL;
      probabilities = n_read > 0 ? sonde_explainer_probabilities (explainer, logits) : NULL;
      for (guint i = 0; i < n_read; i++)
        g_ptr_array_add (predictions,
                         make_prediction (dataset, read[i], logits, probabilities, features, i));
      if (progress != NULL && !progress (done + count, n, data, error))
        return NULL;
    }
  return g_steal_pointer (&predictions);
}

static gint64
choose_target (const SondePrediction *prediction, const char *target_is, gint64 target)
{
  if (g_str_equal (target_is, "predicted"))
    return prediction->predicted;
  return g_str_equal (target_is, "true") ? prediction->label : target;
}

/* Each pixel gets the value of its segment, 0 where it has none. */
static SondeTensor *
spread_segments (SondeTensor *values, SondeTensor *segments, gint64 sample)
{
  int own = segments->shape.rank - 2; /* each sample has its own */
  SondeShape shape = sonde_shape_from_array (2, segments->shape.dims + own);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 n = values->shape.dims[1], pixels = sonde_tensor_n_elements (map);

  for (gint64 p = 0; p < pixels; p++)
    {
      gint64 segment = sonde_tensor_get_int (segments, own * sample * pixels + p);

      if (segment >= 0 && segment < n)
        sonde_tensor_set_double (map, p, sonde_tensor_get_double (values, sample * n + segment));
    }
  return map;
}

SondeTensor *
sonde_explain_take_map (const SondeAttributionResult *result, const SondeAttributionSpec *spec,
                        gint64 i, SondeTensor **channels)
{
  SondeTensor *maps = result->maps, *map;
  SondeShape shape = sonde_shape_from_array (maps->shape.rank - 1, maps->shape.dims + 1);
  g_autoptr (SondeTensor) one = NULL;

  if (channels != NULL)
    *channels = NULL;
  if (result->form == SONDE_MAP_SEGMENTS)
    return spread_segments (maps, result->segments, i);
  one = sonde_tensor_view (maps, &shape, maps->strides + 1, i * maps->strides[0]);
  if (result->form != SONDE_MAP_CHANNELS || shape.rank == 2)
    return g_steal_pointer (&one);
  if (shape.rank == 1) /* of a dense layer: a row */
    {
      SondeShape row = sonde_shape_from_array (2, (gint64[]){ 1, shape.dims[0] });

      return sonde_tensor_reshape (one, &row);
    }
  map = sonde_attribution_aggregate (one, sonde_attribution_spec_get_method (spec)->aggregate);
  if (channels != NULL)
    *channels = g_steal_pointer (&one);
  return map;
}

static gboolean
hand_out (const SondeAttributionResult *result, SondePrediction *const *chosen, guint n,
          SondeTensor *targets, SondeExplainedMap *map, SondeExplainSink sink, gpointer data,
          GError **error)
{
  gint64 per_sample = targets->shape.rank == 2 ? 2 : 1;

  for (guint i = 0; i < n; i++)
    {
      gboolean good;

      map->prediction = chosen[i];
      map->target = sonde_tensor_get_int (targets, i * per_sample);
      map->score = sonde_tensor_get_double (result->scores, i);
      map->gap = result->gaps != NULL ? result->gaps[i] : NAN;
      map->note = result->note;
      map->map = sonde_explain_take_map (result, map->spec, i, &map->channels);
      good = sink (map, data, error);
      g_clear_pointer (&map->channels, sonde_tensor_unref);
      g_clear_pointer (&map->map, sonde_tensor_unref);
      if (!good)
        return FALSE;
    }
  return TRUE;
}

/* Explains one batch and hands out its maps. */
static gboolean
explain_batch (SondeExplainer *explainer, SondeDataset *dataset, SondePrediction *const *chosen,
               guint n, SondeTensor *targets, guint64 seed, SondeExplainedMap *map,
               SondeExplainSink sink, gpointer data, GError **error)
{
  g_autofree guint *samples = g_new (guint, n);
  g_autofree guint64 *numbers = g_new (guint64, n);
  g_autoptr (SondeTensor) inputs = NULL;
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request
      = { .targets = targets, .samples = numbers, .spec = map->spec, .seed = seed };

  for (guint i = 0; i < n; i++)
    numbers[i] = samples[i] = chosen[i]->sample;
  inputs = sonde_explain_load (dataset, samples, n, error);
  if (inputs == NULL)
    return FALSE;
  request.inputs = inputs;
  return sonde_attribution_compute (explainer, &request, &result, error)
         && hand_out (&result, chosen, n, targets, map, sink, data, error);
}

/* int64 [n], or [n, 2]: predicted and true. */
static SondeTensor *
make_targets (SondePrediction *const *chosen, guint n, gboolean pairs, const char *target_is,
              gint64 target)
{
  SondeShape shape = pairs ? sonde_shape_make (2, (int) n, 2) : sonde_shape_make (1, (int) n);
  SondeTensor *targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  gint64 *to = (gint64 *) (void *) targets->data;

  for (guint i = 0; i < n; i++)
    if (pairs)
      {
        to[2 * i] = chosen[i]->predicted;
        to[2 * i + 1] = chosen[i]->label;
      }
    else
      to[i] = choose_target (chosen[i], target_is, target);
  return targets;
}

gboolean
sonde_explain_maps (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *chosen,
                    const SondeAttributionSpec *spec, const char *target_is, gint64 target,
                    guint64 seed, SondeExplainSink sink, gpointer data, GError **error)
{
  gboolean pairs = sonde_attribution_spec_get_method (spec)->takes_pair;
  g_autoptr (GPtrArray) usable = g_ptr_array_new ();
  SondeExplainedMap map = { .spec = spec, .target_is = pairs ? "contrast" : target_is };

  if (!sonde_explain_check_size (explainer, dataset, error))
    return FALSE;
  for (guint i = 0; i < chosen->len; i++)
    if (choose_target (g_ptr_array_index (chosen, i), pairs ? "true" : target_is, target) >= 0)
      g_ptr_array_add (usable, g_ptr_array_index (chosen, i));
  for (guint done = 0; done < usable->len; done += BATCH)
    {
      guint n = MIN (BATCH, usable->len - done);
      SondePrediction **some = (SondePrediction **) usable->pdata + done;
      g_autoptr (SondeTensor) targets = make_targets (some, n, pairs, target_is, target);

      if (!explain_batch (explainer, dataset, some, n, targets, seed, &map, sink, data, error))
        return FALSE;
    }
  return TRUE;
}

static char *
dup_class (const SondeDataset *dataset, gint64 c)
{
  return c >= 0 && (guint64) c < dataset->n_classes ? g_strdup (dataset->classes[c]) : NULL;
}

void
sonde_prediction_fill_note (const SondePrediction *prediction, const SondeDataset *dataset,
                            SondeSampleNote *note)
{
  *note = (SondeSampleNote){
    .sample = g_strdup (prediction->name),
    .label = (int) prediction->label,
    .predicted = (int) prediction->predicted,
    .label_probability = sonde_prediction_get_probability (prediction, prediction->label),
    .predicted_probability = sonde_prediction_get_probability (prediction, prediction->predicted),
    .label_name = dup_class (dataset, prediction->label),
    .predicted_name = dup_class (dataset, prediction->predicted),
  };
}

gboolean
sonde_explain_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                      const SondeExplainedMap *map, gint64 step, GError **error)
{
  const SondePrediction *prediction = map->prediction;
  g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, prediction->sample, error);
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeRecord record
      = { .kind = SONDE_RECORD_SALIENCY, .step = step, .tag = g_intern_string ("saliency") };
  SondeBox box;

  if (image == NULL)
    return FALSE;
  record.u.saliency.map = sonde_tensor_ref (map->map);
  record.u.saliency.image = sonde_png_encode (image);
  record.u.saliency.method = g_strdup (sonde_attribution_spec_get_label (map->spec));
  record.u.saliency.target_is = g_strdup (map->target_is);
  record.u.saliency.parameters = sonde_attribution_spec_dup_parameters (map->spec);
  record.u.saliency.target = (int) map->target;
  record.u.saliency.score = map->score;
  if (sonde_dataset_get_truth (dataset, prediction->sample, &box, mask->data))
    record.u.saliency.mask = sonde_tensor_ref (mask);
  sonde_prediction_fill_note (prediction, dataset, &record.u.saliency.note);
  sonde_summary_writer_add_record (writer, &record);
  sonde_record_clear (&record);
  return TRUE;
}
