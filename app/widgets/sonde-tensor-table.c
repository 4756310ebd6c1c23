/* SPDX-License-Identifier: Apache-2.0
 * Cells of what is in sight. */
#include "app/widgets/sonde-tensor-table.h"

#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-row-numbers.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-view.h"

#define RESOURCE "/org/sonde/Sonde/widgets/sonde-tensor-table.ui"
#define BLOCK_ROWS 64
#define ROW_NAMES (-1) /* the column of the rows' indices */

struct _SondeTensorTable
{
  GtkBox parent_instance;

  GtkColumnView *view;
  GtkWidget *bar, *range, *previous, *next;
  SondeShape shape;
  gboolean has_shape;
  gint64 first_column;
  SondeTensor *tensor; /* (nullable): all of it; NULL: it comes in blocks */
  GHashTable *blocks;  /* first row → SondeTensor, or NULL while it comes */
  GHashTable *bound;   /* GtkListItem → column: those in sight */
  gboolean editable;
  SondeTensorFormat format;
  gint64 marked; /* element; -1: none */
};

G_DEFINE_FINAL_TYPE (SondeTensorTable, sonde_tensor_table, GTK_TYPE_BOX)

enum
{
  WANTED,
  EDIT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static gint64
n_across (SondeTensorTable *self)
{
  return self->shape.rank > 0 ? self->shape.dims[self->shape.rank - 1] : 1;
}

/* Rows of a plane: a block stays inside of one. */
static gint64
n_down (SondeTensorTable *self)
{
  return self->shape.rank > 1 ? MAX (self->shape.dims[self->shape.rank - 2], 1) : 1;
}

static gint64
first_row_of_block (SondeTensorTable *self, gint64 row)
{
  gint64 plane = row / n_down (self), inside = row % n_down (self);

  return plane * n_down (self) + inside / BLOCK_ROWS * BLOCK_ROWS;
}

static gpointer
key_of_block (gint64 block)
{
  return GSIZE_TO_POINTER ((gsize) block + 1);
}

/* ---- cells --------------------------------------------------------------- */

static guint
row_of (GtkListItem *item)
{
  return gtk_list_item_get_position (item);
}

/* "[3, 0]" of the row's number. */
static char *
row_name (SondeTensorTable *self, guint row)
{
  SondeShape rows = self->shape;

  rows.rank--;
  return sonde_shape_format_index (&rows, row);
}

/* The tensor that holds a cell, and where in it. (nullable): it is not there yet */
static SondeTensor *
find_element (SondeTensorTable *self, guint row, int column, gint64 *index)
{
  gint64 block = first_row_of_block (self, row), across;
  SondeTensor *tensor = self->tensor;

  if (tensor != NULL)
    {
      *index = (gint64) row * n_across (self) + self->first_column + column;
      return tensor;
    }
  tensor = g_hash_table_lookup (self->blocks, key_of_block (block));
  if (tensor == NULL)
    return NULL;
  across = tensor->shape.rank > 0 ? tensor->shape.dims[tensor->shape.rank - 1] : 1;
  *index = ((gint64) row - block) * across + column;
  return *index < sonde_tensor_n_elements (tensor) ? tensor : NULL;
}

static void
show_row_name (SondeTensorTable *self, GtkListItem *item)
{
  g_autofree char *text = row_name (self, row_of (item));

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), text);
}

/* “0x3f800000”: the element's bytes, the most significant first. (transfer full) */
static char *
dup_bits (SondeTensor *tensor, gint64 index)
{
  gsize size = sonde_dtype_size (tensor->dtype);
  const guint8 *bytes = tensor->data + (gsize) index * size;
  GString *text = g_string_new ("0x");

  for (gsize i = size; i > 0; i--)
    g_string_append_printf (text, "%02x", bytes[i - 1]);
  return g_string_free (text, FALSE);
}

/* (transfer full): of a float as its format wants it */
static char *
format_float (SondeTensorTable *self, SondeTensor *tensor, gint64 index, const char *full)
{
  double value = sonde_tensor_get_double (tensor, index);
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  switch (self->format)
    {
    case SONDE_TENSOR_FORMAT_FULL:
      return g_strdup (full);
    case SONDE_TENSOR_FORMAT_SCIENTIFIC:
      return g_strdup (g_ascii_formatd (digits, sizeof digits, "%.6e", value));
    case SONDE_TENSOR_FORMAT_HEX:
      return dup_bits (tensor, index);
    default:
      return sonde_format_number (value);
    }
}

