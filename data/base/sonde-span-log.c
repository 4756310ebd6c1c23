/* SPDX-License-Identifier: Apache-2.0
 * Threads and their rings, labels, and what is taken out of the rings. */
#include "data/base/sonde-span-log-private.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_LENGTH 16 /* of a thread, with its NUL */

/* ---- life ------------------------------------------------------------------ */

/* A thread that had a ring ends. */
static void
end_thread (void *data)
{
  SondeSpanThreadState *thread = data;

  atomic_store (&thread->ended, 1);
}

static void
free_thread (gpointer data)
{
  SondeSpanThreadState *thread = data;

  sonde_span_ring_clear (&thread->ring);
  g_ptr_array_unref (thread->blocks);
  g_free (thread->name);
  g_aligned_free (thread);
}

SondeSpanLog *
sonde_span_log_new (void)
{
  SondeSpanLogState *log = g_new0 (SondeSpanLogState, 1);

  sonde_ticks_init (&log->base.ticks);
  log->ref_count = 1;
  pthread_mutex_init (&log->lock, NULL);
  if (pthread_key_create (&log->key, end_thread) != 0)
    g_error ("no key is left for what threads keep of their own");
  log->threads = g_ptr_array_new_with_free_func (free_thread);
  log->labels = g_ptr_array_new ();
  log->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  log->sources = g_array_new (FALSE, FALSE, sizeof (SondeSpanSource));
  log->step_name = "step";
  log->step_label = sonde_span_log_add_label (&log->base, log->step_name);
  return &log->base;
}

SondeSpanLog *
sonde_span_log_ref (SondeSpanLog *base)
{
  atomic_fetch_add (&((SondeSpanLogState *) base)->ref_count, 1);
  return base;
}

void
sonde_span_log_unref (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;

  if (log == NULL || atomic_fetch_sub (&log->ref_count, 1) > 1)
    return;
  pthread_key_delete (log->key);
  for (guint i = 0; i < log->sources->len; i++)
    {
      const SondeSpanSource *source = &g_array_index (log->sources, SondeSpanSource, i);

      if (source->free != NULL)
        source->free (source->source);
    }
  g_array_unref (log->sources);
  g_ptr_array_unref (log->labels);
  g_hash_table_unref (log->texts);
  g_ptr_array_unref (log->threads);
  sonde_running_median_clear (&log->step_ticks);
  pthread_mutex_destroy (&log->lock);
  g_free (log);
}

/* ---- threads ---------------------------------------------------------------- */

/* The ring of a thread of this name that is no more. Lock held. */
static SondeSpanThreadState *
find_ended (SondeSpanLogState *log, const char *name)
{
  for (guint i = 0; i < log->threads->len; i++)
    {
      SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      if (atomic_load (&thread->ended) != 0 && strcmp (thread->name, name) == 0)
        return thread;
    }
  return NULL;
}

static SondeSpanThreadState *
new_thread (const char *name)
{
  SondeSpanThreadState *thread
      = g_aligned_alloc0 (1, sizeof *thread, _Alignof(SondeSpanThreadState));

  sonde_span_ring_init (&thread->ring, SONDE_SPAN_RING_LENGTH);
  thread->name = g_utf8_make_valid (name, -1);
  thread->blocks = g_ptr_array_new_with_free_func (g_free);
  return thread;
}

SondeSpanRing *
sonde_span_log_get_ring (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  SondeSpanThreadState *thread = pthread_getspecific (log->key);
  char name[NAME_LENGTH] = "";

  if (G_LIKELY (thread != NULL))
    return &thread->ring;

  pthread_getname_np (pthread_self (), name, sizeof name);
  pthread_mutex_lock (&log->lock);
  thread = find_ended (log, name);
  if (thread == NULL)
    {
      thread = new_thread (name);
      g_ptr_array_add (log->threads, thread);
    }
  atomic_store (&thread->ended, 0);
  thread->tid = (gint64) syscall (SYS_gettid);
  pthread_mutex_unlock (&log->lock);
  pthread_setspecific (log->key, thread);
  return &thread->ring;
}

guint
sonde_span_log_get_n_threads (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint n;

  pthread_mutex_lock (&log->lock);
  n = log->threads->len;
  pthread_mutex_unlock (&log->lock);
  return n;
}

static guint64
get_dropped (const SondeSpanThreadState *thread)
{
  return atomic_load_explicit (&thread->ring.dropped, memory_order_relaxed) - thread->dropped_before
         + thread->refused;
}

void
sonde_span_log_get_thread (SondeSpanLog *base, guint index, SondeSpanThread *result)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  const SondeSpanThreadState *thread;

  pthread_mutex_lock (&log->lock);
  thread = g_ptr_array_index (log->threads, index);
  *result = (SondeSpanThread){ thread->name, thread->tid, thread->n, get_dropped (thread) };
  pthread_mutex_unlock (&log->lock);
}

static SondeSpan *
get_span (const SondeSpanThreadState *thread, guint64 index)
{
  SondeSpan *block = g_ptr_array_index (thread->blocks, index / SONDE_SPAN_BLOCK);

  return &block[index % SONDE_SPAN_BLOCK];
}

const SondeSpan *
sonde_span_log_get_span (SondeSpanLog *base, guint index, guint64 span)
{
  const SondeSpanLogState *log = (SondeSpanLogState *) base;

  return get_span (g_ptr_array_index (log->threads, index), span);
}

