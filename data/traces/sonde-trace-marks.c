/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-marks.h"

#include <sys/mman.h>
#include <unistd.h>

#include "data/wire/sonde-wire-cursor.h"
#include "data/wire/sonde-wire-emit.h"

#define PART (1u << 18) /* bytes that are given back at once */
#define MARK_MAX 25     /* bytes of a mark at most */

/* @parts: GByteArray of whole marks; @last: what the next one's distance is from
 * @unsorted: whether one came before another that is less */
struct _SondeTraceMarks
{
  GPtrArray *parts;
  SondeTraceMark last;
  gboolean unsorted;
};

static void
free_part (gpointer part)
{
  if (part != NULL)
    g_byte_array_unref (part);
}

SondeTraceMarks *
sonde_trace_marks_new (void)
{
  SondeTraceMarks *marks = g_new0 (SondeTraceMarks, 1);

  marks->parts = g_ptr_array_new_with_free_func (free_part);
  return marks;
}

void
sonde_trace_marks_free (SondeTraceMarks *marks)
{
  if (marks == NULL)
    return;
  g_ptr_array_unref (marks->parts);
  g_free (marks);
}

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  const SondeTraceMark *x = a, *y = b;

  if (x->at_ns != y->at_ns)
    return x->at_ns < y->at_ns ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

/* Distances around the end of 64 bits, small ones of either sign as small numbers. */
static guint64
fold (guint64 distance)
{
  return distance << 1 ^ (0 - (distance >> 63));
}

static guint64
unfold (guint64 number)
{
  return number >> 1 ^ (0 - (number & 1));
}

void
sonde_trace_marks_add (SondeTraceMarks *marks, const SondeTraceMark *mark)
{
  GByteArray *part = marks->parts->len > 0 ? marks->parts->pdata[marks->parts->len - 1] : NULL;

  if (part != NULL && compare_marks (&marks->last, mark) > 0)
    marks->unsorted = TRUE;
  if (part == NULL || part->len > PART - MARK_MAX)
    {
      /* Most threads have little to say; growing leaves gaps behind. */
      part = marks->parts->len == 0 ? g_byte_array_new () : g_byte_array_sized_new (PART);
      g_ptr_array_add (marks->parts, part);
    }
  sonde_emit_varint (part, fold ((guint64) mark->at_ns - (guint64) marks->last.at_ns));
  sonde_emit_varint (part, fold (mark->place - marks->last.place));
  sonde_emit_varint (part, (guint32) (mark->what + 1));
  marks->last = *mark;
}

void
sonde_trace_release (gpointer start, gsize n)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE), end = ((gsize) start + n) / page * page;
  gsize first = ((gsize) start + page - 1) / page * page;

  if (end > first)
    madvise ((gpointer) first, end - first, MADV_DONTNEED);
}

/* In the order in which they came. */
static void
drain_plainly (SondeTraceMarks *marks, SondeTraceMarkVisitor visit, gpointer data)
{
  SondeTraceMark mark = { 0 };

  for (guint i = 0; i < marks->parts->len; i++)
    {
      g_autoptr (GByteArray) part = g_steal_pointer (&marks->parts->pdata[i]);
      SondeWireCursor cursor = sonde_wire_cursor (part->data, part->len);
      guint64 time, place, what;

      while (cursor.at != cursor.end && sonde_wire_take_varint (&cursor, &time)
             && sonde_wire_take_varint (&cursor, &place) && sonde_wire_take_varint (&cursor, &what))
        {
          mark.at_ns = (gint64) ((guint64) mark.at_ns + unfold (time));
          mark.place += unfold (place);
          mark.what = (guint32) what - 1;
          visit (&mark, data);
        }
      /* Many small ones would stay with the allocator. */
      sonde_trace_release (part->data, part->len);
    }
  g_ptr_array_set_size (marks->parts, 0);
  marks->last = (SondeTraceMark){ 0 };
}

static void
gather (const SondeTraceMark *mark, gpointer list)
{
  g_array_append_vals (list, mark, 1);
}

void
sonde_trace_marks_drain (SondeTraceMarks *marks, SondeTraceMarkVisitor visit, gpointer data)
{
  g_autoptr (GArray) list = NULL;

  if (!marks->unsorted)
    {
      drain_plainly (marks, visit, data);
      return;
    }
  list = g_array_new (FALSE, FALSE, sizeof (SondeTraceMark));
  drain_plainly (marks, gather, list);
  g_array_sort (list, compare_marks);
  for (guint i = 0; i < list->len; i++)
    visit (&g_array_index (list, SondeTraceMark, i), data);
  marks->unsorted = FALSE;
}
