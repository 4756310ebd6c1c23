/* SPDX-License-Identifier: Apache-2.0
 * Hash of a key of 64 bits that joins two numbers, a << 32 | b. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @key: of a guint64. With g_int64_equal(), as g_int64_hash(), which takes b alone: a file in which all b
 * are equal would make every look-up a walk over all keys. */
static inline guint
sonde_pair_hash (gconstpointer key)
{
  return (guint) (*(const guint64 *) key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32);
}

G_END_DECLS
