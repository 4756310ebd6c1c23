/* SPDX-License-Identifier: Apache-2.0
 * From the message to functions, nodes and constants by name. */
#include "data/models/mindir/sonde-mindir-file.h"

#include <limits.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/mindir/sonde-mindir.h"
#include "data/models/mindir/sonde-mindir-reader.h"

#define REFERENCE "REF::"
#define FIELDS_SNIFFED 32
#define MAX_FILE_BYTES ((guint64) INT_MAX)

/* ---- memory -------------------------------------------------------------- */

static void
unref_tensor (gpointer tensor)
{
  sonde_tensor_unref (tensor);
}

static void
free_function (gpointer data)
{
  SondeMindirFunction *function = data;

  g_clear_pointer (&function->index, g_hash_table_unref);
}

static SondeMindirFile *
file_new (void)
{
  SondeMindirFile *file = g_new0 (SondeMindirFile, 1);

  file->functions = g_ptr_array_new_with_free_func (free_function);
  file->function_names = g_hash_table_new (g_str_hash, g_str_equal);
  file->constants = g_hash_table_new (g_str_hash, g_str_equal);
  file->parameters = g_array_new (FALSE, TRUE, sizeof (SondeMindirParameter));
  file->memory = g_new0 (SondeMindirMemory, 1);
  file->memory->blocks = g_ptr_array_new_with_free_func (g_free);
  file->memory->tensors = g_ptr_array_new_with_free_func (unref_tensor);
  return file;
}

void
sonde_mindir_file_free (SondeMindirFile *file)
{
  g_ptr_array_unref (file->functions);
  g_hash_table_unref (file->function_names);
  g_hash_table_unref (file->constants);
  g_array_unref (file->parameters);
  g_ptr_array_unref (file->memory->tensors);
  g_ptr_array_unref (file->memory->blocks);
  sonde_wire_arena_clear (&file->memory->arena);
  g_clear_pointer (&file->memory->bytes, g_bytes_unref);
  g_free (file->memory);
  g_free (file);
}

/* ---- nodes --------------------------------------------------------------- */

static const char *
or_empty (const char *text)
{
  return text != NULL ? text : "";
}

static gboolean
damaged (const SondeMindirReader *reader, const char *what, const char *problem, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s”: “%s” %-s.",
                   reader->name, what, problem);
  return FALSE;
}

/* An attribute of a function, say, that is more than inference asks for is left out by kind. */
static gboolean
read_attributes (SondeMindirReader *reader, const MindIr__NodeProto *proto,
                 const MindIr__PrimitiveProto *primitive, SondeMindirNode *node, GError **error)
{
  const gsize own = proto->n_attribute, more = primitive != NULL ? primitive->n_attribute : 0;

  node->attributes = sonde_mindir_reader_take (reader, own + more, sizeof *node->attributes, error);
  for (gsize i = 0; i < own + more && node->attributes != NULL; i++)
    {
      const MindIr__AttributeProto *from
          = i < own ? proto->attribute[i] : primitive->attribute[i - own];
      gboolean described = g_strcmp0 (from->name, "shape") == 0 && i < own;
      SondeMindirValue *to = &node->attributes[node->n_attributes++];

      if (!sonde_mindir_read_value (reader, from, node->name, described, to, error))
        return FALSE;
      if (described)
        node->output = to;
    }
  return node->attributes != NULL;
}

static gboolean
read_inputs (SondeMindirReader *reader, const MindIr__NodeProto *proto, SondeMindirNode *node,
             GError **error)
{
  node->n_inputs = (guint) proto->n_input;
  node->inputs = sonde_mindir_reader_take (reader, node->n_inputs, sizeof *node->inputs, error);
  for (guint i = 0; i < node->n_inputs && node->inputs != NULL; i++)
    node->inputs[i] = or_empty (proto->input[i]);
  return node->inputs != NULL;
}

/* Without a primitive of that name the reference is to a function, a node, or an operator by its plain
 * name. */
static const MindIr__PrimitiveProto *
read_operator (GHashTable *primitives, const MindIr__NodeProto *proto, SondeMindirNode *node)
{
  const char *type = or_empty (proto->op_type);
  const gboolean refers = g_str_has_prefix (type, REFERENCE);
  const MindIr__PrimitiveProto *primitive
      = refers ? g_hash_table_lookup (primitives, type + strlen (REFERENCE)) : NULL;

  if (primitive != NULL)
    node->primitive = or_empty (primitive->op_type);
  else if (refers)
    node->callee = type + strlen (REFERENCE);
  else
    node->primitive = type;
  if (node->primitive != NULL && g_str_has_prefix (node->primitive, "S-Prim-"))
    node->primitive += strlen ("S-Prim-");
  return primitive;
}

