/* SPDX-License-Identifier: Apache-2.0
 * When a recording begins and ends, and which of its steps stay. */
#include "data/base/sonde-span-log-private.h"

/* In a ring, before they are taken out behind a step: no more than a quarter, so that the next step
 * finds room. */
#define MANY (SONDE_SPAN_RING_LENGTH / 4)

/* Time of one call of sonde_span_log_add(), from a few hundred of them. */
static double
measure_span (const SondeSpanLog *base)
{
  enum
  {
    N = 512
  };
  SondeSpanRing ring;
  guint64 start, now;

  sonde_span_ring_init (&ring, N);
  start = now = sonde_ticks_now (&base->ticks);
  for (guint i = 0; i < N; i++)
    now = sonde_span_log_add (base, &ring, SONDE_SPAN_OP, 1, now, 0);
  sonde_span_ring_clear (&ring);
  return (double) (now - start) / N * sonde_ticks_get_ns (&base->ticks);
}

/* What late spans of an earlier recording left in the rings goes, too. */
static void
forget_all (SondeSpanLogState *log)
{
  sonde_span_log_collect (log);
  log->n_bytes = 0;
  for (guint i = 0; i < log->threads->len; i++)
    {
      SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      g_ptr_array_set_size (thread->blocks, 0);
      thread->n = thread->kept = thread->refused = 0;
      thread->dropped_before = atomic_load_explicit (&thread->ring.dropped, memory_order_relaxed);
    }
}

static void
finish (SondeSpanLogState *log)
{
  atomic_store (&log->base.on, 0);
  atomic_store (&log->armed, 0);
  log->in_step = FALSE;
}

void
sonde_span_log_start (SondeSpanLog *base, const SondeSpanLogOptions *options)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  double span_ns = measure_span (base);

  pthread_mutex_lock (&log->lock);
  finish (log);
  log->options = options != NULL ? *options : (SondeSpanLogOptions){ 0 };
  if (log->options.max_bytes == 0)
    log->options.max_bytes = SONDE_SPAN_LOG_BYTES;
  forget_all (log);
  sonde_running_median_clear (&log->step_ticks);
  log->n_steps = log->n_collected = 0;
  log->collecting_ticks = 0;
  log->span_ns = span_ns;
  log->sampled_at = log->last_end = 0;
  log->sampler_ticks = (double) log->sampler_interval_ns / sonde_ticks_get_ns (&base->ticks);
  atomic_store (&log->armed, 1);
  pthread_mutex_unlock (&log->lock);
}

void
sonde_span_log_stop (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;

  pthread_mutex_lock (&log->lock);
  if (atomic_load (&log->armed) != 0)
    {
      sonde_span_log_collect (log);
      sonde_span_log_forget_since (log, log->last_end);
    }
  finish (log);
  pthread_mutex_unlock (&log->lock);
}

static guint64
enter_step (SondeSpanLogState *log, guint64 number)
{
  atomic_store_explicit (&log->in_step, 1, memory_order_relaxed);
  log->step_number = number;
  return log->step_start = sonde_ticks_now (&log->base.ticks);
}

/* The first step that is recorded, or the first one after some were not. */
static guint64
turn_on (SondeSpanLogState *log, guint64 number)
{
  guint64 moment = 0;

  sonde_span_log_get_ring (&log->base); /* before anything is measured */
  pthread_mutex_lock (&log->lock);
  if (atomic_load (&log->armed) != 0 && number >= log->options.first)
    {
      moment = enter_step (log, number);
      if (log->last_end == 0)
        log->last_end = moment;
      atomic_store (&log->base.on,
                    SONDE_SPAN_LOG_ON | (log->options.kernels ? SONDE_SPAN_LOG_KERNELS : 0));
    }
  pthread_mutex_unlock (&log->lock);
  return moment;
}

guint64
sonde_span_log_begin_step (SondeSpanLog *base, guint64 number)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;

  if (log == NULL || atomic_load_explicit (&log->armed, memory_order_relaxed) == 0)
    return 0;
  /* Between steps the lock is not needed: who stops it meanwhile turns it off for the end of this one. */
  return atomic_load_explicit (&base->on, memory_order_relaxed) != 0 ? enter_step (log, number)
                                                                     : turn_on (log, number);
}

