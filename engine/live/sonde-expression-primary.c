/* SPDX-License-Identifier: Apache-2.0
 * What stands between operators: numbers, names of values, calls. Names are as the graph has them,
 * so nearly everything may be part of one; what is not goes in quotes. */
#include "engine/live/sonde-expression-parse-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"

/* ---- characters ---------------------------------------------------------- */

gsize
sonde_parser_skip (SondeParser *parser)
{
  while (g_ascii_isspace (parser->text[parser->at]))
    parser->at++;
  return parser->at;
}

static gboolean
begins_name (char c)
{
  return g_ascii_isalpha (c) || (guchar) c >= 0x80 || (c != '\0' && strchr ("_/@$", c) != NULL);
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (guchar) c >= 0x80;
}

/* Bytes of the name that begins at @text. A slash belongs to it when the name begins with one or a
 * letter follows, a colon when something of a name follows. */
static gsize
name_length (const char *text)
{
  gsize n = 1;

  for (;; n++)
    {
      char c = text[n], next = c != '\0' ? text[n + 1] : '\0';

      if (is_word (c) || (c != '\0' && strchr (".'@$#", c) != NULL))
        continue;
      if (c == '/' && (is_word (next) || next == '/')
          && (text[0] == '/' || !g_ascii_isdigit (next)))
        continue;
      if (c == ':' && (is_word (next) || next == ':' || next == '/'))
        continue;
      return n;
    }
}

gboolean
sonde_parser_looks_at (SondeParser *parser, const char *operator)
{
  gsize at = sonde_parser_skip (parser), n = strlen (operator);

  return strncmp (parser->text + at, operator, n) == 0
         && !(g_ascii_isalpha (operator[0])
              && (is_word (parser->text[at + n]) || parser->text[at + n] == '.'));
}

gboolean
sonde_parser_take (SondeParser *parser, const char *operator)
{
  if (!sonde_parser_looks_at (parser, operator))
    return FALSE;
  parser->at += strlen (operator);
  return TRUE;
}

void
sonde_parser_error (SondeParser *parser, gsize at, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "Column %ld of the expression: ",
                      g_utf8_pointer_to_offset (parser->text, parser->text + at) + 1);
}

gboolean
sonde_parser_enter (SondeParser *parser, GError **error)
{
  if (++parser->nesting <= 2 * SONDE_EXPRESSION_MAX_NESTING) /* parentheses take two */
    return TRUE;
  sonde_parser_error (parser, parser->at, error, "this is nested deeper than %d.",
                      SONDE_EXPRESSION_MAX_NESTING);
  return FALSE;
}

/* ---- numbers ------------------------------------------------------------- */

static gboolean
read_digits (const char *text, double *number, gint64 *integer, gboolean *whole, gsize *length)
{
  char *end, *end_of_whole;
  gboolean hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

  errno = 0;
  *integer = g_ascii_strtoll (text, &end_of_whole, hexadecimal ? 16 : 10);
  *whole = errno == 0;
  *number = g_ascii_strtod (text, &end);
  if (hexadecimal)
    end = end_of_whole;
  if (hexadecimal && *whole)
    *number = (double) *integer;
  *whole = *whole && end == end_of_whole;
  *length = (gsize) (end - text);
  return end > text + (hexadecimal ? 2 : 0) && !is_word (*end);
}

static SondeTerm *
parse_number (SondeParser *parser, GError **error)
{
  gsize first = parser->at, length;
  double number;
  gint64 integer;
  gboolean whole;
  SondeTerm *term;

  if (!read_digits (parser->text + first, &number, &integer, &whole, &length))
    {
      sonde_parser_error (parser, first, error,
                          "this is no number; the name of a value that begins with a digit is put "
                          "in quotes.");
      return NULL;
    }
  parser->at += length;
  term = sonde_parser_add (parser, SONDE_TERM_NUMBER, first);
  term->number = number;
  term->integer = integer;
  term->kind = whole ? SONDE_KIND_WHOLE : SONDE_KIND_REAL;
  return term;
}

typedef struct
{
  const char *name;
  double number;
  SondeKind kind;
} Constant;

