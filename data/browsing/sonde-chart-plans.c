/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-chart-plans.h"

#include <inttypes.h>

struct _SondeChartPlans
{
  int ref_count; /* held by a reading that is under way */
  gboolean freed;
  GListModel *runs; /* that are shown */
  void (*changed) (void *user_data);
  void *user_data;
  char *signature;     /* of the layouts that are shown or read */
  GPtrArray *names;    /* of the charts */
  GHashTable *charts;  /* name -> SondeChartPlan of @records */
  GPtrArray *patterns; /* (element-type GRegex): of all charts */
  GHashTable *exact;   /* tags that charts name as they are */
  /* interned tag -> whether a pattern takes it, of those that were asked for */
  GHashTable *matched;
  GPtrArray *records; /* (element-type GPtrArray of SondeRecord), by run; entries may be NULL */
  guint n_waiting;
  guint generation;
};

/* One layout on its way. */
typedef struct
{
  SondeChartPlans *plans;
  guint generation, index;
} Reading;

static void
unref (SondeChartPlans *plans)
{
  if (--plans->ref_count > 0)
    return;
  g_ptr_array_unref (plans->names);
  g_hash_table_unref (plans->charts);
  g_ptr_array_unref (plans->patterns);
  g_hash_table_unref (plans->exact);
  g_hash_table_unref (plans->matched);
  g_ptr_array_unref (plans->records);
  g_object_unref (plans->runs);
  g_free (plans->signature);
  g_free (plans);
}

static void
free_records (void *records)
{
  if (records != NULL)
    g_ptr_array_unref (records);
}

SondeChartPlans *
sonde_chart_plans_new (GListModel *runs, void (*changed) (void *user_data), void *user_data)
{
  SondeChartPlans *plans = g_new0 (SondeChartPlans, 1);

  plans->ref_count = 1;
  plans->runs = g_object_ref (runs);
  plans->changed = changed;
  plans->user_data = user_data;
  plans->names = g_ptr_array_new_with_free_func (g_free);
  plans->charts = g_hash_table_new (g_str_hash, g_str_equal);
  plans->patterns = g_ptr_array_new_with_free_func ((GDestroyNotify) g_regex_unref);
  plans->exact = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  plans->matched = g_hash_table_new (NULL, NULL);
  plans->records = g_ptr_array_new_with_free_func (free_records);
  return plans;
}

void
sonde_chart_plans_free (SondeChartPlans *plans)
{
  if (plans == NULL)
    return;
  plans->freed = TRUE;
  unref (plans);
}

GRegex *
sonde_chart_plan_compile (const SondeChartPlan *plan, guint k)
{
  return plan->is_margin
             ? NULL
             : g_regex_new (plan->tags[k], G_REGEX_ANCHORED, G_REGEX_MATCH_ANCHORED, NULL);
}

static void
add_names (SondeChartPlans *plans, const SondeChartPlan *chart)
{
  for (guint k = 0; chart->tags[k] != NULL; k++)
    {
      GRegex *pattern = sonde_chart_plan_compile (chart, k);

      if (pattern != NULL)
        g_ptr_array_add (plans->patterns, pattern);
      else
        g_hash_table_add (plans->exact, g_strdup (chart->tags[k]));
    }
}

static void
add_charts (SondeChartPlans *plans, const SondeRecord *record)
{
  for (gsize i = 0; record->kind == SONDE_RECORD_CUSTOM_SCALARS && i < record->u.custom_scalars.n;
       i++)
    {
      const SondeChartPlan *chart = &record->u.custom_scalars.items[i];
      g_autofree char *name
          = g_strdup_printf ("%s: %s", chart->category != NULL ? chart->category : "",
                             chart->title != NULL ? chart->title : "");

      if (chart->tags == NULL || g_hash_table_contains (plans->charts, name))
        continue;
      add_names (plans, chart);
      g_ptr_array_add (plans->names, name);
      g_hash_table_insert (plans->charts, g_steal_pointer (&name), (SondeChartPlan *) chart);
    }
}

