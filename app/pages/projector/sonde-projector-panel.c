/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/projector/sonde-projector-panel.h"

#include <string.h>

#include "app/pages/projector/sonde-point-list.h"
#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-io.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/projection/sonde-point-neighbours.h"
#include "viewers/sonde-text-scale.h"

#define MOST_COLUMNS 6 /* of labels; the table that is saved has all */
#define WIDTH 300

/* What the thread is given and gives back. */
typedef struct
{
  SondeTensor *points;
  gsize row, k, n;
  SondeNearness nearness;
  guint32 *others;
  double *distances;
} Query;

struct _SondeProjectorPanel
{
  GtkBox parent_instance;
  SondeScatterView *view; /* not owned: the page holds both */
  SondeTensor *points;    /* (nullable) */
  SondePointList *list;
  GtkSearchEntry *search;
  GtkLabel *problem, *head;
  GtkDropDown *nearness;
  GtkSpinButton *count;
  GtkWidget *choices; /* of neighbours */
  GtkColumnView *table;
  GtkColumnViewColumn *distance;
  GtkWidget *copy, *save;
  Query *running;   /* owned by its task */
  gboolean marking; /* by the panel itself */
};

G_DEFINE_FINAL_TYPE (SondeProjectorPanel, sonde_projector_panel, GTK_TYPE_BOX)

static void
query_free (void *data)
{
  Query *query = data;

  sonde_tensor_unref (query->points);
  g_free (query->others);
  g_free (query->distances);
  g_free (query);
}

/* ---- what the table shows -------------------------------------------------- */

static void
set_marks (SondeProjectorPanel *panel, const guint32 *points, gsize n)
{
  panel->marking = TRUE;
  sonde_scatter_view_set_marks (panel->view, points, n);
  panel->marking = FALSE;
}

static void
show_list (SondeProjectorPanel *panel, const char *head, const guint32 *points,
           const double *distances, gsize n)
{
  gtk_label_set_text (panel->head, head);
  gtk_widget_set_css_classes (GTK_WIDGET (panel->head),
                              (const char *[]){ n > 0 ? "heading" : "dim-label", NULL });
  sonde_point_list_set (panel->list, points, distances, n);
  gtk_column_view_column_set_visible (panel->distance, distances != NULL);
  gtk_widget_set_visible (panel->choices, distances != NULL);
  gtk_widget_set_sensitive (panel->copy, n > 0);
  gtk_widget_set_sensitive (panel->save, n > 0);
}

static void
show_marks (SondeProjectorPanel *panel)
{
  gsize n;
  const guint32 *marks = sonde_scatter_view_get_marks (panel->view, &n);
  g_autofree char *count = sonde_format_count ((gint64) n);
  g_autofree char *head
      = n > 0 ? g_strdup_printf (ngettext ("%s point marked", "%s points marked", n), count)
              : g_strdup (_ ("Click a point to see its neighbours. Shift + drag marks points in a "
                             "box, Ctrl + drag those in a lasso."));

  show_list (panel, head, marks, NULL, n);
}

static void
show_neighbours (SondeProjectorPanel *panel, const Query *query)
{
  g_autofree char *head = g_strdup_printf (_ ("Neighbours of point %zu"), query->row);
  g_autofree guint32 *marks = g_new (guint32, query->n + 1);

  memcpy (marks, query->others, query->n * sizeof *marks);
  marks[query->n] = (guint32) query->row;
  set_marks (panel, marks, query->n + 1);
  show_list (panel, head, query->others, query->distances, query->n);
}

/* ---- neighbours ---------------------------------------------------------- */

static void
find_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Query *query = task_data;

  query->n = sonde_point_neighbours_find (query->points, query->row, query->nearness, query->k,
                                          query->others, query->distances);
  g_task_return_boolean (task, TRUE);
}

static void
on_found (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeProjectorPanel *panel = SONDE_PROJECTOR_PANEL (source);
  Query *query = g_task_get_task_data (G_TASK (result));

  if (panel->running != query)
    return;
  panel->running = NULL;
  show_neighbours (panel, query);
}

