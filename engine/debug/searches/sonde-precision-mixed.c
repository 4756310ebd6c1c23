/* SPDX-License-Identifier: Apache-2.0
 * Runs in which each node is float32 or in fewer bits. A value in fewer bits is known by its
 * float32 view, which is exact, so that both kinds of node read one table. */
#include "engine/debug/searches/sonde-precision-mixed.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-compare.h"

/* Nodes behind one over which its error is followed: what two large numbers leave when one is taken
 * from the other. */
#define FELT_NODES 5

void
sonde_mixed_clear (SondeMixed *mixed)
{
  g_clear_pointer (&mixed->wide, sonde_replica_free);
  g_clear_pointer (&mixed->low, sonde_replica_free);
  g_clear_pointer (&mixed->nodes, g_array_unref);
  g_clear_pointer (&mixed->singles, g_hash_table_unref);
}

void
sonde_mixed_state_free (SondeMixedState *state)
{
  if (state == NULL)
    return;
  g_free (state->is_low);
  g_hash_table_unref (state->values);
  g_free (state);
}

static SondePlan *
plan_of (SondeReplica *replica)
{
  return sonde_execution_get_plan (sonde_replica_get_execution (replica));
}

static guint
count_nodes (const SondeMixed *mixed)
{
  return mixed->nodes->len;
}

/* ---- both sides ---------------------------------------------------------- */

/* A cast that the pass inserted stands between a value and its twin. */
static void
index_twins (SondeMixed *mixed, SondeDtype precision)
{
  SondeGraph *wide = sonde_replica_get_graph (mixed->wide),
             *low = sonde_replica_get_graph (mixed->low);

  for (guint i = 0; i < low->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (low->nodes, i);
      SondeGraphValue *from, *to, *view, *twin, *single;

      if (!sonde_node_is (node, SONDE_OP_ID_CAST) || node->origin_kind != SONDE_ORIGIN_INSERTED)
        continue;
      from = sonde_node_get_input (node, 0);
      to = sonde_node_get_output (node, 0);
      if (from == NULL || to == NULL
          || (from->type.dtype == precision) == (to->type.dtype == precision))
        continue;
      twin = from->type.dtype == precision ? from : to;
      view = twin == from ? to : from;
      single = sonde_graph_find_value (wide, view->name);
      if (single != NULL)
        g_hash_table_insert (mixed->singles, twin, single);
    }
  for (guint i = 0; i < low->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (low->values, i);
      SondeGraphValue *single = value != NULL ? sonde_graph_find_value (wide, value->name) : NULL;

      if (single != NULL)
        g_hash_table_insert (mixed->singles, value, single);
    }
}

static void
list_nodes (SondeMixed *mixed, SondeDtype precision)
{
  SondePlan *wide = plan_of (mixed->wide), *low = plan_of (mixed->low);

  for (guint k = 0; k < sonde_plan_get_n_steps (wide); k++)
    {
      const SondeStep *step = sonde_plan_get_step (wide, k);
      SondeNode *node = step->n_nodes == 1 ? sonde_graph_find_node (sonde_plan_get_graph (low),
                                                                    step->nodes[0]->name)
                                           : NULL;
      SondeGraphValue *output = node != NULL ? sonde_node_get_output (node, 0) : NULL;
      SondeMixedNode entry = { k, -1 };

      if (step->n_nodes == 0)
        continue;
      if (output != NULL && output->type.dtype == precision)
        entry.low_step = sonde_plan_find_step (low, node);
      g_array_append_val (mixed->nodes, entry);
    }
}

gboolean
sonde_mixed_init (SondeMixed *mixed, SondeExecution *execution,
                  const SondePrecisionOptions *options, GError **error)
{
  SondeReplicaOptions wide = { 0 }, low = { .precision = options->precision };

  *mixed = (SondeMixed){ .tick = options->tick, .data = options->data };
  mixed->nodes = g_array_new (FALSE, TRUE, sizeof (SondeMixedNode));
  mixed->singles = g_hash_table_new (NULL, NULL);
  mixed->wide = sonde_replica_new (execution, &wide, error);
  if (mixed->wide == NULL
      || !sonde_replica_run (mixed->wide, G_MAXUINT, options->tick, options->data, error))
    return FALSE;
  mixed->low = sonde_replica_new (execution, &low, error);
  if (mixed->low == NULL
      || !sonde_replica_run (mixed->low, G_MAXUINT, options->tick, options->data, error))
    return FALSE;
  index_twins (mixed, options->precision);
  list_nodes (mixed, options->precision);
  mixed->n_node_runs = 2 * (guint64) count_nodes (mixed);
  return TRUE;
}

