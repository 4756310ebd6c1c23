/* SPDX-License-Identifier: Apache-2.0
 * Expressions without precedence: which names they mention, which scopes lambdas and comprehensions make
 * in them. What stands side by side and cannot is damage. */
#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-reader-private.h"

void
sonde_python_invalid (SondePythonReader *reader, guint32 token)
{
  const SondePythonToken *at = token_at (reader, token);
  int length = (int) MIN (at->length, 20);

  if (at->kind == SONDE_PYTHON_NAME || at->kind == SONDE_PYTHON_OPERATOR)
    sonde_python_damage_set (&reader->module->damage, at->line, "“%.*s” does not belong here",
                             length, reader->text + at->offset);
  else
    sonde_python_damage_set (&reader->module->damage, at->line, "this is no Python 3");
}

guint32
sonde_python_find_operator (const SondePythonReader *reader, guint32 begin, guint32 end, int op)
{
  guint lambdas = 0;

  for (guint32 i = begin; i < end; i = step (reader, i, end))
    if (is_word (reader, i, WORD_LAMBDA))
      lambdas++;
    else if (lambdas > 0 && is_operator (reader, i, ':'))
      lambdas--;
    else if (lambdas == 0 && is_operator (reader, i, op))
      return i;
  return end;
}

guint32
sonde_python_find_word (const SondePythonReader *reader, guint32 begin, guint32 end,
                        SondePythonWord word)
{
  for (guint32 i = begin; i < end; i = step (reader, i, end))
    if (is_word (reader, i, word) && !(i > begin && is_operator (reader, i - 1, '.')))
      return i;
  return end;
}

/* What stands before an open bracket: does it make it a call or a subscript? */
static gboolean
is_operand (const SondePythonReader *reader, guint32 i)
{
  const SondePythonToken *token = token_at (reader, i);

  return token->kind == SONDE_PYTHON_CLOSE || token->kind == SONDE_PYTHON_STRING
         || token->kind == SONDE_PYTHON_NUMBER || is_name (reader, i);
}

gboolean
sonde_python_read_chain (const SondePythonReader *reader, guint32 at, guint32 end,
                         SondePythonChain *chain)
{
  guint32 opens = 0, close;

  while (at + opens < end && is_open (reader, at + opens, '('))
    opens++;
  chain->begin = at + opens;
  if (chain->begin >= end || !is_name (reader, chain->begin))
    return FALSE;
  chain->n_names = 0;
  chain->end = chain->begin + 1;
  for (guint n = 1;; opens--)
    {
      while (chain->end + 1 < end && is_operator (reader, chain->end, '.')
             && token_at (reader, chain->end + 1)->kind == SONDE_PYTHON_NAME)
        {
          chain->end += 2;
          n++;
        }
      chain->n_names = n;
      if (opens == 0)
        return TRUE;
      close = token_at (reader, at + opens - 1)->partner;
      if (close != chain->end || close >= end)
        return FALSE;
      chain->end++;
    }
}

gboolean
sonde_python_is_chain (const SondePythonReader *reader, guint32 begin, guint32 end,
                       SondePythonChain *chain)
{
  return begin < end && sonde_python_read_chain (reader, begin, end, chain) && chain->end == end;
}

guint32
sonde_python_chain_rest (SondePythonReader *reader, guint32 begin, guint32 n_names)
{
  guint32 at = begin;

  if (n_names <= 1)
    return WORD_NOTHING;
  g_string_truncate (reader->scratch, 0);
  /* Brackets may stand between the names; what stands between them is names and dots alone. */
  for (guint32 found = 1; found < n_names;)
    {
      const SondePythonToken *token = token_at (reader, ++at);

      if (token->kind != SONDE_PYTHON_NAME)
        continue;
      if (found++ > 1)
        g_string_append_c (reader->scratch, '.');
      g_string_append_len (reader->scratch, reader->text + token->offset, token->length);
    }
  return sonde_name_table_add (reader->names, reader->scratch->str, reader->scratch->len);
}

