/* SPDX-License-Identifier: Apache-2.0
 * Text -> tree, by recursive descent. What stands where decides what a character is: a slash begins
 * a name where a value is expected, and divides behind one. */
#include "engine/live/sonde-expression-parse-private.h"

#include <string.h>

/* ---- terms --------------------------------------------------------------- */

SondeTerm *
sonde_parser_add (SondeParser *parser, SondeTermType type, gsize first)
{
  SondeTerm *term = g_new0 (SondeTerm, 1);

  term->type = type;
  term->id = parser->expression->terms->len;
  term->depth = 1;
  term->first = (guint) first;
  term->last = (guint) parser->at;
  g_ptr_array_add (parser->expression->terms, term);
  return term;
}

static void
term_free (void *data)
{
  SondeTerm *term = data;

  g_free (term->name);
  g_free (term->slice);
  g_free (term);
}

/* A call of @function; NULL with @error when the tree becomes too deep. */
SondeTerm *
sonde_parser_call (SondeParser *parser, const SondeCallable *function, gsize first,
                   SondeTerm *const *arguments, guint n, GError **error)
{
  SondeTerm *term = sonde_parser_add (parser, SONDE_TERM_CALL, first);

  term->function = function;
  term->n_arguments = n;
  for (guint i = 0; i < n; i++)
    {
      term->arguments[i] = arguments[i];
      term->depth = MAX (term->depth, arguments[i]->depth + 1);
      term->last = MAX (term->last, arguments[i]->last);
    }
  if (term->depth <= SONDE_EXPRESSION_MAX_DEPTH)
    return term;
  sonde_parser_error (parser, first, error, "this is more than %d operators in a row.",
                      SONDE_EXPRESSION_MAX_DEPTH);
  return NULL;
}

/* ---- operators ----------------------------------------------------------- */

/* One level of binary operators; @names: (array zero-terminated=1), longer ones first. */
typedef struct
{
  const char *names[7];
} Level;

#define COMPARISON 2

static const Level levels[] = {
  { { "||", "or" } }, { { "&&", "and" } },   { { "==", "!=", "<=", ">=", "<", ">" } },
  { { "+", "-" } },   { { "*", "/", "%" } },
};

/* Operators with another one's name. */
static const char *
meaning (const char *operator)
{
  if (g_str_equal (operator, "or"))
    return "||";
  return g_str_equal (operator, "and") ? "&&" : operator;
}

/* The operator of @level that stands here; it is taken. */
static const char *
take_operator (SondeParser *parser, const Level *level)
{
  for (guint i = 0; level->names[i] != NULL; i++)
    {
      if (g_str_equal (level->names[i], "*") && sonde_parser_looks_at (parser, "**"))
        continue;
      if (sonde_parser_take (parser, level->names[i]))
        return meaning (level->names[i]);
    }
  return NULL;
}

/* dtype(x) == "float32": what is quoted there is a text, not a value. */
static void
note_text (const SondeTerm *call, SondeTerm *other)
{
  if (call->type != SONDE_TERM_CALL || !g_str_equal (call->function->help.name, "dtype")
      || other->type != SONDE_TERM_VALUE || other->slice != NULL)
    return;
  other->type = SONDE_TERM_TEXT;
  other->glob = FALSE;
}

static SondeTerm *parse_unary (SondeParser *parser, GError **error);

static SondeTerm *parse_level (SondeParser *parser, guint k, GError **error);

static SondeTerm *
parse_operand (SondeParser *parser, guint k, GError **error)
{
  gsize first = sonde_parser_skip (parser);

  /* “not” binds less than a comparison, “!” more */
  if (k == COMPARISON && sonde_parser_take (parser, "not"))
    {
      SondeTerm *term;

      if (!sonde_parser_enter (parser, error))
        return NULL;
      term = parse_operand (parser, k, error);
      parser->nesting--;
      return term != NULL
                 ? sonde_parser_call (parser, sonde_callable_find ("!"), first, &term, 1, error)
                 : NULL;
    }
  return k < G_N_ELEMENTS (levels) ? parse_level (parser, k, error) : parse_unary (parser, error);
}

static SondeTerm *
parse_level (SondeParser *parser, guint k, GError **error)
{
  gsize first = sonde_parser_skip (parser);
  SondeTerm *left = parse_operand (parser, k + 1, error);
  gboolean compared = FALSE;

  while (left != NULL)
    {
      gsize at = sonde_parser_skip (parser);
      const char *operator= take_operator (parser, &levels[k]);
      SondeTerm *pair[2] = { left };

      if (operator== NULL)
        break;
      if (compared)
        {
          sonde_parser_error (parser, at, error,
                              "comparisons are not chained: write a < b && b < c.");
          return NULL;
        }
      compared = k == COMPARISON;
      pair[1] = parse_operand (parser, k + 1, error);
      if (pair[1] == NULL)
        return NULL;
      note_text (pair[0], pair[1]);
      note_text (pair[1], pair[0]);
      left = sonde_parser_call (parser, sonde_callable_find (operator), first, pair, 2, error);
    }
  return left;
}

static SondeTerm *
parse_power (SondeParser *parser, GError **error)
{
  gsize first = sonde_parser_skip (parser);
  SondeTerm *pair[2] = { sonde_parser_primary (parser, error), NULL };

  if (pair[0] == NULL || !sonde_parser_take (parser, "**"))
    return pair[0];
  pair[1] = parse_unary (parser, error); /* to the right, and 2 ** -1 */
  return pair[1] != NULL
             ? sonde_parser_call (parser, sonde_callable_find ("**"), first, pair, 2, error)
             : NULL;
}

