/* SPDX-License-Identifier: Apache-2.0
 * What the report says, block by block. */
#include "explain/report/sonde-explain-report.h"

#include <math.h>
#include <string.h>

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/report/sonde-report-document.h"
#include "explain/report/sonde-report-images.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-confusion.h"
#include "explain/triage/sonde-calibration.h"
#include "explain/triage/sonde-clusters.h"

#define MAX_SAMPLES 120
#define MAX_OF_REASON 24
#define MAX_PAIRS 12
#define MAX_CELLS 8
#define MAX_CLASSES 50
#define POOLED (SONDE_CLUSTER_MAP * SONDE_CLUSTER_MAP)

/* One sample with its maps. */
typedef struct
{
  const SondeSampleResult *prediction;
  GPtrArray *maps;   /* (element-type SondeTensor) */
  GPtrArray *labels; /* (element-type utf8) */
} Card;

/* What clusters are made of, and the mean of its cell: the first method's map of the predicted
 * class. */
typedef struct
{
  const SondeSampleResult *prediction;
  float pooled[POOLED];
  SondeTensor *map; /* scaled to a largest magnitude of 1 */
} CellMap;

struct _SondeExplainReport
{
  char *title, *model, *warning;
  SondeDataset *dataset;
  GPtrArray *predictions, *info, *settings, *cards;
  GHashTable *by_sample; /* sample + 1 -> Card */
  guint n_left_out;
  GArray *cell_maps;
  char *cell_method;
  const SondeTriage *triage;
  SondeScorecard *scorecard;
};

static void
card_free (void *data)
{
  Card *card = data;

  g_ptr_array_unref (card->maps);
  g_ptr_array_unref (card->labels);
  g_free (card);
}

static void
cell_map_clear (void *data)
{
  sonde_tensor_unref (((CellMap *) data)->map);
}

SondeExplainReport *
sonde_explain_report_new (const char *title, const char *model, SondeDataset *dataset)
{
  SondeExplainReport *report = g_new0 (SondeExplainReport, 1);

  report->title = g_strdup (title);
  report->model = g_strdup (model);
  report->dataset = dataset;
  report->info = g_ptr_array_new_with_free_func (g_free);
  report->settings = g_ptr_array_new_with_free_func (g_free);
  report->cards = g_ptr_array_new_with_free_func (card_free);
  report->by_sample = g_hash_table_new (NULL, NULL);
  report->cell_maps = g_array_new (FALSE, FALSE, sizeof (CellMap));
  g_array_set_clear_func (report->cell_maps, cell_map_clear);
  return report;
}

void
sonde_explain_report_free (SondeExplainReport *report)
{
  if (report == NULL)
    return;
  g_free (report->title);
  g_free (report->model);
  g_free (report->warning);
  g_free (report->cell_method);
  g_clear_pointer (&report->predictions, g_ptr_array_unref);
  g_ptr_array_unref (report->info);
  g_ptr_array_unref (report->settings);
  g_ptr_array_unref (report->cards);
  g_hash_table_unref (report->by_sample);
  g_array_unref (report->cell_maps);
  g_free (report);
}

void
sonde_explain_report_set_predictions (SondeExplainReport *report, GPtrArray *predictions)
{
  g_clear_pointer (&report->predictions, g_ptr_array_unref);
  report->predictions = g_ptr_array_ref (predictions);
}

void
sonde_explain_report_set_warning (SondeExplainReport *report, const char *sentence)
{
  g_free (report->warning);
  report->warning = g_strdup (sentence);
}

void
sonde_explain_report_set_triage (SondeExplainReport *report, const SondeTriage *triage)
{
  report->triage = triage;
}

void
sonde_explain_report_set_scorecard (SondeExplainReport *report, SondeScorecard *scorecard)
{
  report->scorecard = scorecard;
}

void
sonde_explain_report_add_fact (SondeExplainReport *report, const char *sentence)
{
  g_ptr_array_add (report->info, g_strdup (sentence));
}

void
sonde_explain_report_add_setting (SondeExplainReport *report, const char *name, const char *value)
{
  g_ptr_array_add (report->settings, g_strdup (name));
  g_ptr_array_add (report->settings, g_strdup (value));
}