void
sonde_python_mention (SondePythonReader *reader, const SondePythonChain *chain, guint32 call,
                      guint32 scope, SondePythonHow how)
{
  SondePythonMention mention = { .scope = scope,
                                 .begin = chain->begin,
                                 .n_names = chain->n_names,
                                 .call = call,
                                 .how = (guint8) how };

  g_array_append_val (reader->mentions, mention);
}

/* The value before a dot: what a method is called on. */
typedef struct
{
  guint8 receiver;
  gboolean is_literal;
  guint32 begin, n_names;
} Value;

/* An expression on its way. @scope changes in the body of a lambda, up to the next comma or colon. */
typedef struct
{
  SondePythonReader *reader;
  guint32 at, end;
  guint32 scope, outer;
  SondePythonHow how;
  gboolean after_operand;
  Value value;
} Expression;

static void
note_method (Expression *expression, guint32 token)
{
  SondePythonReader *reader = expression->reader;
  guint32 name = token_at (reader, token)->name;
  SondePythonMethodMention mention = { .scope = expression->scope,
                                       .token = token,
                                       .value = expression->value.begin,
                                       .n_names = expression->value.n_names,
                                       .receiver = expression->value.receiver };

  if (name >= reader->first_method && name < reader->end_method && !expression->value.is_literal)
    g_array_append_val (reader->method_mentions, mention);
}

static gboolean
is_method (const SondePythonReader *reader, guint32 token)
{
  guint32 name = token_at (reader, token)->name;

  return name >= reader->first_method && name < reader->end_method;
}

/* The last token of a chain that begins at @chain. */
static guint32
last_name (const SondePythonReader *reader, const SondePythonChain *chain)
{
  guint32 at = chain->end - 1;

  while (token_at (reader, at)->kind != SONDE_PYTHON_NAME)
    at--;
  return at;
}

static void
read_bracket (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  guint32 open = expression->at, close = token_at (reader, open)->partner;
  guint32 first = MIN (close, expression->end);
  SondePythonHow how = expression->how;
  guint32 loop;

  expression->at = MIN (close + 1, expression->end);
  if (!expression->after_operand)
    expression->value = (Value){ .is_literal = !is_open (reader, open, '(') };
  expression->after_operand = TRUE;
  if (reader->depth > SONDE_PYTHON_MAX_DEPTH)
    return;
  reader->depth++;
  loop = is_open (reader, open, 'f') ? first
                                     : sonde_python_find_word (reader, open + 1, first, WORD_FOR);
  if (loop == first)
    sonde_python_read_expression (reader, open + 1, first, expression->scope, how);
  else
    {
      guint32 scope = sonde_python_add_scope (reader, SONDE_PYTHON_SCOPE_COMPREHENSION,
                                              expression->scope, SONDE_NO_NAME, open);
      guint32 iterable_scope = expression->scope, head = loop;

      if (head > open + 1 && is_word (reader, head - 1, WORD_ASYNC))
        head--;
      sonde_python_read_expression (reader, open + 1, head, scope, how);
      while (loop < first)
        {
          guint32 next = sonde_python_find_word (reader, loop + 1, first, WORD_FOR);
          guint32 stop = next < first && is_word (reader, next - 1, WORD_ASYNC) ? next - 1 : next;
          guint32 in = sonde_python_find_word (reader, loop + 1, stop, WORD_IN);
          guint32 test = sonde_python_find_word (reader, in, stop, WORD_IF);

          if (in == stop)
            sonde_python_invalid (reader, loop);
          sonde_python_read_targets (reader, loop + 1, in, scope, 0, 0);
          if (in < stop)
            sonde_python_read_value (reader, in + 1, test, iterable_scope, how);
          sonde_python_read_expression (reader, test, stop, scope, how);
          iterable_scope = scope;
          loop = next;
        }
    }
  reader->depth--;
}

static void
read_lambda (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  guint32 begin = expression->at + 1;
  guint32 colon = sonde_python_find_operator (reader, begin, expression->end, ':');
  guint32 scope;

  if (colon == expression->end)
    sonde_python_invalid (reader, expression->at);
  expression->at = MIN (colon + 1, expression->end);
  expression->after_operand = FALSE;
  if (reader->depth > SONDE_PYTHON_MAX_DEPTH)
    return;
  reader->depth++;
  scope = sonde_python_add_scope (reader, SONDE_PYTHON_SCOPE_LAMBDA, expression->scope,
                                  SONDE_NO_NAME, begin - 1);
  sonde_python_read_parameters (reader, begin, colon, scope, expression->scope, TRUE);
  reader->depth--;
  expression->scope = scope;
}

