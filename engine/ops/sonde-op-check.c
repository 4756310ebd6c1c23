/* SPDX-License-Identifier: Apache-2.0
 * A node against its row: arity, attribute names, kinds, ranges. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

static const char *const kind_names[] = {
  [SONDE_ATTRIBUTE_INT] = N_ ("an integer"),
  [SONDE_ATTRIBUTE_FLOAT] = N_ ("a float"),
  [SONDE_ATTRIBUTE_STRING] = N_ ("a string"),
  [SONDE_ATTRIBUTE_TENSOR] = N_ ("a tensor"),
  [SONDE_ATTRIBUTE_GRAPH] = N_ ("a graph"),
  [SONDE_ATTRIBUTE_INTS] = N_ ("a list of integers"),
  [SONDE_ATTRIBUTE_FLOATS] = N_ ("a list of floats"),
  [SONDE_ATTRIBUTE_STRINGS] = N_ ("a list of strings"),
  [SONDE_ATTRIBUTE_TENSORS] = N_ ("a list of tensors"),
  [SONDE_ATTRIBUTE_GRAPHS] = N_ ("a list of graphs"),
  [SONDE_ATTRIBUTE_TYPE] = N_ ("a type"),
  [SONDE_ATTRIBUTE_REFERENCE] = N_ ("a reference"),
};

static void add_node_problem (GPtrArray *problems, const SondeNode *node, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
add_node_problem (GPtrArray *problems, const SondeNode *node, const char *format, ...)
{
  SondeMessage *message;
  va_list arguments;

  va_start (arguments, format);
  message = sonde_message_new_va (format, arguments);
  va_end (arguments);
  sonde_message_prepend (message, "node “%s” (%s) ", node->name, node->op);
  g_ptr_array_add (problems, message);
}

void
sonde_op_set_problems (GError **error, const GPtrArray *problems)
{
  SondeMessage *message = sonde_message_new_empty ();

  for (guint i = 0; i < problems->len; i++)
    {
      if (i > 0)
        sonde_message_append_text (message, "\n");
      sonde_message_append (message, g_ptr_array_index (problems, i));
    }
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, message);
}

static void
check_inputs (const SondeNode *node, const SondeOpClass *klass, GPtrArray *problems)
{
  guint n = node->inputs->len;

  if ((int) n < klass->min_inputs)
    add_node_problem (problems, node, "has %u inputs, but needs at least %d", n, klass->min_inputs);
  else if (klass->max_inputs >= 0 && (int) n > klass->max_inputs)
    add_node_problem (problems, node, "has %u inputs, but may have at most %d", n,
                      klass->max_inputs);
}

static void
check_outputs (const SondeNode *node, const SondeOpClass *klass, GPtrArray *problems)
{
  guint n = node->outputs->len;

  if ((int) n < klass->min_outputs)
    add_node_problem (problems, node, "has %u outputs, but needs at least %d", n,
                      klass->min_outputs);
  else if (klass->max_outputs >= 0 && (int) n > klass->max_outputs)
    add_node_problem (problems, node, "has %u outputs, but may have at most %d", n,
                      klass->max_outputs);
}

static const SondeAttributeRule *
find_rule (const SondeOpClass *klass, const char *name)
{
  for (const SondeAttributeRule *rule = klass->attributes; rule && rule->name; rule++)
    if (strcmp (rule->name, name) == 0)
      return rule;
  return NULL;
}

static void
check_range (const SondeNode *node, const SondeAttributeRule *rule, const SondeAttribute *attribute,
             GPtrArray *problems)
{
  const gint64 *values
      = attribute->kind == SONDE_ATTRIBUTE_INT ? &attribute->u.i : attribute->u.ints;

  if (rule->minimum == 0 && rule->maximum == 0)
    return;
  for (gsize i = 0; i < attribute->n; i++)
    if (values[i] < rule->minimum || values[i] > rule->maximum)
      {
        add_node_problem (problems, node,
                          "has %s = %" PRIi64 ", but it must be from %" PRIi64 " to %" PRIi64,
                          rule->name, values[i], rule->minimum, rule->maximum);
        return;
      }
}

static void
check_choice (const SondeNode *node, const SondeAttributeRule *rule,
              const SondeAttribute *attribute, GPtrArray *problems)
{
  g_autofree char *choices = NULL, *shown = NULL;

  if (rule->choices == NULL || g_strv_contains (rule->choices, attribute->u.string))
    return;
  choices = g_strjoinv (", ", (char **) rule->choices);
  shown = g_utf8_make_valid (attribute->u.string, -1); /* it may hold any bytes */
  add_node_problem (problems, node, "has %s = “%s”, but it must be one of %s", rule->name, shown,
                    choices);
}

static void
check_attribute (const SondeNode *node, const SondeOpClass *klass, const SondeAttribute *attribute,
                 GPtrArray *problems)
{
  const SondeAttributeRule *rule = find_rule (klass, attribute->name);

  if (rule == NULL)
    add_node_problem (problems, node, "has an attribute “%s”, which the operator does not have",
                      attribute->name);
  else if (attribute->kind == SONDE_ATTRIBUTE_REFERENCE)
    return;
  else if (attribute->kind != rule->kind)
    add_node_problem (problems, node, "has %-s for “%s”, but it must be %-s",
                      kind_names[attribute->kind], rule->name, kind_names[rule->kind]);
  else if (rule->kind == SONDE_ATTRIBUTE_INT || rule->kind == SONDE_ATTRIBUTE_INTS)
    check_range (node, rule, attribute, problems);
  else if (rule->kind == SONDE_ATTRIBUTE_STRING)
    check_choice (node, rule, attribute, problems);
}

gboolean
sonde_op_check_node (const SondeNode *node, GPtrArray *problems)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  guint before = problems->len;

  if (klass == NULL)
    {
      add_node_problem (problems, node, "has an operator that is not implemented");
      return FALSE;
    }
  check_inputs (node, klass, problems);
  check_outputs (node, klass, problems);
  for (int k = 0; k < klass->min_inputs && k < (int) node->inputs->len; k++)
    if (node->inputs->pdata[k] == NULL)
      add_node_problem (problems, node, "lacks its input %d", k);
  for (guint i = 0; i < node->attributes->len; i++)
    check_attribute (node, klass, node->attributes->pdata[i], problems);
  for (const SondeAttributeRule *rule = klass->attributes; rule && rule->name; rule++)
    if (rule->required && sonde_node_find_attribute (node, rule->name) == NULL)
      add_node_problem (problems, node, "lacks the attribute “%s”", rule->name);
  return problems->len == before;
}
