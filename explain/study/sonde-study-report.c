/* SPDX-License-Identifier: Apache-2.0
 * The report of a study. */
#include <math.h>

#include "explain/report/sonde-explain-report.h"
#include "explain/study/sonde-study-private.h"

typedef struct
{
  SondeStudy *study;
  SondeExplainReport *report;
  guint done, total;
} Work;

static gboolean
take_map (const SondeExplainedMap *map, gpointer data, GError **error)
{
  Work *work = data;

  return sonde_study_tick (work->study, work->done++, work->total, error)
         && sonde_explain_report_add_map (work->report, map, error);
}

/* (element-type SondePrediction) */
static GPtrArray *
find_errors (GPtrArray *predictions)
{
  GPtrArray *errors = g_ptr_array_new ();

  for (guint i = 0; i < predictions->len; i++)
    if (sonde_prediction_is_error (g_ptr_array_index (predictions, i)))
      g_ptr_array_add (errors, g_ptr_array_index (predictions, i));
  return errors;
}

static gboolean
add_maps (SondeStudy *study, SondeExplainReport *report, GPtrArray *errors, const char *text,
          GError **error)
{
  static const char *const targets[] = { "predicted", "true" };
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  gsize n = spec != NULL && sonde_attribution_spec_get_method (spec)->takes_pair
                ? 1
                : G_N_ELEMENTS (targets);
  Work work = { .study = study, .report = report, .total = errors->len * (guint) n };

  sonde_study_begin (study, "explaining errors for the report", 0);
  for (gsize i = 0; spec != NULL && i < n; i++)
    if (!sonde_study_explain (study, errors, spec, targets[i], -1, FALSE, take_map, &work, error))
      return FALSE;
  return spec != NULL;
}

static void
add_settings (SondeStudy *study, SondeExplainReport *report, const char *const *specs)
{
  const SondeExplanationSettings *s = study->settings;
  g_autofree char *input = g_strdup_printf ("%d×%d×%d", study->dataset->channels,
                                            study->dataset->height, study->dataset->width);
  g_autofree char *methods = g_strjoinv (", ", (char **) specs);
  g_autofree char *seed = g_strdup_printf ("%" PRIi64, s->seed);
  const struct
  {
    const char *name, *value;
  } settings[] = {
    { "model", s->model },
    { "data", s->data },
    { "labels", s->labels },
    { "input", input },
    { "mean", s->mean },
    { "std", s->std },
    { "size", s->size },
    { "channels", s->channels },
    { "training data", s->training },
    { "given labels", s->given_labels },
    { "methods", methods },
    { "targets", "predicted, true" },
    { "explained", "errors" },
    { "seed", seed },
    { "device", s->device != NULL ? s->device : "cpu" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    if (settings[i].value != NULL)
      sonde_explain_report_add_setting (report, settings[i].name, settings[i].value);
  for (guint i = 0; i < study->notes->len; i++)
    sonde_explain_report_add_fact (report, g_ptr_array_index (study->notes, i));
}

gboolean
sonde_study_write_report (SondeStudy *study, const char *path, const char *const *specs,
                          GError **error)
{
  const char *fallback[]
      = { isnan (study->facts->backward_seconds) ? "occlusion" : "saliency", NULL };
  const char *const *texts = specs != NULL ? specs : fallback;
  const SondeTriage *triage = sonde_study_get_triage (study, error);
  g_autoptr (SondeExplainReport) report
      = sonde_explain_report_new ("Explained errors", study->settings->model, study->dataset);
  g_autoptr (GPtrArray) errors = triage != NULL ? find_errors (study->predictions) : NULL;

  if (errors == NULL)
    return FALSE;
  sonde_explain_report_set_predictions (report, study->predictions);
  sonde_explain_report_set_triage (report, triage);
  for (gsize i = 0; texts[i] != NULL; i++)
    if (!add_maps (study, report, errors, texts[i], error))
      return FALSE;
  add_settings (study, report, texts);
  return sonde_explain_report_write (report, NULL, path, error);
}
