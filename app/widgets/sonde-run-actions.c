/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-run-actions.h"

#include "app/widgets/sonde-run-dialogs.h"
#include "data/base/sonde-text.h"

#define DATA_KEY "sonde-run-actions"
#define POPOVER_KEY "sonde-run-actions-menu"

typedef struct
{
  GtkWidget *widget; /* lent: it owns this */
  SondeWorkspace *workspace;
  SondeRunSelectionFunc get_selected;
  GMenuModel *section; /* (nullable): of the menu, before its own */
} RunActions;

static void
run_actions_free (void *data)
{
  RunActions *self = data;

  g_object_unref (self->workspace);
  g_clear_object (&self->section);
  g_free (self);
}

/* ---- actions ------------------------------------------------------------- */

static void
toggle (RunActions *self, GPtrArray *runs)
{
  gboolean any_hidden = FALSE;

  for (guint i = 0; i < runs->len; i++)
    any_hidden |= !sonde_workspace_is_shown (self->workspace, runs->pdata[i]);
  sonde_workspace_show_runs (self->workspace, runs, any_hidden);
}

static void
show_only (RunActions *self, GPtrArray *runs)
{
  sonde_workspace_show_only_runs (self->workspace, runs);
}

static void
pin (RunActions *self, GPtrArray *runs)
{
  gboolean any_loose = FALSE;

  for (guint i = 0; i < runs->len; i++)
    any_loose |= sonde_workspace_get_run_mark (self->workspace, runs->pdata[i], SONDE_RUN_MARK_PIN)
                 == NULL;
  sonde_workspace_mark_runs (self->workspace, runs, SONDE_RUN_MARK_PIN, any_loose ? "true" : NULL);
}

static void
ask_title (RunActions *self, GPtrArray *runs)
{
  sonde_run_dialogs_ask_title (self->widget, self->workspace, runs);
}

static void
ask_note (RunActions *self, GPtrArray *runs)
{
  sonde_run_dialogs_ask_note (self->widget, self->workspace, runs);
}

static void
ask_tags (RunActions *self, GPtrArray *runs)
{
  sonde_run_dialogs_ask_tags (self->widget, self->workspace, runs);
}

static void
ask_color (RunActions *self, GPtrArray *runs)
{
  sonde_run_dialogs_ask_color (self->widget, self->workspace, runs);
}

/* A line a run. */
static void
copy_path (RunActions *self, GPtrArray *runs)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < runs->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", sonde_run_get_path (runs->pdata[i]));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (self->widget), text->str);
}

static void
move_to_trash (RunActions *self, GPtrArray *runs)
{
  sonde_workspace_trash_runs (self->workspace, runs);
}

/* One row an action: its menu entry, with the section it begins, and its key. */
typedef struct
{
  const char *name;
  void (*apply) (RunActions *self, GPtrArray *runs);
  const char *label;
  const char *key;
  gboolean begins_section;
} RunAction;

static const RunAction rows[] = {
  { "toggle", toggle, N_ ("Sho_w or Hide"), "space", FALSE },
  { "only", show_only, N_ ("Show _Only These"), NULL, FALSE },
  { "title", ask_title, N_ ("Display _Name…"), "F2", TRUE },
  { "note", ask_note, N_ ("No_te…"), "<Control>i", FALSE },
  { "tags", ask_tags, N_ ("Ta_gs…"), "<Control>t", FALSE },
  { "color", ask_color, N_ ("Co_lour…"), NULL, FALSE },
  { "pin", pin, N_ ("_Pin or Unpin"), NULL, FALSE },
  { "copy-path", copy_path, N_ ("_Copy Path"), "<Control><Shift>c", TRUE },
  { "trash", move_to_trash, N_ ("_Move to Trash"), "Delete", TRUE },
};

static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  RunActions *self = data;
  g_autoptr (GPtrArray) runs = self->get_selected (self->widget);

  for (gsize i = 0; runs->len > 0 && i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, g_action_get_name (G_ACTION (action))))
      rows[i].apply (self, runs);
}

/* ---- adding -------------------------------------------------------------- */

