/* SPDX-License-Identifier: Apache-2.0
 * Text to ONNX bytes. */
#include "tests/engine/model-text.h"

#include <stdlib.h>
#include <string.h>

#include "data/values/sonde-tensor.h"
#include "tests/data/models/wire-builder.h"

/* Fields of the messages. */
enum
{
  GRAPH_NODE = 1,
  GRAPH_INITIALISER = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  MODEL_IR = 1,
  MODEL_GRAPH = 7,
  MODEL_OPSET = 8,
  MODEL_FUNCTION = 25,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_F = 2,
  ATTRIBUTE_I = 3,
  ATTRIBUTE_S = 4,
  ATTRIBUTE_G = 6,
  ATTRIBUTE_INTS = 8,
  ATTRIBUTE_TYPE = 20,
  TENSOR_RAW = 9,
};

static const struct
{
  const char *name;
  int number;
  SondeDtype dtype;
} dtypes[] = {
  { "f32", 1, SONDE_DTYPE_F32 },  { "u8", 2, SONDE_DTYPE_U8 },    { "i8", 3, SONDE_DTYPE_I8 },
  { "i32", 6, SONDE_DTYPE_I32 },  { "i64", 7, SONDE_DTYPE_I64 },  { "bool", 9, SONDE_DTYPE_BOOL },
  { "f16", 10, SONDE_DTYPE_F16 }, { "f64", 11, SONDE_DTYPE_F64 },
};

typedef struct
{
  GByteArray *graph, *model;
  gboolean has_opset;
  gint64 ir;
} Builder;

static gsize
find_dtype (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, name) == 0)
      return i;
  g_error ("there is no type “%s”", name);
}

/* Splits where @separator stands outside of braces and brackets; empty parts are left out. */
static GPtrArray *
split (const char *text, char separator)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  const char *start = text;
  int depth = 0;

  for (const char *at = text;; at++)
    {
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
      if (*at != '\0' && (*at != separator || depth > 0))
        continue;
      if (at > start)
        {
          char *part = g_strstrip (g_strndup (start, (gsize) (at - start)));

          if (*part != '\0')
            g_ptr_array_add (parts, part);
          else
            g_free (part);
        }
      if (*at == '\0')
        return parts;
      start = at + 1;
    }
}

/* ---- values -------------------------------------------------------------- */

static GByteArray *
shape_message (const char *sizes)
{
  g_auto (GStrv) parts = g_strsplit (sizes, "x", -1);
  GByteArray *shape = wire_new ();

  for (guint i = 0; parts[i] != NULL && strcmp (sizes, "-") != 0; i++)
    {
      GByteArray *dim = wire_new ();

      if (g_ascii_isalpha (*parts[i]))
        wire_text (dim, 2, parts[i]);
      else
        wire_int (dim, 1, g_ascii_strtoll (parts[i], NULL, 10));
      wire_take (shape, 1, dim);
    }
  return shape;
}

/* @words: kind, name, dtype, sizes; the last two may be missing */
static GByteArray *
value_info (GPtrArray *words)
{
  GByteArray *value = wire_value (words->pdata[1]), *tensor = wire_new (), *type = wire_new ();

  if (words->len < 4)
    {
      g_byte_array_unref (tensor);
      g_byte_array_unref (type);
      return value;
    }
  wire_int (tensor, 1, dtypes[find_dtype (words->pdata[2])].number);
  if (strcmp (words->pdata[3], "?") != 0)
    wire_take (tensor, 2, shape_message (words->pdata[3]));
  wire_take (type, 1, tensor);
  wire_take (value, 2, type);
  return value;
}

static GByteArray *
initialiser (GPtrArray *words)
{
  gsize row = find_dtype (words->pdata[2]);
  g_auto (GStrv) sizes = g_strsplit (words->pdata[3], "x", -1);
  g_auto (GStrv) numbers = g_strsplit (words->len > 4 ? words->pdata[4] : "0", ",", -1);
  gint64 dims[32] = { 0 };
  guint rank = strcmp (words->pdata[3], "-") == 0 ? 0 : g_strv_length (sizes),
        given = g_strv_length (numbers);
  SondeShape shape;
  g_autoptr (SondeTensor) tensor = NULL;
  GByteArray *bytes = NULL;

  for (guint d = 0; d < rank; d++)
    dims[d] = g_ascii_strtoll (sizes[d], NULL, 10);
  shape = sonde_shape_from_array ((int) rank, dims);
  tensor = sonde_tensor_new (dtypes[row].dtype, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      const char *number = numbers[MIN (i, (gint64) given - 1)];
      gint64 integer = g_ascii_strtoll (number, NULL, 10);

      if (tensor->dtype == SONDE_DTYPE_I64)
        ((gint64 *) (void *) tensor->data)[i] = integer;
      else
        sonde_tensor_set_double (tensor, i, g_ascii_strtod (number, NULL));
    }
  bytes = wire_tensor (words->pdata[1], dtypes[row].number, rank, dims);
  wire_bytes (bytes, TENSOR_RAW, tensor->data, sonde_tensor_n_bytes (tensor));
  return bytes;
}

/* ---- nodes --------------------------------------------------------------- */

static void build_items (Builder *builder, const char *text);

static GByteArray *
graph_of_text (const char *braced)
{
  g_autofree char *inner = g_strndup (braced + 1, strlen (braced) - 2);
  Builder builder = { wire_new (), wire_new (), FALSE, 0 };

  build_items (&builder, inner);
  g_byte_array_unref (builder.model);
  return builder.graph;
}

