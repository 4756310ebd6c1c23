/* SPDX-License-Identifier: Apache-2.0
 * Two steps a message: all its fields are looked at, and lists get their room; then they are
 * filled. What the first has accepted the second need not doubt. */
#include "data/wire/sonde-wire-decode.h"

#include <limits.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "packed numbers are copied as they are: a big-endian machine needs a swap here"
#endif

#define MAX_FIELDS 128u /* of one message of a .proto */
#define MAX_NESTING 128u
#define MAX_MERGED 64u /* each merging copies the lists so far */

/* By ProtobufCType: how it stands on the wire, and the room of one of it. */
static const struct
{
  SondeWireType wire;
  gsize bytes;
} types[] = {
  [PROTOBUF_C_TYPE_INT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_SINT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_SFIXED32] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_INT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_SINT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_SFIXED64] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_UINT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_FIXED32] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_UINT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_FIXED64] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_FLOAT] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_DOUBLE] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_BOOL] = { SONDE_WIRE_VARINT, sizeof (protobuf_c_boolean) },
  [PROTOBUF_C_TYPE_ENUM] = { SONDE_WIRE_VARINT, sizeof (int) },
  [PROTOBUF_C_TYPE_STRING] = { SONDE_WIRE_BYTES, sizeof (char *) },
  [PROTOBUF_C_TYPE_BYTES] = { SONDE_WIRE_BYTES, sizeof (ProtobufCBinaryData) },
  [PROTOBUF_C_TYPE_MESSAGE] = { SONDE_WIRE_BYTES, sizeof (void *) },
};

/* @arena: NULL: it is only checked. */
typedef struct
{
  const guint8 *start;
  const char *name; /* (nullable) */
  SondeWireLimits limits;
  SondeWireArena *arena;
  guint depth, counted; /* of open messages, without the outermost */
} Decoder;

/* A message that is open: @field (NULL of the outermost) of @parent, @index among those. */
typedef struct _Frame Frame;
struct _Frame
{
  const Frame *parent;
  const ProtobufCMessageDescriptor *descriptor;
  const ProtobufCFieldDescriptor *field;
  gsize index;
};

/* ---- errors -------------------------------------------------------------- */

static void
append_path (GString *path, const Frame *frame)
{
  if (frame->parent == NULL)
    {
      g_string_append (path, frame->descriptor->short_name);
      return;
    }
  append_path (path, frame->parent);
  g_string_append_printf (path, ".%s", frame->field->name);
  if (frame->field->label == PROTOBUF_C_LABEL_REPEATED)
    g_string_append_printf (path, "[%zu]", frame->index);
}

/* @at: where the field begins; @field: (nullable): not known */
static gboolean G_GNUC_PRINTF (7, 8)
    decode_fail (const Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
                 SondeDataError code, const guint8 *at, GError **error, const char *format, ...)
{
  g_autoptr (GString) path = g_string_new (NULL);
  va_list arguments;

  append_path (path, frame);
  if (field != NULL)
    g_string_append_printf (path, ".%s", field->name);
  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, code, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "%s at byte %zu ", path->str, (gsize) (at - decoder->start));
  if (decoder->name != NULL)
    sonde_prefix_error (error, "%s: ", decoder->name);
  return FALSE;
}

static gboolean
fail_memory (const Decoder *decoder, const Frame *frame, const guint8 *at, GError **error)
{
  if (decoder->arena->failed)
    return decode_fail (decoder, frame, NULL, SONDE_DATA_ERROR_NO_MEMORY, at, error,
                        "needs memory that the system does not have");
  return decode_fail (decoder, frame, NULL, SONDE_DATA_ERROR_LIMIT, at, error,
                      "would need more than the %" PRIu64 " bytes that parsing may use",
                      decoder->limits.memory);
}

static const ProtobufCFieldDescriptor *
find_field (const ProtobufCMessageDescriptor *descriptor, guint32 number)
{
  return protobuf_c_message_descriptor_get_field (descriptor, number);
}

