/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tile-flow.h"

static gboolean
on_move_cursor (GtkFlowBox *flow, GtkMovementStep step, int count, gboolean extend, gboolean modify)
{
  g_signal_stop_emission_by_name (flow, "move-cursor");
  return FALSE;
}

/* The GtkFlowBoxChild around each tile. */
static void
on_children_changed (GListModel *children, guint position, guint removed, guint added)
{
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (GtkWidget) child = g_list_model_get_item (children, i);

      gtk_widget_set_focusable (child, FALSE);
    }
}

static void
switch_clicks_off (GtkWidget *flow)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (flow);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE (controller))
        gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
    }
}

void
sonde_tile_flow_set_up (GtkFlowBox *flow)
{
  GListModel *children = gtk_widget_observe_children (GTK_WIDGET (flow));

  gtk_flow_box_set_selection_mode (flow, GTK_SELECTION_NONE);
  switch_clicks_off (GTK_WIDGET (flow));
  g_signal_connect (flow, "move-cursor", G_CALLBACK (on_move_cursor), NULL);
  g_signal_connect (children, "items-changed", G_CALLBACK (on_children_changed), NULL);
  g_object_set_data_full (G_OBJECT (flow), "sonde-tile-flow-children", children, g_object_unref);
}
