/* SPDX-License-Identifier: Apache-2.0
 * Elements in blocks. */
#include "app/debugger/value/sonde-debug-table.h"

#include <string.h>

#include "app/debugger/value/sonde-debug-slice.h"
#include "app/debugger/sonde-debug-describe.h"
#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-row-numbers.h"
#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text.h"
#include "data/base/sonde-text.h"
#include "data/base/sonde-error.h"

#define BLOCK_ROWS 64
#define MAX_COLUMNS 32 /* at once: labels are widgets; buttons go on to the others */

struct _SondeDebugTable
{
  GtkBox parent_instance;

  GtkColumnView *view;
  GtkWidget *bar, *range, *before, *after;
  SondeDebugSession *session; /* lent */
  GCancellable *cancellable;
  char *name;
  SondeShape shape;
  gint64 first_column;
  GHashTable *blocks; /* first row → SondeTensor, or NULL while it comes */
  GHashTable *bound;  /* GtkListItem → column: those in sight */
};

G_DEFINE_FINAL_TYPE (SondeDebugTable, sonde_debug_table, GTK_TYPE_BOX)

static guint edit_signal;

static gint64
n_across (SondeDebugTable *self)
{
  return self->shape.rank > 0 ? self->shape.dims[self->shape.rank - 1] : 1;
}

/* Rows of a plane: a block stays inside of one. */
static gint64
n_down (SondeDebugTable *self)
{
  return self->shape.rank > 1 ? MAX (self->shape.dims[self->shape.rank - 2], 1) : 1;
}

static gint64
first_row_of_block (SondeDebugTable *self, gint64 row)
{
  gint64 plane = row / n_down (self), inside = row % n_down (self);

  return plane * n_down (self) + inside / BLOCK_ROWS * BLOCK_ROWS;
}

/* ---- cells --------------------------------------------------------------- */

static guint
row_of (GtkListItem *item)
{
  return gtk_list_item_get_position (item);
}

/* "[3, 0]" of the row's number. */
static char *
row_name (SondeDebugTable *self, guint row)
{
  SondeShape rows = self->shape;

  rows.rank--;
  return sonde_shape_format_index (&rows, row);
}

/* Four digits are seen; all of them stand in the tool-tip. (transfer full) */
static char *
short_text (const SondeTensor *tensor, gint64 index, const char *full)
{
  return sonde_dtype_is_float (tensor->dtype)
             ? sonde_format_number (sonde_tensor_get_double (tensor, index))
             : g_strdup (full);
}

static void
show_cell (SondeDebugTable *self, GtkListItem *item, int column)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  gint64 block = first_row_of_block (self, row_of (item));
  SondeTensor *tensor = g_hash_table_lookup (self->blocks, GSIZE_TO_POINTER ((gsize) block + 1));
  gint64 across
      = tensor != NULL && tensor->shape.rank > 0 ? tensor->shape.dims[tensor->shape.rank - 1] : 1;
  gint64 index = ((gint64) row_of (item) - block) * across + column;
  g_autofree char *text = NULL, *shown = NULL, *visible = NULL;
  gboolean is_there = tensor != NULL && index < sonde_tensor_n_elements (tensor);

  text = column < 0 ? row_name (self, row_of (item))
         : is_there ? sonde_tensor_format_element (tensor, index)
                    : g_strdup ("…");
  shown = column >= 0 && is_there ? short_text (tensor, index, text) : g_strdup (text);
  visible = sonde_text_make_visible (shown);
  gtk_label_set_text (GTK_LABEL (label), visible);
  gtk_widget_set_tooltip_text (label, column >= 0 && is_there ? text : NULL);
  if (column >= 0 && (g_str_equal (text, "nan") || g_str_has_suffix (text, "inf")))
    gtk_widget_add_css_class (label, "error");
  else
    gtk_widget_remove_css_class (label, "error");
}

typedef struct
{
  SondeDebugTable *self;
  gint64 block;
} Asked;

static void
on_block (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugTable) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  GHashTableIter iter;
  gpointer item, column;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->bound == NULL)
    return;
  if (reply == NULL || reply->tensor == NULL)
    {
      gtk_label_set_text (GTK_LABEL (self->range),
                          error != NULL ? sonde_error_get_text (error) : "");
      return;
    }
  g_hash_table_insert (self->blocks, GSIZE_TO_POINTER ((gsize) asked->block + 1),
                       sonde_tensor_contiguous (reply->tensor));
  g_hash_table_iter_init (&iter, self->bound);
  while (g_hash_table_iter_next (&iter, &item, &column))
    if (first_row_of_block (self, row_of (item)) == asked->block)
      show_cell (self, item, GPOINTER_TO_INT (column));
}

