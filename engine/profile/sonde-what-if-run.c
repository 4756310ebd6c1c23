/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-what-if-run.h"

#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/profiles/sonde-rank-test.h"
#include "engine/live/sonde-nearest.h"
#include "engine/plan/sonde-given-steps.h"

#define UNTIMED_RUNS 2

/* ---- which steps --------------------------------------------------------------- */

/* A gradient or an update tells what it belongs to, but is not that. */
static gboolean
stands_for_origins (const SondeNode *node)
{
  return node->origin_kind != SONDE_ORIGIN_GRADIENT && node->origin_kind != SONDE_ORIGIN_OPTIMISER
         && node->origin_kind != SONDE_ORIGIN_LOSS && node->phase == SONDE_PHASE_FORWARD;
}

static gboolean
makes (const SondeNode *node, const char *value)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const SondeGraphValue *output = sonde_node_get_output (node, k);

      if (output != NULL && strcmp (output->name, value) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_called (const SondeNode *node, const char *name)
{
  for (guint i = 0; stands_for_origins (node) && i < node->origins->len; i++)
    if (strcmp (g_ptr_array_index (node->origins, i), name) == 0)
      return TRUE;
  return strcmp (node->name, name) == 0 || makes (node, name);
}

/* Names of all nodes that steps stand for, for the nearest. (element-type utf8), lent */
static GPtrArray *
list_names (const SondePlan *plan)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < sonde_plan_get_n_steps (plan); i++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, i);

      for (guint k = 0; k < step->n_nodes; k++)
        {
          const SondeNode *node = step->nodes[k];

          for (guint o = 0; stands_for_origins (node) && o < node->origins->len; o++)
            g_ptr_array_add (names, g_ptr_array_index (node->origins, o));
          g_ptr_array_add (names, node->name);
        }
    }
  return names;
}

static const char *
get_name (guint k, gpointer data)
{
  return g_ptr_array_index ((GPtrArray *) data, k);
}

GArray *
sonde_what_if_find_steps (const SondePlan *plan, const char *node, GError **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) names = NULL;
  const char *nearest;

  for (guint i = 0; i < sonde_plan_get_n_steps (plan); i++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, i);
      gboolean found = FALSE;

      for (guint k = 0; k < step->n_nodes && !found; k++)
        found = is_called (step->nodes[k], node);
      if (found)
        g_array_append_val (steps, i);
    }
  if (steps->len > 0)
    return g_steal_pointer (&steps);
  names = list_names (plan);
  nearest = sonde_nearest_name (node, get_name, names->len, names);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "No step of the run computes a node “%s”; the nearest is “%s”.", node,
                     nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "No step of the run computes a node “%s”.", node);
  return NULL;
}

static void
add_name (GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), name) == 0)
      return;
  g_ptr_array_add (names, g_strdup (name));
}

/* (transfer full) (array zero-terminated=1) */
static char **
list_nodes (const SondePlan *plan, const GArray *steps)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < steps->len; i++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, g_array_index (steps, guint, i));

      for (guint k = 0; k < step->n_nodes; k++)
        {
          const SondeNode *node = step->nodes[k];

          if (!stands_for_origins (node) || node->origins->len == 0)
            add_name (names, node->name);
          for (guint o = 0; stands_for_origins (node) && o < node->origins->len; o++)
            add_name (names, g_ptr_array_index (node->origins, o));
        }
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* ---- measuring ------------------------------------------------------------------- */

/* Of one run, in ns; negative with @error. */
static double
time_run (SondeExecution *execution, GError **error)
{
  gint64 begin = sonde_clock_monotonic_ns (NULL);

  if (sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return -1;
  return (double) (sonde_clock_monotonic_ns (NULL) - begin);
}

/* @base, @without: (out) (array length=n). Which side is first changes from pair to pair. */
static gboolean
time_pairs (SondeExecution *execution, SondeGivenSteps *given, guint n, double *base,
            double *without, GError **error)
{
  for (guint i = 0; i < n + UNTIMED_RUNS; i++)
    for (guint side = 0; side < 2; side++)
      {
        gboolean on = (side + i) % 2 == 1;
        double ns;

        sonde_given_steps_set (given, on);
        ns = time_run (execution, error);
        if (ns < 0)
          return FALSE;
        if (i >= UNTIMED_RUNS)
          (on ? without : base)[i - UNTIMED_RUNS] = ns;
      }
  return TRUE;
}

SondeWhatIfRun *
sonde_what_if_run_new (SondeExecution *execution, const char *node, guint n_runs, GError **error)
{
  const guint n = MAX (n_runs, SONDE_WHAT_IF_RUNS);
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GArray) steps = sonde_what_if_find_steps (plan, node, error);
  g_autoptr (SondeExecution) branch = NULL;
  g_autoptr (SondeGivenSteps) given = NULL; /* goes before the branch */
  g_autofree double *base = g_new (double, n), *without = g_new (double, n);
  SondeWhatIfRun *run;

  if (steps == NULL)
    return NULL;
  branch = sonde_execution_branch (execution, error);
  if (branch == NULL)
    return NULL;
  sonde_execution_abandon (branch);
  given = sonde_given_steps_new (branch, (const guint *) steps->data, steps->len, error);
  if (given == NULL || !time_pairs (branch, given, n, base, without, error))
    return NULL;
  run = g_new0 (SondeWhatIfRun, 1);
  run->n_runs = n;
  run->node = g_strdup (node);
  run->nodes = list_nodes (plan, steps);
  run->result = (SondeWhatIf){
    .node = run->node,
    .nodes = (const char *const *) run->nodes,
    .base_ns = sonde_quantile (base, n, 0.5),
    .without_ns = sonde_quantile (without, n, 0.5),
    .p = sonde_rank_test (base, n, without, n),
  };
  return run;
}

void
sonde_what_if_run_free (SondeWhatIfRun *run)
{
  if (run == NULL)
    return;
  g_free (run->node);
  g_strfreev (run->nodes);
  g_free (run);
}
