/* SPDX-License-Identifier: Apache-2.0
 * The base view with a child that only counts. */
#include <inttypes.h>
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-strong-theme.h"
#include "viewers/sonde-high-contrast.h"
#include "viewers/sonde-view-private.h"

#define WIDTH 200
#define HEIGHT 100

/* ---- a child ------------------------------------------------------------- */

#define TEST_TYPE_VIEW (test_view_get_type ())
G_DECLARE_FINAL_TYPE (TestView, test_view, TEST, VIEW, SondeView)

struct _TestView
{
  SondeView parent_instance;
  int paints, overlays, prepares, moved;
  double scale;    /* device px a px of the last paint */
  gint64 paint_us; /* a painter that takes so long, by now_us */
};

static gint64 now_us;

G_DEFINE_FINAL_TYPE (TestView, test_view, SONDE_TYPE_VIEW)

static void
test_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  double y;

  now_us += TEST_VIEW (view)->paint_us;
  TEST_VIEW (view)->paints++;
  cairo_surface_get_device_scale (cairo_get_group_target (cr), &TEST_VIEW (view)->scale, &y);
  cairo_set_source_rgb (cr, 1, 0, 0);
  cairo_rectangle (cr, 10, 10, 20, 20);
  cairo_fill (cr);
}

static void
test_view_paint_overlay (SondeView *view, cairo_t *cr, int width, int height)
{
  TEST_VIEW (view)->overlays++;
}

static void
test_view_prepare (SondeView *view, int width, int height)
{
  TEST_VIEW (view)->prepares++;
}

static char *
test_view_describe (SondeView *view)
{
  return g_strdup ("A red square.");
}

/* Ten px a thing. */
static gboolean
test_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  pick->id = (gint64) (x / 10);
  pick->area = (SondeViewRect){ floor (x / 10) * 10, 0, 10, HEIGHT };
  return x >= 50;
}

static char *
test_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  return g_strdup_printf ("thing %" PRIi64, pick->id);
}

static char *
test_view_dup_reading (SondeView *view)
{
  return TEST_VIEW (view)->moved != 0 ? g_strdup_printf ("keys %d", TEST_VIEW (view)->moved)
                                      : sonde_view_dup_selected (view);
}

static char *
test_view_dup_table (SondeView *view, char separator)
{
  return g_strdup_printf ("a%cb\n", separator);
}

static gboolean
test_view_move_cursor (SondeView *view, int count)
{
  TEST_VIEW (view)->moved = count;
  return TRUE;
}

static void
test_view_class_init (TestViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  view_class->paint = test_view_paint;
  view_class->paint_overlay = test_view_paint_overlay;
  view_class->prepare = test_view_prepare;
  view_class->describe = test_view_describe;
  view_class->pick = test_view_pick;
  view_class->dup_tooltip = test_view_dup_tooltip;
  view_class->dup_reading = test_view_dup_reading;
  view_class->dup_table = test_view_dup_table;
  view_class->move_cursor = test_view_move_cursor;
}

static void
test_view_init (TestView *view)
{
}

static SondeView *
new_view (SondeViewZoom zoom)
{
  SondeView *view = g_object_ref_sink (g_object_new (TEST_TYPE_VIEW, NULL));
  int minimum;

  sonde_view_set_zoom (view, zoom);
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                      NULL);
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_VERTICAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_allocate (GTK_WIDGET (view), WIDTH, HEIGHT, -1, NULL);
  sonde_view_set_bounds (view, &(SondeViewport){ 0, 10, 100, 0 });
  return view;
}

static cairo_surface_t *
snapshot (SondeView *view)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  cairo_t *cr = cairo_create (picture);

  GTK_WIDGET_GET_CLASS (view)->snapshot (GTK_WIDGET (view), snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  return picture;
}

/* With the style that comes with it the view is painted in other colours. */
static void
test_high_contrast (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  GtkWidget *window = g_object_ref_sink (gtk_window_new ());

  g_assert_true (sonde_view_get_theme (view) == sonde_theme_get (FALSE));
  sonde_high_contrast_set (TRUE);
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (view));
  g_assert_true (sonde_view_get_theme (view) == sonde_strong_theme_get (FALSE));
  sonde_high_contrast_set (FALSE);
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (window);
  g_object_unref (view);
}

