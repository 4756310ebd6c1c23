/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-record-panel.h"

#include "data/base/sonde-text.h"

#define ICON "sonde-profiler-symbolic"

struct _SondeRecordButton
{
  GtkWidget parent_instance;
  SondeWorkspace *workspace;
  GtkWidget *button, *label;
  SondeRecordPanel *panel;
};

G_DEFINE_FINAL_TYPE (SondeRecordButton, sonde_record_button, GTK_TYPE_WIDGET)

/* What stands beside the picture: what it is for, or how far it is. */
static void
update (SondeRecordButton *self)
{
  g_autofree char *text
      = sonde_profile_recorder_dup_progress (sonde_workspace_get_recorder (self->workspace));

  gtk_label_set_text (GTK_LABEL (self->label), text != NULL ? text : _ ("Record"));
  gtk_widget_set_visible (GTK_WIDGET (self), sonde_record_panel_has_something (self->workspace));
}

/* It ended in a profile, which is on the page now. */
static void
on_recorded (SondeRecordButton *self)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
}

void
sonde_record_button_set_workspace (SondeRecordButton *button, SondeWorkspace *workspace)
{
  SondeProfileRecorder *recorder = sonde_workspace_get_recorder (workspace);

  g_return_if_fail (SONDE_IS_RECORD_BUTTON (button) && button->workspace == NULL);
  button->workspace = g_object_ref (workspace);
  sonde_record_panel_set_workspace (button->panel, workspace);
  g_signal_connect_object (recorder, "changed", G_CALLBACK (update), button, G_CONNECT_SWAPPED);
  g_signal_connect_object (recorder, "recorded", G_CALLBACK (on_recorded), button,
                           G_CONNECT_SWAPPED);
  update (button);
}

static void
sonde_record_button_dispose (GObject *object)
{
  SondeRecordButton *self = SONDE_RECORD_BUTTON (object);

  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (sonde_record_button_parent_class)->dispose (object);
}

static void
sonde_record_button_class_init (SondeRecordButtonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_record_button_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
sonde_record_button_init (SondeRecordButton *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *popover = gtk_popover_new ();

  self->button = gtk_menu_button_new ();
  self->label = gtk_label_new (_ ("Record"));
  self->panel = g_object_new (SONDE_TYPE_RECORD_PANEL, "margin-start", 6, "margin-end", 6,
                              "margin-top", 6, "margin-bottom", 6, NULL);
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_IMAGE, "icon-name", ICON, "accessible-role",
                                               GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_box_append (GTK_BOX (box), self->label);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (self->button), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->button), popover);
  gtk_popover_set_child (GTK_POPOVER (popover), GTK_WIDGET (self->panel));
  gtk_widget_add_css_class (self->button, "flat");
  gtk_widget_set_tooltip_text (self->button, _ ("Record a profile"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Record a profile"), -1);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}
