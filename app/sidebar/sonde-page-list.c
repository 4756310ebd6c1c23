/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-page-list.h"

#include "app/widgets/sonde-page.h"
#include "app/widgets/sonde-tab-stop.h"

#include "data/base/sonde-text.h"

struct _SondePageList
{
  AdwBin parent_instance;
  GtkListBox *box;
  GtkWidget *menu; /* (nullable): of the row that was pressed last */
  GtkWidget *fold; /* the button */
  gboolean folded;
};

G_DEFINE_FINAL_TYPE (SondePageList, sonde_page_list, ADW_TYPE_BIN)

static guint folded_signal;

/* ---- rows ---------------------------------------------------------------- */

static const SondePageInfo *
get_info (GtkListBoxRow *row)
{
  return &sonde_page_table[gtk_list_box_row_get_index (row)];
}

/* (transfer full): with the key */
static char *
dup_title (const SondePageInfo *info)
{
  g_autofree char *accelerator = NULL;
  guint key;
  GdkModifierType modifiers;

  if (info->shortcut == NULL || !gtk_accelerator_parse (info->shortcut, &key, &modifiers))
    return g_strdup (_ (info->title));
  accelerator = gtk_accelerator_get_label (key, modifiers);
  return g_strdup_printf ("%s (%s)", _ (info->title), accelerator);
}

static GtkWidget *
make_row (const SondePageInfo *info)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *tooltip = dup_title (info);

  gtk_box_append (GTK_BOX (box),
                  g_object_new (GTK_TYPE_IMAGE, "icon-name", info->icon, "accessible-role",
                                GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_box_append (GTK_BOX (box), gtk_label_new (_ (info->title)));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_tooltip_text (row, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (info->title), -1);
  return row;
}

/* ---- pages without anything ---------------------------------------------- */

static gboolean
is_filled (GtkListBoxRow *row)
{
  return !gtk_widget_has_css_class (GTK_WIDGET (row), "nothing-inside");
}

static void
update_folding (SondePageList *list)
{
  guint n_empty = 0;
  g_autofree char *label = NULL;

  for (int i = 0; sonde_page_table[i].name != NULL; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (list->box, i);
      gboolean filled = is_filled (row) || gtk_list_box_row_is_selected (row);

      n_empty += !filled;
      gtk_widget_set_visible (GTK_WIDGET (row), filled || !list->folded);
    }
  label = list->folded ? g_strdup_printf (P_ ("%u More Page", "%u More Pages", n_empty), n_empty)
                       : g_strdup (_ ("Only Pages with Content"));
  gtk_button_set_label (GTK_BUTTON (list->fold), label);
  gtk_widget_set_visible (list->fold, n_empty > 0);
}

void
sonde_page_list_set_filled (SondePageList *list, const char *name, gboolean filled)
{
  const SondePageInfo *info = sonde_page_info_find (name);
  GtkListBoxRow *row;
  g_autofree char *title = NULL, *tooltip = NULL;

  g_return_if_fail (SONDE_IS_PAGE_LIST (list) && info != NULL);
  row = gtk_list_box_get_row_at_index (list->box, (int) (info - sonde_page_table));
  if (filled == is_filled (row))
    return;
  if (filled)
    gtk_widget_remove_css_class (GTK_WIDGET (row), "nothing-inside");
  else
    gtk_widget_add_css_class (GTK_WIDGET (row), "nothing-inside");
  title = dup_title (info);
  tooltip = filled ? g_strdup (title)
                   : g_strdup_printf (_ ("%s: nothing recorded in the shown runs"), title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (row), tooltip);
  update_folding (list);
}

void
sonde_page_list_set_folded (SondePageList *list, gboolean folded)
{
  g_return_if_fail (SONDE_IS_PAGE_LIST (list));
  list->folded = folded;
  update_folding (list);
}

gboolean
sonde_page_list_is_folded (SondePageList *list)
{
  g_return_val_if_fail (SONDE_IS_PAGE_LIST (list), FALSE);
  return list->folded;
}

static void
on_fold (SondePageList *list)
{
  sonde_page_list_set_folded (list, !list->folded);
  g_signal_emit (list, folded_signal, 0);
}

static void
on_row_activated (GtkListBox *box, GtkListBoxRow *row, SondePageList *list)
{
  gtk_widget_activate_action (GTK_WIDGET (list), "win.page", "s", get_info (row)->name);
}

void
sonde_page_list_select (SondePageList *list, const char *name)
{
  const SondePageInfo *info = sonde_page_info_find (name);

  g_return_if_fail (SONDE_IS_PAGE_LIST (list) && info != NULL);
  gtk_list_box_select_row (
      list->box, gtk_list_box_get_row_at_index (list->box, (int) (info - sonde_page_table)));
  update_folding (list);
}

/* ---- menu of a row ------------------------------------------------------- */

static void
append (GMenu *menu, const char *label, const char *action, const SondePageInfo *info)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "s", info->name);
  g_menu_append_item (menu, item);
}

