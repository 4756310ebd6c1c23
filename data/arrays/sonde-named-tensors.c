/* SPDX-License-Identifier: Apache-2.0
 * Named tensors: an array in file order with an index by name. */
#include "data/arrays/sonde-npz.h"

typedef struct
{
  char *name;
  SondeTensor *tensor; /* owned reference */
} Entry;

struct _SondeNamedTensors
{
  GPtrArray *entries;  /* of Entry */
  GHashTable *by_name; /* name, lent by the entry -> Entry */
};

static void
entry_free (void *data)
{
  Entry *entry = data;

  g_free (entry->name);
  sonde_tensor_unref (entry->tensor);
  g_free (entry);
}

SondeNamedTensors *
sonde_named_tensors_new (void)
{
  SondeNamedTensors *tensors = g_new (SondeNamedTensors, 1);

  tensors->entries = g_ptr_array_new_with_free_func (entry_free);
  tensors->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return tensors;
}

void
sonde_named_tensors_free (SondeNamedTensors *tensors)
{
  if (tensors == NULL)
    return;
  g_hash_table_unref (tensors->by_name);
  g_ptr_array_unref (tensors->entries);
  g_free (tensors);
}

void
sonde_named_tensors_set (SondeNamedTensors *tensors, const char *name, SondeTensor *tensor)
{
  Entry *entry = g_hash_table_lookup (tensors->by_name, name);

  sonde_tensor_ref (tensor);
  if (entry != NULL)
    {
      sonde_tensor_unref (entry->tensor);
      entry->tensor = tensor;
      return;
    }
  entry = g_new (Entry, 1);
  entry->name = g_strdup (name);
  entry->tensor = tensor;
  g_ptr_array_add (tensors->entries, entry);
  g_hash_table_insert (tensors->by_name, entry->name, entry);
}

gsize
sonde_named_tensors_get_size (const SondeNamedTensors *tensors)
{
  return tensors->entries->len;
}

const char *
sonde_named_tensors_get_name (const SondeNamedTensors *tensors, gsize index)
{
  const Entry *entry;

  g_return_val_if_fail (index < tensors->entries->len, NULL);

  entry = g_ptr_array_index (tensors->entries, index);
  return entry->name;
}

SondeTensor *
sonde_named_tensors_get_tensor (const SondeNamedTensors *tensors, gsize index)
{
  const Entry *entry;

  g_return_val_if_fail (index < tensors->entries->len, NULL);

  entry = g_ptr_array_index (tensors->entries, index);
  return entry->tensor;
}

SondeTensor *
sonde_named_tensors_lookup (const SondeNamedTensors *tensors, const char *name)
{
  const Entry *entry = g_hash_table_lookup (tensors->by_name, name);

  return entry != NULL ? entry->tensor : NULL;
}
