/* SPDX-License-Identifier: Apache-2.0
 * The worker thread: one loop that waits for notices, requests and its own timers. */
#include "data/runs/worker/sonde-run-worker-private.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-file-private.h"
#include "data/runs/worker/sonde-run-work-message-private.h"
#include "data/runs/worker/sonde-run-work-save-private.h"
#include "data/runs/worker/sonde-run-work-scan-private.h"

#define READ_SLICE_NS (30 * MILLISECOND_NS)
#define PASS_INTERVAL_NS (20 * MILLISECOND_NS) /* a writer's many small writes are read together */
#define POLL_INTERVAL_NS (500 * MILLISECOND_NS)
#define CHECK_INTERVAL_NS (2000 * MILLISECOND_NS)
#define TICK_INTERVAL_NS (1000 * MILLISECOND_NS)
#define RESCAN_INTERVAL_NS (15000 * MILLISECOND_NS)
#define POLL_RESCAN_INTERVAL_NS (1000 * MILLISECOND_NS)
/* Between two transactions of a long reading, besides SAVE_POINTS. */
#define SAVE_BYTES ((guint64) 256 << 20)
#define MAX_SCANNERS 8u
#define MAX_OPEN_FILES 64
#define MAX_OPEN_INDICES 16

guint
sonde_run_limit_open (guint most, guint descriptors)
{
  struct rlimit limit;

  /* an eighth of what there is: others want some too */
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return most;
  return CLAMP (limit.rlim_cur / 8 / descriptors, 1, most);
}

/* ---- requests ------------------------------------------------------------ */

static gboolean
must_stop (SondeRunWorker *worker)
{
  gboolean stop;

  pthread_mutex_lock (&worker->mutex);
  stop = worker->stop;
  pthread_mutex_unlock (&worker->mutex);
  return stop;
}

static void
prepare_fresh_runs (SondeRunWorker *worker, gint64 deadline_ns)
{
  while (!g_queue_is_empty (&worker->fresh) && sonde_clock_monotonic_ns (NULL) < deadline_ns
         && !must_stop (worker))
    sonde_work_run_prepare (g_queue_pop_head (&worker->fresh));
}

static void
look_at_all_files (SondeRunWorker *worker)
{
  gint64 begin = sonde_clock_monotonic_ns (NULL), cost;
  gint64 interval = sonde_run_tail_is_limited (worker->tail) ? POLL_INTERVAL_NS : CHECK_INTERVAL_NS;

  for (guint i = 0; i < worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (worker->runs, i);

      for (guint k = 0; run->prepared && k < run->files->len; k++)
        sonde_work_look_at_file (worker, g_ptr_array_index (run->files, k), FALSE);
    }
  cost = sonde_clock_monotonic_ns (NULL) - begin;
  worker->next_check_ns = begin + MAX (interval, 20 * cost);
}

/* Everything that is on disk now is to be read before the answer. */
static void
begin_to_settle (SondeRunWorker *worker, guint number)
{
  sonde_work_mark_roots_due (worker, TRUE);
  sonde_work_scan_due_roots (worker, G_MAXINT64);
  /* in this order: what is prepared only now is looked at once */
  look_at_all_files (worker);
  prepare_fresh_runs (worker, G_MAXINT64);
  for (GList *link = worker->queue.head; link; link = link->next)
    {
      SondeRunFileReader *file = link->data;

      worker->n_settling += !file->settling;
      file->settling = TRUE;
    }
  for (GList *link = worker->bulks.head; link; link = link->next)
    {
      SondeRunFileReader *file = link->data;

      worker->n_settling += !file->settling;
      file->settling = TRUE;
    }
  worker->settling = number;
  worker->save_rounds++;
  worker->settle_rereads = worker->n_rereads;
}

static void
handle_requests (SondeRunWorker *worker)
{
  g_autoptr (GArray) reread = NULL;
  g_autoptr (GPtrArray) paths = NULL;
  guint settle;

  pthread_mutex_lock (&worker->mutex);
  settle = worker->wanted_settle;
  reread = g_steal_pointer (&worker->wanted_reread);
  worker->wanted_reread = g_array_new (FALSE, FALSE, sizeof (guint));
  paths = g_steal_pointer (&worker->wanted_paths);
  worker->wanted_paths = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_unlock (&worker->mutex);
  for (guint i = 0; i < paths->len; i++)
    sonde_work_add_root (worker, g_ptr_array_index (paths, i));
  for (guint i = 0; i < reread->len; i++)
    sonde_work_run_reread (g_ptr_array_index (worker->runs, g_array_index (reread, guint, i)));
  if (settle > worker->settling)
    begin_to_settle (worker, settle);
}

