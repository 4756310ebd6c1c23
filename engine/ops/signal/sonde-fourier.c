/* SPDX-License-Identifier: Apache-2.0
 * Stages of radix 4 and 2 are written out, 3 to 13 are small matrices of roots of unity. */
#include "engine/ops/signal/sonde-fourier.h"

#include <math.h>
#include <string.h>

#define LARGEST_FACTOR 13

/* Chosen when the program starts; without contraction, so with the same bits. Sanitizers do not get
 * on with it. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__ ((target_clones ("avx2", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__ ((always_inline))
#define MOST_STAGES 32

typedef struct
{
  double re, im;
} Complex;

/**
 * @n: length; @roots: exp (−2πi t/n) for t < n; NULL with @inner
 * @factors: radix of each stage
 * @inner: (nullable): Bluestein's transform of length m; @chirp: exp (−πi k²/n); @spectrum:
 *   transform of the conjugated chirp, divided by m
 */
struct _SondeFourier
{
  gint64 n;
  Complex *roots;
  int n_stages;
  int factors[MOST_STAGES];
  SondeFourier *inner;
  Complex *chirp;
  Complex *spectrum;
};

typedef SondeFourierElement Element;

INLINE Element
turn (const Element *a, Complex b)
{
  return (Element){ a->re * b.re - a->im * b.im, a->re * b.im + a->im * b.re };
}

INLINE Element
add (Element a, Element b)
{
  return (Element){ a.re + b.re, a.im + b.im };
}

INLINE Element
subtract (Element a, Element b)
{
  return (Element){ a.re - b.re, a.im - b.im };
}

/* ---- making -------------------------------------------------------------- */

/* Fours first, then the small primes. Returns what is left of @n. */
static gint64
factorise (SondeFourier *fourier, gint64 n)
{
  static const int primes[] = { 4, 2, 3, 5, 7, 11, LARGEST_FACTOR };

  for (gsize i = 0; i < G_N_ELEMENTS (primes); i++)
    for (; n % primes[i] == 0; n /= primes[i])
      fourier->factors[fourier->n_stages++] = primes[i];
  return n;
}

/* @numerator/@n turns of the unit circle, backwards. The first octant is computed, the others
 * mirrored, so that roots which should be equal or opposite are. */
static Complex
root_of_unity (gint64 numerator, gint64 n)
{
  gint64 eighths = 8 * numerator / n;
  gint64 rest = 8 * numerator - eighths * n; /* of an eighth, in units of 1/n */
  gboolean mirrored = (eighths & 1) != 0;
  double angle = G_PI / 4 * (double) (mirrored ? n - rest : rest) / (double) n;
  double c = mirrored ? sin (angle) : cos (angle), s = mirrored ? cos (angle) : sin (angle);

  switch (eighths / 2)
    {
    case 0:
      return (Complex){ c, -s };
    case 1:
      return (Complex){ -s, -c };
    case 2:
      return (Complex){ -c, s };
    default:
      return (Complex){ s, c };
    }
}

static void
make_stages (SondeFourier *fourier)
{
  fourier->roots = g_new (Complex, fourier->n);
  for (gint64 t = 0; t < fourier->n; t++)
    fourier->roots[t] = root_of_unity (t, fourier->n);
}

static void
make_chirp (SondeFourier *fourier)
{
  gint64 n = fourier->n, m = 1, square = 0;
  g_autofree Element *x = NULL, *work = NULL;

  while (m < 2 * n - 1)
    m *= 2;
  fourier->inner = sonde_fourier_new (m);
  fourier->chirp = g_new (Complex, n);
  fourier->spectrum = g_new (Complex, m);
  x = g_new0 (Element, m);
  work = g_new (Element, sonde_fourier_get_work (fourier->inner));
  for (gint64 k = 0; k < n; k++)
    {
      Element conjugate = { { 0 }, { 0 } };

      fourier->chirp[k] = root_of_unity (square, 2 * n);
      conjugate.re[0] = fourier->chirp[k].re / (double) m;
      conjugate.im[0] = -fourier->chirp[k].im / (double) m;
      x[k] = conjugate;
      x[k == 0 ? 0 : m - k] = conjugate;
      square = (square + 2 * k + 1) % (2 * n);
    }
  sonde_fourier_run (fourier->inner, x, FALSE, work);
  for (gint64 k = 0; k < m; k++)
    fourier->spectrum[k] = (Complex){ x[k].re[0], x[k].im[0] };
}

SondeFourier *
sonde_fourier_new (gint64 n)
{
  SondeFourier *fourier = g_new0 (SondeFourier, 1);

  fourier->n = n;
  if (factorise (fourier, n) == 1)
    make_stages (fourier);
  else
    make_chirp (fourier);
  return fourier;
}

void
sonde_fourier_free (SondeFourier *fourier)
{
  if (fourier == NULL)
    return;
  sonde_fourier_free (fourier->inner);
  g_free (fourier->roots);
  g_free (fourier->chirp);
  g_free (fourier->spectrum);
  g_free (fourier);
}

gint64
sonde_fourier_get_work (const SondeFourier *fourier)
{
  return fourier->inner == NULL ? fourier->n
                                : fourier->inner->n + sonde_fourier_get_work (fourier->inner);
}

