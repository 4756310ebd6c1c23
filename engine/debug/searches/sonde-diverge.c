/* SPDX-License-Identifier: Apache-2.0
 * The comparison of two executions: every step of the one alone on what the other read. */
#include "engine/debug/searches/sonde-diverge.h"

#include <math.h>

#include "engine/debug/searches/sonde-diverge-measure.h"

/**
 * Comparing:
 * @subject: the debugged side; @reference: (nullable): the other, where it is an execution
 * @partners: value of the subject's graph -> value of the reference's graph, or name of a tensor
 * @known: value of the subject's graph -> SondeValue: what the reference has, or computed from that
 * by the subject
 * @spans: value -> number of nodes from the nearest that the reference has; those of the reference
 * are not in it
 * @last: value -> 1 + last step that reads it
 */
typedef struct
{
  const SondeDivergeOptions *options;
  SondeReplica *subject, *reference;
  SondePlan *plan;
  GHashTable *partners, *known, *spans, *last;
  SondeDivergence *result;
  guint n_steps, n_done, n_all;
} Comparing;

static void
comparing_clear (Comparing *comparing)
{
  g_clear_pointer (&comparing->subject, sonde_replica_free);
  g_clear_pointer (&comparing->reference, sonde_replica_free);
  g_clear_pointer (&comparing->partners, g_hash_table_unref);
  g_clear_pointer (&comparing->known, g_hash_table_unref);
  g_clear_pointer (&comparing->spans, g_hash_table_unref);
  g_clear_pointer (&comparing->last, g_hash_table_unref);
  g_clear_pointer (&comparing->result, sonde_divergence_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparing, comparing_clear)

/* ---- one value ----------------------------------------------------------- */

static SondeDtype
computed_dtype_of_reference (Comparing *comparing, const SondeGraphValue *value,
                             SondeValue *content)
{
  SondeTensor *tensor = sonde_value_get_tensor (content);

  if (comparing->reference != NULL)
    return sonde_replica_get_computed_dtype (g_hash_table_lookup (comparing->partners, value));
  return tensor != NULL ? tensor->dtype : SONDE_DTYPE_INVALID;
}

static const char *
name_of_partner (Comparing *comparing, const SondeGraphValue *value)
{
  gpointer partner = g_hash_table_lookup (comparing->partners, value);

  if (partner == NULL)
    return NULL;
  return comparing->reference != NULL ? ((SondeGraphValue *) partner)->name : partner;
}

/* What the reference has of @value; NULL without error: nothing. (transfer full) */
static SondeValue *
read_reference (Comparing *comparing, const SondeGraphValue *value, GError **error)
{
  const char *name = name_of_partner (comparing, value);

  if (name == NULL)
    return NULL;
  if (comparing->reference != NULL)
    return sonde_replica_read (comparing->reference, name, error);
  return sonde_value_new_tensor (g_hash_table_lookup (comparing->options->tensors, name));
}

static gboolean
is_asked (Comparing *comparing, const SondeStep *step, const char *value)
{
  const char *pattern = comparing->options->pattern;

  if (pattern == NULL || g_pattern_match_simple (pattern, value))
    return TRUE;
  for (guint i = 0; i < step->n_nodes; i++)
    if (g_pattern_match_simple (pattern, step->nodes[i]->name))
      return TRUE;
  return FALSE;
}

/* @own: what the step made of the reference's inputs; NULL: it could not. */
static void
judge (Comparing *comparing, const SondeStep *step, SondeGraphValue *value, SondeValue *own,
       SondeValue *reference, guint span)
{
  g_autoptr (SondeValue) run = sonde_replica_read (comparing->subject, value->name, NULL);
  const char *name = name_of_partner (comparing, value);
  SondeComparison comparison, inherited;
  double own_error = sonde_diverge_measure (own, reference, &comparison),
         inherited_error = sonde_diverge_measure (run, reference, &inherited), rtol;
  SondeTensor *tensor = sonde_value_get_tensor (reference);
  SondeDivergedValue *entry;

  if (tensor == NULL || isnan (inherited_error))
    return;
  rtol
      = comparing->options->rtol >= 0
            ? comparing->options->rtol
            : sonde_diverge_default_rtol (computed_dtype_of_reference (comparing, value, reference),
                                          sonde_replica_get_computed_dtype (value));
  entry = g_new0 (SondeDivergedValue, 1);
  entry->node = g_strdup (value->producer->name);
  entry->op = g_strdup (value->producer->op);
  entry->value = g_strdup (value->name);
  entry->reference = g_strcmp0 (name, value->name) != 0 ? g_strdup (name) : NULL;
  entry->phase = value->producer->phase;
  entry->own_error = own_error;
  entry->inherited_error = inherited_error;
  entry->largest = isnan (own_error) ? inherited.max_reference : comparison.max_reference;
  entry->tolerance = rtol * entry->largest;
  entry->over
      = isnan (own_error) ? inherited_error > entry->tolerance : own_error > entry->tolerance;
  entry->n_fused = step->n_nodes;
  entry->n_nodes = span;
  entry->index = comparison.index;
  entry->shape = tensor->shape;
  entry->number = comparison.a;
  entry->wanted = comparison.b;
  g_ptr_array_add (comparing->result->values, entry);
}

/* ---- one step ------------------------------------------------------------ */

/* Nodes that lie between the inputs of @step and what the reference has, with its own. */
static guint
count_span (Comparing *comparing, const SondeStep *step)
{
  guint span = 1;

  for (guint i = 0; i < step->n_inputs; i++)
    span += GPOINTER_TO_UINT (g_hash_table_lookup (comparing->spans, step->inputs[i]));
  return span;
}

/* Values that no later step reads are let go. */
static void
forget (Comparing *comparing, const SondeStep *step, guint index)
{
  for (guint i = 0; i < step->n_inputs; i++)
    if (GPOINTER_TO_UINT (g_hash_table_lookup (comparing->last, step->inputs[i])) == index + 1)
      g_hash_table_remove (comparing->known, step->inputs[i]);
}

/* Where the step cannot run on the reference's inputs (other sizes), what it made in the run stands
 * for what it makes. */
static SondeValue *
take_as_run (Comparing *comparing, SondeGraphValue *value)
{
  return sonde_replica_read (comparing->subject, value->name, NULL);
}

static gboolean
compare_output (Comparing *comparing, const SondeStep *step, guint index, guint k, SondeValue *own,
                guint span, gboolean *matched, GError **error)
{
  SondeGraphValue *value = step->outputs[k];
  g_autoptr (GError) failure = NULL;
  g_autoptr (SondeValue) reference = read_reference (comparing, value, &failure);

  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (reference != NULL)
    {
      *matched = TRUE;
      if (step->n_nodes > 0 && value->producer != NULL && is_asked (comparing, step, value->name))
        judge (comparing, step, value, own, reference, span);
    }
  else
    {
      reference = own != NULL ? sonde_value_ref (own) : take_as_run (comparing, value);
      g_hash_table_insert (comparing->spans, value, GUINT_TO_POINTER (span));
    }
  if (reference != NULL
      && GPOINTER_TO_UINT (g_hash_table_lookup (comparing->last, value)) > index + 1)
    g_hash_table_insert (comparing->known, value, g_steal_pointer (&reference));
  return TRUE;
}

static gboolean
tick (guint step, guint n_steps, gpointer data)
{
  Comparing *comparing = data;
  const SondeDivergeOptions *options = comparing->options;

  comparing->n_done++;
  return options->tick != NULL
         && options->tick (comparing->n_done, comparing->n_all, options->data);
}

static gboolean
compare_step (Comparing *comparing, guint index, GError **error)
{
  const SondeStep *step = sonde_plan_get_step (comparing->plan, index);
  g_autofree SondeValue **own = g_new0 (SondeValue *, step->n_outputs + 1);
  guint span = count_span (comparing, step);
  gboolean good = TRUE, matched = FALSE;

  if (step->n_nodes == 0)
    return TRUE; /* what it reorders is forced in where it is read */
  if (tick (0, 0, comparing))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The comparison was cancelled.");
      return FALSE;
    }
  sonde_execution_run_alone (sonde_replica_get_execution (comparing->subject), index,
                             comparing->known, own, NULL);
  for (guint k = 0; good && k < step->n_outputs; k++)
    if (step->outputs[k] != NULL)
      good = compare_output (comparing, step, index, k, own[k], span, &matched, error);
  for (guint k = 0; k < step->n_outputs; k++)
    sonde_value_unref (own[k]);
  if (!matched)
    g_ptr_array_add (comparing->result->unmatched, g_strdup (step->name));
  forget (comparing, step, index);
  return good;
}

