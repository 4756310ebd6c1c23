/* SPDX-License-Identifier: Apache-2.0
 * Headers and fields of CSV files that are runs. */
#include "data/records/csv/sonde-csv-columns-private.h"

#include <math.h>
#include <string.h>

#define MAX_NAME_BYTES 1024
#define MAX_COLUMNS 65536
#define MAX_SECONDS 9.2e9 /* more nanoseconds than 64 bits hold */

/* Best first: of several that a header has, one is the step and the others are values. Lower
 * case. */
static const char *const step_names[] = {
  "step",  "global_step", "global step", "globalstep", "trainer/global_step",
  "_step", "steps",       "iteration",   "iter",       "iterations",
  "batch", "epoch",       "epochs",
};

static const char *const wall_names[]
    = { "wall_time", "wall time", "walltime", "timestamp", "_timestamp" };
static const char *const maybe_wall_names[] = { "time", "date", "datetime", "created_at" };
static const char *const missing[] = { "na", "n/a", "null", "none", "-", "?" };

static gboolean
is_one_of (const char *text, const char *const *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (list[i], text))
      return TRUE;
  return FALSE;
}

static SondeCsvField
trimmed (const SondeCsvField *field)
{
  SondeCsvField inner = *field;

  while (inner.length > 0 && (*inner.text == ' ' || *inner.text == '\t'))
    inner.text++, inner.length--;
  while (inner.length > 0
         && (inner.text[inner.length - 1] == ' ' || inner.text[inner.length - 1] == '\t'))
    inner.length--;
  return inner;
}

/* A NUL ends the name where it stands. */
static char *
dup_name (const SondeCsvField *field)
{
  SondeCsvField inner = trimmed (field);

  return g_strndup (inner.text, MIN (inner.length, MAX_NAME_BYTES));
}

/* ---- header -------------------------------------------------------------- */

static int
find_best (char **lower, guint n, const char *const *list, gsize n_list)
{
  for (gsize k = 0; k < n_list; k++)
    for (guint i = 0; i < n; i++)
      if (g_str_equal (lower[i], list[k]))
        return (int) i;
  return -1;
}

static int
find_name (char **lower, guint n, const char *name)
{
  return find_best (lower, n, &name, 1);
}

static void
understand (SondeCsvColumns *columns)
{
  g_auto (GStrv) lower = g_new0 (char *, columns->n + 1);

  for (guint i = 0; i < columns->n; i++)
    lower[i] = g_ascii_strdown (columns->names[i], -1);
  columns->step = find_best (lower, columns->n, step_names, G_N_ELEMENTS (step_names));
  columns->wall = find_best (lower, columns->n, wall_names, G_N_ELEMENTS (wall_names));
  columns->wall_is_sure = columns->wall >= 0;
  if (columns->wall < 0)
    columns->wall
        = find_best (lower, columns->n, maybe_wall_names, G_N_ELEMENTS (maybe_wall_names));
  columns->tag = find_name (lower, columns->n, "tag");
  columns->value = find_name (lower, columns->n, "value");
  columns->run = find_name (lower, columns->n, "run");
  if (columns->tag < 0 || columns->value < 0)
    columns->tag = columns->value = columns->run = -1;
}

gboolean
sonde_csv_columns_parse (GArray *fields, SondeCsvColumns *columns)
{
  SondeCsvColumns found = { .n = fields->len };
  gboolean right;
  double number;

  if (fields->len < 2 || fields->len > MAX_COLUMNS)
    return FALSE;
  /* names are no numbers: most rows end here */
  for (guint i = 0; i < fields->len; i++)
    if (sonde_csv_field_value (&g_array_index (fields, SondeCsvField, i), ',', &number)
        == SONDE_CSV_NUMBER)
      return FALSE;
  found.names = g_new0 (char *, found.n + 1);
  for (guint i = 0; i < found.n; i++)
    found.names[i] = dup_name (&g_array_index (fields, SondeCsvField, i));
  understand (&found);
  right = found.step >= 0;
  if (right && columns != NULL)
    *columns = found;
  else
    sonde_csv_columns_clear (&found);
  return right;
}

void
sonde_csv_columns_clear (SondeCsvColumns *columns)
{
  g_clear_pointer (&columns->names, g_strfreev);
  columns->n = 0;
}

