/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of a training. */
#include "app/worker/sonde-checkpoint.h"

#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"

#define STATE_SUFFIX ".state.npz"
#define WEIGHTS_SUFFIX ".npz"
#define STEP_MEMBER "training-step"

static SondeNamedTensors *
collect (SondeTrainer *trainer,
         gboolean      with_state,
         GError      **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, with_state);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (trainer, names[i], error);

      if (tensor == NULL)
        return NULL;
      sonde_named_tensors_set (tensors, names[i], tensor);
    }
  return g_steal_pointer (&tensors);
}

static gboolean
write_tensors (const SondeIo           *io,
               const char              *folder,
               const char              *name,
               const char              *suffix,
               const SondeNamedTensors *tensors,
               GError                 **error)
{
  g_autofree char *file = g_strconcat (name, suffix, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);

  return sonde_npz_write (io, path, tensors, error);
}

gboolean
sonde_checkpoint_write (const SondeIo *io,
                        const char    *folder,
                        const char    *name,
                        SondeTrainer  *trainer,
                        GError       **error)
{
  g_autoptr (SondeNamedTensors) weights = collect (trainer, FALSE, error);
  g_autoptr (SondeNamedTensors) state = weights != NULL ? collect (trainer, TRUE, error) : NULL;
  g_autoptr (SondeTensor) step = NULL;

  if (state == NULL)
    return FALSE;
  step = sonde_tensor_new_i64 ((gint64) sonde_trainer_get_state (trainer)->step);
  sonde_named_tensors_set (state, STEP_MEMBER, step);
  return sonde_io_make_directories (io, folder, error)
         && write_tensors (io, folder, name, WEIGHTS_SUFFIX, weights, error)
         && write_tensors (io, folder, name, STATE_SUFFIX, state, error);
}

static int
compare_names (const void *a,
               const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* (element-type utf8): files of @folder that begin and end so, sorted */
static GPtrArray *
list_files (const char *folder,
            const char *prefix,
            const char *suffix)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, prefix) && g_str_has_suffix (name, suffix))
      g_ptr_array_add (files, g_strdup (name));
  g_ptr_array_sort (files, compare_names);
  return files;
}

void
sonde_checkpoint_prune (const SondeIo *io,
                        const char    *folder,
                        const char    *prefix,
                        guint          keep)
{
  g_autofree char *begin = g_strconcat (prefix, "-", NULL);
  g_autoptr (GPtrArray) files = list_files (folder, begin, STATE_SUFFIX);
  const SondeIo *calls = io != NULL ? io : sonde_io_system ();

  for (guint i = 0; keep > 0 && i + keep < files->len; i++)
    {
      const char *file = g_ptr_array_index (files, i);
      g_autofree char *state = g_build_filename (folder, file, NULL);
      g_autofree char *stem = g_strndup (state, strlen (state) - strlen (STATE_SUFFIX));
      g_autofree char *weights = g_strconcat (stem, WEIGHTS_SUFFIX, NULL);

      /* An old checkpoint that cannot be removed harms nothing but the disk. */
      if (calls->unlink (calls, weights) != 0 || calls->unlink (calls, state) != 0)
        g_debug ("cannot remove %s: %s", weights, g_strerror (errno));
    }
}

static gboolean
load_tensors (const SondeNamedTensors *tensors,
              const char              *path,
              SondeTrainer            *trainer,
              GError                 **error)
{
  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *name = sonde_named_tensors_get_name (tensors, i);

      /* PyTorch's batch counters stand in its weight files; no operator reads them. */
      if (g_str_equal (name, STEP_MEMBER) || g_str_has_suffix (name, ".num_batches_tracked"))
        continue;
      if (!sonde_trainer_write_parameter (trainer, name, sonde_named_tensors_get_tensor (tensors, i), error))
        {
          g_prefix_error (error, "“%s”, member “%s”: ", path, name);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
sonde_checkpoint_load_weights (const SondeIo *io,
                               const char    *path,
                               SondeTrainer  *trainer,
                               GError       **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_npz_read (io, path, error);

  return tensors != NULL && load_tensors (tensors, path, trainer, error);
}

gboolean
sonde_checkpoint_resume (const SondeIo *io,
                         const char    *folder,
                         SondeTrainer  *trainer,
                         GError       **error)
{
  g_autoptr (GPtrArray) files = list_files (folder, "", STATE_SUFFIX);
  g_autoptr (SondeNamedTensors) newest = NULL;
  g_autoptr (GError) problem = NULL;
  g_autofree char *newest_path = NULL;
  gint64 newest_step = -1;

  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, g_ptr_array_index (files, i), NULL);
      g_autoptr (SondeNamedTensors) tensors = sonde_npz_read (io, path, problem == NULL ? &problem : NULL);
      SondeTensor *step = tensors != NULL ? sonde_named_tensors_lookup (tensors, STEP_MEMBER) : NULL;

      if (step == NULL || step->dtype != SONDE_DTYPE_I64 || sonde_tensor_n_elements (step) != 1
          || sonde_tensor_get_int (step, 0) <= newest_step)
        continue;
      newest_step = sonde_tensor_get_int (step, 0);
      g_clear_pointer (&newest, sonde_named_tensors_free);
      newest = g_steal_pointer (&tensors);
      g_free (newest_path);
      newest_path = g_steal_pointer (&path);
    }
  if (newest == NULL)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "There is no checkpoint to resume from in “%s”%s%s", folder, problem != NULL ? ": " : ".",
                   problem != NULL ? problem->message : "");
      return FALSE;
    }
  if (!load_tensors (newest, newest_path, trainer, error))
    return FALSE;
  sonde_trainer_seek (trainer, (guint64) newest_step);
  return TRUE;
}
