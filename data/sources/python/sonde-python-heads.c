/* SPDX-License-Identifier: Apache-2.0
 * Statements that bind names in forms of their own: imports, def, class, for, with, except, case, type. */
#include "data/sources/python/sonde-python-reader-private.h"

/* name(.name)*: TRUE with the token behind it. */
static gboolean
read_dotted (const SondePythonReader *reader, guint32 begin, guint32 end, SondePythonChain *chain)
{
  return begin < end && token_at (reader, begin)->kind == SONDE_PYTHON_NAME
         && sonde_python_read_chain (reader, begin, end, chain);
}

static guint32
dotted_name (SondePythonReader *reader, const SondePythonChain *chain)
{
  const SondePythonToken *first = token_at (reader, chain->begin);
  guint32 rest = sonde_python_chain_rest (reader, chain->begin, chain->n_names);
  const char *tail = sonde_name_table_get (reader->names, rest);

  if (rest == WORD_NOTHING)
    return first->name;
  g_string_truncate (reader->scratch, 0);
  g_string_append_len (reader->scratch, reader->text + first->offset, first->length);
  g_string_append_c (reader->scratch, '.');
  g_string_append (reader->scratch, tail);
  return sonde_name_table_add (reader->names, reader->scratch->str, reader->scratch->len);
}

static void
refer_to_import (SondePythonReader *reader, guint32 token, guint32 scope,
                 const SondePythonBinding *binding, guint32 module, guint32 name)
{
  const SondePythonToken *at = token_at (reader, token);
  SondePythonReference reference = { .scope = scope,
                                     .first = SONDE_NO_NAME,
                                     .chain = module,
                                     .arguments = name,
                                     .line = at->line,
                                     .column = at->column,
                                     .how = SONDE_PYTHON_IMPORT,
                                     .level = binding->level };

  g_array_append_val (reader->module->references, reference);
}

/* "as name" at @at: its token; SONDE_NO_NAME: there is none. */
static guint32
read_as (SondePythonReader *reader, guint32 at, guint32 end)
{
  if (at >= end)
    return SONDE_NO_NAME;
  if (is_word (reader, at, WORD_AS) && at + 1 < end && is_name (reader, at + 1))
    {
      if (at + 2 < end)
        sonde_python_invalid (reader, at + 2);
      return at + 1;
    }
  sonde_python_invalid (reader, at);
  return SONDE_NO_NAME;
}

/* "import a.b" binds a, and refers to a.b. */
static void
read_imported_module (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  SondePythonChain chain;
  SondePythonBinding binding = { .kind = SONDE_PYTHON_BINDS_MODULE };
  guint32 as, module;

  if (!read_dotted (reader, begin, end, &chain))
    {
      sonde_python_invalid (reader, MIN (begin, end - 1));
      return;
    }
  as = read_as (reader, chain.end, end);
  module = dotted_name (reader, &chain);
  binding.target = as != SONDE_NO_NAME ? module : token_at (reader, begin)->name;
  sonde_python_bind (reader, scope, token_at (reader, as != SONDE_NO_NAME ? as : begin)->name,
                     begin, binding);
  refer_to_import (reader, begin, scope, &binding, module, SONDE_NO_NAME);
}

void
sonde_python_read_import (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  if (begin + 1 >= end)
    sonde_python_invalid (reader, begin);
  for (guint32 at = begin + 1; at < end;)
    {
      guint32 comma = sonde_python_find_operator (reader, at, end, ',');

      read_imported_module (reader, at, comma, scope);
      at = comma + 1;
    }
}

static void
read_imported_name (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
                    SondePythonBinding binding)
{
  guint32 as, name = token_at (reader, begin)->name;

  if (is_operator (reader, begin, '*'))
    {
      binding.kind = SONDE_PYTHON_BINDS_STAR;
      sonde_python_bind (reader, scope, SONDE_NO_NAME, begin, binding);
      refer_to_import (reader, begin, scope, &binding, binding.target, WORD_STAR);
      return;
    }
  if (!is_name (reader, begin))
    {
      sonde_python_invalid (reader, begin);
      return;
    }
  as = read_as (reader, begin + 1, end);
  binding.kind = SONDE_PYTHON_BINDS_IMPORT;
  binding.chain = name;
  sonde_python_bind (reader, scope, as != SONDE_NO_NAME ? token_at (reader, as)->name : name, begin,
                     binding);
  refer_to_import (reader, begin, scope, &binding, binding.target, name);
}

