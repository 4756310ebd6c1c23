/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for recorded profiles: parts as they lie in records, then everything that is made of them, as
 * profile and as JSON. An input is a row of parts, each a byte (0 span, 1 memory), four of its length
 * (little-endian) and the message. Built by gcc it replays the files named on the command line, and each of
 * them damaged in many places (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a libFuzzer
 * target (scripts/fuzz). */
#include "data/profiles/sonde-profile-json.h"
#include "data/profiles/sonde-recorded-profile.h"

#include <math.h>
#include <string.h>

#define HEAD 5 /* bytes before a message */

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* ---- what holds of every profile ------------------------------------------ */

static void
check_text (const char *text)
{
  if (text != NULL && !g_utf8_validate (text, -1, NULL))
    g_error ("“%s” is no UTF-8", text);
}

static void
check_trace (const SondeTrace *trace)
{
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      g_assert_cmpint (trace->spans[i].start_ns, <=, trace->spans[i].end_ns);
      g_assert_cmpuint (trace->spans[i].label, <, trace->labels->len);
      g_assert_cmpuint (trace->spans[i].thread, <, trace->threads->len);
    }
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);

      check_text (counter->name);
      check_text (counter->key);
      for (guint k = 0; k < counter->points->len; k++)
        g_assert_true (isfinite (g_array_index (counter->points, SondeTracePoint, k).value));
    }
}

static void
check_facts (const SondeProfileFacts *facts)
{
  guint64 by_kind[SONDE_MEMORY_N_KINDS];

  check_text (facts->kind);
  check_text (facts->device);
  g_assert_true (isfinite (facts->n_recorded_bytes));
  for (guint i = 0; i < facts->run_ns->len; i++)
    g_assert_true (g_array_index (facts->run_ns, double, i) >= 0);
  for (guint i = 0; i < facts->operators->len; i++)
    {
      const SondeOperatorFacts *op = &g_array_index (facts->operators, SondeOperatorFacts, i);

      check_text (op->node);
      check_text (op->op);
      g_assert_cmpint (op->flops, >=, SONDE_COST_UNKNOWN);
    }
  for (guint i = 0; facts->memory.bodies != NULL && i < facts->memory.bodies->len; i++)
    {
      const SondeBodyMemory *body = &g_array_index (facts->memory.bodies, SondeBodyMemory, i);

      check_text (body->body);
      check_text (body->node);
      g_assert_true (body->from <= body->until && body->until < facts->memory.n_steps);
      g_assert_nonnull (sonde_memory_timeline_find_body (&facts->memory, body->from));
    }
  for (guint i = 0; facts->memory.lifetimes != NULL && i < MIN (facts->memory.n_steps, 64); i++)
    sonde_memory_timeline_count (&facts->memory, i, by_kind);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  g_auto (SondeRecordedProfileReader) reader = { 0 };
  g_autoptr (GPtrArray) list = NULL;

  while (length > HEAD)
    {
      guint32 n = data[1] | data[2] << 8 | data[3] << 16 | (guint32) data[4] << 24;
      gsize size = MIN ((gsize) n, length - HEAD);
      SondeRecord record
          = { .kind = data[0] == 1 ? SONDE_RECORD_MEMORY : SONDE_RECORD_SPAN, .step = 7 };

      record.u.profile.message = g_bytes_new (data + HEAD, size);
      sonde_recorded_profile_reader_add (&reader, &record);
      g_bytes_unref (record.u.profile.message);
      data += HEAD + size;
      length -= HEAD + size;
    }
  list = sonde_recorded_profile_reader_finish (&reader);
  for (guint i = 0; i < list->len; i++)
    {
      SondeRecordedProfile *one = g_ptr_array_index (list, i);
      g_autoptr (SondeProfile) profile = NULL;
      g_autoptr (JsonNode) json = NULL;

      check_trace (one->trace);
      check_facts (one->facts);
      profile
          = sonde_profile_new (g_steal_pointer (&one->trace), g_steal_pointer (&one->facts), NULL);
      json = sonde_profile_to_json (profile, NULL, NULL);
    }
  return 0;
}

#ifndef SONDE_LIBFUZZER
/* Each byte in turn becomes another one, in a way that is the same each time; at the ends of varints that
 * makes counts that are huge. */
static void
damage (const guint8 *data, gsize length)
{
  g_autofree guint8 *bytes = g_memdup2 (data, length);
  guint32 state = 1;

  for (gsize i = 0; i < length; i++)
    {
      guint8 kept = bytes[i];

      state = state * 1664525 + 1013904223;
      bytes[i] = i % 3 == 0 ? 0xff : i % 3 == 1 ? kept ^ (1u << (state >> 29)) : state >> 24;
      LLVMFuzzerTestOneInput (bytes, i % 5 == 0 ? i : length);
      bytes[i] = kept;
    }
}

static int
replay (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *data = NULL;
  const char *name;
  gsize length;
  int n = 0;

  if (dir == NULL)
    {
      if (!g_file_get_contents (path, &data, &length, NULL))
        return 0;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      damage ((const guint8 *) data, length);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += replay (child);
    }
  return n;
}

int
main (int argc, char *argv[])
{
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_print ("1..1\n%s 1 - /data/profiles/fuzz # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