static char *
class_name (SondeExplainReport *report, gint64 c)
{
  if (c >= 0 && (guint64) c < report->dataset->n_classes)
    return g_strdup (report->dataset->classes[c]);
  return c >= 0 ? g_strdup_printf (_ ("class %" PRIi64), c) : g_strdup (_ ("unknown"));
}

static double
largest_magnitude (SondeTensor *map)
{
  SondeStatistics statistics;

  sonde_statistics_compute (map, &statistics);
  return isnan (statistics.max) ? 0 : fmax (fabs (statistics.min), fabs (statistics.max));
}

static void
keep_for_cell (SondeExplainReport *report, const SondeAttributionMap *map,
               const SondeSampleResult *sample)
{
  SondeTensor *own = map->map;
  double limit = largest_magnitude (own);
  CellMap kept = { .prediction = sample, .map = sonde_tensor_new (SONDE_DTYPE_F32, &own->shape) };
  gint64 n = sonde_tensor_n_elements (own);

  for (gint64 i = 0; i < n; i++)
    ((float *) (void *) kept.map->data)[i]
        = limit > 0 ? (float) (sonde_tensor_get_double (own, i) / limit) : 0;
  sonde_clusters_pool ((const float *) (const void *) kept.map->data, (int) own->shape.dims[0],
                       (int) own->shape.dims[1], kept.pooled);
  g_array_append_val (report->cell_maps, kept);
}

/* What a map is of. @target: name of the class. (transfer full) */
static char *
label_map (const SondeAttributionMap *map, const char *target)
{
  const char *label = map->spec;

  if (g_str_equal (map->target_is, "predicted"))
    return g_strdup_printf (_ ("%s for predicted %s"), label, target);
  if (g_str_equal (map->target_is, "true"))
    return g_strdup_printf (_ ("%s for true %s"), label, target);
  if (g_str_equal (map->target_is, "contrast"))
    return g_strdup_printf (_ ("%s for contrast %s"), label, target);
  return g_strdup_printf (_ ("%s for class %s"), label, target);
}

gboolean
sonde_explain_report_add_map (SondeExplainReport *report, const SondeAttributionMap *map,
                              const SondeSampleResult *sample, GError **error)
{
  gpointer key = GUINT_TO_POINTER (map->sample + 1);
  const char *label = map->spec;
  g_autofree char *target = class_name (report, map->target);
  gpointer found = g_hash_table_lookup (report->by_sample, key);
  Card *card = found != key ? found : NULL; /* the key itself: left out before */

  if (report->cell_method == NULL)
    report->cell_method = g_strdup (label);
  if (g_str_equal (label, report->cell_method) && g_str_equal (map->target_is, "predicted")
      && sonde_sample_result_is_error (sample))
    keep_for_cell (report, map, sample);
  if (card == NULL && (found != NULL || report->cards->len >= MAX_SAMPLES))
    {
      report->n_left_out += g_hash_table_add (report->by_sample, key);
      return TRUE;
    }
  if (card == NULL)
    {
      card = g_new0 (Card, 1);
      card->prediction = sample;
      card->maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
      card->labels = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (report->cards, card);
      g_hash_table_insert (report->by_sample, key, card);
    }
  g_ptr_array_add (card->maps, sonde_tensor_ref (map->map));
  g_ptr_array_add (card->labels, label_map (map, target));
  return TRUE;
}

/* ---- blocks -------------------------------------------------------------- */

