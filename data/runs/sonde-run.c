/* SPDX-License-Identifier: Apache-2.0
 * A run as a GObject: takes over what the worker found, and reads blocks that are not in memory
 * from the index, with a connection that the runs of an index share. Blobs are in sonde-run-blobs.c. */
#include "data/runs/sonde-run-private.h"

struct _SondeRun
{
  GObject parent_instance;
  SondeRunContext *context; /* NULL: detached */
  guint number, color_index;
  gint64 chosen_color; /* -1: none */
  SondeRunInfo *info;
  SondeRunInfo *old_info; /* lends its arrays until the next main loop iteration */
  GHashTable *tracks;     /* a set of Track */
  GArray *pending;        /* (nullable) element-type SondeRunBlockUpdate: not in @tracks yet */
  gboolean lost;          /* asked for a new reading already */
};

G_DEFINE_FINAL_TYPE (SondeRun, sonde_run, G_TYPE_OBJECT)

enum
{
  PROPERTY_NAME = 1,
  PROPERTY_LIVE,
  PROPERTY_LAST_STEP,
  PROPERTY_DAMAGE_COUNT,
  N_PROPERTIES
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

/* A track and, when somebody asked for it, its series. @what: without counts; it stands first: a
 * track is found by it */
typedef struct
{
  SondeRunTag what;
  SondeRunTrack *track;
  SondeSeries *series; /* (nullable): owned */
  gboolean changed;
} Track;

static void
track_free (gpointer data)
{
  Track *track = data;

  if (track->series)
    sonde_series_detach (track->series);
  g_clear_object (&track->series);
  sonde_run_track_free (track->track);
  g_free (track);
}

/* ---- blocks out of the index --------------------------------------------- */

static SondeRunIndex *
find_index (SondeRun *run)
{
  if (!run->info->index_path)
    return NULL;
  return sonde_run_readers_find (&run->context->readers, run->info->index_path,
                                 run->info->index_epoch);
}

static SondeColumns *
load_columns (gpointer owner, gint64 row, guint n)
{
  SondeRunIndex *index = find_index (owner);

  return index ? sonde_run_index_load_columns (index, row, n) : NULL;
}

static gboolean
load_units (gpointer owner, gint64 row, SondeBucket *units, guint n)
{
  SondeRunIndex *index = find_index (owner);

  return index && sonde_run_index_load_units (index, row, units, n);
}

static const char *
locate_blocks (gpointer owner, gint64 *epoch)
{
  const SondeRunInfo *info = ((SondeRun *) owner)->info;

  *epoch = info->index_epoch;
  return info->index_path;
}

static void
lose_blocks (gpointer owner)
{
  SondeRun *run = owner;

  if (!run->lost)
    sonde_run_worker_reread (run->context->worker, run->number);
  run->lost = TRUE;
}

static const SondeRunBlockSource block_source
    = { load_columns, load_units, locate_blocks, lose_blocks };

/* ---- tracks -------------------------------------------------------------- */

static Track *
find_track (SondeRun *run, const char *tag, SondeRecordKind kind)
{
  SondeRunTag key = { .tag = g_intern_string (tag), .kind = kind };

  return g_hash_table_lookup (run->tracks, &key);
}

static Track *
ensure_track (SondeRun *run, const char *tag, SondeRecordKind kind)
{
  Track *track = find_track (run, tag, kind);

  if (track)
    return track;
  track = g_new0 (Track, 1);
  track->what = (SondeRunTag){ .tag = tag, .kind = kind };
  track->track = sonde_run_track_new (tag, &run->context->cache, &block_source, run);
  g_hash_table_add (run->tracks, track);
  return track;
}

static void
drop_file (SondeRun *run, guint file)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, run->tracks);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      Track *track = key;

      sonde_run_track_drop_file (track->track, file);
      track->changed = TRUE;
    }
  /* what was lost is read again now */
  run->lost = FALSE;
}

static void
apply_block (SondeRun *run, const SondeRunBlockUpdate *update)
{
  Track *track;

  if (!update->tag)
    {
      drop_file (run, update->file);
      return;
    }
  track = ensure_track (run, update->tag, update->kind);
  sonde_run_track_put_block (track->track, update->file, update->order, update->block);
  track->changed = TRUE;
}

static void
apply_blocks (SondeRun *run, GArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    apply_block (run, &g_array_index (blocks, SondeRunBlockUpdate, i));
}

/* Of most runs of a large folder no track is ever asked for: they are made when one is. */
static void
apply_pending (SondeRun *run)
{
  g_autoptr (GArray) pending = g_steal_pointer (&run->pending);

  if (pending)
    apply_blocks (run, pending);
}

static void
take_blocks (SondeRun *run, SondeRunUpdate *update)
{
  if (!update->blocks)
    return;
  if (!run->pending && g_hash_table_size (run->tracks) == 0)
    {
      run->pending = g_steal_pointer (&update->blocks);
      return;
    }
  apply_pending (run);
  apply_blocks (run, update->blocks);
}

SondeRunTrack *
sonde_run_find_track (SondeRun *run, const char *tag, SondeRecordKind kind)
{
  Track *track;

  apply_pending (run);
  track = find_track (run, tag, kind);

  return track ? track->track : NULL;
}

static void
emit_series_changes (SondeRun *run)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, run->tracks);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      Track *track = key;

      if (track->changed && track->series)
        g_ptr_array_add (changed, g_object_ref (track->series));
      track->changed = FALSE;
    }
  for (guint i = 0; i < changed->len; i++)
    sonde_series_emit_changed (g_ptr_array_index (changed, i));
}

