/* SPDX-License-Identifier: Apache-2.0
 * Safetensors: written and read again, bytes as the format's description has them, damage. */
#include "data/arrays/sonde-safetensors.h"

#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-error.h"

static SondeNamedTensors *
parse (const char *header, gsize n_data, GError **error)
{
  g_autofree guint8 *bytes = g_malloc0 (8 + strlen (header) + n_data);

  bytes[0] = (guint8) strlen (header);
  bytes[1] = (guint8) (strlen (header) >> 8);
  memcpy (bytes + 8, header, strlen (header));
  for (gsize i = 0; i < n_data; i++)
    bytes[8 + strlen (header) + i] = (guint8) i;
  return sonde_safetensors_parse (bytes, 8 + strlen (header) + n_data, "x.safetensors", error);
}

static void
test_read (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) tensors
      = parse ("{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"U8\",\"shape\":[2,2],"
               "\"data_offsets\":[4,8]},"
               "\"a\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]},"
               "\"none\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[8,8]}}  ",
               8, &error);
  SondeTensor *a, *b;

  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), ==, 3);
  a = sonde_named_tensors_lookup (tensors, "a");
  b = sonde_named_tensors_lookup (tensors, "b");
  g_assert_cmpint (sonde_tensor_get_int (a, 0), ==, 0x03020100);
  g_assert_cmpint (a->shape.rank, ==, 0);
  g_assert_cmpint (b->dtype, ==, SONDE_DTYPE_U8);
  g_assert_cmpint (sonde_tensor_get_int (b, 3), ==, 7);
}

static const struct
{
  const char *header;
  gsize n_data;
  const char *part;
} bad[] = {
  { "[]", 0, "no JSON object" },
  { "{ ", 0, "no JSON" },
  { "{\"a\":{\"b\":[[[[1]]]]}}", 0, "no flat" },
  { "{\"a\":3}", 0, "“a”" },
  { "{\"a\":{}}", 0, "no dtype" },
  { "{\"a\":{\"dtype\":\"F32\"}}", 0, "lacks shape" },
  { "{\"a\":{\"dtype\":\"F31\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "F31" },
  { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "8" },
  { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 3, "outside" },
  { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "outside" },
  { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "no tensor" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, "begin" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"U8\","
    "\"shape\":[2],\"data_offsets\":[1,3]}}",
    3, "begin" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1, "shape" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,1]}}", 1, "shape" },
  { "{\"a\":{\"dtype\":\"F64\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
    "shape" },
};

static void
test_damage (void)
{
  g_autofree char *deep = g_strnfill (200, '[');

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (bad[i].header, bad[i].n_data, &error));
      g_assert_true (error->domain == SONDE_DATA_ERROR);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i].part));
      g_assert_nonnull (strstr (error->message, "x.safetensors"));
    }
  g_assert_null (parse (deep, 0, NULL));
}

/* Any change of a byte of the header, and any shortening: an error or tensors, never worse. */
static void
test_hostile (void)
{
  static const char text[] = "\x48\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_"
                             "offsets\":[0,4]},\"__metadata__\":{}}abcd";
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (gsize length = 0; length < sizeof text - 1; length++)
    g_assert_null (sonde_safetensors_parse ((const guint8 *) text, length, "x", NULL));
  for (int i = 0; i < 5000; i++)
    {
      guint8 copy[sizeof text - 1];
      g_autoptr (SondeNamedTensors) tensors = NULL;

      memcpy (copy, text, sizeof copy);
      for (int k = 0; k < 2; k++)
        copy[g_rand_int_range (random, 0, sizeof copy)] = (guint8) g_rand_int (random);
      tensors = sonde_safetensors_parse (copy, sizeof copy, "x", NULL);
    }
}

static void
test_round_trip (void)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_U8,   SONDE_DTYPE_F64,  SONDE_DTYPE_F16, SONDE_DTYPE_F32,
          SONDE_DTYPE_BOOL, SONDE_DTYPE_BF16, SONDE_DTYPE_I64, SONDE_DTYPE_F8E4M3FN };
  g_autofree char *folder = g_dir_make_tmp ("sonde-safetensors-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "w.safetensors", NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new (), back = NULL;
  g_autoptr (GError) error = NULL;
  const SondeShape shape = { 2, { 3, 5 } };
  g_autoptr (SondeTensor) text = sonde_tensor_new (SONDE_DTYPE_STRING, &shape);

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtypes[i], &shape);
      g_autofree char *name = g_strdup_printf ("layer \"%u\".ü", (guint) i);

      for (gint64 k = 0; k < 15; k++)
        sonde_tensor_set_double (tensor, k,
                                 dtypes[i] == SONDE_DTYPE_BOOL ? (double) (k % 2) : (double) k);
      sonde_named_tensors_set (tensors, name, tensor);
    }
  g_assert_true (sonde_safetensors_write (NULL, path, tensors, &error));
  back = sonde_safetensors_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (back), ==, G_N_ELEMENTS (dtypes));
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    g_assert_true (sonde_tensor_equal (
        sonde_named_tensors_lookup (back, sonde_named_tensors_get_name (tensors, i)),
        sonde_named_tensors_get_tensor (tensors, i)));
  sonde_named_tensors_set (tensors, "words", text);
  g_assert_false (sonde_safetensors_write (NULL, path, tensors, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "words"));
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/arrays/safetensors/read", test_read);
  g_test_add_func ("/data/arrays/safetensors/damage", test_damage);
  g_test_add_func ("/data/arrays/safetensors/hostile", test_hostile);
  g_test_add_func ("/data/arrays/safetensors/round-trip", test_round_trip);
  return g_test_run ();
}
