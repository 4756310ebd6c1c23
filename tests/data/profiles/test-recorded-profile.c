/* SPDX-License-Identifier: Apache-2.0
 * A recording through records and back: the same spans, counters and facts; lost and damaged parts are
 * missing and no more; bytes changed at random never do harm. */
#include "data/profiles/sonde-recorded-profile.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/traces/sonde-trace-builder.h"
#include "tests/support/sonde-test-run.h"

#define N_STEPS 3000

static guint32
text (SondeTraceBuilder *builder, const char *content)
{
  return sonde_trace_builder_add_text (builder, content, strlen (content));
}

/* Steps of @n_ops operators each on one thread, spans of another beside them, a counter. */
static SondeTrace *
make_trace (guint n_steps, guint n_ops)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 pid = text (builder, "17"), op = text (builder, "op");
  guint32 main = sonde_trace_builder_add_thread (builder, pid, text (builder, "17"), 0);
  guint32 other = sonde_trace_builder_add_thread (builder, pid, text (builder, "18"), 0);
  guint64 place = 0;
  gint64 at = -5000;

  sonde_trace_builder_set_producer (builder, "sonde");
  sonde_trace_builder_set_clock_base (builder, G_GINT64_CONSTANT (1750000000123456789));
  sonde_trace_builder_name_process (builder, pid, text (builder, "sonde"));
  sonde_trace_builder_name_thread (builder, main, text (builder, "main"));
  sonde_trace_builder_name_thread (builder, other, text (builder, "prefetch"));
  for (guint i = 0; i < 7; i++)
    sonde_trace_builder_count_dropped (builder);
  for (guint step = 0; step < n_steps; step++)
    {
      gint64 start = at;
      g_autofree char *name = g_strdup_printf ("step %u", step);

      for (guint i = 0; i < n_ops; i++)
        {
          g_autofree char *node = g_strdup_printf ("/scope/node_%u “∂”", i);
          gint64 length = (gint64) (sonde_random_bits (1, step, i) % 10000);

          sonde_trace_builder_count_event (builder);
          sonde_trace_builder_add_span (
              builder, main, sonde_trace_builder_add_label (builder, op, text (builder, node)), at,
              at + length, place++);
          at += length;
        }
      sonde_trace_builder_count_event (builder);
      sonde_trace_builder_add_span (
          builder, main,
          sonde_trace_builder_add_label (builder, text (builder, "step"), text (builder, name)),
          start, at + 10, place++);
      sonde_trace_builder_count_event (builder);
      sonde_trace_builder_add_span (
          builder, other,
          sonde_trace_builder_add_label (builder, text (builder, "data"), text (builder, "map")),
          start + 3, start + 3000, place++);
      sonde_trace_builder_add_point (builder, pid, text (builder, "memory"),
                                     text (builder, "value"), at, 1e9 / (step + 1));
      at += 20;
    }
  return sonde_trace_builder_finish (builder);
}

