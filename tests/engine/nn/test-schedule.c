/* SPDX-License-Identifier: Apache-2.0
 * Schedules against the learning rates of PyTorch's schedulers, base rate 0.5. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "engine/nn/sonde-schedule.h"

static SondeSchedule *
make (const char *text)
{
  g_autoptr (GError) error = NULL;
  SondeSchedule *schedule = sonde_schedule_new (text, &error);

  g_assert_no_error (error);
  return schedule;
}

typedef struct
{
  const char *text;
  guint total, epoch, n;
  double rates[12];
} Rates;

/* StepLR, ExponentialLR, CosineAnnealingLR, CosineAnnealingWarmRestarts, PolynomialLR, OneCycleLR
 * of PyTorch 2.15; the others by hand. */
static const Rates rates[] = {
  { "step:3:0.1", 9, 1, 7, { 0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.005 } },
  { "step:3e:0.1", 9, 2, 7, { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05 } },
  { "exponential:factor=0.9", 9, 1, 5, { 0.5, 0.45, 0.405, 0.3645, 0.32805 } },
  { "cosine:final=0.1",
    10,
    1,
    10,
    { 0.5, 0.48898771616640957, 0.45702882373436315, 0.40725168176580645, 0.34452882373436317,
      0.275, 0.20547117626563688, 0.1427483182341936, 0.09297117626563686, 0.06101228383359046 } },
  { "cosine:period=3;growth=2",
    100,
    1,
    12,
    { 0.5, 0.375, 0.125, 0.5, 0.4665063509461097, 0.375, 0.25, 0.125, 0.03349364905389032, 0.5,
      0.49148145657226705, 0.4665063509461097 } },
  { "cosine:period=3", 100, 1, 5, { 0.5, 0.375, 0.125, 0.5, 0.375 } },
  { "polynomial",
    8,
    1,
    8,
    { 0.5, 0.3828125, 0.28125, 0.1953125, 0.125, 0.0703125, 0.03125, 0.0078125 } },
  { "one-cycle",
    10,
    1,
    10,
    { 0.02, 0.26, 0.5, 0.47524231600673683, 0.40587282697488153, 0.30563101096814466,
      0.19437098903185537, 0.09412917302511849, 0.024759683993263143, 2e-06 } },
  { "linear:final=0.2", 4, 1, 6, { 0.5, 0.4, 0.3, 0.2, 0.1, 0.1 } },
  { "piecewise:2=0.1;2e=0.01", 9, 3, 8, { 0.5, 0.5, 0.05, 0.05, 0.05, 0.05, 0.005, 0.005 } },
  { "piecewise:3=0.1;warm-up=2", 9, 1, 4, { 0.25, 0.5, 0.5, 0.05 } },
  { "constant:warm-up=4", 9, 1, 6, { 0.125, 0.25, 0.375, 0.5, 0.5, 0.5 } },
  { "linear:warm-up=1e", 6, 2, 6, { 0.25, 0.5, 0.5, 0.375, 0.25, 0.125 } },
};

static void
test_rates (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (rates); k++)
    {
      g_autoptr (SondeSchedule) schedule = make (rates[k].text);

      for (guint i = 0; i < rates[k].n; i++)
        {
          double rate = sonde_schedule_get_rate (schedule, 0.5, i, rates[k].total, rates[k].epoch);

          if (fabs (rate - rates[k].rates[i]) > 1e-14)
            g_error ("%s, step %u: %.17g, not %.17g", rates[k].text, i, rate, rates[k].rates[i]);
        }
    }
}

/* ReduceLROnPlateau (factor 0.1, patience 1, cooldown 1, min_lr 0.001); half way the state goes
 * into a new schedule. */
static void
test_plateau (void)
{
  static const double metrics[] = { 1, 0.9, 0.95, 0.91, 0.92, 0.93, 0.94, 0.5, 0.6, 0.6, 0.6, 0.6 };
  static const double wanted[]
      = { 0.5, 0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005, 0.005, 0.001, 0.001 };
  const char *text = "plateau:patience=1;cooldown=1;least=0.001";
  g_autoptr (SondeSchedule) schedule = make (text);

  for (guint i = 0; i < G_N_ELEMENTS (metrics); i++)
    {
      g_autoptr (SondeTensor) state = sonde_schedule_dup_state (schedule);
      g_autoptr (GError) error = NULL;

      g_assert_cmpfloat_with_epsilon (sonde_schedule_get_rate (schedule, 0.5, i, 100, 1), wanted[i],
                                      1e-15);
      sonde_schedule_free (schedule);
      schedule = make (text);
      g_assert_true (sonde_schedule_set_state (schedule, state, &error));
      sonde_schedule_observe (schedule, metrics[i]);
    }
}

static void
test_refusals (void)
{
  static const struct
  {
    const char *text, *message;
  } refusals[] = {
    { "sometimes", "*no schedule “sometimes”*one-cycle*" },
    { "step:period=0.5x", "*(“30”) or epochs*" },
    { "step:factor=2", "*from 0 to 1*" },
    { "piecewise:100", "*piecewise:STEP=FACTOR*" },
    { "piecewise:a=1", "*piecewise:STEP=FACTOR*" },
    { "cosine:speed=1", "*no setting “speed”*" },
  };
  g_autoptr (SondeSchedule) schedule = make ("constant");
  g_autoptr (SondeTensor) state = sonde_tensor_new_f32 (1);
  g_autoptr (GError) wrong = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_schedule_new (refusals[i].text, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      g_assert_true (g_pattern_match_simple (refusals[i].message, error->message));
    }
  g_assert_false (sonde_schedule_set_state (schedule, state, &wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/schedule/rates", test_rates);
  g_test_add_func ("/engine/nn/schedule/plateau", test_plateau);
  g_test_add_func ("/engine/nn/schedule/refusals", test_refusals);
  return g_test_run ();
}