static void
want_block (SondeDebugTable *self, gint64 block)
{
  gpointer key = GSIZE_TO_POINTER ((gsize) block + 1);
  gint64 rows = MIN (BLOCK_ROWS, n_down (self) - block % n_down (self));
  g_autofree char *slice = NULL, *text = NULL;
  Asked *asked;

  if (g_hash_table_contains (self->blocks, key))
    return;
  g_hash_table_insert (self->blocks, key, NULL);
  slice = sonde_debug_window_slice (&self->shape, block, rows, self->first_column, MAX_COLUMNS);
  text = *slice != '\0' ? g_strdup_printf ("%s[%s]", self->name, slice) : g_strdup (self->name);
  asked = g_new0 (Asked, 1);
  *asked = (Asked){ g_object_ref (self), block };
  if (!sonde_debug_session_send (self->session, sonde_session_request_tensor (text),
                                 self->cancellable, on_block, asked))
    {
      g_object_unref (asked->self);
      g_free (asked);
    }
}

static int
column_of (GtkSignalListItemFactory *factory)
{
  return GPOINTER_TO_INT (g_object_get_data (G_OBJECT (factory), "column"));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeDebugTable *self)
{
  int column = column_of (factory);

  if (self->name == NULL || self->bound == NULL)
    return;
  g_hash_table_insert (self->bound, item, GINT_TO_POINTER (column));
  g_object_set_data (G_OBJECT (gtk_list_item_get_child (item)), "row",
                     GUINT_TO_POINTER (row_of (item)));
  if (column >= 0)
    want_block (self, first_row_of_block (self, row_of (item)));
  show_cell (self, item, column);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeDebugTable *self)
{
  if (self->bound != NULL)
    g_hash_table_remove (self->bound, item);
}

/* ---- editing ------------------------------------------------------------- */

/* "x[0, 3, 17]" (transfer full) */
static char *
element_name (SondeDebugTable *self, guint row, int column)
{
  g_autofree char *index = sonde_shape_format_index (
      &self->shape, (gint64) row * n_across (self) + self->first_column + column);

  return g_str_equal (index, "[]") ? g_strdup (self->name)
                                   : g_strdup_printf ("%s%s", self->name, index);
}

static void
on_edited (GtkEntry *entry, GtkPopover *popover)
{
  SondeDebugTable *self = g_object_get_data (G_OBJECT (popover), "table");
  const char *element = g_object_get_data (G_OBJECT (popover), "element");

  g_signal_emit (self, edit_signal, 0, element, gtk_editable_get_text (GTK_EDITABLE (entry)));
  gtk_popover_popdown (popover);
}

static gboolean
unparent (gpointer widget)
{
  gtk_widget_unparent (widget);
  return G_SOURCE_REMOVE;
}

static void
on_popover_closed (GtkWidget *popover)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, unparent, g_object_ref (popover), g_object_unref);
}

static void
on_cell_pressed (GtkGestureClick *gesture, int n_presses, double x, double y, SondeDebugTable *self)
{
  GtkWidget *label = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)), *popover,
            *entry;
  guint row = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "row"));
  int column = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (label), "column"));
  const char *full = gtk_widget_get_tooltip_text (label);
  g_autofree char *element = NULL;

  if (n_presses != 2 || self->name == NULL || !sonde_debug_session_can_go (self->session))
    return;
  element = element_name (self, row, column);
  popover = gtk_popover_new ();
  entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), full != NULL ? full : "");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("a number, nan, inf"));
  gtk_widget_set_tooltip_text (entry, element);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, element,
                                  -1);
  gtk_popover_set_child (GTK_POPOVER (popover), entry);
  g_object_set_data (G_OBJECT (popover), "table", self);
  g_object_set_data_full (G_OBJECT (popover), "element", g_steal_pointer (&element), g_free);
  g_signal_connect (entry, "activate", G_CALLBACK (on_edited), popover);
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  gtk_widget_set_parent (popover, label);
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeDebugTable *self)
{
  GtkWidget *label = gtk_label_new (NULL);
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "numeric");
  if (column_of (factory) < 0)
    gtk_widget_add_css_class (label, "dim-label");
  else
    {
      g_object_set_data (G_OBJECT (label), "column", GINT_TO_POINTER (column_of (factory)));
      g_signal_connect (click, "pressed", G_CALLBACK (on_cell_pressed), self);
      gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (g_object_ref (click)));
    }
  g_object_unref (click);
  gtk_list_item_set_child (item, label);
}

/* ---- columns ------------------------------------------------------------- */

static void
add_column (SondeDebugTable *self, const char *title, int number)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;

  g_object_set_data (G_OBJECT (factory), "column", GINT_TO_POINTER (number));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_append_column (self->view, column);
}

static void
clear (SondeDebugTable *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  gtk_column_view_set_model (self->view, NULL);
  sonde_column_view_clear (self->view);
  g_hash_table_remove_all (self->bound);
  g_hash_table_remove_all (self->blocks);
}

