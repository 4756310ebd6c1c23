/* SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>
#include <unistd.h>

#include "data/arrays/sonde-safetensors.h"
#include "data/arrays/sonde-weight-files.h"
#include "data/base/sonde-error.h"

static void
write_weights (const char *folder, const char *name, double value)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  SondeShape shape = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) error = NULL;

  sonde_tensor_set_double (tensor, 0, value);
  sonde_named_tensors_set (tensors, "w", tensor);
  if (g_str_has_suffix (name, ".npz"))
    sonde_npz_write (NULL, path, tensors, &error);
  else
    sonde_safetensors_write (NULL, path, tensors, &error);
  g_assert_no_error (error);
}

static void
test_list (void)
{
  static const char *const names[]
      = { "step-00000100.npz",       "final.npz", "step-00000020.safetensors",
          "step-00000020.state.npz", "notes.txt", "best-00000020.npz" },
      *const expected[]
      = { "best-00000020.npz", "step-00000020.safetensors", "step-00000100.npz", "final.npz" };
  static const gint64 steps[] = { 20, 20, 100, -1 };
  g_autofree char *folder = g_dir_make_tmp ("sonde-weights-XXXXXX", NULL), *link = NULL;
  g_autoptr (GPtrArray) files = NULL, none = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_suffix (names[i], ".txt"))
      {
        g_autofree char *path = g_build_filename (folder, names[i], NULL);

        g_assert_true (g_file_set_contents (path, "", 0, NULL));
      }
    else
      write_weights (folder, names[i], (double) i);
  link = g_build_filename (folder, "away.npz", NULL);
  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  files = sonde_weight_files_list (folder);
  g_assert_cmpuint (files->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < files->len; i++)
    {
      const SondeWeightFile *file = files->pdata[i];
      g_autoptr (SondeNamedTensors) tensors = sonde_weight_file_read (NULL, file->path, NULL);

      g_assert_cmpstr (file->name, ==, expected[i]);
      g_assert_cmpint (file->step, ==, steps[i]);
      g_assert_nonnull (sonde_named_tensors_lookup (tensors, "w"));
      g_assert_cmpint (g_unlink (file->path), ==, 0);
    }
  none = sonde_weight_files_list ("/nowhere/at/all");
  g_assert_cmpuint (none->len, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_unlink (path);
    }
  g_unlink (link);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/arrays/weight-files/list", test_list);
  return g_test_run ();
}