static gboolean
read_node (SondeMindirReader *reader, GHashTable *primitives, const MindIr__NodeProto *proto,
           SondeMindirFunction *function, GError **error)
{
  SondeMindirNode *node = &function->nodes[function->n_nodes++];
  const MindIr__PrimitiveProto *primitive = read_operator (primitives, proto, node);

  node->name = or_empty (proto->n_output > 0 ? proto->output[0] : proto->name);
  node->label = sonde_mindir_label (node->name);
  node->scope = proto->domain;
  if (*node->name == '\0' || (node->primitive != NULL && *node->primitive == '\0'))
    return damaged (reader, function->name, N_ ("has a node without a name or operator"), error);
  if (!g_hash_table_insert (function->index, (gpointer) node->name, node))
    return damaged (reader, node->name, N_ ("is the name of two nodes"), error);
  return read_inputs (reader, proto, node, error)
         && read_attributes (reader, proto, primitive, node, error);
}

/* The same constant may stand in several functions. */
static gboolean
read_constant (SondeMindirReader *reader, const MindIr__NodeProto *proto, GError **error)
{
  const char *name = or_empty (proto->n_output > 0 ? proto->output[0] : proto->name);
  SondeMindirValue *value = sonde_mindir_reader_take (reader, 1, sizeof *value, error);

  if (value == NULL)
    return FALSE;
  for (gsize i = 0; i < proto->n_attribute; i++)
    if (g_strcmp0 (proto->attribute[i]->name, "value") == 0)
      {
        if (!sonde_mindir_read_value (reader, proto->attribute[i], name, FALSE, value, error))
          return FALSE;
        value->name = name;
        g_hash_table_insert (reader->file->constants, (gpointer) name, value);
        return TRUE;
      }
  return damaged (reader, name, N_ ("is a constant without a value"), error);
}

/* ---- functions ----------------------------------------------------------- */

static gboolean
is_constant (const MindIr__NodeProto *proto)
{
  return g_strcmp0 (proto->op_type, "Constant") == 0;
}

static gboolean
read_nodes (SondeMindirReader *reader, GHashTable *primitives, const MindIr__GraphProto *proto,
            SondeMindirFunction *function, GError **error)
{
  function->nodes
      = sonde_mindir_reader_take (reader, proto->n_node, sizeof *function->nodes, error);
  for (gsize i = 0; i < proto->n_node && function->nodes != NULL; i++)
    if (is_constant (proto->node[i])
            ? !read_constant (reader, proto->node[i], error)
            : !read_node (reader, primitives, proto->node[i], function, error))
      return FALSE;
  return function->nodes != NULL;
}

static gboolean
read_input (SondeMindirReader *reader, const MindIr__ValueInfoProto *proto, SondeMindirInput *input,
            GError **error)
{
  const char *kind = or_empty (proto->denotation);

  input->name = or_empty (proto->name);
  input->label = sonde_mindir_label (input->name);
  input->monad = strcmp (kind, "UMonadType") == 0 || strcmp (kind, "IOMonadType") == 0;
  input->type = sonde_type_unknown ();
  return proto->n_tensor == 0
         || sonde_mindir_read_type (reader, proto->tensor[0], input->name, &input->type, error);
}

static gboolean
read_interface (SondeMindirReader *reader, const MindIr__GraphProto *proto,
                SondeMindirFunction *function, GError **error)
{
  function->n_inputs = (guint) proto->n_input;
  function->inputs
      = sonde_mindir_reader_take (reader, proto->n_input, sizeof *function->inputs, error);
  if (function->inputs == NULL)
    return FALSE;
  for (gsize i = 0; i < proto->n_input; i++)
    if (!read_input (reader, proto->input[i], &function->inputs[i], error))
      return FALSE;
  if (proto->n_output == 0)
    return damaged (reader, function->name, N_ ("returns nothing"), error);
  function->result = or_empty (proto->output[0]->name);
  return TRUE;
}

static gboolean
read_function (SondeMindirReader *reader, GHashTable *primitives, const MindIr__GraphProto *proto,
               GError **error)
{
  SondeMindirFile *file = reader->file;
  SondeMindirFunction *function = sonde_mindir_reader_take (reader, 1, sizeof *function, error);

  if (function == NULL)
    return FALSE;
  function->id = file->functions->len;
  function->name = or_empty (proto->name);
  function->index = g_hash_table_new (g_str_hash, g_str_equal);
  g_ptr_array_add (file->functions, function);
  if (!g_hash_table_insert (file->function_names, (gpointer) function->name, function))
    return damaged (reader, function->name, N_ ("is the name of two functions"), error);
  return read_interface (reader, proto, function, error)
         && read_nodes (reader, primitives, proto, function, error);
}

