/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints: what is written is read back to the bit, damage is passed over by name, other nets
 * are refused by name, a full disk leaves the old ones. */
#include "app/worker/sonde-checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/support/sonde-test-faults.h"
#include "tests/support/sonde-test-program.h"

#define BATCH 4

/* Pictures by a formula. */
static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
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
make_trainer (const char *model_name, const char *optimiser, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build (model_name, 1, 28, 28, 10, seed, &error);
  SondeTrainerOptions options = { .optimiser = optimiser,
                                  .learning_rate = 0.05,
                                  .momentum = 0.9,
                                  .epochs = 4,
                                  .batch = BATCH,
                                  .seed = 1,
                                  .threads = 1 };
  SondeTrainer *trainer
      = model != NULL ? sonde_trainer_new (model, &source, &options, &error) : NULL;

  g_assert_no_error (error);
  return trainer;
}

static void
run_steps (SondeTrainer *trainer, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (sonde_trainer_run_step (trainer, NULL), ==, SONDE_RUN_DONE);
}

static void
write_step (SondeTrainer *trainer, const char *folder, const SondeCheckpointNotes *notes)
{
  g_autofree char *name
      = g_strdup_printf ("step-%08" G_GUINT64_FORMAT, sonde_trainer_get_state (trainer)->step);
  g_autoptr (GError) error = NULL;

  sonde_checkpoint_write (NULL, folder, name, ".npz", trainer, notes, &error);
  g_assert_no_error (error);
}

static void
assert_equal_trainers (SondeTrainer *a, SondeTrainer *b)
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
  g_autoptr (SondeTrainer) whole = make_trainer ("mlp", data, 3),
                           first = make_trainer ("mlp", data, 3);
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

/* ---- damage -------------------------------------------------------------- */

static void
damage (const char *path, gssize at) /* from the end when negative */
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
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3),
                           other = make_trainer ("mlp", "sgd", 4);
  g_autoptr (GPtrArray) skipped
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  g_autofree char *told = NULL;
  g_autoptr (GError) error = NULL;

  run_steps (trainer, 2);
  write_step (trainer, folder, NULL);
  run_steps (trainer, 2);
  write_step (trainer, folder, NULL);
  damage (newest, 5000);
  g_assert_true (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, other, NULL, skipped, &error));
  g_assert_cmpuint (sonde_trainer_get_state (other)->step, ==, 2);
  g_assert_cmpuint (skipped->len, ==, 1);
  told = sonde_message_dup_english (g_ptr_array_index (skipped, 0));
  g_assert_nonnull (strstr (told, "step-00000004.state.npz"));

  g_assert_cmpint (truncate (oldest, 100), ==, 0);
  g_assert_false (
      sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, other, NULL, skipped, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "step-00000004.state.npz"));
  sonde_test_folder_free (folder);
}

/* A well-formed archive with a member that is not the one written: zip's checksums hold, the digest
 * does not. */
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
  g_assert_nonnull (strstr (error->message, "is damaged"));
  sonde_test_folder_free (folder);
}

/* ---- another net --------------------------------------------------------- */

static void
test_other_net (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTrainer) mlp = make_trainer ("mlp", "sgd", 3),
                           lenet = make_trainer ("lenet", "sgd", 3);
  g_autoptr (SondeTrainer) adam = make_trainer ("mlp", "adam", 3);
  g_autoptr (GError) error = NULL;

  run_steps (mlp, 1);
  write_step (mlp, folder, NULL);
  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, lenet, NULL, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "Missing tensors: "));
  g_assert_nonnull (strstr (error->message, "conv1.weight"));
  g_assert_nonnull (strstr (error->message, "Tensors of a different type or shape: "));
  g_assert_nonnull (strstr (error->message, "fc1.weight (float32 [64, 784] in the file, "));
  g_assert_cmpuint (sonde_trainer_get_state (lenet)->step, ==, 0);
  g_clear_error (&error);

  g_assert_false (sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, adam, NULL, NULL, &error));
  g_assert_nonnull (
      strstr (error->message, "state of the optimiser “sgd”, but this training uses “adam”"));
  sonde_test_folder_free (folder);
}