static void
find_neighbours (SondeProjectorPanel *panel)
{
  gint64 selection = sonde_view_get_selection (SONDE_VIEW (panel->view));
  g_autoptr (GTask) task = NULL;
  Query *query;

  panel->running = NULL;
  if (panel->points == NULL || selection < 0)
    return;
  query = g_new0 (Query, 1);
  query->points = sonde_tensor_ref (panel->points);
  query->row = (gsize) selection;
  query->k = (gsize) gtk_spin_button_get_value_as_int (panel->count);
  query->nearness = (SondeNearness) gtk_drop_down_get_selected (panel->nearness);
  query->others = g_new (guint32, query->k);
  query->distances = g_new (double, query->k);
  panel->running = query;
  task = g_task_new (panel, NULL, on_found, NULL);
  g_task_set_task_data (task, query, query_free);
  g_task_run_in_thread (task, find_in_thread);
}

static void
on_selection (SondeProjectorPanel *panel)
{
  if (sonde_view_get_selection (SONDE_VIEW (panel->view)) >= 0)
    find_neighbours (panel);
  else
    {
      panel->running = NULL;
      set_marks (panel, NULL, 0);
      show_marks (panel);
    }
}

/* By hand in the picture: the selected point is no longer what it is about. */
static void
on_marks (SondeProjectorPanel *panel)
{
  if (panel->marking)
    return;
  panel->running = NULL;
  show_marks (panel);
}

static void
on_row (SondeProjectorPanel *panel, guint position)
{
  g_autoptr (SondeListedPoint) point = g_list_model_get_item (G_LIST_MODEL (panel->list), position);

  if (point != NULL)
    sonde_view_set_selection (SONDE_VIEW (panel->view), sonde_listed_point_get_number (point));
}

/* ---- search -------------------------------------------------------------- */

static gboolean
point_matches (SondeProjectorPanel *panel, GRegex *regex, gsize point, guint n_columns)
{
  for (guint c = 0; c < n_columns; c++)
    {
      g_autofree char *label
          = sonde_text_make_visible (sonde_scatter_view_get_label (panel->view, point, c));

      if (g_regex_match (regex, label, 0, NULL))
        return TRUE;
    }
  return FALSE;
}

gboolean
sonde_projector_panel_search (SondeProjectorPanel *panel, const char *pattern)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = NULL;
  guint n_columns;

  g_return_val_if_fail (SONDE_IS_PROJECTOR_PANEL (panel), FALSE);
  regex = g_regex_new (pattern != NULL ? pattern : "", G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0,
                       &error);
  gtk_label_set_text (panel->problem, error != NULL ? error->message : "");
  gtk_widget_set_visible (GTK_WIDGET (panel->problem), error != NULL);
  if (regex == NULL)
    return FALSE;
  n_columns = sonde_scatter_view_get_n_columns (panel->view);
  for (guint32 i = 0;
       pattern != NULL && *pattern != '\0' && i < sonde_scatter_view_get_n_points (panel->view);
       i++)
    if (point_matches (panel, regex, i, n_columns))
      g_array_append_val (found, i);
  panel->running = NULL;
  set_marks (panel, (const guint32 *) (const void *) found->data, found->len);
  show_marks (panel);
  if (pattern != NULL && *pattern != '\0' && found->len == 0)
    gtk_label_set_text (panel->head, _ ("No label matches"));
  return TRUE;
}

static void
on_search (SondeProjectorPanel *panel)
{
  sonde_projector_panel_search (panel, gtk_editable_get_text (GTK_EDITABLE (panel->search)));
}

/* ---- table as text -------------------------------------------------------- */

char *
sonde_projector_panel_dup_table (SondeProjectorPanel *panel, char separator)
{
  gsize n;
  const guint32 *points;

  g_return_val_if_fail (SONDE_IS_PROJECTOR_PANEL (panel), NULL);
  points = sonde_point_list_get (panel->list, &n);
  return sonde_scatter_view_dup_rows (panel->view, points,
                                      sonde_point_list_get_distances (panel->list), n, separator);
}

static void
on_copy (SondeProjectorPanel *panel)
{
  g_autofree char *text = sonde_projector_panel_dup_table (panel, '\t');

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (panel)), text);
}

static void
show_error (SondeProjectorPanel *panel, const GError *error)
{
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (panel))),
                                              GTK_DIALOG_MODAL, GTK_MESSAGE_ERROR,
                                              GTK_BUTTONS_CLOSE, _ ("Cannot Save the Table"));

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                            sonde_error_get_text (error));
  g_signal_connect (dialog, "response", G_CALLBACK (gtk_window_destroy), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_save_chosen (GtkNativeDialog *dialog, int response, SondeProjectorPanel *panel)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *text = sonde_projector_panel_dup_table (panel, ',');
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL
      && !sonde_io_replace_file (NULL, path, text, strlen (text), &error))
    show_error (panel, error);
  g_object_unref (dialog);
}

