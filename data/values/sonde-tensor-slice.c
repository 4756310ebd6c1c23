/* SPDX-License-Identifier: Apache-2.0
 * NumPy's basic indexing: "0, :, 2:8:2, ..., -1, None". The text comes from a user or a socket. */
#include "data/values/sonde-tensor-private.h"

#include "data/base/sonde-error.h"

#include <string.h>

typedef enum
{
  ITEM_INDEX,
  ITEM_RANGE,
  ITEM_ELLIPSIS,
  ITEM_NEW_AXIS,
} ItemKind;

/* Has-flags are needed because the defaults of a range depend on the sign of its step. */
typedef struct
{
  ItemKind kind;
  gsize position; /* of the item in the expression */
  gint64 start, stop, step;
  gboolean has_start, has_stop;
} Item;

#define MAX_ITEMS (2 * SONDE_MAX_RANK + 1)

typedef struct
{
  const char *expression;
  const char *at;
  Item items[MAX_ITEMS];
  int n_items;
} Parser;

static gboolean slice_fail (const Parser *parser, gsize position, GError **error,
                            const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
slice_fail (const Parser *parser, gsize position, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "slice “%s”, position %zu: ", parser->expression, position + 1);
  return FALSE;
}

static gsize
position (const Parser *parser)
{
  return (gsize) (parser->at - parser->expression);
}

static void
skip_spaces (Parser *parser)
{
  parser->at += strspn (parser->at, " \t");
}

static gboolean
accept (Parser *parser, const char *token)
{
  skip_spaces (parser);
  if (!g_str_has_prefix (parser->at, token))
    return FALSE;
  parser->at += strlen (token);
  return TRUE;
}

/* A number where one may stand; numbers beyond 2^62 are cut, which changes no slice. */
static gboolean
parse_number (Parser *parser, gint64 *number, gboolean *present, GError **error)
{
  const gint64 limit = (gint64) 1 << 62;
  gsize start;
  gboolean negative;
  gint64 value = 0;

  skip_spaces (parser);
  start = position (parser);
  negative = *parser->at == '-';
  if (*parser->at == '-' || *parser->at == '+')
    parser->at++;
  *present = g_ascii_isdigit (*parser->at);
  if (!*present && position (parser) > start)
    return slice_fail (parser, start, error, "a number is missing after the sign");
  for (; g_ascii_isdigit (*parser->at); parser->at++)
    value = MIN (value, (limit - 9) / 10) * 10 + (*parser->at - '0');
  *number = negative ? -value : value;
  return TRUE;
}

static gboolean
parse_range (Parser *parser, Item *item, GError **error)
{
  gboolean has_step = FALSE;
  gsize start = position (parser);

  item->kind = ITEM_RANGE;
  item->step = 1;
  if (!parse_number (parser, &item->stop, &item->has_stop, error))
    return FALSE;
  if (accept (parser, ":") && !parse_number (parser, &item->step, &has_step, error))
    return FALSE;
  if (!has_step)
    item->step = 1;
  if (item->step == 0)
    return slice_fail (parser, start, error, "the step may not be 0");
  return TRUE;
}

static gboolean
parse_item (Parser *parser, Item *item, GError **error)
{
  skip_spaces (parser);
  item->position = position (parser);
  if (accept (parser, "..."))
    {
      item->kind = ITEM_ELLIPSIS;
      return TRUE;
    }
  if (accept (parser, "None") || accept (parser, "newaxis"))
    {
      item->kind = ITEM_NEW_AXIS;
      return TRUE;
    }
  if (!parse_number (parser, &item->start, &item->has_start, error))
    return FALSE;
  if (accept (parser, ":"))
    return parse_range (parser, item, error);
  if (!item->has_start)
    return slice_fail (parser, item->position, error,
                       "here an index, start:stop:step, “...” or “None” is expected");
  item->kind = ITEM_INDEX;
  return TRUE;
}

static gboolean
parse (Parser *parser, GError **error)
{
  skip_spaces (parser);
  while (*parser->at != '\0')
    {
      if (parser->n_items == MAX_ITEMS)
        return slice_fail (parser, position (parser), error, "more than %d parts", MAX_ITEMS);
      if (!parse_item (parser, &parser->items[parser->n_items], error))
        return FALSE;
      parser->n_items++;
      skip_spaces (parser);
      if (*parser->at != '\0' && !accept (parser, ","))
        return slice_fail (parser, position (parser), error, "a comma is expected before “%s”",
                           parser->at);
      skip_spaces (parser); /* a comma at the end is fine, as in NumPy */
    }
  return TRUE;
}

/* The view under construction. */
typedef struct
{
  SondeShape shape;
  gint64 strides[SONDE_MAX_RANK];
  gint64 offset;
  int next; /* dimension of the tensor */
} View;