/* ---- weights ------------------------------------------------------------- */

static void
test_formats (gconstpointer data)
{
  const char *format = data;
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_strconcat (folder, "/w", format, NULL);
  g_autoptr (SondeTrainer) trainer = make_trainer ("lenet", "sgd", 3),
                           other = make_trainer ("lenet", "sgd", 4);
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
    g_assert_true (sonde_tensor_equal (
        sonde_named_tensors_get_tensor (got, i),
        sonde_named_tensors_lookup (tensors, sonde_named_tensors_get_name (got, i))));
  g_assert_cmpuint (sonde_named_tensors_get_size (got), ==, 10);
  g_assert_null (sonde_weights_read (NULL, "w.pickle", &error));
  g_assert_nonnull (
      strstr (error->message, ".npz, .safetensors, .ckpt, .pt, .pth, .index, .h5, .keras, .onnx"));
  sonde_test_folder_free (folder);
}

/* Transfer: the head has other classes. */
static void
test_partial (void)
{
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  g_autoptr (SondeNamedTensors) tensors = sonde_weights_collect (trainer, NULL),
                                none = sonde_named_tensors_new ();
  const SondeShape shape = { 2, { 7, 32 } };
  g_autoptr (SondeTensor) head = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) half
      = sonde_tensor_cast (sonde_named_tensors_lookup (tensors, "fc1.weight"), SONDE_DTYPE_F16);
  g_autoptr (SondeTensor) ones
      = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, "fc1.bias")),
      read = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeMessage) report = NULL;
  g_autofree char *english = NULL;

  for (gint64 i = 0; i < sonde_tensor_n_elements (ones); i++)
    sonde_tensor_set_double (ones, i, 1);
  sonde_named_tensors_set (tensors, "fc1.bias", ones);
  sonde_named_tensors_set (tensors, "fc1.weight", half); /* converted */
  sonde_named_tensors_set (tensors, "fc3.weight", head);
  sonde_named_tensors_set (tensors, "more", ones);
  g_assert_false (sonde_weights_fit (trainer, tensors, "w.npz", SONDE_WEIGHTS_ALL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "“w.npz”"));
  g_assert_nonnull (strstr (error->message, "Extra tensors: more."));
  g_assert_nonnull (strstr (
      error->message, "fc3.weight (float32 [7, 32] in the file, float32 [10, 32] in the model)"));
  g_assert_nonnull (strstr (error->message, "model.partial"));
  g_clear_error (&error);
  g_assert_true (
      sonde_weights_fit (trainer, tensors, "w.npz", SONDE_WEIGHTS_PARTIAL, &report, &error));
  english = sonde_message_dup_english (report);
  g_assert_nonnull (strstr (english, "Extra tensors: more."));
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
  g_autofree char *path = g_strdup_printf ("%s/samples/mindspore/models/lenet/lenet.ckpt",
                                           shared != NULL ? shared : "");
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

/* ---- a full disk --------------------------------------------------------- */

static ssize_t
refuse_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  errno = ENOSPC;
  return -1;
}

static void
test_full_disk (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3),
                           other = make_trainer ("mlp", "sgd", 4);
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

/* ---- rows CK4, CK5, CK7 -------------------------------------------------- */

typedef struct
{
  char *folder;
  SondeTrainer *old, *new, *other;
} Saves;

static void
saves_set_up (Saves *saves)
{
  saves->folder = sonde_test_folder_new ();
  saves->old = make_trainer ("mlp", "adam", 3);
  saves->new = make_trainer ("mlp", "adam", 3);
  saves->other = make_trainer ("mlp", "adam", 4);
  run_steps (saves->old, 1);
  run_steps (saves->new, 2);
}

