/* SPDX-License-Identifier: Apache-2.0
 * A net of Caffe -> graph: inputs, layers in their order, outputs. */
#include "data/models/caffe/sonde-caffe.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/models/caffe/sonde-caffe-lower.h"

#define MOST_ELEMENTS ((gint64) 1 << 33) /* of a blob */

/* ---- telling the format -------------------------------------------------- */

/* A line that begins a layer or names an input, as no recipe or other text does. */
static gboolean
is_net_line (const char *line, const char *end)
{
  static const char *const words[] = { "layer", "layers", "input" };

  while (line < end && (*line == ' ' || *line == '\t'))
    line++;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const char *at = line + strlen (words[i]);

      if (at >= end || memcmp (line, words[i], (gsize) (at - line)) != 0)
        continue;
      while (at < end && g_ascii_isspace (*at))
        at++;
      if (at < end && *at == (i < 2 ? '{' : ':'))
        return TRUE;
    }
  return FALSE;
}

static gboolean
looks_like_text (const char *text, gsize length)
{
  const char *end = text + length;

  for (const char *line = text; line != NULL && line < end;)
    {
      const char *stop = memchr (line, '\n', (gsize) (end - line));

      if (is_net_line (line, end))
        return TRUE;
      line = stop != NULL ? stop + 1 : NULL;
    }
  return FALSE;
}

static gboolean
is_name (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if ((guchar) text[i] < ' ' || text[i] == '.')
      return FALSE;
  return g_utf8_validate_len (text, length, NULL);
}

/* Field 1 is the net's name, then come layers (100, or 2 of old files) with a name inside: no other
 * format begins so. */
static gboolean
looks_like_bytes (const guint8 *start, gsize length)
{
  gsize at = length > 2 && start[0] == 0x0a && start[1] < 0x80 ? 2u + start[1] : 0;

  return at > 0 && at + 2 < length
         && ((start[at] == 0xa2 && start[at + 1] == 0x06) || start[at] == 0x12)
         && is_name ((const char *) start + 2, start[1]);
}

gboolean
sonde_caffe_sniff (const guint8 *start, gsize length)
{
  return looks_like_text ((const char *) start, length) || looks_like_bytes (start, length);
}

/* ---- inputs -------------------------------------------------------------- */

static gboolean
is_usable (const SondeShape *shape)
{
  gint64 count = 1;

  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0 || !sonde_checked_mul (&count, count, shape->dims[i])
        || count > MOST_ELEMENTS)
      return FALSE;
  return TRUE;
}

/* Everything behind needs the sizes. */
static void
add_input (SondeCaffeLowering *self, const char *blob, const SondeShape *shape)
{
  SondeType type = sonde_type_unknown ();
  SondeGraphValue *value = NULL;

  if (shape != NULL)
    type = sonde_type_tensor (SONDE_DTYPE_F32, shape);
  type.kind = SONDE_VALUE_TENSOR;
  type.dtype = SONDE_DTYPE_F32;
  if (g_hash_table_contains (self->blobs, blob))
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "two inputs are called “%s”", blob);
      return;
    }
  value = sonde_lowering_add_input (self->out, blob, &type);
  g_hash_table_insert (self->blobs, (gpointer) blob, value);
  if (!sonde_type_get_shape (&value->type, &(SondeShape){ 0 }))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_INVALID,
                         "the net does not say the sizes of input “%s”. Give them: --shape "
                         "%s=1,3,224,224",
                         blob, blob);
}

/* Field input_dim: four sizes an input. */
static gboolean
get_old_sizes (const SondeCaffeMessage *net, guint index, SondeShape *shape)
{
  *shape = (SondeShape){ .rank = 4 };
  for (guint i = 0; i < 4; i++)
    {
      const SondeCaffeEntry *entry = sonde_caffe_get_entry (net, "input_dim", 4 * index + i);

      if (entry == NULL)
        return FALSE;
      shape->dims[i] = (gint64) CLAMP (entry->number, -1, (double) G_MAXINT32);
    }
  return TRUE;
}

static void
add_shaped_input (SondeCaffeLowering *self, const char *blob,
                  const SondeCaffeMessage *shape_message)
{
  SondeShape shape = { 0 };

  if (shape_message != NULL
      && (!sonde_caffe_read_shape (shape_message, &shape) || !is_usable (&shape)))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "the sizes of input “%s” make no sense", blob);
  else
    add_input (self, blob, shape_message != NULL ? &shape : NULL);
}

