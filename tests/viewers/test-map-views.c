/* SPDX-License-Identifier: Apache-2.0
 * Saliency view, tensor view, confusion view: what they hold, say, measure and pick. */
#include <string.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/landscape/sonde-landscape-view.h"
#include "viewers/sonde-confusion-view.h"
#include "viewers/sonde-saliency-view.h"
#include "viewers/sonde-tensor-view.h"

static int
count_ink (SondeView *view, int width, int height)
{
  cairo_surface_t *picture = sonde_test_image_new (width, height);
  cairo_t *cr = cairo_create (picture);
  int ink;

  sonde_view_render (view, cr, width, height);
  cairo_destroy (cr);
  ink = sonde_test_image_count_ink (picture, 0, 0, width, height);
  cairo_surface_destroy (picture);
  return ink;
}

static void
allocate (GtkWidget *widget, int width, int height)
{
  int ignored;

  /* An unmeasured widget must not be allocated. */
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

static SondeTensor *
make_ramp (int rank, int a, int b, int c)
{
  SondeShape shape = sonde_shape_make (3, a, b, c);
  SondeTensor *tensor;

  if (rank == 2)
    shape = sonde_shape_make (2, b, c);
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, (double) i - 3);
  return tensor;
}

static void
test_saliency (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_saliency_view_new ());
  SondeView *view = SONDE_VIEW (widget);
  g_autoptr (SondeTensor) map = make_ramp (2, 1, 4, 4);
  g_autofree char *empty = sonde_view_describe (view), *text = NULL, *tip = NULL, *table = NULL;
  SondeViewPick pick;

  g_assert_nonnull (strstr (empty, "0 by 0"));
  g_assert_cmpint (count_ink (view, 160, 200), ==, 0);
  sonde_view_set_title (view, "Map");
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (view), sonde_image_new (4, 4, 1), map, NULL,
                                   20);
  text = sonde_view_describe (view);
  g_assert_cmpstr (text, ==, "Map: signed map of 4 by 4 pixels, scale ±20.");
  g_assert_cmpint (count_ink (view, 160, 200), >, 2000);
  allocate (widget, 160, 200);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 45, 5, &pick));
  g_assert_cmpint (pick.id, ==, 1);
  tip = SONDE_VIEW_GET_CLASS (view)->dup_tooltip (view, &pick);
  g_assert_cmpstr (tip, ==, "x 1, y 0: -2 (image 0)");
  g_assert_false (SONDE_VIEW_GET_CLASS (view)->pick (view, 45, 195, &pick));
  table = sonde_view_dup_table (view, ',');
  g_assert_true (g_str_has_prefix (table, "-3,-2,-1,0\n1,"));
  assert_finalized (widget);
}

/* The height that the picture has at a width, up to the limit. */
static void
test_saliency_measure (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_saliency_view_new ());
  g_autoptr (SondeTensor) map = make_ramp (2, 1, 10, 20);
  int narrow, wide, wider;

  sonde_view_set_minimum_size (SONDE_VIEW (widget), 40, 40);
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (widget), NULL, map, NULL, 0);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (widget), 200);
  g_assert_cmpint (gtk_widget_get_request_mode (widget), ==, GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 100, &narrow, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 200, &wide, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 400, &wider, NULL, NULL, NULL);
  g_assert_cmpint (wide - narrow, ==, 50);
  g_assert_cmpint (wider, ==, wide);
  assert_finalized (widget);
}

static void
test_tensor (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_tensor_view_new ());
  SondeView *view = SONDE_VIEW (widget);
  SondeTensorView *self = SONDE_TENSOR_VIEW (widget);
  g_autoptr (SondeTensor) tensor = make_ramp (3, 4, 5, 5);
  g_autofree char *empty = sonde_view_describe (view), *caption = NULL, *tip = NULL, *table = NULL;
  SondeViewPick pick;

  g_assert_cmpstr (empty, ==, "No value.");
  g_assert_null (sonde_view_dup_table (view, ','));
  g_assert_false (sonde_tensor_view_set_tensor (self, NULL));
  g_assert_true (sonde_tensor_view_set_tensor (self, tensor));
  caption = sonde_tensor_view_dup_caption (self);
  g_assert_cmpstr (caption, ==, "4 tiles of 5 × 5");
  g_assert_cmpint (count_ink (view, 200, 240), >, 5000);
  allocate (widget, 200, 240);
  /* Two tiles across, cells of 20 px: the second cell of the second tile. */
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->pick (view, 130, 10, &pick));
  g_assert_cmpint (pick.id, ==, 26);
  tip = SONDE_VIEW_GET_CLASS (view)->dup_tooltip (view, &pick);
  g_assert_cmpstr (tip, ==, "[1, 0, 1]: 23");
  table = sonde_view_dup_table (view, '\t');
  g_assert_true (g_str_has_prefix (table, "-3\t-2\t-1\t0\t1\n"));
  assert_finalized (widget);
}

static void
assert_reading (SondeView *view, const char *expected)
{
  g_autofree char *reading = sonde_view_dup_reading (view);

  g_assert_cmpstr (reading, ==, expected);
}

