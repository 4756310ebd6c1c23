/* SPDX-License-Identifier: Apache-2.0
 * The bar of a page: one line where its children fit, several where they do not. */
#include "app/widgets/sonde-bar-layout.h"

#define SPACING 12

static GtkWidget *
add (GtkWidget *bar, int width, gboolean expands)
{
  GtkWidget *child = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_size_request (child, width, 20);
  gtk_widget_set_hexpand (child, expands);
  gtk_box_append (GTK_BOX (bar), child);
  return child;
}

static int
measure (GtkWidget *bar, GtkOrientation orientation, int for_size, gboolean natural)
{
  int least, wanted;

  gtk_widget_measure (bar, orientation, for_size, &least, &wanted, NULL, NULL);
  return natural ? wanted : least;
}

static void
assert_place (GtkWidget *bar, GtkWidget *child, int x, int y, int width)
{
  graphene_rect_t place;

  g_assert_true (gtk_widget_compute_bounds (child, bar, &place));
  g_assert_cmpfloat (place.origin.x, ==, x);
  g_assert_cmpfloat (place.origin.y, ==, y);
  g_assert_cmpfloat (place.size.width, ==, width);
}

static void
test_lines (void)
{
  GtkWidget *bar = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  GtkWidget *first, *hidden, *second, *third;

  gtk_widget_set_layout_manager (bar, g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  first = add (bar, 100, FALSE);
  hidden = add (bar, 1000, FALSE);
  second = add (bar, 150, TRUE);
  third = add (bar, 80, FALSE);
  gtk_widget_set_visible (hidden, FALSE);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, TRUE), ==, 330 + 2 * SPACING);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_HORIZONTAL, -1, FALSE), ==, 150);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 400, FALSE), ==, 20);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 300, FALSE), ==, 40 + SPACING);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 150, FALSE), ==, 60 + 2 * SPACING);

  gtk_widget_allocate (bar, 400, 20, -1, NULL);
  assert_place (bar, first, 0, 0, 100);
  assert_place (bar, second, 112, 0, 196);
  assert_place (bar, third, 320, 0, 80);
  gtk_widget_allocate (bar, 300, 52, -1, NULL);
  assert_place (bar, second, 112, 0, 188);
  assert_place (bar, third, 0, 32, 80);
  gtk_widget_allocate (bar, 150, 84, -1, NULL);
  assert_place (bar, second, 0, 32, 150);
  assert_place (bar, third, 0, 64, 80);
  g_object_unref (bar);
}

/* Bars in bars: the inner one breaks only when it has a line of its own. */
static void
test_nested (void)
{
  GtkWidget *bar = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0)),
            *inner = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *left, *right;

  gtk_widget_set_layout_manager (bar, g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  gtk_widget_set_layout_manager (inner, g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  add (bar, 100, FALSE);
  gtk_box_append (GTK_BOX (bar), inner);
  left = add (inner, 100, FALSE);
  right = add (inner, 100, FALSE);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 330, FALSE), ==, 20);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 220, FALSE), ==, 40 + SPACING);
  g_assert_cmpint (measure (bar, GTK_ORIENTATION_VERTICAL, 120, FALSE), ==, 60 + 2 * SPACING);
  gtk_widget_allocate (bar, 220, 52, -1, NULL);
  assert_place (bar, left, 0, 32, 100);
  assert_place (bar, right, 112, 32, 100);
  g_object_unref (bar);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  g_test_add_func ("/app/widgets/bar-layout/lines", test_lines);
  g_test_add_func ("/app/widgets/bar-layout/nested", test_nested);
  return g_test_run ();
}
