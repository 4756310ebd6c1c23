/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-step-loader.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define MAX_AT_A_STEP 256 /* records of one step that are read */

struct _SondeStepLoader
{
  int ref_count; /* held by a reading that is under way */
  gboolean freed;
  gboolean all;
  SondeStepRecordsFunc take;
  void *user_data;

  SondeRun *run; /* of what is read or shown */
  const char *tag;
  SondeRecordKind kind;
  gint64 step;
  GArray *refs;              /* SondeBlobRef, of what is read or shown */
  GArray *steps;             /* gint64, of the tag */
  GCancellable *cancellable; /* of the reading under way, else NULL */
};

static void
unref (SondeStepLoader *loader)
{
  if (--loader->ref_count > 0)
    return;
  g_clear_object (&loader->run);
  g_array_unref (loader->steps);
  g_array_unref (loader->refs);
  g_free (loader);
}

SondeStepLoader *
sonde_step_loader_new (gboolean all, SondeStepRecordsFunc take, void *user_data)
{
  SondeStepLoader *loader = g_new0 (SondeStepLoader, 1);

  loader->ref_count = 1;
  loader->all = all;
  loader->take = take;
  loader->user_data = user_data;
  loader->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  loader->refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  return loader;
}

static void
cancel (SondeStepLoader *loader)
{
  if (loader->cancellable == NULL)
    return;
  g_cancellable_cancel (loader->cancellable);
  g_clear_object (&loader->cancellable);
}

void
sonde_step_loader_free (SondeStepLoader *loader)
{
  if (loader == NULL)
    return;
  loader->freed = TRUE;
  cancel (loader);
  unref (loader);
}

gboolean
sonde_step_loader_is_busy (SondeStepLoader *loader)
{
  return loader->cancellable != NULL;
}

GArray *
sonde_step_loader_get_steps (SondeStepLoader *loader)
{
  return loader->steps;
}

gint64
sonde_step_loader_get_step (SondeStepLoader *loader)
{
  return loader->step;
}

/* ---- steps --------------------------------------------------------------- */

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *) a, second = *(const gint64 *) b;

  return (first > second) - (first < second);
}

void
sonde_step_loader_sort_steps (GArray *steps)
{
  gint64 *values = (gint64 *) (void *) steps->data;
  guint n = 0;

  g_array_sort (steps, compare_steps);
  for (guint i = 0; i < steps->len; i++)
    if (n == 0 || values[i] != values[n - 1])
      values[n++] = values[i];
  g_array_set_size (steps, n);
}

static void
append_steps (GArray *steps, GArray *refs)
{
  for (guint i = 0; i < refs->len; i++)
    g_array_append_val (steps, g_array_index (refs, SondeBlobRef, i).step);
}

void
sonde_step_loader_add_steps (GArray *steps, SondeRun *run, const char *tag, SondeRecordKind kind)
{
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, tag, kind);

  append_steps (steps, refs);
}

/* The last of the steps at or before @step, else the first. */
static gint64
choose_step (GArray *steps, gint64 step)
{
  gint64 chosen = g_array_index (steps, gint64, 0);

  for (guint i = 0; i < steps->len && g_array_index (steps, gint64, i) <= step; i++)
    chosen = g_array_index (steps, gint64, i);
  return chosen;
}

/* ---- reading ------------------------------------------------------------- */

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeStepLoader *loader = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  /* A newer choice took this one's place. */
  if (!loader->freed && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_object (&loader->cancellable);
      if (records == NULL)
        records = g_ptr_array_new ();
      loader->take (records,
                    error != NULL       ? sonde_error_get_text (error)
                    : records->len == 0 ? _ ("This record cannot be read")
                                        : NULL,
                    loader->user_data);
    }
  unref (loader);
}

/* Of the records at the step: all, or the last. */
static GArray *
choose_refs (SondeStepLoader *loader, GArray *refs)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < refs->len; i++)
    {
      const SondeBlobRef *ref = &g_array_index (refs, SondeBlobRef, i);

      if (ref->step != loader->step || chosen->len == MAX_AT_A_STEP)
        continue;
      if (!loader->all)
        g_array_set_size (chosen, 0);
      g_array_append_val (chosen, *ref);
    }
  return chosen;
}

/* The same step may be recorded again, by a later session. */
static gboolean
same_refs (const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;

  for (guint i = 0; i < a->len && same; i++)
    {
      const SondeBlobRef *x = &g_array_index (a, SondeBlobRef, i),
                         *y = &g_array_index (b, SondeBlobRef, i);

      same = x->file == y->file && x->place == y->place;
    }
  return same;
}

static void
show_nothing (SondeStepLoader *loader)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  cancel (loader);
  g_clear_object (&loader->run);
  loader->tag = NULL;
  loader->take (none, NULL, loader->user_data);
}

static void
read_step (SondeStepLoader *loader, SondeRun *run, const char *tag, SondeRecordKind kind,
           gint64 step, GArray *refs)
{
  gboolean other
      = run != loader->run || tag != loader->tag || kind != loader->kind || step != loader->step;
  GArray *chosen;

  loader->step = step;
  chosen = choose_refs (loader, refs);
  if (!other && same_refs (chosen, loader->refs))
    {
      g_array_unref (chosen);
      return;
    }
  cancel (loader);
  g_set_object (&loader->run, run);
  loader->tag = tag;
  loader->kind = kind;
  g_array_unref (loader->refs);
  loader->refs = chosen;
  loader->cancellable = g_cancellable_new ();
  loader->ref_count++;
  sonde_run_read_blobs_async (run, chosen, loader->cancellable, on_read, loader);
}

void
sonde_step_loader_update (SondeStepLoader *loader, SondeRun *run, const char *tag,
                          SondeRecordKind kind, gint64 step)
{
  g_autoptr (GArray) refs = NULL;

  g_array_set_size (loader->steps, 0);
  if (run != NULL && tag != NULL)
    {
      refs = sonde_run_list_blobs (run, tag, kind);
      append_steps (loader->steps, refs);
      sonde_step_loader_sort_steps (loader->steps);
    }
  if (loader->steps->len == 0)
    show_nothing (loader);
  else
    read_step (loader, run, tag, kind, choose_step (loader->steps, step), refs);
}
