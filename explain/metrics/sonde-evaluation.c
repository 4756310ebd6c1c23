/* SPDX-License-Identifier: Apache-2.0
 * Which metric is taken of which map. */
#include "explain/metrics/sonde-evaluation.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-evaluation-private.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/metrics/sonde-stability.h"
#include "explain/sonde-probabilities.h"

#define SUBSETS 100
#define INFIDELITY_DRAWS 1000
#define SENSITIVITY_DRAWS 10
#define RADIUS 0.02
#define SIGMA 0.1
#define ROWS 32 /* of a pass: every metric asks for one number of images again and again */
#define MOST_KNOWN 250000 /* images whose logits are remembered */

static void
checked_free (void *data)
{
  SondeEvaluationChecked *checked = data;

  g_free (checked->key);
  g_free (checked);
}

/* ---- what is chosen ------------------------------------------------------ */

static gboolean
choose (SondeEvaluation *evaluation, const char *item, GError **error)
{
  const char *equals = strchr (item, '=');
  g_autofree char *name
      = equals != NULL ? g_strndup (item, (gsize) (equals - item)) : g_strdup (item);
  const SondeMapMetric *metric = sonde_map_metric_find (name), *all;
  char *end = NULL;
  double weight = equals != NULL ? g_ascii_strtod (equals + 1, &end) : 1.0;
  g_autoptr (GString) names = g_string_new (NULL);
  gsize n;

  if (metric != NULL && weight >= 0 && isfinite (weight)
      && (end == NULL || (*end == '\0' && end > equals + 1)))
    {
      evaluation->weights[evaluation->n_metrics] = weight;
      evaluation->metrics[evaluation->n_metrics++] = metric;
      return TRUE;
    }
  all = sonde_map_metric_list (&n);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", all[i].name);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--metrics: “%s” must be “all” or comma-separated names with optional weights, "
                   "such as deletion=2; the metrics are: %s.",
                   item, names->str);
  return FALSE;
}

SondeEvaluation *
sonde_evaluation_new (const char *list, SondeExplainer *explainer, SondeDataset *dataset,
                      guint64 seed, GError **error)
{
  g_autoptr (SondeEvaluation) evaluation = g_new0 (SondeEvaluation, 1);
  g_auto (GStrv) items = g_strsplit (list, ",", -1);
  gboolean everything = g_str_equal (list, "all");
  gsize n;
  const SondeMapMetric *all = sonde_map_metric_list (&n);
  guint wanted = everything ? (guint) n : g_strv_length (items);

  evaluation->explainer = explainer;
  evaluation->dataset = dataset;
  evaluation->seed = seed;
  evaluation->scorecard = sonde_scorecard_new (seed);
  evaluation->controlled = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  evaluation->memo = sonde_logit_memo_new (MOST_KNOWN);
  evaluation->checked = g_ptr_array_new_with_free_func (checked_free);
  evaluation->metrics = g_new0 (const SondeMapMetric *, wanted + 1);
  evaluation->weights = g_new0 (double, wanted + 1);
  for (guint i = 0; i < wanted; i++)
    if (!choose (evaluation, everything ? all[i].name : items[i], error))
      return NULL;
  return g_steal_pointer (&evaluation);
}

void
sonde_evaluation_free (SondeEvaluation *evaluation)
{
  if (evaluation == NULL)
    return;
  g_clear_pointer (&evaluation->scorecard, sonde_scorecard_free);
  g_clear_pointer (&evaluation->controlled, g_hash_table_unref);
  g_clear_pointer (&evaluation->checked, g_ptr_array_unref);
  g_clear_pointer (&evaluation->memo, sonde_logit_memo_free);
  g_free (evaluation->metrics);
  g_free (evaluation->weights);
  g_free (evaluation);
}

SondeScorecard *
sonde_evaluation_get_scorecard (SondeEvaluation *evaluation)
{
  return evaluation->scorecard;
}

const SondeMapMetric *const *
sonde_evaluation_get_metrics (SondeEvaluation *evaluation, const double **weights, guint *n)
{
  *weights = evaluation->weights;
  *n = evaluation->n_metrics;
  return evaluation->metrics;
}

