/* SPDX-License-Identifier: Apache-2.0
 * From the tables of a .tflite file to structs. Source of the slots: tensorflow/lite/schema/schema.fbs.
 */
#include "data/models/tflite/sonde-tflite-file.h"
#include "data/models/tflite/sonde-tflite-tensor.h"

#include "data/base/sonde-message-nest.h"

#define SUPPORTED_VERSION 3

/* Slots of the schema's tables. */
enum
{
  MODEL_VERSION = 0,
  MODEL_OPERATOR_CODES = 1,
  MODEL_SUBGRAPHS = 2,
  MODEL_DESCRIPTION = 3,
  MODEL_BUFFERS = 4,
  MODEL_SIGNATURES = 7,

  SUBGRAPH_TENSORS = 0,
  SUBGRAPH_INPUTS = 1,
  SUBGRAPH_OUTPUTS = 2,
  SUBGRAPH_OPERATORS = 3,
  SUBGRAPH_NAME = 4,

  CODE_DEPRECATED = 0,
  CODE_CUSTOM = 1,
  CODE_VERSION = 2,
  CODE_BUILTIN = 3,

  OPERATOR_CODE = 0,
  OPERATOR_INPUTS = 1,
  OPERATOR_OUTPUTS = 2,
  OPERATOR_OPTIONS_TYPE = 3,
  OPERATOR_OPTIONS = 4,
  OPERATOR_CUSTOM_OPTIONS = 5,
  OPERATOR_LARGE_OFFSET = 9,
  OPERATOR_LARGE_SIZE = 10,
  OPERATOR_OPTIONS_2_TYPE = 11,
  OPERATOR_OPTIONS_2 = 12,

  SIGNATURE_INPUTS = 0,
  SIGNATURE_OUTPUTS = 1,
  SIGNATURE_KEY = 2,
  SIGNATURE_SUBGRAPH = 4,
  ARGUMENT_NAME = 0,
  ARGUMENT_TENSOR = 1,
};

/* What reading needs of the model while it goes through its subgraphs. */
typedef struct
{
  SondeTfliteFile *file;
  SondeFlatVector codes, buffers;
} Reader;

static gboolean
is_whole (const SondeTfliteFile *file)
{
  return file->buffer.error == NULL;
}

static char *
dup_text (const SondeFlatTable *table, guint slot)
{
  char *text = sonde_flat_table_dup_string (table, slot);

  return text != NULL ? text : g_strdup ("");
}

/* ---- indices ------------------------------------------------------------- */

/* Each from @least on and below @limit. @what: N_("an input"). */
static gint32 *
read_indices (SondeTfliteFile *file, const SondeFlatVector *vector, gint32 least, guint limit,
              const char *what, const char *where)
{
  gint32 *indices = g_new (gint32, vector->count);

  for (guint32 i = 0; i < vector->count; i++)
    {
      indices[i] = sonde_flat_vector_get_i32 (vector, i);
      if (indices[i] < least || (indices[i] >= 0 && (guint) indices[i] >= limit))
        {
          sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_DAMAGED,
                                  "%-s of %-s is tensor %d; there are %u", what, where, indices[i],
                                  limit);
          indices[i] = least;
        }
    }
  return indices;
}

/* ---- operators ----------------------------------------------------------- */

static void
read_operator_code (Reader *reader, const SondeFlatTable *table, SondeTfliteOperator *op,
                    const char *where)
{
  guint32 index = sonde_flat_table_get_u32 (table, OPERATOR_CODE, 0);
  SondeFlatTable code;

  if (index >= reader->codes.count)
    {
      sonde_flat_buffer_fail (&reader->file->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "%-s has the operator code %" PRIu32 "; there are %" PRIu32, where,
                              index, reader->codes.count);
      return;
    }
  code = sonde_flat_vector_get_table (&reader->codes, index);
  op->code = MAX (sonde_flat_table_get_i8 (&code, CODE_DEPRECATED, 0),
                  sonde_flat_table_get_i32 (&code, CODE_BUILTIN, 0));
  op->version = sonde_flat_table_get_i32 (&code, CODE_VERSION, 1);
  op->custom = sonde_flat_table_dup_string (&code, CODE_CUSTOM);
}