static void
mark_cell (SondeTensorTable *self, GtkListItem *item, int column)
{
  GtkWidget *label = gtk_list_item_get_child (item);

  if (self->marked >= 0
      && self->marked == (gint64) row_of (item) * n_across (self) + self->first_column + column)
    gtk_widget_add_css_class (label, "marked-element");
  else
    gtk_widget_remove_css_class (label, "marked-element");
}

static void
show_element (SondeTensorTable *self, GtkListItem *item, int column)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  gint64 index = 0;
  SondeTensor *tensor = find_element (self, row_of (item), column, &index);
  g_autofree char *text = tensor != NULL ? sonde_tensor_format_element (tensor, index) : NULL;
  g_autofree char *shown = NULL, *visible = NULL;

  if (tensor != NULL && sonde_dtype_is_float (tensor->dtype))
    shown = format_float (self, tensor, index, text);
  visible = sonde_text_make_visible (shown != NULL ? shown : text != NULL ? text : "…");
  gtk_label_set_text (GTK_LABEL (label), visible);
  gtk_widget_set_tooltip_text (label, text);
  if (text != NULL && (g_str_equal (text, "nan") || g_str_has_suffix (text, "inf")))
    gtk_widget_add_css_class (label, "error");
  else
    gtk_widget_remove_css_class (label, "error");
  mark_cell (self, item, column);
}

static int
column_of (gpointer object)
{
  return GPOINTER_TO_INT (g_object_get_data (object, "column"));
}

static void
want_block (SondeTensorTable *self, gint64 block)
{
  gint64 n_rows = MIN (BLOCK_ROWS, n_down (self) - block % n_down (self));
  gint64 n_columns = MIN (SONDE_TENSOR_TABLE_COLUMNS, n_across (self) - self->first_column);

  if (self->tensor != NULL || g_hash_table_contains (self->blocks, key_of_block (block)))
    return;
  g_hash_table_insert (self->blocks, key_of_block (block), NULL);
  g_signal_emit (self, signals[WANTED], 0, block, n_rows, self->first_column, n_columns);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTensorTable *self)
{
  int column = column_of (factory);

  if (!self->has_shape || self->bound == NULL)
    return;
  g_hash_table_insert (self->bound, item, GINT_TO_POINTER (column));
  g_object_set_data (G_OBJECT (gtk_list_item_get_child (item)), "row",
                     GUINT_TO_POINTER (row_of (item)));
  if (column == ROW_NAMES)
    {
      show_row_name (self, item);
      return;
    }
  want_block (self, first_row_of_block (self, row_of (item)));
  show_element (self, item, column);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTensorTable *self)
{
  if (self->bound != NULL)
    g_hash_table_remove (self->bound, item);
}

void
sonde_tensor_table_take_block (SondeTensorTable *table, gint64 row, gint64 column,
                               SondeTensor *block)
{
  GHashTableIter iter;
  gpointer item, number;

  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  if (table->blocks == NULL || column != table->first_column
      || !g_hash_table_contains (table->blocks, key_of_block (row)))
    return;
  g_hash_table_insert (table->blocks, key_of_block (row), sonde_tensor_contiguous (block));
  g_hash_table_iter_init (&iter, table->bound);
  while (g_hash_table_iter_next (&iter, &item, &number))
    if (GPOINTER_TO_INT (number) != ROW_NAMES && first_row_of_block (table, row_of (item)) == row)
      show_element (table, item, GPOINTER_TO_INT (number));
}

void
sonde_tensor_table_say (SondeTensorTable *table, const char *sentence)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  if (table->range == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (table->range), sentence);
  gtk_widget_set_visible (table->bar, TRUE);
}

/* ---- editing ------------------------------------------------------------- */

/* "[0, 3, 17]"; "" of a scalar. (transfer full) */
static char *
index_text (SondeTensorTable *self, guint row, int column)
{
  return self->shape.rank == 0
             ? g_strdup ("")
             : sonde_shape_format_index (&self->shape, (gint64) row * n_across (self)
                                                           + self->first_column + column);
}

