/* SPDX-License-Identifier: Apache-2.0
 * Ceilings: measured once, kept, and measured again where what was kept is of no use. */
#include <math.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/profile/sonde-ceilings-measure.h"
#include "engine/profile/sonde-ceilings.h"
#include "tests/support/sonde-test-program.h"

/* The one file in the folder of the cache. (transfer full) (nullable) */
static char *
find_file (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "sonde", "ceilings", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;

  return name != NULL ? g_build_filename (folder, name, NULL) : NULL;
}

static void
get (SondeCeilings *ceilings)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_ceilings_get ("cpu", SONDE_DTYPE_F32, 1, ceilings, &error));
  g_assert_no_error (error);
  g_assert_true (isfinite (ceilings->peak_gflops) && ceilings->peak_gflops > 0);
  g_assert_true (isfinite (ceilings->peak_gbs) && ceilings->peak_gbs > 0);
  g_assert_true (isfinite (ceilings->overhead_us) && ceilings->overhead_us > 0);
}

/* Replaces the number of @key in the cache. */
static void
write_number (const char *key, const char *number)
{
  g_autofree char *path = find_file ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  g_assert_true (g_key_file_has_key (file, "cpu 1", key, NULL));
  g_key_file_set_string (file, "cpu 1", key, number);
  g_key_file_save_to_file (file, path, &error);
  g_assert_no_error (error);
}

static void
test_kept (void)
{
  SondeCeilings first, second;

  get (&first);
  get (&second);
  /* bit for bit: nothing was measured */
  g_assert_cmpfloat (first.peak_gflops, ==, second.peak_gflops);
  g_assert_cmpfloat (first.peak_gbs, ==, second.peak_gbs);
  g_assert_cmpfloat (first.overhead_us, ==, second.overhead_us);
  write_number ("peak_gbs", "12.5");
  get (&second);
  g_assert_cmpfloat (second.peak_gbs, ==, 12.5);
  g_assert_cmpfloat (first.peak_gflops, ==, second.peak_gflops);
}

/* Only what is no number of a measurement is measured again. */
static void
test_damaged (void)
{
  static const char *const numbers[] = { "-3", "nan", "inf", "0", "", "much" };
  SondeCeilings first, second;
  g_autofree char *path = NULL;

  get (&first);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      write_number ("overhead_us", numbers[i]);
      get (&second);
      g_assert_cmpfloat (first.peak_gflops, ==, second.peak_gflops);
    }
  path = find_file ();
  g_assert_true (g_file_set_contents (path, "\x00\xff[[[", 5, NULL));
  get (&second);
}

static void
test_refused (void)
{
  SondeCeilings ceilings;
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_ceilings_get ("abacus", SONDE_DTYPE_F32, 1, &ceilings, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_false (sonde_ceilings_get ("cpu", SONDE_DTYPE_F64, 1, &ceilings, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_false (sonde_ceilings_get ("reference", SONDE_DTYPE_F32, 1, &ceilings, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
}

/* float32 first, and each other type is faster. */
static void
test_list (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) entries = sonde_ceilings_list ("cpu", 1, &error);
  double plain;

  g_assert_no_error (error);
  g_assert_cmpuint (entries->len, >=, 1);
  g_assert_cmpint (g_array_index (entries, SondeCeilingsEntry, 0).dtype, ==, SONDE_DTYPE_F32);
  plain = g_array_index (entries, SondeCeilingsEntry, 0).ceilings.peak_gflops;
  for (guint i = 1; i < entries->len; i++)
    g_assert_cmpfloat (g_array_index (entries, SondeCeilingsEntry, i).ceilings.peak_gflops, >=,
                       plain);
}

static void
test_cache_size (void)
{
  gsize bytes = sonde_last_cache_bytes ();

  g_assert_cmpuint (bytes, >=, 1 << 16);
  g_assert_cmpuint (bytes, <, (gsize) 1 << 40);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = sonde_test_folder_new ();
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/profile/ceilings/kept", test_kept);
  g_test_add_func ("/engine/profile/ceilings/damaged", test_damaged);
  g_test_add_func ("/engine/profile/ceilings/refused", test_refused);
  g_test_add_func ("/engine/profile/ceilings/list", test_list);
  g_test_add_func ("/engine/profile/ceilings/cache-size", test_cache_size);
  status = g_test_run ();
  sonde_test_folder_free (g_steal_pointer (&folder));
  return status;
}
