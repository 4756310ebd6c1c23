/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trials/sonde-trial-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

typedef struct
{
  char *title;
  double *values; /* [n_lines] */
  char **words;   /* (nullable) */
  double low, high;
  gboolean log, has_brush;
  double from, to;
} Axis;

typedef struct
{
  char **names;
  guint n_lines;
  GPtrArray *axes;   /* Axis */
  GHashTable *known; /* title -> Axis without values: what a person chose for it */
  double *values;    /* [n_lines, n_axes], made when they are asked for */
  GArray *described; /* SondeParallelAxis: of the drawing */
  SondeParallel drawing;
  int color_axis;
} SondeTrialViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeTrialView, sonde_trial_view, SONDE_TYPE_VIEW)

enum
{
  BRUSHED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static SondeTrialViewPrivate *
get (SondeTrialView *view)
{
  return sonde_trial_view_get_instance_private (view);
}

static Axis *
get_axis (SondeTrialView *view, guint k)
{
  return get (view)->axes->pdata[k];
}

static void
axis_free (gpointer data)
{
  Axis *axis = data;

  g_free (axis->title);
  g_free (axis->values);
  g_strfreev (axis->words);
  g_free (axis);
}

/* ---- the drawing --------------------------------------------------------- */

static const double *
get_values (SondeTrialView *view)
{
  SondeTrialViewPrivate *self = get (view);
  guint n = self->axes->len;

  if (self->values != NULL)
    return self->values;
  self->values = g_new (double, MAX ((gsize) n * self->n_lines, 1));
  for (guint i = 0; i < self->n_lines; i++)
    for (guint k = 0; k < n; k++)
      self->values[(gsize) i * n + k] = get_axis (view, k)->values[i];
  return self->values;
}

static SondeParallelAxis
describe_axis (const Axis *axis)
{
  return (SondeParallelAxis){ .title = axis->title,
                              .low = axis->low,
                              .high = axis->high,
                              .log = axis->log,
                              .names = (const char *const *) axis->words,
                              .n_names = axis->words != NULL ? g_strv_length (axis->words) : 0,
                              .has_brush = axis->has_brush,
                              .from = axis->from,
                              .to = axis->to };
}

const SondeParallel *
sonde_trial_view_get_drawing (SondeTrialView *view)
{
  SondeTrialViewPrivate *self = get (view);
  gint64 selected = sonde_view_get_selection (SONDE_VIEW (view));

  g_array_set_size (self->described, 0);
  for (guint k = 0; k < self->axes->len; k++)
    {
      SondeParallelAxis axis = describe_axis (get_axis (view, k));

      g_array_append_val (self->described, axis);
    }
  self->drawing = (SondeParallel){
    .axes = (const SondeParallelAxis *) (const void *) self->described->data,
    .n_axes = self->axes->len,
    .values = get_values (view),
    .n_lines = self->n_lines,
    .color_axis = self->color_axis,
    .emphasised = selected >= 0 && selected < self->n_lines ? (int) selected : -1,
    .focused = -1,
  };
  return &self->drawing;
}

static char *
dup_value (const Axis *axis, guint line)
{
  double value = axis->values[line];

  if (isnan (value))
    return g_strdup ("–");
  if (axis->words != NULL)
    return g_strdup (axis->words[(guint) value]);
  return sonde_format_number (value);
}

static char *
sonde_trial_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeTrialView *view = SONDE_TRIAL_VIEW (base);
  GString *text;

  if (pick->id < 0 || pick->id >= get (view)->n_lines)
    return NULL;
  text = g_string_new (get (view)->names[pick->id]);
  for (guint k = 0; k < get (view)->axes->len; k++)
    {
      const Axis *axis = get (view)->axes->pdata[k];
      g_autofree char *value = dup_value (axis, (guint) pick->id);

      g_string_append_printf (text, "\n%s: %s", axis->title, value);
    }
  return g_string_free (text, FALSE);
}

/* ---- brushes ------------------------------------------------------------- */

static void
tell_brushed (SondeTrialView *view)
{
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit (view, signals[BRUSHED], 0);
}

/* What a person chose for the axis is remembered under its title. */
static void
remember (SondeTrialView *view, const Axis *axis)
{
  Axis *known = g_new0 (Axis, 1);

  known->title = g_strdup (axis->title);
  known->log = axis->log;
  known->has_brush = axis->has_brush;
  known->from = axis->from;
  known->to = axis->to;
  g_hash_table_replace (get (view)->known, known->title, known);
}

