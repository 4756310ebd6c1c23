/* SPDX-License-Identifier: Apache-2.0
 * Layers of a net with their weights: which files, which phase, which version. */
#include "data/models/caffe/sonde-caffe-net.h"

#include <string.h>

#include "data/base/sonde-checked.h"

#define MOST_TEXT_BYTES ((guint64) 64 << 20)
#define MOST_WEIGHT_BYTES ((guint64) 2 << 30) /* protobuf's own */
#define TEST 1                                /* of enum Phase */

/* ---- old names ----------------------------------------------------------- */

/* What LayerParameter calls the types of V1LayerParameter. */
static const struct
{
  const char *old, *type;
} old_types[] = {
  { "ABSVAL", "AbsVal" },
  { "ACCURACY", "Accuracy" },
  { "ARGMAX", "ArgMax" },
  { "BNLL", "BNLL" },
  { "CONCAT", "Concat" },
  { "CONTRASTIVE_LOSS", "ContrastiveLoss" },
  { "CONVOLUTION", "Convolution" },
  { "DATA", "Data" },
  { "DECONVOLUTION", "Deconvolution" },
  { "DROPOUT", "Dropout" },
  { "DUMMY_DATA", "DummyData" },
  { "ELTWISE", "Eltwise" },
  { "EUCLIDEAN_LOSS", "EuclideanLoss" },
  { "EXP", "Exp" },
  { "FLATTEN", "Flatten" },
  { "HDF5_DATA", "HDF5Data" },
  { "HDF5_OUTPUT", "HDF5Output" },
  { "HINGE_LOSS", "HingeLoss" },
  { "IM2COL", "Im2col" },
  { "IMAGE_DATA", "ImageData" },
  { "INFOGAIN_LOSS", "InfogainLoss" },
  { "INNER_PRODUCT", "InnerProduct" },
  { "LRN", "LRN" },
  { "MEMORY_DATA", "MemoryData" },
  { "MULTINOMIAL_LOGISTIC_LOSS", "MultinomialLogisticLoss" },
  { "MVN", "MVN" },
  { "POOLING", "Pooling" },
  { "POWER", "Power" },
  { "RELU", "ReLU" },
  { "SIGMOID", "Sigmoid" },
  { "SIGMOID_CROSS_ENTROPY_LOSS", "SigmoidCrossEntropyLoss" },
  { "SILENCE", "Silence" },
  { "SLICE", "Slice" },
  { "SOFTMAX", "Softmax" },
  { "SOFTMAX_LOSS", "SoftmaxWithLoss" },
  { "SPLIT", "Split" },
  { "TANH", "TanH" },
  { "THRESHOLD", "Threshold" },
  { "WINDOW_DATA", "WindowData" },
};

static const char *
find_old_type (const SondeCaffeMessage *message)
{
  const SondeCaffeEntry *entry = sonde_caffe_get_entry (message, "type", 0);
  g_autofree char *word
      = entry != NULL ? sonde_caffe_dup_word (entry->field, (int) entry->number) : NULL;

  for (gsize i = 0; word != NULL && i < G_N_ELEMENTS (old_types); i++)
    if (g_str_equal (old_types[i].old, word))
      return old_types[i].type;
  return "None";
}

/* ---- layers -------------------------------------------------------------- */

static void
free_layer (SondeCaffeLayer *layer)
{
  g_ptr_array_unref (layer->bottoms);
  g_ptr_array_unref (layer->tops);
  g_free (layer);
}

static GPtrArray *
list_texts (const SondeCaffeMessage *message, const char *field)
{
  GPtrArray *texts = g_ptr_array_new ();
  const SondeCaffeEntry *entry = NULL;

  for (guint i = 0; (entry = sonde_caffe_get_entry (message, field, i)) != NULL; i++)
    g_ptr_array_add (texts, entry->text);
  return texts;
}

static SondeCaffeLayer *
layer_new (const SondeCaffeMessage *message)
{
  SondeCaffeLayer *layer = g_new0 (SondeCaffeLayer, 1);
  gboolean old = g_str_equal (message->type->name, "V1LayerParameter");

  layer->name = sonde_caffe_get_text (message, "name", "");
  layer->type = old ? find_old_type (message) : sonde_caffe_get_text (message, "type", "");
  layer->bottoms = list_texts (message, "bottom");
  layer->tops = list_texts (message, "top");
  layer->message = message;
  return layer;
}

/* Inference is phase TEST, level 0, without stages. */
static gboolean
rule_holds (const SondeCaffeMessage *rule)
{
  return (!sonde_caffe_has (rule, "phase") || sonde_caffe_get_int (rule, "phase", TEST) == TEST)
         && sonde_caffe_get_int (rule, "min_level", 0) <= 0
         && sonde_caffe_get_int (rule, "max_level", 0) >= 0
         && sonde_caffe_count (rule, "stage") == 0;
}

