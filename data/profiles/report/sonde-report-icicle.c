/* SPDX-License-Identifier: Apache-2.0
 * Calls as an icicle: what is narrower than half a unit is left out. */
#include "data/base/sonde-text.h"
#include "data/profiles/report/sonde-report-markup.h"
#include "data/profiles/report/sonde-report-pictures.h"
#include "data/traces/writers/sonde-trace-calls.h"

#define ROW_HEIGHT 17
#define MAX_DEPTH 40
#define MIN_WIDTH 0.5

/* @totals: of each call with what it called; @first, @next: children as lists, the greatest first
 * @depth: of the deepest rectangle; @sum: of the outermost calls */
typedef struct
{
  GString *page;
  const GArray *calls;
  double *totals;
  guint32 *first, *next;
  guint32 root;
  double sum;
  guint depth;
} Icicle;

static const SondeTraceCall *
get_call (const Icicle *icicle, guint32 i)
{
  return &g_array_index (icicle->calls, SondeTraceCall, i);
}

static int
compare_totals (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *totals = data, x = totals[*(const guint32 *) a], y = totals[*(const guint32 *) b];

  return (x > y) - (x < y);
}

/* Puts the calls into the lists of their parents, the smallest first, so that the greatest ends in front. */
static void
link_calls (Icicle *icicle)
{
  const guint n = icicle->calls->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);

  for (guint32 i = n; i > 0; i--)
    {
      const SondeTraceCall *call = get_call (icicle, i - 1);

      icicle->totals[i - 1] += (double) MAX (call->weight, 0);
      if (call->parent != SONDE_TRACE_NONE)
        icicle->totals[call->parent] += icicle->totals[i - 1];
      else
        icicle->sum += icicle->totals[i - 1];
      order[i - 1] = i - 1;
      icicle->first[i - 1] = SONDE_TRACE_NONE;
    }
  icicle->root = SONDE_TRACE_NONE;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_totals, icicle->totals);
  for (guint32 i = 0; i < n; i++)
    {
      const guint32 parent = get_call (icicle, order[i])->parent;
      guint32 *list = parent != SONDE_TRACE_NONE ? &icicle->first[parent] : &icicle->root;

      icicle->next[order[i]] = *list;
      *list = order[i];
    }
}

static void
draw_call (Icicle *icicle, guint32 i, double x, double width, guint depth)
{
  const SondeTraceCall *call = get_call (icicle, i);
  const char *name = *call->name != '\0' ? call->name : "–";
  g_autofree char *share = sonde_report_format_share (icicle->totals[i] / icicle->sum);
  g_autofree char *time = call->n > 0 ? sonde_report_format_ns (icicle->totals[i])
                                      : g_strdup_printf ("%.0f", icicle->totals[i]);
  g_autofree char *tip = g_strdup_printf ("%s: %s (%s)", name, time, share);

  sonde_report_add_rectangle (icicle->page, x, (double) depth * ROW_HEIGHT, width, ROW_HEIGHT - 1,
                              sonde_report_get_colour (name), tip, name);
  icicle->depth = MAX (icicle->depth, depth + 1);
}

static void
draw_list (Icicle *icicle, guint32 list, double x, guint depth)
{
  for (guint32 i = list; i != SONDE_TRACE_NONE && depth < MAX_DEPTH; i = icicle->next[i])
    {
      const double width = icicle->totals[i] / icicle->sum * SONDE_REPORT_WIDTH;

      if (width < MIN_WIDTH)
        break;
      draw_call (icicle, i, x, width, depth);
      draw_list (icicle, icicle->first[i], x, depth + 1);
      x += width;
    }
}

void
sonde_report_add_icicle (GString *page, const SondeTrace *trace)
{
  g_autoptr (GArray) calls = sonde_trace_list_calls (trace);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autofree double *totals = g_new0 (double, calls->len + 1);
  g_autofree guint32 *first = g_new (guint32, calls->len + 1);
  g_autofree guint32 *next = g_new (guint32, calls->len + 1);
  Icicle icicle = { body, calls, totals, first, next, SONDE_TRACE_NONE, 0, 0 };

  link_calls (&icicle);
  if (icicle.sum <= 0)
    return;
  draw_list (&icicle, icicle.root, 0, 0);
  sonde_report_add_heading (page, _ ("Calls"));
  sonde_report_begin_picture (page, (double) icicle.depth * ROW_HEIGHT, _ ("Calls"));
  g_string_append_len (page, body->str, (gssize) body->len);
  sonde_report_end_picture (page);
}
