/* SPDX-License-Identifier: Apache-2.0
 * Which comparison decided, in words: for lists of hits and for the answer of a check. */
#include "engine/live/sonde-expression-evaluation-private.h"

#include <math.h>
#include <string.h>

static void
append_number (GString *text, const SondeCell *cell, double number)
{
  if (cell->kind == SONDE_KIND_TRUTH)
    g_string_append (text, number != 0 ? "true" : "false");
  else if (isnan (number)) /* whatever its sign */
    g_string_append (text, "nan");
  else
    g_string_append_printf (text, "%.9g", number);
}

/* "absmax(x) = 12034", "x[3, 1] = 5"; a number alone as it stands. */
static void
append_side (SondeExpressionEvaluation *evaluation, const SondeTerm *term, const SondeShape *domain,
             gint64 index, SondeMessage *message)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  g_autofree char *own = sonde_evaluation_dup_text (evaluation, term);
  g_autofree char *place
      = cell->is_constant ? g_strdup ("") : sonde_shape_format_index (domain, index);

  if (cell->text != NULL)
    {
      g_string_append (text, term->type == SONDE_TERM_TEXT ? "" : own);
      g_string_append_printf (text, "%s“%s”", term->type == SONDE_TERM_TEXT ? "" : " = ",
                              cell->text);
      sonde_message_append_text (message, text->str);
      return;
    }
  if (term->type != SONDE_TERM_NUMBER)
    g_string_append_printf (
        text, cell->is_constant || term->type == SONDE_TERM_VALUE ? "%s%s = " : "(%s)%s = ", own,
        place);
  append_number (text, cell,
                 cell->is_constant ? cell->number
                                   : sonde_evaluation_number_at (evaluation, term, domain, index));
  sonde_message_append_text (message, text->str);
}

static void
append_id (SondeMessage *message, const char *id, const char *argument)
{
  sonde_message_add_part (message, id, (const char *const[]){ argument, NULL });
}

static void
append_none (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeMessage *message)
{
  g_autofree char *own = sonde_evaluation_dup_text (evaluation, term);

  append_id (message, N_ ("no element of “%s” is true"), own);
}

static gboolean
is_comparison (const SondeTerm *term)
{
  static const char *const names[] = { "==", "!=", "<", "<=", ">", ">=" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (term->function->help.name, names[i]))
      return TRUE;
  return FALSE;
}

static gboolean
holds (SondeExpressionEvaluation *evaluation, const SondeTerm *term, gint64 *index)
{
  return sonde_evaluation_holds (evaluation, term, index, NULL);
}

static void
explain_comparison (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                    SondeMessage *message)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  gint64 index;
  gboolean held = holds (evaluation, term, &index);

  if (!held && !cell->is_constant)
    {
      append_none (evaluation, term, message);
      return;
    }
  append_side (evaluation, term->arguments[0], &cell->shape, index, message);
  append_id (message, held ? " %s " : N_ (", not %s "), term->function->help.name);
  append_side (evaluation, term->arguments[1], &cell->shape, index, message);
}

static void explain (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                     SondeMessage *message);

/* Both sides, or those that decided; a side that was not looked at says nothing. */
static void
explain_logic (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeMessage *message)
{
  gboolean deciding = g_str_equal (term->function->help.name, "||");
  gboolean held = sonde_number_holds (sonde_evaluation_cell (evaluation, term)->number);
  guint n = 0;

  for (guint i = 0; i < 2; i++)
    {
      const SondeTerm *side = term->arguments[i];
      gint64 index;

      if (!sonde_evaluation_cell (evaluation, side)->prepared
          || (held == deciding && holds (evaluation, side, &index) != deciding))
        continue;
      if (n++ > 0)
        append_id (message, N_ (" and "), NULL);
      explain (evaluation, side, message);
      if (held == deciding)
        return;
    }
}

static void
explain_value (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeMessage *message)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  gint64 index;

  if (cell->is_constant || cell->text != NULL)
    append_side (evaluation, term, &cell->shape, 0, message);
  else if (holds (evaluation, term, &index))
    append_side (evaluation, term, &cell->shape, index, message);
  else
    append_none (evaluation, term, message);
  if (term->type == SONDE_TERM_CALL && term->n_arguments > 0 && term->arguments[0]->glob
      && sonde_evaluation_cell (evaluation, term->arguments[0])->first_found != NULL)
    append_id (message, N_ (" (first in “%s”)"),
               sonde_evaluation_cell (evaluation, term->arguments[0])->first_found);
}

static void
explain (SondeExpressionEvaluation *evaluation, const SondeTerm *term, SondeMessage *message)
{
  const SondeCell *cell = sonde_evaluation_cell (evaluation, term);
  const char *name = term->type == SONDE_TERM_CALL ? term->function->help.name : "";

  if (term->type != SONDE_TERM_CALL)
    explain_value (evaluation, term, message);
  else if (is_comparison (term))
    explain_comparison (evaluation, term, message);
  else if (cell->is_constant && (g_str_equal (name, "||") || g_str_equal (name, "&&")))
    explain_logic (evaluation, term, message);
  else if (cell->is_constant
           && (g_str_equal (name, "!") || (g_str_equal (name, "any") && !term->arguments[0]->glob)))
    explain (evaluation, term->arguments[0], message);
  else
    explain_value (evaluation, term, message);
}

SondeMessage *
sonde_expression_explain (SondeExpression *expression, SondeExpressionSource *source,
                          GError **error)
{
  g_autoptr (SondeMessage) message = sonde_message_new_empty ();
  SondeExpressionEvaluation evaluation;
  gboolean done;

  sonde_evaluation_init (&evaluation, expression, source);
  done = sonde_evaluation_prepare (&evaluation, expression->root, error);
  if (done)
    explain (&evaluation, expression->root, message);
  sonde_evaluation_clear (&evaluation);
  return done ? g_steal_pointer (&message) : NULL;
}
