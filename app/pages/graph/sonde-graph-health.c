/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-health.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/values/sonde-statistics.h"

#define MAX_ELEMENTS 1000000 /* of a tensor that is counted here */

/* ---- which records ------------------------------------------------------- */

static gboolean
tells_health (SondeRecordKind kind)
{
  return kind == SONDE_RECORD_HISTOGRAM || kind == SONDE_RECORD_STATISTICS
         || kind == SONDE_RECORD_TENSOR;
}

/* "gradients/conv1.weight" is of the value "conv1.weight". (nullable) */
static SondeGraphValue *
find_value (const SondeGraph *graph, const char *tag)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, tag);
  const char *slash = strchr (tag, '/');

  return value != NULL || slash == NULL ? value : sonde_graph_find_value (graph, slash + 1);
}

/* The last record of each tag. SondeBlobRef. (transfer full) */
static GArray *
list_last (SondeRun *run, const SondeGraph *graph, gboolean any)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < tags->len && !(any && refs->len > 0); i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);
      g_autoptr (GArray) blobs = NULL;

      if (!tells_health (tag->kind) || find_value (graph, tag->tag) == NULL)
        continue;
      blobs = sonde_run_list_blobs (run, tag->tag, tag->kind);
      if (blobs->len > 0)
        g_array_append_vals (refs, &g_array_index (blobs, SondeBlobRef, blobs->len - 1), 1);
    }
  return refs;
}

gboolean
sonde_graph_health_is_recorded (SondeRun *run, const SondeGraph *graph)
{
  g_autoptr (GArray) refs = list_last (run, graph, TRUE);

  return refs->len > 0;
}

void
sonde_graph_health_async (SondeRun *run, const SondeGraph *graph, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GArray) refs = list_last (run, graph, FALSE);

  sonde_run_read_blobs_async (run, refs, cancellable, callback, data);
}

/* ---- what they say ------------------------------------------------------- */

/* In their outermost bins these functions have lost most of their slope: the edge of a bin of histograms, so
 * that it is counted in them as in tensors. */
#define FAR_OUT 0.9170040432046712  /* 2^(-1/8) */
#define FAR_DOWN 0.0810524721656881 /* 2^(-29/8), as far from 0 as FAR_OUT from 1 */

/* Values below @low and from @high on are saturated; @op: NULL ends the table */
typedef struct
{
  const char *op;
  double low, high;
} Range;

static const Range ranges[] = {
  { "Sigmoid", FAR_DOWN, FAR_OUT }, { "HardSigmoid", FAR_DOWN, FAR_OUT },
  { "Tanh", -FAR_OUT, FAR_OUT },    { "Softsign", -FAR_OUT, FAR_OUT },
  { NULL, -INFINITY, INFINITY },
};

static const Range *
find_range (const SondeGraphValue *value)
{
  const Range *range = ranges;

  while (range->op != NULL
         && (value->producer == NULL || !g_str_equal (value->producer->op, range->op)))
    range++;
  return range;
}

/* Elements in all, and those that are zero, saturated, or not finite. */
typedef struct
{
  guint64 all, zero, saturated, bad;
} Counts;

static Counts
count_statistics (const SondeStatistics *statistics)
{
  return (Counts){ (guint64) statistics->count, (guint64) statistics->zeros, 0,
                   (guint64) (statistics->nan + statistics->pos_inf + statistics->neg_inf) };
}

static guint64
count_far_elements (const SondeTensor *tensor, const Range *range)
{
  gint64 n = range->op != NULL ? sonde_tensor_n_elements (tensor) : 0;
  guint64 n_far = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double x = sonde_tensor_get_double (tensor, i);

      n_far += isfinite (x) && (x < range->low || x >= range->high);
    }
  return n_far;
}

/* Bins from that of @from on. */
static guint64
sum_bins (const guint64 *bins, double from)
{
  guint64 n = 0;

  for (int i = sonde_histogram_bin_of (from); i < SONDE_HISTOGRAM_N_BINS; i++)
    n += bins[i];
  return n;
}

static guint64
count_far_bins (const SondeHistogram *histogram, const Range *range)
{
  guint64 n;

  if (range->op == NULL)
    return 0;
  n = sum_bins (histogram->positive, range->high);
  if (range->low < 0)
    return n + sum_bins (histogram->negative, -range->low);
  for (int i = 0; i < sonde_histogram_bin_of (range->low); i++)
    n += histogram->positive[i];
  return n + histogram->zero;
}

