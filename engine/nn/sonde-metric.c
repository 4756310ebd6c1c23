/* SPDX-License-Identifier: Apache-2.0
 * Metrics: what an evaluation sums up, and the number made of it. */
#include "engine/nn/sonde-metric.h"

#include <math.h>

#define MOST_CLASSES_OF_TABLE 4096

/* One prediction as every class metric sees it: @logits, @step apart. */
typedef struct
{
  SondeTensor *logits;
  gint64 first, step, n_classes;
  gint64 label;
} Sample;

typedef struct
{
  const char *name;
  const SondeSettingRule *rules;
  gboolean needs_classes, smaller_is_better;
  void (*add) (SondeMetric *metric, const Sample *sample);    /* a class prediction */
  void (*add_value) (SondeMetric *metric, double difference); /* prediction − label */
  double (*get) (const SondeMetric *metric);
} MetricRow;

/**
 * SondeMetric:
 * @n, @sum: samples and what they add
 * @right, @predicted, @occurring: by class
 * @table: counts [true, predicted]
 * @scores: (element-type float) [n, classes]; @labels: (element-type gint64)
 */
struct _SondeMetric
{
  const MetricRow *row;
  SondeSettings settings;
  char *name;
  gboolean has_classes;
  gint64 n, n_classes;
  double sum;
  gint64 *right, *predicted, *occurring, *table;
  GArray *scores, *labels;
};

static double
logit (const Sample *sample, gint64 c)
{
  /* One column z is two classes, 0 and z. */
  if (sample->step == 0)
    return c == 0 ? 0.0 : sonde_tensor_get_double (sample->logits, sample->first);
  return sonde_tensor_get_double (sample->logits, sample->first + c * sample->step);
}

/* The largest; the first of equals. */
static gint64
best_class (const Sample *sample)
{
  gint64 best = 0;

  for (gint64 c = 1; c < sample->n_classes; c++)
    if (logit (sample, c) > logit (sample, best))
      best = c;
  return best;
}

static void
add_accuracy (SondeMetric *metric, const Sample *sample)
{
  metric->sum += best_class (sample) == sample->label;
}

/* Right when fewer than k classes are larger, or equal and before it. */
static void
add_top_k (SondeMetric *metric, const Sample *sample)
{
  double own = logit (sample, sample->label);
  gint64 before = 0;

  for (gint64 c = 0; c < sample->n_classes; c++)
    {
      double other = logit (sample, c);

      before += other > own || (other == own && c < sample->label);
    }
  metric->sum += (double) before < metric->settings.values[0] && !isnan (own);
}

static void
add_counts (SondeMetric *metric, const Sample *sample)
{
  gint64 best = best_class (sample);

  metric->right[sample->label] += best == sample->label;
  metric->predicted[best]++;
  metric->occurring[sample->label]++;
}

static void
add_table (SondeMetric *metric, const Sample *sample)
{
  metric->table[sample->label * metric->n_classes + best_class (sample)]++;
}

static void
add_scores (SondeMetric *metric, const Sample *sample)
{
  double most = logit (sample, best_class (sample)), sum = 0.0;

  for (gint64 c = 0; c < sample->n_classes; c++)
    sum += exp (logit (sample, c) - most);
  for (gint64 c = 0; c < sample->n_classes; c++)
    {
      /* With two classes the difference of the logits orders as the softmax does, without its
       * rounding. */
      float score = (float) (sample->n_classes == 2 ? logit (sample, c) - logit (sample, 1 - c)
                                                    : exp (logit (sample, c) - most) / sum);

      g_array_append_val (metric->scores, score);
    }
  g_array_append_val (metric->labels, sample->label);
}

static void
add_absolute (SondeMetric *metric, double difference)
{
  metric->sum += fabs (difference);
}

static void
add_square (SondeMetric *metric, double difference)
{
  metric->sum += difference * difference;
}

static double
get_mean (const SondeMetric *metric)
{
  return metric->sum / (double) metric->n;
}

static double
get_root (const SondeMetric *metric)
{
  return sqrt (get_mean (metric));
}

static double
get_nothing (const SondeMetric *metric)
{
  return NAN;
}

static double
ratio (double a, double b)
{
  return b > 0.0 ? a / b : 0.0;
}

static double
precision_of (const SondeMetric *metric, gint64 c)
{
  return ratio (metric->right[c], metric->predicted[c]);
}

static double
recall_of (const SondeMetric *metric, gint64 c)
{
  return ratio (metric->right[c], metric->occurring[c]);
}

static double
f1_of (const SondeMetric *metric, gint64 c)
{
  return ratio (2.0 * metric->right[c], metric->predicted[c] + metric->occurring[c]);
}

