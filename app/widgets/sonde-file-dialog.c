/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-file-dialog.h"

GtkFileChooserNative *
sonde_file_dialog_new (const char *title, GtkWindow *parent, GtkFileChooserAction action,
                       const char *accept)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (title, parent, action, accept, NULL);
  g_autofree char *path = g_get_current_dir ();
  g_autoptr (GFile) folder = g_file_new_for_path (path);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  return dialog;
}