static void
read_options (SondeTfliteFile *file, const SondeFlatTable *table, SondeTfliteOperator *op,
              const char *where)
{
  SondeFlatVector custom = sonde_flat_table_get_vector (table, OPERATOR_CUSTOM_OPTIONS, 1);
  guint64 offset = sonde_flat_table_get_u64 (table, OPERATOR_LARGE_OFFSET, 0);
  guint64 size = sonde_flat_table_get_u64 (table, OPERATOR_LARGE_SIZE, 0);

  op->options_type = sonde_flat_table_get_u8 (table, OPERATOR_OPTIONS_TYPE, 0);
  op->options = sonde_flat_table_get_table (table, OPERATOR_OPTIONS);
  if (sonde_flat_table_is_absent (&op->options))
    {
      op->options_type = sonde_flat_table_get_u8 (table, OPERATOR_OPTIONS_2_TYPE, 0);
      op->options = sonde_flat_table_get_table (table, OPERATOR_OPTIONS_2);
    }
  op->custom_options = sonde_flat_vector_get_bytes (&custom);
  op->n_custom_options = custom.count;
  if (offset <= 1)
    return;
  if (offset > file->buffer.length || size > file->buffer.length - offset)
    {
      sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "the options of %-s lie at %" PRIu64 " and have %" PRIu64
                              " bytes; the file ends at %zu",
                              where, offset, size, file->buffer.length);
      return;
    }
  op->custom_options = file->buffer.data + offset;
  op->n_custom_options = (gsize) size;
}

static void
read_operator (Reader *reader, const SondeTfliteSubgraph *subgraph, const SondeFlatTable *table,
               SondeTfliteOperator *op, const char *where)
{
  SondeTfliteFile *file = reader->file;
  SondeFlatVector inputs = sonde_flat_table_get_vector (table, OPERATOR_INPUTS, 4);
  SondeFlatVector outputs = sonde_flat_table_get_vector (table, OPERATOR_OUTPUTS, 4);

  op->n_inputs = inputs.count;
  op->inputs = read_indices (file, &inputs, SONDE_TFLITE_ABSENT, subgraph->n_tensors,
                             N_ ("an input"), where);
  op->n_outputs = outputs.count;
  op->outputs = read_indices (file, &outputs, 0, subgraph->n_tensors, N_ ("an output"), where);
  read_operator_code (reader, table, op, where);
  read_options (file, table, op, where);
}

/* ---- subgraphs ----------------------------------------------------------- */

static void
read_tensors (Reader *reader, const SondeFlatTable *table, SondeTfliteSubgraph *subgraph,
              guint number)
{
  SondeFlatVector tensors = sonde_flat_table_get_vector (table, SUBGRAPH_TENSORS, 4);

  subgraph->tensors = g_new0 (SondeTfliteTensor, tensors.count);
  subgraph->n_tensors = tensors.count;
  for (guint32 i = 0; i < tensors.count && is_whole (reader->file); i++)
    {
      SondeFlatTable tensor = sonde_flat_vector_get_table (&tensors, i);

      sonde_tflite_tensor_read (reader->file, &reader->buffers, &tensor, &subgraph->tensors[i],
                                number, i);
    }
}

static void
read_operators (Reader *reader, const SondeFlatTable *table, SondeTfliteSubgraph *subgraph,
                guint number)
{
  SondeFlatVector operators = sonde_flat_table_get_vector (table, SUBGRAPH_OPERATORS, 4);

  subgraph->operators = g_new0 (SondeTfliteOperator, operators.count);
  subgraph->n_operators = operators.count;
  for (guint32 i = 0; i < operators.count && is_whole (reader->file); i++)
    {
      SondeFlatTable op = sonde_flat_vector_get_table (&operators, i);
      g_autofree char *where = sonde_message_nest ("operator %u of subgraph %u", (guint) i, number);

      read_operator (reader, subgraph, &op, &subgraph->operators[i], where);
    }
}

