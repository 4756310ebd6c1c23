/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-what-if-run.h"

#include <string.h>
#include <sys/resource.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "engine/live/sonde-nearest.h"
#include "engine/plan/sonde-given-steps.h"

#define UNTIMED_PAIRS 2
#define BLOCK_PAIRS 10
#define MOST_PAIRS 100000 /* 1.6 MB */
#define NARROW 0.03       /* of the saving, on either side */
#define NOTHING 0.002     /* of the run: a smaller saving need not be known better */
#define SHORT_NS 1e6
#define BUDGET_NS (2 * G_GINT64_CONSTANT (1000000000))
#define BUSY_BUDGET_NS (3 * BUDGET_NS) /* while there are too few quiet runs */

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

/* Times of one side's runs in ns, in order. @quiet: of those in which no other program took the
 * processor; both (element-type double) */
typedef struct
{
  GArray *all, *quiet;
} Side;

/* Runs that are measured until they tell enough. @origin: stands before the first, and never runs;
 * @sides: as it is, and with the results given */
typedef struct
{
  SondeExecution *origin, *branch;
  SondeGivenSteps *given;
  Side sides[2];
} Series;

static void
series_init (Series *series)
{
  for (guint i = 0; i < 2; i++)
    series->sides[i] = (Side){ g_array_new (FALSE, FALSE, sizeof (double)),
                               g_array_new (FALSE, FALSE, sizeof (double)) };
}

static void
series_clear (Series *series)
{
  sonde_given_steps_free (series->given); /* goes before the branch */
  sonde_execution_free (series->branch);
  sonde_execution_free (series->origin);
  for (guint i = 0; i < 2; i++)
    {
      g_array_unref (series->sides[i].all);
      g_array_unref (series->sides[i].quiet);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Series, series_clear)

/* How often a thread of this process had to leave its processor to another one. */
static glong
count_interruptions (void)
{
  struct rusage usage;

  return getrusage (RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static gboolean
time_run (Series *series, gboolean given, gboolean kept, GError **error)
{
  Side *side = &series->sides[given ? 1 : 0];
  glong interruptions;
  gint64 begin;
  double ns;

  sonde_given_steps_set (series->given, given);
  /* what the other side left in the caches would count in a short run */
  if ((side->all->len == 0 || g_array_index (side->all, double, 0) < SHORT_NS)
      && sonde_execution_run (series->branch, error) != SONDE_RUN_DONE)
    return FALSE;
  interruptions = count_interruptions ();
  begin = sonde_clock_monotonic_ns (NULL);
  if (sonde_execution_run (series->branch, error) != SONDE_RUN_DONE)
    return FALSE;
  ns = (double) (sonde_clock_monotonic_ns (NULL) - begin);
  if (kept)
    g_array_append_val (side->all, ns);
  if (kept && count_interruptions () == interruptions)
    g_array_append_val (side->quiet, ns);
  return TRUE;
}

/* Every block begins with the values of the execution, so that a training does not run away, and with
 * runs that nobody keeps, since that took the caches. Which side is first changes from pair to pair. */
static gboolean
time_block (Series *series, GError **error)
{
  sonde_given_steps_set (series->given, FALSE);
  if (!sonde_execution_copy_sources (series->branch, series->origin, error))
    return FALSE;
  for (guint i = 0; i < UNTIMED_PAIRS + BLOCK_PAIRS; i++)
    for (guint k = 0; k < 2; k++)
      if (!time_run (series, (i + k) % 2 == 1, i >= UNTIMED_PAIRS, error))
        return FALSE;
  return TRUE;
}

static guint
count_quiet (const Series *series)
{
  return MIN (series->sides[0].quiet->len, series->sides[1].quiet->len);
}

/* From the quiet runs where there are enough of them. A run that is interrupted takes as long as the
 * others please, and a longer run is interrupted more often: on a busy machine what is saved could
 * be any number. */
static void
estimate (const Series *series, SondeWhatIf *result)
{
  const guint n_all = series->sides[0].all->len, n_quiet = count_quiet (series);
  gboolean quiet = n_quiet >= SONDE_WHAT_IF_RUNS;
  const double *times[2];

  for (guint i = 0; i < 2; i++)
    times[i]
        = (const double *) (void *) (quiet ? series->sides[i].quiet : series->sides[i].all)->data;
  sonde_what_if_estimate (result, times[0], times[1], quiet ? n_quiet : n_all);
  result->n_left_out = quiet ? n_all - n_quiet : 0;
  result->disturbed = !quiet;
}

/* Until the interval is narrow enough, or time is up. */
static gboolean
time_series (Series *series, guint n_least, SondeWhatIf *result, GError **error)
{
  const gint64 begin = sonde_clock_monotonic_ns (NULL);
  const guint n = MAX (n_least, SONDE_WHAT_IF_RUNS);
  guint next = SONDE_WHAT_IF_RUNS;
  gboolean late;

  do
    {
      do
        {
          gint64 spent;

          if (!time_block (series, error))
            return FALSE;
          spent = sonde_clock_monotonic_ns (NULL) - begin;
          late = spent > (count_quiet (series) < SONDE_WHAT_IF_RUNS ? BUSY_BUDGET_NS : BUDGET_NS);
        }
      while (series->sides[0].all->len < n || (count_quiet (series) < next && !late));
      estimate (series, result);
      next = count_quiet (series) * 3 / 2;
    }
  while (!late && series->sides[0].all->len < MOST_PAIRS
         && !sonde_what_if_is_narrow (result, NARROW)
         && result->high_ns - result->low_ns > NOTHING * result->base_ns);
  return TRUE;
}

/* A branch that stands before the first step. (transfer full) */
static SondeExecution *
dup_start (SondeExecution *execution, GError **error)
{
  SondeExecution *branch = sonde_execution_branch (execution, error);

  if (branch != NULL)
    sonde_execution_abandon (branch);
  return branch;
}

SondeWhatIfRun *
sonde_what_if_run_new (SondeExecution *execution, const char *node, guint n_runs, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GArray) steps = sonde_what_if_find_steps (plan, node, error);
  g_auto (Series) series = { 0 };
  SondeWhatIfRun *run;
  SondeWhatIf result = { 0 };

  series_init (&series);
  if (steps == NULL)
    return NULL;
  series.origin = dup_start (execution, error);
  if (series.origin == NULL)
    return NULL;
  series.branch = dup_start (series.origin, error);
  sonde_execution_rest (series.origin);
  if (series.branch != NULL)
    series.given = sonde_given_steps_new (series.branch, (const guint *) (void *) steps->data,
                                          steps->len, error);
  if (series.given == NULL || !time_series (&series, n_runs, &result, error))
    return NULL;
  run = g_new0 (SondeWhatIfRun, 1);
  run->node = g_strdup (node);
  run->nodes = list_nodes (plan, steps);
  run->result = result;
  run->result.node = run->node;
  run->result.nodes = (const char *const *) run->nodes;
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
