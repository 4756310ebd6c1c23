/* SPDX-License-Identifier: Apache-2.0
 * A row-major lower triangle is a column-major upper one, and LAPACK works in columns: no matrix is
 * turned round. */
#include "data/base/sonde-lapack.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-lapack-private.h"
#include "data/base/sonde-random.h"

#define LIBRARY "liblapacke.so.3"
#define TRIANGLE 'U'
#define MOST_ROUNDS 64 /* of the power iteration: about as long as reducing the matrix takes */
#define RESIDUAL 1e-13 /* |A v − λ v| / λ of an eigenvector that is found */
#define NOISE 0.01
#define OPENBLAS_OF_OPENMP 2

/* OpenBLAS of the OpenMP kind passes its number of threads on to OpenMP, whose pool is the engine's:
 * that number is put back. */
static void
use_one_thread (void *library)
{
  void (*set_threads) (int) = (void (*) (int)) dlsym (library, "openblas_set_num_threads");
  int (*get_kind) (void) = (int (*) (void)) dlsym (library, "openblas_get_parallel");
  int (*get_most) (void) = (int (*) (void)) dlsym (library, "omp_get_max_threads");
  void (*set_most) (int) = (void (*) (int)) dlsym (library, "omp_set_num_threads");
  int most = 0;

  if (set_threads == NULL)
    return;
  if (get_kind != NULL && get_kind () == OPENBLAS_OF_OPENMP && get_most != NULL && set_most != NULL)
    most = get_most ();
  set_threads (1);
  if (most > 0)
    set_most (most);
}

gboolean
sonde_lapack_open (const char *name, SondeLapack *lapack, GError **error)
{
  void *library = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  gboolean there = library != NULL && (lapack->dpotrf = dlsym (library, "LAPACKE_dpotrf")) != NULL
                   && (lapack->dpotrs = dlsym (library, "LAPACKE_dpotrs")) != NULL
                   && (lapack->dsyevr = dlsym (library, "LAPACKE_dsyevr")) != NULL
                   && (lapack->dsyrk = dlsym (library, "cblas_dsyrk")) != NULL
                   && (lapack->dsymv = dlsym (library, "cblas_dsymv")) != NULL;

  if (there)
    use_one_thread (library);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "LAPACK cannot be loaded (%s); install the Debian packages liblapacke and "
                     "libopenblas0-serial",
                     dlerror ());
  return there;
}

/* (nullable): NULL with @error. A library that is missing is looked for again by the next call. */
static const SondeLapack *
get_lapack (GError **error)
{
  static GMutex lock;
  static SondeLapack lapack;
  static gboolean loaded;
  gboolean there;

  g_mutex_lock (&lock);
  if (!loaded)
    loaded = sonde_lapack_open (LIBRARY, &lapack, error);
  there = loaded;
  g_mutex_unlock (&lock);
  return there ? &lapack : NULL;
}

/* The serial OpenBLAS hands the same work memory to two threads that call it at once, and both get wrong
 * eigenvectors without an error (seen with 0.3.21: dsytrd in 4 threads, one call in 4,000). Its other
 * kinds need no lock, but which one is installed is not ours to choose. */
static GMutex lapack_lock;

static gboolean
check_size (gint64 n, GError **error)
{
  if (n >= 0 && n <= G_MAXINT32)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "LAPACK does not solve a system of %" PRIi64 " equations", n);
  return FALSE;
}

/* @info: of a function that found no result */
static gboolean
fail (lapack_int info, gint64 n, GError **error)
{
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                     "there is no memory for a system of %" PRIi64 " equations", n);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "LAPACK cannot solve a system of %" PRIi64
                     " equations (status %d); its numbers may not be finite",
                     n, info);
  return FALSE;
}

gboolean
sonde_lapack_factorise (double *a, gint64 n, double least, gboolean *regular, GError **error)
{
  const SondeLapack *lapack = check_size (n, error) ? get_lapack (error) : NULL;
  lapack_int info;

  if (lapack == NULL)
    return FALSE;
  g_mutex_lock (&lapack_lock);
  info = n > 0 ? lapack->dpotrf (LAPACK_COL_MAJOR, TRIANGLE, (lapack_int) n, a, (lapack_int) n) : 0;
  g_mutex_unlock (&lapack_lock);
  *regular = info == 0;
  for (gint64 i = 0; i < n; i++)
    *regular = *regular && a[i * n + i] * a[i * n + i] > least;
  return info >= 0 || fail (info, n, error);
}

