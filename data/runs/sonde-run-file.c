/* SPDX-License-Identifier: Apache-2.0
 * What is known of a record file. That it was cut, replaced or deleted is noticed in
 * sonde-run-file-look.c, what its bytes say is read in sonde-run-file-read.c. */
#include "data/runs/sonde-run-segment-private.h"

#include "data/base/sonde-clock.h"

static void
free_damage (gpointer damage)
{
  sonde_frame_damage_free (damage);
}

static void
free_segment (gpointer segment)
{
  sonde_run_segment_free (segment);
}

SondeRunFileReader *
sonde_run_file_reader_new (const SondeIo *io, const SondeRecordFormat *format, guint number,
                           const char *folder, const char *relative, GArray **updates)
{
  SondeRunFileReader *file = g_new0 (SondeRunFileReader, 1);

  file->io = io ? io : sonde_io_system ();
  file->format = format;
  file->number = number;
  file->path = g_build_filename (folder, relative, NULL);
  file->relative = g_ref_string_new (relative);
  file->gone = TRUE; /* until the first look */
  file->damage = g_ptr_array_new_with_free_func (free_damage);
  file->tail_damage = g_ptr_array_new_with_free_func (free_damage);
  file->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
  file->scalars = g_ptr_array_new ();
  file->session = 1;
  file->segments = g_ptr_array_new_with_free_func (free_segment);
  file->changed = g_ptr_array_new ();
  file->updates = updates;
  return file;
}

void
sonde_run_file_reader_rest (SondeRunFileReader *file)
{
  if (file->frames || file->source)
    (*file->n_open)--;
  if (file->source)
    file->format->close (g_steal_pointer (&file->source));
  g_clear_pointer (&file->frames, sonde_frame_reader_free);
  if (file->decoder)
    file->format->decoder_free (g_steal_pointer (&file->decoder));
  file->n_damage_taken = 0;
}

void
sonde_run_file_reader_free (SondeRunFileReader *file)
{
  if (!file)
    return;
  sonde_run_file_reader_rest (file);
  g_clear_pointer (&file->segments_by_key, g_hash_table_unref);
  g_ptr_array_unref (file->changed);
  g_ptr_array_unref (file->segments);
  g_ptr_array_unref (file->damage);
  g_ptr_array_unref (file->tail_damage);
  g_array_unref (file->tags);
  g_ptr_array_unref (file->scalars);
  g_free (file->problem);
  g_free (file->path);
  g_ref_string_release (file->relative);
  g_free (file);
}

void
sonde_run_file_reader_reset (SondeRunFileReader *file)
{
  sonde_run_file_reader_rest (file);
  sonde_run_updates_add (file->updates,
                         (SondeRunBlockUpdate){ .file = file->number,
                                                .order = g_ref_string_acquire (file->relative) });
  g_clear_pointer (&file->segments_by_key, g_hash_table_unref);
  g_ptr_array_set_size (file->changed, 0);
  g_ptr_array_set_size (file->segments, 0);
  g_ptr_array_set_size (file->damage, 0);
  g_ptr_array_set_size (file->tail_damage, 0);
  g_array_set_size (file->tags, 0);
  g_ptr_array_set_size (file->scalars, 0);
  g_clear_pointer (&file->problem, g_free);
  file->position = file->records = file->lost_records = 0;
  file->session = 1;
  file->n_anchor = file->n_tags_saved = 0;
  file->waiting = file->finished = file->ended = FALSE;
  file->has_start = file->has_scalars = FALSE;
  file->unsaved = file->forget = TRUE;
  file->n_resets++;
}

void
sonde_run_file_reader_set_copy (SondeRunFileReader *file, gboolean is_copy)
{
  if (is_copy && (file->position > 0 || file->segments->len > 0 || file->damage->len > 0))
    sonde_run_file_reader_reset (file);
  if (is_copy != file->is_copy)
    {
      file->finished = FALSE;
      g_ptr_array_set_size (file->tail_damage, 0);
      g_clear_pointer (&file->problem, g_free);
    }
  file->is_copy = is_copy;
}

gboolean
sonde_run_file_reader_is_live (const SondeRunFileReader *file, gint64 now_ns)
{
  return !file->gone && !(file->ended && file->position >= file->size)
         && now_ns - file->mtime_ns < SONDE_RUN_LIVE_NS;
}

void
sonde_run_file_reader_set_problem (SondeRunFileReader *file, const char *problem)
{
  g_free (file->problem);
  file->problem = g_strdup (problem);
  file->problem_ns = sonde_clock_wall_ns (NULL);
}

gboolean
sonde_run_file_reader_is_plausible (const SondeRunFileReader *file)
{
  return file->inode != 0 && file->anchor_end <= file->size && file->n_anchor <= file->anchor_end
         && (file->format->open || file->position <= file->size);
}
