/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-blob-loader.h"

struct _SondeBlobLoader
{
  int ref_count; /* held by a reading that is under way */
  gboolean freed;
  SondeRecordKind kind;
  guint max;
  SondeBlobFunc take;
  SondeBlobStateFunc state;
  void *user_data;

  SondeRun *run;
  char *tag;
  guint n_held, stride;
  GHashTable *loaded;        /* keys of frames: see frame_key() */
  GCancellable *cancellable; /* of the reading under way, else NULL */
  gboolean restart, again;
};

static void
unref (SondeBlobLoader *loader)
{
  if (--loader->ref_count > 0)
    return;
  g_clear_object (&loader->run);
  g_free (loader->tag);
  g_hash_table_unref (loader->loaded);
  g_clear_object (&loader->cancellable);
  g_free (loader);
}

SondeBlobLoader *
sonde_blob_loader_new (SondeRecordKind kind, guint max, SondeBlobFunc take,
                       SondeBlobStateFunc state, void *user_data)
{
  SondeBlobLoader *loader = g_new0 (SondeBlobLoader, 1);

  loader->ref_count = 1;
  loader->kind = kind;
  loader->max = max;
  loader->take = take;
  loader->state = state;
  loader->user_data = user_data;
  loader->loaded = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return loader;
}

void
sonde_blob_loader_free (SondeBlobLoader *loader)
{
  if (loader == NULL)
    return;
  loader->freed = TRUE;
  if (loader->cancellable != NULL)
    g_cancellable_cancel (loader->cancellable);
  unref (loader);
}

gboolean
sonde_blob_loader_is_busy (SondeBlobLoader *loader)
{
  return loader->cancellable != NULL;
}

guint
sonde_blob_loader_get_n_held (SondeBlobLoader *loader)
{
  return loader->n_held;
}

/* Two records of one run share a key once in 2^64 pairs. */
static gint64
frame_key (const SondeBlobRef *ref)
{
  return (gint64) (((guint64) ref->file + 1) * 0x9e3779b97f4a7c15u
                   ^ ref->place * 0xbf58476d1ce4e5b9u);
}

static void start (SondeBlobLoader *loader);

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeBlobLoader *loader = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  if (!loader->freed && !g_cancellable_is_cancelled (loader->cancellable))
    for (guint i = 0; records != NULL && i < records->len; i++)
      {
        loader->take (records->pdata[i], loader->restart, loader->user_data);
        loader->restart = FALSE;
      }
  g_clear_object (&loader->cancellable);
  if (!loader->freed && loader->again)
    start (loader);
  if (!loader->freed)
    loader->state (loader->user_data);
  unref (loader);
}

/* Every stride-th record and the last one, as far as they are not here. */
static GArray *
choose (SondeBlobLoader *loader, GArray *refs)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));
  guint stride = MAX (loader->stride, 1);

  while (refs->len / stride > loader->max)
    stride *= 2;
  if (stride != loader->stride)
    {
      g_hash_table_remove_all (loader->loaded);
      loader->stride = stride;
      loader->restart = TRUE;
    }
  for (guint i = 0; i < refs->len; i++)
    {
      const SondeBlobRef *ref = &g_array_index (refs, SondeBlobRef, i);
      gint64 key = frame_key (ref);

      if ((i % stride != 0 && i + 1 != refs->len) || g_hash_table_contains (loader->loaded, &key))
        continue;
      g_hash_table_add (loader->loaded, g_memdup2 (&key, sizeof key));
      g_array_append_val (chosen, *ref);
    }
  return chosen;
}

static void
start (SondeBlobLoader *loader)
{
  g_autoptr (GArray) refs = NULL;
  g_autoptr (GArray) chosen = NULL;

  loader->again = FALSE;
  if (loader->run == NULL || loader->tag == NULL)
    return;
  refs = sonde_run_list_blobs (loader->run, loader->tag, loader->kind);
  loader->n_held = refs->len;
  chosen = choose (loader, refs);
  if (chosen->len == 0)
    return;
  loader->cancellable = g_cancellable_new ();
  loader->ref_count++;
  sonde_run_read_blobs_async (loader->run, chosen, loader->cancellable, on_read, loader);
}

void
sonde_blob_loader_update (SondeBlobLoader *loader, SondeRun *run, const char *tag)
{
  gboolean other = run != loader->run || g_strcmp0 (tag, loader->tag) != 0;

  if (other)
    {
      g_set_object (&loader->run, run);
      g_free (loader->tag);
      loader->tag = g_strdup (tag);
      loader->n_held = 0;
      loader->stride = 0;
      g_hash_table_remove_all (loader->loaded);
      loader->restart = TRUE;
      if (loader->cancellable != NULL)
        g_cancellable_cancel (loader->cancellable);
    }
  if (loader->cancellable != NULL)
    {
      loader->again = TRUE;
      return;
    }
  start (loader);
  if (loader->cancellable != NULL)
    loader->state (loader->user_data);
}
