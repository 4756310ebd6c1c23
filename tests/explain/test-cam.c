/* SPDX-License-Identifier: Apache-2.0
 * Class-activation maps of a net worked out by hand, and the cut at a layer. */
#include <math.h>
#include <string.h>

#include "explain/sonde-explainer-layer.h"
#include "tests/explain/golden.h"

#define LOW "relu=no:size=layer:score=logit"

/* Numbers of explain-methods.md, section 8.2. */
static const struct
{
  const char *spec;
  double map[4], tolerance;
} by_hand[] = {
  { "gradcam:layer=conv:" LOW, { 11.25, 13.5, 20.25, 22.5 }, 1e-5 },
  { "hirescam:layer=conv:" LOW, { 0, 4, 25, 25 }, 1e-5 },
  { "layercam:layer=conv:" LOW, { 0, 4, 31, 40 }, 1e-5 },
  { "gradcam++:layer=conv:" LOW, { -0.208333, 0.166667, 1.291667, 1.666667 }, 2e-6 },
  { "gradcam:layer=relu:" LOW, { 0, 4, 28, 32.5 }, 1e-5 },
  { "gradcam:layer=r:" LOW, { 0, 4, 28, 32.5 }, 1e-5 }, /* by the node's name */
  { "gradcam:" LOW, { 0, 4, 28, 32.5 }, 1e-5 },         /* the last one with extent */
  { "hirescam:layer=relu:" LOW, { 0, 4, 25, 25 }, 1e-5 },
  { "layercam:layer=relu:" LOW, { 0, 4, 31, 40 }, 1e-5 },
  { "gradcam++:layer=relu:" LOW, { 0, 0.207792, 1.871259, 2.730096 }, 2e-6 },
  { "xgradcam:layer=relu:" LOW, { 0, 4, 25, 25 }, 1e-5 },
  { "ablationcam:layer=conv:" LOW, { 6.666667, 12.166667, 28.666667, 34.166667 }, 1e-5 },
  { "ablationcam:layer=relu:" LOW, { 0, 4, 28.666667, 34.166667 }, 1e-5 },
  /* scores 23.9, 23.9 and 20.2, 6.1: Σ score · A */
  { "scorecam:layer=conv:" LOW, { 23.9 * -35, 23.9 * -17, 23.9 * 37, 23.9 * 55 }, 2e-3 },
  { "scorecam:layer=relu:" LOW, { 0, 20.2 * 4, 20.2 * 31 + 6.1 * 6, 20.2 * 40 + 6.1 * 15 }, 2e-3 },
  { "scorecam:weights=softmax:layer=conv:" LOW, { -17.5, -8.5, 18.5, 27.5 }, 1e-4 },
};

static void
test_by_hand (void)
{
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (2);

  for (gsize i = 0; i < G_N_ELEMENTS (by_hand); i++)
    {
      g_auto (SondeAttributionResult) result = { 0 };

      g_test_message ("%s", by_hand[i].spec);
      golden_run (explainer, inputs, NULL, by_hand[i].spec, &result);
      golden_assert_map (&result, 1, by_hand[i].map, 4, by_hand[i].tolerance);
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result.scores, 0), 54.0, 1e-4);
    }
}

/* Half-pixel bilinear; with ReLU before it. */
static void
test_resized (void)
{
  static const double plain[] = { 0,  1,        3,        4,      7,  8.03125, 10.09375, 11.125,
                                  21, 22.09375, 24.28125, 25.375, 28, 29.125,  31.375,   32.5 };
  static const double xgrad[] = { 0.7 * -30 + 1.071429 * -5, 0.7 * -21 + 1.071429 * 4,
                                  0.7 * 6 + 1.071429 * 31, 0.7 * 15 + 1.071429 * 40 };
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (1);
  g_auto (SondeAttributionResult) result = { 0 }, cut = { 0 }, low = { 0 };

  golden_run (explainer, inputs, NULL, "gradcam", &result);
  golden_assert_map (&result, 0, plain, 16, 1e-5);
  golden_run (explainer, inputs, NULL, "xgradcam:layer=conv:" LOW, &low);
  golden_assert_map (&low, 0, xgrad, 4, 1e-4);
  golden_run (explainer, inputs, NULL, "xgradcam:layer=conv", &cut);
  g_assert_cmpfloat (sonde_tensor_get_double (cut.maps, 0), ==, 0.0);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (cut.maps, 4), 0.25 * MAX (xgrad[2], 0.0),
                                  1e-4);
}

/* The projection has the variance of the first singular value and is the same for any scale of the
 * sign. */
