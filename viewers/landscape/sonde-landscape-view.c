/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/landscape/sonde-landscape-view.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/landscape/sonde-path-names.h"
#include "viewers/landscape/sonde-surface-hold.h"

#define DEGREES_PER_KEY 10.0
#define NEAR 9.0 /* px to a point of the path */

struct _SondeLandscapeView
{
  SondeView parent_instance;
  double *x, *y, *z; /* owned; NULL without a surface */
  gsize n_x, n_y;
  double *path_x, *path_y, *path_z; /* owned; @path_z may be NULL */
  gsize n_path;
  char **labels; /* (nullable): of the path's points */
  double end[3];
  char *end_label;
  SondeContourScale scale;
  double limits[2]; /* equal: none */
  char *x_title, *y_title;
  gboolean solid; /* shown in space, as @hold has it */
  SondeSurfaceHold hold;
};

G_DEFINE_FINAL_TYPE (SondeLandscapeView, sonde_landscape_view, SONDE_TYPE_VIEW)

static guint turned_signal;

/* The point of the path that is selected; -1: none is. */
static gssize
get_chosen (SondeLandscapeView *view)
{
  gint64 selected = sonde_view_get_selection (SONDE_VIEW (view));

  return selected > 0 && selected <= (gint64) view->n_path ? (gssize) selected - 1 : -1;
}

static SondeContour
describe_drawing (SondeLandscapeView *view, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  return (SondeContour){
    .x = view->x,
    .y = view->y,
    .z = view->z,
    .n_x = view->n_x,
    .n_y = view->n_y,
    .path_x = view->path_x,
    .path_y = view->path_y,
    .n_path = view->n_path,
    .path_labels = (const char *const *) view->labels,
    .chosen = get_chosen (view),
    .end_x = view->end[0],
    .end_y = view->end[1],
    .end_label = view->end_label,
    .scale = view->scale,
    .level_low = view->limits[0],
    .level_high = view->limits[1],
    .x_low = v.x0,
    .x_high = v.x1,
    .y_low = v.y1,
    .y_high = v.y0,
    .x_title = view->x_title,
    .y_title = view->y_title,
    .z_title = _ ("loss"),
    .message = view->z == NULL ? _ ("No landscape") : NULL,
  };
}

/* Its loss has as many digits as the other heights of the map, with which it is compared. */
static void
name_end (SondeLandscapeView *view, int width, int height)
{
  SondeContour drawing = describe_drawing (view, width, height);
  const char *name = view->labels != NULL ? view->labels[view->n_path - 1] : NULL;
  g_autofree char *loss = NULL;
  SondeContourLevels levels;

  if (isfinite (view->end[2]) && view->z != NULL && sonde_contour_find_levels (&drawing, &levels))
    loss = sonde_contour_format (&levels, view->end[2]);
  g_free (view->end_label);
  view->end_label = sonde_path_name_end (name, loss);
}

static void
sonde_landscape_view_prepare (SondeView *base, int width, int height)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  SondeViewport bounds = { 0, 1, 1, 0 };

  name_end (view, width, height);
  if (view->z != NULL)
    bounds
        = (SondeViewport){ view->x[0], view->y[view->n_y - 1], view->x[view->n_x - 1], view->y[0] };
  sonde_view_set_bounds (base, &bounds);
}

static void
sonde_landscape_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  SondeContour drawing = describe_drawing (view, width, height);

  if (view->solid)
    sonde_paint_surface (cr, sonde_view_get_theme (base), &drawing, &view->hold.camera, width,
                         height);
  else
    sonde_paint_contour (cr, sonde_view_get_theme (base), &drawing, width, height);
}

static void
sonde_landscape_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  if (SONDE_LANDSCAPE_VIEW (base)->solid)
    *area = (SondeViewRect){ 0, 0, width, height };
  else
    sonde_contour_get_area (width, height, area);
}

/* ---- under the pointer --------------------------------------------------- */

/* The point of the path at a place of the widget; -1 when none is near. */
static gssize
path_point_at (SondeLandscapeView *view, double x, double y)
{
  gssize best = -1;
  double nearest = NEAR;

  for (gsize i = 0; i < view->n_path; i++)
    {
      double px, py;

      sonde_view_world_to_view (SONDE_VIEW (view), view->path_x[i], view->path_y[i], &px, &py);
      if (hypot (px - x, py - y) < nearest)
        {
          nearest = hypot (px - x, py - y);
          best = (gssize) i;
        }
    }
  return best;
}

