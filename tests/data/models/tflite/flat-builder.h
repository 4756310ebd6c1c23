/* SPDX-License-Identifier: Apache-2.0
 * FlatBuffers written by hand, from the root on, so that a test can say what no writer would.
 * Places are offsets into the bytes; a table has 8 bytes of room for each slot. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GByteArray *flat_new (void); /* with room for the root's reference and the identifier "TFL3" */
gsize flat_table (GByteArray *flat, guint n_slots);
gsize flat_vector (GByteArray *flat, const void *elements, guint32 count, gsize element_size);
/* Of @count references, which flat_refer() sets. */
gsize flat_references (GByteArray *flat, guint32 count);
gsize flat_text (GByteArray *flat, const char *text);

/* The reference at @place leads to @target, which lies behind it. */
void flat_refer (GByteArray *flat, gsize place, gsize target);
gsize flat_element (gsize vector, guint index); /* place of a reference in a vector of them */
/* The slot is present from here on. Returns: its place */
gsize flat_slot (GByteArray *flat, gsize table, guint slot);
void flat_set (GByteArray *flat, gsize table, guint slot, const void *value, gsize size);
void flat_set_i8 (GByteArray *flat, gsize table, guint slot, int value);
void flat_set_i32 (GByteArray *flat, gsize table, guint slot, gint32 value);
void flat_set_u64 (GByteArray *flat, gsize table, guint slot, guint64 value);
void flat_set_reference (GByteArray *flat, gsize table, guint slot, gsize target);
void flat_set_text (GByteArray *flat, gsize table, guint slot, const char *text);
void flat_set_i32s (GByteArray *flat, gsize table, guint slot, guint n, const gint32 *values);

G_END_DECLS
