/* SPDX-License-Identifier: Apache-2.0
 * Records -> trace and facts. What a part says is hostile: indices and lengths are checked, what is wrong
 * makes the part a damaged one. */
#include "data/profiles/sonde-recorded-profile.h"

#include <math.h>
#include <string.h>

#include "data/traces/sonde-trace-builder.h"
#include "data/wire/sonde-wire-decode.h"
#include "recorded-profile.pb-c.h"

/* Recordings of one run, and parts of one. */
#define MAX_RECORDINGS 4096
#define MAX_PARTS 65536

/**
 * Pending: a recording that is put together
 * @seen: (element-type guint32): parts that came
 * @place: of the next span: they come in the order of the trace
 */
typedef struct
{
  gint64 step;
  guint64 recording;
  SondeTraceBuilder *builder;
  SondeProfileFacts *facts;
  GHashTable *seen;
  guint n_parts;
  guint64 place;
} Pending;

static void
free_pending (gpointer data)
{
  Pending *pending = data;

  sonde_trace_builder_free (pending->builder);
  sonde_profile_facts_free (pending->facts);
  g_hash_table_unref (pending->seen);
  g_free (pending);
}

void
sonde_recorded_profile_free (SondeRecordedProfile *profile)
{
  if (profile == NULL)
    return;
  sonde_trace_free (profile->trace);
  sonde_profile_facts_free (profile->facts);
  g_free (profile);
}

void
sonde_recorded_profile_reader_clear (SondeRecordedProfileReader *reader)
{
  g_clear_pointer (&reader->pending, g_ptr_array_unref);
}

/* NULL: there are too many. */
static Pending *
find_pending (SondeRecordedProfileReader *reader, guint64 recording, gint64 step)
{
  Pending *pending;

  if (reader->pending == NULL)
    reader->pending = g_ptr_array_new_with_free_func (free_pending);
  for (guint i = reader->pending->len; i-- > 0;)
    {
      pending = g_ptr_array_index (reader->pending, i);
      if (pending->recording == recording)
        return pending;
    }
  if (reader->pending->len >= MAX_RECORDINGS)
    return NULL;
  pending = g_new0 (Pending, 1);
  pending->step = step;
  pending->recording = recording;
  pending->builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  sonde_trace_builder_set_producer (pending->builder, "sonde");
  pending->facts = sonde_profile_facts_new ("run");
  pending->seen = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (reader->pending, pending);
  return pending;
}

/* ---- spans -------------------------------------------------------------------------- */

/* A text of the part by its index plus 1: its number in the trace; 0 and what is not there is "". */
static guint32
get_text (const guint32 *texts, gsize n, guint32 number)
{
  return number > 0 && number <= n ? texts[number - 1] : 0;
}

/**
 * Part: a part with what its indices mean in the trace
 */
typedef struct
{
  const Sonde__Profiles__SpanPart *message;
  SondeTraceBuilder *builder;
  guint32 *texts, *labels, *threads;
} Part;

static void
add_names (Part *part)
{
  const Sonde__Profiles__SpanPart *message = part->message;

  part->texts = g_new0 (guint32, message->n_texts + 1);
  part->labels = g_new0 (guint32, message->n_label_names + 1);
  part->threads = g_new0 (guint32, message->n_threads + 1);
  for (gsize i = 0; i < message->n_texts; i++)
    part->texts[i] = sonde_trace_builder_add_text (part->builder, message->texts[i],
                                                   strlen (message->texts[i]));
  for (gsize i = 0; i < message->n_label_names; i++)
    part->labels[i] = sonde_trace_builder_add_label (
        part->builder, get_text (part->texts, message->n_texts, message->label_categories[i]),
        get_text (part->texts, message->n_texts, message->label_names[i]));
  for (gsize i = 0; i < message->n_threads; i++)
    {
      const Sonde__Profiles__Thread *row = message->threads[i];
      guint32 pid = get_text (part->texts, message->n_texts, SONDE_WIRE_OR (row, pid, 0));

      part->threads[i] = sonde_trace_builder_add_thread (
          part->builder, pid, get_text (part->texts, message->n_texts, SONDE_WIRE_OR (row, tid, 0)),
          0);
      sonde_trace_builder_name_process (
          part->builder, pid,
          get_text (part->texts, message->n_texts, SONDE_WIRE_OR (row, process, 0)));
      sonde_trace_builder_name_thread (
          part->builder, part->threads[i],
          get_text (part->texts, message->n_texts, SONDE_WIRE_OR (row, name, 0)));
    }
}

