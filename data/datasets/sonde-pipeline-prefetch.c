/* SPDX-License-Identifier: Apache-2.0
 * The stage that makes batches ahead in threads of its own. A ring of places in the order they will
 * be asked for; each is made by one thread, and taken by the one that asks. */
#include "data/datasets/sonde-pipeline-private.h"

#include "data/base/sonde-affinity.h"
#include "data/base/sonde-error.h"

typedef enum
{
  WAITING, /* nobody makes it yet */
  MAKING,
  MADE,
} EntryState;

typedef struct
{
  EntryState state;
  SondePipelinePlace place;
  SondeBatch batch;
  GError *error; /* instead of the batch */
} Entry;

typedef struct
{
  SondeStage base;
  guint depth, n_workers, n_started;
  GThread **workers;
  GMutex lock;
  GCond work, made; /* entries wait to be made; one was made */
  Entry *ring;      /* [depth] */
  guint head;       /* the entry asked for next */
  guint n_making;
  _Atomic int cancelled; /* what is being made is not wanted any more */
  gboolean stopping, running;
} Prefetch;

static char *
prefetch_describe (const SondeStage *stage)
{
  const Prefetch *prefetch = (const Prefetch *) stage;

  return g_strdup_printf ("prefetch depth=%u workers=%u", prefetch->depth, prefetch->n_workers);
}

static SondePipelinePlace
next_place (const SondeStage *stage, SondePipelinePlace place)
{
  if (place.index + 1 < stage->n)
    return (SondePipelinePlace){ place.epoch, place.index + 1 };
  return (SondePipelinePlace){ place.epoch + 1, 0 };
}

/* The first entry from the head that nobody makes. */
static Entry *
find_waiting (Prefetch *prefetch)
{
  for (guint i = 0; prefetch->running && i < prefetch->depth; i++)
    {
      Entry *entry = &prefetch->ring[(prefetch->head + i) % prefetch->depth];

      if (entry->state == WAITING)
        return entry;
    }
  return NULL;
}

/* Lock held; let go while the batch is made. */
static void
make_entry (Prefetch *prefetch, Entry *entry)
{
  entry->state = MAKING;
  prefetch->n_making++;
  g_mutex_unlock (&prefetch->lock);
  sonde_stage_load (prefetch->base.before, entry->place, &prefetch->cancelled, &entry->batch,
                    &entry->error);
  g_mutex_lock (&prefetch->lock);
  prefetch->n_making--;
  entry->state = MADE;
  g_cond_broadcast (&prefetch->made);
}

static void *
work (void *data)
{
  Prefetch *prefetch = data;

  sonde_affinity_restore ();
  g_mutex_lock (&prefetch->lock);
  while (!prefetch->stopping)
    {
      Entry *entry = find_waiting (prefetch);

      if (entry != NULL)
        make_entry (prefetch, entry);
      else
        g_cond_wait (&prefetch->work, &prefetch->lock);
    }
  g_mutex_unlock (&prefetch->lock);
  return NULL;
}

static void
clear_entry (Entry *entry)
{
  sonde_batch_clear (&entry->batch);
  g_clear_error (&entry->error);
  entry->state = WAITING;
}

/* Lock held. Drops all that is made or being made. */
static void
drain (Prefetch *prefetch)
{
  prefetch->running = FALSE;
  atomic_store (&prefetch->cancelled, 1);
  while (prefetch->n_making > 0)
    g_cond_wait (&prefetch->made, &prefetch->lock);
  atomic_store (&prefetch->cancelled, 0);
  for (guint i = 0; i < prefetch->depth; i++)
    clear_entry (&prefetch->ring[i]);
}

/* Lock held. */
static void
restart (Prefetch *prefetch, SondePipelinePlace place)
{
  drain (prefetch);
  prefetch->head = 0;
  for (guint i = 0; i < prefetch->depth; i++)
    {
      prefetch->ring[i].place = place;
      place = next_place (&prefetch->base, place);
    }
  prefetch->running = TRUE;
  g_cond_broadcast (&prefetch->work);
}

/* As many as the system gives. */
static void
start_workers (Prefetch *prefetch)
{
  while (prefetch->n_started < prefetch->n_workers
         && (prefetch->workers[prefetch->n_started]
             = g_thread_try_new ("prefetch", work, prefetch, NULL))
                != NULL)
    prefetch->n_started++;
  prefetch->n_workers = prefetch->n_started;
}