/* ---- one map ------------------------------------------------------------- */

SondeTensor *
sonde_evaluation_load (SondeEvaluation *evaluation, guint sample, GError **error)
{
  const SondeDataset *dataset = evaluation->dataset;
  SondeShape shape = sonde_shape_make (4, 1, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  return sonde_dataset_fill (evaluation->dataset, sample, image->data, error)
             ? g_steal_pointer (&image)
             : NULL;
}

SondeTensor *
sonde_evaluation_compute (SondeExplainer *explainer, const SondeAttributionSpec *spec, guint64 seed,
                          const guint64 *samples, SondeTensor *images, const gint64 *targets,
                          const gint64 *others, GError **error)
{
  gint64 n = images->shape.dims[0];
  g_autoptr (SondeTensor) classes = sonde_attribution_make_targets (
      sonde_attribution_spec_get_method (spec), targets, others, (guint) n);
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request
      = { .inputs = images, .targets = classes, .samples = samples, .spec = spec, .seed = seed };

  return sonde_attribution_compute (explainer, &request, &result, error)
             ? g_steal_pointer (&result.maps)
             : NULL;
}

/**
 * Subject: a map under evaluation
 * @key: "LABEL/TARGET"; @spec: (nullable): NULL of a control
 * @image: float32 [C, H, W]; @batch: the same as [1, C, H, W]; @zeros: the base
 * @ranking: [H, W]: the map that orders pixels; @mask: (nullable): of the object
 * @channels: (nullable): [C, H, W], signed; @other: second class of a pair
 * @own: (nullable): see subject_own()
 */
typedef struct
{
  SondeEvaluation *evaluation;
  const char *key;
  const SondeAttributionSpec *spec;
  const SondeSampleResult *prediction;
  gint64 target, other;
  SondeTensor *image, *batch, *zeros, *ranking, *mask, *channels, *own;
  SondeNetworkScore score;
} Subject;

typedef gboolean (*Measure) (Subject *subject, double *value, GError **error);

/* Of the subject's sample, whatever was changed in it. */
static SondeTensor *
maps_of_class (Subject *subject, SondeTensor *images, gint64 target, GError **error)
{
  gint64 n = images->shape.dims[0];
  g_autofree gint64 *targets = g_new (gint64, n), *others = g_new (gint64, n);
  g_autofree guint64 *samples = g_new (guint64, n);

  for (gint64 i = 0; i < n; i++)
    {
      targets[i] = target;
      others[i] = subject->other;
      samples[i] = subject->prediction->sample;
    }
  return sonde_evaluation_compute (subject->evaluation->explainer, subject->spec,
                                   subject->evaluation->seed, samples, images, targets, others,
                                   error);
}

static SondeTensor *
subject_maps (SondeTensor *images, gpointer data, GError **error)
{
  return maps_of_class (data, images, ((Subject *) data)->target, error);
}

/* The map of the image itself, which several metrics compare with. Lent. */
static SondeTensor *
subject_own (Subject *subject, GError **error)
{
  if (subject->own == NULL)
    subject->own = subject_maps (subject->batch, subject, error);
  return subject->own;
}

/* Logits of all images that the memo knows, else NULL. */
static SondeTensor *
recall (SondeLogitMemo *memo, const SondeImageKey *keys, gint64 n, gint64 classes)
{
  SondeShape shape = sonde_shape_make (2, n, classes);
  g_autoptr (SondeTensor) logits = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n; i++)
    {
      const float *known = sonde_logit_memo_find (memo, keys[i]);

      if (known == NULL)
        return NULL;
      memcpy ((float *) (void *) logits->data + i * classes, known,
              (gsize) classes * sizeof (float));
    }
  return g_steal_pointer (&logits);
}