static double
average (const SondeMetric *metric, double (*of) (const SondeMetric *metric, gint64 c))
{
  double sum = 0.0;
  gint64 n = 0;

  if (metric->n_classes == 2)
    return of (metric, 1);
  for (gint64 c = 0; c < metric->n_classes; c++)
    if (metric->predicted[c] + metric->occurring[c] > 0)
      {
        sum += of (metric, c);
        n++;
      }
  return ratio (sum, n);
}

static double
get_precision (const SondeMetric *metric)
{
  return average (metric, precision_of);
}

static double
get_recall (const SondeMetric *metric)
{
  return average (metric, recall_of);
}

static double
get_f1 (const SondeMetric *metric)
{
  return average (metric, f1_of);
}

typedef struct
{
  float score;
  gboolean positive;
} Ranked;

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  float left = ((const Ranked *) a)->score, right = ((const Ranked *) b)->score;

  return left < right ? -1 : left > right;
}

/* Share of pairs (one of class @c, one not) in which the first has the larger score; Mann and
 * Whitney 1947. NAN: no pairs. */
static double
area_of (const SondeMetric *metric, gint64 c)
{
  guint n = metric->labels->len;
  g_autofree Ranked *ranked = g_new (Ranked, MAX (n, 1));
  double below = 0.0, pairs = 0.0, positives = 0.0;

  for (guint i = 0; i < n; i++)
    ranked[i] = (Ranked){ g_array_index (metric->scores, float, i * metric->n_classes + c),
                          g_array_index (metric->labels, gint64, i) == c };
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  for (guint i = 0, end; i < n; i = end)
    {
      double equal_positives = 0.0, equal_others = 0.0;

      for (end = i; end < n && ranked[end].score == ranked[i].score; end++)
        *(ranked[end].positive ? &equal_positives : &equal_others) += 1.0;
      /* Not a number: in no order with anything. */
      end = MAX (end, i + 1);
      pairs += equal_positives * (below + 0.5 * equal_others);
      below += equal_others;
      positives += equal_positives;
    }
  return positives > 0.0 && below > 0.0 ? pairs / (positives * below) : NAN;
}

static double
get_area (const SondeMetric *metric)
{
  double sum = 0.0;
  gint64 n = 0;

  if (metric->n_classes == 2)
    return area_of (metric, 1);
  for (gint64 c = 0; c < metric->n_classes; c++)
    {
      double area = area_of (metric, c);

      if (!isnan (area))
        {
          sum += area;
          n++;
        }
    }
  return n > 0 ? sum / (double) n : NAN;
}

static const SondeSettingRule top_k_rules[] = { { "k", 5, 1, 1e9 }, { NULL } };

static const MetricRow rows[] = {
  { "accuracy", NULL, TRUE, FALSE, add_accuracy, NULL, get_mean },
  { "top-k", top_k_rules, TRUE, FALSE, add_top_k, NULL, get_mean },
  { "precision", NULL, TRUE, FALSE, add_counts, NULL, get_precision },
  { "recall", NULL, TRUE, FALSE, add_counts, NULL, get_recall },
  { "f1", NULL, TRUE, FALSE, add_counts, NULL, get_f1 },
  { "confusion-matrix", NULL, TRUE, FALSE, add_table, NULL, get_nothing },
  { "auc", NULL, TRUE, FALSE, add_scores, NULL, get_area },
  { "mae", NULL, FALSE, TRUE, NULL, add_absolute, get_mean },
  { "rmse", NULL, FALSE, TRUE, NULL, add_square, get_root },
};

char *
sonde_metric_list (void)
{
  return SONDE_LIST_CHOICES (rows);
}

SondeMetric *
sonde_metric_new (const char *text, gboolean has_classes, GError **error)
{
  const MetricRow *row = SONDE_FIND_CHOICE (N_ ("metric"), text, rows, error);
  g_autoptr (SondeMetric) metric = NULL;

  if (row == NULL)
    return NULL;
  if (row->needs_classes != has_classes)
    {
      if (row->needs_classes)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The metric “%s” needs labels that are classes, which the loss does not "
                         "have.",
                         row->name);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The metric “%s” needs labels that are values, but the loss has classes.",
                         row->name);
      return NULL;
    }
  metric = g_new0 (SondeMetric, 1);
  metric->row = row;
  metric->has_classes = has_classes;
  metric->scores = g_array_new (FALSE, FALSE, sizeof (float));
  metric->labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!sonde_settings_parse (N_ ("metric"), text, row->rules, &metric->settings, error))
    return NULL;
  metric->name = row->add == add_top_k ? g_strdup_printf ("top-%.0f", metric->settings.values[0])
                                       : g_strdup (row->name);
  return g_steal_pointer (&metric);
}

static void
free_counts (SondeMetric *metric)
{
  g_clear_pointer (&metric->right, g_free);
  g_clear_pointer (&metric->predicted, g_free);
  g_clear_pointer (&metric->occurring, g_free);
  g_clear_pointer (&metric->table, g_free);
}

