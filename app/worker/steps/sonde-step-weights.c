/* SPDX-License-Identifier: Apache-2.0
 * Which initialiser of a model is which weight of the program that it was exported from. */
#include "app/worker/steps/sonde-step-weights.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "engine/debug/searches/sonde-diverge.h"
#include "engine/ops/sonde-engine-error.h"

#define WEIGHT ".weight"
#define NODES_OF_LINEAR 2 /* MatMul, and Add of the bias */

/**
 * Taking:
 * @modules: (element-type utf8): whose weights @weights has
 * @transposed: initialiser -> name of a weight that it is transposed
 * @folded: set of initialisers that a normalisation was folded into
 */
typedef struct
{
  SondeGraph *model;
  const SondeNamedTensors *weights;
  GPtrArray *modules;
  GHashTable *transposed, *folded;
} Taking;

static void
taking_clear (Taking *taking)
{
  g_clear_pointer (&taking->modules, g_ptr_array_unref);
  g_clear_pointer (&taking->transposed, g_hash_table_unref);
  g_clear_pointer (&taking->folded, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Taking, taking_clear)

static gboolean
is_weight (const SondeGraphValue *value)
{
  SondeTensor *tensor
      = value != NULL && value->producer == NULL ? sonde_value_get_tensor (value->constant) : NULL;

  return tensor != NULL && sonde_dtype_is_float (tensor->dtype);
}

void
sonde_step_weights_list_modules (const SondeNamedTensors *weights, GPtrArray *modules)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < sonde_named_tensors_get_size (weights); i++)
    {
      const char *name = sonde_named_tensors_get_name (weights, i), *dot = strrchr (name, '.');
      g_autofree char *module = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : NULL;

      if (module == NULL || g_hash_table_contains (seen, module))
        continue;
      g_hash_table_add (seen, module);
      g_ptr_array_add (modules, g_steal_pointer (&module));
    }
}

static SondeTensor *
find_of_module (const Taking *taking, const char *module, const char *suffix)
{
  g_autofree char *name = g_strconcat (module, suffix, NULL);

  return sonde_named_tensors_lookup (taking->weights, name);
}

/* ---- what an exporter changed -------------------------------------------- */

/* Is it a convolution that does a normalisation's work? */
static gboolean
is_folded (const Taking *taking, const SondeNode *node, const char *module)
{
  return !g_str_equal (node->op, "BatchNormalization")
         && !g_str_equal (node->op, "InstanceNormalization")
         && find_of_module (taking, module, ".running_mean") != NULL && node->inputs->len >= 2
         && is_weight (node->inputs->pdata[1]);
}

static void
add_folded (Taking *taking, const SondeNode *node)
{
  for (guint i = 1; i < node->inputs->len; i++)
    if (is_weight (node->inputs->pdata[i]))
      g_hash_table_add (taking->folded, node->inputs->pdata[i]);
}

/* The weight of a product, at @node or before it. (nullable) */
static SondeGraphValue *
find_factor (const SondeNode *node, guint depth)
{
  if (node == NULL || depth == 0)
    return NULL;
  if (g_str_equal (node->op, "MatMul"))
    return node->inputs->len == 2 && is_weight (node->inputs->pdata[1]) ? node->inputs->pdata[1]
                                                                        : NULL;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const SondeGraphValue *input = node->inputs->pdata[i];
      SondeGraphValue *found = input != NULL ? find_factor (input->producer, depth - 1) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_transposed (const SondeTensor *a, const SondeTensor *b)
{
  return a->shape.rank == 2 && b->shape.rank == 2 && a->shape.dims[0] == b->shape.dims[1]
         && a->shape.dims[1] == b->shape.dims[0];
}

static void
add_transposed (Taking *taking, const SondeNode *node, const char *module)
{
  SondeGraphValue *factor = find_factor (node, NODES_OF_LINEAR);
  SondeTensor *weight = find_of_module (taking, module, WEIGHT);

  if (factor != NULL && weight != NULL
      && sonde_named_tensors_lookup (taking->weights, factor->name) == NULL
      && is_transposed (sonde_value_get_tensor (factor->constant), weight))
    g_hash_table_insert (taking->transposed, factor, g_strconcat (module, WEIGHT, NULL));
}

static void
find_changed (Taking *taking)
{
  g_autoptr (GHashTable) partners = sonde_diverge_match_modules (taking->model, taking->modules);
  GHashTableIter iter;
  gpointer value, module;

  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, &value, &module))
    {
      const SondeNode *node = ((SondeGraphValue *) value)->producer;

      if (is_folded (taking, node, module))
        add_folded (taking, node);
      else
        add_transposed (taking, node, module);
    }
}

