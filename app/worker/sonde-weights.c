/* SPDX-License-Identifier: Apache-2.0
 * Files of weights and how they fit. */
#include "app/worker/sonde-weights.h"

#include <string.h>

#include "app/worker/models/sonde-weight-match.h"
#include "data/arrays/sonde-safetensors.h"
#include "data/arrays/sonde-torch-file.h"
#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-weights-file.h"
#include "data/models/sonde-mindspore-checkpoint.h"
#include "data/models/sonde-model-file.h"
#include "data/models/tensorflow/sonde-tensorflow-checkpoint.h"

#define NAMES_SHOWN 8
#define RESERVED "training-" /* members of a state file that are no weights */

/* ---- files --------------------------------------------------------------- */

static SondeNamedTensors *
read_onnx (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_model_load (io, path, error);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();

  if (graph == NULL)
    return NULL;
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL
          && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE))
        sonde_named_tensors_set (tensors, value->name, tensor);
    }
  return g_steal_pointer (&tensors);
}

static const struct
{
  const char *suffix;
  SondeNamedTensors *(*read) (const SondeIo *io, const char *path, GError **error);
  /* NULL: not */
  gboolean (*write) (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                     GError **error);
} formats[] = {
  { ".npz", sonde_npz_read, sonde_npz_write },
  { ".safetensors", sonde_safetensors_read, sonde_safetensors_write },
  { ".ckpt", sonde_mindspore_checkpoint_read, NULL },
  { ".pt", sonde_torch_file_read, NULL },
  { ".pth", sonde_torch_file_read, NULL },
  { ".index", sonde_tensorflow_checkpoint_read, NULL },
  { ".h5", sonde_keras_weights_read, NULL },
  { ".keras", sonde_keras_weights_read, NULL },
  { ".onnx", read_onnx, NULL },
};

static gboolean
refuse_format (const char *path, gboolean write, GError **error)
{
  GString *endings = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (!write || formats[i].write != NULL)
      g_string_append_printf (endings, "%s%s", endings->len > 0 ? ", " : "", formats[i].suffix);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” is not a file of weights; supported file name extensions: %s.", path,
                   endings->str);
  g_string_free (endings, TRUE);
  return FALSE;
}

SondeNamedTensors *
sonde_weights_read (const SondeIo *io, const char *path, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_has_suffix (path, formats[i].suffix))
      return formats[i].read (io, path, error);
  refuse_format (path, FALSE, error);
  return NULL;
}

gboolean
sonde_weights_write (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                     GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].write != NULL && g_str_has_suffix (path, formats[i].suffix))
      return formats[i].write (io, path, tensors, error);
  return refuse_format (path, TRUE, error);
}

/* ---- out of a training --------------------------------------------------- */

SondeNamedTensors *
sonde_weights_collect (SondeTrainer *trainer, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, TRUE);
  SondeGraph *model = sonde_trainer_get_model (trainer);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = NULL;

      if (sonde_graph_find_value (model, names[i]) == NULL)
        continue; /* of the optimiser */
      tensor = sonde_trainer_read_average (trainer, names[i], error);
      if (tensor == NULL)
        return NULL;
      sonde_named_tensors_set (tensors, names[i], tensor);
    }
  return g_steal_pointer (&tensors);
}

/* ---- into a training ----------------------------------------------------- */

/* What does not fit, one text a reason. */
typedef struct
{
  GPtrArray *missing, *extra, *shapes;
} Misfit;