/* The columns from first_column on, and all rows. */
static void
fill (SondeDebugTable *self)
{
  gint64 n = sonde_shape_n_elements (&self->shape),
         last = MIN (self->first_column + MAX_COLUMNS, n_across (self));
  g_autofree char *range = NULL;
  g_autoptr (GtkSelectionModel) selection = NULL;

  clear (self);
  self->cancellable = g_cancellable_new ();
  if (self->shape.rank > 1)
    add_column (self, "", -1);
  for (gint64 i = self->first_column; i < last; i++)
    {
      g_autofree char *title
          = self->shape.rank > 0 ? g_strdup_printf ("%" PRIi64, i) : g_strdup (_ ("value"));

      add_column (self, title, (int) (i - self->first_column));
    }
  selection = GTK_SELECTION_MODEL (
      gtk_no_selection_new (sonde_row_numbers_new (n > 0 ? n / n_across (self) : 0)));
  gtk_column_view_set_model (self->view, selection);
  range = n <= 0 ? g_strdup (_ ("No elements"))
                 : g_strdup_printf (_ ("Columns %" PRIi64 "–%" PRIi64 " of %" PRIi64),
                                    self->first_column, last - 1, n_across (self));
  gtk_label_set_text (GTK_LABEL (self->range), range);
  gtk_widget_set_visible (self->bar, n <= 0 || n_across (self) > MAX_COLUMNS);
  gtk_widget_set_sensitive (self->before, self->first_column > 0);
  gtk_widget_set_sensitive (self->after, last < n_across (self));
}

void
sonde_debug_table_show (SondeDebugTable *table, SondeDebugSession *session, const char *name,
                        const SondeShape *shape)
{
  gboolean is_same = name != NULL && g_strcmp0 (name, table->name) == 0
                     && sonde_shape_equal (shape, &table->shape);
  char *copy = g_strdup (name);

  table->session = session;
  g_free (table->name);
  table->name = copy;
  if (name == NULL)
    {
      clear (table);
      gtk_widget_set_visible (table->bar, FALSE);
      return;
    }
  table->shape = *shape;
  if (!is_same)
    table->first_column = 0;
  fill (table);
}

static void
turn (SondeDebugTable *self, gint64 by)
{
  if (self->name == NULL)
    return;
  self->first_column = CLAMP (self->first_column + by, 0, MAX (n_across (self) - 1, 0));
  fill (self);
}

static void
on_before (SondeDebugTable *self)
{
  turn (self, -MAX_COLUMNS);
}

static void
on_after (SondeDebugTable *self)
{
  turn (self, MAX_COLUMNS);
}

/* ---- class --------------------------------------------------------------- */

static void
unref_tensor (gpointer tensor)
{
  sonde_tensor_unref (tensor);
}

static void
sonde_debug_table_dispose (GObject *object)
{
  SondeDebugTable *self = SONDE_DEBUG_TABLE (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->view != NULL)
    gtk_column_view_set_model (self->view, NULL);
  self->view = NULL;
  g_clear_pointer (&self->bound, g_hash_table_unref);
  g_clear_pointer (&self->blocks, g_hash_table_unref);
  g_clear_pointer (&self->name, g_free);
  G_OBJECT_CLASS (sonde_debug_table_parent_class)->dispose (object);
}

static void
sonde_debug_table_class_init (SondeDebugTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_table_dispose;
  edit_signal = g_signal_new ("edit", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static GtkWidget *
add_button (SondeDebugTable *self, const char *icon, const char *words, GCallback callback)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "card-button");
  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  g_signal_connect_object (button, "clicked", callback, self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (self->bar), button);
  return button;
}

static void
sonde_debug_table_init (SondeDebugTable *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->blocks = g_hash_table_new_full (NULL, NULL, NULL, unref_tensor);
  self->bound = g_hash_table_new (NULL, NULL);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "dense-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Elements"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->view));
  gtk_widget_add_css_class (scrolled, "table-pane");
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (self), scrolled);
  self->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->range = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->range), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->range), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->range, "caption");
  gtk_widget_add_css_class (self->range, "dim-label");
  gtk_widget_add_css_class (self->range, "numeric");
  gtk_widget_set_hexpand (self->range, TRUE);
  gtk_box_append (GTK_BOX (self->bar), self->range);
  self->before
      = add_button (self, "go-previous-symbolic", "Columns Before", G_CALLBACK (on_before));
  self->after = add_button (self, "go-next-symbolic", "Columns After", G_CALLBACK (on_after));
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_box_append (GTK_BOX (self), self->bar);
}

GtkWidget *
sonde_debug_table_new (void)
{
  return g_object_new (SONDE_TYPE_DEBUG_TABLE, NULL);
}
