/* SPDX-License-Identifier: Apache-2.0
 * Heads over the numbers of a tensor. */
#include "app/widgets/sonde-tensor-table.h"
#include "tests/app/pages/window-fixture.h"

static GtkWidget *
find (GtkWidget *widget, GType type)
{
  GtkWidget *found = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find (child, type);
  return found;
}

/* As the numbers stand at the right of their columns. */
static void
test_heads (void)
{
  GtkWidget *table = g_object_ref_sink (sonde_tensor_table_new ()), *heads;
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  guint n = 0;

  sonde_tensor_table_set_tensor (SONDE_TENSOR_TABLE (table), tensor);
  heads = gtk_widget_get_first_child (find (table, GTK_TYPE_COLUMN_VIEW));
  for (GtkWidget *head = gtk_widget_get_first_child (heads); head != NULL;
       head = gtk_widget_get_next_sibling (head), n++)
    g_assert_cmpint (gtk_widget_get_halign (gtk_widget_get_first_child (head)), ==, GTK_ALIGN_END);
  g_assert_cmpuint (n, ==, 4); /* the rows' numbers first */
  g_object_unref (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ()) /* the template is a resource of the window */
    return 0;
  g_test_add_func ("/app/widgets/tensor-table/heads", test_heads);
  return g_test_run ();
}