static void
on_save (SondeProjectorPanel *panel)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Save Table (.csv)"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (panel))),
      GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "points.csv");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_chosen), panel, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- columns ------------------------------------------------------------- */

#define COLUMN_POINT (-1)
#define COLUMN_DISTANCE (-2)

static int
get_column (GtkListItemFactory *factory)
{
  return GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "sonde-column"));
}

static void
on_cell_setup (GtkListItemFactory *factory, GtkListItem *item, SondeProjectorPanel *panel)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), get_column (factory) < 0 ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), get_column (factory) < 0 ? PANGO_ELLIPSIZE_NONE
                                                                       : PANGO_ELLIPSIZE_MIDDLE);
  if (get_column (factory) < 0)
    gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_cell_bind (GtkListItemFactory *factory, GtkListItem *item, SondeProjectorPanel *panel)
{
  SondeListedPoint *point = gtk_list_item_get_item (item);
  GtkLabel *label = GTK_LABEL (gtk_list_item_get_child (item));
  guint32 number = sonde_listed_point_get_number (point);
  int column = get_column (factory);
  g_autofree char *text = NULL;

  if (column == COLUMN_POINT)
    text = sonde_format_count (number);
  else if (column == COLUMN_DISTANCE)
    text = sonde_format_number (sonde_listed_point_get_distance (point));
  else
    text = sonde_text_make_visible (sonde_scatter_view_get_label (panel->view, number, column));
  gtk_label_set_text (label, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (label), column >= 0 ? text : NULL);
}

static GtkColumnViewColumn *
add_column (SondeProjectorPanel *panel, const char *title, int column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *made = gtk_column_view_column_new (title, factory);

  g_object_set_data (G_OBJECT (factory), "sonde-column", GINT_TO_POINTER (column));
  g_signal_connect (factory, "setup", G_CALLBACK (on_cell_setup), panel);
  g_signal_connect (factory, "bind", G_CALLBACK (on_cell_bind), panel);
  gtk_column_view_column_set_resizable (made, TRUE);
  gtk_column_view_column_set_expand (made, column >= 0);
  sonde_column_view_take (panel->table, made, column < 0);
  return made;
}

static void
fill_columns (SondeProjectorPanel *panel, const char *const *columns, gboolean has_labels)
{
  sonde_column_view_clear (panel->table);
  add_column (panel, _ ("Point"), COLUMN_POINT);
  if (has_labels && columns == NULL)
    add_column (panel, _ ("Label"), 0);
  for (int c = 0; has_labels && columns != NULL && columns[c] != NULL && c < MOST_COLUMNS; c++)
    {
      g_autofree char *name = sonde_text_make_visible (columns[c]);

      add_column (panel, name, c);
    }
  panel->distance = add_column (panel, _ ("Distance"), COLUMN_DISTANCE);
}

void
sonde_projector_panel_set_points (SondeProjectorPanel *panel, SondeTensor *points,
                                  const char *const *columns, gboolean has_labels)
{
  g_return_if_fail (SONDE_IS_PROJECTOR_PANEL (panel));
  g_clear_pointer (&panel->points, sonde_tensor_unref);
  panel->points = points != NULL ? sonde_tensor_ref (points) : NULL;
  panel->running = NULL;
  fill_columns (panel, columns, has_labels);
  gtk_widget_set_sensitive (GTK_WIDGET (panel->search), has_labels);
  if (sonde_view_get_selection (SONDE_VIEW (panel->view)) >= 0)
    find_neighbours (panel);
  else
    show_marks (panel);
}

gboolean
sonde_projector_panel_is_busy (SondeProjectorPanel *panel)
{
  g_return_val_if_fail (SONDE_IS_PROJECTOR_PANEL (panel), FALSE);
  return panel->running != NULL;
}

