/* SPDX-License-Identifier: Apache-2.0
 * Logical lines: indentation, bodies, and which statement a line is. */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-reader-private.h"

/* The colon that ends the head of a compound statement; @end when there is none. */
static guint32
find_colon (SondePythonReader *reader, guint32 begin, guint32 end)
{
  guint32 colon = sonde_python_find_operator (reader, begin + 1, end, ':');

  if (colon == end)
    sonde_python_damage_set (&reader->module->damage, token_at (reader, begin)->line,
                             "“:” is missing");
  return colon;
}

static void
declare (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope, gboolean is_global)
{
  for (guint32 i = begin + 1; i < end; i++)
    if (is_name (reader, i))
      {
        SondePythonDeclared declared
            = { .scope = scope, .name = token_at (reader, i)->name, .is_global = is_global };

        g_array_append_val (reader->declared, declared);
      }
}

static void
read_del (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  while (begin < end)
    {
      guint32 comma = sonde_python_find_operator (reader, begin, end, ',');
      SondePythonChain chain;

      if (!sonde_python_is_chain (reader, begin, comma, &chain))
        sonde_python_read_expression (reader, begin, comma, scope, SONDE_PYTHON_USE);
      else if (chain.n_names > 1)
        sonde_python_mention (reader, &chain, 0, scope, SONDE_PYTHON_STORE);
      begin = comma + 1;
    }
}

/* target: annotation [= value] */
static void
read_annotated (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 end, guint32 scope)
{
  guint32 equals = sonde_python_find_operator (reader, colon + 1, end, '=');

  sonde_python_read_value (reader, colon + 1, equals, scope, SONDE_PYTHON_ANNOTATION);
  if (equals < end)
    sonde_python_read_value (reader, equals + 1, end, scope, SONDE_PYTHON_USE);
  sonde_python_read_targets (reader, begin, colon, scope, MIN (equals + 1, end), end);
}

/* a = b = value */
static void
read_assignment (SondePythonReader *reader, guint32 begin, guint32 equals, guint32 end,
                 guint32 scope)
{
  guint32 value = equals + 1, next;

  for (next = sonde_python_find_operator (reader, value, end, '='); next < end;
       next = sonde_python_find_operator (reader, value, end, '='))
    value = next + 1;
  if (!sonde_python_read_value (reader, value, end, scope, SONDE_PYTHON_USE))
    return;
  while (begin < value)
    {
      equals = sonde_python_find_operator (reader, begin, value, '=');
      if (begin == equals)
        sonde_python_invalid (reader, equals);
      sonde_python_read_targets (reader, begin, equals, scope, value, end);
      begin = equals + 1;
    }
}

static void
read_expression_statement (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  guint32 equals = sonde_python_find_operator (reader, begin, end, '=');
  guint32 colon = sonde_python_find_operator (reader, begin, equals, ':');
  guint32 augmented = sonde_python_find_operator (reader, begin, end, SONDE_PYTHON_AUGMENTED);

  if (colon < equals && colon > begin)
    read_annotated (reader, begin, colon, end, scope);
  else if (equals < end)
    read_assignment (reader, begin, equals, end, scope);
  else if (augmented < end)
    {
      sonde_python_read_value (reader, augmented + 1, end, scope, SONDE_PYTHON_USE);
      sonde_python_read_targets (reader, begin, augmented, scope, 0, 0);
    }
  else
    {
      if (colon < end)
        sonde_python_invalid (reader, colon);
      sonde_python_read_expression (reader, begin, end, scope, SONDE_PYTHON_USE);
    }
}

static void
read_raise (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  guint32 from = sonde_python_find_word (reader, begin, end, WORD_FROM);
  guint32 comma = sonde_python_find_operator (reader, begin, from, ',');

  if (comma < from)
    sonde_python_invalid (reader, comma); /* Python 2: raise Error, text */
  sonde_python_read_expression (reader, begin, from, scope, SONDE_PYTHON_USE);
  if (from < end)
    sonde_python_read_value (reader, from + 1, end, scope, SONDE_PYTHON_USE);
}

static void
read_decorator (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  SondePythonChain chain;

  if (sonde_python_is_chain (reader, begin, end, &chain))
    sonde_python_mention (reader, &chain, 0, scope, SONDE_PYTHON_DECORATOR);
  else
    sonde_python_read_value (reader, begin, end, scope, SONDE_PYTHON_USE);
}

