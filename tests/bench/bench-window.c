/* SPDX-License-Identifier: Apache-2.0
 * The window on large folders, as tests/bench/window.py calls it: makes runs, opens the window on them, and
 * prints what it took as lines of a name and a number. Wall time counts from WINDOW_BENCH_START (µs of
 * the monotonic clock), where the caller began to start this program.
 *   bench-window make FOLDER RUNS TAGS STEPS     runs of our own format in FOLDER/runs
 *   bench-window open FOLDER                     to the first chart, to all of it, to its means
 *   bench-window arrive FOLDER                   a point in the run FOLDER/runs/live, among all others
 *   bench-window chart FOLDER TAG                one chart over the page: first paint, pan, zoom, hover
 *   bench-window scroll FOLDER                   through all charts, from top to bottom */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utime.h>

#include "app/pages/sonde-grid-page.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/bench/window-frames.h"
#include "tests/support/sonde-test-hands.h"
#include "viewers/sonde-scalar-view.h"

#define N_FRAMES 200
#define MANY 100             /* curves whose frames take long: fewer of them are measured */
#define STABLE_US 500000     /* charts that say for so long that they are smoothed are */
#define PATIENCE_SECONDS 300 /* then whatever was not reached is no number */
#define WRITTEN 1700000000   /* a run is live for a minute, and then keeps more in memory */

static void
tell (const char *name, double value)
{
  printf ("%s %.3f\n", name, value);
}

static double
ms_since_start (void)
{
  const char *start = g_getenv ("WINDOW_BENCH_START");

  return start != NULL
             ? (double) (g_get_monotonic_time () - g_ascii_strtoll (start, NULL, 10)) / 1e3
             : 0;
}

static double
process_ms (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
         + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* A line of /proc/self/status in MB. */
static double
memory_mb (const char *name)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, name);
  return line != NULL ? g_ascii_strtod (line + strlen (name), NULL) / 1024 : 0;
}

/* ---- runs ---------------------------------------------------------------- */

static void
make_run (const char *folder, guint number, guint n_tags, guint n_steps)
{
  g_autofree char *path = g_strdup_printf ("%s/runs/run-%05u", folder, number);
  g_autofree char *file = g_build_filename (path, "records", "000001.sonde", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);
  g_autoptr (GRand) random = g_rand_new_with_seed (number + 1);
  g_autofree SondeScalar *items = g_new0 (SondeScalar, n_tags);

  for (guint i = 0; i < n_tags; i++)
    {
      g_autofree char *tag = g_strdup_printf ("train/metric-%03u", i);
      items[i].tag = g_intern_string (tag);
    }
  for (guint step = 0; step < n_steps; step++)
    {
      SondeRecord record
          = { .kind = SONDE_RECORD_SCALARS,
              .step = step,
              .session = 1,
              .wall_time_ns = SONDE_TEST_RUN_START_NS + step * G_GINT64_CONSTANT (1000003)
                              + g_rand_int_range (random, 0, 9999) };

      for (guint i = 0; i < n_tags; i++)
        items[i].value
            = (float) (exp (-(double) step / n_steps * (i % 7 + 1)) + 0.2 * g_rand_double (random));
      record.u.scalars.items = items;
      record.u.scalars.n = n_tags;
      sonde_test_run_record (run, &record);
      if (step % 20000 == 19999)
        sonde_test_run_flush (run);
    }
  sonde_test_run_flush (run);
  utime (file, &(struct utimbuf){ WRITTEN, WRITTEN });
}

static void
make_runs (char **arguments)
{
  for (guint i = 0; i < (guint) atoi (arguments[1]); i++)
    make_run (arguments[0], i, (guint) atoi (arguments[2]), (guint) atoi (arguments[3]));
}

/* ---- the window ---------------------------------------------------------- */

typedef struct
{
  WindowFixture fixture;
  WindowFrames frames;
} Bench;

static GtkWidget *
get_page (Bench *bench)
{
  return GTK_WIDGET (sonde_window_get_page (bench->fixture.window));
}

