/* SPDX-License-Identifier: Apache-2.0
 * The legend of a scalar view, and which curves are hidden in it: by a click, with Ctrl all others, and by keys. */
#include "viewers/sonde-scalar-view-private.h"

#include "data/base/sonde-text.h"

#define LARGE_HEIGHT 320 /* px from which on there is room for several lines */
#define MAX_MEASURED 64  /* names in a legend whose widths are kept */

/* ---- which are drawn ----------------------------------------------------- */

static int
compare_numbers (const void *a, const void *b)
{
  const SondeScalarItem *x = *(SondeScalarItem *const *) a, *y = *(SondeScalarItem *const *) b;

  return (x->number > y->number) - (x->number < y->number);
}

/* (transfer container): drawn and hidden ones, as they were added */
static GPtrArray *
list_all (SondeScalarView *view)
{
  GPtrArray *all = g_ptr_array_sized_new (view->items->len + view->hidden->len);

  for (guint i = 0; i < view->items->len; i++)
    g_ptr_array_add (all, view->items->pdata[i]);
  for (guint i = 0; i < view->hidden->len; i++)
    g_ptr_array_add (all, view->hidden->pdata[i]);
  if (view->hidden->len > 0)
    g_ptr_array_sort (all, compare_numbers);
  return all;
}

static gboolean
is_named (SondeScalarView *view, const SondeScalarItem *item)
{
  return view->hidden_titles != NULL && item->title != NULL
         && g_strv_contains ((const char *const *) view->hidden_titles, item->title);
}

/* The bounds of a band have the colour of its curve, and go with it. */
static gboolean
is_bound_hidden (SondeScalarView *view, const GPtrArray *all, const SondeScalarItem *bound)
{
  gboolean hidden = FALSE;

  for (guint i = 0; i < all->len; i++)
    {
      const SondeScalarItem *item = all->pdata[i];

      if (item->is_bound || item->color_index != bound->color_index)
        continue;
      if (!is_named (view, item))
        return FALSE;
      hidden = TRUE;
    }
  return hidden;
}

void
sonde_scalar_view_sort_hidden (SondeScalarView *view)
{
  g_autoptr (GPtrArray) all = NULL;

  if (!view->sorts_hidden)
    return;
  view->sorts_hidden = FALSE;
  all = list_all (view);
  g_ptr_array_set_free_func (view->items, NULL);
  g_ptr_array_set_free_func (view->hidden, NULL);
  g_ptr_array_set_size (view->items, 0);
  g_ptr_array_set_size (view->hidden, 0);
  for (guint i = 0; i < all->len; i++)
    {
      SondeScalarItem *item = all->pdata[i];
      gboolean hidden = item->is_bound ? is_bound_hidden (view, all, item) : is_named (view, item);

      if (hidden)
        sonde_scalar_item_forget (item);
      g_ptr_array_add (hidden ? view->hidden : view->items, item);
    }
  g_ptr_array_set_free_func (view->items, (GDestroyNotify) sonde_scalar_item_free);
  g_ptr_array_set_free_func (view->hidden, (GDestroyNotify) sonde_scalar_item_free);
}

void
sonde_scalar_view_set_hidden (SondeScalarView *view, const char *const *titles)
{
  static const char *const none[] = { NULL };
  const char *const *old;

  g_return_if_fail (view != NULL);
  old = view->hidden_titles != NULL ? (const char *const *) view->hidden_titles : none;
  if (g_strv_equal (old, titles != NULL ? titles : none))
    return;
  g_strfreev (view->hidden_titles);
  view->hidden_titles = g_strdupv ((char **) titles);
  view->sorts_hidden = TRUE;
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* ---- entries ------------------------------------------------------------- */

/* (transfer full): one an item that has a line; @n: (out): how many */
static SondeLegendEntry *
make_legend (SondeScalarView *view, guint *n)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));
  g_autoptr (GPtrArray) all = list_all (view);
  SondeLegendEntry *entries = g_new0 (SondeLegendEntry, all->len + 1);

  *n = 0;
  for (guint i = 0; i < all->len; i++)
    {
      SondeScalarItem *item = all->pdata[i];

      if (item->is_bound)
        continue;
      /* of thousands only the first ones have room */
      if (i < MAX_MEASURED && item->title != NULL && item->title_width == 0)
        item->title_width = sonde_legend_measure_label (item->title);
      entries[*n].label_width = item->title_width;
      entries[*n].label = item->title != NULL ? item->title : "";
      entries[*n].is_hidden = view->hidden_titles != NULL && is_named (view, item);
      entries[*n].has_focus = view->legend_focus == (int) *n;
      entries[(*n)++].stroke = sonde_theme_series (theme, item->color_index);
    }
  return entries;
}

