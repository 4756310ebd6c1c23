/* SPDX-License-Identifier: Apache-2.0
 * How far two tensors are apart: by hand, special numbers, types, long ones against a plain
 * loop. */
#include "engine/live/sonde-compare.h"

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-engine-error.h"

#include <math.h>

static SondeTensor *
vector (const double *numbers, gint64 n, SondeDtype dtype)
{
  SondeShape shape = { .rank = 1, .dims = { n } };
  g_autoptr (SondeTensor) wide = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, numbers);

  return sonde_tensor_cast (wide, dtype);
}

static void
test_by_hand (void)
{
  const double left[] = { 1, 2, 4, 0.5 }, right[] = { 1, 1, 5, 0 };
  g_autoptr (SondeTensor) a = vector (left, 4, SONDE_DTYPE_F32),
                          b = vector (right, 4, SONDE_DTYPE_F64);
  SondeComparison c;

  g_assert_true (sonde_compare_tensors (a, b, &c, NULL));
  g_assert_cmpuint (c.count, ==, 4);
  g_assert_cmpuint (c.differing, ==, 3);
  g_assert_cmpuint (c.nan_mismatch, ==, 0);
  g_assert_cmpfloat (c.max_abs, ==, 1);
  g_assert_cmpfloat (c.max_rel, ==, 1);
  g_assert_cmpfloat (c.mean_abs, ==, 2.5 / 4);
  g_assert_cmpfloat (c.rms, ==, sqrt (2.25 / 4));
  g_assert_cmpfloat (c.max_reference, ==, 5);
  g_assert_cmpint (c.index, ==, 1);
  g_assert_cmpfloat (c.a, ==, 2);
  g_assert_cmpfloat (c.b, ==, 1);
  g_assert_cmpfloat_with_epsilon (c.cosine, 23 / sqrt (21.25 * 27), 1e-15);
  g_assert_true (isnan (c.max_ulp));
}

static void
test_special (void)
{
  const double left[] = { NAN, NAN, 1, INFINITY, INFINITY, -0.0, 9 };
  const double right[] = { NAN, 3, NAN, INFINITY, -INFINITY, 0, 8 };
  g_autoptr (SondeTensor) a = vector (left, 7, SONDE_DTYPE_F32),
                          b = vector (right, 7, SONDE_DTYPE_F32);
  SondeComparison c;

  g_assert_true (sonde_compare_tensors (a, b, &c, NULL));
  g_assert_cmpuint (c.differing, ==, 4);
  g_assert_cmpuint (c.nan_mismatch, ==, 2);
  g_assert_cmpint (c.index, ==, 1);
  g_assert_true (isnan (c.a));
  g_assert_cmpfloat (c.b, ==, 3);
  g_assert_true (isinf (c.max_abs));
  g_assert_cmpfloat (c.max_reference, ==, 8);
  g_assert_cmpfloat (c.cosine, ==, 1);
  g_assert_true (sonde_compare_tensors (a, a, &c, NULL));
  g_assert_cmpuint (c.differing, ==, 0);
  g_assert_cmpint (c.index, ==, -1);
  g_assert_cmpfloat (c.max_abs, ==, 0);
}

static void
test_types (void)
{
  const gint64 big[] = { G_GINT64_CONSTANT (9007199254740993), 5 },
               other[] = { G_GINT64_CONSTANT (9007199254740992), 5 };
  const double one[] = { 1, -1 }, next[] = { 1 + 0x1p-23, 1 },
               half[] = { 1 + 0x1p-10, -1 - 0x1p-9 };
  SondeShape two = { .rank = 1, .dims = { 2 } };
  g_autoptr (SondeTensor) a = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &two, big);
  g_autoptr (SondeTensor) b = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &two, other);
  g_autoptr (SondeTensor) f = vector (one, 1, SONDE_DTYPE_F32),
                          g = vector (next, 1, SONDE_DTYPE_F32);
  g_autoptr (SondeTensor) h = vector (one, 2, SONDE_DTYPE_F16),
                          k = vector (half, 2, SONDE_DTYPE_F16);
  g_autoptr (SondeTensor) truth = vector (one, 2, SONDE_DTYPE_BOOL),
                          number = vector (next, 2, SONDE_DTYPE_U8);
  SondeComparison c;

  g_assert_true (sonde_compare_tensors (a, b, &c, NULL));
  g_assert_cmpuint (c.differing, ==, 1);
  g_assert_cmpfloat (c.max_abs, ==, 1);
  g_assert_cmpint (c.index, ==, 0);
  g_assert_true (sonde_compare_tensors (g, f, &c, NULL));
  g_assert_cmpfloat (c.max_ulp, ==, 1);
  g_assert_true (sonde_compare_tensors (k, h, &c, NULL));
  g_assert_cmpfloat (c.max_ulp, ==, 2);
  g_assert_true (sonde_compare_tensors (truth, number, &c, NULL));
  g_assert_cmpuint (c.differing, ==, 0);
}

