/* SPDX-License-Identifier: Apache-2.0
 * Levenberg and Marquardt's steps for two unknowns. */
#include "viewers/projection/sonde-umap-curve.h"

#include <math.h>

#define N_DISTANCES 300
#define LONGEST 3.0
#define MOST_STEPS 200
#define GIVE_UP 1e12 /* of the damping: no step is better */

static double
get_distance (int i)
{
  return LONGEST * i / (N_DISTANCES - 1);
}

static double
get_rest (double d, double min_distance, double a, double b)
{
  return 1 / (1 + a * pow (d, 2 * b)) - (d < min_distance ? 1 : exp (min_distance - d));
}

static double
sum_rests (double min_distance, double a, double b)
{
  double sum = 0;

  for (int i = 0; i < N_DISTANCES; i++)
    sum += pow (get_rest (get_distance (i), min_distance, a, b), 2);
  return sum;
}

/* @m: JᵀJ as aa, ab, bb; @v: Jᵀ r. Distance 0 has no slope. */
static void
add_slopes (double min_distance, double a, double b, double m[3], double v[2])
{
  for (int i = 1; i < N_DISTANCES; i++)
    {
      double d = get_distance (i), power = pow (d, 2 * b), value = 1 / (1 + a * power),
             da = -value * value * power, db = da * a * 2 * log (d),
             rest = get_rest (d, min_distance, a, b);

      m[0] += da * da;
      m[1] += da * db;
      m[2] += db * db;
      v[0] += da * rest;
      v[1] += db * rest;
    }
}

void
sonde_umap_fit_curve (double min_distance, double *a, double *b)
{
  double damping = 1e-3, sum;

  *a = *b = 1;
  sum = sum_rests (min_distance, *a, *b);
  for (int step = 0; step < MOST_STEPS && damping < GIVE_UP; step++)
    {
      double m[3] = { 0 }, v[2] = { 0 }, aa, bb, determinant, new_a, new_b, new_sum;

      add_slopes (min_distance, *a, *b, m, v);
      aa = m[0] * (1 + damping);
      bb = m[2] * (1 + damping);
      determinant = aa * bb - m[1] * m[1];
      new_a = *a - (bb * v[0] - m[1] * v[1]) / determinant;
      new_b = *b - (aa * v[1] - m[1] * v[0]) / determinant;
      new_sum = new_a > 0 && new_b > 0 ? sum_rests (min_distance, new_a, new_b) : INFINITY;
      if (!(new_sum < sum))
        {
          damping *= 10;
          continue;
        }
      damping /= 10;
      sum = new_sum;
      *a = new_a;
      *b = new_b;
    }
}