static SondeProfileFacts *
make_facts (void)
{
  static const char *const steps[] = { "a", "b", "c" };
  SondeProfileFacts *facts = sonde_profile_facts_new ("recipe");
  SondeOperatorFacts op = { .node = "/scope/node_0 “∂”",
                            .op = "Conv",
                            .part = SONDE_STEP_PART_BACKWARD,
                            .implementation = "jit:avx512",
                            .dtype = "float32",
                            .flops = G_MAXINT64,
                            .bytes = SONDE_COST_UNKNOWN,
                            .is_fallback = TRUE };
  SondeStageFacts stages[] = { { "source", 1.5, 2.5, NAN, 3 }, { "prefetch", 0, 7, 0.25, 3 } };
  SondeLifetime lifetime = { .value = "v",
                             .node = "a",
                             .last_reader = "c",
                             .kind = SONDE_MEMORY_OF_GRADIENT,
                             .offset = 64,
                             .bytes = G_MAXUINT64,
                             .from = 0,
                             .until = 2,
                             .is_measured = TRUE };
  SondeBodyMemory body = { "loop/body", "loop", 0, 1, 1000000, 999999, 50, 99 };
  SondeMemoryAlternative alternative = { "v", SONDE_MEMORY_RECOMPUTE, 12 };
  double ns = 1.25;

  op.nodes = (const char *const *) g_new0 (char *, 3);
  ((const char **) op.nodes)[0] = "one";
  ((const char **) op.nodes)[1] = "two";
  g_array_append_val (facts->operators, op);
  op = (SondeOperatorFacts){ .node = "reorder(x)",
                             .op = "Reorder",
                             .flops = 0,
                             .bytes = 8,
                             .is_copy = TRUE,
                             .nodes = (const char *const *) g_new0 (char *, 1) };
  g_array_append_val (facts->operators, op);
  g_array_append_vals (facts->stages, stages, 2);
  g_array_append_val (facts->run_ns, ns);
  facts->device = "cpu";
  facts->n_threads = 2;
  facts->n_recorded_bytes = 1234.5;
  facts->ceilings = (SondeCeilings){ 100, NAN, 3 };
  facts->memory.n_steps = 3;
  facts->memory.steps = g_memdup2 (steps, sizeof steps);
  facts->memory.held_bytes = g_new0 (guint64, 3);
  facts->memory.held_bytes[1] = 77;
  facts->memory.lifetimes = g_array_new (FALSE, TRUE, sizeof lifetime);
  facts->memory.alternatives = g_array_new (FALSE, TRUE, sizeof alternative);
  g_array_append_val (facts->memory.lifetimes, lifetime);
  g_array_append_val (facts->memory.alternatives, alternative);
  facts->memory.bodies = g_array_new (FALSE, TRUE, sizeof body);
  g_array_append_val (facts->memory.bodies, body);
  facts->memory.peak_bytes = 99;
  facts->memory.peak_step = 1;
  facts->memory.by_kind[SONDE_MEMORY_OF_INPUT] = 5;
  return facts;
}

/* ---- comparing -------------------------------------------------------------------- */

static void
assert_same_trace (const SondeTrace *a, const SondeTrace *b)
{
  g_assert_cmpstr (a->producer, ==, b->producer);
  g_assert_cmpint (a->clock_base_ns, ==, b->clock_base_ns);
  g_assert_cmpuint (a->n_dropped, ==, b->n_dropped);
  g_assert_cmpuint (a->n_events, ==, b->n_events);
  g_assert_cmpuint (a->n_spans, ==, b->n_spans);
  for (gsize i = 0; i < a->n_spans; i++)
    {
      const SondeTraceLabel *la = sonde_trace_get_label (a, a->spans[i].label);
      const SondeTraceLabel *lb = sonde_trace_get_label (b, b->spans[i].label);
      const SondeTraceThread *ta = sonde_trace_get_thread (a, a->spans[i].thread);
      const SondeTraceThread *tb = sonde_trace_get_thread (b, b->spans[i].thread);

      if (a->spans[i].start_ns != b->spans[i].start_ns || a->spans[i].end_ns != b->spans[i].end_ns
          || strcmp (la->name, lb->name) != 0 || strcmp (la->category, lb->category) != 0
          || strcmp (ta->tid, tb->tid) != 0 || strcmp (ta->name, tb->name) != 0
          || strcmp (ta->process, tb->process) != 0 || strcmp (ta->pid, tb->pid) != 0
          || a->nesting[i].parent != b->nesting[i].parent)
        g_error ("span %zu differs", i);
    }
  g_assert_cmpuint (a->counters->len, ==, b->counters->len);
  for (guint i = 0; i < a->counters->len; i++)
    {
      const SondeTraceCounter *ca = &g_array_index (a->counters, SondeTraceCounter, i);
      const SondeTraceCounter *cb = &g_array_index (b->counters, SondeTraceCounter, i);

      g_assert_cmpstr (ca->name, ==, cb->name);
      g_assert_cmpstr (ca->key, ==, cb->key);
      g_assert_cmpmem (ca->points->data, ca->points->len * sizeof (SondeTracePoint),
                       cb->points->data, cb->points->len * sizeof (SondeTracePoint));
    }
}

