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
 * @parameters: names of parameters and buffers; @repeated: modules that ran several times in a call of the model
 * @is_summed: the model was called several times: gradients of parameters are sums
 * @late: (element-type utf8): gradients of parameters, in the order of the model
 * @values, @weights: so far; @bytes: of whichever is fetched
 */
typedef struct
{
  SondeSessionClient *client;
  const SondeForeignStepOptions *options;
  SondeForeignStep *step;
  GHashTable *parameters, *repeated;
  gboolean is_summed;
  GPtrArray *late;
  SondeNamedTensors *values, *weights;
  guint64 value_bytes, weight_bytes;
} Fetching;

static void
fetching_clear (Fetching *self)
{
  g_clear_pointer (&self->step, sonde_foreign_step_free);
  g_clear_pointer (&self->parameters, g_hash_table_unref);
  g_clear_pointer (&self->repeated, g_hash_table_unref);
  g_clear_pointer (&self->late, g_ptr_array_unref);
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
is_wanted_parameter (const Fetching *self, const char *name)
{
  return (!self->is_summed || self->options->sums) && g_hash_table_contains (self->parameters, name)
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
             || is_wanted_module (self, of) || is_wanted_parameter (self, of));
}

/* "layers.0#3" -> 3, of calls alone; 0: it is none but a first one's. */
static guint64
number_of_call (const char *name)
{
  const char *call = strrchr (name, '#');
  guint64 number;

  if (call == NULL || strpbrk (name, "/(:") != NULL
      || !g_ascii_string_to_unsigned (call + 1, 10, 2, G_MAXUINT32, &number, NULL))
    return 0;
  return number;
}

static void
count_call (GHashTable *calls, const char *name)
{
  const guint64 number = number_of_call (name);
  g_autofree char *module
      = number > 0 ? g_strndup (name, (gsize) (strrchr (name, '#') - name)) : NULL;

  if (module != NULL && number > GPOINTER_TO_SIZE (g_hash_table_lookup (calls, module)))
    g_hash_table_replace (calls, g_steal_pointer (&module), GSIZE_TO_POINTER (number));
}

/* Names that stand for something else than modules, and modules that ran more often than the outermost one. */
static void
sort_names (Fetching *self, const GPtrArray *values)
{
  g_autoptr (GHashTable) calls = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer name, number, of_model;

  for (guint i = 0; i < values->len; i++)
    {
      const SondeValueInfo *value = g_ptr_array_index (values, i);

      if (is_weight (value))
        g_hash_table_add (self->parameters, g_strdup (value->name));
      count_call (calls, value->name);
    }
  of_model = g_hash_table_lookup (calls, "input");
  self->is_summed = of_model != NULL;
  g_hash_table_iter_init (&iter, calls);
  while (g_hash_table_iter_next (&iter, &name, &number))
    if (number != of_model)
      g_hash_table_add (self->repeated, g_strdup (name));
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

static void
note_summed (Fetching *self)
{
  if (self->is_summed && self->options->gradients && !self->options->sums)
    g_ptr_array_add (
        self->step->absent,
        g_strdup ("Gradients of parameters are sums over several calls of the model in "
                  "this step; they are not compared."));
}

/* Those of parameters are made last, of the last one first. */
static void
note_order (Fetching *self, const SondeValueInfo *value)
{
  g_autofree char *of = dup_of_gradient (value->name);

  if (is_weight (value) || is_input (value->name))
    return;
  g_ptr_array_add (of != NULL && g_hash_table_contains (self->parameters, of) ? self->late
                                                                              : self->step->order,
                   g_strdup (value->name));
}

static void
append_late (Fetching *self)
{
  for (guint i = self->late->len; i > 0; i--)
    g_ptr_array_add (self->step->order, g_strdup (g_ptr_array_index (self->late, i - 1)));
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

static void
tell (const Fetching *self, double fraction)
{
  if (self->options->progress != NULL)
    self->options->progress (fraction, self->options->data);
}

static gboolean
fetch_all (Fetching *self, const GPtrArray *values, GError **error)
{
  tell (self, 0);
  for (guint i = 0; i < values->len; i++)
    {
      const SondeValueInfo *value = g_ptr_array_index (values, i);

      if (!value->available || !is_wanted (self, value))
        continue;
      note_order (self, value);
      tell (self, (double) (i + 1) / values->len);
      if (is_given_up (self, error) || !fetch (self, value, error))
        return FALSE;
    }
  append_late (self);
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
  self.late = g_ptr_array_new_with_free_func (g_free);
  self.values = sonde_named_tensors_new ();
  self.weights = sonde_named_tensors_new ();
  sort_names (&self, reply->values);
  note_repeated (&self);
  note_summed (&self);
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
