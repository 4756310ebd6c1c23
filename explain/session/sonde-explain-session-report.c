/* SPDX-License-Identifier: Apache-2.0
 * The report of a session. */
#include <math.h>

#include "data/base/sonde-text.h"
#include "explain/report/sonde-report-facts.h"
#include "explain/session/sonde-explain-session-work.h"

typedef struct
{
  SondeExplainSession *session;
  SondeExplainReport *report;
  guint n_maps;      /* so far */
  guint done, total; /* of one method */
} Work;

static gboolean
take_map (const SondeAttributionMap *map, const SondeSampleResult *sample, gpointer data,
          GError **error)
{
  Work *work = data;

  work->n_maps++;
  return sonde_explain_session_tick (work->session, work->done++, work->total, error)
         && sonde_explain_report_add_map (work->report, map, sample, error);
}

/* (element-type SondeSampleResult) */
static GPtrArray *
find_errors (GPtrArray *predictions)
{
  GPtrArray *errors = g_ptr_array_new ();

  for (guint i = 0; i < predictions->len; i++)
    if (sonde_sample_result_is_error (g_ptr_array_index (predictions, i)))
      g_ptr_array_add (errors, g_ptr_array_index (predictions, i));
  return errors;
}

static gboolean
add_maps (Work *work, GPtrArray *errors, const char *text, GError **error)
{
  static const char *const targets[] = { "predicted", "true" };
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  gsize n = spec != NULL && sonde_attribution_spec_get_method (spec)->takes_pair
                ? 1
                : G_N_ELEMENTS (targets);

  work->done = 0;
  work->total = errors->len * (guint) n;
  sonde_explain_session_begin (work->session, N_ ("Explaining errors for the report"), 0);
  for (gsize i = 0; spec != NULL && i < n; i++)
    if (!sonde_explain_session_explain (work->session, errors, spec, targets[i], -1, FALSE,
                                        take_map, work, error))
      return FALSE;
  return spec != NULL;
}

gboolean
sonde_explain_session_write_report (SondeExplainSession *session, const char *path,
                                    const char *const *specs, GError **error)
{
  const gint64 begun = g_get_monotonic_time ();
  const SondeExplainInfo *info = sonde_explain_session_get_info (session);
  const char *fallback[] = { isnan (info->backward_seconds) ? "occlusion" : "saliency", NULL };
  const SondeTriage *triage = sonde_explain_session_get_triage (session, error);
  SondeReportFacts facts = { .settings = sonde_explain_session_get_settings (session),
                             .dataset = sonde_explain_session_get_dataset (session),
                             .triage = triage,
                             .warning = sonde_explain_session_get_warning (session),
                             .notes = sonde_explain_session_get_notes (session),
                             .methods = specs != NULL ? specs : fallback,
                             .explained = "errors" };
  g_autoptr (SondeExplainReport) report
      = sonde_explain_report_new (_ ("Explained Errors"), facts.settings->model, facts.dataset);
  Work work = { .session = session, .report = report };
  g_autoptr (GPtrArray) errors = NULL;

  facts.predictions = triage != NULL ? sonde_explain_session_classify (session, error) : NULL;
  if (facts.predictions == NULL)
    return FALSE;
  errors = find_errors (facts.predictions);
  for (gsize i = 0; facts.methods[i] != NULL; i++)
    if (!add_maps (&work, errors, facts.methods[i], error))
      return FALSE;
  facts.seconds = (double) (g_get_monotonic_time () - begun) / 1e6;
  facts.n_maps = work.n_maps;
  sonde_report_facts_add (&facts, report);
  return sonde_explain_report_write (report, NULL, path, error);
}