/* ---- states -------------------------------------------------------------- */

static SondeMixedState *
state_new (const SondeMixed *mixed, const gboolean *is_low)
{
  SondeMixedState *state = g_new0 (SondeMixedState, 1);

  state->is_low = is_low != NULL ? g_memdup2 (is_low, count_nodes (mixed) * sizeof *is_low)
                                 : g_new0 (gboolean, count_nodes (mixed) + 1);
  state->values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  return state;
}

SondeMixedState *
sonde_mixed_state_new (SondeMixed *mixed, gboolean low, GError **error)
{
  SondeMixedState *state = state_new (mixed, NULL);

  for (guint k = 0; k < count_nodes (mixed); k++)
    {
      const SondeMixedNode *node = &g_array_index (mixed->nodes, SondeMixedNode, k);
      const SondeStep *step = sonde_plan_get_step (plan_of (mixed->wide), node->step);

      state->is_low[k] = low && node->low_step >= 0;
      for (guint i = 0; i < step->n_outputs; i++)
        {
          SondeValue *value
              = sonde_replica_read (low ? mixed->low : mixed->wide, step->outputs[i]->name, error);

          if (value == NULL)
            {
              sonde_mixed_state_free (state);
              return NULL;
            }
          g_hash_table_insert (state->values, step->outputs[i], value);
        }
    }
  return state;
}

/* The same bits, so that what reads it need not run. */
static gboolean
is_same (SondeValue *a, SondeValue *b)
{
  SondeTensor *x = sonde_value_get_tensor (a), *y = sonde_value_get_tensor (b);

  return a == b || (x != NULL && y != NULL && sonde_tensor_equal (x, y));
}

static SondeValue *
view_of (SondeValue *value, SondeDtype dtype)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);
  g_autoptr (SondeTensor) single = NULL;

  if (tensor == NULL || tensor->dtype == dtype || dtype == SONDE_DTYPE_INVALID)
    return sonde_value_ref (value);
  single = sonde_tensor_cast (tensor, dtype);
  return sonde_value_new_tensor (single);
}

/* Runs node @k on @values; its results as of the wide graph go into @results. */
static gboolean
run_node (SondeMixed *mixed, guint k, gboolean is_low, GHashTable *values, GHashTable *results,
          GError **error)
{
  const SondeMixedNode *node = &g_array_index (mixed->nodes, SondeMixedNode, k);
  SondeReplica *side = is_low ? mixed->low : mixed->wide;
  guint index = is_low ? (guint) node->low_step : node->step;
  const SondeStep *step = sonde_plan_get_step (plan_of (side), index);
  g_autoptr (GHashTable) forced = g_hash_table_new (NULL, NULL);
  g_autofree SondeValue **outputs = g_new0 (SondeValue *, step->n_outputs + 1);

  for (guint i = 0; i < step->n_inputs; i++)
    {
      SondeGraphValue *single
          = is_low ? g_hash_table_lookup (mixed->singles, step->inputs[i]) : step->inputs[i];
      SondeValue *content = single != NULL ? g_hash_table_lookup (values, single) : NULL;

      if (content != NULL)
        g_hash_table_insert (forced, step->inputs[i], content);
    }
  mixed->n_node_runs++;
  if (!sonde_execution_run_alone (sonde_replica_get_execution (side), index, forced, outputs,
                                  error))
    return FALSE;
  for (guint i = 0; i < step->n_outputs; i++)
    {
      SondeGraphValue *single
          = is_low ? g_hash_table_lookup (mixed->singles, step->outputs[i]) : step->outputs[i];

      if (outputs[i] != NULL && single != NULL)
        g_hash_table_insert (results, single, view_of (outputs[i], single->type.dtype));
      sonde_value_unref (outputs[i]);
    }
  return TRUE;
}