/* Whether the step that took @ticks is one of those that are wanted. Lock held. */
static gboolean
is_wanted (SondeSpanLogState *log, guint64 ticks)
{
  gboolean wanted
      = log->options.slower <= 0
        || (sonde_running_median_get_count (&log->step_ticks) >= SONDE_SPAN_LOG_LEAST_STEPS
            && (double) ticks > log->options.slower * sonde_running_median_get (&log->step_ticks));

  if (log->options.slower > 0)
    sonde_running_median_add (&log->step_ticks, (double) ticks);
  return wanted;
}

/* The step that ended at @now stays or goes. Lock held. */
static void
decide (SondeSpanLogState *log, guint64 now)
{
  gboolean wanted = is_wanted (log, now - log->step_start);
  gboolean last = wanted && log->n_steps + 1 == log->options.n_steps;
  gboolean many = FALSE;

  log->in_step = FALSE;
  for (guint i = 0; i < log->threads->len && !many; i++)
    {
      const SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      many = atomic_load_explicit (&thread->ring.head, memory_order_relaxed)
                 - atomic_load_explicit (&thread->ring.tail, memory_order_relaxed)
             > MANY;
    }
  if (many || last || log->options.slower > 0)
    sonde_span_log_collect (log);
  if (!wanted)
    sonde_span_log_forget_since (log, 0);
  for (guint i = 0; i < log->threads->len && log->options.slower > 0; i++)
    {
      SondeSpanThreadState *thread = g_ptr_array_index (log->threads, i);

      thread->kept = thread->n;
    }
  log->last_end = now;
  log->n_steps += wanted ? 1 : 0;
  if (last)
    finish (log);
}

/* Returns: now, behind it. @now: before it */
static guint64
sample (SondeSpanLogState *log, SondeSpanRing *ring, guint64 now)
{
  guint64 end;

  if (log->sampler == NULL
      || (log->sampled_at != 0 && (double) (now - log->sampled_at) < log->sampler_ticks))
    return now;
  log->sampled_at = now;
  log->sampler (&log->base, ring, log->sampler_data);
  end = sonde_ticks_now (&log->base.ticks);
  log->collecting_ticks += (double) (end - now);
  return end;
}

void
sonde_span_log_sample_now (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  SondeSpanRing *ring = sonde_span_log_get_ring (base);

  pthread_mutex_lock (&log->lock);
  if (atomic_load (&log->armed) != 0 && !log->in_step)
    {
      log->sampled_at = 0;
      sample (log, ring, sonde_ticks_now (&base->ticks));
    }
  pthread_mutex_unlock (&log->lock);
}

void
sonde_span_log_end_step (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  SondeSpanRing *ring = sonde_span_log_enter (base);

  if (ring == NULL)
    return;
  pthread_mutex_lock (&log->lock);
  if (atomic_load (&base->on) != 0 && log->in_step)
    {
      /* Inside the step, so that what it takes is seen. */
      guint64 now = sample (log, ring, sonde_ticks_now (&base->ticks));

      sonde_span_ring_add (ring, (SondeSpan){ log->step_start,
                                              now,
                                              { (gint64) log->step_number },
                                              log->step_label,
                                              SONDE_SPAN_STEP });
      decide (log, now);
    }
  pthread_mutex_unlock (&log->lock);
}

void
sonde_span_log_leave_step (SondeSpanLog *base)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;

  if (sonde_span_log_enter (base) == NULL)
    return;
  pthread_mutex_lock (&log->lock);
  if (atomic_load (&base->on) != 0 && log->in_step)
    {
      sonde_span_log_collect (log);
      sonde_span_log_forget_since (log, log->step_start);
      log->in_step = FALSE;
      atomic_store (&base->on, 0); /* what is still to come of it is none of the next step's */
    }
  pthread_mutex_unlock (&log->lock);
}

void
sonde_span_log_set_step_name (SondeSpanLog *base, const char *name)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;
  guint32 label = sonde_span_log_add_label (base, name);

  pthread_mutex_lock (&log->lock);
  log->step_name = name;
  log->step_label = label;
  pthread_mutex_unlock (&log->lock);
}

const char *
sonde_span_log_get_step_name (SondeSpanLog *base)
{
  return ((SondeSpanLogState *) base)->step_name;
}

void
sonde_span_log_set_sampler (SondeSpanLog *base, SondeSpanSampler sampler, gpointer data,
                            gint64 interval_ns)
{
  SondeSpanLogState *log = (SondeSpanLogState *) base;

  pthread_mutex_lock (&log->lock);
  log->sampler = sampler;
  log->sampler_data = data;
  log->sampler_interval_ns = interval_ns;
  pthread_mutex_unlock (&log->lock);
}
