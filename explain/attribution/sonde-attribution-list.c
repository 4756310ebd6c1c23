/* SPDX-License-Identifier: Apache-2.0
 * The table of methods. */
#include "explain/attribution/sonde-attribution.h"
#include "explain/attribution/sonde-cam.h"
#include "explain/attribution/sonde-gradient.h"
#include "explain/attribution/sonde-occlusion.h"
#include "explain/attribution/sonde-segments.h"

/* In the order in which they are listed. */
static const SondeAttribution *const methods[] = {
  &sonde_attribution_saliency,
  &sonde_attribution_input_x_gradient,
  &sonde_attribution_contrast_gradient,
  &sonde_attribution_integrated_gradients,
  &sonde_attribution_expected_gradients,
  &sonde_attribution_smoothgrad,
  &sonde_attribution_smoothgrad_sq,
  &sonde_attribution_vargrad,
  &sonde_attribution_guided_backprop,
  &sonde_attribution_deconvolution,
  &sonde_attribution_deeplift,
  &sonde_attribution_lrp,
  &sonde_attribution_gradcam,
  &sonde_attribution_gradcam_plus_plus,
  &sonde_attribution_layercam,
  &sonde_attribution_xgradcam,
  &sonde_attribution_hirescam,
  &sonde_attribution_eigencam,
  &sonde_attribution_scorecam,
  &sonde_attribution_ablationcam,
  &sonde_attribution_occlusion,
  &sonde_attribution_rise,
  &sonde_attribution_riseplus,
  &sonde_attribution_feature_ablation,
  &sonde_attribution_shapley,
  &sonde_attribution_kernelshap,
  &sonde_attribution_lime,
};

const SondeAttribution *const *
sonde_attribution_list (gsize *n)
{
  *n = G_N_ELEMENTS (methods);
  return methods;
}

const SondeAttribution *
sonde_attribution_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    if (g_str_equal (methods[i]->name, name))
      return methods[i];
  return NULL;
}