static void
assert_same_facts (const SondeProfileFacts *a, const SondeProfileFacts *b)
{
  g_assert_cmpstr (a->kind, ==, b->kind);
  g_assert_cmpstr (a->device, ==, b->device);
  g_assert_cmpstr (a->precision, ==, b->precision);
  g_assert_cmpuint (a->n_threads, ==, b->n_threads);
  g_assert_cmpfloat (a->n_recorded_bytes, ==, b->n_recorded_bytes);
  g_assert_cmpfloat (a->ceilings.peak_gflops, ==, b->ceilings.peak_gflops);
  g_assert_true (isnan (b->ceilings.peak_gbs));
  g_assert_cmpuint (a->operators->len, ==, b->operators->len);
  for (guint i = 0; i < a->operators->len; i++)
    {
      const SondeOperatorFacts *x = &g_array_index (a->operators, SondeOperatorFacts, i);
      const SondeOperatorFacts *y = &g_array_index (b->operators, SondeOperatorFacts, i);

      g_assert_cmpstr (x->node, ==, y->node);
      g_assert_cmpstr (x->op, ==, y->op);
      g_assert_cmpstr (x->implementation, ==, y->implementation);
      g_assert_cmpstr (x->dtype, ==, y->dtype);
      g_assert_cmpint (x->part, ==, y->part);
      g_assert_cmpint (x->flops, ==, y->flops);
      g_assert_cmpint (x->bytes, ==, y->bytes);
      g_assert_true (x->is_copy == y->is_copy && x->is_fallback == y->is_fallback);
      g_assert_cmpstrv ((char **) x->nodes, (char **) y->nodes);
    }
  g_assert_cmpuint (a->stages->len, ==, b->stages->len);
  for (guint i = 0; i < a->stages->len; i++)
    {
      const SondeStageFacts *x = &g_array_index (a->stages, SondeStageFacts, i);
      const SondeStageFacts *y = &g_array_index (b->stages, SondeStageFacts, i);

      g_assert_cmpstr (x->stage, ==, y->stage);
      g_assert_cmpfloat (x->busy_ns, ==, y->busy_ns);
      g_assert_cmpfloat (x->wait_ns, ==, y->wait_ns);
      g_assert_true (x->queue_mean == y->queue_mean
                     || (isnan (x->queue_mean) && isnan (y->queue_mean)));
      g_assert_cmpuint (x->n_workers, ==, y->n_workers);
    }
  g_assert_cmpmem (a->run_ns->data, a->run_ns->len * sizeof (double), b->run_ns->data,
                   b->run_ns->len * sizeof (double));
}

static void
assert_same_bodies (const GArray *a, const GArray *b)
{
  const SondeBodyMemory *x = &g_array_index (a, SondeBodyMemory, 0),
                        *y = &g_array_index (b, SondeBodyMemory, 0);

  g_assert_cmpuint (b->len, ==, 1);
  g_assert_cmpstr (y->body, ==, x->body);
  g_assert_cmpstr (y->node, ==, x->node);
  g_assert_true (x->from == y->from && x->until == y->until && x->n_runs == y->n_runs
                 && x->shown == y->shown && x->least_bytes == y->least_bytes
                 && x->most_bytes == y->most_bytes);
}

