/* SPDX-License-Identifier: Apache-2.0
 * What the calls of the open net gave, by layer, call and tensor. */
#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-lower.h"

static char *
dup_key (const char *layer, guint call, guint tensor)
{
  return g_strdup_printf ("%u:%u:%s", call, tensor, layer);
}

void
sonde_keras_remember (SondeKerasLowering *self, const SondeKerasCall *call, guint tensor,
                      SondeGraphValue *value)
{
  g_hash_table_insert (self->made, dup_key (call->layer->name, call->index, tensor), value);
}

SondeGraphValue *
sonde_keras_recall (SondeKerasLowering *self, const SondeKerasRef *ref)
{
  g_autofree char *key = dup_key (ref->layer, ref->call, ref->tensor);
  g_autofree char *first = dup_key (ref->layer, ref->call, 0);
  SondeGraphValue *value = g_hash_table_lookup (self->made, key);

  if (value == NULL && !sonde_conversion_is_complete (sonde_lowering_get_conversion (self->out)))
    value = g_hash_table_lookup (self->made, first);
  if (value == NULL)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "tensor %u of call %u of the layer “%s” is read, which does not exist",
                         ref->tensor, ref->call, ref->layer);
  return value;
}

SondeGraphValue *
sonde_keras_arg_tensor (SondeKerasLowering *self, int position, const char *name)
{
  JsonNode *node = sonde_keras_arg (self, position, name);
  SondeKerasRef ref;

  if (node == NULL)
    return position == 0 && self->inputs->len > 0 ? sonde_keras_in (self, 0) : NULL;
  return sonde_keras_net_read_ref (node, &ref) ? sonde_keras_recall (self, &ref) : NULL;
}
