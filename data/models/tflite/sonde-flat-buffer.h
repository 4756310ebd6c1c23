/* SPDX-License-Identifier: Apache-2.0
 * FlatBuffers, read by slots: tables, vectors, strings and scalars out of bytes that nobody vouches
 * for. What does not live here: what a slot means (each format's reader says it).
 *
 * The first damage that is met is kept in the buffer, and everything read after it is absent: a
 * reader asks once a step whether the buffer still holds, not after every field. Nothing is copied
 * but strings; little-endian, any alignment. One thread at a time. */
#pragma once

#include "data/base/sonde-error.h"

G_BEGIN_DECLS

/* Tables, vectors and strings that reading one file may visit; one that is copied counts again for
 * every 64 bytes. The same table may be referred to many times, so the size of a file does not
 * bound it. */
#define SONDE_FLAT_BUFFER_VISITS 1000000u

/**
 * SondeFlatBuffer:
 * @data: @length: lent, outlive the buffer
 * @name: of the file, stands before each message; lent
 * @visits_left: see SONDE_FLAT_BUFFER_VISITS
 * @error: (nullable): the first damage; owned
 */
typedef struct
{
  const guint8 *data;
  gsize length;
  const char *name;
  guint visits_left;
  GError *error;
} SondeFlatBuffer;

/* A table, or an absent one (@buffer is NULL), all of whose slots are absent. */
typedef struct
{
  SondeFlatBuffer *buffer;
  gsize at;    /* of the table's first byte */
  gsize slots; /* of its vtable's first slot */
  guint n_slots;
  guint size; /* bytes of the table that slots may lie in */
} SondeFlatTable;

/* @count elements from @at; absent (count 0, @buffer is NULL) or empty. */
typedef struct
{
  SondeFlatBuffer *buffer;
  gsize at;
  guint32 count;
} SondeFlatVector;

void sonde_flat_buffer_init (SondeFlatBuffer *buffer, const guint8 *data, gsize length,
                             const char *name);
void sonde_flat_buffer_clear (SondeFlatBuffer *buffer);

/* Notes damage that the caller found, unless there is some already: "“NAME”: MESSAGE". */
void sonde_flat_buffer_fail (SondeFlatBuffer *buffer, SondeDataError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* FALSE, with a copy of the first damage in @error, when there was any. */
gboolean sonde_flat_buffer_check (const SondeFlatBuffer *buffer, GError **error);

SondeFlatTable sonde_flat_buffer_get_root (SondeFlatBuffer *buffer);

static inline gboolean
sonde_flat_table_is_absent (const SondeFlatTable *table)
{
  return table->buffer == NULL;
}

/* Scalars in slot number @slot; @fallback when it is absent. */
gboolean sonde_flat_table_get_bool (const SondeFlatTable *table, guint slot);
int sonde_flat_table_get_i8 (const SondeFlatTable *table, guint slot, int fallback);
guint sonde_flat_table_get_u8 (const SondeFlatTable *table, guint slot, guint fallback);
gint32 sonde_flat_table_get_i32 (const SondeFlatTable *table, guint slot, gint32 fallback);
guint32 sonde_flat_table_get_u32 (const SondeFlatTable *table, guint slot, guint32 fallback);
guint64 sonde_flat_table_get_u64 (const SondeFlatTable *table, guint slot, guint64 fallback);
float sonde_flat_table_get_f32 (const SondeFlatTable *table, guint slot, float fallback);

SondeFlatTable sonde_flat_table_get_table (const SondeFlatTable *table, guint slot);
/* @element_size: bytes of one element; 4 for tables and strings. */
SondeFlatVector sonde_flat_table_get_vector (const SondeFlatTable *table, guint slot,
                                             guint element_size);
/* Made UTF-8 where it is not; cut at a NUL. Returns: (transfer full) (nullable): NULL when absent */
char *sonde_flat_table_dup_string (const SondeFlatTable *table, guint slot);

/* Elements of a vector made with their size; @index < count. */
SondeFlatTable sonde_flat_vector_get_table (const SondeFlatVector *vector, guint32 index);
gint32 sonde_flat_vector_get_i32 (const SondeFlatVector *vector, guint32 index);
gint64 sonde_flat_vector_get_i64 (const SondeFlatVector *vector, guint32 index);
float sonde_flat_vector_get_f32 (const SondeFlatVector *vector, guint32 index);
/* (nullable): of the first element, lent */
const guint8 *sonde_flat_vector_get_bytes (const SondeFlatVector *vector);

G_END_DECLS
