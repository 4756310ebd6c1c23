/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tab-stop.h"

struct _SondeTabStop
{
  AdwBin parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeTabStop, sonde_tab_stop, ADW_TYPE_BIN)

static gboolean
holds_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  return focus != NULL && gtk_widget_is_ancestor (focus, widget);
}

static gboolean
sonde_tab_stop_focus (GtkWidget *widget, GtkDirectionType direction)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));
  GtkWidget *list = GTK_IS_SCROLLED_WINDOW (child)
                        ? gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (child))
                        : child;
  GtkListBoxRow *row
      = GTK_IS_LIST_BOX (list) ? gtk_list_box_get_selected_row (GTK_LIST_BOX (list)) : NULL;

  if (direction != GTK_DIR_TAB_FORWARD && direction != GTK_DIR_TAB_BACKWARD)
    return GTK_WIDGET_CLASS (sonde_tab_stop_parent_class)->focus (widget, direction);
  if (holds_focus (widget))
    return FALSE;
  if (gtk_widget_grab_focus (row != NULL ? GTK_WIDGET (row) : list))
    return TRUE;
  return GTK_WIDGET_CLASS (sonde_tab_stop_parent_class)->focus (widget, direction);
}

static void
sonde_tab_stop_class_init (SondeTabStopClass *klass)
{
  GTK_WIDGET_CLASS (klass)->focus = sonde_tab_stop_focus;
}

static void
sonde_tab_stop_init (SondeTabStop *stop)
{
}
