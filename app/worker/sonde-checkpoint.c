/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of a training. */
#include "app/worker/sonde-checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"

#define STATE_SUFFIX ".state.npz"
#define STEP_MEMBER "training-step"
#define PROGRESS_MEMBER "training-progress"   /* of the trainer: schedule, early stop … */
#define BEST_MEMBER "training-best"           /* value, step */
#define OPTIMISER_MEMBER "training-optimiser" /* bytes of its name */
#define DIGEST_MEMBER "training-digest"
#define LEFTOVER_SECONDS 60
#define MAX_STEP                                                                                   \
  (G_MAXINT64 / 2) /* more is no step of any training, and the next ones could not be counted */

static const char *const weights_suffixes[] = { ".npz", ".safetensors" };

/* ---- writing ------------------------------------------------------------- */

/* bfloat16 has no .npy: what is read back must be what was written. */
static gboolean
add_all (SondeTrainer *trainer, SondeNamedTensors *tensors, GError **error)
{
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, TRUE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (trainer, names[i], error);
      g_autoptr (SondeTensor) stored = NULL;

      if (tensor == NULL)
        return FALSE;
      stored = tensor->dtype == SONDE_DTYPE_BF16 ? sonde_tensor_cast (tensor, SONDE_DTYPE_F32)
                                                 : sonde_tensor_ref (tensor);
      sonde_named_tensors_set (tensors, names[i], stored);
    }
  return TRUE;
}

static void
add_notes (SondeTrainer *trainer, const SondeCheckpointNotes *notes, SondeNamedTensors *tensors)
{
  g_autoptr (SondeTensor) step
      = sonde_tensor_new_i64 ((gint64) sonde_trainer_get_state (trainer)->step);
  const SondeShape pair = { 1, { 2 } };
  const double numbers[]
      = { notes != NULL ? notes->best : NAN, notes != NULL ? (double) notes->best_step : 0 };
  g_autoptr (SondeTensor) best = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &pair, numbers);

  sonde_named_tensors_set (tensors, STEP_MEMBER, step);
  sonde_named_tensors_set (tensors, BEST_MEMBER, best);
}

/* States of two optimisers may have the same names and mean something else. Returns: (transfer
 * full) */
static SondeTensor *
describe_optimiser (SondeTrainer *trainer)
{
  const char *text = sonde_trainer_get_optimiser (trainer);
  const SondeShape shape = { 1, { (gint64) strcspn (text, ":") } };

  return sonde_tensor_new_from_data (SONDE_DTYPE_U8, &shape, text);
}

/* Checkpoints of earlier versions do not say. */
static gboolean
check_optimiser (SondeTrainer *trainer, const SondeNamedTensors *tensors, const char *path,
                 GError **error)
{
  g_autoptr (SondeTensor) own = describe_optimiser (trainer);
  const SondeTensor *said = sonde_named_tensors_lookup (tensors, OPTIMISER_MEMBER);

  if (said == NULL || sonde_tensor_equal (said, own))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "“%s” contains the state of the optimiser “%.*s”, but this training uses “%.*s”. Resume with "
      "the original optimiser, or start a new training from the weights.",
      path, said->dtype == SONDE_DTYPE_U8 ? (int) MIN (sonde_tensor_n_elements (said), 32) : 0,
      (const char *) said->data, (int) own->shape.dims[0], (const char *) own->data);
  return FALSE;
}

static gboolean
write_state (const SondeIo *io, const char *folder, const char *name, SondeTrainer *trainer,
             const SondeCheckpointNotes *notes, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autofree char *path = g_strconcat (folder, G_DIR_SEPARATOR_S, name, STATE_SUFFIX, NULL);
  const SondeShape scalar = { 0 };
  g_autoptr (SondeTensor) progress = sonde_trainer_dup_progress (trainer), digest = NULL;
  g_autoptr (SondeTensor) optimiser = describe_optimiser (trainer);
  guint64 number;

  if (!add_all (trainer, tensors, error))
    return FALSE;
  add_notes (trainer, notes, tensors);
  sonde_named_tensors_set (tensors, PROGRESS_MEMBER, progress);
  sonde_named_tensors_set (tensors, OPTIMISER_MEMBER, optimiser);
  number = sonde_weights_digest (tensors, DIGEST_MEMBER);
  digest = sonde_tensor_new_from_data (SONDE_DTYPE_U64, &scalar, &number);
  sonde_named_tensors_set (tensors, DIGEST_MEMBER, digest);
  return sonde_npz_write (io, path, tensors, error);
}

