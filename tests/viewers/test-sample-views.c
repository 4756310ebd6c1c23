/* SPDX-License-Identifier: Apache-2.0
 * Views of one sample: probabilities, crosshair and zoom of maps, counterfactual, radar,
 * editing. */
#include <math.h>
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/sonde-counterfactual-view.h"
#include "viewers/sonde-edit-view.h"
#include "viewers/sonde-probability-view.h"
#include "viewers/sonde-radar-view.h"
#include "viewers/sonde-saliency-view.h"

static cairo_surface_t *
render (SondeView *view, int width, int height)
{
  cairo_surface_t *picture = sonde_test_image_new (width, height);
  cairo_t *cr = cairo_create (picture);

  sonde_view_render (view, cr, width, height);
  cairo_destroy (cr);
  return picture;
}

static int
count_ink (SondeView *view, int width, int height)
{
  cairo_surface_t *picture = render (view, width, height);
  int ink = sonde_test_image_count_ink (picture, 0, 0, width, height);

  cairo_surface_destroy (picture);
  return ink;
}

static void
allocate (GtkWidget *widget, int width, int height)
{
  int ignored;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &ignored, NULL, NULL, NULL);
  gtk_widget_allocate (widget, width, height, -1, NULL);
}

static void
assert_finalized (GtkWidget *widget)
{
  gpointer weak = widget;

  g_object_add_weak_pointer (G_OBJECT (widget), &weak);
  g_object_unref (widget);
  g_assert_null (weak);
}

/* ---- probabilities ------------------------------------------------------- */

static void
test_probabilities (void)
{
  static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "<h>" };
  static const float values[] = { 0.01f, 0.3f, 0.05f, 0.4f, 0.1f, 0.08f, 0.06f, 0.0f };
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_PROBABILITY_VIEW, NULL));
  SondeView *view = SONDE_VIEW (widget);
  SondeProbabilityView *self = SONDE_PROBABILITY_VIEW (widget);
  g_autofree char *empty = sonde_view_describe (view), *text = NULL, *table = NULL, *tip = NULL;
  g_autoptr (GArray) rows = NULL, more = NULL, after = NULL;
  float edited[8] = { 0 };
  SondeViewPick pick;

  g_assert_cmpstr (empty, ==, "Probabilities: not yet known.");
  sonde_probability_view_set_values (self, names, 8, values, NULL, 7);
  rows = sonde_probability_view_get_rows (self);
  g_assert_cmpuint (rows->len, ==, 6); /* five and the true one */
  g_assert_cmpint (g_array_index (rows, gint64, 0), ==, 3);
  g_assert_cmpint (g_array_index (rows, gint64, 1), ==, 1);
  g_assert_cmpint (g_array_index (rows, gint64, 5), ==, 7);
  text = sonde_view_describe (view);
  g_assert_cmpstr (
      text, ==,
      "Probabilities: d 0.400, b 0.300, e 0.100, f 0.080, g 0.060, <h> 0.000 (true label).");
  g_assert_cmpint (count_ink (view, 300, 190), >, 1000);
  allocate (widget, 300, 190);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 20, 26 + 5, &pick));
  g_assert_cmpint (pick.id, ==, 1);
  tip = SONDE_VIEW_GET_CLASS (view)->dup_tooltip (view, &pick);
  g_assert_true (g_str_has_prefix (tip, "b: 0.3"));
  /* A click chooses the class, arrows the next row. */
  g_signal_emit_by_name (view, "picked", (gint64) 1, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (view), ==, 1);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, 1));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 4);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, G_MAXINT));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 7);
  /* A class that had no row gets one. */
  sonde_view_set_selection (view, 0);
  more = sonde_probability_view_get_rows (self);
  g_assert_cmpuint (more->len, ==, 7);
  /* Rows stay where they are when the picture is edited. */
  edited[0] = 1;
  sonde_probability_view_set_values (self, names, 8, edited, values, 7);
  after = sonde_probability_view_get_rows (self);
  g_assert_cmpmem (after->data, after->len * sizeof (gint64), more->data,
                   more->len * sizeof (gint64));
  table = sonde_view_dup_table (view, ',');
  g_assert_true (g_str_has_prefix (table, "class,probability,before\na,1,0.00"));
  assert_finalized (widget);
}

