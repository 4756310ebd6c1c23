/* SPDX-License-Identifier: Apache-2.0
 * The cpu device's functions of one float against the C library's in double, over all
 * magnitudes. */
#include "engine/devices/cpu/sonde-cpu-math.h"

/* How far @value is from @exact in units of the last place of a float there. */
static double
units (float value, double exact)
{
  double size = fabs (exact);
  int exponent;

  if (isnan (exact) || isnan (value))
    return isnan (exact) && isnan (value) ? 0 : HUGE_VAL;
  if (isinf ((float) exact) || isinf (value))
    return (float) exact == value || size > 3.4e38 ? 0 : HUGE_VAL;

  frexp (MAX (size, 0x1p-126), &exponent);
  return fabs ((double) value - exact) / ldexp (1, exponent - 24);
}

typedef struct
{
  const char *name;
  float (*ours) (float x);
  double (*exact) (double x);
  float low, high;
  double bound; /* units in the last place */
} Function;

#define OURS(name)                                                                                 \
  static float our_##name (float x) { return sonde_cpu_##name (x); }
OURS (exp)
OURS (expm1)
OURS (log)
OURS (log1p)
OURS (sigmoid)
OURS (tanh)
OURS (erf)

static double
exact_sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static const Function functions[] = {
  { "exp", our_exp, exp, -110, 90, 2 },
  { "expm1", our_expm1, expm1, -110, 88, 2 },
  { "log", our_log, log, 0, 3.4e38f, 2 },
  { "log1p", our_log1p, log1p, 0, 1, 2 },
  { "sigmoid", our_sigmoid, exact_sigmoid, -100, 100, 3 },
  { "tanh", our_tanh, tanh, -50, 50, 3 },
  { "erf", our_erf, erf, -10, 10, 3 },
};

/* Every 997th float between the bounds, of both signs. */
static void
test_function (gconstpointer data)
{
  const Function *function = data;
  double worst = 0;
  float at = 0;

  for (guint32 bits = 0; bits < 0x7f800000u; bits += 997)
    for (guint32 sign = 0; sign < 2; sign++)
      {
        const float x = sonde_cpu_float_from_bits (bits | sign << 31);
        double error;

        if (x < function->low || x > function->high)
          continue;
        error = units (function->ours (x), function->exact ((double) x));
        if (error > worst)
          {
            worst = error;
            at = x;
          }
      }

  g_test_message ("%s: at most %.2f units in the last place, at %.9g", function->name, worst,
                  (double) at);
  g_assert_cmpfloat (worst, <=, function->bound);
}

static void
test_edges (void)
{
  g_assert_true (isnan (sonde_cpu_exp (NAN)) && isnan (sonde_cpu_log (NAN))
                 && isnan (sonde_cpu_erf (NAN)));
  g_assert_true (isnan (sonde_cpu_tanh (NAN)) && isnan (sonde_cpu_sigmoid (NAN))
                 && isnan (sonde_cpu_log (-1)));
  g_assert_cmpfloat (sonde_cpu_exp (INFINITY), ==, INFINITY);
  g_assert_cmpfloat (sonde_cpu_exp (-INFINITY), ==, 0);
  g_assert_cmpfloat (sonde_cpu_exp (0), ==, 1);
  g_assert_cmpfloat (sonde_cpu_log (0), ==, -INFINITY);
  g_assert_cmpfloat (sonde_cpu_log (INFINITY), ==, INFINITY);
  g_assert_cmpfloat (sonde_cpu_log (1), ==, 0);
  g_assert_cmpfloat (sonde_cpu_tanh (-INFINITY), ==, -1);
  g_assert_cmpfloat (sonde_cpu_erf (-INFINITY), ==, -1);
  g_assert_cmpfloat (sonde_cpu_sigmoid (-INFINITY), ==, 0);
  g_assert_true (signbit (sonde_cpu_tanh (-0.0f)) && signbit (sonde_cpu_erf (-0.0f)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/devices/math/%s", functions[i].name);

      g_test_add_data_func (path, &functions[i], test_function);
    }

  g_test_add_func ("/engine/devices/math/edges", test_edges);
  return g_test_run ();
}