/* ---- timers -------------------------------------------------------------- */

/* Runs stop being live, unfinished tails become damage. */
static void
tick (SondeRunWorker *worker, gint64 now_ns)
{
  gint64 wall = sonde_clock_wall_ns (NULL);

  worker->next_tick_ns = now_ns + TICK_INTERVAL_NS;
  for (guint i = 0; i < worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (worker->runs, i);
      gboolean live = sonde_work_run_is_live (run, wall);

      for (guint k = 0; k < run->files->len; k++)
        {
          SondeRunFileReader *file = g_ptr_array_index (run->files, k);
          gboolean file_live = sonde_run_file_reader_is_live (file, wall);

          if (!file_live && file->waiting)
            sonde_work_look_at_file (worker, file, FALSE);
          if (!file_live && !file->queued)
            sonde_run_file_reader_rest (file);
        }
      run->info_changed |= run->live != live;
      run->live = live;
    }
}

static void
run_timers (SondeRunWorker *worker, gint64 now_ns)
{
  if (now_ns >= worker->next_rescan_ns)
    {
      sonde_work_mark_roots_due (worker, FALSE);
      worker->next_rescan_ns = now_ns
                               + (sonde_run_tail_is_limited (worker->tail) ? POLL_RESCAN_INTERVAL_NS
                                                                           : RESCAN_INTERVAL_NS);
    }
  sonde_work_scan_due_roots (worker, now_ns);
  if (now_ns >= worker->next_check_ns)
    look_at_all_files (worker);
  if (now_ns >= worker->next_tick_ns)
    tick (worker, now_ns);
}

/* @all: whatever is unsaved, however little and new, but once in a round of settling */
static void
save_indices (SondeRunWorker *worker, gint64 now_ns, gboolean all)
{
  worker->n_waiting_points = 0;
  for (guint i = 0; i < worker->runs->len; i++)
    {
      WorkRun *run = g_ptr_array_index (worker->runs, i);
      gboolean due = run->unsaved_bytes >= SAVE_BYTES || run->unsaved_points >= SAVE_POINTS
                     || (run->n_queued == 0 && now_ns >= run->next_save_ns)
                     || (all && run->save_round != worker->save_rounds);

      if (!run->prepared || !due || run->saving || !sonde_work_run_is_unsaved (run))
        continue;
      if (all)
        run->save_round = worker->save_rounds;
      sonde_work_run_save_index (run);
    }
  for (guint i = 0; i < worker->roots->len; i++)
    {
      WorkRoot *root = g_ptr_array_index (worker->roots, i);

      if (root->to_save->len > 0)
        sonde_work_root_save_index (root);
    }
}

/* ---- the loop ------------------------------------------------------------ */

static void
read_queue (SondeRunWorker *worker)
{
  gint64 deadline = sonde_clock_monotonic_ns (NULL) + READ_SLICE_NS;

  prepare_fresh_runs (worker, deadline - READ_SLICE_NS / 2);
  sonde_work_advance_bulks (worker, deadline);
  while (sonde_work_can_read (worker) && sonde_clock_monotonic_ns (NULL) < deadline)
    sonde_work_read_next (worker, deadline);
}

static void
finish_settling (SondeRunWorker *worker)
{
  if (worker->settled == worker->settling || worker->n_settling > 0)
    return;
  save_indices (worker, 0, TRUE);
  if (worker->n_saving > 0 || worker->reread_due)
    return;
  if (worker->n_rereads != worker->settle_rereads)
    {
      begin_to_settle (worker, worker->settling);
      return;
    }
  worker->settled = worker->settling;
  worker->settled_changed = TRUE;
  worker->next_message_ns = 0;
}

/* Files are being read, or are to be. */
static gboolean
is_reading (SondeRunWorker *worker)
{
  return !g_queue_is_empty (&worker->queue) || !g_queue_is_empty (&worker->bulks);
}

static gboolean
has_updates (SondeRunWorker *worker)
{
  if (worker->settled_changed || worker->problems_changed || is_reading (worker)
      || worker->was_loading)
    return TRUE;
  for (guint i = 0; i < worker->runs->len; i++)
    if (((WorkRun *) g_ptr_array_index (worker->runs, i))->info_changed)
      return TRUE;
  return FALSE;
}