gboolean
sonde_checkpoint_write_weights (const SondeIo *io, const char *folder, const char *name,
                                const char *format, SondeTrainer *trainer,
                                const SondeCheckpointNotes *notes, GError **error)
{
  g_autoptr (SondeNamedTensors) weights = sonde_weights_collect (trainer, error);
  g_autofree char *path = g_strconcat (folder, G_DIR_SEPARATOR_S, name, format, NULL);

  if (weights == NULL || !sonde_io_make_directories (io, folder, error))
    return FALSE;
  if (notes != NULL)
    add_notes (trainer, notes, weights);
  return sonde_weights_write (io, path, weights, error);
}

gboolean
sonde_checkpoint_write (const SondeIo *io, const char *folder, const char *name, const char *format,
                        SondeTrainer *trainer, const SondeCheckpointNotes *notes, GError **error)
{
  return sonde_checkpoint_write_weights (io, folder, name, format, trainer, NULL, error)
         && write_state (io, folder, name, trainer, notes, error);
}

gboolean
sonde_checkpoint_is_finite (SondeTrainer *trainer)
{
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, FALSE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (trainer, names[i], NULL);
      g_autoptr (SondeTensor) wide = NULL;
      const float *elements;
      float sum = 0;

      if (tensor == NULL || !sonde_dtype_is_float (tensor->dtype))
        continue;
      wide = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);
      elements = (const float *) (const void *) wide->data;
      for (gint64 k = 0; k < sonde_tensor_n_elements (wide); k++)
        sum += elements[k] * 0; /* 0, or NaN for what is no number */
      if (sum != 0)
        return FALSE;
    }
  return TRUE;
}

/* ---- files --------------------------------------------------------------- */

/* A checkpoint of the folder. */
typedef struct
{
  char *stem; /* path without ending */
  guint64 step;
  gboolean has_step; /* from its name; otherwise read from the file */
} Candidate;

static void
candidate_clear (void *data)
{
  g_free (((Candidate *) data)->stem);
}

static int
compare_steps (const void *a, const void *b)
{
  const Candidate *first = a, *second = b;

  if (first->step != second->step)
    return first->step > second->step ? -1 : 1;
  return strcmp (first->stem, second->stem);
}

/* "PREFIX-00000120": 120. */
static gboolean
read_step (const char *name, guint64 *step)
{
  const char *dash = strrchr (name, '-');

  return dash != NULL && strlen (dash + 1) >= 8
         && g_ascii_string_to_unsigned (dash + 1, 10, 0, G_MAXINT64, step, NULL);
}

/* (element-type Candidate): @prefix: (nullable): those "PREFIX-NNNNNNNN" alone */
static GArray *
list_checkpoints (const char *folder, const char *prefix)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autofree char *begin = prefix != NULL ? g_strconcat (prefix, "-", NULL) : g_strdup ("");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  g_array_set_clear_func (list, candidate_clear);
  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *name = g_str_has_suffix (file, STATE_SUFFIX)
                                  ? g_strndup (file, strlen (file) - strlen (STATE_SUFFIX))
                                  : NULL;
      Candidate candidate = { 0 };

      if (name == NULL || !g_str_has_prefix (name, begin))
        continue;
      candidate.has_step = read_step (name, &candidate.step);
      if (prefix != NULL && (!candidate.has_step || strrchr (name, '-') != name + strlen (prefix)))
        continue;
      candidate.stem = g_build_filename (folder, name, NULL);
      g_array_append_val (list, candidate);
    }
  g_array_sort (list, compare_steps);
  return list;
}

