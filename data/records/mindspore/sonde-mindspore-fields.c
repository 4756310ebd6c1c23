/* SPDX-License-Identifier: Apache-2.0
 * Protobuf messages of MindSpore by tables. */
#include "data/records/mindspore/sonde-mindspore-fields-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-wire-private.h"

static const guint8 wire_types[] = {
  [SONDE_MINDSPORE_INT] = SONDE_WIRE_VARINT,    [SONDE_MINDSPORE_DOUBLE] = SONDE_WIRE_FIXED64,
  [SONDE_MINDSPORE_FLOAT] = SONDE_WIRE_FIXED32, [SONDE_MINDSPORE_BYTES] = SONDE_WIRE_BYTES,
  [SONDE_MINDSPORE_INTS] = SONDE_WIRE_VARINT,   [SONDE_MINDSPORE_FLOATS] = SONDE_WIRE_FIXED32,
  [SONDE_MINDSPORE_ITEMS] = SONDE_WIRE_BYTES,
};

gboolean
sonde_mindspore_damaged (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, format, arguments);
  va_end (arguments);
  return FALSE;
}

char *
sonde_mindspore_dup_text (const SondeWireItem *item)
{
  return sonde_record_dup_text (item->bytes, item->length);
}

gboolean
sonde_mindspore_check (const SondeWireItem *message, const char *name, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    ;
  return step == SONDE_WIRE_END
         || sonde_mindspore_damaged (error, "%s is not a valid message", name);
}

static GArray *
array_at (gpointer place, gsize element_bytes)
{
  GArray **array = place;

  if (*array == NULL)
    *array = g_array_new (FALSE, FALSE, (guint) element_bytes);
  return *array;
}

static gboolean
append (const SondeMindsporeField *field, gpointer place, const void *element, gsize bytes,
        GError **error)
{
  GArray *array = array_at (place, bytes);

  if (array->len < SONDE_MINDSPORE_MAX_ELEMENTS)
    {
      g_array_append_vals (array, element, 1);
      return TRUE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT, "%s has more than %u elements",
                   field->name, SONDE_MINDSPORE_MAX_ELEMENTS);
  return FALSE;
}

static gboolean
take_packed (const SondeMindsporeField *field, const SondeWireItem *item, gpointer place,
             GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  SondeWireItem element = { 0 };

  while (cursor.at != cursor.end)
    {
      gint64 number;
      double value;

      if (field->kind == SONDE_MINDSPORE_INTS ? !sonde_wire_take_varint (&cursor, &element.value)
                                              : !sonde_wire_take_fixed (&cursor, 4, &element.value))
        return sonde_mindspore_damaged (error, "%s ends inside an element", field->name);
      number = (gint64) element.value;
      value = sonde_wire_item_float (&element);
      if (!append (field, place, field->kind == SONDE_MINDSPORE_INTS ? (void *) &number : &value, 8,
                   error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_field (const SondeMindsporeField *field, const SondeWireItem *item, gpointer place,
            GError **error)
{
  gint64 number = (gint64) item->value;
  double value = sonde_wire_item_float (item);

  if (item->type != wire_types[field->kind])
    {
      if (item->type == SONDE_WIRE_BYTES
          && (field->kind == SONDE_MINDSPORE_INTS || field->kind == SONDE_MINDSPORE_FLOATS))
        return take_packed (field, item, place, error);
      return sonde_mindspore_damaged (error, "%s has the wrong wire type", field->name);
    }
  switch (field->kind)
    {
    case SONDE_MINDSPORE_INT:
      *(gint64 *) place = number;
      return TRUE;
    case SONDE_MINDSPORE_DOUBLE:
      *(double *) place = sonde_wire_item_double (item);
      return TRUE;
    case SONDE_MINDSPORE_FLOAT:
      *(double *) place = value;
      return TRUE;
    case SONDE_MINDSPORE_BYTES:
      *(SondeWireItem *) place = *item;
      return TRUE;
    case SONDE_MINDSPORE_INTS:
      return append (field, place, &number, sizeof number, error);
    case SONDE_MINDSPORE_FLOATS:
      return append (field, place, &value, sizeof value, error);
    case SONDE_MINDSPORE_ITEMS:
    default:
      return append (field, place, item, sizeof *item, error);
    }
}

gboolean
sonde_mindspore_take (const SondeWireItem *message, const SondeMindsporeField *fields,
                      gsize n_fields, gpointer into, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    for (gsize i = 0; i < n_fields; i++)
      if (fields[i].number == item.number
          && !take_field (&fields[i], &item, (guint8 *) into + fields[i].offset, error))
        return FALSE;
  if (step == SONDE_WIRE_END)
    return TRUE;
  return sonde_mindspore_damaged (error, "The message of %s is truncated or not valid",
                                  fields[0].name);
}
