/* SPDX-License-Identifier: Apache-2.0
 * The plain gradient. */
#include "explain/attribution/sonde-saliency.h"

/* e_c for each row. The number of classes is learnt from a forward pass of the same batch. */
static SondeTensor *
make_seeds (gint64       n,
            gint64       classes,
            SondeTensor *targets,
            GError     **error)
{
  SondeShape shape = sonde_shape_from_array (2, (gint64[]) { n, classes });
  g_autoptr (SondeTensor) seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 target = sonde_tensor_get_int (targets, i);

      if (target < 0 || target >= classes)
        {
          g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Target class %" G_GINT64_FORMAT " is outside the model's %" G_GINT64_FORMAT " classes.", target,
                       classes);
          return NULL;
        }
      sonde_tensor_set_double (seeds, i * classes + target, 1.0);
    }
  return g_steal_pointer (&seeds);
}

SondeTensor *
sonde_saliency_compute (SondeExplainer *explainer,
                        SondeTensor    *inputs,
                        SondeTensor    *targets,
                        SondeTensor   **scores,
                        GError        **error)
{
  gint64 n = inputs->shape.dims[0];
  SondeShape score_shape = sonde_shape_from_array (1, &n);
  gint64 classes = sonde_explainer_get_n_classes (explainer, inputs, error);
  g_autoptr (SondeTensor) seeds = classes > 0 ? make_seeds (n, classes, targets, error) : NULL;
  g_autoptr (SondeTensor) logits = NULL;
  SondeTensor *gradient;

  if (seeds == NULL)
    return NULL;
  gradient = sonde_explainer_gradient (explainer, inputs, seeds, &logits, error);
  if (gradient == NULL)
    return NULL;
  *scores = sonde_tensor_new (SONDE_DTYPE_F32, &score_shape);
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (*scores, i,
                             sonde_tensor_get_double (logits, i * classes + sonde_tensor_get_int (targets, i)));
  return gradient;
}