static void
test_eigen (void)
{
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (1);
  g_auto (SondeAttributionResult) result = { 0 };
  /* both channels of “conv” are the same up to a constant, so that v = (1, 1)/√2 */
  const double mean = (-5.0 + 4.0 + 31.0 + 40.0) / 4.0;
  const double expected[] = { (-5 - mean) * G_SQRT2, (4 - mean) * G_SQRT2, (31 - mean) * G_SQRT2,
                              (40 - mean) * G_SQRT2 };

  golden_run (explainer, inputs, NULL, "eigencam:layer=conv:" LOW, &result);
  /* |min| > |max|? −23 against 22.5: turned round */
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (
        sonde_tensor_get_double (result.maps, i),
        fabs (expected[0]) > fabs (expected[3]) ? -expected[i] : expected[i], 1e-4);
}

/* What comes behind a cut gives the logits, and the layer of a layer's rows is its own. */
static void
test_layer (void)
{
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (3), whole = NULL, parts = NULL, back = NULL,
                          seeds = NULL;
  g_autoptr (GError) error = NULL;
  static const char *const names[] = { "x", "conv", "relu", NULL };

  sonde_tensor_set_double (inputs, 20, -3.0);
  whole = sonde_explainer_forward (explainer, inputs, &error);
  g_assert_no_error (error);
  seeds = sonde_tensor_copy (whole);
  for (gint64 i = 0; i < 3; i++)
    sonde_tensor_set_double (seeds, i, 1.0);
  back = sonde_explainer_gradient (explainer, inputs, seeds, NULL, &error);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (SondeExplainerLayer) layer
          = sonde_explainer_layer_new (explainer, names[i], inputs, &error);
      g_autoptr (GPtrArray) state = sonde_explainer_layer_run (layer, inputs, &error);
      g_autoptr (GPtrArray) turned
          = sonde_explainer_layer_gather (state, (const gint64[]){ 2, 1, 1, 0 }, 4);
      g_autoptr (SondeTensor) logits = sonde_explainer_layer_finish (layer, turned, &error);
      g_autoptr (SondeTensor) gradient = NULL;

      g_assert_no_error (error);
      g_assert_cmpstr (sonde_explainer_layer_get_name (layer), ==,
                       names[i] != NULL ? names[i] : "relu");
      for (gint64 k = 0; k < 4; k++)
        g_assert_cmpfloat_with_epsilon (
            sonde_tensor_get_double (logits, k),
            sonde_tensor_get_double (whole, ((const gint64[]){ 2, 1, 1, 0 })[k]), 1e-4);
      gradient = sonde_explainer_layer_gradient (layer, state, seeds, NULL, &error);
      g_assert_no_error (error);
      for (gint64 k = 0; i == 0 && k < 48; k++)
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (gradient, k),
                                        sonde_tensor_get_double (back, k), 1e-5);
    }
}

static void
expect_refusal (SondeExplainer *explainer, SondeTensor *inputs, const char *spec, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (spec, &error);
  SondeShape shape = sonde_shape_make (1, inputs->shape.dims[0]);
  g_autoptr (SondeTensor) targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  SondeAttributionRequest request = { .inputs = inputs, .targets = targets, .spec = parsed };
  g_auto (SondeAttributionResult) result = { 0 };

  g_assert_no_error (error);
  g_assert_false (sonde_attribution_compute (explainer, &request, &result, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_refusals (void)
{
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (1);

  expect_refusal (explainer, inputs, "gradcam:layer=nowhere", "“relu”, “conv”");
  expect_refusal (explainer, inputs, "gradcam:layer=d", "a map requires a float32 layer");
  expect_refusal (explainer, inputs, "occlusion:window=4x4", "covers the whole image");
  expect_refusal (explainer, inputs, "rise:p=0.3:antithetic=yes", "p=0.5");
  expect_refusal (explainer, inputs, "occlusion:baseline=1,2", "the samples have 1 channels");
}

/* All negative evidence, and no evidence, is said. */
static void
test_notes (void)
{
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (1);
  g_auto (SondeAttributionResult) result = { 0 };

  for (gint64 i = 0; i < 16; i++)
    sonde_tensor_set_double (inputs, i, 0.0);
  golden_run (explainer, inputs, NULL, "gradcam", &result);
  g_assert_nonnull (strstr (sonde_message_get_english (result.note), "1 of 1 maps are constant"));
  sonde_attribution_result_clear (&result);
  golden_run (explainer, inputs, NULL, "ablationcam:layer=conv", &result);
  g_assert_nonnull (
      strstr (sonde_message_get_english (result.note), "score of 1 of 1 samples is 0"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/cam/by-hand", test_by_hand);
  g_test_add_func ("/explain/cam/resized", test_resized);
  g_test_add_func ("/explain/cam/eigen", test_eigen);
  g_test_add_func ("/explain/cam/layer", test_layer);
  g_test_add_func ("/explain/cam/refusals", test_refusals);
  g_test_add_func ("/explain/cam/notes", test_notes);
  return g_test_run ();
}