static SondeTerm *
parse_unary (SondeParser *parser, GError **error)
{
  gsize first = sonde_parser_skip (parser);
  char sign = parser->text[first];
  SondeTerm *term;

  if (!sonde_parser_enter (parser, error))
    return NULL;
  if (sign == '-' || sign == '+' || (sign == '!' && parser->text[first + 1] != '='))
    {
      parser->at++;
      term = parse_unary (parser, error);
      if (term != NULL && sign != '+')
        term = sonde_parser_call (parser, sonde_callable_find (sign == '!' ? "!" : "negate"), first,
                                  &term, 1, error);
    }
  else
    term = parse_power (parser, error);
  parser->nesting--;
  return term;
}

SondeTerm *
sonde_parser_expression (SondeParser *parser, GError **error)
{
  gsize first = sonde_parser_skip (parser);
  SondeTerm *triple[3] = { NULL }, *term = NULL;

  if (!sonde_parser_enter (parser, error))
    return NULL;
  triple[0] = parse_operand (parser, 0, error);
  if (triple[0] == NULL || !sonde_parser_take (parser, "?"))
    term = triple[0];
  else
    {
      triple[1] = sonde_parser_expression (parser, error);
      if (triple[1] != NULL && !sonde_parser_take (parser, ":"))
        sonde_parser_error (parser, parser->at, error, "“:” is missing after “?”.");
      else if (triple[1] != NULL)
        triple[2] = sonde_parser_expression (parser, error);
      if (triple[2] != NULL)
        term = sonde_parser_call (parser, sonde_callable_find ("where"), first, triple, 3, error);
    }
  parser->nesting--;
  return term;
}

/* ---- the whole ----------------------------------------------------------- */

/* Each value once, in the order of the text. */
static void
collect_references (SondeExpression *expression)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < expression->terms->len; i++)
    {
      SondeTerm *term = g_ptr_array_index (expression->terms, i);
      SondeReference reference = { term->name, term->previous, term->slice, term->glob };
      char *key;
      gpointer index;

      if (term->type != SONDE_TERM_VALUE)
        continue;
      key = g_strdup_printf ("%d%d%s\n%s", term->previous, term->glob, term->name,
                             term->slice != NULL ? term->slice : "");
      if (g_hash_table_lookup_extended (seen, key, NULL, &index))
        {
          term->reference = GPOINTER_TO_UINT (index);
          g_free (key);
          continue;
        }
      term->reference = expression->references->len;
      g_hash_table_insert (seen, key, GUINT_TO_POINTER (term->reference));
      g_array_append_val (expression->references, reference);
    }
}

/* Of what stands where an operator would have to. */
static const char *
unexpected (const char *rest)
{
  if (*rest == '=')
    return N_ ("to compare, write ==.");
  if (*rest == '&' || *rest == '|')
    return *rest == '&' ? N_ ("write && for “and”.") : N_ ("write || for “or”.");
  if (*rest == '[')
    return N_ ("a slice goes with the name of a value, not with what was calculated.");
  return *rest == ')' ? N_ ("this “)” closes nothing.") : N_ ("an operator was expected here.");
}

SondeExpression *
sonde_expression_parse (const char *text, GError **error)
{
  g_autoptr (SondeExpression) expression = g_new0 (SondeExpression, 1);
  SondeParser parser = { .expression = expression };
  const char *bad;

  expression->terms = g_ptr_array_new_with_free_func (term_free);
  expression->references = g_array_new (FALSE, FALSE, sizeof (SondeReference));
  if (strlen (text) > SONDE_EXPRESSION_MAX_BYTES || !g_utf8_validate (text, -1, &bad))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "%-s",
                       strlen (text) > SONDE_EXPRESSION_MAX_BYTES
                           ? N_ ("The expression is longer than 64 KiB.")
                           : N_ ("The expression is no UTF-8 text."));
      return NULL;
    }
  parser.text = expression->text = g_strstrip (g_strdup (text));
  expression->root = sonde_parser_expression (&parser, error);
  if (expression->root == NULL)
    return NULL;
  sonde_parser_skip (&parser);
  if (parser.text[parser.at] != '\0')
    {
      sonde_parser_error (&parser, parser.at, error, "%-s", unexpected (parser.text + parser.at));
      return NULL;
    }
  collect_references (expression);
  return g_steal_pointer (&expression);
}

void
sonde_expression_free (SondeExpression *expression)
{
  if (expression == NULL)
    return;
  g_clear_pointer (&expression->terms, g_ptr_array_unref);
  g_clear_pointer (&expression->references, g_array_unref);
  g_free (expression->text);
  g_free (expression);
}

const char *
sonde_expression_get_text (const SondeExpression *expression)
{
  return expression->text;
}

guint
sonde_expression_get_n_references (const SondeExpression *expression)
{
  return expression->references->len;
}

const SondeReference *
sonde_expression_get_reference (const SondeExpression *expression, guint k)
{
  g_return_val_if_fail (k < expression->references->len, NULL);
  return &g_array_index (expression->references, SondeReference, k);
}

gboolean
sonde_expression_is_reference (const SondeExpression *expression)
{
  return expression->root->type == SONDE_TERM_VALUE && !expression->root->previous;
}
