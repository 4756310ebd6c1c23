/* SPDX-License-Identifier: Apache-2.0
 * Nodes and functions of a GraphDef by name. */
#include "data/models/tensorflow/sonde-tensorflow-file.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/wire/sonde-wire-decode.h"

#define CONSTANT_BYTES ((guint64) 256 << 20) /* beside four times the file, see docs/limits.md */

/* ---- life ---------------------------------------------------------------- */

static void
free_body (gpointer data)
{
  SondeTensorflowBody *body = data;

  g_clear_pointer (&body->index, g_hash_table_unref);
  g_free (body);
}

void
sonde_tensorflow_file_free (SondeTensorflowFile *file)
{
  if (file == NULL)
    return;
  g_clear_pointer (&file->variables, sonde_tensor_bundle_free);
  g_clear_pointer (&file->keys, g_hash_table_unref);
  g_clear_pointer (&file->functions, g_hash_table_unref);
  g_clear_pointer (&file->main.index, g_hash_table_unref);
  sonde_wire_arena_clear (&file->arena);
  g_bytes_unref (file->bytes);
  g_free (file);
}

/* ---- nodes --------------------------------------------------------------- */

static gboolean
is_text (const char *text)
{
  return text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL);
}

static gboolean
has_texts (const Tensorflow__NodeDef *node)
{
  for (gsize i = 0; i < node->n_input; i++)
    if (!is_text (node->input[i]))
      return FALSE;
  return is_text (node->name) && is_text (node->op);
}

static gboolean
index_nodes (SondeTensorflowBody *body, const char *path, GError **error)
{
  body->index = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < body->n_nodes; i++)
    {
      const Tensorflow__NodeDef *node = body->nodes[i];

      if (!has_texts (node))
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
              "“%s”: node %zu of “%s” has a name, an operator or an input that is no text", path, i,
              body->name);
          return FALSE;
        }
      if (!g_hash_table_insert (body->index, node->name, GSIZE_TO_POINTER (i + 1)))
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                           "“%s”: two nodes of “%s” are called “%s”", path, body->name, node->name);
          return FALSE;
        }
    }
  return TRUE;
}

/* All names that a function's callers and results refer to. */
static gboolean
has_names (const Tensorflow__FunctionDef *function)
{
  const Tensorflow__OpDef *signature = function->signature;

  if (signature == NULL || !is_text (signature->name))
    return FALSE;
  for (gsize i = 0; i < signature->n_input_arg + signature->n_output_arg; i++)
    if (!is_text (i < signature->n_input_arg
                      ? signature->input_arg[i]->name
                      : signature->output_arg[i - signature->n_input_arg]->name))
      return FALSE;
  for (gsize i = 0; i < function->n_ret; i++)
    if (!is_text (function->ret[i]->value))
      return FALSE;
  return TRUE;
}

static gboolean
index_function (SondeTensorflowFile *file, const Tensorflow__FunctionDef *function,
                const char *path, GError **error)
{
  SondeTensorflowBody *body = g_new0 (SondeTensorflowBody, 1);

  if (!has_names (function))
    {
      g_free (body);
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: a function of its library has names that are no text", path);
      return FALSE;
    }
  body->name = function->signature->name;
  body->function = function;
  body->nodes = function->node_def;
  body->n_nodes = function->n_node_def;
  g_hash_table_replace (file->functions, (gpointer) body->name, body);
  return index_nodes (body, path, error);
}

static gboolean
index_graph (SondeTensorflowFile *file, const char *path, GError **error)
{
  const Tensorflow__FunctionDefLibrary *library = file->graph->library;

  file->main = (SondeTensorflowBody){ .name = "graph",
                                      .nodes = file->graph->node,
                                      .n_nodes = file->graph->n_node };
  if (!index_nodes (&file->main, path, error))
    return FALSE;
  for (gsize i = 0; library != NULL && i < library->n_function; i++)
    if (!index_function (file, library->function[i], path, error))
      return FALSE;
  return TRUE;
}

static SondeTensorflowFile *
file_new (GBytes *bytes)
{
  SondeTensorflowFile *file = g_new0 (SondeTensorflowFile, 1);

  file->bytes = g_bytes_ref (bytes);
  file->functions = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_body);
  sonde_budget_init (&file->budget, CONSTANT_BYTES + 4 * (guint64) g_bytes_get_size (bytes),
                     "constants of a graph");
  return file;
}

SondeTensorflowFile *
sonde_tensorflow_file_parse (GBytes *bytes, const char *path, GError **error)
{
  g_autoptr (SondeTensorflowFile) file = file_new (bytes);
  g_autofree char *name = g_strdup_printf ("“%s”", path);

  file->graph
      = sonde_wire_decode (&tensorflow__graph_def__descriptor, g_bytes_get_data (bytes, NULL),
                           g_bytes_get_size (bytes), name, NULL, &file->arena, error);
  if (file->graph == NULL || !index_graph (file, path, error))
    return NULL;
  return g_steal_pointer (&file);
}

/* ---- saved models -------------------------------------------------------- */

static gboolean
has_tag (const Tensorflow__MetaGraphDef *meta, const char *tag)
{
  for (gsize i = 0; meta->meta_info_def != NULL && i < meta->meta_info_def->n_tags; i++)
    if (g_strcmp0 (meta->meta_info_def->tags[i], tag) == 0)
      return TRUE;
  return FALSE;
}

