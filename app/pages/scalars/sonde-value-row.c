/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-value-row.h"

struct _SondeValueRow
{
  GObject parent_instance;
  SondeSeries *series;
  char *title;
  guint color_index;
  gint64 a, b;
  gboolean is_read, has_points;
  SondeCurveDifference difference;
};

G_DEFINE_FINAL_TYPE (SondeValueRow, sonde_value_row, G_TYPE_OBJECT)

static guint changed_signal;

static void
sonde_value_row_finalize (GObject *object)
{
  SondeValueRow *row = SONDE_VALUE_ROW (object);

  g_clear_object (&row->series);
  g_free (row->title);
  G_OBJECT_CLASS (sonde_value_row_parent_class)->finalize (object);
}

static void
sonde_value_row_class_init (SondeValueRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_value_row_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_value_row_init (SondeValueRow *row)
{
}

SondeValueRow *
sonde_value_row_new (SondeSeries *series, const char *title, guint color_index)
{
  SondeValueRow *row = g_object_new (SONDE_TYPE_VALUE_ROW, NULL);

  row->series = g_object_ref (series);
  row->title = g_strdup (title);
  row->color_index = color_index;
  return row;
}

SondeSeries *
sonde_value_row_get_series (SondeValueRow *row)
{
  return row->series;
}

const char *
sonde_value_row_get_title (SondeValueRow *row)
{
  return row->title;
}

guint
sonde_value_row_get_color_index (SondeValueRow *row)
{
  return row->color_index;
}

void
sonde_value_row_set_steps (SondeValueRow *row, gint64 a, gint64 b)
{
  row->a = a;
  row->b = b;
  row->is_read = FALSE;
  g_signal_emit (row, changed_signal, 0);
}

const SondeCurveDifference *
sonde_value_row_get_difference (SondeValueRow *row)
{
  if (!row->is_read)
    row->has_points
        = sonde_curve_difference_compute (row->series, row->a, row->b, &row->difference);
  row->is_read = TRUE;
  return row->has_points ? &row->difference : NULL;
}