/* What is wrong with the field at @at, which the cursor could not take. */
static gboolean
fail_field (const Decoder *decoder, const Frame *frame, const guint8 *at, const guint8 *end,
            GError **error)
{
  SondeWireCursor cursor = { at, end };
  const ProtobufCFieldDescriptor *field;
  guint64 key;

  if (!sonde_wire_take_key (&cursor, &key))
    return decode_fail (decoder, frame, NULL, SONDE_DATA_ERROR_DAMAGED, at, error,
                        "has no valid field number");
  field = find_field (frame->descriptor, (guint32) (key >> 3));
  switch (key & 7)
    {
    case SONDE_WIRE_VARINT:
    case SONDE_WIRE_FIXED64:
    case SONDE_WIRE_FIXED32:
      return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                          "is not a complete number");
    case SONDE_WIRE_BYTES:
      return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                          "has a length that goes past its end");
    default:
      return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                          "is a group or of an unknown wire type");
    }
}

/* ---- looking ------------------------------------------------------------- */

/* Fields mostly come in the order of their numbers. @hint: where the last one was found */
static inline const ProtobufCFieldDescriptor *
find_next (const ProtobufCMessageDescriptor *descriptor, guint32 number, guint *hint)
{
  const ProtobufCFieldDescriptor *field;

  for (guint i = *hint; i < MIN (*hint + 2, descriptor->n_fields); i++)
    if (descriptor->fields[i].id == number)
      {
        *hint = i;
        return &descriptor->fields[i];
      }
  field = find_field (descriptor, number);
  if (field != NULL)
    *hint = (guint) (field - descriptor->fields);
  return field;
}

/* Elements of a packed list, -1 when the last one is cut. Whether a number has more than 64 bits is
 * seen when it is taken. */
static gint64
count_packed (const SondeWireItem *item, SondeWireType type)
{
  const gsize length = item->length;
  gsize count = 0;

  if (type == SONDE_WIRE_FIXED64)
    return length % 8 == 0 ? (gint64) (length / 8) : -1;
  if (type == SONDE_WIRE_FIXED32)
    return length % 4 == 0 ? (gint64) (length / 4) : -1;
  for (gsize i = 0; i < length; i++)
    count += item->bytes[i] < 0x80;
  return length == 0 || item->bytes[length - 1] < 0x80 ? (gint64) count : -1;
}

/* What most fields are, and needs no room. */
static inline gboolean
is_plain (const ProtobufCFieldDescriptor *field, const SondeWireItem *item)
{
  return field->type < PROTOBUF_C_TYPE_STRING && field->label != PROTOBUF_C_LABEL_REPEATED
         && item->type == types[field->type].wire;
}

/* One known field, at @at. @count: of its elements so far */
static gboolean
look_at_field (const Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
               const SondeWireItem *item, const guint8 *at, guint32 *count, GError **error)
{
  const SondeWireType wire = types[field->type].wire;
  const gboolean is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
  gint64 n = 1;

  if (item->type != wire && (!is_list || item->type != SONDE_WIRE_BYTES))
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                        "has the wrong wire type");
  if (item->type != wire && (n = count_packed (item, wire)) < 0)
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                        "ends inside an element");
  if (field->type == PROTOBUF_C_TYPE_STRING && item->length > 0
      && memchr (item->bytes, 0, item->length) != NULL)
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                        "is a text with a NUL byte in it");
  *count += (guint32) n;
  if (field->type == PROTOBUF_C_TYPE_MESSAGE && !is_list && *count > MAX_MERGED)
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_LIMIT, at, error,
                        "is repeated too often for a field that occurs once");
  return TRUE;
}

/* What a message has, beside fields that need nothing more. */
typedef struct
{
  gboolean messages, lists;
} Contents;

static gboolean
look (const Decoder *decoder, const Frame *frame, SondeWireCursor cursor, guint32 *counts,
      Contents *contents, GError **error)
{
  const ProtobufCFieldDescriptor *field;
  SondeWireItem item;
  guint hint = 0;

  while (cursor.at != cursor.end)
    {
      const guint8 *at = cursor.at;

      if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM)
        return fail_field (decoder, frame, at, cursor.end, error);
      field = find_next (frame->descriptor, item.number, &hint);
      if (field == NULL || is_plain (field, &item))
        continue;
      if (!look_at_field (decoder, frame, field, &item, at, &counts[hint], error))
        return FALSE;
      contents->messages |= field->type == PROTOBUF_C_TYPE_MESSAGE;
      contents->lists |= field->label == PROTOBUF_C_LABEL_REPEATED;
    }
  return TRUE;
}

