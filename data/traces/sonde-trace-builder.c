/* SPDX-License-Identifier: Apache-2.0
 * Gathering; finishing is in sonde-trace-{pairs,order,nesting,flows}.c. */
#include "data/traces/sonde-trace-builder.h"

#include <string.h>

#include <xxhash.h>

#include "data/base/sonde-checked.h"
#include "data/traces/sonde-trace-builder-private.h"

static guint
hash_key (gconstpointer key)
{
  return XXH3_64bits (key, sizeof (SondeTraceKey));
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (SondeTraceKey)) == 0;
}

static guint64
join (guint32 high, guint32 low)
{
  return (guint64) high << 32 | low;
}

/* The number of @key in @table, a new one when it is not there. */
static guint32
get_number (GHashTable *table, SondeTraceKey key, gboolean *is_new)
{
  guint32 number = GPOINTER_TO_UINT (g_hash_table_lookup (table, &key));

  *is_new = number == 0;
  if (number == 0)
    {
      number = g_hash_table_size (table) + 1;
      g_hash_table_insert (table, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (number));
    }
  return number - 1;
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
}

static SondeTrace *
new_trace (SondeTraceFormat format)
{
  SondeTrace *trace = g_new0 (SondeTrace, 1);

  trace->format = format;
  trace->producer = "unknown";
  trace->above = g_array_new (FALSE, FALSE, sizeof (SondeTracePlace));
  trace->labels = g_array_new (FALSE, TRUE, sizeof (SondeTraceLabel));
  trace->details = g_array_new (FALSE, FALSE, sizeof (SondeTraceDetail));
  trace->threads = g_array_new (FALSE, TRUE, sizeof (SondeTraceThread));
  trace->instants = g_array_new (FALSE, FALSE, sizeof (SondeTraceInstant));
  trace->async = g_array_new (FALSE, FALSE, sizeof (SondeTraceAsync));
  trace->counters = g_array_new (FALSE, TRUE, sizeof (SondeTraceCounter));
  trace->arrows = g_array_new (FALSE, FALSE, sizeof (SondeTraceArrow));
  trace->memory = g_array_new (FALSE, FALSE, sizeof (SondeTraceMemory));
  trace->operators = g_array_new (FALSE, FALSE, sizeof (SondeTraceOperator));
  trace->ignored = g_array_new (FALSE, FALSE, sizeof (SondeTraceIgnored));
  trace->frames = g_array_new (FALSE, FALSE, sizeof (SondeTraceFrame));
  trace->stacks = g_array_new (FALSE, FALSE, sizeof (SondeTraceStack));
  trace->texts = sonde_trace_texts_new ();
  return trace;
}

static void
free_marks (gpointer marks)
{
  if (marks != NULL)
    sonde_trace_marks_free (marks);
}

SondeTraceBuilder *
sonde_trace_builder_new (SondeTraceFormat format)
{
  SondeTraceBuilder *builder = g_new0 (SondeTraceBuilder, 1);

  builder->trace = new_trace (format);
  builder->spans = g_array_new (FALSE, FALSE, sizeof (SondeTraceMet));
  builder->operators = g_array_new (FALSE, FALSE, sizeof (SondeTraceNamed));
  builder->marks = g_ptr_array_new_with_free_func (free_marks);
  builder->async = g_array_new (FALSE, FALSE, sizeof (SondeTraceAsyncMark));
  builder->flows = g_array_new (FALSE, FALSE, sizeof (SondeTraceFlow));
  builder->threads = g_array_new (FALSE, FALSE, sizeof (SondeTraceKey));
  builder->thread_texts = g_array_new (FALSE, FALSE, sizeof (SondeTraceThreadTexts));
  builder->label_texts = g_array_new (FALSE, FALSE, sizeof (guint64));
  builder->process_names = g_hash_table_new (NULL, NULL);
  builder->thread_indices = new_table ();
  builder->labels = new_table ();
  builder->keys = new_table ();
  builder->counters = new_table ();
  builder->ignored = new_table ();
  builder->samples = sonde_trace_samples_new (builder->trace);
  builder->last_thread = SONDE_TRACE_NONE;
  return builder;
}

