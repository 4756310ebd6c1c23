/* SPDX-License-Identifier: Apache-2.0
 * A module as it is kept: bindings sorted, references thinned out. */
#include "data/sources/python/sonde-python-module.h"

#include "data/sources/python/sonde-python-reader-private.h"

static SondePythonModule *
module_new (void)
{
  SondePythonModule *module = g_new0 (SondePythonModule, 1);

  module->scopes = g_array_new (FALSE, FALSE, sizeof (SondePythonScope));
  module->bindings = g_array_new (FALSE, FALSE, sizeof (SondePythonBinding));
  module->references = g_array_new (FALSE, FALSE, sizeof (SondePythonReference));
  module->arguments = g_array_new (FALSE, FALSE, sizeof (SondePythonArguments));
  module->keywords = g_array_new (FALSE, FALSE, sizeof (guint32));
  module->methods = g_array_new (FALSE, FALSE, sizeof (SondePythonMethod));
  module->bases = g_array_new (FALSE, FALSE, sizeof (SondePythonBase));
  module->parameters = g_array_new (FALSE, FALSE, sizeof (SondePythonParameter));
  return module;
}

void
sonde_python_module_free (SondePythonModule *module)
{
  if (module == NULL)
    return;
  g_array_unref (module->scopes);
  g_array_unref (module->bindings);
  g_array_unref (module->references);
  g_array_unref (module->arguments);
  g_array_unref (module->keywords);
  g_array_unref (module->methods);
  g_array_unref (module->bases);
  g_array_unref (module->parameters);
  g_clear_pointer (&module->exports, g_array_unref);
  sonde_python_damage_clear (&module->damage);
  g_free (module);
}

static guint64
binding_key (const SondePythonBinding *binding)
{
  return (guint64) binding->scope << 32 | binding->name;
}

static int
compare_bindings (gconstpointer a, gconstpointer b)
{
  guint64 left = binding_key (a), right = binding_key (b);

  return left < right ? -1 : left > right;
}

const SondePythonBinding *
sonde_python_module_find (const SondePythonModule *module, guint32 scope, guint32 name, guint *n)
{
  guint64 key = (guint64) scope << 32 | name;
  const SondePythonBinding *all = (const SondePythonBinding *) module->bindings->data;
  guint low = 0, high = module->bindings->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (binding_key (&all[middle]) < key)
        low = middle + 1;
      else
        high = middle;
    }
  for (*n = 0; low + *n < module->bindings->len && binding_key (&all[low + *n]) == key; ++*n)
    ;
  return *n == 0 ? NULL : &all[low];
}

const SondePythonBinding *
sonde_python_module_look_up (const SondePythonModule *module, guint32 scope, guint32 name, guint *n)
{
  for (guint32 at = scope; at != SONDE_PYTHON_NO_SCOPE;)
    {
      const SondePythonScope *here = &g_array_index (module->scopes, SondePythonScope, at);

      if (at == scope || here->kind != SONDE_PYTHON_SCOPE_CLASS)
        {
          const SondePythonBinding *found = sonde_python_module_find (module, at, name, n);

          if (found != NULL)
            return found;
        }
      at = here->parent;
    }
  *n = 0;
  return NULL;
}

/* The function around @scope that binds @name; the nearest where none does. */
static guint32
find_nonlocal (const SondePythonModule *module, guint32 scope, guint32 name)
{
  guint32 nearest = scope;
  guint n;

  for (guint32 at = g_array_index (module->scopes, SondePythonScope, scope).parent;
       at != SONDE_PYTHON_NO_SCOPE;
       at = g_array_index (module->scopes, SondePythonScope, at).parent)
    {
      if (g_array_index (module->scopes, SondePythonScope, at).kind != SONDE_PYTHON_SCOPE_FUNCTION)
        continue;
      if (nearest == scope)
        nearest = at;
      if (sonde_python_module_find (module, at, name, &n) != NULL)
        return at;
    }
  return nearest;
}

