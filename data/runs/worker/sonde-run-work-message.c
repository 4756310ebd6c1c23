/* SPDX-License-Identifier: Apache-2.0
 * Worker: what changed, as immutable copies for the owner's thread. */
#include <string.h>
#include <sys/eventfd.h>

#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-message-private.h"
#include "data/runs/worker/sonde-run-work-run-private.h"

#define MESSAGE_INTERVAL_NS (50 * MILLISECOND_NS)

/* ---- ownership ----------------------------------------------------------- */

static void
free_run_file (gpointer data)
{
  SondeRunFile *file = data;

  g_free (file->path);
  g_ptr_array_unref (file->damage);
  g_free (file);
}

static void
free_slot (gpointer data)
{
  SondeRunSlot *slot = data;

  g_free (slot->path);
  g_free (slot->tags);
  g_free (slot);
}

SondeRunInfo *
sonde_run_info_ref (SondeRunInfo *info)
{
  g_atomic_int_inc (&info->ref_count);
  return info;
}

void
sonde_run_info_unref (SondeRunInfo *info)
{
  if (!info || !g_atomic_int_dec_and_test (&info->ref_count))
    return;
  g_free (info->path);
  g_free (info->name);
  g_free (info->index_path);
  g_ptr_array_unref (info->files);
  g_ptr_array_unref (info->slots);
  g_ptr_array_unref (info->tags);
  g_array_unref (info->tag_array);
  g_free (info);
}

static void
free_update (gpointer data)
{
  SondeRunUpdate *update = data;

  g_clear_pointer (&update->blocks, g_array_unref);
  sonde_run_info_unref (update->info);
  g_free (update);
}

void
sonde_run_message_free (SondeRunMessage *message)
{
  if (!message)
    return;
  g_ptr_array_unref (message->updates);
  g_clear_pointer (&message->problems, g_ptr_array_unref);
  sonde_message_free (message->failure);
  g_free (message);
}

/* ---- a run's info -------------------------------------------------------- */

static void
add_damage (GPtrArray *list, GPtrArray *more)
{
  for (guint i = 0; i < more->len; i++)
    {
      const SondeFrameDamage *damage = g_ptr_array_index (more, i);
      SondeFrameDamage *copy = g_memdup2 (damage, sizeof *damage);

      copy->reason = g_strdup (damage->reason);
      g_ptr_array_add (list, copy);
    }
}

static SondeRunFile *
make_file (const SondeRunFileReader *reader)
{
  SondeRunFile *file = g_new0 (SondeRunFile, 1);

  file->path = g_strdup (reader->relative);
  file->format = reader->format->name;
  file->bytes = reader->size;
  file->read = MIN (reader->position, reader->size);
  file->records = reader->records;
  file->is_copy = reader->is_copy;
  file->waiting = reader->waiting;
  file->lost_records = reader->lost_records;
  file->damage = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  add_damage (file->damage, reader->damage);
  add_damage (file->damage, reader->tail_damage);
  return file;
}

static SondeRunSlot *
make_slot (const SondeRunFileReader *reader)
{
  SondeRunSlot *slot = g_new0 (SondeRunSlot, 1);

  slot->path = reader->gone || reader->is_copy ? NULL : g_strdup (reader->path);
  slot->format = reader->format;
  slot->n_tags = reader->tags->len;
  slot->tags = g_memdup2 (reader->tags->data, reader->tags->len * sizeof (SondeRecordTag));
  return slot;
}

static int
compare_by_path (gconstpointer a, gconstpointer b)
{
  const SondeRunFileReader *one = *(gconstpointer *) a, *other = *(gconstpointer *) b;

  return strcmp (one->relative, other->relative);
}

/* The files that are there, in the order in which their records count. */
static GPtrArray *
list_files_by_path (const WorkRun *run)
{
  GPtrArray *files = g_ptr_array_new ();

  for (guint i = 0; i < run->files->len; i++)
    if (!((SondeRunFileReader *) g_ptr_array_index (run->files, i))->gone)
      g_ptr_array_add (files, g_ptr_array_index (run->files, i));
  g_ptr_array_sort (files, compare_by_path);
  return files;
}

static int
compare_tags (gconstpointer a, gconstpointer b)
{
  const SondeRunTag *one = a, *other = b;
  int order = one->tag == other->tag ? 0 : strcmp (one->tag, other->tag);

  return order ? order : (int) one->kind - (int) other->kind;
}