/* ---- maps ---------------------------------------------------------------- */

static SondeTensor *
make_map (void)
{
  SondeShape shape = sonde_shape_make (2, 8, 8);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < 64; i++)
    sonde_tensor_set_double (map, i, (double) i - 20);
  return map;
}

static void
on_pixel (SondeSaliencyView *view, gint64 pixel, SondeSaliencyView *other)
{
  sonde_saliency_view_set_pixel (other, pixel);
}

/* One crosshair for two views; the keys move it. */
static void
test_crosshair (void)
{
  GtkWidget *a = g_object_ref_sink (sonde_saliency_view_new ()),
            *b = g_object_ref_sink (sonde_saliency_view_new ());
  g_autoptr (SondeTensor) map = make_map ();
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (a);

  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (a), NULL, map, NULL, 0);
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (b), NULL, map, NULL, 0);
  g_signal_connect (a, "pixel-changed", G_CALLBACK (on_pixel), b);
  g_assert_true (class->move_cursor (SONDE_VIEW (a), 1));
  g_assert_cmpint (sonde_saliency_view_get_pixel (SONDE_SALIENCY_VIEW (a)), ==, 37);
  g_assert_cmpint (sonde_saliency_view_get_pixel (SONDE_SALIENCY_VIEW (b)), ==, 37);
  g_assert_true (class->move_cursor (SONDE_VIEW (a), G_MAXINT));
  g_assert_true (class->move_cursor (SONDE_VIEW (a), 10));
  g_assert_cmpint (sonde_saliency_view_get_pixel (SONDE_SALIENCY_VIEW (b)), ==, 63);
  assert_finalized (a);
  assert_finalized (b);
}

/* Magnified, a place is another pixel, and none outside. */
static void
test_zoom (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_saliency_view_new ());
  SondeView *view = SONDE_VIEW (widget);
  g_autoptr (SondeTensor) map = make_map ();
  SondeViewPick pick;
  cairo_surface_t *fitted, *near;

  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (view), NULL, map, NULL, 0);
  sonde_saliency_view_set_zoomable (SONDE_SALIENCY_VIEW (view), TRUE);
  allocate (widget, 160, 200);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 159, 1, &pick));
  g_assert_cmpint (pick.id, ==, 7);
  fitted = render (view, 160, 200);
  sonde_view_set_viewport (view, &(SondeViewport){ 2, 2, 6, 6 });
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 159, 1, &pick));
  g_assert_cmpint (pick.id, ==, 2 * 8 + 5);
  near = render (view, 160, 200);
  g_assert_cmpuint (sonde_test_image_get (near, 10, 10), ==,
                    sonde_test_image_get (fitted, 2 * 20 + 10, 2 * 20 + 10));
  sonde_view_zoom_fit (view);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 1, 159, &pick));
  g_assert_cmpint (pick.id, ==, 56);
  cairo_surface_destroy (fitted);
  cairo_surface_destroy (near);
  assert_finalized (widget);
}

/* ---- counterfactual ------------------------------------------------------ */

