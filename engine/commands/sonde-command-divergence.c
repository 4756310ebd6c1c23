/* SPDX-License-Identifier: Apache-2.0
 * A divergence as JSON and as text: of a run of ours, and of a step in another program. */
#include <math.h>

#include "engine/commands/sonde-command-class.h"
#include "engine/live/sonde-compare.h"

/* ---- JSON ---------------------------------------------------------------- */

/* null: not known */
static void
json_error (const char *name, double number, JsonBuilder *builder)
{
  if (isnan (number))
    sonde_json_set_string (builder, name, NULL);
  else
    sonde_json_set_double (builder, name, number);
}

static void
json_texts (char *const *texts, const char *name, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, name);
  for (gsize i = 0; texts[i] != NULL; i++)
    json_builder_add_string_value (builder, texts[i]);
  json_builder_end_array (builder);
}

static void
json_value (const SondeDivergedValue *value, JsonBuilder *builder)
{
  g_autofree char *index
      = value->index >= 0 ? sonde_compare_format_index (&value->shape, value->index) : NULL;

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "node", value->node);
  sonde_json_set_string (builder, "op", value->op);
  sonde_json_set_string (builder, "value", value->value);
  json_error ("own_error", value->own_error, builder);
  json_error ("inherited_error", value->inherited_error, builder);
  sonde_json_set_boolean (builder, "over", value->over);
  sonde_json_set_double (builder, "max_reference", value->largest);
  sonde_json_set_double (builder, "tolerance", value->tolerance);
  sonde_json_set_string (builder, "phase", sonde_phase_name (value->phase));
  if (value->reference != NULL)
    sonde_json_set_string (builder, "reference", value->reference);
  if (value->made_by != NULL)
    json_texts (value->made_by, "made_by", builder);
  if (value->n_fused > 1)
    sonde_json_set_int (builder, "fused", value->n_fused);
  if (value->n_nodes > 1)
    sonde_json_set_int (builder, "span", value->n_nodes);
  if (index != NULL)
    {
      sonde_json_set_string (builder, "index", index);
      sonde_json_set_double (builder, "number", value->number);
      sonde_json_set_double (builder, "expected", value->wanted);
    }
  json_builder_end_object (builder);
}

static guint
count_over (const SondeDivergence *divergence)
{
  guint n = 0;

  for (guint i = 0; i < divergence->values->len; i++)
    n += ((const SondeDivergedValue *) g_ptr_array_index (divergence->values, i))->over;
  return n;
}

static const SondeDivergedValue *
first_of (const SondeDivergence *divergence)
{
  return divergence->first >= 0 ? g_ptr_array_index (divergence->values, divergence->first) : NULL;
}

/* Of a step in another program: its name for @value. */
static const char *
name_in_step (const SondeDivergedValue *value)
{
  return value->reference != NULL ? value->reference : value->value;
}

/* (nullable) */
static const SondeDivergedValue *
first_gradient_of (const SondeDivergence *divergence)
{
  for (guint i = 0; i < divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);

      if (value->over && value->phase == SONDE_PHASE_BACKWARD)
        return value;
    }
  return NULL;
}

static void
json_step (const SondeDivergence *divergence, JsonBuilder *builder)
{
  const SondeDivergedValue *first = first_of (divergence),
                           *gradient = first_gradient_of (divergence);

  sonde_json_set_string (builder, "first_divergent_module",
                         first != NULL ? name_in_step (first) : NULL);
  sonde_json_set_string (builder, "first_divergent_gradient",
                         gradient != NULL ? name_in_step (gradient) : NULL);
  sonde_json_set_int (builder, "weights", divergence->n_weights);
  sonde_command_json_names (divergence->file_weights, "file_weights", builder);
  sonde_command_json_names (divergence->absent, "absent", builder);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeDivergence *divergence = result->divergence;
  const SondeDivergedValue *first = first_of (divergence);

  sonde_json_begin_array (builder, "nodes");
  for (guint i = 0; i < divergence->values->len; i++)
    json_value (g_ptr_array_index (divergence->values, i), builder);
  json_builder_end_array (builder);
  sonde_json_set_string (builder, "first_divergent_node", first != NULL ? first->node : NULL);
  sonde_json_set_int (builder, "over", count_over (divergence));
  sonde_command_json_names (divergence->unmatched, "unmatched", builder);
  sonde_command_json_names (divergence->unused, "unused", builder);
  if (divergence->is_step)
    json_step (divergence, builder);
}

/* ---- text ---------------------------------------------------------------- */

