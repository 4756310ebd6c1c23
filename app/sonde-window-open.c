/* SPDX-License-Identifier: Apache-2.0
 * The actions that open something: in a window of its own, or beside what is open. */
#include "app/sonde-window-private.h"

#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-text.h"

/* ---- dialogs ------------------------------------------------------------- */

/* What is chosen, and the key under which its folder is remembered: runs and models lie apart. */
typedef struct
{
  const char *title;
  GtkFileChooserAction action;
  const char *key;
} OpenPurpose;

enum
{
  OPEN_FOLDER,
  OPEN_FILE,
  ADD_FOLDER,
};

static const OpenPurpose purposes[]
    = { { N_ ("Open a Folder of Runs"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "folder-of-runs" },
        { N_ ("Open a Record File or Model"), GTK_FILE_CHOOSER_ACTION_OPEN, "folder-of-files" },
        { N_ ("Add a Folder of Runs"), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "folder-of-runs" } };

/* Where the next dialog of this purpose begins: beside what was chosen. */
static void
remember_folder (SondeWindow *window, const OpenPurpose *purpose, GFile *file)
{
  g_autoptr (GFile) parent = g_file_get_parent (file);
  g_autofree char *path = parent != NULL ? g_file_get_path (parent) : NULL;

  if (path != NULL)
    sonde_workspace_set_setting (window->workspace, "window", purpose->key, path);
}

static void
on_chosen (GtkNativeDialog *dialog, int response, SondeWindow *window)
{
  const OpenPurpose *purpose = g_object_get_data (G_OBJECT (dialog), "purpose");
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    {
      remember_folder (window, purpose, file);
      if (purpose == &purposes[ADD_FOLDER])
        sonde_workspace_add_path (window->workspace, path);
      else
        sonde_window_open_paths (window, (const char *const[]){ path, NULL });
    }
  g_object_unref (dialog);
}

static void
choose (SondeWindow *window, const OpenPurpose *purpose)
{
  GtkFileChooserNative *dialog = sonde_file_dialog_new (_ (purpose->title), GTK_WINDOW (window),
                                                        purpose->action, _ ("_Open"));
  const char *last = sonde_workspace_get_setting (window->workspace, "window", purpose->key);

  if (last != NULL)
    {
      g_autoptr (GFile) folder = g_file_new_for_path (last);

      gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
    }
  g_object_set_data (G_OBJECT (dialog), "purpose", (gpointer) purpose);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_chosen), window, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
sonde_window_choose_folder (GtkWidget *widget, const char *action, GVariant *parameter)
{
  choose (SONDE_WINDOW (widget), &purposes[OPEN_FOLDER]);
}

void
sonde_window_choose_file (GtkWidget *widget, const char *action, GVariant *parameter)
{
  choose (SONDE_WINDOW (widget), &purposes[OPEN_FILE]);
}

/* Into an empty window, or beside what is open. */
void
sonde_window_add_folder (GtkWidget *widget, const char *action, GVariant *parameter)
{
  choose (SONDE_WINDOW (widget), &purposes[ADD_FOLDER]);
}

/* ---- paths --------------------------------------------------------------- */

/* @parameter: paths, of any bytes */
void
sonde_window_open_given (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree const char **paths = g_variant_get_bytestring_array (parameter, NULL);

  sonde_window_open_paths (SONDE_WINDOW (widget), paths);
}

void
sonde_window_open_empty (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_window_open_paths (SONDE_WINDOW (widget), (const char *const[]){ NULL });
}