/* The first chart below @widget that can be seen. (nullable) */
static SondeScalarView *
find_mapped (GtkWidget *widget)
{
  SondeScalarView *found = NULL;

  if (!gtk_widget_get_mapped (widget))
    return NULL;
  if (SONDE_IS_SCALAR_VIEW (widget))
    return SONDE_SCALAR_VIEW (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_mapped (child);
  return found;
}

static SondeScalarView *
find_chart (Bench *bench)
{
  return find_mapped (get_page (bench));
}

static guint64
count_shown (Bench *bench)
{
  SondeScalarView *view = find_chart (bench);
  guint64 shown = 0, held = 0;

  if (view != NULL)
    sonde_scalar_view_get_counts (view, &shown, &held);
  return shown;
}

static void
open_window (Bench *bench, const char *folder, const char *tag)
{
  g_autofree char *runs = g_build_filename (folder, "runs", NULL);
  SondePageRequest request = { .tag = tag };

  bench->fixture.folder = g_strdup (folder);
  window_fixture_present (&bench->fixture, (const char *const[]){ runs, NULL }, "scalars",
                          tag != NULL ? &request : NULL);
  window_frames_init (&bench->frames, GTK_WIDGET (bench->fixture.window));
  sonde_workspace_start (bench->fixture.workspace);
}

static void
wait_for_chart (Bench *bench)
{
  while (count_shown (bench) == 0)
    window_frames_wait (&bench->frames);
}

static gboolean
is_whole (Bench *bench)
{
  return !sonde_run_store_is_loading (sonde_workspace_get_store (bench->fixture.workspace))
         && sonde_page_is_settled (SONDE_PAGE (get_page (bench)));
}

/* Everything is read, and on the screen: nobody asks for a frame for a while. */
static void
wait_for_calm (Bench *bench)
{
  while (!is_whole (bench))
    g_main_context_iteration (NULL, TRUE);
  for (gint64 end = g_get_monotonic_time () + 300000; g_get_monotonic_time () < end;)
    while (g_main_context_iteration (NULL, FALSE))
      ;
}

static void
clear (Bench *bench)
{
  window_frames_clear (&bench->frames);
  window_fixture_close (&bench->fixture);
}

static gboolean
on_deadline (void *user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
are_means_there (Bench *bench)
{
  return sonde_card_grid_is_settled (
      SONDE_CARD_GRID (window_fixture_find (get_page (bench), SONDE_TYPE_CARD_GRID)));
}

static void
measure_open (char **arguments)
{
  Bench bench = { 0 };
  gboolean late = FALSE;
  gint64 there_us;
  double means_ms = 0;

  open_window (&bench, arguments[0], NULL);
  window_frames_wait (&bench.frames);
  tell ("first_frame_ms", ms_since_start ());
  wait_for_chart (&bench);
  tell ("first_chart_ms", ms_since_start ());
  tell ("first_chart_processor_ms", process_ms ());
  tell ("first_chart_main_ms", (double) window_thread_ns () / 1e6);
  while (!is_whole (&bench))
    {
      g_main_context_iteration (NULL, TRUE);
      if (!are_means_there (&bench))
        means_ms = ms_since_start ();
    }
  tell ("whole_ms", ms_since_start ());
  tell ("whole_processor_ms", process_ms ());
  g_timeout_add_seconds (120, on_deadline, &late);
  there_us = g_get_monotonic_time ();
  for (gint64 now = g_get_monotonic_time (); now - there_us < STABLE_US && !late;
       now = g_get_monotonic_time ())
    {
      gtk_widget_queue_draw (GTK_WIDGET (bench.fixture.window));
      g_main_context_iteration (NULL, TRUE);
      if (are_means_there (&bench))
        continue;
      there_us = g_get_monotonic_time ();
      means_ms = ms_since_start ();
    }
  /* charts that never said that they were not smoothed tell nothing */
  if (means_ms > 0)
    tell ("means_ms", late ? INFINITY : means_ms);
  wait_for_calm (&bench);
  tell ("memory_mb", memory_mb ("VmRSS:"));
  tell ("peak_mb", memory_mb ("VmHWM:"));
  tell ("longest_frame_ms", (double) bench.frames.longest_us / 1e3);
}

/* ---- a point arrives ----------------------------------------------------- */

#define N_ARRIVALS 200

static SondeSeries *
find_live_series (Bench *bench)
{
  SondeRunStore *store = sonde_workspace_get_store (bench->fixture.workspace);

  return sonde_run_get_series (sonde_run_store_find (store, "live"), "train/metric-00");
}

static void
measure_arrivals (char **arguments)
{
  Bench bench = { 0 };
  g_autofree char *path = g_build_filename (arguments[0], "runs", "live", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);
  double between = 0, all = 0;
  SondeSeries *series;

  sonde_test_run_set_live (run);
  sonde_test_run_scalars (run, 0, "train/metric-00", 0.5, NULL);
  sonde_test_run_flush (run);
  open_window (&bench, arguments[0], NULL);
  wait_for_chart (&bench);
  wait_for_calm (&bench);
  series = find_live_series (&bench);
  for (int i = 0; i < N_ARRIVALS; i++)
    {
      gint64 start, frames = bench.frames.in_frames_ns;
      guint64 before = sonde_series_get_n_points (series);

      sonde_test_run_scalars (run, 1000 + i, "train/metric-00", 0.5, NULL);
      sonde_test_run_flush (run);
      start = window_thread_ns ();
      while (sonde_series_get_n_points (series) == before)
        g_main_context_iteration (NULL, TRUE);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      frames = bench.frames.in_frames_ns - frames;
      all += (double) (window_thread_ns () - start) / 1e6;
      between += (double) (window_thread_ns () - start - frames) / 1e6;
    }
  tell ("runs", g_list_model_get_n_items (
                    G_LIST_MODEL (sonde_workspace_get_store (bench.fixture.workspace))));
  tell ("arrival_ms", between / N_ARRIVALS);
  tell ("arrival_with_frames_ms", all / N_ARRIVALS);
}

/* ---- one chart ----------------------------------------------------------- */

static void
tell_costs (const char *name, const WindowCosts *costs)
{
  printf ("%s_median_ms %.3f\n%s_p99_ms %.3f\n%s_worst_ms %.3f\n%s_clock_ms %.3f\n", name,
          costs->median, name, costs->p99, name, costs->worst, name, costs->worst_by_clock);
}

static void
pan (guint number, void *user_data)
{
  sonde_view_pan (user_data, number % 40 < 20 ? 10 : -10, 0);
}

static void
zoom (guint number, void *user_data)
{
  double factor = number % 40 < 20 ? 1.3 : 1 / 1.3;

  sonde_view_zoom_at (user_data, gtk_widget_get_width (user_data) * 0.3, 100, factor, 1);
}

typedef struct
{
  SondeTestHands *hands;
  GtkWidget *view;
} Hover;

static void
hover (guint number, void *user_data)
{
  Hover *hover = user_data;
  int width = gtk_widget_get_width (hover->view);

  sonde_test_hands_point (hover->hands, hover->view, 80 + (int) (number * 7) % (width - 100),
                          80 + number % 100);
  gtk_widget_queue_draw (hover->view);
}

static void
measure_chart (char **arguments)
{
  Bench bench = { 0 };
  g_autoptr (SondeTestHands) hands = sonde_test_hands_new ();
  gint64 start, start_ns;
  guint n;
  WindowCosts costs;
  SondeScalarView *view;

  open_window (&bench, arguments[0], NULL);
  wait_for_chart (&bench);
  wait_for_calm (&bench);
  start = g_get_monotonic_time ();
  start_ns = window_thread_ns ();
  sonde_window_show_page (bench.fixture.window, "scalars",
                          &(SondePageRequest){ .tag = arguments[1] });
  do
    window_frames_wait (&bench.frames);
  while (count_shown (&bench) == 0);
  tell ("chart_ms", (double) (g_get_monotonic_time () - start) / 1e3);
  tell ("chart_main_ms", (double) (window_thread_ns () - start_ns) / 1e6);
  wait_for_calm (&bench);
  view = find_chart (&bench);
  tell ("curves", sonde_scalar_view_get_n_series (view));
  n = sonde_scalar_view_get_n_series (view) < MANY ? N_FRAMES : N_FRAMES / 10;
  costs = window_frames_measure (&bench.frames, n, pan, view);
  tell_costs ("pan", &costs);
  costs = window_frames_measure (&bench.frames, n, zoom, view);
  tell_costs ("zoom", &costs);
  wait_for_calm (&bench);
  if (hands == NULL)
    g_printerr ("bench-window: there is no libXtst: the pointer stays where it is\n");
  else
    {
      costs = window_frames_measure (&bench.frames, N_FRAMES, hover,
                                     &(Hover){ hands, GTK_WIDGET (view) });
      tell_costs ("hover", &costs);
    }
  clear (&bench);
}

/* ---- scrolling ----------------------------------------------------------- */

static void
scroll (guint number, void *user_data)
{
  GtkAdjustment *adjustment = user_data;
  double room = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
  double value = gtk_adjustment_get_value (adjustment) + MAX (room / N_FRAMES, 60);

  gtk_adjustment_set_value (adjustment, MIN (value, room - number % 2));
}

static void
measure_scrolling (char **arguments)
{
  Bench bench = { 0 };
  GtkWidget *grid;
  WindowCosts costs;

  open_window (&bench, arguments[0], NULL);
  wait_for_chart (&bench);
  wait_for_calm (&bench);
  grid = window_fixture_find (window_fixture_find (get_page (&bench), SONDE_TYPE_CARD_GRID),
                              GTK_TYPE_SCROLLED_WINDOW);
  g_assert_nonnull (grid);
  costs = window_frames_measure (&bench.frames, N_FRAMES, scroll,
                                 gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (grid)));
  tell ("charts", sonde_grid_page_get_n_shown (SONDE_GRID_PAGE (get_page (&bench))));
  tell_costs ("scroll", &costs);
  clear (&bench);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (char **arguments);
    int n_arguments;
  } sections[] = {
    { "make", make_runs, 4 },           { "open", measure_open, 1 },
    { "arrive", measure_arrivals, 1 },  { "chart", measure_chart, 2 },
    { "scroll", measure_scrolling, 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    if (argc == sections[i].n_arguments + 2 && g_str_equal (argv[1], sections[i].name))
      {
        if (sections[i].run != make_runs && !window_fixture_prepare ())
          return 1;
        setvbuf (stdout, NULL, _IOLBF, 0);
        alarm (PATIENCE_SECONDS);
        sections[i].run (argv + 2);
        return 0;
      }
  g_printerr ("bench-window: see the head of tests/bench/bench-window.c\n");
  return 2;
}
