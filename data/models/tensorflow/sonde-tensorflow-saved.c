/* SPDX-License-Identifier: Apache-2.0
 * A SavedModel: its signatures, one of which is the model. */
#include <string.h>

#include "data/models/tensorflow/sonde-tensorflow-lower.h"
#include "data/models/tensorflow/sonde-tensorflow-variable.h"
#include "data/models/tensorflow/sonde-tensorflow.h"
#include "data/wire/sonde-wire-cursor.h"

#define MAX_BYTES ((guint64) G_MAXINT)
#define SIGNATURES_TOLD 32

/* ---- signatures ---------------------------------------------------------- */

static gboolean
is_signature (const Tensorflow__SignatureEntry *entry)
{
  return entry->key != NULL && g_utf8_validate (entry->key, -1, NULL) && entry->value != NULL
         && strcmp (entry->key, "__saved_model_init_op") != 0;
}

static void
list_signatures (SondeLowering *to, const SondeTensorflowFile *file)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (to);

  for (gsize i = 0; i < file->meta->n_signature_def; i++)
    if (is_signature (file->meta->signature_def[i]))
      g_ptr_array_add (conversion->signatures, g_strdup (file->meta->signature_def[i]->key));
}

/* (nullable) */
static const Tensorflow__SignatureEntry *
find_signature (const SondeTensorflowFile *file, const char *key)
{
  for (gsize i = file->meta->n_signature_def; i > 0; i--)
    if (is_signature (file->meta->signature_def[i - 1])
        && strcmp (file->meta->signature_def[i - 1]->key, key) == 0)
      return file->meta->signature_def[i - 1];
  return NULL;
}

/* The only one that has inputs. (nullable) */
static const Tensorflow__SignatureEntry *
find_only (const SondeTensorflowFile *file)
{
  const Tensorflow__SignatureEntry *found = NULL;

  for (gsize i = 0; i < file->meta->n_signature_def; i++)
    {
      const Tensorflow__SignatureEntry *entry = file->meta->signature_def[i];

      if (!is_signature (entry) || entry->value->n_inputs == 0)
        continue;
      if (found != NULL)
        return NULL;
      found = entry;
    }
  return found;
}

static void
fail_choice (SondeLowering *to, const char *wanted)
{
  const GPtrArray *keys = sonde_lowering_get_conversion (to)->signatures;
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < MIN (keys->len, SIGNATURES_TOLD); i++)
    g_string_append_printf (list, "%s%.64s", i > 0 ? ", " : "", (const char *) keys->pdata[i]);
  if (keys->len == 0)
    sonde_lowering_fail (to, SONDE_DATA_ERROR_UNSUPPORTED,
                         "the model has no signature; save it with signatures=…");
  else if (wanted != NULL)
    sonde_lowering_fail (to, SONDE_DATA_ERROR_NOT_FOUND,
                         "there is no signature “%s”; there are: %s", wanted, list->str);
  else
    sonde_lowering_fail (to, SONDE_DATA_ERROR_INVALID,
                         "choose one of its signatures with --signature; there are: %s", list->str);
}

/* NULL after a failure */
static const Tensorflow__SignatureEntry *
choose_signature (SondeLowering *to, const SondeTensorflowFile *file)
{
  const char *wanted = sonde_lowering_get_options (to)->signature;
  const Tensorflow__SignatureEntry *found
      = find_signature (file, wanted != NULL ? wanted : "serving_default");

  if (found == NULL && wanted == NULL)
    found = find_only (file);
  if (found == NULL)
    fail_choice (to, wanted);
  return found;
}

/* ---- inputs and outputs -------------------------------------------------- */

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const Tensorflow__TensorInfoEntry *const *first = a, *const *second = b;

  return strcmp ((*first)->key, (*second)->key);
}

/* Those of a map, which has no order, by key. (transfer container) */
static GPtrArray *
sort_tensors (SondeTensorflowLower *lower, Tensorflow__TensorInfoEntry *const *tensors, gsize n)
{
  GPtrArray *sorted = g_ptr_array_new ();

  for (gsize i = 0; i < n; i++)
    if (tensors[i]->key == NULL || !g_utf8_validate (tensors[i]->key, -1, NULL)
        || tensors[i]->value == NULL || tensors[i]->value->name == NULL
        || !g_utf8_validate (tensors[i]->value->name, -1, NULL))
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "an input or output of the signature has no name or no tensor");
    else
      g_ptr_array_add (sorted, tensors[i]);
  g_ptr_array_sort (sorted, compare_keys);
  return sorted;
}