/* The oldest ways to say inputs: fields of the net. */
static void
add_net_inputs (SondeCaffeLowering *self)
{
  const SondeCaffeEntry *input = NULL, *shape = NULL;
  SondeShape sizes = { 0 };

  for (guint i = 0; (input = sonde_caffe_get_entry (self->net->net, "input", i)) != NULL; i++)
    if ((shape = sonde_caffe_get_entry (self->net->net, "input_shape", i)) != NULL)
      add_shaped_input (self, input->text, shape->message);
    else if (get_old_sizes (self->net->net, i, &sizes) && is_usable (&sizes))
      add_input (self, input->text, &sizes);
    else
      add_input (self, input->text, NULL);
}

static void
add_layer_inputs (SondeCaffeLowering *self)
{
  guint n = sonde_caffe_count (self->param, "shape");

  for (guint i = 0; i < self->layer->tops->len; i++)
    {
      const SondeCaffeEntry *shape = sonde_caffe_get_entry (self->param, "shape", n == 1 ? 0 : i);

      add_shaped_input (self, self->layer->tops->pdata[i], shape != NULL ? shape->message : NULL);
    }
}

/* Layers that read training data: their first top is what the net works on, labels are not asked for.
 * MemoryData alone says its sizes. */
static void
add_data_input (SondeCaffeLowering *self)
{
  SondeShape shape = { 4,
                       { sonde_caffe_get_int (self->param, "batch_size", 0),
                         sonde_caffe_get_int (self->param, "channels", 0),
                         sonde_caffe_get_int (self->param, "height", 0),
                         sonde_caffe_get_int (self->param, "width", 0) } };

  if (self->layer->tops->len == 0)
    return;
  add_input (self, self->layer->tops->pdata[0],
             is_usable (&shape) && shape.dims[0] > 0 ? &shape : NULL);
  sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
  sonde_lowering_note (
      self->out, SONDE_NOTE_INFORMATION,
      sonde_message_new ("it reads training data; “%s” is an input of the model instead",
                         (const char *) self->layer->tops->pdata[0]),
      sonde_message_new ("Prepare the input as its transform_param says (usually BGR, 0–255, mean "
                         "subtracted)"));
}

/* A blob with weights of its own. */
static void
lower_parameter (SondeCaffeLowering *self)
{
  SondeShape shape = { 0 };

  if (self->layer->tops->len != 1
      || !sonde_caffe_read_shape (sonde_caffe_get_message (self->param, "shape"), &shape))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "its shape makes no sense");
  else
    sonde_caffe_set_top (self, 0, sonde_caffe_blob (self, 0, "parameter", &shape), &shape);
}

/* ---- layers -------------------------------------------------------------- */

static const SondeCaffeRow source_rows[] = {
  { "Input", "input_param", 0, 0, add_layer_inputs },
  { "Parameter", "parameter_param", 0, 0, lower_parameter },
  { "Data", NULL, 0, 0, add_data_input },
  { "DummyData", NULL, 0, 0, add_data_input },
  { "HDF5Data", NULL, 0, 0, add_data_input },
  { "ImageData", NULL, 0, 0, add_data_input },
  { "MemoryData", "memory_data_param", 0, 0, add_data_input },
  { "WindowData", NULL, 0, 0, add_data_input },
  { NULL },
};

static const SondeCaffeRow *
find_row (const char *type)
{
  const SondeCaffeRow *const lists[] = { source_rows,
                                         sonde_caffe_spatial_rows,
                                         sonde_caffe_dense_rows,
                                         sonde_caffe_elementwise_rows,
                                         sonde_caffe_shape_rows,
                                         sonde_caffe_recurrent_rows };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const SondeCaffeRow *row = lists[i]; row->type != NULL; row++)
      if (strcmp (row->type, type) == 0)
        return row;
  return NULL;
}

/* The order of the file is that of execution: what a layer reads is there already. */
static gboolean
check_bottoms (SondeCaffeLowering *self, guint least, guint most)
{
  if (self->layer->bottoms->len < least)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "it has %u bottoms, %u are needed",
                           self->layer->bottoms->len, least);
      return FALSE;
    }
  for (guint i = 0; i < MIN (self->layer->bottoms->len, most); i++)
    if (!g_hash_table_contains (self->blobs, self->layer->bottoms->pdata[i]))
      {
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "no layer before it makes its bottom “%s”",
                             (const char *) self->layer->bottoms->pdata[i]);
        return FALSE;
      }
  return TRUE;
}

static void
refuse_type (SondeCaffeLowering *self)
{
  if (check_bottoms (self, 0, G_MAXUINT))
    sonde_caffe_refuse (
        self, sonde_message_new ("this type of layer is not known"),
        sonde_message_new ("Replace it by layers of Caffe 1.0, or export the net to "
                           "ONNX with the program that made it"));
}

