/* SPDX-License-Identifier: Apache-2.0
 * What binds names: targets and parameters. */
#include "data/sources/python/sonde-python-reader-private.h"

guint32
sonde_python_add_scope (SondePythonReader *reader, SondePythonScopeKind kind, guint32 parent,
                        guint32 name, guint32 token)
{
  SondePythonScope scope
      = { .kind = kind, .parent = parent, .name = name, .line = token_at (reader, token)->line };

  g_array_append_val (reader->module->scopes, scope);
  return reader->module->scopes->len - 1;
}

void
sonde_python_bind (SondePythonReader *reader, guint32 scope, guint32 name, guint32 token,
                   SondePythonBinding binding)
{
  binding.name = name;
  binding.scope = scope;
  binding.line = token_at (reader, token)->line;
  g_array_append_val (reader->module->bindings, binding);
}

void
sonde_python_bind_value (SondePythonReader *reader, guint32 scope, guint32 token)
{
  sonde_python_bind (reader, scope, token_at (reader, token)->name, token,
                     (SondePythonBinding){ .kind = SONDE_PYTHON_BINDS_VALUE });
}

/* __all__ = ["a", "b"]; anything else than texts makes it unknown. */
static void
read_exports (SondePythonReader *reader, guint32 begin, guint32 end)
{
  GArray **exports = &reader->module->exports;

  if (begin >= end || !(is_open (reader, begin, '[') || is_open (reader, begin, '('))
      || token_at (reader, begin)->partner + 1 != end)
    {
      reader->exports_unknown = TRUE;
      return;
    }
  if (*exports == NULL)
    *exports = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = begin + 1; i + 1 < end; i++)
    {
      const SondePythonToken *token = token_at (reader, i);

      if (token->kind == SONDE_PYTHON_STRING && token->length > 2)
        {
          guint32 name = sonde_name_table_add (reader->names, reader->text + token->offset + 1,
                                               token->length - 2);

          g_array_append_val (*exports, name);
        }
      else if (!is_operator (reader, i, ','))
        reader->exports_unknown = TRUE;
    }
}

static void
bind_target (SondePythonReader *reader, guint32 token, guint32 scope, guint32 value_begin,
             guint32 value_end)
{
  SondePythonChain chain;
  SondePythonBinding binding = { .kind = SONDE_PYTHON_BINDS_VALUE };

  if (sonde_python_is_chain (reader, value_begin, value_end, &chain))
    {
      binding.kind = SONDE_PYTHON_BINDS_ALIAS;
      binding.first = token_at (reader, chain.begin)->name;
      binding.chain = sonde_python_chain_rest (reader, chain.begin, chain.n_names);
      binding.value_scope = scope;
    }
  if (token_at (reader, token)->name == WORD_ALL && scope == 0)
    read_exports (reader, value_begin, value_end);
  sonde_python_bind (reader, scope, token_at (reader, token)->name, token, binding);
}

static void
read_target (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
             guint32 value_begin, guint32 value_end)
{
  SondePythonChain chain;

  if (begin < end && is_operator (reader, begin, '*'))
    {
      begin++;
      value_begin = value_end;
    }
  if (begin >= end)
    return;
  if (sonde_python_is_chain (reader, begin, end, &chain))
    {
      if (chain.n_names == 1)
        bind_target (reader, chain.begin, scope, value_begin, value_end);
      else
        sonde_python_mention (reader, &chain, 0, scope, SONDE_PYTHON_STORE);
    }
  else if ((is_open (reader, begin, '(') || is_open (reader, begin, '['))
           && token_at (reader, begin)->partner + 1 == end
           && reader->depth < SONDE_PYTHON_MAX_DEPTH)
    {
      reader->depth++;
      sonde_python_read_targets (reader, begin + 1, end - 1, scope, value_begin, value_end);
      reader->depth--;
    }
  else
    sonde_python_read_expression (reader, begin, end, scope, SONDE_PYTHON_USE);
}

static guint
count_parts (const SondePythonReader *reader, guint32 begin, guint32 end)
{
  guint n = 0;

  for (guint32 i = begin; i < end; n++)
    i = sonde_python_find_operator (reader, i, end, ',') + 1;
  return n;
}

/* A tuple of values, without the brackets around it. */
static void
strip_brackets (const SondePythonReader *reader, guint32 *begin, guint32 *end)
{
  while (*begin < *end && (is_open (reader, *begin, '(') || is_open (reader, *begin, '['))
         && token_at (reader, *begin)->partner + 1 == *end)
    {
      ++*begin;
      --*end;
    }
}