/* ---- widgets ------------------------------------------------------------- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkLabel *
add_label (SondeProjectorPanel *panel, const char *style)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, style);
  gtk_box_append (GTK_BOX (panel), label);
  return GTK_LABEL (label);
}

static void
add_choices (SondeProjectorPanel *panel)
{
  const char *const nearness[] = { _ ("Euclidean"), _ ("Cosine"), NULL };

  panel->choices = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  panel->nearness = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (nearness));
  name_widget (GTK_WIDGET (panel->nearness), _ ("Distance of neighbours"));
  gtk_widget_set_hexpand (GTK_WIDGET (panel->nearness), TRUE);
  panel->count = GTK_SPIN_BUTTON (gtk_spin_button_new_with_range (1, 500, 1));
  gtk_spin_button_set_value (panel->count, 20);
  gtk_widget_set_tooltip_text (GTK_WIDGET (panel->count), _ ("Number of neighbours"));
  name_widget (GTK_WIDGET (panel->count), _ ("Number of neighbours"));
  gtk_box_append (GTK_BOX (panel->choices), GTK_WIDGET (panel->nearness));
  gtk_box_append (GTK_BOX (panel->choices), GTK_WIDGET (panel->count));
  gtk_box_append (GTK_BOX (panel), panel->choices);
  g_signal_connect_swapped (panel->nearness, "notify::selected", G_CALLBACK (find_neighbours),
                            panel);
  g_signal_connect_swapped (panel->count, "value-changed", G_CALLBACK (find_neighbours), panel);
}

static void
add_table (SondeProjectorPanel *panel)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkSelectionModel *model
      = GTK_SELECTION_MODEL (gtk_no_selection_new (g_object_ref (G_LIST_MODEL (panel->list))));

  panel->table = GTK_COLUMN_VIEW (gtk_column_view_new (model));
  gtk_column_view_set_single_click_activate (panel->table, TRUE);
  name_widget (GTK_WIDGET (panel->table), _ ("Points"));
  g_signal_connect_swapped (panel->table, "activate", G_CALLBACK (on_row), panel);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (panel->table));
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (panel), scrolled);
}

static GtkWidget *
add_button (SondeProjectorPanel *panel, GtkWidget *box, const char *title, GCallback callback)
{
  GtkWidget *button = gtk_button_new_with_label (title);

  gtk_widget_set_hexpand (button, TRUE);
  gtk_box_append (GTK_BOX (box), button);
  g_signal_connect_swapped (button, "clicked", callback, panel);
  return button;
}

static void
sonde_projector_panel_dispose (GObject *object)
{
  SondeProjectorPanel *panel = SONDE_PROJECTOR_PANEL (object);

  panel->running = NULL;
  g_clear_pointer (&panel->points, sonde_tensor_unref);
  g_clear_object (&panel->list);
  G_OBJECT_CLASS (sonde_projector_panel_parent_class)->dispose (object);
}

static void
sonde_projector_panel_class_init (SondeProjectorPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_projector_panel_dispose;
}

static void
sonde_projector_panel_init (SondeProjectorPanel *panel)
{
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (panel), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (panel), 6);
  sonde_text_scale_request (GTK_WIDGET (panel), WIDTH, -1);
  gtk_widget_set_hexpand (GTK_WIDGET (panel), FALSE); /* whatever its parts do */
  panel->list = sonde_point_list_new ();
  panel->search = GTK_SEARCH_ENTRY (gtk_search_entry_new ());
  g_object_set (panel->search, "placeholder-text", _ ("Search labels (regular expression)"), NULL);
  name_widget (GTK_WIDGET (panel->search), _ ("Search labels"));
  gtk_box_append (GTK_BOX (panel), GTK_WIDGET (panel->search));
  g_signal_connect_swapped (panel->search, "search-changed", G_CALLBACK (on_search), panel);
  panel->problem = add_label (panel, "error");
  panel->head = add_label (panel, "heading");
  gtk_widget_set_visible (GTK_WIDGET (panel->problem), FALSE);
  add_choices (panel);
  add_table (panel);
  panel->copy = add_button (panel, buttons, _ ("Copy"), G_CALLBACK (on_copy));
  panel->save = add_button (panel, buttons, _ ("Save as CSV…"), G_CALLBACK (on_save));
  gtk_box_append (GTK_BOX (panel), buttons);
}

GtkWidget *
sonde_projector_panel_new (SondeScatterView *view)
{
  SondeProjectorPanel *panel = g_object_new (SONDE_TYPE_PROJECTOR_PANEL, NULL);

  panel->view = view;
  fill_columns (panel, NULL, FALSE);
  show_marks (panel);
  g_signal_connect_object (view, "notify::selection", G_CALLBACK (on_selection), panel,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "marks-changed", G_CALLBACK (on_marks), panel, G_CONNECT_SWAPPED);
  return GTK_WIDGET (panel);
}