/* Keys go from element to element, over what is between tiles, and stop at the edges; what they lead to is read.
 * Four tiles of 5 × 5, two across. */
static void
test_tensor_keys (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_tensor_view_new ());
  SondeView *view = SONDE_VIEW (widget);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  g_autoptr (SondeTensor) tensor = make_ramp (3, 4, 5, 5), one = make_ramp (2, 1, 3, 1);

  g_assert_false (class->move_cursor (view, 1)); /* nothing is there */
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (widget), tensor);
  allocate (widget, 200, 240);
  assert_reading (view, NULL);
  g_assert_true (class->move_cursor (view, G_MININT));
  assert_reading (view, "[0, 0, 0]: -3");
  class->move_cursor (view, -1);
  assert_reading (view, "[0, 0, 0]: -3");
  class->move_cursor (view, 4);
  assert_reading (view, "[0, 0, 4]: 1");
  class->move_cursor (view, 1); /* the gap is no place */
  assert_reading (view, "[1, 0, 0]: 22");
  class->move_cursor (view, 10);
  assert_reading (view, "[1, 0, 4]: 26");
  class->move_cursor (view, G_MAXINT);
  assert_reading (view, "[3, 4, 4]: 96");
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (widget), one); /* has no such cell */
  assert_reading (view, NULL);
  class->move_cursor (view, 1);
  assert_reading (view, "[1, 0]: -2");
  assert_finalized (widget);
}

static void
set_counts (SondeConfusionView *view, const char *const *names, const guint *counts, guint n)
{
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new_from_counts (counts, n);

  sonde_confusion_view_set_counts (view, names, confusion);
}

static void
test_confusion (void)
{
  static const char *const names[] = { "cat", "dog", "<i>" };
  static const guint counts[] = { 0, 3, 0, 1, 0, 0, 0, 7, 0 };
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_CONFUSION_VIEW, NULL));
  SondeView *view = SONDE_VIEW (widget);
  g_autofree char *empty = sonde_view_describe (view), *text = NULL, *table = NULL;
  gint64 picked[9];
  guint n = 0;
  SondeViewPick pick;

  g_assert_cmpstr (empty, ==, "No misclassifications.");
  set_counts (SONDE_CONFUSION_VIEW (view), names, counts, 3);
  text = sonde_view_describe (view);
  g_assert_nonnull (strstr (text, "Most frequent: “<i>” misclassified as “dog”: 7 of 7, 100.0 %"));
  table = sonde_view_dup_table (view, ',');
  g_assert_cmpstr (table, ==, "true,cat,dog,<i>\ncat,0,3,0\ndog,1,0,0\n<i>,0,7,0\n");
  g_assert_cmpint (count_ink (view, 200, 200), >, 300);
  allocate (widget, 200, 200);
  /* Every cell that counts something can be picked, and no other. */
  for (int y = 0; y < 200; y += 2)
    for (int x = 0; x < 200; x += 2)
      if (SONDE_VIEW_GET_CLASS (view)->pick (view, x, y, &pick)
          && (n == 0 || picked[n - 1] != pick.id))
        {
          g_assert_cmpuint (counts[pick.id], >, 0);
          picked[MIN (n, 8)] = pick.id;
          n++;
        }
  g_assert_cmpuint (n, >=, 3);
  /* A click selects, another lets go. */
  g_signal_emit_by_name (view, "picked", (gint64) 7, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (view), ==, 7);
  g_signal_emit_by_name (view, "picked", (gint64) 7, 1, 0.0, 0.0);
  g_assert_cmpint (sonde_view_get_selection (view), ==, SONDE_VIEW_NOTHING);
  /* Arrows go from one counting cell to the next. */
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, 1));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 1);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, 1));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 3);
  g_assert_false (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, -10)
                  && sonde_view_get_selection (view) != 1);
  /* Home is the largest mistake; the words say which cell is chosen. */
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, G_MININT));
  g_assert_cmpint (sonde_view_get_selection (view), ==, 7);
  g_clear_pointer (&text, g_free);
  text = sonde_view_describe (view);
  g_assert_nonnull (strstr (text, "Selected: “<i>” misclassified as “dog”"));
  assert_finalized (widget);
}

/* Shares, their interval, and the order by mistakes. */
static void
test_confusion_shares (void)
{
  static const char *const names[] = { "a,b", "c", "d" };
  static const guint counts[] = { 90, 10, 0, 0, 50, 0, 1, 20, 19 };
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_CONFUSION_VIEW, NULL));
  SondeConfusionView *view = SONDE_CONFUSION_VIEW (widget);
  g_autofree char *sentence = NULL, *table = NULL, *right = NULL;

  set_counts (view, names, counts, 3);
  sentence = sonde_confusion_view_dup_sentence (view, 1);
  g_assert_cmpstr (sentence, ==,
                   "“a,b” misclassified as “c”: 10 of 100, 10.0 % (95 % interval 5.5 … 17.4 %)");
  right = sonde_confusion_view_dup_sentence (view, 4);
  g_assert_nonnull (strstr (right, "predicted as “c”: 50 of 50"));
  g_assert_null (sonde_confusion_view_dup_sentence (view, 9));
  sonde_confusion_view_set_share (view, TRUE);
  /* c has 30 misclassifications in its row and column, d 21, a 11. */
  sonde_confusion_view_set_by_errors (view, TRUE);
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_cmpstr (table, ==, "true,c,d,\"a,b\"\nc,1,0,0\nd,0.5,0.475,0.025\n\"a,b\",0.1,0,0.9\n");
  assert_finalized (widget);
}