/* The graph with the tag “serve”, else the only one. */
static const Tensorflow__MetaGraphDef *
choose_graph (const Tensorflow__SavedModel *saved, const char *path, GError **error)
{
  const Tensorflow__MetaGraphDef *chosen = NULL;

  for (gsize i = 0; i < saved->n_meta_graphs; i++)
    if (saved->meta_graphs[i]->graph_def != NULL
        && (saved->n_meta_graphs == 1
            || (chosen == NULL && has_tag (saved->meta_graphs[i], "serve"))))
      chosen = saved->meta_graphs[i];
  if (chosen == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” has %zu graphs, and none with the tag “serve”", path,
                     saved->n_meta_graphs);
  return chosen;
}

SondeTensorflowFile *
sonde_tensorflow_file_parse_saved (GBytes *bytes, const char *path, GError **error)
{
  g_autoptr (SondeTensorflowFile) file = file_new (bytes);
  g_autofree char *name = g_strdup_printf ("“%s”", path);
  const Tensorflow__SavedModel *saved
      = sonde_wire_decode (&tensorflow__saved_model__descriptor, g_bytes_get_data (bytes, NULL),
                           g_bytes_get_size (bytes), name, NULL, &file->arena, error);

  if (saved != NULL)
    file->meta = choose_graph (saved, path, error);
  if (file->meta == NULL)
    return NULL;
  file->graph = file->meta->graph_def;
  return index_graph (file, path, error) ? g_steal_pointer (&file) : NULL;
}

/* ---- finding ------------------------------------------------------------- */

const SondeTensorflowBody *
sonde_tensorflow_file_find_function (const SondeTensorflowFile *file, const char *name)
{
  return name != NULL ? g_hash_table_lookup (file->functions, name) : NULL;
}

int
sonde_tensorflow_body_find_argument (const SondeTensorflowBody *body, const char *name)
{
  for (gsize i = 0; body->function != NULL && i < body->function->signature->n_input_arg; i++)
    if (g_strcmp0 (body->function->signature->input_arg[i]->name, name) == 0)
      return (int) i;
  return -1;
}

const Tensorflow__NodeDef *
sonde_tensorflow_body_find (const SondeTensorflowBody *body, const char *name, guint *number)
{
  gsize found = GPOINTER_TO_SIZE (g_hash_table_lookup (body->index, name));

  if (found == 0)
    return NULL;
  if (number != NULL)
    *number = (guint) found - 1;
  return body->nodes[found - 1];
}

/* ---- references ---------------------------------------------------------- */

/* The digits behind the last colon; FALSE when there are others. */
static gboolean
take_index (char *text, guint *index)
{
  char *colon = strrchr (text, ':');
  guint64 number = 0;

  *index = 0;
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, 1 << 20, &number, NULL))
    return colon == NULL;
  *colon = '\0';
  *index = (guint) number;
  return TRUE;
}

gboolean
sonde_tensorflow_reference_init (SondeTensorflowReference *reference, const char *text)
{
  char *colon;

  *reference = (SondeTensorflowReference){ .control = text != NULL && *text == '^' };
  if (text == NULL)
    return FALSE;
  reference->name = g_strdup (text + reference->control);
  if (!take_index (reference->name, &reference->index) || *reference->name == '\0')
    return FALSE;
  colon = strchr (reference->name, ':');
  if (colon != NULL)
    {
      *colon = '\0';
      reference->port = colon + 1;
    }
  return TRUE;
}

void
sonde_tensorflow_reference_clear (SondeTensorflowReference *reference)
{
  g_clear_pointer (&reference->name, g_free);
}

/* ---- attributes ---------------------------------------------------------- */

const Tensorflow__AttrValue *
sonde_tensorflow_attr (const Tensorflow__NodeDef *node, const char *name)
{
  for (gsize i = node->n_attr; i > 0; i--) /* of two of a name the last one holds */
    if (g_strcmp0 (node->attr[i - 1]->key, name) == 0)
      return node->attr[i - 1]->value;
  return NULL;
}

gint64
sonde_tensorflow_attr_int (const Tensorflow__NodeDef *node, const char *name, gint64 fallback)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->has_i ? value->i : fallback;
}

double
sonde_tensorflow_attr_float (const Tensorflow__NodeDef *node, const char *name, double fallback)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->has_f ? (double) value->f : fallback;
}

gboolean
sonde_tensorflow_attr_bool (const Tensorflow__NodeDef *node, const char *name, gboolean fallback)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->has_b ? value->b : fallback;
}

gboolean
sonde_tensorflow_attr_is (const Tensorflow__NodeDef *node, const char *name, const char *text)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);
  gsize length = value != NULL ? value->s.len : 0;

  return length == strlen (text) && (length == 0 || memcmp (value->s.data, text, length) == 0);
}

char *
sonde_tensorflow_attr_dup_string (const Tensorflow__NodeDef *node, const char *name)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->s.len > 0 ? g_strndup ((const char *) value->s.data, value->s.len)
                                           : g_strdup ("");
}

gsize
sonde_tensorflow_attr_ints (const Tensorflow__NodeDef *node, const char *name, const gint64 **ints)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  *ints = value != NULL && value->list != NULL ? value->list->i : NULL;
  return *ints != NULL ? value->list->n_i : 0;
}

const char *
sonde_tensorflow_attr_function (const Tensorflow__NodeDef *node, const char *name)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->func != NULL && is_text (value->func->name) ? value->func->name
                                                                             : NULL;
}

SondeDtype
sonde_tensorflow_attr_dtype (const Tensorflow__NodeDef *node, const char *name)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (node, name);

  return value != NULL && value->has_type ? sonde_tensorflow_dtype (value->type)
                                          : SONDE_DTYPE_INVALID;
}