static void
count (int *n)
{
  ++*n;
}

/* ---- tests --------------------------------------------------------------- */

static void
test_defaults (void)
{
  SondeView *view = g_object_ref_sink (g_object_new (TEST_TYPE_VIEW, NULL));
  int width, height;

  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (view), GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  g_assert_cmpint (width, ==, 120);
  g_assert_cmpint (height, ==, 90);
  g_assert_null (sonde_view_get_title (view));
  g_assert_cmpint (sonde_view_get_selection (view), ==, SONDE_VIEW_NOTHING);
  g_assert_true (sonde_view_is_fitted (view, NULL, NULL));
  g_assert_true (gtk_widget_get_focusable (GTK_WIDGET (view)));
  g_assert_cmpint (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (view)), ==,
                   GTK_ACCESSIBLE_ROLE_IMG);
  g_object_unref (view);
}

static void
test_notify (void)
{
  SondeView *view = g_object_ref_sink (g_object_new (TEST_TYPE_VIEW, NULL));
  int titles = 0, selections = 0;

  g_signal_connect_swapped (view, "notify::title", G_CALLBACK (count), &titles);
  g_signal_connect_swapped (view, "notify::selection", G_CALLBACK (count), &selections);
  g_object_set (view, "title", "loss", "selection", G_GINT64_CONSTANT (3), NULL);
  g_object_set (view, "title", "loss", "selection", G_GINT64_CONSTANT (3), NULL);
  g_assert_cmpint (titles, ==, 1);
  g_assert_cmpint (selections, ==, 1);
  g_assert_cmpstr (sonde_view_get_title (view), ==, "loss");
  g_object_unref (view);
}

static void
test_finalize (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  gpointer weak = view;

  g_object_add_weak_pointer (G_OBJECT (view), &weak);
  cairo_surface_destroy (snapshot (view));
  g_object_unref (view);
  g_assert_null (weak);
}

/* A picture of a window that is larger than it is as sharp as that. */
static void
test_picture_scale (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);

  cairo_surface_destroy (snapshot (view));
  g_assert_cmpfloat (TEST_VIEW (view)->scale, ==, 1);
  sonde_view_set_picture_scale (3);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (TEST_VIEW (view)->paints, ==, 2);
  g_assert_cmpfloat (TEST_VIEW (view)->scale, ==, 3);
  sonde_view_set_picture_scale (1);
  g_object_unref (view);
}

static gint64
get_now_ns (const SondeClock *clock)
{
  return now_us * 1000;
}

/* Data that come all the time do not fill all of it with painting; what a person does is seen at once. */
static void
test_pace (void)
{
  const SondeClock clock = { .wall_ns = get_now_ns, .monotonic_ns = get_now_ns };
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  TestView *self = TEST_VIEW (view);

  sonde_view_set_clock (&clock);
  self->paint_us = 20000;
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (self->paints, ==, 1);
  sonde_view_invalidate_paced (view);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (self->paints, ==, 1);
  g_assert_true (sonde_view_is_paced (view));
  sonde_view_invalidate (view);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (self->paints, ==, 2);
  g_assert_false (sonde_view_is_paced (view));
  sonde_view_invalidate_paced (view);
  cairo_surface_destroy (snapshot (view));
  while (sonde_view_is_paced (view))
    g_main_context_iteration (NULL, TRUE);
  /* five times what both took beyond 4 ms, of which the second one's time is over */
  now_us += 2 * 5 * (self->paint_us - 4000) - self->paint_us - 1;
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (self->paints, ==, 2);
  now_us++;
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (self->paints, ==, 3);
  sonde_view_set_clock (NULL);
  g_object_unref (view);
}