/* name := value */
static void
read_walrus (Expression *expression, guint32 name)
{
  SondePythonReader *reader = expression->reader;
  guint32 begin = expression->at + 1;
  guint32 end = sonde_python_find_operator (reader, begin, expression->end, ',');
  guint32 scope = expression->scope;

  while (g_array_index (reader->module->scopes, SondePythonScope, scope).kind
         == SONDE_PYTHON_SCOPE_COMPREHENSION)
    scope = g_array_index (reader->module->scopes, SondePythonScope, scope).parent;
  sonde_python_read_targets (reader, name, name + 1, scope, begin, end);
  expression->at = begin;
  expression->after_operand = FALSE;
}

static void
read_mention (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  SondePythonChain chain;
  guint32 next;
  gboolean called;

  if (expression->after_operand && token_at (reader, expression->at)->kind == SONDE_PYTHON_NAME)
    sonde_python_invalid (reader, expression->at);
  if (!sonde_python_read_chain (reader, expression->at, expression->end, &chain))
    {
      read_bracket (expression);
      return;
    }
  next = chain.end;
  if (chain.n_names == 1 && next < expression->end)
    {
      if (is_operator (reader, next, '='))
        {
          expression->at = next + 1; /* the name of an argument */
          expression->after_operand = FALSE;
          return;
        }
      if (is_operator (reader, next, SONDE_PYTHON_WALRUS))
        {
          expression->at = next;
          read_walrus (expression, chain.begin);
          return;
        }
    }
  called = next < expression->end && is_open (reader, next, '(');
  sonde_python_mention (reader, &chain, called ? next : 0, expression->scope,
                        called ? SONDE_PYTHON_CALL : expression->how);
  expression->value = (Value){ .receiver = SONDE_PYTHON_RECEIVER_NAME,
                               .begin = chain.begin,
                               .n_names = chain.n_names };
  if (called && chain.n_names > 1 && is_method (reader, last_name (reader, &chain)))
    {
      expression->value.n_names--;
      note_method (expression, last_name (reader, &chain));
      expression->value.receiver = SONDE_PYTHON_RECEIVER_METHOD;
      expression->value.n_names++;
    }
  else if (called)
    expression->value.receiver = SONDE_PYTHON_RECEIVER_CALL;
  expression->at = next;
  expression->after_operand = TRUE;
}

/* .name of a value that is no chain */
static void
read_attribute (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  guint32 name = expression->at + 1;

  if (!expression->after_operand || name >= expression->end
      || token_at (reader, name)->kind != SONDE_PYTHON_NAME)
    {
      sonde_python_invalid (reader, expression->at);
      expression->at++;
      return;
    }
  if (name + 1 < expression->end && is_open (reader, name + 1, '('))
    note_method (expression, name);
  expression->value = (Value){ .receiver = is_method (reader, name) ? SONDE_PYTHON_RECEIVER_METHOD
                                                                    : SONDE_PYTHON_RECEIVER_OTHER };
  expression->at = name + 1;
}

static void
read_operator (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  int op = token_at (reader, expression->at)->op;

  switch (op)
    {
    case '.':
      read_attribute (expression);
      return;
    case SONDE_PYTHON_ELLIPSIS:
      expression->after_operand = TRUE;
      expression->value = (Value){ .is_literal = TRUE };
      break;
    case ',':
    case ':':
      expression->scope = expression->outer;
      expression->after_operand = FALSE;
      break;
    case '+':
    case '-':
    case '~':
    case '*':
    case SONDE_PYTHON_POWER:
      expression->after_operand = FALSE;
      break;
    default:
      if (!expression->after_operand || op == '=' || op == SONDE_PYTHON_AUGMENTED
          || op == SONDE_PYTHON_ARROW || op == ';' || op == SONDE_PYTHON_WALRUS)
        sonde_python_invalid (reader, expression->at);
      expression->after_operand = FALSE;
    }
  expression->at++;
}

