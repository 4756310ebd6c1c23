/* SPDX-License-Identifier: Apache-2.0
 * Exported programs of PyTorch: how they are put together, and what is wrong with them. */
#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>
#include <string.h>

#include "data/models/sonde-model-file.h"

typedef struct
{
  char *folder, *path;
  struct archive *archive;
} File;

static void
set_up (File *file, gconstpointer data)
{
  file->folder = g_dir_make_tmp ("sonde-pt2-XXXXXX", NULL);
  file->path = g_build_filename (file->folder, "model.pt2", NULL);
}

static void
tear_down (File *file, gconstpointer data)
{
  g_unlink (file->path);
  g_rmdir (file->folder);
  g_free (file->folder);
  g_free (file->path);
}

static void
begin (File *file)
{
  file->archive = archive_write_new ();
  archive_write_set_format_zip (file->archive);
  archive_write_set_options (file->archive, "compression=store");
  g_assert_cmpint (archive_write_open_filename (file->archive, file->path), ==, ARCHIVE_OK);
}

static void
add (File *file, const char *name, const void *bytes, gsize length)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, name);
  archive_entry_set_size (entry, (gint64) length);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  g_assert_cmpint (archive_write_header (file->archive, entry), ==, ARCHIVE_OK);
  archive_write_data (file->archive, bytes, length);
  archive_entry_free (entry);
}

static void
add_text (File *file, const char *name, const char *text)
{
  add (file, name, text, strlen (text));
}

static void
end (File *file)
{
  archive_write_close (file->archive);
  archive_write_free (file->archive);
}

#define META(sizes)                                                                                \
  "{\"dtype\": 7, \"sizes\": [" sizes "], \"strides\": [{\"as_int\": 1}], \"layout\": 7, "         \
  "\"storage_offset\": {\"as_int\": 0}}"
#define THREE "{\"as_int\": 3}"
#define TENSOR(name) "{\"as_tensor\": {\"name\": \"" name "\"}}"
/* y = TARGET (self = SELF, other = w); w is a weight of three numbers */
#define PROGRAM(target, self)                                                                                                                                                                \
  "{\"schema_version\": {\"major\": 8, \"minor\": 20}, \"torch_version\": \"2.15.0\", "                                                                                                      \
  "\"graph_module\": {\"graph\": {\"inputs\": [" TENSOR ("x") ", " TENSOR (                                                                                                                  \
      "w") "], \"outputs\": [" TENSOR ("y") "], \"nodes\": [{\"target\": \"" target                                                                                                          \
                                            "\", \"name\": \"y\", \"inputs\": [{\"name\": "                                                                                                  \
                                            "\"self\", \"arg\": " TENSOR (                                                                                                                   \
                                                self) "}, {\"name\": "                                                                                                                       \
                                                      "\"other\", "                                                                                                                          \
                                                      "\"arg\":"                                                                                                                             \
                                                      " " TENSOR ("w") "}], \"outputs\": "                                                                                                   \
                                                                       "[" TENSOR (                                                                                                          \
                                                                           "y") "], "                                                                                                        \
                                                                                "\"metad"                                                                                                    \
                                                                                "ata\": "                                                                                                    \
                                                                                "{\"nn_"                                                                                                     \
                                                                                "module_"                                                                                                    \
                                                                                "stack\""                                                                                                    \
                                                                                ": "                                                                                                         \
                                                                                "\"L__"                                                                                                      \
                                                                                "self__,"                                                                                                    \
                                                                                ",Net;L_"                                                                                                    \
                                                                                "_self__"                                                                                                    \
                                                                                "a,"                                                                                                         \
                                                                                "layers."                                                                                                    \
                                                                                "a,"                                                                                                         \
                                                                                "Net\", "                                                                                                    \
                                                                                "\"stack"                                                                                                    \
                                                                                "_trace"                                                                                                     \
                                                                                "\": \" "                                                                                                    \
                                                                                " File "                                                                                                     \
                                                                                "\\\"/"                                                                                                      \
                                                                                "home/u/"                                                                                                    \
                                                                                "net."                                                                                                       \
                                                                                "py\\\","                                                                                                    \
                                                                                " line "                                                                                                     \
                                                                                "17, in "                                                                                                    \
                                                                                "forward"                                                                                                    \
                                                                                "\\n    "                                                                                                    \
                                                                                "return "                                                                                                    \
                                                                                "x\\n\"}"                                                                                                    \
                                                                                "}], "                                                                                                       \
                                                                                "\"tenso"                                                                                                    \
                                                                                "r_"                                                                                                         \
                                                                                "values"                                                                                                     \
                                                                                "\": "                                                                                                       \
                                                                                "{\"x\":"                                                                                                    \
                                                                                " " META (THREE) ", \"w\": " META (THREE) ", \"y\": " META (                                                 \
                                                                                    THREE) "}}, "                                                                                            \
                                                                                           "\"sig"                                                                                           \
                                                                                           "natur"                                                                                           \
                                                                                           "e\": "                                                                                           \
                                                                                           "{\"in"                                                                                           \
                                                                                           "put_"                                                                                            \
                                                                                           "specs"                                                                                           \
                                                                                           "\": "                                                                                            \
                                                                                           "[{"                                                                                              \
                                                                                           "\"use"                                                                                           \
                                                                                           "r_"                                                                                              \
                                                                                           "input"                                                                                           \
                                                                                           "\": "                                                                                            \
                                                                                           "{\"ar"                                                                                           \
                                                                                           "g\":"                                                                                            \
                                                                                           " " TENSOR (                                                                                      \
                                                                                               "x") "}}, {\"parameter\": {\"arg\": {\"name\": \"w\"}, \"parameter_name\": \"a.weight\"}}], " \
                                                                                                    "\"output_specs\": [{\"user_output\": {\"arg\": " TENSOR (                               \
                                                                                                        "y") "}}]}}}"