/* ---- both sides ---------------------------------------------------------- */

static SondeReplica *
make_subject (SondeExecution *execution, const SondeDivergeOptions *options, GError **error)
{
  SondeReplicaOptions optimised = { .form = SONDE_REPLICA_OPTIMISED };

  return options->optimised ? sonde_replica_new (execution, &optimised, error)
                            : sonde_replica_new_as_run (execution, error);
}

static GHashTable *
match_tensors (Comparing *comparing)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *partners;
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, comparing->options->tensors);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  partners = sonde_diverge_match_names (sonde_plan_get_graph (comparing->plan), names);
  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    g_hash_table_add (used, name);
  for (guint i = 0; i < names->len; i++)
    if (!g_hash_table_contains (used, names->pdata[i]))
      g_ptr_array_add (comparing->result->unused, g_strdup (names->pdata[i]));
  return partners;
}

static void
find_last_readers (Comparing *comparing)
{
  for (guint k = 0; k < comparing->n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (comparing->plan, k);

      for (guint i = 0; i < step->n_inputs; i++)
        g_hash_table_insert (comparing->last, step->inputs[i], GUINT_TO_POINTER (k + 1));
    }
}

static gboolean
is_changing_source (const SondeGraphValue *value)
{
  return value->producer == NULL && value->users->len > 0
         && (value->role == SONDE_ROLE_INPUT || value->role == SONDE_ROLE_PARAMETER
             || value->role == SONDE_ROLE_STATE);
}

