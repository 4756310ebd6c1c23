/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-preferences.h"

#include "app/widgets/sonde-file-dialog.h"
#include "app/workspace/sonde-notifier.h"
#include "app/workspace/sonde-preferred.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

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
  GtkSpinButton *digits;
  AdwComboRow *notation, *grouping;
  AdwActionRow *example;
  AdwEntryRow *runs_folder;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondePreferences, sonde_preferences, ADW_TYPE_PREFERENCES_WINDOW)

static const char *const schemes[] = { "system", "light", "dark" };

static void
save (SondePreferences *self)
{
  g_autoptr (GError) error = NULL;

  if (!sonde_workspace_save_settings (self->workspace, &error))
    sonde_workspace_report (self->workspace, sonde_error_get_text (error));
}

static void
set (SondePreferences *self, const char *group, const char *key, const char *value)
{
  if (self->filling)
    return;
  sonde_workspace_set_setting (self->workspace, group, key, value);
  save (self);
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

/* ---- numbers ------------------------------------------------------------- */

static void
show_example (SondePreferences *self)
{
  static const double values[] = { 0.0123456789, 12345678, 0.000000314 };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *count = sonde_format_count (1200000);

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *number = sonde_format_number (values[i]);
      g_string_append_printf (text, "%s   ", number);
    }
  g_string_append (text, count);
  adw_action_row_set_subtitle (self->example, text->str);
}

/* What views have drawn keeps the old texts until something changes. */
static void
redraw (GtkWidget *widget)
{
  gtk_widget_queue_resize (widget);
  gtk_widget_queue_draw (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    redraw (child);
}

static void
on_style (SondePreferences *self)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  const SondeNumberStyle style = { gtk_spin_button_get_value_as_int (self->digits),
                                   (SondeNotation) adw_combo_row_get_selected (self->notation),
                                   (SondeGrouping) adw_combo_row_get_selected (self->grouping) };

  if (self->filling)
    return;
  sonde_preferred_set_number_style (self->workspace, &style);
  save (self);
  show_example (self);
  if (parent != NULL)
    redraw (GTK_WIDGET (parent));
}

static void
fill_numbers (SondePreferences *self)
{
  SondeNumberStyle style = sonde_preferred_get_number_style (self->workspace);

  gtk_spin_button_set_value (self->digits, style.digits);
  adw_combo_row_set_selected (self->notation, style.notation);
  adw_combo_row_set_selected (self->grouping, style.grouping);
  show_example (self);
}

/* ---- new runs ------------------------------------------------------------ */

static void
on_runs_folder (SondePreferences *self)
{
  sonde_preferred_set_runs_folder (self->workspace,
                                   gtk_editable_get_text (GTK_EDITABLE (self->runs_folder)));
  save (self);
}

static void
on_folder_chosen (GtkNativeDialog *dialog, int response, SondePreferences *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    {
      gtk_editable_set_text (GTK_EDITABLE (self->runs_folder), g_file_peek_path (file));
      on_runs_folder (self);
    }
  g_object_unref (dialog);
}

static void
on_choose_folder (SondePreferences *self)
{
  GtkFileChooserNative *dialog
      = sonde_file_dialog_new (_ ("Folder of New Runs"), GTK_WINDOW (self),
                               GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Open"));

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- filling ------------------------------------------------------------- */

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
  g_autofree char *folder = sonde_preferred_dup_runs_folder (self->workspace);
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
  fill_numbers (self);
  gtk_editable_set_text (GTK_EDITABLE (self->runs_folder), folder != NULL ? folder : "");
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
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, runs_folder);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, example);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, grouping);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, notation);
  gtk_widget_class_bind_template_child (widget_class, SondePreferences, digits);
  gtk_widget_class_bind_template_callback (widget_class, on_appearance);
  gtk_widget_class_bind_template_callback (widget_class, on_card_size);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing);
  gtk_widget_class_bind_template_callback (widget_class, on_switch);
  gtk_widget_class_bind_template_callback (widget_class, on_choose_folder);
  gtk_widget_class_bind_template_callback (widget_class, on_runs_folder);
  gtk_widget_class_bind_template_callback (widget_class, on_style);
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