static gboolean
find_solid (SondeLandscapeView *view, double x, double y, gint64 *id, double *at_x, double *at_y)
{
  int width = sonde_view_get_width (SONDE_VIEW (view)),
      height = sonde_view_get_height (SONDE_VIEW (view));
  SondeContour drawing = describe_drawing (view, width, height);

  return view->z != NULL
         && sonde_surface_hold_find (&view->hold, &drawing, width, height, x, y, id, at_x, at_y);
}

/* Everywhere on the surface: 0; a point of the path: its number plus one. */
static gboolean
sonde_landscape_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  SondeViewRect area;
  double at_x, at_y;

  if (view->solid)
    {
      pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
      return find_solid (view, x, y, &pick->id, &at_x, &at_y);
    }
  sonde_view_get_area (base, sonde_view_get_width (base), sonde_view_get_height (base), &area);
  if (view->z == NULL || x < area.x || y < area.y || x > area.x + area.width
      || y > area.y + area.height)
    return FALSE;
  pick->id = path_point_at (view, x, y) + 1;
  pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
  return TRUE;
}

/* What is known of a point of the path. (transfer full) */
static char *
dup_point (SondeLandscapeView *view, gint64 point)
{
  g_autofree char *x = sonde_format_number (view->path_x[point]),
                  *y = sonde_format_number (view->path_y[point]),
                  *z = sonde_format_number (view->path_z != NULL ? view->path_z[point] : NAN);
  g_autofree char *text
      = g_strdup_printf (_ ("point %" PRIi64 " of %zu of the path\nat (%s, %s), loss %s"),
                         point + 1, view->n_path, x, y, z);

  return view->labels != NULL ? g_strdup_printf ("%s\n%s", view->labels[point], text)
                              : g_steal_pointer (&text);
}

static char *
sonde_landscape_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  SondeContour drawing
      = { .x = view->x, .y = view->y, .z = view->z, .n_x = view->n_x, .n_y = view->n_y };
  gint64 point = pick->id - 1;
  double wx, wy, height;
  g_autofree char *x = NULL, *y = NULL, *z = NULL;

  if (view->z == NULL)
    return NULL;
  if (point >= 0 && point < (gint64) view->n_path)
    return dup_point (view, point);
  if (!view->solid)
    sonde_view_view_to_world (base, pick->area.x + 2, pick->area.y + 2, &wx, &wy);
  else if (!find_solid (view, pick->area.x + 2, pick->area.y + 2, &point, &wx, &wy))
    return NULL;
  height = sonde_contour_value_at (&drawing, wx, wy);
  x = sonde_format_number (wx);
  y = sonde_format_number (wy);
  z = sonde_format_number (height);
  return isnan (height) ? g_strdup_printf (_ ("(%s, %s): unknown"), x, y)
                        : g_strdup_printf (_ ("(%s, %s): loss %s"), x, y, z);
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_landscape_view_describe (SondeView *base)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  SondeContour drawing
      = { .x = view->x, .y = view->y, .z = view->z, .n_x = view->n_x, .n_y = view->n_y };
  SondeContourLevels levels;
  const char *title = sonde_view_get_title (base);
  gssize chosen = get_chosen (view);
  g_autofree char *low = NULL, *high = NULL, *point = NULL, *all = NULL;

  if (view->z == NULL || !sonde_contour_find_levels (&drawing, &levels))
    return g_strdup_printf (_ ("%s: no landscape."), title != NULL ? title : _ ("Landscape"));
  low = sonde_contour_format (&levels, levels.least);
  high = sonde_contour_format (&levels, levels.largest);
  all = g_strdup_printf (_ ("%s: loss from %s to %s on %zu × %zu points, a path of %zu points."),
                         title != NULL ? title : _ ("Landscape"), low, high, view->n_x, view->n_y,
                         view->n_path);
  point = chosen >= 0 ? dup_point (view, chosen) : NULL;
  return point != NULL ? g_strdup_printf ("%s\n%s", all, point) : g_steal_pointer (&all);
}

static char *
sonde_landscape_view_dup_table (SondeView *base, char separator)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "x%cy%closs\n", separator, separator);
  for (gsize i = 0; i < view->n_y; i++)
    for (gsize k = 0; k < view->n_x; k++)
      g_string_append_printf (text, "%.17g%c%.17g%c%.17g\n", view->x[k], separator, view->y[i],
                              separator, view->z[i * view->n_x + k]);
  return g_string_free (text, FALSE);
}

/* ---- data ---------------------------------------------------------------- */

/* @tensor as doubles; NULL when it has not @rank dimensions or is text. */
static double *
to_doubles (SondeTensor *tensor, int rank)
{
  gint64 n;
  double *values;

  if (tensor == NULL || tensor->shape.rank != rank || tensor->dtype == SONDE_DTYPE_STRING)
    return NULL;
  n = sonde_tensor_n_elements (tensor);
  values = g_new (double, (gsize) n);
  for (gint64 i = 0; i < n; i++)
    values[i] = sonde_tensor_get_double (tensor, i);
  return values;
}

