/* SPDX-License-Identifier: Apache-2.0
 * Maps of changed images beside those of captum, RISE's authors, shap and lime. What is allowed
 * of any map is what float32 leaves of a probability near 1. */
#include "tests/explain/golden.h"

static const Golden goldens[] = {
  { "occlusion_4_2", "occlusion:window=4x4:stride=2x2", 1e-4, 3e-7, FALSE, 0 },
  { "feature_ablation_8x8", "feature-ablation:grid=8x8", 1e-4, 3e-7, FALSE, 0 },
  { "rise_200", "rise:masks=%s/rise_masks.npy:p=0.5", 1e-4, 0, FALSE, 0 },
  { "rise_200_centred", "rise:masks=%s/rise_masks.npy:p=0.5:centred=yes", 1e-4, 0, FALSE, 0 },
  { "shapley_exact_2x3", "shapley:grid=2x3", 1e-4, 3e-7, FALSE, 0 },
  { "kernelshap_8x8", "kernelshap:masks=%s/kernelshap_z.npy:weights=%s/kernelshap_w.npy", 1e-2, 0,
    FALSE, 2 },
  { "lime_8x8", "lime:masks=%s/lime_z.npy", 1e-2, 0, FALSE, 2 },
};

static void
test_golden (gconstpointer data)
{
  g_autoptr (SondeExplainer) explainer = golden_open ();

  if (explainer != NULL)
    golden_check (explainer, data);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      g_autofree char *path = g_strdup_printf ("/explain/perturb-golden/%s", goldens[i].file);

      g_test_add_data_func (path, &goldens[i], test_golden);
    }
  return g_test_run ();
}