/* Inputs as a file has them; and where memory is used again, reordered copies of sources are no
 * longer there. */
static gboolean
take_sources (Comparing *comparing, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (comparing->plan);
  gboolean kept = sonde_plan_get_memory_mode (comparing->plan) == SONDE_MEMORY_KEEP;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeValue *content = NULL;

      if (value == NULL || !is_changing_source (value))
        continue;
      if (value->role == SONDE_ROLE_INPUT && comparing->reference == NULL)
        content = read_reference (comparing, value, NULL);
      if (content == NULL && !kept)
        {
          content = sonde_replica_read (comparing->subject, value->name, error);
          if (content == NULL)
            return FALSE;
        }
      if (content != NULL)
        g_hash_table_insert (comparing->known, value, content);
    }
  return TRUE;
}

static guint
count_left (SondeReplica *replica)
{
  SondeExecution *execution = sonde_replica_get_execution (replica);

  return sonde_plan_get_n_steps (sonde_execution_get_plan (execution))
         - sonde_execution_get_position (execution);
}

static guint
count_all (Comparing *comparing)
{
  return comparing->n_steps + count_left (comparing->subject)
         + (comparing->reference != NULL ? count_left (comparing->reference) : 0);
}

static gboolean
prepare (Comparing *comparing, SondeExecution *execution, GError **error)
{
  const SondeDivergeOptions *options = comparing->options;

  comparing->subject = make_subject (execution, options, error);
  if (comparing->subject == NULL)
    return FALSE;
  comparing->plan = sonde_execution_get_plan (sonde_replica_get_execution (comparing->subject));
  comparing->n_steps = sonde_plan_get_n_steps (comparing->plan);
  if (options->tensors == NULL)
    comparing->reference = options->optimised
                               ? sonde_replica_new_as_run (execution, error)
                               : sonde_replica_new (execution, &options->reference, error);
  if (options->tensors == NULL && comparing->reference == NULL)
    return FALSE;
  comparing->partners
      = options->tensors != NULL
            ? match_tensors (comparing)
            : sonde_diverge_match_graphs (sonde_plan_get_graph (comparing->plan),
                                          sonde_replica_get_graph (comparing->reference));
  comparing->known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  comparing->spans = g_hash_table_new (NULL, NULL);
  comparing->last = g_hash_table_new (NULL, NULL);
  comparing->n_all = count_all (comparing);
  find_last_readers (comparing);
  return (comparing->reference == NULL
          || sonde_replica_run (comparing->reference, G_MAXUINT, tick, comparing, error))
         && sonde_replica_run (comparing->subject, G_MAXUINT, tick, comparing, error)
         && take_sources (comparing, error);
}