/* Columns of one length, indices of what is there, times that are some. */
static gboolean
is_right (const Sonde__Profiles__SpanPart *message)
{
  gint64 at = 0;

  if (message->n_label_categories != message->n_label_names
      || message->n_durations != message->n_starts || message->n_span_labels != message->n_starts
      || message->n_span_threads != message->n_starts)
    return FALSE;
  for (gsize i = 0; i < message->n_starts; i++)
    if (message->span_labels[i] >= message->n_label_names
        || message->span_threads[i] >= message->n_threads
        || __builtin_add_overflow (at, message->starts[i], &at)
        || message->durations[i] > (guint64) (G_MAXINT64 - MAX (at, 0)))
      return FALSE;
  for (gsize i = 0; i < message->n_series; i++)
    {
      at = 0;
      if (message->series[i]->n_times != message->series[i]->n_values)
        return FALSE;
      for (gsize k = 0; k < message->series[i]->n_times; k++)
        if (__builtin_add_overflow (at, message->series[i]->times[k], &at)
            || !isfinite (message->series[i]->values[k]))
          return FALSE;
    }
  return TRUE;
}

static void
add_spans (SondeRecordedProfileReader *reader, Pending *pending, const Part *part)
{
  gint64 at = 0;

  for (gsize i = 0; i < part->message->n_starts; i++)
    {
      at += part->message->starts[i];
      sonde_trace_builder_count_event (pending->builder);
      if (reader->n_spans++ < SONDE_RECORDED_PROFILE_SPANS)
        sonde_trace_builder_add_span (pending->builder,
                                      part->threads[part->message->span_threads[i]],
                                      part->labels[part->message->span_labels[i]], at,
                                      at + (gint64) part->message->durations[i], pending->place++);
      else
        sonde_trace_builder_count_dropped (pending->builder);
    }
}

static void
add_series (Pending *pending, const Part *part)
{
  gsize n = part->message->n_texts;

  for (gsize i = 0; i < part->message->n_series; i++)
    {
      const Sonde__Profiles__Series *series = part->message->series[i];
      gint64 at = 0;

      for (gsize k = 0; k < series->n_times; k++)
        {
          at += series->times[k];
          sonde_trace_builder_add_point (
              pending->builder, get_text (part->texts, n, SONDE_WIRE_OR (series, pid, 0)),
              get_text (part->texts, n, SONDE_WIRE_OR (series, name, 0)),
              get_text (part->texts, n, SONDE_WIRE_OR (series, key, 0)), at, series->values[k]);
        }
    }
}

/* ---- facts -------------------------------------------------------------------------- */

/* A text for @facts; NULL for none. */
static const char *
keep (SondeProfileFacts *facts, char **texts, gsize n, guint32 number)
{
  g_autofree char *valid
      = number > 0 && number <= n ? g_utf8_make_valid (texts[number - 1], -1) : NULL;

  return sonde_profile_facts_keep (facts, valid);
}

static const char *
keep_or_empty (SondeProfileFacts *facts, char **texts, gsize n, guint32 number)
{
  const char *text = keep (facts, texts, n, number);

  return text != NULL ? text : "";
}

#define KEEP(field) keep (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, field, 0))