static void
lower_layer (SondeCaffeLowering *self, const SondeCaffeLayer *layer)
{
  const SondeCaffeRow *row = find_row (layer->type);

  self->layer = layer;
  self->param = row != NULL && row->param != NULL
                    ? sonde_caffe_get_message (layer->message, row->param)
                    : NULL;
  sonde_lowering_begin (self->out, layer->name, layer->type, NULL);
  if (row == NULL)
    refuse_type (self);
  else if (check_bottoms (self, row->min_bottoms, row->max_bottoms))
    row->lower (self);
  sonde_lowering_end (self->out);
}

/* What a layer makes may grow beyond what can be. */
static void
check_tops (SondeCaffeLowering *self, const SondeCaffeLayer *layer)
{
  for (guint i = 0; i < layer->tops->len; i++)
    {
      const SondeGraphValue *value = g_hash_table_lookup (self->blobs, layer->tops->pdata[i]);
      SondeShape shape = value != NULL ? sonde_caffe_shape_of (value) : sonde_shape_scalar ();

      if (!is_usable (&shape))
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_LIMIT,
                             "blob “%s” of layer “%s” is too large",
                             (const char *) layer->tops->pdata[i], layer->name);
    }
}

static void
lower_layers (SondeCaffeLowering *self)
{
  add_net_inputs (self);
  for (guint i = 0; i < self->net->layers->len && !sonde_lowering_has_failed (self->out); i++)
    {
      lower_layer (self, self->net->layers->pdata[i]);
      check_tops (self, self->net->layers->pdata[i]);
    }
}

/* ---- outputs ------------------------------------------------------------- */

static void
count_writes (SondeCaffeLowering *self)
{
  for (guint i = 0; i < self->net->layers->len; i++)
    {
      const SondeCaffeLayer *layer = self->net->layers->pdata[i];

      for (guint k = 0; k < layer->tops->len; k++)
        {
          gpointer blob = layer->tops->pdata[k];
          guint count = GPOINTER_TO_UINT (g_hash_table_lookup (self->writes, blob));

          g_hash_table_insert (self->writes, blob, GUINT_TO_POINTER (count + 1));
        }
    }
}

/* For each blob: 1 + the layer that reads it last; that writes it last. */
static void
find_last (const SondeCaffeNet *net, GHashTable *reads, GHashTable *writes)
{
  for (guint i = 0; i < net->layers->len; i++)
    {
      const SondeCaffeLayer *layer = net->layers->pdata[i];

      for (guint k = 0; k < layer->bottoms->len; k++)
        g_hash_table_insert (reads, layer->bottoms->pdata[k], GUINT_TO_POINTER (i + 1));
      for (guint k = 0; k < layer->tops->len; k++)
        g_hash_table_insert (writes, layer->tops->pdata[k], GUINT_TO_POINTER (i + 1));
    }
}

/* Tops that no later layer reads, in the order they are made; inputs are none. */
static void
add_outputs (SondeCaffeLowering *self)
{
  g_autoptr (GHashTable) reads = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) writes = g_hash_table_new (g_str_hash, g_str_equal);

  find_last (self->net, reads, writes);
  for (guint i = 0; i < self->net->layers->len; i++)
    {
      const SondeCaffeLayer *layer = self->net->layers->pdata[i];

      for (guint k = 0; k < layer->tops->len; k++)
        {
          const char *blob = layer->tops->pdata[k];
          SondeGraphValue *value = g_hash_table_lookup (self->blobs, blob);

          if (value != NULL && value->role != SONDE_ROLE_INPUT
              && GPOINTER_TO_UINT (g_hash_table_lookup (writes, blob)) == i + 1
              && GPOINTER_TO_UINT (g_hash_table_lookup (reads, blob)) <= i + 1)
            sonde_lowering_add_output (self->out, value, value->name);
        }
    }
}

void
sonde_caffe_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (SondeCaffeNet) net
      = sonde_caffe_net_read (io, path, sonde_lowering_get_options (lowering)->weights, &error);
  SondeCaffeLowering self = { .out = lowering, .net = net };

  if (net == NULL)
    {
      sonde_lowering_take_error (lowering, error);
      return;
    }
  self.blobs = g_hash_table_new (g_str_hash, g_str_equal);
  self.writes = g_hash_table_new (g_str_hash, g_str_equal);
  count_writes (&self);
  lower_layers (&self);
  if (!sonde_lowering_has_failed (lowering))
    add_outputs (&self);
  g_hash_table_unref (self.blobs);
  g_hash_table_unref (self.writes);
}
