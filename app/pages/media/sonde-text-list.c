/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-text-list.h"

#include "app/widgets/sonde-markdown.h"
#include "data/base/sonde-text.h"

#define MAX_CHARACTERS 20000 /* of a text; more takes GTK seconds to lay out */
#define MAX_ROWS 200
#define MAX_COLUMNS 40
#define MAX_CELL 500 /* characters */

/* At most @n characters of @text. (transfer full) */
static char *
cut (const char *text, glong n, gboolean *was_cut)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) MIN (strlen (text), (gsize) n * 6));

  *was_cut = g_utf8_strlen (valid, -1) > n || strlen (text) > (gsize) n * 6;
  return g_utf8_strlen (valid, -1) > n ? g_utf8_substring (valid, 0, n) : g_steal_pointer (&valid);
}

static void
on_copy (GtkWidget *button, char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (button), text);
}

static void
free_text (void *text, GClosure *closure)
{
  g_free (text);
}

static GtkWidget *
make_copy_button (const char *text)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("edit-copy-symbolic");

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_halign (button, GTK_ALIGN_END);
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, _ ("Copy the whole text"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Copy the whole text"), -1);
  g_signal_connect_data (button, "clicked", G_CALLBACK (on_copy), g_strdup (text), free_text, 0);
  return button;
}

static void
add_notice (GtkBox *box, const char *notice)
{
  GtkWidget *label = sonde_markdown_make_plain (notice);

  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (box, label);
}

/* A tensor of [rows] or [rows, columns]; of more dimensions the last is the columns. */
static GtkWidget *
make_table (const SondeTensor *cells, gboolean *was_cut)
{
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());
  const gint64 n = sonde_tensor_n_elements (cells);
  const gint64 n_columns = cells->shape.rank >= 2 ? cells->shape.dims[cells->shape.rank - 1] : 1;
  const gint64 n_rows = n_columns > 0 ? n / n_columns : 0;

  *was_cut = n_rows > MAX_ROWS || n_columns > MAX_COLUMNS;
  for (gint64 r = 0; r < MIN (n_rows, MAX_ROWS); r++)
    for (gint64 c = 0; c < MIN (n_columns, MAX_COLUMNS); c++)
      {
        const char *cell = ((char *const *) (const void *) cells->data)[r * n_columns + c];
        gboolean cell_cut;
        g_autofree char *text = cut (cell != NULL ? cell : "", MAX_CELL, &cell_cut);
        GtkWidget *label = sonde_markdown_make_plain (text);

        *was_cut |= cell_cut;
        gtk_label_set_max_width_chars (GTK_LABEL (label), 50);
        gtk_widget_add_css_class (label, "text-cell");
        gtk_grid_attach (grid, label, (int) c, (int) r, 1, 1);
      }
  gtk_grid_set_column_spacing (grid, 18);
  gtk_grid_set_row_spacing (grid, 6);
  gtk_accessible_update_property (GTK_ACCESSIBLE (grid), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Table"),
                                  -1);
  return GTK_WIDGET (grid);
}

const char *
sonde_text_list_get_text (const SondeRecord *record)
{
  const char *text
      = record->u.message != NULL ? sonde_message_get_text (record->u.message) : record->u.text;

  return text != NULL ? text : "";
}

static GtkWidget *
make_entry (const SondeRecord *record)
{
  GtkWidget *entry = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const char *text = sonde_text_list_get_text (record);
  gboolean was_cut = FALSE;

  if (record->u.cells != NULL && record->u.cells->dtype == SONDE_DTYPE_STRING)
    {
      GtkWidget *scrolled = gtk_scrolled_window_new ();

      gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled),
                                     make_table (record->u.cells, &was_cut));
      gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_AUTOMATIC,
                                      GTK_POLICY_NEVER);
      gtk_box_append (GTK_BOX (box), scrolled);
    }
  else
    {
      g_autofree char *shown = cut (text, MAX_CHARACTERS, &was_cut);

      gtk_box_append (GTK_BOX (box), sonde_markdown_make (shown, &was_cut));
    }
  if (was_cut)
    add_notice (GTK_BOX (box), _ ("This is only the beginning; the button copies the whole text."));
  gtk_widget_set_hexpand (box, TRUE);
  gtk_box_append (GTK_BOX (entry), box);
  gtk_box_append (GTK_BOX (entry), make_copy_button (text));
  return entry;
}

void
sonde_text_list_fill (GtkBox *box, GPtrArray *records)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind == SONDE_RECORD_TEXT)
        gtk_box_append (box, make_entry (record));
    }
}