/* A statement that is no block. */
static void
read_simple (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  switch (token_at (reader, begin)->kind == SONDE_PYTHON_NAME ? token_at (reader, begin)->name
                                                              : N_WORDS)
    {
    case WORD_IMPORT:
      sonde_python_read_import (reader, begin, end, scope);
      break;
    case WORD_FROM:
      sonde_python_read_from (reader, begin, end, scope);
      break;
    case WORD_GLOBAL:
    case WORD_NONLOCAL:
      declare (reader, begin, end, scope, is_word (reader, begin, WORD_GLOBAL));
      break;
    case WORD_DEL:
      read_del (reader, begin + 1, end, scope);
      break;
    case WORD_RAISE:
      read_raise (reader, begin + 1, end, scope);
      break;
    case WORD_RETURN:
    case WORD_ASSERT:
      sonde_python_read_expression (reader, begin + 1, end, scope, SONDE_PYTHON_USE);
      break;
    case WORD_PASS:
    case WORD_BREAK:
    case WORD_CONTINUE:
      if (begin + 1 < end)
        sonde_python_invalid (reader, begin + 1);
      break;
    case WORD_TYPE:
      if (begin + 2 < end && is_name (reader, begin + 1)
          && (is_operator (reader, begin + 2, '=') || is_open (reader, begin + 2, '[')))
        {
          sonde_python_read_type (reader, begin, end, scope);
          break;
        }
      read_expression_statement (reader, begin, end, scope);
      break;
    default:
      if (is_operator (reader, begin, '@'))
        read_decorator (reader, begin + 1, end, scope);
      else
        read_expression_statement (reader, begin, end, scope);
    }
}

/* "match" and "case" are names unless their line ends in a colon and has a value between. */
static gboolean
is_soft_head (SondePythonReader *reader, guint32 begin, guint32 end, gboolean may_go_on)
{
  static const char heads[] = { '*', '-', '+', '~', SONDE_PYTHON_ELLIPSIS };
  guint32 colon = sonde_python_find_operator (reader, begin + 1, end, ':');

  if (colon == end || colon == begin + 1 || (!may_go_on && colon + 1 < end))
    return FALSE;
  if (token_at (reader, begin + 1)->kind == SONDE_PYTHON_OPERATOR)
    return memchr (heads, token_at (reader, begin + 1)->op, sizeof heads) != NULL;
  return sonde_python_find_operator (reader, begin + 1, colon, '=') == colon;
}

/* The word that begins a block at @begin; N_WORDS for none. */
static guint32
compound_word (SondePythonReader *reader, guint32 begin, guint32 end)
{
  guint32 word = token_at (reader, begin)->kind == SONDE_PYTHON_NAME
                     ? token_at (reader, begin)->name
                     : N_WORDS;

  switch (word)
    {
    case WORD_ASYNC:
      return begin + 1 < end && token_at (reader, begin + 1)->kind == SONDE_PYTHON_NAME
                 ? token_at (reader, begin + 1)->name
                 : N_WORDS;
    case WORD_CASE:
      return is_soft_head (reader, begin, end, TRUE) ? word : N_WORDS;
    case WORD_MATCH:
      return is_soft_head (reader, begin, end, FALSE) ? word : N_WORDS;
    case WORD_CLASS:
    case WORD_DEF:
    case WORD_ELIF:
    case WORD_ELSE:
    case WORD_EXCEPT:
    case WORD_FINALLY:
    case WORD_FOR:
    case WORD_IF:
    case WORD_TRY:
    case WORD_WHILE:
    case WORD_WITH:
      return word;
    default:
      return N_WORDS;
    }
}

/* Returns: the scope of the block */
static guint32
read_head (SondePythonReader *reader, guint32 word, guint32 begin, guint32 colon, guint32 scope)
{
  switch (word)
    {
    case WORD_DEF:
      return sonde_python_read_def (reader, begin, colon, scope);
    case WORD_CLASS:
      return sonde_python_read_class (reader, begin, colon, scope);
    case WORD_FOR:
      sonde_python_read_for (reader, begin, colon, scope);
      return scope;
    case WORD_WITH:
      sonde_python_read_with (reader, begin, colon, scope);
      return scope;
    case WORD_EXCEPT:
      sonde_python_read_except (reader, begin, colon, scope);
      return scope;
    case WORD_CASE:
      sonde_python_read_case (reader, begin, colon, scope);
      return scope;
    case WORD_ELSE:
    case WORD_TRY:
    case WORD_FINALLY:
      if (colon != begin + 1)
        sonde_python_invalid (reader, begin + 1);
      return scope;
    default:
      sonde_python_read_value (reader, begin + 1, colon, scope, SONDE_PYTHON_USE);
      return scope;
    }
}