static SondeTensor *
subject_probabilities (SondeTensor *images, gpointer data, GError **error)
{
  SondeEvaluation *evaluation = ((Subject *) data)->evaluation;
  gint64 n = images->shape.dims[0],
         classes = sonde_explainer_get_n_classes (evaluation->explainer, images, error);
  gsize size = sonde_tensor_n_bytes (images) / (gsize) MAX (n, 1);
  g_autofree SondeImageKey *keys = g_new (SondeImageKey, MAX (n, 1));
  g_autoptr (SondeTensor) logits = NULL;

  if (classes < 0)
    return NULL;
  for (gint64 i = 0; i < n; i++)
    keys[i] = sonde_image_key (images->data + (gsize) i * size, size);
  logits = recall (evaluation->memo, keys, n, classes);
  if (logits != NULL)
    return sonde_explainer_probabilities (evaluation->explainer, logits);
  logits = sonde_explainer_forward (evaluation->explainer, images, error);
  if (logits == NULL)
    return NULL;
  for (gint64 i = 0; i < n; i++)
    sonde_logit_memo_add (evaluation->memo, keys[i],
                          (const float *) (const void *) logits->data + i * classes,
                          (guint) classes);
  return sonde_explainer_probabilities (evaluation->explainer, logits);
}

/* An order that ties have made says nothing. */
static gboolean
measure_curve (Subject *subject, gboolean insertion, double *value, GError **error)
{
  guint n = (guint) sonde_tensor_n_elements (subject->ranking), steps = MIN (n, SONDE_CURVE_STEPS);
  g_autofree guint *order = sonde_map_order (subject->ranking);
  g_autoptr (SondeTensor) blurred = insertion ? sonde_insertion_baseline (subject->image) : NULL;
  double curve[SONDE_CURVE_STEPS + 1];

  *value = NAN;
  if (order == NULL || sonde_map_tied_share (subject->ranking) >= 1.0 - 1.0 / n)
    return TRUE;
  if (!sonde_deletion_curve (insertion ? blurred : subject->image,
                             insertion ? subject->image : subject->zeros, order, steps,
                             sonde_network_score, &subject->score, curve, error))
    return FALSE;
  *value = sonde_curve_area (curve, steps);
  return TRUE;
}

static gboolean
measure_deletion (Subject *subject, double *value, GError **error)
{
  return measure_curve (subject, FALSE, value, error);
}

static gboolean
measure_insertion (Subject *subject, double *value, GError **error)
{
  return measure_curve (subject, TRUE, value, error);
}

static gboolean
measure_naive (Subject *subject, double *value, GError **error)
{
  return sonde_naive_faithfulness (subject->image, subject->zeros, subject->ranking, 0, 0.5,
                                   sonde_network_score, &subject->score, value, error);
}

static gboolean
measure_faithfulness (Subject *subject, double *value, GError **error)
{
  guint size = MAX (1, (guint) sonde_tensor_n_elements (subject->ranking) / 5);

  return sonde_faithfulness_correlation (subject->image, subject->zeros, subject->ranking, SUBSETS,
                                         size, subject->evaluation->seed, sonde_network_score,
                                         &subject->score, value, error);
}

/* [C, H, W]: the mean of @images. */
static SondeTensor *
make_mean (SondeTensor *images)
{
  SondeShape shape = sonde_shape_from_array (3, images->shape.dims + 1);
  SondeTensor *mean = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 n = images->shape.dims[0], size = sonde_tensor_n_elements (mean);

  for (gint64 i = 0; i < size; i++)
    {
      double sum = 0.0;

      for (gint64 k = 0; k < n; k++)
        sum += sonde_tensor_get_double (images, k * size + i);
      sonde_tensor_set_double (mean, i, sum / (double) n);
    }
  return mean;
}

/* Where the map's contributions are counted from: zero of methods that have no baseline. [C, H,
 * W] */
static SondeTensor *
make_base (Subject *subject, GError **error)
{
  const SondeAttributionSpec *spec = subject->spec;
  SondeShape shape = subject->batch->shape;
  g_autoptr (SondeTensor) images = NULL;

  shape.dims[0] = -1;
  if (sonde_attribution_spec_knows (spec, "background")
      && sonde_attribution_spec_has (spec, "background"))
    images = sonde_attribution_spec_read (spec, "background", &shape, error);
  else if (sonde_attribution_spec_knows (spec, "baseline"))
    images = sonde_attribution_spec_make_baseline (spec, subject->batch, error);
  else
    return sonde_tensor_ref (subject->zeros);
  return images != NULL ? make_mean (images) : NULL;
}