static gboolean
push (const Parser *parser, View *view, gsize at, gint64 size, gint64 stride, GError **error)
{
  if (view->shape.rank == SONDE_MAX_RANK)
    return slice_fail (parser, at, error, "the result would have more than %d dimensions",
                       SONDE_MAX_RANK);
  view->shape.dims[view->shape.rank] = size;
  view->strides[view->shape.rank] = stride;
  view->shape.rank++;
  return TRUE;
}

static gboolean
apply_index (const Parser *parser, const SondeTensor *tensor, const Item *item, View *view,
             GError **error)
{
  gint64 size = tensor->shape.dims[view->next];
  gint64 index = item->start < 0 ? item->start + size : item->start;

  if (index < 0 || index >= size)
    return slice_fail (parser, item->position, error,
                       "index %" PRIi64 " is outside dimension %d of size %" PRIi64, item->start,
                       view->next, size);
  view->offset += index * tensor->strides[view->next];
  view->next++;
  return TRUE;
}

/* Python's slice.indices(): negative numbers count from the end, then all is cut to what exists. */
static gboolean
apply_range (const Parser *parser, const SondeTensor *tensor, const Item *item, View *view,
             GError **error)
{
  gint64 size = tensor->shape.dims[view->next], stride = tensor->strides[view->next];
  gint64 low = item->step > 0 ? 0 : -1, high = item->step > 0 ? size : size - 1;
  gint64 start = item->step > 0 ? low : high, stop = item->step > 0 ? high : low;
  gint64 span, count;

  if (item->has_start)
    start = CLAMP (item->start < 0 ? item->start + size : item->start, low, high);
  if (item->has_stop)
    stop = CLAMP (item->stop < 0 ? item->stop + size : item->stop, low, high);

  span = item->step > 0 ? stop - start : start - stop;
  count = span > 0 ? (span - 1) / ABS (item->step) + 1 : 0;
  if (count > 0)
    view->offset += start * stride;
  view->next++;
  /* with one element the stride is never used; the product could overflow */
  return push (parser, view, item->position, count, count > 1 ? stride * item->step : stride,
               error);
}

static gboolean
apply_rest (const Parser *parser, const SondeTensor *tensor, gsize at, int n_dims, View *view,
            GError **error)
{
  for (int i = 0; i < n_dims; i++, view->next++)
    {
      if (!push (parser, view, at, tensor->shape.dims[view->next], tensor->strides[view->next],
                 error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
apply (const Parser *parser, const SondeTensor *tensor, int n_open, const Item *item, View *view,
       GError **error)
{
  switch (item->kind)
    {
    case ITEM_INDEX:
      return apply_index (parser, tensor, item, view, error);
    case ITEM_RANGE:
      return apply_range (parser, tensor, item, view, error);
    case ITEM_NEW_AXIS:
      return push (parser, view, item->position, 1, 0, error);
    case ITEM_ELLIPSIS:
    default:
      return apply_rest (parser, tensor, item->position, n_open, view, error);
    }
}

/* How many dimensions the items do not name; -1 with @error when they name too many. */
static int
count_open (const Parser *parser, const SondeTensor *tensor, GError **error)
{
  int n_used = 0, n_ellipses = 0;

  for (int i = 0; i < parser->n_items; i++)
    {
      const Item *item = &parser->items[i];

      n_used += item->kind == ITEM_INDEX || item->kind == ITEM_RANGE;
      n_ellipses += item->kind == ITEM_ELLIPSIS;
      if (n_ellipses > 1)
        {
          slice_fail (parser, item->position, error, "a second “...”; only one can fill up");
          return -1;
        }
      if (n_used > tensor->shape.rank)
        {
          g_autofree char *shape = sonde_shape_to_string (&tensor->shape);

          slice_fail (parser, item->position, error,
                      "there is no dimension %d: the shape is %s, of %d dimensions", n_used - 1,
                      shape, tensor->shape.rank);
          return -1;
        }
    }
  return tensor->shape.rank - n_used;
}

SondeTensor *
sonde_tensor_slice (SondeTensor *tensor, const char *expression, GError **error)
{
  Parser parser = { .expression = expression, .at = expression };
  View view = { .offset = 0 };
  int n_open;

  if (expression == NULL)
    return sonde_tensor_ref (tensor);
  if (!parse (&parser, error))
    return NULL;
  n_open = count_open (&parser, tensor, error);
  if (n_open < 0)
    return NULL;

  for (int i = 0; i < parser.n_items; i++)
    {
      if (!apply (&parser, tensor, n_open, &parser.items[i], &view, error))
        return NULL;
    }
  if (!apply_rest (&parser, tensor, position (&parser), tensor->shape.rank - view.next, &view,
                   error))
    return NULL;
  return sonde_tensor_new_view (tensor, &view.shape, view.strides, view.offset);
}