/* The picture is painted once and kept; only the overlay is drawn on every frame. */
static void
test_snapshot (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  cairo_surface_t *picture = snapshot (view);

  g_assert_cmphex (sonde_test_image_get (picture, 20, 20), ==, 0xff0000);
  g_assert_cmphex (sonde_test_image_get (picture, 40, 40), ==, 0xffffff);
  cairo_surface_destroy (picture);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (TEST_VIEW (view)->paints, ==, 1);
  g_assert_cmpint (TEST_VIEW (view)->prepares, ==, 1);
  g_assert_cmpint (TEST_VIEW (view)->overlays, ==, 2);
  sonde_view_invalidate (view);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpint (TEST_VIEW (view)->paints, ==, 2);
  g_object_unref (view);
}

/* What nobody sees has no pixels: it is painted again when it is seen again. */
static void
test_hidden (void)
{
  GtkWidget *window = gtk_window_new ();
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);

  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (view));
  gtk_window_present (GTK_WINDOW (window));
  while (TEST_VIEW (view)->paints == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (sonde_view_get_private (view)->pixels);
  gtk_widget_set_visible (GTK_WIDGET (view), FALSE);
  g_assert_null (sonde_view_get_private (view)->pixels);
  g_assert_null (sonde_view_get_private (view)->node);
  gtk_widget_set_visible (GTK_WIDGET (view), TRUE);
  while (TEST_VIEW (view)->paints == 1)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (sonde_view_get_private (view)->pixels);
  g_object_unref (view);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
check_viewport (SondeView *view, double x0, double y0, double x1, double y1)
{
  SondeViewport v;

  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat_with_epsilon (v.x0, x0, 1e-9);
  g_assert_cmpfloat_with_epsilon (v.y0, y0, 1e-9);
  g_assert_cmpfloat_with_epsilon (v.x1, x1, 1e-9);
  g_assert_cmpfloat_with_epsilon (v.y1, y1, 1e-9);
}

static void
test_zoom (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  double before_x, before_y, after_x, after_y;
  int changes = 0;

  g_signal_connect_swapped (view, "viewport-changed", G_CALLBACK (count), &changes);
  check_viewport (view, 0, 10, 100, 0);
  sonde_view_view_to_world (view, 50, 25, &before_x, &before_y);
  g_assert_cmpfloat_with_epsilon (before_x, 25, 1e-9);
  g_assert_cmpfloat_with_epsilon (before_y, 7.5, 1e-9);
  /* What is under the pointer stays there. */
  sonde_view_zoom_at (view, 50, 25, 2, 4);
  sonde_view_view_to_world (view, 50, 25, &after_x, &after_y);
  g_assert_cmpfloat_with_epsilon (after_x, before_x, 1e-9);
  g_assert_cmpfloat_with_epsilon (after_y, before_y, 1e-9);
  check_viewport (view, 12.5, 8.125, 62.5, 5.625);
  g_assert_cmpint (changes, ==, 1);
  g_object_unref (view);
}

static void
test_follow (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  gboolean x, y;

  /* Fitted: the curve grows and is seen whole. */
  sonde_view_set_bounds (view, &(SondeViewport){ 0, 10, 200, 0 });
  check_viewport (view, 0, 10, 200, 0);
  /* Zoomed in x: x stays, y follows. */
  sonde_view_zoom_at (view, 0, 0, 2, 1);
  g_assert_false (sonde_view_is_fitted (view, &x, &y));
  g_assert_false (x);
  g_assert_true (y);
  sonde_view_set_bounds (view, &(SondeViewport){ 0, 20, 300, 0 });
  check_viewport (view, 0, 20, 100, 0);
  sonde_view_zoom_fit (view);
  check_viewport (view, 0, 20, 300, 0);
  g_object_unref (view);
}

static void
test_back (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);

  g_assert_false (sonde_view_zoom_back (view));
  sonde_view_set_viewport (view, &(SondeViewport){ 10, 8, 20, 4 });
  sonde_view_set_viewport (view, &(SondeViewport){ 12, 6, 14, 5 });
  sonde_view_pan (view, -100, 0);
  check_viewport (view, 13, 6, 15, 5);
  g_assert_true (sonde_view_zoom_back (view));
  check_viewport (view, 10, 8, 20, 4);
  g_assert_true (sonde_view_zoom_back (view));
  check_viewport (view, 0, 10, 100, 0);
  g_assert_true (sonde_view_is_fitted (view, NULL, NULL));
  g_object_unref (view);
}