static gboolean
measure_infidelity (Subject *subject, double *value, GError **error)
{
  gboolean contribution
      = sonde_attribution_spec_get_method (subject->spec)->aggregate == SONDE_AGGREGATE_SUM;
  g_autoptr (SondeTensor) base = contribution ? make_base (subject, error) : NULL;
  g_autoptr (SondeTensor) noise = sonde_perturbation_normal (subject->image, INFIDELITY_DRAWS,
                                                             SIGMA, subject->evaluation->seed);
  g_autoptr (SondeTensor) channels = sonde_tensor_contiguous (subject->channels);
  SondeNetworkScore logit = subject->score;
  SondeInfidelity infidelity;

  if (contribution && base == NULL)
    return FALSE;
  logit.kind = SONDE_NETWORK_LOGIT;
  if (!sonde_infidelity (subject->image, channels, noise, base, sonde_network_score, &logit,
                         &infidelity, error))
    return FALSE;
  *value = infidelity.fit;
  return TRUE;
}

static gboolean
measure_sensitivity (Subject *subject, double *value, GError **error)
{
  g_autoptr (SondeTensor) noise = sonde_perturbation_uniform (subject->image, SENSITIVITY_DRAWS,
                                                              RADIUS, subject->evaluation->seed);
  SondeTensor *map = subject_own (subject, error);

  return map != NULL
         && sonde_max_sensitivity (subject->image, map, noise, subject_maps, subject, value, error);
}

static gboolean
measure_robustness (Subject *subject, double *value, GError **error)
{
  SondeTensor *map = subject_own (subject, error);
  SondeRobustness robustness;

  if (map == NULL
      || !sonde_robustness (subject->image, map, SENSITIVITY_DRAWS, RADIUS,
                            subject->evaluation->seed, subject_maps, subject_probabilities, subject,
                            &robustness, error))
    return FALSE;
  *value = robustness.value;
  return TRUE;
}

/* Predicted against the second class. */
static gboolean
measure_classes (Subject *subject, double *value, GError **error)
{
  const SondeSampleResult *prediction = subject->prediction;
  gint64 second = -1;
  g_autoptr (SondeTensor) other = NULL;
  SondeTensor *one;

  for (gint64 c = 0; c < prediction->n_classes; c++)
    if (c != prediction->predicted
        && (second < 0 || prediction->probabilities[c] > prediction->probabilities[second]))
      second = c;
  *value = NAN;
  if (second < 0)
    return TRUE;
  one = subject_own (subject, error);
  if (one == NULL)
    return FALSE;
  other = maps_of_class (subject, subject->batch, second, error);
  if (other == NULL)
    return FALSE;
  *value = sonde_class_sensitivity (one, other);
  return TRUE;
}

static double
point (const Subject *subject, double tolerance)
{
  int points = sonde_localisation_points_near (subject->ranking, subject->mask, tolerance);

  return points >= 0 ? points : NAN;
}

static gboolean
measure_pointing (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = point (subject, 1.0);
  return TRUE;
}

static gboolean
measure_pointing_near (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = point (subject, sonde_localisation_tolerance (subject->ranking->shape.dims[0],
                                                         subject->ranking->shape.dims[1]));
  return TRUE;
}

static gboolean
measure_iosr (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_localisation_iosr (subject->ranking, subject->mask, 0.5);
  return TRUE;
}

static gboolean
measure_mass (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_localisation_positive_mass (subject->ranking, subject->mask);
  return TRUE;
}

static gboolean
measure_gini (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_map_gini (subject->ranking);
  return TRUE;
}

static gboolean
measure_entropy (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_map_entropy (subject->ranking);
  return TRUE;
}

static gboolean
measure_effective (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_map_effective_complexity (subject->ranking);
  return TRUE;
}

