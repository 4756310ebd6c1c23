/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-ceilings.h"

#include <math.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "engine/profile/sonde-ceiling-file.h"
#include "engine/profile/sonde-ceilings-measure.h"
#include "engine/profile/sonde-other-load.h"

/* For everything, preparation included. */
#define LIMIT_NS (G_GINT64_CONSTANT (2300) * 1000 * 1000)
#define TRIAD_NS (G_GINT64_CONSTANT (400) * 1000 * 1000)
/* A type that multiplies no faster than float32 has no ceiling of its own. Tried on small matrices. */
#define TRIAL_SIDE 512
#define TRIAL_RUNS 5
#define TRIAL_NS (G_GINT64_CONSTANT (60) * 1000 * 1000)
#define FASTER 1.2

#define OVERHEAD "overhead_us"
#define BANDWIDTH "peak_gbs"

static const SondeDtype dtypes[] = { SONDE_DTYPE_F32, SONDE_DTYPE_BF16, SONDE_DTYPE_I8 };

/* What was measured now, until it is known what else ran meanwhile. @key: (static) */
typedef struct
{
  const char *key;
  SondeCeilingKind kind;
  SondeCeilingMeasure measure;
} Measured;

/**
 * Ceilings: of one device and number of threads
 * @file: its keys: OVERHEAD, BANDWIDTH, and names of types (0: not fast)
 * @end_ns: when all must be measured
 * @device: opened when the first of it is measured, which is when @load begins
 * @measured: (element-type Measured)
 */
typedef struct
{
  SondeCeilingFile *file;
  SondeCeilingsUse use;
  const char *name;
  guint n_threads;
  gint64 end_ns;
  SondeDevice *device;
  SondeOtherLoad load;
  GArray *measured;
} Ceilings;

static gboolean
open_device (Ceilings *ceilings, GError **error)
{
  if (ceilings->device != NULL)
    return TRUE;
  ceilings->device = sonde_device_open (ceilings->name, (int) ceilings->n_threads, error);
  sonde_other_load_begin (&ceilings->load);
  return ceilings->device != NULL;
}

/* Whether what is kept of it will do. */
static gboolean
is_known (const Ceilings *ceilings, const char *key)
{
  return ceilings->use == SONDE_CEILINGS_KEPT
         && sonde_ceiling_file_is_settled (ceilings->file, key);
}

/* Returns: what counts from now on */
static double
note (Ceilings *ceilings, const char *key, SondeCeilingKind kind, SondeCeilingMeasure measure)
{
  Measured measured = { key, kind, measure };

  g_array_append_val (ceilings->measured, measured);
  return sonde_ceiling_file_better (ceilings->file, key, kind, &measure);
}

static gboolean
get_overhead (Ceilings *ceilings, double *overhead_us, GError **error)
{
  SondeCeilingMeasure measure;

  if (is_known (ceilings, OVERHEAD)
      && sonde_ceiling_file_get (ceilings->file, OVERHEAD, overhead_us))
    return TRUE;
  if (!open_device (ceilings, error) || !sonde_measure_overhead (ceilings->device, &measure, error))
    return FALSE;
  *overhead_us = note (ceilings, OVERHEAD, SONDE_CEILING_TIME, measure);
  return TRUE;
}

static gboolean
get_bandwidth (Ceilings *ceilings, double *gbs, GError **error)
{
  SondeCeilingMeasure measure;

  if (is_known (ceilings, BANDWIDTH) && sonde_ceiling_file_get (ceilings->file, BANDWIDTH, gbs))
    return TRUE;
  if (!open_device (ceilings, error)
      || !sonde_measure_triad (ceilings->device, ceilings->n_threads, TRIAD_NS, &measure, error))
    return FALSE;
  *gbs = note (ceilings, BANDWIDTH, SONDE_CEILING_RATE, measure);
  return TRUE;
}

/* Whether products of @dtype are worth a ceiling: faster than those of float32 on small matrices. */
static gboolean
is_worth (Ceilings *ceilings, SondeDtype dtype)
{
  SondeCeilingMeasure plain, own;

  if (dtype == SONDE_DTYPE_F32)
    return TRUE;
  return sonde_measure_product (ceilings->device, SONDE_DTYPE_F32, TRIAL_SIDE, TRIAL_RUNS, TRIAL_NS,
                                &plain, NULL)
         && sonde_measure_product (ceilings->device, dtype, TRIAL_SIDE, TRIAL_RUNS, TRIAL_NS, &own,
                                   NULL)
         && own.best >= FASTER * plain.best;
}

/* @gflops: (out): 0: it is not fast
 * @n_left: types that still have to be measured, this one included: they share the time */