static gint64
next_wakeup (SondeRunWorker *worker, gint64 now_ns)
{
  gint64 next = MIN (worker->next_check_ns, MIN (worker->next_tick_ns, worker->next_rescan_ns));

  if (!g_queue_is_empty (&worker->fresh) || worker->bulk_is_ready || worker->reread_due
      || sonde_work_can_read (worker))
    return now_ns;
  next = MIN (next, worker->next_sync_ns);
  if (has_updates (worker))
    next = MIN (next, worker->next_message_ns);
  for (guint i = 0; i < worker->roots->len; i++)
    {
      const WorkRoot *root = g_ptr_array_index (worker->roots, i);

      if (root->due)
        next = MIN (next, root->next_scan_ns);
    }
  return next;
}

static void
wait_for_work (SondeRunWorker *worker)
{
  struct pollfd fds[] = {
    { .fd = worker->wakeup, .events = POLLIN },
    { .fd = sonde_run_tail_get_fd (worker->tail), .events = POLLIN },
  };
  gint64 now = sonde_clock_monotonic_ns (NULL);
  gint64 wait = MAX (next_wakeup (worker, now) - now, 0);
  struct timespec timeout = { wait / 1000000000, wait % 1000000000 };
  eventfd_t value;

  /* Notices of a busy writer are left to gather for a moment; requests are not. */
  if (now < worker->next_pass_ns && wait > 0)
    {
      gint64 pause = MIN (worker->next_pass_ns - now, wait);
      struct timespec short_timeout = { 0, pause };

      ppoll (fds, 1, &short_timeout, NULL);
    }
  if (ppoll (fds, 2, &timeout, NULL) > 0 && fds[0].revents)
    eventfd_read (worker->wakeup, &value);
}

static void *
worker_main (void *data)
{
  SondeRunWorker *worker = data;

  while (!must_stop (worker))
    {
      gint64 now = sonde_clock_monotonic_ns (NULL);

      worker->next_pass_ns = now + PASS_INTERVAL_NS;
      sonde_work_take_saves (worker);
      sonde_work_reread_due_runs (worker);
      handle_requests (worker);
      sonde_work_read_notices (worker);
      run_timers (worker, now);
      read_queue (worker);
      save_indices (worker, now, FALSE);
      sonde_work_sync_indices (worker, now);
      finish_settling (worker);
      if (sonde_clock_monotonic_ns (NULL) >= worker->next_message_ns)
        sonde_work_send (worker);
      wait_for_work (worker);
    }
  sonde_run_crew_stop (worker->scanners);
  sonde_work_drop_parts (worker);
  sonde_work_wait_for_saves (worker);
  worker->save_rounds++;
  save_indices (worker, 0, TRUE);
  sonde_work_wait_for_saves (worker);
  sonde_run_crew_stop (worker->saver);
  return NULL;
}

/* ---- the owner's side ---------------------------------------------------- */

static void
free_root (gpointer root)
{
  sonde_work_root_free (root);
}

static void
free_run (gpointer run)
{
  sonde_work_run_free (run);
}

static guint
count_scanners (void)
{
  return CLAMP (g_get_num_processors (), 1, MAX_SCANNERS);
}

SondeRunWorker *
sonde_run_worker_new (const SondeIo *io, const char *const *paths, const char *index_folder)
{
  SondeRunWorker *worker = g_new0 (SondeRunWorker, 1);

  worker->io = io ? io : sonde_io_system ();
  worker->index_folder = g_strdup (index_folder);
  worker->roots = g_ptr_array_new_with_free_func (free_root);
  worker->runs = g_ptr_array_new_with_free_func (free_run);
  worker->runs_by_key = g_hash_table_new (g_str_hash, g_str_equal);
  worker->files_by_path = g_hash_table_new (g_str_hash, g_str_equal);
  worker->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  sonde_record_batch_init (&worker->batch);
  worker->wanted_reread = g_array_new (FALSE, FALSE, sizeof (guint));
  worker->wanted_paths = g_ptr_array_new_with_free_func (g_free);
  sonde_run_worker_set_watching (worker, TRUE);
  worker->wakeup = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  worker->ready = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  worker->spare_batches = g_array_new (FALSE, FALSE, sizeof (SondeRecordBatch));
  worker->max_parts = 2 * count_scanners () + 1;
  worker->scanners = sonde_run_crew_new (count_scanners (), sonde_run_part_scan, worker->wakeup);
  worker->saver = sonde_run_crew_new (1, sonde_work_save_job, worker->wakeup);
  worker->load_tail = sonde_work_run_load_tail;
  worker->next_sync_ns = G_MAXINT64;
  worker->problems_changed = TRUE;
  worker->max_open_files = sonde_run_limit_open (MAX_OPEN_FILES, 1);
  worker->max_open_indices = sonde_run_limit_open (MAX_OPEN_INDICES, 4);
  pthread_mutex_init (&worker->mutex, NULL);
  for (gsize i = 0; paths[i]; i++)
    sonde_work_add_root (worker, paths[i]);
  return worker;
}