static gboolean
measure_ties (Subject *subject, double *value, GError **error)
{
  (void) error;
  *value = sonde_map_tied_share (subject->ranking);
  return TRUE;
}

/* What a metric needs of its subject. */
enum
{
  NEEDS_METHOD = 1 << 0,    /* no control */
  NEEDS_CHANNELS = 1 << 1,  /* signed, one a channel */
  NEEDS_OBJECT = 1 << 2,    /* a mask */
  NEEDS_PREDICTED = 1 << 3, /* the target is the predicted class, of a method without pairs */
};

static const struct
{
  const char *metric;
  guint needs;
  Measure measure;
} measures[] = {
  { "deletion", 0, measure_deletion },
  { "insertion", 0, measure_insertion },
  { "naive-faithfulness", 0, measure_naive },
  { "faithfulness", 0, measure_faithfulness },
  { "infidelity", NEEDS_METHOD | NEEDS_CHANNELS, measure_infidelity },
  { "max-sensitivity", NEEDS_METHOD, measure_sensitivity },
  { "robustness", NEEDS_METHOD, measure_robustness },
  { "class-sensitivity", NEEDS_METHOD | NEEDS_PREDICTED, measure_classes },
  { "pointing", NEEDS_OBJECT, measure_pointing },
  { "pointing-near", NEEDS_OBJECT, measure_pointing_near },
  { "iosr", NEEDS_OBJECT, measure_iosr },
  { "mass", NEEDS_OBJECT, measure_mass },
  { "gini", 0, measure_gini },
  { "entropy", 0, measure_entropy },
  { "effective", 0, measure_effective },
  { "ties", 0, measure_ties },
};

static gboolean
can_measure (const Subject *subject, guint needs)
{
  if ((needs & NEEDS_METHOD) != 0 && subject->spec == NULL)
    return FALSE;
  if ((needs & NEEDS_PREDICTED) != 0
      && (subject->target != subject->prediction->predicted
          || sonde_attribution_spec_get_method (subject->spec)->takes_pair))
    return FALSE;
  return ((needs & NEEDS_CHANNELS) == 0 || subject->channels != NULL)
         && ((needs & NEEDS_OBJECT) == 0 || subject->mask != NULL);
}

static gboolean
measure_all (Subject *subject, GError **error)
{
  SondeEvaluation *evaluation = subject->evaluation;

  for (guint i = 0; i < evaluation->n_metrics; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (measures); k++)
      {
        double value;

        if (!g_str_equal (measures[k].metric, evaluation->metrics[i]->name)
            || !can_measure (subject, measures[k].needs))
          continue;
        if (!measures[k].measure (subject, &value, error))
          return FALSE;
        sonde_scorecard_add (evaluation->scorecard, evaluation->metrics[i], subject->key,
                             subject->prediction->sample, subject->prediction->label, value);
      }
  return TRUE;
}

/* ---- controls ------------------------------------------------------------ */

/* Uniform noise, or a Gaussian hill of a quarter of each side. */
static SondeTensor *
make_control (const Subject *subject, gboolean random)
{
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &subject->ranking->shape);
  gint64 height = map->shape.dims[0], width = map->shape.dims[1];

  for (gint64 i = 0; i < height * width; i++)
    {
      double y = ((double) (i / width) + 0.5) / (double) height - 0.5,
             x = ((double) (i % width) + 0.5) / (double) width - 0.5;
      double value
          = random ? sonde_random_uniform (subject->evaluation->seed + subject->prediction->sample,
                                           sonde_random_stream ("control"), (guint64) i)
                   : exp (-8.0 * (x * x + y * y));

      sonde_tensor_set_double (map, i, value);
    }
  return map;
}

