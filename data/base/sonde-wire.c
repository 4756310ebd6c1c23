/* SPDX-License-Identifier: Apache-2.0
 * The pre-scan of protobuf bytes: an explicit stack of open messages instead of recursion. */
#include "data/base/sonde-wire.h"

#include <limits.h>
#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"

/* What protobuf-c 1.4 takes besides the values: a scanned member is 32 bytes, kept in slabs that
 * double; an unknown field is a struct of 24; malloc rounds up and keeps a header. */
#define MEMBER_BYTES 64
#define UNKNOWN_BYTES 24
#define MALLOC_BYTES 32
/* Each singular submessage is merged with the ones before it by packing and unpacking them. */
#define MAX_SINGULAR_MESSAGES 64
#define MAX_FIELD_NUMBER ((1u << 29) - 1)
#define MAX_NESTING 128

/* A message that is open: @offset is where its key stands, @begin where its content starts, @end
 * where it ends, @members how many fields it had so far. */
typedef struct
{
  const void *message;
  const char *name;
  gboolean repeated;
  gsize offset, begin, end;
  guint64 members;
  guint64 child_peak; /* bookkeeping of the greediest message inside */
  guint singular_messages;
} WireFrame;

typedef struct
{
  const guint8 *data;
  gsize position;
  const SondeWireSchema *schema;
  const char *name;
  guint nesting;
  guint64 heap_limit;
  const void *counted_message;
  guint counted_limit, counted;
  guint64 heap;
  guint depth; /* open messages inside the root */
  WireFrame frames[MAX_NESTING + 1];
} WireScan;

/* Returns the bytes used, 0 when the varint is cut off, longer than 10 bytes or over 64 bits. */
static gsize
read_varint (const guint8 *data, gsize length, guint64 *value)
{
  guint64 result = 0;

  for (gsize i = 0; i < length && i < 10; i++)
    {
      if (i == 9 && data[i] > 1)
        return 0;
      result |= (guint64) (data[i] & 0x7f) << (7 * i);
      if (data[i] < 0x80)
        {
          *value = result;
          return i + 1;
        }
    }
  return 0;
}

/* The place of @child among the fields with its number in @parent; only for messages, since all
 * bytes before it have been checked. */
static guint64
index_in_parent (const WireScan *scan, const WireFrame *parent, const WireFrame *child)
{
  guint64 wanted = 0, key = 0, size = 0, index = 0;
  gsize position = parent->begin;

  read_varint (scan->data + child->offset, scan->frames[0].end - child->offset, &wanted);
  while (position < child->offset)
    {
      position += read_varint (scan->data + position, child->offset - position, &key);
      index += key == wanted;
      if ((key & 7) == SONDE_WIRE_BYTES)
        position += read_varint (scan->data + position, child->offset - position, &size) + size;
      else if ((key & 7) == SONDE_WIRE_VARINT)
        position += read_varint (scan->data + position, child->offset - position, &size);
      else
        position += (key & 7) == SONDE_WIRE_FIXED64 ? 8 : 4;
    }
  return index;
}

static gboolean G_GNUC_PRINTF (6, 7)
    scan_fail (const WireScan *scan, SondeDataError code, gsize offset, const char *field,
               GError **error, const char *format, ...)
{
  g_autoptr (GString) path = g_string_new (NULL);
  va_list arguments;

  for (guint i = 0; i <= scan->depth; i++)
    {
      const WireFrame *frame = &scan->frames[i];

      g_string_append_printf (path, "%s%s", i > 0 ? "." : "", frame->name);
      if (frame->repeated)
        g_string_append_printf (path, "[%" PRIu64 "]",
                                index_in_parent (scan, &scan->frames[i - 1], frame));
    }
  if (field != NULL)
    g_string_append_printf (path, ".%s", field);
  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, code, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "%s: %s at byte %zu ", scan->name, path->str, offset);
  return FALSE;
}