static gboolean
rises (const double *axis, gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (!(axis[i] > axis[i - 1]))
      return FALSE;
  return n >= 2 && isfinite (axis[0]) && isfinite (axis[n - 1]);
}

static void
clear_surface (SondeLandscapeView *view)
{
  g_clear_pointer (&view->x, g_free);
  g_clear_pointer (&view->y, g_free);
  g_clear_pointer (&view->z, g_free);
  g_clear_pointer (&view->x_title, g_free);
  g_clear_pointer (&view->y_title, g_free);
  view->n_x = view->n_y = 0;
}

gboolean
sonde_landscape_view_set_surface (SondeLandscapeView *view, SondeTensor *x, SondeTensor *y,
                                  SondeTensor *z, const char *x_title, const char *y_title)
{
  g_return_val_if_fail (SONDE_IS_LANDSCAPE_VIEW (view), FALSE);
  clear_surface (view);
  sonde_view_invalidate (SONDE_VIEW (view));
  view->x = to_doubles (x, 1);
  view->y = to_doubles (y, 1);
  view->z = to_doubles (z, 2);
  if (view->x != NULL && view->y != NULL && view->z != NULL && z->shape.dims[0] == y->shape.dims[0]
      && z->shape.dims[1] == x->shape.dims[0] && rises (view->x, (gsize) x->shape.dims[0])
      && rises (view->y, (gsize) y->shape.dims[0]))
    {
      view->n_x = (gsize) x->shape.dims[0];
      view->n_y = (gsize) y->shape.dims[0];
      view->x_title = g_strdup (x_title);
      view->y_title = g_strdup (y_title);
      return TRUE;
    }
  clear_surface (view);
  return FALSE;
}

static void
clear_path (SondeLandscapeView *view)
{
  g_clear_pointer (&view->path_x, g_free);
  g_clear_pointer (&view->path_y, g_free);
  g_clear_pointer (&view->path_z, g_free);
  g_clear_pointer (&view->labels, g_strfreev);
  g_clear_pointer (&view->end_label, g_free);
  view->n_path = 0;
  view->end[0] = view->end[1] = view->end[2] = NAN;
}

/* @tensor as doubles when it is a column of the path. */
static double *
to_column (SondeTensor *tensor, gsize n)
{
  return tensor != NULL && tensor->shape.rank == 1 && (gsize) tensor->shape.dims[0] == n
             ? to_doubles (tensor, 1)
             : NULL;
}

void
sonde_landscape_view_set_path (SondeLandscapeView *view, const SondeLandscapePath *path)
{
  g_autofree double *steps = NULL;

  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  clear_path (view);
  view->path_x = to_doubles (path->x, 1);
  view->path_y = to_doubles (path->y, 1);
  if (view->path_x != NULL && view->path_y != NULL && path->x->shape.dims[0] > 0
      && path->x->shape.dims[0] == path->y->shape.dims[0])
    {
      view->n_path = (gsize) path->x->shape.dims[0];
      view->path_z = to_column (path->z, view->n_path);
      steps = to_column (path->steps, view->n_path);
      view->labels = sonde_path_names_new (steps, view->n_path, path->unit);
    }
  else
    clear_path (view);
  memcpy (view->end, path->end, sizeof view->end);
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_landscape_view_set_scale (SondeLandscapeView *view, SondeContourScale scale)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  view->scale = scale;
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_landscape_view_get_range (SondeLandscapeView *view, double *low, double *high)
{
  SondeContour drawing = describe_drawing (view, 1, 1);
  SondeContourLevels levels;

  drawing.level_low = drawing.level_high = 0;
  if (view->z == NULL || !sonde_contour_find_levels (&drawing, &levels))
    return FALSE;
  *low = levels.low;
  *high = levels.high;
  return TRUE;
}

void
sonde_landscape_view_set_limits (SondeLandscapeView *view, double low, double high)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  if (view->limits[0] == low && view->limits[1] == high)
    return;
  view->limits[0] = low;
  view->limits[1] = high;
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_landscape_view_has_axes_of (SondeLandscapeView *view, SondeLandscapeView *other)
{
  return view->z != NULL && other->z != NULL && view->x[0] == other->x[0]
         && view->y[0] == other->y[0] && view->x[view->n_x - 1] == other->x[other->n_x - 1]
         && view->y[view->n_y - 1] == other->y[other->n_y - 1];
}

gboolean
sonde_landscape_view_is_logarithmic (SondeLandscapeView *view)
{
  SondeContour drawing = describe_drawing (view, 1, 1);
  SondeContourLevels levels;

  return view->z != NULL && sonde_contour_find_levels (&drawing, &levels) && levels.logarithmic;
}

/* ---- hands --------------------------------------------------------------- */

/* Along the path; from nothing to its end, where the training stands. */
static gboolean
sonde_landscape_view_move_cursor (SondeView *base, int count)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);
  gint64 n = (gint64) view->n_path, chosen = get_chosen (view);

  if (view->solid)
    {
      sonde_landscape_view_turn (view, CLAMP (count, -9, 9) * DEGREES_PER_KEY, 0);
      return TRUE;
    }
  if (n == 0)
    return FALSE;
  if (chosen < 0)
    chosen = count == G_MININT ? 0 : n - 1;
  else
    chosen = CLAMP (chosen + count, 0, n - 1);
  sonde_view_set_selection (base, chosen + 1);
  return TRUE;
}

