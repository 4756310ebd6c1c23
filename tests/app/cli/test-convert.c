/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert`: there and back to the same bits, into models, and what does not fit. */
#include <string.h>

#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

static void
train (const char *folder, const char *model, const char *seed, const char *run)
{
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", model, TRAINING_SMALL, "--set", "train.steps=2",
                        "--set", seed, "--run", run);

  sonde_test_assert_status (program, 0);
}

static SondeNamedTensors *
read_npz (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

static void
convert (const char *folder, const char *in, const char *out)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "convert", in, out);

  sonde_test_assert_status (program, 0);
  g_assert_nonnull (strstr (program->out, " tensors, "));
}

static void
test_there_and_back (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeNamedTensors) first = NULL, second = NULL;

  train (folder, "lenet", "train.seed=1", "r");
  convert (folder, "r/checkpoints/final.npz", "a.safetensors");
  convert (folder, "a.safetensors", "b.npz");
  first = training_weights (folder, "r", "final");
  second = read_npz (folder, "b.npz");
  training_assert_equal_weights (second, first);
  sonde_test_folder_free (folder);
}

/* The weights of one training in the model of another. */
static void
test_model (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeNamedTensors) first = NULL, second = NULL;
  g_autoptr (SondeTestProgram) program = NULL, without = NULL, extra = NULL;
  g_autoptr (JsonNode) json = NULL;

  train (folder, "lenet", "train.seed=1", "r");
  train (folder, "lenet", "train.seed=2", "other");
  program = sonde_test_run (folder, NULL, "convert", "r/checkpoints/final.npz", "new.onnx",
                            "--model", "other/checkpoints/final.onnx", "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  sonde_test_assert_members (json_node_get_object (json), "path tensors elements report");
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "elements"), ==, 61706);
  convert (folder, "new.onnx", "back.npz");
  first = training_weights (folder, "r", "final");
  second = read_npz (folder, "back.npz");
  training_assert_equal_weights (second, first);
  without = sonde_test_run (folder, NULL, "convert", "back.npz", "new.onnx");
  sonde_test_assert_status (without, 1);
  g_assert_nonnull (strstr (without->err, "--model"));
  extra = sonde_test_run (folder, NULL, "convert", "back.npz", "x.npz", "--model", "new.onnx");
  sonde_test_assert_status (extra, 2);
  sonde_test_folder_free (folder);
}

static void
test_misfit (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) whole = NULL, partial = NULL, unknown = NULL, missing = NULL;

  train (folder, "lenet", "train.seed=1", "lenet");
  train (folder, "mlp", "train.seed=1", "mlp");
  whole = sonde_test_run (folder, NULL, "convert", "mlp/checkpoints/final.npz", "x.onnx", "--model",
                          "lenet/checkpoints/final.onnx");
  sonde_test_assert_status (whole, 1);
  g_assert_nonnull (strstr (whole->err, "Missing tensors: conv1.weight"));
  g_assert_nonnull (strstr (whole->err, "Tensors of a different type or shape: fc1.weight"));
  partial = sonde_test_run (folder, NULL, "convert", "mlp/checkpoints/final.npz", "x.onnx",
                            "--model", "lenet/checkpoints/final.onnx", "--partial");
  /* fc3.bias alone is of the same shape */
  sonde_test_assert_status (partial, 0);
  g_assert_nonnull (strstr (partial->out, "Tensors used from “mlp/checkpoints/final.npz”: 1."));
  unknown = sonde_test_run (folder, NULL, "convert", "mlp/checkpoints/final.npz", "x.pt");
  sonde_test_assert_status (unknown, 1);
  g_assert_nonnull (strstr (unknown->err, ".safetensors"));
  missing = sonde_test_run (folder, NULL, "convert", "nowhere.npz", "x.npz");
  sonde_test_assert_status (missing, 1);
  g_assert_nonnull (strstr (missing->err, "nowhere.npz"));
  sonde_test_folder_free (folder);
}

/* A tensor of PyTorch's, against what torch.load() read. */
static void
test_torch (void)
{
  static const char name[] = "Module.fc.Linear.forward.0.parameters.weight";
  g_autofree char *path
      = sonde_test_shared_path ("samples/msprobe/infer-L0-tensor/step0/proc5704/dump_tensor_data/"
                                "Module.fc.Linear.forward.0.parameters.weight.pt"),
      *wanted_path = sonde_test_shared_path ("samples/msprobe/values-infer-L0.npz");
  g_autoptr (SondeNamedTensors) got = NULL, wanted = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  char *folder;

  if (path == NULL || wanted_path == NULL)
    return;
  folder = sonde_test_folder_new ();
  convert (folder, path, "a.npz");
  got = read_npz (folder, "a.npz");
  wanted = sonde_npz_read (NULL, wanted_path, NULL);
  g_assert_true (sonde_tensor_equal (sonde_named_tensors_lookup (got, "tensor"),
                                     sonde_named_tensors_lookup (wanted, name)));
  program = sonde_test_run (folder, NULL, "inspect", path, "--json");
  sonde_test_assert_status (program, 0);
  g_assert_nonnull (strstr (program->out, "\"tensor\""));
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/convert/there-and-back", test_there_and_back);
  g_test_add_func ("/app/cli/convert/model", test_model);
  g_test_add_func ("/app/cli/convert/misfit", test_misfit);
  g_test_add_func ("/app/cli/convert/torch", test_torch);
  return g_test_run ();
}