static void
remove_file (const SondeIo *io, const char *stem, const char *suffix)
{
  g_autofree char *path = g_strconcat (stem, suffix, NULL);

  /* One that cannot be removed harms nothing but the disk. */
  if (io->unlink (io, path) != 0 && errno != ENOENT)
    g_debug ("cannot remove %s: %s", path, g_strerror (errno));
}

static void
remove_checkpoint (const SondeIo *io, const char *stem)
{
  const SondeIo *calls = io != NULL ? io : sonde_io_system ();

  /* The state last: while it is there, the checkpoint is found again. */
  for (gsize k = 0; k < G_N_ELEMENTS (weights_suffixes); k++)
    remove_file (calls, stem, weights_suffixes[k]);
  remove_file (calls, stem, STATE_SUFFIX);
}

void
sonde_checkpoint_prune (const SondeIo *io, const char *folder, const char *prefix, guint keep)
{
  g_autoptr (GArray) list = list_checkpoints (folder, prefix);

  for (guint i = keep; keep > 0 && i < list->len; i++)
    remove_checkpoint (io, g_array_index (list, Candidate, i).stem);
}

void
sonde_checkpoint_remove_after (const SondeIo *io, const char *folder, const char *prefix,
                               guint64 step)
{
  g_autoptr (GArray) list = list_checkpoints (folder, prefix);

  for (guint i = 0; i < list->len && g_array_index (list, Candidate, i).step > step; i++)
    remove_checkpoint (io, g_array_index (list, Candidate, i).stem);
}

gboolean
sonde_checkpoint_exists (const char *folder)
{
  g_autoptr (GArray) list = list_checkpoints (folder, NULL);

  return list->len > 0;
}

/* What saves that were killed have left. One that is younger may be another program's, which is
 * writing it. */
static void
remove_leftovers (const SondeIo *io, const char *folder)
{
  const SondeIo *calls = io != NULL ? io : sonde_io_system ();
  gint64 before = sonde_clock_wall_ns (NULL) / 1000000000 - LEFTOVER_SECONDS;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path
          = sonde_io_is_temporary (file) ? g_build_filename (folder, file, NULL) : NULL;
      struct stat status;

      if (path != NULL && calls->stat (calls, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0
          && S_ISREG (status.st_mode) && status.st_mtim.tv_sec < before)
        remove_file (calls, path, "");
    }
}

/* ---- reading ------------------------------------------------------------- */

static SondeTensor *
find_member (const SondeNamedTensors *tensors, const char *name, SondeDtype dtype, gint64 n)
{
  SondeTensor *tensor = sonde_named_tensors_lookup (tensors, name);

  return tensor != NULL && tensor->dtype == dtype && sonde_tensor_n_elements (tensor) == n ? tensor
                                                                                           : NULL;
}

/* A whole state file: zip's checksums hold, and the digest over all of it. */
static SondeNamedTensors *
read_state (const SondeIo *io, const char *stem, guint64 *step, GError **error)
{
  g_autofree char *path = g_strconcat (stem, STATE_SUFFIX, NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_npz_read (io, path, error);
  SondeTensor *number, *digest, *progress;

  if (tensors == NULL)
    return NULL;
  number = find_member (tensors, STEP_MEMBER, SONDE_DTYPE_I64, 1);
  digest = find_member (tensors, DIGEST_MEMBER, SONDE_DTYPE_U64, 1);
  progress = sonde_named_tensors_lookup (tensors, PROGRESS_MEMBER);
  if (number == NULL || digest == NULL || progress == NULL
      || (guint64) sonde_tensor_get_int (digest, 0)
             != sonde_weights_digest (tensors, DIGEST_MEMBER))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” is damaged: its contents have changed since it was written.", path);
      return NULL;
    }
  *step = (guint64) sonde_tensor_get_int (number, 0); /* a negative one is larger than any */
  if (*step > MAX_STEP)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” is damaged: invalid step %" PRIi64 ".", path,
                       sonde_tensor_get_int (number, 0));
      return NULL;
    }
  return g_steal_pointer (&tensors);
}

