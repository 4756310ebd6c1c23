/* SPDX-License-Identifier: Apache-2.0
 * Optimisers, as one update node a parameter. */
#include "engine/nn/sonde-optimiser.h"

/* "state(P, NAME)": zeros of the parameter's type, kept from step to step. */
static SondeGraphValue *
add_state (SondeGraph      *graph,
           SondeGraphValue *parameter,
           const char      *name)
{
  g_autofree char *full = g_strdup_printf ("state(%s, %s)", parameter->name, name);
  g_autoptr (SondeTensor) zeros = NULL;
  SondeShape shape;

  if (!sonde_type_get_shape (&parameter->type, &shape))
    g_return_val_if_reached (NULL);
  zeros = sonde_tensor_new (parameter->type.dtype, &shape);
  return sonde_graph_add_initialiser (graph, full, zeros, SONDE_ROLE_STATE);
}

/* Output @index of @node becomes "V'" and takes V's place after the step. */
static void
mark_update (SondeGraph      *graph,
             SondeNode       *node,
             guint            index,
             SondeGraphValue *of)
{
  g_autofree char *name = g_strconcat (of->name, "'", NULL);
  SondeGraphValue *value = sonde_node_get_output (node, index);

  sonde_graph_rename_value (graph, value, name);
  value->update_of = of;
}

static SondeNode *
add_update (SondeGraph             *graph,
            const char             *op,
            SondeGraphValue        *parameter,
            SondeGraphValue *const *inputs,
            guint                   n_inputs,
            guint                   n_outputs)
{
  g_autofree char *name = g_strdup_printf ("update(%s)", parameter->name);
  SondeNode *node = sonde_graph_add_node (graph, name, SONDE_DOMAIN, op, inputs, n_inputs, n_outputs);

  node->phase = SONDE_PHASE_OPTIMISER;
  node->origin_kind = SONDE_ORIGIN_OPTIMISER;
  if (parameter->users->len > 0)
    {
      SondeNode *user = g_ptr_array_index (parameter->users, 0);

      node->scope = user->scope;
    }
  return node;
}

static gboolean
build_sgd (SondeGraph                   *graph,
           const SondeOptimiserSettings *settings,
           SondeGraphValue              *parameter,
           SondeGraphValue              *gradient,
           SondeGraphValue              *learning_rate,
           SondeGraphValue              *step,
           GError                      **error)
{
  SondeGraphValue *velocity = add_state (graph, parameter, "momentum");
  SondeGraphValue *inputs[] = { parameter, gradient, velocity, learning_rate };
  SondeNode *node = add_update (graph, "SgdUpdate", parameter, inputs, 4, 2);

  sonde_node_set_float (node, "momentum", settings->momentum);
  sonde_node_set_float (node, "weight_decay", settings->weight_decay);
  mark_update (graph, node, 0, parameter);
  mark_update (graph, node, 1, velocity);
  return sonde_build_infer (graph, node, error);
}

static gboolean
build_adam (SondeGraph                   *graph,
            const SondeOptimiserSettings *settings,
            SondeGraphValue              *parameter,
            SondeGraphValue              *gradient,
            SondeGraphValue              *learning_rate,
            SondeGraphValue              *step,
            GError                      **error)
{
  SondeGraphValue *mean = add_state (graph, parameter, "mean");
  SondeGraphValue *variance = add_state (graph, parameter, "variance");
  SondeGraphValue *inputs[] = { parameter, gradient, mean, variance, learning_rate, step };
  SondeNode *node = add_update (graph, "AdamUpdate", parameter, inputs, 6, 3);

  sonde_node_set_float (node, "beta1", settings->beta1);
  sonde_node_set_float (node, "beta2", settings->beta2);
  sonde_node_set_float (node, "epsilon", settings->epsilon);
  sonde_node_set_float (node, "weight_decay", settings->weight_decay);
  mark_update (graph, node, 0, parameter);
  mark_update (graph, node, 1, mean);
  mark_update (graph, node, 2, variance);
  return sonde_build_infer (graph, node, error);
}

static const SondeOptimiser optimisers[] = {
  { "sgd", build_sgd },
  { "adam", build_adam },
};

const SondeOptimiser *
sonde_optimiser_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (optimisers); i++)
    if (g_str_equal (optimisers[i].name, name))
      return &optimisers[i];
  return NULL;
}

char *
sonde_optimiser_list (void)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (optimisers); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", optimisers[i].name);
  return g_string_free (text, FALSE);
}