static void
on_edited (GtkEntry *entry, GtkPopover *popover)
{
  SondeTensorTable *self = g_object_get_data (G_OBJECT (popover), "table");
  const char *index = g_object_get_data (G_OBJECT (popover), "index");

  g_signal_emit (self, signals[EDIT], 0, index, gtk_editable_get_text (GTK_EDITABLE (entry)));
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
  g_timeout_add_full (G_PRIORITY_DEFAULT, SONDE_POPOVER_REST, unparent, g_object_ref (popover),
                      g_object_unref);
}

static void
on_cell_pressed (GtkGestureClick *gesture, int n_presses, double x, double y,
                 SondeTensorTable *self)
{
  GtkWidget *label = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)), *popover,
            *entry;
  const char *full = gtk_widget_get_tooltip_text (label);
  char *index;

  if (n_presses != 2 || !self->has_shape || !self->editable)
    return;
  index = index_text (self, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "row")),
                      column_of (label));
  popover = gtk_popover_new ();
  entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), full != NULL ? full : "");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("a number, nan, inf"));
  gtk_widget_set_tooltip_text (entry, index);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  *index != '\0' ? index : _ ("Value"), -1);
  gtk_popover_set_child (GTK_POPOVER (popover), entry);
  g_object_set_data (G_OBJECT (popover), "table", self);
  g_object_set_data_full (G_OBJECT (popover), "index", index, g_free);
  g_signal_connect (entry, "activate", G_CALLBACK (on_edited), popover);
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  gtk_widget_set_parent (popover, label);
  g_signal_connect_object (label, "destroy", G_CALLBACK (gtk_widget_unparent), popover,
                           G_CONNECT_SWAPPED);
  gtk_popover_popup (GTK_POPOVER (popover));
}

void
sonde_tensor_table_set_editable (SondeTensorTable *table, gboolean editable)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  table->editable = editable;
}

/* ---- columns ------------------------------------------------------------- */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTensorTable *self)
{
  GtkWidget *label = gtk_label_new (NULL);
  int column = column_of (factory);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
  if (column == ROW_NAMES)
    gtk_widget_add_css_class (label, "dim-label");
  else
    {
      GtkGesture *click = gtk_gesture_click_new ();

      g_object_set_data (G_OBJECT (label), "column", GINT_TO_POINTER (column));
      g_signal_connect (click, "pressed", G_CALLBACK (on_cell_pressed), self);
      gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (click));
    }
}

static void
add_column (SondeTensorTable *self, const char *title, int number)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_object_set_data (G_OBJECT (factory), "column", GINT_TO_POINTER (number));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  sonde_column_view_take (self->view, gtk_column_view_column_new (title, factory), TRUE);
}

static void
clear_cells (SondeTensorTable *self)
{
  gtk_column_view_set_model (self->view, NULL);
  sonde_column_view_clear (self->view);
  g_hash_table_remove_all (self->bound);
  g_hash_table_remove_all (self->blocks);
}

static void
show_range (SondeTensorTable *self, gint64 n, gint64 last)
{
  g_autofree char *range = n <= 0
                               ? g_strdup (_ ("No elements"))
                               : g_strdup_printf (_ ("Columns %" PRIi64 "–%" PRIi64 " of %" PRIi64),
                                                  self->first_column, last - 1, n_across (self));

  gtk_label_set_text (GTK_LABEL (self->range), range);
  gtk_widget_set_visible (self->bar, n <= 0 || n_across (self) > SONDE_TENSOR_TABLE_COLUMNS);
  gtk_widget_set_sensitive (self->previous, self->first_column > 0);
  gtk_widget_set_sensitive (self->next, last < n_across (self));
}

/* The columns from first_column on, and all rows. */
static void
fill (SondeTensorTable *self)
{
  gint64 n = sonde_shape_n_elements (&self->shape),
         last = MIN (self->first_column + SONDE_TENSOR_TABLE_COLUMNS, n_across (self));
  g_autoptr (GtkSelectionModel) selection = NULL;

  clear_cells (self);
  if (self->shape.rank > 1)
    add_column (self, "", ROW_NAMES);
  for (gint64 i = self->first_column; i < last; i++)
    {
      g_autofree char *title
          = self->shape.rank > 0 ? g_strdup_printf ("%" PRIi64, i) : g_strdup (_ ("Value"));

      add_column (self, title, (int) (i - self->first_column));
    }
  selection = GTK_SELECTION_MODEL (
      gtk_no_selection_new (sonde_row_numbers_new (n > 0 ? n / n_across (self) : 0)));
  gtk_column_view_set_model (self->view, selection);
  show_range (self, n, last);
}

