/* SPDX-License-Identifier: Apache-2.0
 * The kernels of one deferred node, by types: kept as long as the types come back. */
#include "engine/plan/deferred/sonde-deferred-kernels.h"

#include "engine/plan/deferred/sonde-deferred-kernel.h"

/**
 * SondeDeferredKernels:
 * @graph, @node: where types are inferred
 * @list: (element-type SondeDeferredKernel): the last used one first
 */
struct _SondeDeferredKernels
{
  SondeGraph *graph;
  SondeNode *node;
  GPtrArray *list;
};

SondeDeferredKernels *
sonde_deferred_kernels_new (const SondeGraph *graph, const SondeNode *node)
{
  SondeDeferredKernels *kernels = g_new0 (SondeDeferredKernels, 1);

  kernels->graph = sonde_deferred_graph_new (graph, node, &kernels->node);
  kernels->list = g_ptr_array_new ();
  return kernels;
}

void
sonde_deferred_kernels_free (SondeDeferredKernels *kernels, SondeDevice *device)
{
  if (kernels == NULL)
    return;

  for (guint i = 0; i < kernels->list->len; i++)
    sonde_deferred_kernel_free (g_ptr_array_index (kernels->list, i), device);
  g_ptr_array_unref (kernels->list);
  sonde_graph_unref (kernels->graph);
  g_free (kernels);
}

guint64
sonde_deferred_kernels_count_kept (const SondeDeferredKernels *kernels)
{
  guint64 bytes = 0;

  for (guint i = 0; i < kernels->list->len; i++)
    bytes += ((const SondeDeferredKernel *) g_ptr_array_index (kernels->list, i))->constant_bytes;
  return bytes;
}

/* Types of inputs as they are now, of outputs as they follow. */
static gboolean
infer_types (SondeDeferredKernels *kernels, const SondeDeferredRun *run, GError **error)
{
  SondeNode *node = kernels->node;
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, node->inputs->len + 1);
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);

  for (guint i = 0; i < node->inputs->len; i++)
    if (run->values[i] != NULL)
      {
        SondeTensor *tensor = sonde_value_get_tensor (run->values[i]);

        sonde_node_get_input (node, i)->type = sonde_type_tensor (tensor->dtype, &tensor->shape);
        /* Of what is only there as a type there are no values. */
        if (run->step->input_slots[i] != SONDE_NO_SLOT
            || sonde_node_get_input (node, i)->constant != NULL)
          known[i] = tensor;
      }

  if (!sonde_op_infer_node (node, known, types, NULL, error))
    return FALSE;

  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, k);
      g_autofree char *type = NULL;

      if (value == NULL)
        continue;

      value->type = types[k];
      if (!sonde_plan_is_boxed (value))
        continue;

      type = sonde_type_to_string (&value->type);
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
          "node “%s” (%s): the size of its output “%s” (%s) cannot be inferred from its inputs",
          node->name, node->op, value->name, type);
      return FALSE;
    }

  return TRUE;
}

static void
append_type (GArray *key, const SondeType *type)
{
  gint64 head = (gint64) type->dtype * 64 + type->rank;

  g_array_append_val (key, head);
  for (int d = 0; d < type->rank; d++)
    g_array_append_val (key, type->dims[d].size);
}

static GBytes *
make_key (const SondeNode *node)
{
  GArray *key = g_array_new (FALSE, FALSE, sizeof (gint64));
  gsize size;

  for (guint i = 0; i < node->inputs->len; i++)
    if (sonde_node_get_input (node, i) != NULL)
      append_type (key, &sonde_node_get_input (node, i)->type);

  for (guint i = 0; i < node->outputs->len; i++)
    if (sonde_node_get_output (node, i) != NULL)
      append_type (key, &sonde_node_get_output (node, i)->type);

  size = key->len * sizeof (gint64);
  return g_bytes_new_take (g_array_free (key, FALSE), size);
}

static SondeDeferredKernel *
find_kernel (SondeDeferredKernels *kernels, const SondePlan *plan, GError **error)
{
  g_autoptr (GBytes) key = make_key (kernels->node);
  SondeDeferredKernel *kernel = NULL;

  for (guint i = 0; i < kernels->list->len && kernel == NULL; i++)
    if (g_bytes_equal (((SondeDeferredKernel *) g_ptr_array_index (kernels->list, i))->key, key))
      kernel = g_ptr_array_steal_index (kernels->list, i);

  if (kernel == NULL)
    kernel = sonde_deferred_kernel_new (kernels->graph, kernels->node, plan, key, error);
  if (kernel == NULL)
    return NULL;

  if (kernels->list->len == SONDE_DEFERRED_KERNELS)
    sonde_deferred_kernel_free (g_ptr_array_steal_index (kernels->list, SONDE_DEFERRED_KERNELS - 1),
                                plan->device);
  g_ptr_array_insert (kernels->list, 0, kernel);
  return kernel;
}

gboolean
sonde_deferred_kernels_run (SondeDeferredKernels *kernels, SondeDeferredRun *run, GError **error)
{
  SondeDeferredKernel *kernel;

  if (!infer_types (kernels, run, error))
    return FALSE;

  kernel = find_kernel (kernels, run->execution->plan, error);
  return kernel != NULL && sonde_deferred_kernel_run (kernel, run, error);
}
