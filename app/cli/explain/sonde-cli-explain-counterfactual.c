/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes as files. */
#include "app/cli/explain/sonde-cli-explain-counterfactual.h"

#include <string.h>

#include "data/base/sonde-io.h"
#include "explain/counterfactual/sonde-occlusion-run.h"
#include "explain/session/sonde-counterfactual-record.h"

gboolean
sonde_explain_counterfactual_write (SondeExplainer *explainer, SondeTensor *image, gint64 target,
                                    const SondeOcclusionSpec *spec, const char *path,
                                    SondeCounterfactual **boxes, GError **error)
{
  SondeNetworkScore score = { .explainer = explainer, .kind = spec->score, .target = target };
  g_autoptr (SondeTensor) whole = sonde_tensor_contiguous (image);
  g_autoptr (GPtrArray) found
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_free);
  g_autofree char *name = NULL, *text = NULL;
  SondeOcclusionSettings settings;
  g_autoptr (GPtrArray) results
      = sonde_occlusion_run (spec, whole, sonde_network_score, &score, &settings, &name, error);
  SondeCounterfactualSearch search;

  for (guint i = 0; results != NULL && i < results->len; i++)
    {
      SondeCounterfactual *one
          = sonde_counterfactual_from_occlusion (g_ptr_array_index (results, i), whole, name);

      one->target = target;
      g_ptr_array_add (found, one);
    }
  if (results == NULL)
    return FALSE;
  if (path != NULL)
    {
      search = (SondeCounterfactualSearch){
        .goal = spec->goal,
        .score = spec->score == SONDE_NETWORK_MARGIN ? "margin" : "probability",
        .mask = name,
        .target = target,
        .windows = settings.windows,
        .strides = settings.strides,
        .n_layers = settings.n_layers,
      };
      text = sonde_counterfactual_to_json (&search, found);
      if (!sonde_io_replace_file (NULL, path, text, strlen (text), error))
        return FALSE;
    }
  if (boxes != NULL)
    *boxes = g_ptr_array_steal_index (found, 0);
  return TRUE;
}

gboolean
sonde_explain_counterfactual_write_batch (SondeExplainer *explainer, SondeTensor *inputs,
                                          SondeTensor *targets, const SondeOcclusionSpec *spec,
                                          const char *folder, GError **error)
{
  SondeShape shape = sonde_shape_from_array (3, inputs->shape.dims + 1);
  gint64 columns = targets->shape.dims[1];

  if (!sonde_io_make_directories (NULL, folder, error))
    return FALSE;
  for (gint64 n = 0; n < inputs->shape.dims[0]; n++)
    for (gint64 k = 0; k < columns; k++)
      {
        g_autoptr (SondeTensor) image
            = sonde_tensor_view (inputs, &shape, inputs->strides + 1, n * inputs->strides[0]);
        g_autofree char *name = g_strdup_printf ("%" PRIi64 "-%" PRIi64 ".json", n, k);
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (!sonde_explain_counterfactual_write (explainer, image,
                                                 sonde_tensor_get_int (targets, n * columns + k),
                                                 spec, path, NULL, error))
          {
            sonde_prefix_error (error, "sample %" PRIi64 ": ", n);
            return FALSE;
          }
      }
  return TRUE;
}
