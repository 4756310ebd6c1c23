/* SPDX-License-Identifier: Apache-2.0
 * The cache is a key file a machine: what does not fit this machine or version lies in another file. */
#include "engine/profile/sonde-ceilings.h"

#include <math.h>
#include <unistd.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "engine/profile/sonde-ceilings-measure.h"

#define MOST_CACHE_BYTES (1 << 20)
/* For everything, preparation included. */
#define LIMIT_NS (G_GINT64_CONSTANT (2300) * 1000 * 1000)
#define TRIAD_NS (G_GINT64_CONSTANT (400) * 1000 * 1000)
/* A type that multiplies no faster than float32 has no ceiling of its own. Tried on small matrices. */
#define TRIAL_SIDE 512
#define TRIAL_RUNS 5
#define TRIAL_NS (G_GINT64_CONSTANT (60) * 1000 * 1000)
#define FASTER 1.2

static const SondeDtype dtypes[] = { SONDE_DTYPE_F32, SONDE_DTYPE_BF16, SONDE_DTYPE_I8 };

/* ---- the cache --------------------------------------------------------------- */

/* "model name" of the first processor; what the system calls the machine where there is none. */
static char *
dup_processor (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("unknown");
  lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "model name") && strchr (lines[i], ':') != NULL)
      return g_strdup (g_strstrip (strchr (lines[i], ':') + 1));
  return g_strdup ("unknown");
}

/* What the figures hold for. */
static char *
dup_machine (void)
{
  g_autofree char *processor = dup_processor ();

  return g_strdup_printf ("%s, %ld cores, %" G_GSIZE_FORMAT " bytes of cache, Sonde %s", processor,
                          sysconf (_SC_NPROCESSORS_ONLN), sonde_last_cache_bytes (), SONDE_VERSION);
}

static char *
dup_path (const char *machine)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, machine, -1);
  g_autofree char *name = NULL;

  digest[16] = '\0';
  name = g_strconcat (digest, ".ini", NULL);
  return g_build_filename (g_get_user_cache_dir (), "sonde", "ceilings", name, NULL);
}

/* What was kept of this machine; empty where nothing was, or it cannot be read. */
static GKeyFile *
read_cache (const char *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&file);
  bytes = sonde_io_read_file (NULL, path, MOST_CACHE_BYTES, &error);
  if (bytes != NULL && g_bytes_get_size (bytes) > 0
      && g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &error))
    return g_steal_pointer (&file);
  g_message ("“%s” cannot be read, so the ceilings are measured again: %s", path,
             error != NULL ? error->message : "it is empty");
  return g_key_file_new ();
}

static void
write_cache (GKeyFile *file, const char *path, const char *machine)
{
  g_autofree char *folder = g_path_get_dirname (path), *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_key_file_set_string (file, "machine", "description", machine);
  text = g_key_file_to_data (file, &length, NULL);
  if (!sonde_io_make_directories (NULL, folder, &error)
      || !sonde_io_replace_file (NULL, path, text, length, &error))
    g_message ("the ceilings are not kept: %s", error->message);
}

/* A number that was measured: finite and more than 0. */
static gboolean
read_number (GKeyFile *file, const char *group, const char *key, double *number)
{
  *number = g_key_file_get_double (file, group, key, NULL);
  return isfinite (*number) && *number > 0;
}

/* ---- measuring --------------------------------------------------------------- */

/**
 * Ceilings: of one device and number of threads
 * @group: of the key file; its keys: bandwidth, overhead, and names of types (0: not fast)
 * @end_ns: when all must be measured
 * @device: opened when the first of it is missing
 */
typedef struct
{
  GKeyFile *file;
  char *group;
  const char *name;
  guint n_threads;
  gint64 end_ns;
  SondeDevice *device;
  gboolean changed;
} Ceilings;

static gboolean
open_device (Ceilings *ceilings, GError **error)
{
  if (ceilings->device == NULL)
    ceilings->device = sonde_device_open (ceilings->name, (int) ceilings->n_threads, error);
  return ceilings->device != NULL;
}

static void
keep (Ceilings *ceilings, const char *key, double number)
{
  g_key_file_set_double (ceilings->file, ceilings->group, key, number);
  ceilings->changed = TRUE;
}

