/* SPDX-License-Identifier: Apache-2.0
 * HDF5 files that h5py wrote (fixtures/hdf5/make-hdf5.py) through the helper process: every kind of
 * element and text, what is refused, every damage; helpers that lie or are not there. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/hdf5/sonde-hdf5.h"

static GBytes *
read_file (const char *name)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/hdf5", name, NULL);
  g_autoptr (GError) error = NULL;
  char *data = NULL;
  gsize length = 0;

  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (data, length);
}

static SondeHdf5 *
open_file (const char *name)
{
  g_autoptr (GBytes) bytes = read_file (name);
  g_autoptr (GError) error = NULL;
  SondeHdf5 *file = sonde_hdf5_read (bytes, name, &error);

  g_assert_no_error (error);
  return file;
}

/* Elements are -3 … 8, absolute where there is no sign, as truth values where they are such. */
static double
expect (SondeDtype dtype, gint64 i)
{
  double value = (double) i - 3;

  if (dtype == SONDE_DTYPE_BOOL)
    return value > 0;
  return sonde_dtype_is_integer (dtype) && !sonde_dtype_is_signed (dtype) ? ABS (value) : value;
}

static void
check_ramp (SondeHdf5 *file, const char *name, SondeDtype dtype)
{
  g_autofree char *path = g_strconcat ("/layers/dense/", name, NULL);
  const SondeHdf5Object *dataset = sonde_hdf5_find (file, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  g_assert_nonnull (dataset);
  g_assert_true (sonde_hdf5_object_is_dataset (dataset));
  tensor = sonde_hdf5_read_tensor (file, dataset, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sonde_dtype_name (tensor->dtype), ==, sonde_dtype_name (dtype));
  g_assert_cmpint (tensor->shape.rank, ==, 2);
  g_assert_cmpint (tensor->shape.dims[0], ==, 3);
  g_assert_cmpint (tensor->shape.dims[1], ==, 4);
  for (gint64 i = 0; i < 12; i++)
    g_assert_cmpfloat (sonde_tensor_get_double (tensor, i), ==, expect (dtype, i));
}

static void
test_kinds (void)
{
  static const struct
  {
    const char *name;
    SondeDtype dtype;
  } kinds[] = {
    { "f2", SONDE_DTYPE_F16 },        { "f4", SONDE_DTYPE_F32 },    { "f8", SONDE_DTYPE_F64 },
    { "i1", SONDE_DTYPE_I8 },         { "i2", SONDE_DTYPE_I16 },    { "i4", SONDE_DTYPE_I32 },
    { "i8", SONDE_DTYPE_I64 },        { "u1", SONDE_DTYPE_U8 },     { "u2", SONDE_DTYPE_U16 },
    { "u4", SONDE_DTYPE_U32 },        { "u8", SONDE_DTYPE_U64 },    { "big-f4", SONDE_DTYPE_F32 },
    { "big-i2", SONDE_DTYPE_I16 },    { "bool", SONDE_DTYPE_BOOL }, { "chunked", SONDE_DTYPE_F32 },
    { "bfloat16", SONDE_DTYPE_BF16 },
  };
  g_autoptr (SondeHdf5) file = open_file ("kinds.h5");

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    check_ramp (file, kinds[i].name, kinds[i].dtype);
}

static void
test_edges (void)
{
  g_autoptr (SondeHdf5) file = open_file ("kinds.h5");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) scalar
      = sonde_hdf5_read_tensor (file, sonde_hdf5_find (file, "/layers/dense/scalar"), NULL);
  g_autoptr (SondeTensor) empty
      = sonde_hdf5_read_tensor (file, sonde_hdf5_find (file, "/layers/dense/empty"), NULL);
  g_autoptr (SondeTensor) filled
      = sonde_hdf5_read_tensor (file, sonde_hdf5_find (file, "/layers/dense/never-written"), NULL);

  g_assert_cmpint (scalar->shape.rank, ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (scalar, 0), ==, 2.5);
  g_assert_cmpint (sonde_tensor_n_elements (empty), ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (filled, 3), ==, 7);
  g_assert_null (
      sonde_hdf5_read_tensor (file, sonde_hdf5_find (file, "/layers/dense/text"), &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_false (sonde_hdf5_object_is_dataset (sonde_hdf5_find (file, "/layers/dense")));
}

static void
test_texts (void)
{
  static const char *const names[] = { "a", "longer", "", NULL };
  static const char *const variable[] = { "één", "b", NULL };
  g_autoptr (SondeHdf5) file = open_file ("kinds.h5");
  const SondeHdf5Object *root = sonde_hdf5_find (file, "/");

  g_assert_cmpstr (sonde_hdf5_object_get_text (root, "model_config"), ==,
                   "{\"class_name\": \"Sequential\"}");
  g_assert_cmpstr (sonde_hdf5_object_get_text (root, "fixed"), ==, "fixed");
  g_assert_cmpstrv (sonde_hdf5_object_get_texts (root, "names"), names);
  g_assert_cmpstrv (sonde_hdf5_object_get_texts (root, "variable"), variable);
  g_assert_null (sonde_hdf5_object_get_texts (root, "count"));
}

/* The newer form of the format, in another order of things. */
static void
test_latest (void)
{
  g_autoptr (SondeHdf5) file = open_file ("latest.h5");
  g_autoptr (SondeTensor) tensor
      = sonde_hdf5_read_tensor (file, sonde_hdf5_find (file, "/a/b"), NULL);

  g_assert_cmpfloat (sonde_tensor_get_double (tensor, 11), ==, 8);
}

static void
test_refused (void)
{
  static const struct
  {
    const char *name;
    SondeDataError code;
    const char *words;
  } rows[] = {
    { "soft-link.h5", SONDE_DATA_ERROR_UNSUPPORTED, "“/x” is a link" },
    { "external-link.h5", SONDE_DATA_ERROR_UNSUPPORTED, "“/x” is a link" },
    { "circle.h5", SONDE_DATA_ERROR_DAMAGED, "“/a/again” has a second path" },
    { "external-storage.h5", SONDE_DATA_ERROR_UNSUPPORTED, "“/x” lies in another file" },
    { "virtual.h5", SONDE_DATA_ERROR_UNSUPPORTED, "“/x” is put together of other files" },
    { "filter.h5", SONDE_DATA_ERROR_UNSUPPORTED, "“/x” is packed by another filter" },
    { "huge.h5", SONDE_DATA_ERROR_LIMIT, "more than 512 MiB" },
    { "impossible.h5", SONDE_DATA_ERROR_DAMAGED, "“/x” cannot be" },
    { "deep.h5", SONDE_DATA_ERROR_LIMIT, "more than 64 levels deep" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) bytes = read_file (rows[i].name);
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_hdf5_read (bytes, rows[i].name, &error));
      g_assert_error (error, SONDE_DATA_ERROR, (int) rows[i].code);
      g_assert_nonnull (strstr (error->message, rows[i].name));
      g_assert_nonnull (strstr (error->message, rows[i].words));
    }
}

/* A tensor or an error of each dataset; the program never reads where the file has no bytes. */
static void
read_all (const guint8 *data, gsize length)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeHdf5) file = sonde_hdf5_read (bytes, "damaged.h5", &error);

  g_assert_true ((file == NULL) == (error != NULL));
  for (guint i = 0; file != NULL && i < sonde_hdf5_get_n_objects (file); i++)
    {
      const SondeHdf5Object *object = sonde_hdf5_get_object (file, i);
      g_autoptr (GError) problem = NULL;
      g_autoptr (SondeTensor) tensor = NULL;

      if (!sonde_hdf5_object_is_dataset (object))
        continue;
      tensor = sonde_hdf5_read_tensor (file, object, &problem);
      g_assert_true ((tensor == NULL) == (problem != NULL));
      for (gint64 k = 0; tensor != NULL && k < MIN (sonde_tensor_n_elements (tensor), 1000); k++)
        sonde_tensor_get_double (tensor, k);
    }
}