static void
merge (SondeChartPlans *plans)
{
  g_hash_table_remove_all (plans->charts);
  g_ptr_array_set_size (plans->names, 0);
  g_ptr_array_set_size (plans->patterns, 0);
  g_hash_table_remove_all (plans->exact);
  g_hash_table_remove_all (plans->matched);
  for (guint r = 0; r < plans->records->len; r++)
    {
      GPtrArray *records = plans->records->pdata[r];

      for (guint i = 0; records != NULL && i < records->len; i++)
        add_charts (plans, records->pdata[i]);
    }
  plans->changed (plans->user_data);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  Reading *reading = user_data;
  SondeChartPlans *plans = reading->plans;
  GPtrArray *records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);

  if (!plans->freed && reading->generation == plans->generation)
    {
      plans->records->pdata[reading->index] = g_steal_pointer (&records);
      if (--plans->n_waiting == 0)
        merge (plans);
    }
  g_clear_pointer (&records, g_ptr_array_unref);
  g_free (reading);
  unref (plans);
}

/* The last layout of a run. */
static gboolean
find_layout (SondeRun *run, SondeBlobRef *ref)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      g_autoptr (GArray) refs = NULL;

      if (tag->kind != SONDE_RECORD_CUSTOM_SCALARS)
        continue;
      refs = sonde_run_list_blobs (run, tag->tag, tag->kind);
      if (refs->len > 0)
        {
          *ref = g_array_index (refs, SondeBlobRef, refs->len - 1);
          return TRUE;
        }
    }
  return FALSE;
}

static void
start (SondeChartPlans *plans, GPtrArray *runs, GArray *refs)
{
  plans->generation++;
  plans->n_waiting = runs->len;
  /* The charts lend what the records own. */
  g_hash_table_remove_all (plans->charts);
  g_ptr_array_set_size (plans->records, 0);
  g_ptr_array_set_size (plans->records, (int) runs->len);
  for (guint i = 0; i < runs->len; i++)
    {
      Reading *reading = g_new0 (Reading, 1);
      g_autoptr (GArray) one = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

      *reading = (Reading){ plans, plans->generation, i };
      plans->ref_count++;
      g_array_append_val (one, g_array_index (refs, SondeBlobRef, i));
      sonde_run_read_blobs_async (runs->pdata[i], one, NULL, on_read, reading);
    }
  if (runs->len == 0)
    merge (plans);
}

gboolean
sonde_chart_plans_concern (GPtrArray *runs)
{
  SondeBlobRef ref;

  for (guint i = 0; i < runs->len; i++)
    if (find_layout (runs->pdata[i], &ref))
      return TRUE;
  return FALSE;
}

void
sonde_chart_plans_update (SondeChartPlans *plans)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  g_autoptr (GString) signature = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (plans->runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (plans->runs, i);
      SondeBlobRef ref;

      if (!find_layout (run, &ref))
        continue;
      g_ptr_array_add (runs, g_object_ref (run));
      g_array_append_val (refs, ref);
      g_string_append_printf (signature, "%s %u %" PRIu64 "\n", sonde_run_get_path (run), ref.file,
                              ref.place);
    }
  if (g_strcmp0 (signature->str, plans->signature) == 0
      || (plans->signature == NULL && runs->len == 0))
    return;
  g_free (plans->signature);
  plans->signature = g_strdup (signature->str);
  start (plans, runs, refs);
}

gboolean
sonde_chart_plans_is_busy (SondeChartPlans *plans)
{
  return plans->n_waiting > 0;
}

GPtrArray *
sonde_chart_plans_get_names (SondeChartPlans *plans)
{
  return plans->names;
}

static gboolean
match (SondeChartPlans *plans, const char *tag)
{
  for (guint i = 0; i < plans->patterns->len; i++)
    if (g_regex_match (plans->patterns->pdata[i], tag, 0, NULL))
      return TRUE;
  return g_hash_table_contains (plans->exact, tag);
}

gboolean
sonde_chart_plans_shows (SondeChartPlans *plans, const char *tag)
{
  void *known;

  if (!g_hash_table_lookup_extended (plans->matched, tag, NULL, &known))
    {
      known = GINT_TO_POINTER (match (plans, tag));
      g_hash_table_insert (plans->matched, (char *) tag, known);
    }
  return GPOINTER_TO_INT (known);
}

const SondeChartPlan *
sonde_chart_plans_find (const char *name, void *plans)
{
  return g_hash_table_lookup (((SondeChartPlans *) plans)->charts, name);
}
