/* SPDX-License-Identifier: Apache-2.0
 * The report of a session. */
#include <math.h>

#include "data/base/sonde-text.h"
#include "explain/report/sonde-explain-report.h"
#include "explain/session/sonde-explain-session-private.h"

typedef struct
{
  SondeExplainSession *session;
  SondeExplainReport *report;
  guint done, total;
} Work;

static gboolean
take_map (const SondeExplainedMap *map, gpointer data, GError **error)
{
  Work *work = data;

  return sonde_explain_session_tick (work->session, work->done++, work->total, error)
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
add_maps (SondeExplainSession *session, SondeExplainReport *report, GPtrArray *errors,
          const char *text, GError **error)
{
  static const char *const targets[] = { "predicted", "true" };
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  gsize n = spec != NULL && sonde_attribution_spec_get_method (spec)->takes_pair
                ? 1
                : G_N_ELEMENTS (targets);
  Work work = { .session = session, .report = report, .total = errors->len * (guint) n };

  sonde_explain_session_begin (session, N_ ("Explaining errors for the report"), 0);
  for (gsize i = 0; spec != NULL && i < n; i++)
    if (!sonde_explain_session_explain (session, errors, spec, targets[i], -1, FALSE, take_map,
                                        &work, error))
      return FALSE;
  return spec != NULL;
}

static void
add_settings (SondeExplainSession *session, SondeExplainReport *report, const char *const *specs)
{
  const SondeExplanationSettings *s = session->settings;
  g_autofree char *input = g_strdup_printf ("%d×%d×%d", session->dataset->channels,
                                            session->dataset->height, session->dataset->width);
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
  for (guint i = 0; i < session->notes->len; i++)
    sonde_explain_report_add_fact (report, g_ptr_array_index (session->notes, i));
}

gboolean
sonde_explain_session_write_report (SondeExplainSession *session, const char *path,
                                    const char *const *specs, GError **error)
{
  const char *fallback[]
      = { isnan (session->info->backward_seconds) ? "occlusion" : "saliency", NULL };
  const char *const *texts = specs != NULL ? specs : fallback;
  const SondeTriage *triage = sonde_explain_session_get_triage (session, error);
  g_autoptr (SondeExplainReport) report
      = sonde_explain_report_new ("Explained errors", session->settings->model, session->dataset);
  g_autoptr (GPtrArray) errors = triage != NULL ? find_errors (session->predictions) : NULL;

  if (errors == NULL)
    return FALSE;
  sonde_explain_report_set_predictions (report, session->predictions);
  sonde_explain_report_set_triage (report, triage);
  for (gsize i = 0; texts[i] != NULL; i++)
    if (!add_maps (session, report, errors, texts[i], error))
      return FALSE;
  add_settings (session, report, texts);
  return sonde_explain_report_write (report, NULL, path, error);
}
