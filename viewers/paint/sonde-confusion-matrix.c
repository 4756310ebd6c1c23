/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-confusion-matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
sonde_confusion_get (const SondeConfusionMatrix *confusion, guint truth, guint predicted)
{
  guint count = confusion->cells->counts[(gsize) truth * confusion->n + predicted];

  if (!confusion->share)
    return count;
  return confusion->cells->row_totals[truth] > 0
             ? (double) count / confusion->cells->row_totals[truth]
             : 0;
}

typedef struct
{
  guint class, errors;
} Place;

static int
compare_places (const void *a, const void *b)
{
  const Place *x = a, *y = b;

  if (x->errors != y->errors)
    return x->errors < y->errors ? 1 : -1;
  return x->class < y->class ? -1 : x->class > y->class;
}

void
sonde_confusion_update (SondeConfusionMatrix *confusion, gboolean by_errors)
{
  guint n = confusion->n;
  g_autofree Place *places = g_new0 (Place, MAX (n, 1));

  for (guint r = 0; r < n; r++)
    for (guint c = 0; c < n; c++)
      {
        guint count = confusion->cells->counts[(gsize) r * n + c];

        if (r != c)
          {
            places[r].errors += count;
            places[c].errors += count;
          }
      }
  for (guint r = 0; r < n; r++)
    places[r].class = r;
  if (by_errors)
    qsort (places, n, sizeof *places, compare_places);
  confusion->largest = 0;
  for (guint r = 0; r < n; r++)
    {
      confusion->order[r] = places[r].class;
      for (guint c = 0; c < n; c++)
        if (r != c)
          confusion->largest = fmax (confusion->largest, sonde_confusion_get (confusion, r, c));
    }
}

void
sonde_confusion_clear (SondeConfusionMatrix *confusion)
{
  g_strfreev (confusion->names);
  sonde_confusion_free (confusion->cells);
  g_free (confusion->order);
  *confusion = (SondeConfusionMatrix){ 0 };
}

/* Names may hold what separates: tabs become blanks, commas are quoted. */
static void
append_name (GString *text, const char *name, char separator)
{
  gboolean quote = separator == ',' && strpbrk (name, ",\"\n") != NULL;

  if (quote)
    g_string_append_c (text, '"');
  for (const char *p = name; *p != '\0'; p++)
    {
      if (quote && *p == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *p == '\t' || *p == '\n' ? ' ' : *p);
    }
  if (quote)
    g_string_append_c (text, '"');
}

char *
sonde_confusion_dup_table (const SondeConfusionMatrix *confusion, char separator)
{
  GString *text = g_string_new ("true");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint c = 0; c < confusion->n; c++)
    {
      g_string_append_c (text, separator);
      append_name (text, confusion->names[confusion->order[c]], separator);
    }
  for (guint r = 0; r < confusion->n; r++)
    {
      g_string_append_c (text, '\n');
      append_name (text, confusion->names[confusion->order[r]], separator);
      for (guint c = 0; c < confusion->n; c++)
        g_string_append_printf (
            text, "%c%s", separator,
            g_ascii_formatd (
                number, sizeof number, confusion->share ? "%.9g" : "%.0f",
                sonde_confusion_get (confusion, confusion->order[r], confusion->order[c])));
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}