static double
get_room (int width)
{
  return width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT;
}

void
sonde_scalar_view_update_legend (SondeScalarView *view, int width, int height)
{
  g_autofree SondeLegendEntry *entries = NULL;
  gboolean wants_all = sonde_view_wants_legend (SONDE_VIEW (view));
  gsize n_shown;
  guint n;

  view->legend_lines = 0;
  view->legend_height = 0;
  if (view->items->len + view->hidden->len < 2 || get_room (width) < 100
      || (height < LARGE_HEIGHT && !view->has_legend && !wants_all))
    return;
  entries = make_legend (view, &n);
  view->legend_lines = wants_all               ? (guint) MAX (height / 40, 1)
                       : height < LARGE_HEIGHT ? 1
                                               : (guint) CLAMP (height / 120, 2, 6);
  view->legend_height
      = sonde_legend_measure (entries, n, get_room (width), view->legend_lines, &n_shown);
  view->legend_total = n;
  if (n_shown == n)
    view->legend_first = 0;
  view->legend_first = MIN (view->legend_first, n > 0 ? n - 1 : 0);
  view->legend_shown
      = sonde_legend_count (entries, n, view->legend_first, get_room (width), view->legend_lines);
  if (!wants_all && height < LARGE_HEIGHT && n_shown < n)
    view->legend_height = 0;
}

void
sonde_scalar_view_paint_legend (SondeScalarView *view, cairo_t *cr, int width)
{
  guint n;
  g_autofree SondeLegendEntry *entries = make_legend (view, &n);
  guint first = sonde_view_wants_legend (SONDE_VIEW (view)) ? 0 : view->legend_first;

  sonde_paint_legend_from (cr, sonde_view_get_theme (SONDE_VIEW (view)), entries, n, first,
                           SONDE_AXIS_LEFT, 0, get_room (width), view->legend_lines);
}

/* ---- hiding -------------------------------------------------------------- */

static void
tell (SondeScalarView *view, GPtrArray *titles)
{
  g_ptr_array_add (titles, NULL);
  sonde_scalar_view_set_hidden (view, titles->len > 1 ? (const char *const *) titles->pdata : NULL);
  g_signal_emit_by_name (view, "hidden-changed", view->hidden_titles);
}

static void
toggle (SondeScalarView *view, const char *title)
{
  g_autoptr (GPtrArray) titles = g_ptr_array_new_with_free_func (g_free);
  gboolean was_hidden = FALSE;

  for (guint i = 0; view->hidden_titles != NULL && view->hidden_titles[i] != NULL; i++)
    if (g_str_equal (view->hidden_titles[i], title))
      was_hidden = TRUE;
    else
      g_ptr_array_add (titles, g_strdup (view->hidden_titles[i]));
  if (!was_hidden)
    g_ptr_array_add (titles, g_strdup (title));
  tell (view, titles);
}

