/* SPDX-License-Identifier: Apache-2.0
 * What searches found, by node. */
#include "engine/frontend/sonde-debug-findings.h"

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
  g_test_add_func ("/engine/frontend/findings/precision", test_precision);
  g_test_add_func ("/engine/frontend/findings/scale", test_scale);
  return g_test_run ();
}