static void
read_word (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  guint32 word = token_at (reader, expression->at)->name;
  gboolean is_value = word <= WORD_TRUE;

  if (word == WORD_LAMBDA)
    {
      if (expression->after_operand)
        sonde_python_invalid (reader, expression->at);
      read_lambda (expression);
      return;
    }
  switch (word)
    {
    case WORD_FALSE:
    case WORD_NONE:
    case WORD_TRUE:
    case WORD_AWAIT:
    case WORD_YIELD:
      if (expression->after_operand)
        sonde_python_invalid (reader, expression->at);
      break;
    case WORD_AND:
    case WORD_OR:
    case WORD_IF:
    case WORD_ELSE:
    case WORD_IS:
      if (!expression->after_operand)
        sonde_python_invalid (reader, expression->at);
      break;
    case WORD_IN:
    case WORD_NOT:
    case WORD_FROM: /* yield from */
    case WORD_FOR:
    case WORD_ASYNC:
      break;
    default:
      sonde_python_invalid (reader, expression->at);
    }
  expression->after_operand = is_value;
  expression->value = (Value){ .is_literal = TRUE };
  expression->at++;
}

static void
read_literal (Expression *expression)
{
  SondePythonReader *reader = expression->reader;
  guint32 at = expression->at;
  gboolean joins = FALSE;

  if (at > 0 && token_at (reader, at)->kind == SONDE_PYTHON_STRING)
    {
      const SondePythonToken *before = token_at (reader, at - 1);

      joins = before->kind == SONDE_PYTHON_STRING
              || (before->kind == SONDE_PYTHON_CLOSE && before->op == 'f');
    }
  if (expression->after_operand && !joins)
    sonde_python_invalid (reader, at);
  expression->after_operand = TRUE;
  expression->value = (Value){ .is_literal = TRUE };
  expression->at++;
}

static void
read_unit (Expression *expression)
{
  const SondePythonReader *reader = expression->reader;
  const SondePythonToken *token = token_at (reader, expression->at);

  switch (token->kind)
    {
    case SONDE_PYTHON_NAME:
      if (token->name <= WORD_YIELD)
        read_word (expression);
      else
        read_mention (expression);
      break;
    case SONDE_PYTHON_OPEN:
      if (!expression->after_operand && token->op == '(')
        read_mention (expression);
      else
        read_bracket (expression);
      break;
    case SONDE_PYTHON_OPERATOR:
      read_operator (expression);
      break;
    case SONDE_PYTHON_STRING:
    case SONDE_PYTHON_NUMBER:
      read_literal (expression);
      break;
    default:
      expression->at++;
    }
}

/* Does the range end as an expression can? A comma or a colon may be last in brackets. */
static gboolean
ends_well (const SondePythonReader *reader, guint32 begin, guint32 end)
{
  if (begin >= end || is_operand (reader, end - 1))
    return TRUE;
  if (token_at (reader, end - 1)->kind == SONDE_PYTHON_NAME)
    return token_at (reader, end - 1)->name <= WORD_TRUE || is_word (reader, end - 1, WORD_YIELD)
           || (end - begin > 1 && is_operator (reader, end - 2, '.'));
  return is_operator (reader, end - 1, ',') || is_operator (reader, end - 1, ':')
         || is_operator (reader, end - 1, SONDE_PYTHON_ELLIPSIS)
         || (end - begin == 1 && (is_operator (reader, begin, '*')));
}

void
sonde_python_read_expression (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
                              SondePythonHow how)
{
  Expression expression
      = { .reader = reader, .at = begin, .end = end, .scope = scope, .outer = scope, .how = how };

  if (begin < end && is_word (reader, begin, WORD_IF))
    expression.at++; /* the test of a comprehension or a case */
  while (expression.at < end)
    read_unit (&expression);
  if (!ends_well (reader, begin, end))
    sonde_python_invalid (reader, end - 1);
}

gboolean
sonde_python_read_value (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
                         SondePythonHow how)
{
  if (begin >= end)
    {
      sonde_python_invalid (reader, begin > 0 ? begin - 1 : 0);
      return FALSE;
    }
  sonde_python_read_expression (reader, begin, end, scope, how);
  return TRUE;
}
