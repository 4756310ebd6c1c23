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

/* Elements in all, those that are zero, and those that are not finite. */
typedef struct
{
  guint64 all, zero, bad;
} Counts;

static Counts
count_statistics (const SondeStatistics *statistics)
{
  return (Counts){ (guint64) statistics->count, (guint64) statistics->zeros,
                   (guint64) (statistics->nan + statistics->pos_inf + statistics->neg_inf) };
}

static Counts
count_record (const SondeRecord *record)
{
  SondeStatistics statistics;

  if (record->kind == SONDE_RECORD_STATISTICS)
    return count_statistics (&record->u.statistics);
  if (record->kind == SONDE_RECORD_HISTOGRAM && record->u.histogram != NULL)
    return (Counts){ sonde_histogram_count (record->u.histogram), record->u.histogram->zero,
                     record->u.histogram->nan + record->u.histogram->pos_inf
                         + record->u.histogram->neg_inf };
  if (record->kind != SONDE_RECORD_TENSOR || record->u.tensor == NULL
      || sonde_tensor_n_elements (record->u.tensor) > MAX_ELEMENTS)
    return (Counts){ 0 };
  sonde_statistics_compute (record->u.tensor, &statistics);
  return count_statistics (&statistics);
}

static SondeGraphHealth
judge (const Counts *counts)
{
  if (counts->bad > 0)
    return SONDE_GRAPH_HEALTH_NOT_FINITE;
  if (counts->zero == counts->all)
    return SONDE_GRAPH_HEALTH_ALL_ZERO;
  return counts->zero > counts->all / 2 ? SONDE_GRAPH_HEALTH_HALF_ZERO : SONDE_GRAPH_HEALTH_GOOD;
}

/* Of the node that makes it; of what nobody makes, those that read it. */
static void
take_health (double *health, const SondeGraphValue *value, SondeGraphHealth of)
{
  if (value->producer != NULL)
    health[value->producer->id] = fmin (health[value->producer->id], of);
  for (guint i = 0; value->producer == NULL && i < value->users->len; i++)
    {
      double *user = &health[((const SondeNode *) g_ptr_array_index (value->users, i))->id];

      *user = fmin (*user, of); /* what is not known gives way */
    }
}

double *
sonde_graph_health_finish (SondeRun *run, GAsyncResult *result, const SondeGraph *graph,
                           GError **error)
{
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (run, result, error);
  double *health = records != NULL ? g_new (double, graph->nodes->len + 1) : NULL;

  for (guint i = 0; health != NULL && i < graph->nodes->len; i++)
    health[i] = NAN;
  for (guint i = 0; health != NULL && i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      const SondeGraphValue *value = record->tag != NULL ? find_value (graph, record->tag) : NULL;
      Counts counts = count_record (record);

      if (value != NULL && counts.all > 0)
        take_health (health, value, judge (&counts));
    }
  return health;
}

SondeGraphTint *
sonde_graph_health_make_tint (const SondeGraph *graph, const double *health)
{
  static const struct
  {
    const char *title;
    int hue;
  } kinds[SONDE_GRAPH_N_HEALTHS] = {
    [SONDE_GRAPH_HEALTH_NOT_FINITE] = { N_ ("NaN or infinite"), 1 },
    [SONDE_GRAPH_HEALTH_ALL_ZERO] = { N_ ("all zero"), 3 },
    [SONDE_GRAPH_HEALTH_HALF_ZERO] = { N_ ("more than half zero"), 4 },
    [SONDE_GRAPH_HEALTH_GOOD] = { N_ ("finite, mostly not zero"), 2 },
  };
  SondeGraphTint *tint = sonde_graph_tint_new (graph, _ ("Last recorded values"), NULL);

  for (int k = 0; k < SONDE_GRAPH_N_HEALTHS; k++)
    sonde_graph_tint_add_kind (tint, _ (kinds[k].title), kinds[k].hue);
  memcpy (tint->values, health, tint->n_values * sizeof (double));
  return tint;
}
