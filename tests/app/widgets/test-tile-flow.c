/* SPDX-License-Identifier: Apache-2.0
 * Tiles that come and go below keys: no key reaches one that is gone. */
#include "app/widgets/sonde-tile-flow.h"

static GtkWidget *
add_tile (GtkFlowBox *flow)
{
  GtkWidget *tile = gtk_button_new_with_label ("tile");

  gtk_flow_box_append (flow, tile);
  return tile;
}

static gboolean
press (GtkFlowBox *flow, GtkMovementStep step, int count)
{
  gboolean handled = TRUE;

  g_signal_emit_by_name (flow, "move-cursor", step, count, FALSE, FALSE, &handled);
  return handled;
}

/* End leads to the last tile, which goes; without the set-up the next key would ask where it is. */
static void
test_removed (void)
{
  GtkWidget *window = gtk_window_new (), *flow = gtk_flow_box_new (), *child;

  gtk_window_set_child (GTK_WINDOW (window), flow);
  sonde_tile_flow_set_up (GTK_FLOW_BOX (flow));
  for (int i = 0; i < 3; i++)
    add_tile (GTK_FLOW_BOX (flow));
  gtk_window_present (GTK_WINDOW (window));
  g_assert_false (press (GTK_FLOW_BOX (flow), GTK_MOVEMENT_BUFFER_ENDS, 1));
  while ((child = gtk_widget_get_first_child (flow)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (flow), child);
  add_tile (GTK_FLOW_BOX (flow));
  g_assert_false (press (GTK_FLOW_BOX (flow), GTK_MOVEMENT_VISUAL_POSITIONS, 1));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The focus goes to the tiles themselves, by Tab and by arrows. */
static void
test_focus (void)
{
  GtkWidget *window = gtk_window_new (), *flow = gtk_flow_box_new (), *first, *second;

  gtk_window_set_child (GTK_WINDOW (window), flow);
  sonde_tile_flow_set_up (GTK_FLOW_BOX (flow));
  first = add_tile (GTK_FLOW_BOX (flow));
  second = add_tile (GTK_FLOW_BOX (flow));
  gtk_window_present (GTK_WINDOW (window));
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  g_assert_true (gtk_widget_child_focus (window, GTK_DIR_TAB_FORWARD));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == first);
  g_assert_true (gtk_widget_child_focus (flow, GTK_DIR_RIGHT));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == second);
  gtk_window_destroy (GTK_WINDOW (window));
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
  g_test_add_func ("/app/widgets/tile-flow/removed", test_removed);
  g_test_add_func ("/app/widgets/tile-flow/focus", test_focus);
  return g_test_run ();
}
