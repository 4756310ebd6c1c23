/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-filter.h"

#include "app/pages/lineage/sonde-trial-query.h"
#include "data/base/sonde-error.h"

struct _SondeTrialFilter
{
  SondeWorkspace *workspace;
  GtkFilter *matching, *brushed;
  GRegex *pattern;        /* (nullable) */
  SondeTrialQuery *query; /* (nullable) */
  char *query_text, *problem;
  GHashTable *brush; /* (nullable): SondeTrial */
};

/* ---- pattern and query --------------------------------------------------- */

typedef struct
{
  const GRegex *pattern;
  gboolean matches;
} Match;

static void
match_parameter (const char *name, const char *text, void *data)
{
  Match *match = data;
  g_autofree char *pair = match->matches ? NULL : g_strdup_printf ("%s=%s", name, text);

  match->matches = match->matches || g_regex_match (match->pattern, pair, 0, NULL);
}

static gboolean
matches_pattern (SondeTrialFilter *filter, SondeTrial *trial)
{
  Match match = { filter->pattern, FALSE };
  SondeRun *run = sonde_trial_get_run (trial);

  match.matches = g_regex_match (match.pattern,
                                 sonde_workspace_get_run_title (filter->workspace, run), 0, NULL);
  if (!match.matches)
    sonde_trial_for_each_parameter (trial, match_parameter, &match);
  return match.matches;
}

static gboolean
matches (void *item, void *data)
{
  SondeTrialFilter *filter = data;
  g_autoptr (GError) error = NULL;
  gboolean answer;

  if (filter->pattern != NULL && !matches_pattern (filter, item))
    return FALSE;
  if (filter->query == NULL)
    return TRUE;
  answer = sonde_trial_query_matches (filter->query, item, &error);
  if (error != NULL && filter->problem == NULL)
    filter->problem = g_strdup (sonde_error_get_text (error));
  return answer;
}

void
sonde_trial_filter_refresh (SondeTrialFilter *filter)
{
  g_clear_pointer (&filter->problem, g_free);
  gtk_filter_changed (filter->matching, GTK_FILTER_CHANGE_DIFFERENT);
}

gboolean
sonde_trial_filter_set_pattern (SondeTrialFilter *filter, const char *pattern, GError **error)
{
  GRegex *regex = NULL;

  if (pattern != NULL && *pattern != '\0')
    {
      regex = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
      if (regex == NULL)
        return FALSE;
    }
  g_clear_pointer (&filter->pattern, g_regex_unref);
  filter->pattern = regex;
  sonde_trial_filter_refresh (filter);
  return TRUE;
}

gboolean
sonde_trial_filter_set_query (SondeTrialFilter *filter, const char *text, GPtrArray *columns,
                              GError **error)
{
  SondeTrialQuery *query = NULL;

  if (text != NULL && *text != '\0')
    {
      query = sonde_trial_query_new (text, columns, error);
      if (query == NULL)
        return FALSE;
    }
  sonde_trial_query_free (filter->query);
  filter->query = query;
  g_free (filter->query_text);
  filter->query_text = g_strdup (text);
  sonde_trial_filter_refresh (filter);
  return TRUE;
}

void
sonde_trial_filter_ask_again (SondeTrialFilter *filter, GPtrArray *columns)
{
  SondeTrialQuery *query;

  if (filter->query == NULL)
    return;
  query = sonde_trial_query_new (filter->query_text, columns, NULL);
  if (query != NULL)
    {
      sonde_trial_query_free (filter->query);
      filter->query = query;
    }
  sonde_trial_filter_refresh (filter);
}

const char *
sonde_trial_filter_get_problem (SondeTrialFilter *filter)
{
  return filter->problem;
}

/* ---- the brush ----------------------------------------------------------- */

static gboolean
is_in_brush (void *item, void *data)
{
  SondeTrialFilter *filter = data;

  return filter->brush == NULL || g_hash_table_contains (filter->brush, item);
}

void
sonde_trial_filter_take_brush (SondeTrialFilter *filter, GHashTable *brush)
{
  g_clear_pointer (&filter->brush, g_hash_table_unref);
  filter->brush = brush;
  gtk_filter_changed (filter->brushed, GTK_FILTER_CHANGE_DIFFERENT);
}

/* ---- life ---------------------------------------------------------------- */

GtkFilter *
sonde_trial_filter_get_matching (SondeTrialFilter *filter)
{
  return filter->matching;
}

GtkFilter *
sonde_trial_filter_get_brushed (SondeTrialFilter *filter)
{
  return filter->brushed;
}

SondeTrialFilter *
sonde_trial_filter_new (SondeWorkspace *workspace)
{
  SondeTrialFilter *filter = g_new0 (SondeTrialFilter, 1);

  filter->workspace = g_object_ref (workspace);
  filter->matching = GTK_FILTER (gtk_custom_filter_new (matches, filter, NULL));
  filter->brushed = GTK_FILTER (gtk_custom_filter_new (is_in_brush, filter, NULL));
  return filter;
}

/* Models may hold the filters longer: these let all through then. */
void
sonde_trial_filter_free (SondeTrialFilter *filter)
{
  if (filter == NULL)
    return;
  gtk_custom_filter_set_filter_func (GTK_CUSTOM_FILTER (filter->matching), NULL, NULL, NULL);
  gtk_custom_filter_set_filter_func (GTK_CUSTOM_FILTER (filter->brushed), NULL, NULL, NULL);
  g_object_unref (filter->matching);
  g_object_unref (filter->brushed);
  g_clear_pointer (&filter->brush, g_hash_table_unref);
  g_clear_pointer (&filter->pattern, g_regex_unref);
  sonde_trial_query_free (filter->query);
  g_free (filter->query_text);
  g_free (filter->problem);
  g_object_unref (filter->workspace);
  g_free (filter);
}
