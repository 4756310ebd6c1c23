/* SPDX-License-Identifier: Apache-2.0
 * Trace and facts -> records. */
#include "data/profiles/sonde-recorded-profile.h"

#include <math.h>
#include <string.h>

#include "recorded-profile.pb-c.h"

#define PART 32768u /* spans */

/* ---- texts ------------------------------------------------------------------------- */

/* Texts of a part and their numbers; lent. */
typedef struct
{
  GPtrArray *list;
  GHashTable *numbers;
} Texts;

static void
texts_init (Texts *texts)
{
  texts->list = g_ptr_array_new ();
  texts->numbers = g_hash_table_new (g_str_hash, g_str_equal);
}

static void
texts_clear (Texts *texts)
{
  g_ptr_array_unref (texts->list);
  g_hash_table_unref (texts->numbers);
}

/* Its index plus 1; 0 for NULL. */
static guint32
number_of (Texts *texts, const char *text)
{
  guint number = text != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (texts->numbers, text)) : 0;

  if (text == NULL || number != 0)
    return number;
  g_ptr_array_add (texts->list, (gpointer) text);
  g_hash_table_insert (texts->numbers, (gpointer) text, GUINT_TO_POINTER (texts->list->len));
  return texts->list->len;
}

#define SET(message, field, content) ((message)->field = (content), (message)->has_##field = TRUE)
#define SET_TEXT(message, texts, field, text)                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint32 number_ = number_of (texts, text);                                                     \
    if (number_ != 0)                                                                              \
      SET (message, field, number_);                                                               \
  }                                                                                                \
  G_STMT_END
#define SET_KNOWN(message, field, number)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!isnan (number))                                                                           \
      SET (message, field, number);                                                                \
  }                                                                                                \
  G_STMT_END

/**
 * Arena: what messages are made of, until their record is written
 * @texts: of the part
 */
typedef struct
{
  GPtrArray *blocks;
  Texts texts;
} Arena;

static void *
take (Arena *arena, gsize n, gsize size)
{
  void *block = g_malloc0_n (MAX (n, 1), size);

  g_ptr_array_add (arena->blocks, block);
  return block;
}

#define TAKE(arena, n, type) ((type *) take (arena, n, sizeof (type)))
/* @n messages and the list of them. */
#define TAKE_MESSAGES(arena, n, type, name, list)                                                  \
  ({                                                                                               \
    type *messages_ = TAKE (arena, n, type);                                                       \
    (list) = TAKE (arena, n, type *);                                                              \
    for (gsize i_ = 0; i_ < (n); i_++)                                                             \
      {                                                                                            \
        sonde__profiles__##name##__init (&messages_[i_]);                                          \
        (list)[i_] = &messages_[i_];                                                               \
      }                                                                                            \
    messages_;                                                                                     \
  })

static void
arena_init (Arena *arena)
{
  arena->blocks = g_ptr_array_new_with_free_func (g_free);
  texts_init (&arena->texts);
}

static void
arena_clear (Arena *arena)
{
  texts_clear (&arena->texts);
  g_ptr_array_unref (arena->blocks);
}

/* ---- facts -------------------------------------------------------------------------- */

static void
fill_operator (Arena *arena, Sonde__Profiles__Operator *message, const SondeOperatorFacts *op)
{
  guint n = 0;

  while (op->nodes != NULL && op->nodes[n] != NULL)
    n++;
  SET_TEXT (message, &arena->texts, node, op->node);
  SET_TEXT (message, &arena->texts, op, op->op);
  SET (message, part, (guint32) op->part);
  message->n_nodes = n;
  message->nodes = TAKE (arena, n, guint32);
  for (guint i = 0; i < n; i++)
    message->nodes[i] = number_of (&arena->texts, op->nodes[i]);
  SET_TEXT (message, &arena->texts, implementation, op->implementation);
  SET_TEXT (message, &arena->texts, dtype, op->dtype);
  if (op->flops != SONDE_COST_UNKNOWN)
    SET (message, flops, op->flops);
  if (op->bytes != SONDE_COST_UNKNOWN)
    SET (message, bytes, op->bytes);
  SET (message, is_copy, op->is_copy != FALSE);
  SET (message, is_fallback, op->is_fallback != FALSE);
}

