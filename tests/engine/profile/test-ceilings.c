/* SPDX-License-Identifier: Apache-2.0
 * Ceilings: measured, kept, and measured again where what was kept is of no use or doubtful. */
#include <math.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/profile/sonde-ceiling-file.h"
#include "engine/profile/sonde-ceilings.h"
#include "engine/profile/sonde-other-load.h"
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

/* As if it had been measured: 1e9 is more than any machine has. */
static void
pretend (double rate, double time, double load)
{
  const SondeCeilingMeasure fast = { rate, rate }, step = { time, time };
  g_autoptr (SondeCeilingFile) file = sonde_ceiling_file_open ("cpu 1");

  sonde_ceiling_file_forget (file);
  sonde_ceiling_file_add (file, "float32", SONDE_CEILING_RATE, &fast, load);
  sonde_ceiling_file_add (file, "bfloat16", SONDE_CEILING_RATE, &(SondeCeilingMeasure){ 0, 0 },
                          load);
  sonde_ceiling_file_add (file, "int8", SONDE_CEILING_RATE, &(SondeCeilingMeasure){ 0, 0 }, load);
  sonde_ceiling_file_add (file, "peak_gbs", SONDE_CEILING_RATE, &fast, load);
  sonde_ceiling_file_add (file, "overhead_us", SONDE_CEILING_TIME, &step, load);
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

/* What was measured on a quiet machine is not measured again. */
static void
test_kept (void)
{
  SondeCeilings ceilings;

  pretend (1e-3, 1e3, 0.01);
  get (&ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, ==, 1e-3);
  g_assert_cmpfloat (ceilings.peak_gbs, ==, 1e-3);
  g_assert_cmpfloat (ceilings.overhead_us, ==, 1e3);
}

/* What was measured beside other work is, and the better stays. */
static void
test_doubtful (void)
{
  SondeCeilings ceilings;

  pretend (1e-3, 1e3, 0.5);
  get (&ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, >, 1e-3);
  g_assert_cmpfloat (ceilings.peak_gbs, >, 1e-3);
  g_assert_cmpfloat (ceilings.overhead_us, <, 1e3);
  pretend (1e9, 1e-9, 0.5);
  get (&ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, ==, 1e9);
  g_assert_cmpfloat (ceilings.peak_gbs, ==, 1e9);
  g_assert_cmpfloat (ceilings.overhead_us, ==, 1e-9);
}

static void
list_float32 (SondeCeilingsUse use, SondeCeilings *ceilings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) entries = sonde_ceilings_list ("cpu", 1, use, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (entries->len, >=, 1);
  *ceilings = g_array_index (entries, SondeCeilingsEntry, 0).ceilings;
}

/* Asked for, everything is measured again; forgotten, nothing of before counts. */
static void
test_again (void)
{
  SondeCeilings ceilings;

  pretend (1e-3, 1e3, 0.01);
  list_float32 (SONDE_CEILINGS_AGAIN, &ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, >, 1e-3);
  g_assert_cmpfloat (ceilings.overhead_us, <, 1e3);
  pretend (1e9, 1e-9, 0.01);
  list_float32 (SONDE_CEILINGS_AGAIN, &ceilings);
  g_assert_cmpfloat (ceilings.peak_gbs, ==, 1e9);
  list_float32 (SONDE_CEILINGS_FORGOTTEN, &ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, <, 1e9);
  g_assert_cmpfloat (ceilings.peak_gbs, <, 1e9);
  g_assert_cmpfloat (ceilings.overhead_us, >, 1e-9);
}

static double
get_kept (SondeCeilingFile *file)
{
  double number;

  return sonde_ceiling_file_get (file, "a", &number) ? number : 0;
}

static void
add (SondeCeilingFile *file, double best, double second, double load)
{
  const SondeCeilingMeasure measure = { best, second };

  sonde_ceiling_file_add (file, "a", SONDE_CEILING_RATE, &measure, load);
}

/* A best that stands alone is not kept, however often it was seen before; the last try decides. */
static void
test_confirmed (void)
{
  g_autoptr (SondeCeilingFile) file = sonde_ceiling_file_open ("test");

  add (file, 100, 94, 0);
  g_assert_cmpfloat (get_kept (file), ==, 0);
  g_assert_false (sonde_ceiling_file_is_settled (file, "a"));
  add (file, 80, 77, 0.3);
  g_assert_cmpfloat (get_kept (file), ==, 80);
  g_assert_false (sonde_ceiling_file_is_settled (file, "a"));
  add (file, 70, 70, NAN);
  add (file, 100, NAN, 0);
  g_assert_cmpfloat (get_kept (file), ==, 80);
  g_assert_false (sonde_ceiling_file_is_settled (file, "a"));
  add (file, 100, NAN, 0.3);
  g_assert_cmpfloat (get_kept (file), ==, 100);
  g_assert_true (sonde_ceiling_file_is_settled (file, "a"));
  sonde_ceiling_file_forget (file);
  g_assert_cmpfloat (get_kept (file), ==, 0);
  g_assert_false (sonde_ceiling_file_is_settled (file, "a"));
  add (file, 60, 60, 0.05);
  g_assert_true (sonde_ceiling_file_is_settled (file, "a"));
}

/* user nice system idle iowait irq softirq steal guest guest_nice, in ticks */
static void
test_load (void)
{
  SondeOtherLoad load;
  double share;

  g_assert_true (
      sonde_other_load_parse ("cpu  100 200 300 4000 500 60 70 80 90 91\ncpu0 1", 100, &load));
  g_assert_cmpfloat_with_epsilon (load.busy, 8.1, 1e-9);
  g_assert_cmpfloat_with_epsilon (load.total, 53.1, 1e-9);
  g_assert_true (sonde_other_load_parse ("cpu 100 200 300 4000\n", 100, &load));
  g_assert_cmpfloat_with_epsilon (load.total, 46, 1e-9);
  g_assert_false (sonde_other_load_parse ("cpu 100 200\n", 100, &load));
  g_assert_false (sonde_other_load_parse ("intr 100 200 300 400\n", 100, &load));
  sonde_other_load_begin (&load);
  share = sonde_other_load_end (&load); /* no time has passed */
  g_assert_true (isnan (share));
  load.total -= 10;
  load.busy -= 5;
  share = sonde_other_load_end (&load);
  g_assert_true (isnan (share) || (share > 0.3 && share < 0.7));
}

/* Only what is no number of a measurement is measured again. */
static void
test_damaged (void)
{
  static const char *const numbers[] = { "-3", "nan", "inf", "0", "", "much" };
  SondeCeilings ceilings;
  g_autofree char *path = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      pretend (1e-3, 1e3, 0);
      write_number ("overhead_us", numbers[i]);
      get (&ceilings);
      g_assert_cmpfloat (ceilings.peak_gflops, ==, 1e-3);
      g_assert_cmpfloat (ceilings.overhead_us, <, 1e3);
    }
  path = find_file ();
  g_assert_true (g_file_set_contents (path, "\x00\xff[[[", 5, NULL));
  get (&ceilings);
  g_assert_cmpfloat (ceilings.peak_gflops, >, 1e-3);
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
  g_autoptr (GArray) entries = sonde_ceilings_list ("cpu", 1, SONDE_CEILINGS_KEPT, &error);
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
  g_test_add_func ("/engine/profile/ceilings/doubtful", test_doubtful);
  g_test_add_func ("/engine/profile/ceilings/again", test_again);
  g_test_add_func ("/engine/profile/ceilings/confirmed", test_confirmed);
  g_test_add_func ("/engine/profile/ceilings/load", test_load);
  g_test_add_func ("/engine/profile/ceilings/damaged", test_damaged);
  g_test_add_func ("/engine/profile/ceilings/refused", test_refused);
  g_test_add_func ("/engine/profile/ceilings/list", test_list);
  g_test_add_func ("/engine/profile/ceilings/cache-size", test_cache_size);
  status = g_test_run ();
  sonde_test_folder_free (g_steal_pointer (&folder));
  return status;
}
