/* SPDX-License-Identifier: Apache-2.0
 * What searches found, by node. */
#include "engine/frontend/sonde-debug-step-findings.h"

#include <math.h>

static void
add_value (SondeDivergence *divergence, const char *node, double own, double inherited,
           double tolerance)
{
  SondeDivergedValue *value = g_new0 (SondeDivergedValue, 1);

  value->node = g_strdup (node);
  value->op = g_strdup ("Relu");
  value->value = g_strdup_printf ("%s_out", node);
  value->own_error = own;
  value->inherited_error = inherited;
  value->tolerance = tolerance;
  g_ptr_array_add (divergence->values, value);
}

static const SondeNodeError *
find (const SondeDebugFindings *findings, const char *node)
{
  return g_hash_table_lookup (findings->errors, node);
}

/* Of several outputs the one that is farthest over its own tolerance, not the largest number. */
static void
test_divergence (void)
{
  SondeDebugFindings findings = { 0 };
  g_autoptr (SondeDivergence) first = sonde_divergence_new (), second = sonde_divergence_new ();

  add_value (first, "conv", 0.5, 0.75, 1);
  add_value (first, "split", 8, 9, 16);
  add_value (first, "split", 2, 3, 1);
  add_value (first, "split", NAN, 5, 1);
  add_value (first, "late", NAN, 4, 1);
  add_value (first, "late", 0, 6, 1);
  sonde_debug_findings_take_divergence (&findings, first);
  g_assert_cmpuint (g_hash_table_size (findings.errors), ==, 3);
  g_assert_cmpfloat (find (&findings, "conv")->inherited, ==, 0.75);
  g_assert_cmpfloat (find (&findings, "split")->own, ==, 2);
  g_assert_cmpfloat (find (&findings, "late")->own, ==, 0);
  add_value (second, "conv", 0, 0, 1);
  sonde_debug_findings_take_divergence (&findings, second);
  g_assert_cmpuint (g_hash_table_size (findings.errors), ==, 1);
  g_assert_cmpfloat (find (&findings, "conv")->own, ==, 0);
  sonde_debug_findings_clear (&findings);
  g_assert_null (findings.errors);
}

/* ---- a step of another program ------------------------------------------- */

static void
add_step (GPtrArray *steps, const char *name, const char *scope, SondePhase phase)
{
  SondeStepInfo *step = g_new0 (SondeStepInfo, 1);

  step->name = g_strdup (name);
  step->scope = g_strdup (scope);
  step->phase = phase;
  step->nodes = g_new0 (char *, 1);
  step->originals = g_new0 (char *, 1);
  step->inputs = g_new0 (char *, 1);
  step->outputs = g_new0 (char *, 1);
  g_ptr_array_add (steps, step);
}

/* mlp holds mlp.0; mlpx is another module. */
static SondeDebugSteps *
make_steps (void)
{
  SondeDebugSteps *steps = sonde_debug_steps_new ();
  GPtrArray *infos = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);

  add_step (infos, "mlp.0/t", "mlp.0", SONDE_PHASE_FORWARD);
  add_step (infos, "mlp.0/addmm", "mlp.0", SONDE_PHASE_FORWARD);
  add_step (infos, "mlp/relu", "mlp", SONDE_PHASE_FORWARD);
  add_step (infos, "mlpx/neg", "mlpx", SONDE_PHASE_FORWARD);
  add_step (infos, "outside/sum", NULL, SONDE_PHASE_FORWARD);
  add_step (infos, "mlpx/NegBackward0/neg", "mlpx", SONDE_PHASE_BACKWARD);
  add_step (infos, "mlp.0/AddmmBackward0/mm", "mlp.0", SONDE_PHASE_BACKWARD);
  add_step (infos, "mlp.0/AddmmBackward0/sum", "mlp.0", SONDE_PHASE_BACKWARD);
  sonde_debug_steps_set (steps, infos);
  return steps;
}

static void
test_step (void)
{
  static const struct
  {
    const char *name, *made_by, *node;
  } cases[] = {
    { "mlp.0", NULL, "mlp.0/addmm" },
    { "mlp", NULL, "mlp/relu" },
    { "mlpx", NULL, "mlpx/neg" },
    { "grad(mlp.0)", NULL, "mlp.0/AddmmBackward0/mm" },
    { "grad(mlp)", "mlpx", "mlpx/NegBackward0/neg" },
    { "grad(mlp.0)", "gone", "mlp.0/AddmmBackward0/mm" },
    { "nowhere", NULL, NULL },
    { "grad(nowhere)", NULL, NULL },
  };
  g_autoptr (SondeDebugSteps) steps = make_steps ();
  g_autoptr (SondeDivergence) divergence = sonde_divergence_new ();
  SondeDebugFindings findings = { 0 };
  SondeDivergedValue *value;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint position = sonde_debug_step_findings_find (steps, cases[i].name, cases[i].made_by);

      g_assert_cmpstr (sonde_debug_steps_get_name (steps, position), ==, cases[i].node);
    }
  add_value (divergence, "/mlp/Relu", 2, 3, 1);
  value = g_ptr_array_index (divergence->values, 0);
  value->reference = g_strdup ("mlp");
  add_value (divergence, "/nowhere", 2, 3, 1);
  divergence->is_step = TRUE;
  sonde_debug_step_findings_take (&findings, divergence, steps);
  g_assert_cmpuint (g_hash_table_size (findings.errors), ==, 1);
  g_assert_cmpfloat (find (&findings, "mlp/relu")->own, ==, 2);
  g_assert_cmpfloat (find (&findings, "mlp/relu")->inherited, ==, 3);
  sonde_debug_findings_clear (&findings);
}

static void
test_precision (void)
{
  SondeDebugFindings findings = { 0 };
  SondePrecisionFound *found = sonde_precision_found_new ();

  found->precision = SONDE_DTYPE_BF16;
  g_ptr_array_add (found->kept, g_strdup ("softmax"));
  sonde_debug_findings_take_precision (&findings, found);
  sonde_precision_found_free (found);
  g_assert_true (g_hash_table_contains (findings.kept, "softmax"));
  g_assert_false (g_hash_table_contains (findings.kept, "conv"));
  g_assert_cmpint (findings.precision, ==, SONDE_DTYPE_BF16);
  sonde_debug_findings_clear (&findings);
}

static void
test_scale (void)
{
  g_assert_cmpfloat (sonde_debug_findings_scale (3, 2), ==, 1.5);
  g_assert_cmpfloat (sonde_debug_findings_scale (0, 0), ==, 0);
  g_assert_cmpfloat (sonde_debug_findings_scale (1, 0), ==, INFINITY);
  g_assert_cmpfloat (sonde_debug_findings_scale (INFINITY, 2), ==, INFINITY);
  g_assert_true (isnan (sonde_debug_findings_scale (NAN, 2)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/findings/divergence", test_divergence);
  g_test_add_func ("/engine/frontend/findings/step", test_step);
  g_test_add_func ("/engine/frontend/findings/precision", test_precision);
  g_test_add_func ("/engine/frontend/findings/scale", test_scale);
  return g_test_run ();
}