/* ---- taking -------------------------------------------------------------- */

static void
free_weight (gpointer data)
{
  g_free (((SondeStepWeight *) data)->name);
  g_free (data);
}

GHashTable *
sonde_step_weights_table_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_weight);
}

static void
note_taken (const Taking *taking, SondeGraphValue *value, GHashTable *taken)
{
  const char *name = g_hash_table_lookup (taking->transposed, value);
  SondeStepWeight *weight = g_new (SondeStepWeight, 1);

  *weight = (SondeStepWeight){ g_strdup (name != NULL ? name : value->name), name != NULL };
  g_hash_table_insert (taken, g_strdup (value->name), weight);
}

/* What takes the place of @value. (transfer full) (nullable): nothing does */
static SondeTensor *
find_weight (const Taking *taking, SondeGraphValue *value)
{
  const char *name = g_hash_table_lookup (taking->transposed, value);
  SondeTensor *weight;

  if (g_hash_table_contains (taking->folded, value))
    return NULL;
  if (name == NULL)
    {
      weight = sonde_named_tensors_lookup (taking->weights, value->name);
      return weight != NULL ? sonde_tensor_ref (weight) : NULL;
    }
  weight = sonde_named_tensors_lookup (taking->weights, name);
  return sonde_tensor_transpose (weight, (const int[]){ 1, 0 });
}

static gboolean
put (SondeGraphValue *value, SondeTensor *weight, GError **error)
{
  SondeTensor *old = sonde_value_get_tensor (value->constant);
  g_autofree char *a = NULL, *b = NULL;

  if (sonde_shape_equal (&old->shape, &weight->shape) && sonde_dtype_is_float (weight->dtype))
    {
      g_autoptr (SondeTensor) dense = weight->dtype == old->dtype
                                          ? sonde_tensor_contiguous (weight)
                                          : sonde_tensor_cast (weight, old->dtype);

      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (dense);
      return TRUE;
    }
  a = sonde_shape_to_string (&weight->shape);
  b = sonde_shape_to_string (&old->shape);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The weight “%s” is %s %s in the program and %s %s in the model: the model is "
                   "no export of this program.",
                   value->name, sonde_dtype_name (weight->dtype), a, sonde_dtype_name (old->dtype),
                   b);
  return FALSE;
}

gboolean
sonde_step_weights_take (SondeGraph *model, const SondeNamedTensors *weights, GPtrArray *kept,
                         GHashTable *taken, GError **error)
{
  g_auto (Taking) taking = { .model = model,
                             .weights = weights,
                             .modules = g_ptr_array_new_with_free_func (g_free),
                             .transposed = g_hash_table_new_full (NULL, NULL, NULL, g_free),
                             .folded = g_hash_table_new (NULL, NULL) };

  sonde_step_weights_list_modules (weights, taking.modules);
  find_changed (&taking);
  for (guint i = 0; i < model->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (model->values, i);
      g_autoptr (SondeTensor) weight = is_weight (value) ? find_weight (&taking, value) : NULL;

      if (weight != NULL && !put (value, weight, error))
        return FALSE;
      if (weight != NULL)
        note_taken (&taking, value, taken);
      else if (is_weight (value)
               && sonde_tensor_n_elements (sonde_value_get_tensor (value->constant)) > 1)
        g_ptr_array_add (kept, g_strdup (value->name));
    }
  return TRUE;
}
