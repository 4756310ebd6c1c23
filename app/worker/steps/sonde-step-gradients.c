/* SPDX-License-Identifier: Apache-2.0
 * Gradients of a model by the gradient pass, seeded by those of the program. */
#include "app/worker/steps/sonde-step-gradients.h"

#include <string.h>

#include "app/worker/steps/sonde-step-weights.h"
#include "data/base/sonde-error.h"
#include "engine/passes/sonde-passes.h"

/* ---- what flows in ------------------------------------------------------- */

/**
 * Seeding: arrays of SondeGraphValue
 * @targets: outputs of the graph; @seeds: inputs that hold what flows into them
 * @wanted: values whose gradients are compared; @wanted_names: (element-type utf8): "grad(NAME)" of each in
 *   the step; @references: (element-type SondeTensor): the step's
 */
typedef struct
{
  SondeGraph *graph;
  const SondeStepMatch *match;
  GPtrArray *targets, *seeds, *wanted, *wanted_names, *references;
} Seeding;

static void
seeding_clear (Seeding *seeding)
{
  g_clear_pointer (&seeding->targets, g_ptr_array_unref);
  g_clear_pointer (&seeding->seeds, g_ptr_array_unref);
  g_clear_pointer (&seeding->wanted, g_ptr_array_unref);
  g_clear_pointer (&seeding->wanted_names, g_ptr_array_unref);
  g_clear_pointer (&seeding->references, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Seeding, seeding_clear)

static void
take (Seeding *seeding, const char *value, const char *name, SondeTensor *tensor)
{
  g_hash_table_insert (seeding->match->tensors, g_strdup (value), sonde_tensor_ref (tensor));
  g_hash_table_insert (seeding->match->names, g_strdup (value), g_strdup (name));
}

/* What the step says of the gradient of output @k, in the type that the model computes it in.
 * (transfer full) (nullable) */
static SondeTensor *
dup_seed (const Seeding *seeding, const SondeGraphValue *output, guint k, char **name)
{
  SondeTensor *tensor;

  *name = k == 0 ? g_strdup ("grad(output)") : g_strdup_printf ("grad(output:%u)", k);
  tensor = sonde_named_tensors_lookup (seeding->match->step, *name);
  if (tensor == NULL || !sonde_dtype_is_float (tensor->dtype))
    return NULL;
  return sonde_dtype_is_float (output->type.dtype) ? sonde_tensor_cast (tensor, output->type.dtype)
                                                   : sonde_tensor_ref (tensor);
}

static gboolean
add_seeds (Seeding *seeding, GError **error)
{
  for (guint k = 0; k < seeding->graph->outputs->len; k++)
    {
      SondeGraphValue *output = g_ptr_array_index (seeding->graph->outputs, k), *seed;
      g_autofree char *name = NULL, *input = g_strdup_printf ("grad(%s)", output->name);
      g_autoptr (SondeTensor) tensor = dup_seed (seeding, output, k, &name);
      SondeType type;

      if (tensor == NULL)
        continue;
      type = sonde_type_tensor (tensor->dtype, &tensor->shape);
      seed = sonde_graph_add_input (seeding->graph, input, &type);
      g_ptr_array_add (seeding->targets, output);
      g_ptr_array_add (seeding->seeds, seed);
      take (seeding, seed->name, name, tensor);
    }
  if (seeding->targets->len > 0)
    return TRUE;
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
      "The gradient of the output is not there: stand behind the backward of the step, as "
      "“until phase:optimiser” does.");
  return FALSE;
}

/* ---- what is compared ---------------------------------------------------- */

static SondeTensor *
find_gradient (const Seeding *seeding, const char *of, char **name)
{
  *name = g_strdup_printf ("grad(%s)", of);
  return sonde_named_tensors_lookup (seeding->match->step, *name);
}

/* @reference: (transfer full) */
static void
want (Seeding *seeding, SondeGraphValue *value, const char *name, SondeTensor *reference)
{
  g_ptr_array_add (seeding->wanted, value);
  g_ptr_array_add (seeding->wanted_names, g_strdup (name));
  g_ptr_array_add (seeding->references, reference);
}

static void
list_partners (Seeding *seeding)
{
  for (guint i = 0; i < seeding->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (seeding->graph->values, i);
      const char *partner
          = value != NULL ? g_hash_table_lookup (seeding->match->partners, value) : NULL;
      g_autofree char *name = NULL;
      SondeTensor *tensor = partner != NULL ? find_gradient (seeding, partner, &name) : NULL;

      if (tensor != NULL)
        want (seeding, value, name, sonde_tensor_ref (tensor));
    }
}