static void
misfit_clear (Misfit *misfit)
{
  g_ptr_array_unref (misfit->missing);
  g_ptr_array_unref (misfit->extra);
  g_ptr_array_unref (misfit->shapes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Misfit, misfit_clear)

/* The training's name of a tensor in a file. Returns: (transfer full) (nullable) */
static char *
find_name (GHashTable *known, const char *name)
{
  if (g_hash_table_contains (known, name))
    return g_strdup (name);
  for (guint turn = 0; turn < SONDE_WEIGHT_TURNS; turn++)
    {
      g_autofree char *other = sonde_weight_dup_other_name (name, turn);

      if (other != NULL && g_hash_table_contains (known, other))
        return g_steal_pointer (&other);
    }
  return NULL;
}

static gboolean
is_passed_over (const char *name, SondeWeightsFit fit)
{
  /* PyTorch's batch counters stand in its weight files; no operator reads them. */
  if (g_str_has_prefix (name, RESERVED) || g_str_has_suffix (name, ".num_batches_tracked"))
    return TRUE;
  return fit != SONDE_WEIGHTS_STATE && g_str_has_prefix (name, "state(");
}

/* What takes the tensors: a training, or a model at rest. */
typedef struct
{
  SondeTrainer *trainer; /* (nullable): then @graph's constants */
  SondeGraph *graph;
} Target;

static SondeTensor *
read_target (const Target *target, const char *name, GError **error)
{
  return target->trainer != NULL ? sonde_trainer_read_parameter (target->trainer, name, error)
                                 : sonde_tensor_ref (sonde_value_get_tensor (
                                     sonde_graph_find_value (target->graph, name)->constant));
}

/* One tensor of the file: into @taken under the training's name, or into @misfit. */
static gboolean
place (const Target *target, GHashTable *known, const char *name, SondeTensor *tensor,
       SondeNamedTensors *taken, Misfit *misfit, GError **error)
{
  g_autofree char *own = find_name (known, name);
  g_autoptr (SondeTensor) old = own != NULL ? read_target (target, own, error) : NULL;
  g_autoptr (SondeTensor) fresh = old != NULL ? sonde_weight_convert (tensor, old) : NULL;
  g_autofree char *has = NULL, *needs = NULL;

  if (own == NULL)
    g_ptr_array_add (misfit->extra, g_strdup (name));
  if (own == NULL || old == NULL)
    return own == NULL;
  if (fresh != NULL)
    {
      sonde_named_tensors_set (taken, own, fresh);
      return TRUE;
    }
  has = sonde_tensor_describe (tensor);
  needs = sonde_tensor_describe (old);
  g_ptr_array_add (misfit->shapes,
                   g_strdup_printf ("%s (%s in the file, %s in the model)", name, has, needs));
  g_hash_table_remove (known, own); /* not missing */
  return TRUE;
}

static void
find_missing (SondeGraph *graph, char **names, GHashTable *known, const SondeNamedTensors *taken,
              SondeWeightsFit fit, Misfit *misfit)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, names[i]);

      if (sonde_named_tensors_lookup (taken, names[i]) != NULL
          || !g_hash_table_contains (known, names[i]))
        continue;
      if (fit == SONDE_WEIGHTS_STATE || (value != NULL && value->role == SONDE_ROLE_PARAMETER))
        g_ptr_array_add (misfit->missing, g_strdup (names[i]));
    }
}

/* @id: with one conversion, for the names */
static void
add_names (SondeMessage *message, const char *id, const GPtrArray *names)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (names->len == 0)
    return;
  for (guint i = 0; i < MIN (names->len, NAMES_SHOWN); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            (const char *) g_ptr_array_index (names, i));
  if (names->len > NAMES_SHOWN)
    g_string_append_printf (text, ", … (+%u)", names->len - NAMES_SHOWN);
  sonde_message_add_part (message, id, (const char *const[]){ text->str, NULL });
}

static void
add_misfit (SondeMessage *message, const Misfit *misfit)
{
  add_names (message, N_ (" Missing tensors: %s."), misfit->missing);
  add_names (message, N_ (" Extra tensors: %s."), misfit->extra);
  add_names (message, N_ (" Tensors of a different type or shape: %s."), misfit->shapes);
}

static gboolean
fits (const Misfit *misfit)
{
  return misfit->missing->len + misfit->extra->len + misfit->shapes->len == 0;
}

static gboolean
write_all (const Target *target, const SondeNamedTensors *taken, GError **error)
{
  for (gsize i = 0; i < sonde_named_tensors_get_size (taken); i++)
    {
      const char *name = sonde_named_tensors_get_name (taken, i);
      SondeTensor *tensor = sonde_named_tensors_get_tensor (taken, i);
      SondeGraphValue *value;

      if (target->trainer != NULL
          && !sonde_trainer_write_parameter (target->trainer, name, tensor, error))
        return FALSE;
      if (target->trainer != NULL)
        continue;
      value = sonde_graph_find_value (target->graph, name);
      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (tensor);
    }
  return TRUE;
}

static GHashTable *
list_known (SondeTrainer *trainer, char **names, SondeWeightsFit fit)
{
  GHashTable *known = g_hash_table_new (g_str_hash, g_str_equal);
  SondeGraph *model = sonde_trainer_get_model (trainer);

  for (gsize i = 0; names[i] != NULL; i++)
    if (fit == SONDE_WEIGHTS_STATE || sonde_graph_find_value (model, names[i]) != NULL)
      g_hash_table_add (known, names[i]);
  return known;
}

static void
refuse_weights (const Target *target, const Misfit *misfit, const char *name, SondeWeightsFit fit,
                GError **error)
{
  const gboolean partial = fit == SONDE_WEIGHTS_PARTIAL;
  SondeMessage *message = partial ? sonde_message_new ("No tensor of “%s” matches the model.", name)
                                  : sonde_message_new ("“%s” does not match the model.", name);

  add_misfit (message, misfit);
  if (fit == SONDE_WEIGHTS_ALL && target->trainer != NULL)
    sonde_message_append_format (message,
                                 N_ (" Set model.partial=true to use only the matching tensors."));
  sonde_set_error_message (error, SONDE_DATA_ERROR,
                           partial ? SONDE_DATA_ERROR_NOT_FOUND : SONDE_DATA_ERROR_INVALID,
                           message);
}

