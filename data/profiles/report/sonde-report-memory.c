/* SPDX-License-Identifier: Apache-2.0
 * The curve of memory: of a trace over time, of a plan over its steps; who holds it at the peak. */
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/report/sonde-report-markup.h"
#include "data/profiles/report/sonde-report-pictures.h"

#define HEIGHT 120
#define MOST_ROWS 20

/* The most of each column; what it holds before is carried on. */
typedef struct
{
  double most[SONDE_REPORT_WIDTH];
  double peak;
} Curve;

static void
raise_column (Curve *curve, guint column, double bytes)
{
  column = MIN (column, SONDE_REPORT_WIDTH - 1);
  curve->most[column] = MAX (curve->most[column], bytes);
  curve->peak = MAX (curve->peak, bytes);
}

/* The device that takes most. */
static const char *
find_device (const GArray *memory)
{
  const SondeTraceMemory *most = NULL;

  for (guint i = 0; i < memory->len; i++)
    {
      const SondeTraceMemory *one = &g_array_index (memory, SondeTraceMemory, i);

      if (most == NULL || one->total_bytes > most->total_bytes)
        most = one;
    }
  return most != NULL ? most->device : NULL;
}

static void
fill_from_trace (Curve *curve, const SondeTrace *trace)
{
  const char *device = find_device (trace->memory);
  const double length = MAX ((double) (trace->end_ns - trace->start_ns), 1);
  double held = 0;
  guint column = 0;

  for (guint i = 0; i < trace->memory->len; i++)
    {
      const SondeTraceMemory *one = &g_array_index (trace->memory, SondeTraceMemory, i);
      const guint at = (guint) (CLAMP ((double) (one->at_ns - trace->start_ns) / length, 0, 1)
                                * (SONDE_REPORT_WIDTH - 1));

      if (g_strcmp0 (one->device, device) != 0)
        continue;
      for (; column <= at; column++)
        raise_column (curve, column, held);
      held = (double) one->total_bytes;
      raise_column (curve, at, held);
    }
  for (; column < SONDE_REPORT_WIDTH; column++)
    raise_column (curve, column, held);
}

static void
fill_from_plan (Curve *curve, const SondeMemoryTimeline *memory)
{
  for (guint step = 0; step < memory->n_steps; step++)
    {
      const guint from = (guint) ((guint64) step * SONDE_REPORT_WIDTH / memory->n_steps);
      const guint to = (guint) (((guint64) step + 1) * SONDE_REPORT_WIDTH / memory->n_steps);

      for (guint column = from; column < MAX (to, from + 1); column++)
        raise_column (curve, column, (double) memory->held_bytes[step]);
    }
}

static void
draw (GString *page, const Curve *curve, const char *caption)
{
  sonde_report_add_heading (page, _ ("Memory"));
  sonde_report_begin_picture (page, HEIGHT, caption);
  g_string_append_printf (page, "<path class=\"area\" d=\"M0 %d", HEIGHT);
  for (guint i = 0; i < SONDE_REPORT_WIDTH; i++)
    g_string_append_printf (page, "L%u %.1f", i,
                            HEIGHT - curve->most[i] / curve->peak * (HEIGHT - 4));
  g_string_append_printf (page, "L%d %dZ\"/>\n", SONDE_REPORT_WIDTH, HEIGHT);
  sonde_report_end_picture (page);
  g_string_append (page, "<p>");
  sonde_report_add_escaped (page, caption);
  g_string_append (page, "</p>\n");
}

/* ---- who holds it -------------------------------------------------------- */