/* Statements between semicolons. */
static void
read_simple_ones (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope)
{
  while (begin < end)
    {
      guint32 stop = sonde_python_find_operator (reader, begin, end, ';');

      if (stop > begin)
        read_simple (reader, begin, stop, scope);
      else
        sonde_python_invalid (reader, begin);
      begin = stop + 1;
    }
}

/* Heads may stand behind each other only in damaged files; there each opens its block. */
static void
read_line (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope, guint indent)
{
  for (gboolean first = TRUE; begin < end; first = FALSE)
    {
      guint32 word = compound_word (reader, begin, end), colon, body;

      if (word == N_WORDS)
        {
          read_simple_ones (reader, begin, end, scope);
          return;
        }
      if (!first)
        sonde_python_invalid (reader, begin);
      colon = find_colon (reader, begin, end);
      body = read_head (reader, word, begin, colon, scope);
      reader->expects_block = colon + 1 >= end;
      if (body != scope && reader->expects_block)
        {
          SondePythonBody opened = { .scope = body, .indent = indent };

          g_array_append_val (reader->bodies, opened);
        }
      scope = body;
      begin = colon + 1;
    }
}

static guint
top_indent (const SondePythonReader *reader)
{
  return g_array_index (reader->indents, guint, reader->indents->len - 1);
}

static void
follow_indent (SondePythonReader *reader, const SondePythonToken *first)
{
  guint indent = first->indent;
  SondePythonDamage *damage = &reader->module->damage;

  if (reader->expects_block && indent <= top_indent (reader))
    sonde_python_damage_set (damage, first->line, "an indented block is missing");
  if (!reader->expects_block && indent > top_indent (reader))
    sonde_python_damage_set (damage, first->line, "unexpected indentation");
  if (indent > top_indent (reader))
    g_array_append_val (reader->indents, indent);
  while (top_indent (reader) > indent)
    g_array_set_size (reader->indents, reader->indents->len - 1);
  if (top_indent (reader) != indent)
    {
      sonde_python_damage_set (damage, first->line, "the indentation matches no line above");
      g_array_append_val (reader->indents, indent);
    }
  reader->expects_block = FALSE;
  while (reader->bodies->len > 1
         && g_array_index (reader->bodies, SondePythonBody, reader->bodies->len - 1).indent
                >= indent)
    g_array_set_size (reader->bodies, reader->bodies->len - 1);
}

static guint32
end_of_logical_line (const SondePythonReader *reader, guint32 begin)
{
  guint32 end = begin;

  while (token_at (reader, end)->kind != SONDE_PYTHON_NEWLINE
         && token_at (reader, end)->kind != SONDE_PYTHON_END)
    end++;
  return end;
}

void
sonde_python_read_statements (SondePythonReader *reader)
{
  SondePythonBody module_body = { .scope = 0, .indent = 0 };
  guint no_indent = 0;

  g_array_set_size (reader->bodies, 0);
  g_array_append_val (reader->bodies, module_body);
  g_array_set_size (reader->indents, 0);
  g_array_append_val (reader->indents, no_indent);
  reader->expects_block = FALSE;
  for (guint32 begin = 0; token_at (reader, begin)->kind != SONDE_PYTHON_END;)
    {
      guint32 end = end_of_logical_line (reader, begin);
      const SondePythonToken *first = token_at (reader, begin);

      if (end > begin)
        {
          follow_indent (reader, first);
          read_line (reader, begin, end,
                     g_array_index (reader->bodies, SondePythonBody, reader->bodies->len - 1).scope,
                     first->indent);
        }
      begin = token_at (reader, end)->kind == SONDE_PYTHON_END ? end : end + 1;
    }
  if (reader->expects_block)
    sonde_python_damage_set (&reader->module->damage, reader->module->n_lines,
                             "an indented block is missing");
}