/* One entry a segment; entries of the same tag and kind lie side by side, in file order. */
static GArray *
list_segments (GPtrArray *files)
{
  GArray *tags;
  guint n = 0;

  for (guint i = 0; i < files->len; i++)
    n += ((const SondeRunFileReader *) g_ptr_array_index (files, i))->segments->len;
  tags = g_array_sized_new (FALSE, FALSE, sizeof (SondeRunTag), n);
  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFileReader *file = g_ptr_array_index (files, i);

      for (guint k = 0; k < file->segments->len; k++)
        {
          const SondeRunSegment *segment = g_ptr_array_index (file->segments, k);

          /* said about a tag, not recorded under it */
          if (segment->what.kind != SONDE_RECORD_NOTE)
            g_array_append_val (tags, segment->what);
        }
    }
  g_array_sort (tags, compare_tags); /* stable */
  return tags;
}

static GArray *
merge_tags (GPtrArray *files)
{
  GArray *tags = list_segments (files);
  guint n = 0;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *next = &g_array_index (tags, SondeRunTag, i);
      SondeRunTag *last = n > 0 ? &g_array_index (tags, SondeRunTag, n - 1) : NULL;

      if (!last || last->tag != next->tag || last->kind != next->kind)
        {
          g_array_index (tags, SondeRunTag, n++) = *next;
          continue;
        }
      last->count += next->count;
      last->first_step = MIN (last->first_step, next->first_step);
      last->last_step = MAX (last->last_step, next->last_step);
    }
  g_array_set_size (tags, n);
  return tags;
}

/* @files: of the run, by path, at least one */
static SondeRunInfo *
make_info (const WorkRun *run, GPtrArray *files)
{
  SondeRunInfo *info = g_new0 (SondeRunInfo, 1);
  gboolean has_start = FALSE, has_scalars = FALSE;

  info->ref_count = 1;
  info->path = g_strdup (run->path);
  info->name = g_strdup (run->name);
  info->format = ((const SondeRunFileReader *) g_ptr_array_index (files, 0))->format;
  info->live = run->live;
  info->last_step = -1;
  if (run->index_state == INDEX_LOADED)
    info->index_path = g_strdup (run->index_path);
  else if (run->index_state == INDEX_SHARED)
    info->index_path = g_strdup (run->root->index_path);
  info->index_epoch = run->epoch;
  info->files = g_ptr_array_new_with_free_func (free_run_file);
  info->slots = g_ptr_array_new_with_free_func (free_slot);
  info->tag_array = merge_tags (files);
  info->tags = g_ptr_array_sized_new (info->tag_array->len);
  for (guint i = 0; i < info->tag_array->len; i++)
    g_ptr_array_add (info->tags, &g_array_index (info->tag_array, SondeRunTag, i));
  for (guint i = 0; i < run->files->len; i++)
    {
      const SondeRunFileReader *file = g_ptr_array_index (run->files, i);

      g_ptr_array_add (info->slots, make_slot (file));
      if (!file->gone)
        g_ptr_array_add (info->files, make_file (file));
    }
  for (guint i = 0; i < files->len; i++)
    {
      const SondeRunFileReader *file = g_ptr_array_index (files, i);

      info->damage_count += file->damage->len + file->tail_damage->len;
      if (file->has_scalars)
        info->last_step
            = has_scalars ? MAX (info->last_step, file->last_scalar_step) : file->last_scalar_step;
      has_scalars |= file->has_scalars;
      /* Files are in the order of their names: what was written first need not come first. */
      if (file->has_start && (!has_start || file->start_ns < info->start_ns))
        info->start_ns = file->start_ns;
      has_start |= file->has_start;
    }
  return info;
}

/* ---- a message ---------------------------------------------------------- */

