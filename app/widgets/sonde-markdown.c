/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-markdown.h"

#include <string.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text.h"

#define MAX_BLOCKS 300 /* what follows is one plain text */
#define MAX_ROWS 200
#define MAX_COLUMNS 40
#define MAX_CELL_CHARACTERS 50 /* a line */

/* ---- within a line ------------------------------------------------------- */

enum
{
  CODE,
  BOLD,
  BOLD_TOO,
  ITALIC,
  N_SIGNS
};
static const char *const signs[N_SIGNS] = { "`", "**", "__", "*" };

static PangoAttribute *
make_attribute (gsize kind)
{
  if (kind == CODE)
    return pango_attr_family_new ("monospace");
  return kind == ITALIC ? pango_attr_style_new (PANGO_STYLE_ITALIC)
                        : pango_attr_weight_new (PANGO_WEIGHT_BOLD);
}

static gboolean
is_word (char byte)
{
  return g_ascii_isalnum (byte) || byte == '_' || (byte & 0x80) != 0;
}

/* The sign that opens at @at, and where it is closed: not inside words ("a_b_c", "2*3*4"), not
 * around spaces. */
static gboolean
find_span (const char *text, const char *at, gsize *kind, const char **end)
{
  for (*kind = 0; *kind < N_SIGNS; (*kind)++)
    {
      const char *sign = signs[*kind], *from = at + strlen (sign);
      const gsize n = strlen (sign);

      if (!g_str_has_prefix (at, sign))
        continue;
      if ((at > text && is_word (at[-1])) || g_ascii_isspace (*from) || *from == '\0'
          || *from == *sign)
        return FALSE;
      for (*end = strstr (from, sign); *end != NULL; *end = strstr (*end + 1, sign))
        if (!g_ascii_isspace ((*end)[-1]) && !is_word ((*end)[n]) && (*end)[n] != *sign)
          return TRUE;
      return FALSE;
    }
  return FALSE;
}

/* Two inside each other are enough: bold code. Nothing inside code is a sign. */
static void
append_inline (GString *plain, PangoAttrList *attributes, const char *text, int depth)
{
  for (const char *at = text; *at != '\0';)
    {
      const char *end;
      gsize kind;

      if (depth < 2 && find_span (text, at, &kind, &end))
        {
          const gsize n = strlen (signs[kind]);
          g_autofree char *inner = g_strndup (at + n, (gsize) (end - at) - n);
          PangoAttribute *attribute = make_attribute (kind);

          attribute->start_index = (guint) plain->len;
          append_inline (plain, attributes, inner, kind == CODE ? 2 : depth + 1);
          attribute->end_index = (guint) plain->len;
          pango_attr_list_insert (attributes, attribute);
          at = end + n;
        }
      else
        g_string_append_c (plain, *at++);
    }
}

char *
sonde_markdown_parse_inline (const char *text, PangoAttrList **attributes)
{
  GString *plain = g_string_new (NULL);

  *attributes = pango_attr_list_new ();
  append_inline (plain, *attributes, text, 0);
  return g_string_free (plain, FALSE);
}

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

static GtkWidget *
make_rich (const char *text)
{
  GtkWidget *label = make_label ();
  g_autofree char *visible = make_lines_visible (text), *plain = NULL;
  PangoAttrList *attributes;

  plain = sonde_markdown_parse_inline (visible, &attributes);
  gtk_label_set_text (GTK_LABEL (label), plain);
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  return label;
}

/* ---- tables -------------------------------------------------------------- */

/* "| a | b\| |": its cells, without the bars at the ends. (transfer full) */
static char **
split_cells (const char *line)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new ();
  GString *cell = g_string_new (NULL);
  g_autofree char *trimmed = g_strstrip (g_strdup (line));
  const char *at = trimmed + (*trimmed == '|');

  for (; *at != '\0'; at++)
    if (at[0] == '\\' && at[1] == '|')
      g_string_append_c (cell, *++at);
    else if (*at == '|')
      {
        g_ptr_array_add (cells, g_strstrip (g_string_free (cell, FALSE)));
        cell = g_string_new (NULL);
      }
    else
      g_string_append_c (cell, *at);
  if (cell->len > 0 || cells->len == 0)
    g_ptr_array_add (cells, g_strstrip (g_string_free (cell, FALSE)));
  else
    g_string_free (cell, TRUE);
  g_ptr_array_add (cells, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&cells), FALSE);
}

/* "|---|:--:|" under a line with a bar. */
static gboolean
begins_table (const char *line, const char *next)
{
  return next != NULL && strchr (line, '|') != NULL && strchr (next, '-') != NULL
         && strchr (next, '|') != NULL && next[strspn (next, " \t\r|:-")] == '\0';
}

