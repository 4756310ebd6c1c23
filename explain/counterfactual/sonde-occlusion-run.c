/* SPDX-License-Identifier: Apache-2.0
 * The same way for files of the command and for the page. */
#include "explain/counterfactual/sonde-occlusion-run.h"

GPtrArray *
sonde_occlusion_run (const SondeOcclusionSpec *spec, SondeTensor *image, SondeScoreFunction score,
                     gpointer data, SondeOcclusionSettings *settings, char **mask, GError **error)
{
  SondeShape shape
      = sonde_shape_make (4, 1, image->shape.dims[0], image->shape.dims[1], image->shape.dims[2]);
  g_autoptr (SondeTensor) one = sonde_tensor_reshape (image, &shape);
  g_autofree char *name = NULL;
  g_autoptr (SondeTensor) cover = sonde_occlusion_mask_new (spec->mask, image, &name, error);
  double thresholds[SONDE_OCCLUSION_MAX_THRESHOLDS], original;
  GPtrArray *results;

  if (cover == NULL || !score (one, &original, data, error)
      || !sonde_occlusion_spec_resolve (spec, image, original, thresholds, settings, error))
    return NULL;
  results = sonde_hierarchical_occlusion_run (image, cover, settings, score, data, error);
  settings->thresholds = NULL;
  if (results != NULL)
    *mask = g_steal_pointer (&name);
  return results;
}
