/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-scatter-view.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-scatter.h"
#include "viewers/paint/sonde-text-paint.h"

#define NEAR 12.0    /* px to a point */
#define WORLD 1000.0 /* units of the larger side, whatever the numbers are */
#define MAX_LINES 8  /* of a tool-tip */
#define BOTTOM 26    /* px for the titles of the axes */

struct _SondeScatterView
{
  SondeView parent_instance;
  double *xy;    /* [n, 2] as given; owned */
  double *world; /* [n, 2] in units, y downwards */
  gsize n;
  SondeTensor *labels; /* (nullable) */
  gint64 n_columns;
  char **columns;
  char *x_title, *y_title;
  int color_column;
  int *kinds;       /* (nullable) */
  GPtrArray *names; /* of kinds */
  double *numbers;  /* (nullable) */
  double low, high;
  SondeViewport bounds;
};

G_DEFINE_FINAL_TYPE (SondeScatterView, sonde_scatter_view, SONDE_TYPE_VIEW)

static const char *
get_label (SondeScatterView *view, gsize i, gint64 column)
{
  const char *text
      = ((char *const *) (const void *) view->labels->data)[(gint64) i * view->n_columns + column];

  return text != NULL ? text : "";
}

/* ---- image ------------------------------------------------------------- */

static void
sonde_scatter_view_prepare (SondeView *base, int width, int height)
{
  sonde_view_set_bounds (base, &SONDE_SCATTER_VIEW (base)->bounds);
}

static void
sonde_scatter_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  *area = (SondeViewRect){ 0, 0, width, MAX (height - BOTTOM, 1) };
}

/* (transfer full): [n, 2] px for an image of that size */
static double *
place_points (SondeScatterView *view, const SondeViewRect *area, int width, int height)
{
  double *px = g_new (double, 2 * MAX (view->n, 1));
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  for (gsize i = 0; i < view->n; i++)
    {
      px[2 * i] = area->x + (view->world[2 * i] - v.x0) / (v.x1 - v.x0) * area->width;
      px[2 * i + 1] = area->y + (view->world[2 * i + 1] - v.y0) / (v.y1 - v.y0) * area->height;
    }
  return px;
}

static SondeScatter
describe_drawing (SondeScatterView *view, const double *px)
{
  return (SondeScatter){ .xy = px,
                         .n_points = view->n,
                         .kinds = view->kinds,
                         .n_kinds = (int) view->names->len,
                         .names = (const char *const *) view->names->pdata,
                         .numbers = view->numbers,
                         .low = view->low,
                         .high = view->high };
}

static void
sonde_scatter_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  const SondeTheme *theme = sonde_view_get_theme (base);
  g_autofree double *px = NULL;
  SondeViewRect area;
  SondeScatter scatter;

  sonde_scatter_view_area (base, width, height, &area);
  px = place_points (view, &area, width, height);
  scatter = describe_drawing (view, px);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  sonde_paint_scatter (cr, theme, &scatter);
  cairo_restore (cr);
  sonde_paint_scatter_legend (cr, theme, &scatter, width - 12, 12);
  sonde_paint_set_color (cr, &theme->dim);
  if (view->n == 0)
    sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                      _ ("No points"));
  if (view->x_title != NULL)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, width - 12, height - 12,
                      width / 2.0 - 18, view->x_title);
  if (view->y_title != NULL)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, 12, height - 12, width / 2.0 - 18,
                      view->y_title);
}

/* ---- under the pointer --------------------------------------------------- */

static gboolean
sonde_scatter_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  double nearest = NEAR;

  for (gsize i = 0; i < view->n; i++)
    {
      double px, py;

      sonde_view_world_to_view (base, view->world[2 * i], view->world[2 * i + 1], &px, &py);
      if (!(hypot (px - x, py - y) < nearest))
        continue;
      nearest = hypot (px - x, py - y);
      pick->id = (gint64) i;
      pick->area = (SondeViewRect){ px - 4, py - 4, 8, 8 };
    }
  return nearest < NEAR;
}

