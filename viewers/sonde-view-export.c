/* SPDX-License-Identifier: Apache-2.0
 * A view as a file, and the dialog that asks what kind of file it shall be, how large, and where. */
#include "viewers/sonde-view-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-figure.h"

#define MIN_SIDE 100
#define MAX_SIDE 8000

/* ---- files --------------------------------------------------------------- */

static void
render (cairo_t *cr, int width, int height, void *user_data)
{
  sonde_view_render (user_data, cr, width, height);
}

char *
sonde_view_dup_table (SondeView *view, char separator)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), NULL);
  if (SONDE_VIEW_GET_CLASS (view)->dup_table == NULL)
    return NULL;
  return SONDE_VIEW_GET_CLASS (view)->dup_table (view, separator);
}

static gboolean
write_text (SondeView *view, const char *path, char *text, GError **error)
{
  g_autofree char *owned = text;

  if (text == NULL)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
          "“%s” has no values that could be written as a table; use .png, .svg or .pdf",
          sonde_view_get_title (view));
      return FALSE;
    }
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_view_wants_legend (SondeView *view)
{
  return sonde_view_get_private (view)->wants_legend;
}

void
sonde_view_set_wants_legend (SondeView *view, gboolean wants_legend)
{
  sonde_view_get_private (view)->wants_legend = wants_legend;
  sonde_view_invalidate (view);
}

gboolean
sonde_view_export (SondeView *view, const char *path, int width, int height, GError **error)
{
  SondeViewClass *klass = SONDE_VIEW_GET_CLASS (view);
  g_autofree char *lower = g_ascii_strdown (path, -1);

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (g_str_has_suffix (lower, ".csv"))
    return write_text (view, path, sonde_view_dup_table (view, ','), error);
  if (g_str_has_suffix (lower, ".tex"))
    return write_text (view, path, klass->dup_pgfplots != NULL ? klass->dup_pgfplots (view) : NULL,
                       error);
  return sonde_figure_save (NULL, path, width, height, 2, NULL, render, view, error);
}

/* ---- what is asked ------------------------------------------------------- */

/* @is_image: it has a size and, perhaps, a legend */
typedef struct
{
  const char *title, *ending;
  gboolean is_image;
} ExportKind;

static const ExportKind kinds[] = {
  { N_ ("Image (PNG)"), ".png", TRUE },       { N_ ("Drawing (SVG)"), ".svg", TRUE },
  { N_ ("Document (PDF)"), ".pdf", TRUE },    { N_ ("Values (CSV)"), ".csv", FALSE },
  { N_ ("LaTeX (pgfplots)"), ".tex", FALSE },
};

/* Lives as long as its window. @view: owned: its card may go meanwhile */
typedef struct
{
  SondeView *view;
  GtkWindow *window;
  GtkDropDown *kind;
  GtkSpinButton *width, *height;
  GtkCheckButton *legend;
} Dialog;

static void
show_error (SondeView *view, const GError *error)
{
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (view))),
                                              GTK_DIALOG_MODAL, GTK_MESSAGE_ERROR,
                                              GTK_BUTTONS_CLOSE, _ ("Cannot Export the Chart"));

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                            sonde_error_get_text (error));
  g_signal_connect (dialog, "response", G_CALLBACK (gtk_window_destroy), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* What was chosen goes with the file dialog. */
typedef struct
{
  int width, height;
  gboolean legend;
} Choice;

static void
on_file_chosen (GtkNativeDialog *dialog, int response, SondeView *view)
{
  const Choice *choice = g_object_get_data (G_OBJECT (dialog), "choice");
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    {
      sonde_view_set_wants_legend (view, choice->legend);
      if (!sonde_view_export (view, path, choice->width, choice->height, &error))
        show_error (view, error);
      sonde_view_set_wants_legend (view, FALSE);
    }
  g_object_unref (dialog);
}

static void
ask_file (SondeView *view, const ExportKind *kind, const Choice *choice)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Export Chart"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (view))),
      GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);
  const char *title = sonde_view_get_title (view);
  g_autofree char *name
      = g_strconcat (title != NULL && *title != '\0' ? title : _ ("chart"), kind->ending, NULL);

  g_strdelimit (name, "/\\", '-');
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "choice", g_memdup2 (choice, sizeof *choice), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), view, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static const ExportKind *
get_kind (const Dialog *dialog)
{
  return &kinds[MIN (gtk_drop_down_get_selected (dialog->kind), G_N_ELEMENTS (kinds) - 1)];
}

