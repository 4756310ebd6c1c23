/* SPDX-License-Identifier: Apache-2.0
 * The Python files of a folder, or several, and how they import each other. Nothing is run; symbolic
 * links are not followed, version control, caches, virtual environments and site-packages are left out
 * unless they are what is asked for. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/sources/python/sonde-python-module.h"

G_BEGIN_DECLS

#define SONDE_SOURCE_MAX_FILES 1000000
#define SONDE_SOURCE_MAX_DEPTH 64 /* folders inside each other */

/**
 * SondeSourceFile:
 * @path: relative to what was added; with its name in front when several were
 * @place: where it can be opened
 * @dotted: name of the module relative to its root, "" for the root's __init__.py
 * @module: (nullable): NULL when it cannot be read, and before sonde_source_project_read()
 * @error: (nullable): why it cannot be read
 */
typedef struct
{
  char *path, *place;
  guint32 dotted;
  gboolean is_package; /* an __init__.py */
  SondePythonModule *module;
  SondeMessage *error;
} SondeSourceFile;

typedef struct _SondeSourceProject SondeSourceProject;

/* @methods: as for sonde_python_reader_new() */
SondeSourceProject *sonde_source_project_new (const char *const *methods);
void sonde_source_project_free (SondeSourceProject *project); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSourceProject, sonde_source_project_free)

/**
 * sonde_source_project_add:
 * @path: a folder, searched for *.py, or one file
 * @prefix: (nullable): put in front of the files' paths
 *
 * Errors: NOT_FOUND, FORBIDDEN, IO, LIMIT.
 */
gboolean sonde_source_project_add (SondeSourceProject *project, const char *path,
                                   const char *prefix, GError **error);

/**
 * sonde_source_project_read:
 * @io: (nullable)
 * @package: (nullable): the dotted name under which the files import each other; NULL: what their
 *   absolute imports tell
 *
 * Reads all files, in the order of their paths. A file that cannot be read has an error of its own.
 * FALSE: cancelled. @cancelled: (nullable): asked between files
 */
gboolean sonde_source_project_read (SondeSourceProject *project, const SondeIo *io,
                                    const char *package, gboolean (*cancelled) (gpointer data),
                                    gpointer data);

guint sonde_source_project_get_n_files (const SondeSourceProject *project);
const SondeSourceFile *sonde_source_project_get_file (const SondeSourceProject *project, guint i);
SondeNameTable *sonde_source_project_get_names (const SondeSourceProject *project);

#define SONDE_SOURCE_NO_FILE G_MAXUINT32

/**
 * sonde_source_project_find_module:
 * @from: index of the importing file
 * @level: leading dots
 * @target: dotted module
 *
 * Returns: index of the file that is imported, or SONDE_SOURCE_NO_FILE
 */
guint32 sonde_source_project_find_module (const SondeSourceProject *project, guint32 from,
                                          guint level, const char *target);

/* The module @name inside the package of @file; SONDE_SOURCE_NO_FILE when there is none. */
guint32 sonde_source_project_find_submodule (const SondeSourceProject *project, guint32 file,
                                             const char *name);

G_END_DECLS
