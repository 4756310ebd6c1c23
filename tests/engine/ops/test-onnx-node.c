/* SPDX-License-Identifier: Apache-2.0
 * Operators against the node tests that ONNX itself publishes (Debian: libonnx-testdata), through load,
 * legalise, infer and the reference kernels. */
#include "data/models/sonde-model-file.h"
#include "tests/engine/ops/onnx-node-list.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define DATA "/usr/share/libonnx-testdata/data"

static SondeTensor *
read_tensor (const char *folder,
             const char *kind,
             guint       k)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.pb", kind, k);
  g_autofree char *path = g_build_filename (folder, "test_data_set_0", name, NULL);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_model_read_tensor (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

/* input_K is for the K-th graph input without initialiser. */
static GHashTable *
read_feeds (SondeGraph *graph,
            const char *folder)
{
  GHashTable *feeds = sonde_test_feeds_new ();
  guint k = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      g_autoptr (SondeTensor) tensor = NULL;

      if (input->constant != NULL)
        continue;
      tensor = read_tensor (folder, "input", k++);
      sonde_test_feeds_set (feeds, input->name, tensor);
    }
  return feeds;
}

static void
fail (const char *message)
{
  g_test_message ("%s", message);
  g_test_fail ();
}

static void
run_node_test (gconstpointer data)
{
  g_autofree char *folder = g_build_filename (DATA, data, NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GHashTable) feeds = NULL, values = NULL;

  if (!g_file_test (DATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the package libonnx-testdata is not installed");
      return;
    }
  graph = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  feeds = read_feeds (graph, folder);
  if (!sonde_pass_legalise (graph, &error) || !sonde_pass_infer (graph, NULL, 0, &error)
      || (values = sonde_test_evaluate (graph, feeds, &error)) == NULL)
    {
      fail (error->message);
      return;
    }
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      SondeGraphValue *output = graph->outputs->pdata[k];
      g_autoptr (SondeTensor) want = read_tensor (folder, "output", k);

      sonde_test_assert_close (g_hash_table_lookup (values, output), want, 1e-3, 1e-7, output->name);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (const char *const *name = onnx_node_list; *name != NULL; name++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/ops/onnx/%s", *name);

      g_test_add_data_func (path, *name, run_node_test);
    }
  return g_test_run ();
}
