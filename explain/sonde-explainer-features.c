/* SPDX-License-Identifier: Apache-2.0
 * Logits together with what goes into the last matrix product. */
#include <string.h>

#include "engine/ops/sonde-op.h"
#include "explain/sonde-explainer-pass.h"

/* Behind a bias that is added, or a change of shape. */
static SondeGraphValue *
find_features (SondeGraphValue *logits)
{
  SondeNode *node = logits->producer;

  for (int steps = 0; node != NULL && steps < 8; steps++)
    {
      const SondeOpClass *klass = sonde_op_of_node (node);
      SondeGraphValue *first = sonde_node_get_input (node, 0);
      const gboolean adds = sonde_node_is (node, SONDE_OP_ID_ADD);

      if (first != NULL && first->producer == NULL && adds)
        first = sonde_node_get_input (node, 1);
      if (first == NULL)
        return NULL;
      if (sonde_node_is (node, SONDE_OP_ID_GEMM) || sonde_node_is (node, SONDE_OP_ID_MATMUL))
        return first->type.rank == 2 && first->type.dtype == SONDE_DTYPE_F32
                       && first->producer != NULL
                   ? first
                   : NULL;
      node
          = adds || (klass != NULL && (klass->flags & SONDE_OP_VIEW) != 0) ? first->producer : NULL;
    }
  return NULL;
}

/* Without features the logits twice. */
static gboolean
build_features (SondeExplainerPass *pass, gpointer data, GError **error)
{
  SondeGraphValue *features = find_features (pass->logits);

  g_ptr_array_add (pass->results, pass->logits);
  g_ptr_array_add (pass->results, features != NULL ? features : pass->logits);
  return TRUE;
}

static gboolean
same_values (const SondeTensor *a, const SondeTensor *b)
{
  return sonde_shape_equal (&a->shape, &b->shape)
         && memcmp (a->data, b->data, sonde_tensor_n_bytes (a)) == 0;
}

SondeTensor *
sonde_explainer_forward_features (SondeExplainer *explainer, SondeTensor *inputs,
                                  SondeTensor **features, GError **error)
{
  const char *name = NULL;
  SondeExplainerRun run = { .key = "features",
                            .build = build_features,
                            .n_results = 2,
                            .names = &name,
                            .rows = &inputs,
                            .n_rows = 1 };
  SondeTensor *results[2] = { NULL };
  g_autoptr (SondeTensor) logits = NULL, found = NULL;

  *features = NULL;
  if (!sonde_explainer_run_rows (explainer, &run, results, error))
    return NULL;
  logits = results[0];
  found = results[1];
  if (!same_values (logits, found))
    *features = g_steal_pointer (&found);
  return g_steal_pointer (&logits);
}
