/* SPDX-License-Identifier: Apache-2.0
 * Values: a kind, and a tensor or other values. */
#include "data/values/sonde-value.h"

struct _SondeValue
{
  _Atomic guint ref_count;
  SondeValueKind kind;
  SondeTensor *tensor; /* owned, for SONDE_VALUE_TENSOR */
  gsize n_items;
  SondeValue *items[]; /* owned */
};

static SondeValue *
value_new (SondeValueKind kind, SondeValue *const *items, gsize n_items)
{
  SondeValue *value = g_malloc (sizeof *value + n_items * sizeof *items);

  atomic_init (&value->ref_count, 1);
  value->kind = kind;
  value->tensor = NULL;
  value->n_items = n_items;
  for (gsize i = 0; i < n_items; i++)
    value->items[i] = sonde_value_ref (items[i]);
  return value;
}

SondeValue *
sonde_value_new_tensor (SondeTensor *tensor)
{
  SondeValue *value = value_new (SONDE_VALUE_TENSOR, NULL, 0);

  value->tensor = sonde_tensor_ref (tensor);
  return value;
}

SondeValue *
sonde_value_new_sequence (SondeValue *const *items, gsize n_items)
{
  return value_new (SONDE_VALUE_SEQUENCE, items, n_items);
}

SondeValue *
sonde_value_new_optional (SondeValue *content)
{
  return value_new (SONDE_VALUE_OPTIONAL, &content, content != NULL ? 1 : 0);
}

SondeValue *
sonde_value_new_map (SondeTensor *keys, SondeTensor *values)
{
  g_autoptr (SondeValue) first = sonde_value_new_tensor (keys);
  g_autoptr (SondeValue) second = sonde_value_new_tensor (values);

  return value_new (SONDE_VALUE_MAP, (SondeValue *[]){ first, second }, 2);
}

SondeValue *
sonde_value_ref (SondeValue *value)
{
  atomic_fetch_add_explicit (&value->ref_count, 1, memory_order_relaxed);
  return value;
}

void
sonde_value_unref (SondeValue *value)
{
  if (value == NULL || atomic_fetch_sub (&value->ref_count, 1) != 1)
    return;

  sonde_tensor_unref (value->tensor);
  for (gsize i = 0; i < value->n_items; i++)
    sonde_value_unref (value->items[i]);
  g_free (value);
}

SondeValueKind
sonde_value_get_kind (const SondeValue *value)
{
  return value != NULL ? value->kind : SONDE_VALUE_NONE;
}

SondeTensor *
sonde_value_get_tensor (const SondeValue *value)
{
  return value != NULL ? value->tensor : NULL;
}

gsize
sonde_value_get_n_items (const SondeValue *value)
{
  return value != NULL ? value->n_items : 0;
}

SondeValue *
sonde_value_get_item (const SondeValue *value, gsize index)
{
  g_return_val_if_fail (value != NULL && index < value->n_items, NULL);

  return value->items[index];
}
