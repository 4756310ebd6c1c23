/* SPDX-License-Identifier: Apache-2.0
 * SequenceProto and OptionalProto -> values: the inputs and outputs of the standard's tests. The
 * scan has bounded how deep they are nested. */
#include "data/models/onnx/sonde-onnx-tensor.h"

#include "data/models/onnx/sonde-onnx-reader.h"

SondeValue *
sonde_onnx_read_tensor_value (SondeOnnxReader *reader, Onnx__TensorProto *proto, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_onnx_read_tensor (reader, proto, N_ ("tensor"), error);

  return tensor ? sonde_value_new_tensor (tensor) : NULL;
}

static SondeValue *
read_sparse_value (SondeOnnxReader *reader, Onnx__SparseTensorProto *proto, GError **error)
{
  g_autoptr (SondeTensor) tensor
      = sonde_onnx_read_sparse (reader, proto, N_ ("sparse tensor"), error);

  return tensor ? sonde_value_new_tensor (tensor) : NULL;
}

static SondeValue *
refuse_map (SondeOnnxReader *reader, Onnx__MapProto *proto, GError **error)
{
  sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                   "it holds a map, which this version does not support");
  return NULL;
}

/* ---- sequences ----------------------------------------------------------- */

typedef SondeValue *(*ReadItem) (SondeOnnxReader *reader, void *proto, GError **error);

static gboolean
append_items (SondeOnnxReader *reader, void **protos, gsize n, ReadItem read, GPtrArray *items,
              GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      SondeValue *item = read (reader, protos[i], error);

      if (item == NULL)
        return FALSE;
      g_ptr_array_add (items, item);
    }
  return TRUE;
}

SondeValue *
sonde_onnx_read_sequence (SondeOnnxReader *reader, Onnx__SequenceProto *proto, GError **error)
{
  const struct
  {
    void **protos;
    gsize n;
    ReadItem read;
  } lists[] = {
    { (void **) proto->tensor_values, proto->n_tensor_values,
      (ReadItem) sonde_onnx_read_tensor_value },
    { (void **) proto->sparse_tensor_values, proto->n_sparse_tensor_values,
      (ReadItem) read_sparse_value },
    { (void **) proto->sequence_values, proto->n_sequence_values,
      (ReadItem) sonde_onnx_read_sequence },
    { (void **) proto->map_values, proto->n_map_values, (ReadItem) refuse_map },
    { (void **) proto->optional_values, proto->n_optional_values,
      (ReadItem) sonde_onnx_read_optional },
  };
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  guint n_kinds = 0;

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      n_kinds += lists[i].n > 0;
      if (!append_items (reader, lists[i].protos, lists[i].n, lists[i].read, items, error))
        return NULL;
    }
  if (n_kinds > 1)
    {
      sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED, "a sequence has items of %u kinds",
                       n_kinds);
      return NULL;
    }
  return sonde_value_new_sequence ((SondeValue *const *) items->pdata, items->len);
}

/* ---- optionals ----------------------------------------------------------- */

SondeValue *
sonde_onnx_read_optional (SondeOnnxReader *reader, Onnx__OptionalProto *proto, GError **error)
{
  const struct
  {
    void *proto;
    ReadItem read;
  } contents[] = {
    { proto->tensor_value, (ReadItem) sonde_onnx_read_tensor_value },
    { proto->sparse_tensor_value, (ReadItem) read_sparse_value },
    { proto->sequence_value, (ReadItem) sonde_onnx_read_sequence },
    { proto->map_value, (ReadItem) refuse_map },
    { proto->optional_value, (ReadItem) sonde_onnx_read_optional },
  };
  g_autoptr (SondeValue) content = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      if (contents[i].proto == NULL)
        continue;
      if (content != NULL)
        {
          sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED, "an optional has two contents");
          return NULL;
        }
      content = contents[i].read (reader, contents[i].proto, error);
      if (content == NULL)
        return NULL;
    }
  return sonde_value_new_optional (content);
}
