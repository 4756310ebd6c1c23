/* SPDX-License-Identifier: Apache-2.0
 * Logarithm, sine and cosine as polynomials, so that the compiler runs several numbers in one
 * instruction. Source of the polynomials: fdlibm (e_log.c, k_sin.c, k_cos.c), Sun Microsystems
 * 1993. Blocks have one length: no number is made by the remainder of a loop. */
#include "data/base/sonde-random-fill.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10

/* ln x of a normal number: x = 2^e · m with m in [√½, √2), f = m − 1, s = f / (2 + f) */
static inline double
logarithm (double x)
{
  gint64 bits, shift;
  double m, e, f, s, z, half, series;

  memcpy (&bits, &x, sizeof bits);
  /* is the mantissa above √2? */
  shift = ((bits & 0xfffffffffffff) + 0x95f6400000000) & 0x10000000000000;
  e = (double) ((bits >> 52) - 1023 + (shift >> 52));
  bits = (bits & 0xfffffffffffff) | (shift ^ 0x3ff0000000000000);
  memcpy (&m, &bits, sizeof m);
  f = m - 1.0;
  s = f / (2.0 + f);
  z = s * s;
  half = 0.5 * f * f;
  series = z
           * (6.666666666666735130e-01
              + z
                    * (3.999999999940941908e-01
                       + z
                             * (2.857142874366239149e-01
                                + z
                                      * (2.222219843214978396e-01
                                         + z
                                               * (1.818357216161805012e-01
                                                  + z
                                                        * (1.531383769920937332e-01
                                                           + z * 1.479819860511658591e-01))))));
  return e * LN2_HIGH - ((half - (s * (half + series) + e * LN2_LOW)) - f);
}

/* Of t in [−π/4, π/4]. */
static inline double
sine (double t)
{
  double z = t * t;

  return t
         + t * z
               * (-1.66666666666666324348e-01
                  + z
                        * (8.33333333332248946124e-03
                           + z
                                 * (-1.98412698298579493134e-04
                                    + z
                                          * (2.75573137070700676789e-06
                                             + z
                                                   * (-2.50507602534068634195e-08
                                                      + z * 1.58969099521155010221e-10)))));
}

static inline double
cosine (double t)
{
  double z = t * t;

  return 1.0
         - (0.5 * z
            - z * z
                  * (4.16666666666666019037e-02
                     + z
                           * (-1.38888888888741095749e-03
                              + z
                                    * (2.48015872894767294178e-05
                                       + z
                                             * (-2.75573143513906633035e-07
                                                + z
                                                      * (2.08757232129817482790e-09
                                                         + z * -1.13596475577881948265e-11))))));
}

CLONES void
sonde_random_fill_normal (guint64 seed, guint64 stream, guint64 first, double *cosines,
                          double *sines)
{
  const guint64 golden = 0x9e3779b97f4a7c15u;
  const guint64 base = sonde_random_mix (sonde_random_mix (seed + golden) ^ (stream + golden));

  _Pragma ("GCC ivdep") for (gint64 k = 0; k < SONDE_RANDOM_BLOCK; k++)
  {
    guint64 at = 2 * (first + (guint64) k);
    double u = 1.0 - (double) (gint64) (sonde_random_mix (base + at * golden) >> 11) * 0x1p-53;
    double v = (double) (gint64) (sonde_random_mix (base + (at + 1) * golden) >> 11) * 0x1p-53;
    double radius = sqrt (-2.0 * logarithm (u));
    gint64 quarter = (gint64) (4.0 * v + 0.5); /* 2πv = quarter · π/2 + t */
    double t = 2.0 * G_PI * (v - 0.25 * (double) quarter);
    double c = cosine (t), s = sine (t);
    double x = (quarter & 1) != 0 ? s : c, y = (quarter & 1) != 0 ? c : s;

    cosines[k] = ((quarter + 1) & 2) != 0 ? -radius * x : radius * x;
    sines[k] = (quarter & 2) != 0 ? -radius * y : radius * y;
  }
}
