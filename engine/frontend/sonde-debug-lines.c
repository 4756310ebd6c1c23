/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-lines.h"

#include <string.h>

#define OP_COLUMN 10     /* characters; a longer operator moves the rest of its line */
#define USUAL "float32 " /* a type that need not be said */
#define OWN "sonde."     /* the domain of operators that only the executed graph has */

static void
line_free (gpointer data)
{
  SondeDebugLine *line = data;

  g_free (line->whole);
  g_free (line->text);
  g_free (line->name);
  g_free (line);
}

/* "/conv1/Conv" of a Conv is “conv1”; "/Relu_1" is “Relu_1”. (transfer full) */
static char *
dup_label (const char *name, const char *op)
{
  g_autofree char *tail = g_strconcat ("/", op, NULL);
  const char *start = *name == '/' && name[1] != '\0' ? name + 1 : name;

  return g_str_has_suffix (start, tail) ? g_strndup (start, strlen (start) - strlen (tail))
                                        : g_strdup (start);
}

/* (transfer full) (nullable): NULL: it is left out */
static char *
dup_input (const char *name, const SondeGraph *graph)
{
  const SondeGraphValue *value = graph != NULL ? sonde_graph_find_value (graph, name) : NULL;

  if (value == NULL)
    return g_strdup (name);
  if (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_CONSTANT)
    return NULL;
  return value->producer != NULL ? dup_label (value->producer->name, value->producer->op)
                                 : g_strdup (name);
}

/* " ← a, b"; all names where nothing else would be left. @inputs: "a, b, w" */
static void
append_inputs (GString *text, const char *inputs, const SondeGraph *graph)
{
  g_auto (GStrv) names = g_strsplit (inputs, ", ", -1);
  guint n = 0;

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autofree char *input = dup_input (names[i], graph);

      if (input == NULL || *input == '\0')
        continue;
      g_string_append_printf (text, "%s%s", n++ == 0 ? " ← " : ", ", input);
    }
  if (n == 0 && *inputs != '\0')
    g_string_append_printf (text, " ← %s", inputs);
}

/* "float32 1×6, int64 3" without what is usual. */
static void
append_types (GString *text, const char *types)
{
  g_auto (GStrv) parts = g_strsplit (types, ", ", -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            g_str_has_prefix (parts[i], USUAL) ? parts[i] + strlen (USUAL)
                                                               : parts[i]);
}

/* What a line of a node is made of, from its @whole. */
typedef struct
{
  const char *name, *colon; /* [name, colon) */
  const char *op, *open;    /* [op, open) */
  const char *inputs, *close;
  const char *type; /* (nullable) */
} Parts;

/* The parenthesis that ends the inputs, whose names may have some of their own. */
static const char *
find_close (const char *inputs)
{
  const char *brace = strstr (inputs, ") {"), *hash = strstr (inputs, ")  # ");

  if (brace != NULL && (hash == NULL || brace < hash))
    return brace;
  return hash != NULL ? hash : strrchr (inputs, ')');
}

static gboolean
split (const char *whole, Parts *parts)
{
  const char *equals, *hash;

  parts->name = whole + strspn (whole, " ");
  parts->colon = strstr (parts->name, ": ");
  equals = parts->colon != NULL ? strstr (parts->colon, " = ") : NULL;
  parts->op = equals != NULL ? equals + strlen (" = ") : NULL;
  parts->open = equals != NULL ? strstr (parts->op, " (") : NULL;
  if (parts->open == NULL)
    return FALSE;
  parts->inputs = parts->open + strlen (" (");
  parts->close = find_close (parts->inputs);
  hash = strstr (parts->inputs, "  # ");
  parts->type = hash != NULL ? hash + strlen ("  # ") : NULL;
  return parts->close != NULL;
}

static void
write_text (SondeDebugLine *line, const Parts *parts, const SondeGraph *graph)
{
  const char *start = g_str_has_prefix (parts->op, OWN) ? parts->op + strlen (OWN) : parts->op;
  g_autofree char *op = g_strndup (start, (gsize) (parts->open - start));
  g_autofree char *inputs = g_strndup (parts->inputs, (gsize) (parts->close - parts->inputs));
  g_autofree char *label = dup_label (line->name, op);
  g_autoptr (GString) text = g_string_new_len (line->whole, parts->name - line->whole);
  gssize width = g_utf8_strlen (op, -1);

  line->op.start = (guint) text->len;
  g_string_append (text, op);
  line->op.end = (guint) text->len;
  g_string_append_printf (text, "%*s", (int) MAX (OP_COLUMN - width, 1), "");
  line->label.start = (guint) text->len;
  g_string_append (text, label);
  line->label.end = (guint) text->len;
  append_inputs (text, inputs, graph);
  if (parts->type != NULL)
    {
      g_string_append (text, "  ");
      line->type.start = (guint) text->len;
      append_types (text, parts->type);
      line->type.end = (guint) text->len;
    }
  line->text = g_string_free (g_steal_pointer (&text), FALSE);
}

GPtrArray *
sonde_debug_lines_new (const char *listing, const SondeGraph *graph)
{
  g_autofree char *trimmed = g_strchomp (g_strdup (listing));
  g_auto (GStrv) whole = g_strsplit (trimmed, "\n", -1);
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);

  for (gsize i = 0; whole[i] != NULL; i++)
    {
      SondeDebugLine *line = g_new0 (SondeDebugLine, 1);
      Parts parts;

      line->whole = g_strdup (whole[i]);
      g_ptr_array_add (lines, line);
      if (!split (line->whole, &parts))
        {
          line->text = g_strdup (whole[i]);
          continue;
        }
      line->name = g_strndup (parts.name, (gsize) (parts.colon - parts.name));
      write_text (line, &parts, graph);
    }
  return lines;
}
