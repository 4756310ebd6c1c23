/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-run-row.h"

#include "app/sidebar/sonde-damage-list.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/sidebar/sonde-run-row.ui"

struct _SondeRunRow
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  SondeRunNode *node;
  GtkTreeExpander *expander;
  GtkCheckButton *box;
  SondeBadge *stroke, *state;
  GtkLabel *name, *progress;
  GtkWidget *damage;
  GtkPopover *damage_popover;
  GMenuModel *menu;
  GtkWidget *popover; /* menu or rename, while it is open */
  gulong run_changed;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeRunRow, sonde_run_row, GTK_TYPE_BOX)

static SondeRun *
get_run (SondeRunRow *self)
{
  return self->node != NULL ? sonde_run_node_get_run (self->node) : NULL;
}

static char *
dup_tooltip (SondeRun *run)
{
  g_autofree char *step = sonde_format_count (sonde_run_get_last_step (run));

  if (sonde_run_get_last_step (run) < 0)
    return g_strdup_printf (_ ("%s\nno scalars yet"), sonde_run_get_path (run));
  return g_strdup_printf (sonde_run_is_live (run) ? _ ("%s\nlast step %s, still being written")
                                                  : _ ("%s\nlast step %s"),
                          sonde_run_get_path (run), step);
}

/* A number while the run is read for the first time; nothing while a writer is ahead of us by a
 * record. */
static void
update_progress (SondeRunRow *self, SondeRun *run)
{
  gboolean loading = run != NULL
                     && sonde_run_store_is_loading (sonde_workspace_get_store (self->workspace))
                     && sonde_run_get_progress (run) < 1;
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->progress), loading);
  if (!loading)
    return;
  text = g_strdup_printf ("%d %%", (int) (sonde_run_get_progress (run) * 100));
  gtk_label_set_text (self->progress, text);
}

static void
update (SondeRunRow *self)
{
  SondeRun *run = get_run (self);
  g_autofree char *name = NULL, *tooltip = NULL;

  if (self->node == NULL)
    return;
  self->updating = TRUE;
  name = sonde_text_make_visible (sonde_run_node_get_label (self->node));
  gtk_label_set_text (self->name, name);
  gtk_widget_set_visible (GTK_WIDGET (self->box), run != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->stroke), run != NULL);
  if (run != NULL)
    {
      gboolean shown = sonde_workspace_is_shown (self->workspace, run);

      tooltip = dup_tooltip (run);
      gtk_check_button_set_active (self->box, shown);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      name, -1);
      sonde_badge_set_series (self->stroke, sonde_run_get_color_index (run));
      gtk_widget_set_opacity (GTK_WIDGET (self->stroke), shown ? 1 : 0.3);
    }
  update_progress (self, run);
  if (run != NULL && sonde_run_is_live (run))
    sonde_badge_set_state (self->state, sonde_workspace_is_running (self->workspace, run)
                                            ? SONDE_STATE_RUNNING
                                            : SONDE_STATE_PAUSED);
  else
    sonde_badge_set_nothing (self->state);
  gtk_widget_set_visible (self->damage, run != NULL && sonde_run_get_damage_count (run) > 0);
  sonde_set_tooltip (GTK_WIDGET (self->name), tooltip);
  self->updating = FALSE;
}

static void
on_toggled (SondeRunRow *self)
{
  SondeRun *run = get_run (self);

  if (!self->updating && run != NULL)
    sonde_workspace_set_shown (self->workspace, run, gtk_check_button_get_active (self->box));
}

static void
on_damage_shown (GtkWidget *popover, SondeRunRow *self)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();

  if (get_run (self) == NULL)
    return;
  g_ptr_array_add (runs, get_run (self));
  gtk_popover_set_child (self->damage_popover, sonde_damage_list_new (self->workspace, runs));
}

