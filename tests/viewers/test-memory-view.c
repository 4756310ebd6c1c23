/* SPDX-License-Identifier: Apache-2.0
 * Memory over steps: which value is under the pointer in both pictures, what the view says, its
 * selection and that it goes away. */
#include "tests/support/sonde-test-image.h"
#include "viewers/profile/sonde-memory-view.h"

#include <math.h>
#include <string.h>

#define WIDTH 460
#define HEIGHT 220

/* Four steps; b lies over a's first place once a has gone. */
static const SondeLifetime lifetimes[] = {
  { "w", NULL, NULL, NULL, NULL, SONDE_MEMORY_OF_WEIGHT, 0, 1000, 0, 3 },
  { "a", "relu", "net", "sum", NULL, SONDE_MEMORY_OF_ACTIVATION, 1000, 2000, 1, 2 },
  { "c", "conv", NULL, "out", NULL, SONDE_MEMORY_OF_ACTIVATION, 3000, 1000, 2, 3 },
  { "v", "view", NULL, "out", "c", SONDE_MEMORY_OF_ACTIVATION, 3000, 0, 2, 3 },
  { "b, \"b\"", "sum", NULL, NULL, NULL, SONDE_MEMORY_OF_GRADIENT, 1000, 500, 3, 3 },
};
static const char *const steps[] = { "in", "relu", "conv", "sum" };

static void
make_timeline (SondeMemoryTimeline *timeline)
{
  static guint64 held[] = { 4000, 4000, 4000, 4000 };

  *timeline = (SondeMemoryTimeline){
    .n_steps = 4,
    .steps = steps,
    .held_bytes = held,
    .lifetimes = g_array_new (FALSE, FALSE, sizeof (SondeLifetime)),
    .peak_bytes = 4000,
    .peak_step = 2,
  };
  g_array_append_vals (timeline->lifetimes, lifetimes, G_N_ELEMENTS (lifetimes));
  sonde_memory_timeline_count (timeline, 2, timeline->by_kind);
}

/* The value at the middle of step @step, @bytes up. */
static gint64
pick_at (const SondeMemoryPlot *plot, double step, double bytes)
{
  cairo_rectangle_t area, block;
  double x, y;
  gint64 id;

  sonde_memory_plot_get_area (WIDTH, HEIGHT, &area);
  x = area.x + (step - plot->low) / (plot->high - plot->low) * area.width;
  y = area.y + area.height - (bytes - plot->bottom) / (plot->top - plot->bottom) * area.height;
  id = sonde_memory_plot_pick (plot, WIDTH, HEIGHT, x, y, &block);
  if (id >= 0)
    g_assert_true (x >= block.x && x <= block.x + block.width && y >= block.y
                   && y <= block.y + block.height);
  return id;
}

static void
test_pick (void)
{
  SondeMemoryTimeline timeline;
  SondeMemoryPlot plot = { .kind = SONDE_MEMORY_BLOCKS, .timeline = &timeline };
  cairo_rectangle_t block;

  make_timeline (&timeline);
  sonde_memory_plot_fit (&plot);
  g_assert_cmpint (pick_at (&plot, 0.5, 500), ==, 0);
  g_assert_cmpint (pick_at (&plot, 0.5, 1500), ==, -1);
  g_assert_cmpint (pick_at (&plot, 1.5, 2900), ==, 1);
  g_assert_cmpint (pick_at (&plot, 2.5, 3500), ==, 2);
  g_assert_cmpint (pick_at (&plot, 3.5, 1400), ==, 4);
  g_assert_cmpint (pick_at (&plot, 3.5, 1600), ==, -1);
  g_assert_cmpint (pick_at (&plot, 4.5, 500), ==, -1);
  g_assert_false (sonde_memory_plot_get_block (&plot, WIDTH, HEIGHT, 3, &block));

  plot.kind = SONDE_MEMORY_STACK; /* weights, gradients, activations, what is free */
  sonde_memory_plot_fit (&plot);
  g_assert_cmpint (pick_at (&plot, 2.5, 1500), ==, 1);
  g_assert_cmpint (pick_at (&plot, 2.5, 3500), ==, 2);
  g_assert_cmpint (pick_at (&plot, 3.5, 1400), ==, 4);
  g_assert_cmpint (pick_at (&plot, 3.5, 1600), ==, 2);
  g_assert_cmpint (pick_at (&plot, 3.5, 2600), ==, -1);
  g_array_unref (timeline.lifetimes);
}