static void
fill_stage (Arena *arena, Sonde__Profiles__Stage *message, const SondeStageFacts *stage)
{
  SET_TEXT (message, &arena->texts, stage, stage->stage);
  SET (message, busy_ns, stage->busy_ns);
  SET (message, wait_ns, stage->wait_ns);
  SET_KNOWN (message, queue_mean, stage->queue_mean);
  SET (message, n_workers, stage->n_workers);
}

static Sonde__Profiles__Facts *
make_facts (Arena *arena, const SondeProfileFacts *facts)
{
  Sonde__Profiles__Facts *message = TAKE (arena, 1, Sonde__Profiles__Facts);
  Sonde__Profiles__Operator *operators;
  Sonde__Profiles__Stage *stages;

  sonde__profiles__facts__init (message);
  SET_TEXT (message, &arena->texts, kind, facts->kind);
  SET_TEXT (message, &arena->texts, device, facts->device);
  SET_TEXT (message, &arena->texts, precision, facts->precision);
  SET (message, n_threads, facts->n_threads);
  message->n_operators = facts->operators->len;
  operators = TAKE_MESSAGES (arena, message->n_operators, Sonde__Profiles__Operator, operator,
                             message->operators);
  for (guint i = 0; i < facts->operators->len; i++)
    fill_operator (arena, &operators[i], &g_array_index (facts->operators, SondeOperatorFacts, i));
  message->n_stages = facts->stages->len;
  stages = TAKE_MESSAGES (arena, message->n_stages, Sonde__Profiles__Stage, stage, message->stages);
  for (guint i = 0; i < facts->stages->len; i++)
    fill_stage (arena, &stages[i], &g_array_index (facts->stages, SondeStageFacts, i));
  message->n_run_ns = facts->run_ns->len;
  message->run_ns = (double *) (void *) facts->run_ns->data;
  SET (message, n_recorded_bytes, facts->n_recorded_bytes);
  SET_KNOWN (message, peak_gflops, facts->ceilings.peak_gflops);
  SET_KNOWN (message, peak_gbs, facts->ceilings.peak_gbs);
  SET_KNOWN (message, overhead_us, facts->ceilings.overhead_us);
  return message;
}

/* ---- spans -------------------------------------------------------------------------- */

static void
make_series (Arena *arena, const SondeTrace *trace, Sonde__Profiles__SpanPart *message)
{
  Sonde__Profiles__Series *series;

  message->n_series = trace->counters->len;
  series
      = TAKE_MESSAGES (arena, message->n_series, Sonde__Profiles__Series, series, message->series);
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);
      gint64 before = 0;

      SET_TEXT (&series[i], &arena->texts, pid, counter->pid);
      SET_TEXT (&series[i], &arena->texts, name, counter->name);
      SET_TEXT (&series[i], &arena->texts, key, counter->key);
      series[i].n_times = series[i].n_values = counter->points->len;
      series[i].times = TAKE (arena, counter->points->len, gint64);
      series[i].values = TAKE (arena, counter->points->len, double);
      for (guint k = 0; k < counter->points->len; k++)
        {
          const SondeTracePoint *point = &g_array_index (counter->points, SondeTracePoint, k);

          series[i].times[k] = point->at_ns - before;
          series[i].values[k] = point->value;
          before = point->at_ns;
        }
    }
}

/* Labels and threads that the spans [@first, @first + @n) have, by their order in the trace; the numbers they
 * get go to @labels and @threads, by index in the trace. */
static void
make_labels (Arena *arena, const SondeTrace *trace, Sonde__Profiles__SpanPart *message, gsize first,
             gsize n, guint32 *labels, guint32 *threads)
{
  Sonde__Profiles__Thread *rows;

  message->label_categories = TAKE (arena, trace->labels->len, guint32);
  message->label_names = TAKE (arena, trace->labels->len, guint32);
  rows = TAKE_MESSAGES (arena, trace->threads->len, Sonde__Profiles__Thread, thread,
                        message->threads);
  for (gsize i = first; i < first + n; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];

      if (labels[span->label] == SONDE_TRACE_NONE)
        {
          const SondeTraceLabel *label = sonde_trace_get_label (trace, span->label);
          gsize at = message->n_label_names++;

          message->n_label_categories = message->n_label_names;
          message->label_categories[at] = number_of (&arena->texts, label->category);
          message->label_names[at] = number_of (&arena->texts, label->name);
          labels[span->label] = (guint32) at;
        }
      if (threads[span->thread] == SONDE_TRACE_NONE)
        {
          const SondeTraceThread *thread = sonde_trace_get_thread (trace, span->thread);
          Sonde__Profiles__Thread *row = &rows[message->n_threads];

          SET_TEXT (row, &arena->texts, pid, thread->pid);
          SET_TEXT (row, &arena->texts, tid, thread->tid);
          SET_TEXT (row, &arena->texts, process, thread->process);
          SET_TEXT (row, &arena->texts, name, thread->name);
          threads[span->thread] = (guint32) message->n_threads++;
        }
    }
}

