/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-preferences.h"

#include "app/workspace/sonde-notifier.h"
#include "data/base/sonde-error.h"

#define RESOURCE "/org/sonde/Sonde/sonde-preferences.ui"
#define CHARTS "new-charts" /* read by the Scalars page */
#define DEFAULT_SIZE 1
#define DEFAULT_SMOOTHING 0.6

struct _SondePreferences
{
  AdwPreferencesWindow parent_instance;
  SondeWorkspace *workspace;
  AdwComboRow *appearance, *card_size;
  GtkSpinButton *smoothing;
  GtkSwitch *ended, *hit, *nan;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondePreferences, sonde_preferences, ADW_TYPE_PREFERENCES_WINDOW)

static const char *const schemes[] = { "system", "light", "dark" };

static void
set (SondePreferences *self, const char *group, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  if (self->filling)
    return;
  sonde_workspace_set_setting (self->workspace, group, key, value);
  if (!sonde_workspace_save_settings (self->workspace, &error))
    sonde_workspace_report (self->workspace, sonde_error_get_text (error));
}

static void
on_appearance (SondePreferences *self)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  guint i = adw_combo_row_get_selected (self->appearance);

  if (!self->filling && parent != NULL && i < G_N_ELEMENTS (schemes))
    gtk_widget_activate_action (GTK_WIDGET (parent), "win.appearance", "s", schemes[i]);
}

static void
on_card_size (SondePreferences *self)
{
  g_autofree char *text = g_strdup_printf ("%u", adw_combo_row_get_selected (self->card_size));

  set (self, CHARTS, "size", text);
}

static void
on_smoothing (SondePreferences *self)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  set (self, CHARTS, "smoothing",
       g_ascii_formatd (text, sizeof text, "%.2f", gtk_spin_button_get_value (self->smoothing)));
}

static void
on_switch (GtkSwitch *widget, GParamSpec *pspec, SondePreferences *self)
{
  GtkSwitch *const switches[SONDE_N_NOTICES] = { self->ended, self->hit, self->nan };

  for (int i = 0; i < SONDE_N_NOTICES; i++)
    if (switches[i] == widget)
      set (self, "notifications", sonde_notice_get_setting ((SondeNotice) i),
           gtk_switch_get_active (widget) ? NULL : "false");
}

static double
get_number (SondePreferences *self, const char *key, double fallback)
{
  const char *text = sonde_workspace_get_setting (self->workspace, CHARTS, key);

  return text != NULL ? g_ascii_strtod (text, NULL) : fallback;
}

static void
fill (SondePreferences *self)
{
  GtkSwitch *const switches[SONDE_N_NOTICES] = { self->ended, self->hit, self->nan };
  const char *scheme = sonde_workspace_get_setting (self->workspace, "window", "appearance");

  self->filling = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (schemes); i++)
    if (g_strcmp0 (scheme, schemes[i]) == 0)
      adw_combo_row_set_selected (self->appearance, i);
  adw_combo_row_set_selected (self->card_size, (guint) get_number (self, "size", DEFAULT_SIZE));
  gtk_spin_button_set_value (self->smoothing, get_number (self, "smoothing", DEFAULT_SMOOTHING));
  for (int i = 0; i < SONDE_N_NOTICES; i++)
    {
      const char *key = sonde_notice_get_setting ((SondeNotice) i);
      const char *value = sonde_workspace_get_setting (self->workspace, "notifications", key);

      gtk_switch_set_active (switches[i], g_strcmp0 (value, "false") != 0);
    }
  self->filling = FALSE;
}

static void
sonde_preferences_dispose (GObject *object)
{
  g_clear_object (&SONDE_PREFERENCES (object)->workspace);
  G_OBJECT_CLASS (sonde_preferences_parent_class)->dispose (object);
}

static void
sonde_preferences_class_init (SondePreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_preferences_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, appearance);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, card_size);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, smoothing);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, ended);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, hit);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, nan);
  gtk_widget_class_bind_template_callback (widget_class, on_appearance);
  gtk_widget_class_bind_template_callback (widget_class, on_card_size);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing);
  gtk_widget_class_bind_template_callback (widget_class, on_switch);
}

static void
sonde_preferences_init (SondePreferences *self)
{
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_preferences_new (GtkWindow *parent, SondeWorkspace *workspace)
{
  SondePreferences *self
      = g_object_new (SONDE_TYPE_PREFERENCES, "transient-for", parent, "modal", TRUE, NULL);

  self->workspace = g_object_ref (workspace);
  fill (self);
  return GTK_WIDGET (self);
}
