/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/writers/sonde-trace-rows.h"

#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-pair-hash.h"

/* The number that a text is, written as we would; 0 when it is none or not between 1 and 2³¹ − 1. */
static gint32
parse_number (const char *text)
{
  gint64 number = 0;

  if (*text < '1' || *text > '9' || strlen (text) > 10)
    return 0;
  for (; g_ascii_isdigit (*text); text++)
    number = 10 * number + (*text - '0');
  return *text == 0 && number <= G_MAXINT32 ? (gint32) number : 0;
}

/* Numbers that are taken, and the next that may be free; keys are numbers below a process. */
typedef struct
{
  GHashTable *taken; /* guint64: process and number */
  GArray *next;      /* gint32, of each process */
} Numbers;

static gboolean
take_number (Numbers *numbers, guint process, gint32 number)
{
  guint64 key = (guint64) process << 32 | (guint32) number;

  if (number == 0 || g_hash_table_contains (numbers->taken, &key))
    return FALSE;
  g_hash_table_add (numbers->taken, g_memdup2 (&key, sizeof key));
  return TRUE;
}

static gint32
take_free_number (Numbers *numbers, guint process)
{
  gint32 *next;

  if (process >= numbers->next->len)
    g_array_set_size (numbers->next, process + 1);
  next = &g_array_index (numbers->next, gint32, process);
  do
    ++*next;
  while (!take_number (numbers, process, *next));
  return *next;
}

static void
numbers_init (Numbers *numbers)
{
  numbers->taken = g_hash_table_new_full (sonde_pair_hash, g_int64_equal, g_free, NULL);
  numbers->next = g_array_new (FALSE, TRUE, sizeof (gint32));
}

static void
numbers_clear (Numbers *numbers)
{
  g_hash_table_unref (numbers->taken);
  g_array_unref (numbers->next);
}

/* ---- processes ----------------------------------------------------------- */

static void
add_process (SondeTraceRows *rows, const char *text, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (rows->process_indices, text));
  SondeTraceRowProcess entry = { 0, text, name };

  if (index > 0)
    {
      SondeTraceRowProcess *process
          = &g_array_index (rows->processes, SondeTraceRowProcess, index - 1);

      process->name = *process->name == 0 ? name : process->name;
      return;
    }
  g_array_append_val (rows->processes, entry);
  g_hash_table_insert (rows->process_indices, (gpointer) text,
                       GUINT_TO_POINTER (rows->processes->len));
}

/* Those that are numbers keep them, wherever they come. */
static void
number_processes (SondeTraceRows *rows)
{
  Numbers numbers;

  numbers_init (&numbers);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < rows->processes->len; i++)
      {
        SondeTraceRowProcess *process = &g_array_index (rows->processes, SondeTraceRowProcess, i);
        gint32 number = parse_number (process->text);

        if (pass == 0 && take_number (&numbers, 0, number))
          process->pid = number;
        else if (pass == 1 && process->pid == 0)
          process->pid = take_free_number (&numbers, 0);
      }
  numbers_clear (&numbers);
}

static void
list_processes (SondeTraceRows *rows, const SondeTrace *trace)
{
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

      add_process (rows, thread->pid, thread->process);
    }
  for (guint i = 0; i < trace->counters->len; i++)
    add_process (rows, g_array_index (trace->counters, SondeTraceCounter, i).pid, "");
  number_processes (rows);
}

/* ---- rows ---------------------------------------------------------------- */

static void
list_rows (SondeTraceRows *rows, const SondeTrace *trace)
{
  for (guint32 i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);
      const SondeTraceRowProcess *process = sonde_trace_rows_get_process (rows, thread->pid);
      SondeTraceRow row = { .pid = process->pid, .thread = i };

      row.process = process - (const SondeTraceRowProcess *) rows->processes->data;
      rows->first[i] = rows->rows->len;
      for (row.lane = 0; row.lane < MAX (thread->n_lanes, 1); row.lane++)
        g_array_append_val (rows->rows, row);
    }
}

static void
number_rows (SondeTraceRows *rows, const SondeTrace *trace)
{
  Numbers numbers;

  numbers_init (&numbers);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < rows->rows->len; i++)
      {
        SondeTraceRow *row = &g_array_index (rows->rows, SondeTraceRow, i);
        const SondeTraceThread *thread = sonde_trace_get_thread (trace, row->thread);
        gint32 number = row->lane == 0 && *thread->track == 0 ? parse_number (thread->tid) : 0;

        if (pass == 0 && take_number (&numbers, row->process, number))
          row->tid = number;
        else if (pass == 1 && row->tid == 0)
          row->tid = take_free_number (&numbers, row->process);
      }
  numbers_clear (&numbers);
}

void
sonde_trace_rows_init (SondeTraceRows *rows, const SondeTrace *trace)
{
  rows->rows = g_array_new (FALSE, FALSE, sizeof (SondeTraceRow));
  rows->processes = g_array_new (FALSE, FALSE, sizeof (SondeTraceRowProcess));
  rows->first = g_new (guint, MAX (trace->threads->len, 1));
  rows->process_indices = g_hash_table_new (g_str_hash, g_str_equal);
  list_processes (rows, trace);
  list_rows (rows, trace);
  number_rows (rows, trace);
}

void
sonde_trace_rows_clear (SondeTraceRows *rows)
{
  g_clear_pointer (&rows->rows, g_array_unref);
  g_clear_pointer (&rows->processes, g_array_unref);
  g_clear_pointer (&rows->first, g_free);
  g_clear_pointer (&rows->process_indices, g_hash_table_unref);
}

const SondeTraceRow *
sonde_trace_rows_get (const SondeTraceRows *rows, guint32 thread, guint32 lane)
{
  return &g_array_index (rows->rows, SondeTraceRow, rows->first[thread] + lane);
}

const SondeTraceRow *
sonde_trace_rows_of_span (const SondeTraceRows *rows, const SondeTrace *trace, guint32 span)
{
  return sonde_trace_rows_get (rows, trace->spans[span].thread, sonde_trace_get_lane (trace, span));
}

const SondeTraceRowProcess *
sonde_trace_rows_get_process (const SondeTraceRows *rows, const char *text)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (rows->process_indices, text));

  return &g_array_index (rows->processes, SondeTraceRowProcess, index - 1);
}

char *
sonde_trace_rows_dup_name (const SondeTrace *trace, const SondeTraceRow *row)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (trace, row->thread);
  const char *name = *thread->track != 0               ? thread->track
                     : *thread->name != 0              ? thread->name
                     : parse_number (thread->tid) == 0 ? thread->tid
                                                       : "";

  if (row->lane == 0)
    return g_strdup (name);
  return g_strdup_printf ("%s, lane %u", *name != 0 ? name : thread->tid, row->lane + 1);
}