static void
popup_menu (SondePageList *list, GtkListBoxRow *row, int x, int y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  const SondePageInfo *info = get_info (row);

  append (menu, _ ("_Open"), "win.page", info);
  append (menu, _ ("Open _Beside"), "win.open-beside", info);
  append (menu, _ ("Open Be_low"), "win.open-below", info);
  g_clear_pointer (&list->menu, gtk_widget_unparent);
  list->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_popover_set_has_arrow (GTK_POPOVER (list->menu), FALSE);
  gtk_widget_set_halign (list->menu, GTK_ALIGN_START);
  gtk_widget_set_parent (list->menu, GTK_WIDGET (list->box));
  gtk_popover_set_pointing_to (GTK_POPOVER (list->menu), &(GdkRectangle){ x, y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (list->menu));
}

static void
on_secondary (GtkGestureClick *gesture, int n_presses, double x, double y, SondePageList *list)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_y (list->box, (int) y);

  if (row != NULL)
    popup_menu (list, row, (int) x, (int) y);
}

static gboolean
on_menu_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondePageList *list = SONDE_PAGE_LIST (widget);
  GtkWidget *row = gtk_widget_get_focus_child (GTK_WIDGET (list->box));
  double x, y;

  if (!GTK_IS_LIST_BOX_ROW (row)
      || !gtk_widget_translate_coordinates (row, GTK_WIDGET (list->box), 24,
                                            gtk_widget_get_height (row), &x, &y))
    return FALSE;
  popup_menu (list, GTK_LIST_BOX_ROW (row), (int) x, (int) y);
  return TRUE;
}

static void
add_menu (SondePageList *list)
{
  GtkGesture *secondary = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect (secondary, "pressed", G_CALLBACK (on_secondary), list);
  gtk_widget_add_controller (GTK_WIDGET (list->box), GTK_EVENT_CONTROLLER (secondary));
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("Menu|<Shift>F10"),
                        gtk_callback_action_new (on_menu_key, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (list), keys);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_page_list_dispose (GObject *object)
{
  g_clear_pointer (&SONDE_PAGE_LIST (object)->menu, gtk_widget_unparent);
  G_OBJECT_CLASS (sonde_page_list_parent_class)->dispose (object);
}

static void
sonde_page_list_class_init (SondePageListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_page_list_dispose;
  folded_signal = g_signal_new ("folded", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_page_list_init (SondePageList *list)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *stop = g_object_new (SONDE_TYPE_TAB_STOP, NULL);
  GtkWidget *both = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  list->box = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (list->box, GTK_SELECTION_BROWSE);
  gtk_widget_add_css_class (GTK_WIDGET (list->box), "navigation-sidebar");
  gtk_widget_add_css_class (GTK_WIDGET (list->box), "page-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Pages"), -1);
  g_signal_connect (list->box, "row-activated", G_CALLBACK (on_row_activated), list);
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    gtk_list_box_append (list->box, make_row (info));
  add_menu (list);
  adw_bin_set_child (ADW_BIN (stop), GTK_WIDGET (list->box));
  list->fold = gtk_button_new ();
  gtk_widget_set_halign (list->fold, GTK_ALIGN_START);
  gtk_widget_add_css_class (list->fold, "flat");
  gtk_widget_add_css_class (list->fold, "fold-pages");
  g_signal_connect_swapped (list->fold, "clicked", G_CALLBACK (on_fold), list);
  gtk_box_append (GTK_BOX (both), stop);
  gtk_box_append (GTK_BOX (both), list->fold);
  update_folding (list);
  g_object_set (scrolled, "hscrollbar-policy", GTK_POLICY_NEVER, "propagate-natural-height", TRUE,
                "min-content-height", 150, "child", both, NULL);
  adw_bin_set_child (ADW_BIN (list), scrolled);
}