static const Constant constants[] = {
  { "inf", INFINITY, SONDE_KIND_REAL },
  { "nan", NAN, SONDE_KIND_REAL },
  { "true", 1, SONDE_KIND_TRUTH },
  { "True", 1, SONDE_KIND_TRUTH },
  { "false", 0, SONDE_KIND_TRUTH },
  { "False", 0, SONDE_KIND_TRUTH },
  { "pi", 3.14159265358979323846, SONDE_KIND_REAL },
};

static SondeTerm *
make_constant (SondeParser *parser, gsize first, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (constants); i++)
    if (g_str_equal (constants[i].name, name))
      {
        SondeTerm *term = sonde_parser_add (parser, SONDE_TERM_NUMBER, first);

        term->number = constants[i].number;
        term->integer = constants[i].kind == SONDE_KIND_TRUTH ? (gint64) constants[i].number : 0;
        term->kind = constants[i].kind;
        return term;
      }
  return NULL;
}

/* ---- values -------------------------------------------------------------- */

static SondeTerm *
make_value (SondeParser *parser, gsize first, char *name) /* (transfer full) */
{
  SondeTerm *term = sonde_parser_add (parser, SONDE_TERM_VALUE, first);

  term->name = name;
  term->previous = parser->previous;
  return term;
}

/* Sets the slice of every value of @term, which is one or the update of one. */
static gboolean
set_slice (SondeParser *parser, SondeTerm *term, const char *slice, gsize at, GError **error)
{
  if (term->type == SONDE_TERM_VALUE && term->slice == NULL)
    {
      term->slice = g_strdup (slice);
      term->last = (guint) parser->at;
      return TRUE;
    }
  if (term->type == SONDE_TERM_CALL && g_str_equal (term->function->help.name, "update"))
    {
      term->last = (guint) parser->at;
      return set_slice (parser, term->arguments[0], slice, at, error)
             && set_slice (parser, term->arguments[1], slice, at, error);
    }
  sonde_parser_error (parser, at, error, "a slice goes with the name of a value, once.");
  return FALSE;
}

/* "[…]" behind @term, when it stands there. */
static SondeTerm *
parse_slice (SondeParser *parser, SondeTerm *term, GError **error)
{
  gsize at = parser->at, end;
  g_autofree char *slice = NULL;

  if (term == NULL || !sonde_parser_looks_at (parser, "["))
    {
      parser->at = at; /* spaces behind a name are not its own */
      return term;
    }
  at = parser->at;
  end = at + strcspn (parser->text + at, "]");
  if (parser->text[end] == '\0')
    {
      sonde_parser_error (parser, at, error, "“]” is missing.");
      return NULL;
    }
  slice = g_strndup (parser->text + at + 1, end - at - 1);
  parser->at = end + 1;
  return set_slice (parser, term, slice, at, error) ? term : NULL;
}

/* "…" or '…', with a backslash before a quote that is part of it. (transfer full) */
static char *
read_quoted (SondeParser *parser, GError **error)
{
  gsize first = parser->at;
  char quote = parser->text[first];
  g_autoptr (GString) name = g_string_new (NULL);

  for (gsize at = first + 1; parser->text[at] != '\0'; at++)
    {
      if (parser->text[at] == quote)
        {
          parser->at = at + 1;
          return g_string_free (g_steal_pointer (&name), FALSE);
        }
      if (parser->text[at] == '\\'
          && (parser->text[at + 1] == quote || parser->text[at + 1] == '\\'))
        at++;
      g_string_append_c (name, parser->text[at]);
    }
  sonde_parser_error (parser, first, error, "the quote is not closed.");
  return NULL;
}

/* What stands in the parentheses of grad(…), state(…) and update(…): a name, not an expression.
 * @slice: (out) (nullable): brackets behind it. (transfer full) */
