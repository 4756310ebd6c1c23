/* SPDX-License-Identifier: Apache-2.0
 * An overview over time: of spans that fall on the same unit of the picture the first is drawn. */
#include "data/base/sonde-text.h"
#include "data/profiles/report/sonde-report-markup.h"
#include "data/profiles/report/sonde-report-pictures.h"

#define MAX_THREADS 12
#define LEVELS 3
#define ROW_HEIGHT 13
#define HEAD_HEIGHT 15 /* the name of the thread above its rows */
#define GAP 6

static int
compare_busy (gconstpointer a, gconstpointer b, gpointer data)
{
  gint64 x = sonde_trace_get_thread (data, *(const guint32 *) a)->busy_ns;
  gint64 y = sonde_trace_get_thread (data, *(const guint32 *) b)->busy_ns;

  return (x < y) - (x > y);
}

/* (transfer full) (element-type guint32): threads with spans, the busiest first */
static GArray *
list_threads (const SondeTrace *trace)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < trace->threads->len; i++)
    if (sonde_trace_get_thread (trace, i)->n > 0)
      g_array_append_val (list, i);
  g_array_sort_with_data (list, compare_busy, (gpointer) trace);
  g_array_set_size (list, MIN (list->len, MAX_THREADS));
  return list;
}

static char *
make_name (const SondeTraceThread *thread)
{
  const char *name = *thread->track != '\0'  ? thread->track
                     : *thread->name != '\0' ? thread->name
                                             : thread->tid;
  const char *process = *thread->process != '\0' ? thread->process : thread->pid;

  return g_strdup_printf ("%s · %s", process, name);
}

static void
draw_spans (GString *page, const SondeTrace *trace, const SondeTraceThread *thread, double top)
{
  const double scale = SONDE_REPORT_WIDTH / MAX ((double) (trace->end_ns - trace->start_ns), 1);
  double until[LEVELS] = { -1, -1, -1 };

  for (guint64 i = thread->first; i < thread->first + thread->n; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      const guint32 depth = sonde_trace_get_depth (trace, i);
      const double x = (double) (span->start_ns - trace->start_ns) * scale;
      const double width = MAX ((double) (span->end_ns - span->start_ns) * scale, 1);
      const SondeTraceLabel *label = sonde_trace_get_label (trace, span->label);
      g_autofree char *time = NULL, *tip = NULL;

      if (sonde_trace_get_lane (trace, i) > 0 || depth >= LEVELS || x + width < until[depth] + 1)
        continue;
      time = sonde_report_format_ns ((double) (span->end_ns - span->start_ns));
      tip = g_strdup_printf ("%s: %s", label->name, time);
      sonde_report_add_rectangle (page, x, top + depth * ROW_HEIGHT, width, ROW_HEIGHT - 1,
                                  sonde_report_get_colour (label->name), tip, label->name);
      until[depth] = x + width;
    }
}

void
sonde_report_add_timeline (GString *page, const SondeTrace *trace)
{
  g_autoptr (GArray) threads = list_threads (trace);
  double height = 0;

  if (!trace->has_time || threads->len == 0)
    return;
  for (guint i = 0; i < threads->len; i++)
    height += HEAD_HEIGHT + GAP
              + MIN (sonde_trace_get_thread (trace, g_array_index (threads, guint32, i))->max_depth,
                     LEVELS)
                    * ROW_HEIGHT;
  sonde_report_add_heading (page, _ ("Timeline"));
  sonde_report_begin_picture (page, height, _ ("Timeline"));
  height = 0;
  for (guint i = 0; i < threads->len; i++)
    {
      const SondeTraceThread *thread
          = sonde_trace_get_thread (trace, g_array_index (threads, guint32, i));
      g_autofree char *name = make_name (thread);

      g_string_append_printf (page, "<text class=\"row\" x=\"0\" y=\"%.1f\">",
                              height + HEAD_HEIGHT - 4);
      sonde_report_add_escaped (page, name);
      g_string_append (page, "</text>\n");
      draw_spans (page, trace, thread, height + HEAD_HEIGHT);
      height += HEAD_HEIGHT + GAP + MIN (thread->max_depth, LEVELS) * ROW_HEIGHT;
    }
  sonde_report_end_picture (page);
}
