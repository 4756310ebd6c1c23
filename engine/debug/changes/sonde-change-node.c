/* SPDX-License-Identifier: Apache-2.0
 * Attributes are parsed by the kind that the node or its operator's row says they have. */
#include "engine/debug/changes/sonde-change-node.h"

#include "data/base/sonde-text.h"
#include "engine/debug/changes/sonde-edit.h"

#include <string.h>

SondeNodeChange *
sonde_node_change_new (const char *node, const char *key, const char *value)
{
  SondeNodeChange *change = g_new0 (SondeNodeChange, 1);

  change->node = g_strdup (node);
  change->key = g_strdup (key);
  change->value = g_strdup (value);
  return change;
}

void
sonde_node_change_free (SondeNodeChange *change)
{
  if (change == NULL)
    return;
  g_free (change->node);
  g_free (change->key);
  g_free (change->value);
  g_free (change);
}

SondeNodeChange *
sonde_node_change_parse_attribute (const char *text, GError **error)
{
  g_autofree char *target = NULL, *value = NULL;
  char *dot = NULL;

  if (sonde_edit_split (text, &target, &value))
    dot = strrchr (target, '.');
  if (dot != NULL && dot > target && dot[1] != '\0')
    {
      *dot = '\0';
      return sonde_node_change_new (target, dot + 1, value);
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Which attribute is to be what? attr NODE.KEY = 3, 0.5, [1, 1] or WORD.");
  return NULL;
}

/* ---- finding ------------------------------------------------------------- */

/* Bodies are no deeper than sonde_pass_inline() allows. */
static SondeNode *
find_inside (SondeGraph *graph, const char *name, SondeGraph **inside, guint depth)
{
  SondeNode *node = sonde_graph_resolve_node (graph, name);

  if (node != NULL)
    *inside = graph;
  for (guint i = 0; node == NULL && depth < 64 && i < graph->nodes->len; i++)
    {
      SondeNode *outer = g_ptr_array_index (graph->nodes, i);

      for (guint a = 0; node == NULL && outer != NULL && a < outer->attributes->len; a++)
        {
          SondeAttribute *attribute = g_ptr_array_index (outer->attributes, a);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            node = find_inside (attribute->u.graph, name, inside, depth + 1);
        }
    }
  return node;
}

SondeNode *
sonde_find_node_deep (SondeGraph *graph, const char *name, SondeGraph **inside)
{
  SondeGraph *found = NULL;
  SondeNode *node = find_inside (graph, name, &found, 0);

  if (inside != NULL)
    *inside = found;
  return node;
}

/* ---- attributes ---------------------------------------------------------- */

static const SondeAttributeRule *
find_rule (const SondeNode *node, const char *key)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  for (const SondeAttributeRule *rule = klass != NULL ? klass->attributes : NULL;
       rule != NULL && rule->name != NULL; rule++)
    if (g_str_equal (rule->name, key))
      return rule;
  return NULL;
}

static void
set_unknown_error (const SondeNode *node, const char *key, GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  g_autoptr (GString) names = g_string_new (NULL);

  for (const SondeAttributeRule *rule = klass != NULL ? klass->attributes : NULL;
       rule != NULL && rule->name != NULL; rule++)
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", rule->name);
  if (names->len > 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "“%s” (%s) has no attribute “%s”; it has %s.", node->name, node->op, key,
                     names->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "“%s” (%s) has no attribute “%s”; it has none.", node->name, node->op, key);
}

static gboolean
parse_int (const char *text, gint64 *number)
{
  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    {
      *number = g_str_equal (text, "true");
      return TRUE;
    }
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, number, NULL);
}

static gboolean
parse_float (const char *text, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

/* "[1, 2]", "1, 2", "1" -> its parts. */
static char **
split_list (const char *text)
{
  g_autofree char *inside = g_strstrip (g_strdup (text));
  gsize length = strlen (inside);
  char **parts;

  if (length >= 2 && inside[0] == '[' && inside[length - 1] == ']')
    {
      inside[length - 1] = ' ';
      inside[0] = ' ';
    }
  g_strstrip (inside);
  parts = *inside != '\0' ? g_strsplit (inside, ",", -1) : g_new0 (char *, 1);
  for (char **part = parts; *part != NULL; part++)
    g_strstrip (*part);
  return parts;
}

static char *
unquote (const char *text)
{
  gsize length = strlen (text);

  if (length >= 2 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0])
    return g_strndup (text + 1, length - 2);
  return g_strdup (text);
}

/* FALSE: the text is not of that kind. */
static gboolean
fill_attribute (SondeAttribute *attribute, const char *text)
{
  g_auto (GStrv) parts = split_list (text);
  gsize n = g_strv_length (parts);
  gboolean good = TRUE;

  switch ((int) attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
      return parse_int (text, &attribute->u.i);
    case SONDE_ATTRIBUTE_FLOAT:
      return parse_float (text, &attribute->u.f);
    case SONDE_ATTRIBUTE_STRING:
      attribute->u.string = unquote (text);
      return TRUE;
    case SONDE_ATTRIBUTE_INTS:
      attribute->n = n;
      attribute->u.ints = g_new0 (gint64, n + 1);
      for (gsize i = 0; i < n; i++)
        good = good && parse_int (parts[i], &attribute->u.ints[i]);
      return good;
    case SONDE_ATTRIBUTE_FLOATS:
      attribute->n = n;
      attribute->u.floats = g_new0 (double, n + 1);
      for (gsize i = 0; i < n; i++)
        good = good && parse_float (parts[i], &attribute->u.floats[i]);
      return good;
    case SONDE_ATTRIBUTE_STRINGS:
      attribute->n = n;
      attribute->u.strings = g_new0 (char *, n + 1);
      for (gsize i = 0; i < n; i++)
        attribute->u.strings[i] = unquote (parts[i]);
      return TRUE;
    default:
      return FALSE;
    }
}