static void
saves_clear (Saves *saves)
{
  sonde_trainer_free (saves->old);
  sonde_trainer_free (saves->new);
  sonde_trainer_free (saves->other);
  sonde_test_folder_free (saves->folder);
}

static guint
count_temporary (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    n += sonde_io_is_temporary (name);
  return n;
}

/* Whole, of the one step or the other; and so are the weights for people. */
static void
assert_old_or_new (Saves *saves, gboolean must_be_new)
{
  g_autofree char *path = g_build_filename (saves->folder, "final.npz", NULL);
  g_autoptr (SondeNamedTensors) weights = NULL;
  g_autoptr (GError) error = NULL;
  guint64 step;

  g_assert_true (
      sonde_checkpoint_resume (NULL, saves->folder, G_MAXUINT64, saves->other, NULL, NULL, &error));
  step = sonde_trainer_get_state (saves->other)->step;
  g_assert_true (step == 2 || (step == 1 && !must_be_new));
  assert_equal_trainers (saves->other, step == 1 ? saves->old : saves->new);
  weights = sonde_weights_read (NULL, path, &error);
  g_assert_no_error (error);
}

/* Every call of a save fails: an error or a new checkpoint, nothing left beside it. */
static void
save_with_fault (gpointer data)
{
  Saves *saves = data;
  g_autoptr (GError) error = NULL;
  gboolean saved, faulty;

  saved = sonde_checkpoint_write (sonde_test_faults_io (), saves->folder, "final", ".npz",
                                  saves->new, NULL, &error);
  faulty = sonde_test_faults_end ();
  g_assert_true (saved || (faulty && error != NULL && strstr (error->message, "“/") != NULL));
  assert_old_or_new (saves, saved);
  g_assert_true (
      sonde_checkpoint_write (NULL, saves->folder, "final", ".npz", saves->old, NULL, NULL));
}

static void
test_save_faults (void)
{
  Saves saves;

  saves_set_up (&saves);
  g_assert_true (
      sonde_checkpoint_write (NULL, saves.folder, "final", ".npz", saves.old, NULL, NULL));
  g_assert_cmpuint (sonde_test_faults_loop (SONDE_TEST_FAULT_IO, save_with_fault, &saves), >, 10);
  saves_clear (&saves);
}

/* Dies in call @left, half of it done. */
typedef struct
{
  SondeIo io;
  int left;
} MortalIo;

static void
live_on (const SondeIo *io)
{
  if (--((MortalIo *) io)->left == 0)
    _exit (1);
}

static ssize_t
mortal_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  if (((MortalIo *) io)->left == 1 && sonde_io_system ()->write (io, fd, data, length / 2) < 0)
    _exit (2);
  live_on (io);
  return sonde_io_system ()->write (io, fd, data, length);
}

static int
mortal_fsync (const SondeIo *io, int fd)
{
  live_on (io);
  return sonde_io_system ()->fsync (io, fd);
}

static int
mortal_rename (const SondeIo *io, const char *from, const char *to)
{
  live_on (io);
  return sonde_io_system ()->rename (io, from, to);
}

static void
make_old (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (sonde_io_is_temporary (name))
        g_assert_cmpint (
            utimensat (AT_FDCWD, path, (struct timespec[]){ { 1000, 0 }, { 1000, 0 } }, 0), ==, 0);
    }
}

/* Killed in every write, fsync and rename: what was there or what came, and what it left goes with
 * the next resume. */
