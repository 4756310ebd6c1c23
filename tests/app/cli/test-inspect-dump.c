/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect` of dumps of msprobe. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* The member "folders" of what the command says of @path alone. @root: (out): owns it */
static JsonArray *
inspect (const char *path, JsonNode **root)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", path, "--json");
  JsonArray *dumps;
  JsonObject *dump;

  sonde_test_assert_status (program, 0);
  *root = sonde_test_parse_json (program->out);
  sonde_test_folder_free (g_steal_pointer (&folder));
  dumps = json_object_get_array_member (json_node_get_object (*root), "dumps");
  g_assert_cmpuint (json_array_get_length (dumps), ==, 1);
  dump = json_array_get_object_element (dumps, 0);
  g_assert_cmpstr (json_object_get_string_member (dump, "format"), ==, "msprobe");
  g_assert_cmpstr (json_object_get_string_member (dump, "path"), ==, path);
  return json_object_get_array_member (dump, "folders");
}

static JsonObject *
get_object (JsonObject *object, const char *array, guint i)
{
  return json_array_get_object_element (json_object_get_array_member (object, array), i);
}

static void
test_json (void)
{
  g_autofree char *path = sonde_test_shared_path ("samples/msprobe/train-mix-tensor");
  g_autoptr (JsonNode) root = NULL;
  JsonArray *folders = path != NULL ? inspect (path, &root) : NULL;
  JsonObject *first, *entry, *tensor, *frame;

  if (path == NULL)
    return;
  g_assert_cmpuint (json_array_get_length (folders), ==, 2);
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (folders, 1), "step"),
                   ==, 1);
  first = json_array_get_object_element (folders, 0);
  g_assert_cmpstr (json_object_get_string_member (first, "rank"), ==, "proc12465");
  g_assert_cmpstr (json_object_get_string_member (first, "task"), ==, "tensor");
  g_assert_cmpstr (json_object_get_string_member (first, "level"), ==, "mix");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (first, "entries")), ==,
                    76);
  entry = get_object (first, "entries", 1);
  g_assert_cmpstr (json_object_get_string_member (entry, "name"), ==,
                   "Module.stem.conv.Conv2d.forward.0");
  g_assert_cmpstr (json_object_get_string_member (entry, "module"), ==, "stem.conv");
  g_assert_cmpstr (json_object_get_string_member (entry, "op"), ==, "Conv2d");
  g_assert_cmpstr (json_object_get_string_member (entry, "parent"), ==,
                   "Module.stem.Block.forward.0");
  tensor = get_object (entry, "tensors", 0);
  g_assert_cmpstr (json_object_get_string_member (tensor, "name"), ==,
                   "Module.stem.conv.Conv2d.forward.0.input.0");
  g_assert_cmpstr (json_object_get_string_member (tensor, "role"), ==, "input");
  g_assert_cmpfloat (json_object_get_double_member (tensor, "max"), ==, 1.8810529708862305);
  frame = json_array_get_object_element (
      json_array_get_array_element (json_object_get_array_member (first, "stacks"),
                                    (guint) json_object_get_int_member (entry, "stack")),
      3);
  g_assert_cmpstr (json_object_get_string_member (frame, "file"), ==, "train.py");
}

static void
test_text (void)
{
  g_autofree char *path = sonde_test_shared_path ("samples/msprobe/train-L1-md5/step0");
  g_autofree char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL;

  if (path != NULL)
    {
      program = sonde_test_run (folder, NULL, "inspect", path);
      sonde_test_assert_status (program, 0);
      g_assert_nonnull (strstr (program->out, "msprobe dump, 1 step, 1 rank"));
      g_assert_nonnull (strstr (program->out, "task statistics, level L1, 41 entries"));
      g_assert_nonnull (strstr (program->out, "train.py:30 in forward"));
      g_assert_nonnull (strstr (program->out, "8.05731"));
    }
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
write_file (const char *folder, const char *base, const char *text)
{
  g_autofree char *path = g_build_filename (folder, base, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* NaN is JSON as elsewhere; what cannot be read is said, and the rest is there; a listing that is cut
 * off is an error. */
static void
test_damaged (void)
{
  g_autofree char *folder = sonde_test_folder_new (),
                  *rank = g_build_filename (folder, "rank3", NULL);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *place, *tensor;

  g_assert_cmpint (g_mkdir (rank, 0700), ==, 0);
  write_file (rank, "dump.json",
              "{\"task\": \"statistics\", \"level\": \"L1\", \"data\": {\"Mint.relu.0.forward\": "
              "{\"output\": [{\"type\": \"mindspore.Tensor\", \"dtype\": \"Float32\", \"shape\": "
              "[2], \"Max\": NaN, \"Min\": null}]}}}");
  write_file (rank, "stack.json", "{");
  place = json_array_get_object_element (inspect (rank, &root), 0);
  tensor = get_object (get_object (place, "entries", 0), "tensors", 0);
  g_assert_cmpstr (json_object_get_string_member (tensor, "max"), ==, "nan");
  g_assert_true (json_object_get_null_member (tensor, "min"));
  g_assert_nonnull (
      strstr (json_array_get_string_element (json_object_get_array_member (place, "problems"), 0),
              "stack.json"));
  write_file (rank, "dump.json", "{\"task\": \"statistics\", \"level\": \"L1\", \"data\": {\"Mint");
  program = sonde_test_run (folder, NULL, "inspect", rank, "--json");
  sonde_test_assert_status (program, 1);
  g_assert_nonnull (strstr (program->err, "byte 52"));
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/inspect-dump/json", test_json);
  g_test_add_func ("/app/cli/inspect-dump/text", test_text);
  g_test_add_func ("/app/cli/inspect-dump/damaged", test_damaged);
  return g_test_run ();
}