static char *
read_inside (SondeParser *parser, char **slice, GError **error)
{
  gsize first = sonde_parser_skip (parser), at = first;
  guint open = 1;
  char *name, *bracket;

  *slice = NULL;
  if (parser->text[first] == '"' || parser->text[first] == '\'')
    {
      name = read_quoted (parser, error);
      if (name != NULL && sonde_parser_take (parser, ")"))
        return name;
      if (name != NULL)
        sonde_parser_error (parser, parser->at, error, "“)” was expected.");
      g_free (name);
      return NULL;
    }
  for (; parser->text[at] != '\0' && open > 0; at++)
    open += parser->text[at] == '(' ? 1 : parser->text[at] == ')' ? -1 : 0;
  if (open > 0)
    {
      sonde_parser_error (parser, first, error, "“)” is missing.");
      return NULL;
    }
  name = g_strstrip (g_strndup (parser->text + first, at - 1 - first));
  parser->at = at;
  bracket = g_str_has_suffix (name, "]") ? strrchr (name, '[') : NULL;
  if (bracket != NULL && bracket > name)
    {
      *slice = g_strndup (bracket + 1, strlen (bracket) - 2);
      *bracket = '\0';
      g_strchomp (name);
    }
  if (*name != '\0')
    return name;
  sonde_parser_error (parser, first, error, "the name of a value was expected.");
  g_free (name);
  g_clear_pointer (slice, g_free);
  return NULL;
}

/* "P ,m" -> "P, m", as training graphs name states. */
static char *
spaced (char *name)
{
  char *comma = strrchr (name, ',');
  g_autofree char *whole = name;
  g_autofree char *parameter
      = comma != NULL ? g_strchomp (g_strndup (name, (gsize) (comma - name))) : NULL;

  if (comma == NULL)
    return g_steal_pointer (&whole);
  return g_strdup_printf ("%s, %s", parameter, g_strchug (comma + 1));
}

static SondeTerm *
make_update (SondeParser *parser, gsize first, const char *name, GError **error)
{
  SondeTerm *pair[2];

  pair[0] = make_value (parser, first, g_strconcat (name, "'", NULL));
  pair[1] = make_value (parser, first, g_strdup (name));
  return sonde_parser_call (parser, sonde_callable_find ("update"), first, pair, 2, error);
}

/* grad(V), state(P, m), update(P): behind the first parenthesis. */
static SondeTerm *
parse_named (SondeParser *parser, gsize first, const char *function, GError **error)
{
  g_autofree char *slice = NULL;
  g_autofree char *inside = read_inside (parser, &slice, error);
  SondeTerm *term;

  if (inside == NULL)
    return NULL;
  if (g_str_equal (function, "update"))
    term = make_update (parser, first, inside, error);
  else
    {
      if (g_str_equal (function, "state"))
        inside = spaced (g_steal_pointer (&inside));
      term = make_value (parser, first, g_strdup_printf ("%s(%s)", function, inside));
    }
  if (term != NULL && slice != NULL && !set_slice (parser, term, slice, first, error))
    return NULL;
  return parse_slice (parser, term, error);
}

static SondeTerm *
parse_previous (SondeParser *parser, gsize first, GError **error)
{
  SondeTerm *term;

  if (parser->previous)
    {
      sonde_parser_error (parser, first, error, "prev(prev(…)): only one step back is kept.");
      return NULL;
    }
  parser->previous = TRUE;
  term = sonde_parser_expression (parser, error);
  parser->previous = FALSE;
  if (term != NULL && !sonde_parser_take (parser, ")"))
    {
      sonde_parser_error (parser, parser->at, error, "“)” was expected: prev takes one argument.");
      return NULL;
    }
  if (term != NULL)
    {
      term->first = (guint) first;
      term->last = (guint) parser->at;
    }
  return parse_slice (parser, term, error);
}

/* ---- calls --------------------------------------------------------------- */

static const char *
function_candidate (guint k, gpointer data)
{
  const SondeExpressionHelp *help = sonde_expression_help (k);

  return help->name;
}