static void
test_save_killed (void)
{
  guint n_killed = 0, n_left = 0;
  Saves saves;

  saves_set_up (&saves);
  for (int k = 1;; k++)
    {
      MortalIo io = { *sonde_io_system (), k };
      int status;
      pid_t child;

      io.io.write = mortal_write;
      io.io.fsync = mortal_fsync;
      io.io.rename = mortal_rename;
      g_assert_true (
          sonde_checkpoint_write (NULL, saves.folder, "final", ".npz", saves.old, NULL, NULL));
      child = fork ();
      if (child == 0)
        _exit (sonde_checkpoint_write (&io.io, saves.folder, "final", ".npz", saves.new, NULL, NULL)
                   ? 0
                   : 3);
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) <= 1);
      assert_old_or_new (&saves, WEXITSTATUS (status) == 0);
      if (WEXITSTATUS (status) == 0)
        break;
      n_killed++;
      n_left += count_temporary (saves.folder) > 0;
      make_old (saves.folder);
      assert_old_or_new (&saves, FALSE);
      g_assert_cmpuint (count_temporary (saves.folder), ==, 0);
    }
  g_test_message ("%u kills, %u left a temporary file", n_killed, n_left);
  g_assert_cmpuint (n_killed, >=, 8);
  g_assert_cmpuint (n_left, >, 0);
  saves_clear (&saves);
}

static int
refuse_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  if ((flags & O_ACCMODE) == O_RDONLY)
    return sonde_io_system ()->open (io, dirfd, path, flags, mode);
  errno = EROFS;
  return -1;
}

/* A folder that is read-only (for whoever runs this), a file that is, a full disk: the reason, the
 * size, the old one. */
static void
test_save_refused (void)
{
  SondeIo read_only = *sonde_io_system (), full = read_only;
  g_autofree char *state = NULL;
  g_autoptr (GError) error = NULL;
  Saves saves;

  saves_set_up (&saves);
  state = g_build_filename (saves.folder, "final.state.npz", NULL);
  g_assert_true (
      sonde_checkpoint_write (NULL, saves.folder, "final", ".npz", saves.old, NULL, NULL));
  read_only.open = refuse_open;
  full.write = refuse_write;
  g_assert_false (
      sonde_checkpoint_write (&read_only, saves.folder, "final", ".npz", saves.new, NULL, &error));
  g_assert_nonnull (strstr (error->message, g_strerror (EROFS)));
  g_clear_error (&error);
  g_assert_false (
      sonde_checkpoint_write (&full, saves.folder, "final", ".npz", saves.new, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, g_strerror (ENOSPC)));
  g_assert_nonnull (strstr (error->message, " bytes are needed"));
  g_clear_error (&error);
  g_assert_cmpint (g_chmod (state, 0444), ==, 0);
  g_assert_false (
      sonde_checkpoint_write (NULL, saves.folder, "final", ".npz", saves.new, NULL, &error));
  g_assert_nonnull (strstr (error->message, "final.state.npz"));
  g_assert_nonnull (strstr (error->message, g_strerror (EACCES)));
  g_assert_true (
      sonde_checkpoint_resume (NULL, saves.folder, G_MAXUINT64, saves.other, NULL, NULL, NULL));
  assert_equal_trainers (saves.other, saves.old);
  g_assert_cmpuint (count_temporary (saves.folder), ==, 0);
  saves_clear (&saves);
}

/* The state of one optimiser for another, in both directions. */
static void
test_other_optimiser (void)
{
  static const char *const names[] = { "sgd", "adam", "lamb", "rmsprop" };

  for (gsize from = 0; from < G_N_ELEMENTS (names); from++)
    for (gsize to = 0; to < G_N_ELEMENTS (names); to++)
      {
        char *folder = sonde_test_folder_new ();
        g_autoptr (SondeTrainer) writer = make_trainer ("mlp", names[from], 3),
                                 reader = make_trainer ("mlp", names[to], 4);
        g_autoptr (GError) error = NULL;

        run_steps (writer, 1);
        write_step (writer, folder, NULL);
        g_assert_cmpint (
            sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, reader, NULL, NULL, &error), ==,
            from == to);
        if (from == to)
          assert_equal_trainers (reader, writer);
        else
          {
            g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
            g_assert_nonnull (strstr (error->message, names[from]));
            g_assert_nonnull (strstr (error->message, names[to]));
            g_assert_cmpuint (sonde_trainer_get_state (reader)->step, ==, 0);
          }
        sonde_test_folder_free (folder);
      }
}

