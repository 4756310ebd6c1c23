/* SPDX-License-Identifier: Apache-2.0
 * Tables: rows are kept until their widths are known. */
#include "app/cli/sonde-cli-table.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "data/base/sonde-text.h"

#define GAP "  "

#define MIN_WIDTH 60
#define MAX_WIDTH 120
#define DEFAULT_WIDTH 80

struct _SondeTable
{
  guint n_columns;
  gboolean *right;
  GPtrArray *cells; /* element-type utf8: row after row, the heads first */
};

SondeTable *
sonde_table_new (const char *const *columns)
{
  SondeTable *table = g_new0 (SondeTable, 1);

  table->n_columns = g_strv_length ((char **) columns);
  table->right = g_new (gboolean, table->n_columns);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < table->n_columns; i++)
    {
      table->right[i] = columns[i][0] == '>';
      g_ptr_array_add (table->cells, g_strdup (_ (columns[i]) + 1));
    }
  return table;
}

void
sonde_table_free (SondeTable *table)
{
  if (table == NULL)
    return;
  g_ptr_array_unref (table->cells);
  g_free (table->right);
  g_free (table);
}

void
sonde_table_add (SondeTable *table, ...)
{
  va_list cells;
  const char *cell;
  guint n = 0;

  va_start (cells, table);
  while ((cell = va_arg (cells, const char *)) != NULL)
    {
      g_ptr_array_add (table->cells, sonde_cli_make_printable (cell));
      n++;
    }
  va_end (cells);
  g_assert (n == table->n_columns);
}

/* Columns of a terminal that a character takes, and a text. */
static guint
measure_character (gunichar c)
{
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

static guint
measure (const char *text)
{
  guint width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    width += measure_character (g_utf8_get_char (p));
  return width;
}

static void
print_cell (const SondeTable *table, const char *cell, guint column, guint width)
{
  int pad = (int) (width - measure (cell));
  gboolean last = column + 1 == table->n_columns;

  if (table->right[column])
    printf ("%*s%s", pad, "", cell);
  else
    printf ("%s%*s", cell, last ? 0 : pad, "");
  fputs (last ? "\n" : GAP, stdout);
}

void
sonde_table_print (SondeTable *table, int indent)
{
  g_autofree guint *widths = g_new0 (guint, table->n_columns);

  if (table->cells->len <= table->n_columns)
    return;
  for (guint i = 0; i < table->cells->len; i++)
    {
      guint *width = &widths[i % table->n_columns];

      *width = MAX (*width, measure (g_ptr_array_index (table->cells, i)));
    }
  for (guint i = 0; i < table->cells->len; i++)
    {
      guint column = i % table->n_columns;

      if (column == 0)
        printf ("%*s", indent, "");
      print_cell (table, g_ptr_array_index (table->cells, i), column, widths[column]);
    }
}

static char *
escape (const char *text, gunichar kept)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *result = g_string_new (NULL);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);
      GUnicodeType type = g_unichar_type (c);

      if ((type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT) && c != kept)
        g_string_append_printf (result, c < 256 ? "\\x%02x" : "\\u%04x", c);
      else
        g_string_append_unichar (result, c);
    }
  return g_string_free (result, FALSE);
}

char *
sonde_cli_make_printable (const char *text)
{
  return escape (text, 0);
}

char *
sonde_cli_make_printable_lines (const char *text)
{
  return escape (text, '\n');
}

/* ---- widths -------------------------------------------------------------- */

guint
sonde_cli_get_width (void)
{
  struct winsize size;

  if (!isatty (STDOUT_FILENO) || ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return DEFAULT_WIDTH;
  return CLAMP (size.ws_col, MIN_WIDTH, MAX_WIDTH);
}

char *
sonde_cli_shorten (const char *text, guint columns)
{
  g_autofree char *printable = sonde_cli_make_printable (text);
  const char *head = printable, *tail = printable + strlen (printable);
  guint width = 0, left = columns - 1;

  if (measure (printable) <= columns)
    return g_steal_pointer (&printable);
  for (guint w; width + (w = measure_character (g_utf8_get_char (head))) <= left / 2;
       head = g_utf8_next_char (head))
    width += w;
  while (tail > head)
    {
      const char *before = g_utf8_prev_char (tail);

      width += measure_character (g_utf8_get_char (before));
      if (width > left)
        break;
      tail = before;
    }
  return g_strdup_printf ("%.*s…%s", (int) (head - printable), printable, tail);
}

/* Whether a line may end before @c, which follows @before. */
static gboolean
may_break (gunichar before, gunichar c)
{
  return c == ' ' || (g_unichar_iswide (before) && g_unichar_iswide (c) && !g_unichar_ispunct (c));
}

/* How many bytes of @text, which has no space in front, fill a line of @columns. */
static gsize
fit_line (const char *text, guint columns)
{
  const char *p = text, *end = text;
  gunichar before = 0;
  guint width = 0;

  for (; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (before != 0 && may_break (before, c))
        end = p;
      width += measure_character (c);
      if (width > columns && end > text)
        return end - text;
      before = c;
    }
  return p - text;
}

void
sonde_cli_print_wrapped (const char *text, const char *first, const char *rest)
{
  g_autofree char *printable = sonde_cli_make_printable (text);
  const guint width = sonde_cli_get_width ();
  const char *p = printable, *indent = first;

  while (*p != '\0')
    {
      gsize n = fit_line (p, width - MIN (measure (indent), width / 2));

      printf ("%s%.*s\n", indent, (int) n, p);
      for (p += n; *p == ' '; p++)
        ;
      indent = rest;
    }
}

char *
sonde_cli_format_count (guint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" PRIu64, count);
  GString *result = g_string_new (NULL);
  gsize length = strlen (digits);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append_c (result, ',');
      g_string_append_c (result, digits[i]);
    }
  return g_string_free (result, FALSE);
}

void
sonde_cli_print (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
}