/* What the signature says of a tensor; where it says nothing, the placeholder. */
static SondeType
find_type (const Tensorflow__TensorInfo *info, const Tensorflow__NodeDef *node)
{
  SondeType type = sonde_tensorflow_type (sonde_tensorflow_dtype (info->dtype), info->tensor_shape);
  const SondeType own = sonde_tensorflow_type_of_placeholder (node);

  if (type.rank < 0 && own.rank >= 0)
    memcpy (type.dims, own.dims, sizeof type.dims);
  type.rank = type.rank < 0 ? own.rank : type.rank;
  type.dtype = type.dtype == SONDE_DTYPE_INVALID ? own.dtype : type.dtype;
  return type;
}

static void
add_inputs (SondeTensorflowLower *lower, gconstpointer data)
{
  const Tensorflow__SignatureDef *signature = data;
  g_autoptr (GPtrArray) inputs = sort_tensors (lower, signature->inputs, signature->n_inputs);

  for (guint i = 0; i < inputs->len && !sonde_lowering_has_failed (lower->to); i++)
    {
      const Tensorflow__TensorInfoEntry *entry = inputs->pdata[i];
      g_auto (SondeTensorflowReference) reference = { 0 };
      const Tensorflow__NodeDef *node = NULL;
      SondeType type;
      guint number = 0;

      if (sonde_tensorflow_reference_init (&reference, entry->value->name))
        node = sonde_tensorflow_body_find (lower->body, reference.name, &number);
      if (node == NULL)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "input “%s” of the signature is “%s”, which is no node", entry->key,
                               entry->value->name);
          return;
        }
      type = find_type (entry->value, node);
      sonde_tensorflow_add_input (lower, number, entry->key, &type);
    }
}

static void
add_outputs (SondeTensorflowLower *lower, gconstpointer data)
{
  const Tensorflow__SignatureDef *signature = data;
  g_autoptr (GPtrArray) outputs = sort_tensors (lower, signature->outputs, signature->n_outputs);

  for (guint i = 0; i < outputs->len; i++)
    g_hash_table_add (lower->reserved, ((Tensorflow__TensorInfoEntry *) outputs->pdata[i])->key);
  for (guint i = 0; i < outputs->len && !sonde_lowering_has_failed (lower->to); i++)
    {
      const Tensorflow__TensorInfoEntry *entry = outputs->pdata[i];

      sonde_tensorflow_add_output (lower, sonde_tensorflow_evaluate (lower, entry->value->name),
                                   entry->key);
    }
}

/* ---- the file ------------------------------------------------------------ */

static void
describe (SondeLowering *to, const SondeTensorflowFile *file)
{
  const Tensorflow__MetaInfoDef *info = file->meta->meta_info_def;

  if (info != NULL && info->tensorflow_version != NULL
      && g_utf8_validate (info->tensorflow_version, -1, NULL))
    sonde_lowering_get_conversion (to)->producer
        = g_strdup_printf ("TensorFlow %.64s", info->tensorflow_version);
  list_signatures (to, file);
}

static void
lower_signature (SondeLowering *lowering, SondeTensorflowFile *file)
{
  const Tensorflow__SignatureEntry *signature = choose_signature (lowering, file);

  if (signature == NULL)
    return;
  sonde_lowering_get_conversion (lowering)->signature = g_strdup (signature->key);
  sonde_tensorflow_lower_model (lowering, file, add_inputs, add_outputs, signature->value);
}

void
sonde_saved_model_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_BYTES, &error);
  g_autoptr (SondeTensorflowFile) file
      = bytes != NULL ? sonde_tensorflow_file_parse_saved (bytes, path, &error) : NULL;

  if (file == NULL || !sonde_tensorflow_open_variables (file, io, folder, &error))
    {
      sonde_lowering_take_error (lowering, error);
      return;
    }
  describe (lowering, file);
  lower_signature (lowering, file);
}

/* A version number, then a message that begins with a message: in ONNX there is a text. */
gboolean
sonde_saved_model_sniff (const guint8 *start, gsize length)
{
  SondeWireCursor cursor = sonde_wire_cursor (start, length);
  guint64 key = 0, value = 0;

  if (!sonde_wire_take_key (&cursor, &key) || key != (1 << 3 | SONDE_WIRE_VARINT)
      || !sonde_wire_take_varint (&cursor, &value) || value != 1)
    return FALSE;
  if (!sonde_wire_take_key (&cursor, &key) || key != (2 << 3 | SONDE_WIRE_BYTES)
      || !sonde_wire_take_varint (&cursor, &value) || !sonde_wire_take_key (&cursor, &key))
    return FALSE;
  return key == (1 << 3 | SONDE_WIRE_BYTES) || key == (2 << 3 | SONDE_WIRE_BYTES);
}