static gboolean
read_parameters (SondeMindirReader *reader, const MindIr__GraphProto *proto, GError **error)
{
  if (proto->n_map_parameter > 0)
    return damaged (reader, reader->name,
                    N_ ("has map tensors, which only MindSpore's parameter servers have"), error);
  for (gsize i = 0; i < proto->n_parameter; i++)
    {
      SondeMindirParameter parameter = { .name = or_empty (proto->parameter[i]->name) };

      parameter.label = sonde_mindir_label (parameter.name);
      parameter.tensor
          = sonde_mindir_read_tensor (reader, proto->parameter[i], parameter.label, error);
      if (parameter.tensor == NULL)
        return FALSE;
      g_array_append_val (reader->file->parameters, parameter);
    }
  return TRUE;
}

static gboolean
read_model (SondeMindirReader *reader, const MindIr__ModelProto *model, GError **error)
{
  g_autoptr (GHashTable) primitives = g_hash_table_new (g_str_hash, g_str_equal);
  SondeMindirFile *file = reader->file;

  if (model->graph == NULL)
    return damaged (reader, reader->name, N_ ("is a MindIR file without a graph"), error);
  if (model->has_little_endian && !model->little_endian)
    return damaged (reader, reader->name, N_ ("has its numbers in big-endian order"), error);
  file->version = or_empty (model->ir_version);
  file->producer = or_empty (model->producer_name);
  file->producer_version
      = or_empty (model->producer_version != NULL ? model->producer_version : model->model_version);
  for (gsize i = 0; i < model->n_primitives; i++)
    g_hash_table_insert (primitives, (gpointer) or_empty (model->primitives[i]->name),
                         model->primitives[i]);
  if (!read_parameters (reader, model->graph, error)
      || !read_function (reader, primitives, model->graph, error))
    return FALSE;
  for (gsize i = 0; i < model->n_functions; i++)
    if (!read_function (reader, primitives, model->functions[i], error))
      return FALSE;
  return TRUE;
}

/* ---- files --------------------------------------------------------------- */

static SondeMindirFile *
parse (const SondeIo *io, GBytes *bytes, const char *name, const char *folder, GError **error)
{
  g_autoptr (SondeMindirFile) file = file_new ();
  g_autofree char *quoted = g_strdup_printf ("“%s”", name);
  SondeMindirReader reader = { .io = io, .name = name, .folder = folder, .file = file };
  const MindIr__ModelProto *model;
  gboolean right;

  file->memory->bytes = g_bytes_ref (bytes);
  sonde_budget_init (&reader.budget, 8 * SONDE_BUDGET_PARSE_BYTES, name);
  model = sonde_wire_decode (&mind_ir__model_proto__descriptor, g_bytes_get_data (bytes, NULL),
                             g_bytes_get_size (bytes), quoted, NULL, &file->memory->arena, error);
  right = model != NULL && read_model (&reader, model, error);
  g_clear_pointer (&reader.data, g_bytes_unref);
  g_free (reader.location);
  return right ? g_steal_pointer (&file) : NULL;
}

SondeMindirFile *
sonde_mindir_file_read (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_FILE_BYTES, error);
  g_autofree char *folder = g_path_get_dirname (path);

  return bytes != NULL ? parse (io, bytes, path, folder, error) : NULL;
}

SondeMindirFile *
sonde_mindir_file_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, length);

  return parse (NULL, bytes, name, NULL, error);
}

/* ONNX has the same fields with other types: its versions are numbers, these are texts. */
gboolean
sonde_mindir_sniff (const guint8 *data, gsize length)
{
  SondeWireCursor cursor = sonde_wire_cursor (data, length);
  SondeWireItem item;

  for (guint i = 0; i < FIELDS_SNIFFED; i++)
    {
      if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM)
        return FALSE;
      if (item.number == 1 || item.number == 5)
        return item.type == SONDE_WIRE_BYTES && item.length > 0 && g_ascii_isdigit (item.bytes[0]);
      if (item.number > 14 || (item.number == 7 && item.type != SONDE_WIRE_BYTES))
        return FALSE;
    }
  return FALSE;
}

SondeMindirFunction *
sonde_mindir_file_find (const SondeMindirFile *file, const char *name)
{
  return g_hash_table_lookup (file->function_names, name);
}

const SondeMindirValue *
sonde_mindir_node_attribute (const SondeMindirNode *node, const char *name)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (g_strcmp0 (node->attributes[i].name, name) == 0)
      return &node->attributes[i];
  return NULL;
}
