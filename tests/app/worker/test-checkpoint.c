/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints: what is written is read back to the bit, damage is passed over by name, other nets are refused by name, a
 * full disk leaves the old ones. */
#include "app/worker/sonde-checkpoint.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/support/sonde-test-program.h"

#define BATCH 4

/* Pictures by a formula. */
static gboolean
load (SondeBatchSource *source,
      gboolean          test,
      guint             epoch,
      guint             batch,
      SondeTensor     **inputs,
      SondeTensor     **labels,
      GError          **error)
{
  const SondeShape shape = { 4, { BATCH, 1, 28, 28 } }, label_shape = { 1, { BATCH } };

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (inputs[0]); i++)
    sonde_tensor_set_double (inputs[0], i, sin ((double) i * 0.37 + batch + 7 * epoch));
  for (guint i = 0; i < BATCH; i++)
    sonde_tensor_set_double (*labels, i, (i + batch) % 10);
  return TRUE;
}

static SondeBatchSource source = { 5 * BATCH, 0, load };

static SondeTrainer *
make_trainer (const char *model_name,
              const char *optimiser,
              guint64     seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build (model_name, 1, 28, 28, 10, seed, &error);
  SondeTrainerOptions options = { .optimiser = optimiser, .learning_rate = 0.05, .momentum = 0.9, .epochs = 4,
                                  .batch = BATCH, .seed = 1, .threads = 1 };
  SondeTrainer *trainer = model != NULL ? sonde_trainer_new (model, &source, &options, &error) : NULL;

  g_assert_no_error (error);
  return trainer;
}

static void
run_steps (SondeTrainer *trainer,
           guint         n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (sonde_trainer_run_step (trainer, NULL), ==, SONDE_RUN_DONE);
}

static void
write_step (SondeTrainer               *trainer,
            const char                 *folder,
            const SondeCheckpointNotes *notes)
{
  g_autofree char *name
      = g_strdup_printf ("step-%08" G_GUINT64_FORMAT, sonde_trainer_get_state (trainer)->step);
  g_autoptr (GError) error = NULL;

  sonde_checkpoint_write (NULL, folder, name, ".npz", trainer, notes, &error);
  g_assert_no_error (error);
}

static void
assert_equal_trainers (SondeTrainer *a,
                       SondeTrainer *b)
{
  g_auto (GStrv) names = sonde_trainer_list_parameters (a, TRUE);

  g_assert_cmpuint (sonde_trainer_get_state (a)->step, ==, sonde_trainer_get_state (b)->step);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) x = sonde_trainer_read_parameter (a, names[i], NULL);
      g_autoptr (SondeTensor) y = sonde_trainer_read_parameter (b, names[i], NULL);

      if (!sonde_tensor_equal (x, y))
        g_error ("“%s” differs", names[i]);
    }
}

static void
test_resume (gconstpointer data)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTrainer) whole = make_trainer ("mlp", data, 3), first = make_trainer ("mlp", data, 3);
  g_autoptr (SondeTrainer) second = make_trainer ("mlp", data, 4);
  SondeCheckpointNotes notes = { 0.75, 6 }, back = { NAN, 0 };
  g_autoptr (GError) error = NULL;

  run_steps (whole, 12);
  run_steps (first, 7);
  write_step (first, folder, &notes);
  g_assert_true (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, second, &back, NULL, &error));
  g_assert_cmpfloat (back.best, ==, 0.75);
  g_assert_cmpuint (back.best_step, ==, 6);
  run_steps (second, 5);
  assert_equal_trainers (second, whole);
  sonde_test_folder_free (folder);
}

/* ---- damage ----------------------------------------------------------------------------------- */

static void
damage (const char *path,
        gssize      at) /* from the end when negative */
{
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  bytes[at >= 0 ? (gsize) at : length - (gsize) -at] ^= 0x10;
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
}

static void
test_damaged (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *newest = g_build_filename (folder, "step-00000004.state.npz", NULL);
  g_autofree char *oldest = g_build_filename (folder, "step-00000002.state.npz", NULL);
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3), other = make_trainer ("mlp", "sgd", 4);
  g_autoptr (GPtrArray) skipped = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  run_steps (trainer, 2);
  write_step (trainer, folder, NULL);
  run_steps (trainer, 2);
  write_step (trainer, folder, NULL);
  damage (newest, 5000);
  g_assert_true (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, other, NULL, skipped, &error));
  g_assert_cmpuint (sonde_trainer_get_state (other)->step, ==, 2);
  g_assert_cmpuint (skipped->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (skipped, 0), "step-00000004.state.npz"));

  g_assert_cmpint (truncate (oldest, 100), ==, 0);
  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, other, NULL, skipped, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "step-00000004.state.npz"));
  sonde_test_folder_free (folder);
}