static void
assert_same_memory (const SondeMemoryTimeline *a, const SondeMemoryTimeline *b)
{
  const SondeLifetime *x = &g_array_index (a->lifetimes, SondeLifetime, 0);
  const SondeLifetime *y;

  g_assert_nonnull (b->lifetimes);
  g_assert_cmpuint (b->lifetimes->len, ==, a->lifetimes->len);
  y = &g_array_index (b->lifetimes, SondeLifetime, 0);
  g_assert_cmpuint (a->n_steps, ==, b->n_steps);
  for (guint i = 0; i < a->n_steps; i++)
    {
      g_assert_cmpstr (a->steps[i], ==, b->steps[i]);
      g_assert_cmpuint (a->held_bytes[i], ==, b->held_bytes[i]);
    }
  g_assert_cmpstr (x->value, ==, y->value);
  g_assert_cmpstr (x->node, ==, y->node);
  g_assert_cmpstr (x->scope, ==, y->scope);
  g_assert_cmpstr (x->last_reader, ==, y->last_reader);
  g_assert_cmpint (x->kind, ==, y->kind);
  g_assert_true (x->offset == y->offset && x->bytes == y->bytes && x->from == y->from
                 && x->until == y->until);
  g_assert_true (y->is_measured);
  assert_same_bodies (a->bodies, b->bodies);
  g_assert_cmpuint (b->alternatives->len, ==, 1);
  g_assert_cmpint (g_array_index (b->alternatives, SondeMemoryAlternative, 0).change, ==,
                   SONDE_MEMORY_RECOMPUTE);
  g_assert_cmpuint (a->peak_bytes, ==, b->peak_bytes);
  g_assert_cmpuint (a->peak_step, ==, b->peak_step);
  g_assert_cmpmem (a->by_kind, sizeof a->by_kind, b->by_kind, sizeof b->by_kind);
}

/* ---- there and back ----------------------------------------------------------------- */

/* Through the bytes of records. */
static void
encode (const SondeRecord *record, gpointer data)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  GByteArray *bytes = g_byte_array_new ();

  sonde_record_encode (record, table, bytes);
  g_ptr_array_add (data, bytes);
}

static GPtrArray *
write_all (const SondeTrace *trace, const SondeProfileFacts *facts, guint64 recording)
{
  GPtrArray *records = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);

  sonde_recorded_profile_write (trace, facts, 41, recording, encode, records);
  return records;
}

static gboolean
read_one (SondeRecordedProfileReader *reader, const guint8 *bytes, gsize length)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecord record = { 0 };
  gboolean good = sonde_record_decode (bytes, length, table, &record, NULL);

  if (good)
    {
      g_assert_cmpstr (record.tag, ==, SONDE_RECORDED_PROFILE_TAG);
      g_assert_cmpint (record.step, ==, 41);
      sonde_recorded_profile_reader_add (reader, &record);
    }
  sonde_record_clear (&record);
  return good;
}

static void
test_round_trip (void)
{
  g_autoptr (SondeTrace) trace = make_trace (N_STEPS, 20);
  g_autoptr (SondeTrace) small = make_trace (2, 3);
  g_autoptr (SondeProfileFacts) facts = make_facts ();
  g_autoptr (GPtrArray) first = write_all (trace, facts, 5), second = write_all (small, facts, 6);
  g_auto (SondeRecordedProfileReader) reader = { 0 };
  g_autoptr (GPtrArray) list = NULL;
  const SondeRecordedProfile *profile;

  g_assert_cmpuint (first->len, ==, 3 + 1); /* 66,000 spans, and the memory */
  for (guint i = 0; i < first->len; i++)
    {
      const GByteArray *bytes = g_ptr_array_index (first, i);

      g_assert_true (read_one (&reader, bytes->data, bytes->len));
      g_assert_true (read_one (&reader, ((GByteArray *) g_ptr_array_index (second, i % 2))->data,
                               ((GByteArray *) g_ptr_array_index (second, i % 2))->len));
    }
  g_assert_cmpuint (reader.n_damaged, ==, 2); /* each part once */
  list = sonde_recorded_profile_reader_finish (&reader);
  g_assert_cmpuint (list->len, ==, 2);
  profile = g_ptr_array_index (list, 0);
  g_assert_cmpint (profile->step, ==, 41);
  g_assert_cmpuint (profile->n_missing, ==, 0);
  assert_same_trace (trace, profile->trace);
  assert_same_facts (facts, profile->facts);
  assert_same_memory (&facts->memory, &profile->facts->memory);
  profile = g_ptr_array_index (list, 1);
  assert_same_trace (small, profile->trace);
}