static void
test_cut (void)
{
  g_autoptr (GBytes) bytes = read_file ("kinds.h5");
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  for (gsize i = 0; i < 60; i++)
    read_all (data, i * length / 60);
}

static void
test_flipped (void)
{
  g_autoptr (GBytes) bytes = read_file ("kinds.h5");
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  g_autofree guint8 *copy = g_memdup2 (data, length);

  for (gsize i = 0; i < 300; i++)
    {
      gsize at = i * length / 300;

      copy[at] ^= (guint8) (1 << i % 8);
      read_all (copy, length);
      copy[at] = data[at];
    }
}

/* What stands in place of the helper; its answer is no GVariant of ours, too long, or nothing. */
static void
test_bad_helpers (void)
{
  static const char *const helpers[] = { "/none/such", "/bin/false", "/bin/cat", "/bin/echo" };
  g_autofree char *good = g_strdup (g_getenv ("SONDE_PROGRAM"));
  g_autoptr (GBytes) bytes = read_file ("kinds.h5");

  for (gsize i = 0; i < G_N_ELEMENTS (helpers); i++)
    {
      g_autoptr (GError) error = NULL;

      g_setenv ("SONDE_PROGRAM", helpers[i], TRUE);
      g_assert_null (sonde_hdf5_read (bytes, "kinds.h5", &error));
      g_assert_true (error->domain == SONDE_DATA_ERROR);
    }
  g_setenv ("SONDE_PROGRAM", good, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hdf5/kinds", test_kinds);
  g_test_add_func ("/hdf5/edges", test_edges);
  g_test_add_func ("/hdf5/texts", test_texts);
  g_test_add_func ("/hdf5/latest", test_latest);
  g_test_add_func ("/hdf5/refused", test_refused);
  g_test_add_func ("/hdf5/cut", test_cut);
  g_test_add_func ("/hdf5/flipped", test_flipped);
  g_test_add_func ("/hdf5/bad-helpers", test_bad_helpers);
  return g_test_run ();
}
