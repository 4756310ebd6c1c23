/* SPDX-License-Identifier: Apache-2.0
 * A chart of ten curves with a million points each: milliseconds of this thread's processor time to
 * fetch and paint a frame when fitted, zoomed and panned, and the time smoothing takes. The budget
 * is 16 ms a frame. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <glib/gstdio.h>

#include "tests/support/sonde-test-run.h"
#include "viewers/sonde-scalar-view.h"

#define N_CURVES 10
#define N_STEPS 1000000
#define WIDTH 1200
#define HEIGHT 600
#define FRAMES 20

static const char *const tags[N_CURVES]
    = { "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9" };

static void
write_run (const char *folder)
{
  g_autoptr (SondeTestRun) run = sonde_test_run_new (folder);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (int step = 0; step < N_STEPS; step++)
    {
      SondeScalar items[N_CURVES];
      SondeRecord record
          = { .kind = SONDE_RECORD_SCALARS,
              .step = step,
              .session = 1,
              .wall_time_ns = SONDE_TEST_RUN_START_NS + step * G_GINT64_CONSTANT (1000000) };

      for (int i = 0; i < N_CURVES; i++)
        items[i]
            = (SondeScalar){ tags[i], exp (-step * 1e-5 * (i + 1)) + 0.2 * g_rand_double (random) };
      record.u.scalars.items = items;
      record.u.scalars.n = N_CURVES;
      sonde_test_run_record (run, &record);
      if (step % 50000 == 49999)
        sonde_test_run_flush (run);
    }
}

static gint64
thread_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

/* Fetch and paint, as a frame of the window does. */
static double
frame_ms (SondeView *view, cairo_t *cr)
{
  gint64 start = thread_ns ();

  sonde_view_render (view, cr, WIDTH, HEIGHT);
  return (double) (thread_ns () - start) / 1e6;
}

static void
measure (const char *name, SondeView *view, cairo_t *cr, double zoom, double pan)
{
  double sum = 0, worst = 0;

  for (int i = 0; i < FRAMES; i++)
    {
      double ms;

      if (zoom != 1)
        sonde_view_zoom_at (view, WIDTH * 0.3, HEIGHT * 0.5, zoom, 1);
      if (pan != 0)
        sonde_view_pan (view, pan, 0);
      ms = frame_ms (view, cr);
      sum += ms;
      worst = MAX (worst, ms);
    }
  printf ("%-28s %8.2f ms a frame, worst %8.2f\n", name, sum / FRAMES, worst);
}

static void
measure_smoothing (SondeScalarView *view, cairo_t *cr)
{
  gint64 start = thread_ns ();
  double worst = 0;
  int frames = 0;

  sonde_scalar_view_set_smoothing (view, 0.9);
  do
    {
      worst = MAX (worst, frame_ms (SONDE_VIEW (view), cr));
      frames++;
      while (g_main_context_iteration (NULL, FALSE))
        ;
    }
  while (!sonde_scalar_view_is_settled (view) || frames < 2);
  printf ("%-28s %8.2f ms in %d frames, worst %8.2f\n", "smoothing from nothing",
          (double) (thread_ns () - start) / 1e6, frames, worst);
}

int
main (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-bench-chart-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run", NULL),
                  *index = g_build_filename (folder, "index", NULL);
  g_autofree char *remove = g_strdup_printf ("rm -r '%s'", folder);
  g_autoptr (SondeRunStore) store
      = sonde_run_store_new (NULL, (const char *const[]){ path, NULL }, index);
  g_autoptr (SondeRun) run = NULL;
  g_autoptr (GError) error = NULL;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);
  SondeScalarView *view;
  int minimum;

  if (!gtk_init_check ())
    {
      printf ("there is no display\n");
      return 0;
    }
  write_run (path);
  if (!sonde_run_store_settle (store, NULL, &error))
    g_error ("%s", error->message);
  run = g_list_model_get_item (G_LIST_MODEL (store), 0);
  view = g_object_ref_sink (SONDE_SCALAR_VIEW (sonde_scalar_view_new ()));
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  gtk_widget_allocate (GTK_WIDGET (view), WIDTH, HEIGHT, -1, NULL);
  for (int i = 0; i < N_CURVES; i++)
    sonde_scalar_view_add (view, sonde_run_get_series (run, tags[i]), tags[i], (guint) i);

  printf ("first frame %.2f ms\n", frame_ms (SONDE_VIEW (view), cr));
  measure ("fitted", SONDE_VIEW (view), cr, 1, 0);
  measure ("zooming in", SONDE_VIEW (view), cr, 1.3, 0);
  measure ("panning", SONDE_VIEW (view), cr, 1, 10);
  measure ("zooming out", SONDE_VIEW (view), cr, 1 / 1.3, 0);
  measure_smoothing (view, cr);
  measure ("fitted, smoothed", SONDE_VIEW (view), cr, 1, 0);
  measure ("zooming in, smoothed", SONDE_VIEW (view), cr, 1.3, 0);
  sonde_scalar_view_set_x (view, SONDE_SCALAR_X_RELATIVE, NULL);
  measure ("fitted, by time", SONDE_VIEW (view), cr, 1, 0);
  measure ("zooming in, by time", SONDE_VIEW (view), cr, 1.3, 0);

  g_object_unref (view);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  g_clear_object (&run);
  g_clear_object (&store);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? 0 : 1;
}