static gboolean
reads_changed (const SondeStep *step, GHashTable *changed)
{
  for (guint i = 0; i < step->n_inputs; i++)
    if (g_hash_table_contains (changed, step->inputs[i]))
      return TRUE;
  return FALSE;
}

static gboolean
change_node (SondeMixed *mixed, const SondeMixedState *base, SondeMixedState *state, guint k,
             GHashTable *changed, GError **error)
{
  g_autoptr (GHashTable) results
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  GHashTableIter iter;
  gpointer value, content;

  if (mixed->tick != NULL
      && mixed->tick ((guint) MIN (mixed->n_node_runs, G_MAXUINT / 2),
                      (guint) MIN (2 * mixed->n_node_runs, G_MAXUINT / 2), mixed->data))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The search was cancelled.");
      return FALSE;
    }
  if (!run_node (mixed, k, state->is_low[k], state->values, results, error))
    return FALSE;
  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, &value, &content))
    if (!is_same (content, g_hash_table_lookup (base->values, value)))
      {
        g_hash_table_insert (state->values, value, sonde_value_ref (content));
        g_hash_table_add (changed, value);
      }
  return TRUE;
}

SondeMixedState *
sonde_mixed_state_change (SondeMixed *mixed, const SondeMixedState *base, const gboolean *is_low,
                          GError **error)
{
  SondeMixedState *state = state_new (mixed, is_low);
  g_autoptr (GHashTable) changed = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer value, content;

  g_hash_table_iter_init (&iter, base->values);
  while (g_hash_table_iter_next (&iter, &value, &content))
    g_hash_table_insert (state->values, value, sonde_value_ref (content));
  for (guint k = 0; k < count_nodes (mixed); k++)
    {
      const SondeStep *step = sonde_plan_get_step (
          plan_of (mixed->wide), g_array_index (mixed->nodes, SondeMixedNode, k).step);

      if ((!!is_low[k] != !!base->is_low[k] || reads_changed (step, changed))
          && !change_node (mixed, base, state, k, changed, error))
        {
          sonde_mixed_state_free (state);
          return NULL;
        }
    }
  return state;
}

/* Largest difference of what a node made now from @base, relative to the largest number. */
static double
compare_results (const SondeMixedState *base, GHashTable *results)
{
  GHashTableIter iter;
  gpointer value, content;
  double worst = 0;

  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, &value, &content))
    {
      SondeTensor *mine = sonde_value_get_tensor (content),
                  *wide = sonde_value_get_tensor (g_hash_table_lookup (base->values, value));
      SondeComparison comparison;

      if (mine == NULL || wide == NULL || !sonde_compare_tensors (mine, wide, &comparison, NULL))
        continue;
      worst = MAX (worst, comparison.nan_mismatch > 0
                              ? INFINITY
                              : comparison.max_abs / MAX (comparison.max_reference, G_MINDOUBLE));
    }
  return worst;
}

double
sonde_mixed_felt_error (SondeMixed *mixed, const SondeMixedState *base, guint k)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL),
                         changed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  GHashTableIter iter;
  gpointer value, content;
  double felt = 0;

  g_hash_table_iter_init (&iter, base->values);
  while (g_hash_table_iter_next (&iter, &value, &content))
    g_hash_table_insert (values, value, content);
  for (guint i = k; i < count_nodes (mixed) && made->len <= FELT_NODES; i++)
    {
      const SondeStep *step = sonde_plan_get_step (
          plan_of (mixed->wide), g_array_index (mixed->nodes, SondeMixedNode, i).step);
      GHashTable *results;
      double error;

      if (i != k && !reads_changed (step, changed))
        continue;
      results = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
      g_ptr_array_add (made, results);
      if (!run_node (mixed, i, i == k, values, results, NULL))
        return INFINITY;
      error = compare_results (base, results);
      /* its own only where nobody reads it */
      felt = i == k || made->len == 2 ? error : MAX (felt, error);
      g_hash_table_iter_init (&iter, results);
      while (g_hash_table_iter_next (&iter, &value, &content))
        {
          g_hash_table_insert (values, value, content);
          g_hash_table_add (changed, value);
        }
    }
  return felt;
}
