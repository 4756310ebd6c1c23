/* SPDX-License-Identifier: Apache-2.0
 * Resource variables. A handle is a constant text, the variable's name; what a variable holds follows
 * the operators in their order, so that reading it is reading the value that was assigned last. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

enum
{
  HANDLE_CONTAINER = 0,
  HANDLE_NAME = 1,
};

void
sonde_tflite_build_var_handle (SondeTfliteLower *lower)
{
  static const SondeShape scalar = { .rank = 0 };
  g_autofree char *container = sonde_flat_table_dup_string (&lower->op->options, HANDLE_CONTAINER);
  g_autofree char *name = sonde_flat_table_dup_string (&lower->op->options, HANDLE_NAME);
  g_autofree char *key = g_strdup_printf ("%s/%s", container ? container : "", name ? name : "");
  g_autoptr (SondeTensor) handle = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &scalar, &key);

  sonde_tflite_set_handle (lower, sonde_lowering_constant (lower->to, NULL, handle));
}

/* (nullable): after refusing: inside of branches and loops nobody knows which variable it is. */
static const char *
find_key (SondeTfliteLower *lower)
{
  const SondeTensor *handle = sonde_lowering_get_constant (sonde_tflite_in_raw (lower, 0));

  if (handle != NULL && handle->dtype == SONDE_DTYPE_STRING
      && sonde_lowering_get_graph (lower->to)->parent == NULL)
    return *(char **) (void *) handle->data;
  sonde_tflite_refuse (lower,
                       sonde_message_new ("variables inside of branches and loops are not "
                                          "supported"),
                       sonde_message_new ("Convert the model with its variables frozen"));
  return NULL;
}

void
sonde_tflite_build_assign_variable (SondeTfliteLower *lower)
{
  const char *key = find_key (lower);

  if (key != NULL)
    g_hash_table_insert (lower->variables, g_strdup (key), sonde_tflite_in_raw (lower, 1));
}

void
sonde_tflite_build_read_variable (SondeTfliteLower *lower)
{
  const char *key = find_key (lower);
  SondeGraphValue *value = key != NULL ? g_hash_table_lookup (lower->variables, key) : NULL;

  if (key == NULL)
    return;
  if (value == NULL)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "the variable “%s” is read before anything is assigned to it", key);
  else
    sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "Identity", SONDE_VALUES (value)));
}