/* A record that is lost takes its spans with it, no others. */
static void
test_lost (void)
{
  g_autoptr (SondeTrace) trace = make_trace (N_STEPS, 20);
  g_autoptr (SondeProfileFacts) facts = make_facts ();
  g_autoptr (GPtrArray) records = write_all (trace, facts, 5);
  g_auto (SondeRecordedProfileReader) reader = { 0 };
  g_autoptr (GPtrArray) list = NULL;
  const SondeRecordedProfile *profile;

  for (guint i = 0; i < records->len; i++)
    {
      const GByteArray *bytes = g_ptr_array_index (records, i);

      if (i != 1)
        g_assert_true (read_one (&reader, bytes->data, bytes->len));
    }
  list = sonde_recorded_profile_reader_finish (&reader);
  g_assert_cmpuint (list->len, ==, 1);
  profile = g_ptr_array_index (list, 0);
  g_assert_cmpuint (profile->n_missing, ==, 1);
  g_assert_cmpuint (profile->trace->n_spans, ==, trace->n_spans - 32768);
  assert_same_facts (facts, profile->facts);
}

/* Any byte may be another: what comes out can be looked at, or it is counted as damage. */
static void
test_hostile (void)
{
  g_autoptr (SondeTrace) trace = make_trace (3, 4);
  g_autoptr (SondeProfileFacts) facts = make_facts ();
  g_autoptr (GPtrArray) messages = write_all (trace, facts, 5);
  guint n_damaged = 0, n_read = 0;

  for (guint round = 0; round < 20000; round++)
    {
      const GByteArray *bytes = g_ptr_array_index (messages, round % messages->len);
      g_autofree guint8 *changed = g_memdup2 (bytes->data, bytes->len);
      g_auto (SondeRecordedProfileReader) reader = { 0 };
      g_autoptr (GPtrArray) list = NULL;
      g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
      SondeRecord record = { 0 };
      gsize length = bytes->len;

      for (guint k = 0; k <= round % 3; k++)
        changed[sonde_random_bits (3, round, k) % bytes->len]
            = (guint8) sonde_random_bits (4, round, k);
      if (round % 5 == 0)
        length = sonde_random_bits (5, round, 0) % bytes->len;
      if (sonde_record_decode (changed, length, table, &record, NULL)
          && (record.kind == SONDE_RECORD_SPAN || record.kind == SONDE_RECORD_MEMORY))
        {
          sonde_recorded_profile_reader_add (&reader, &record);
          n_read++;
        }
      sonde_record_clear (&record);
      n_damaged += (guint) reader.n_damaged;
      list = sonde_recorded_profile_reader_finish (&reader);
      for (guint i = 0; i < list->len; i++)
        {
          const SondeRecordedProfile *profile = g_ptr_array_index (list, i);

          for (gsize k = 0; k < profile->trace->n_spans; k++)
            g_assert_cmpint (profile->trace->spans[k].start_ns, <=,
                             profile->trace->spans[k].end_ns);
          g_assert_true (g_utf8_validate (profile->facts->kind, -1, NULL));
        }
    }
  g_assert_cmpuint (n_read, >, 1000);
  g_assert_cmpuint (n_damaged, >, 100);
}

static void
append (const SondeRecord *record, gpointer data)
{
  sonde_test_run_record (data, record);
}

static void
assert_entry (const SondeRecordingEntry *entry, guint64 recording, gint64 first, gint64 last,
              guint64 n)
{
  g_assert_cmpuint (entry->recording, ==, recording);
  g_assert_cmpint (entry->first_step, ==, first);
  g_assert_cmpint (entry->last_step, ==, last);
  g_assert_cmpuint (entry->n_steps, ==, n);
  g_assert_false (entry->of_runs);
}