static SondeCounterfactualStep *
make_step (guint n, double output)
{
  SondeCounterfactualStep *step = g_new0 (SondeCounterfactualStep, 1);

  step->boxes = g_new0 (SondeBox, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    step->boxes[i] = (SondeBox){ (int) i * 4, 0, 4, 4 };
  step->n_boxes = n;
  step->newest = (int) n - 1;
  step->output = output;
  step->caption = g_strdup_printf ("Step %u", n);
  return step;
}

static void
on_step (SondeCounterfactualView *view, guint step, guint *told)
{
  *told = step;
}

static void
test_counterfactual (void)
{
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_COUNTERFACTUAL_VIEW, NULL));
  SondeView *view = SONDE_VIEW (widget);
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (widget);
  g_autofree char *empty = sonde_view_describe (view), *text = NULL, *table = NULL;
  GPtrArray *steps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_step_free);
  SondeImage *image = sonde_image_new (16, 16, 3);
  cairo_surface_t *last, *first;
  guint told = G_MAXUINT;
  SondeViewPick pick;

  g_assert_cmpstr (empty, ==, "No counterfactual.");
  g_assert_cmpint (count_ink (view, 500, 300), ==, 0);
  memset (image->pixels, 10, 16 * 16 * 3);
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (steps, make_step (i, 0.2 + 0.3 * i));
  g_signal_connect (view, "step-changed", G_CALLBACK (on_step), &told);
  sonde_counterfactual_view_set_content (self, image, NULL, TRUE, steps, 0.5, "p(“cat”)");
  g_assert_cmpuint (told, ==, 2);
  g_assert_cmpuint (sonde_counterfactual_view_get_n_steps (self), ==, 3);
  text = sonde_view_describe (view);
  g_assert_cmpstr (text, ==,
                   "Step 2 of 2, 2 regions shown on the occluded image. Step 2: p(“cat”) 0.8.");
  last = render (view, 500, 256);
  /* Sixteen px a pixel: the middle of the first box shows the picture, below it the cover. */
  g_assert_cmpint (sonde_test_image_distance (last, 24, 24, 0x0a0a0a), <=, 2);
  g_assert_cmpint (sonde_test_image_distance (last, 24, 150, 0x808080), <=, 2);
  allocate (widget, 500, 256);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 495, 50, &pick));
  g_assert_cmpint (pick.id, ==, 2);
  g_assert_false (SONDE_VIEW_GET_CLASS (view)->pick (view, 20, 50, &pick));
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, G_MININT));
  g_assert_cmpuint (told, ==, 0);
  first = render (view, 500, 256);
  g_assert_cmpint (sonde_test_image_distance (first, 24, 24, 0x808080), <=, 2);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, 1));
  g_assert_cmpuint (sonde_counterfactual_view_get_step (self), ==, 1);
  table = sonde_view_dup_table (view, ',');
  g_assert_nonnull (strstr (table, "\n2,0.8"));
  g_assert_cmpint (count_ink (view, 240, 420), >, 1000); /* narrow: the curve below */
  cairo_surface_destroy (last);
  cairo_surface_destroy (first);
  assert_finalized (widget);
}

/* ---- radar --------------------------------------------------------------- */

static void
test_radar (void)
{
  static const char *const axes[] = { "deletion", "insertion", "pointing" }, *const names[]
                                                                             = { "gradcam",
                                                                                 "occlusion" };
  static const double values[] = { 0.5, 0.25, 1, 0.75, NAN, 0 };
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_RADAR_VIEW, NULL));
  SondeView *view = SONDE_VIEW (widget);
  g_autofree char *empty = sonde_view_describe (view), *text = NULL, *table = NULL, *tip = NULL;
  SondeViewPick pick;
  gboolean found = FALSE;

  g_assert_cmpstr (empty, ==, "No scores.");
  sonde_radar_view_set_content (SONDE_RADAR_VIEW (view), axes, 3, names, 2, values);
  g_assert_cmpint (count_ink (view, 320, 320), >, 1500);
  allocate (widget, 320, 320);
  for (int y = 0; y < 300 && !found; y += 3)
    for (int x = 0; x < 320 && !found; x += 3)
      found = SONDE_VIEW_GET_CLASS (view)->pick (view, x, y, &pick) && pick.id == 1;
  g_assert_true (found);
  tip = SONDE_VIEW_GET_CLASS (view)->dup_tooltip (view, &pick);
  g_assert_cmpstr (tip, ==, "gradcam · insertion: 0.25");
  g_signal_emit_by_name (view, "picked", (gint64) 3, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (view), ==, 1);
  text = sonde_view_describe (view);
  g_assert_nonnull (strstr (text, "occlusion deletion 0.75"));
  table = sonde_view_dup_table (view, ',');
  g_assert_cmpstr (
      table, ==, "method,deletion,insertion,pointing\ngradcam,0.5,0.25,1\nocclusion,0.75,nan,0\n");
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, -1));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 0);
  /* metrics all gone */
  sonde_radar_view_set_content (SONDE_RADAR_VIEW (view), axes, 0, names, 1, values);
  g_assert_cmpint (count_ink (view, 320, 320), >, 50);
  assert_finalized (widget);
}