/* ---- labels ------------------------------------------------------------------ */

guint32
sonde_span_log_add_label (SondeSpanLog *base, const char *text)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint32 label;

  pthread_mutex_lock (&log->lock);
  label = GPOINTER_TO_UINT (g_hash_table_lookup (log->texts, text));
  if (label == SONDE_SPAN_NO_LABEL)
    {
      char *copy = g_strdup (text);

      g_ptr_array_add (log->labels, copy);
      label = log->labels->len;
      g_hash_table_insert (log->texts, copy, GUINT_TO_POINTER (label));
    }
  pthread_mutex_unlock (&log->lock);
  return label;
}

guint32
sonde_span_log_add_source (SondeSpanLog *base, const char *const *texts, guint n, const char *kind,
                           gpointer data, GDestroyNotify free)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  SondeSpanSource source = { kind, data, free, 0, n };

  pthread_mutex_lock (&log->lock);
  source.first = log->labels->len + 1;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (log->labels, (gpointer) texts[i]);
  g_array_append_val (log->sources, source);
  pthread_mutex_unlock (&log->lock);
  return source.first;
}

guint32
sonde_span_log_get_n_labels (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint32 n;

  pthread_mutex_lock (&log->lock);
  n = log->labels->len;
  pthread_mutex_unlock (&log->lock);
  return n;
}

const char *
sonde_span_log_get_label (SondeSpanLog *base, guint32 label)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  const char *text = "";

  pthread_mutex_lock (&log->lock);
  if (label != SONDE_SPAN_NO_LABEL && label <= log->labels->len)
    text = g_ptr_array_index (log->labels, label - 1);
  pthread_mutex_unlock (&log->lock);
  return text;
}

guint
sonde_span_log_get_n_sources (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint n;

  pthread_mutex_lock (&log->lock);
  n = log->sources->len;
  pthread_mutex_unlock (&log->lock);
  return n;
}

gpointer
sonde_span_log_get_source (SondeSpanLog *base, guint index, const char **kind, guint32 *first,
                           guint *n)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  SondeSpanSource source;

  pthread_mutex_lock (&log->lock);
  source = g_array_index (log->sources, SondeSpanSource, index);
  pthread_mutex_unlock (&log->lock);
  *kind = source.kind;
  *first = source.first;
  *n = source.n;
  return source.source;
}

/* ---- taking spans out of rings ------------------------------------------------ */

/* As many as there is memory for; those beyond are lost. */
static void
store (SondeSpanLogState *log, SondeSpanThreadState *thread, const SondeSpan *spans, gsize n)
{
  while (n > 0)
    {
      gsize used = thread->n % SONDE_SPAN_BLOCK, part = MIN (n, SONDE_SPAN_BLOCK - used);

      if (thread->n / SONDE_SPAN_BLOCK >= thread->blocks->len)
        {
          if (log->n_bytes + SONDE_SPAN_BLOCK * sizeof *spans > log->options.max_bytes)
            {
              thread->refused += n;
              return;
            }
          g_ptr_array_add (thread->blocks, g_new (SondeSpan, SONDE_SPAN_BLOCK));
          log->n_bytes += SONDE_SPAN_BLOCK * sizeof *spans;
        }
      memcpy (get_span (thread, thread->n), spans, part * sizeof *spans);
      thread->n += part;
      spans += part;
      n -= part;
    }
}

void
sonde_span_log_collect (SondeSpanLogState *log)
{
  guint64 start = sonde_ticks_now (&log->base.ticks);

  for (guint i = 0; i < log->threads->len; i++)
    {
      SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);
      const SondeSpan *first;
      gsize n;

      while ((n = sonde_span_ring_peek (&thread->ring, &first)) > 0)
        {
          store (log, thread, first, n);
          sonde_span_ring_take (&thread->ring, n);
          log->n_collected += n;
        }
    }
  log->collecting_ticks += (double) (sonde_ticks_now (&log->base.ticks) - start);
}

void
sonde_span_log_forget_since (SondeSpanLogState *log, guint64 moment)
{
  for (guint i = 0; i < log->threads->len; i++)
    {
      SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      while (thread->n > thread->kept && get_span (thread, thread->n - 1)->end > moment)
        thread->n--;
    }
}

static guint64
count_waiting (const SondeSpanThreadState *thread)
{
  return atomic_load_explicit (&thread->ring.head, memory_order_relaxed)
         - atomic_load_explicit (&thread->ring.tail, memory_order_relaxed);
}

void
sonde_span_log_get_status (SondeSpanLog *base, SondeSpanLogStatus *status)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint64 waiting = 0;

  *status = (SondeSpanLogStatus){ 0 };
  pthread_mutex_lock (&log->lock);
  status->recording = atomic_load (&log->armed) != 0;
  status->steps = log->n_steps;
  for (guint i = 0; i < log->threads->len; i++)
    {
      const SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      waiting += status->recording ? count_waiting (thread) : 0;
      status->spans += thread->n;
      status->dropped += get_dropped (thread);
    }
  status->spans += waiting;
  status->bytes = status->spans * sizeof (SondeSpan);
  status->overhead_ms = (log->collecting_ticks * sonde_ticks_get_ns (&base->ticks)
                         + (double) (log->n_collected + waiting) * log->span_ns)
                        / 1e6;
  pthread_mutex_unlock (&log->lock);
}