/* Those that the graph has still: what was folded into others is none of the program's any more. */
static void
list_weights (Seeding *seeding)
{
  for (guint i = 0; i < seeding->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (seeding->graph->values, i);
      const SondeStepWeight *weight
          = value != NULL && value->constant != NULL && value->users->len > 0
                ? g_hash_table_lookup (seeding->match->weights, value->name)
                : NULL;
      g_autofree char *name = NULL;
      SondeTensor *tensor = weight != NULL ? find_gradient (seeding, weight->name, &name) : NULL;

      if (tensor != NULL)
        want (seeding, value, name,
              weight->is_transposed ? sonde_tensor_transpose (tensor, (const int[]){ 1, 0 })
                                    : sonde_tensor_ref (tensor));
    }
}

static void
take_gradients (Seeding *seeding, const GPtrArray *gradients)
{
  for (guint i = 0; i < gradients->len; i++)
    {
      SondeGraphValue *gradient = g_ptr_array_index (gradients, i);

      if (gradient->producer == NULL)
        continue; /* what flows in */
      sonde_graph_add_output (seeding->graph, gradient);
      take (seeding, gradient->name, g_ptr_array_index (seeding->wanted_names, i),
            g_ptr_array_index (seeding->references, i));
    }
}

gboolean
sonde_step_gradients_add (SondeGraph *graph, const SondeStepMatch *match, GError **error)
{
  g_auto (Seeding) seeding
      = { graph,
          match,
          g_ptr_array_new (),
          g_ptr_array_new (),
          g_ptr_array_new (),
          g_ptr_array_new_with_free_func (g_free),
          g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref) };
  SondeGradientRequest request = { NULL };
  g_autoptr (GPtrArray) gradients = NULL;

  list_partners (&seeding);
  list_weights (&seeding);
  if (!add_seeds (&seeding, error))
    return FALSE;
  gradients = g_ptr_array_new ();
  g_ptr_array_set_size (gradients, (int) seeding.wanted->len);
  request.targets = (SondeGraphValue *const *) seeding.targets->pdata;
  request.seeds = (SondeGraphValue *const *) seeding.seeds->pdata;
  request.n_targets = seeding.targets->len;
  request.with_respect_to = (SondeGraphValue *const *) seeding.wanted->pdata;
  request.n = seeding.wanted->len;
  if (!sonde_pass_gradient_of (graph, &request, (SondeGraphValue **) gradients->pdata, error))
    return FALSE;
  take_gradients (&seeding, gradients);
  return TRUE;
}

/* ---- whose backward ------------------------------------------------------ */

/* What @node makes: a partner, or something that is looked behind (@open). */
static void
collect_reader (const SondeNode *node, GHashTable *partners, GHashTable *seen, GPtrArray *open,
                GStrvBuilder *readers)
{
  for (guint k = 0; node->phase == SONDE_PHASE_FORWARD && k < node->outputs->len; k++)
    {
      SondeGraphValue *output = node->outputs->pdata[k];
      const char *partner = output != NULL ? g_hash_table_lookup (partners, output) : NULL;

      if (output == NULL || !g_hash_table_add (seen, output))
        continue;
      if (partner != NULL)
        g_strv_builder_add (readers, partner);
      else
        g_ptr_array_add (open, output);
    }
}

char **
sonde_step_gradients_list_readers (const SondeGraph *graph, const char *gradient,
                                   GHashTable *partners)
{
  g_autoptr (GStrvBuilder) readers = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree char *name = g_str_has_prefix (gradient, "grad(") && g_str_has_suffix (gradient, ")")
                              ? g_strndup (gradient + 5, strlen (gradient) - 6)
                              : NULL;
  SondeGraphValue *value = name != NULL ? sonde_graph_find_value (graph, name) : NULL;
  g_autoptr (GPtrArray) open = g_ptr_array_new ();

  if (value == NULL)
    return NULL;
  g_ptr_array_add (open, value);
  while (open->len > 0)
    {
      const SondeGraphValue *next = g_ptr_array_steal_index (open, open->len - 1);

      for (guint i = 0; i < next->users->len; i++)
        collect_reader (next->users->pdata[i], partners, seen, open, readers);
    }
  return g_strv_builder_end (readers);
}