static void
take_info (SondeRun *run, SondeRunInfo *info)
{
  SondeRunInfo *before = run->info;

  g_clear_pointer (&run->old_info, sonde_run_info_unref);
  run->old_info = before;
  run->info = sonde_run_info_ref (info);
  if (before->live != info->live)
    g_object_notify_by_pspec (G_OBJECT (run), properties[PROPERTY_LIVE]);
  if (before->last_step != info->last_step)
    g_object_notify_by_pspec (G_OBJECT (run), properties[PROPERTY_LAST_STEP]);
  if (before->damage_count != info->damage_count)
    g_object_notify_by_pspec (G_OBJECT (run), properties[PROPERTY_DAMAGE_COUNT]);
}

void
sonde_run_apply (SondeRun *run, SondeRunUpdate *update)
{
  take_blocks (run, update);
  if (update->info && update->info != run->info)
    take_info (run, update->info);
  g_signal_emit (run, signals[SIGNAL_CHANGED], 0);
  emit_series_changes (run);
}

/* ---- the object ---------------------------------------------------------- */

static void
sonde_run_get_property (GObject *object, guint property, GValue *value, GParamSpec *pspec)
{
  SondeRun *run = SONDE_RUN (object);

  if (property == PROPERTY_NAME)
    g_value_set_string (value, run->info->name);
  else if (property == PROPERTY_LIVE)
    g_value_set_boolean (value, run->info->live);
  else if (property == PROPERTY_LAST_STEP)
    g_value_set_int64 (value, run->info->last_step);
  else if (property == PROPERTY_DAMAGE_COUNT)
    g_value_set_uint64 (value, run->info->damage_count);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
}

void
sonde_run_detach (SondeRun *run)
{
  if (!run->context)
    return;
  g_clear_pointer (&run->pending, g_array_unref);
  g_hash_table_remove_all (run->tracks);
  run->context = NULL;
}

static void
sonde_run_finalize (GObject *object)
{
  SondeRun *run = SONDE_RUN (object);

  sonde_run_detach (run);
  g_hash_table_unref (run->tracks);
  sonde_run_info_unref (run->info);
  sonde_run_info_unref (run->old_info);
  G_OBJECT_CLASS (sonde_run_parent_class)->finalize (object);
}

static void
sonde_run_class_init (SondeRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = sonde_run_get_property;
  object_class->finalize = sonde_run_finalize;
  properties[PROPERTY_NAME]
      = g_param_spec_string ("name", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROPERTY_LIVE]
      = g_param_spec_boolean ("live", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROPERTY_LAST_STEP]
      = g_param_spec_int64 ("last-step", NULL, NULL, G_MININT64, G_MAXINT64, -1,
                            G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROPERTY_DAMAGE_COUNT] = g_param_spec_uint64 (
      "damage-count", NULL, NULL, 0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_run_init (SondeRun *run)
{
  run->tracks = g_hash_table_new_full (sonde_run_tag_hash, sonde_run_tag_equal, track_free, NULL);
}

SondeRun *
sonde_run_new (SondeRunContext *context, guint number, guint color_index, SondeRunInfo *info)
{
  SondeRun *run = g_object_new (SONDE_TYPE_RUN, NULL);

  run->context = context;
  run->number = number;
  run->color_index = color_index;
  run->chosen_color = -1;
  run->info = sonde_run_info_ref (info);
  return run;
}

SondeRunInfo *
sonde_run_get_info (SondeRun *run)
{
  return run->info;
}

const SondeIo *
sonde_run_get_io (SondeRun *run)
{
  return run->context ? run->context->io : NULL;
}

const char *
sonde_run_get_name (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  return run->info->name;
}

const char *
sonde_run_get_path (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  return run->info->path;
}

const char *
sonde_run_get_format (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  return run->info->format->name;
}

gboolean
sonde_run_is_live (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), FALSE);

  return run->info->live;
}

guint
sonde_run_get_color_index (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), 0);

  return run->chosen_color >= 0 ? (guint) run->chosen_color : run->color_index;
}

void
sonde_run_set_color_index (SondeRun *run, gint64 color)
{
  g_return_if_fail (SONDE_IS_RUN (run) && color <= G_MAXUINT);

  if (run->chosen_color == color)
    return;
  run->chosen_color = color;
  g_signal_emit (run, signals[SIGNAL_CHANGED], 0);
}

gint64
sonde_run_get_last_step (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), -1);

  return run->info->last_step;
}

gint64
sonde_run_get_start_ns (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), 0);

  return run->info->start_ns;
}

GPtrArray *
sonde_run_get_files (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  return run->info->files;
}

GPtrArray *
sonde_run_get_tags (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  return run->info->tags;
}

double
sonde_run_get_progress (SondeRun *run)
{
  GPtrArray *files = sonde_run_get_files (run);
  guint64 bytes = 0, done = 0;

  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFile *file = g_ptr_array_index (files, i);

      bytes += file->is_copy ? 0 : file->bytes;
      done += file->read;
    }
  return bytes > 0 ? (double) done / (double) bytes : 1;
}

guint64
sonde_run_get_damage_count (SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), 0);

  return run->info->damage_count;
}

SondeSeries *
sonde_run_get_series (SondeRun *run, const char *tag)
{
  Track *track;

  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);

  apply_pending (run);
  track = find_track (run, tag, SONDE_RECORD_SCALARS);
  if (track && !track->series)
    track->series = sonde_series_new (run, track->track);
  return track ? track->series : NULL;
}