/* Steps that no training reaches, with a digest that is right. */
static void
test_wild_steps (void)
{
  static const gint64 steps[] = { G_MAXINT64, G_MAXINT64 / 2 + 1, -1, G_MININT64 };
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "step-00000002.state.npz", NULL);
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  const SondeShape scalar = { 0 };

  run_steps (trainer, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (SondeTensor) step = sonde_tensor_new_i64 (steps[i]), digest = NULL;
      g_autoptr (SondeNamedTensors) tensors = NULL;
      g_autoptr (GError) error = NULL;
      guint64 number;

      write_step (trainer, folder, NULL);
      tensors = sonde_npz_read (NULL, path, NULL);
      sonde_named_tensors_set (tensors, "training-step", step);
      number = sonde_weights_digest (tensors, "training-digest");
      digest = sonde_tensor_new_from_data (SONDE_DTYPE_U64, &scalar, &number);
      sonde_named_tensors_set (tensors, "training-digest", digest);
      g_assert_true (sonde_npz_write (NULL, path, tensors, NULL));
      g_assert_false (
          sonde_checkpoint_resume (NULL, folder, G_MAXUINT64, trainer, NULL, NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "invalid step"));
    }
  sonde_test_folder_free (folder);
}

/* Only those of the prefix, and whatever their names are. */
static void
test_prune (void)
{
  char *folder = sonde_test_folder_new ();
  static const char *const names[]
      = { "a-00000001", "a-00000002", "a-00000010", "a-b-00000001", "final" };
  static const gboolean kept[] = { FALSE, TRUE, TRUE, TRUE, TRUE };
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (sonde_checkpoint_write (NULL, folder, names[i], i == 0 ? ".safetensors" : ".npz",
                                           trainer, NULL, NULL));
  sonde_checkpoint_prune (NULL, folder, "a", 2);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *state = g_strdup_printf ("%s/%s.state.npz", folder, names[i]);
      g_autofree char *weights
          = g_strdup_printf ("%s/%s%s", folder, names[i], i == 0 ? ".safetensors" : ".npz");

      g_assert_cmpint (g_file_test (state, G_FILE_TEST_EXISTS), ==, kept[i]);
      g_assert_cmpint (g_file_test (weights, G_FILE_TEST_EXISTS), ==, kept[i]);
    }
  sonde_test_folder_free (folder);
}

static void
test_finite (void)
{
  g_autoptr (SondeTrainer) trainer = make_trainer ("mlp", "sgd", 3);
  g_autoptr (SondeTensor) bias = sonde_trainer_read_parameter (trainer, "fc2.bias", NULL),
                          copy = sonde_tensor_copy (bias);

  g_assert_true (sonde_checkpoint_is_finite (trainer));
  sonde_tensor_set_double (copy, 3, -INFINITY);
  g_assert_true (sonde_trainer_write_parameter (trainer, "fc2.bias", copy, NULL));
  g_assert_false (sonde_checkpoint_is_finite (trainer));
}

int
main (int argc, char *argv[])
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
  g_test_add_func ("/app/worker/checkpoint/CK4-faults", test_save_faults);
  g_test_add_func ("/app/worker/checkpoint/CK4-killed", test_save_killed);
  g_test_add_func ("/app/worker/checkpoint/CK5-refused", test_save_refused);
  g_test_add_func ("/app/worker/checkpoint/CK7-other-optimiser", test_other_optimiser);
  g_test_add_func ("/app/worker/checkpoint/CK7-wild-steps", test_wild_steps);
  g_test_add_func ("/app/worker/checkpoint/prune", test_prune);
  g_test_add_func ("/app/worker/checkpoint/finite", test_finite);
  return g_test_run ();
}