static void
set_ints (GByteArray *attribute, const char *list)
{
  g_autofree char *inner = g_strndup (list + 1, strlen (list) - 2);
  g_auto (GStrv) numbers = g_strsplit (inner, ",", -1);

  for (guint i = 0; numbers[i] != NULL && *inner != '\0'; i++)
    wire_int (attribute, ATTRIBUTE_INTS, g_ascii_strtoll (numbers[i], NULL, 10));
  wire_int (attribute, ATTRIBUTE_TYPE, 7);
}

static GByteArray *
attribute_message (const char *text)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = g_strndup (text, (gsize) (equals - text));
  const char *value = equals + 1;
  GByteArray *attribute = wire_new ();

  wire_text (attribute, ATTRIBUTE_NAME, name);
  if (*value == '[')
    set_ints (attribute, value);
  else if (*value == '\'')
    {
      wire_bytes (attribute, ATTRIBUTE_S, value + 1, strlen (value) - 2);
      wire_int (attribute, ATTRIBUTE_TYPE, 3);
    }
  else if (*value == '{')
    {
      wire_take (attribute, ATTRIBUTE_G, graph_of_text (value));
      wire_int (attribute, ATTRIBUTE_TYPE, 5);
    }
  else if (strchr (value, '.') != NULL)
    {
      wire_float (attribute, ATTRIBUTE_F, (float) g_ascii_strtod (value, NULL));
      wire_int (attribute, ATTRIBUTE_TYPE, 1);
    }
  else
    {
      wire_int (attribute, ATTRIBUTE_I, g_ascii_strtoll (value, NULL, 10));
      wire_int (attribute, ATTRIBUTE_TYPE, 2);
    }
  return attribute;
}

/* "a,_,b" as wire_node() wants it: "a - b" */
static char *
names_of (const char *list)
{
  char *names = g_strdup (strcmp (list, "-") == 0 ? "" : list);

  for (char *at = names; *at != '\0'; at++)
    *at = *at == ','                                                                        ? ' '
          : *at == '_' && (at[1] == ',' || at[1] == '\0') && (at == names || at[-1] == ' ') ? '-'
                                                                                            : *at;
  return names;
}

static GByteArray *
node_message (GPtrArray *words)
{
  const char *op = words->pdata[1], *colon = strchr (op, ':');
  g_autofree char *inputs = names_of (words->pdata[2]), *outputs = names_of (words->pdata[3]);
  GByteArray *node = wire_node (colon ? colon + 1 : op, inputs, outputs);

  if (colon != NULL)
    {
      g_autofree char *domain = g_strndup (op, (gsize) (colon - op));

      wire_text (node, NODE_DOMAIN, domain);
    }
  for (guint i = 4; i < words->len; i++)
    wire_take (node, NODE_ATTRIBUTE, attribute_message (words->pdata[i]));
  return node;
}

/* ---- items --------------------------------------------------------------- */

static GByteArray *
opset_message (const char *domain, gint64 version)
{
  GByteArray *opset = wire_new ();

  if (strcmp (domain, "-") != 0)
    wire_text (opset, 1, domain);
  wire_int (opset, 2, version);
  return opset;
}

static GByteArray *
function_message (GPtrArray *words)
{
  GByteArray *function = wire_new ();
  g_autofree char *inner = g_strndup ((char *) words->pdata[5] + 1, strlen (words->pdata[5]) - 2);
  g_autoptr (GPtrArray) items = split (inner, ';');

  wire_text (function, 1, words->pdata[2]);
  wire_text (function, 4, words->pdata[3]);
  wire_text (function, 5, words->pdata[4]);
  for (guint i = 0; i < items->len; i++)
    {
      g_autoptr (GPtrArray) node = split (items->pdata[i], ' ');

      wire_take (function, 7, node_message (node));
    }
  wire_take (function, 9, opset_message ("-", 17));
  wire_take (function, 9, opset_message (words->pdata[1], 1));
  wire_text (function, 10, words->pdata[1]);
  return function;
}

static void
build_item (Builder *builder, const char *item)
{
  g_autoptr (GPtrArray) words = split (item, ' ');
  const char *kind = words->pdata[0];

  if (strcmp (kind, "in") == 0)
    wire_take (builder->graph, GRAPH_INPUT, value_info (words));
  else if (strcmp (kind, "out") == 0)
    wire_take (builder->graph, GRAPH_OUTPUT, value_info (words));
  else if (strcmp (kind, "const") == 0)
    wire_take (builder->graph, GRAPH_INITIALISER, initialiser (words));
  else if (strcmp (kind, "node") == 0)
    wire_take (builder->graph, GRAPH_NODE, node_message (words));
  else if (strcmp (kind, "function") == 0)
    wire_take (builder->model, MODEL_FUNCTION, function_message (words));
  else if (strcmp (kind, "ir") == 0)
    builder->ir = g_ascii_strtoll (words->pdata[1], NULL, 10);
  else if (strcmp (kind, "opset") == 0)
    {
      builder->has_opset = TRUE;
      if (strcmp (words->pdata[2], "-") != 0)
        wire_take (builder->model, MODEL_OPSET,
                   opset_message (words->pdata[1], g_ascii_strtoll (words->pdata[2], NULL, 10)));
    }
  else
    g_error ("“%s” is no item", item);
}

static void
build_items (Builder *builder, const char *text)
{
  g_autoptr (GPtrArray) items = split (text, ';');

  for (guint i = 0; i < items->len; i++)
    build_item (builder, items->pdata[i]);
}

GByteArray *
model_of_text (const char *text)
{
  Builder builder = { wire_new (), wire_new (), FALSE, 8 };

  build_items (&builder, text);
  wire_int (builder.model, MODEL_IR, builder.ir);
  if (!builder.has_opset)
    wire_take (builder.model, MODEL_OPSET, opset_message ("-", 17));
  wire_take (builder.model, MODEL_GRAPH, builder.graph);
  return builder.model;
}