static void
sonde_scatter_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  gint64 hovered = sonde_view_get_hovered (base);
  double x, y;

  if (hovered < 0 || (gsize) hovered >= view->n)
    return;
  sonde_view_world_to_view (base, view->world[2 * hovered], view->world[2 * hovered + 1], &x, &y);
  sonde_paint_scatter_ring (cr, sonde_view_get_theme (base), x, y);
}

static char *
sonde_scatter_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  GString *text = g_string_new (NULL);
  g_autofree char *x = NULL, *y = NULL;
  gsize i = (gsize) pick->id;

  if (i >= view->n)
    return g_string_free (text, TRUE);
  g_string_append_printf (text, _ ("point %zu"), i);
  for (gint64 c = 0; view->labels != NULL && c < MIN (view->n_columns, MAX_LINES); c++)
    {
      g_autofree char *label = sonde_text_make_visible (get_label (view, i, c));
      g_autofree char *name
          = sonde_text_make_visible (view->columns != NULL ? view->columns[c] : "label");

      g_string_append_printf (text, "\n%s: %s", name, label);
    }
  x = sonde_format_number (view->xy[2 * i]);
  y = sonde_format_number (view->xy[2 * i + 1]);
  g_string_append_printf (text, _ ("\nat (%s, %s)"), x, y);
  return g_string_free (text, FALSE);
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_scatter_view_describe (SondeView *base)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  const char *title = sonde_view_get_title (base);
  g_autofree char *count = sonde_format_count ((gint64) view->n);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s: %s points"), title != NULL ? title : _ ("Points"), count);
  if (view->x_title != NULL && view->y_title != NULL)
    g_string_append_printf (text, _ (", %s and %s"), view->x_title, view->y_title);
  if (view->kinds != NULL && view->columns != NULL)
    g_string_append_printf (text, _ (", coloured by %s"), view->columns[view->color_column]);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

static void
append_cell (GString *text, const char *cell)
{
  for (const char *c = cell; *c != '\0'; c++)
    g_string_append_c (text, *c == '\t' || *c == '\n' || *c == ',' ? ' ' : *c);
}

static char *
sonde_scatter_view_dup_table (SondeView *base, char separator)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  GString *text = g_string_new (NULL);
  gint64 n_columns = view->labels != NULL ? view->n_columns : 0;

  g_string_append_printf (text, "point%cx%cy", separator, separator);
  for (gint64 c = 0; c < n_columns; c++)
    {
      g_string_append_c (text, separator);
      append_cell (text, view->columns != NULL ? view->columns[c] : "label");
    }
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < view->n; i++)
    {
      g_string_append_printf (text, "%zu%c%.17g%c%.17g", i, separator, view->xy[2 * i], separator,
                              view->xy[2 * i + 1]);
      for (gint64 c = 0; c < n_columns; c++)
        {
          g_string_append_c (text, separator);
          append_cell (text, get_label (view, i, c));
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* ---- colours ------------------------------------------------------------- */

static void
clear_colors (SondeScatterView *view)
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
      const char *label = get_label (view, i, column);
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
  view->low = INFINITY;
  view->high = -INFINITY;
  for (gsize i = 0; i < view->n; i++)
    {
      const char *label = get_label (view, i, column);
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
          view->low = fmin (view->low, value);
          view->high = fmax (view->high, value);
        }
    }
  return view->low < view->high;
}

void
sonde_scatter_view_set_color_column (SondeScatterView *view, int column)
{
  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view));
  clear_colors (view);
  view->color_column = column;
  sonde_view_invalidate (SONDE_VIEW (view));
  if (column < 0 || view->labels == NULL || column >= view->n_columns || make_kinds (view, column))
    return;
  clear_colors (view);
  if (!make_numbers (view, column))
    clear_colors (view);
}

/* ---- data ---------------------------------------------------------------- */

static void
clear_points (SondeScatterView *view)
{
  clear_colors (view);
  g_clear_pointer (&view->xy, g_free);
  g_clear_pointer (&view->world, g_free);
  g_clear_pointer (&view->labels, sonde_tensor_unref);
  g_clear_pointer (&view->columns, g_strfreev);
  g_clear_pointer (&view->x_title, g_free);
  g_clear_pointer (&view->y_title, g_free);
  view->n = 0;
  view->n_columns = 0;
}