static void add_cell (SondeReportDocument *document, SondeReportCellKind kind, double share,
                      const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
add_cell (SondeReportDocument *document, SondeReportCellKind kind, double share, const char *format,
          ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  sonde_report_document_add_cell (document, text, kind, share);
}

/* A sample's image; one that can no longer be read is left out. */
static void
add_image (SondeExplainReport *report, SondeReportDocument *document, guint sample,
           const char *caption)
{
  SondeImage *image = sonde_report_shrink (sonde_dataset_dup_image (report->dataset, sample, NULL));

  if (image != NULL)
    sonde_report_document_add_figure (document, image, caption);
}

/* Arrays of the predictions. */
typedef struct
{
  guint n, classes;
  float *p, *logits; /* @logits NULL when there are none */
  gint64 *labels, *predicted;
} Table;

static void
table_clear (Table *table)
{
  g_free (table->p);
  g_free (table->logits);
  g_free (table->labels);
  g_free (table->predicted);
}

static void
table_init (Table *table, GPtrArray *predictions)
{
  const SondeSampleResult *first = predictions->len > 0 ? g_ptr_array_index (predictions, 0) : NULL;
  gsize n;

  *table = (Table){ .n = predictions->len, .classes = first != NULL ? first->n_classes : 0 };
  n = (gsize) table->n * table->classes + 1;
  table->p = g_new (float, n);
  table->logits = first != NULL && first->logits != NULL ? g_new (float, n) : NULL;
  table->labels = g_new (gint64, table->n + 1);
  table->predicted = g_new (gint64, table->n + 1);
  for (guint i = 0; i < table->n; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);
      gsize at = (gsize) i * table->classes;

      memcpy (table->p + at, prediction->probabilities, table->classes * sizeof (float));
      if (table->logits != NULL)
        memcpy (table->logits + at, prediction->logits, table->classes * sizeof (float));
      table->labels[i] = prediction->label;
      table->predicted[i] = prediction->predicted;
    }
}

static void
add_number (SondeReportDocument *document, const char *text, double value, int decimals,
            const char *unit)
{
  g_autofree char *number = g_strdup_printf ("%.*f%s", decimals, value, unit);

  sonde_report_document_add_number (document, number, text);
}

static void
add_measures_row (SondeReportDocument *document, const char *name, const SondeCalibration *c)
{
  add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", name);
  add_cell (document, SONDE_REPORT_CELL, 0, "%.4f", c->ece);
  add_cell (document, SONDE_REPORT_CELL, 0, "%.4f", c->mce);
  add_cell (document, SONDE_REPORT_CELL, 0, "%.4f", c->brier);
  add_cell (document, SONDE_REPORT_CELL, 0, "%.4f", c->nll);
}

static void
add_calibration (SondeReportDocument *document, Table *table, const SondeCalibration *before)
{
  static const char *const heads[] = { "", "ECE", "MCE", "Brier", "NLL" };
  double temperature = table->logits != NULL ? sonde_calibration_find_temperature (
                           table->logits, table->labels, table->n, table->classes)
                                             : NAN;
  SondeCalibration after;

  sonde_report_document_add_heading (document, _ ("Calibration"));
  sonde_report_document_begin_table (document, G_N_ELEMENTS (heads));
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", *heads[i] != '\0' ? _ (heads[i]) : "");
  add_measures_row (document, _ ("uncalibrated"), before);
  if (!isnan (temperature))
    {
      g_autofree char *name = g_strdup_printf (_ ("at temperature %.3f"), temperature);

      sonde_calibration_apply_temperature (table->logits, table->n, table->classes, temperature,
                                           table->p);
      sonde_calibration_measure (&after, table->p, table->labels, table->n, table->classes,
                                 SONDE_CALIBRATION_BINS);
      add_measures_row (document, name, &after);
    }
  sonde_report_document_begin_figures (
      document, _ ("Reliability"),
      _ ("Accuracy (bars, darker for more images) against the largest probability in 15 bins; "
         "squares: mean probability of the bin."));
  sonde_report_document_add_figure (document, sonde_report_draw_reliability (before),
                                    _ ("accuracy against confidence"));
}

