/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-recording-memory.h"

#include <math.h>
#include <string.h>

#include "engine/plan/sonde-execution-spans.h"
#include "engine/profile/sonde-recording.h"

#define NO_STEP G_MAXUINT
#define N_SERIES (SONDE_MEMORY_N_KINDS + 1) /* the last one is what is allocated */

/**
 * Curve: what is added to the trace
 * @live: by step of the timeline, N_SERIES each
 * @steps: by label: step of the timeline, NO_STEP for what is none
 * @names, @keys: by series, texts of the trace; @now: as it was told last, NaN before
 */
typedef struct
{
  SondeTraceBuilder *builder;
  guint32 pid;
  guint64 origin;
  double tick_ns;
  double *live;
  guint *steps;
  guint32 n_labels;
  guint32 names[N_SERIES], keys[N_SERIES];
  double now[N_SERIES];
  guint n_points;
} Curve;

/* From the changes at the borders of lifetimes. */
static double *
sum_up (const SondeMemoryTimeline *memory)
{
  double *live = g_new0 (double, ((gsize) memory->n_steps + 1) * N_SERIES);

  for (guint i = 0; i < memory->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = &g_array_index (memory->lifetimes, SondeLifetime, i);
      const gsize until = MIN ((gsize) lifetime->until + 1, memory->n_steps);

      if (lifetime->from >= memory->n_steps || until <= lifetime->from)
        continue;
      live[(gsize) lifetime->from * N_SERIES + lifetime->kind] += (double) lifetime->bytes;
      live[until * N_SERIES + lifetime->kind] -= (double) lifetime->bytes;
    }
  for (gsize k = 0; k < memory->n_steps; k++)
    {
      for (guint i = 0; k > 0 && i < SONDE_MEMORY_N_KINDS; i++)
        live[k * N_SERIES + i] += live[(k - 1) * N_SERIES + i];
      live[k * N_SERIES + SONDE_MEMORY_N_KINDS] = (double) memory->held_bytes[k];
    }
  return live;
}

/* By label: the step of @memory with its name. */
static guint *
find_steps (SondeSpanLog *log, const SondeMemoryTimeline *memory, guint32 n_labels)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  guint *steps = g_new (guint, n_labels + 1);

  memset (steps, 0xff, (n_labels + 1) * sizeof *steps);
  for (guint k = memory->n_steps; k-- > 0;)
    g_hash_table_insert (names, (gpointer) memory->steps[k], GUINT_TO_POINTER (k + 1));
  for (guint i = 0; i < sonde_span_log_get_n_sources (log); i++)
    {
      const char *kind;
      guint32 first;
      guint n;

      sonde_span_log_get_source (log, i, &kind, &first, &n);
      for (guint k = 0; k < n && strcmp (kind, SONDE_SPANS_OF_PLAN) == 0; k++)
        {
          guint step = GPOINTER_TO_UINT (
              g_hash_table_lookup (names, sonde_span_log_get_label (log, first + k)));

          if (step > 0)
            steps[first + k] = step - 1;
        }
    }
  return steps;
}

static void
add_points (Curve *curve, const SondeSpan *span)
{
  const double *live = &curve->live[(gsize) curve->steps[span->label] * N_SERIES];
  gint64 at = llround ((double) (gint64) (span->start - curve->origin) * curve->tick_ns);

  for (guint i = 0; i < N_SERIES && curve->n_points < SONDE_RECORDING_POINTS; i++)
    {
      /* a kind that is never there has no curve */
      if (live[i] == curve->now[i] || (isnan (curve->now[i]) && live[i] == 0))
        continue;
      curve->now[i] = live[i];
      curve->n_points++;
      sonde_trace_builder_add_point (curve->builder, curve->pid, curve->names[i], curve->keys[i],
                                     at, live[i]);
    }
}

static void
name_series (Curve *curve)
{
  for (guint i = 0; i < N_SERIES; i++)
    {
      const gboolean reserved = i == SONDE_MEMORY_N_KINDS;
      const char *name = reserved ? SONDE_RECORDING_RESERVED : SONDE_RECORDING_MEMORY;
      const char *key = reserved ? "value" : sonde_memory_kind_get_name ((SondeMemoryKind) i);

      curve->names[i] = sonde_trace_builder_add_text (curve->builder, name, strlen (name));
      curve->keys[i] = sonde_trace_builder_add_text (curve->builder, key, strlen (key));
      curve->now[i] = NAN;
    }
}

void
sonde_recording_add_memory (SondeTraceBuilder *builder, guint32 pid, SondeSpanLog *log,
                            const SondeMemoryTimeline *memory, guint64 origin, double tick_ns)
{
  Curve curve = { .builder = builder, .pid = pid, .origin = origin, .tick_ns = tick_ns };

  curve.n_labels = sonde_span_log_get_n_labels (log);
  curve.live = sum_up (memory);
  curve.steps = find_steps (log, memory, curve.n_labels);
  name_series (&curve);
  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, i, &thread);
      for (guint64 k = 0; k < thread.n_spans; k++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, i, k);

          if (span->category == SONDE_SPAN_OP && span->label <= curve.n_labels
              && curve.steps[span->label] != NO_STEP)
            add_points (&curve, span);
        }
    }
  g_free (curve.live);
  g_free (curve.steps);
}
