/* SPDX-License-Identifier: Apache-2.0
 * Shapes, values and images. */
#include "data/values/sonde-image.h"
#include "data/values/sonde-value.h"

#include <math.h>

static void
test_shape_counts (void)
{
  const SondeShape shapes[] = {
    sonde_shape_scalar (),
    sonde_shape_make (2, 3, 4),
    sonde_shape_make (3, 3, 0, (gint64) 1 << 62),
    sonde_shape_make (1, (gint64) 1 << 40),
    sonde_shape_make (2, (gint64) 1 << 40, 2),
    sonde_shape_make (2, G_MAXINT64, G_MAXINT64),
    sonde_shape_make (2, 0, -1),
  };
  const gint64 counts[] = { 1, 12, 0, (gint64) 1 << 40, -1, -1, -1 };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    g_assert_cmpint (sonde_shape_n_elements (&shapes[i]), ==, counts[i]);
}

static void
test_shape_broadcast (void)
{
  SondeShape a = sonde_shape_make (3, 5, 1, 4), b = sonde_shape_make (2, 3, 1), result;
  SondeShape expected = sonde_shape_make (3, 5, 3, 4), bad = sonde_shape_make (1, 3);
  SondeShape none = sonde_shape_make (1, 0), one = sonde_shape_make (1, 1);
  SondeShape scalar = sonde_shape_scalar ();

  g_assert_true (sonde_shape_broadcast (&a, &b, &result));
  g_assert_true (sonde_shape_equal (&result, &expected));
  g_assert_true (sonde_shape_broadcast (&b, &a, &result));
  g_assert_true (sonde_shape_equal (&result, &expected));
  g_assert_false (sonde_shape_broadcast (&a, &bad, &result));
  g_assert_true (sonde_shape_broadcast (&none, &one, &result));
  g_assert_true (sonde_shape_equal (&result, &none));
  g_assert_true (sonde_shape_broadcast (&scalar, &a, &result));
  g_assert_true (sonde_shape_equal (&result, &a));
  g_assert_false (sonde_shape_equal (&scalar, &one));
}

static void
test_shape_text (void)
{
  SondeShape shape = sonde_shape_make (3, 2, 3, 4), scalar = sonde_shape_scalar ();
  g_autofree char *text = sonde_shape_to_string (&shape);
  g_autofree char *scalar_text = sonde_shape_to_string (&scalar);

  g_assert_cmpstr (text, ==, "2×3×4");
  g_assert_cmpstr (scalar_text, ==, "scalar");
}

static void
test_value_tree (void)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_f32 (2.5f);
  g_autoptr (SondeValue) leaf = sonde_value_new_tensor (tensor);
  g_autoptr (SondeValue) nothing = sonde_value_new_optional (NULL);
  SondeValue *items[] = { leaf, nothing };
  g_autoptr (SondeValue) sequence = sonde_value_new_sequence (items, 2);
  g_autoptr (SondeValue) filled = sonde_value_new_optional (sequence);

  g_assert_cmpint (sonde_value_get_kind (NULL), ==, SONDE_VALUE_NONE);
  g_assert_cmpint (sonde_value_get_kind (leaf), ==, SONDE_VALUE_TENSOR);
  g_assert_true (sonde_value_get_tensor (leaf) == tensor);
  g_assert_null (sonde_value_get_tensor (sequence));
  g_assert_null (sonde_value_get_tensor (NULL));
  g_assert_cmpuint (sonde_value_get_n_items (leaf), ==, 0);
  g_assert_cmpuint (sonde_value_get_n_items (sequence), ==, 2);
  g_assert_cmpuint (sonde_value_get_n_items (nothing), ==, 0);
  g_assert_cmpuint (sonde_value_get_n_items (filled), ==, 1);
  g_assert_true (sonde_value_get_item (sonde_value_get_item (filled, 0), 0) == leaf);
}

static void
test_value_map (void)
{
  SondeShape shape = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) keys = sonde_tensor_new (SONDE_DTYPE_STRING, &shape);
  g_autoptr (SondeTensor) values = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeValue) map = sonde_value_new_map (keys, values);

  g_assert_cmpint (sonde_value_get_kind (map), ==, SONDE_VALUE_MAP);
  g_assert_null (sonde_value_get_tensor (map));
  g_assert_cmpuint (sonde_value_get_n_items (map), ==, 2);
  g_assert_true (sonde_value_get_tensor (sonde_value_get_item (map, 0)) == keys);
  g_assert_true (sonde_value_get_tensor (sonde_value_get_item (map, 1)) == values);
}