static void
add_confusion (SondeExplainReport *report, SondeReportDocument *document,
               const SondeConfusion *confusion)
{
  guint classes = confusion->classes, largest = 1;

  for (gsize i = 0; i < (gsize) classes * classes; i++)
    largest = MAX (largest, confusion->counts[i]);
  sonde_report_document_add_heading (document, _ ("Confusion matrix"));
  sonde_report_document_begin_table (document, classes + 1);
  add_cell (document, SONDE_REPORT_CELL_HEAD, 0, _ ("true ↓ predicted →"));
  for (guint c = 0; c < classes; c++)
    {
      g_autofree char *name = class_name (report, c);

      add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", name);
    }
  for (guint y = 0; y < classes; y++)
    {
      g_autofree char *name = class_name (report, y);

      add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", name);
      for (guint c = 0; c < classes; c++)
        {
          guint count = confusion->counts[(gsize) y * classes + c];

          add_cell (document, y == c ? SONDE_REPORT_CELL_GOOD : SONDE_REPORT_CELL_BAD,
                    sqrt ((double) count / largest), "%u", count);
        }
    }
}

static void
add_pairs (SondeExplainReport *report, SondeReportDocument *document,
           const SondeConfusion *confusion, const GArray *pairs)
{
  static const char *const heads[] = {
    N_ ("true"), N_ ("predicted"), N_ ("count"), N_ ("share of the class"), N_ ("interval (95 %)"),
    N_ ("lift")
  };

  if (pairs->len == 0)
    return;
  sonde_report_document_add_heading (document, _ ("Most Confused Classes"));
  sonde_report_document_begin_table (document, G_N_ELEMENTS (heads));
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", *heads[i] != '\0' ? _ (heads[i]) : "");
  for (guint i = 0; i < MIN (pairs->len, MAX_PAIRS); i++)
    {
      const SondeConfusedPair *pair = &g_array_index (pairs, SondeConfusedPair, i);
      g_autofree char *label = class_name (report, pair->label),
                      *predicted = class_name (report, pair->predicted);

      add_cell (document, SONDE_REPORT_CELL, 0, "%s", label);
      add_cell (document, SONDE_REPORT_CELL, 0, "%s", predicted);
      add_cell (document, SONDE_REPORT_CELL, 0, "%u", pair->count);
      add_cell (document, SONDE_REPORT_CELL, 0, "%.1f %%",
                100.0 * pair->count / confusion->row_totals[pair->label]);
      add_cell (document, SONDE_REPORT_CELL, 0, "%.1f–%.1f %%", 100 * pair->low, 100 * pair->high);
      add_cell (document, SONDE_REPORT_CELL, 0, "%.2f", pair->lift);
    }
}

static void
add_reason_images (SondeExplainReport *report, SondeReportDocument *document,
                   SondeErrorCategory category)
{
  guint count = report->triage->counts[category], shown = 0;
  g_autofree char *heading
      = g_strdup_printf ("%s: %u", _ (sonde_error_category_get_title (category)), count);
  g_autofree char *note = count > MAX_OF_REASON
                              ? g_strdup_printf (_ ("The first %d of %u."), MAX_OF_REASON, count)
                              : NULL;

  if (count == 0)
    return;
  sonde_report_document_begin_figures (document, heading, note);
  for (guint i = 0; i < report->triage->n && shown < MAX_OF_REASON; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (report->predictions, i);
      g_autofree char *label = class_name (report, prediction->label),
                      *predicted = class_name (report, prediction->predicted);
      g_autofree char *caption = NULL;

      if (prediction->category != category)
        continue;
      caption = g_strdup_printf (_ ("predicted %s, true %s (%s). %s"), predicted, label,
                                 prediction->name, sonde_message_get_text (prediction->evidence));
      add_image (report, document, prediction->sample, caption);
      shown++;
    }
}

static void
add_triage (SondeExplainReport *report, SondeReportDocument *document)
{
  const SondeTriage *triage = report->triage;

  if (triage == NULL)
    return;
  sonde_report_document_add_heading (document, _ ("Error Categories"));
  sonde_report_document_begin_table (document, 2);
  for (guint r = 0; r < SONDE_N_CATEGORIES; r++)
    {
      add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", _ (sonde_error_category_get_title (r)));
      add_cell (document, SONDE_REPORT_CELL, 0, "%u", triage->counts[r]);
    }
  for (guint k = 0; k < triage->cues->len; k++)
    {
      const SondeCue *cue = &g_array_index (triage->cues, SondeCue, k);
      g_autofree char *predicted = class_name (report, cue->predicted);
      g_autofree char *text = g_strdup_printf (
          _ ("A cue for “%s”: the square of %d pixels at %d, %d carries the evidence of %u of %u "
             "errors; when it is occluded, %u of them change."),
          predicted, cue->side, cue->x, cue->y, cue->n_sharing, cue->n, cue->n_changed);

      sonde_report_document_add_item (document, text);
    }
  for (guint i = 0; i < triage->notes->len; i++)
    sonde_report_document_add_item (document,
                                    sonde_message_get_text (g_ptr_array_index (triage->notes, i)));
  for (guint r = 0; r < SONDE_N_CATEGORIES; r++)
    add_reason_images (report, document, r);
}

