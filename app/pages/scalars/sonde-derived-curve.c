/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-derived-curve.h"

#include "app/pages/scalars/sonde-curve-expression.h"

#define PAUSE_MS 300 /* between two calculations while the run grows */

struct _SondeDerivedCurve
{
  SondeRun *run;
  SondeCurveExpression *expression;
  SondeSeries *series;
  GPtrArray *sources; /* SondeSeries that it reads */
  guint source;
};

static gboolean
on_pause (void *user_data)
{
  SondeDerivedCurve *curve = user_data;
  g_autoptr (GArray) points = sonde_curve_expression_compute (curve->expression, curve->run, NULL);

  curve->source = 0;
  if (points != NULL)
    sonde_series_set_points (curve->series, (const SondePoint *) points->data, points->len);
  return G_SOURCE_REMOVE;
}

static void
on_changed (SondeSeries *series, SondeDerivedCurve *curve)
{
  if (curve->source == 0)
    curve->source = g_timeout_add (PAUSE_MS, on_pause, curve);
}

static void
watch (SondeDerivedCurve *curve)
{
  const char *const *tags = sonde_curve_expression_get_tags (curve->expression);

  for (guint i = 0; tags[i] != NULL; i++)
    {
      SondeSeries *series = sonde_run_get_series (curve->run, tags[i]);

      if (series == NULL)
        continue;
      g_signal_connect (series, "changed", G_CALLBACK (on_changed), curve);
      g_ptr_array_add (curve->sources, g_object_ref (series));
    }
}

SondeDerivedCurve *
sonde_derived_curve_new (SondeRun *run, const char *text)
{
  g_autoptr (SondeCurveExpression) expression = sonde_curve_expression_new (text, NULL);
  g_autoptr (GArray) points
      = expression != NULL ? sonde_curve_expression_compute (expression, run, NULL) : NULL;
  SondeDerivedCurve *curve;

  if (points == NULL || points->len == 0)
    return NULL;
  curve = g_new0 (SondeDerivedCurve, 1);
  curve->run = g_object_ref (run);
  curve->expression = g_steal_pointer (&expression);
  curve->series = sonde_series_new_computed (run, (const SondePoint *) points->data, points->len);
  curve->sources = g_ptr_array_new_with_free_func (g_object_unref);
  watch (curve);
  return curve;
}

void
sonde_derived_curve_free (SondeDerivedCurve *curve)
{
  if (curve == NULL)
    return;
  g_clear_handle_id (&curve->source, g_source_remove);
  for (guint i = 0; i < curve->sources->len; i++)
    g_signal_handlers_disconnect_by_func (curve->sources->pdata[i], on_changed, curve);
  g_ptr_array_unref (curve->sources);
  g_object_unref (curve->series);
  sonde_curve_expression_free (curve->expression);
  g_object_unref (curve->run);
  g_free (curve);
}

SondeSeries *
sonde_derived_curve_get_series (SondeDerivedCurve *curve)
{
  return curve->series;
}