static gboolean
measure_controls (const Subject *subject, const char *target_is, GError **error)
{
  SondeEvaluation *evaluation = subject->evaluation;
  static const char *const names[] = { SONDE_EVALUATION_RANDOM, SONDE_EVALUATION_CENTRE };

  if (!g_hash_table_add (evaluation->controlled,
                         g_strdup_printf ("%u/%s", subject->prediction->sample, target_is)))
    return TRUE;
  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *key = g_strdup_printf ("%s/%s", names[k], target_is);
      g_autoptr (SondeTensor) map = make_control (subject, k == 0);
      Subject control = *subject;

      control.key = key;
      control.spec = NULL;
      control.channels = NULL;
      control.ranking = map;
      if (!measure_all (&control, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the way in ---------------------------------------------------------- */

static SondeTensor *
make_ranking (const SondeAttributionMap *map, const SondeAttributionSpec *spec)
{
  SondeTensor *ranking = sonde_tensor_copy (map->map);
  gboolean magnitude
      = map->channels != NULL
        && sonde_attribution_spec_get_method (spec)->aggregate == SONDE_AGGREGATE_LARGEST;

  for (gint64 i = 0; magnitude && i < sonde_tensor_n_elements (ranking); i++)
    sonde_tensor_set_double (ranking, i, fabs (sonde_tensor_get_double (ranking, i)));
  return ranking;
}

static char *
make_key (const SondeAttributionSpec *spec, const char *target_is)
{
  return g_strdup_printf ("%s/%s", sonde_attribution_spec_get_label (spec), target_is);
}

void
sonde_evaluation_add_checked (SondeEvaluation *evaluation, const SondeAttributionSpec *spec,
                              const char *target_is, const SondeSampleResult *prediction,
                              gint64 target)
{
  g_autofree char *key = make_key (spec, target_is);
  SondeEvaluationChecked *checked;
  guint n = 0;

  for (guint i = 0; i < evaluation->checked->len; i++)
    n += g_str_equal (((SondeEvaluationChecked *) g_ptr_array_index (evaluation->checked, i))->key,
                      key);
  if (n >= SONDE_EVALUATION_CHECKED)
    return;
  checked = g_new0 (SondeEvaluationChecked, 1);
  *checked = (SondeEvaluationChecked){ .key = g_steal_pointer (&key),
                                       .spec = spec,
                                       .sample = prediction->sample,
                                       .label = prediction->label,
                                       .target = target,
                                       .other = sonde_explain_choose_other (
                                           prediction->probabilities, prediction->n_classes, target,
                                           prediction->label) };
  g_ptr_array_add (evaluation->checked, checked);
}

gboolean
sonde_evaluation_add (SondeEvaluation *evaluation, const SondeAttributionSpec *spec,
                      const SondeAttributionMap *map, const SondeSampleResult *sample,
                      GError **error)
{
  const SondeDataset *dataset = evaluation->dataset;
  g_autofree char *key = make_key (spec, map->target_is);
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
  SondeShape plane = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) batch = NULL, image = NULL, zeros = NULL, ranking = NULL;
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &plane);
  Subject subject = { .evaluation = evaluation,
                      .key = key,
                      .spec = spec,
                      .prediction = sample,
                      .target = map->target,
                      .other = map->other };
  gboolean good;
  SondeBox box;

  if (!sonde_shape_equal (&map->map->shape, &plane))
    return TRUE;
  batch = sonde_evaluation_load (evaluation, sample->sample, error);
  if (batch == NULL)
    return FALSE;
  sonde_evaluation_add_checked (evaluation, spec, map->target_is, sample, map->target);
  image = sonde_tensor_reshape (batch, &shape);
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  ranking = make_ranking (map, spec);
  subject.image = image;
  subject.batch = batch;
  subject.zeros = zeros;
  subject.ranking = ranking;
  subject.channels = map->channels;
  subject.mask = sonde_dataset_get_truth (evaluation->dataset, sample->sample, &box, mask->data)
                     ? mask
                     : NULL;
  subject.score = (SondeNetworkScore){
    .explainer = evaluation->explainer,
    .target = map->target,
    .memo = evaluation->memo,
    .batch = (guint) MIN (sonde_explainer_get_batch (evaluation->explainer, batch, FALSE), ROWS)
  };
  good = measure_all (&subject, error) && measure_controls (&subject, map->target_is, error);
  g_clear_pointer (&subject.own, sonde_tensor_unref);
  return good;
}