/* What is declared global or nonlocal is bound there. */
static void
move_declared (SondePythonReader *reader)
{
  SondePythonModule *module = reader->module;

  for (guint i = 0; i < reader->declared->len; i++)
    {
      const SondePythonDeclared *declared
          = &g_array_index (reader->declared, SondePythonDeclared, i);
      guint n;
      const SondePythonBinding *found
          = sonde_python_module_find (module, declared->scope, declared->name, &n);
      guint first
          = found == NULL
                ? 0
                : (guint) (found - (const SondePythonBinding *) (gpointer) module->bindings->data);
      guint32 scope
          = declared->is_global ? 0 : find_nonlocal (module, declared->scope, declared->name);

      for (guint j = first; found != NULL && j < first + n; j++)
        g_array_index (reader->moves, guint32, j) = scope;
    }
}

#define MAX_BINDINGS 64 /* of one name in one scope that differ */

static gboolean
binds_the_same (const SondePythonBinding *a, const SondePythonBinding *b)
{
  if (a->kind != b->kind || binding_key (a) != binding_key (b))
    return FALSE;
  return a->kind == SONDE_PYTHON_BINDS_VALUE
         || (a->target == b->target && a->chain == b->chain && a->first == b->first
             && a->value_scope == b->value_scope && a->level == b->level);
}

/* A name that is bound to the same again, to a value above all, is bound once. */
static void
drop_repeated (GArray *bindings)
{
  SondePythonBinding *all = (SondePythonBinding *) (gpointer) bindings->data;
  guint n = 0, first = 0;

  for (guint i = 0; i < bindings->len; i++)
    {
      gboolean known = FALSE;

      if (n > 0 && binding_key (&all[n - 1]) != binding_key (&all[i]))
        first = n;
      for (guint j = first; j < n && !known; j++)
        known = binds_the_same (&all[j], &all[i]);
      if (!known && n - first < MAX_BINDINGS)
        all[n++] = all[i];
    }
  g_array_set_size (bindings, n);
}

static void
sort_bindings (SondePythonReader *reader)
{
  GArray *bindings = reader->module->bindings;

  g_array_sort (bindings, compare_bindings);
  if (reader->declared->len == 0)
    return;
  g_array_set_size (reader->moves, bindings->len);
  for (guint i = 0; i < bindings->len; i++)
    g_array_index (reader->moves, guint32, i)
        = g_array_index (bindings, SondePythonBinding, i).scope;
  move_declared (reader);
  for (guint i = 0; i < bindings->len; i++)
    g_array_index (bindings, SondePythonBinding, i).scope
        = g_array_index (reader->moves, guint32, i);
  g_array_sort (bindings, compare_bindings);
}

/* Is @name, seen from @scope, bound to nothing but values? Then nothing of elsewhere is meant. */
static gboolean
is_value_alone (const SondePythonReader *reader, guint32 scope, guint32 name, gboolean *bound)
{
  guint n;
  const SondePythonBinding *binding = sonde_python_module_look_up (reader->module, scope, name, &n);

  *bound = binding != NULL;
  for (guint i = 0; i < n; i++)
    if (binding[i].kind != SONDE_PYTHON_BINDS_VALUE)
      return FALSE;
  return TRUE;
}

/* Is it bound in this file, and by no import or definition? */
static gboolean
may_be_value (const SondePythonReader *reader, guint32 scope, guint32 name)
{
  guint n;
  const SondePythonBinding *binding = sonde_python_module_look_up (reader->module, scope, name, &n);

  for (guint i = 0; i < n; i++)
    if (binding[i].kind != SONDE_PYTHON_BINDS_VALUE && binding[i].kind != SONDE_PYTHON_BINDS_ALIAS
        && binding[i].kind != SONDE_PYTHON_BINDS_DEFAULT)
      return FALSE;
  return n > 0;
}