/* ---- filling ------------------------------------------------------------- */

#define MEMBER(Type, message, offset) ((Type *) (gpointer) ((guint8 *) (message) + (offset)))

/* Room for what was counted, behind what an earlier piece of the same message left. */
static gboolean
make_room (const Decoder *decoder, const Frame *frame, gpointer message, const guint32 *counts,
           const guint8 *at, GError **error)
{
  for (guint i = 0; i < frame->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &frame->descriptor->fields[i];
      gsize n, bytes = types[field->type].bytes;
      void **list = MEMBER (void *, message, field->offset), *room;

      if (counts[i] == 0 || field->label != PROTOBUF_C_LABEL_REPEATED)
        continue;
      n = *MEMBER (gsize, message, field->quantifier_offset);
      room = sonde_wire_arena_alloc (decoder->arena, (n + counts[i]) * bytes);
      if (room == NULL)
        return fail_memory (decoder, frame, at, error);
      if (n > 0)
        memcpy (room, *list, n * bytes);
      *list = room;
    }
  return TRUE;
}

static void
put_number (ProtobufCType type, guint64 number, gpointer to)
{
  if (type == PROTOBUF_C_TYPE_SINT32)
    number = (guint32) number >> 1 ^ -((guint32) number & 1);
  else if (type == PROTOBUF_C_TYPE_SINT64)
    number = number >> 1 ^ -(number & 1);
  if (type == PROTOBUF_C_TYPE_BOOL)
    *(protobuf_c_boolean *) to = number != 0;
  else if (types[type].bytes == 8)
    memcpy (to, &number, 8);
  else
    memcpy (to, &(guint32){ (guint32) number }, 4);
}

static gboolean
put_packed (ProtobufCType type, const SondeWireItem *item, guint8 *to, gsize *n)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  const gsize bytes = types[type].bytes;
  guint64 number;

  if (types[type].wire != SONDE_WIRE_VARINT)
    {
      if (item->length > 0)
        memcpy (to + *n * bytes, item->bytes, item->length);
      *n += item->length / bytes;
      return TRUE;
    }
  while (cursor.at != cursor.end)
    {
      if (!sonde_wire_take_varint (&cursor, &number))
        return FALSE;
      put_number (type, number, to + (*n)++ * bytes);
    }
  return TRUE;
}

static gboolean
put_text (const Decoder *decoder, const SondeWireItem *item, char **to)
{
  char *text = sonde_wire_arena_alloc (decoder->arena, item->length + 1);

  if (text == NULL)
    return FALSE;
  if (item->length > 0)
    memcpy (text, item->bytes, item->length);
  text[item->length] = '\0';
  *to = text;
  return TRUE;
}

static gboolean read_message (Decoder *decoder, const Frame *frame, SondeWireCursor cursor,
                              gpointer message, GError **error);

/* Opens the message inside; @slot: (nullable): where its pointer is, which may have one. */
static gboolean
put_message (Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
             const SondeWireItem *item, gsize index, const guint8 *at, void **slot, GError **error)
{
  const Frame inner = { frame, field->descriptor, field, index };
  const gboolean is_counted = inner.descriptor == decoder->limits.counted;
  gboolean right;

  if (decoder->depth >= decoder->limits.nesting)
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_LIMIT, at, error,
                        "is nested deeper than the limit allows");
  if (is_counted && decoder->counted >= decoder->limits.counted_limit)
    return decode_fail (decoder, frame, field, SONDE_DATA_ERROR_LIMIT, at, error,
                        "lies inside more of its own kind than the limit allows");
  if (slot != NULL && *slot == NULL)
    {
      *slot = sonde_wire_arena_alloc (decoder->arena, inner.descriptor->sizeof_message);
      if (*slot == NULL)
        return fail_memory (decoder, frame, at, error);
      inner.descriptor->message_init (*slot);
    }
  decoder->depth++;
  decoder->counted += is_counted;
  right = read_message (decoder, &inner, sonde_wire_item_cursor (item), slot != NULL ? *slot : NULL,
                        error);
  decoder->depth--;
  decoder->counted -= is_counted;
  return right;
}