static gboolean
fit_into (const Target *target, char **names, GHashTable *known, const SondeNamedTensors *tensors,
          const char *name, SondeWeightsFit fit, SondeMessage **report, GError **error)
{
  g_autoptr (SondeNamedTensors) taken = sonde_named_tensors_new ();
  g_auto (Misfit) misfit
      = { g_ptr_array_new_with_free_func (g_free), g_ptr_array_new_with_free_func (g_free),
          g_ptr_array_new_with_free_func (g_free) };

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *member = sonde_named_tensors_get_name (tensors, i);

      if (!is_passed_over (member, fit)
          && !place (target, known, member, sonde_named_tensors_get_tensor (tensors, i), taken,
                     &misfit, error))
        return FALSE;
    }
  find_missing (target->graph, names, known, taken, fit, &misfit);
  if (!fits (&misfit)
      && (fit != SONDE_WEIGHTS_PARTIAL || sonde_named_tensors_get_size (taken) == 0))
    {
      refuse_weights (target, &misfit, name, fit, error);
      return FALSE;
    }
  if (!write_all (target, taken, error))
    return FALSE;
  if (report != NULL && !fits (&misfit))
    {
      *report = sonde_message_new ("Tensors used from “%s”: %zu.", name,
                                   sonde_named_tensors_get_size (taken));
      add_misfit (*report, &misfit);
    }
  return TRUE;
}

gboolean
sonde_weights_fit (SondeTrainer *trainer, const SondeNamedTensors *tensors, const char *name,
                   SondeWeightsFit fit, SondeMessage **report, GError **error)
{
  const Target target = { trainer, sonde_trainer_get_graph (trainer) };
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, TRUE);
  g_autoptr (GHashTable) known = list_known (trainer, names, fit);

  return fit_into (&target, names, known, tensors, name, fit, report, error);
}

gboolean
sonde_weights_fit_model (SondeGraph *model, const SondeNamedTensors *tensors, const char *name,
                         SondeWeightsFit fit, SondeMessage **report, GError **error)
{
  const Target target = { NULL, model };
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < model->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (model->values, i);

      if (value == NULL || sonde_value_get_tensor (value->constant) == NULL
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;
      g_ptr_array_add (names, value->name);
      g_hash_table_add (known, value->name);
    }
  g_ptr_array_add (names, NULL);
  return fit_into (&target, (char **) names->pdata, known, tensors, name, fit, report, error);
}

/* ---- digest -------------------------------------------------------------- */

/* Four lanes, so that the multiplications overlap. */
static guint64
mix (guint64 digest, const guint8 *data, gsize length)
{
  const guint64 odd = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  guint64 lanes[4] = { digest, digest + 1, digest + 2, digest + 3 };
  gsize at = 0;

  for (; at + sizeof lanes <= length; at += sizeof lanes)
    {
      guint64 words[4];

      memcpy (words, data + at, sizeof words);
      for (int i = 0; i < 4; i++)
        {
          lanes[i] = (lanes[i] ^ words[i]) * odd;
          lanes[i] ^= lanes[i] >> 29;
        }
    }
  for (; at < length; at++)
    lanes[0] = (lanes[0] ^ data[at]) * odd;
  for (int i = 1; i < 4; i++)
    lanes[0] = (lanes[0] ^ lanes[i] ^ lanes[0] >> 32) * odd;
  return lanes[0] ^ length;
}

guint64
sonde_weights_digest (const SondeNamedTensors *tensors, const char *but)
{
  guint64 digest = 0;

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *name = sonde_named_tensors_get_name (tensors, i);
      g_autoptr (SondeTensor) tensor
          = sonde_tensor_contiguous (sonde_named_tensors_get_tensor (tensors, i));

      if (g_strcmp0 (name, but) == 0 || tensor->dtype == SONDE_DTYPE_STRING)
        continue;
      digest = mix (digest, (const guint8 *) name, strlen (name));
      digest = mix (digest, (const guint8 *) sonde_dtype_name (tensor->dtype),
                    strlen (sonde_dtype_name (tensor->dtype)));
      digest = mix (digest, (const guint8 *) tensor->shape.dims,
                    sizeof tensor->shape.dims[0] * (gsize) tensor->shape.rank);
      digest = mix (digest, tensor->data, sonde_tensor_n_bytes (tensor));
    }
  return digest;
}