void
sonde_lapack_solve (const double *factor, gint64 n, double *x)
{
  const SondeLapack *lapack = get_lapack (NULL);

  g_return_if_fail (lapack != NULL);
  if (n <= 0)
    return;
  g_mutex_lock (&lapack_lock);
  lapack->dpotrs (LAPACK_COL_MAJOR, TRIANGLE, (lapack_int) n, 1, factor, (lapack_int) n, x,
                  (lapack_int) n);
  g_mutex_unlock (&lapack_lock);
}

static void
exchange (double *a, double *b, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      double kept = a[i];

      a[i] = b[i];
      b[i] = kept;
    }
}

/* Power iteration for the largest eigenvalue of @a, which is positive semi-definite in most uses: LAPACK
 * reduces the whole matrix, which takes three to ten times as long as 20 products with a vector do.
 * Returns: FALSE when a few rounds do not find it: LAPACK does. */
static gboolean
iterate (const SondeLapack *lapack, const double *a, int n, double *value, double *v)
{
  g_autofree double *product = g_new (double, n);
  double length = 0.0;
  int start = 0;

  for (int i = 1; i < n; i++)
    if (a[(gsize) i * n + i] > a[(gsize) start * n + start])
      start = i;
  for (int i = 0; i < n; i++)
    {
      /* a column may be an eigenvector of another eigenvalue: nothing is without a part of the first */
      v[i] = a[(gsize) MAX (i, start) * n + MIN (i, start)]
             + NOISE * a[(gsize) start * n + start] * sonde_random_normal (0, 0, (guint64) i);
      length += v[i] * v[i];
    }
  for (int round = 0; round < MOST_ROUNDS && isnormal (length); round++)
    {
      double rest = 0.0, squares = 0.0;

      for (int i = 0; i < n; i++)
        v[i] /= sqrt (length);
      lapack->dsymv (CblasColMajor, CblasUpper, n, 1.0, a, n, v, 1, 0.0, product, 1);
      *value = 0.0;
      for (int i = 0; i < n; i++)
        *value += v[i] * product[i];
      for (int i = 0; i < n; i++)
        {
          rest += (product[i] - *value * v[i]) * (product[i] - *value * v[i]);
          squares += product[i] * product[i];
        }
      if (*value > 0.0 && rest <= RESIDUAL * RESIDUAL * *value * *value)
        return TRUE;
      length = squares;
      memcpy (v, product, n * sizeof *v);
    }
  return FALSE;
}

gboolean
sonde_lapack_find_eigenvectors (double *a, gint64 n, gint64 k, double *values, double *vectors,
                                GError **error)
{
  const SondeLapack *lapack = check_size (n, error) ? get_lapack (error) : NULL;
  g_autofree lapack_int *support = NULL;
  lapack_int info, found = 0, size = (lapack_int) n;

  if (lapack == NULL)
    return FALSE;
  g_return_val_if_fail (k >= 1 && k <= n, FALSE);
  support = g_new (lapack_int, 2 * k);
  g_mutex_lock (&lapack_lock);
  if (k == 1 && iterate (lapack, a, size, values, vectors))
    {
      g_mutex_unlock (&lapack_lock);
      return TRUE;
    }
  info = lapack->dsyevr (LAPACK_COL_MAJOR, 'V', 'I', TRIANGLE, size, a, size, 0, 0,
                         (lapack_int) (n - k + 1), size, 0, &found, values, vectors, size, support);
  g_mutex_unlock (&lapack_lock);
  if (info != 0)
    return fail (info, n, error);
  for (gint64 i = 0; i < k / 2; i++) /* they come the smallest first */
    {
      exchange (&values[i], &values[k - 1 - i], 1);
      exchange (&vectors[i * n], &vectors[(k - 1 - i) * n], n);
    }
  return TRUE;
}

gboolean
sonde_lapack_add_products (const double *x, gint64 rows, gint64 columns, gboolean of_rows,
                           double *a, GError **error)
{
  const SondeLapack *lapack = check_size (MAX (rows, columns), error) ? get_lapack (error) : NULL;
  int n = (int) (of_rows ? rows : columns), k = (int) (of_rows ? columns : rows);

  if (lapack == NULL)
    return FALSE;
  if (n <= 0 || k <= 0)
    return TRUE;
  g_mutex_lock (&lapack_lock);
  lapack->dsyrk (CblasColMajor, CblasUpper, of_rows ? CblasTrans : CblasNoTrans, n, k, 1.0, x,
                 (int) columns, 1.0, a, n);
  g_mutex_unlock (&lapack_lock);
  return TRUE;
}
