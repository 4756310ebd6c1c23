/* SPDX-License-Identifier: Apache-2.0
 * Spans of a log as a trace. */
#include "engine/profile/sonde-recording.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-clock.h"
#include "data/traces/sonde-trace-builder.h"
#include "engine/plan/sonde-execution-spans.h"
#include "engine/profile/sonde-recording-memory.h"

static const char *const category_names[SONDE_SPAN_N_CATEGORIES] = {
  [SONDE_SPAN_STEP] = "step",
  [SONDE_SPAN_SCOPE] = "scope",
  [SONDE_SPAN_OP] = "op",
  [SONDE_SPAN_KERNEL] = "kernel",
  [SONDE_SPAN_COPY] = "copy",
  [SONDE_SPAN_DATA] = "data",
  [SONDE_SPAN_WAIT] = "wait",
  [SONDE_SPAN_RECORDING] = "recording",
  [SONDE_SPAN_ALLOCATION] = "alloc",
};

/**
 * Maker: a trace that is being made
 * @origin: ticks of time 0; @tick_ns: ns of a tick
 * @scopes: by label: (nullable): interned scope of a step of a plan
 * @has_scope: by label: whether it is such a step, which may lie in the root
 * @labels: by category and label, of the trace + 1; 0: not asked for yet
 */
typedef struct
{
  SondeSpanLog *log;
  SondeTraceBuilder *builder;
  guint32 pid;
  guint64 origin;
  double tick_ns;
  guint32 n_labels;
  const char **scopes;
  gboolean *has_scope;
  guint32 *labels[SONDE_SPAN_N_CATEGORIES];
  guint64 place;
} Maker;

static gint64
to_ns (const Maker *maker, guint64 ticks)
{
  return llround ((double) (gint64) (ticks - maker->origin) * maker->tick_ns);
}

static guint32
add_text (Maker *maker, const char *text)
{
  return sonde_trace_builder_add_text (maker->builder, text, strlen (text));
}

static guint32
get_label (Maker *maker, const SondeSpan *span)
{
  guint32 category = add_text (maker, category_names[span->category]);
  guint32 *known = &maker->labels[span->category][MIN (span->label, maker->n_labels)];

  if (span->category == SONDE_SPAN_STEP)
    {
      g_autofree char *name = g_strdup_printf (
          "%s %" PRIi64, sonde_span_log_get_label (maker->log, span->label), span->value);

      return sonde_trace_builder_add_label (maker->builder, category, add_text (maker, name));
    }
  if (*known == 0)
    *known = 1
             + sonde_trace_builder_add_label (
                 maker->builder, category,
                 add_text (maker, sonde_span_log_get_label (maker->log, span->label)));
  return *known - 1;
}

/* ---- scopes --------------------------------------------------------------------- */

/* A scope that is open: @length: of the text that names it with those around it */
typedef struct
{
  guint64 start, end;
  const char *path;
  gsize length;
  guint depth;
} Scope;

/* How much of @a and @b is the same, in whole parts: "x/y" of "x/y/z" and "x/y/w". */
static gsize
common_length (const char *a, const char *b)
{
  gsize length = 0;

  for (gsize i = 0;; i++)
    {
      const gboolean ends_a = a[i] == '\0' || a[i] == '/', ends_b = b[i] == '\0' || b[i] == '/';

      if (ends_a && ends_b)
        length = i;
      if (a[i] != b[i] || a[i] == '\0')
        return length;
    }
}

/* Ends those of @open whose path is longer than @length. */
static void
close_scopes (GArray *open, gsize length, GArray *closed)
{
  while (open->len > 0 && g_array_index (open, Scope, open->len - 1).length > length)
    {
      g_array_append_val (closed, g_array_index (open, Scope, open->len - 1));
      g_array_set_size (open, open->len - 1);
    }
}

static void
open_scopes (GArray *open, const char *path, guint64 start, guint64 end)
{
  gsize length = open->len > 0 ? g_array_index (open, Scope, open->len - 1).length : 0;

  while (path[length] != '\0')
    {
      Scope scope = { start, end, path, 0, open->len };

      length += path[length] == '/' ? 1 : 0;
      length += strcspn (path + length, "/");
      scope.length = length;
      g_array_append_val (open, scope);
    }
  for (guint i = 0; i < open->len; i++)
    g_array_index (open, Scope, i).end = end;
}

static int
compare_scopes (gconstpointer a, gconstpointer b)
{
  const Scope *x = a, *y = b;

  return (x->depth > y->depth) - (x->depth < y->depth);
}

/* The outer ones first, so that of two of the same length the outer one is. */
static void
add_scopes (Maker *maker, guint index, guint64 n, guint32 thread)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Scope));
  g_autoptr (GArray) closed = g_array_new (FALSE, FALSE, sizeof (Scope));
  guint32 category = add_text (maker, category_names[SONDE_SPAN_SCOPE]);

  for (guint64 i = 0; i < n; i++)
    {
      const SondeSpan *span = sonde_span_log_get_span (maker->log, index, i);
      const char *scope;

      if (span->category == SONDE_SPAN_STEP)
        close_scopes (open, 0, closed);
      if (span->category != SONDE_SPAN_OP || span->label > maker->n_labels
          || !maker->has_scope[span->label])
        continue;
      scope = maker->scopes[span->label] != NULL ? maker->scopes[span->label] : "";
      if (open->len > 0)
        close_scopes (open, common_length (g_array_index (open, Scope, open->len - 1).path, scope),
                      closed);
      open_scopes (open, scope, span->start, span->end);
    }
  close_scopes (open, 0, closed);
  g_array_sort (closed, compare_scopes);
  for (guint i = 0; i < closed->len; i++)
    {
      const Scope *scope = &g_array_index (closed, Scope, i);
      guint32 name = sonde_trace_builder_add_text (maker->builder, scope->path, scope->length);

      sonde_trace_builder_add_span (
          maker->builder, thread, sonde_trace_builder_add_label (maker->builder, category, name),
          to_ns (maker, scope->start), to_ns (maker, scope->end), maker->place++);
    }
}