void
sonde_trace_builder_free (SondeTraceBuilder *builder)
{
  if (builder == NULL)
    return;
  g_clear_pointer (&builder->trace, sonde_trace_free);
  g_array_unref (builder->spans);
  g_array_unref (builder->operators);
  g_free (builder->places);
  g_ptr_array_unref (builder->marks);
  g_array_unref (builder->async);
  g_array_unref (builder->flows);
  g_array_unref (builder->threads);
  g_array_unref (builder->thread_texts);
  g_array_unref (builder->label_texts);
  g_hash_table_unref (builder->process_names);
  g_hash_table_unref (builder->thread_indices);
  g_hash_table_unref (builder->labels);
  g_hash_table_unref (builder->keys);
  g_hash_table_unref (builder->counters);
  g_hash_table_unref (builder->ignored);
  sonde_trace_samples_free (builder->samples);
  g_free (builder);
}

/* ---- texts, labels, threads ---------------------------------------------- */

guint32
sonde_trace_builder_add_text (SondeTraceBuilder *builder, const char *bytes, gsize n)
{
  if (n > SONDE_TRACE_TEXT_MAX)
    sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_LONG_TEXT);
  return sonde_trace_texts_add (builder->trace->texts, bytes, n);
}

const char *
sonde_trace_builder_get_text (SondeTraceBuilder *builder, guint32 text)
{
  return sonde_trace_texts_get (builder->trace->texts, text);
}

static guint32
find_label (SondeTraceBuilder *builder, guint64 texts)
{
  gboolean is_new;
  guint32 label = get_number (builder->labels, (SondeTraceKey){ texts, 0, 0 }, &is_new);

  if (is_new)
    {
      SondeTraceLabel entry = {
        .category = sonde_trace_builder_get_text (builder, texts >> 32),
        .name = sonde_trace_builder_get_text (builder, (guint32) texts),
      };

      g_array_append_val (builder->trace->labels, entry);
      g_array_append_val (builder->label_texts, texts);
    }
  return label;
}

guint32
sonde_trace_builder_add_label (SondeTraceBuilder *builder, guint32 category, guint32 name)
{
  guint64 texts = join (category, name);
  gsize i = (name * 31u + category) % G_N_ELEMENTS (builder->recent_labels);

  /* 0 is a free place; the label of two empty texts is looked up each time */
  if (texts != 0 && builder->recent_labels[i].key == texts)
    return builder->recent_labels[i].label;
  builder->recent_labels[i].key = texts;
  builder->recent_labels[i].label = find_label (builder, texts);
  return builder->recent_labels[i].label;
}

guint32
sonde_trace_builder_add_thread (SondeTraceBuilder *builder, guint32 pid, guint32 tid, guint64 row)
{
  SondeTraceKey key = { pid, tid, row };
  SondeTraceThreadTexts texts = { pid, tid, SONDE_TRACE_NONE, SONDE_TRACE_NONE, SONDE_TRACE_NONE };
  SondeTraceThread entry = { 0 };
  guint32 thread;
  gboolean is_new;

  if (builder->last_thread != SONDE_TRACE_NONE
      && equal_keys (&g_array_index (builder->threads, SondeTraceKey, builder->last_thread), &key))
    return builder->last_thread;
  thread = get_number (builder->thread_indices, key, &is_new);
  if (is_new)
    {
      g_array_append_val (builder->threads, key);
      g_array_append_val (builder->thread_texts, texts);
      g_array_append_val (builder->trace->threads, entry);
    }
  builder->last_thread = thread;
  return thread;
}

void
sonde_trace_builder_name_process (SondeTraceBuilder *builder, guint32 pid, guint32 name)
{
  g_hash_table_insert (builder->process_names, GUINT_TO_POINTER (pid), GUINT_TO_POINTER (name));
}

void
sonde_trace_builder_name_thread (SondeTraceBuilder *builder, guint32 thread, guint32 name)
{
  g_array_index (builder->thread_texts, SondeTraceThreadTexts, thread).name = name;
}

void
sonde_trace_builder_describe_thread (SondeTraceBuilder *builder, guint32 thread,
                                     const SondeTraceThreadTexts *texts)
{
  g_array_index (builder->thread_texts, SondeTraceThreadTexts, thread) = *texts;
}

/* ---- events -------------------------------------------------------------- */

void
sonde_trace_builder_add_span (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                              gint64 start_ns, gint64 end_ns, guint64 place)
{
  SondeTraceMet met = { { start_ns, end_ns, label, thread }, place };
  gint64 ns;

  if (!sonde_checked_sub (&ns, end_ns, start_ns))
    {
      sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_TIME);
      return;
    }
  g_array_append_val (builder->spans, met);
  sonde_trace_builder_extend (builder, start_ns, end_ns);
}

