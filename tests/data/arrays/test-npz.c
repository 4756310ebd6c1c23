/* SPDX-License-Identifier: Apache-2.0
 * .npz: round trip, deflated samples, damaged archives, named tensors. */
#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "tests/data/base/faulty-io.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-npz-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "x.npz", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static SondeNamedTensors *
some_tensors (void)
{
  SondeNamedTensors *tensors = sonde_named_tensors_new ();
  static const char *const names[] = { "w/1", "b", "äöü", "a" };

  for (int i = 0; i < 4; i++)
    {
      SondeShape shape = sonde_shape_make (2, 100 * i, 7);
      g_autoptr (SondeTensor) tensor
          = sonde_tensor_new (i % 2 == 0 ? SONDE_DTYPE_F32 : SONDE_DTYPE_I64, &shape);

      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (tensor, k, (double) (k * i));
      sonde_named_tensors_set (tensors, names[i], tensor);
    }
  return tensors;
}

static void
assert_same (const SondeNamedTensors *a, const SondeNamedTensors *b)
{
  g_assert_cmpuint (sonde_named_tensors_get_size (a), ==, sonde_named_tensors_get_size (b));
  for (gsize i = 0; i < sonde_named_tensors_get_size (a); i++)
    {
      g_assert_cmpstr (sonde_named_tensors_get_name (a, i), ==,
                       sonde_named_tensors_get_name (b, i));
      g_assert_true (sonde_tensor_equal (sonde_named_tensors_get_tensor (a, i),
                                         sonde_named_tensors_get_tensor (b, i)));
    }
}

static void
test_round_trip (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) tensors = some_tensors (), back = NULL;
  g_autoptr (GBytes) first = NULL, second = NULL;

  g_assert_true (sonde_npz_write (NULL, fixture->path, tensors, &error));
  back = sonde_npz_read (NULL, fixture->path, &error);
  g_assert_no_error (error);
  assert_same (back, tensors);

  first = sonde_io_read_file (NULL, fixture->path, G_MAXUINT64, NULL);
  g_assert_true (sonde_npz_write (NULL, fixture->path, tensors, &error));
  second = sonde_io_read_file (NULL, fixture->path, G_MAXUINT64, NULL);
  g_assert_true (g_bytes_equal (first, second)); /* equal arrays, equal files */
}

static void
test_empty (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) none = sonde_named_tensors_new (), back = NULL;

  g_assert_true (sonde_npz_write (NULL, fixture->path, none, &error));
  back = sonde_npz_read (NULL, fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (back), ==, 0);
}

/* Cut anywhere, or with a flipped byte: an error, or still the same arrays, never worse. */
static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeNamedTensors) tensors = some_tensors ();
  g_autofree char *bytes = NULL;
  gsize length;
  guint n_refused = 0, n_tried = 0;

  g_assert_true (sonde_npz_write (NULL, fixture->path, tensors, NULL));
  g_assert_true (g_file_get_contents (fixture->path, &bytes, &length, NULL));
  for (gsize cut = 0; cut < length; cut += 97)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (fixture->path, bytes, (gssize) cut, NULL));
      g_assert_null (sonde_npz_read (NULL, fixture->path, &error));
      g_assert_true (error->domain == SONDE_DATA_ERROR);
      g_assert_nonnull (strstr (error->message, fixture->path));
    }
  for (gsize at = 0; at < length; at += 61, n_tried++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeNamedTensors) back = NULL;

      bytes[at] ^= 0x10;
      g_assert_true (g_file_set_contents (fixture->path, bytes, (gssize) length, NULL));
      back = sonde_npz_read (NULL, fixture->path, &error);
      bytes[at] ^= 0x10;
      g_assert_true ((back == NULL) == (error != NULL));
      n_refused += back == NULL;
    }
  g_assert_cmpuint (n_refused, >, n_tried * 9 / 10); /* the checksum of the members is looked at */
}