static void
test_refused (void)
{
  SondeShape two = { .rank = 1, .dims = { 2 } }, pair = { .rank = 2, .dims = { 1, 2 } },
             none = { .rank = 1, .dims = { 0 } };
  g_autoptr (SondeTensor) a = sonde_tensor_new (SONDE_DTYPE_F32, &two),
                          b = sonde_tensor_new (SONDE_DTYPE_F32, &pair);
  g_autoptr (SondeTensor) words = sonde_tensor_new (SONDE_DTYPE_STRING, &two),
                          empty = sonde_tensor_new (SONDE_DTYPE_I8, &none);
  g_autoptr (GError) error = NULL;
  SondeComparison c;

  g_assert_false (sonde_compare_tensors (a, b, &c, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "[1, 2]"));
  g_clear_error (&error);
  g_assert_false (sonde_compare_tensors (words, a, &c, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_assert_true (sonde_compare_tensors (empty, empty, &c, NULL));
  g_assert_cmpuint (c.count, ==, 0);
  g_assert_cmpfloat (c.cosine, ==, 1);
}

/* Long, strided, with a difference here and there: as a loop of three lines has it. */
static void
test_long (void)
{
  SondeShape shape = { .rank = 2, .dims = { 61, 97 } };
  g_autoptr (SondeTensor) a = sonde_tensor_new (SONDE_DTYPE_F32, &shape), b = NULL, left = NULL,
                          right = NULL;
  const int turn[] = { 1, 0 };
  SondeComparison c;
  double worst = 0, sum = 0;

  for (gint64 i = 0; i < 61 * 97; i++)
    ((float *) a->data)[i] = (float) sonde_random_normal (7, 1, (guint64) i);
  b = sonde_tensor_copy (a);
  for (gint64 i = 0; i < 61 * 97;
       i += 1 + (gint64) (sonde_random_uniform (7, 2, (guint64) i) * 300))
    ((float *) b->data)[i] += (float) sonde_random_normal (7, 3, (guint64) i);
  for (gint64 i = 0; i < 61 * 97; i++)
    {
      double distance = fabs (sonde_tensor_get_double (a, i) - sonde_tensor_get_double (b, i));

      worst = fmax (worst, distance);
      sum += distance;
    }
  left = sonde_tensor_transpose (a, turn);
  right = sonde_tensor_transpose (b, turn);
  g_assert_true (sonde_compare_tensors (left, right, &c, NULL));
  g_assert_cmpfloat (c.max_abs, ==, worst);
  g_assert_cmpfloat_with_epsilon (c.mean_abs, sum / (61 * 97), 1e-12);
  g_assert_cmpfloat (c.a, ==, sonde_tensor_get_double (left, c.index));
  g_assert_cmpfloat (fabs (c.a - c.b), ==, worst);
}

static void
test_index (void)
{
  SondeShape shape = { .rank = 3, .dims = { 2, 3, 4 } }, scalar = { .rank = 0 };
  g_autofree char *text = sonde_compare_format_index (&shape, 23),
                  *nothing = sonde_compare_format_index (&scalar, 0);

  g_assert_cmpstr (text, ==, "[1, 2, 3]");
  g_assert_cmpstr (nothing, ==, "[]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/compare/by-hand", test_by_hand);
  g_test_add_func ("/engine/debug/compare/special", test_special);
  g_test_add_func ("/engine/debug/compare/types", test_types);
  g_test_add_func ("/engine/debug/compare/refused", test_refused);
  g_test_add_func ("/engine/debug/compare/long", test_long);
  g_test_add_func ("/engine/debug/compare/index", test_index);
  return g_test_run ();
}
