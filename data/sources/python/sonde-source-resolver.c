/* SPDX-License-Identifier: Apache-2.0
 * Bindings followed from file to file. What comes round again is left out, and one question takes a
 * limited number of steps, however files refer to each other. */
#include "data/sources/python/sonde-source-resolver.h"

#include <string.h>

#define MAX_DEPTH 24
#define MAX_STEPS 400

struct _SondeSourceResolver
{
  const SondeSourceProject *project;
  const SondeSourcePackages *packages;
  SondeNameTable *names;
  GString *scratch;
  guint32 nothing; /* the number of "" */

  /* of one question */
  GArray *meanings;
  gboolean has_other; /* something else may be meant, too */
  guint steps;
  guint32 asking_file;
  const SondePythonBinding *under_way[MAX_DEPTH];
  guint n_under_way;
};

/* How a question was led here. */
typedef struct
{
  gboolean alias_here, alias, by_default, star, project;
  guint depth;
} Way;

const char *
sonde_source_via_get_name (SondeSourceVia via)
{
  static const char *const names[] = { "import", "alias", "default", "star", "project" };

  return names[via];
}

const char *
sonde_python_how_get_name (SondePythonHow how)
{
  static const char *const names[]
      = { "use", "call", "base", "decorator", "annotation", "store", "import" };

  return names[how];
}

SondeSourceResolver *
sonde_source_resolver_new (const SondeSourceProject *project, const SondeSourcePackages *packages)
{
  SondeSourceResolver *resolver = g_new0 (SondeSourceResolver, 1);

  resolver->project = project;
  resolver->packages = packages;
  resolver->names = sonde_source_project_get_names (project);
  resolver->scratch = g_string_new (NULL);
  resolver->nothing = sonde_name_table_add_text (resolver->names, "");
  return resolver;
}

void
sonde_source_resolver_free (SondeSourceResolver *resolver)
{
  if (resolver == NULL)
    return;
  g_string_free (resolver->scratch, TRUE);
  g_free (resolver);
}

static const char *
text_of (const SondeSourceResolver *resolver, guint32 name)
{
  return sonde_name_table_get (resolver->names, name);
}

/* "a" and "b.c" make "a.b.c"; the empty text leaves the other. */
static guint32
join (SondeSourceResolver *resolver, guint32 head, guint32 tail)
{
  if (tail == resolver->nothing)
    return head;
  if (head == resolver->nothing)
    return tail;
  g_string_assign (resolver->scratch, text_of (resolver, head));
  g_string_append_c (resolver->scratch, '.');
  g_string_append (resolver->scratch, text_of (resolver, tail));
  return sonde_name_table_add (resolver->names, resolver->scratch->str, resolver->scratch->len);
}

/* The first name of a chain, and what is left of it. */
static guint32
split (SondeSourceResolver *resolver, guint32 chain, guint32 *rest)
{
  const char *text = text_of (resolver, chain), *dot = strchr (text, '.');

  *rest = dot == NULL ? resolver->nothing : sonde_name_table_add_text (resolver->names, dot + 1);
  return dot == NULL ? chain : sonde_name_table_add (resolver->names, text, (gsize) (dot - text));
}

static gboolean
is_outside (const SondeSourceResolver *resolver, guint32 path)
{
  const char *text = text_of (resolver, path);
  gsize length = strcspn (text, ".");

  for (gsize i = 0; resolver->packages->names[i] != NULL; i++)
    if (strlen (resolver->packages->names[i]) == length
        && memcmp (resolver->packages->names[i], text, length) == 0)
      return TRUE;
  return FALSE;
}

static SondeSourceVia
via_of (const Way *way)
{
  return way->alias_here   ? SONDE_SOURCE_VIA_ALIAS
         : way->by_default ? SONDE_SOURCE_VIA_DEFAULT
         : way->project    ? SONDE_SOURCE_VIA_PROJECT
         : way->alias      ? SONDE_SOURCE_VIA_ALIAS
         : way->star       ? SONDE_SOURCE_VIA_STAR
                           : SONDE_SOURCE_VIA_IMPORT;
}

static void
add_meaning (SondeSourceResolver *resolver, SondeSourceMeaning meaning, const Way *way)
{
  meaning.renamed = way->alias || way->by_default;
  meaning.via = via_of (way);
  for (guint i = 0; i < resolver->meanings->len; i++)
    {
      SondeSourceMeaning *known = &g_array_index (resolver->meanings, SondeSourceMeaning, i);

      if (known->path != meaning.path || known->file != meaning.file
          || known->scope != meaning.scope)
        continue;
      if (known->renamed && !meaning.renamed)
        *known = meaning;
      return;
    }
  g_array_append_val (resolver->meanings, meaning);
}

static void
add_outside (SondeSourceResolver *resolver, guint32 path, const Way *way)
{
  add_meaning (resolver,
               (SondeSourceMeaning){ .path = path, .file = SONDE_SOURCE_NO_FILE, .scope = 0 }, way);
}