static void
add_mark (SondeTraceBuilder *builder, guint32 thread, const SondeTraceMark *mark)
{
  gpointer *marks;

  if (thread >= builder->marks->len)
    g_ptr_array_set_size (builder->marks, thread + 1);
  marks = &g_ptr_array_index (builder->marks, thread);
  if (*marks == NULL)
    *marks = sonde_trace_marks_new ();
  sonde_trace_marks_add (*marks, mark);
  sonde_trace_builder_extend (builder, mark->at_ns, mark->at_ns);
}

void
sonde_trace_builder_add_begin (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                               gint64 at_ns, guint64 place)
{
  add_mark (builder, thread, &(SondeTraceMark){ at_ns, 2 * place + 1, label });
}

void
sonde_trace_builder_add_end (SondeTraceBuilder *builder, guint32 thread, guint32 name, gint64 at_ns,
                             guint64 place)
{
  add_mark (builder, thread, &(SondeTraceMark){ at_ns, 2 * place, name });
}

void
sonde_trace_builder_add_instant (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                                 gint64 at_ns, guint64 place)
{
  SondeTraceInstant instant = { at_ns, label, thread, place };

  g_array_append_val (builder->trace->instants, instant);
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

static guint32
get_key (SondeTraceBuilder *builder, guint64 a, guint64 b, guint64 c)
{
  gboolean is_new;

  return get_number (builder->keys, (SondeTraceKey){ a, b, c }, &is_new);
}

void
sonde_trace_builder_add_async (SondeTraceBuilder *builder, gboolean begins, char kind,
                               guint32 thread, guint32 label, guint32 id, guint32 scope,
                               gint64 at_ns, guint64 place)
{
  SondeTraceAsyncMark mark
      = { at_ns, place, get_key (builder, join (kind, scope), label, id), label, thread, begins };

  g_array_append_val (builder->async, mark);
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

void
sonde_trace_builder_add_flow (SondeTraceBuilder *builder, SondeTraceFlowKind kind,
                              SondeTraceBinding binding, guint32 thread, guint32 label, guint32 id,
                              gint64 at_ns, guint64 place)
{
  SondeTraceFlow flow
      = { at_ns, place,  get_key (builder, join ('f', 0), label, id), thread, SONDE_TRACE_NONE,
          kind,  binding };
  guint64 *const counts[] = { &builder->trace->n_flow_starts, &builder->trace->n_flow_steps,
                              &builder->trace->n_flow_ends };

  /* what a span says of itself is no event */
  if (binding != SONDE_TRACE_BIND_OWN && kind < G_N_ELEMENTS (counts))
    ++*counts[kind];
  g_array_append_val (builder->flows, flow);
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

static guint32
find_counter (SondeTraceBuilder *builder, SondeTraceKey key)
{
  gboolean is_new;
  guint32 index = get_number (builder->counters, key, &is_new);

  if (is_new)
    {
      SondeTraceCounter entry
          = { "", "", "", g_array_new (FALSE, FALSE, sizeof (SondeTracePoint)), 0, 0 };

      g_array_append_val (builder->trace->counters, entry);
    }
  return index;
}

static SondeTraceCounter *
get_counter (SondeTraceBuilder *builder, guint32 counter)
{
  return &g_array_index (builder->trace->counters, SondeTraceCounter, counter);
}

static void
name_counter (SondeTraceBuilder *builder, guint32 counter, guint32 pid, guint32 name, guint32 key)
{
  SondeTraceCounter *entry = get_counter (builder, counter);

  entry->pid = sonde_trace_builder_get_text (builder, pid);
  entry->name = sonde_trace_builder_get_text (builder, name);
  entry->key = sonde_trace_builder_get_text (builder, key);
}

guint32
sonde_trace_builder_add_counter (SondeTraceBuilder *builder, guint64 row)
{
  /* no three texts have such numbers */
  return find_counter (builder, (SondeTraceKey){ G_MAXUINT64, row, 0 });
}

void
sonde_trace_builder_add_counter_point (SondeTraceBuilder *builder, guint32 counter, gint64 at_ns,
                                       double value)
{
  SondeTracePoint point = { at_ns, value };

  g_array_append_val (get_counter (builder, counter)->points, point);
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

void
sonde_trace_builder_add_point (SondeTraceBuilder *builder, guint32 pid, guint32 name, guint32 key,
                               gint64 at_ns, double value)
{
  guint32 counter = find_counter (builder, (SondeTraceKey){ pid, name, key });

  if (get_counter (builder, counter)->points->len == 0)
    name_counter (builder, counter, pid, name, key);
  sonde_trace_builder_add_counter_point (builder, counter, at_ns, value);
}

void
sonde_trace_builder_describe_counter (SondeTraceBuilder *builder, guint32 counter, guint32 pid,
                                      guint32 name, guint32 key, double multiplier,
                                      gboolean is_incremental)
{
  GArray *points = get_counter (builder, counter)->points;
  double sum = 0;

  name_counter (builder, counter, pid, name, key);
  for (guint i = 0; i < points->len; i++)
    {
      double *value = &g_array_index (points, SondeTracePoint, i).value;

      sum = is_incremental ? sum + *value : *value;
      *value = sum * multiplier;
    }
}

void
sonde_trace_builder_add_memory (SondeTraceBuilder *builder, guint32 device, gint64 at_ns,
                                gint64 total_bytes, gint64 reserved_bytes)
{
  SondeTraceMemory memory
      = { at_ns, sonde_trace_builder_get_text (builder, device), total_bytes, reserved_bytes };

  g_array_append_val (builder->trace->memory, memory);
}

void
sonde_trace_builder_add_operator (SondeTraceBuilder *builder, guint32 type, double flops,
                                  double bytes, guint64 place)
{
  SondeTraceNamed named
      = { place, type != SONDE_TRACE_NONE ? sonde_trace_builder_get_text (builder, type) : NULL,
          flops, bytes };

  g_array_append_val (builder->operators, named);
}

void
sonde_trace_builder_add_object (SondeTraceBuilder *builder, SondeTraceObjectKind kind, gint64 at_ns)
{
  guint64 *const counts[]
      = { &builder->trace->n_created, &builder->trace->n_snapshots, &builder->trace->n_deleted };

  ++*counts[kind];
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

/* ---- counts -------------------------------------------------------------- */

void
sonde_trace_builder_count_event (SondeTraceBuilder *builder)
{
  builder->trace->n_events++;
}

void
sonde_trace_builder_count_dropped (SondeTraceBuilder *builder)
{
  builder->trace->n_dropped++;
}

void
sonde_trace_builder_add_dropped (SondeTraceBuilder *builder, guint64 n)
{
  builder->trace->n_dropped += MIN (n, G_MAXUINT64 - builder->trace->n_dropped);
}

void
sonde_trace_builder_count_ignored (SondeTraceBuilder *builder, guint32 phase)
{
  gboolean is_new;
  guint32 index = get_number (builder->ignored, (SondeTraceKey){ phase, 0, 0 }, &is_new);

  if (is_new)
    {
      SondeTraceIgnored entry = { sonde_trace_builder_get_text (builder, phase), 0 };

      g_array_append_val (builder->trace->ignored, entry);
    }
  g_array_index (builder->trace->ignored, SondeTraceIgnored, index).n++;
}

void
sonde_trace_builder_count_reason (SondeTraceBuilder *builder, SondeTraceReason reason)
{
  builder->trace->reasons[reason]++;
}

/* ---- sampled stacks ------------------------------------------------------ */

void
sonde_trace_builder_add_stack (SondeTraceBuilder *builder, const guint32 *frames, gsize n,
                               guint64 weight)
{
  sonde_trace_samples_add (builder->samples, frames, n, weight);
}

void
sonde_trace_builder_add_sample (SondeTraceBuilder *builder, guint32 thread, gint64 at_ns)
{
  g_array_index (builder->trace->threads, SondeTraceThread, thread).n_samples++;
  sonde_trace_builder_extend (builder, at_ns, at_ns);
}

/* ---- the file ------------------------------------------------------------ */

void
sonde_trace_builder_set_clock_base (SondeTraceBuilder *builder, gint64 ns)
{
  builder->trace->clock_base_ns = ns;
}

void
sonde_trace_builder_set_producer (SondeTraceBuilder *builder, const char *producer)
{
  builder->trace->producer = producer;
}

void
sonde_trace_builder_set_truncated (SondeTraceBuilder *builder, guint64 offset)
{
  builder->trace->truncated = TRUE;
  builder->trace->truncated_at = offset;
}
