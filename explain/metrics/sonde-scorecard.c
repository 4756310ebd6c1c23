/* SPDX-License-Identifier: Apache-2.0
 * The table of metrics, and what became of each. */
#include "explain/metrics/sonde-scorecard.h"

#include "data/base/sonde-text.h"

#include <math.h>

static const SondeMapMetric metrics[] = {
  { "deletion", N_ ("Deletion"),
    N_ ("Area under the probability while pixels are deleted, strongest first."), FALSE, FALSE, 0,
    1 },
  { "insertion", N_ ("Insertion"),
    N_ ("Area under the probability while pixels are inserted into the blurred image, strongest "
        "first."),
    TRUE, FALSE, 0, 1 },
  { "naive-faithfulness", N_ ("Chunk faithfulness"),
    N_ ("Correlation of the strength of a chunk with the drop of the score when it is replaced."),
    TRUE, FALSE, -1, 1 },
  { "faithfulness", N_ ("Faithfulness correlation"),
    N_ ("Correlation of the sum of a random subset with the drop of the score when it is "
        "replaced."),
    TRUE, FALSE, -1, 1 },
  { "infidelity", N_ ("Infidelity fit"),
    N_ ("Share of the change of the output under noise that the scaled map predicts."), TRUE, FALSE,
    -INFINITY, 1 },
  { "max-sensitivity", N_ ("Maximum sensitivity"),
    N_ ("Largest relative change of the map under a small change of the image."), FALSE, FALSE, 0,
    INFINITY },
  { "robustness", N_ ("Robustness"),
    N_ ("exp of minus the largest relative change, over changes that keep the prediction."), TRUE,
    FALSE, 0, 1 },
  { "class-sensitivity", N_ ("Class sensitivity"),
    N_ ("How different the maps of the predicted class and the runner-up are."), TRUE, FALSE, 0,
    1 },
  { "randomisation", N_ ("Randomisation"),
    N_ ("Similarity to maps of networks with random weights; low for a faithful map."), FALSE,
    FALSE, -1, 1 },
  { "pointing", N_ ("Pointing game"), N_ ("The strongest pixel lies inside the object."), TRUE,
    TRUE, 0, 1 },
  { "pointing-near", N_ ("Pointing game with tolerance"),
    N_ ("The strongest pixel lies inside or close to the object."), TRUE, TRUE, 0, 1 },
  { "iosr", N_ ("IoSR"), N_ ("Share of the salient region that lies inside the object."), TRUE,
    FALSE, 0, 1 },
  { "mass", N_ ("Relevance mass"),
    N_ ("Share of the positive relevance that lies inside the object."), TRUE, FALSE, 0, 1 },
  { "gini", N_ ("Gini"), N_ ("Gini index of the map; 1 means a single pixel."), TRUE, FALSE, 0, 1 },
  { "entropy", N_ ("Entropy"), N_ ("Entropy of the normalised map, in nats."), FALSE, FALSE, 0,
    INFINITY },
  { "effective", N_ ("Effective complexity"),
    N_ ("Number of pixels that carry more than 1e-5 of the map."), FALSE, FALSE, 0, INFINITY },
  { "ties", N_ ("Ties"), N_ ("Share of pixels whose order is arbitrary because of equal values."),
    FALSE, FALSE, 0, 1 },
};

typedef struct
{
  const SondeMapMetric *metric;
  const char *method; /* interned in @methods */
  guint sample;
  gint64 label;
  double value;
} Entry;

/* What finds an entry. */
typedef struct
{
  const SondeMapMetric *metric;
  const char *method;
  guint sample;
} Key;

struct _SondeScorecard
{
  GArray *entries;
  GHashTable *positions; /* (element-type Key guint) */
  GPtrArray *methods;
  guint64 seed;
};

const SondeMapMetric *
sonde_map_metric_list (gsize *n)
{
  *n = G_N_ELEMENTS (metrics);
  return metrics;
}

const SondeMapMetric *
sonde_map_metric_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (metrics); i++)
    if (g_str_equal (metrics[i].name, name))
      return &metrics[i];
  return NULL;
}

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return g_direct_hash (key->metric) * 31 + g_direct_hash (key->method) * 17 + key->sample;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *one = a, *other = b;

  return one->metric == other->metric && one->method == other->method
         && one->sample == other->sample;
}

SondeScorecard *
sonde_scorecard_new (guint64 seed)
{
  SondeScorecard *scorecard = g_new0 (SondeScorecard, 1);

  scorecard->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  scorecard->positions = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  scorecard->methods = g_ptr_array_new_with_free_func (g_free);
  scorecard->seed = seed;
  return scorecard;
}

void
sonde_scorecard_free (SondeScorecard *scorecard)
{
  if (scorecard == NULL)
    return;
  g_array_unref (scorecard->entries);
  g_hash_table_unref (scorecard->positions);
  g_ptr_array_unref (scorecard->methods);
  g_free (scorecard);
}

static const char *
find_method (SondeScorecard *scorecard, const char *method)
{
  for (guint i = 0; i < scorecard->methods->len; i++)
    if (g_str_equal (g_ptr_array_index (scorecard->methods, i), method))
      return g_ptr_array_index (scorecard->methods, i);
  return NULL;
}