void
sonde_trial_view_set_brush (SondeTrialView *view, guint axis, double from, double to)
{
  Axis *brushed;

  g_return_if_fail (SONDE_IS_TRIAL_VIEW (view) && axis < get (view)->axes->len);
  brushed = get (view)->axes->pdata[axis];
  brushed->has_brush = from <= to;
  brushed->from = from;
  brushed->to = to;
  remember (view, brushed);
  tell_brushed (view);
}

gboolean
sonde_trial_view_get_brush (SondeTrialView *view, guint axis, double *from, double *to)
{
  const Axis *brushed;

  g_return_val_if_fail (SONDE_IS_TRIAL_VIEW (view) && axis < get (view)->axes->len, FALSE);
  brushed = get (view)->axes->pdata[axis];
  *from = brushed->from;
  *to = brushed->to;
  return brushed->has_brush;
}

void
sonde_trial_view_clear_brushes (SondeTrialView *view)
{
  g_return_if_fail (SONDE_IS_TRIAL_VIEW (view));
  g_hash_table_remove_all (get (view)->known);
  for (guint k = 0; k < get (view)->axes->len; k++)
    {
      Axis *axis = get (view)->axes->pdata[k];

      axis->has_brush = FALSE;
      remember (view, axis);
    }
  tell_brushed (view);
}

gboolean
sonde_trial_view_is_in (SondeTrialView *view, guint line)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_VIEW (view) && line < get (view)->n_lines, FALSE);
  for (guint k = 0; k < get (view)->axes->len; k++)
    {
      const Axis *axis = get (view)->axes->pdata[k];
      double value = axis->values[line];

      if (axis->has_brush && !(value >= axis->from && value <= axis->to))
        return FALSE;
    }
  return TRUE;
}

static gboolean
drop_brush (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTrialView *view = SONDE_TRIAL_VIEW (widget);
  SondeTrialViewClass *klass = SONDE_TRIAL_VIEW_GET_CLASS (view);
  guint axes[2], n = klass->list_focused (view, axes);

  for (guint i = 0; i < n; i++)
    sonde_trial_view_set_brush (view, axes[i], 1, 0);
  return n > 0;
}

/* The first of the axes that have the keys. FALSE: there is none */
static gboolean
get_focused (SondeTrialView *view, guint *axis)
{
  guint axes[2], n = SONDE_TRIAL_VIEW_GET_CLASS (view)->list_focused (view, axes);

  *axis = axes[0];
  return n > 0;
}

static gboolean
toggle_log (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTrialView *view = SONDE_TRIAL_VIEW (widget);
  guint axis;

  return get_focused (view, &axis)
         && sonde_trial_view_set_log (view, axis, !get_axis (view, axis)->log);
}

static gboolean
color_by_axis (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTrialView *view = SONDE_TRIAL_VIEW (widget);
  guint axis;

  if (!get_focused (view, &axis))
    return FALSE;
  sonde_trial_view_set_color_axis (view, (int) axis);
  return TRUE;
}

/* ---- data ---------------------------------------------------------------- */

