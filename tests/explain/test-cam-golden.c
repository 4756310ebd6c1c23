/* SPDX-License-Identifier: Apache-2.0
 * Class-activation maps beside those of captum and pytorch-grad-cam. */
#include "tests/explain/golden.h"

#define LOW "relu=no:size=layer"
#define BLOCK "layer=/stage3/stage3.2/relu2/Relu_output_0:"
#define CONVOLUTION "layer=/stage3/stage3.2/conv2/Conv_output_0:"

static const Golden goldens[] = {
  { "gradcam_block_low", "gradcam:" LOW, 1e-5, 0, FALSE },
  { "gradcam_block", "gradcam:relu=no", 1e-5, 0, FALSE },
  { "gradcam_block_relu", "gradcam:" BLOCK "relu=yes", 1e-5, 0, FALSE },
  { "gradcam_conv_low", "gradcam:" CONVOLUTION LOW, 1e-5, 0, FALSE },
  { "gradcam_conv", "gradcam:" CONVOLUTION "relu=no", 1e-5, 0, FALSE },
  { "gradcam_conv_relu", "gradcam:" CONVOLUTION "relu=yes", 1e-5, 0, FALSE },
  { "gc_gradcam_low", "gradcam:" BLOCK LOW, 1e-5, 0, FALSE },
  { "gc_gradcampp_low", "gradcam++:" LOW, 1e-5, 0, FALSE },
  { "gc_layercam_low", "layercam:" LOW, 1e-5, 0, FALSE },
  { "gc_xgradcam_low", "xgradcam:" LOW, 1e-5, 0, FALSE },
  { "gc_hirescam_low", "hirescam:" LOW, 1e-5, 0, FALSE },
  { "gc_ablationcam_low", "ablationcam:" LOW, 1e-5, 0, FALSE },
  { "gc_eigencam_low", "eigencam:" LOW, 1e-5, 0, TRUE },
  /* that library's weights and corners, which are not ours by default */
  { "gc_scorecam_low", "scorecam:weights=softmax:resize=corners:score=logit:" LOW, 1e-5, 0, FALSE },
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
      g_autofree char *path = g_strdup_printf ("/explain/cam-golden/%s", goldens[i].file);

      g_test_add_data_func (path, &goldens[i], test_golden);
    }
  return g_test_run ();
}