static void
read_subgraph (Reader *reader, const SondeFlatTable *table, SondeTfliteSubgraph *subgraph,
               guint number)
{
  SondeFlatVector inputs = sonde_flat_table_get_vector (table, SUBGRAPH_INPUTS, 4);
  SondeFlatVector outputs = sonde_flat_table_get_vector (table, SUBGRAPH_OUTPUTS, 4);
  g_autofree char *where = sonde_message_nest ("subgraph %u", number);

  subgraph->name = dup_text (table, SUBGRAPH_NAME);
  read_tensors (reader, table, subgraph, number);
  subgraph->n_inputs = inputs.count;
  subgraph->inputs
      = read_indices (reader->file, &inputs, 0, subgraph->n_tensors, N_ ("an input"), where);
  subgraph->n_outputs = outputs.count;
  subgraph->outputs
      = read_indices (reader->file, &outputs, 0, subgraph->n_tensors, N_ ("an output"), where);
  read_operators (reader, table, subgraph, number);
}

/* ---- signatures ---------------------------------------------------------- */

static SondeTfliteArgument *
read_arguments (SondeTfliteFile *file, const SondeFlatVector *maps,
                const SondeTfliteSubgraph *subgraph, const char *key)
{
  SondeTfliteArgument *arguments = g_new0 (SondeTfliteArgument, maps->count);

  for (guint32 i = 0; i < maps->count && is_whole (file); i++)
    {
      SondeFlatTable map = sonde_flat_vector_get_table (maps, i);

      arguments[i].name = dup_text (&map, ARGUMENT_NAME);
      arguments[i].tensor = sonde_flat_table_get_u32 (&map, ARGUMENT_TENSOR, 0);
      if (arguments[i].tensor >= subgraph->n_tensors)
        sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_DAMAGED,
                                "argument “%s” of signature “%s” is tensor %u; there are %u",
                                arguments[i].name, key, arguments[i].tensor, subgraph->n_tensors);
    }
  return arguments;
}

static void
read_signature (SondeTfliteFile *file, const SondeFlatTable *table, SondeTfliteSignature *signature)
{
  SondeFlatVector inputs = sonde_flat_table_get_vector (table, SIGNATURE_INPUTS, 4);
  SondeFlatVector outputs = sonde_flat_table_get_vector (table, SIGNATURE_OUTPUTS, 4);
  const SondeTfliteSubgraph *subgraph;

  signature->key = dup_text (table, SIGNATURE_KEY);
  signature->subgraph = sonde_flat_table_get_u32 (table, SIGNATURE_SUBGRAPH, 0);
  if (signature->subgraph >= file->n_subgraphs)
    {
      sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "signature “%s” is subgraph %u; there are %u", signature->key,
                              signature->subgraph, file->n_subgraphs);
      return;
    }
  subgraph = &file->subgraphs[signature->subgraph];
  signature->n_inputs = inputs.count;
  signature->inputs = read_arguments (file, &inputs, subgraph, signature->key);
  signature->n_outputs = outputs.count;
  signature->outputs = read_arguments (file, &outputs, subgraph, signature->key);
}

/* ---- the file ------------------------------------------------------------ */

static void
read_subgraphs (Reader *reader, const SondeFlatTable *model)
{
  SondeTfliteFile *file = reader->file;
  SondeFlatVector subgraphs = sonde_flat_table_get_vector (model, MODEL_SUBGRAPHS, 4);

  file->subgraphs = g_new0 (SondeTfliteSubgraph, subgraphs.count);
  file->n_subgraphs = subgraphs.count;
  for (guint32 i = 0; i < subgraphs.count && is_whole (file); i++)
    {
      SondeFlatTable subgraph = sonde_flat_vector_get_table (&subgraphs, i);

      read_subgraph (reader, &subgraph, &file->subgraphs[i], i);
    }
  if (subgraphs.count == 0)
    sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_DAMAGED, "the model has no subgraph");
}