/* ---- cells --------------------------------------------------------------- */

/* [features of length 1 ‖ pooled map of length 1] */
static float *
make_vectors (const GPtrArray *members, guint *width)
{
  const CellMap *first = g_ptr_array_index (members, 0);
  guint n_features = first->prediction->n_features;
  float *vectors;

  *width = n_features + POOLED;
  vectors = g_new0 (float, (gsize) members->len **width);
  for (guint i = 0; i < members->len; i++)
    {
      const CellMap *member = g_ptr_array_index (members, i);
      float *vector = vectors + (gsize) i * *width;
      double features = 0, map = 0;

      for (guint k = 0; k < n_features; k++)
        features
            += (double) member->prediction->features[k] * (double) member->prediction->features[k];
      for (guint k = 0; k < POOLED; k++)
        map += (double) member->pooled[k] * (double) member->pooled[k];
      for (guint k = 0; k < n_features && features > 0; k++)
        vector[k] = (float) ((double) member->prediction->features[k] / sqrt (features));
      for (guint k = 0; k < POOLED && map > 0; k++)
        vector[n_features + k] = (float) ((double) member->pooled[k] / sqrt (map));
    }
  return vectors;
}

static SondeImage *
mean_map (const GPtrArray *members)
{
  const CellMap *first = g_ptr_array_index (members, 0);
  g_autoptr (SondeTensor) mean = sonde_tensor_new (SONDE_DTYPE_F32, &first->map->shape);
  float *sum = (float *) (void *) mean->data;

  for (guint i = 0; i < members->len; i++)
    {
      const CellMap *member = g_ptr_array_index (members, i);

      for (gint64 k = 0; k < sonde_tensor_n_elements (mean); k++)
        sum[k]
            += fabsf (((const float *) (const void *) member->map->data)[k]) / (float) members->len;
    }
  return sonde_report_colour_map (mean, largest_magnitude (mean));
}

static void
add_one_cell (SondeExplainReport *report, SondeReportDocument *document,
              const SondeConfusedPair *pair)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();
  g_autofree char *label = class_name (report, pair->label),
                  *predicted = class_name (report, pair->predicted);
  g_autofree char *heading
      = g_strdup_printf (_ ("%s misclassified as %s: %u"), label, predicted, pair->count);
  g_autofree float *vectors = NULL;
  g_autofree guint *cluster = NULL;
  guint medoids[3], k, width;

  for (guint i = 0; i < report->cell_maps->len; i++)
    {
      CellMap *map = &g_array_index (report->cell_maps, CellMap, i);

      if (map->prediction->label == pair->label && map->prediction->predicted == pair->predicted)
        g_ptr_array_add (members, map);
    }
  if (members->len == 0)
    return;
  k = CLAMP (members->len / 4, 1, 3);
  cluster = g_new (guint, members->len);
  vectors = make_vectors (members, &width);
  sonde_clusters_find (vectors, members->len, width, k, cluster, medoids);
  sonde_report_document_begin_figures (document, heading, NULL);
  sonde_report_document_add_figure (document, mean_map (members), _ ("mean magnitude of the maps"));
  for (guint m = 0; m < k; m++)
    {
      const CellMap *medoid = g_ptr_array_index (members, medoids[m]);
      g_autofree char *caption = NULL;
      guint size = 0;

      for (guint i = 0; i < members->len; i++)
        size += cluster[i] == m;
      caption = g_strdup_printf (_ ("representative of %u (%s)"), size, medoid->prediction->name);
      add_image (report, document, medoid->prediction->sample, caption);
      sonde_report_document_add_figure (document, sonde_report_colour_map (medoid->map, 1),
                                        _ ("its map"));
    }
}

