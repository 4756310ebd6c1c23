/* SPDX-License-Identifier: Apache-2.0
 * Strings of a plugin's value. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#define DTYPE_STRING 7

gboolean
sonde_tensor_get_string (const SondeTensorProto *tensor, guint index, SondeBytes *string)
{
  SondeTensorStrings strings;

  if (tensor->dtype != DTYPE_STRING)
    return FALSE;
  sonde_tensor_strings_init (&strings, tensor);
  for (guint i = 0; i <= index; i++)
    if (!sonde_tensor_strings_next (&strings, &string->at, &string->length))
      return FALSE;
  return TRUE;
}

gboolean
sonde_plugin_get_string (const SondePluginValue *value, guint index, SondeBytes *string,
                         GError **error)
{
  return (value->value->form == SONDE_FORM_TENSOR
          && sonde_tensor_get_string (&value->value->tensor, index, string))
         || sonde_record_damaged (error, "Value has no string %u", index);
}
