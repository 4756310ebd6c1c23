/* SPDX-License-Identifier: Apache-2.0
 * Values as JSON: json-glib reads the same back. */
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-json.h"

static void
test_members (void)
{
  static const char *const hard = "quote \" back \\ tab \t line \n bell \a ü 漢 \xff end";
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  JsonObject *object;

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "text", hard);
  sonde_json_set_string (builder, "nothing", NULL);
  sonde_json_set_boolean (builder, "yes", TRUE);
  sonde_json_set_int (builder, "least", G_MININT64);
  sonde_json_set_double (builder, "tenth", 0.1);
  sonde_json_set_double (builder, "nan", NAN);
  sonde_json_set_double (builder, "plus", INFINITY);
  sonde_json_set_double (builder, "minus", -INFINITY);
  sonde_json_begin_array (builder, "list");
  json_builder_begin_object (builder);
  json_builder_end_object (builder);
  json_builder_add_int_value (builder, 1);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  line = sonde_json_to_line (builder);
  root = json_from_string (line, &error);
  g_assert_no_error (error);
  object = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (object, "text"), ==,
                   "quote \" back \\ tab \t line \n bell \a ü 漢 \xef\xbf\xbd end");
  g_assert_true (json_object_get_null_member (object, "nothing"));
  g_assert_true (json_object_get_boolean_member (object, "yes"));
  g_assert_cmpint (json_object_get_int_member (object, "least"), ==, G_MININT64);
  g_assert_cmpfloat (json_object_get_double_member (object, "tenth"), ==, 0.1);
  g_assert_cmpstr (json_object_get_string_member (object, "nan"), ==, "nan");
  g_assert_cmpstr (json_object_get_string_member (object, "plus"), ==, "inf");
  g_assert_cmpstr (json_object_get_string_member (object, "minus"), ==, "-inf");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "list")), ==, 2);
  g_assert_null (strchr (line, '\n'));
}

static void
check_tensor (const SondeTensor *tensor, const char *expected)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) wanted = json_from_string (expected, NULL), built = NULL;
  g_autofree char *line = NULL;
  JsonNode *read;

  json_builder_begin_object (builder);
  sonde_json_set_tensor (builder, "data", tensor);
  json_builder_end_object (builder);
  line = sonde_json_to_line (builder);
  built = json_from_string (line, NULL);
  read = json_object_get_member (json_node_get_object (built), "data");
  if (!json_node_equal (read, wanted))
    g_error ("%s is not %s", line, expected);
}

static void
test_tensors (void)
{
  static const float floats[] = { 0.1f, -2.0f, NAN, INFINITY, -INFINITY, 1e-30f };
  static const guint8 bools[] = { 1, 0 };
  static const char *const strings[] = { "a\"b", "1" };
  static const gint64 integers[] = { G_MAXINT64 };
  SondeShape shape = sonde_shape_make (2, 2, 3), two = sonde_shape_make (1, 2),
             scalar = sonde_shape_scalar ();
  SondeShape empty = sonde_shape_make (3, 2, 0, 4);
  g_autoptr (SondeTensor) matrix = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, floats);
  g_autoptr (SondeTensor) flags = sonde_tensor_new_from_data (SONDE_DTYPE_BOOL, &two, bools);
  g_autoptr (SondeTensor) words = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &two, strings);
  g_autoptr (SondeTensor) one = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &scalar, integers);
  g_autoptr (SondeTensor) none = sonde_tensor_new (SONDE_DTYPE_F32, &empty);
  g_autoptr (SondeTensor) turned = sonde_tensor_transpose (matrix, (const int[]){ 1, 0 });

  check_tensor (matrix, "[[0.1,-2.0,\"nan\"],[\"inf\",\"-inf\",1e-30]]");
  check_tensor (turned, "[[0.1,\"inf\"],[-2.0,\"-inf\"],[\"nan\",1e-30]]");
  check_tensor (flags, "[true,false]");
  check_tensor (words, "[\"a\\\"b\",\"1\"]");
  check_tensor (one, "9223372036854775807");
  check_tensor (none, "[[],[]]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/arrays/json/members", test_members);
  g_test_add_func ("/data/arrays/json/tensors", test_tensors);
  return g_test_run ();
}
