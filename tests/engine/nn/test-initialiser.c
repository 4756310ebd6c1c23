/* SPDX-License-Identifier: Apache-2.0
 * Initialisers: their moments, bounds and orthogonality; that a value depends on seed, name and
 * place alone. */
#include <glib.h>
#include <math.h>

#include "engine/nn/sonde-initialiser.h"
#include "engine/nn/sonde-settings.h"

static SondeTensor *
make (const char *text, SondeShape shape, guint64 seed, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor
      = sonde_initialiser_make (text, SONDE_DTYPE_F64, &shape, 0, 0, seed, name, &error);

  g_assert_no_error (error);
  return tensor;
}

typedef struct
{
  const char *text;
  double mean, std, least, most;
} Moments;

/* Of a weight [64, 32, 3, 3]: fan_in 288, fan_out 576. */
static const Moments moments[] = {
  { "constant:2.5", 2.5, 0, 2.5, 2.5 },
  { "normal:1:2", 1, 2, -12, 14 },
  { "truncated-normal:std=0.5", 0, 0.4398, -1, 1 }, /* σ·0.8796: variance of a normal cut at ±2 */
  { "uniform:low=-1;high=3", 1, 1.1547, -1, 3 },
  { "torch", 0, 0.034021, -0.058926, 0.058926 },
  { "xavier-uniform", 0, 0.048113, -0.083333, 0.083333 },
  { "xavier-normal:gain=2", 0, 0.096225, -0.6, 0.6 },
  { "he-uniform", 0, 0.083333, -0.144338, 0.144338 },
  { "he-normal:fan-out=1", 0, 0.058926, -0.4, 0.4 },
};

static void
test_moments (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (moments); k++)
    {
      const Moments *row = &moments[k];
      g_autoptr (SondeTensor) tensor = make (row->text, sonde_shape_make (4, 64, 32, 3, 3), 7, "w");
      gint64 n = sonde_tensor_n_elements (tensor);
      double sum = 0, squares = 0;

      for (gint64 i = 0; i < n; i++)
        {
          double x = sonde_tensor_get_double (tensor, i);

          g_assert_cmpfloat (x, >=, row->least - 1e-6);
          g_assert_cmpfloat (x, <=, row->most + 1e-6);
          sum += x;
          squares += (x - row->mean) * (x - row->mean);
        }
      /* 18,432 draws: five standard errors. */
      g_assert_cmpfloat (fabs (sum / n - row->mean), <=, 5 * row->std / sqrt (n) + 1e-12);
      g_assert_cmpfloat (fabs (sqrt (squares / n) - row->std), <=,
                         5 * row->std / sqrt (2.0 * n) + 1e-6);
    }
}

static void
test_orthogonal (void)
{
  static const int sizes[][2] = { { 5, 12 }, { 12, 5 }, { 8, 8 }, { 1, 3 } };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      int rows = sizes[k][0], columns = sizes[k][1];
      g_autoptr (SondeTensor) q
          = make ("orthogonal:3", sonde_shape_make (2, rows, columns), 1, "w");
      const double *a = (const double *) (const void *) q->data;
      gboolean wide = rows <= columns;

      for (int i = 0; i < MIN (rows, columns); i++)
        for (int j = 0; j <= i; j++)
          {
            double product = 0;

            for (int l = 0; l < MAX (rows, columns); l++)
              product += wide ? a[i * columns + l] * a[j * columns + l]
                              : a[l * columns + i] * a[l * columns + j];
            g_assert_cmpfloat (fabs (product - (i == j ? 9.0 : 0.0)), <=, 1e-12);
          }
    }
}

static void
test_counters (void)
{
  g_autoptr (SondeTensor) a = make ("normal", sonde_shape_make (2, 4, 8), 1, "fc.weight");
  g_autoptr (SondeTensor) longer = make ("normal", sonde_shape_make (2, 8, 8), 1, "fc.weight");
  g_autoptr (SondeTensor) seed = make ("normal", sonde_shape_make (2, 4, 8), 2, "fc.weight");
  g_autoptr (SondeTensor) name = make ("normal", sonde_shape_make (2, 4, 8), 1, "fd.weight");
  guint same_seed = 0, same_name = 0;

  for (gint64 i = 0; i < 32; i++)
    {
      double x = sonde_tensor_get_double (a, i);

      g_assert_cmpfloat (x, ==, sonde_tensor_get_double (longer, i));
      same_seed += x == sonde_tensor_get_double (seed, i);
      same_name += x == sonde_tensor_get_double (name, i);
    }
  g_assert_cmpuint (same_seed + same_name, ==, 0);
}

typedef struct
{
  const char *text, *message;
} Refusal;

static const Refusal refusals[] = {
  { "he", "*no initialiser “he”*he-normal*" },
  { "constant", "*needs “value”*" },
  { "normal:1:2:3", "*no setting*mean=0;std=1*" },
  { "normal:std=-1", "*std = -1*from 0*" },
  { "normal:std=nan", "*cannot take “nan”: specify a number*" },
  { "normal:width=1", "*no setting “width”*" },
  { "normal:mean=1;mean=2", "*“mean” twice*" },
};

static void
test_refusals (void)
{
  SondeShape shape = sonde_shape_make (1, 3);

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (
          sonde_initialiser_make (refusals[i].text, SONDE_DTYPE_F32, &shape, 0, 0, 1, "w", &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      g_assert_true (g_pattern_match_simple (refusals[i].message, error->message));
    }
}

static void
test_settings (void)
{
  static const SondeSettingRule rules[]
      = { { "period", 10, 1, 1e9, TRUE }, { "factor", 0.1, 0, 1 }, { NULL } };
  g_auto (SondeSettings) settings = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_settings_parse ("schedule", " step : factor = 0.5 ; period=3e", rules,
                                       &settings, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (settings.name, ==, "step");
  g_assert_cmpfloat (settings.values[0], ==, -3);
  g_assert_cmpfloat (settings.values[1], ==, 0.5);
  sonde_settings_clear (&settings);
  g_assert_true (sonde_settings_parse ("schedule", "step:30", rules, &settings, &error));
  g_assert_cmpfloat (settings.values[0], ==, 30);
  g_assert_true (settings.is_set[0]);
  g_assert_false (settings.is_set[1]);
  sonde_settings_clear (&settings);
  g_assert_false (sonde_settings_parse ("schedule", "step:-3e", rules, &settings, &error));
  g_assert_nonnull (g_strrstr (error->message, "“30e”"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/initialiser/moments", test_moments);
  g_test_add_func ("/engine/nn/initialiser/orthogonal", test_orthogonal);
  g_test_add_func ("/engine/nn/initialiser/counters", test_counters);
  g_test_add_func ("/engine/nn/initialiser/refusals", test_refusals);
  g_test_add_func ("/engine/nn/settings/parse", test_settings);
  return g_test_run ();
}
