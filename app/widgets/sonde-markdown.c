/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_BLOCKS 300 /* what follows is one plain text */
#define MAX_DEPTH 8    /* of lists and quotations; what lies deeper is one plain text */
#define MAX_ROWS 200
#define MAX_COLUMNS 40
#define MAX_CELL_CHARACTERS 50 /* a line */

/* Stands for an asterisk between letters or digits while cmark reads: logs say 2*3*4, and mean it.
 * No text has this character, which Unicode keeps for such uses. */
#define ASTERISK "\xef\xb7\x90" /* U+FDD0 */

typedef struct
{
  guint n_blocks;
  gboolean *was_cut;
} Filling;

/* Returns: (nullable): the first child of @parent for which there was no room */
static cmark_node *add_blocks (GtkBox *box, cmark_node *parent, int depth, Filling *filling);

/* ---- labels -------------------------------------------------------------- */

static GtkWidget *
make_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  return label;
}

/* Line breaks stay, everything else that cannot be seen is made visible. */
static char *
make_lines_visible (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *line = sonde_text_make_visible (g_strchomp (lines[i]));

      g_free (lines[i]);
      lines[i] = line;
    }
  return g_strjoinv ("\n", lines);
}

GtkWidget *
sonde_markdown_make_plain (const char *text)
{
  GtkWidget *label = make_label ();
  g_autofree char *visible = make_lines_visible (text);

  gtk_label_set_text (GTK_LABEL (label), visible);
  return label;
}

/* ---- asterisks inside words ---------------------------------------------- */

static gboolean
is_word (char byte)
{
  return g_ascii_isalnum (byte) || (byte & 0x80) != 0;
}

static char *
hide_asterisks (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    if (*at == '*' && at > text && is_word (at[-1]) && is_word (at[1]))
      g_string_append (out, ASTERISK);
    else
      g_string_append_c (out, *at);
  return g_string_free (out, FALSE);
}

static char *
show_asterisks (const char *text)
{
  GString *out = g_string_new (text);

  g_string_replace (out, ASTERISK, "*", 0);
  return g_string_free (out, FALSE);
}

/* ---- within a paragraph -------------------------------------------------- */

static void
append_text (GString *plain, const char *text)
{
  g_autofree char *shown = show_asterisks (text != NULL ? text : "");
  g_autofree char *visible = sonde_text_make_visible (shown);

  g_string_append (plain, visible);
}

static PangoAttribute *
make_attribute (cmark_node_type type)
{
  if (type == CMARK_NODE_CODE)
    return pango_attr_family_new ("monospace");
  return type == CMARK_NODE_EMPH ? pango_attr_style_new (PANGO_STYLE_ITALIC)
                                 : pango_attr_weight_new (PANGO_WEIGHT_BOLD);
}

static void
add_attribute (PangoAttrList *attributes, cmark_node_type type, gsize start, gsize end)
{
  PangoAttribute *attribute = make_attribute (type);

  attribute->start_index = (guint) start;
  attribute->end_index = (guint) end;
  pango_attr_list_insert (attributes, attribute);
}

/* @starts: where the emphases that are open began */
static void
append_event (GString *plain, PangoAttrList *attributes, GArray *starts, cmark_event_type event,
              cmark_node *node)
{
  const cmark_node_type type = cmark_node_get_type (node);
  const gboolean enters = event == CMARK_EVENT_ENTER;
  const gsize at = plain->len;

  if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
    g_string_append_c (plain, '\n');
  else if (type == CMARK_NODE_TEXT || type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_CODE)
    append_text (plain, cmark_node_get_literal (node));
  else if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE)
    {
      g_string_append (plain, !enters ? "](" : type == CMARK_NODE_IMAGE ? "![" : "[");
      if (!enters)
        append_text (plain, cmark_node_get_url (node));
      if (!enters)
        g_string_append_c (plain, ')');
    }
  if (type == CMARK_NODE_CODE)
    add_attribute (attributes, type, at, plain->len);
  if (type != CMARK_NODE_EMPH && type != CMARK_NODE_STRONG)
    return;
  if (enters)
    g_array_append_val (starts, at);
  else
    {
      add_attribute (attributes, type, g_array_index (starts, gsize, starts->len - 1), at);
      g_array_set_size (starts, starts->len - 1);
    }
}

