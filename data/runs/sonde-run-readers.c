/* SPDX-License-Identifier: Apache-2.0 */
#include "data/runs/sonde-run-readers-private.h"

/* @reading: in a snapshot */
typedef struct
{
  char *path;
  SondeRunIndex *index;
  gboolean reading;
  GList link;
} SondeRunReader;

static void
reader_free (gpointer data)
{
  SondeRunReader *reader = data;

  if (reader->reading)
    sonde_run_index_end_loads (reader->index);
  sonde_run_index_close (reader->index);
  g_free (reader->path);
  g_free (reader);
}

void
sonde_run_readers_init (SondeRunReaders *readers, GMainContext *context, guint most)
{
  *readers = (SondeRunReaders){
    .by_path = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, reader_free),
    .most = most,
    .context = g_main_context_ref (context),
  };
  g_queue_init (&readers->used);
}

static void
forget_end (SondeRunReaders *readers)
{
  if (readers->end != NULL)
    g_source_destroy (readers->end);
  g_clear_pointer (&readers->end, g_source_unref);
}

void
sonde_run_readers_clear (SondeRunReaders *readers)
{
  forget_end (readers);
  g_clear_pointer (&readers->by_path, g_hash_table_unref);
  g_clear_pointer (&readers->context, g_main_context_unref);
}

void
sonde_run_readers_end (SondeRunReaders *readers)
{
  forget_end (readers);
  for (GList *link = readers->used.head; link != NULL; link = link->next)
    {
      SondeRunReader *reader = link->data;

      if (reader->reading)
        sonde_run_index_end_loads (reader->index);
      reader->reading = FALSE;
    }
}

static gboolean
on_loop (gpointer data)
{
  sonde_run_readers_end (data);
  return G_SOURCE_REMOVE;
}

static void
begin (SondeRunReaders *readers, SondeRunReader *reader)
{
  sonde_run_index_begin_loads (reader->index);
  reader->reading = TRUE;
  if (readers->end != NULL)
    return;
  readers->end = g_idle_source_new ();
  g_source_set_priority (readers->end, G_PRIORITY_HIGH);
  g_source_set_callback (readers->end, on_loop, readers, NULL);
  g_source_set_static_name (readers->end, "SondeRunReaders");
  g_source_attach (readers->end, readers->context);
}

static void
drop (SondeRunReaders *readers, SondeRunReader *reader)
{
  g_queue_unlink (&readers->used, &reader->link);
  g_hash_table_remove (readers->by_path, reader->path);
}

static SondeRunReader *
open_reader (SondeRunReaders *readers, const char *path, gint64 epoch)
{
  SondeRunIndex *index;
  SondeRunReader *reader;

  while (g_queue_get_length (&readers->used) >= readers->most)
    drop (readers, g_queue_peek_head (&readers->used));
  index = sonde_run_index_open_for_blocks (path, epoch);
  if (index == NULL)
    return NULL;
  reader = g_new0 (SondeRunReader, 1);
  reader->path = g_strdup (path);
  reader->index = index;
  reader->link.data = reader;
  g_hash_table_insert (readers->by_path, reader->path, reader);
  g_queue_push_tail_link (&readers->used, &reader->link);
  return reader;
}

SondeRunIndex *
sonde_run_readers_find (SondeRunReaders *readers, const char *path, gint64 epoch)
{
  SondeRunReader *reader = g_hash_table_lookup (readers->by_path, path);

  if (reader != NULL && sonde_run_index_get_epoch (reader->index) != epoch)
    {
      drop (readers, reader);
      reader = NULL;
    }
  if (reader == NULL)
    reader = open_reader (readers, path, epoch);
  if (reader == NULL)
    return NULL;
  if (&reader->link != readers->used.tail)
    {
      g_queue_unlink (&readers->used, &reader->link);
      g_queue_push_tail_link (&readers->used, &reader->link);
    }
  if (!reader->reading)
    begin (readers, reader);
  return reader->index;
}