void
sonde_run_row_bind (SondeRunRow *self, GtkTreeListRow *row, SondeRunNode *node)
{
  SondeRun *run;

  g_return_if_fail (SONDE_IS_RUN_ROW (self));
  run = get_run (self);
  if (run != NULL && self->run_changed != 0)
    g_signal_handler_disconnect (run, self->run_changed);
  self->run_changed = 0;
  g_clear_pointer (&self->popover, gtk_widget_unparent);
  g_set_object (&self->node, node);
  gtk_tree_expander_set_list_row (self->expander, row);
  /* Only folders need room for an arrow. */
  gtk_tree_expander_set_indent_for_icon (self->expander,
                                         node != NULL && sonde_run_node_get_run (node) == NULL);
  run = get_run (self);
  if (run != NULL)
    self->run_changed = g_signal_connect_swapped (run, "changed", G_CALLBACK (update), self);
  update (self);
}

/* ---- menu ---------------------------------------------------------------- */

static void
show_popover (SondeRunRow *self, GtkWidget *popover)
{
  g_clear_pointer (&self->popover, gtk_widget_unparent);
  self->popover = popover;
  gtk_widget_set_parent (popover, GTK_WIDGET (self));
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
on_secondary (GtkGestureClick *gesture, int n_presses, double x, double y, SondeRunRow *self)
{
  GtkWidget *popover;

  if (get_run (self) == NULL)
    return;
  popover = gtk_popover_menu_new_from_model (self->menu);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  show_popover (self, popover);
}

static void
on_rename_done (GtkEntry *entry, SondeRunRow *self)
{
  g_autofree char *title = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));
  SondeRun *run = get_run (self);

  gtk_popover_popdown (GTK_POPOVER (self->popover));
  if (run != NULL)
    sonde_workspace_set_run_title (self->workspace, run, title);
}

static void
rename_run (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeRunRow *self = SONDE_RUN_ROW (widget);
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *entry = gtk_entry_new ();

  if (get_run (self) != NULL)
    gtk_editable_set_text (GTK_EDITABLE (entry),
                           sonde_workspace_get_run_title (self->workspace, get_run (self)));
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("Original name"));
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 24);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("New name of the run"), -1);
  g_signal_connect (entry, "activate", G_CALLBACK (on_rename_done), self);
  gtk_popover_set_child (GTK_POPOVER (popover), entry);
  show_popover (self, popover);
}

static void
show_only (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeRunRow *self = SONDE_RUN_ROW (widget);

  if (get_run (self) != NULL)
    sonde_workspace_show_only (self->workspace, get_run (self));
}

static void
copy_path (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeRun *run = get_run (SONDE_RUN_ROW (widget));

  if (run != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), sonde_run_get_path (run));
}

static void
sonde_run_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SondeRunRow *self = SONDE_RUN_ROW (widget);

  GTK_WIDGET_CLASS (sonde_run_row_parent_class)->size_allocate (widget, width, height, baseline);
  if (self->popover != NULL)
    gtk_popover_present (GTK_POPOVER (self->popover));
}

static void
sonde_run_row_dispose (GObject *object)
{
  SondeRunRow *self = SONDE_RUN_ROW (object);

  if (get_run (self) != NULL && self->run_changed != 0)
    g_signal_handler_disconnect (get_run (self), self->run_changed);
  self->run_changed = 0;
  g_clear_pointer (&self->popover, gtk_widget_unparent);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_RUN_ROW);
  g_clear_object (&self->node);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (sonde_run_row_parent_class)->dispose (object);
}

static void
sonde_run_row_class_init (SondeRunRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_run_row_dispose;
  widget_class->size_allocate = sonde_run_row_size_allocate;
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, expander);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, box);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, stroke);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, state);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, name);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, progress);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, damage);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, damage_popover);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, menu);
  gtk_widget_class_bind_template_callback (widget_class, on_toggled);
  gtk_widget_class_install_action (widget_class, "row.only", NULL, show_only);
  gtk_widget_class_install_action (widget_class, "row.rename", NULL, rename_run);
  gtk_widget_class_install_action (widget_class, "row.copy-path", NULL, copy_path);
}

static void
sonde_run_row_init (SondeRunRow *self)
{
  GtkGesture *secondary = gtk_gesture_click_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect (secondary, "pressed", G_CALLBACK (on_secondary), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (secondary));
  g_signal_connect (self->damage_popover, "show", G_CALLBACK (on_damage_shown), self);
}

GtkWidget *
sonde_run_row_new (SondeWorkspace *workspace)
{
  SondeRunRow *self = g_object_new (SONDE_TYPE_RUN_ROW, NULL);

  self->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
