/* SPDX-License-Identifier: Apache-2.0
 * The search for the nodes that must stay float32: the worst ones first until it is good enough,
 * then none that can be left out. */
#include "engine/debug/searches/sonde-precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/sonde-compare.h"
#include "engine/debug/searches/sonde-precision-mixed.h"

/**
 * Search:
 * @judged: (element-type SondeGraphValue): of the wide graph
 * @wide: all float32: the reference
 * @good: within the tolerance, with the fewest float32 nodes so far; @bad: all in fewer bits
 * @reached: error of @good
 */
typedef struct
{
  SondeMixed mixed;
  double tolerance, reached;
  GPtrArray *judged;
  SondeMixedState *wide, *good, *bad;
  guint n_runs;
} Search;

static void
search_clear (Search *search)
{
  sonde_mixed_clear (&search->mixed);
  g_clear_pointer (&search->judged, g_ptr_array_unref);
  g_clear_pointer (&search->wide, sonde_mixed_state_free);
  g_clear_pointer (&search->good, sonde_mixed_state_free);
  g_clear_pointer (&search->bad, sonde_mixed_state_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

/* ---- what is judged ------------------------------------------------------ */

static gboolean
is_judged_by_itself (const SondeGraph *graph, const SondeGraphValue *value)
{
  g_autofree char *parameter = NULL;
  const SondeGraphValue *of;

  if (g_ptr_array_find ((GPtrArray *) graph->outputs, value, NULL))
    return TRUE;
  if (!g_str_has_prefix (value->name, "grad(") || !g_str_has_suffix (value->name, ")"))
    return FALSE;
  parameter = g_strndup (value->name + strlen ("grad("), strlen (value->name) - strlen ("grad()"));
  of = sonde_graph_find_value (graph, parameter);
  return of != NULL && of->role == SONDE_ROLE_PARAMETER;
}

static gboolean
find_judged (Search *search, const SondePrecisionOptions *options, GError **error)
{
  SondeGraph *graph = sonde_replica_get_graph (search->mixed.wide);

  search->judged = g_ptr_array_new ();
  for (gsize i = 0; options->values != NULL && options->values[i] != NULL; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, options->values[i]);

      if (value == NULL || value->producer == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                           "No node makes a value “%s”.", options->values[i]);
          return FALSE;
        }
      g_ptr_array_add (search->judged, value);
    }
  for (guint i = 0; options->values == NULL && i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->producer != NULL && is_judged_by_itself (graph, value))
        g_ptr_array_add (search->judged, value);
    }
  if (search->judged->len > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no output to judge the run by.");
  return FALSE;
}

/* The worst of the judged values. */
static double
judge (Search *search, const SondeMixedState *state)
{
  double worst = 0;

  for (guint i = 0; i < search->judged->len; i++)
    {
      SondeTensor *mine
          = sonde_value_get_tensor (g_hash_table_lookup (state->values, search->judged->pdata[i]));
      SondeTensor *wanted = sonde_value_get_tensor (
          g_hash_table_lookup (search->wide->values, search->judged->pdata[i]));
      SondeComparison comparison;

      if (mine == NULL || wanted == NULL)
        continue;
      if (!sonde_compare_tensors (mine, wanted, &comparison, NULL) || comparison.nan_mismatch > 0)
        return INFINITY;
      worst = MAX (worst, comparison.max_abs / MAX (comparison.max_reference, G_MINDOUBLE));
    }
  return worst;
}

/* ---- sets ---------------------------------------------------------------- */

static guint
count_others (const Search *search, const SondeMixedState *state, const gboolean *is_low)
{
  guint n = 0;

  for (guint k = 0; k < search->mixed.nodes->len; k++)
    n += !!state->is_low[k] != !!is_low[k];
  return n;
}

/* Tries a set; where it is good enough it is the best so far. -1: @error */
static int
try_set (Search *search, const gboolean *is_low, GError **error)
{
  const SondeMixedState *base
      = count_others (search, search->good, is_low) <= count_others (search, search->bad, is_low)
            ? search->good
            : search->bad;
  SondeMixedState *state = sonde_mixed_state_change (&search->mixed, base, is_low, error);
  double reached;

  if (state == NULL)
    return -1;
  search->n_runs++;
  reached = judge (search, state);
  if (!(reached <= search->tolerance))
    {
      sonde_mixed_state_free (state);
      return 0;
    }
  sonde_mixed_state_free (search->good);
  search->good = state;
  search->reached = reached;
  return 1;
}

typedef struct
{
  guint node;
  double error;
} Rank;

static int
compare_ranks (const void *a, const void *b)
{
  const Rank *x = a, *y = b;

  return x->error != y->error ? (x->error < y->error) - (x->error > y->error)
                              : (x->node > y->node) - (x->node < y->node);
}

/* Nodes that could compute in fewer bits, those whose error is felt most first. (transfer full) */
static GArray *
rank_nodes (Search *search)
{
  GArray *ranks = g_array_new (FALSE, TRUE, sizeof (Rank));

  for (guint k = 0; k < search->mixed.nodes->len; k++)
    if (g_array_index (search->mixed.nodes, SondeMixedNode, k).low_step >= 0)
      {
        Rank rank = { k, sonde_mixed_felt_error (&search->mixed, search->wide, k) };

        g_array_append_val (ranks, rank);
      }
  qsort (ranks->data, ranks->len, sizeof (Rank), compare_ranks);
  return ranks;
}