/* The order of the plan that the user sees, where the one that was judged is another. */
static int
compare_positions (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeDivergedValue *x = *(const SondeDivergedValue *const *) a,
                           *y = *(const SondeDivergedValue *const *) b;
  SondePlan *plan = data;
  const SondeGraph *graph = sonde_plan_get_graph (plan);
  const SondeGraphValue *p = sonde_graph_find_value (graph, x->value),
                        *q = sonde_graph_find_value (graph, y->value);
  int i = p != NULL && p->producer != NULL ? sonde_plan_find_step (plan, p->producer) : G_MAXINT;
  int k = q != NULL && q->producer != NULL ? sonde_plan_find_step (plan, q->producer) : G_MAXINT;

  return (i > k) - (i < k);
}

static void
name_as_shown (SondeDivergence *divergence, SondePlan *plan)
{
  for (guint i = 0; i < divergence->values->len; i++)
    {
      SondeDivergedValue *entry = g_ptr_array_index (divergence->values, i);
      const SondeGraphValue *value
          = sonde_graph_find_value (sonde_plan_get_graph (plan), entry->value);

      if (value == NULL || value->producer == NULL)
        continue;
      g_free (entry->node);
      entry->node = g_strdup (value->producer->name);
      if (entry->n_fused < 2)
        {
          g_free (entry->op);
          entry->op = g_strdup (value->producer->op);
        }
    }
}

static SondeDivergence *
finish (Comparing *comparing, SondeExecution *execution, GError **error)
{
  SondeDivergence *result = comparing->result;

  if (result->values->len == 0 && comparing->options->pattern == NULL)
    {
      if (result->unused->len > 0)
        sonde_set_error (
            error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
            "The reference has no value that this run has; its names are others, as %s.",
            (char *) result->unused->pdata[0]);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                         "The reference has no value that this run has; its names are others.");
      return NULL;
    }
  if (comparing->options->optimised)
    {
      name_as_shown (result, sonde_execution_get_plan (execution));
      g_ptr_array_sort_with_data (result->values, compare_positions,
                                  sonde_execution_get_plan (execution));
    }
  for (guint i = 0; result->first < 0 && i < result->values->len; i++)
    if (((SondeDivergedValue *) g_ptr_array_index (result->values, i))->over)
      result->first = (int) i;
  return g_steal_pointer (&comparing->result);
}

SondeDivergence *
sonde_diverge (SondeExecution *execution, const SondeDivergeOptions *options, GError **error)
{
  g_auto (Comparing) comparing = { .options = options, .result = sonde_divergence_new () };

  g_return_val_if_fail (execution != NULL, NULL);

  if (!prepare (&comparing, execution, error))
    return NULL;
  for (guint k = 0; k < comparing.n_steps; k++)
    if (!compare_step (&comparing, k, error))
      return NULL;
  return finish (&comparing, execution, error);
}