static int
height_of (GtkWidget *widget)
{
  int least, natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &least, &natural, NULL, NULL);
  return least;
}

/* Cells grow with the width, from small ones to a limit. */
static void
test_confusion_width (void)
{
  static const char *const names[] = { "a", "b", "c", "d" };
  static const guint counts[] = { 9, 1, 0, 0, 0, 5, 0, 1, 2, 0, 9, 0, 0, 0, 1, 9 };
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_CONFUSION_VIEW, NULL));
  SondeConfusionView *view = SONDE_CONFUSION_VIEW (widget);
  int small, larger, largest;

  set_counts (view, names, counts, 4);
  small = height_of (widget);
  sonde_confusion_view_set_width (view, 120);
  g_assert_cmpint (height_of (widget), ==, small);
  sonde_confusion_view_set_width (view, 220);
  larger = height_of (widget);
  g_assert_cmpint (larger, >, small + 4);
  sonde_confusion_view_set_width (view, 2000);
  largest = height_of (widget);
  g_assert_cmpint (largest, >, larger);
  sonde_confusion_view_set_width (view, 3000);
  g_assert_cmpint (height_of (widget), ==, largest);
  assert_finalized (widget);
}

/* A thousand classes, one mistake: it can be seen, found with the pointer and reached with a
 * key. */
static void
test_confusion_many (void)
{
  const guint n = SONDE_CONFUSION_MAX_CLASSES;
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  g_autofree guint *counts = g_new0 (guint, (gsize) n * n);
  GtkWidget *widget = g_object_ref_sink (g_object_new (SONDE_TYPE_CONFUSION_VIEW, NULL));
  SondeView *view = SONDE_VIEW (widget);
  const gint64 cell = 700 * (gint64) n + 123;
  gboolean found = FALSE;
  SondeViewPick pick;
  int without;

  for (guint i = 0; i < n; i++)
    {
      names[i] = g_strdup_printf ("class %u", i);
      counts[(gsize) i * n + i] = 50;
    }
  set_counts (SONDE_CONFUSION_VIEW (view), (const char *const *) names, counts, n);
  without = count_ink (view, 500, 500);
  counts[cell] = 1;
  set_counts (SONDE_CONFUSION_VIEW (view), (const char *const *) names, counts, n);
  g_assert_cmpint (count_ink (view, 500, 500), >=, without);
  allocate (widget, 500, 500);
  for (int y = 0; y < 500 && !found; y++)
    for (int x = 0; x < 500 && !found; x++)
      found = SONDE_VIEW_GET_CLASS (view)->pick (view, x, y, &pick) && pick.id == cell;
  g_assert_true (found);
  g_assert_true (SONDE_VIEW_GET_CLASS (view)->move_cursor (view, G_MAXINT));
  g_assert_cmpint (sonde_view_get_selection (view), ==, cell);
  assert_finalized (widget);
}

/* Losses that differ little are said with the digits that tell them apart. */
static void
test_landscape (void)
{
  GtkWidget *view = g_object_ref_sink (sonde_landscape_view_new ());
  const float places[] = { 0, 1, 2 };
  const float heights[]
      = { 2.29965f, 2.3f, 2.3002f, 2.3f, 2.3002f, 2.3004f, 2.3004f, 2.3008f, 2.30105f };
  SondeShape side = sonde_shape_make (1, 3), square = sonde_shape_make (2, 3, 3);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_F32, &side),
                          z = sonde_tensor_new (SONDE_DTYPE_F32, &square);
  g_autofree char *text = NULL;

  memcpy (x->data, places, sizeof places);
  memcpy (z->data, heights, sizeof heights);
  g_assert_true (
      sonde_landscape_view_set_surface (SONDE_LANDSCAPE_VIEW (view), x, x, z, NULL, NULL));
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "loss from 2.29965 to 2.30105"));
  g_object_unref (view);
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
  g_test_add_func ("/viewers/saliency-view/content", test_saliency);
  g_test_add_func ("/viewers/saliency-view/measure", test_saliency_measure);
  g_test_add_func ("/viewers/landscape-view/digits", test_landscape);
  g_test_add_func ("/viewers/tensor-view/content", test_tensor);
  g_test_add_func ("/viewers/tensor-view/keys", test_tensor_keys);
  g_test_add_func ("/viewers/confusion-view/content", test_confusion);
  g_test_add_func ("/viewers/confusion-view/shares", test_confusion_shares);
  g_test_add_func ("/viewers/confusion-view/many", test_confusion_many);
  g_test_add_func ("/viewers/confusion-view/width", test_confusion_width);
  return g_test_run ();
}