void
sonde_python_read_targets (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
                           guint32 value_begin, guint32 value_end)
{
  guint n = count_parts (reader, begin, end);
  gboolean is_tuple = n > 1 || (n == 1 && end > begin && is_operator (reader, end - 1, ','));
  gboolean pairs;

  if (is_tuple)
    strip_brackets (reader, &value_begin, &value_end);
  pairs = is_tuple && value_begin < value_end && count_parts (reader, value_begin, value_end) == n;
  while (begin < end)
    {
      guint32 comma = sonde_python_find_operator (reader, begin, end, ',');
      guint32 value_comma = sonde_python_find_operator (reader, value_begin, value_end, ',');

      if (pairs)
        read_target (reader, begin, comma, scope, value_begin, value_comma);
      else if (is_tuple)
        read_target (reader, begin, comma, scope, 0, 0);
      else
        read_target (reader, begin, comma, scope, value_begin, value_end);
      begin = comma + 1;
      value_begin = MIN (value_comma + 1, value_end);
    }
}

static void
bind_parameter (SondePythonReader *reader, guint32 token, guint32 scope, guint32 outer,
                guint32 default_begin, guint32 default_end)
{
  SondePythonBinding binding = { .kind = SONDE_PYTHON_BINDS_VALUE };
  SondePythonChain chain;

  if (sonde_python_is_chain (reader, default_begin, default_end, &chain))
    {
      binding.kind = SONDE_PYTHON_BINDS_DEFAULT;
      binding.first = token_at (reader, chain.begin)->name;
      binding.chain = sonde_python_chain_rest (reader, chain.begin, chain.n_names);
      binding.value_scope = outer;
    }
  sonde_python_bind (reader, scope, token_at (reader, token)->name, token, binding);
}

/* Keeps of an annotation the first chain that it mentions. */
static void
keep_parameter (SondePythonReader *reader, guint32 token, guint32 scope, guint first_mention)
{
  SondePythonParameter parameter
      = { .scope = scope, .name = token_at (reader, token)->name, .first = SONDE_NO_NAME };

  if (first_mention < reader->mentions->len)
    {
      const SondePythonMention *mention
          = &g_array_index (reader->mentions, SondePythonMention, first_mention);

      parameter.first = token_at (reader, mention->begin)->name;
      parameter.chain = sonde_python_chain_rest (reader, mention->begin, mention->n_names);
    }
  g_array_append_val (reader->module->parameters, parameter);
}

/* One parameter, [*|**] name [: annotation] [= default]; "/" and "*" alone are none. */
static void
read_parameter (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope, guint32 outer,
                gboolean of_lambda)
{
  guint32 name = begin, colon, equals;
  guint first_mention = reader->mentions->len;

  if (name < end
      && (is_operator (reader, name, '*') || is_operator (reader, name, SONDE_PYTHON_POWER)
          || is_operator (reader, name, '/')))
    name++;
  if (name >= end)
    return;
  if (!is_name (reader, name))
    {
      sonde_python_invalid (reader, name);
      /* Python 2: def f(a, (b, c)) */
      if (is_open (reader, name, '('))
        sonde_python_read_targets (reader, name, end, scope, 0, 0);
      return;
    }
  equals = sonde_python_find_operator (reader, name + 1, end, '=');
  colon = of_lambda ? equals : sonde_python_find_operator (reader, name + 1, equals, ':');
  if (MIN (colon, equals) != name + 1)
    sonde_python_invalid (reader, name + 1);
  if (colon < equals)
    sonde_python_read_value (reader, colon + 1, equals, outer, SONDE_PYTHON_ANNOTATION);
  if (!of_lambda)
    keep_parameter (reader, name, scope, first_mention);
  if (equals < end)
    sonde_python_read_value (reader, equals + 1, end, outer, SONDE_PYTHON_USE);
  bind_parameter (reader, name, scope, outer, MIN (equals + 1, end), end);
}

void
sonde_python_read_parameters (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope,
                              guint32 outer, gboolean of_lambda)
{
  while (begin < end)
    {
      guint32 comma = sonde_python_find_operator (reader, begin, end, ',');

      if (comma == begin)
        sonde_python_invalid (reader, begin);
      read_parameter (reader, begin, comma, scope, outer, of_lambda);
      begin = comma + 1;
    }
}