/* A well-formed archive with a member that is not the one written: zip's checksums hold, the digest does not. */
static void
test_changed (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "step-00000002.state.npz", NULL);
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (SondeTensor) bias = NULL;
  g_autoptr (GError) error = NULL;

  run_steps (trainer, 2);
  write_step (trainer, folder, NULL);
  tensors = sonde_npz_read (NULL, path, &error);
  bias = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, "fc1.bias"));
  sonde_tensor_set_double (bias, 0, 1.5);
  sonde_named_tensors_set (tensors, "fc1.bias", bias);
  g_assert_true (sonde_npz_write (NULL, path, tensors, &error));
  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, trainer, NULL, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "is not what was written"));
  sonde_test_folder_free (folder);
}

/* ---- another net ------------------------------------------------------------------------------ */

static void
test_other_net (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTrainer) mlp = make_trainer ("mlp", "sgd", 3), lenet = make_trainer ("lenet", "sgd", 3);
  g_autoptr (SondeTrainer) adam = make_trainer ("mlp", "adam", 3);
  g_autoptr (GError) error = NULL;

  run_steps (mlp, 1);
  write_step (mlp, folder, NULL);
  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, lenet, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "missing: "));
  g_assert_nonnull (strstr (error->message, "conv1.weight"));
  g_assert_nonnull (strstr (error->message, "of another shape: "));
  g_assert_nonnull (strstr (error->message, "fc1.weight (float32 [64, 784] in the file, "));
  g_assert_cmpuint (sonde_trainer_get_state (lenet)->step, ==, 0);
  g_clear_error (&error);

  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, adam, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "extra: "));
  g_assert_nonnull (strstr (error->message, "momentum"));
  sonde_test_folder_free (folder);
}

/* ---- weights ---------------------------------------------------------------------------------- */

static void
test_formats (gconstpointer data)
{
  const char *format = data;
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_strconcat (folder, "/w", format, NULL);
  g_autoptr (SondeTrainer) trainer = make_trainer ("lenet", "sgd", 3), other = make_trainer ("lenet", "sgd", 4);
  SondeCheckpointNotes notes = { 0.5, 2 };
  g_autoptr (SondeNamedTensors) tensors = NULL, got = NULL;
  g_autoptr (GError) error = NULL;

  run_steps (trainer, 2);
  sonde_checkpoint_write_weights (NULL, folder, "w", format, trainer, &notes, &error);
  g_assert_no_error (error);
  tensors = sonde_weights_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_weights_fit (other, tensors, path, SONDE_WEIGHTS_ALL, NULL, &error));
  got = sonde_weights_collect (other, &error);
  for (gsize i = 0; i < sonde_named_tensors_get_size (got); i++)
    g_assert_true (sonde_tensor_equal (sonde_named_tensors_get_tensor (got, i),
                                       sonde_named_tensors_lookup (tensors, sonde_named_tensors_get_name (got, i))));
  g_assert_cmpuint (sonde_named_tensors_get_size (got), ==, 10);
  g_assert_null (sonde_weights_read (NULL, "w.pickle", &error));
  g_assert_nonnull (strstr (error->message, ".npz, .safetensors, .ckpt, .onnx"));
  sonde_test_folder_free (folder);
}

