/* SPDX-License-Identifier: Apache-2.0
 * A step of another program, value by value. */
#include "engine/commands/sonde-foreign-step.h"

#include <glib/gstdio.h>
#include <string.h>

#include "data/arrays/sonde-safetensors.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"

#define GRAD "grad("

/**
 * Fetching:
 * @parameters: names of parameters and buffers; @repeated: modules that ran several times
 * @values, @weights: so far; @bytes: of whichever is fetched
 */
typedef struct
{
  SondeSessionClient *client;
  const SondeForeignStepOptions *options;
  SondeForeignStep *step;
  GHashTable *parameters, *repeated;
  SondeNamedTensors *values, *weights;
  guint64 value_bytes, weight_bytes;
} Fetching;

static void
fetching_clear (Fetching *self)
{
  g_clear_pointer (&self->step, sonde_foreign_step_free);
  g_clear_pointer (&self->parameters, g_hash_table_unref);
  g_clear_pointer (&self->repeated, g_hash_table_unref);
  g_clear_pointer (&self->values, sonde_named_tensors_free);
  g_clear_pointer (&self->weights, sonde_named_tensors_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fetching, fetching_clear)

/* ---- which values -------------------------------------------------------- */

static gboolean
is_weight (const SondeValueInfo *value)
{
  return value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE;
}

static gboolean
is_input (const char *name)
{
  return g_str_equal (name, "input") || g_str_has_prefix (name, "input:");
}

/* "grad(fc)" -> "fc". (transfer full) (nullable): no gradient */
static char *
dup_of_gradient (const char *name)
{
  return g_str_has_prefix (name, GRAD) && g_str_has_suffix (name, ")")
             ? g_strndup (name + strlen (GRAD), strlen (name) - strlen (GRAD) - 1)
             : NULL;
}

/* Operators have a "/" in their names, later calls a "#", later outputs a ":". */
static gboolean
is_module (const Fetching *self, const char *name)
{
  return strpbrk (name, "/#:(") == NULL && !g_str_equal (name, "input")
         && !g_str_equal (name, "output") && !g_str_equal (name, "loss")
         && !g_hash_table_contains (self->parameters, name);
}

static gboolean
is_wanted_module (const Fetching *self, const char *name)
{
  return is_module (self, name) && !g_hash_table_contains (self->repeated, name)
         && (self->options->pattern == NULL
             || g_pattern_match_simple (self->options->pattern, name));
}

static gboolean
is_wanted (const Fetching *self, const SondeValueInfo *value)
{
  g_autofree char *of = dup_of_gradient (value->name);

  if (is_weight (value))
    return self->options->weights;
  if (of == NULL)
    return is_input (value->name) || is_wanted_module (self, value->name);
  return self->options->gradients
         && (g_str_equal (of, "output") || g_str_has_prefix (of, "output:")
             || is_wanted_module (self, of));
}

/* Names that stand for something else than modules, and modules with a second call. */
static void
sort_names (Fetching *self, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const SondeValueInfo *value = g_ptr_array_index (values, i);
      const char *call = strstr (value->name, "#2");

      if (is_weight (value))
        g_hash_table_add (self->parameters, g_strdup (value->name));
      else if (call != NULL && call[2] == '\0' && strpbrk (value->name, "/(:") == NULL)
        g_hash_table_add (self->repeated, g_strndup (value->name, (gsize) (call - value->name)));
    }
}

static void
note_repeated (Fetching *self)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, self->repeated);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (is_module (self, name) && *(const char *) name != '\0')
      g_ptr_array_add (self->step->absent,
                       g_strdup_printf ("“%s” ran several times in this step.", (char *) name));
}

/* ---- fetching ------------------------------------------------------------ */

static gboolean
is_given_up (const Fetching *self, GError **error)
{
  if (self->options->is_given_up == NULL || !self->options->is_given_up (self->options->data))
    return FALSE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The comparison was cancelled.");
  return TRUE;
}