void
sonde_python_read_from (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  SondePythonBinding binding = { .target = WORD_NOTHING };
  SondePythonChain chain;
  guint32 at = begin + 1;
  guint level = 0;

  for (; at < end; at++)
    if (is_operator (reader, at, '.'))
      level++;
    else if (is_operator (reader, at, SONDE_PYTHON_ELLIPSIS))
      level += 3;
    else
      break;
  binding.level = (guint8) MIN (level, G_MAXUINT8);
  if (at < end && is_name (reader, at) && read_dotted (reader, at, end, &chain))
    {
      binding.target = dotted_name (reader, &chain);
      at = chain.end;
    }
  if (at + 1 >= end || !is_word (reader, at, WORD_IMPORT))
    {
      sonde_python_invalid (reader, MIN (at, end - 1));
      return;
    }
  at++;
  if (is_open (reader, at, '('))
    {
      end = token_at (reader, at)->partner;
      at++;
    }
  while (at < end)
    {
      guint32 comma = sonde_python_find_operator (reader, at, end, ',');

      if (comma == at)
        sonde_python_invalid (reader, at);
      else
        read_imported_name (reader, at, comma, scope, binding);
      at = comma + 1;
    }
}

/* [T: bound, *Ts, **P = default] of def, class, type: a scope around what follows. Returns: it */
static guint32
read_type_parameters (SondePythonReader *reader, guint32 open, guint32 scope)
{
  guint32 close = token_at (reader, open)->partner;
  guint32 inner
      = sonde_python_add_scope (reader, SONDE_PYTHON_SCOPE_FUNCTION, scope, SONDE_NO_NAME, open);

  for (guint32 at = open + 1; at < close;)
    {
      guint32 comma = sonde_python_find_operator (reader, at, close, ',');
      guint32 name = at;

      while (name < comma && token_at (reader, name)->kind == SONDE_PYTHON_OPERATOR)
        name++;
      if (name < comma && is_name (reader, name))
        sonde_python_bind_value (reader, inner, name);
      for (guint32 i = name + 1; i < comma;)
        {
          guint32 stop = sonde_python_find_operator (reader, i + 1, comma, '=');

          sonde_python_read_expression (reader, i + 1, stop, inner, SONDE_PYTHON_USE);
          i = stop;
        }
      at = comma + 1;
    }
  return inner;
}

/* The name of a def or class and the scope that its head is read in. FALSE: there is no name. */
static gboolean
read_head_name (SondePythonReader *reader, guint32 at, guint32 colon, guint32 *scope, guint32 *next)
{
  *next = at + 1;
  if (at >= colon || !is_name (reader, at))
    {
      sonde_python_invalid (reader, MIN (at, colon));
      return FALSE;
    }
  if (*next < colon && is_open (reader, *next, '['))
    {
      guint32 open = *next;

      *next = MIN (token_at (reader, open)->partner + 1, colon);
      *scope = read_type_parameters (reader, open, *scope);
    }
  return TRUE;
}

guint32
sonde_python_read_def (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 outer = scope, next, body, close;
  guint32 name = begin + (is_word (reader, begin, WORD_ASYNC) ? 2 : 1);
  gboolean named = read_head_name (reader, name, colon, &outer, &next);
  SondePythonBinding binding = { .kind = SONDE_PYTHON_BINDS_DEFINITION };

  body = sonde_python_add_scope (reader, SONDE_PYTHON_SCOPE_FUNCTION, outer,
                                 named ? token_at (reader, name)->name : SONDE_NO_NAME, begin);
  binding.value_scope = body;
  if (named)
    sonde_python_bind (reader, scope, token_at (reader, name)->name, name, binding);
  if (next >= colon || !is_open (reader, next, '('))
    {
      sonde_python_invalid (reader, MIN (next, colon));
      return body;
    }
  close = MIN (token_at (reader, next)->partner, colon);
  sonde_python_read_parameters (reader, next + 1, close, body, outer, FALSE);
  if (close + 1 < colon && is_operator (reader, close + 1, SONDE_PYTHON_ARROW))
    sonde_python_read_value (reader, close + 2, colon, outer, SONDE_PYTHON_ANNOTATION);
  else if (close + 1 < colon)
    sonde_python_invalid (reader, close + 1);
  return body;
}

static void
keep_base (SondePythonReader *reader, const SondePythonChain *chain, guint32 scope, guint32 body)
{
  SondePythonBase base
      = { .class_scope = body,
          .scope = scope,
          .first = token_at (reader, chain->begin)->name,
          .chain = sonde_python_chain_rest (reader, chain->begin, chain->n_names) };

  g_array_append_val (reader->module->bases, base);
}

static void
read_bases (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope, guint32 body)
{
  while (begin < end)
    {
      guint32 comma = sonde_python_find_operator (reader, begin, end, ',');
      SondePythonChain chain;

      if (sonde_python_is_chain (reader, begin, comma, &chain))
        {
          sonde_python_mention (reader, &chain, 0, scope, SONDE_PYTHON_BASE);
          keep_base (reader, &chain, scope, body);
        }
      else
        sonde_python_read_expression (reader, begin, comma, scope, SONDE_PYTHON_USE);
      begin = comma + 1;
    }
}