#define WEIGHTS(meta, file, pickled)                                                               \
  "{\"config\": {\"a.weight\": {\"path_name\": \"" file "\", \"use_pickle\": " pickled             \
  ", \"tensor_meta\": " meta "}}}"

static void
write_model (File *file, const char *program, const char *weights, gsize n_numbers)
{
  static const float numbers[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

  begin (file);
  add (file, "net/data/weights/weight_0", numbers, n_numbers * sizeof (float));
  add_text (file, "net/data/weights/model_weights_config.json", weights);
  add_text (file, "net/models/model.json", program);
  add_text (file, "net/archive_format", "pt2");
  end (file);
}

static void
assert_refused (File *file, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_load (NULL, file->path, &error);

  g_assert_null (graph);
  if (strstr (error->message, wanted) == NULL || strstr (error->message, file->path) == NULL)
    g_error ("“%s” lacks “%s” or the file's name", error->message, wanted);
}

#define ADD_PROGRAM PROGRAM ("torch.ops.aten.add.Tensor", "x")
#define RIGHT_WEIGHTS WEIGHTS (META (THREE), "weight_0", "false")

/* Names of parameters, the module a node stands in, the user's line. */
static void
test_provenance (File *file, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  const SondeNode *node = NULL;

  write_model (file, ADD_PROGRAM, RIGHT_WEIGHTS, 3);
  graph = sonde_model_load (NULL, file->path, &error);
  g_assert_no_error (error);
  node = sonde_graph_find_node (graph, "y");
  g_assert_cmpstr (node->op, ==, "Add");
  g_assert_cmpstr (node->scope, ==, "layers/a");
  g_assert_cmpstr (node->source->op, ==, "aten.add.Tensor");
  g_assert_cmpstr (node->source->place, ==, "net.py:17");
  g_assert_cmpint (sonde_graph_find_value (graph, "a.weight")->role, ==, SONDE_ROLE_PARAMETER);
  g_assert_cmpstr (graph->producer, ==, "PyTorch 2.15.0");
}

static void
test_weights (File *file, gconstpointer data)
{
  static const struct
  {
    const char *weights, *wanted;
    gsize n;
  } cases[] = {
    { RIGHT_WEIGHTS, "“a.weight” needs 3 elements, its storage has 2", 2 },
    { WEIGHTS (META (THREE), "../x", "false"), "has no values for “a.weight”", 3 },
    { WEIGHTS (META (THREE), "weight_0", "true"), "the values of “a.weight” are pickled", 3 },
    { WEIGHTS (META ("{\"as_int\": -3}"), "weight_0", "false"), "or of a type or layout", 3 },
    { WEIGHTS (META ("{\"as_int\": 9223372036854775807}"), "weight_0", "false"),
      "needs 9223372036854775807 elements, its storage has 3", 3 },
    { "[]", "“data/weights/model_weights_config.json” is no object", 3 },
    { "{", "cannot read the JSON “data/weights/model_weights_config.json”", 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      write_model (file, ADD_PROGRAM, cases[i].weights, cases[i].n);
      assert_refused (file, cases[i].wanted);
    }
}

static void
test_programs (File *file, gconstpointer data)
{
  static const struct
  {
    const char *program, *wanted;
  } cases[] = {
    { "{\"schema_version\": {\"major\": 7}}", "has schema version 7; 8 is read" },
    { "{\"schema_version\": {\"major\": 8}}", "has no graph, signature or values" },
    { PROGRAM ("torch.ops.aten.add.Tensor", "z"), "no node before it makes “z”" },
    { PROGRAM ("torch.ops.mylib.mul.default", "x"),
      "mylib.mul.default (1×, first “y”): this operator is not known" },
    { PROGRAM ("x\", \"target\": 3, \"q\": \"y", "x"), "a node has no target" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      write_model (file, cases[i].program, RIGHT_WEIGHTS, 3);
      assert_refused (file, cases[i].wanted);
    }
}

static void
test_depth (File *file, gconstpointer data)
{
  g_autoptr (GString) deep = g_string_new (NULL);

  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  write_model (file, deep->str, RIGHT_WEIGHTS, 3);
  assert_refused (file, "is nested more than 256 levels deep");
}

static void
test_archives (File *file, gconstpointer data)
{
  begin (file);
  add_text (file, "net/models/a.json", "{}");
  add_text (file, "net/models/b.json", "{}");
  end (file);
  assert_refused (file, "holds these programs: a, b. Choose one with --signature");

  begin (file);
  add_text (file, "net/models/model.json", "{}");
  add_text (file, "net/models/model.json", "{}");
  end (file);
  assert_refused (file, "has two members “net/models/model.json”");

  begin (file);
  add_text (file, "serialized_exported_program.json", "{}");
  end (file);
  assert_refused (file, "was written by a PyTorch before 2.8");

  begin (file);
  add_text (file, "net/data/weights/weight_0", "");
  end (file);
  assert_refused (file, "holds no exported program");
}

#define ADD(path, function) g_test_add ("/pt2/" path, File, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("provenance", test_provenance);
  ADD ("weights", test_weights);
  ADD ("programs", test_programs);
  ADD ("depth", test_depth);
  ADD ("archives", test_archives);
  return g_test_run ();
}