static guint32
keep_arguments (SondePythonReader *reader, guint32 open)
{
  SondePythonModule *module = reader->module;
  SondePythonArguments kept = { .keywords = module->keywords->len };
  guint32 close = token_at (reader, open)->partner;

  for (guint32 at = open + 1; at < close;)
    {
      guint32 comma = sonde_python_find_operator (reader, at, close, ',');

      if (is_operator (reader, at, '*') || is_operator (reader, at, SONDE_PYTHON_POWER))
        kept.spreads = TRUE;
      else if (at + 1 < comma && is_name (reader, at) && is_operator (reader, at + 1, '='))
        {
          g_array_append_val (module->keywords, token_at (reader, at)->name);
          kept.n_keywords++;
        }
      else
        kept.n_positional++;
      at = comma + 1;
    }
  g_array_append_val (module->arguments, kept);
  return module->arguments->len;
}

static void
keep_reference (SondePythonReader *reader, const SondePythonMention *mention)
{
  const SondePythonToken *token = token_at (reader, mention->begin);
  SondePythonReference reference = {
    .scope = mention->scope,
    .first = token->name,
    .chain = sonde_python_chain_rest (reader, mention->begin, mention->n_names),
    .line = token->line,
    .column = token->column,
    .how = mention->how,
  };

  if (mention->call != 0)
    reference.arguments = keep_arguments (reader, mention->call);
  g_array_append_val (reader->module->references, reference);
}

static gboolean
has_stars (const SondePythonModule *module)
{
  for (guint i = 0; i < module->bindings->len; i++)
    if (g_array_index (module->bindings, SondePythonBinding, i).kind == SONDE_PYTHON_BINDS_STAR)
      return TRUE;
  return FALSE;
}

static void
keep_references (SondePythonReader *reader)
{
  gboolean stars = has_stars (reader->module);

  for (guint i = 0; i < reader->mentions->len; i++)
    {
      const SondePythonMention *mention = &g_array_index (reader->mentions, SondePythonMention, i);
      gboolean bound;

      if (!is_value_alone (reader, mention->scope, token_at (reader, mention->begin)->name, &bound)
          || (!bound && stars))
        keep_reference (reader, mention);
    }
}

static void
keep_method (SondePythonReader *reader, const SondePythonMethodMention *mention)
{
  const SondePythonToken *token = token_at (reader, mention->token);
  SondePythonMethod method = {
    .scope = mention->scope,
    .method = token->name,
    .line = token->line,
    .column = token->column,
    .receiver = mention->receiver,
    .first = SONDE_NO_NAME,
    .chain = WORD_NOTHING,
  };
  gboolean bound;

  if (method.receiver == SONDE_PYTHON_RECEIVER_NAME
      || method.receiver == SONDE_PYTHON_RECEIVER_CALL)
    {
      method.first = token_at (reader, mention->value)->name;
      method.chain = sonde_python_chain_rest (reader, mention->value, mention->n_names);
      if (method.receiver == SONDE_PYTHON_RECEIVER_NAME)
        {
          if (!may_be_value (reader, method.scope, method.first))
            return;
        }
      else if (is_value_alone (reader, method.scope, method.first, &bound))
        method.receiver = SONDE_PYTHON_RECEIVER_OTHER;
    }
  g_array_append_val (reader->module->methods, method);
}

static int
compare_references (gconstpointer a, gconstpointer b)
{
  const SondePythonReference *left = a, *right = b;

  if (left->line != right->line)
    return left->line < right->line ? -1 : 1;
  return left->column < right->column ? -1 : left->column > right->column;
}

void
sonde_python_finish_module (SondePythonReader *reader)
{
  sort_bindings (reader);
  drop_repeated (reader->module->bindings);
  keep_references (reader);
  g_array_sort (reader->module->references, compare_references);
  for (guint i = 0; i < reader->method_mentions->len; i++)
    keep_method (reader, &g_array_index (reader->method_mentions, SondePythonMethodMention, i));
  if (reader->exports_unknown)
    g_clear_pointer (&reader->module->exports, g_array_unref);
}

