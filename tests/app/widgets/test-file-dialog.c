/* SPDX-License-Identifier: Apache-2.0
 * Where a dialog that asks for a file begins. */
#include "app/widgets/sonde-file-dialog.h"

static void
on_late (gboolean *late)
{
  *late = TRUE;
}

static void
test_begins_here (void)
{
  GtkWidget *window = gtk_window_new ();
  GtkFileChooserNative *dialog
      = sonde_file_dialog_new ("Open", GTK_WINDOW (window), GTK_FILE_CHOOSER_ACTION_OPEN, NULL);
  g_autofree char *here = g_get_current_dir ();
  g_autoptr (GFile) expected = g_file_new_for_path (here), folder = NULL;
  gboolean late = FALSE;
  guint timeout = g_timeout_add_once (20000, (GSourceOnceFunc) on_late, &late);

  g_assert_true (gtk_native_dialog_get_modal (GTK_NATIVE_DIALOG (dialog)));
  gtk_window_present (GTK_WINDOW (window));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
  while (folder == NULL && !late)
    {
      g_main_context_iteration (NULL, TRUE);
      folder = gtk_file_chooser_get_current_folder (GTK_FILE_CHOOSER (dialog));
    }
  g_assert_nonnull (folder);
  g_assert_true (g_file_equal (folder, expected));
  g_source_remove (timeout);
  gtk_native_dialog_destroy (GTK_NATIVE_DIALOG (dialog));
  g_object_unref (dialog);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/widgets/file-dialog/begins-here", test_begins_here);
  return g_test_run ();
}
