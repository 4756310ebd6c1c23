/* SPDX-License-Identifier: Apache-2.0
 * What colour says: kinds of words, or numbers on a scale. */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <math.h>
#include <string.h>

void
sonde_scatter_view_clear_colors (SondeScatterView *view)
{
  g_clear_pointer (&view->kinds, g_free);
  g_clear_pointer (&view->numbers, g_free);
  g_ptr_array_set_size (view->names, 0);
}

static gboolean
parse_number (const char *text, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && *g_strchug (end) == '\0';
}

static int
compare_names (const void *a, const void *b)
{
  const char *first = *(const char *const *) a, *second = *(const char *const *) b;
  const double x = g_ascii_strtod (first, NULL), y = g_ascii_strtod (second, NULL);

  return x != y ? (x > y) - (x < y) : strcmp (first, second);
}

/* Sorted, so that the same label has the same colour at every step. */
static void
sort_names (SondeScatterView *view)
{
  g_autoptr (GPtrArray) before = g_ptr_array_copy (view->names, NULL, NULL);
  int place[SONDE_SCATTER_MAX_KINDS] = { 0 };
  guint at;

  g_ptr_array_set_free_func (before, NULL);
  g_ptr_array_sort (view->names, compare_names);
  for (guint k = 0; k < before->len; k++)
    if (g_ptr_array_find (view->names, before->pdata[k], &at))
      place[k] = (int) at;
  for (gsize i = 0; i < view->n; i++)
    if (view->kinds[i] >= 0)
      view->kinds[i] = place[view->kinds[i]];
}

/* FALSE when there are more kinds than a legend can say. */
static gboolean
make_kinds (SondeScatterView *view, gint64 column)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  view->kinds = g_new (int, view->n);
  for (gsize i = 0; i < view->n; i++)
    {
      const char *label = sonde_scatter_view_get_label (view, i, column);
      int kind = GPOINTER_TO_INT (g_hash_table_lookup (seen, label)) - 1;

      if (kind < 0 && *label != '\0')
        {
          if (view->names->len == SONDE_SCATTER_MAX_KINDS)
            return FALSE;
          kind = (int) view->names->len;
          g_ptr_array_add (view->names, g_strdup (label));
          g_hash_table_insert (seen, (char *) label, GINT_TO_POINTER (kind + 1));
        }
      view->kinds[i] = kind;
    }
  sort_names (view);
  return view->names->len > 0;
}

static gboolean
make_numbers (SondeScatterView *view, gint64 column)
{
  view->numbers = g_new (double, view->n);
  view->color_low = INFINITY;
  view->color_high = -INFINITY;
  for (gsize i = 0; i < view->n; i++)
    {
      const char *label = sonde_scatter_view_get_label (view, i, column);
      double value = NAN;

      if (*label != '\0')
        {
          g_autofree char *copy = g_strdup (label);

          if (!parse_number (copy, &value))
            return FALSE;
        }
      view->numbers[i] = value;
      if (isfinite (value))
        {
          view->color_low = fmin (view->color_low, value);
          view->color_high = fmax (view->color_high, value);
        }
    }
  return view->color_low < view->color_high;
}

void
sonde_scatter_view_set_color_column (SondeScatterView *view, int column)
{
  g_return_if_fail (view != NULL);
  sonde_scatter_view_clear_colors (view);
  view->color_column = column;
  sonde_view_invalidate (SONDE_VIEW (view));
  if (column < 0 || view->labels == NULL || column >= view->n_columns || make_kinds (view, column))
    return;
  sonde_scatter_view_clear_colors (view);
  if (!make_numbers (view, column))
    sonde_scatter_view_clear_colors (view);
}
