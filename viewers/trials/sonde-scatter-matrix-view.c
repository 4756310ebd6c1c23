/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trials/sonde-scatter-matrix-view.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/trials/sonde-scatter-matrix.h"

#define NEAR_POINT 7.0 /* px */
#define CLICK 3.0      /* px that a drag is no drag */

struct _SondeScatterMatrixView
{
  SondeTrialView parent_instance;
  double *correlation; /* (nullable) [n_axes, n_axes] of when it was set */
  guint n_correlated;
  guint row, column; /* that keys are for: column < row */
  gboolean dragging;
  cairo_rectangle_t cell; /* where the drag began */
  double place_x, place_y;
};

G_DEFINE_FINAL_TYPE (SondeScatterMatrixView, sonde_scatter_matrix_view, SONDE_TYPE_TRIAL_VIEW)

/* ---- painting ------------------------------------------------------------ */

static SondeScatterMatrix
describe_drawing (SondeScatterMatrixView *view)
{
  const SondeParallel *trials = sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view));
  gboolean focused = gtk_widget_has_focus (GTK_WIDGET (view));

  return (SondeScatterMatrix){
    .trials = trials,
    .correlation = view->n_correlated == trials->n_axes ? view->correlation : NULL,
    .row = focused ? (int) view->row : -1,
    .column = focused ? (int) view->column : -1,
  };
}

static void
sonde_scatter_matrix_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterMatrix matrix = describe_drawing (SONDE_SCATTER_MATRIX_VIEW (base));

  sonde_paint_scatter_matrix (cr, sonde_view_get_theme (base), &matrix, width, height);
}

static void
sonde_scatter_matrix_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterMatrix matrix = describe_drawing (SONDE_SCATTER_MATRIX_VIEW (base));
  gint64 hovered = sonde_view_get_hovered (base);

  if (hovered >= 0 && hovered < matrix.trials->n_lines)
    sonde_paint_scatter_matrix_line (cr, sonde_view_get_theme (base), &matrix, (guint) hovered,
                                     width, height);
}

/* ---- under the pointer --------------------------------------------------- */

/* A cell with points. */
static gboolean
find_cell (SondeScatterMatrixView *view, double x, double y, guint *row, guint *column)
{
  int width = sonde_view_get_width (SONDE_VIEW (view));
  int height = sonde_view_get_height (SONDE_VIEW (view));
  guint n = sonde_scatter_matrix_get_n (sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view)));

  return sonde_scatter_matrix_find_cell (n, x, y, width, height, row, column) && *column < *row;
}

static void
get_cell (SondeScatterMatrixView *view, guint row, guint column, cairo_rectangle_t *cell)
{
  sonde_scatter_matrix_get_cell (
      sonde_scatter_matrix_get_n (sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view))), row,
      column, sonde_view_get_width (SONDE_VIEW (view)), sonde_view_get_height (SONDE_VIEW (view)),
      cell);
}

static gboolean
sonde_scatter_matrix_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeScatterMatrixView *view = SONDE_SCATTER_MATRIX_VIEW (base);
  const SondeParallel *trials;
  double nearest = NEAR_POINT;
  cairo_rectangle_t cell;
  guint row, column;

  if (!find_cell (view, x, y, &row, &column))
    return FALSE;
  get_cell (view, row, column, &cell);
  trials = sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view));
  for (guint i = 0; i < trials->n_lines; i++)
    {
      double at_x, at_y;

      if (!sonde_scatter_matrix_get_point (trials, i, row, column, &cell, &at_x, &at_y)
          || !(hypot (at_x - x, at_y - y) < nearest) || !sonde_parallel_is_in (trials, i))
        continue;
      nearest = hypot (at_x - x, at_y - y);
      pick->id = i;
      pick->area = (SondeViewRect){ at_x - 4, at_y - 4, 8, 8 };
    }
  return nearest < NEAR_POINT;
}

/* ---- brushes ------------------------------------------------------------- */

static void
set_brush (SondeScatterMatrixView *view, guint axis, double a, double b)
{
  SondeTrialView *base = SONDE_TRIAL_VIEW (view);
  SondeParallelAxis scale = sonde_trial_view_get_drawing (base)->axes[axis];

  sonde_trial_view_set_brush (base, axis, sonde_parallel_get_value (&scale, fmin (a, b)),
                              sonde_parallel_get_value (&scale, fmax (a, b)));
}

