/* SPDX-License-Identifier: Apache-2.0
 * A model of Keras -> graph: its inputs, all calls of its layers, its outputs. */
#include "data/models/keras/sonde-keras.h"

#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-lower.h"

#define NAME_AT 30 /* where a zip's first member has its name, and, 4 before, its length */

/* ---- telling the format -------------------------------------------------- */

static gboolean
is_archive (const guint8 *start, gsize length)
{
  static const char *const members[]
      = { "metadata.json", "config.json", "model.weights.h5", "model.weights.json" };
  gsize n = length > NAME_AT ? start[26] | (gsize) start[27] << 8 : 0;

  if (length < NAME_AT || memcmp (start, "PK\3\4", 4) != 0 || NAME_AT + n > length)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (members); i++)
    if (n == strlen (members[i]) && memcmp (start + NAME_AT, members[i], n) == 0)
      return TRUE;
  return FALSE;
}

gboolean
sonde_keras_sniff (const guint8 *start, gsize length)
{
  return sonde_hdf5_sniff (start, length) || is_archive (start, length);
}

/* ---- inputs -------------------------------------------------------------- */

/* "float32", or the policy that is an object of its own. */
static const char *
find_dtype (JsonObject *config)
{
  const char *dtype = sonde_json_member_text (config, "dtype");
  JsonObject *policy = sonde_json_member_object (config, "dtype");

  if (dtype == NULL && policy != NULL)
    dtype = sonde_json_member_text (sonde_json_member_object (policy, "config"), "name");
  return dtype != NULL && !g_str_has_prefix (dtype, "mixed_") ? dtype : "float32";
}

/* [null, 28, 28, 1]; the first unknown size is the batch. */
static gboolean
read_type (JsonArray *sizes, SondeDtype dtype, SondeType *type)
{
  guint n = sonde_json_member_count (sizes);

  if (sizes == NULL || n > SONDE_MAX_RANK || dtype == SONDE_DTYPE_INVALID)
    return FALSE;
  *type = (SondeType){ .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = (int) n };
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (sizes, i);

      type->dims[i].size = -1;
      if (JSON_NODE_HOLDS_NULL (node))
        type->dims[i].symbol = i == 0 ? g_intern_static_string ("batch") : NULL;
      else if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64
               || json_node_get_int (node) < 0)
        return FALSE;
      else
        type->dims[i].size = json_node_get_int (node);
    }
  return TRUE;
}

/* Sizes of what @layer reads, for one that stands in front of a sequence without an input. */
static JsonArray *
find_sizes (const SondeKerasLayer *layer, JsonObject *model)
{
  static const char *const names[] = { "batch_shape", "batch_input_shape" };
  JsonArray *sizes = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && sizes == NULL; i++)
    sizes = sonde_json_member_array (layer->config, names[i]);
  if (sizes == NULL)
    sizes = sonde_json_member_array (sonde_json_member_object (layer->json, "build_config"),
                                     "input_shape");
  if (sizes == NULL)
    sizes
        = sonde_json_member_array (sonde_json_member_object (model, "config"), "build_input_shape");
  return sizes;
}

static void
add_input (SondeKerasLowering *self, const SondeKerasLayer *layer, JsonObject *model,
           GPtrArray *inputs)
{
  gboolean is_input = g_str_equal (layer->class_name, "InputLayer");
  SondeType type;

  if (layer->nested != NULL)
    layer = layer->nested->layers->pdata[0];
  if (read_type (find_sizes (layer, model), sonde_dtype_from_name (find_dtype (layer->config)),
                 &type))
    {
      g_ptr_array_add (
          inputs, sonde_lowering_add_input (self->out, is_input ? layer->name : "input", &type));
      return;
    }
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                       "the sizes or the type of the input “%s” are not in the file. Build the "
                       "model (model.build (…)) and save it again",
                       layer->name);
}

static GPtrArray *
add_inputs (SondeKerasLowering *self, const SondeKerasNet *net)
{
  GPtrArray *inputs = g_ptr_array_new ();

  for (guint i = 0; i < net->inputs->len; i++)
    {
      const char *name = g_array_index (net->inputs, SondeKerasRef, i).layer;

      add_input (self, g_hash_table_lookup (net->by_name, name),
                 sonde_keras_file_get_config (self->file), inputs);
    }
  return inputs;
}

/* ---- outputs ------------------------------------------------------------- */

/* "dense", "gru_1" for its second tensor or call. */
static char *
dup_output_name (const SondeKerasRef *ref)
{
  guint number = ref->call > 0 ? ref->call : ref->tensor;

  return number > 0 ? g_strdup_printf ("%s_%u", ref->layer, number) : g_strdup (ref->layer);
}

static void
add_outputs (SondeKerasLowering *self, const SondeKerasNet *net, GPtrArray *outputs)
{
  for (guint i = 0; i < outputs->len; i++)
    {
      const SondeKerasRef *ref
          = &g_array_index (net->outputs, SondeKerasRef, net->is_sequence ? 0 : i);
      g_autofree char *name = net->is_sequence && i > 0 ? g_strdup_printf ("%s_%u", ref->layer, i)
                                                        : dup_output_name (ref);

      sonde_lowering_add_output (self->out, outputs->pdata[i], name);
    }
}

/* ---- reading ------------------------------------------------------------- */

static void
lower_model (SondeKerasLowering *self, const SondeKerasNet *net)
{
  g_autoptr (GPtrArray) inputs = add_inputs (self, net);
  g_autoptr (GPtrArray) outputs = NULL;

  if (sonde_lowering_has_failed (self->out))
    return;
  outputs = sonde_keras_run_net (self, net, inputs);
  add_outputs (self, net, outputs);
}

static void
describe (SondeLowering *lowering, const SondeKerasFile *file)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (lowering);
  const char *version = sonde_keras_file_get_version (file);

  conversion->format_version = g_strdup (sonde_keras_file_is_by_layer (file) ? "h5" : "v3");
  conversion->producer
      = version != NULL ? g_strconcat ("Keras ", version, NULL) : g_strdup ("Keras");
}

void
sonde_keras_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (SondeKerasFile) file = sonde_keras_file_open (io, path, &error);
  g_autoptr (SondeKerasNet) net
      = file != NULL ? sonde_keras_net_new (sonde_keras_file_get_config (file), path, &error)
                     : NULL;
  const char *version = file != NULL ? sonde_keras_file_get_version (file) : NULL;
  SondeKerasLowering self = {
    .out = lowering, .file = file, .version = version != NULL ? atoi (version) : 3, .scope = ""
  };

  if (net == NULL)
    {
      sonde_lowering_take_error (lowering, error);
      return;
    }
  self.masks = g_hash_table_new (NULL, NULL);
  self.constants = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  describe (lowering, file);
  lower_model (&self, net);
  g_hash_table_unref (self.masks);
  g_hash_table_unref (self.constants);
}