/* ---- editing ------------------------------------------------------------- */

static void
on_edited (SondeEditView *view, guint *n)
{
  (*n)++;
}

static void
test_edit (void)
{
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_EDIT_VIEW, NULL));
  SondeEditView *self = SONDE_EDIT_VIEW (widget);
  g_autoptr (SondeImage) image = sonde_image_new (16, 16, 3);
  g_autofree char *before = NULL, *after = NULL;
  const guint8 red[] = { 255, 0, 0 };
  guint n = 0, n_stroke;

  g_assert_null (sonde_edit_view_get_image (self));
  sonde_edit_view_press (self, 1, 1); /* nothing there */
  sonde_edit_view_set_image (self, image);
  before = sonde_view_describe (SONDE_VIEW (self));
  g_assert_cmpstr (before, ==, "Image of 16 by 16 pixels, not edited.");
  g_signal_connect (self, "edited", G_CALLBACK (on_edited), &n);
  sonde_edit_view_set_brush (self, 1, red, 2);
  /* A stroke is one step. */
  sonde_edit_view_press (self, 2.5, 2.5);
  sonde_edit_view_move (self, 8.5, 2.5);
  sonde_edit_view_release (self, 8.5, 2.5);
  n_stroke = n;
  g_assert_cmpuint (n_stroke, >=, 2);
  g_assert_cmpint (sonde_edit_view_get_image (self)->pixels[(2 * 16 + 5) * 3], ==, 255);
  after = sonde_view_describe (SONDE_VIEW (self));
  g_assert_cmpstr (after, ==, "Image of 16 by 16 pixels, edited.");
  /* Paste: a region, then a place. */
  sonde_edit_view_set_tool (self, SONDE_EDIT_PASTE);
  sonde_edit_view_press (self, 4.5, 2.5);
  sonde_edit_view_release (self, 6.5, 2.6);
  g_assert_cmpuint (n, ==, n_stroke);
  sonde_edit_view_press (self, 10.5, 10.5);
  sonde_edit_view_release (self, 10.5, 10.5);
  g_assert_cmpuint (n, ==, n_stroke + 1);
  for (int x = 9; x < 12; x++)
    g_assert_cmpint (sonde_edit_view_get_image (self)->pixels[(10 * 16 + x) * 3], ==, 255);
  /* Noise in a region, another each time. */
  sonde_edit_view_set_tool (self, SONDE_EDIT_NOISE);
  sonde_edit_view_press (self, 0, 8);
  sonde_edit_view_release (self, 7, 15);
  g_assert_cmpuint (n, ==, n_stroke + 2);
  g_assert_true (sonde_edit_view_undo (self));
  g_assert_true (sonde_edit_view_undo (self));
  g_assert_true (sonde_edit_view_undo (self));
  g_assert_false (sonde_edit_view_undo (self));
  g_assert_false (sonde_image_edit_is_changed (sonde_edit_view_get_edit (self)));
  g_assert_true (sonde_edit_view_redo (self));
  sonde_edit_view_reset (self);
  g_assert_false (sonde_image_edit_is_changed (sonde_edit_view_get_edit (self)));
  assert_finalized (widget);
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
  g_test_add_func ("/viewers/probability-view/content", test_probabilities);
  g_test_add_func ("/viewers/saliency-view/crosshair", test_crosshair);
  g_test_add_func ("/viewers/saliency-view/zoom", test_zoom);
  g_test_add_func ("/viewers/counterfactual-view/steps", test_counterfactual);
  g_test_add_func ("/viewers/radar-view/content", test_radar);
  g_test_add_func ("/viewers/edit-view/tools", test_edit);
  return g_test_run ();
}
