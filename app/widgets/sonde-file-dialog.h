/* SPDX-License-Identifier: Apache-2.0
 * Dialogs that ask for a file or folder that is there. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A modal one that begins in the working folder, where GTK begins with a list of recent files; a caller that knows
 * better sets another folder. @accept: (nullable): label of its button. (transfer full) */
GtkFileChooserNative *sonde_file_dialog_new (const char *title, GtkWindow *parent,
                                             GtkFileChooserAction action, const char *accept);

G_END_DECLS