static int
compare_bytes (gconstpointer a, gconstpointer b)
{
  const SondeLifetime *x = *(const SondeLifetime *const *) a,
                      *y = *(const SondeLifetime *const *) b;

  return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* (nullable) */
static const char *
get_step (const SondeMemoryTimeline *memory, guint step)
{
  return step < memory->n_steps ? memory->steps[step] : NULL;
}

static void
add_value (GString *page, const SondeMemoryTimeline *memory, const SondeLifetime *value)
{
  g_autofree char *bytes = sonde_format_bytes (value->bytes);

  g_string_append (page, "<tr>");
  sonde_report_add_cell (page, value->value, FALSE);
  sonde_report_add_cell (page, sonde_memory_kind_get_name (value->kind), FALSE);
  sonde_report_add_cell (page, bytes, TRUE);
  sonde_report_add_cell (page, value->node != NULL ? value->node : "–", FALSE);
  sonde_report_add_cell (page, get_step (memory, value->from), FALSE);
  sonde_report_add_cell (page, get_step (memory, value->until), FALSE);
  g_string_append (page, "</tr>\n");
}

/* The largest that live at the peak. */
static void
add_values (GString *page, const SondeMemoryTimeline *memory)
{
  static const char *const heads[] = { N_ ("<VALUE"), N_ ("<KIND"),  N_ (">SIZE"), N_ ("<MADE BY"),
                                       N_ ("<FROM"),  N_ ("<UNTIL"), NULL };
  g_autoptr (GPtrArray) alive = g_ptr_array_new ();

  for (guint i = 0; i < memory->lifetimes->len; i++)
    {
      SondeLifetime *value = &g_array_index (memory->lifetimes, SondeLifetime, i);

      if (value->bytes > 0 && value->from <= memory->peak_step && value->until >= memory->peak_step)
        g_ptr_array_add (alive, value);
    }
  g_ptr_array_sort (alive, compare_bytes);
  sonde_report_begin_table (page, heads);
  for (guint i = 0; i < MIN (alive->len, MOST_ROWS); i++)
    add_value (page, memory, g_ptr_array_index (alive, i));
  sonde_report_end_table (page);
}

static void
add_bodies (GString *page, const SondeMemoryTimeline *memory)
{
  static const char *const heads[]
      = { N_ ("<BODY"), N_ (">RUNS"), N_ (">TAKES AT LEAST"), N_ (">AT MOST"), NULL };

  if (memory->bodies == NULL || memory->bodies->len == 0)
    return;
  sonde_report_begin_table (page, heads);
  for (guint i = 0; i < MIN (memory->bodies->len, MOST_ROWS); i++)
    {
      const SondeBodyMemory *body = &g_array_index (memory->bodies, SondeBodyMemory, i);
      g_autofree char *runs = g_strdup_printf ("%" PRIu64, body->n_runs),
                      *least = sonde_format_bytes (body->least_bytes),
                      *most = sonde_format_bytes (body->most_bytes);

      g_string_append (page, "<tr>");
      sonde_report_add_cell (page, body->body, FALSE);
      sonde_report_add_cell (page, runs, TRUE);
      sonde_report_add_cell (page, least, TRUE);
      sonde_report_add_cell (page, most, TRUE);
      g_string_append (page, "</tr>\n");
    }
  sonde_report_end_table (page);
}

void
sonde_report_add_memory (GString *page, const SondeProfile *profile)
{
  const SondeMemoryTimeline *memory = profile->facts != NULL ? &profile->facts->memory : NULL;
  const gint64 peak_bytes = sonde_profile_get_peak_bytes (profile);
  g_autofree char *peak = NULL, *caption = NULL;
  Curve curve = { { 0 }, 0 };

  if (memory != NULL && memory->held_bytes != NULL)
    fill_from_plan (&curve, memory);
  else if (profile->trace->has_time)
    fill_from_trace (&curve, profile->trace);
  if (curve.peak <= 0)
    return;
  peak = sonde_format_bytes (peak_bytes > 0 ? (guint64) peak_bytes : (guint64) curve.peak);
  caption = g_strdup_printf (_ ("At most %s of memory are taken."), peak);
  draw (page, &curve, caption);
  if (memory != NULL && memory->lifetimes != NULL)
    {
      add_values (page, memory);
      add_bodies (page, memory);
    }
}