static void
add_cells (SondeExplainReport *report, SondeReportDocument *document, const GArray *pairs)
{
  g_autofree char *text = NULL;

  if (report->cell_maps->len == 0)
    return;
  sonde_report_document_add_heading (document, _ ("Confusion Matrix Cells"));
  text = g_strdup_printf (
      _ ("The cells with the most errors: the mean of their maps (%s of the predicted class) and a "
         "representative error for each cluster of similar explanations."),
      report->cell_method);
  sonde_report_document_add_text (document, text);
  for (guint i = 0; i < MIN (pairs->len, MAX_CELLS); i++)
    add_one_cell (report, document, &g_array_index (pairs, SondeConfusedPair, i));
}

/* ---- samples, methods, settings ------------------------------------------ */

/* Maps of one card share one scale: the largest magnitude of all of them. */
static void
add_card (SondeExplainReport *report, SondeReportDocument *document, const Card *card)
{
  const SondeSampleResult *prediction = card->prediction;
  g_autofree char *label = class_name (report, prediction->label),
                  *predicted = class_name (report, prediction->predicted);
  g_autofree char *heading = NULL, *note = NULL;
  double limit = 0;

  for (guint i = 0; i < card->maps->len; i++)
    limit = fmax (limit, largest_magnitude (g_ptr_array_index (card->maps, i)));
  heading = g_strdup_printf (
      _ ("%s misclassified as %s · p(%s) = %.3f · p(%s) = %.3f"), label, predicted, predicted,
      sonde_sample_result_get_probability (prediction, prediction->predicted), label,
      sonde_sample_result_get_probability (prediction, prediction->label));
  if (report->triage != NULL && prediction->category < SONDE_N_CATEGORIES)
    {
      g_autofree char *before = g_steal_pointer (&heading);

      heading = g_strconcat (before, " · ",
                             _ (sonde_error_category_get_title (prediction->category)), NULL);
    }
  note = limit > 0 ? g_strdup_printf (_ ("scale −%.3g … +%.3g (blue … red)"), limit, limit)
                   : g_strdup (_ ("constant map"));
  sonde_report_document_begin_figures (document, heading, note);
  add_image (report, document, prediction->sample, prediction->name);
  for (guint i = 0; i < card->maps->len; i++)
    sonde_report_document_add_figure (
        document, sonde_report_colour_map (g_ptr_array_index (card->maps, i), limit),
        g_ptr_array_index (card->labels, i));
}

static void
add_samples (SondeExplainReport *report, SondeReportDocument *document)
{
  g_autofree char *text
      = g_strdup_printf (_ ("%u of %u explained samples are shown."), report->cards->len,
                         report->cards->len + report->n_left_out);

  sonde_report_document_add_heading (document, _ ("Samples"));
  sonde_report_document_add_text (document, text);
  for (guint i = 0; i < report->cards->len; i++)
    add_card (report, document, g_ptr_array_index (report->cards, i));
}