void
sonde_metric_free (SondeMetric *metric)
{
  if (metric == NULL)
    return;
  free_counts (metric);
  sonde_settings_clear (&metric->settings);
  g_array_unref (metric->scores);
  g_array_unref (metric->labels);
  g_free (metric->name);
  g_free (metric);
}

const char *
sonde_metric_get_name (const SondeMetric *metric)
{
  return metric->name;
}

gboolean
sonde_metric_is_better (const SondeMetric *metric, double value, double than)
{
  if (isnan (value) || isnan (than))
    return !isnan (value);
  return metric->row->smaller_is_better ? value < than : value > than;
}

void
sonde_metric_reset (SondeMetric *metric)
{
  metric->n = metric->n_classes = 0;
  metric->sum = 0.0;
  free_counts (metric);
  g_array_set_size (metric->scores, 0);
  g_array_set_size (metric->labels, 0);
}

/* The first batch says how many classes there are. */
static gboolean
begin_classes (SondeMetric *metric, gint64 n_classes, GError **error)
{
  if (metric->n_classes == n_classes)
    return TRUE;
  if (metric->n_classes != 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "The metric “%s” was given %" PRIi64 " classes first and then %" PRIi64 ".",
                       metric->name, metric->n_classes, n_classes);
      return FALSE;
    }
  if (metric->row->add == add_table && n_classes > MOST_CLASSES_OF_TABLE)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "A confusion matrix of %" PRIi64
                       " classes is too large; at most %d are possible.",
                       n_classes, MOST_CLASSES_OF_TABLE);
      return FALSE;
    }
  metric->n_classes = n_classes;
  if (metric->row->add == add_counts)
    {
      metric->right = g_new0 (gint64, n_classes);
      metric->predicted = g_new0 (gint64, n_classes);
      metric->occurring = g_new0 (gint64, n_classes);
    }
  if (metric->row->add == add_table)
    metric->table = g_new0 (gint64, n_classes * n_classes);
  return TRUE;
}

static gboolean
refuse (const SondeMetric *metric, SondeTensor *prediction, SondeTensor *labels, GError **error)
{
  g_autofree char *left = sonde_shape_to_string (&prediction->shape);
  g_autofree char *right = sonde_shape_to_string (&labels->shape);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "The metric “%s” cannot compare predictions %s with labels %s.", metric->name,
                   left, right);
  return FALSE;
}

static gboolean
add_classes (SondeMetric *metric, SondeTensor *prediction, SondeTensor *labels, GError **error)
{
  gint64 n = sonde_tensor_n_elements (labels), all = sonde_tensor_n_elements (prediction);
  gboolean one_column = all == n && prediction->shape.rank <= 2;
  gint64 n_classes = one_column ? 2 : prediction->shape.rank > 1 ? prediction->shape.dims[1] : 0;
  gint64 outer = prediction->shape.rank > 0 ? MAX (prediction->shape.dims[0], 1) : 1,
         inner = n / outer;

  if (!sonde_dtype_is_integer (labels->dtype) || n_classes < 1
      || (!one_column && all != n * n_classes) || n % outer != 0)
    return refuse (metric, prediction, labels, error);
  if (!begin_classes (metric, n_classes, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      Sample sample = { prediction, i, 0, n_classes, sonde_tensor_get_int (labels, i) };

      if (sample.label < 0 || sample.label >= n_classes)
        continue;
      if (!one_column)
        {
          sample.first = (i / inner) * n_classes * inner + i % inner;
          sample.step = inner;
        }
      metric->row->add (metric, &sample);
      metric->n++;
    }
  return TRUE;
}

gboolean
sonde_metric_add (SondeMetric *metric, SondeTensor *prediction, SondeTensor *labels, GError **error)
{
  gint64 n = sonde_tensor_n_elements (prediction);

  if (metric->has_classes)
    return add_classes (metric, prediction, labels, error);
  if (n != sonde_tensor_n_elements (labels))
    return refuse (metric, prediction, labels, error);
  for (gint64 i = 0; i < n; i++)
    metric->row->add_value (metric, sonde_tensor_get_double (prediction, i)
                                        - sonde_tensor_get_double (labels, i));
  metric->n += n;
  return TRUE;
}

double
sonde_metric_get_value (const SondeMetric *metric)
{
  return metric->n > 0 ? metric->row->get (metric) : NAN;
}

SondeTensor *
sonde_metric_dup_table (const SondeMetric *metric)
{
  SondeShape shape = sonde_shape_make (2, (int) metric->n_classes, (int) metric->n_classes);
  SondeTensor *tensor;

  if (metric->table == NULL)
    return NULL;
  tensor = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  for (gint64 i = 0; i < metric->n_classes * metric->n_classes; i++)
    ((gint64 *) (void *) tensor->data)[i] = metric->table[i];
  return tensor;
}
