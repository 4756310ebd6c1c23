/* SPDX-License-Identifier: Apache-2.0
 * The gzipped protobuf of pprof. Source of the numbers: google/pprof proto/profile.proto. */
#include "data/base/sonde-checked.h"
#include "data/traces/writers/sonde-trace-calls.h"
#include "data/traces/writers/sonde-trace-output.h"
#include "data/traces/writers/sonde-trace-writer.h"
#include "data/wire/sonde-wire-emit.h"

enum
{
  FIELD_SAMPLE_TYPE = 1,
  FIELD_SAMPLE = 2,
  FIELD_LOCATION = 4,
  FIELD_FUNCTION = 5,
  FIELD_STRING = 6,
  FIELD_TIME = 9,
  FIELD_DURATION = 10,
  FIELD_DEFAULT_TYPE = 14,
};

/* @message: what is being made; @numbers: packed numbers of it
 * @strings: text → its number, in the order in which they are written; 0 is ""
 * @names: name of a call → number of its location and function, from 1 */
typedef struct
{
  const SondeTrace *trace;
  SondeTraceOutput *output;
  GByteArray *message, *numbers;
  GHashTable *strings, *names;
} Writer;

static void
write_message (Writer *writer, guint field)
{
  GByteArray *head = writer->numbers;

  g_byte_array_set_size (head, 0);
  sonde_emit_varint (head, field << 3 | 2);
  sonde_emit_varint (head, writer->message->len);
  sonde_trace_output_add (writer->output, head->data, head->len);
  sonde_trace_output_add (writer->output, writer->message->data, writer->message->len);
  g_byte_array_set_size (writer->message, 0);
}

static void
write_number (Writer *writer, guint field, gint64 number)
{
  g_byte_array_set_size (writer->numbers, 0);
  sonde_emit_number (writer->numbers, field, number);
  sonde_trace_output_add (writer->output, writer->numbers->data, writer->numbers->len);
}

/* Written at once: texts are in a list of their own, wherever it goes on. */
static guint
add_string (Writer *writer, const char *text)
{
  gpointer number;
  GByteArray *head;

  if (g_hash_table_lookup_extended (writer->strings, text, NULL, &number))
    return GPOINTER_TO_UINT (number);
  g_hash_table_insert (writer->strings, (gpointer) text,
                       GUINT_TO_POINTER (g_hash_table_size (writer->strings)));
  head = g_byte_array_new ();
  sonde_emit_text (head, FIELD_STRING, text);
  sonde_trace_output_add (writer->output, head->data, head->len);
  g_byte_array_unref (head);
  return g_hash_table_size (writer->strings) - 1;
}

static void
write_type (Writer *writer, const char *type, const char *unit)
{
  guint a = add_string (writer, type), b = add_string (writer, unit);

  sonde_emit_number (writer->message, 1, a);
  sonde_emit_number (writer->message, 2, b);
  write_message (writer, FIELD_SAMPLE_TYPE);
}

/* The location of a name, which is written when it is met first. */
static guint
add_name (Writer *writer, const char *name)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (writer->names, name)), text;
  gsize line;

  if (id > 0)
    return id;
  id = g_hash_table_size (writer->names) + 1;
  g_hash_table_insert (writer->names, (gpointer) name, GUINT_TO_POINTER (id));
  text = add_string (writer, name);
  sonde_emit_number (writer->message, 1, id);
  sonde_emit_number (writer->message, 2, text);
  write_message (writer, FIELD_FUNCTION);
  sonde_emit_number (writer->message, 1, id);
  line = sonde_emit_begin (writer->message, 4);
  sonde_emit_number (writer->message, 1, id);
  sonde_emit_end (writer->message, line);
  write_message (writer, FIELD_LOCATION);
  return id;
}

static void
emit_label (Writer *writer, guint key, guint text)
{
  gsize label = sonde_emit_begin (writer->message, 3);

  sonde_emit_number (writer->message, 1, key);
  sonde_emit_number (writer->message, 2, text);
  sonde_emit_end (writer->message, label);
}

static void
emit_thread (Writer *writer, guint32 thread)
{
  const SondeTraceThread *t = sonde_trace_get_thread (writer->trace, thread);
  const char *name = *t->track != 0 ? t->track : *t->name != 0 ? t->name : t->tid;

  emit_label (writer, add_string (writer, "process"),
              add_string (writer, *t->process != 0 ? t->process : t->pid));
  emit_label (writer, add_string (writer, "thread"), add_string (writer, name));
}

/* Frames from the innermost outwards. */
static void
write_sample (Writer *writer, const GArray *calls, guint32 index)
{
  const SondeTraceCall *call = &g_array_index (calls, SondeTraceCall, index);

  /* names come before the sample: they are messages of their own */
  for (guint32 i = index; i != SONDE_TRACE_NONE;
       i = g_array_index (calls, SondeTraceCall, i).parent)
    add_name (writer, g_array_index (calls, SondeTraceCall, i).name);
  g_byte_array_set_size (writer->numbers, 0);
  for (guint32 i = index; i != SONDE_TRACE_NONE;
       i = g_array_index (calls, SondeTraceCall, i).parent)
    sonde_emit_varint (writer->numbers,
                       add_name (writer, g_array_index (calls, SondeTraceCall, i).name));
  sonde_emit_bytes (writer->message, 1, writer->numbers->data, writer->numbers->len);
  g_byte_array_set_size (writer->numbers, 0);
  if (call->thread != SONDE_TRACE_NONE)
    sonde_emit_varint (writer->numbers, call->n);
  sonde_emit_varint (writer->numbers, call->weight);
  sonde_emit_bytes (writer->message, 2, writer->numbers->data, writer->numbers->len);
  if (call->thread != SONDE_TRACE_NONE)
    emit_thread (writer, call->thread);
  write_message (writer, FIELD_SAMPLE);
}

static void
write_head (Writer *writer, gboolean is_sampled)
{
  gint64 ns;

  add_string (writer, "");
  if (is_sampled)
    write_type (writer, "samples", "count");
  else
    {
      write_type (writer, "calls", "count");
      write_type (writer, "time", "nanoseconds");
      write_number (writer, FIELD_DEFAULT_TYPE, add_string (writer, "time"));
    }
  if (!writer->trace->has_time)
    return;
  if (sonde_checked_add (&ns, writer->trace->clock_base_ns, writer->trace->start_ns))
    write_number (writer, FIELD_TIME, ns);
  if (sonde_checked_sub (&ns, writer->trace->end_ns, writer->trace->start_ns))
    write_number (writer, FIELD_DURATION, ns);
}

gboolean
sonde_trace_write_pprof (const SondeTrace *trace, const char *path, GError **error)
{
  g_autoptr (GHashTable) strings = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr (GByteArray) message = g_byte_array_new (), numbers = g_byte_array_new ();
  g_autoptr (GArray) calls = NULL;
  Writer writer
      = { trace, sonde_trace_output_new (path, TRUE, error), message, numbers, strings, names };

  if (writer.output == NULL)
    return FALSE;
  calls = sonde_trace_list_calls (trace);
  write_head (&writer, trace->format == SONDE_TRACE_COLLAPSED || trace->format == SONDE_TRACE_PERF);
  for (guint i = 0; i < calls->len && !sonde_trace_output_has_failed (writer.output); i++)
    {
      const SondeTraceCall *call = &g_array_index (calls, SondeTraceCall, i);

      if (call->n > 0 || call->weight > 0)
        write_sample (&writer, calls, i);
    }
  return sonde_trace_output_finish (writer.output, error);
}