static void
on_drag_begin (SondeScatterMatrixView *view, double widget_x, double widget_y, GtkGesture *gesture)
{
  double x = sonde_view_from_widget (SONDE_VIEW (view), widget_x),
         y = sonde_view_from_widget (SONDE_VIEW (view), widget_y);
  guint row, column;

  view->dragging = find_cell (view, x, y, &row, &column);
  if (!view->dragging)
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  view->row = row;
  view->column = column;
  get_cell (view, row, column, &view->cell);
  sonde_scatter_matrix_get_places (&view->cell, x, y, &view->place_x, &view->place_y);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static gboolean
still_there (SondeScatterMatrixView *view)
{
  return view->dragging && view->row < sonde_trial_view_get_n_axes (SONDE_TRIAL_VIEW (view));
}

static void
on_drag_update (SondeScatterMatrixView *view, double dx, double dy, GtkGestureDrag *gesture)
{
  double x, y, place_x, place_y;

  if (!still_there (view) || hypot (dx, dy) < CLICK)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  sonde_scatter_matrix_get_places (&view->cell, sonde_view_from_widget (SONDE_VIEW (view), x + dx),
                                   sonde_view_from_widget (SONDE_VIEW (view), y + dy), &place_x,
                                   &place_y);
  set_brush (view, view->column, view->place_x, place_x);
  set_brush (view, view->row, view->place_y, place_y);
}

/* A click beside the points takes the brush away; one on a point chooses its run. */
static void
on_drag_end (SondeScatterMatrixView *view, double dx, double dy)
{
  if (still_there (view) && hypot (dx, dy) < CLICK
      && sonde_view_get_hovered (SONDE_VIEW (view)) == SONDE_VIEW_NOTHING)
    {
      sonde_trial_view_set_brush (SONDE_TRIAL_VIEW (view), view->column, 1, 0);
      sonde_trial_view_set_brush (SONDE_TRIAL_VIEW (view), view->row, 1, 0);
    }
  view->dragging = FALSE;
}

/* ---- keys ---------------------------------------------------------------- */

static void
focus_cell (SondeScatterMatrixView *view, int row, int column)
{
  int n = (int) sonde_scatter_matrix_get_n (sonde_trial_view_get_drawing (SONDE_TRIAL_VIEW (view)));

  view->row = (guint) CLAMP (row, 1, MAX (n - 1, 1));
  view->column = (guint) CLAMP (column, 0, (int) view->row - 1);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static gboolean
sonde_scatter_matrix_view_move_cursor (SondeView *base, int count)
{
  SondeScatterMatrixView *view = SONDE_SCATTER_MATRIX_VIEW (base);

  if (sonde_trial_view_get_n_axes (SONDE_TRIAL_VIEW (view)) < 2)
    return FALSE;
  focus_cell (view, (int) view->row,
              (int) view->column
                  + CLAMP (count, -SONDE_SCATTER_MATRIX_MOST, SONDE_SCATTER_MATRIX_MOST));
  return TRUE;
}

static gboolean
move_row (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeScatterMatrixView *view = SONDE_SCATTER_MATRIX_VIEW (widget);

  focus_cell (view, (int) view->row + g_variant_get_int32 (arguments), (int) view->column);
  return TRUE;
}

static guint
sonde_scatter_matrix_view_list_focused (SondeTrialView *base, guint *axes)
{
  SondeScatterMatrixView *view = SONDE_SCATTER_MATRIX_VIEW (base);

  axes[0] = view->column;
  axes[1] = view->row;
  return view->row < sonde_trial_view_get_n_axes (base) ? 2 : 0;
}

/* ---- text ---------------------------------------------------------------- */

static char *
sonde_scatter_matrix_view_describe (SondeView *base)
{
  SondeScatterMatrixView *view = SONDE_SCATTER_MATRIX_VIEW (base);
  SondeScatterMatrix matrix = describe_drawing (view);
  const SondeParallel *trials = matrix.trials;
  GString *text = g_string_new (NULL);
  double rho;

  g_string_append_printf (text, _ ("Scatter matrix: %u of %u runs over %u columns"),
                          sonde_trial_view_count_in (SONDE_TRIAL_VIEW (view)), trials->n_lines,
                          sonde_scatter_matrix_get_n (trials));
  if (view->row < trials->n_axes)
    {
      rho = matrix.correlation != NULL
                ? matrix.correlation[view->row * trials->n_axes + view->column]
                : NAN;
      g_string_append_printf (text, _ (", keys for %s over %s"), trials->axes[view->row].title,
                              trials->axes[view->column].title);
      if (!isnan (rho))
        g_string_append_printf (text, _ (", rank correlation %.2f"), rho);
    }
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

/* ---- making -------------------------------------------------------------- */

void
sonde_scatter_matrix_view_set_correlation (SondeScatterMatrixView *view, const double *correlation)
{
  guint n;

  g_return_if_fail (SONDE_IS_SCATTER_MATRIX_VIEW (view));
  n = sonde_trial_view_get_n_axes (SONDE_TRIAL_VIEW (view));
  g_free (view->correlation);
  view->correlation = g_memdup2 (correlation, MAX ((gsize) n * n, 1) * sizeof *correlation);
  view->n_correlated = n;
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_scatter_matrix_view_finalize (GObject *object)
{
  g_free (SONDE_SCATTER_MATRIX_VIEW (object)->correlation);
  G_OBJECT_CLASS (sonde_scatter_matrix_view_parent_class)->finalize (object);
}

static void
sonde_scatter_matrix_view_class_init (SondeScatterMatrixViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_scatter_matrix_view_finalize;
  view->paint = sonde_scatter_matrix_view_paint;
  view->paint_overlay = sonde_scatter_matrix_view_paint_overlay;
  view->pick = sonde_scatter_matrix_view_pick;
  view->move_cursor = sonde_scatter_matrix_view_move_cursor;
  view->describe = sonde_scatter_matrix_view_describe;
  SONDE_TRIAL_VIEW_CLASS (klass)->list_focused = sonde_scatter_matrix_view_list_focused;
  gtk_widget_class_add_binding (widget, GDK_KEY_Up, 0, move_row, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Down, 0, move_row, "i", 1);
}

static void
sonde_scatter_matrix_view_init (SondeScatterMatrixView *view)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  view->row = 1;
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), view);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), view);
  g_signal_connect_swapped (drag, "drag-end", G_CALLBACK (on_drag_end), view);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (drag));
}

GtkWidget *
sonde_scatter_matrix_view_new (void)
{
  return g_object_new (SONDE_TYPE_SCATTER_MATRIX_VIEW, NULL);
}