void
sonde_run_worker_set_watching (SondeRunWorker *worker, gboolean watching)
{
  gboolean poll = g_strcmp0 (g_getenv ("SONDE_WATCH"), "poll") == 0;

  g_return_if_fail (!worker->running);

  sonde_run_tail_free (worker->tail);
  worker->tail = sonde_run_tail_new (!watching ? SONDE_RUN_TAIL_NEVER
                                     : poll    ? SONDE_RUN_TAIL_POLL
                                               : SONDE_RUN_TAIL_NOTICES);
}

void
sonde_run_worker_start (SondeRunWorker *worker)
{
  if (worker->running)
    return;
  worker->running = TRUE;
  if (pthread_create (&worker->thread, NULL, worker_main, worker) != 0)
    g_error ("cannot start a thread: %s", g_strerror (errno));
}

static void
wake (SondeRunWorker *worker)
{
  eventfd_write (worker->wakeup, 1);
}

void
sonde_run_worker_free (SondeRunWorker *worker)
{
  if (!worker)
    return;
  pthread_mutex_lock (&worker->mutex);
  worker->stop = TRUE;
  pthread_mutex_unlock (&worker->mutex);
  wake (worker);
  if (worker->running)
    pthread_join (worker->thread, NULL);
  for (guint i = 0; i < worker->spare_batches->len; i++)
    sonde_record_batch_clear (&g_array_index (worker->spare_batches, SondeRecordBatch, i));
  g_array_unref (worker->spare_batches);
  sonde_run_crew_free (worker->scanners);
  sonde_run_crew_free (worker->saver);
  g_queue_clear (&worker->fresh);
  g_queue_clear (&worker->queue);
  g_hash_table_unref (worker->files_by_path);
  g_hash_table_unref (worker->runs_by_key);
  g_ptr_array_unref (worker->runs);
  g_hash_table_unref (worker->refused);
  sonde_record_batch_clear (&worker->batch);
  g_queue_clear (&worker->indices);
  g_ptr_array_unref (worker->roots);
  g_array_unref (worker->wanted_reread);
  g_ptr_array_unref (worker->wanted_paths);
  sonde_run_tail_free (worker->tail);
  sonde_run_message_free (worker->outbox);
  close (worker->wakeup);
  close (worker->ready);
  pthread_mutex_destroy (&worker->mutex);
  g_free (worker->index_folder);
  g_free (worker);
}

int
sonde_run_worker_get_fd (SondeRunWorker *worker)
{
  return worker->ready;
}

SondeRunMessage *
sonde_run_worker_take (SondeRunWorker *worker)
{
  SondeRunMessage *message;
  eventfd_t value;

  eventfd_read (worker->ready, &value);
  pthread_mutex_lock (&worker->mutex);
  message = g_steal_pointer (&worker->outbox);
  pthread_mutex_unlock (&worker->mutex);
  return message;
}

void
sonde_run_worker_add_path (SondeRunWorker *worker, const char *path)
{
  pthread_mutex_lock (&worker->mutex);
  g_ptr_array_add (worker->wanted_paths, g_strdup (path));
  pthread_mutex_unlock (&worker->mutex);
  wake (worker);
}

guint
sonde_run_worker_settle (SondeRunWorker *worker)
{
  guint number;

  pthread_mutex_lock (&worker->mutex);
  number = ++worker->wanted_settle;
  pthread_mutex_unlock (&worker->mutex);
  wake (worker);
  return number;
}

void
sonde_run_worker_reread (SondeRunWorker *worker, guint run)
{
  pthread_mutex_lock (&worker->mutex);
  g_array_append_val (worker->wanted_reread, run);
  pthread_mutex_unlock (&worker->mutex);
  wake (worker);
}