guint32
sonde_python_read_class (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 outer = scope, next, body;
  gboolean named = read_head_name (reader, begin + 1, colon, &outer, &next);
  SondePythonBinding binding = { .kind = SONDE_PYTHON_BINDS_DEFINITION, .chain = SONDE_NO_NAME };

  body = sonde_python_add_scope (reader, SONDE_PYTHON_SCOPE_CLASS, outer,
                                 named ? token_at (reader, begin + 1)->name : SONDE_NO_NAME, begin);
  binding.value_scope = body;
  if (named)
    sonde_python_bind (reader, scope, token_at (reader, begin + 1)->name, begin + 1, binding);
  if (next < colon && is_open (reader, next, '('))
    read_bases (reader, next + 1, MIN (token_at (reader, next)->partner, colon), outer, body);
  else if (next < colon)
    sonde_python_invalid (reader, next);
  return body;
}

void
sonde_python_read_for (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 targets = begin + (is_word (reader, begin, WORD_ASYNC) ? 2 : 1);
  guint32 in = sonde_python_find_word (reader, targets, colon, WORD_IN);

  if (in == colon || in == targets)
    {
      sonde_python_invalid (reader, MIN (targets, colon));
      return;
    }
  sonde_python_read_targets (reader, targets, in, scope, 0, 0);
  sonde_python_read_value (reader, in + 1, colon, scope, SONDE_PYTHON_USE);
}

static void
read_with_item (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  guint32 as = sonde_python_find_word (reader, begin, end, WORD_AS);

  sonde_python_read_value (reader, begin, as, scope, SONDE_PYTHON_USE);
  if (as < end)
    sonde_python_read_targets (reader, as + 1, end, scope, 0, 0);
}

void
sonde_python_read_with (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 at = begin + (is_word (reader, begin, WORD_ASYNC) ? 2 : 1), end = colon;

  /* with (a as b, c as d): */
  if (at < end && is_open (reader, at, '(') && token_at (reader, at)->partner + 1 == end
      && sonde_python_find_word (reader, at + 1, end - 1, WORD_AS) < end - 1)
    {
      at++;
      end--;
    }
  if (at >= end)
    sonde_python_invalid (reader, begin);
  while (at < end)
    {
      guint32 comma = sonde_python_find_operator (reader, at, end, ',');

      read_with_item (reader, at, comma, scope);
      at = comma + 1;
    }
}

void
sonde_python_read_except (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 at = begin + 1;
  guint32 as, comma;

  if (at < colon && is_operator (reader, at, '*'))
    at++;
  as = sonde_python_find_word (reader, at, colon, WORD_AS);
  comma = sonde_python_find_operator (reader, at, as, ',');
  sonde_python_read_expression (reader, at, as, scope, SONDE_PYTHON_USE);
  if (as + 1 < colon && is_name (reader, as + 1))
    sonde_python_bind_value (reader, scope, as + 1);
  /* Python 2: except Error, name */
  if (comma == as)
    return;
  sonde_python_invalid (reader, comma);
  if (comma + 2 == as && is_name (reader, comma + 1))
    sonde_python_bind_value (reader, scope, comma + 1);
}

/* In a pattern a name alone is bound, a dotted one or one before an open bracket is mentioned. */
static void
read_pattern (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  for (guint32 at = begin; at < end;)
    {
      SondePythonChain chain;

      if (!is_name (reader, at) || !sonde_python_read_chain (reader, at, end, &chain))
        {
          at++;
          continue;
        }
      if (chain.n_names > 1 || (chain.end < end && is_open (reader, chain.end, '(')))
        sonde_python_mention (reader, &chain, 0, scope, SONDE_PYTHON_USE);
      else if (!(chain.end < end && is_operator (reader, chain.end, '='))
               && !is_word (reader, at, WORD_UNDERLINE))
        sonde_python_bind_value (reader, scope, at);
      at = chain.end;
    }
}

void
sonde_python_read_case (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope)
{
  guint32 guard = sonde_python_find_word (reader, begin + 1, colon, WORD_IF);

  read_pattern (reader, begin + 1, guard, scope);
  if (guard < colon)
    sonde_python_read_value (reader, guard + 1, colon, scope, SONDE_PYTHON_USE);
}

void
sonde_python_read_type (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  guint32 inner = scope, next;

  if (!read_head_name (reader, begin + 1, end, &inner, &next))
    return;
  sonde_python_bind_value (reader, scope, begin + 1);
  if (next < end && is_operator (reader, next, '='))
    sonde_python_read_value (reader, next + 1, end, inner, SONDE_PYTHON_USE);
}