static void
read_signatures (SondeTfliteFile *file, const SondeFlatTable *model)
{
  SondeFlatVector signatures = sonde_flat_table_get_vector (model, MODEL_SIGNATURES, 4);

  file->signatures = g_new0 (SondeTfliteSignature, signatures.count);
  file->n_signatures = signatures.count;
  for (guint32 i = 0; i < signatures.count && is_whole (file); i++)
    {
      SondeFlatTable signature = sonde_flat_vector_get_table (&signatures, i);

      read_signature (file, &signature, &file->signatures[i]);
    }
}

static void
read_model (SondeTfliteFile *file)
{
  SondeFlatTable model = sonde_flat_buffer_get_root (&file->buffer);
  Reader reader = { .file = file };

  file->version = sonde_flat_table_get_u32 (&model, MODEL_VERSION, SUPPORTED_VERSION);
  if (file->version != SUPPORTED_VERSION)
    {
      sonde_flat_buffer_fail (&file->buffer, SONDE_DATA_ERROR_UNSUPPORTED,
                              "version %u of the format; only version %d is read. Convert the "
                              "model again with a current TensorFlow",
                              file->version, SUPPORTED_VERSION);
      return;
    }
  file->description = dup_text (&model, MODEL_DESCRIPTION);
  reader.codes = sonde_flat_table_get_vector (&model, MODEL_OPERATOR_CODES, 4);
  reader.buffers = sonde_flat_table_get_vector (&model, MODEL_BUFFERS, 4);
  read_subgraphs (&reader, &model);
  if (is_whole (file))
    read_signatures (file, &model);
}

SondeTfliteFile *
sonde_tflite_file_new (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (SondeTfliteFile) file = g_new0 (SondeTfliteFile, 1);
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  file->bytes = g_bytes_ref (bytes);
  sonde_flat_buffer_init (&file->buffer, data, length, name);
  read_model (file);
  if (!sonde_flat_buffer_check (&file->buffer, error))
    return NULL;
  return g_steal_pointer (&file);
}

static void
clear_subgraph (SondeTfliteSubgraph *subgraph)
{
  for (guint i = 0; i < subgraph->n_tensors; i++)
    sonde_tflite_tensor_clear (&subgraph->tensors[i]);
  for (guint i = 0; i < subgraph->n_operators; i++)
    {
      g_free (subgraph->operators[i].custom);
      g_free (subgraph->operators[i].inputs);
      g_free (subgraph->operators[i].outputs);
    }
  g_free (subgraph->name);
  g_free (subgraph->tensors);
  g_free (subgraph->inputs);
  g_free (subgraph->outputs);
  g_free (subgraph->operators);
}

static void
free_arguments (SondeTfliteArgument *arguments, guint n)
{
  for (guint i = 0; arguments != NULL && i < n; i++)
    g_free (arguments[i].name);
  g_free (arguments);
}

void
sonde_tflite_file_free (SondeTfliteFile *file)
{
  if (file == NULL)
    return;
  for (guint i = 0; i < file->n_subgraphs; i++)
    clear_subgraph (&file->subgraphs[i]);
  for (guint i = 0; i < file->n_signatures; i++)
    {
      g_free (file->signatures[i].key);
      free_arguments (file->signatures[i].inputs, file->signatures[i].n_inputs);
      free_arguments (file->signatures[i].outputs, file->signatures[i].n_outputs);
    }
  g_free (file->subgraphs);
  g_free (file->signatures);
  g_free (file->description);
  sonde_flat_buffer_clear (&file->buffer);
  g_bytes_unref (file->bytes);
  g_free (file);
}