char
sonde_csv_guess_separator (const char *line, gsize length)
{
  static const char separators[] = { ',', ';', '\t' };
  gsize counts[G_N_ELEMENTS (separators)] = { 0 }, best = 0;
  gboolean quoted = FALSE;

  for (gsize i = 0; i < length && (quoted || (line[i] != '\n' && line[i] != '\r')); i++)
    if (line[i] == '"')
      quoted = !quoted;
    else
      for (gsize k = 0; !quoted && k < G_N_ELEMENTS (separators); k++)
        counts[k] += line[i] == separators[k];
  for (gsize k = 1; k < G_N_ELEMENTS (separators); k++)
    if (counts[k] > counts[best])
      best = k;
  return counts[best] > 0 ? separators[best] : '\0';
}

/* ---- fields -------------------------------------------------------------- */

/* One comma and no point: the comma is the point. */
static void
swap_comma (char *text)
{
  char *comma = strchr (text, ',');

  if (comma != NULL && strchr (comma + 1, ',') == NULL && strchr (text, '.') == NULL)
    *comma = '.';
}

SondeCsvKind
sonde_csv_field_value (const SondeCsvField *field, char separator, double *number)
{
  SondeCsvField inner = trimmed (field);
  char text[64], *end;

  if (inner.length == 0)
    return SONDE_CSV_EMPTY;
  /* C's hexadecimal numbers are nobody's here */
  if (memchr (inner.text, 'x', inner.length) != NULL
      || memchr (inner.text, 'X', inner.length) != NULL)
    return SONDE_CSV_TEXT;
  if (sonde_csv_field_number (&inner, number))
    return SONDE_CSV_NUMBER;
  if (inner.length >= sizeof text || memchr (inner.text, '\0', inner.length) != NULL)
    return SONDE_CSV_TEXT;
  memcpy (text, inner.text, inner.length);
  text[inner.length] = '\0';
  if (separator != ',')
    swap_comma (text);
  *number = g_ascii_strtod (text, &end);
  if (*end == '\0')
    return SONDE_CSV_NUMBER;
  for (char *p = text; *p != '\0'; p++)
    *p = g_ascii_tolower (*p);
  return is_one_of (text, missing, G_N_ELEMENTS (missing)) ? SONDE_CSV_EMPTY : SONDE_CSV_TEXT;
}

gboolean
sonde_csv_field_step (const SondeCsvField *field, char separator, gint64 *step)
{
  SondeCsvField inner = trimmed (field);
  char text[32];
  double number;

  /* whole numbers exactly: a double has 53 bits of them */
  if (inner.length > 0 && inner.length < sizeof text
      && memchr (inner.text, '\0', inner.length) == NULL)
    {
      memcpy (text, inner.text, inner.length);
      text[inner.length] = '\0';
      if (g_ascii_string_to_signed (text[0] == '+' ? text + 1 : text, 10, G_MININT64, G_MAXINT64,
                                    step, NULL))
        return TRUE;
    }
  if (sonde_csv_field_value (field, separator, &number) != SONDE_CSV_NUMBER
      || !(fabs (number) < 9.2e18))
    return FALSE;
  *step = (gint64) number;
  return TRUE;
}

gboolean
sonde_csv_field_time (const SondeCsvField *field, char separator, gint64 *wall_time_ns)
{
  SondeCsvField inner = trimmed (field);
  g_autoptr (GDateTime) time = NULL;
  g_autoptr (GTimeZone) utc = NULL;
  g_autofree char *text = NULL;
  double number;

  if (sonde_csv_field_value (field, separator, &number) == SONDE_CSV_NUMBER)
    {
      if (number >= 1e11 && number < 1e14) /* milliseconds */
        number /= 1000;
      if (!(number >= 1e8 && number < MAX_SECONDS))
        return FALSE;
      *wall_time_ns = (gint64) floor (number) * 1000000000
                      + (gint64) llround ((number - floor (number)) * 1e9);
      return TRUE;
    }
  if (inner.length < 10 || inner.length > 40)
    return FALSE;
  text = g_strndup (inner.text, inner.length);
  utc = g_time_zone_new_utc ();
  if (text[10] == ' ')
    text[10] = 'T';
  time = g_date_time_new_from_iso8601 (text, utc);
  if (time == NULL || ABS (g_date_time_to_unix (time)) >= (gint64) MAX_SECONDS)
    return FALSE;
  *wall_time_ns = g_date_time_to_unix (time) * 1000000000
                  + (gint64) g_date_time_get_microsecond (time) * 1000;
  return TRUE;
}