/* A window that is empty or not a number is not taken. */
static void
test_bad_viewport (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);

  sonde_view_set_viewport (view, &(SondeViewport){ 5, NAN, 5, 1 });
  check_viewport (view, 0, 10, 100, 0);
  sonde_view_zoom_at (view, 10, 10, NAN, 0);
  check_viewport (view, 0, 10, 100, 0);
  for (int i = 0; i < 5000; i++)
    sonde_view_zoom_at (view, 77, 33, 1.5, 1.5);
  for (int i = 0; i < 5000; i++)
    sonde_view_zoom_at (view, 77, 33, 0.5, 0.5);
  cairo_surface_destroy (snapshot (view));
  g_object_unref (view);
}

static void
test_uniform (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_UNIFORM);
  SondeViewport v;

  sonde_view_set_scale_limits (view, 0.5, 4, 1);
  /* 20 × 10 units would fit 10 times larger: it is not blown up. */
  sonde_view_set_bounds (view, &(SondeViewport){ 0, 0, 20, 10 });
  check_viewport (view, 10 - 100, 5 - 50, 10 + 100, 5 + 50);
  /* 800 × 100 units: the width counts, the height is centred; 0.5 px a unit is the least. */
  sonde_view_set_bounds (view, &(SondeViewport){ 0, 0, 400, 100 });
  check_viewport (view, 0, -50, 400, 150);
  for (int i = 0; i < 20; i++)
    sonde_view_zoom_at (view, 100, 50, 2, 1);
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat_with_epsilon (WIDTH / (v.x1 - v.x0), 4, 1e-9);
  g_assert_cmpfloat_with_epsilon (HEIGHT / (v.y1 - v.y0), 4, 1e-9);
  sonde_view_reveal (view, &(SondeViewport){ 300, 80, 310, 90 });
  sonde_view_get_viewport (view, &v);
  g_assert_cmpfloat_with_epsilon ((v.x0 + v.x1) / 2, 305, 1e-9);
  g_assert_cmpfloat_with_epsilon ((v.y0 + v.y1) / 2, 85, 1e-9);
  g_object_unref (view);
}

static GtkEventController *
find_controller (SondeView *view, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (view));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean secondary = GTK_IS_GESTURE_CLICK (controller)
                           && gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller))
                                  != GDK_BUTTON_PRIMARY;

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type) && !secondary)
        return controller; /* the view holds it */
    }
  g_assert_not_reached ();
}

static void
test_pointer (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  GtkEventController *motion = find_controller (view, GTK_TYPE_EVENT_CONTROLLER_MOTION);
  double x, y;

  g_assert_false (sonde_view_get_pointer (view, &x, &y));
  g_signal_emit_by_name (motion, "enter", 73.0, 12.0);
  g_assert_true (sonde_view_get_pointer (view, &x, &y));
  g_assert_cmpfloat (x, ==, 73);
  g_assert_cmpint (sonde_view_get_hovered (view), ==, 7);
  g_signal_emit_by_name (motion, "motion", 20.0, 12.0);
  g_assert_cmpint (sonde_view_get_hovered (view), ==, SONDE_VIEW_NOTHING);
  g_signal_emit_by_name (motion, "leave");
  g_assert_false (sonde_view_get_pointer (view, &x, &y));
  g_object_unref (view);
}

/* As GTK does when the key comes, without a window. */
static void
press_key (SondeView *view, guint key)
{
  GListModel *shortcuts = G_LIST_MODEL (find_controller (view, GTK_TYPE_SHORTCUT_CONTROLLER));
  g_autoptr (GtkShortcutTrigger) wanted = gtk_keyval_trigger_new (key, 0);

  for (guint i = 0; i < g_list_model_get_n_items (shortcuts); i++)
    {
      g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (shortcuts, i);

      if (!gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), wanted))
        continue;
      g_assert_true (gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0,
                                                   GTK_WIDGET (view),
                                                   gtk_shortcut_get_arguments (shortcut)));
      return;
    }
  g_assert_not_reached ();
}

