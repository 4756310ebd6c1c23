/* SPDX-License-Identifier: Apache-2.0
 * Calls of layers, one after the other: what they are given, what their values are called. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-operands.h"

#define LAYERS "layers"
#define OLD_LAYERS "_layer_checkpoint_dependencies" /* Keras 2.12 to 2.15 */

/* ---- one call ------------------------------------------------------------ */

static gboolean
is_own (const SondeKerasLayer *layer)
{
  const char *module = sonde_json_member_text (layer->json, "module");
  const char *registered = sonde_json_member_text (layer->json, "registered_name");

  return (registered != NULL && strchr (registered, '>') != NULL)
         || (module != NULL && !g_str_has_prefix (module, "keras")
             && !g_str_has_prefix (module, "tf_keras"));
}

static void
refuse_class (SondeKerasLowering *self)
{
  const char *class_name = self->layer->class_name;
  gboolean lambda = g_str_equal (class_name, "Lambda");

  sonde_keras_refuse (
      self,
      lambda ? sonde_message_new ("a Lambda layer is code, and code of a file is never run")
      : is_own (self->layer)
          ? sonde_message_new ("“%s” is a class of the user's own, whose code is not in the file",
                               class_name)
          : sonde_message_new ("layers of the class “%s” are not read", class_name),
      sonde_message_new ("In Keras: model.export (\"FOLDER\"), and give that folder"));
}

/* Images that are there with channels first stay so, element by element. */
static gboolean
has_first (SondeKerasLowering *self)
{
  int rank = self->inputs->len > 0 ? sonde_keras_in (self, 0)->type.rank : 0;
  gboolean found = FALSE;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      SondeGraphValue *value = sonde_keras_in (self, i);

      found |= sonde_lowering_find_channels_first (self->out, value) != NULL;
      if (value->type.rank != rank || rank < 3)
        return FALSE;
    }
  return found;
}

static void
lower_row (SondeKerasLowering *self, const SondeKerasRow *row)
{
  GPtrArray *inputs = self->inputs;

  if (!(row->traits & SONDE_KERAS_ANYWHERE) || !has_first (self))
    {
      row->lower (self, row->op);
      return;
    }
  self->is_first = TRUE;
  self->inputs = g_ptr_array_new ();
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (self->inputs, sonde_lowering_channels_first (self->out, inputs->pdata[i]));
  row->lower (self, row->op);
  for (guint i = 0; i < self->outputs->len; i++)
    self->outputs->pdata[i] = sonde_lowering_channels_last (self->out, self->outputs->pdata[i]);
  g_ptr_array_unref (self->inputs);
  self->inputs = inputs;
  self->is_first = FALSE;
}

static void
keep_mask (SondeKerasLowering *self)
{
  SondeGraphValue *mask = NULL;

  if (self->inputs->len == 0 || g_hash_table_contains (self->masks, self->outputs->pdata[0]))
    return;
  mask = g_hash_table_lookup (self->masks, sonde_keras_in (self, 0));
  if (mask != NULL)
    g_hash_table_insert (self->masks, self->outputs->pdata[0], mask);
}

static void
run_operation (SondeKerasLowering *self, const SondeKerasOperator *operation)
{
  if (self->inputs->len == 0)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "it reads no tensor");
  else
    operation->lower (self, operation->op);
}

static void
lower_layer (SondeKerasLowering *self)
{
  const SondeKerasOperator *operation = sonde_keras_find_operator (self->layer);
  const SondeKerasRow *row = sonde_keras_find_row (self->layer->class_name);

  if (operation != NULL)
    {
      run_operation (self, operation);
      return;
    }
  if (row == NULL || is_own (self->layer))
    {
      refuse_class (self);
      return;
    }
  if (self->inputs->len < row->least)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "it reads %u tensors, %u are needed", self->inputs->len, row->least);
      return;
    }
  lower_row (self, row);
  if ((row->traits & SONDE_KERAS_KEEPS_MASK) && self->outputs->len > 0)
    keep_mask (self);
}