gboolean
sonde_checkpoint_read_step (const char *folder, const char *name, guint64 *step)
{
  g_autofree char *stem = g_build_filename (folder, name, NULL);
  g_autoptr (SondeNamedTensors) tensors = read_state (NULL, stem, step, NULL);

  return tensors != NULL;
}

static void
skip (GPtrArray *skipped, const GError *problem)
{
  SondeMessage *message;

  if (skipped == NULL)
    return;
  message = sonde_error_dup_message (problem);
  sonde_message_prepend (message, "A damaged checkpoint was skipped: ");
  g_ptr_array_add (skipped, message);
}

/* The steps of "final" and the like are read from the files; damaged ones are removed from @list. */
static void
read_steps (const SondeIo *io, GArray *list, GPtrArray *skipped, GError **problem)
{
  for (guint i = list->len; i-- > 0;)
    {
      Candidate *candidate = &g_array_index (list, Candidate, i);
      g_autoptr (GError) reason = NULL;
      g_autoptr (SondeNamedTensors) tensors = NULL;

      if (candidate->has_step)
        continue;
      tensors = read_state (io, candidate->stem, &candidate->step, &reason);
      if (tensors != NULL)
        continue;
      skip (skipped, reason);
      if (*problem == NULL)
        *problem = g_steal_pointer (&reason);
      g_array_remove_index (list, i);
    }
  g_array_sort (list, compare_steps);
}

static gboolean
load (SondeTrainer *trainer, const SondeNamedTensors *tensors, const char *stem,
      SondeCheckpointNotes *notes, GError **error)
{
  SondeTensor *best = find_member (tensors, BEST_MEMBER, SONDE_DTYPE_F64, 2);
  g_autofree char *path = g_strconcat (stem, STATE_SUFFIX, NULL);

  if (!check_optimiser (trainer, tensors, path, error)
      || !sonde_weights_fit (trainer, tensors, path, SONDE_WEIGHTS_STATE, NULL, error))
    return FALSE;
  if (!sonde_trainer_set_progress (trainer, sonde_named_tensors_lookup (tensors, PROGRESS_MEMBER),
                                   error))
    return sonde_prefix_error (error, "“%s”, member “%s”: ", path, PROGRESS_MEMBER), FALSE;
  if (notes != NULL && best != NULL)
    *notes = (SondeCheckpointNotes){ sonde_tensor_get_double (best, 0),
                                     (guint64) fmax (sonde_tensor_get_double (best, 1), 0) };
  return TRUE;
}

gboolean
sonde_checkpoint_resume (const SondeIo *io, const char *folder, guint64 before,
                         SondeTrainer *trainer, SondeCheckpointNotes *notes, GPtrArray *skipped,
                         GError **error)
{
  g_autoptr (GArray) list = list_checkpoints (folder, NULL);
  g_autoptr (GError) problem = NULL;

  remove_leftovers (io, folder);
  read_steps (io, list, skipped, &problem);
  for (guint i = 0; i < list->len; i++)
    {
      const char *stem = g_array_index (list, Candidate, i).stem;
      g_autoptr (GError) reason = NULL;
      g_autoptr (SondeNamedTensors) tensors = NULL;
      guint64 step;

      if (g_array_index (list, Candidate, i).step >= before)
        continue;
      tensors = read_state (io, stem, &step, &reason);
      if (tensors != NULL)
        return load (trainer, tensors, stem, notes, error);
      skip (skipped, reason);
      if (problem == NULL)
        problem = g_steal_pointer (&reason);
    }
  if (problem != NULL)
    sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, problem,
                             "“%s” contains no checkpoint to resume from: ", folder);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” contains no checkpoint to resume from.", folder);
  return FALSE;
}