/* ---- in space ------------------------------------------------------------ */

static void
tell_turned (SondeLandscapeView *view)
{
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit (view, turned_signal, 0);
}

void
sonde_landscape_view_turn (SondeLandscapeView *view, double yaw, double pitch)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  sonde_surface_hold_turn (&view->hold, yaw, pitch);
  tell_turned (view);
}

const SondeSurfaceCamera *
sonde_landscape_view_get_camera (SondeLandscapeView *view)
{
  return &view->hold.camera;
}

void
sonde_landscape_view_set_camera (SondeLandscapeView *view, const SondeSurfaceCamera *camera)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  sonde_surface_hold_set_camera (&view->hold, camera);
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_landscape_view_set_solid (SondeLandscapeView *view, gboolean solid)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_VIEW (view));
  view->solid = solid;
  sonde_view_set_zoom (SONDE_VIEW (view), solid ? SONDE_VIEW_ZOOM_NONE : SONDE_VIEW_ZOOM_XY);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static gboolean
sonde_landscape_view_drag (SondeView *base, SondeViewDrag phase, double x, double y,
                           GdkModifierType state)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (base);

  if (!view->solid)
    return FALSE;
  sonde_surface_hold_drag (&view->hold, phase, x, y);
  tell_turned (view);
  return TRUE;
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, SondeLandscapeView *view)
{
  if (!view->solid)
    return GDK_EVENT_PROPAGATE;
  sonde_surface_hold_scroll (&view->hold, dy);
  tell_turned (view);
  return GDK_EVENT_STOP;
}

/* Those that the base leaves: it has Left and Right. */
static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        SondeLandscapeView *view)
{
  int up = key == GDK_KEY_Up || key == GDK_KEY_KP_Up,
      down = key == GDK_KEY_Down || key == GDK_KEY_KP_Down;

  if (!view->solid || up == down)
    return GDK_EVENT_PROPAGATE;
  sonde_landscape_view_turn (view, 0, (up - down) * DEGREES_PER_KEY);
  return GDK_EVENT_STOP;
}

static void
add_hands (SondeLandscapeView *view)
{
  GtkEventController *scroll
      = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (scroll, GTK_PHASE_CAPTURE);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), view);
  gtk_widget_add_controller (GTK_WIDGET (view), scroll);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), view);
  gtk_widget_add_controller (GTK_WIDGET (view), keys);
}

static void
sonde_landscape_view_finalize (GObject *object)
{
  SondeLandscapeView *view = SONDE_LANDSCAPE_VIEW (object);

  clear_surface (view);
  clear_path (view);
  G_OBJECT_CLASS (sonde_landscape_view_parent_class)->finalize (object);
}

static void
sonde_landscape_view_class_init (SondeLandscapeViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_landscape_view_finalize;
  view_class->prepare = sonde_landscape_view_prepare;
  view_class->paint = sonde_landscape_view_paint;
  view_class->area = sonde_landscape_view_area;
  view_class->pick = sonde_landscape_view_pick;
  view_class->dup_tooltip = sonde_landscape_view_dup_tooltip;
  view_class->describe = sonde_landscape_view_describe;
  view_class->dup_table = sonde_landscape_view_dup_table;
  view_class->move_cursor = sonde_landscape_view_move_cursor;
  view_class->drag = sonde_landscape_view_drag;
  turned_signal = g_signal_new ("turned", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_landscape_view_init (SondeLandscapeView *view)
{
  clear_path (view);
  sonde_surface_hold_init (&view->hold);
  add_hands (view);
  g_signal_connect (view, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_XY);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 200);
}

GtkWidget *
sonde_landscape_view_new (void)
{
  return g_object_new (SONDE_TYPE_LANDSCAPE_VIEW, NULL);
}