/* Elements of a packed field, -1 when the last one is cut. */
static gint64
count_packed (const guint8 *data, gsize length, SondeWireType type)
{
  gsize count = 0;

  if (type == SONDE_WIRE_FIXED64)
    return length % 8 == 0 ? (gint64) (length / 8) : -1;
  if (type == SONDE_WIRE_FIXED32)
    return length % 4 == 0 ? (gint64) (length / 4) : -1;
  for (gsize i = 0; i < length; i++)
    count += data[i] < 0x80;
  return length == 0 || data[length - 1] < 0x80 ? (gint64) count : -1;
}

static gboolean
open_message (WireScan *scan, const SondeWireField *field, gsize length, gsize offset,
              GError **error)
{
  WireFrame *parent = &scan->frames[scan->depth];
  WireFrame *frame;

  if (scan->depth >= scan->nesting)
    return scan_fail (scan, SONDE_DATA_ERROR_LIMIT, offset, field->name, error,
                      "is nested deeper than the limit allows");
  if (!field->repeated && ++parent->singular_messages > MAX_SINGULAR_MESSAGES)
    return scan_fail (scan, SONDE_DATA_ERROR_LIMIT, offset, field->name, error,
                      "is repeated too often for a field that occurs once");
  if (field->message == scan->counted_message && field->message != NULL
      && ++scan->counted > scan->counted_limit)
    return scan_fail (scan, SONDE_DATA_ERROR_LIMIT, offset, field->name, error,
                      "lies inside more of its own kind than the limit allows");

  scan->heap += field->message_bytes + MALLOC_BYTES;
  frame = &scan->frames[++scan->depth];
  *frame = (WireFrame){ .message = field->message,
                        .name = field->name,
                        .repeated = field->repeated,
                        .offset = offset,
                        .begin = scan->position,
                        .end = scan->position + length };
  return TRUE;
}

static void
close_message (WireScan *scan)
{
  const WireFrame *frame = &scan->frames[scan->depth];
  WireFrame *parent = &scan->frames[scan->depth - 1];
  guint64 peak = frame->members * MEMBER_BYTES + frame->child_peak;

  if (frame->message == scan->counted_message && frame->message != NULL)
    scan->counted--;
  parent->child_peak = MAX (parent->child_peak, peak);
  scan->depth--;
}

/* Length-delimited content of @length bytes at the position; messages are opened, the rest
 * skipped. */
static gboolean
scan_bytes (WireScan *scan, const SondeWireField *field, /* (nullable) unknown */
            gsize length, gsize offset, GError **error)
{
  gint64 elements;

  if (field != NULL && field->message != NULL)
    {
      scan->heap += field->element_bytes;
      return open_message (scan, field, length, offset, error);
    }

  if (field != NULL && field->text && length > 0
      && memchr (scan->data + scan->position, 0, length) != NULL)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, field->name, error,
                      "is a text with a NUL byte in it");
  if (field == NULL || field->type == SONDE_WIRE_BYTES)
    {
      scan->heap += (guint64) length + 1 + MALLOC_BYTES
                    + (field != NULL ? field->element_bytes : UNKNOWN_BYTES);
      scan->position += length;
      return TRUE;
    }

  if (!field->repeated)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, field->name, error,
                      "has the wrong wire type");
  elements = count_packed (scan->data + scan->position, length, field->type);
  if (elements < 0)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, field->name, error,
                      "ends inside an element");
  scan->heap += (guint64) elements * field->element_bytes + MALLOC_BYTES;
  scan->position += length;
  return TRUE;
}

static gboolean
scan_number (WireScan *scan, const SondeWireField *field, SondeWireType type, gsize offset,
             GError **error)
{
  const WireFrame *frame = &scan->frames[scan->depth];
  const char *name = field != NULL ? field->name : NULL;
  gsize left = frame->end - scan->position;
  guint64 value;
  gsize size;

  if (type == SONDE_WIRE_VARINT)
    size = read_varint (scan->data + scan->position, left, &value);
  else
    size = type == SONDE_WIRE_FIXED64 ? 8 : 4;
  if (size == 0 || size > left)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, name, error,
                      "is not a complete number");
  if (field != NULL && field->type != type)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, name, error,
                      "has the wrong wire type");
  scan->heap += field != NULL ? field->element_bytes : UNKNOWN_BYTES + MALLOC_BYTES + size;
  scan->position += size;
  return TRUE;
}

