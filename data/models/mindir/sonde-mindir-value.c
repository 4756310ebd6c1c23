/* SPDX-License-Identifier: Apache-2.0
 * Attributes and constants of a MindIR file. Elements of a sequence keep their number in the list
 * fields, single ones in the plain fields; files of the first releases say in a text which of their
 * neighbours a sequence is made of. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/mindir/sonde-mindir-reader.h"

#define TYPE(NAME) MIND_IR__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##NAME

static const char *
copy_text (SondeMindirReader *reader, ProtobufCBinaryData text)
{
  char *copy = g_strndup ((const char *) text.data, text.len);

  g_ptr_array_add (reader->file->memory->blocks, copy);
  return copy;
}

static gboolean
read_number (const MindIr__AttributeProto *proto, SondeMindirValue *value)
{
  value->kind = SONDE_MINDIR_INT;
  value->is_bool = proto->has_type && proto->type == TYPE (BOOL);
  if (proto->has_i)
    value->i = proto->i;
  else if (proto->n_ints > 0)
    value->i = proto->ints[0];
  else
    value->kind = SONDE_MINDIR_FLOAT;
  if (value->kind == SONDE_MINDIR_INT)
    return TRUE;
  if (proto->has_f)
    value->f = (double) proto->f;
  else if (proto->has_d)
    value->f = proto->d;
  else if (proto->n_floats > 0)
    value->f = (double) proto->floats[0];
  else if (proto->n_doubles > 0)
    value->f = proto->doubles[0];
  else
    return FALSE;
  return TRUE;
}

static gboolean
read_text (SondeMindirReader *reader, const MindIr__AttributeProto *proto, SondeMindirValue *value)
{
  if (!proto->has_s && proto->n_strings == 0)
    return FALSE;
  value->kind = SONDE_MINDIR_STRING;
  value->string = copy_text (reader, proto->has_s ? proto->s : proto->strings[0]);
  return TRUE;
}

static const MindIr__TensorProto *
find_tensor (const MindIr__AttributeProto *proto)
{
  return proto->t != NULL ? proto->t : proto->n_tensors > 0 ? proto->tensors[0] : NULL;
}

static gboolean
take_tensor (SondeMindirReader *reader, const MindIr__TensorProto *proto, const char *what,
             gboolean described, SondeMindirValue *value, GError **error)
{
  value->kind = SONDE_MINDIR_TENSOR;
  if (!sonde_mindir_read_type (reader, proto, what, &value->type, error))
    return FALSE;
  if (described)
    return TRUE;
  value->tensor = sonde_mindir_read_tensor (reader, proto, what, error);
  return value->tensor != NULL;
}

static gboolean
take_items (SondeMindirReader *reader, const MindIr__AttributeProto *proto, const char *what,
            gboolean described, SondeMindirValue *value, GError **error)
{
  value->kind = SONDE_MINDIR_SEQUENCE;
  value->n = (guint) proto->n_values;
  value->items = sonde_mindir_reader_take (reader, value->n, sizeof *value, error);
  for (guint i = 0; i < value->n && value->items != NULL; i++)
    if (!sonde_mindir_read_value (reader, proto->values[i], what, described, &value->items[i],
                                  error))
      return FALSE;
  return value->items != NULL;
}

/* Several tensors, or several numbers in one attribute. */
static gboolean
take_list (SondeMindirReader *reader, const MindIr__AttributeProto *proto, const char *what,
           gboolean described, SondeMindirValue *value, GError **error)
{
  const gsize n = MAX (MAX (proto->n_ints, proto->n_floats), proto->n_tensors);

  value->kind = SONDE_MINDIR_SEQUENCE;
  value->n = (guint) n;
  value->items = sonde_mindir_reader_take (reader, n, sizeof *value, error);
  if (value->items == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      SondeMindirValue *item = &value->items[i];

      item->kind = proto->n_ints > 0 ? SONDE_MINDIR_INT : SONDE_MINDIR_FLOAT;
      if (proto->n_ints > 0)
        item->i = proto->ints[i];
      else if (proto->n_floats > 0)
        item->f = (double) proto->floats[i];
      else if (!take_tensor (reader, proto->tensors[i], what, described, item, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_monad (const MindIr__AttributeProto *proto)
{
  return proto->has_type && (proto->type == TYPE (UMONAD) || proto->type == TYPE (IOMONAD));
}

static gboolean
is_sequence (const MindIr__AttributeProto *proto)
{
  return proto->n_values > 0
         || (proto->has_type && (proto->type == TYPE (TUPLE) || proto->type == TYPE (LIST)));
}

gboolean
sonde_mindir_read_value (SondeMindirReader *reader, const MindIr__AttributeProto *proto,
                         const char *what, gboolean described, SondeMindirValue *value,
                         GError **error)
{
  const MindIr__TensorProto *tensor = find_tensor (proto);

  value->name = proto->name;
  value->type = sonde_type_unknown ();
  if (is_monad (proto))
    value->kind = SONDE_MINDIR_MONAD;
  else if (is_sequence (proto))
    return take_items (reader, proto, what, described, value, error);
  else if (proto->n_tensors > 1 || proto->n_ints > 1 || proto->n_floats > 1)
    return take_list (reader, proto, what, described, value, error);
  else if (tensor != NULL)
    return take_tensor (reader, tensor, what, described, value, error);
  else if (!read_number (proto, value) && !read_text (reader, proto, value))
    value->kind = !proto->has_type || proto->type == TYPE (NONE) || proto->type == TYPE (TYPE_NULL)
                      ? SONDE_MINDIR_NONE
                      : SONDE_MINDIR_OTHER;
  return TRUE;
}