/* Transfer: the head has other classes. */
static void
test_partial (void)
{
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  g_autoptr (SondeNamedTensors) tensors = sonde_weights_collect (trainer, NULL), none = sonde_named_tensors_new ();
  const SondeShape shape = { 2, { 7, 32 } };
  g_autoptr (SondeTensor) head = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) half = sonde_tensor_cast (sonde_named_tensors_lookup (tensors, "fc1.weight"), SONDE_DTYPE_F16);
  g_autoptr (SondeTensor) ones = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, "fc1.bias")), read = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *report = NULL;

  for (gint64 i = 0; i < sonde_tensor_n_elements (ones); i++)
    sonde_tensor_set_double (ones, i, 1);
  sonde_named_tensors_set (tensors, "fc1.bias", ones);
  sonde_named_tensors_set (tensors, "fc1.weight", half); /* converted */
  sonde_named_tensors_set (tensors, "fc3.weight", head);
  sonde_named_tensors_set (tensors, "more", ones);
  g_assert_false (sonde_weights_fit (trainer, tensors, "w.npz", SONDE_WEIGHTS_ALL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "“w.npz”"));
  g_assert_nonnull (strstr (error->message, "extra: more"));
  g_assert_nonnull (strstr (error->message, "fc3.weight (float32 [7, 32] in the file, float32 [10, 32] in the model)"));
  g_assert_nonnull (strstr (error->message, "model.partial"));
  g_clear_error (&error);
  g_assert_true (sonde_weights_fit (trainer, tensors, "w.npz", SONDE_WEIGHTS_PARTIAL, &report, &error));
  g_assert_nonnull (strstr (report, "extra: more"));
  read = sonde_trainer_read_parameter (trainer, "fc1.bias", NULL);
  g_assert_true (sonde_tensor_equal (read, ones));

  sonde_named_tensors_set (none, "more", ones);
  g_assert_false (sonde_weights_fit (trainer, none, "w.npz", SONDE_WEIGHTS_PARTIAL, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
}

static void
test_mindspore (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path = g_strdup_printf ("%s/samples/mindspore/models/lenet/lenet.ckpt", shared != NULL ? shared : "");
  g_autoptr (SondeTrainer) trainer = NULL;
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (SondeTensor) got = NULL;
  g_autoptr (GError) error = NULL;

  if (shared == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the samples of SONDE_SHARED are not here");
      return;
    }
  trainer = make_trainer ("lenet", "sgd", 3);
  tensors = sonde_weights_read (NULL, path, &error);
  g_assert_no_error (error);
  sonde_weights_fit (trainer, tensors, path, SONDE_WEIGHTS_PARTIAL, NULL, &error);
  g_assert_no_error (error);
  got = sonde_trainer_read_parameter (trainer, "conv1.weight", &error);
  g_assert_true (sonde_tensor_equal (got, sonde_named_tensors_lookup (tensors, "conv1.weight")));
}

/* ---- a full disk ------------------------------------------------------------------------------ */

static ssize_t
refuse_write (const SondeIo *io,
              int            fd,
              const void    *data,
              size_t         length)
{
  errno = ENOSPC;
  return -1;
}

static void
test_full_disk (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3), other = make_trainer ("mlp", "sgd", 4);
  SondeIo full = *sonde_io_system ();
  g_autoptr (GError) error = NULL;

  full.write = refuse_write;
  run_steps (trainer, 2);
  sonde_checkpoint_write (NULL, folder, "final", ".npz", trainer, NULL, &error);
  g_assert_no_error (error);
  run_steps (trainer, 2);
  g_assert_false (sonde_checkpoint_write (&full, folder, "final", ".npz", trainer, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  g_clear_error (&error);
  g_assert_true (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, other, NULL, NULL, &error));
  g_assert_cmpuint (sonde_trainer_get_state (other)->step, ==, 2);
  sonde_test_folder_free (folder);
}

/* Only those of the prefix, and whatever their names are. */
static void
test_prune (void)
{
  char *folder = sonde_test_folder_new ();
  static const char *const names[] = { "a-00000001", "a-00000002", "a-00000010", "a-b-00000001", "final" };
  static const gboolean kept[] = { FALSE, TRUE, TRUE, TRUE, TRUE };
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (sonde_checkpoint_write (NULL, folder, names[i], i == 0 ? ".safetensors" : ".npz", trainer, NULL, NULL));
  sonde_checkpoint_prune (NULL, folder, "a", 2);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *state = g_strdup_printf ("%s/%s.state.npz", folder, names[i]);
      g_autofree char *weights = g_strdup_printf ("%s/%s%s", folder, names[i], i == 0 ? ".safetensors" : ".npz");

      g_assert_cmpint (g_file_test (state, G_FILE_TEST_EXISTS), ==, kept[i]);
      g_assert_cmpint (g_file_test (weights, G_FILE_TEST_EXISTS), ==, kept[i]);
    }
  sonde_test_folder_free (folder);
}

static void
test_finite (void)
{
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  g_autoptr (SondeTensor) bias = sonde_trainer_read_parameter (trainer, "fc2.bias", NULL), copy = sonde_tensor_copy (bias);

  g_assert_true (sonde_checkpoint_is_finite (trainer));
  sonde_tensor_set_double (copy, 3, -INFINITY);
  g_assert_true (sonde_trainer_write_parameter (trainer, "fc2.bias", copy, NULL));
  g_assert_false (sonde_checkpoint_is_finite (trainer));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/app/worker/checkpoint/resume/sgd", "sgd", test_resume);
  g_test_add_data_func ("/app/worker/checkpoint/resume/adamw", "adamw", test_resume);
  g_test_add_data_func ("/app/worker/checkpoint/resume/lamb", "lamb", test_resume);
  g_test_add_func ("/app/worker/checkpoint/damaged", test_damaged);
  g_test_add_func ("/app/worker/checkpoint/changed", test_changed);
  g_test_add_func ("/app/worker/checkpoint/other-net", test_other_net);
  g_test_add_data_func ("/app/worker/checkpoint/weights/npz", ".npz", test_formats);
  g_test_add_data_func ("/app/worker/checkpoint/weights/safetensors", ".safetensors", test_formats);
  g_test_add_func ("/app/worker/checkpoint/weights/partial", test_partial);
  g_test_add_func ("/app/worker/checkpoint/weights/mindspore", test_mindspore);
  g_test_add_func ("/app/worker/checkpoint/full-disk", test_full_disk);
  g_test_add_func ("/app/worker/checkpoint/prune", test_prune);
  g_test_add_func ("/app/worker/checkpoint/finite", test_finite);
  return g_test_run ();
}