static Counts
count_histogram (const SondeHistogram *histogram, const Range *range)
{
  return (Counts){ sonde_histogram_count (histogram), histogram->zero,
                   count_far_bins (histogram, range),
                   histogram->nan + histogram->pos_inf + histogram->neg_inf };
}

static Counts
count_record (const SondeRecord *record, const Range *range)
{
  SondeStatistics statistics;
  Counts counts;

  if (record->kind == SONDE_RECORD_STATISTICS)
    return count_statistics (&record->u.statistics);
  if (record->kind == SONDE_RECORD_HISTOGRAM && record->u.histogram != NULL)
    return count_histogram (record->u.histogram, range);
  if (record->kind != SONDE_RECORD_TENSOR || record->u.tensor == NULL
      || sonde_tensor_n_elements (record->u.tensor) > MAX_ELEMENTS)
    return (Counts){ 0 };
  sonde_statistics_compute (record->u.tensor, &statistics);
  counts = count_statistics (&statistics);
  counts.saturated = count_far_elements (record->u.tensor, range);
  return counts;
}

static SondeNodeHealth
judge (const Counts *counts)
{
  SondeGraphHealth health = SONDE_GRAPH_HEALTH_ZERO;
  guint64 n = counts->zero;

  if (counts->bad > 0)
    {
      health = SONDE_GRAPH_HEALTH_NOT_FINITE;
      n = counts->bad;
    }
  else if (counts->saturated > 0 && counts->saturated >= counts->zero)
    {
      health = SONDE_GRAPH_HEALTH_SATURATED;
      n = counts->saturated;
    }
  if (n == 0)
    return (SondeNodeHealth){ TRUE, SONDE_GRAPH_HEALTH_GOOD, NAN };
  return (SondeNodeHealth){ TRUE, health, (double) n / (double) counts->all };
}

/* What is not finite comes before everything else, then the share counts. */
static double
rank (const SondeNodeHealth *of)
{
  if (!of->is_known)
    return -1;
  if (of->health == SONDE_GRAPH_HEALTH_GOOD)
    return 0;
  return of->health == SONDE_GRAPH_HEALTH_NOT_FINITE ? 1 + of->share : of->share;
}

static void
take_worse (SondeNodeHealth *node, const SondeNodeHealth *of)
{
  if (rank (of) > rank (node))
    *node = *of;
}

/* Of the node that makes it; of what nobody makes, those that read it. */
static void
take_health (SondeNodeHealth *health, const SondeGraphValue *value, const SondeNodeHealth *of)
{
  if (value->producer != NULL)
    take_worse (&health[value->producer->id], of);
  for (guint i = 0; value->producer == NULL && i < value->users->len; i++)
    take_worse (&health[((const SondeNode *) g_ptr_array_index (value->users, i))->id], of);
}

SondeNodeHealth *
sonde_graph_health_finish (SondeRun *run, GAsyncResult *result, const SondeGraph *graph,
                           GError **error)
{
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (run, result, error);
  SondeNodeHealth *health
      = records != NULL ? g_new0 (SondeNodeHealth, graph->nodes->len + 1) : NULL;

  for (guint i = 0; health != NULL && i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      const SondeGraphValue *value = record->tag != NULL ? find_value (graph, record->tag) : NULL;
      Counts counts = value != NULL ? count_record (record, find_range (value)) : (Counts){ 0 };
      SondeNodeHealth of = judge (&counts);

      if (counts.all > 0)
        take_health (health, value, &of);
    }
  return health;
}

SondeGraphTint *
sonde_graph_health_make_tint (const SondeGraph *graph, const SondeNodeHealth *health)
{
  static const struct
  {
    const char *title;
    int hue;
  } kinds[SONDE_GRAPH_N_HEALTHS] = {
    [SONDE_GRAPH_HEALTH_NOT_FINITE] = { N_ ("NaN or infinite"), 1 },
    [SONDE_GRAPH_HEALTH_SATURATED] = { N_ ("saturated"), 3 },
    [SONDE_GRAPH_HEALTH_ZERO] = { N_ ("zero"), 4 },
    [SONDE_GRAPH_HEALTH_GOOD] = { N_ ("finite, none zero"), 2 },
  };
  SondeGraphTint *tint = sonde_graph_tint_new (graph, _ ("Last recorded values"), NULL);

  for (int k = 0; k < SONDE_GRAPH_N_HEALTHS; k++)
    sonde_graph_tint_add_kind (tint, _ (kinds[k].title), kinds[k].hue);
  for (guint i = 0; i < tint->n_values; i++)
    if (health[i].is_known)
      sonde_graph_tint_set_ranked (tint, i, health[i].health, rank (&health[i]), health[i].share);
  return tint;
}
