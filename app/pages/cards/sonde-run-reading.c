/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-run-reading.h"

typedef struct _Look Look;

/* One record that is wanted. */
typedef struct
{
  Look *look;
  SondeRun *run;
  SondeBlobRef ref;
  GPtrArray *records; /* once it was read */
} Wanted;

/* All records of one look. */
struct _Look
{
  SondeRunReading *reading; /* not looked at once it is cancelled */
  GCancellable *cancellable;
  GPtrArray *wanted; /* Wanted */
  guint n_read;
};

struct _SondeRunReading
{
  SondeWorkspace *workspace;
  SondeRecordKind kind;
  SondeRunReadingFunc taken;
  gpointer data;
  GArray *steps;             /* gint64; (nullable): of the selected run */
  char *signature;           /* of what was told or is read */
  GCancellable *cancellable; /* of the look under way */
};

static void
wanted_free (void *data)
{
  Wanted *wanted = data;

  g_object_unref (wanted->run);
  g_clear_pointer (&wanted->records, g_ptr_array_unref);
  g_free (wanted);
}

static void
look_free (Look *look)
{
  g_object_unref (look->cancellable);
  g_ptr_array_unref (look->wanted);
  g_free (look);
}

/* ---- reading ------------------------------------------------------------- */

static void
tell (SondeRunReading *reading, GPtrArray *wanted)
{
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (SondeRunRecord));

  for (guint i = 0; i < wanted->len; i++)
    {
      const Wanted *one = wanted->pdata[i];
      gboolean is_there = one->records != NULL && one->records->len > 0;
      SondeRunRecord record = { one->run, is_there ? one->records->pdata[0] : NULL };

      g_array_append_val (records, record);
    }
  reading->taken (records, reading->data);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  Wanted *wanted = user_data;
  Look *look = wanted->look;

  wanted->records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);
  if (++look->n_read < look->wanted->len)
    return;
  if (!g_cancellable_is_cancelled (look->cancellable))
    {
      g_clear_object (&look->reading->cancellable);
      tell (look->reading, look->wanted);
    }
  look_free (look);
}

static void
read_all (SondeRunReading *reading, GPtrArray *wanted)
{
  Look *look = g_new0 (Look, 1);

  look->reading = reading;
  look->cancellable = g_cancellable_new ();
  look->wanted = g_ptr_array_ref (wanted);
  reading->cancellable = g_object_ref (look->cancellable);
  for (guint i = 0; i < wanted->len; i++)
    {
      Wanted *one = wanted->pdata[i];
      g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

      one->look = look;
      g_array_append_val (refs, one->ref);
      sonde_run_read_blobs_async (one->run, refs, look->cancellable, on_read, one);
    }
}

/* ---- what is wanted ------------------------------------------------------ */

/* The last record at or before @step, else the first one. */
static gboolean
choose_ref (SondeRunReading *reading, SondeRun *run, const char *tag, gint64 step,
            SondeBlobRef *ref)
{
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, tag, reading->kind);
  const SondeBlobRef *best = NULL;

  for (guint i = 0; i < refs->len; i++)
    {
      const SondeBlobRef *other = &g_array_index (refs, SondeBlobRef, i);
      gboolean before = other->step <= step, best_before = best != NULL && best->step <= step;

      if (best == NULL || (before && (!best_before || other->step >= best->step))
          || (!before && !best_before && other->step < best->step))
        best = other;
    }
  if (best != NULL)
    *ref = *best;
  return best != NULL;
}

static gboolean
has_ref (GPtrArray *all, SondeRun *run, const SondeBlobRef *ref)
{
  for (guint i = 0; i < all->len; i++)
    {
      const Wanted *one = all->pdata[i];

      if (one->run == run && one->ref.file == ref->file && one->ref.place == ref->place)
        return TRUE;
    }
  return FALSE;
}