static void
check_reading (SondeView *view, const char *text)
{
  g_autofree char *reading = sonde_view_dup_reading (view);

  g_assert_cmpstr (reading, ==, text);
  cairo_surface_destroy (snapshot (view));
  g_assert_cmpstr (sonde_view_get_private (view)->summary, ==, "A red square.");
  g_assert_cmpstr (sonde_view_get_private (view)->reading, ==, text);
}

/* What moved last, pointer or keys, says what is under the cursor, and assistive tools have it with the next frame. */
static void
test_reading (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  GtkEventController *motion = find_controller (view, GTK_TYPE_EVENT_CONTROLLER_MOTION);

  check_reading (view, NULL);
  sonde_view_set_selection (view, 4);
  check_reading (view, "thing 4");
  g_signal_emit_by_name (motion, "enter", 73.0, 12.0);
  check_reading (view, "thing 7");
  g_signal_emit_by_name (motion, "motion", 91.0, 12.0);
  check_reading (view, "thing 9");
  press_key (view, GDK_KEY_Right);
  check_reading (view, "keys 1");
  g_signal_emit_by_name (motion, "motion", 91.0, 12.0); /* the widget moved, the pointer did not */
  check_reading (view, "keys 1");
  g_signal_emit_by_name (motion, "motion", 64.0, 12.0);
  check_reading (view, "thing 6");
  g_signal_emit_by_name (motion, "leave");
  check_reading (view, "keys 1");
  g_object_unref (view);
}

/* Each of hundreds of views has a menu, none while it is closed; GTK has none either. */
static void
test_menu (void)
{
  GtkWidget *window = gtk_window_new (), *menu;
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  SondeViewPrivate *priv = sonde_view_get_private (view);

  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (view));
  gtk_window_present (GTK_WINDOW (window));
  for (int i = 0; i < 2; i++)
    {
      sonde_view_popup_menu (view);
      g_assert_true (gtk_widget_get_visible (priv->menu));
      menu = priv->menu;
      g_object_add_weak_pointer (G_OBJECT (menu), (gpointer *) &menu);
      while (!gtk_widget_get_mapped (menu))
        g_main_context_iteration (NULL, TRUE);
      if (i == 0)
        gtk_popover_popdown (GTK_POPOVER (priv->menu));
      else
        gtk_widget_set_visible (GTK_WIDGET (view), FALSE);
      while (priv->menu != NULL)
        g_main_context_iteration (NULL, TRUE);
      g_assert_null (menu);
    }
  g_object_unref (view);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
on_picked (SondeView *view, gint64 id, int n_presses, double x, double y, gint64 *picked)
{
  *picked = id;
}

static void
test_click (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  GtkEventController *click = find_controller (view, GTK_TYPE_GESTURE_CLICK);
  gint64 picked = -7;

  g_signal_connect (view, "picked", G_CALLBACK (on_picked), &picked);
  g_signal_emit_by_name (click, "released", 1, 123.0, 10.0);
  g_assert_cmpint (picked, ==, 12);
  g_signal_emit_by_name (click, "released", 1, 3.0, 10.0);
  g_assert_cmpint (picked, ==, SONDE_VIEW_NOTHING);
  /* Two clicks fit. */
  sonde_view_set_viewport (view, &(SondeViewport){ 10, 8, 20, 4 });
  g_signal_emit_by_name (click, "released", 2, 3.0, 10.0);
  g_assert_true (sonde_view_is_fitted (view, NULL, NULL));
  g_object_unref (view);
}

