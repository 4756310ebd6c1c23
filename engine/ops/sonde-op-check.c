/* SPDX-License-Identifier: Apache-2.0
 * A node against its row: arity, attribute names, kinds, ranges. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

static const char *const kind_names[] = {
  [SONDE_ATTRIBUTE_INT] = "an integer",
  [SONDE_ATTRIBUTE_FLOAT] = "a float",
  [SONDE_ATTRIBUTE_STRING] = "a string",
  [SONDE_ATTRIBUTE_TENSOR] = "a tensor",
  [SONDE_ATTRIBUTE_GRAPH] = "a graph",
  [SONDE_ATTRIBUTE_INTS] = "a list of integers",
  [SONDE_ATTRIBUTE_FLOATS] = "a list of floats",
  [SONDE_ATTRIBUTE_STRINGS] = "a list of strings",
  [SONDE_ATTRIBUTE_TENSORS] = "a list of tensors",
  [SONDE_ATTRIBUTE_GRAPHS] = "a list of graphs",
  [SONDE_ATTRIBUTE_TYPE] = "a type",
  [SONDE_ATTRIBUTE_REFERENCE] = "a reference",
};

static void add_problem (GPtrArray *problems, const SondeNode *node, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
add_problem (GPtrArray *problems, const SondeNode *node, const char *format, ...)
{
  g_autofree char *sentence = NULL, *shown = NULL;
  va_list arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  shown = g_utf8_make_valid (sentence, -1); /* a text attribute in it may hold any bytes */
  g_ptr_array_add (problems, g_strdup_printf ("node “%s” (%s) %s", node->name, node->op, shown));
}

static void
check_count (const SondeNode *node, const char *what, guint n, int minimum, int maximum,
             GPtrArray *problems)
{
  if ((int) n < minimum)
    add_problem (problems, node, "has %u %s, but needs at least %d", n, what, minimum);
  else if (maximum >= 0 && (int) n > maximum)
    add_problem (problems, node, "has %u %s, but may have at most %d", n, what, maximum);
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
        add_problem (problems, node,
                     "has %s = %" PRIi64 ", but it must be from %" PRIi64 " to %" PRIi64,
                     rule->name, values[i], rule->minimum, rule->maximum);
        return;
      }
}

static void
check_choice (const SondeNode *node, const SondeAttributeRule *rule,
              const SondeAttribute *attribute, GPtrArray *problems)
{
  g_autofree char *choices = NULL;

  if (rule->choices == NULL || g_strv_contains (rule->choices, attribute->u.string))
    return;
  choices = g_strjoinv (", ", (char **) rule->choices);
  add_problem (problems, node, "has %s = “%s”, but it must be one of %s", rule->name,
               attribute->u.string, choices);
}

static void
check_attribute (const SondeNode *node, const SondeOpClass *klass, const SondeAttribute *attribute,
                 GPtrArray *problems)
{
  const SondeAttributeRule *rule = find_rule (klass, attribute->name);

  if (rule == NULL)
    add_problem (problems, node, "has an attribute “%s” that the operator does not know",
                 attribute->name);
  else if (attribute->kind == SONDE_ATTRIBUTE_REFERENCE)
    return;
  else if (attribute->kind != rule->kind)
    add_problem (problems, node, "has %s for “%s”, but it must be %s", kind_names[attribute->kind],
                 rule->name, kind_names[rule->kind]);
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
      add_problem (problems, node, "has an operator that is not implemented");
      return FALSE;
    }
  check_count (node, "inputs", node->inputs->len, klass->min_inputs, klass->max_inputs, problems);
  check_count (node, "outputs", node->outputs->len, klass->min_outputs, klass->max_outputs,
               problems);
  for (int k = 0; k < klass->min_inputs && k < (int) node->inputs->len; k++)
    if (node->inputs->pdata[k] == NULL)
      add_problem (problems, node, "lacks its input %d", k);
  for (guint i = 0; i < node->attributes->len; i++)
    check_attribute (node, klass, node->attributes->pdata[i], problems);
  for (const SondeAttributeRule *rule = klass->attributes; rule && rule->name; rule++)
    if (rule->required && sonde_node_find_attribute (node, rule->name) == NULL)
      add_problem (problems, node, "lacks the attribute “%s”", rule->name);
  return problems->len == before;
}
