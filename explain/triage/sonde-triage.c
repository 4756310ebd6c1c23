/* SPDX-License-Identifier: Apache-2.0
 * Info of all samples first, then the errors' neighbours and maps, then reasons. */
#include "explain/triage/sonde-triage.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/sonde-explain-maps.h"
#include "explain/triage/sonde-calibration.h"

#define NEAR_COSINE 0.98
#define NEAR_CORRELATION 0.9
#define BOUNDARY_MARGIN (-0.1)
#define LEAST_BOX_MASS 0.2
#define MOST_BORDER_MASS 0.6
#define CONFIDENT 0.8
#define LEAST_CUE_MASS 0.1
#define CUE_BATCH 64
#define GROUP 128 /* samples whose neighbours are searched together */

/* What the steps share. */
typedef struct
{
  SondeTriage *triage;
  SondeExplainer *explainer;
  SondeDataset *dataset, *reference_data;
  GPtrArray *predictions;
  float **maps;                  /* of errors, normalised; NULL for the others */
  SondeTriageMaps make_maps;     /* (nullable) */
  SondeExplainProgress progress; /* (nullable) */
  gpointer data;
  guint n_maps, n_errors;
  GError *stopped; /* by @progress */
} Work;

/* Neighbours take the first 400 of a thousand, maps the next 400, cues the rest. FALSE: stopped. */
static gboolean
tick (Work *work, guint from, guint thousandths, guint done, guint total)
{
  if (work->stopped != NULL)
    return FALSE;
  return work->progress == NULL
         || work->progress (from + (guint) ((guint64) thousandths * done / MAX (total, 1)), 1000,
                            work->data, &work->stopped);
}

static SondeSampleResult *
prediction_at (GPtrArray *predictions, guint i)
{
  return g_ptr_array_index (predictions, i);
}

/* ---- info of every sample ------------------------------------------------ */

static double
signed_margin (const SondeSampleResult *prediction)
{
  double other = 0;

  for (guint c = 0; c < prediction->n_classes; c++)
    if (c != prediction->label)
      other = fmax (other, (double) prediction->probabilities[c]);
  return sonde_sample_result_get_probability (prediction, prediction->label) - other;
}

static void
measure_samples (Work *work)
{
  SondeTriage *triage = work->triage;
  guint classes = triage->n > 0 ? prediction_at (work->predictions, 0)->n_classes : 0;
  g_autofree float *p = g_new (float, (gsize) triage->n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, triage->n + 1);

  for (guint i = 0; i < triage->n; i++)
    {
      const SondeSampleResult *prediction = prediction_at (work->predictions, i);
      SondeTriageRow *row = &triage->rows[i];

      memcpy (p + (gsize) i * classes, prediction->probabilities, classes * sizeof *p);
      labels[i] = prediction->label;
      row->signed_margin = signed_margin (prediction);
      row->entropy
          = classes > 1 ? sonde_entropy (prediction->probabilities, classes) / log (classes) : 0;
      row->energy = -sonde_log_sum_exp (prediction->logits, classes);
      row->distance = row->border = row->box = NAN;
      row->points = row->cue = row->duplicate = -1;
    }
  triage->label_errors = sonde_label_errors_new (p, labels, triage->n, classes);
}

/* ---- neighbours and influence -------------------------------------------- */

/* The features of all, or NULL when one has none. */
static float *
gather_features (GPtrArray *predictions, guint *width)
{
  float *features;

  *width = predictions->len > 0 ? prediction_at (predictions, 0)->n_features : 0;
  if (*width == 0)
    return NULL;
  features = g_new (float, (gsize) predictions->len **width);
  for (guint i = 0; i < predictions->len; i++)
    memcpy (features + (gsize) i * *width, prediction_at (predictions, i)->features,
            *width * sizeof *features);
  return features;
}