void
sonde_keras_run_wrapped (SondeKerasLowering *self, const SondeKerasLayer *layer)
{
  SondeKerasLowering saved = *self;
  g_autoptr (GPtrArray) outputs = NULL;

  self->layer = layer;
  self->config = layer->config;
  if (layer->nested == NULL)
    {
      lower_layer (self);
      self->layer = saved.layer;
      self->config = saved.config;
      return;
    }
  outputs = sonde_keras_run_net (self, layer->nested, self->inputs);
  *self = saved;
  for (guint i = 0; i < outputs->len; i++)
    sonde_keras_set_out (self, i, outputs->pdata[i]);
}

/* Under names of its own, with the mask that it has. */
static void
name_outputs (SondeKerasLowering *self, const char *name)
{
  for (guint i = 0; i < self->outputs->len; i++)
    {
      g_autofree char *full = i == 0 ? g_strdup (name) : g_strdup_printf ("%s_%u", name, i);
      SondeGraphValue *value = self->outputs->pdata[i], *named = NULL, *mask = NULL;
      SondeType type;

      if (value == NULL)
        continue;
      type = value->type;
      named = sonde_lowering_name (self->out, value, full);
      named->type = type;
      mask = g_hash_table_lookup (self->masks, value);
      if (mask != NULL)
        g_hash_table_insert (self->masks, named, mask);
      sonde_keras_remember (self, self->call, i, named);
    }
}

/* Where the weights of a layer of the open net lie. */
static SondeKerasPlace
enter_layer (SondeKerasLowering *self, const SondeKerasLayer *layer)
{
  const SondeHdf5 *weights = sonde_keras_file_get_weights (self->file);
  SondeKerasPlace before = self->place;
  SondeKerasPart part = { layer->place, layer->name, layer->name };

  if (before.path != NULL)
    {
      before = sonde_keras_enter (self, &part);
      self->place.n_models = before.n_components;
      return before;
    }
  self->place.name = g_strdup (layer->name);
  if (!sonde_keras_file_is_by_layer (self->file))
    self->place.path
        = g_strconcat ("/", sonde_hdf5_find (weights, "/" OLD_LAYERS) != NULL ? OLD_LAYERS : LAYERS,
                       layer->place + MIN (strlen (LAYERS), strlen (layer->place)), NULL);
  else
    self->place.path = g_strconcat (
        sonde_hdf5_find (weights, "/model_weights") != NULL ? "/model_weights/" : "/", layer->name,
        NULL);
  return before;
}

/* A model says for each of its layers itself what became of it. */
static void
run_nested (SondeKerasLowering *self, const char *name)
{
  g_autofree char *scope = g_strconcat (name, "/", NULL);
  SondeKerasLowering saved = *self;
  g_autoptr (GPtrArray) outputs = NULL;

  self->scope = scope;
  outputs = sonde_keras_run_net (self, saved.layer->nested, saved.inputs);
  *self = saved;
  for (guint i = 0; i < outputs->len; i++)
    sonde_keras_set_out (self, i, outputs->pdata[i]);
}

/* Masks that the call is given: one, or a list of them, for its inputs in order. */
static void
take_masks (SondeKerasLowering *self)
{
  JsonNode *node = sonde_keras_arg (self, -1, "mask");
  JsonArray *list
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  SondeKerasRef ref;

  for (guint i = 0; node != NULL && i < self->inputs->len; i++)
    {
      JsonNode *one = list == NULL && i == 0               ? node
                      : i < sonde_json_member_count (list) ? json_array_get_element (list, i)
                                                           : NULL;
      SondeGraphValue *mask = one != NULL && sonde_keras_net_read_ref (one, &ref)
                                  ? sonde_keras_recall (self, &ref)
                                  : NULL;

      if (mask != NULL)
        g_hash_table_insert (self->masks, self->inputs->pdata[i], mask);
    }
}