void
sonde_scorecard_add (SondeScorecard *scorecard, const SondeMapMetric *metric, const char *method,
                     guint sample, gint64 label, double value)
{
  Entry entry = { metric, find_method (scorecard, method), sample, label, value };
  Key *key;

  if (entry.method == NULL)
    {
      char *copy = g_strdup (method);

      g_ptr_array_add (scorecard->methods, copy);
      entry.method = copy;
    }
  key = g_new (Key, 1);
  *key = (Key){ metric, entry.method, sample };
  g_hash_table_insert (scorecard->positions, key, GUINT_TO_POINTER (scorecard->entries->len));
  g_array_append_val (scorecard->entries, entry);
}

GPtrArray *
sonde_scorecard_get_methods (SondeScorecard *scorecard)
{
  return scorecard->methods;
}

SondeScoreSummary
sonde_scorecard_summarise (SondeScorecard *scorecard, const SondeMapMetric *metric,
                           const char *method, gint64 label)
{
  SondeScoreSummary summary = { { NAN, NAN, NAN }, 0, 0 };
  g_autofree double *values = g_new (double, MAX (scorecard->entries->len, 1));
  double hits = 0.0;

  method = find_method (scorecard, method);
  for (guint i = 0; i < scorecard->entries->len; i++)
    {
      const Entry *entry = &g_array_index (scorecard->entries, Entry, i);

      if (entry->metric == metric && entry->method == method
          && (label < 0 || entry->label == label))
        {
          hits += isfinite (entry->value) ? entry->value : 0.0;
          summary.n_valid += isfinite (entry->value);
          values[summary.n++] = entry->value;
        }
    }
  if (metric->counts)
    summary.interval = sonde_interval_of_rate ((guint) hits, (guint) summary.n_valid);
  else
    summary.interval = sonde_interval_bootstrap (values, summary.n, scorecard->seed, NULL);
  return summary;
}

/* Mean without its interval; NaN when nothing is defined. */
static double
mean_of (SondeScorecard *scorecard, const SondeMapMetric *metric, const char *method, gint64 label)
{
  double sum = 0.0;
  guint n = 0;

  method = find_method (scorecard, method);
  for (guint i = 0; i < scorecard->entries->len; i++)
    {
      const Entry *entry = &g_array_index (scorecard->entries, Entry, i);

      if (entry->metric != metric || entry->method != method
          || (label >= 0 && entry->label != label) || !isfinite (entry->value))
        continue;
      sum += entry->value;
      n++;
    }
  return n > 0 ? sum / n : NAN;
}

double
sonde_scorecard_class_mean (SondeScorecard *scorecard, const SondeMapMetric *metric,
                            const char *method)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  double sum = 0.0;
  guint n = 0;

  for (guint i = 0; i < scorecard->entries->len; i++)
    {
      gint64 label = g_array_index (scorecard->entries, Entry, i).label;
      double mean;

      if (label < 0 || !g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) label)))
        continue;
      mean = mean_of (scorecard, metric, method, label);
      sum += isnan (mean) ? 0.0 : mean;
      n += !isnan (mean);
    }
  return n > 0 ? sum / n : NAN;
}

gboolean
sonde_scorecard_find (SondeScorecard *scorecard, const SondeMapMetric *metric, const char *method,
                      guint sample, double *value)
{
  const Entry *entry;
  Key key = { metric, find_method (scorecard, method), sample };
  gpointer position;

  if (!g_hash_table_lookup_extended (scorecard->positions, &key, NULL, &position))
    return FALSE;
  entry = &g_array_index (scorecard->entries, Entry, GPOINTER_TO_UINT (position));
  *value = entry->value;
  return TRUE;
}

GArray *
sonde_scorecard_get_samples (SondeScorecard *scorecard, GArray **labels)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  *labels = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < scorecard->entries->len; i++)
    {
      const Entry *entry = &g_array_index (scorecard->entries, Entry, i);

      if (!g_hash_table_add (seen, GUINT_TO_POINTER (entry->sample)))
        continue;
      g_array_append_val (samples, entry->sample);
      g_array_append_val (*labels, entry->label);
    }
  return samples;
}

gboolean
sonde_scorecard_beats (SondeScorecard *scorecard, const SondeMapMetric *metric, const char *method,
                       const char *control)
{
  SondeInterval one = sonde_scorecard_summarise (scorecard, metric, method, -1).interval;
  SondeInterval other = sonde_scorecard_summarise (scorecard, metric, control, -1).interval;

  return metric->rises ? one.low > other.high : one.high < other.low;
}

double
sonde_map_metric_rate (const SondeMapMetric *metric, double value, double control)
{
  double best = metric->rises ? metric->high : metric->low;

  if (!isfinite (best) || !isfinite (value) || !isfinite (control) || best == control)
    return NAN;
  return CLAMP ((value - control) / (best - control), 0.0, 1.0);
}

double
sonde_scorecard_composite (SondeScorecard *scorecard, const SondeMapMetric *const *chosen,
                           const double *weights, guint n, const char *method, const char *control,
                           double *weight)
{
  double sum = 0.0, counted = 0.0, all = 0.0;

  for (guint i = 0; i < n; i++)
    {
      double rate = sonde_map_metric_rate (chosen[i], mean_of (scorecard, chosen[i], method, -1),
                                           mean_of (scorecard, chosen[i], control, -1));

      all += weights[i];
      if (isnan (rate))
        continue;
      sum += weights[i] * rate;
      counted += weights[i];
    }
  if (weight != NULL)
    *weight = all > 0 ? counted / all : 0.0;
  return counted > 0 ? sum / counted : NAN;
}