/* Steps of plans, not those of bodies: they stand inside other steps. */
static void
find_scopes (Maker *maker)
{
  for (guint i = 0; i < sonde_span_log_get_n_sources (maker->log); i++)
    {
      const char *kind;
      guint32 first;
      guint n;
      SondePlan *plan = sonde_span_log_get_source (maker->log, i, &kind, &first, &n);

      if (strcmp (kind, SONDE_SPANS_OF_PLAN) != 0)
        continue;
      for (guint k = 0; k < n; k++)
        {
          const SondeStep *step = sonde_plan_get_step (plan, k);

          maker->scopes[first + k] = step->n_nodes > 0 ? step->nodes[0]->scope : NULL;
          maker->has_scope[first + k] = TRUE;
        }
    }
}

/* ---- spans ------------------------------------------------------------------------ */

/* Spans are kept in the order of their ends, so that of two alike the inner one is first. */
static void
add_spans (Maker *maker, guint index, guint64 n, guint32 thread)
{
  guint32 key = add_text (maker, "value");

  for (guint64 i = n; i-- > 0;)
    {
      const SondeSpan *span = sonde_span_log_get_span (maker->log, index, i);

      if (sonde_span_category_is_span (span->category))
        sonde_trace_builder_add_span (maker->builder, thread, get_label (maker, span),
                                      to_ns (maker, span->start), to_ns (maker, span->end),
                                      maker->place++);
      else if (span->category == SONDE_SPAN_COUNTER)
        sonde_trace_builder_add_point (
            maker->builder, maker->pid,
            add_text (maker, sonde_span_log_get_label (maker->log, span->label)), key,
            to_ns (maker, span->start), span->number);
      if (span->category != SONDE_SPAN_STAGE)
        sonde_trace_builder_count_event (maker->builder);
    }
}

static void
add_thread (Maker *maker, guint index)
{
  SondeSpanThread thread;
  char tid[24];
  guint32 row;

  sonde_span_log_get_thread (maker->log, index, &thread);
  sonde_trace_builder_add_dropped (maker->builder, thread.n_dropped);
  if (thread.n_spans == 0)
    return;
  g_snprintf (tid, sizeof tid, "%" PRIi64, thread.tid);
  row = sonde_trace_builder_add_thread (maker->builder, maker->pid, add_text (maker, tid), 0);
  sonde_trace_builder_name_thread (maker->builder, row, add_text (maker, thread.name));
  add_scopes (maker, index, thread.n_spans, row);
  add_spans (maker, index, thread.n_spans, row);
}

/* The earliest moment that was recorded; 0: none. */
static guint64
find_origin (SondeSpanLog *log)
{
  guint64 origin = G_MAXUINT64;

  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, i, &thread);
      for (guint64 k = 0; k < thread.n_spans; k++)
        origin = MIN (origin, sonde_span_log_get_span (log, i, k)->start);
    }
  return origin != G_MAXUINT64 ? origin : 0;
}

SondeTrace *
sonde_recording_make_trace (SondeSpanLog *log)
{
  return sonde_recording_make_trace_with_memory (log, NULL);
}

SondeTrace *
sonde_recording_make_trace_with_memory (SondeSpanLog *log, const SondeMemoryTimeline *memory)
{
  guint32 n_labels = sonde_span_log_get_n_labels (log);
  Maker maker = { .log = log,
                  .builder = sonde_trace_builder_new (SONDE_TRACE_CHROME),
                  .origin = find_origin (log),
                  .tick_ns = sonde_ticks_get_ns (&log->ticks),
                  .n_labels = n_labels,
                  .scopes = g_new0 (const char *, n_labels + 1),
                  .has_scope = g_new0 (gboolean, n_labels + 1) };
  gint64 since_ns = to_ns (&maker, sonde_ticks_now (&log->ticks));
  char pid[24];
  SondeTrace *trace;

  g_snprintf (pid, sizeof pid, "%d", (int) getpid ());
  maker.pid = add_text (&maker, pid);
  for (guint i = 0; i < SONDE_SPAN_N_CATEGORIES; i++)
    maker.labels[i] = g_new0 (guint32, n_labels + 1);
  sonde_trace_builder_set_producer (maker.builder, "sonde");
  sonde_trace_builder_name_process (maker.builder, maker.pid, add_text (&maker, "sonde"));
  if (maker.origin != 0)
    sonde_trace_builder_set_clock_base (maker.builder, sonde_clock_wall_ns (NULL) - since_ns);
  find_scopes (&maker);
  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    add_thread (&maker, i);
  if (memory != NULL && memory->lifetimes != NULL)
    sonde_recording_add_memory (maker.builder, maker.pid, log, memory, maker.origin, maker.tick_ns);
  trace = sonde_trace_builder_finish (maker.builder);
  sonde_trace_builder_free (maker.builder);
  for (guint i = 0; i < SONDE_SPAN_N_CATEGORIES; i++)
    g_free (maker.labels[i]);
  g_free (maker.scopes);
  g_free (maker.has_scope);
  return trace;
}
