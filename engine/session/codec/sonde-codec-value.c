/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-value.h"

#include <string.h>

#define MAX_DEPTH 32 /* of values inside values */

/* Values of it are whole numbers, as which truth counts. */
static gboolean
is_integer (const GVariantType *type)
{
  return strchr ("bynqiuxt", g_variant_type_peek_string (type)[0]) != NULL;
}

/* ---- writing ------------------------------------------------------------- */

static Sonde__Session__CallValue *write_any (GPtrArray *memory, GVariant *value);

static gint64
integer_of (GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      return g_variant_get_boolean (value);
    case G_VARIANT_CLASS_BYTE:
      return g_variant_get_byte (value);
    case G_VARIANT_CLASS_INT16:
      return g_variant_get_int16 (value);
    case G_VARIANT_CLASS_UINT16:
      return g_variant_get_uint16 (value);
    case G_VARIANT_CLASS_INT32:
      return g_variant_get_int32 (value);
    case G_VARIANT_CLASS_UINT32:
      return g_variant_get_uint32 (value);
    case G_VARIANT_CLASS_UINT64:
      return (gint64) g_variant_get_uint64 (value); /* the same bits */
    default:
      return g_variant_get_int64 (value);
    }
}

/* Numbers of one type, side by side. */
static void
write_doubles (GPtrArray *memory, GVariant *value, Sonde__Session__CallValue *message)
{
  const double *numbers = g_variant_get_fixed_array (value, &message->n_numbers, sizeof (double));

  message->numbers = sonde_codec_alloc (memory, message->n_numbers * sizeof (double));
  if (message->n_numbers > 0)
    memcpy (message->numbers, numbers, message->n_numbers * sizeof (double));
}

static void
write_integers (GPtrArray *memory, GVariant *value, Sonde__Session__CallValue *message)
{
  message->n_integers = g_variant_n_children (value);
  message->integers = sonde_codec_alloc (memory, message->n_integers * sizeof (gint64));
  for (gsize i = 0; i < message->n_integers; i++)
    {
      g_autoptr (GVariant) member = g_variant_get_child_value (value, i);

      message->integers[i] = integer_of (member);
    }
}

static void
write_members (GPtrArray *memory, GVariant *value, Sonde__Session__CallValue *message)
{
  message->n_members = g_variant_n_children (value);
  message->members = sonde_codec_list (memory, message->n_members);
  for (gsize i = 0; i < message->n_members; i++)
    {
      g_autoptr (GVariant) member = g_variant_get_child_value (value, i);

      message->members[i] = write_any (memory, member);
    }
}

static Sonde__Session__CallValue *
write_any (GPtrArray *memory, GVariant *value)
{
  Sonde__Session__CallValue *message
      = sonde_codec_new (memory, &sonde__session__call_value__descriptor);

  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_DOUBLE:
      message->number = g_variant_get_double (value);
      break;
    case G_VARIANT_CLASS_STRING:
      message->text = sonde_codec_text (memory, g_variant_get_string (value, NULL));
      break;
    case G_VARIANT_CLASS_VARIANT:
      {
        g_autoptr (GVariant) inner = g_variant_get_variant (value);

        message->n_members = 1;
        message->members = sonde_codec_list (memory, 1);
        message->members[0] = sonde_codec_write_value (memory, inner);
        break;
      }
    case G_VARIANT_CLASS_ARRAY:
      if (g_variant_is_of_type (value, G_VARIANT_TYPE ("ad")))
        write_doubles (memory, value, message);
      else if (is_integer (g_variant_type_element (g_variant_get_type (value))))
        write_integers (memory, value, message);
      else
        write_members (memory, value, message);
      break;
    case G_VARIANT_CLASS_TUPLE:
    case G_VARIANT_CLASS_DICT_ENTRY:
      write_members (memory, value, message);
      break;
    default:
      message->integer = integer_of (value);
      break;
    }
  return message;
}

Sonde__Session__CallValue *
sonde_codec_write_value (GPtrArray *memory, GVariant *value)
{
  Sonde__Session__CallValue *message = write_any (memory, value);

  message->type = sonde_codec_text (memory, g_variant_get_type_string (value));
  return message;
}

/* ---- reading ------------------------------------------------------------- */

static GVariant *read_typed (const Sonde__Session__CallValue *message, guint depth);
static GVariant *read_any (const Sonde__Session__CallValue *message, const GVariantType *type,
                           guint depth);

