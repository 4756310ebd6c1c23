/* SPDX-License-Identifier: Apache-2.0
 * The dialog for an input. */
#include "app/debugger/dialogs/sonde-debug-input.h"

#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-text.h"

typedef struct
{
  SondeDebugInputChosen chosen;
} Asked;

static void
on_response (GtkNativeDialog *dialog, int response, GtkWidget *over)
{
  const Asked *asked = g_object_get_data (G_OBJECT (dialog), "asked");
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    asked->chosen (over, path);
  g_object_unref (dialog);
}

void
sonde_debug_input_ask (GtkWidget *over, SondeDebugInputChosen chosen)
{
  GtkRoot *root = gtk_widget_get_root (over);
  GtkFileChooserNative *dialog
      = sonde_file_dialog_new (_ ("Model Input"), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                               GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Use"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  Asked *asked = g_new0 (Asked, 1);

  asked->chosen = chosen;
  g_object_set_data_full (G_OBJECT (dialog), "asked", asked, g_free);
  gtk_file_filter_set_name (filter, _ ("NumPy Arrays (.npy)"));
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), over, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
