/* SPDX-License-Identifier: Apache-2.0
 * The head of a payload. Numbers are those of sonde-record.proto. */
#include "data/records/sonde-record-head-private.h"

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/sonde-tag-table-private.h"

enum
{
  FIELD_KIND = 1,
  FIELD_STEP = 2,
  FIELD_WALL_TIME = 3,
  FIELD_SESSION = 4,
  FIELD_TAG = 5,
  FIELD_DECLARATION = 6,
  FIELD_SCALARS = 22,
};

static gboolean
damaged (GError **error, const char *message)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "%-s", message);
  return FALSE;
}

/* TagDeclaration: 1 id, 2 name. */
static gboolean
declare (SondeTagTable *table, const SondeWireItem *declaration, SondeRecordDeclared declared,
         gpointer data, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (declaration);
  SondeWireItem item, name = { 0 };
  g_autofree char *text = NULL;
  SondeWireStep step;
  guint32 id = 0;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_VARINT)
      id = (guint32) item.value;
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      name = item;
  if (step == SONDE_WIRE_BROKEN)
    return damaged (error, N_ ("Record.declarations is not a valid message"));
  text = sonde_record_dup_text (name.bytes, name.length);
  if (!sonde_tag_table_declare (table, id, text, error))
    return FALSE;
  if (declared != NULL)
    declared (id, data);
  return TRUE;
}

static gboolean
has_right_type (const SondeWireItem *item)
{
  switch (item->number)
    {
    case FIELD_WALL_TIME:
      return item->type == SONDE_WIRE_FIXED64;
    case FIELD_KIND:
    case FIELD_STEP:
    case FIELD_SESSION:
    case FIELD_TAG:
      return item->type == SONDE_WIRE_VARINT;
    case FIELD_DECLARATION:
    case FIELD_SCALARS:
      return item->type == SONDE_WIRE_BYTES;
    default:
      return TRUE;
    }
}

static gboolean
declare_again (guint *n, SondeTagTable *table, const SondeWireItem *item,
               SondeRecordDeclared declared, gpointer data, GError **error)
{
  if (++*n <= SONDE_TAG_TABLE_MAX_TAGS)
    return declare (table, item, declared, data, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "Record declares more than %d tags", SONDE_TAG_TABLE_MAX_TAGS);
  return FALSE;
}

gboolean
sonde_record_head_read (SondeRecordHead *head, const guint8 *payload, gsize length,
                        SondeTagTable *table, SondeRecordDeclared declared, gpointer data,
                        GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (payload, length);
  guint n_declared = 0;
  SondeWireItem item;
  SondeWireStep step;

  *head = (SondeRecordHead){ .tag = SONDE_RECORD_NO_TAG };
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    switch (has_right_type (&item) ? item.number : 0)
      {
      case 0:
        return damaged (error, N_ ("Record has a field of the wrong wire type"));
      case FIELD_KIND:
        head->kind = (guint32) item.value;
        break;
      case FIELD_STEP:
        head->step = (gint64) (item.value >> 1) ^ -(gint64) (item.value & 1);
        break;
      case FIELD_WALL_TIME:
        head->wall_time_ns = (gint64) item.value;
        break;
      case FIELD_SESSION:
        head->session = (guint32) item.value;
        break;
      case FIELD_TAG:
        head->tag = (guint32) item.value;
        break;
      case FIELD_DECLARATION:
        if (!declare_again (&n_declared, table, &item, declared, data, error))
          return FALSE;
        break;
      case FIELD_SCALARS:
        head->scalars = item;
        break;
      default:;
      }
  return step == SONDE_WIRE_END || damaged (error, N_ ("Record is not a valid message"));
}

/* Scalars: 1 tags, 2 values, both packed. */
gboolean
sonde_record_scalars_init (SondeRecordScalars *scalars, const SondeRecordHead *head, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (&head->scalars);
  SondeWireItem item, tags = { 0 }, values = { 0 };
  gsize n_tags = 0, n_values;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number <= 2 && item.type != SONDE_WIRE_BYTES)
      return damaged (error, N_ ("scalars has a list that is not packed"));
    else if (item.number == 1)
      tags = item;
    else if (item.number == 2)
      values = item;
  if (step == SONDE_WIRE_BROKEN)
    return damaged (error, N_ ("scalars is not a valid message"));
  for (gsize i = 0; i < tags.length; i++)
    n_tags += tags.bytes[i] < 0x80;
  n_values = values.length / sizeof (double);
  *scalars = (SondeRecordScalars){ sonde_wire_item_cursor (&tags), values.bytes, n_values };
  if (n_tags == n_values && values.length % sizeof (double) == 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "scalars has %zu tags and %zu values", n_tags, n_values);
  return FALSE;
}