static gboolean
any_rule_holds (const SondeCaffeMessage *layer, const char *field)
{
  const SondeCaffeEntry *entry = NULL;

  for (guint i = 0; (entry = sonde_caffe_get_entry (layer, field, i)) != NULL; i++)
    if (rule_holds (entry->message))
      return TRUE;
  return FALSE;
}

static gboolean
is_for_inference (const SondeCaffeMessage *layer)
{
  if (sonde_caffe_has (layer, "include"))
    return any_rule_holds (layer, "include");
  return !any_rule_holds (layer, "exclude")
         && (!sonde_caffe_has (layer, "phase")
             || sonde_caffe_get_int (layer, "phase", TEST) == TEST);
}

static gboolean
is_layer (const SondeCaffeEntry *entry)
{
  return g_str_equal (entry->field->name, "layer") || g_str_equal (entry->field->name, "layers");
}

static gboolean
refuse_oldest (const char *path, GError **error)
{
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is a net in the oldest form of Caffe (V0). Bring it up to date with Caffe's "
      "upgrade_net_proto_text and upgrade_net_proto_binary",
      path);
  return FALSE;
}

static gboolean
check_layer (const SondeCaffeNet *net, const SondeCaffeLayer *layer, GHashTable *names,
             GError **error)
{
  if (g_str_equal (layer->message->type->name, "V1LayerParameter")
      && sonde_caffe_has (layer->message, "layer"))
    return refuse_oldest (net->path, error);
  if (*layer->name == '\0')
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: a layer of type “%s” has no name", net->path, layer->type);
  else if (!g_hash_table_add (names, (gpointer) layer->name))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: two layers are called “%s”", net->path, layer->name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
list_layers (SondeCaffeNet *net, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < net->net->entries->len; i++)
    {
      const SondeCaffeEntry *entry = &g_array_index (net->net->entries, SondeCaffeEntry, i);

      if (!is_layer (entry) || !is_for_inference (entry->message))
        continue;
      g_ptr_array_add (net->layers, layer_new (entry->message));
      if (!check_layer (net, g_ptr_array_index (net->layers, net->layers->len - 1), names, error))
        return FALSE;
    }
  return TRUE;
}

/* Blobs go by the names of layers. */
static void
join_weights (SondeCaffeNet *net)
{
  g_autoptr (GHashTable) trained = g_hash_table_new (g_str_hash, g_str_equal);
  const SondeCaffeMessage *from = net->trained != NULL ? net->trained : net->net;

  for (guint i = 0; i < from->entries->len; i++)
    {
      const SondeCaffeEntry *entry = &g_array_index (from->entries, SondeCaffeEntry, i);

      if (is_layer (entry) && sonde_caffe_has (entry->message, "blobs"))
        g_hash_table_insert (trained, (gpointer) sonde_caffe_get_text (entry->message, "name", ""),
                             entry->message);
    }
  for (guint i = 0; i < net->layers->len; i++)
    {
      SondeCaffeLayer *layer = net->layers->pdata[i];

      layer->weights = g_hash_table_lookup (trained, layer->name);
    }
}

/* ---- files --------------------------------------------------------------- */

/* (transfer full) (nullable): the .caffemodel that belongs to @path */
static char *
find_weights (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *base = g_path_get_basename (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *only = NULL, *same = NULL;
  const char *stop = strrchr (base, '.'), *name = NULL;
  guint count = 0;

  g_autofree char *wanted = g_strdup_printf (
      "%.*s.caffemodel", (int) (stop ? stop - base : (gssize) strlen (base)), base);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_has_suffix (name, ".caffemodel"))
        continue;
      count++;
      g_free (only);
      only = g_build_filename (folder, name, NULL);
      if (g_str_equal (name, wanted))
        same = same != NULL ? same : g_strdup (only);
    }
  if (same != NULL)
    return g_steal_pointer (&same);
  return count == 1 ? g_steal_pointer (&only) : NULL;
}

/* @keep: holds the bytes that numbers lie in. */
static SondeCaffeMessage *
read_binary (const SondeIo *io, const char *path, GBytes **keep, GError **error)
{
  gsize length = 0;
  const guint8 *bytes = NULL;

  *keep = sonde_io_read_file (io, path, MOST_WEIGHT_BYTES, error);
  if (*keep == NULL)
    return NULL;
  bytes = g_bytes_get_data (*keep, &length);
  return sonde_caffe_parse_bytes (path, bytes, length, error);
}

static SondeCaffeMessage *
read_text (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MOST_TEXT_BYTES, error);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return bytes != NULL ? sonde_caffe_parse_text (path, text, length, error) : NULL;
}