static void
test_image_round_trip (void)
{
  static const int channels[] = { 1, 3, 4 };

  for (gsize i = 0; i < G_N_ELEMENTS (channels); i++)
    {
      g_autoptr (SondeImage) image = sonde_image_new (37, 21, channels[i]);
      g_autoptr (SondeImage) back = NULL;
      g_autoptr (SondeTensor) tensor = NULL;
      gsize n = 37 * 21 * (gsize) channels[i];

      for (gsize k = 0; k < n; k++)
        image->pixels[k] = (guint8) (k * 7 % 256);
      tensor = sonde_image_to_tensor (image);
      g_assert_cmpint (tensor->shape.dims[0], ==, channels[i]);
      g_assert_cmpint (tensor->shape.dims[1], ==, 21);
      g_assert_cmpint (tensor->shape.dims[2], ==, 37);
      back = sonde_image_from_tensor (tensor);
      g_assert_cmpmem (back->pixels, n, image->pixels, n);
    }
}

static void
test_image_clamp (void)
{
  const float numbers[] = { -1.0f, 0.0f, 0.5f, 1.0f, 7.0f, NAN };
  const guint8 expected[] = { 0, 0, 128, 255, 255, 0 };
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (tensor, SONDE_DTYPE_F64);
  g_autoptr (SondeImage) image = sonde_image_from_tensor (tensor);
  g_autoptr (SondeImage) from_wide = sonde_image_from_tensor (wide);

  g_assert_cmpint (image->channels, ==, 1);
  g_assert_cmpmem (image->pixels, 6, expected, 6);
  g_assert_cmpmem (from_wide->pixels, 6, expected, 6);
}

static void
test_image_bytes (void)
{
  const guint8 planes[] = { 1, 2, 3, 4, 5, 6 };
  const guint8 expected[] = { 1, 3, 5, 2, 4, 6 };
  SondeShape shape = sonde_shape_make (3, 3, 1, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_U8, &shape, planes);
  g_autoptr (SondeImage) image = sonde_image_from_tensor (tensor);

  g_assert_cmpmem (image->pixels, 6, expected, 6);
}

static void
test_image_refused (void)
{
  const SondeShape shapes[]
      = { sonde_shape_scalar (), sonde_shape_make (3, 2, 4, 4), sonde_shape_make (2, 0, 4),
          sonde_shape_make (2, 1, 16385), sonde_shape_make (4, 1, 3, 4, 4) };
  SondeShape fine = sonde_shape_make (2, 4, 4);
  g_autoptr (SondeTensor) integers = sonde_tensor_new (SONDE_DTYPE_I64, &fine);

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shapes[i]);

      g_assert_null (sonde_image_from_tensor (tensor));
    }
  g_assert_null (sonde_image_from_tensor (integers));
}

/* A second reference is the same pixels; a copy has its own. */
static void
test_image_references (void)
{
  SondeImage *image = sonde_image_new (2, 1, 1);
  g_autoptr (SondeImage) second = sonde_image_ref (image), copy = sonde_image_copy (image);

  g_assert_true (second == image);
  g_assert_true (copy->pixels != image->pixels);
  copy->pixels[1] = 7;
  sonde_image_unref (image);
  g_assert_cmpint (second->pixels[1], ==, 0);
  g_assert_null (sonde_image_ref (NULL));
  sonde_image_unref (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/shape/counts", test_shape_counts);
  g_test_add_func ("/data/values/shape/broadcast", test_shape_broadcast);
  g_test_add_func ("/data/values/shape/text", test_shape_text);
  g_test_add_func ("/data/values/value/tree", test_value_tree);
  g_test_add_func ("/data/values/value/map", test_value_map);
  g_test_add_func ("/data/values/image/round-trip", test_image_round_trip);
  g_test_add_func ("/data/values/image/clamp", test_image_clamp);
  g_test_add_func ("/data/values/image/bytes", test_image_bytes);
  g_test_add_func ("/data/values/image/refused", test_image_refused);
  g_test_add_func ("/data/values/image/references", test_image_references);
  return g_test_run ();
}