/* What stands inside @node, in one label; without recursion, however deep it is nested. */
static GtkWidget *
make_rich (cmark_node *node)
{
  GtkWidget *label = make_label ();
  GString *plain = g_string_new (NULL);
  PangoAttrList *attributes = pango_attr_list_new ();
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (gsize));
  cmark_iter *iter = cmark_iter_new (node);
  cmark_event_type event;

  while ((event = cmark_iter_next (iter)) != CMARK_EVENT_DONE)
    append_event (plain, attributes, starts, event, cmark_iter_get_node (iter));
  cmark_iter_free (iter);
  gtk_label_set_text (GTK_LABEL (label), plain->str);
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  g_string_free (plain, TRUE);
  return label;
}

/* ---- tables -------------------------------------------------------------- */

static float
get_alignment (cmark_node *table, int column)
{
  const guint8 *alignments = cmark_gfm_extensions_get_table_alignments (table);

  return alignments[column] == 'r' ? 1 : alignments[column] == 'c' ? 0.5f : 0;
}

static void
add_row (GtkGrid *grid, int row, cmark_node *table, cmark_node *line, gboolean *was_cut)
{
  int column = 0;

  for (cmark_node *cell = cmark_node_first_child (line); cell != NULL;
       cell = cmark_node_next (cell), column++)
    {
      GtkWidget *label;

      if (column == MAX_COLUMNS)
        {
          *was_cut = TRUE;
          return;
        }
      label = make_rich (cell);
      gtk_label_set_xalign (GTK_LABEL (label), get_alignment (table, column));
      gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_CELL_CHARACTERS);
      gtk_widget_add_css_class (label, "text-cell");
      if (row == 0)
        gtk_widget_add_css_class (label, "heading");
      gtk_grid_attach (grid, label, column, row == 0 ? 0 : row + 1, 1, 1);
    }
}

static GtkWidget *
make_table (cmark_node *table, gboolean *was_cut)
{
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  int n_columns = MIN (cmark_gfm_extensions_get_table_columns (table), MAX_COLUMNS), row = 0;

  for (cmark_node *line = cmark_node_first_child (table); line != NULL;
       line = cmark_node_next (line), row++)
    if (row <= MAX_ROWS)
      add_row (grid, row, table, line, was_cut);
    else
      *was_cut = TRUE;
  gtk_grid_attach (grid, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), 0, 1, MAX (n_columns, 1),
                   1);
  gtk_grid_set_column_spacing (grid, 18);
  gtk_grid_set_row_spacing (grid, 6);
  gtk_accessible_update_property (GTK_ACCESSIBLE (grid), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Table"),
                                  -1);
  gtk_widget_set_halign (GTK_WIDGET (grid), GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (grid));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  return scrolled;
}

/* ---- blocks -------------------------------------------------------------- */

static GtkWidget *
make_heading (cmark_node *node)
{
  static const char *const classes[] = { "title-3", "title-4", "heading" };
  const int level = cmark_node_get_heading_level (node);
  GtkWidget *label = make_rich (node);

  gtk_widget_add_css_class (label, classes[CLAMP (level, 1, (int) G_N_ELEMENTS (classes)) - 1]);
  return label;
}

/* Code and raw HTML as they were written. */
static GtkWidget *
make_verbatim (cmark_node *node)
{
  g_autofree char *text = show_asterisks (cmark_node_get_literal (node));
  GtkWidget *label = sonde_markdown_make_plain (g_strchomp (text));

  gtk_widget_add_css_class (label, "mono");
  return label;
}

