/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-trials.h"

#define MAX_RECORDS 256 /* of a run that are read */

/* ---- a run --------------------------------------------------------------- */

struct _SondeTrial
{
  GObject parent_instance;
  SondeRun *run;
  GHashTable *parameters, *environment; /* name -> text */
  guint64 n_records;                    /* of the run when it was read */
};

G_DEFINE_FINAL_TYPE (SondeTrial, sonde_trial, G_TYPE_OBJECT)

static void
sonde_trial_finalize (GObject *object)
{
  SondeTrial *trial = SONDE_TRIAL (object);

  g_object_unref (trial->run);
  g_hash_table_unref (trial->parameters);
  g_hash_table_unref (trial->environment);
  G_OBJECT_CLASS (sonde_trial_parent_class)->finalize (object);
}

static void
sonde_trial_class_init (SondeTrialClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_trial_finalize;
}

static void
sonde_trial_init (SondeTrial *trial)
{
  trial->parameters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  trial->environment = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static gboolean
tells_parameters (SondeRecordKind kind)
{
  return kind == SONDE_RECORD_HPARAMS || kind == SONDE_RECORD_LINEAGE;
}

static guint64
count_records (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint64 n = 0;

  for (guint i = 0; i < tags->len; i++)
    if (tells_parameters (((const SondeRunTag *) tags->pdata[i])->kind))
      n += ((const SondeRunTag *) tags->pdata[i])->count;
  return n;
}

static GArray *
list_refs (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < tags->len && refs->len < MAX_RECORDS; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      g_autoptr (GArray) of_tag
          = tells_parameters (tag->kind) ? sonde_run_list_blobs (run, tag->tag, tag->kind) : NULL;

      if (of_tag != NULL)
        g_array_append_vals (refs, of_tag->data, MIN (of_tag->len, MAX_RECORDS));
    }
  return refs;
}

static void
take_items (GHashTable *table, const SondeHparam *items, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (items[i].key != NULL && items[i].text != NULL)
      g_hash_table_replace (table, g_strdup (items[i].key), g_strdup (items[i].text));
}

static void
take_record (SondeTrial *trial, const SondeRecord *record)
{
  if (record->kind == SONDE_RECORD_HPARAMS && record->u.hparams.part == SONDE_HPARAMS_VALUES)
    take_items (trial->parameters, record->u.hparams.items, record->u.hparams.n);
  if (record->kind == SONDE_RECORD_LINEAGE)
    take_items (g_strcmp0 (record->u.lineage.part, "environment") == 0 ? trial->environment
                                                                       : trial->parameters,
                record->u.lineage.items, record->u.lineage.n);
}

SondeRun *
sonde_trial_get_run (SondeTrial *trial)
{
  g_return_val_if_fail (SONDE_IS_TRIAL (trial), NULL);
  return trial->run;
}

const char *
sonde_trial_get_parameter (SondeTrial *trial, const char *name)
{
  g_return_val_if_fail (SONDE_IS_TRIAL (trial), NULL);
  return g_hash_table_lookup (trial->parameters, name);
}

const char *
sonde_trial_get_environment (SondeTrial *trial, const char *name)
{
  g_return_val_if_fail (SONDE_IS_TRIAL (trial), NULL);
  return g_hash_table_lookup (trial->environment, name);
}

void
sonde_trial_for_each_parameter (SondeTrial *trial,
                                void (*func) (const char *name, const char *text, void *data),
                                void *data)
{
  GHashTableIter iter;
  gpointer name, text;

  g_return_if_fail (SONDE_IS_TRIAL (trial));
  g_hash_table_iter_init (&iter, trial->parameters);
  while (g_hash_table_iter_next (&iter, &name, &text))
    func (name, text, data);
}

/* ---- all of them --------------------------------------------------------- */

struct _SondeTrials
{
  int ref_count; /* held by the readings that are under way */
  GListModel *runs;
  GListStore *model;                 /* SondeTrial */
  void (*changed) (void *user_data); /* NULL once it is freed */
  void *user_data;
  guint n_reading;
};

static void
unref (SondeTrials *trials)
{
  if (--trials->ref_count > 0)
    return;
  g_object_unref (trials->runs);
  g_object_unref (trials->model);
  g_free (trials);
}

SondeTrials *
sonde_trials_new (GListModel *runs, void (*changed) (void *user_data), void *user_data)
{
  SondeTrials *trials = g_new0 (SondeTrials, 1);

  trials->ref_count = 1;
  trials->runs = g_object_ref (runs);
  trials->model = g_list_store_new (SONDE_TYPE_TRIAL);
  trials->changed = changed;
  trials->user_data = user_data;
  return trials;
}

void
sonde_trials_free (SondeTrials *trials)
{
  if (trials == NULL)
    return;
  trials->changed = NULL;
  unref (trials);
}

gboolean
sonde_trials_is_busy (SondeTrials *trials)
{
  return trials->n_reading > 0;
}

GListModel *
sonde_trials_get_model (SondeTrials *trials)
{
  return G_LIST_MODEL (trials->model);
}

/* ---- reading ------------------------------------------------------------- */

typedef struct
{
  SondeTrials *trials;
  SondeTrial *trial;
} Reading;

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  Reading *reading = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  for (guint i = 0; records != NULL && i < records->len; i++)
    take_record (reading->trial, records->pdata[i]);
  reading->trials->n_reading--;
  if (reading->trials->changed != NULL)
    reading->trials->changed (reading->trials->user_data);
  unref (reading->trials);
  g_object_unref (reading->trial);
  g_free (reading);
}

static void
read_trial (SondeTrials *trials, SondeTrial *trial)
{
  guint64 n = count_records (trial->run);
  g_autoptr (GArray) refs = NULL;
  Reading *reading;

  if (n == trial->n_records)
    return;
  trial->n_records = n;
  refs = list_refs (trial->run);
  reading = g_new (Reading, 1);
  reading->trials = trials;
  trials->ref_count++;
  reading->trial = g_object_ref (trial);
  trials->n_reading++;
  sonde_run_read_blobs_async (trial->run, refs, NULL, on_read, reading);
}

static SondeTrial *
trial_new (SondeRun *run)
{
  SondeTrial *trial = g_object_new (SONDE_TYPE_TRIAL, NULL);

  trial->run = g_object_ref (run);
  return trial;
}

static gboolean
same_runs (SondeTrials *trials)
{
  guint n = g_list_model_get_n_items (trials->runs);

  if (n != g_list_model_get_n_items (G_LIST_MODEL (trials->model)))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (trials->runs, i);
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (trials->model), i);

      if (trial->run != run)
        return FALSE;
    }
  return TRUE;
}

/* The trials of runs that stay are the same objects. */
static void
take_runs (SondeTrials *trials)
{
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (trials->model));
  g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL); /* run -> trial */
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n_before; i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (trials->model), i);

      g_hash_table_insert (before, trial->run, trial);
    }
  for (guint i = 0; i < g_list_model_get_n_items (trials->runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (trials->runs, i);
      SondeTrial *trial = g_hash_table_lookup (before, run);

      g_ptr_array_add (all, trial != NULL ? g_object_ref (trial) : trial_new (run));
    }
  g_list_store_splice (trials->model, 0, n_before, all->pdata, all->len);
}

void
sonde_trials_update (SondeTrials *trials)
{
  if (!same_runs (trials))
    take_runs (trials);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (trials->model)); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (G_LIST_MODEL (trials->model), i);

      read_trial (trials, trial);
    }
}