static gboolean
check_room (guint64 *bytes, const SondeTensor *tensor, gboolean of_weights, GError **error)
{
  g_autofree char *have = NULL, *most = NULL;

  *bytes += sonde_tensor_n_bytes (tensor);
  if (*bytes <= SONDE_BUDGET_PARSE_BYTES)
    return TRUE;
  have = g_format_size_full (*bytes, G_FORMAT_SIZE_IEC_UNITS);
  most = g_format_size_full (SONDE_BUDGET_PARSE_BYTES, G_FORMAT_SIZE_IEC_UNITS);
  if (of_weights)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
        "The weights take more than %s, and at most %s can be handed over: give them as a "
        "file, with --weights.",
        have, most);
  else
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
        "The values of this step take more than %s, and at most %s can be handed over: "
        "choose modules with --node.",
        have, most);
  return FALSE;
}

static gboolean
take (Fetching *self, const SondeValueInfo *value, SondeTensor *tensor, GError **error)
{
  gboolean of_weights = is_weight (value);
  guint64 *bytes = of_weights ? &self->weight_bytes : &self->value_bytes;

  if (!check_room (bytes, tensor, of_weights, error))
    return FALSE;
  sonde_named_tensors_set (of_weights ? self->weights : self->values, value->name, tensor);
  return TRUE;
}

/* What the program cannot give is noted, and the rest compared. */
static gboolean
fetch (Fetching *self, const SondeValueInfo *value, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
      self->client, sonde_session_request_tensor (value->name), -1, &failure);

  if (reply != NULL && reply->tensor != NULL)
    return take (self, value, reply->tensor, error);
  if (failure != NULL && sonde_session_client_is_closed (self->client))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (failure != NULL)
    g_ptr_array_add (self->step->absent, g_strdup (failure->message));
  return TRUE;
}

static gboolean
fetch_all (Fetching *self, const GPtrArray *values, GError **error)
{
  for (guint i = 0; i < values->len; i++)
    {
      const SondeValueInfo *value = g_ptr_array_index (values, i);

      if (!value->available || !is_wanted (self, value))
        continue;
      if (!is_weight (value) && !is_input (value->name))
        g_ptr_array_add (self->step->order, g_strdup (value->name));
      if (is_given_up (self, error) || !fetch (self, value, error))
        return FALSE;
    }
  if (self->step->order->len > 0 && sonde_named_tensors_lookup (self->values, "input") != NULL)
    return TRUE;
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
      "This step was not seen from its beginning: go on to a stop in the next one, as with "
      "“until phase:backward”.");
  return FALSE;
}

/* ---- files --------------------------------------------------------------- */

static gboolean
write_files (Fetching *self, GError **error)
{
  SondeForeignStep *step = self->step;

  step->folder = g_dir_make_tmp ("sonde-step-XXXXXX", error);
  if (step->folder == NULL)
    return FALSE;
  step->values = g_build_filename (step->folder, "values.safetensors", NULL);
  if (!sonde_safetensors_write (sonde_io_hasty (), step->values, self->values, error))
    return FALSE;
  if (sonde_named_tensors_get_size (self->weights) == 0)
    return TRUE;
  step->weights = g_build_filename (step->folder, "weights.safetensors", NULL);
  return sonde_safetensors_write (sonde_io_hasty (), step->weights, self->weights, error);
}

SondeForeignStep *
sonde_foreign_step_fetch (SondeSessionClient *client, const SondeForeignStepOptions *options,
                          GError **error)
{
  g_auto (Fetching) self = { .client = client, .options = options };
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (client, sonde_session_request_values (NULL), -1, error);

  if (reply == NULL || reply->values == NULL)
    return NULL;
  self.step = g_new0 (SondeForeignStep, 1);
  self.step->order = g_ptr_array_new_with_free_func (g_free);
  self.step->absent = g_ptr_array_new_with_free_func (g_free);
  self.parameters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.repeated = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.values = sonde_named_tensors_new ();
  self.weights = sonde_named_tensors_new ();
  sort_names (&self, reply->values);
  note_repeated (&self);
  if (!fetch_all (&self, reply->values, error) || !write_files (&self, error))
    return NULL;
  return g_steal_pointer (&self.step);
}

void
sonde_foreign_step_free (SondeForeignStep *step)
{
  if (step == NULL)
    return;
  if (step->values != NULL)
    g_unlink (step->values);
  if (step->weights != NULL)
    g_unlink (step->weights);
  if (step->folder != NULL)
    g_rmdir (step->folder);
  g_ptr_array_unref (step->order);
  g_ptr_array_unref (step->absent);
  g_free (step->values);
  g_free (step->weights);
  g_free (step->folder);
  g_free (step);
}
