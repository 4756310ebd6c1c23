/* SPDX-License-Identifier: Apache-2.0
 * Changing a value. */
#include "app/debugger/dialogs/sonde-debug-change.h"

#include "app/widgets/sonde-file-dialog.h"
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

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-change.ui"

#define SONDE_TYPE_DEBUG_CHANGE (sonde_debug_change_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugChange, sonde_debug_change, SONDE, DEBUG_CHANGE, GtkPopover)

struct _SondeDebugChange
{
  GtkPopover parent_instance;

  SondeDebugSession *session;
  char *name; /* of the value */
  GtkWidget *slice, *number;
};

G_DEFINE_FINAL_TYPE (SondeDebugChange, sonde_debug_change, GTK_TYPE_POPOVER)

/* "x[0, :]" of the entry. (transfer full) */
static char *
target_of (SondeDebugChange *form)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (form->slice));

  return *slice != '\0' ? g_strdup_printf ("%s[%s]", form->name, slice) : g_strdup (form->name);
}

static void
on_fill (SondeDebugChange *form)
{
  g_autofree char *target = target_of (form);
  const char *number = gtk_editable_get_text (GTK_EDITABLE (form->number));

  if (*number != '\0')
    sonde_debug_change_set (form->session, target, number);
  gtk_popover_popdown (GTK_POPOVER (form));
}

static void
on_scale (SondeDebugChange *form)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (form->slice)),
             *number = gtk_editable_get_text (GTK_EDITABLE (form->number));
  g_autofree char *target = target_of (form), *value = sonde_expression_quote (form->name, slice);
  g_autofree char *what = g_strdup_printf ("%s * (%s)", value, number);

  if (*number != '\0')
    sonde_debug_change_set (form->session, target, what);
  gtk_popover_popdown (GTK_POPOVER (form));
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, SondeDebugChange *form)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *target = target_of (form),
                  *what = path != NULL ? g_strdup_printf ("file:%s", path) : NULL;

  if (what != NULL)
    sonde_debug_change_set (form->session, target, what);
  gtk_popover_popdown (GTK_POPOVER (form));
  g_object_unref (dialog);
}

static void
on_file (SondeDebugChange *form)
{
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      _ ("Replace with File Contents"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (form))),
      GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Replace"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("NumPy Arrays (.npy)"));
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), form, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
sonde_debug_change_dispose (GObject *object)
{
  SondeDebugChange *form = SONDE_DEBUG_CHANGE (object);

  g_clear_object (&form->session);
  g_clear_pointer (&form->name, g_free);
  G_OBJECT_CLASS (sonde_debug_change_parent_class)->dispose (object);
}

static void
sonde_debug_change_class_init (SondeDebugChangeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_change_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugChange, slice);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugChange, number);
  gtk_widget_class_bind_template_callback (widget_class, on_fill);
  gtk_widget_class_bind_template_callback (widget_class, on_scale);
  gtk_widget_class_bind_template_callback (widget_class, on_file);
}

static void
sonde_debug_change_init (SondeDebugChange *form)
{
  gtk_widget_init_template (GTK_WIDGET (form));
}

static GtkWidget *
make_form (SondeDebugSession *session, const char *name)
{
  SondeDebugChange *form = g_object_new (SONDE_TYPE_DEBUG_CHANGE, NULL);

  form->session = g_object_ref (session);
  form->name = g_strdup (name);
  return GTK_WIDGET (form);
}

/* A form that is open stays while its value is shown again. */
static gboolean
has_form (GtkMenuButton *button, const char *name)
{
  GtkPopover *popover = gtk_menu_button_get_popover (button);

  return popover != NULL && g_strcmp0 (SONDE_DEBUG_CHANGE (popover)->name, name) == 0;
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