static void
make_spans (Arena *arena, const SondeTrace *trace, Sonde__Profiles__SpanPart *message, gsize first,
            gsize n)
{
  g_autofree guint32 *labels = g_new (guint32, trace->labels->len + 1);
  g_autofree guint32 *threads = g_new (guint32, trace->threads->len + 1);
  gint64 before = 0;

  memset (labels, 0xff, (trace->labels->len + 1) * sizeof *labels);
  memset (threads, 0xff, (trace->threads->len + 1) * sizeof *threads);
  make_labels (arena, trace, message, first, n, labels, threads);
  message->n_starts = message->n_durations = message->n_span_labels = message->n_span_threads = n;
  message->starts = TAKE (arena, n, gint64);
  message->durations = TAKE (arena, n, guint64);
  message->span_labels = TAKE (arena, n, guint32);
  message->span_threads = TAKE (arena, n, guint32);
  for (gsize i = 0; i < n; i++)
    {
      const SondeTraceSpan *span = &trace->spans[first + i];

      message->starts[i] = span->start_ns - before;
      message->durations[i] = (guint64) (span->end_ns - span->start_ns);
      message->span_labels[i] = labels[span->label];
      message->span_threads[i] = threads[span->thread];
      before = span->start_ns;
    }
}

static GBytes *
pack (const ProtobufCMessage *message)
{
  gsize length = protobuf_c_message_get_packed_size (message);
  guint8 *bytes = g_malloc (MAX (length, 1));

  protobuf_c_message_pack (message, bytes);
  return g_bytes_new_take (bytes, length);
}

static void
add_record (SondeRecordKind kind, gint64 step, const ProtobufCMessage *message,
            SondeRecordedProfileAdd add, gpointer data)
{
  g_autoptr (GBytes) bytes = pack (message);
  SondeRecord record = { .kind = kind, .step = step, .tag = SONDE_RECORDED_PROFILE_TAG };

  record.u.profile.message = bytes;
  add (&record, data);
}

/* ---- memory -------------------------------------------------------------------------- */

static void
fill_lifetime (Arena *arena, Sonde__Profiles__Lifetime *message, const SondeLifetime *lifetime)
{
  SET_TEXT (message, &arena->texts, value, lifetime->value);
  SET_TEXT (message, &arena->texts, node, lifetime->node);
  SET_TEXT (message, &arena->texts, scope, lifetime->scope);
  SET_TEXT (message, &arena->texts, last_reader, lifetime->last_reader);
  SET_TEXT (message, &arena->texts, shares, lifetime->shares);
  SET (message, kind, (guint32) lifetime->kind);
  SET (message, offset, lifetime->offset);
  SET (message, bytes, lifetime->bytes);
  SET (message, from, lifetime->from);
  SET (message, until, lifetime->until);
  if (lifetime->is_measured)
    SET (message, is_measured, TRUE);
}

static void
fill_bodies (Arena *arena, Sonde__Profiles__MemoryPart *message, const GArray *bodies)
{
  Sonde__Profiles__Body *messages;

  message->n_bodies = bodies != NULL ? bodies->len : 0;
  messages = TAKE_MESSAGES (arena, message->n_bodies, Sonde__Profiles__Body, body, message->bodies);
  for (guint i = 0; i < message->n_bodies; i++)
    {
      const SondeBodyMemory *body = &g_array_index (bodies, SondeBodyMemory, i);

      SET_TEXT (&messages[i], &arena->texts, body, body->body);
      SET_TEXT (&messages[i], &arena->texts, node, body->node);
      SET (&messages[i], from, body->from);
      SET (&messages[i], until, body->until);
      SET (&messages[i], n_runs, body->n_runs);
      SET (&messages[i], shown, body->shown);
      SET (&messages[i], least_bytes, body->least_bytes);
      SET (&messages[i], most_bytes, body->most_bytes);
    }
}