static void
test_drag (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_XY);
  GtkEventController *drag = find_controller (view, GTK_TYPE_GESTURE_DRAG);

  g_signal_emit_by_name (drag, "drag-begin", 20.0, 20.0);
  g_signal_emit_by_name (drag, "drag-update", 100.0, 40.0);
  g_signal_emit_by_name (drag, "drag-end", 100.0, 40.0);
  check_viewport (view, 10, 8, 60, 4);
  /* A flat box takes the x range only. */
  g_assert_true (sonde_view_zoom_back (view));
  g_signal_emit_by_name (drag, "drag-begin", 120.0, 20.0);
  g_signal_emit_by_name (drag, "drag-update", -100.0, 3.0);
  g_signal_emit_by_name (drag, "drag-end", -100.0, 3.0);
  check_viewport (view, 10, 10, 60, 0);
  g_object_unref (view);
}

static void
test_text (void)
{
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  g_autofree char *text = sonde_view_describe (view);
  g_autofree char *table = sonde_view_dup_table (view, '\t');

  g_assert_cmpstr (text, ==, "A red square.");
  g_assert_cmpstr (table, ==, "a\tb\n");
  g_object_unref (view);
}

static void
test_export (void)
{
  static const char *const names[] = { "a.png", "a.svg", "a.pdf", "a.csv" };
  SondeView *view = new_view (SONDE_VIEW_ZOOM_NONE);
  g_autofree char *folder = g_dir_make_tmp ("sonde-view-XXXXXX", NULL);
  g_autofree char *bad = g_build_filename (folder, "a.bmp", NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autoptr (GError) problem = NULL;

      g_assert_true (sonde_view_export (view, path, 80, 60, &problem));
      g_assert_no_error (problem);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
      g_assert_cmpint (remove (path), ==, 0);
    }
  g_assert_false (sonde_view_export (view, bad, 80, 60, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (remove (folder), ==, 0);
  g_object_unref (view);
}

static GtkWindow *
find_dialog (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *i = windows; i != NULL; i = i->next)
    if (GTK_IS_DIALOG (i->data))
      return i->data;
  return NULL;
}

/* The view goes while it is asked how to export it. */
static void
test_export_gone (void)
{
  GtkWidget *window = gtk_window_new (), *view = g_object_new (TEST_TYPE_VIEW, NULL);

  gtk_window_set_child (GTK_WINDOW (window), view);
  gtk_window_present (GTK_WINDOW (window));
  sonde_view_ask_export (SONDE_VIEW (view));
  g_assert_nonnull (find_dialog ());
  gtk_window_set_child (GTK_WINDOW (window), NULL);
  gtk_dialog_response (GTK_DIALOG (find_dialog ()), GTK_RESPONSE_ACCEPT);
  g_assert_null (find_dialog ());
  gtk_window_destroy (GTK_WINDOW (window));
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
  g_test_add_func ("/viewers/view/defaults", test_defaults);
  g_test_add_func ("/viewers/view/notify", test_notify);
  g_test_add_func ("/viewers/view/finalize", test_finalize);
  g_test_add_func ("/viewers/view/high-contrast", test_high_contrast);
  g_test_add_func ("/viewers/view/snapshot", test_snapshot);
  g_test_add_func ("/viewers/view/hidden", test_hidden);
  g_test_add_func ("/viewers/view/picture-scale", test_picture_scale);
  g_test_add_func ("/viewers/view/pace", test_pace);
  g_test_add_func ("/viewers/view/zoom", test_zoom);
  g_test_add_func ("/viewers/view/follow", test_follow);
  g_test_add_func ("/viewers/view/back", test_back);
  g_test_add_func ("/viewers/view/bad-viewport", test_bad_viewport);
  g_test_add_func ("/viewers/view/uniform", test_uniform);
  g_test_add_func ("/viewers/view/pointer", test_pointer);
  g_test_add_func ("/viewers/view/reading", test_reading);
  g_test_add_func ("/viewers/view/menu", test_menu);
  g_test_add_func ("/viewers/view/click", test_click);
  g_test_add_func ("/viewers/view/drag", test_drag);
  g_test_add_func ("/viewers/view/text", test_text);
  g_test_add_func ("/viewers/view/export", test_export);
  g_test_add_func ("/viewers/view/export-gone", test_export_gone);
  return g_test_run ();
}