static const SondeCallable *
find_function (SondeParser *parser, gsize first, const char *name, GError **error)
{
  const SondeCallable *function = sonde_callable_find (name);
  const char *nearest;
  guint n = 0;

  if (function != NULL && function->help.usage != NULL)
    return function;
  while (sonde_expression_help (n) != NULL)
    n++;
  nearest = sonde_nearest_name (name, function_candidate, n, NULL);
  if (nearest != NULL)
    sonde_parser_error (parser, first, error, "there is no function “%s”; the nearest is “%s”.",
                        name, nearest);
  else
    sonde_parser_error (parser, first, error,
                        "there is no function “%s”; help expressions lists them.", name);
  return NULL;
}

/* A glob as argument: a bare * or name* before a comma or parenthesis, or quoted. */
static SondeTerm *
parse_glob (SondeParser *parser)
{
  gsize first = sonde_parser_skip (parser), at = first, end;
  SondeTerm *term;

  while (is_word (parser->text[at])
         || (parser->text[at] != '\0' && strchr ("*?._/:", parser->text[at]) != NULL))
    at++;
  for (end = at; g_ascii_isspace (parser->text[end]); end++)
    ;
  if (at == first || parser->text[end] != ')'
      || (parser->text[first] != '*' && parser->text[at - 1] != '*'))
    return NULL;
  parser->at = at;
  term = make_value (parser, first, g_strndup (parser->text + first, at - first));
  term->glob = TRUE;
  return term;
}

static void
note_glob (const SondeCallable *function, SondeTerm *term)
{
  if (function->globs && term->type == SONDE_TERM_VALUE && term->quoted && term->slice == NULL
      && (strpbrk (term->name, "*?[") != NULL || g_str_has_prefix (term->name, "kind:")
          || g_str_has_prefix (term->name, "op:")))
    term->glob = TRUE;
}

static gboolean
note_dtype (SondeParser *parser, SondeTerm *call, GError **error)
{
  SondeTerm *name = call->arguments[1];

  if (call->function->klass != SONDE_CALL_CAST)
    return TRUE;
  if (name->type == SONDE_TERM_VALUE && name->slice == NULL)
    call->dtype = sonde_dtype_from_name (name->name);
  if (call->dtype == SONDE_DTYPE_INVALID || call->dtype == SONDE_DTYPE_STRING)
    {
      sonde_parser_error (parser, name->first, error,
                          "the name of a dtype was expected, as float16.");
      return FALSE;
    }
  name->type = SONDE_TERM_TEXT;
  return TRUE;
}

/* FALSE with @error when @n arguments are not what @function takes. */
static gboolean
check_count (SondeParser *parser, const SondeCallable *function, gsize first, guint n,
             GError **error)
{
  if (n >= function->least && n <= function->most)
    return TRUE;
  sonde_parser_error (parser, first, error, "the form is %s.", function->help.usage);
  return FALSE;
}

static SondeTerm *
parse_arguments (SondeParser *parser, gsize first, const char *name, GError **error)
{
  const SondeCallable *function = find_function (parser, first, name, error);
  SondeTerm *arguments[SONDE_EXPRESSION_MAX_ARGUMENTS], *term;
  guint n = 0;

  if (function == NULL)
    return NULL;
  while (!sonde_parser_take (parser, ")"))
    {
      if (n > 0 && !sonde_parser_take (parser, ","))
        {
          sonde_parser_error (parser, parser->at, error, "“,” or “)” was expected.");
          return NULL;
        }
      if (n == SONDE_EXPRESSION_MAX_ARGUMENTS)
        return check_count (parser, function, first, n + 1, error), NULL;
      arguments[n] = function->globs ? parse_glob (parser) : NULL;
      if (arguments[n] == NULL)
        arguments[n] = sonde_parser_expression (parser, error);
      if (arguments[n] == NULL)
        return NULL;
      note_glob (function, arguments[n]);
      n++;
    }
  if (!check_count (parser, function, first, n, error))
    return NULL;
  /* min and max of two are another function */
  if (function->klass == SONDE_CALL_STATISTIC && n == 2)
    function
        = sonde_callable_find (g_str_equal (function->help.name, "min") ? "minimum" : "maximum");
  term = sonde_parser_call (parser, function, first, arguments, n, error);
  if (term != NULL)
    term->last = (guint) parser->at;
  return term != NULL && note_dtype (parser, term, error) ? term : NULL;
}

