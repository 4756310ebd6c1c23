/* SPDX-License-Identifier: Apache-2.0
 * A table of what is on the device, by the value it is made from; an entry goes with its last
 * user. */
#include "engine/plan/sonde-weight-store.h"

#include <string.h>

#include "engine/devices/sonde-device-spans.h"

struct _SondeWeightStore
{
  guint ref_count;
  SondeDevice *device;
  GHashTable *weights; /* SondeValue -> GPtrArray of SondeWeight, borrowed */
};

SondeWeightStore *
sonde_weight_store_new (SondeDevice *device)
{
  SondeWeightStore *store = g_new0 (SondeWeightStore, 1);

  store->ref_count = 1;
  store->device = sonde_device_ref (device);
  store->weights = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  return store;
}

SondeWeightStore *
sonde_weight_store_ref (SondeWeightStore *store)
{
  store->ref_count++;
  return store;
}

void
sonde_weight_store_unref (SondeWeightStore *store)
{
  if (store == NULL || --store->ref_count > 0)
    return;

  g_hash_table_unref (store->weights);
  sonde_device_unref (store->device);
  g_free (store);
}

gboolean
sonde_weight_is_borrowed (SondeDevice *device, const SondeTensor *tensor, const SondeLayout *layout)
{
  return layout == NULL && device->klass->host_memory && tensor->data != NULL
         && sonde_tensor_is_contiguous (tensor)
         && (guintptr) tensor->data % device->klass->alignment == 0;
}

/* Elements that are all one lie the same in every layout without padding. */
static gboolean
fill_with_element (SondeWeight *weight, const SondeType *type, const SondeTensor *tensor)
{
  const SondeDeviceClass *klass = weight->device->klass;
  gsize size = sonde_dtype_size (tensor->dtype), bytes = sonde_tensor_n_bytes (tensor);

  for (int d = 0; d < tensor->shape.rank; d++)
    if (tensor->strides[d] != 0)
      return FALSE;
  if (!klass->host_memory || tensor->shape.rank == 0 || size == 0 || bytes == 0
      || klass->layout_bytes (weight->device, type, weight->layout) != bytes)
    return FALSE;

  memcpy (weight->memory, tensor->data, size);
  for (gsize done = size; done < bytes; done += MIN (done, bytes - done))
    memcpy ((guint8 *) weight->memory + done, weight->memory, MIN (done, bytes - done));
  return TRUE;
}

/* The weight's own memory, filled. */
static gboolean
upload (SondeWeight *weight, const SondeType *type, SondeTensor *tensor, GError **error)
{
  SondeDevice *device = weight->device;
  g_autoptr (SondeTensor) plain = NULL;

  weight->memory = sonde_device_allocate (
      device, "weight", device->klass->layout_bytes (device, type, weight->layout), error);
  if (weight->memory == NULL)
    return FALSE;
  if (fill_with_element (weight, type, tensor))
    return TRUE;

  plain = sonde_tensor_contiguous (tensor);
  return plain->data != NULL
         && device->klass->write_plain (device, type, weight->layout, plain->data, weight->memory,
                                        error);
}

static void
weight_free (SondeWeight *weight)
{
  SondeDevice *device = weight->device;

  if (!weight->borrowed && weight->memory != NULL)
    sonde_device_release (device, "weight", weight->memory);
  if (weight->layout != NULL)
    device->klass->layout_unref (device, weight->layout);
  sonde_value_unref (weight->constant);
  sonde_device_unref (device);
  sonde_weight_store_unref (weight->store);
  g_free (weight);
}

SondeWeight *
sonde_weight_store_get (SondeWeightStore *store, SondeValue *constant, const SondeType *type,
                        SondeLayout *layout, GError **error)
{
  SondeTensor *tensor = sonde_value_get_tensor (constant);
  GPtrArray *known = g_hash_table_lookup (store->weights, constant);
  SondeWeight *weight;

  for (guint i = 0; known != NULL && i < known->len; i++)
    {
      weight = g_ptr_array_index (known, i);
      if (store->device->klass->layout_equal (store->device, weight->layout, layout))
        {
          weight->ref_count++;
          return weight;
        }
    }

  weight = g_new0 (SondeWeight, 1);
  weight->ref_count = 1;
  weight->store = sonde_weight_store_ref (store);
  weight->device = sonde_device_ref (store->device);
  weight->constant = sonde_value_ref (constant);
  weight->layout = layout != NULL ? store->device->klass->layout_ref (store->device, layout) : NULL;
  weight->borrowed = sonde_weight_is_borrowed (store->device, tensor, layout);
  if (weight->borrowed)
    weight->memory = tensor->data;
  else if (!upload (weight, type, tensor, error))
    {
      weight_free (weight);
      return NULL;
    }

  if (known == NULL)
    {
      known = g_ptr_array_new ();
      g_hash_table_insert (store->weights, constant, known);
    }
  g_ptr_array_add (known, weight);
  return weight;
}

void
sonde_weight_unref (SondeWeight *weight)
{
  GPtrArray *known;

  if (weight == NULL || --weight->ref_count > 0)
    return;

  known = g_hash_table_lookup (weight->store->weights, weight->constant);
  g_ptr_array_remove_fast (known, weight);
  if (known->len == 0)
    g_hash_table_remove (weight->store->weights, weight->constant);
  weight_free (weight);
}

void *
sonde_weight_steal (SondeWeight *weight)
{
  void *memory = weight->memory;

  if (weight->borrowed || weight->ref_count > 1)
    return NULL;

  weight->memory = NULL;
  sonde_weight_unref (weight);
  return memory;
}