/* The inputs and outputs of the open call are @inputs and self->outputs. */
static void
run_call (SondeKerasLowering *self, const SondeKerasCall *call)
{
  const SondeKerasLayer *layer = call->layer;
  g_autofree char *name = call->index == 0
                              ? g_strconcat (self->scope, layer->name, NULL)
                              : g_strdup_printf ("%s%s_%u", self->scope, layer->name, call->index);
  SondeKerasPlace before;

  self->call = call;
  self->layer = layer;
  self->config = layer->config;
  take_masks (self);
  if (layer->nested != NULL)
    {
      before = enter_layer (self, layer);
      run_nested (self, name);
      name_outputs (self, name);
    }
  else
    {
      sonde_lowering_begin (self->out, name, layer->class_name, NULL);
      before = enter_layer (self, layer);
      lower_layer (self);
      name_outputs (self, name);
      sonde_lowering_end (self->out);
    }
  sonde_keras_leave (self, &before);
}

/* ---- the net ------------------------------------------------------------- */

/* Which input of @net the layer is; -1: none. */
static int
find_input (const SondeKerasNet *net, const SondeKerasLayer *layer)
{
  for (guint i = 0; i < net->inputs->len; i++)
    if (g_str_equal (g_array_index (net->inputs, SondeKerasRef, i).layer, layer->name))
      return (int) i;
  return -1;
}

static gboolean
is_input (const SondeKerasLayer *layer)
{
  return g_str_equal (layer->class_name, "InputLayer");
}

static void
collect_inputs (SondeKerasLowering *self, const SondeKerasCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      SondeGraphValue *value
          = sonde_keras_recall (self, &g_array_index (call->refs, SondeKerasRef, i));

      if (value != NULL)
        g_ptr_array_add (self->inputs, value);
    }
}

/* @previous: (nullable): what the layer before gave, in a sequence */
static void
run_step (SondeKerasLowering *self, const SondeKerasNet *net, const SondeKerasCall *call,
          GPtrArray *given, GPtrArray *previous)
{
  int input = find_input (net, call->layer);

  if (is_input (call->layer))
    {
      if (input >= 0 && input < (int) given->len)
        {
          sonde_keras_remember (self, call, 0, given->pdata[input]);
          sonde_keras_set_out (self, 0, given->pdata[input]);
        }
      else
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "the model “%s” gets %u tensors, its input “%s” is none of them",
                             net->name, given->len, call->layer->name);
      return;
    }
  if (!net->is_sequence)
    collect_inputs (self, call);
  for (guint i = 0; net->is_sequence && i < previous->len; i++)
    g_ptr_array_add (self->inputs, previous->pdata[i]);
  run_call (self, call);
}

static GPtrArray *
collect_outputs (SondeKerasLowering *self, const SondeKerasNet *net)
{
  GPtrArray *outputs = g_ptr_array_new ();

  for (guint i = 0; i < net->outputs->len; i++)
    {
      SondeGraphValue *value
          = sonde_keras_recall (self, &g_array_index (net->outputs, SondeKerasRef, i));

      if (value != NULL)
        g_ptr_array_add (outputs, value);
    }
  return outputs;
}

GPtrArray *
sonde_keras_run_net (SondeKerasLowering *self, const SondeKerasNet *net, GPtrArray *inputs)
{
  SondeKerasLowering saved = *self;
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) previous = g_ptr_array_ref (inputs);
  GPtrArray *outputs = NULL;

  self->made = made;
  for (guint i = 0; i < net->calls->len && !sonde_lowering_has_failed (self->out); i++)
    {
      self->inputs = g_ptr_array_new ();
      self->outputs = g_ptr_array_new ();
      run_step (self, net, net->calls->pdata[i], inputs, previous);
      g_ptr_array_unref (self->inputs);
      g_ptr_array_unref (previous);
      previous = self->outputs;
    }
  if (sonde_lowering_has_failed (self->out))
    outputs = g_ptr_array_new ();
  else if (net->is_sequence)
    outputs = g_ptr_array_ref (previous);
  else
    outputs = collect_outputs (self, net);
  *self = saved;
  return outputs;
}
