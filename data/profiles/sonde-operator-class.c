/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-operator-class.h"

#include <math.h>

#include "data/base/sonde-text.h"

#define NS_PER_US 1000.0

const char *
sonde_operator_class_get_name (SondeOperatorClass value)
{
  static const char *const names[SONDE_OPERATOR_N_CLASSES]
      = { "copy", "fallback", "overhead", "compute", "bandwidth", "idle", NULL };

  return names[value];
}

const char *
sonde_operator_class_get_title (SondeOperatorClass value)
{
  static const char *const titles[SONDE_OPERATOR_N_CLASSES]
      = { N_ ("copy"),      N_ ("fallback"), N_ ("overhead"), N_ ("compute"),
          N_ ("bandwidth"), N_ ("idle"),     N_ ("unknown") };

  return titles[value];
}

/* In ns, since 10⁹ operations a second are one a nanosecond; NaN when unknown. */
static double
get_time (gint64 amount, double peak)
{
  return amount >= 0 && peak > 0 ? (double) amount / peak : NAN;
}

double
sonde_operator_class_get_limit (gint64 flops, gint64 bytes, const SondeCeilings *ceilings)
{
  return fmax (get_time (flops, ceilings->peak_gflops), get_time (bytes, ceilings->peak_gbs));
}

SondeOperatorClass
sonde_operator_class_find (const SondeOperatorFacts *facts, const SondeCeilings *ceilings)
{
  const double compute_ns = get_time (facts->flops, ceilings->peak_gflops);
  const double memory_ns = get_time (facts->bytes, ceilings->peak_gbs);

  if (facts->is_copy)
    return SONDE_OPERATOR_CLASS_COPY;
  if (facts->is_fallback)
    return SONDE_OPERATOR_CLASS_FALLBACK;
  if (isnan (compute_ns) || isnan (memory_ns))
    return SONDE_OPERATOR_CLASS_UNKNOWN;
  if (fmax (compute_ns, memory_ns) < ceilings->overhead_us * NS_PER_US)
    return SONDE_OPERATOR_CLASS_OVERHEAD;
  return compute_ns >= memory_ns ? SONDE_OPERATOR_CLASS_COMPUTE : SONDE_OPERATOR_CLASS_BANDWIDTH;
}