static gboolean
read_files (SondeCaffeNet *net, const SondeIo *io, const char *weights, GError **error)
{
  if (g_str_has_suffix (net->path, ".caffemodel"))
    return (net->net = read_binary (io, net->path, &net->bytes, error)) != NULL;
  net->net = read_text (io, net->path, error);
  if (net->net == NULL)
    return FALSE;
  net->weights_path = weights != NULL ? g_strdup (weights) : find_weights (net->path);
  if (net->weights_path == NULL)
    return TRUE;
  return (net->trained = read_binary (io, net->weights_path, &net->bytes, error)) != NULL;
}

SondeCaffeNet *
sonde_caffe_net_read (const SondeIo *io, const char *path, const char *weights, GError **error)
{
  g_autoptr (SondeCaffeNet) net = g_new0 (SondeCaffeNet, 1);

  net->path = g_strdup (path);
  net->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) free_layer);
  if (!read_files (net, io, weights, error) || !list_layers (net, error))
    return NULL;
  join_weights (net);
  return g_steal_pointer (&net);
}

void
sonde_caffe_net_free (SondeCaffeNet *net)
{
  if (net == NULL)
    return;
  g_clear_pointer (&net->layers, g_ptr_array_unref);
  sonde_caffe_message_free (net->net);
  sonde_caffe_message_free (net->trained);
  g_clear_pointer (&net->bytes, g_bytes_unref);
  g_free (net->path);
  g_free (net->weights_path);
  g_free (net);
}

/* ---- blobs --------------------------------------------------------------- */

guint
sonde_caffe_layer_count_blobs (const SondeCaffeLayer *layer)
{
  return sonde_caffe_count (layer->weights, "blobs");
}

/* One list of packed numbers, or numbers one by one; never both. */
static guint64
count_numbers (const SondeCaffeMessage *blob, const char *field)
{
  const SondeCaffeEntry *first = sonde_caffe_get_entry (blob, field, 0);

  if (first == NULL)
    return 0;
  return first->packed != NULL ? first->n_packed : sonde_caffe_count (blob, field);
}

static const SondeCaffeMessage *
get_blob (const SondeCaffeLayer *layer, guint index)
{
  const SondeCaffeEntry *entry = sonde_caffe_get_entry (layer->weights, "blobs", index);

  return entry != NULL ? entry->message : NULL;
}

static const char *
numbers_field (const SondeCaffeMessage *blob)
{
  return sonde_caffe_has (blob, "double_data") ? "double_data" : "data";
}

guint64
sonde_caffe_layer_get_blob_size (const SondeCaffeLayer *layer, guint index)
{
  const SondeCaffeMessage *blob = get_blob (layer, index);

  return count_numbers (blob, numbers_field (blob));
}

gboolean
sonde_caffe_read_shape (const SondeCaffeMessage *message, SondeShape *shape)
{
  const SondeCaffeEntry *entry = NULL;

  *shape = (SondeShape){ 0 };
  for (guint i = 0; (entry = sonde_caffe_get_entry (message, "dim", i)) != NULL; i++)
    {
      if (i == SONDE_MAX_RANK || entry->number < -1 || entry->number > G_MAXINT32)
        return FALSE;
      shape->dims[shape->rank++] = (gint64) entry->number;
    }
  return TRUE;
}

static void
copy_numbers (const SondeCaffeMessage *blob, float *to, gsize n)
{
  const char *field = numbers_field (blob);
  const SondeCaffeEntry *entry = sonde_caffe_get_entry (blob, field, 0);

  if (entry->packed != NULL && entry->width == sizeof (float))
    memcpy (to, entry->packed, n * sizeof (float));
  else if (entry->packed != NULL)
    for (gsize i = 0; i < n; i++)
      {
        double number = 0;

        memcpy (&number, entry->packed + i * sizeof number, sizeof number);
        to[i] = (float) number;
      }
  else
    for (guint i = 0, k = 0; k < n; i++)
      {
        entry = &g_array_index (blob->entries, SondeCaffeEntry, i);
        if (g_str_equal (entry->field->name, field))
          to[k++] = (float) entry->number;
      }
}

SondeTensor *
sonde_caffe_layer_read_blob (const SondeCaffeLayer *layer, guint index, const SondeShape *shape,
                             GError **error)
{
  guint64 found = sonde_caffe_layer_get_blob_size (layer, index), wanted = 1;
  SondeTensor *tensor = NULL;

  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0 || !sonde_checked_mul (&wanted, wanted, (guint64) shape->dims[i]))
      wanted = G_MAXUINT64;
  if (found == 0)
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
        "layer “%s” needs weights (blob %u), which no .caffemodel gives. Name the file "
        "with --weights",
        layer->name, index);
  else if (found != wanted)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "layer “%s”: blob %u has %" PRIu64 " numbers, %" PRIu64 " are needed",
                     layer->name, index, found, wanted);
  if (found == 0 || found != wanted)
    return NULL;
  tensor = sonde_tensor_try_new (SONDE_DTYPE_F32, shape, NULL, layer->name, error);
  if (tensor != NULL)
    copy_numbers (get_blob (layer, index), (float *) tensor->data, found);
  return tensor;
}