/* Correlation of two images' numbers; NaN when they cannot be read or one is constant. */
static double
correlate (SondeDataset *a, guint sample_a, SondeDataset *b, guint sample_b)
{
  gsize n = (gsize) a->channels * (gsize) a->height * (gsize) a->width;
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

  if (a->channels != b->channels || a->height != b->height || a->width != b->width
      || !sonde_dataset_fill (a, sample_a, x, NULL) || !sonde_dataset_fill (b, sample_b, y, NULL))
    return NAN;
  for (gsize i = 0; i < n; i++)
    {
      mx += (double) x[i] / (double) n;
      my += (double) y[i] / (double) n;
    }
  for (gsize i = 0; i < n; i++)
    {
      double dx = (double) x[i] - mx, dy = (double) y[i] - my;

      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
  return xx > 0 && yy > 0 ? xy / sqrt (xx * yy) : NAN;
}

/* Of features alone, most errors have a near duplicate in a good network: they are taken for what
 * they resemble. The images have to resemble each other too. */
static void
find_duplicate (Work *work, const SondeSampleResult *prediction, SondeTriageRow *row)
{
  for (guint k = 0; k < row->n_neighbours && row->duplicate < 0; k++)
    {
      const SondeSampleResult *other
          = prediction_at (work->triage->reference, row->neighbours[k].row);

      if (row->neighbours[k].value >= NEAR_COSINE && other->label >= 0
          && other->label != prediction->label
          && correlate (work->dataset, prediction->sample, work->reference_data, other->sample)
                 >= NEAR_CORRELATION)
        row->duplicate = (int) k;
    }
}

/* Sorted insertion of at most SONDE_TRIAGE_INFLUENCES; @sign 1: the largest, -1: the smallest. */
static void
keep_influence (SondeNeighbour *kept, guint n, guint row, double value, int sign)
{
  guint at;

  if (n == SONDE_TRIAGE_INFLUENCES && sign * value <= sign * kept[n - 1].value)
    return;
  for (at = MIN (n, SONDE_TRIAGE_INFLUENCES - 1);
       at > 0 && sign * kept[at - 1].value < sign * value; at--)
    kept[at] = kept[at - 1];
  kept[at] = (SondeNeighbour){ row, value };
}

static void
find_influences (Work *work, const SondeSampleResult *prediction, SondeTriageRow *row)
{
  for (guint r = 0; r < work->triage->reference->len; r++)
    {
      const SondeSampleResult *other = prediction_at (work->triage->reference, r);
      double value;

      if (other->label < 0 || other->label >= other->n_classes)
        continue;
      value = sonde_influence (prediction->probabilities, prediction->label, prediction->features,
                               other->probabilities, other->label, other->features,
                               prediction->n_classes, prediction->n_features);
      keep_influence (row->proponents, row->n_influences, r, value, 1);
      keep_influence (row->opponents, row->n_influences, r, value, -1);
      row->n_influences = MIN (row->n_influences + 1, SONDE_TRIAGE_INFLUENCES);
    }
}

/* @row->neighbours are there. */
static void
count_neighbours (Work *work, guint i)
{
  const SondeSampleResult *prediction = prediction_at (work->predictions, i);
  SondeTriageRow *row = &work->triage->rows[i];
  double cosines = 0;

  for (guint k = 0; k < row->n_neighbours; k++)
    {
      gint64 label = prediction_at (work->triage->reference, row->neighbours[k].row)->label;

      row->n_say_predicted += label == prediction->predicted;
      row->n_say_label += label >= 0 && label == prediction->label;
      cosines += row->neighbours[k].value;
    }
  row->distance = row->n_neighbours > 0 ? 1 - cosines / row->n_neighbours : NAN;
  if (!sonde_sample_result_is_error (prediction))
    return;
  find_duplicate (work, prediction, row);
  if (work->triage->has_training)
    find_influences (work, prediction, row);
}

/* ln p_y + ln (share of the neighbours with that label + 0.1), neighbours among the labelled
 * samples themselves: a label that neither the network nor the neighbours share. */
static void
score_suspicion (Work *work, guint i, const SondeNeighbour *found, guint n)
{
  SondeTriage *triage = work->triage;
  const SondeSampleResult *prediction = prediction_at (work->predictions, i);
  guint same = 0;

  for (guint j = 0; j < n; j++)
    same += prediction_at (work->predictions, found[j].row)->label == prediction->label;
  triage->rows[i].suspicion = prediction->label < 0
                                  ? NAN
                                  : log (fmax (triage->label_errors->self_confidence[i], 1e-12))
                                        + (n > 0 ? log ((double) same / n + 0.1) : 0);
}

/* For @n samples from @first on: among the samples themselves, and among the training data where
 * there are some. */
static void
search_group (Work *work, const SondeNeighbours *own, const SondeNeighbours *reference, guint first,
              guint n, guint k, SondeNeighbour *found)
{
  const guint least = SONDE_TRIAGE_NEIGHBOURS;
  const float *queries[GROUP] = { NULL };
  gint64 except[GROUP] = { 0 };
  guint n_found[GROUP];

  for (guint i = 0; i < n; i++)
    {
      queries[i] = prediction_at (work->predictions, first + i)->features;
      except[i] = (gint64) (first + i);
    }
  sonde_neighbours_find_many (own, queries, except, n, k, found, n_found);
  for (guint i = 0; i < n; i++)
    score_suspicion (work, first + i, found + (gsize) i * k, n_found[i]);
  if (reference == NULL)
    return;
  if (reference != own)
    sonde_neighbours_find_many (reference, queries, NULL, n, k = least, found, n_found);
  for (guint i = 0; i < n; i++)
    {
      SondeTriageRow *row = &work->triage->rows[first + i];

      row->n_neighbours = MIN (n_found[i], least);
      memcpy (row->neighbours, found + (gsize) i * k, row->n_neighbours * sizeof *found);
      count_neighbours (work, first + i);
    }
}

static void
measure_neighbours (Work *work)
{
  SondeTriage *triage = work->triage;
  guint width, own_width, k = CLAMP (triage->n / 20, SONDE_TRIAGE_NEIGHBOURS, 200);
  g_autofree float *features = gather_features (triage->reference, &width);
  g_autofree float *own_features = gather_features (work->predictions, &own_width);
  g_autofree SondeNeighbour *found = g_new (SondeNeighbour, (gsize) GROUP * k);
  g_autoptr (SondeNeighbours) own
      = own_features != NULL ? sonde_neighbours_new (own_features, triage->n, own_width) : NULL;
  g_autoptr (SondeNeighbours) training = NULL;
  const SondeNeighbours *reference = own;

  if (features == NULL || width != own_width)
    {
      g_ptr_array_add (triage->notes,
                       sonde_message_new ("The logits are not a matrix product of features, "
                                          "so neighbours and influence cannot be computed."));
      reference = NULL;
    }
  else if (triage->has_training)
    reference = training = sonde_neighbours_new (features, triage->reference->len, width);
  for (guint i = 0; i < triage->n && own == NULL; i++)
    score_suspicion (work, i, NULL, 0);
  for (guint i = 0; i < triage->n && own != NULL && tick (work, 0, 400, i, triage->n); i += GROUP)
    search_group (work, own, reference, i, MIN (GROUP, triage->n - i), k, found);
}

/* ---- limits of what is usual --------------------------------------------- */

static int
compare_doubles (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static double
percentile_99 (double *values, guint n)
{
  if (n < 10)
    return INFINITY;
  qsort (values, n, sizeof *values, compare_doubles);
  return values[MIN ((guint) ceil (0.99 * n), n) - 1];
}

static void
find_limits (Work *work)
{
  SondeTriage *triage = work->triage;
  g_autofree double *energies = g_new (double, triage->n + 1),
                    *distances = g_new (double, triage->n + 1);
  guint n = 0, n_distances = 0;

  for (guint i = 0; i < triage->n; i++)
    {
      const SondeSampleResult *prediction = prediction_at (work->predictions, i);

      if (prediction->label != prediction->predicted)
        continue;
      energies[n++] = triage->rows[i].energy;
      if (!isnan (triage->rows[i].distance))
        distances[n_distances++] = triage->rows[i].distance;
    }
  triage->energy_limit = percentile_99 (energies, n);
  triage->distance_limit = percentile_99 (distances, n_distances);
}

/* ---- maps of the errors -------------------------------------------------- */

static guint
index_of (Work *work, const SondeSampleResult *prediction)
{
  guint low = 0, high = work->predictions->len;

  while (high - low > 1) /* in the order of their samples */
    {
      guint middle = (low + high) / 2;

      if (prediction_at (work->predictions, middle)->sample <= prediction->sample)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static void
measure_map (Work *work, guint i, const float *map)
{
  SondeDataset *dataset = work->dataset;
  SondeTriageRow *row = &work->triage->rows[i];
  gsize n = (gsize) dataset->height * (gsize) dataset->width, largest = 0;
  g_autofree guint8 *mask = g_new0 (guint8, n);
  gboolean known = sonde_dataset_get_truth (dataset, prediction_at (work->predictions, i)->sample,
                                            &(SondeBox){ 0 }, mask);
  int frame_x = (dataset->width + 5) / 10, frame_y = (dataset->height + 5) / 10;
  double border = 0, box = 0, sum = 0;

  for (gsize k = 0; k < n; k++)
    {
      int x = (int) (k % (gsize) dataset->width), y = (int) (k / (gsize) dataset->width);

      largest = map[k] > map[largest] ? k : largest;
      sum += (double) map[k];
      box += mask[k] ? (double) map[k] : 0;
      if (x < frame_x || x >= dataset->width - frame_x || y < frame_y
          || y >= dataset->height - frame_y)
        border += (double) map[k];
    }
  if (sum <= 0)
    return;
  row->border = border;
  row->box = known ? box : NAN;
  row->points = known ? mask[largest] : -1;
}

static gboolean
take_one (Work *work, const SondeSampleResult *prediction, SondeTensor *map, GError **error)
{
  guint i = index_of (work, prediction);
  gsize n = (gsize) sonde_tensor_n_elements (map);

  work->maps[i] = g_new (float, n);
  for (gsize k = 0; k < n; k++)
    work->maps[i][k] = (float) sonde_tensor_get_double (map, (gint64) k);
  sonde_cue_normalise (work->maps[i], n);
  measure_map (work, i, work->maps[i]);
  if (tick (work, 400, 400, ++work->n_maps, work->n_errors))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The computation was stopped.");
  return FALSE;
}

static gboolean
take_map (const SondeAttributionMap *map, const SondeSampleResult *sample, gpointer data,
          GError **error)
{
  return take_one (data, sample, map->map, error);
}

static gboolean
take_made_maps (Work *work, GPtrArray *errors, GError **error)
{
  g_autoptr (GPtrArray) maps = work->make_maps (errors, work->data, error);

  for (guint i = 0; maps != NULL && i < errors->len; i++)
    if (!take_one (work, g_ptr_array_index (errors, i), g_ptr_array_index (maps, i), error))
      return FALSE;
  return maps != NULL;
}

/* Positive input × gradient of the predicted class. A model without gradients goes on without
 * maps. */
static void
explain_errors (Work *work)
{
  g_autoptr (SondeAttributionSpec) spec
      = sonde_attribution_spec_new (sonde_attribution_find ("input-x-gradient"));
  const SondeExplainRequest request = { .spec = spec, .target_is = "predicted", .target = -1 };
  g_autoptr (GPtrArray) errors = g_ptr_array_new ();
  g_autoptr (GError) reason = NULL;
  gboolean good;

  for (guint i = 0; i < work->predictions->len; i++)
    if (sonde_sample_result_is_error (prediction_at (work->predictions, i)))
      g_ptr_array_add (errors, prediction_at (work->predictions, i));
  work->n_errors = errors->len;
  if (errors->len == 0 || !tick (work, 400, 400, 0, 1))
    return;
  good = work->make_maps != NULL ? take_made_maps (work, errors, &reason)
                                 : sonde_explain_maps (work->explainer, work->dataset, errors,
                                                       &request, take_map, work, &reason);
  /* whoever makes the maps may have been stopped: then nobody goes on */
  if (!good && tick (work, 400, 400, 0, 1))
    sonde_notes_add_because (
        work->triage->notes, reason,
        "No maps could be computed, so repeated cues and wrong evidence cannot be found: ");
}

/* ---- cues ---------------------------------------------------------------- */

/* @changed: (array length=n): whether the prediction of each of @members is another with the square
 * painted over. */
static gboolean
paint_over_all (Work *work, const SondeCue *cue, const guint *members, guint n, gboolean *changed,
                GError **error)
{
  SondeDataset *dataset = work->dataset;
  gsize size = (gsize) dataset->channels * (gsize) dataset->height * (gsize) dataset->width;

  for (guint done = 0; done < n; done += CUE_BATCH)
    {
      guint count = MIN (CUE_BATCH, n - done);
      SondeShape shape = sonde_shape_make (4, (gint64) count, dataset->channels, dataset->height,
                                           dataset->width);
      g_autoptr (SondeTensor) inputs
          = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("batch of images"), error);
      g_autoptr (SondeTensor) logits = NULL;

      for (guint i = 0; inputs != NULL && i < count; i++)
        {
          float *image = (float *) (void *) inputs->data + i * size;

          if (!sonde_dataset_fill (dataset,
                                   prediction_at (work->predictions, members[done + i])->sample,
                                   image, error))
            return FALSE;
          sonde_cue_paint_over (cue, image, dataset->channels, dataset->height, dataset->width);
        }
      logits = inputs != NULL ? sonde_explainer_forward (work->explainer, inputs, error) : NULL;
      if (logits == NULL)
        return FALSE;
      for (guint i = 0; i < count; i++)
        {
          gint64 classes = logits->shape.dims[1], best = 0;

          for (gint64 c = 1; c < classes; c++)
            if (sonde_tensor_get_double (logits, i * classes + c)
                > sonde_tensor_get_double (logits, i * classes + best))
              best = c;
          changed[done + i] = best != cue->predicted;
        }
    }
  return TRUE;
}

/* The square counts when painting it over changes most of those that share it; then it is the
 * reason of all whose answer it changes, and that look there at all. */
static gboolean
confirm_cue (Work *work, SondeCue *cue, const guint *members, guint n, GError **error)
{
  SondeDataset *dataset = work->dataset;
  g_autofree gboolean *changed = g_new0 (gboolean, n + 1);

  if (!paint_over_all (work, cue, members, n, changed, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    cue->n_changed
        += changed[i]
           && sonde_cue_get_share (work->maps[members[i]], dataset->height, dataset->width, cue)
                  >= cue->share;
  if (2 * cue->n_changed <= cue->n_sharing)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      double share
          = sonde_cue_get_share (work->maps[members[i]], dataset->height, dataset->width, cue);

      if (share >= cue->share || (changed[i] && share >= LEAST_CUE_MASS))
        work->triage->rows[members[i]].cue = (int) work->triage->cues->len;
    }
  g_array_append_vals (work->triage->cues, cue, 1);
  return TRUE;
}

static gboolean
find_cues (Work *work, GError **error)
{
  guint classes = work->triage->n > 0 ? prediction_at (work->predictions, 0)->n_classes : 0;
  g_autofree guint *members = g_new (guint, work->triage->n + 1);
  g_autofree const float **maps = g_new (const float *, work->triage->n + 1);

  for (guint c = 0; c < classes; c++)
    {
      SondeCue cue;
      guint n = 0;

      if (!tick (work, 800, 200, c, classes))
        return FALSE;
      for (guint i = 0; i < work->triage->n; i++)
        if (work->maps[i] != NULL && prediction_at (work->predictions, i)->predicted == c)
          {
            members[n] = i;
            maps[n++] = work->maps[i];
          }
      if (!sonde_cue_find (maps, n, work->dataset->height, work->dataset->width, &cue))
        continue;
      cue.predicted = c;
      if (!confirm_cue (work, &cue, members, n, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- reasons ------------------------------------------------------------- */

static guint
find_categories (const SondeTriage *triage, const SondeSampleResult *prediction, guint i)
{
  const SondeTriageRow *row = &triage->rows[i];
  gboolean matches[SONDE_N_CATEGORIES] = {
    [SONDE_CATEGORY_NEAR_DUPLICATE] = row->duplicate >= 0,
    [SONDE_CATEGORY_REPEATED_CUE] = row->cue >= 0,
    [SONDE_CATEGORY_LABEL_ERROR] = sonde_label_errors_is_suspect (triage->label_errors, i)
                                   && 2 * row->n_say_predicted > row->n_neighbours,
    [SONDE_CATEGORY_OUT_OF_DISTRIBUTION]
    = row->energy > triage->energy_limit || row->distance > triage->distance_limit,
    [SONDE_CATEGORY_BOUNDARY] = row->signed_margin >= BOUNDARY_MARGIN,
    [SONDE_CATEGORY_WRONG_EVIDENCE]
    = (row->points == 0 && row->box < LEAST_BOX_MASS) || row->border > MOST_BORDER_MASS,
    [SONDE_CATEGORY_CONFIDENT_WRONG]
    = sonde_sample_result_get_probability (prediction, prediction->predicted) >= CONFIDENT,
    [SONDE_CATEGORY_UNKNOWN] = TRUE,
  };
  guint bits = 0;

  for (guint r = 0; r < SONDE_N_CATEGORIES; r++)
    bits |= matches[r] ? 1u << r : 0;
  return bits;
}

static SondeMessage *
describe (const SondeTriage *triage, const SondeSampleResult *prediction, const SondeTriageRow *row)
{
  double p = sonde_sample_result_get_probability (prediction, prediction->predicted),
         p_label = sonde_sample_result_get_probability (prediction, prediction->label);
  const SondeCue *cue;

  switch (prediction->category)
    {
    case SONDE_CATEGORY_NEAR_DUPLICATE:
      return sonde_message_new (
          "“%s” looks the same (cosine %.3f) and has another label.",
          prediction_at (triage->reference, row->neighbours[row->duplicate].row)->name,
          row->neighbours[row->duplicate].value);
    case SONDE_CATEGORY_REPEATED_CUE:
      cue = &g_array_index (triage->cues, SondeCue, row->cue);
      return sonde_message_new ("The square at %d, %d (%d×%d pixels) carries the evidence of %u of "
                                "%u errors with this prediction; occluding it changes %u of them.",
                                cue->x, cue->y, cue->side, cue->side, cue->n_sharing, cue->n,
                                cue->n_changed);
    case SONDE_CATEGORY_LABEL_ERROR:
      return sonde_message_new ("The model gives the label a probability of %.1f %%, and %u of the "
                                "%u nearest images have "
                                "the predicted class.",
                                100 * p_label, row->n_say_predicted, row->n_neighbours);
    case SONDE_CATEGORY_OUT_OF_DISTRIBUTION:
      return sonde_message_new (
          row->energy > triage->energy_limit
              ? N_ ("Energy beyond that of 99 %% of the correct predictions (energy %.3g of %.3g, "
                    "distance to neighbours %.3g of %.3g).")
              : N_ ("Distance to the neighbours beyond that of 99 %% of the correct predictions "
                    "(energy %.3g of %.3g, distance to neighbours %.3g of %.3g)."),
          row->energy, triage->energy_limit, row->distance, triage->distance_limit);
    case SONDE_CATEGORY_BOUNDARY:
      return sonde_message_new ("The true class is only %.1f percentage points behind.",
                                100 * -row->signed_margin);
    case SONDE_CATEGORY_WRONG_EVIDENCE:
      return row->points == 0
                 ? sonde_message_new ("Only %.0f %% of the map lie inside the object.",
                                      100 * row->box)
                 : sonde_message_new ("%.0f %% of the map lie in the outer tenth of the image.",
                                      100 * row->border);
    case SONDE_CATEGORY_CONFIDENT_WRONG:
      return sonde_message_new ("%.1f %% sure of the wrong class, no other sign.", 100 * p);
    default:
      return sonde_message_new (
          "%.1f %% for the predicted class, %.1f %% for the true one; no rule "
          "matches.",
          100 * p, 100 * p_label);
    }
}

static void
assign_categories (Work *work)
{
  SondeTriage *triage = work->triage;

  for (guint i = 0; i < triage->n; i++)
    {
      SondeSampleResult *prediction = prediction_at (work->predictions, i);

      if (!sonde_sample_result_is_error (prediction))
        continue;
      prediction->categories = find_categories (triage, prediction, i);
      prediction->category = 0;
      while ((prediction->categories >> prediction->category & 1) == 0)
        prediction->category++;
      sonde_message_free (prediction->evidence);
      prediction->evidence = describe (triage, prediction, &triage->rows[i]);
      triage->counts[prediction->category]++;
    }
}

SondeTriage *
sonde_triage_new (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *predictions,
                  SondeDataset *training_data, GPtrArray *training, GError **error)
{
  return sonde_triage_new_watched (explainer, dataset, predictions, training_data, training, NULL,
                                   NULL, NULL, error);
}

SondeTriage *
sonde_triage_new_watched (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *predictions,
                          SondeDataset *training_data, GPtrArray *training, SondeTriageMaps maps,
                          SondeExplainProgress progress, gpointer data, GError **error)
{
  g_autoptr (SondeTriage) triage = g_new0 (SondeTriage, 1);
  Work work = { .triage = triage,
                .explainer = explainer,
                .dataset = dataset,
                .predictions = predictions,
                .make_maps = maps,
                .progress = progress,
                .data = data };
  gboolean good;

  triage->n = predictions->len;
  triage->rows = g_new0 (SondeTriageRow, MAX (triage->n, 1));
  triage->cues = g_array_new (FALSE, FALSE, sizeof (SondeCue));
  triage->notes = sonde_notes_new ();
  triage->has_training = training != NULL;
  triage->reference = g_ptr_array_ref (training != NULL ? training : predictions);
  work.reference_data = training != NULL ? training_data : dataset;
  work.maps = g_new0 (float *, MAX (triage->n, 1));
  if (training == NULL)
    g_ptr_array_add (
        triage->notes,
        sonde_message_new ("Without --train-data, neighbours are searched among the images "
                           "themselves and influence cannot be computed."));
  measure_samples (&work);
  measure_neighbours (&work);
  find_limits (&work);
  explain_errors (&work);
  good = work.stopped == NULL && find_cues (&work, work.stopped == NULL ? error : NULL);
  if (work.stopped != NULL)
    g_propagate_error (error, g_steal_pointer (&work.stopped));
  if (good)
    assign_categories (&work);
  for (guint i = 0; i < triage->n; i++)
    g_free (work.maps[i]);
  g_free (work.maps);
  return good ? g_steal_pointer (&triage) : NULL;
}

void
sonde_triage_free (SondeTriage *triage)
{
  if (triage == NULL)
    return;
  g_free (triage->rows);
  sonde_label_errors_free (triage->label_errors);
  g_array_unref (triage->cues);
  g_ptr_array_unref (triage->reference);
  g_ptr_array_unref (triage->notes);
  g_free (triage);
}