/* All others are hidden; when they are already, all are shown again. */
static void
leave_alone (SondeScalarView *view, const char *title)
{
  guint n;
  g_autofree SondeLegendEntry *entries = make_legend (view, &n);
  g_autoptr (GPtrArray) titles = g_ptr_array_new_with_free_func (g_free);
  gboolean is_alone = TRUE;

  for (guint i = 0; i < n; i++)
    {
      gboolean is_it = g_str_equal (entries[i].label, title);

      is_alone = is_alone && entries[i].is_hidden != is_it;
      if (!is_it)
        g_ptr_array_add (titles, g_strdup (entries[i].label));
    }
  if (is_alone)
    g_ptr_array_set_size (titles, 0);
  tell (view, titles);
}

static void
hide (SondeScalarView *view, guint entry, gboolean alone)
{
  guint n;
  g_autofree SondeLegendEntry *entries = make_legend (view, &n);
  g_autofree char *title = entry < n ? g_strdup (entries[entry].label) : NULL;

  if (title == NULL)
    return;
  if (alone)
    leave_alone (view, title);
  else
    toggle (view, title);
}

void
sonde_scalar_view_describe_hidden (SondeScalarView *view, GString *text)
{
  g_autofree char *titles
      = view->hidden_titles != NULL ? g_strjoinv (", ", view->hidden_titles) : NULL;

  if (titles == NULL)
    return;
  g_string_append_c (text, ' ');
  g_string_append_printf (text, _ ("Hidden: %s."), titles);
}

/* ---- hands --------------------------------------------------------------- */

gboolean
sonde_scalar_view_click_legend (SondeScalarView *view, double x, double y, gboolean alone)
{
  int width = sonde_view_get_width (SONDE_VIEW (view));
  guint n, entry;
  g_autofree SondeLegendEntry *entries = NULL;

  if (view->legend_height <= 0 || y >= view->legend_height)
    return FALSE;
  entries = make_legend (view, &n);
  if (sonde_legend_find (entries, n, view->legend_first, get_room (width), view->legend_lines,
                         x - SONDE_AXIS_LEFT, y, &entry))
    hide (view, entry, alone);
  return TRUE;
}

gboolean
sonde_scalar_view_takes_wheel (SondeView *base, double x, double y)
{
  SondeScalarView *view = (SondeScalarView *) base;

  return y < view->legend_height && view->legend_shown < view->legend_total;
}

void
sonde_scalar_view_scroll_legend (SondeScalarView *view, int entries)
{
  int last = (int) view->legend_total - 1;

  view->legend_first = (guint) CLAMP ((int) view->legend_first + entries, 0, MAX (last, 0));
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_scalar_view_move_in_legend (SondeScalarView *view, int count)
{
  int last = (int) view->legend_total - 1;

  if (view->legend_focus < 0)
    return FALSE;
  if (count == G_MININT || count == G_MAXINT)
    view->legend_focus = count == G_MININT ? 0 : last;
  else
    view->legend_focus = CLAMP (view->legend_focus + count, 0, last);
  if (view->legend_focus < (int) view->legend_first
      || view->legend_focus >= (int) (view->legend_first + view->legend_shown))
    view->legend_first = (guint) view->legend_focus;
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

gboolean
sonde_scalar_view_leave_legend (SondeScalarView *view)
{
  if (view->legend_focus < 0)
    return FALSE;
  view->legend_focus = -1;
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

static gboolean
on_legend_key (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeScalarView *view = (SondeScalarView *) widget;

  if (sonde_scalar_view_leave_legend (view))
    return TRUE;
  if (view->legend_height <= 0)
    return FALSE;
  view->legend_focus = (int) view->legend_first;
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

static gboolean
on_hide_key (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeScalarView *view = (SondeScalarView *) widget;

  if (view->legend_focus < 0)
    return FALSE;
  hide (view, (guint) view->legend_focus, g_variant_get_boolean (arguments));
  return TRUE;
}

void
sonde_scalar_view_add_legend_keys (GtkWidgetClass *widget_class)
{
  gtk_widget_class_add_binding (widget_class, GDK_KEY_l, 0, on_legend_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_space, 0, on_hide_key, "b", FALSE);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_space, GDK_CONTROL_MASK, on_hide_key, "b",
                                TRUE);
}