static void
on_kind (Dialog *dialog)
{
  gboolean is_image = get_kind (dialog)->is_image;

  gtk_widget_set_sensitive (GTK_WIDGET (dialog->width), is_image);
  gtk_widget_set_sensitive (GTK_WIDGET (dialog->height), is_image);
  gtk_widget_set_sensitive (GTK_WIDGET (dialog->legend), is_image);
}

static void
on_response (GtkDialog *window, int response, Dialog *dialog)
{
  const ExportKind *kind = get_kind (dialog);
  Choice choice = { gtk_spin_button_get_value_as_int (dialog->width),
                    gtk_spin_button_get_value_as_int (dialog->height),
                    gtk_check_button_get_active (dialog->legend) };
  g_autoptr (SondeView) view = g_object_ref (dialog->view);

  gtk_window_destroy (GTK_WINDOW (window));
  if (response == GTK_RESPONSE_ACCEPT && gtk_widget_get_root (GTK_WIDGET (view)) != NULL)
    ask_file (view, kind, &choice);
}

/* ---- the dialog ---------------------------------------------------------- */

static void
attach (GtkGrid *grid, int row, const char *title, GtkWidget *control)
{
  GtkWidget *label = gtk_label_new_with_mnemonic (title);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), control);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  label, NULL, -1);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, control, 1, row, 1, 1);
}

static GtkWidget *
make_side (int size)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (MIN_SIDE, MAX_SIDE, 10);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), size);
  return spin;
}

/* Only charts that can be drawn by pgfplots offer it. */
static GtkWidget *
make_kinds (SondeView *view)
{
  g_autoptr (GtkStringList) titles = gtk_string_list_new (NULL);
  gboolean has_tex = SONDE_VIEW_GET_CLASS (view)->dup_pgfplots != NULL;

  for (gsize i = 0; i + !has_tex < G_N_ELEMENTS (kinds); i++)
    gtk_string_list_append (titles, _ (kinds[i].title));
  return gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&titles)), NULL);
}

static void
fill (Dialog *dialog, GtkGrid *grid)
{
  GtkWidget *view = GTK_WIDGET (dialog->view);

  dialog->kind = GTK_DROP_DOWN (make_kinds (dialog->view));
  dialog->width = GTK_SPIN_BUTTON (make_side (sonde_view_get_width (SONDE_VIEW (view))));
  dialog->height = GTK_SPIN_BUTTON (make_side (sonde_view_get_height (SONDE_VIEW (view))));
  dialog->legend = GTK_CHECK_BUTTON (gtk_check_button_new_with_mnemonic (_ ("_Legend")));
  gtk_check_button_set_active (dialog->legend, TRUE);
  attach (grid, 0, _ ("_Kind"), GTK_WIDGET (dialog->kind));
  attach (grid, 1, _ ("_Width (pixels)"), GTK_WIDGET (dialog->width));
  attach (grid, 2, _ ("_Height (pixels)"), GTK_WIDGET (dialog->height));
  gtk_grid_attach (grid, GTK_WIDGET (dialog->legend), 1, 3, 1, 1);
  g_signal_connect_swapped (dialog->kind, "notify::selected", G_CALLBACK (on_kind), dialog);
}

static void
dialog_free (gpointer data)
{
  Dialog *dialog = data;

  g_object_unref (dialog->view);
  g_free (dialog);
}

void
sonde_view_ask_export (SondeView *view)
{
  Dialog *dialog = g_new0 (Dialog, 1);
  GtkWidget *window = gtk_dialog_new_with_buttons (
      _ ("Export Chart"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (view))),
      GTK_DIALOG_MODAL | GTK_DIALOG_USE_HEADER_BAR, _ ("_Cancel"), GTK_RESPONSE_CANCEL,
      _ ("_Export…"), GTK_RESPONSE_ACCEPT, NULL);
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());

  dialog->view = g_object_ref (view);
  dialog->window = GTK_WINDOW (window);
  gtk_grid_set_row_spacing (grid, 6);
  gtk_grid_set_column_spacing (grid, 12);
  gtk_widget_set_margin_start (GTK_WIDGET (grid), 18);
  gtk_widget_set_margin_end (GTK_WIDGET (grid), 18);
  gtk_widget_set_margin_top (GTK_WIDGET (grid), 18);
  gtk_widget_set_margin_bottom (GTK_WIDGET (grid), 18);
  fill (dialog, grid);
  gtk_box_append (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), GTK_WIDGET (grid));
  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_ACCEPT);
  g_object_set_data_full (G_OBJECT (window), "dialog", dialog, dialog_free);
  g_signal_connect (window, "response", G_CALLBACK (on_response), dialog);
  gtk_window_present (GTK_WINDOW (window));
}
