/* SPDX-License-Identifier: Apache-2.0
 * The results of `sonde explain` for people: the report, and the scores as text. */
#include "app/cli/explain/sonde-cli-explain-private.h"
#include "explain/report/sonde-report-facts.h"

gboolean
sonde_explain_write_report (Explain *explain, GPtrArray *predictions, GError **error)
{
  static const char *const default_methods[] = { "saliency", NULL };
  const ExplainOptions *options = explain->options;
  const SondeReportFacts facts = {
    .settings = &options->settings,
    .dataset = explain->dataset,
    .predictions = predictions,
    .triage = explain->triage,
    .scorecard
    = explain->evaluation != NULL ? sonde_evaluation_get_scorecard (explain->evaluation) : NULL,
    .pointing = explain->scores,
    .warning = sonde_explain_session_get_warning (explain->session),
    .notes = sonde_explain_session_get_notes (explain->session),
    .methods = options->methods != NULL ? (const char *const *) options->methods : default_methods,
    .targets = (const char *const *) options->targets,
    .explained = options->images != NULL ? options->images : "errors",
    .probabilities = options->probabilities,
    .program = "sonde " SONDE_VERSION,
    .seconds = (double) (g_get_monotonic_time () - explain->begun) / 1e6,
    .n_maps = explain->n_maps
  };

  sonde_report_facts_add (&facts, explain->report);
  return sonde_explain_report_write (explain->report, NULL, options->report, error);
}

/* ---- on the terminal ------------------------------------------------------ */

char *
sonde_explain_scores_to_text (SondeEvaluation *evaluation)
{
  SondeScorecard *scorecard = sonde_evaluation_get_scorecard (evaluation);
  GPtrArray *methods = sonde_scorecard_get_methods (scorecard);
  const double *weights;
  guint n;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);
  GString *text = g_string_new (NULL);

  for (guint m = 0; m < methods->len; m++)
    for (guint i = 0; i < n; i++)
      {
        const char *method = g_ptr_array_index (methods, m);
        SondeScoreSummary summary = sonde_scorecard_summarise (scorecard, metrics[i], method, -1);

        if (summary.n == 0)
          continue;
        if (summary.n_valid == 0)
          g_string_append_printf (text, _ ("%-32s %-20s undefined for all %zu images\n"), method,
                                  metrics[i]->name, summary.n);
        else
          g_string_append_printf (text,
                                  metrics[i]->rises
                                      ? _ ("%-32s %-20s %9.4f [%.4f, %.4f] of %zu images\n")
                                      : _ ("%-32s %-20s %9.4f [%.4f, %.4f] of %zu images, lower is "
                                           "better\n"),
                                  method, metrics[i]->name, summary.interval.value,
                                  summary.interval.low, summary.interval.high, summary.n_valid);
      }
  return g_string_free (text, FALSE);
}