static void
add_update (SondeRunMessage *message, WorkRun *run)
{
  SondeRunUpdate *update;
  g_autoptr (GPtrArray) files = NULL;

  for (guint i = 0; i < run->files->len; i++)
    sonde_run_file_reader_collect_updates (g_ptr_array_index (run->files, i));
  if (!run->prepared || (!run->info_changed && !run->updates))
    return;
  files = list_files_by_path (run);
  if (files->len == 0 && !run->listed)
    {
      g_clear_pointer (&run->updates, g_array_unref);
      run->info_changed = FALSE;
      return;
    }
  update = g_new0 (SondeRunUpdate, 1);
  update->run = run->number;
  update->removed = files->len == 0;
  if (!update->removed)
    update->blocks = g_steal_pointer (&run->updates);
  g_clear_pointer (&run->updates, g_array_unref);
  run->live = sonde_work_run_is_live (run, sonde_clock_wall_ns (NULL));
  if (!update->removed && run->info_changed)
    update->info = make_info (run, files);
  run->info_changed = FALSE;
  run->listed = !update->removed;
  g_ptr_array_add (message->updates, update);
}

static void
add_problem (GPtrArray *problems, const char *problem)
{
  if (problem)
    g_ptr_array_add (problems, g_strdup (problem));
}

static GPtrArray *
list_problems (SondeRunWorker *worker)
{
  GPtrArray *problems = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < worker->roots->len; i++)
    {
      const WorkRoot *root = g_ptr_array_index (worker->roots, i);

      for (guint k = 0; k < root->problems->len; k++)
        g_ptr_array_add (problems, sonde_message_dup_text (g_ptr_array_index (root->problems, k)));
      add_problem (problems, root->index_problem);
    }
  for (guint i = 0; i < worker->runs->len; i++)
    {
      const WorkRun *run = g_ptr_array_index (worker->runs, i);

      add_problem (problems, run->problem);
      for (guint k = 0; k < run->files->len; k++)
        add_problem (problems, ((SondeRunFileReader *) g_ptr_array_index (run->files, k))->problem);
    }
  return problems;
}

/* Why there is nothing at all, or NULL when some path is there. */
static SondeMessage *
find_failure (SondeRunWorker *worker)
{
  const WorkRoot *first = NULL;

  for (guint i = worker->roots->len; i-- > 0;)
    {
      first = g_ptr_array_index (worker->roots, i);
      if (first->exists)
        return NULL;
    }
  if (!first)
    return sonde_message_new ("No path was given.");
  if (first->problems->len > 0)
    return sonde_message_copy (g_ptr_array_index (first->problems, 0));
  return sonde_message_new ("“%s” does not exist.", first->path);
}

static double
measure_progress (SondeRunWorker *worker)
{
  guint64 size = 0, position = 0;

  for (guint i = 0; i < worker->runs->len; i++)
    {
      const WorkRun *run = g_ptr_array_index (worker->runs, i);

      for (guint k = 0; k < run->files->len; k++)
        {
          const SondeRunFileReader *file = g_ptr_array_index (run->files, k);

          size += file->is_copy ? 0 : file->size;
          position += MIN (file->position, file->size);
        }
    }
  return size > 0 ? (double) position / (double) size : 0;
}

static SondeRunMessage *
make_message (SondeRunWorker *worker)
{
  SondeRunMessage *message = g_new0 (SondeRunMessage, 1);

  message->updates = g_ptr_array_new_with_free_func (free_update);
  for (guint i = 0; i < worker->runs->len; i++)
    add_update (message, g_ptr_array_index (worker->runs, i));
  message->loading = !g_queue_is_empty (&worker->queue) || !g_queue_is_empty (&worker->fresh)
                     || !g_queue_is_empty (&worker->bulks);
  message->progress = message->loading ? measure_progress (worker) : 1;
  message->settled = worker->settled;
  message->failure = find_failure (worker);
  if (worker->problems_changed)
    message->problems = list_problems (worker);
  return message;
}

void
sonde_work_send (SondeRunWorker *worker)
{
  g_autoptr (SondeRunMessage) message = NULL;
  gboolean full;

  worker->next_message_ns = sonde_clock_monotonic_ns (NULL) + MESSAGE_INTERVAL_NS;
  pthread_mutex_lock (&worker->mutex);
  full = worker->outbox != NULL;
  pthread_mutex_unlock (&worker->mutex);
  if (full)
    return;
  message = make_message (worker);
  if (message->updates->len == 0 && !message->problems && !worker->settled_changed
      && message->loading == worker->was_loading)
    return;
  worker->problems_changed = worker->settled_changed = FALSE;
  worker->was_loading = message->loading;
  pthread_mutex_lock (&worker->mutex);
  worker->outbox = g_steal_pointer (&message);
  pthread_mutex_unlock (&worker->mutex);
  eventfd_write (worker->ready, 1);
}