/* A peak of one step of many is seen however few pixels there are. */
static void
test_many_steps (void)
{
  enum
  {
    N = 20000
  };
  g_autofree const char **names = g_new (const char *, N);
  g_autofree guint64 *held = g_new (guint64, N);
  const SondeLifetime spike
      = { "spike", "n", NULL, NULL, NULL, SONDE_MEMORY_OF_ACTIVATION, 0, 4000, 12345, 12345 };
  SondeMemoryTimeline timeline
      = { .n_steps = N, .steps = names, .held_bytes = held, .peak_bytes = 4000, .peak_step = 0 };
  SondeMemoryPlot plot = { .timeline = &timeline, .selected = -1 };
  const SondeTheme *theme = sonde_theme_get (FALSE);

  timeline.lifetimes = g_array_new (FALSE, FALSE, sizeof (SondeLifetime));
  g_array_append_val (timeline.lifetimes, spike);
  for (guint i = 0; i < N; i++)
    {
      names[i] = "step";
      held[i] = 4000;
    }
  sonde_memory_plot_fit (&plot);
  for (guint pass = 0; pass < 2; pass++)
    {
      cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (image);
      const guint8 *row;
      cairo_rectangle_t area;
      guint n_green = 0;

      sonde_paint_set_color (cr, &theme->card);
      cairo_paint (cr);
      sonde_paint_memory_plot (cr, theme, &plot, WIDTH, HEIGHT);
      cairo_destroy (cr);
      cairo_surface_flush (image);
      sonde_memory_plot_get_area (WIDTH, HEIGHT, &area);
      row = cairo_image_surface_get_data (image)
            + cairo_image_surface_get_stride (image) * (int) (area.y + area.height * 0.7);
      for (int x = (int) area.x + 10; x < WIDTH - 20; x++)
        n_green += row[4 * x + 1] > row[4 * x + 2] + 40;
      g_assert_cmpint (n_green > 0, ==, pass == 0);
      cairo_surface_destroy (image);
      g_array_set_size (timeline.lifetimes, 0);
    }
  g_array_unref (timeline.lifetimes);
}

static void
on_value (SondeMemoryView *view, const char *value, const char *node, char **said)
{
  g_free (*said);
  *said = g_strdup_printf ("%s/%s", value, node);
}

/* Pixels of the picture in the colour of what is selected. */
static guint
count_selected (SondeView *view)
{
  const SondeColor color = sonde_view_get_theme (view)->selection;
  const guint32 wanted = 0xff000000u | (guint32) round (color.red * 255) << 16
                         | (guint32) round (color.green * 255) << 8
                         | (guint32) round (color.blue * 255);
  cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  guint n = 0;

  sonde_view_render (view, cr, WIDTH, HEIGHT);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      n += ((const guint32 *) (void *) (cairo_image_surface_get_data (image)
                                        + y * cairo_image_surface_get_stride (image)))[x]
           == wanted;
  cairo_surface_destroy (image);
  return n;
}