static void
want (SondeRunReading *reading, GPtrArray *all, SondeRun *run, const char *tag, gint64 step,
      GString *signature)
{
  SondeBlobRef ref;
  Wanted *wanted;

  if (!choose_ref (reading, run, tag, step, &ref) || has_ref (all, run, &ref))
    return;
  wanted = g_new0 (Wanted, 1);
  wanted->run = g_object_ref (run);
  wanted->ref = ref;
  g_ptr_array_add (all, wanted);
  g_string_append_printf (
      signature, "\n%s %u %" PRIu64 " %s %u", sonde_run_get_path (run), ref.file, ref.place,
      sonde_workspace_get_run_title (reading->workspace, run), sonde_run_get_color_index (run));
}

static int
compare_steps (const void *a, const void *b)
{
  const SondeBlobRef *one = &(*(Wanted *const *) a)->ref, *other = &(*(Wanted *const *) b)->ref;

  return (one->step > other->step) - (one->step < other->step);
}

static GPtrArray *
list_wanted (SondeRunReading *reading, const char *tag, GString *signature)
{
  gint64 step = sonde_step_cursor_get_step (sonde_workspace_get_cursor (reading->workspace));
  GListModel *runs = sonde_workspace_get_shown_runs (reading->workspace);
  SondeRun *selected = sonde_workspace_get_run (reading->workspace);
  GPtrArray *all = g_ptr_array_new_with_free_func (wanted_free);

  g_string_append (signature, reading->steps != NULL ? "steps of " : "runs of ");
  g_string_append (signature, tag);
  for (guint i = 0; reading->steps == NULL && i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      want (reading, all, run, tag, step, signature);
    }
  for (guint i = 0; reading->steps != NULL && selected != NULL && i < reading->steps->len; i++)
    want (reading, all, selected, tag, g_array_index (reading->steps, gint64, i), signature);
  if (reading->steps != NULL && selected != NULL)
    {
      want (reading, all, selected, tag, step, signature);
      g_ptr_array_sort (all, compare_steps);
    }
  return all;
}

static void
cancel (SondeRunReading *reading)
{
  g_cancellable_cancel (reading->cancellable);
  g_clear_object (&reading->cancellable);
}

void
sonde_run_reading_forget (SondeRunReading *reading)
{
  cancel (reading);
  g_clear_pointer (&reading->signature, g_free);
}

gboolean
sonde_run_reading_update (SondeRunReading *reading, const char *tag)
{
  g_autoptr (GString) signature = g_string_new (NULL);
  g_autoptr (GPtrArray) all = NULL;

  if (tag == NULL)
    {
      sonde_run_reading_forget (reading);
      return FALSE;
    }
  all = list_wanted (reading, tag, signature);
  if (g_strcmp0 (signature->str, reading->signature) == 0)
    return FALSE;
  g_free (reading->signature);
  reading->signature = g_strdup (signature->str);
  cancel (reading);
  if (all->len > 0)
    read_all (reading, all);
  else
    tell (reading, all);
  return TRUE;
}

void
sonde_run_reading_set_steps (SondeRunReading *reading, GArray *steps)
{
  g_clear_pointer (&reading->steps, g_array_unref);
  reading->steps = steps != NULL ? g_array_ref (steps) : NULL;
}

/* ---- life ---------------------------------------------------------------- */

gboolean
sonde_run_reading_is_busy (SondeRunReading *reading)
{
  return reading->cancellable != NULL;
}

SondeRunReading *
sonde_run_reading_new (SondeWorkspace *workspace, SondeRecordKind kind, SondeRunReadingFunc taken,
                       gpointer data)
{
  SondeRunReading *reading = g_new0 (SondeRunReading, 1);

  reading->workspace = g_object_ref (workspace);
  reading->kind = kind;
  reading->taken = taken;
  reading->data = data;
  return reading;
}

void
sonde_run_reading_free (SondeRunReading *reading)
{
  if (reading == NULL)
    return;
  cancel (reading);
  g_clear_pointer (&reading->steps, g_array_unref);
  g_free (reading->signature);
  g_object_unref (reading->workspace);
  g_free (reading);
}