/* One element at @to. */
static gboolean
put_element (Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
             const SondeWireItem *item, gsize index, const guint8 *at, gpointer to, GError **error)
{
  switch (field->type)
    {
    case PROTOBUF_C_TYPE_MESSAGE:
      return put_message (decoder, frame, field, item, index, at, to, error);
    case PROTOBUF_C_TYPE_BYTES:
      *(ProtobufCBinaryData *) to
          = (ProtobufCBinaryData){ item->length, item->length > 0 ? (guint8 *) item->bytes : NULL };
      return TRUE;
    case PROTOBUF_C_TYPE_STRING:
      return put_text (decoder, item, to) || fail_memory (decoder, frame, at, error);
    default:
      put_number (field->type, item->value, to);
      return TRUE;
    }
}

static gboolean
put_into_list (Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
               const SondeWireItem *item, const guint8 *at, gpointer message, GError **error)
{
  guint8 *list = *MEMBER (guint8 *, message, field->offset);
  gsize *n = MEMBER (gsize, message, field->quantifier_offset), index = *n;
  gpointer to = list + index * types[field->type].bytes;

  if (item->type != types[field->type].wire)
    return put_packed (field->type, item, list, n)
           || decode_fail (decoder, frame, field, SONDE_DATA_ERROR_DAMAGED, at, error,
                           "has a number of more than 64 bits");
  if (field->type == PROTOBUF_C_TYPE_MESSAGE)
    *(void **) to = NULL;
  (*n)++;
  return put_element (decoder, frame, field, item, index, at, to, error);
}

static gboolean
put_single (Decoder *decoder, const Frame *frame, const ProtobufCFieldDescriptor *field,
            const SondeWireItem *item, const guint8 *at, gpointer message, GError **error)
{
  gpointer to = MEMBER (void, message, field->offset);

  if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
    {
      guint32 *which = MEMBER (guint32, message, field->quantifier_offset);

      if (*which != field->id)
        memset (to, 0, types[field->type].bytes);
      *which = field->id;
    }
  else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->quantifier_offset != 0)
    *MEMBER (protobuf_c_boolean, message, field->quantifier_offset) = TRUE;
  return put_element (decoder, frame, field, item, 0, at, to, error);
}