static void
text_value (const SondeDivergedValue *value, gboolean is_step, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *joined = NULL;

  if (!is_step)
    sonde_clauses_add (clauses, "%s (%s) -> %s", value->node, value->op, value->value);
  else if (*value->op != '\0')
    sonde_clauses_add (clauses, "%s = %s (%s)", name_in_step (value), value->node, value->op);
  else
    sonde_clauses_add (clauses, "%s", name_in_step (value));
  if (value->n_fused > 1)
    sonde_clauses_add (clauses, _ ("%u nodes fused into one"), value->n_fused);
  if (value->n_nodes > 1)
    sonde_clauses_add (clauses, _ ("measured over %u nodes"), value->n_nodes);
  joined = sonde_clauses_join (clauses);
  sonde_command_append_cell (text, value->over ? C_ ("beyond the tolerance", "OVER") : "", 6);
  g_string_append_printf (text, "%-11.4g %-11.4g %-11.4g %s\n", value->own_error,
                          value->inherited_error, value->tolerance, joined);
}

static void
text_heads (GString *text)
{
  sonde_command_append_cell (text, "", 6);
  sonde_command_append_cell (text, C_ ("column", "own error"), 12);
  sonde_command_append_cell (text, C_ ("column", "inherited"), 12);
  sonde_command_append_cell (text, C_ ("column", "tolerance"), 12);
  g_string_append_printf (text, "%s\n", C_ ("column", "node"));
}

/* "a, b, c" */
static void
text_names (char *const *names, GString *text)
{
  g_autofree char *joined = g_strjoinv (", ", (char **) names);

  g_string_append (text, joined);
}

static void
text_step (const SondeDivergence *divergence, GString *text)
{
  for (guint i = 0; i < divergence->absent->len; i++)
    g_string_append_printf (text, _ ("      not compared: %s\n"),
                            (const char *) divergence->absent->pdata[i]);
  for (guint i = 0; i < divergence->file_weights->len; i++)
    g_string_append_printf (text, _ ("      weight of the model's file: %s\n"),
                            (const char *) divergence->file_weights->pdata[i]);
  if (divergence->n_weights > 0)
    g_string_append_printf (text,
                            ngettext ("%u weight is the program's.\n",
                                      "%u weights are the program's.\n", divergence->n_weights),
                            divergence->n_weights);
}

/* Whose backward made it. */
static void
text_gradient (const SondeDivergedValue *value, GString *text)
{
  if (value == NULL)
    return;
  g_string_append_printf (text, _ ("First divergent gradient: %s"), name_in_step (value));
  if (value->made_by != NULL && value->made_by[0] != NULL)
    {
      g_string_append (text, _ (", made by the backward of "));
      text_names (value->made_by, text);
    }
  g_string_append (text, ".\n");
}

static void
text_first (const SondeDivergence *divergence, const SondeDivergedValue *first, GString *text)
{
  if (!isnan (first->own_error))
    g_string_append_printf (text,
                            _ ("First divergent node: %s (%s), own error %.6g; %u of %u values "
                               "exceed the tolerance.\n"),
                            divergence->is_step ? name_in_step (first) : first->node, first->op,
                            first->own_error, count_over (divergence), divergence->values->len);
  else
    g_string_append_printf (text,
                            _ ("First divergent value: %s, error %.6g; %u of %u values exceed the "
                               "tolerance.\n"),
                            name_in_step (first), first->inherited_error, count_over (divergence),
                            divergence->values->len);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeDivergence *divergence = result->divergence;
  const SondeDivergedValue *first = first_of (divergence);

  text_heads (text);
  for (guint i = 0; i < divergence->values->len; i++)
    text_value (g_ptr_array_index (divergence->values, i), divergence->is_step, text);
  for (guint i = 0; !divergence->is_step && i < divergence->unmatched->len; i++)
    g_string_append_printf (text, _ ("      no reference value: %s\n"),
                            (const char *) divergence->unmatched->pdata[i]);
  for (guint i = 0; i < divergence->unused->len; i++)
    g_string_append_printf (text, _ ("      not found in this model: %s\n"),
                            (const char *) divergence->unused->pdata[i]);
  text_step (divergence, text);
  if (first == NULL)
    g_string_append_printf (text, _ ("All nodes are within tolerance (%u values).\n"),
                            divergence->values->len);
  else
    text_first (divergence, first, text);
  text_gradient (first_gradient_of (divergence), text);
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_divergence_free (result->divergence);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

SondeCommandResult *
sonde_command_divergence_new (SondeDivergence *divergence)
{
  SondeCommandResult *result
      = sonde_command_result_new (SONDE_COMMAND_RESULT_DIVERGENCE, &result_class);

  result->divergence = divergence;
  return result;
}
