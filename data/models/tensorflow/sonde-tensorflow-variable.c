/* SPDX-License-Identifier: Apache-2.0
 * Variables: which key of the checkpoint is whose, found by what the model does when it is restored;
 * their names say nothing. */
#include "data/models/tensorflow/sonde-tensorflow-variable.h"

#include <string.h>

#include "data/models/tensorflow/sonde-tensorflow-lower.h"
#include "data/models/tensorflow/sonde-tensorflow-ports.h"

#define MOST_STEPS 16 /* from a restored value to its variable */

/* ---- restoring ----------------------------------------------------------- */

/* A body in which variables are given values. @call: (nullable): the node of the graph that runs it,
 * whose inputs are its arguments */
typedef struct
{
  SondeTensorflowFile *file;
  const SondeTensorflowBody *body;
  const Tensorflow__NodeDef *call;
} Restoring;

/* Text number @index of the constant that @input names. (transfer full) (nullable) */
static char *
read_key (const Restoring *restoring, const char *input, guint index)
{
  g_auto (SondeTensorflowReference) reference = { 0 };
  const Tensorflow__NodeDef *node = NULL;
  const Tensorflow__AttrValue *value;
  const ProtobufCBinaryData *key;

  if (sonde_tensorflow_reference_init (&reference, input))
    node = sonde_tensorflow_body_find (restoring->body, reference.name, NULL);
  value = node != NULL ? sonde_tensorflow_attr (node, "value") : NULL;
  if (value == NULL || value->tensor == NULL || index >= value->tensor->n_string_val)
    return NULL;
  key = &value->tensor->string_val[index];
  return key->len > 0 && g_utf8_validate ((const char *) key->data, (gssize) key->len, NULL)
             ? g_strndup ((const char *) key->data, key->len)
             : NULL;
}

/* The key that the value @input comes from. (transfer full) (nullable) */
static char *
find_key (const Restoring *restoring, const char *input)
{
  for (guint i = 0; i < MOST_STEPS; i++)
    {
      g_auto (SondeTensorflowReference) reference = { 0 };
      const Tensorflow__NodeDef *node = NULL;

      if (sonde_tensorflow_reference_init (&reference, input))
        node = sonde_tensorflow_body_find (restoring->body, reference.name, NULL);
      if (node == NULL || node->n_input == 0)
        return NULL;
      if (g_str_equal (node->op, "RestoreV2"))
        return node->n_input > 1 ? read_key (restoring, node->input[1], reference.index) : NULL;
      input = node->input[0];
    }
  return NULL;
}

/* The node of the graph that @input, a variable, is. (nullable) */
static const char *
find_variable (const Restoring *restoring, const char *input)
{
  g_auto (SondeTensorflowReference) reference = { 0 }, outer = { 0 };
  const SondeTensorflowBody *main = &restoring->file->main;
  const Tensorflow__NodeDef *node = NULL;
  int argument;

  if (!sonde_tensorflow_reference_init (&reference, input))
    return NULL;
  if (restoring->call == NULL)
    node = sonde_tensorflow_body_find (main, reference.name, NULL);
  else
    {
      argument = sonde_tensorflow_body_find_argument (restoring->body, reference.name);
      if (argument >= 0 && (gsize) argument < restoring->call->n_input
          && sonde_tensorflow_reference_init (&outer, restoring->call->input[argument]))
        node = sonde_tensorflow_body_find (main, outer.name, NULL);
    }
  return node != NULL ? node->name : NULL;
}

static void
note_assignments (const Restoring *restoring)
{
  for (gsize i = 0; i < restoring->body->n_nodes; i++)
    {
      const Tensorflow__NodeDef *node = restoring->body->nodes[i];
      g_autofree char *key = NULL;
      const char *variable;

      if ((!g_str_equal (node->op, "AssignVariableOp") && !g_str_equal (node->op, "Assign"))
          || node->n_input < 2)
        continue;
      variable = find_variable (restoring, node->input[0]);
      key = find_key (restoring, node->input[1]);
      if (variable != NULL && key != NULL)
        g_hash_table_replace (restoring->file->keys, (gpointer) variable, g_steal_pointer (&key));
    }
}

/* In version 2 a function restores, in version 1 the graph itself. */
static void
find_keys (SondeTensorflowFile *file)
{
  const Tensorflow__SaverDef *saver = file->meta->saver_def;
  Restoring restoring = { file, &file->main, NULL };

  file->keys = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  note_assignments (&restoring);
  if (saver == NULL || saver->restore_op_name == NULL)
    return;
  restoring.call = sonde_tensorflow_body_find (&file->main, saver->restore_op_name, NULL);
  restoring.body = restoring.call != NULL ? sonde_tensorflow_file_find_function (
                       file, sonde_tensorflow_attr_function (restoring.call, "f"))
                                          : NULL;
  if (restoring.body != NULL)
    note_assignments (&restoring);
}

/* A model without variables has no such files. */
gboolean
sonde_tensorflow_open_variables (SondeTensorflowFile *file, const SondeIo *io, const char *folder,
                                 GError **error)
{
  GError *problem = NULL;

  find_keys (file);
  file->variables = sonde_tensor_bundle_open (io, folder, "variables/variables", &problem);
  if (file->variables != NULL)
    return TRUE;
  if (g_hash_table_size (file->keys) == 0
      && g_error_matches (problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND))
    {
      g_error_free (problem);
      return TRUE;
    }
  g_propagate_error (error, problem);
  return FALSE;
}

/* ---- rows ---------------------------------------------------------------- */

/* (nullable): not in the file */
static SondeTensor *
read_variable (SondeTensorflowLower *lower, GError **error)
{
  SondeTensorflowFile *file = lower->file;
  const char *key = NULL;

  if (file->variables == NULL || lower->body != &file->main)
    return NULL;
  key = g_hash_table_lookup (file->keys, lower->node->name);
  return key != NULL ? sonde_tensor_bundle_read (file->variables, key, NULL, error) : NULL;
}

static void
build_variable (SondeTensorflowLower *lower)
{
  GError *error = NULL;
  g_autoptr (SondeTensor) tensor = read_variable (lower, &error);
  const char *what = NULL, *advice = NULL;

  if (error != NULL)
    sonde_lowering_take_error (lower->to, error);
  else if (tensor == NULL)
    {
      sonde_tensorflow_explain (lower->node, &what, &advice);
      sonde_tensorflow_refuse (lower, sonde_message_new ("%-s", what),
                               sonde_message_new ("%-s", advice));
    }
  else
    sonde_tensorflow_alias (
        lower, 0,
        sonde_lowering_constant (
            lower->to,
            g_hash_table_contains (lower->reserved, lower->node->name) ? NULL : lower->node->name,
            tensor));
}

/* A handle is its variable's value. */
static void
build_read (SondeTensorflowLower *lower)
{
  sonde_tensorflow_alias (lower, 0, sonde_tensorflow_in (lower, 0));
}

const SondeTensorflowRow sonde_tensorflow_variable_rows[] = {
  { "ReadVariableOp", 1, build_read, NULL },
  { "VarHandleOp", 0, build_variable, NULL },
  { "Variable", 0, build_variable, NULL },
  { "VariableV2", 0, build_variable, NULL },
  { NULL, 0, NULL, NULL },
};