static gboolean
get_memory (Ceilings *ceilings, SondeCeilings *out, GError **error)
{
  if (!read_number (ceilings->file, ceilings->group, "overhead_us", &out->overhead_us))
    {
      if (!open_device (ceilings, error)
          || !sonde_measure_overhead (ceilings->device, &out->overhead_us, error))
        return FALSE;
      keep (ceilings, "overhead_us", out->overhead_us);
    }
  if (!read_number (ceilings->file, ceilings->group, "peak_gbs", &out->peak_gbs))
    {
      if (!open_device (ceilings, error)
          || !sonde_measure_triad (ceilings->device, ceilings->n_threads, TRIAD_NS, &out->peak_gbs,
                                   error))
        return FALSE;
      keep (ceilings, "peak_gbs", out->peak_gbs);
    }
  return TRUE;
}

/* Whether products of @dtype are worth a ceiling: faster than those of float32 on small matrices. */
static gboolean
is_worth (Ceilings *ceilings, SondeDtype dtype)
{
  double plain, own;

  if (dtype == SONDE_DTYPE_F32)
    return TRUE;
  return sonde_measure_product (ceilings->device, SONDE_DTYPE_F32, TRIAL_SIDE, TRIAL_RUNS, TRIAL_NS,
                                &plain, NULL)
         && sonde_measure_product (ceilings->device, dtype, TRIAL_SIDE, TRIAL_RUNS, TRIAL_NS, &own,
                                   NULL)
         && own >= FASTER * plain;
}

/* @gflops: (out): 0: it is not fast
 * @n_left: types that still have to be measured, this one included: they share the time */
static gboolean
get_product (Ceilings *ceilings, SondeDtype dtype, guint n_left, double *gflops, GError **error)
{
  const char *key = sonde_dtype_name (dtype);
  gint64 share;
  double plain;

  *gflops = 0;
  if (g_key_file_has_key (ceilings->file, ceilings->group, key, NULL)
      && (read_number (ceilings->file, ceilings->group, key, gflops) || *gflops == 0))
    return TRUE;
  if (!open_device (ceilings, error))
    return FALSE;
  if (is_worth (ceilings, dtype))
    {
      share = (ceilings->end_ns - sonde_clock_monotonic_ns (NULL)) / (gint64) n_left;
      if (!sonde_measure_product (ceilings->device, dtype, SONDE_CEILING_SIDE, SONDE_CEILING_RUNS,
                                  share, gflops, error))
        return FALSE;
      /* the trial was misled by what else runs */
      if (dtype != SONDE_DTYPE_F32
          && read_number (ceilings->file, ceilings->group, sonde_dtype_name (SONDE_DTYPE_F32),
                          &plain)
          && *gflops < plain)
        *gflops = 0;
    }
  keep (ceilings, key, *gflops);
  return TRUE;
}

/* float32 gets half of the time, since everything is compared with it. */
static GArray *
get_all (Ceilings *ceilings, const SondeDtype *wanted, guint n, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (SondeCeilingsEntry));
  SondeCeilings common = { NAN, NAN, NAN };

  if (!get_memory (ceilings, &common, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      SondeCeilingsEntry entry = { wanted[i], common };

      if (!get_product (ceilings, wanted[i], i == 0 && n > 1 ? 2 : n - i,
                        &entry.ceilings.peak_gflops, error))
        return NULL;
      if (entry.ceilings.peak_gflops > 0)
        g_array_append_val (entries, entry);
    }
  return g_steal_pointer (&entries);
}

static GArray *
look_up (const char *name, guint n_threads, const SondeDtype *wanted, guint n, GError **error)
{
  g_autofree char *machine = dup_machine (), *path = dup_path (machine);
  g_autoptr (GKeyFile) file = read_cache (path);
  g_autofree char *group = g_strdup_printf ("%s %u", name, n_threads);
  Ceilings ceilings = { .file = file, .group = group, .name = name, .n_threads = n_threads };
  GArray *entries;

  ceilings.end_ns = sonde_clock_monotonic_ns (NULL) + LIMIT_NS;
  entries = get_all (&ceilings, wanted, n, error);
  if (ceilings.changed)
    write_cache (file, path, machine);
  sonde_device_unref (ceilings.device);
  return entries;
}

GArray *
sonde_ceilings_list (const char *device, guint n_threads, GError **error)
{
  g_return_val_if_fail (device != NULL && n_threads > 0, NULL);

  return look_up (device, n_threads, dtypes, G_N_ELEMENTS (dtypes), error);
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
    entries = look_up (device, n_threads, &dtype, 1, error);
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