static gboolean
get_product (Ceilings *ceilings, SondeDtype dtype, guint n_left, double *gflops, GError **error)
{
  const char *key = sonde_dtype_name (dtype);
  SondeCeilingMeasure measure = { 0, 0 };
  gint64 share;

  if (is_known (ceilings, key)
      && (sonde_ceiling_file_get (ceilings->file, key, gflops) || dtype != SONDE_DTYPE_F32))
    return TRUE;
  if (!open_device (ceilings, error))
    return FALSE;
  if (is_worth (ceilings, dtype))
    {
      share = (ceilings->end_ns - sonde_clock_monotonic_ns (NULL)) / (gint64) n_left;
      if (!sonde_measure_product (ceilings->device, dtype, SONDE_CEILING_SIDE, SONDE_CEILING_RUNS,
                                  share, &measure, error))
        return FALSE;
    }
  *gflops = note (ceilings, key, SONDE_CEILING_RATE, measure);
  return TRUE;
}

/* float32 gets half of the time, since everything is compared with it. A type that is not faster is left
 * out: its trial was misled by what else ran. */
static GArray *
get_all (Ceilings *ceilings, const SondeDtype *wanted, guint n, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (SondeCeilingsEntry));
  SondeCeilings common = { NAN, NAN, NAN };
  double plain = 0;

  if (!get_overhead (ceilings, &common.overhead_us, error)
      || !get_bandwidth (ceilings, &common.peak_gbs, error))
    return NULL;
  sonde_ceiling_file_get (ceilings->file, sonde_dtype_name (SONDE_DTYPE_F32), &plain);
  for (guint i = 0; i < n; i++)
    {
      SondeCeilingsEntry entry = { wanted[i], common };

      if (!get_product (ceilings, wanted[i], i == 0 && n > 1 ? 2 : n - i,
                        &entry.ceilings.peak_gflops, error))
        return NULL;
      if (wanted[i] == SONDE_DTYPE_F32)
        plain = entry.ceilings.peak_gflops;
      if (entry.ceilings.peak_gflops > 0 && entry.ceilings.peak_gflops >= plain)
        g_array_append_val (entries, entry);
    }
  return g_steal_pointer (&entries);
}

static void
keep_measured (Ceilings *ceilings)
{
  const double load = sonde_other_load_end (&ceilings->load);

  for (guint i = 0; i < ceilings->measured->len; i++)
    {
      const Measured *measured = &g_array_index (ceilings->measured, Measured, i);

      sonde_ceiling_file_add (ceilings->file, measured->key, measured->kind, &measured->measure,
                              load);
    }
}

static GArray *
look_up (const char *name, guint n_threads, SondeCeilingsUse use, const SondeDtype *wanted, guint n,
         GError **error)
{
  g_autofree char *group = g_strdup_printf ("%s %u", name, n_threads);
  g_autoptr (SondeCeilingFile) file = sonde_ceiling_file_open (group);
  g_autoptr (GArray) measured = g_array_new (FALSE, FALSE, sizeof (Measured));
  Ceilings ceilings
      = { .file = file, .use = use, .name = name, .n_threads = n_threads, .measured = measured };
  GArray *entries;

  if (use == SONDE_CEILINGS_FORGOTTEN)
    sonde_ceiling_file_forget (file);
  ceilings.end_ns = sonde_clock_monotonic_ns (NULL) + LIMIT_NS;
  entries = get_all (&ceilings, wanted, n, error);
  if (measured->len > 0)
    keep_measured (&ceilings);
  sonde_device_unref (ceilings.device);
  return entries;
}

GArray *
sonde_ceilings_list (const char *device, guint n_threads, SondeCeilingsUse use, GError **error)
{
  g_return_val_if_fail (device != NULL && n_threads > 0, NULL);

  return look_up (device, n_threads, use, dtypes, G_N_ELEMENTS (dtypes), error);
}

gboolean
sonde_ceilings_get (const char *device, SondeDtype dtype, guint n_threads, SondeCeilings *ceilings,
                    GError **error)
{
  g_autoptr (GArray) entries = NULL;
  gboolean known = FALSE;

  g_return_val_if_fail (device != NULL && n_threads > 0 && ceilings != NULL, FALSE);

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    known = known || dtypes[i] == dtype;
  if (known)
    entries = look_up (device, n_threads, SONDE_CEILINGS_KEPT, &dtype, 1, error);
  if (known && entries == NULL)
    return FALSE;
  if (!known || entries->len == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "The device “%s” multiplies %s no faster than float32, so it has no ceiling "
                       "of its own.",
                       device, sonde_dtype_name (dtype));
      return FALSE;
    }
  *ceilings = g_array_index (entries, SondeCeilingsEntry, 0).ceilings;
  return TRUE;
}
