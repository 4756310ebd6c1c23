/* SPDX-License-Identifier: Apache-2.0
 * What plan slots, observers and records carry: a tensor today; sequence, optional, map and sparse
 * tensor have their place in the type and are filled with the operators that make them. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_VALUE_NONE, /* an absent optional input */
  SONDE_VALUE_TENSOR,
  SONDE_VALUE_SEQUENCE,
  SONDE_VALUE_OPTIONAL,
  SONDE_VALUE_MAP,
  SONDE_VALUE_SPARSE, /* CSR, COO, row */
} SondeValueKind;

/* Immutable once shared; reference counted (atomic). */
typedef struct _SondeValue SondeValue;

SondeValue *sonde_value_new_tensor (SondeTensor *tensor); /* takes a new reference on it */
/* @items: (array) (element-type SondeValue): references are taken */
SondeValue *sonde_value_new_sequence (SondeValue *const *items, gsize n_items);
/* @content: (nullable): NULL is an optional that holds nothing */
SondeValue *sonde_value_new_optional (SondeValue *content);

/* @keys: integers or strings; @values: as many elements, in the order of the keys. Both are lists;
 * references are taken. */
SondeValue *sonde_value_new_map (SondeTensor *keys, SondeTensor *values);

SondeValue *sonde_value_ref (SondeValue *value);
void sonde_value_unref (SondeValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeValue, sonde_value_unref)

SondeValueKind sonde_value_get_kind (const SondeValue *value); /* NULL: SONDE_VALUE_NONE */

/* Returns: (transfer none) (nullable): NULL when it is no tensor */
SondeTensor *sonde_value_get_tensor (const SondeValue *value);

/* Sequence: its length; optional: 0 or 1; map: 2, the tensor of its keys and that of its values;
 * else 0. */
gsize sonde_value_get_n_items (const SondeValue *value);
SondeValue *sonde_value_get_item (const SondeValue *value, gsize index); /* (transfer none) */

G_END_DECLS
