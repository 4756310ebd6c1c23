/* SPDX-License-Identifier: Apache-2.0
 * Changing a value. */
#include "app/debugger/dialogs/sonde-debug-change.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "data/base/sonde-error.h"
#include "engine/live/sonde-watch-text.h"

/* ---- doing it ------------------------------------------------------------ */

static void
on_set (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugSession) session = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (reply != NULL)
    {
      sonde_debug_session_touch (session);
      sonde_debug_session_report_edits (session, reply);
    }
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    sonde_debug_session_report (session, sonde_error_get_text (error));
}

void
sonde_debug_change_set (SondeDebugSession *session, const char *target, const char *what)
{
  g_object_ref (session);
  if (!sonde_debug_session_send (session, sonde_session_request_set (target, what), NULL, on_set,
                                 session))
    g_object_unref (session);
}

/* ---- the form ------------------------------------------------------------ */

/* What one popover changes. */
typedef struct
{
  SondeDebugSession *session;
  char *name;
  GtkWidget *popover, *slice, *number;
} Form;

static void
form_free (gpointer data)
{
  Form *form = data;

  g_object_unref (form->session);
  g_free (form->name);
  g_free (form);
}

/* "x[0, :]" of the entry. (transfer full) */
static char *
target_of (Form *form)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (form->slice));

  return *slice != '\0' ? g_strdup_printf ("%s[%s]", form->name, slice) : g_strdup (form->name);
}

static void
on_fill (GtkWidget *widget, Form *form)
{
  g_autofree char *target = target_of (form);
  const char *number = gtk_editable_get_text (GTK_EDITABLE (form->number));

  if (*number != '\0')
    sonde_debug_change_set (form->session, target, number);
  gtk_popover_popdown (GTK_POPOVER (form->popover));
}

static void
on_scale (GtkWidget *widget, Form *form)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (form->slice)),
             *number = gtk_editable_get_text (GTK_EDITABLE (form->number));
  g_autofree char *target = target_of (form), *value = sonde_expression_quote (form->name, slice);
  g_autofree char *what = g_strdup_printf ("%s * (%s)", value, number);

  if (*number != '\0')
    sonde_debug_change_set (form->session, target, what);
  gtk_popover_popdown (GTK_POPOVER (form->popover));
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, GtkWidget *popover)
{
  Form *form = g_object_get_data (G_OBJECT (popover), "form");
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *target = target_of (form),
                  *what = path != NULL ? g_strdup_printf ("file:%s", path) : NULL;

  if (what != NULL)
    sonde_debug_change_set (form->session, target, what);
  gtk_popover_popdown (GTK_POPOVER (form->popover));
  g_object_unref (dialog);
}

static void
on_file (GtkWidget *widget, Form *form)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Replace with File Contents"), GTK_WINDOW (gtk_widget_get_root (widget)),
      GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Replace"), NULL);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("NumPy Arrays (.npy)"));
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), form->popover, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
add_button (GtkWidget *box, const char *words, const char *tip, GCallback callback, Form *form)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (words);

  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_set_hexpand (button, TRUE);
  g_signal_connect (button, "clicked", callback, form);
  gtk_box_append (GTK_BOX (box), button);
}

static GtkWidget *
make_form (SondeDebugSession *session, const char *name)
{
  Form *form = g_new0 (Form, 1);
  GtkWidget *grid = gtk_grid_new (), *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  form->session = g_object_ref (session);
  form->name = g_strdup (name);
  form->popover = gtk_popover_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  form->slice = sonde_debug_entry (_ ("Slice"), _ ("whole tensor, or 0, :, 2:8"));
  form->number = sonde_debug_entry (_ ("Number"), "0.5, nan, -inf");
  sonde_debug_attach (grid, 0, _ ("Slice"), form->slice);
  sonde_debug_attach (grid, 1, _ ("Number"), form->number);
  add_button (buttons, _ ("_Fill"), _ ("Set every element of the slice to the number"),
              G_CALLBACK (on_fill), form);
  add_button (buttons, _ ("_Scale"), _ ("Multiply every element of the slice by the number"),
              G_CALLBACK (on_scale), form);
  add_button (buttons, _ ("F_ile…"), _ ("Replace the slice with the contents of a .npy file"),
              G_CALLBACK (on_file), form);
  gtk_grid_attach (GTK_GRID (grid), buttons, 0, 2, 2, 1);
  gtk_popover_set_child (GTK_POPOVER (form->popover), grid);
  g_signal_connect (form->number, "activate", G_CALLBACK (on_fill), form);
  g_object_set_data_full (G_OBJECT (form->popover), "form", form, form_free);
  return form->popover;
}

/* A form that is open stays while its value is shown again. */
static gboolean
has_form (GtkMenuButton *button, const char *name)
{
  GtkPopover *popover = gtk_menu_button_get_popover (button);
  const Form *form = popover != NULL ? g_object_get_data (G_OBJECT (popover), "form") : NULL;

  return form != NULL && g_strcmp0 (form->name, name) == 0;
}

void
sonde_debug_change_update (GtkMenuButton *button, SondeDebugSession *session, const char *name)
{
  gboolean can = name != NULL && sonde_debug_session_can_go (session);

  if (!can || !has_form (button, name))
    gtk_menu_button_set_popover (button, can ? make_form (session, name) : NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (button), can);
  gtk_widget_set_tooltip_text (GTK_WIDGET (button),
                               can ? _ ("Edit Value") : _ ("Pause the run to edit the value"));
}