static void follow (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *binding,
                    guint32 chain, Way way);

static const SondePythonModule *
module_of (const SondeSourceResolver *resolver, guint32 file)
{
  return sonde_source_project_get_file (resolver->project, file)->module;
}

static void
follow_all (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *bindings,
            guint n, guint32 chain, Way way)
{
  way.depth++;
  for (guint i = 0; i < n; i++)
    follow (resolver, file, &bindings[i], chain, way);
}

static gboolean attribute_of (SondeSourceResolver *resolver, guint32 file, guint32 name,
                              guint32 chain, Way way);

static gboolean
exports (const SondeSourceResolver *resolver, guint32 file, guint32 name)
{
  const SondePythonModule *module = module_of (resolver, file);

  if (module == NULL)
    return FALSE;
  if (module->exports == NULL)
    return *text_of (resolver, name) != '_';
  for (guint i = 0; i < module->exports->len; i++)
    if (g_array_index (module->exports, guint32, i) == name)
      return TRUE;
  return FALSE;
}

/* Does a star import of @file bring the name? Then its meanings are added. */
static gboolean
look_in_stars (SondeSourceResolver *resolver, guint32 file, guint32 name, guint32 chain, Way way)
{
  const SondePythonModule *module = module_of (resolver, file);
  guint n;
  const SondePythonBinding *stars = sonde_python_module_find (module, 0, SONDE_NO_NAME, &n);
  gboolean found = FALSE;

  way.depth++;
  for (guint i = 0; i < n && way.depth < MAX_DEPTH && resolver->steps < MAX_STEPS; i++)
    {
      const char *target = text_of (resolver, stars[i].target);
      guint32 other;

      resolver->steps++;
      if (stars[i].level == 0 && is_outside (resolver, stars[i].target))
        {
          Way starred = way;

          if (!resolver->packages->star_has (target, text_of (resolver, name),
                                             resolver->packages->data))
            continue;
          starred.star = TRUE;
          add_outside (resolver, join (resolver, join (resolver, stars[i].target, name), chain),
                       &starred);
          found = TRUE;
          continue;
        }
      other = sonde_source_project_find_module (resolver->project, file, stars[i].level, target);
      if (other != SONDE_SOURCE_NO_FILE && other != file && exports (resolver, other, name))
        {
          Way inner = way;

          inner.project = TRUE;
          found |= attribute_of (resolver, other, name, chain, inner);
        }
    }
  return found;
}

/* @name.@chain of the module of @file; FALSE: it has no such name. */
static gboolean
attribute_of (SondeSourceResolver *resolver, guint32 file, guint32 name, guint32 chain, Way way)
{
  const SondePythonModule *module = module_of (resolver, file);
  const SondePythonBinding *bindings;
  guint32 inner, rest;
  guint n;

  if (module == NULL || way.depth >= MAX_DEPTH || resolver->steps++ >= MAX_STEPS)
    return FALSE;
  bindings = sonde_python_module_find (module, 0, name, &n);
  if (bindings != NULL)
    {
      follow_all (resolver, file, bindings, n, chain, way);
      return TRUE;
    }
  inner = sonde_source_project_find_submodule (resolver->project, file, text_of (resolver, name));
  if (inner == SONDE_SOURCE_NO_FILE)
    return look_in_stars (resolver, file, name, chain, way);
  way.depth++;
  if (chain == resolver->nothing)
    resolver->has_other = TRUE;
  else
    {
      guint32 next = split (resolver, chain, &rest);

      resolver->has_other |= !attribute_of (resolver, inner, next, rest, way);
    }
  return TRUE;
}

/* What "import a.b" makes, with a chain behind it. */
static void
follow_module (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *binding,
               guint32 chain, Way way)
{
  guint32 found, path = join (resolver, binding->target, chain), next, rest;
  const char *whole;

  if (is_outside (resolver, binding->target))
    {
      add_outside (resolver, path, &way);
      return;
    }
  found = sonde_source_project_find_module (resolver->project, file, 0,
                                            text_of (resolver, binding->target));
  way.project = TRUE;
  way.depth++;
  if (found != SONDE_SOURCE_NO_FILE && chain != resolver->nothing)
    {
      next = split (resolver, chain, &rest);
      resolver->has_other |= !attribute_of (resolver, found, next, rest, way);
      return;
    }
  /* A folder without an __init__.py: as many names as make a module, then one of its names. */
  whole = text_of (resolver, path);
  for (const char *dot = strchr (whole, '.'); dot != NULL; dot = strchr (dot + 1, '.'))
    {
      g_autofree char *target = g_strndup (whole, (gsize) (dot - whole));

      found = sonde_source_project_find_module (resolver->project, file, 0, target);
      if (found == SONDE_SOURCE_NO_FILE)
        continue;
      next = split (resolver, sonde_name_table_add_text (resolver->names, dot + 1), &rest);
      resolver->has_other |= !attribute_of (resolver, found, next, rest, way);
      return;
    }
  resolver->has_other = TRUE;
}