static GVariant *
make_integer (gint64 integer, const GVariantType *type)
{
  switch (g_variant_type_peek_string (type)[0])
    {
    case 'b':
      return g_variant_new_boolean (integer != 0);
    case 'y':
      return g_variant_new_byte ((guint8) integer);
    case 'n':
      return g_variant_new_int16 ((gint16) integer);
    case 'q':
      return g_variant_new_uint16 ((guint16) integer);
    case 'i':
      return g_variant_new_int32 ((gint32) integer);
    case 'u':
      return g_variant_new_uint32 ((guint32) integer);
    case 'x':
      return g_variant_new_int64 (integer);
    default:
      return g_variant_new_uint64 ((guint64) integer);
    }
}

static GVariant *
read_basic (const Sonde__Session__CallValue *message, const GVariantType *type)
{
  if (is_integer (type))
    return make_integer (message->integer, type);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE))
    return g_variant_new_double (message->number);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    return g_variant_new_take_string (sonde_codec_dup (message->text));
  return NULL; /* object paths, signatures, handles: no call has them */
}

/* Members of types that follow each other, of a tuple or the entry of a map. */
static gboolean
read_each (const Sonde__Session__CallValue *message, const GVariantType *type, guint depth,
           GPtrArray *members)
{
  const GVariantType *next = g_variant_type_first (type);

  for (gsize i = 0; i < message->n_members && next != NULL; i++)
    {
      GVariant *member = read_any (message->members[i], next, depth);

      if (member == NULL)
        return FALSE;
      g_ptr_array_add (members, g_variant_ref_sink (member));
      next = g_variant_type_next (next);
    }
  return next == NULL && members->len == message->n_members;
}

static GVariant *
read_array (const Sonde__Session__CallValue *message, const GVariantType *type, guint depth)
{
  const GVariantType *element = g_variant_type_element (type);
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);

  if (g_variant_type_equal (element, G_VARIANT_TYPE_DOUBLE))
    return g_variant_new_fixed_array (element, message->numbers, message->n_numbers,
                                      sizeof (double));
  for (gsize i = 0; is_integer (element) && i < message->n_integers; i++)
    g_ptr_array_add (members, g_variant_ref_sink (make_integer (message->integers[i], element)));
  for (gsize i = 0; !is_integer (element) && i < message->n_members; i++)
    {
      GVariant *member = read_any (message->members[i], element, depth);

      if (member == NULL)
        return NULL;
      g_ptr_array_add (members, g_variant_ref_sink (member));
    }
  return g_variant_new_array (element, (GVariant *const *) members->pdata, members->len);
}

/* Floating; NULL where the message is no value of that type. */
static GVariant *
read_any (const Sonde__Session__CallValue *message, const GVariantType *type, guint depth)
{
  g_autoptr (GPtrArray) members = NULL;

  if (depth > MAX_DEPTH)
    return NULL;
  if (g_variant_type_is_variant (type))
    {
      GVariant *inner
          = message->n_members == 1 ? read_typed (message->members[0], depth + 1) : NULL;

      return inner != NULL ? g_variant_new_variant (inner) : NULL;
    }
  if (g_variant_type_is_basic (type))
    return read_basic (message, type);
  if (g_variant_type_is_array (type))
    return read_array (message, type, depth + 1);
  if (!g_variant_type_is_tuple (type) && !g_variant_type_is_dict_entry (type))
    return NULL;
  members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  if (!read_each (message, type, depth + 1, members))
    return NULL;
  return g_variant_type_is_tuple (type)
             ? g_variant_new_tuple ((GVariant *const *) members->pdata, members->len)
             : g_variant_new_dict_entry (members->pdata[0], members->pdata[1]);
}

static GVariant *
read_typed (const Sonde__Session__CallValue *message, guint depth)
{
  if (!g_variant_type_string_is_valid (message->type)
      || !g_variant_type_is_definite (G_VARIANT_TYPE (message->type)))
    return NULL;
  return read_any (message, G_VARIANT_TYPE (message->type), depth);
}

GVariant *
sonde_codec_read_value (const Sonde__Session__CallValue *message)
{
  GVariant *value = message != NULL ? read_typed (message, 0) : NULL;

  return value != NULL ? g_variant_ref_sink (value) : NULL;
}