/* Lock held. Takes what is at the head; its place in the ring goes to the batch after the last. */
static gboolean
take_head (Prefetch *prefetch, SondeBatch *batch, GError **error)
{
  Entry *entry = &prefetch->ring[prefetch->head];
  const Entry *last = &prefetch->ring[(prefetch->head + prefetch->depth - 1) % prefetch->depth];
  SondePipelinePlace following = next_place (&prefetch->base, last->place);
  gboolean made = entry->error == NULL;

  if (!made)
    g_propagate_error (error, g_steal_pointer (&entry->error));
  *batch = entry->batch;
  entry->batch = (SondeBatch){ 0 };
  entry->state = WAITING;
  entry->place = following;
  prefetch->head = (prefetch->head + 1) % prefetch->depth;
  if (!made)
    drain (prefetch); /* nobody goes on behind an error without asking again */
  else
    g_cond_signal (&prefetch->work);
  return made;
}

/* Lock held. How many batches are ready in the order they will be asked for. */
static guint
count_made (const Prefetch *prefetch)
{
  guint n = 0;

  while (n < prefetch->depth
         && prefetch->ring[(prefetch->head + n) % prefetch->depth].state == MADE)
    n++;
  return n;
}

/* The reader waited since @start for a batch; @n_ready were there. */
static void
add_wait (const SondeStage *stage, SondeSpanRing *ring, guint64 start, guint n_ready)
{
  SondeSpanLog *log = stage->spans;
  guint64 now = sonde_span_log_add (log, ring, SONDE_SPAN_WAIT, stage->span_label, start, 1);

  sonde_span_ring_add (
      ring,
      (SondeSpan){ start, now, { (gint64) (now - start) }, stage->span_label, SONDE_SPAN_STAGE });
  sonde_span_log_add_number (log, ring, sonde_span_log_add_label (log, SONDE_SPAN_READY), n_ready);
}

static gboolean
prefetch_load (SondeStage *stage, SondePipelinePlace place, const _Atomic int *cancelled,
               SondeBatch *batch, GError **error)
{
  Prefetch *prefetch = (Prefetch *) stage;
  SondeSpanRing *ring = sonde_span_log_enter (stage->spans);
  guint64 start = ring != NULL ? sonde_ticks_now (&stage->spans->ticks) : 0;
  const Entry *head;
  guint n_ready;
  gboolean made;

  if (prefetch->n_started < prefetch->n_workers)
    start_workers (prefetch);
  if (prefetch->n_workers == 0)
    return sonde_stage_load (stage->before, place, cancelled, batch, error);

  g_mutex_lock (&prefetch->lock);
  head = &prefetch->ring[prefetch->head];
  if (!prefetch->running || head->place.epoch != place.epoch || head->place.index != place.index)
    restart (prefetch, place);
  n_ready = ring != NULL ? count_made (prefetch) : 0;
  while (prefetch->ring[prefetch->head].state != MADE)
    g_cond_wait (&prefetch->made, &prefetch->lock);
  made = take_head (prefetch, batch, error);
  g_mutex_unlock (&prefetch->lock);
  if (ring != NULL)
    add_wait (stage, ring, start, n_ready);
  return made;
}

static void
prefetch_free (SondeStage *stage)
{
  Prefetch *prefetch = (Prefetch *) stage;

  g_mutex_lock (&prefetch->lock);
  prefetch->stopping = TRUE;
  atomic_store (&prefetch->cancelled, 1);
  g_cond_broadcast (&prefetch->work);
  g_mutex_unlock (&prefetch->lock);
  for (guint i = 0; i < prefetch->n_started; i++)
    g_thread_join (prefetch->workers[i]);
  for (guint i = 0; i < prefetch->depth; i++)
    clear_entry (&prefetch->ring[i]);
  g_cond_clear (&prefetch->work);
  g_cond_clear (&prefetch->made);
  g_mutex_clear (&prefetch->lock);
  g_free (prefetch->ring);
  g_free (prefetch->workers);
  g_free (prefetch);
}

static const SondeStageClass prefetch_class = {
  .name = "prefetch",
  .describe = prefetch_describe,
  .load = prefetch_load,
  .free = prefetch_free,
};

SondeStage *
sonde_stage_prefetch_new (SondeStage *before, guint depth, guint workers)
{
  Prefetch *prefetch;

  g_return_val_if_fail (depth > 0 && before->klass->load != NULL, before);

  if (workers == 0 || before->n == 0)
    return before;
  prefetch = g_new0 (Prefetch, 1);
  sonde_stage_follow (&prefetch->base, &prefetch_class, before);
  prefetch->depth = depth;
  prefetch->n_workers = MIN (workers, depth); /* more would have nothing to do */
  prefetch->workers = g_new0 (GThread *, prefetch->n_workers);
  prefetch->ring = g_new0 (Entry, depth);
  g_mutex_init (&prefetch->lock);
  g_cond_init (&prefetch->work);
  g_cond_init (&prefetch->made);
  return &prefetch->base;
}