static double
find_alignment (const char *mark)
{
  const gsize n = strlen (mark);

  if (n == 0 || mark[n - 1] != ':')
    return 0;
  return mark[0] == ':' ? 0.5 : 1;
}

static void
add_row (GtkGrid *grid, int row, const char *line, char **marks, gboolean *was_cut)
{
  g_auto (GStrv) cells = split_cells (line);
  const guint n = g_strv_length (marks);

  for (guint c = 0; cells[c] != NULL && c < n; c++)
    {
      GtkWidget *label;

      if (c == MAX_COLUMNS)
        {
          *was_cut = TRUE;
          return;
        }
      label = make_rich (cells[c]);
      gtk_label_set_xalign (GTK_LABEL (label), (float) find_alignment (marks[c]));
      gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_CELL_CHARACTERS);
      gtk_widget_add_css_class (label, "text-cell");
      if (row == 0)
        gtk_widget_add_css_class (label, "heading");
      gtk_grid_attach (grid, label, (int) c, row == 0 ? 0 : row + 1, 1, 1);
    }
}

/* Returns how many lines it has. */
static guint
add_table (GtkBox *box, char **lines, gboolean *was_cut)
{
  GtkGrid *grid = GTK_GRID (gtk_grid_new ());
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  g_auto (GStrv) marks = split_cells (lines[1]);
  guint n = 2;

  add_row (grid, 0, lines[0], marks, was_cut);
  gtk_grid_attach (grid, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), 0, 1,
                   (int) MIN (g_strv_length (marks), MAX_COLUMNS), 1);
  for (; lines[n] != NULL && strchr (lines[n], '|') != NULL; n++)
    if (n < MAX_ROWS + 2)
      add_row (grid, (int) n - 1, lines[n], marks, was_cut);
    else
      *was_cut = TRUE;
  gtk_grid_set_column_spacing (grid, 18);
  gtk_grid_set_row_spacing (grid, 6);
  gtk_accessible_update_property (GTK_ACCESSIBLE (grid), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Table"),
                                  -1);
  gtk_widget_set_halign (GTK_WIDGET (grid), GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (grid));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_box_append (box, scrolled);
  return n;
}

/* ---- blocks -------------------------------------------------------------- */

/* "## Title": 2; 0 when it is none. */
static guint
count_heading (const char *line)
{
  const gsize n = strspn (line, "#");

  return n <= 6 && line[n] == ' ' ? (guint) n : 0;
}

static guint
add_heading (GtkBox *box, const char *line)
{
  static const char *const classes[] = { "title-3", "title-4", "heading" };
  const guint level = count_heading (line);
  GtkWidget *label = make_rich (line + level + 1);

  gtk_widget_add_css_class (label, classes[MIN (level, G_N_ELEMENTS (classes)) - 1]);
  gtk_box_append (box, label);
  return 1;
}

/* From the fence to the next one, or to the end. */
static guint
add_code (GtkBox *box, char **lines)
{
  GString *text = g_string_new (NULL);
  GtkWidget *label;
  guint n = 1;

  for (; lines[n] != NULL && !g_str_has_prefix (lines[n], "```"); n++)
    g_string_append_printf (text, "%s%s", n > 1 ? "\n" : "", lines[n]);
  label = sonde_markdown_make_plain (text->str);
  g_string_free (text, TRUE);
  gtk_widget_add_css_class (label, "mono");
  gtk_box_append (box, label);
  return lines[n] != NULL ? n + 1 : n;
}

static guint
add_paragraph (GtkBox *box, char **lines)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  do
    g_string_append_printf (text, "%s%s", n > 0 ? "\n" : "", lines[n]);
  while (lines[++n] != NULL && count_heading (lines[n]) == 0 && !g_str_has_prefix (lines[n], "```")
         && !begins_table (lines[n], lines[n + 1]));
  gtk_box_append (box, make_rich (g_strchomp (text->str)));
  g_string_free (text, TRUE);
  return n;
}

GtkWidget *
sonde_markdown_make (const char *text, gboolean *was_cut)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0, n = 0; lines[i] != NULL; n++)
    if (n == MAX_BLOCKS)
      {
        g_autofree char *rest = g_strjoinv ("\n", &lines[i]);

        gtk_box_append (GTK_BOX (box), sonde_markdown_make_plain (rest));
        break;
      }
    else if (count_heading (lines[i]) > 0)
      i += add_heading (GTK_BOX (box), lines[i]);
    else if (g_str_has_prefix (lines[i], "```"))
      i += add_code (GTK_BOX (box), &lines[i]);
    else if (begins_table (lines[i], lines[i + 1]))
      i += add_table (GTK_BOX (box), &lines[i], was_cut);
    else if (*g_strchomp (lines[i]) == '\0')
      i++;
    else
      i += add_paragraph (GTK_BOX (box), &lines[i]);
  return box;
}