static void
set_content (SondeTensorTable *self, const SondeShape *shape, SondeTensor *tensor,
             gboolean keep_column)
{
  g_clear_pointer (&self->tensor, sonde_tensor_unref);
  self->tensor = tensor != NULL ? sonde_tensor_contiguous (tensor) : NULL;
  self->has_shape = shape != NULL;
  self->marked = -1;
  if (shape == NULL)
    {
      clear_cells (self);
      gtk_widget_set_visible (self->bar, FALSE);
      return;
    }
  self->shape = *shape;
  if (!keep_column || self->first_column >= n_across (self))
    self->first_column = 0;
  fill (self);
}

void
sonde_tensor_table_set_tensor (SondeTensorTable *table, SondeTensor *tensor)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  set_content (table, tensor != NULL ? &tensor->shape : NULL, tensor, FALSE);
}

void
sonde_tensor_table_set_shape (SondeTensorTable *table, const SondeShape *shape,
                              gboolean keep_column)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  set_content (table, shape, NULL, keep_column);
}

void
sonde_tensor_table_set_format (SondeTensorTable *table, SondeTensorFormat format)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  table->format = format;
  if (table->has_shape)
    fill (table);
}

void
sonde_tensor_table_reveal (SondeTensorTable *table, gint64 element)
{
  g_return_if_fail (SONDE_IS_TENSOR_TABLE (table));
  if (!table->has_shape || element < 0 || element >= sonde_shape_n_elements (&table->shape))
    return;
  table->marked = element;
  table->first_column
      = element % n_across (table) / SONDE_TENSOR_TABLE_COLUMNS * SONDE_TENSOR_TABLE_COLUMNS;
  fill (table);
  gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (table->view)),
                              "list.scroll-to-item", "u", (guint) (element / n_across (table)));
}

static void
turn (SondeTensorTable *self, gint64 by)
{
  if (!self->has_shape)
    return;
  self->first_column = CLAMP (self->first_column + by, 0, MAX (n_across (self) - 1, 0));
  fill (self);
}

static void
on_previous (SondeTensorTable *self)
{
  turn (self, -SONDE_TENSOR_TABLE_COLUMNS);
}

static void
on_next (SondeTensorTable *self)
{
  turn (self, SONDE_TENSOR_TABLE_COLUMNS);
}

/* ---- class --------------------------------------------------------------- */

static void
unref_tensor (gpointer tensor)
{
  sonde_tensor_unref (tensor);
}

static void
sonde_tensor_table_dispose (GObject *object)
{
  SondeTensorTable *self = SONDE_TENSOR_TABLE (object);

  if (self->view != NULL)
    gtk_column_view_set_model (self->view, NULL);
  g_clear_pointer (&self->bound, g_hash_table_unref);
  g_clear_pointer (&self->blocks, g_hash_table_unref);
  g_clear_pointer (&self->tensor, sonde_tensor_unref);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_TENSOR_TABLE);
  G_OBJECT_CLASS (sonde_tensor_table_parent_class)->dispose (object);
}

static void
sonde_tensor_table_class_init (SondeTensorTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_tensor_table_dispose;
  signals[WANTED]
      = g_signal_new ("wanted", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                      G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64);
  signals[EDIT] = g_signal_new ("edit", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                2, G_TYPE_STRING, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeTensorTable, view);
  gtk_widget_class_bind_template_child (widget_class, SondeTensorTable, bar);
  gtk_widget_class_bind_template_child (widget_class, SondeTensorTable, range);
  gtk_widget_class_bind_template_child (widget_class, SondeTensorTable, previous);
  gtk_widget_class_bind_template_child (widget_class, SondeTensorTable, next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
}

static void
sonde_tensor_table_init (SondeTensorTable *self)
{
  self->blocks = g_hash_table_new_full (NULL, NULL, NULL, unref_tensor);
  self->bound = g_hash_table_new (NULL, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_column_view_clear (self->view);
}

GtkWidget *
sonde_tensor_table_new (void)
{
  return g_object_new (SONDE_TYPE_TENSOR_TABLE, NULL);
}