static void
write_memory (const SondeMemoryTimeline *memory, gint64 step, guint64 recording,
              SondeRecordedProfileAdd add, gpointer data)
{
  Sonde__Profiles__MemoryPart message = SONDE__PROFILES__MEMORY_PART__INIT;
  guint n_alternatives = memory->alternatives != NULL ? memory->alternatives->len : 0;
  Sonde__Profiles__Lifetime *lifetimes;
  Sonde__Profiles__Alternative *alternatives;
  Arena arena;

  arena_init (&arena);
  SET (&message, recording, recording);
  message.n_steps = message.n_held_bytes = memory->n_steps;
  message.steps = TAKE (&arena, memory->n_steps, guint32);
  for (guint i = 0; i < memory->n_steps; i++)
    message.steps[i] = number_of (&arena.texts, memory->steps[i]);
  message.held_bytes = memory->held_bytes;
  message.n_lifetimes = memory->lifetimes->len;
  lifetimes = TAKE_MESSAGES (&arena, message.n_lifetimes, Sonde__Profiles__Lifetime, lifetime,
                             message.lifetimes);
  for (guint i = 0; i < memory->lifetimes->len; i++)
    fill_lifetime (&arena, &lifetimes[i], &g_array_index (memory->lifetimes, SondeLifetime, i));
  message.n_alternatives = n_alternatives;
  alternatives = TAKE_MESSAGES (&arena, n_alternatives, Sonde__Profiles__Alternative, alternative,
                                message.alternatives);
  for (guint i = 0; i < n_alternatives; i++)
    {
      const SondeMemoryAlternative *alternative
          = &g_array_index (memory->alternatives, SondeMemoryAlternative, i);

      SET_TEXT (&alternatives[i], &arena.texts, value, alternative->value);
      SET (&alternatives[i], change, (guint32) alternative->change);
      SET (&alternatives[i], peak_bytes, alternative->peak_bytes);
    }
  fill_bodies (&arena, &message, memory->bodies);
  SET (&message, peak_bytes, memory->peak_bytes);
  SET (&message, peak_step, memory->peak_step);
  message.n_by_kind = SONDE_MEMORY_N_KINDS;
  message.by_kind = (guint64 *) memory->by_kind;
  message.n_texts = arena.texts.list->len;
  message.texts = (char **) arena.texts.list->pdata;
  add_record (SONDE_RECORD_MEMORY, step, &message.base, add, data);
  arena_clear (&arena);
}

/* ---- all of it ------------------------------------------------------------------------ */

void
sonde_recorded_profile_write (const SondeTrace *trace, const SondeProfileFacts *facts, gint64 step,
                              guint64 recording, SondeRecordedProfileAdd add, gpointer data)
{
  guint n_parts = (guint) ((trace->n_spans + PART - 1) / PART);

  n_parts = MAX (n_parts, 1);
  for (guint part = 0; part < n_parts; part++)
    {
      Sonde__Profiles__SpanPart message = SONDE__PROFILES__SPAN_PART__INIT;
      gsize first = (gsize) part * PART;
      Arena arena;

      arena_init (&arena);
      SET (&message, recording, recording);
      SET (&message, part, part);
      SET (&message, n_parts, n_parts);
      make_spans (&arena, trace, &message, first, MIN (PART, trace->n_spans - first));
      if (part == 0)
        {
          make_series (&arena, trace, &message);
          message.facts = make_facts (&arena, facts);
          SET (&message, dropped, trace->n_dropped);
          SET (&message, clock_base_ns, trace->clock_base_ns);
        }
      message.n_texts = arena.texts.list->len;
      message.texts = (char **) arena.texts.list->pdata;
      add_record (SONDE_RECORD_SPAN, step, &message.base, add, data);
      arena_clear (&arena);
    }
  if (facts->memory.lifetimes != NULL)
    write_memory (&facts->memory, step, recording, add, data);
}