static void
test_no_archive (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_npz_read (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (fixture->path, "hello", 5, NULL));
  g_assert_null (sonde_npz_read (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
}

static void
test_faults (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeNamedTensors) tensors = some_tensors (), back = NULL;

  g_assert_true (sonde_npz_write (NULL, fixture->path, tensors, NULL));
  for (guint k = 1; back == NULL; k++)
    {
      g_autoptr (GError) error = NULL;
      FaultyIo io;

      g_assert_cmpuint (k, <, 100);
      faulty_io_init (&io);
      io.max_bytes = 5000;
      io.fail_call = k;
      io.fail_errno = EIO;
      back = sonde_npz_read (&io.io, fixture->path, &error);
      g_assert_true ((back == NULL) == (error != NULL));
      if (back == NULL)
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
      g_assert_cmpuint (io.n_open, ==, 0);
    }
  assert_same (back, tensors);
}

static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeNamedTensors) tensors = some_tensors (), back = NULL;
  g_autoptr (GError) error = NULL;
  FaultyIo io;

  g_assert_true (sonde_npz_write (NULL, fixture->path, tensors, NULL));
  faulty_io_init (&io);
  io.fail_call = 2;
  io.fail_errno = ENOSPC;
  g_assert_false (sonde_npz_write (&io.io, fixture->path, tensors, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  back = sonde_npz_read (NULL, fixture->path, NULL);
  assert_same (back, tensors); /* the old file */
}

static void
test_named (void)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeTensor) one = sonde_tensor_new_f32 (1), two = sonde_tensor_new_f32 (2);

  sonde_named_tensors_set (tensors, "a", one);
  sonde_named_tensors_set (tensors, "b", one);
  sonde_named_tensors_set (tensors, "a", two);
  sonde_named_tensors_set (tensors, "a", two);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), ==, 2);
  g_assert_true (sonde_named_tensors_lookup (tensors, "a") == two);
  g_assert_cmpstr (sonde_named_tensors_get_name (tensors, 0), ==, "a");
  g_assert_null (sonde_named_tensors_lookup (tensors, "c"));
}

static void
test_shared (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "", "models/training/lenet/init.npz", NULL);
  g_autofree char *losses_path
      = g_build_filename (shared != NULL ? shared : "", "models/curve/losses.npz", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) weights = NULL, losses = NULL;
  SondeTensor *loss;

  if (shared == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("SONDE_SHARED is not there");
      return;
    }
  weights = sonde_npz_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (weights), ==, 10);
  g_assert_cmpstr (sonde_named_tensors_get_name (weights, 0), ==, "conv1.weight");
  g_assert_cmpint (sonde_tensor_n_elements (sonde_named_tensors_lookup (weights, "fc1.weight")), ==,
                   48000);

  losses = sonde_npz_read (NULL, losses_path, &error);
  g_assert_no_error (error);
  loss = sonde_named_tensors_lookup (losses, "f64");
  g_assert_cmpint (sonde_tensor_n_elements (loss), ==, 375);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (loss, 0), 2.3, 0.05); /* ln 10 */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/data/arrays/npz/round-trip", Fixture, NULL, set_up, test_round_trip, tear_down);
  g_test_add ("/data/arrays/npz/empty", Fixture, NULL, set_up, test_empty, tear_down);
  g_test_add ("/data/arrays/npz/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  g_test_add ("/data/arrays/npz/no-archive", Fixture, NULL, set_up, test_no_archive, tear_down);
  g_test_add ("/data/arrays/npz/faults", Fixture, NULL, set_up, test_faults, tear_down);
  g_test_add ("/data/arrays/npz/full-disk", Fixture, NULL, set_up, test_full_disk, tear_down);
  g_test_add_func ("/data/arrays/npz/named", test_named);
  g_test_add_func ("/data/arrays/npz/shared", test_shared);
  return g_test_run ();
}