static GMenuModel *
make_menu (GtkWidget *widget)
{
  RunActions *self = g_object_get_data (G_OBJECT (widget), DATA_KEY);
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) section = NULL;

  if (self != NULL && self->section != NULL)
    g_menu_append_section (menu, NULL, self->section);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *action = g_strconcat ("runs.", rows[i].name, NULL);

      if (section == NULL || rows[i].begins_section)
        {
          g_clear_object (&section);
          section = g_menu_new ();
          g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
        }
      g_menu_append (section, _ (rows[i].label), action);
    }
  return G_MENU_MODEL (menu);
}

static void
add_key (GtkShortcutController *keys, const RunAction *row)
{
  g_autofree char *action = g_strconcat ("runs.", row->name, NULL);

  gtk_shortcut_controller_add_shortcut (
      keys, gtk_shortcut_new (gtk_shortcut_trigger_parse_string (row->key),
                              gtk_named_action_new (action)));
}

static gboolean
on_menu_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (widget));
  double x = 0, y = 0;

  if (focus != NULL && gtk_widget_is_ancestor (focus, widget))
    gtk_widget_translate_coordinates (focus, widget, 24, gtk_widget_get_height (focus), &x, &y);
  sonde_run_actions_popup (widget, x, y);
  return TRUE;
}

void
sonde_run_actions_add (GtkWidget *widget, SondeWorkspace *workspace,
                       SondeRunSelectionFunc get_selected)
{
  RunActions *self = g_new (RunActions, 1);
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  *self = (RunActions){ widget, g_object_ref (workspace), get_selected, NULL };
  g_object_set_data_full (G_OBJECT (widget), DATA_KEY, self, run_actions_free);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GSimpleAction) action = g_simple_action_new (rows[i].name, NULL);

      g_signal_connect (action, "activate", G_CALLBACK (on_activate), self);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
      if (rows[i].key != NULL)
        add_key (GTK_SHORTCUT_CONTROLLER (keys), &rows[i]);
    }
  gtk_widget_insert_action_group (widget, "runs", G_ACTION_GROUP (group));
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("Menu|<Shift>F10"),
                        gtk_callback_action_new (on_menu_key, NULL, NULL)));
  /* Before a list takes Space for its selection. */
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (widget, keys);
}

void
sonde_run_actions_add_section (GtkWidget *widget, GMenuModel *section)
{
  RunActions *self = g_object_get_data (G_OBJECT (widget), DATA_KEY);

  g_return_if_fail (self != NULL);
  g_set_object (&self->section, section);
}

void
sonde_run_actions_popup (GtkWidget *widget, double x, double y)
{
  GtkWidget *popover = g_object_get_data (G_OBJECT (widget), POPOVER_KEY);

  if (popover == NULL)
    {
      g_autoptr (GMenuModel) menu = make_menu (widget);

      popover = gtk_popover_menu_new_from_model (menu);
      gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
      gtk_widget_set_halign (popover, GTK_ALIGN_START);
      gtk_widget_set_parent (popover, widget);
      g_object_set_data (G_OBJECT (widget), POPOVER_KEY, popover);
      g_signal_connect_object (widget, "destroy", G_CALLBACK (gtk_widget_unparent), popover,
                               G_CONNECT_SWAPPED);
    }
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
on_secondary (GtkGestureClick *gesture, int n_presses, double x, double y, GtkListItem *item)
{
  GtkWidget *cell = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  GtkWidget *list = cell;
  double list_x, list_y;

  while (list != NULL && g_object_get_data (G_OBJECT (list), DATA_KEY) == NULL)
    list = gtk_widget_get_parent (list);
  g_return_if_fail (list != NULL);
  if (!gtk_list_item_get_selected (item))
    gtk_widget_activate_action (cell, "list.select-item", "(ubb)",
                                gtk_list_item_get_position (item), FALSE, FALSE);
  gtk_widget_translate_coordinates (cell, list, x, y, &list_x, &list_y);
  sonde_run_actions_popup (list, list_x, list_y);
}

void
sonde_run_actions_add_cell (GtkWidget *cell, GtkListItem *item)
{
  GtkGesture *secondary = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect (secondary, "pressed", G_CALLBACK (on_secondary), item);
  gtk_widget_add_controller (cell, GTK_EVENT_CONTROLLER (secondary));
}
