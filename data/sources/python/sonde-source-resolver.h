/* SPDX-License-Identifier: Apache-2.0
 * What a name in a file of a project stands for: an object of one of some packages outside, found
 * through imports, aliases, defaults, star imports and the project's other files. Which packages, and
 * which names a star import of them brings, the caller says. */
#pragma once

#include "data/sources/python/sonde-source-project.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_SOURCE_VIA_IMPORT,
  SONDE_SOURCE_VIA_ALIAS,
  SONDE_SOURCE_VIA_DEFAULT,
  SONDE_SOURCE_VIA_STAR,
  SONDE_SOURCE_VIA_PROJECT,
} SondeSourceVia;

/* English words of JSON and CSV: "import", "alias" …; "call", "base" … Static. */
const char *sonde_source_via_get_name (SondeSourceVia via);
const char *sonde_python_how_get_name (SondePythonHow how);

/**
 * SondeSourceMeaning:
 * @path: the dotted name outside; SONDE_NO_NAME of a definition in the project
 * @file, @scope: of a definition: where, and the scope of its body
 * @is_class: of a definition
 * @renamed: there is an alias or a default on the way
 */
typedef struct
{
  guint32 path;
  guint32 file, scope;
  gboolean is_class;
  gboolean renamed;
  SondeSourceVia via;
} SondeSourceMeaning;

/**
 * SondeSourcePackages:
 * @names: (array zero-terminated=1): the packages outside
 * @star_has: does "from MODULE import *" bring NAME?
 */
typedef struct
{
  const char *const *names;
  gboolean (*star_has) (const char *module, const char *name, gpointer data);
  gpointer data;
} SondeSourcePackages;

typedef struct _SondeSourceResolver SondeSourceResolver;

/* @project, @packages: (transfer none): outlive it */
SondeSourceResolver *sonde_source_resolver_new (const SondeSourceProject *project,
                                                const SondeSourcePackages *packages);
void sonde_source_resolver_free (SondeSourceResolver *resolver); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSourceResolver, sonde_source_resolver_free)

/**
 * sonde_source_resolver_look_up:
 * @file: index; @scope, @first, @chain: as in a reference
 * @meanings: (out): array of SondeSourceMeaning, emptied first; each object once
 *
 * Returns: TRUE when there is one meaning and nothing else that the name may be
 */
gboolean sonde_source_resolver_look_up (SondeSourceResolver *resolver, guint32 file, guint32 scope,
                                        guint32 first, guint32 chain, GArray *meanings);

/* What a name that an import makes is, when it comes from one of the packages; SONDE_NO_NAME else. */
guint32 sonde_source_resolver_get_import (SondeSourceResolver *resolver,
                                          const SondePythonReference *reference);

G_END_DECLS
