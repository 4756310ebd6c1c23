/* SPDX-License-Identifier: Apache-2.0
 * Models as the original tools wrote them, against what those tools computed: all outputs, and all
 * inner values by the source's names. A case is a folder with case.json (samples/convert/README). */
#include <json-glib/json-glib.h>
#include <math.h>

#include "app/worker/sonde-inference.h"
#include "data/arrays/sonde-json.h"
#include "tests/support/sonde-test-tensor.h"

typedef struct
{
  const char *folder;
  double tolerance;
} Case;

static SondeTensor *
read_array (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

/* (transfer full): "NAME=FILE" of each input, as the command line has it */
static GPtrArray *
list_inputs (const char *folder, JsonObject *inputs)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GList) names = json_object_get_members (inputs);

  for (GList *name = names; name != NULL; name = name->next)
    g_ptr_array_add (list, g_strdup_printf ("%s=%s/%s", (char *) name->data, folder,
                                            json_object_get_string_member (inputs, name->data)));
  g_ptr_array_add (list, NULL);
  return list;
}

/* max |a − b| / max (1e-3, max |b|), as the samples' tolerance is meant */
static double
measure (SondeTensor *found, SondeTensor *wanted)
{
  double difference = 0, largest = 1e-3;

  for (gint64 i = 0; i < sonde_tensor_n_elements (wanted); i++)
    {
      double a = sonde_tensor_get_double (found, i), b = sonde_tensor_get_double (wanted, i);

      difference = MAX (difference, a == b ? 0 : fabs (a - b));
      difference = isnan (a) != isnan (b) ? INFINITY : difference;
      largest = MAX (largest, isfinite (b) ? fabs (b) : 0);
    }
  return difference / largest;
}

static void
compare (const Case *test, SondeInference *inference, const char *name, SondeTensor *wanted)
{
  SondeGraphValue *value = sonde_graph_find_value (inference->graph, name);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) found = NULL;
  g_autofree char *shape = NULL, *wanted_shape = sonde_shape_to_string (&wanted->shape);

  if (value == NULL)
    {
      g_test_message ("%s: there is no value “%s”", test->folder, name);
      g_test_fail ();
      return;
    }
  found = sonde_execution_read (inference->execution, value, &error);
  g_assert_no_error (error);
  shape = sonde_shape_to_string (&found->shape);
  if (!sonde_shape_equal (&found->shape, &wanted->shape)
      || measure (found, wanted) > test->tolerance)
    {
      g_test_message (
          "%s: “%s” (%s, wanted %s) differs by %g", test->folder, name, shape, wanted_shape,
          sonde_shape_equal (&found->shape, &wanted->shape) ? measure (found, wanted) : NAN);
      g_test_fail ();
    }
}

static void
compare_outputs (const Case *test, SondeInference *inference, JsonObject *outputs)
{
  g_autoptr (GList) names = json_object_get_members (outputs);

  /* a net of one output a layer lists them as inner values */
  if (names != NULL)
    g_assert_cmpuint (g_list_length (names), ==, inference->original->outputs->len);
  for (GList *name = names; name != NULL; name = name->next)
    {
      g_autoptr (SondeTensor) wanted
          = read_array (test->folder, json_object_get_string_member (outputs, name->data));

      compare (test, inference, name->data, wanted);
    }
}

static void
compare_inner (const Case *test, SondeInference *inference, const char *file)
{
  g_autofree char *path = g_build_filename (test->folder, file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) values = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < sonde_named_tensors_get_size (values); i++)
    compare (test, inference, sonde_named_tensors_get_name (values, i),
             sonde_named_tensors_get_tensor (values, i));
}

static void
run_case (const Case *test, JsonObject *content, JsonObject *run)
{
  g_autofree char *model
      = g_build_filename (test->folder, json_object_get_string_member (content, "model"), NULL);
  g_autoptr (GPtrArray) inputs
      = list_inputs (test->folder, json_object_get_object_member (run, "inputs"));
  const SondeModelChoice choice = {
    .signature = (char *) json_object_get_string_member_with_default (run, "signature", NULL),
  };
  const SondeInferenceOptions options
      = { .choice = &choice, .inputs = (const char *const *) inputs->pdata, .keep = "all" };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeInference) inference = sonde_inference_open (model, &options, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (inference->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
  compare_outputs (test, inference, json_object_get_object_member (run, "outputs"));
  if (json_object_has_member (content, "values"))
    compare_inner (test, inference, json_object_get_string_member (content, "values"));
}

static void
test_case (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "case.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonObject *content = NULL;
  JsonArray *runs = NULL;
  Case test = { .folder = folder };

  g_assert_true (json_parser_load_from_file (parser, path, &error));
  content = json_node_get_object (json_parser_get_root (parser));
  test.tolerance = json_object_get_double_member_with_default (
      json_object_get_object_member (content, "tolerance"), "f32", 0);
  runs = json_object_get_array_member (content, "runs");
  for (guint i = 0; i < json_array_get_length (runs); i++)
    run_case (&test, content, json_array_get_object_element (runs, i));
}

/* How many cases @path has. */
static guint
test_cases (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name = NULL;
  guint count = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (path, name, NULL);

      if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
        continue;
      test_case (folder);
      count++;
    }
  return count;
}

static void
test_format (gconstpointer format)
{
  g_autofree char *relative = g_build_filename ("samples/convert", format, NULL);
  g_autofree char *path = sonde_test_shared_path (relative);

  if (path != NULL)
    g_assert_cmpuint (test_cases (path), >, 0);
}

/* Nets of our own, one output an operator. */
static void
test_operators (gconstpointer format)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/models", format, NULL);

  g_assert_cmpuint (test_cases (path), >, 0);
}

int
main (int argc, char **argv)
{
  static const char *const formats[] = { "caffe", "graphdef", "keras", "pt2", "savedmodel" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_strconcat ("/foreign-models/", formats[i], NULL);
      g_autofree char *operators = g_strconcat ("/foreign-operators/", formats[i], NULL);

      g_test_add_data_func (path, formats[i], test_format);
      g_test_add_data_func (operators, formats[i], test_operators);
    }
  return g_test_run ();
}