void
sonde_trial_view_set_lines (SondeTrialView *view, const char *const *names, guint n_lines)
{
  g_return_if_fail (SONDE_IS_TRIAL_VIEW (view));
  g_strfreev (get (view)->names);
  get (view)->names = g_strdupv ((char **) names);
  get (view)->n_lines = n_lines;
  g_ptr_array_set_size (get (view)->axes, 0);
  g_clear_pointer (&get (view)->values, g_free);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
measure (Axis *axis, guint n_lines)
{
  axis->low = INFINITY;
  axis->high = -INFINITY;
  for (guint i = 0; i < n_lines; i++)
    if (isfinite (axis->values[i]))
      {
        axis->low = fmin (axis->low, axis->values[i]);
        axis->high = fmax (axis->high, axis->values[i]);
      }
  if (!(axis->low <= axis->high))
    axis->low = axis->high = 0;
}

void
sonde_trial_view_add_axis (SondeTrialView *view, const char *title, const double *values,
                           const char *const *words)
{
  Axis *axis;
  const Axis *known;

  g_return_if_fail (SONDE_IS_TRIAL_VIEW (view));
  axis = g_new0 (Axis, 1);
  axis->title = g_strdup (title);
  axis->values = g_memdup2 (values, MAX (get (view)->n_lines, 1) * sizeof *values);
  axis->words = g_strdupv ((char **) words);
  measure (axis, get (view)->n_lines);
  known = g_hash_table_lookup (get (view)->known, title);
  if (known != NULL)
    {
      axis->log = known->log && axis->low > 0 && words == NULL;
      axis->has_brush = known->has_brush;
      axis->from = known->from;
      axis->to = known->to;
    }
  g_ptr_array_add (get (view)->axes, axis);
  g_clear_pointer (&get (view)->values, g_free);
  sonde_view_invalidate (SONDE_VIEW (view));
}

guint
sonde_trial_view_get_n_axes (SondeTrialView *view)
{
  g_return_val_if_fail (SONDE_IS_TRIAL_VIEW (view), 0);
  return get (view)->axes->len;
}

void
sonde_trial_view_set_color_axis (SondeTrialView *view, int axis)
{
  g_return_if_fail (SONDE_IS_TRIAL_VIEW (view));
  get (view)->color_axis = axis;
  sonde_view_invalidate (SONDE_VIEW (view));
}

gboolean
sonde_trial_view_set_log (SondeTrialView *view, guint axis, gboolean log)
{
  Axis *scaled;

  g_return_val_if_fail (SONDE_IS_TRIAL_VIEW (view) && axis < get (view)->axes->len, FALSE);
  scaled = get (view)->axes->pdata[axis];
  if (log && (scaled->words != NULL || !(scaled->low > 0)))
    return FALSE;
  scaled->log = log;
  remember (view, scaled);
  sonde_view_invalidate (SONDE_VIEW (view));
  return TRUE;
}

/* ---- text ---------------------------------------------------------------- */

guint
sonde_trial_view_count_in (SondeTrialView *view)
{
  guint n_in = 0;

  for (guint i = 0; i < get (view)->n_lines; i++)
    n_in += sonde_trial_view_is_in (view, i);
  return n_in;
}

static char *
sonde_trial_view_dup_table (SondeView *base, char separator)
{
  SondeTrialView *view = SONDE_TRIAL_VIEW (base);
  GString *text = g_string_new ("run");

  for (guint k = 0; k < get (view)->axes->len; k++)
    g_string_append_printf (text, "%c%s", separator, get_axis (view, k)->title);
  for (guint i = 0; i < get (view)->n_lines; i++)
    {
      if (!sonde_trial_view_is_in (view, i))
        continue;
      g_string_append_printf (text, "\n%s", get (view)->names[i]);
      for (guint k = 0; k < get (view)->axes->len; k++)
        {
          g_autofree char *value = dup_value (get (view)->axes->pdata[k], i);

          g_string_append_printf (text, "%c%s", separator, value);
        }
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_trial_view_finalize (GObject *object)
{
  SondeTrialViewPrivate *self = get (SONDE_TRIAL_VIEW (object));

  g_strfreev (self->names);
  g_ptr_array_unref (self->axes);
  g_hash_table_unref (self->known);
  g_array_unref (self->described);
  g_free (self->values);
  G_OBJECT_CLASS (sonde_trial_view_parent_class)->finalize (object);
}

static void
sonde_trial_view_class_init (SondeTrialViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_trial_view_finalize;
  view->dup_tooltip = sonde_trial_view_dup_tooltip;
  view->dup_table = sonde_trial_view_dup_table;
  signals[BRUSHED] = g_signal_new ("brushed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_add_binding (widget, GDK_KEY_Delete, 0, drop_brush, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_l, 0, toggle_log, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_c, 0, color_by_axis, NULL);
}

static void
sonde_trial_view_init (SondeTrialView *view)
{
  SondeTrialViewPrivate *self = get (view);

  self->names = g_new0 (char *, 1);
  self->axes = g_ptr_array_new_with_free_func (axis_free);
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, axis_free);
  self->described = g_array_new (FALSE, FALSE, sizeof (SondeParallelAxis));
  self->color_axis = -1;
  g_signal_connect (view, "notify::has-focus", G_CALLBACK (sonde_view_invalidate), NULL);
  g_signal_connect (view, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 320, 200);
}