/* Fields of stats(x), as `stats` names them. */
static const char *const fields[][2] = {
  { "min", "min" },           { "max", "max" },        { "mean", "mean" },
  { "std", "std" },           { "nan", "nan" },        { "abs_mean", "absmean" },
  { "zeros", "count_zeros" }, { "count", "count" },    { "negatives", "count_negatives" },
  { "pos_inf", "posinf" },    { "neg_inf", "neginf" },
};

/* stats(x).FIELD: the function of that field. */
static SondeTerm *
parse_statistics (SondeParser *parser, gsize first, GError **error)
{
  SondeTerm *term = parse_arguments (parser, first, "stats", error);
  gsize n = 0;

  if (term == NULL)
    return NULL;
  if (sonde_parser_take (parser, "."))
    while (g_ascii_isalpha (parser->text[parser->at + n]) || parser->text[parser->at + n] == '_')
      n++;
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (n > 0 && strlen (fields[i][0]) == n
        && strncmp (fields[i][0], parser->text + parser->at, n) == 0)
      {
        parser->at += n;
        term->last = (guint) parser->at;
        term->function = sonde_callable_find (fields[i][1]);
        return term;
      }
  sonde_parser_error (parser, parser->at, error,
                      "stats(x) is followed by .min, .max, .mean, .std, .abs_mean, .zeros, "
                      ".negatives, .nan, .pos_inf, .neg_inf or .count.");
  return NULL;
}

/* ---- primaries ----------------------------------------------------------- */

static SondeTerm *
parse_name (SondeParser *parser, GError **error)
{
  gsize first = parser->at;
  g_autofree char *name = g_strndup (parser->text + first, name_length (parser->text + first));
  SondeTerm *term;

  parser->at += strlen (name);
  if (sonde_parser_take (parser, "("))
    {
      if (g_str_equal (name, "grad") || g_str_equal (name, "state") || g_str_equal (name, "update"))
        return parse_named (parser, first, name, error);
      if (g_str_equal (name, "prev"))
        return parse_previous (parser, first, error);
      if (g_str_equal (name, "stats"))
        return parse_statistics (parser, first, error);
      return parse_arguments (parser, first, name, error);
    }
  parser->at = first + strlen (name);
  term = make_constant (parser, first, name);
  return term != NULL
             ? term
             : parse_slice (parser, make_value (parser, first, g_steal_pointer (&name)), error);
}

static SondeTerm *
parse_quoted (SondeParser *parser, GError **error)
{
  gsize first = parser->at;
  g_autofree char *name = read_quoted (parser, error);
  SondeTerm *term;

  if (name == NULL)
    return NULL;
  if (*name == '\0')
    {
      sonde_parser_error (parser, first, error, "there is no name between the quotes.");
      return NULL;
    }
  term = make_value (parser, first, g_steal_pointer (&name));
  term->quoted = TRUE;
  return parse_slice (parser, term, error);
}

static SondeTerm *
parse_parentheses (SondeParser *parser, GError **error)
{
  gsize first = parser->at++;
  SondeTerm *term = sonde_parser_expression (parser, error);

  if (term == NULL)
    return NULL;
  if (!sonde_parser_take (parser, ")"))
    {
      sonde_parser_error (parser, first, error, "this “(” is not closed.");
      return NULL;
    }
  return term;
}

SondeTerm *
sonde_parser_primary (SondeParser *parser, GError **error)
{
  char c = parser->text[sonde_parser_skip (parser)];

  if (c == '(')
    return parse_parentheses (parser, error);
  if (c == '"' || c == '\'')
    return parse_quoted (parser, error);
  if (g_ascii_isdigit (c) || (c == '.' && g_ascii_isdigit (parser->text[parser->at + 1])))
    return parse_number (parser, error);
  if (begins_name (c))
    return parse_name (parser, error);
  if (c == '\0')
    sonde_parser_error (parser, parser->at, error,
                        "a number, a value or a function was expected at the end.");
  else
    sonde_parser_error (parser, parser->at, error, "a number, a value or a function was expected.");
  return NULL;
}