static void
scale_points (SondeScatterView *view)
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, range,
         air = WORLD * 0.04;

  for (gsize i = 0; i < 2 * view->n; i++)
    if (isfinite (view->xy[i]))
      {
        low[i % 2] = fmin (low[i % 2], view->xy[i]);
        high[i % 2] = fmax (high[i % 2], view->xy[i]);
      }
  for (int k = 0; k < 2; k++)
    if (!(low[k] <= high[k]))
      low[k] = high[k] = 0;
  range = fmax (high[0] - low[0], high[1] - low[1]);
  if (!(range > 0) || !isfinite (range))
    range = 1;
  view->world = g_new (double, 2 * MAX (view->n, 1));
  for (gsize i = 0; i < view->n; i++)
    {
      view->world[2 * i] = (view->xy[2 * i] - low[0]) / range * WORLD;
      view->world[2 * i + 1] = (high[1] - view->xy[2 * i + 1]) / range * WORLD;
    }
  view->bounds = (SondeViewport){ -air, -air, (high[0] - low[0]) / range * WORLD + air,
                                  (high[1] - low[1]) / range * WORLD + air };
}

static gboolean
fits (const SondeTensor *labels, gsize n, const char *const *columns)
{
  gint64 n_columns;

  if (labels == NULL || labels->dtype != SONDE_DTYPE_STRING || labels->shape.rank < 1
      || labels->shape.rank > 2 || labels->shape.dims[0] != (gint64) n
      || !sonde_tensor_is_contiguous (labels))
    return FALSE;
  n_columns = labels->shape.rank == 2 ? labels->shape.dims[1] : 1;
  return n_columns > 0
         && (columns == NULL || (gint64) g_strv_length ((char **) columns) == n_columns);
}

void
sonde_scatter_view_set_points (SondeScatterView *view, double *xy, gsize n, SondeTensor *labels,
                               const char *const *columns, const char *x_title, const char *y_title)
{
  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view));
  clear_points (view);
  view->xy = xy;
  view->n = xy != NULL ? n : 0;
  view->x_title = g_strdup (x_title);
  view->y_title = g_strdup (y_title);
  if (fits (labels, n, columns))
    {
      view->labels = sonde_tensor_ref (labels);
      view->n_columns = labels->shape.rank == 2 ? labels->shape.dims[1] : 1;
      view->columns = g_strdupv ((char **) columns);
    }
  scale_points (view);
  sonde_scatter_view_set_color_column (view, view->color_column);
}

static void
sonde_scatter_view_finalize (GObject *object)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (object);

  clear_points (view);
  g_ptr_array_unref (view->names);
  G_OBJECT_CLASS (sonde_scatter_view_parent_class)->finalize (object);
}

static void
sonde_scatter_view_class_init (SondeScatterViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_scatter_view_finalize;
  view_class->prepare = sonde_scatter_view_prepare;
  view_class->paint = sonde_scatter_view_paint;
  view_class->paint_overlay = sonde_scatter_view_paint_overlay;
  view_class->area = sonde_scatter_view_area;
  view_class->pick = sonde_scatter_view_pick;
  view_class->dup_tooltip = sonde_scatter_view_dup_tooltip;
  view_class->describe = sonde_scatter_view_describe;
  view_class->dup_table = sonde_scatter_view_dup_table;
}

static void
sonde_scatter_view_init (SondeScatterView *view)
{
  view->names = g_ptr_array_new_with_free_func (g_free);
  view->color_column = -1;
  view->bounds = (SondeViewport){ 0, 0, WORLD, WORLD };
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_scale_limits (SONDE_VIEW (view), 0.02, 200, 10);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 200);
}

GtkWidget *
sonde_scatter_view_new (void)
{
  return g_object_new (SONDE_TYPE_SCATTER_VIEW, NULL);
}