/* ---- marks --------------------------------------------------------------- */

/* Seen on light and dark; the words keep their colour. */
#define MARK_RED 0xf6f6
#define MARK_GREEN 0xd3d3
#define MARK_BLUE 0x2d2d
#define MARK_ALPHA 0x7000

static gboolean
is_mark (PangoAttribute *attribute, void *unused)
{
  return attribute->klass->type == PANGO_ATTR_BACKGROUND
         || attribute->klass->type == PANGO_ATTR_BACKGROUND_ALPHA;
}

static void
insert_mark (PangoAttrList *list, int start, int end)
{
  PangoAttribute *made[] = { pango_attr_background_new (MARK_RED, MARK_GREEN, MARK_BLUE),
                             pango_attr_background_alpha_new (MARK_ALPHA) };

  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    {
      made[i]->start_index = (guint) start;
      made[i]->end_index = (guint) end;
      pango_attr_list_insert (list, made[i]);
    }
}

static void
mark_label (GtkLabel *label, GRegex *pattern)
{
  PangoAttrList *before = gtk_label_get_attributes (label);
  g_autoptr (PangoAttrList) list
      = before != NULL ? pango_attr_list_copy (before) : pango_attr_list_new ();
  g_autoptr (PangoAttrList) marks = pango_attr_list_filter (list, is_mark, NULL);
  g_autoptr (GMatchInfo) info = NULL;
  int start, end;

  if (pattern != NULL)
    g_regex_match (pattern, gtk_label_get_text (label), 0, &info);
  while (info != NULL && g_match_info_matches (info))
    {
      if (g_match_info_fetch_pos (info, 0, &start, &end) && end > start)
        insert_mark (list, start, end);
      g_match_info_next (info, NULL);
    }
  gtk_label_set_attributes (label, list);
}

static void
mark_labels (GtkWidget *widget, GRegex *pattern)
{
  if (GTK_IS_LABEL (widget))
    mark_label (GTK_LABEL (widget), pattern);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    mark_labels (child, pattern);
}

void
sonde_text_list_mark (GtkBox *box, GRegex *pattern)
{
  mark_labels (GTK_WIDGET (box), pattern);
}

/* ---- places -------------------------------------------------------------- */

static gboolean
get_area (GtkLabel *label, int index, GtkWidget *box, graphene_rect_t *area)
{
  graphene_point_t corner;
  PangoRectangle place;
  int x, y;

  pango_layout_index_to_pos (gtk_label_get_layout (label), index, &place);
  gtk_label_get_layout_offsets (label, &x, &y);
  x += PANGO_PIXELS (place.x);
  y += PANGO_PIXELS (place.y);
  if (!gtk_widget_compute_point (GTK_WIDGET (label), box,
                                 &GRAPHENE_POINT_INIT ((float) x, (float) y), &corner))
    return FALSE;
  *area = GRAPHENE_RECT_INIT (corner.x, corner.y, (float) PANGO_PIXELS (place.width),
                              (float) PANGO_PIXELS (place.height));
  return TRUE;
}

/* @left: places before the one that is sought. Returns: its byte in the label; −1: not there */
static int
find_in_label (GtkLabel *label, GRegex *pattern, guint *left)
{
  g_autoptr (GMatchInfo) info = NULL;
  int start, end;

  g_regex_match (pattern, gtk_label_get_text (label), 0, &info);
  for (; g_match_info_matches (info); g_match_info_next (info, NULL))
    if (g_match_info_fetch_pos (info, 0, &start, &end) && end > start && (*left)-- == 0)
      return start;
  return -1;
}

static gboolean
find_in_widget (GtkWidget *widget, GRegex *pattern, guint *left, GtkWidget *box,
                graphene_rect_t *area)
{
  int index = GTK_IS_LABEL (widget) ? find_in_label (GTK_LABEL (widget), pattern, left) : -1;

  if (index >= 0)
    return get_area (GTK_LABEL (widget), index, box, area);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (find_in_widget (child, pattern, left, box, area))
      return TRUE;
  return FALSE;
}

gboolean
sonde_text_list_find (GtkBox *box, GRegex *pattern, guint nth, graphene_rect_t *area)
{
  g_return_val_if_fail (GTK_IS_BOX (box) && pattern != NULL && area != NULL, FALSE);
  return find_in_widget (GTK_WIDGET (box), pattern, &nth, GTK_WIDGET (box), area);
}