/* What "from target import name" makes. */
static void
follow_import (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *binding,
               guint32 chain, Way way)
{
  guint32 found, next, rest;

  if (binding->level == 0 && is_outside (resolver, binding->target))
    {
      add_outside (resolver,
                   join (resolver, join (resolver, binding->target, binding->chain), chain), &way);
      return;
    }
  way.project = TRUE;
  way.depth++;
  found = sonde_source_project_find_module (resolver->project, file, binding->level,
                                            text_of (resolver, binding->target));
  if (found != SONDE_SOURCE_NO_FILE)
    {
      resolver->has_other |= !attribute_of (resolver, found, binding->chain, chain, way);
      return;
    }
  found = sonde_source_project_find_module (
      resolver->project, file, binding->level,
      text_of (resolver, join (resolver, binding->target, binding->chain)));
  if (found == SONDE_SOURCE_NO_FILE || chain == resolver->nothing)
    {
      resolver->has_other = TRUE;
      return;
    }
  next = split (resolver, chain, &rest);
  resolver->has_other |= !attribute_of (resolver, found, next, rest, way);
}

static void
follow_value (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *binding,
              guint32 chain, Way way)
{
  guint n;
  const SondePythonBinding *bindings = sonde_python_module_look_up (
      module_of (resolver, file), binding->value_scope, binding->first, &n);
  guint32 whole = join (resolver, binding->chain, chain);

  if (bindings != NULL)
    follow_all (resolver, file, bindings, n, whole, way);
  else
    resolver->has_other |= !look_in_stars (resolver, file, binding->first, whole, way);
}

static gboolean
begin_step (SondeSourceResolver *resolver, const SondePythonBinding *binding, const Way *way)
{
  if (way->depth >= MAX_DEPTH || resolver->n_under_way >= MAX_DEPTH
      || resolver->steps++ >= MAX_STEPS)
    return FALSE;
  for (guint i = 0; i < resolver->n_under_way; i++)
    if (resolver->under_way[i] == binding)
      return FALSE;
  resolver->under_way[resolver->n_under_way++] = binding;
  return TRUE;
}

static void
follow (SondeSourceResolver *resolver, guint32 file, const SondePythonBinding *binding,
        guint32 chain, Way way)
{
  if (!begin_step (resolver, binding, &way))
    return;
  switch ((SondePythonBindingKind) binding->kind)
    {
    case SONDE_PYTHON_BINDS_DEFINITION:
      if (chain == resolver->nothing)
        add_meaning (resolver,
                     (SondeSourceMeaning){ .path = SONDE_NO_NAME,
                                           .file = file,
                                           .scope = binding->value_scope,
                                           .is_class = binding->chain == SONDE_NO_NAME },
                     &way);
      resolver->has_other = TRUE;
      break;
    case SONDE_PYTHON_BINDS_MODULE:
      follow_module (resolver, file, binding, chain, way);
      break;
    case SONDE_PYTHON_BINDS_IMPORT:
      follow_import (resolver, file, binding, chain, way);
      break;
    case SONDE_PYTHON_BINDS_ALIAS:
      way.alias = TRUE;
      way.alias_here |= file == resolver->asking_file;
      follow_value (resolver, file, binding, chain, way);
      break;
    case SONDE_PYTHON_BINDS_DEFAULT:
      way.by_default = TRUE;
      resolver->has_other = TRUE;
      follow_value (resolver, file, binding, chain, way);
      break;
    case SONDE_PYTHON_BINDS_VALUE:
    case SONDE_PYTHON_BINDS_STAR:
      resolver->has_other = TRUE;
      break;
    }
  resolver->n_under_way--;
}

gboolean
sonde_source_resolver_look_up (SondeSourceResolver *resolver, guint32 file, guint32 scope,
                               guint32 first, guint32 chain, GArray *meanings)
{
  const SondePythonModule *module = module_of (resolver, file);
  guint n;
  const SondePythonBinding *bindings;

  g_array_set_size (meanings, 0);
  resolver->meanings = meanings;
  resolver->has_other = FALSE;
  resolver->steps = 0;
  resolver->asking_file = file;
  bindings = sonde_python_module_look_up (module, scope, first, &n);
  if (bindings != NULL)
    {
      for (guint i = 0; i < n; i++)
        follow (resolver, file, &bindings[i], chain, (Way){ 0 });
    }
  else
    resolver->has_other = !look_in_stars (resolver, file, first, chain, (Way){ 0 });
  return !resolver->has_other && meanings->len == 1;
}

guint32
sonde_source_resolver_get_import (SondeSourceResolver *resolver,
                                  const SondePythonReference *reference)
{
  if (reference->level > 0 || !is_outside (resolver, reference->chain))
    return SONDE_NO_NAME;
  return reference->arguments == SONDE_NO_NAME
             ? reference->chain
             : join (resolver, reference->chain, reference->arguments);
}