static const char *const words[N_WORDS] = {
  "False", "None",     "True",  "and",    "as",      "assert", "async",  "await",    "break",
  "class", "continue", "def",   "del",    "elif",    "else",   "except", "finally",  "for",
  "from",  "global",   "if",    "import", "in",      "is",     "lambda", "nonlocal", "not",
  "or",    "pass",     "raise", "return", "try",     "while",  "with",   "yield",    "match",
  "case",  "type",     "print", "exec",   "__all__", "_",      "*",      "",
};

SondePythonReader *
sonde_python_reader_new (const char *const *methods)
{
  SondePythonReader *reader = g_new0 (SondePythonReader, 1);

  reader->names = sonde_name_table_new ();
  for (guint i = 0; i < N_WORDS; i++)
    sonde_name_table_add_text (reader->names, words[i]);
  /* Words like "type" are methods, too; they are never among the watched ones. */
  reader->first_method = reader->end_method = N_WORDS;
  for (gsize i = 0; methods[i] != NULL; i++)
    reader->end_method
        = MAX (reader->end_method, sonde_name_table_add_text (reader->names, methods[i]) + 1);
  reader->token_array = g_array_new (FALSE, FALSE, sizeof (SondePythonToken));
  reader->scratch = g_string_new (NULL);
  reader->mentions = g_array_new (FALSE, FALSE, sizeof (SondePythonMention));
  reader->method_mentions = g_array_new (FALSE, FALSE, sizeof (SondePythonMethodMention));
  reader->declared = g_array_new (FALSE, FALSE, sizeof (SondePythonDeclared));
  reader->moves = g_array_new (FALSE, FALSE, sizeof (guint32));
  reader->bodies = g_array_new (FALSE, FALSE, sizeof (SondePythonBody));
  reader->indents = g_array_new (FALSE, FALSE, sizeof (guint));
  return reader;
}

void
sonde_python_reader_free (SondePythonReader *reader)
{
  if (reader == NULL)
    return;
  sonde_name_table_free (reader->names);
  g_array_unref (reader->token_array);
  g_string_free (reader->scratch, TRUE);
  g_array_unref (reader->mentions);
  g_array_unref (reader->method_mentions);
  g_array_unref (reader->declared);
  g_array_unref (reader->moves);
  g_array_unref (reader->bodies);
  g_array_unref (reader->indents);
  g_free (reader);
}

SondeNameTable *
sonde_python_reader_get_names (const SondePythonReader *reader)
{
  return reader->names;
}

static guint
count_lines (const char *text, gsize length)
{
  guint n = 0;

  for (gsize i = 0; i < length; i++)
    n += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n'));
  return n + (length > 0 && text[length - 1] != '\n' && text[length - 1] != '\r');
}

SondePythonModule *
sonde_python_reader_read (SondePythonReader *reader, GBytes *bytes)
{
  SondePythonModule *module = module_new ();
  SondePythonScope scope = { .parent = SONDE_PYTHON_NO_SCOPE, .name = SONDE_NO_NAME, .line = 1 };
  g_autoptr (GBytes) text = sonde_python_decode (bytes, &module->damage);
  gsize length;

  g_array_append_val (module->scopes, scope);
  reader->module = module;
  reader->text = g_bytes_get_data (text, &length);
  if (reader->text == NULL)
    reader->text = ""; /* of an empty file */
  module->n_lines = count_lines (reader->text, length);
  sonde_python_tokenise (reader->text, length, reader->names, reader->token_array, &module->damage);
  reader->tokens = (const SondePythonToken *) (gpointer) reader->token_array->data;
  reader->depth = 0;
  reader->exports_unknown = FALSE;
  g_array_set_size (reader->mentions, 0);
  g_array_set_size (reader->method_mentions, 0);
  g_array_set_size (reader->declared, 0);
  sonde_python_read_statements (reader);
  sonde_python_finish_module (reader);
  return module;
}