static void
add_operator (SondeProfileFacts *facts, const Sonde__Profiles__SpanPart *part,
              const Sonde__Profiles__Operator *message)
{
  GPtrArray *nodes = g_ptr_array_new ();
  SondeOperatorFacts op = {
    .node = keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, node, 0)),
    .op = keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, op, 0)),
    .part = MIN (SONDE_WIRE_OR (message, part, SONDE_STEP_PART_OTHER), SONDE_STEP_PART_OTHER),
    .implementation = KEEP (implementation),
    .dtype = KEEP (dtype),
    .flops = MAX (SONDE_WIRE_OR (message, flops, SONDE_COST_UNKNOWN), SONDE_COST_UNKNOWN),
    .bytes = MAX (SONDE_WIRE_OR (message, bytes, SONDE_COST_UNKNOWN), SONDE_COST_UNKNOWN),
    .is_copy = SONDE_WIRE_OR (message, is_copy, FALSE),
    .is_fallback = SONDE_WIRE_OR (message, is_fallback, FALSE),
  };

  for (gsize i = 0; i < message->n_nodes; i++)
    {
      const char *name = keep (facts, part->texts, part->n_texts, message->nodes[i]);

      if (name != NULL)
        g_ptr_array_add (nodes, (gpointer) name);
    }
  g_ptr_array_add (nodes, NULL);
  op.nodes = (const char *const *) g_ptr_array_free (nodes, FALSE);
  g_array_append_val (facts->operators, op);
}

/* Times and amounts: @otherwise for what none can be. */
static double
get_amount (double amount, double otherwise)
{
  return isfinite (amount) && amount >= 0 ? amount : otherwise;
}

static void
add_facts (SondeProfileFacts *facts, const Sonde__Profiles__SpanPart *part)
{
  const Sonde__Profiles__Facts *message = part->facts;
  const char *kind = KEEP (kind);

  facts->kind = kind != NULL ? kind : facts->kind;
  facts->device = KEEP (device);
  facts->precision = KEEP (precision);
  facts->n_threads = SONDE_WIRE_OR (message, n_threads, 0);
  facts->n_recorded_bytes = get_amount (SONDE_WIRE_OR (message, n_recorded_bytes, 0), 0);
  facts->ceilings = (SondeCeilings){ get_amount (SONDE_WIRE_OR (message, peak_gflops, NAN), NAN),
                                     get_amount (SONDE_WIRE_OR (message, peak_gbs, NAN), NAN),
                                     get_amount (SONDE_WIRE_OR (message, overhead_us, NAN), NAN) };
  for (gsize i = 0; i < message->n_run_ns; i++)
    {
      double ns = get_amount (message->run_ns[i], 0);

      g_array_append_val (facts->run_ns, ns);
    }
  for (gsize i = 0; i < message->n_operators; i++)
    add_operator (facts, part, message->operators[i]);
  for (gsize i = 0; i < message->n_stages; i++)
    {
      const Sonde__Profiles__Stage *from = message->stages[i];
      SondeStageFacts stage
          = { keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (from, stage, 0)),
              get_amount (SONDE_WIRE_OR (from, busy_ns, 0), 0),
              get_amount (SONDE_WIRE_OR (from, wait_ns, 0), 0),
              get_amount (SONDE_WIRE_OR (from, queue_mean, NAN), NAN),
              SONDE_WIRE_OR (from, n_workers, 0) };

      g_array_append_val (facts->stages, stage);
    }
}

static gboolean
is_wanted (const SondeRecordedProfileReader *reader, guint64 recording)
{
  return reader->wanted == 0 || reader->wanted == recording;
}

/* FALSE: it is damaged, and nothing of it was taken. */
static gboolean
add_part (SondeRecordedProfileReader *reader, const Sonde__Profiles__SpanPart *message, gint64 step)
{
  guint32 number = SONDE_WIRE_OR (message, part, 0);
  Pending *pending;
  Part part = { .message = message };

  if (!is_wanted (reader, SONDE_WIRE_OR (message, recording, 0)))
    return TRUE;
  pending = number < MAX_PARTS && is_right (message)
                ? find_pending (reader, SONDE_WIRE_OR (message, recording, 0), step)
                : NULL;
  if (pending == NULL || !g_hash_table_add (pending->seen, GUINT_TO_POINTER (number + 1)))
    return FALSE;
  pending->n_parts = MAX (pending->n_parts, MIN (SONDE_WIRE_OR (message, n_parts, 0), MAX_PARTS));
  part.builder = pending->builder;
  add_names (&part);
  add_spans (reader, pending, &part);
  add_series (pending, &part);
  g_free (part.texts);
  g_free (part.labels);
  g_free (part.threads);
  sonde_trace_builder_add_dropped (pending->builder, SONDE_WIRE_OR (message, dropped, 0));
  if (message->has_clock_base_ns)
    sonde_trace_builder_set_clock_base (pending->builder, message->clock_base_ns);
  if (message->facts != NULL)
    add_facts (pending->facts, message);
  return TRUE;
}

