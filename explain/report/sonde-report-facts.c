/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/report/sonde-report-facts.h"

#include "data/base/sonde-text.h"
#include "explain/metrics/sonde-pointing.h"

static char *
join (const char *const *texts)
{
  return g_strjoinv (", ", (char **) texts);
}

static char *
describe_cost (const SondeReportFacts *facts)
{
  const char *device = facts->settings->device;

  return g_strdup_printf (_ ("%.1f s so far, %u maps, device %s"), facts->seconds, facts->n_maps,
                          device != NULL ? device : "cpu");
}

static void
add_settings (const SondeReportFacts *facts, SondeExplainReport *report)
{
  const SondeExplanationSettings *settings = facts->settings;
  const SondeDataset *dataset = facts->dataset;
  g_autofree char *input
      = g_strdup_printf ("%d×%d×%d", dataset->channels, dataset->height, dataset->width);
  g_autofree char *methods = join (facts->methods);
  g_autofree char *targets
      = facts->targets != NULL ? join (facts->targets) : g_strdup ("predicted, true");
  g_autofree char *seed = g_strdup_printf ("%" PRIi64, settings->seed);
  g_autofree char *cost = describe_cost (facts);
  const struct
  {
    const char *name, *value;
  } rows[] = {
    { N_ ("model"), settings->model },
    { N_ ("data"), settings->data },
    { N_ ("labels"), settings->labels },
    { N_ ("input"), input },
    { N_ ("mean"), settings->mean },
    { N_ ("std"), settings->std },
    { N_ ("size"), settings->size },
    { N_ ("channels"), settings->channels },
    { N_ ("training data"), settings->training },
    { N_ ("given labels"), settings->given_labels },
    { N_ ("probabilities"), facts->probabilities },
    { N_ ("methods"), methods },
    { N_ ("targets"), targets },
    { N_ ("explained"), facts->explained },
    { N_ ("seed"), seed },
    { N_ ("cost"), cost },
    { N_ ("program"), facts->program },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].value != NULL)
      sonde_explain_report_add_setting (report, _ (rows[i].name), rows[i].value);
}

static void
add_pointing (const SondeReportFacts *facts, SondeExplainReport *report)
{
  const guint n = facts->pointing != NULL ? facts->pointing->len : 0;
  const double centre
      = n > 0 ? sonde_pointing_measure_centre (facts->dataset, facts->predictions) : 0;

  for (guint i = 0; i < n; i++)
    {
      const SondePointing *score = g_ptr_array_index (facts->pointing, i);
      g_autofree char *sentence = g_strdup_printf (
          _ ("%s: the strongest pixel lies within the object in %u of %u images (%.0f %%; the "
             "centre "
             "pixel does in %.0f %% of all images); the object contains %.0f %% of the map's "
             "mass."),
          score->key, score->hits, score->n, 100.0 * score->hits / MAX (score->n, 1),
          100.0 * centre, 100.0 * score->mass / MAX (score->n, 1));

      sonde_explain_report_add_fact (report, sentence);
    }
}

void
sonde_report_facts_add (const SondeReportFacts *facts, SondeExplainReport *report)
{
  if (facts->warning != NULL)
    sonde_explain_report_set_warning (report, sonde_message_get_text (facts->warning));
  add_pointing (facts, report);
  for (guint i = 0; facts->notes != NULL && i < facts->notes->len; i++)
    sonde_explain_report_add_fact (report,
                                   sonde_message_get_text (g_ptr_array_index (facts->notes, i)));
  sonde_explain_report_set_predictions (report, facts->predictions);
  sonde_explain_report_set_triage (report, facts->triage);
  if (facts->scorecard != NULL)
    sonde_explain_report_set_scorecard (report, facts->scorecard);
  add_settings (facts, report);
}