/* How many of the worst have to be kept: by bisection. */
static gboolean
find_worst (Search *search, const GArray *ranks, GError **error)
{
  guint low = 0, high = ranks->len;
  g_autofree gboolean *is_low = g_new0 (gboolean, search->mixed.nodes->len + 1);

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;
      int good;

      for (guint i = 0; i < ranks->len; i++)
        is_low[g_array_index (ranks, Rank, i).node] = i >= middle;
      good = try_set (search, is_low, error);
      if (good < 0)
        return FALSE;
      if (good)
        high = middle;
      else
        low = middle;
    }
  return TRUE;
}

/* Leaves out the kept nodes of [begin, end) of @kept if that is good enough: together, else by
 * halves. */
static gboolean
leave_out (Search *search, const guint *kept, guint begin, guint end, GError **error)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, begin);
  g_array_append_val (stack, end);
  while (stack->len > 0)
    {
      guint from = g_array_index (stack, guint, stack->len - 2),
            to = g_array_index (stack, guint, stack->len - 1), middle;
      g_autofree gboolean *is_low
          = g_memdup2 (search->good->is_low, search->mixed.nodes->len * sizeof *is_low);
      int good;

      g_array_set_size (stack, stack->len - 2);
      for (guint i = from; i < to; i++)
        is_low[kept[i]] = TRUE;
      good = try_set (search, is_low, error);
      if (good < 0)
        return FALSE;
      if (good || to - from < 2)
        continue;
      middle = from + (to - from) / 2;
      g_array_append_val (stack, from);
      g_array_append_val (stack, middle);
      g_array_append_val (stack, middle);
      g_array_append_val (stack, to); /* the less important half first */
    }
  return TRUE;
}

static GArray *
list_kept (Search *search, const GArray *ranks)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < ranks->len; i++)
    {
      guint node = g_array_index (ranks, Rank, i).node;

      if (!search->good->is_low[node])
        g_array_append_val (kept, node);
    }
  return kept;
}

/* Until not one can be left out. In the first round those that stay are tried together first, then
 * each. */
static gboolean
minimise (Search *search, const GArray *ranks, GError **error)
{
  guint before = G_MAXUINT;

  for (guint round = 0;; round++)
    {
      g_autoptr (GArray) kept = list_kept (search, ranks);

      if (kept->len == before || kept->len == 0)
        return TRUE; /* the last round tried each of these alone, and none went */
      before = kept->len;
      if (round == 0 && kept->len > 8)
        {
          if (!leave_out (search, (const guint *) (const void *) kept->data, 0, kept->len, error))
            return FALSE;
          before = G_MAXUINT;
          continue;
        }
      for (guint i = kept->len; i-- > 0;)
        if (!leave_out (search, (const guint *) (const void *) kept->data, i, i + 1, error))
          return FALSE;
    }
}

/* ---- the search ---------------------------------------------------------- */

static SondePrecisionFound *
make_found (Search *search, const SondePrecisionOptions *options, double lowest)
{
  SondePrecisionFound *found = sonde_precision_found_new ();
  SondePlan *plan = sonde_execution_get_plan (sonde_replica_get_execution (search->mixed.wide));

  found->precision = options->precision;
  found->tolerance = options->tolerance;
  found->reached = search->reached;
  found->lowest = lowest;
  found->n_runs = search->n_runs;
  found->whole_runs = (double) search->mixed.n_node_runs / MAX (search->mixed.nodes->len, 1);
  for (guint k = 0; k < search->mixed.nodes->len; k++)
    {
      const SondeMixedNode *node = &g_array_index (search->mixed.nodes, SondeMixedNode, k);

      found->n_nodes += node->low_step >= 0;
      if (node->low_step >= 0 && !search->good->is_low[k])
        g_ptr_array_add (found->kept,
                         g_strdup (sonde_plan_get_step (plan, node->step)->nodes[0]->name));
    }
  for (guint i = 0; i < search->judged->len; i++)
    g_ptr_array_add (found->values,
                     g_strdup (((SondeGraphValue *) search->judged->pdata[i])->name));
  return found;
}

static gboolean
start (Search *search, SondeExecution *execution, const SondePrecisionOptions *options,
       GError **error)
{
  if (options->precision != SONDE_DTYPE_BF16 && options->precision != SONDE_DTYPE_F16)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The precision must be bf16 or f16.");
      return FALSE;
    }
  if (!sonde_mixed_init (&search->mixed, execution, options, error)
      || !find_judged (search, options, error))
    return FALSE;
  search->n_runs = 2;
  search->tolerance = options->tolerance;
  search->wide = sonde_mixed_state_new (&search->mixed, FALSE, error);
  search->good = search->wide != NULL ? sonde_mixed_state_new (&search->mixed, FALSE, error) : NULL;
  search->bad = search->good != NULL ? sonde_mixed_state_new (&search->mixed, TRUE, error) : NULL;
  return search->bad != NULL;
}

SondePrecisionFound *
sonde_precision_search (SondeExecution *execution, const SondePrecisionOptions *options,
                        GError **error)
{
  g_auto (Search) search = { .reached = 0 };
  g_autoptr (GArray) ranks = NULL;
  double lowest;

  if (!start (&search, execution, options, error))
    return NULL;
  lowest = judge (&search, search.bad);
  if (lowest <= search.tolerance)
    {
      sonde_mixed_state_free (search.good);
      search.good = g_steal_pointer (&search.bad);
      search.reached = lowest;
      return make_found (&search, options, lowest);
    }
  ranks = rank_nodes (&search);
  if (!find_worst (&search, ranks, error) || !minimise (&search, ranks, error))
    return NULL;
  return make_found (&search, options, lowest);
}