/* ---- memory ---------------------------------------------------------------------------- */

static gboolean
is_right_memory (const Sonde__Profiles__MemoryPart *message)
{
  if (message->n_held_bytes != message->n_steps || message->n_steps > G_MAXINT
      || message->n_by_kind != SONDE_MEMORY_N_KINDS
      || SONDE_WIRE_OR (message, peak_step, 0) >= MAX (message->n_steps, 1))
    return FALSE;
  for (gsize i = 0; i < message->n_lifetimes; i++)
    {
      const Sonde__Profiles__Lifetime *lifetime = message->lifetimes[i];
      guint32 from = SONDE_WIRE_OR (lifetime, from, 0);

      /* those who look through them stop at the first that begins later */
      if (SONDE_WIRE_OR (lifetime, kind, 0) >= SONDE_MEMORY_N_KINDS
          || (i > 0 && from < SONDE_WIRE_OR (message->lifetimes[i - 1], from, 0)))
        return FALSE;
    }
  for (gsize i = 0; i < message->n_bodies; i++)
    if (SONDE_WIRE_OR (message->bodies[i], until, 0) >= message->n_steps
        || SONDE_WIRE_OR (message->bodies[i], from, 0)
               > SONDE_WIRE_OR (message->bodies[i], until, 0))
      return FALSE;
  for (gsize i = 0; i < message->n_alternatives; i++)
    if (SONDE_WIRE_OR (message->alternatives[i], change, 0) >= SONDE_MEMORY_N_CHANGES)
      return FALSE;
  return TRUE;
}

static void
add_lifetimes (SondeProfileFacts *facts, const Sonde__Profiles__MemoryPart *part)
{
  for (gsize i = 0; i < part->n_lifetimes; i++)
    {
      const Sonde__Profiles__Lifetime *message = part->lifetimes[i];
      SondeLifetime lifetime = {
        .value
        = keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, value, 0)),
        .node = KEEP (node),
        .scope = KEEP (scope),
        .last_reader = KEEP (last_reader),
        .shares = KEEP (shares),
        .kind = SONDE_WIRE_OR (message, kind, 0),
        .offset = SONDE_WIRE_OR (message, offset, 0),
        .bytes = SONDE_WIRE_OR (message, bytes, 0),
        .from = SONDE_WIRE_OR (message, from, 0),
        .until = SONDE_WIRE_OR (message, until, 0),
        .is_measured = SONDE_WIRE_OR (message, is_measured, FALSE),
      };

      g_array_append_val (facts->memory.lifetimes, lifetime);
    }
}

static void
add_bodies (SondeProfileFacts *facts, const Sonde__Profiles__MemoryPart *part)
{
  facts->memory.bodies = g_array_new (FALSE, TRUE, sizeof (SondeBodyMemory));
  for (gsize i = 0; i < part->n_bodies; i++)
    {
      const Sonde__Profiles__Body *message = part->bodies[i];
      SondeBodyMemory body = {
        .body = keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, body, 0)),
        .node = keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, node, 0)),
        .from = SONDE_WIRE_OR (message, from, 0),
        .until = SONDE_WIRE_OR (message, until, 0),
        .n_runs = SONDE_WIRE_OR (message, n_runs, 0),
        .shown = SONDE_WIRE_OR (message, shown, 0),
        .least_bytes = SONDE_WIRE_OR (message, least_bytes, 0),
        .most_bytes = SONDE_WIRE_OR (message, most_bytes, 0),
      };

      g_array_append_val (facts->memory.bodies, body);
    }
}