static gboolean
scan_field (WireScan *scan, GError **error)
{
  WireFrame *frame = &scan->frames[scan->depth];
  gsize offset = scan->position;
  SondeWireField field;
  gboolean known;
  guint64 key, length;
  gsize used;
  guint type;

  used = read_varint (scan->data + offset, frame->end - offset, &key);
  if (used == 0 || key >> 3 == 0 || key >> 3 > MAX_FIELD_NUMBER)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, NULL, error,
                      "has no valid field number");
  scan->position += used;
  frame->members++;
  type = key & 7;
  known = frame->message != NULL
          && scan->schema->find_field (frame->message, (guint32) (key >> 3), &field);

  if (type == SONDE_WIRE_VARINT || type == SONDE_WIRE_FIXED64 || type == SONDE_WIRE_FIXED32)
    return scan_number (scan, known ? &field : NULL, type, offset, error);
  if (type != SONDE_WIRE_BYTES)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, known ? field.name : NULL, error,
                      "is a group or of an unknown wire type");

  used = read_varint (scan->data + scan->position, frame->end - scan->position, &length);
  if (used == 0 || length > frame->end - scan->position - used)
    return scan_fail (scan, SONDE_DATA_ERROR_DAMAGED, offset, known ? field.name : NULL, error,
                      "has a length that goes past its end");
  scan->position += used;
  return scan_bytes (scan, known ? &field : NULL, length, offset, error);
}

static gboolean
check_heap (const WireScan *scan, guint64 bookkeeping, GError **error)
{
  if (scan->heap + bookkeeping <= scan->heap_limit)
    return TRUE;
  return scan_fail (scan, SONDE_DATA_ERROR_LIMIT, scan->position, NULL, error,
                    "would need more than the %" PRIu64 " bytes that parsing may use",
                    scan->heap_limit);
}

static guint64
default_heap_limit (gsize length)
{
  return MIN (SONDE_BUDGET_PARSE_BYTES, ((guint64) 64 << 20) + 16 * (guint64) length);
}

gboolean
sonde_wire_scan (const guint8 *data, gsize length, const SondeWireSchema *schema, const char *name,
                 const SondeWireLimits *limits, guint64 *heap_bytes, GError **error)
{
  const SondeWireLimits none = { 0 };
  WireScan scan;
  guint64 bookkeeping;

  if (limits == NULL)
    limits = &none;
  /* The frames are filled as they are opened: no need to clear 6 KiB for each record. */
  scan.data = data;
  scan.position = 0;
  scan.schema = schema;
  scan.name = name;
  scan.nesting = MIN (limits->nesting > 0 ? limits->nesting : SONDE_BUDGET_NESTING, MAX_NESTING);
  scan.heap_limit = limits->heap_bytes > 0 ? limits->heap_bytes : default_heap_limit (length);
  scan.counted_message = limits->counted_message;
  scan.counted_limit = limits->counted_limit;
  scan.counted = 0;
  scan.heap = schema->root_bytes + MALLOC_BYTES;
  scan.depth = 0;
  scan.frames[0] = (WireFrame){ .message = schema->root, .name = schema->root_name, .end = length };

  if (length > INT_MAX)
    return scan_fail (&scan, SONDE_DATA_ERROR_LIMIT, 0, NULL, error, "is 2 GiB or larger");

  while (TRUE)
    {
      if (scan.position == scan.frames[scan.depth].end)
        {
          if (scan.depth == 0)
            break;
          close_message (&scan);
          continue;
        }
      if (!scan_field (&scan, error) || !check_heap (&scan, 0, error))
        return FALSE;
    }

  bookkeeping = scan.frames[0].members * MEMBER_BYTES + scan.frames[0].child_peak;
  if (!check_heap (&scan, bookkeeping, error))
    return FALSE;
  if (heap_bytes != NULL)
    *heap_bytes = scan.heap + bookkeeping;
  return TRUE;
}