/* As a file of a run, with other records before and rubbish behind. */
static void
test_run (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-profile-XXXXXX", NULL);
  g_autofree char *nothing = g_build_filename (folder, "nothing", NULL);
  g_autofree char *records = g_build_filename (folder, "records", NULL);
  g_autofree char *file = g_build_filename (records, "000001.sonde", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (folder);
  g_autoptr (SondeTrace) trace = make_trace (5, 6);
  g_autoptr (SondeProfileFacts) facts = make_facts ();
  g_auto (SondeRecordingList) list = { 0 };
  g_autoptr (SondeRecordedProfile) last = NULL, first = NULL;
  g_autoptr (GError) error = NULL;

  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_recorded_profile_write (trace, facts, 41, 5, append, run);
  sonde_recorded_profile_write (trace, facts, 50, 6, append, run);
  sonde_test_run_bytes (run, "rubbish", 7);
  sonde_test_run_flush (run);
  last = sonde_recorded_profile_read (NULL, folder, 0, &list, &error);
  g_assert_no_error (error);
  g_assert_cmpint (last->step, ==, 50);
  g_assert_cmpuint (last->recording, ==, 6);
  g_assert_cmpuint (sonde_recording_list_get_n (&list), ==, 2);
  g_assert_cmpuint (list.n_records, ==, 2);
  assert_entry (sonde_recording_list_get (&list, 1), 6, 0, 4, 5);
  first = sonde_recorded_profile_read (
      NULL, records, sonde_recording_list_get (&list, 0)->recording, NULL, &error);
  g_assert_no_error (error);
  assert_same_trace (trace, first->trace);
  g_assert_cmpint (first->step, ==, 41);
  g_assert_null (sonde_recorded_profile_read (NULL, file, 7, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (sonde_recorded_profile_read (NULL, nothing, 0, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, nothing));
  g_remove (file);
  g_rmdir (records);
  g_rmdir (folder);
}

/* The parts of a file of the fuzz target's corpus: kind, length, message. */
static GPtrArray *
read_corpus (const char *name)
{
  g_auto (SondeRecordedProfileReader) reader = { 0 };
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures",
                                            "profiles", "corpus", name, NULL),
                  *data = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);
  for (gsize at = 0; at + 5 <= length;)
    {
      const guint8 *head = (const guint8 *) data + at;
      const gsize n = head[1] | (gsize) head[2] << 8 | (gsize) head[3] << 16;
      g_autoptr (GBytes) message = g_bytes_new (head + 5, n);
      SondeRecord record
          = { .kind = head[0] == 1 ? SONDE_RECORD_MEMORY : SONDE_RECORD_SPAN, .step = 1 };

      record.u.profile.message = message;
      sonde_recorded_profile_reader_add (&reader, &record);
      at += 5 + n;
    }
  g_assert_cmpuint (reader.n_damaged, ==, 0);
  return sonde_recorded_profile_reader_finish (&reader);
}

/* What was written before bodies were known has none; what is written since has them. */
static void
test_old (void)
{
  g_autoptr (GPtrArray) before = read_corpus ("model.profile"),
                        since = read_corpus ("loops.profile");
  const SondeMemoryTimeline *old
      = &((SondeRecordedProfile *) g_ptr_array_index (before, 0))->facts->memory,
      *now = &((SondeRecordedProfile *) g_ptr_array_index (since, 0))->facts->memory;

  g_assert_cmpuint (old->lifetimes->len, >, 0);
  g_assert_cmpuint (old->bodies->len, ==, 0);
  g_assert_null (sonde_memory_timeline_find_body (old, old->peak_step));
  g_assert_cmpuint (now->bodies->len, ==, 2);
  g_assert_cmpstr (now->steps[now->peak_step], ==, "loop/body/choose");
  g_assert_cmpstr (sonde_memory_timeline_find_body (now, 1)->body, ==,
                   "loop/body/choose/then_branch");
  g_assert_cmpuint (sonde_memory_timeline_find_body (now, now->peak_step)->n_runs, ==, 6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/recorded/round-trip", test_round_trip);
  g_test_add_func ("/data/profiles/recorded/lost", test_lost);
  g_test_add_func ("/data/profiles/recorded/hostile", test_hostile);
  g_test_add_func ("/data/profiles/recorded/run", test_run);
  g_test_add_func ("/data/profiles/recorded/old", test_old);
  return g_test_run ();
}
