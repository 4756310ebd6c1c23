/* SPDX-License-Identifier: Apache-2.0
 * The passes between a model as loaded and the graph that runs. */
#include "engine/plan/sonde-plan.h"

static gboolean
check (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  if (sonde_pass_check (graph, problems))
    return TRUE;

  sonde_op_set_problems (error, problems);
  return FALSE;
}

/* What can be looked at, but not run. */
static gboolean
check_whole (SondeGraph *graph, GError **error)
{
  g_autoptr (GError) cycle = NULL;
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, &cycle);

  if (order == NULL)
    sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, cycle);
  else if (graph->outputs->len == 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "the model has no outputs, so there is nothing to run");
  else
    return TRUE;
  return FALSE;
}

/* Nobody trains them: what is made of them alone is made once. */
static void
fix_parameters (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER && value->constant != NULL)
        value->role = SONDE_ROLE_CONSTANT;
    }
}

/* What the model makes and nobody reads, functions that it calls included: it is no less there for
 * whoever looks at it.
 * @names: (element-type utf8): filled with copies */
static void
list_unread (SondeGraph *inlined, GPtrArray *names)
{
  for (guint i = 0; i < inlined->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (inlined->values, i);

      if (value != NULL && value->producer != NULL && value->users->len == 0)
        g_ptr_array_add (names, g_strdup (value->name));
    }
}

/* As it runs, types known. @unread: (nullable) */
static SondeGraph *
start (SondeGraph *original, const SondeBinding *bindings, guint n_bindings, GPtrArray *unread,
       GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (original, TRUE);

  if (!check_whole (graph, error) || !sonde_pass_inline (graph, error))
    return NULL;
  if (unread != NULL)
    list_unread (graph, unread);
  if (!sonde_pass_legalise (graph, error) || !sonde_pass_expand_gradient (graph, error)
      || !check (graph, error) || !sonde_pass_infer (graph, bindings, n_bindings, error))
    return NULL;
  return g_steal_pointer (&graph);
}

SondeGraph *
sonde_prepare_editable_inference (SondeGraph *original, GError **error)
{
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GPtrArray) unread = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (original != NULL, NULL);

  graph = start (original, NULL, 0, unread, error);
  if (graph == NULL || !sonde_pass_fold (graph, error))
    return NULL;

  sonde_pass_dce_keeping (graph, unread);
  return g_steal_pointer (&graph);
}

SondeGraph *
sonde_prepare_inference (SondeGraph *original, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_prepare_editable_inference (original, error);

  if (graph != NULL)
    sonde_pass_forward_identity (graph);
  return g_steal_pointer (&graph);
}

SondeGraph *
sonde_prepare_kept_inference (SondeGraph *original, const SondeBinding *bindings, guint n_bindings,
                              const char *const *kept, GError **error)
{
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GPtrArray) stay = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (original != NULL, NULL);

  graph = start (original, bindings, n_bindings, stay, error);
  if (graph == NULL || !sonde_pass_fold_sizes (graph, error) || !sonde_pass_fold (graph, error))
    return NULL;

  /* Who is only asked for its sizes has no reader left. */
  for (const char *const *name = kept; name != NULL && *name != NULL; name++)
    g_ptr_array_add (stay, g_strdup (*name));
  sonde_pass_dce_keeping (graph, stay);
  sonde_pass_forward_identity (graph);
  return sonde_pass_quantise_kept (graph, original, kept, error) ? g_steal_pointer (&graph) : NULL;
}

SondeGraph *
sonde_prepare_unwatched_inference (SondeGraph *original, const SondeBinding *bindings,
                                   guint n_bindings, GError **error)
{
  g_autoptr (SondeGraph) graph = NULL;

  g_return_val_if_fail (original != NULL, NULL);

  graph = start (original, bindings, n_bindings, NULL, error);
  if (graph == NULL)
    return NULL;

  fix_parameters (graph);
  if (!sonde_pass_fold_sizes (graph, error) || !sonde_pass_fold_but_weights (graph, error)
      || !sonde_pass_quantise (graph, original, error) || !sonde_pass_fold (graph, error))
    return NULL;

  sonde_pass_forward_identity (graph);
  sonde_pass_dce (graph);
  if (!sonde_pass_fuse (graph, error) || !sonde_pass_sink_squeeze (graph, error))
    return NULL;
  return g_steal_pointer (&graph);
}