static const char *
kind_words (SondeAttributeKind kind)
{
  static const char *const words[] = {
    [SONDE_ATTRIBUTE_INT] = N_ ("an integer"),
    [SONDE_ATTRIBUTE_FLOAT] = N_ ("a number"),
    [SONDE_ATTRIBUTE_STRING] = N_ ("a word"),
    [SONDE_ATTRIBUTE_INTS] = N_ ("a list of integers as [1, 1]"),
    [SONDE_ATTRIBUTE_FLOATS] = N_ ("a list of numbers as [0.5, 1]"),
    [SONDE_ATTRIBUTE_STRINGS] = N_ ("a list of words as [a, b]"),
  };

  return (guint) kind < G_N_ELEMENTS (words) && words[kind] != NULL
             ? words[kind]
             : N_ ("no value that can be written here");
}

/* An old form of an operator, which the row does not describe, is checked when it is brought into
 * the current one. */
static gboolean
is_current (const SondeNode *node)
{
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  return sonde_op_of_node (node) != NULL && sonde_op_check_node (node, problems);
}

/* What the row of the operator says against it. */
static gboolean
check_node (const SondeNode *node, GError **error)
{
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  if (sonde_op_check_node (node, problems))
    return TRUE;
  if (problems->len > 0)
    sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                             sonde_message_copy (g_ptr_array_index (problems, 0)));
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The attribute cannot have this value.");
  return FALSE;
}

static gboolean
set_attribute (SondeNode *node, const SondeNodeChange *change, GError **error)
{
  const SondeAttribute *old = sonde_node_find_attribute (node, change->key);
  const SondeAttributeRule *rule = find_rule (node, change->key);
  SondeAttribute *attribute, *before;
  gboolean current = is_current (node);

  if (old == NULL && rule == NULL)
    {
      set_unknown_error (node, change->key, error);
      return FALSE;
    }
  attribute = sonde_attribute_new (change->key, rule != NULL ? rule->kind : old->kind);
  if (!fill_attribute (attribute, change->value))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” of “%s” (%s) is %-s, which “%s” is not.", change->key, node->name,
                       node->op, kind_words (attribute->kind), change->value);
      sonde_attribute_free (attribute);
      return FALSE;
    }
  before = old != NULL ? sonde_attribute_copy (old) : NULL;
  sonde_node_remove_attribute (node, change->key);
  sonde_node_take_attribute (node, attribute);
  if (!current || check_node (node, error))
    {
      g_clear_pointer (&before, sonde_attribute_free);
      return TRUE;
    }
  sonde_node_remove_attribute (node, change->key);
  if (before != NULL)
    sonde_node_take_attribute (node, before);
  return FALSE;
}

/* ---- bypass -------------------------------------------------------------- */

static gboolean
is_read (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->users->len > 0 || (value->captures != NULL && value->captures->len > 0)
         || g_ptr_array_find (graph->outputs, value, NULL);
}

static gboolean
bypass (SondeGraph *graph, SondeNode *node, GError **error)
{
  SondeGraphValue *input = sonde_node_get_input (node, 0),
                  *output = sonde_node_get_output (node, 0);
  g_autoptr (GPtrArray) unread = g_ptr_array_new ();
  g_autofree char *name = NULL;
  SondeNode *identity;

  if (input == NULL || output == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” (%s) cannot be bypassed: it has no %-s.", node->name, node->op,
                       input == NULL ? N_ ("input") : N_ ("output"));
      return FALSE;
    }
  for (guint k = 1; k < node->outputs->len; k++)
    {
      const SondeGraphValue *further = sonde_node_get_output (node, k);

      if (further == NULL || !is_read (graph, further))
        {
          if (further != NULL)
            g_ptr_array_add (unread, (gpointer) further);
          continue;
        }
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” (%s) cannot be bypassed: its output %u, “%s”, is read too.",
                       node->name, node->op, k, further->name);
      return FALSE;
    }
  name = g_strdup (node->name);
  sonde_graph_remove_node (graph, node);
  for (guint k = 0; k < unread->len; k++)
    sonde_graph_remove_value (graph, g_ptr_array_index (unread, k));
  identity = sonde_graph_add_node (graph, name, "", "Identity", &input, 1, 0);
  sonde_node_set_output (graph, identity, 0, output);
  return TRUE;
}

gboolean
sonde_node_change_apply (const SondeNodeChange *change, SondeGraph *graph, GError **error)
{
  SondeGraph *inside = NULL;
  SondeNode *node = sonde_find_node_deep (graph, change->node, &inside);

  if (node == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no node “%s”.", change->node);
      return FALSE;
    }
  return change->key != NULL ? set_attribute (node, change, error) : bypass (inside, node, error);
}