/* @message: NULL: only messages inside are looked at. @counts: zeros then, for their indices */
static gboolean
fill (Decoder *decoder, const Frame *frame, SondeWireCursor cursor, gpointer message,
      guint32 *counts, GError **error)
{
  const ProtobufCFieldDescriptor *field;
  SondeWireItem item;
  guint hint = 0;

  while (cursor.at != cursor.end)
    {
      const guint8 *at = cursor.at;
      gboolean right = TRUE;

      sonde_wire_next (&cursor, &item);
      field = find_next (frame->descriptor, item.number, &hint);
      if (field == NULL)
        continue;
      if (message == NULL)
        right = field->type != PROTOBUF_C_TYPE_MESSAGE
                || put_message (decoder, frame, field, &item, counts[hint]++, at, NULL, error);
      else if (field->label == PROTOBUF_C_LABEL_REPEATED)
        right = put_into_list (decoder, frame, field, &item, at, message, error);
      else
        right = put_single (decoder, frame, field, &item, at, message, error);
      if (!right)
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_message (Decoder *decoder, const Frame *frame, SondeWireCursor cursor, gpointer message,
              GError **error)
{
  const gsize counts_bytes = frame->descriptor->n_fields * sizeof (guint32);
  guint32 counts[MAX_FIELDS];
  Contents contents = { FALSE, FALSE };

  g_assert (frame->descriptor->n_fields <= MAX_FIELDS);
  memset (counts, 0, counts_bytes);
  if (!look (decoder, frame, cursor, counts, &contents, error))
    return FALSE;
  if (message != NULL)
    return (!contents.lists || make_room (decoder, frame, message, counts, cursor.at, error))
           && fill (decoder, frame, cursor, message, counts, error);
  if (!contents.messages)
    return TRUE;
  memset (counts, 0, counts_bytes);
  return fill (decoder, frame, cursor, NULL, counts, error);
}

/* ---- all ----------------------------------------------------------------- */

static Decoder
decoder_for (const guint8 *bytes, gsize length, const char *name, const SondeWireLimits *limits,
             SondeWireArena *arena)
{
  Decoder decoder = { .start = bytes, .name = name, .arena = arena };

  if (limits != NULL)
    decoder.limits = *limits;
  if (decoder.limits.nesting == 0)
    decoder.limits.nesting = SONDE_BUDGET_NESTING;
  decoder.limits.nesting = MIN (decoder.limits.nesting, MAX_NESTING);
  if (decoder.limits.memory == 0)
    decoder.limits.memory
        = MIN (SONDE_BUDGET_PARSE_BYTES, ((guint64) 64 << 20) + 16 * (guint64) length);
  if (arena != NULL)
    arena->limit = arena->taken + decoder.limits.memory;
  return decoder;
}

/* @message: (nullable): room for it, not initialised */
static gboolean
read_all (Decoder *decoder, const ProtobufCMessageDescriptor *descriptor, gsize length,
          gpointer message, GError **error)
{
  const Frame frame = { .descriptor = descriptor };

  if (length > INT_MAX)
    return decode_fail (decoder, &frame, NULL, SONDE_DATA_ERROR_LIMIT, decoder->start, error,
                        "is 2 GiB or larger");
  if (message != NULL)
    descriptor->message_init (message);
  return read_message (decoder, &frame, sonde_wire_cursor (decoder->start, length), message, error);
}

gboolean
sonde_wire_check (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes, gsize length,
                  const char *name, const SondeWireLimits *limits, GError **error)
{
  Decoder decoder = decoder_for (bytes, length, name, limits, NULL);

  return read_all (&decoder, descriptor, length, NULL, error);
}

void *
sonde_wire_decode (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes, gsize length,
                   const char *name, const SondeWireLimits *limits, SondeWireArena *arena,
                   GError **error)
{
  Decoder decoder = decoder_for (bytes, length, name, limits, arena);
  const Frame frame = { .descriptor = descriptor };
  gpointer message = sonde_wire_arena_alloc (arena, descriptor->sizeof_message);

  if (message == NULL)
    fail_memory (&decoder, &frame, bytes, error);
  return message != NULL && read_all (&decoder, descriptor, length, message, error) ? message
                                                                                    : NULL;
}

/* ---- of a copy ----------------------------------------------------------- */

/* In front of the message; behind it are the bytes. */
typedef struct
{
  _Alignas(16) SondeWireArena arena;
} Owner;

void *
sonde_wire_decode_copy (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes,
                        gsize length, const char *name, const SondeWireLimits *limits,
                        GError **error)
{
  Owner *owner = g_try_malloc (sizeof *owner + descriptor->sizeof_message + length);
  guint8 *copy;
  Decoder decoder;

  if (owner == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for a message of %zu bytes", length);
      return NULL;
    }
  owner->arena = (SondeWireArena){ 0 };
  copy = (guint8 *) (owner + 1) + descriptor->sizeof_message;
  if (length > 0)
    memcpy (copy, bytes, length);
  decoder = decoder_for (copy, length, name, limits, &owner->arena);
  owner->arena.taken = descriptor->sizeof_message;
  if (read_all (&decoder, descriptor, length, owner + 1, error))
    return owner + 1;
  sonde_wire_free (owner + 1);
  return NULL;
}

void
sonde_wire_free (void *message)
{
  Owner *owner = message;

  if (owner == NULL)
    return;
  sonde_wire_arena_clear (&owner[-1].arena);
  g_free (&owner[-1]);
}