/* Where the peak would be is said and drawn, until nothing is looked at. */
static void
test_instead (void)
{
  SondeMemoryView *view = g_object_ref_sink (SONDE_MEMORY_VIEW (sonde_memory_view_new ()));
  g_autofree char *with = NULL, *without = NULL;
  SondeMemoryTimeline timeline;
  guint n_plain;

  make_timeline (&timeline);
  sonde_memory_view_set_timeline (view, &timeline, NULL);
  g_array_unref (timeline.lifetimes);
  n_plain = count_selected (SONDE_VIEW (view));
  sonde_memory_view_set_instead (view, 3072);
  with = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (with, "After the change: 3 KiB."));
  g_assert_cmpuint (count_selected (SONDE_VIEW (view)), >, n_plain + 100);
  sonde_memory_view_set_instead (view, 0);
  without = sonde_view_describe (SONDE_VIEW (view));
  g_assert_null (strstr (without, "After"));
  g_assert_cmpuint (count_selected (SONDE_VIEW (view)), ==, n_plain);
  g_object_unref (view);
}

static void
test_view (void)
{
  SondeMemoryView *view = g_object_ref_sink (SONDE_MEMORY_VIEW (sonde_memory_view_new ()));
  SondeView *base = SONDE_VIEW (view);
  g_autofree char *empty = sonde_view_describe (base);
  g_autofree char *said = NULL, *text = NULL, *table = NULL, *sentences = NULL;
  gpointer weak = view;
  SondeMemoryTimeline timeline;

  g_object_add_weak_pointer (G_OBJECT (view), &weak);
  g_signal_connect (view, "value-selected", G_CALLBACK (on_value), &said);
  g_assert_nonnull (strstr (empty, "No memory plan"));
  make_timeline (&timeline);
  sonde_memory_view_set_timeline (view, &timeline, NULL);
  g_array_unref (timeline.lifetimes); /* the view has a copy */
  for (int kind = SONDE_MEMORY_STACK; kind <= SONDE_MEMORY_BLOCKS; kind++)
    {
      cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (image);

      sonde_memory_view_set_kind (view, (SondeMemoryPlotKind) kind);
      sonde_view_render (base, cr, WIDTH, HEIGHT);
      cairo_destroy (cr);
      g_assert_cmpint (sonde_test_image_count_ink (image, 60, 40, 300, 120), >, 1000);
      cairo_surface_destroy (image);
    }

  g_assert_true (sonde_memory_view_select_value (view, "a"));
  g_assert_cmpstr (said, ==, "a/relu");
  g_assert_false (sonde_memory_view_select_value (view, "none"));
  sentences = sonde_memory_view_dup_sentences (view, 1);
  g_assert_nonnull (strstr (sentences, "kept for sum"));
  g_assert_nonnull (strstr (sentences, "made by relu in net"));
  text = sonde_view_describe (base);
  g_assert_nonnull (strstr (text, "in conv, step 2 of 4"));
  g_assert_nonnull (strstr (text, "Selected: a"));
  table = sonde_view_dup_table (base, ',');
  g_assert_nonnull (strstr (table, "\n3,3,1000,500,gradient,\"b, \"\"b\"\"\",sum,,,\n"));

  g_signal_emit_by_name (view, "picked", (gint64) 1, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (base), ==, SONDE_VIEW_NOTHING);
  g_assert_cmpstr (said, ==, "(null)/(null)");
  g_assert_true (SONDE_VIEW_GET_CLASS (base)->move_cursor (base, 1));
  g_assert_cmpint (sonde_view_get_selection (base), ==, 0);
  g_assert_true (SONDE_VIEW_GET_CLASS (base)->move_cursor (base, G_MAXINT));
  g_assert_cmpint (sonde_view_get_selection (base), ==, 4);
  sonde_memory_view_set_timeline (view, NULL, "this trace has no plan");
  g_assert_cmpint (sonde_view_get_selection (base), ==, SONDE_VIEW_NOTHING);
  g_free (empty);
  empty = sonde_view_describe (base);
  g_assert_nonnull (strstr (empty, "this trace has no plan"));
  g_object_unref (view);
  g_assert_null (weak);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/viewers/memory-view/pick", test_pick);
  g_test_add_func ("/viewers/memory-view/many-steps", test_many_steps);
  g_test_add_func ("/viewers/memory-view/instead", test_instead);
  g_test_add_func ("/viewers/memory-view/view", test_view);
  return g_test_run ();
}