static gboolean
add_memory (SondeRecordedProfileReader *reader, const Sonde__Profiles__MemoryPart *part,
            gint64 step)
{
  Pending *pending;
  SondeProfileFacts *facts;
  const char **steps;

  if (!is_wanted (reader, SONDE_WIRE_OR (part, recording, 0)))
    return TRUE;
  pending = is_right_memory (part) ? find_pending (reader, SONDE_WIRE_OR (part, recording, 0), step)
                                   : NULL;
  facts = pending != NULL ? pending->facts : NULL;
  if (facts == NULL || facts->memory.lifetimes != NULL)
    return FALSE;
  facts->memory.lifetimes = g_array_new (FALSE, TRUE, sizeof (SondeLifetime));
  facts->memory.alternatives = g_array_new (FALSE, TRUE, sizeof (SondeMemoryAlternative));
  facts->memory.n_steps = (guint) part->n_steps;
  facts->memory.steps = steps = g_new0 (const char *, part->n_steps + 1);
  facts->memory.held_bytes = g_new0 (guint64, part->n_steps + 1);
  for (gsize i = 0; i < part->n_steps; i++)
    {
      steps[i] = keep_or_empty (facts, part->texts, part->n_texts, part->steps[i]);
      facts->memory.held_bytes[i] = part->held_bytes[i];
    }
  add_lifetimes (facts, part);
  add_bodies (facts, part);
  for (gsize i = 0; i < part->n_alternatives; i++)
    {
      const Sonde__Profiles__Alternative *message = part->alternatives[i];
      SondeMemoryAlternative alternative
          = { keep_or_empty (facts, part->texts, part->n_texts, SONDE_WIRE_OR (message, value, 0)),
              SONDE_WIRE_OR (message, change, 0), SONDE_WIRE_OR (message, peak_bytes, 0) };

      g_array_append_val (facts->memory.alternatives, alternative);
    }
  facts->memory.peak_bytes = SONDE_WIRE_OR (part, peak_bytes, 0);
  facts->memory.peak_step = SONDE_WIRE_OR (part, peak_step, 0);
  memcpy (facts->memory.by_kind, part->by_kind, sizeof facts->memory.by_kind);
  return TRUE;
}

/* ---- records ----------------------------------------------------------------------------- */

void
sonde_recorded_profile_reader_add (SondeRecordedProfileReader *reader, const SondeRecord *record)
{
  const gboolean spans = record->kind == SONDE_RECORD_SPAN;
  g_auto (SondeWireArena) arena = { 0 };
  const guint8 *bytes;
  gpointer message;
  gsize length;

  if (!spans && record->kind != SONDE_RECORD_MEMORY)
    return;
  bytes = g_bytes_get_data (record->u.profile.message, &length);
  message = sonde_wire_decode (spans ? &sonde__profiles__span_part__descriptor
                                     : &sonde__profiles__memory_part__descriptor,
                               bytes, length, NULL, NULL, &arena, NULL);
  if (message == NULL
      || !(spans ? add_part (reader, message, record->step)
                 : add_memory (reader, message, record->step)))
    reader->n_damaged++;
}

GPtrArray *
sonde_recorded_profile_reader_finish (SondeRecordedProfileReader *reader)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_recorded_profile_free);

  for (guint i = 0; reader->pending != NULL && i < reader->pending->len; i++)
    {
      Pending *pending = g_ptr_array_index (reader->pending, i);
      SondeRecordedProfile *profile = g_new0 (SondeRecordedProfile, 1);

      profile->step = pending->step;
      profile->recording = pending->recording;
      profile->n_missing = MAX (pending->n_parts, 1)
                           - MIN (MAX (pending->n_parts, 1), g_hash_table_size (pending->seen));
      profile->trace = sonde_trace_builder_finish (pending->builder);
      profile->facts = g_steal_pointer (&pending->facts);
      g_ptr_array_add (list, profile);
    }
  sonde_recorded_profile_reader_clear (reader);
  return list;
}
