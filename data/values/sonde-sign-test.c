/* SPDX-License-Identifier: Apache-2.0
 * Exact McNemar by logarithms of binomial coefficients. */
#include "data/values/sonde-sign-test.h"

#include <math.h>

double
sonde_sign_test (guint fixed, guint spoiled)
{
  double n = (double) fixed + spoiled, sum = 0;
  guint fewer = MIN (fixed, spoiled);

  for (guint i = 0; i <= fewer; i++)
    sum += exp (lgamma (n + 1) - lgamma (i + 1.0) - lgamma (n - i + 1.0) - n * M_LN2);
  return fmin (1, 2 * sum);
}