/* An indented box with what @node holds; @sign: (nullable): what stands before it */
static GtkWidget *
make_nested (cmark_node *node, const char *sign, int depth, Filling *filling)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  gtk_widget_set_margin_start (row, 12);
  if (sign != NULL)
    {
      GtkWidget *label = make_label ();

      gtk_label_set_text (GTK_LABEL (label), sign);
      gtk_widget_set_valign (label, GTK_ALIGN_START);
      gtk_box_append (GTK_BOX (row), label);
    }
  gtk_widget_set_hexpand (box, TRUE);
  gtk_box_append (GTK_BOX (row), box);
  add_blocks (GTK_BOX (box), node, depth + 1, filling);
  return row;
}

static GtkWidget *
make_list (cmark_node *list, int depth, Filling *filling)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const gboolean ordered = cmark_node_get_list_type (list) == CMARK_ORDERED_LIST;
  int number = cmark_node_get_list_start (list);

  for (cmark_node *item = cmark_node_first_child (list);
       item != NULL && filling->n_blocks < MAX_BLOCKS; item = cmark_node_next (item), number++)
    {
      g_autofree char *sign = ordered ? g_strdup_printf ("%d.", number) : g_strdup ("•");

      gtk_box_append (GTK_BOX (box), make_nested (item, sign, depth, filling));
    }
  return box;
}

static GtkWidget *
make_block (cmark_node *node, int depth, Filling *filling)
{
  const cmark_node_type type = cmark_node_get_type (node);

  if (type == CMARK_NODE_HEADING)
    return make_heading (node);
  if (type == CMARK_NODE_CODE_BLOCK || type == CMARK_NODE_HTML_BLOCK)
    return make_verbatim (node);
  if (type == CMARK_NODE_THEMATIC_BREAK)
    return gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);
  if (g_str_equal (cmark_node_get_type_string (node), "table"))
    return make_table (node, filling->was_cut);
  if (type == CMARK_NODE_LIST && depth < MAX_DEPTH)
    return make_list (node, depth, filling);
  if (type == CMARK_NODE_BLOCK_QUOTE && depth < MAX_DEPTH)
    return make_nested (node, NULL, depth, filling);
  return make_rich (node);
}

static cmark_node *
add_blocks (GtkBox *box, cmark_node *parent, int depth, Filling *filling)
{
  cmark_node *node = cmark_node_first_child (parent);

  for (; node != NULL && filling->n_blocks < MAX_BLOCKS; node = cmark_node_next (node))
    {
      filling->n_blocks++;
      gtk_box_append (box, make_block (node, depth, filling));
    }
  return node;
}

/* The text from line @number on, counted from 1. */
static const char *
find_line (const char *text, int number)
{
  for (; number > 1 && strchr (text, '\n') != NULL; number--)
    text = strchr (text, '\n') + 1;
  return text;
}

/* (transfer full): the tree of @text; free with cmark_node_free() */
static cmark_node *
parse (const char *text)
{
  cmark_parser *parser;
  cmark_node *document;

  cmark_gfm_core_extensions_ensure_registered ();
  parser = cmark_parser_new (CMARK_OPT_DEFAULT);
  cmark_parser_attach_syntax_extension (parser, cmark_find_syntax_extension ("table"));
  cmark_parser_feed (parser, text, strlen (text));
  document = cmark_parser_finish (parser);
  cmark_parser_free (parser);
  return document;
}

GtkWidget *
sonde_markdown_make (const char *text, gboolean *was_cut)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  Filling filling = { .was_cut = was_cut };
  g_autofree char *hidden = hide_asterisks (text);
  cmark_node *document = parse (hidden);
  cmark_node *node = add_blocks (GTK_BOX (box), document, 0, &filling);

  if (node != NULL)
    gtk_box_append (GTK_BOX (box),
                    sonde_markdown_make_plain (find_line (text, cmark_node_get_start_line (node))));
  cmark_node_free (document);
  return box;
}