/* ---- stages -------------------------------------------------------------- */

/* One column of a stage: @v, turned already, becomes its transform. */
INLINE void
transform_two (Element *v)
{
  Element a = v[0], b = v[1];

  v[0] = add (a, b);
  v[1] = subtract (a, b);
}

INLINE void
transform_four (Element *v)
{
  Element even = add (v[0], v[2]), even_difference = subtract (v[0], v[2]);
  Element odd = add (v[1], v[3]), odd_difference = subtract (v[1], v[3]);
  Element turned = { odd_difference.im, -odd_difference.re };

  v[0] = add (even, odd);
  v[1] = add (even_difference, turned);
  v[2] = subtract (even, odd);
  v[3] = subtract (even_difference, turned);
}

/* An odd @radix: pairs v[i] ± v[radix − i] meet a cosine and a sine each. @step: between the roots
 * of unity of order
 * @radix in the table */
INLINE void
transform_odd (Element *v, int radix, const Complex *roots, gint64 step)
{
  Element sums[LARGEST_FACTOR / 2 + 1], differences[LARGEST_FACTOR / 2 + 1];
  const Element first = v[0];

  for (int i = 1; i <= radix / 2; i++)
    {
      sums[i] = add (v[i], v[radix - i]);
      differences[i] = subtract (v[i], v[radix - i]);
      v[0] = add (v[0], sums[i]);
    }
  for (int k = 1; k <= radix / 2; k++)
    {
      Element a = first, b = { { 0 }, { 0 } };

      for (int i = 1; i <= radix / 2; i++)
        {
          const Complex root = roots[step * (i * k % radix)];

          a.re += sums[i].re * root.re;
          a.im += sums[i].im * root.re;
          b.re += differences[i].re * root.im;
          b.im += differences[i].im * root.im;
        }
      v[k] = (Element){ a.re - b.im, a.im + b.re };
      v[radix - k] = (Element){ a.re + b.im, a.im - b.re };
    }
}

/* A stage joins @radix transforms of length @done each to one. */
INLINE void
run_stage (const SondeFourier *fourier, int radix, gint64 done, const Element *from, Element *to)
{
  gint64 columns = fourier->n / radix, step = columns / done;

  for (gint64 block = 0; block < step; block++)
    for (gint64 i = 0; i < done; i++)
      {
        const Element *x = from + block * done + i;
        Element *y = to + block * done * radix + i;
        Element v[LARGEST_FACTOR];

        v[0] = x[0];
        for (int k = 1; k < radix; k++)
          v[k] = turn (&x[k * columns], fourier->roots[i * k * step]);
        if (radix == 4)
          transform_four (v);
        else if (radix == 2)
          transform_two (v);
        else
          transform_odd (v, radix, fourier->roots, columns);
        for (int k = 0; k < radix; k++)
          y[k * done] = v[k];
      }
}

CLONES static void
run_stages (const SondeFourier *fourier, Element *x, Element *work)
{
  Element *from = x, *to = work;
  gint64 done = 1;

  for (int s = 0; s < fourier->n_stages; s++)
    {
      Element *swap = from;
      int radix = fourier->factors[s];

      if (radix == 4)
        run_stage (fourier, 4, done, from, to);
      else if (radix == 2)
        run_stage (fourier, 2, done, from, to);
      else if (radix == 3)
        run_stage (fourier, 3, done, from, to);
      else if (radix == 5)
        run_stage (fourier, 5, done, from, to);
      else
        run_stage (fourier, radix, done, from, to);
      done *= radix;
      from = to;
      to = swap;
    }
  if (from != x)
    memcpy (x, from, (gsize) fourier->n * sizeof *x);
}

/* ---- Bluestein ----------------------------------------------------------- */

/* kn = (k² + n² − (k − n)²) / 2 makes the transform a convolution with the chirp. */
static void
run_chirp (const SondeFourier *fourier, Element *x, Element *work)
{
  gint64 n = fourier->n, m = fourier->inner->n;
  Element *rest = work + m;

  for (gint64 k = 0; k < n; k++)
    work[k] = turn (&x[k], fourier->chirp[k]);
  memset (work + n, 0, (gsize) (m - n) * sizeof *work);
  sonde_fourier_run (fourier->inner, work, FALSE, rest);
  for (gint64 k = 0; k < m; k++)
    work[k] = turn (&work[k], fourier->spectrum[k]);
  sonde_fourier_run (fourier->inner, work, TRUE, rest);
  for (gint64 k = 0; k < n; k++)
    x[k] = turn (&work[k], fourier->chirp[k]);
}

/* The inverse is the transform between two exchanges of real and imaginary parts. */
static void
exchange (Element *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = (Element){ x[i].im, x[i].re };
}

void
sonde_fourier_run (const SondeFourier *fourier, SondeFourierElement *x, gboolean inverse,
                   SondeFourierElement *work)
{
  if (inverse)
    exchange (x, fourier->n);
  if (fourier->inner != NULL)
    run_chirp (fourier, x, work);
  else
    run_stages (fourier, x, work);
  if (inverse)
    exchange (x, fourier->n);
}