static void
add_scorecard (SondeExplainReport *report, SondeReportDocument *document)
{
  static const char *const heads[] = { N_ ("method"),          N_ ("metric"),  N_ ("mean"),
                                       N_ ("interval (95 %)"), N_ ("defined"), N_ ("better") };
  GPtrArray *methods
      = report->scorecard != NULL ? sonde_scorecard_get_methods (report->scorecard) : NULL;
  gsize n_metrics;
  const SondeMapMetric *metrics = sonde_map_metric_list (&n_metrics);

  if (methods == NULL || methods->len == 0)
    return;
  sonde_report_document_add_heading (document, _ ("Methods"));
  sonde_report_document_begin_table (document, G_N_ELEMENTS (heads));
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s", *heads[i] != '\0' ? _ (heads[i]) : "");
  for (guint m = 0; m < methods->len; m++)
    for (gsize k = 0; k < n_metrics; k++)
      {
        SondeScoreSummary summary = sonde_scorecard_summarise (report->scorecard, &metrics[k],
                                                               g_ptr_array_index (methods, m), -1);

        if (summary.n == 0)
          continue;
        add_cell (document, SONDE_REPORT_CELL_HEAD, 0, "%s",
                  (const char *) g_ptr_array_index (methods, m));
        add_cell (document, SONDE_REPORT_CELL, 0, "%s", _ (metrics[k].title));
        add_cell (document, SONDE_REPORT_CELL, 0, "%.4g", summary.interval.value);
        add_cell (document, SONDE_REPORT_CELL, 0, "%.4g–%.4g", summary.interval.low,
                  summary.interval.high);
        add_cell (document, SONDE_REPORT_CELL, 0, _ ("%zu of %zu"), summary.n_valid, summary.n);
        add_cell (document, SONDE_REPORT_CELL, 0, "%s",
                  metrics[k].rises ? _ ("higher") : _ ("lower"));
      }
}

static void
add_settings (SondeExplainReport *report, SondeReportDocument *document)
{
  if (report->settings->len == 0)
    return;
  sonde_report_document_add_heading (document, _ ("Settings and Cost"));
  sonde_report_document_begin_table (document, 2);
  for (guint i = 0; i < report->settings->len; i++)
    sonde_report_document_add_cell (document, g_ptr_array_index (report->settings, i),
                                    i % 2 == 0 ? SONDE_REPORT_CELL_HEAD : SONDE_REPORT_CELL, 0);
}

static void
add_facts_of_predictions (SondeExplainReport *report, SondeReportDocument *document)
{
  g_autoptr (SondeConfusion) confusion = NULL;
  g_autoptr (GArray) pairs = NULL;
  SondeCalibration calibration;
  Table table;

  table_init (&table, report->predictions);
  sonde_calibration_measure (&calibration, table.p, table.labels, table.n, table.classes,
                             SONDE_CALIBRATION_BINS);
  confusion = sonde_confusion_new (table.labels, table.predicted, table.n, table.classes);
  pairs = sonde_confusion_list_pairs (confusion);
  add_number (document, _ ("images"), table.n, 0, "");
  if (calibration.n > 0)
    {
      g_autofree char *text = g_strdup_printf (_ ("accuracy (95 %% interval %.1f to %.1f %%)"),
                                               100 * calibration.low, 100 * calibration.high);

      add_number (document, text, 100 * calibration.accuracy, 2, " %");
      add_number (document, _ ("errors"), calibration.n - calibration.right, 0, "");
      add_calibration (document, &table, &calibration);
      if (table.classes <= MAX_CLASSES)
        add_confusion (report, document, confusion);
      add_pairs (report, document, confusion, pairs);
    }
  add_triage (report, document);
  add_cells (report, document, pairs);
  table_clear (&table);
}

gboolean
sonde_explain_report_write (SondeExplainReport *report, const SondeIo *io, const char *path,
                            GError **error)
{
  g_autoptr (SondeReportDocument) document = sonde_report_document_new (report->title);
  g_autofree char *model = g_strdup_printf (_ ("Model: %s"), report->model);
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *html = NULL;
  g_autoptr (GBytes) pdf = NULL;

  sonde_report_document_add_text (document, model);
  if (report->warning != NULL)
    sonde_report_document_add_text (document, report->warning);
  if (report->predictions != NULL)
    add_facts_of_predictions (report, document);
  if (report->info->len > 0)
    sonde_report_document_add_heading (document, _ ("Measurements"));
  for (guint i = 0; i < report->info->len; i++)
    sonde_report_document_add_item (document, g_ptr_array_index (report->info, i));
  add_samples (report, document);
  add_scorecard (report, document);
  add_settings (report, document);
  if (g_str_has_suffix (lower, ".pdf"))
    {
      pdf = sonde_report_document_to_pdf (document);
      return sonde_io_replace_file (io, path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf),
                                    error);
    }
  html = sonde_report_document_to_html (document);
  return sonde_io_replace_file (io, path, html, strlen (html), error);
}
