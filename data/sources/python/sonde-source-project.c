/* SPDX-License-Identifier: Apache-2.0
 * Finding files, reading them, and finding modules by dotted names. */
#include "data/sources/python/sonde-source-project.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-error.h"

/* Beyond what is read, so that a file too large says so with a line. */
#define MAX_FILE_BYTES (64u << 20)

struct _SondeSourceProject
{
  SondePythonReader *reader;
  GPtrArray *files;      /* of SondeSourceFile, owned */
  GHashTable *by_dotted; /* name relative to the root -> index */
  GHashTable *by_import; /* name that Python itself would give -> index */
  char *package;         /* what the files are in; "" */
  gboolean is_package;   /* a root has an __init__.py */
};

static void
file_free (gpointer data)
{
  SondeSourceFile *file = data;

  g_free (file->path);
  g_free (file->place);
  sonde_python_module_free (file->module);
  sonde_message_free (file->error);
  g_free (file);
}

SondeSourceProject *
sonde_source_project_new (const char *const *methods)
{
  SondeSourceProject *project = g_new0 (SondeSourceProject, 1);

  project->reader = sonde_python_reader_new (methods);
  project->files = g_ptr_array_new_with_free_func (file_free);
  project->by_dotted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  project->by_import = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  project->package = g_strdup ("");
  return project;
}

void
sonde_source_project_free (SondeSourceProject *project)
{
  if (project == NULL)
    return;
  g_ptr_array_unref (project->files);
  g_hash_table_unref (project->by_dotted);
  g_hash_table_unref (project->by_import);
  sonde_python_reader_free (project->reader);
  g_free (project->package);
  g_free (project);
}

/* "a/b/__init__.py" is the package a.b, "a/b.py" the module. (transfer full) */
static char *
dup_dotted (const char *path, gboolean *is_package)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".py"));
  char *dotted;

  *is_package = g_str_equal (stem, "__init__") || g_str_has_suffix (stem, "/__init__");
  if (*is_package)
    stem[strlen (stem) - strlen ("__init__")] = '\0';
  if (g_str_has_suffix (stem, "/"))
    stem[strlen (stem) - 1] = '\0';
  dotted = g_strdelimit (g_strdup (stem), "/", '.');
  return dotted;
}

static void
add_file (SondeSourceProject *project, const char *place, const char *path, const char *prefix)
{
  SondeSourceFile *file = g_new0 (SondeSourceFile, 1);
  g_autofree char *dotted = dup_dotted (path, &file->is_package);

  file->path = prefix != NULL ? g_build_filename (prefix, path, NULL) : g_strdup (path);
  file->place = g_strdup (place);
  file->dotted
      = sonde_name_table_add_text (sonde_python_reader_get_names (project->reader), dotted);
  g_ptr_array_add (project->files, file);
}

static gboolean
is_left_out (const char *name)
{
  return name[0] == '.' || g_str_equal (name, "__pycache__") || g_str_equal (name, "site-packages")
         || g_str_equal (name, "node_modules");
}

static gboolean
is_virtual_environment (const char *place)
{
  g_autofree char *mark = g_build_filename (place, "pyvenv.cfg", NULL);

  return g_file_test (mark, G_FILE_TEST_EXISTS);
}

static gboolean add_folder (SondeSourceProject *project, const char *place, const char *path,
                            const char *prefix, guint depth, GError **error);

static gboolean
add_entry (SondeSourceProject *project, const char *folder, const char *path, const char *name,
           const char *prefix, guint depth, GError **error)
{
  g_autofree char *place = g_build_filename (folder, name, NULL);
  g_autofree char *inner = *path == '\0' ? g_strdup (name) : g_build_filename (path, name, NULL);
  struct stat status;

  if (sonde_io_system ()->stat (sonde_io_system (), AT_FDCWD, place, &status, AT_SYMLINK_NOFOLLOW)
      != 0)
    return TRUE; /* gone meanwhile */
  if (S_ISDIR (status.st_mode))
    return is_left_out (name) || is_virtual_environment (place)
           || add_folder (project, place, inner, prefix, depth + 1, error);
  if (S_ISREG (status.st_mode) && g_str_has_suffix (name, ".py"))
    add_file (project, place, inner, prefix);
  return TRUE;
}

static gboolean
add_folder (SondeSourceProject *project, const char *place, const char *path, const char *prefix,
            guint depth, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) folder = g_dir_open (place, 0, &cause);
  const char *name;

  if (folder == NULL && depth > 0)
    return TRUE; /* a folder inside that may not be read does not spoil the rest */
  if (folder == NULL)
    {
      sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, cause,
                               "cannot read folder “%s”: ", place);
      return FALSE;
    }
  if (depth > SONDE_SOURCE_MAX_DEPTH)
    return TRUE;
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      if (!add_entry (project, place, path, name, prefix, depth, error))
        return FALSE;
      if (project->files->len <= SONDE_SOURCE_MAX_FILES)
        continue;
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” contains more than %d Python files; name a smaller folder.", place,
                       SONDE_SOURCE_MAX_FILES);
      return FALSE;
    }
  return TRUE;
}

gboolean
sonde_source_project_add (SondeSourceProject *project, const char *path, const char *prefix,
                          GError **error)
{
  struct stat status;
  g_autofree char *name = g_path_get_basename (path);

  if (sonde_io_system ()->stat (sonde_io_system (), AT_FDCWD, path, &status, 0) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot read “%s”", path);
      return FALSE;
    }
  if (S_ISDIR (status.st_mode))
    return add_folder (project, path, "", prefix, 0, error);
  if (!g_str_has_suffix (name, ".py"))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” is neither a folder nor a Python file (.py).", path);
      return FALSE;
    }
  add_file (project, path, name, prefix);
  return TRUE;
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  const SondeSourceFile *const *left = a, *const *right = b;

  return strcmp ((*left)->path, (*right)->path);
}

static const char *
dotted_of (const SondeSourceProject *project, const SondeSourceFile *file)
{
  return sonde_name_table_get (sonde_python_reader_get_names (project->reader), file->dotted);
}

static gboolean
is_package_folder (const SondeSourceProject *project, const char *dotted)
{
  gpointer value;

  if (!g_hash_table_lookup_extended (project->by_dotted, dotted, NULL, &value))
    return FALSE;
  return ((const SondeSourceFile *) project->files->pdata[GPOINTER_TO_UINT (value)])->is_package;
}

/* The name without the folders above the outermost package: where Python would find it if the folder
 * around that were searched. (transfer none) */
static const char *
import_name (const SondeSourceProject *project, const char *dotted, gboolean is_package)
{
  g_autofree char *folder = g_strdup (dotted);
  const char *name = is_package ? dotted + strlen (dotted) : strrchr (dotted, '.');
  char *dot;

  name = name == NULL ? dotted : name + (*name == '.');
  if (!is_package)
    {
      dot = strrchr (folder, '.');
      if (dot == NULL)
        return dotted;
      *dot = '\0';
    }
  while (is_package_folder (project, folder))
    {
      dot = strrchr (folder, '.');
      name = dot == NULL ? dotted : dotted + (dot - folder) + 1;
      if (dot == NULL)
        break;
      *dot = '\0';
    }
  return name;
}

static void
index_files (SondeSourceProject *project)
{
  g_hash_table_remove_all (project->by_dotted);
  g_hash_table_remove_all (project->by_import);
  for (guint i = 0; i < project->files->len; i++)
    {
      const SondeSourceFile *file = project->files->pdata[i];
      const char *dotted = dotted_of (project, file);

      project->is_package |= *dotted == '\0';
      if (!g_hash_table_contains (project->by_dotted, dotted))
        g_hash_table_insert (project->by_dotted, g_strdup (dotted), GUINT_TO_POINTER (i));
    }
  for (guint i = 0; i < project->files->len; i++)
    {
      const SondeSourceFile *file = project->files->pdata[i];
      const char *name = import_name (project, dotted_of (project, file), file->is_package);

      if (!g_hash_table_contains (project->by_import, name))
        g_hash_table_insert (project->by_import, g_strdup (name), GUINT_TO_POINTER (i));
    }
}

/* A vote for the package that makes @target one of the files. */
static void
vote (SondeSourceProject *project, const char *target, GHashTable *votes)
{
  const char *dot = strchr (target, '.');

  if (g_hash_table_contains (project->by_import, target)
      || g_hash_table_contains (project->by_dotted, target))
    return;
  for (; dot != NULL; dot = strchr (dot + 1, '.'))
    if (g_hash_table_contains (project->by_dotted, dot + 1))
      {
        g_autofree char *package = g_strndup (target, (gsize) (dot - target));
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (votes, package));

        g_hash_table_insert (votes, g_steal_pointer (&package), GUINT_TO_POINTER (n + 1));
        return;
      }
}

#define MIN_VOTES 2 /* without an __init__.py in the root */

static void
guess_package (SondeSourceProject *project)
{
  g_autoptr (GHashTable) votes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  SondeNameTable *names = sonde_python_reader_get_names (project->reader);
  GHashTableIter iter;
  gpointer package, n;
  guint best = project->is_package ? 0 : MIN_VOTES - 1;

  for (guint i = 0; i < project->files->len; i++)
    {
      const SondeSourceFile *file = project->files->pdata[i];

      for (guint j = 0; file->module != NULL && j < file->module->references->len; j++)
        {
          const SondePythonReference *reference
              = &g_array_index (file->module->references, SondePythonReference, j);

          if (reference->how == SONDE_PYTHON_IMPORT && reference->level == 0
              && g_hash_table_add (seen, GUINT_TO_POINTER (reference->chain + 1)))
            vote (project, sonde_name_table_get (names, reference->chain), votes);
        }
    }
  g_hash_table_iter_init (&iter, votes);
  while (g_hash_table_iter_next (&iter, &package, &n))
    if (GPOINTER_TO_UINT (n) > best
        || (GPOINTER_TO_UINT (n) == best && best > 0 && *project->package != '\0'
            && strcmp (package, project->package) < 0))
      {
        best = GPOINTER_TO_UINT (n);
        g_free (project->package);
        project->package = g_strdup (package);
      }
}

gboolean
sonde_source_project_read (SondeSourceProject *project, const SondeIo *io, const char *package,
                           gboolean (*cancelled) (gpointer data), gpointer data)
{
  g_ptr_array_sort (project->files, compare_files);
  index_files (project);
  for (guint i = 0; i < project->files->len; i++)
    {
      SondeSourceFile *file = project->files->pdata[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;

      if (cancelled != NULL && cancelled (data))
        return FALSE;
      bytes = sonde_io_read_file (io, file->place, MAX_FILE_BYTES, &error);
      if (bytes != NULL)
        file->module = sonde_python_reader_read (project->reader, bytes);
      else
        file->error = sonde_error_dup_message (error);
    }
  if (package == NULL)
    guess_package (project);
  else
    {
      g_free (project->package);
      project->package = g_strdup (package);
    }
  return TRUE;
}

guint
sonde_source_project_get_n_files (const SondeSourceProject *project)
{
  return project->files->len;
}

const SondeSourceFile *
sonde_source_project_get_file (const SondeSourceProject *project, guint i)
{
  return project->files->pdata[i];
}

SondeNameTable *
sonde_source_project_get_names (const SondeSourceProject *project)
{
  return sonde_python_reader_get_names (project->reader);
}

static guint32
find_in (GHashTable *table, const char *dotted)
{
  gpointer value;

  return g_hash_table_lookup_extended (table, dotted, NULL, &value) ? GPOINTER_TO_UINT (value)
                                                                    : SONDE_SOURCE_NO_FILE;
}

/* @target without the package in front; NULL when it is not in it. */
static const char *
strip_package (const SondeSourceProject *project, const char *target)
{
  gsize length = strlen (project->package);

  if (length == 0 || strncmp (target, project->package, length) != 0)
    return NULL;
  return target[length] == '.'    ? target + length + 1
         : target[length] == '\0' ? target + length
                                  : NULL;
}

static guint32
find_absolute (const SondeSourceProject *project, guint32 from, const char *target)
{
  const char *inner = strip_package (project, target);
  guint32 found = inner != NULL ? find_in (project->by_dotted, inner) : SONDE_SOURCE_NO_FILE;

  if (found == SONDE_SOURCE_NO_FILE)
    {
      /* A script finds what lies beside it. */
      const char *dotted = dotted_of (project, project->files->pdata[from]);
      const char *dot = strrchr (dotted, '.');
      g_autofree char *sibling
          = dot == NULL ? NULL : g_strdup_printf ("%.*s.%s", (int) (dot - dotted), dotted, target);
      g_autofree char *folder = dot == NULL ? NULL : g_strndup (dotted, (gsize) (dot - dotted));

      if (sibling != NULL && !is_package_folder (project, folder))
        found = find_in (project->by_dotted, sibling);
    }
  if (found == SONDE_SOURCE_NO_FILE)
    found = find_in (project->by_import, target);
  return found != SONDE_SOURCE_NO_FILE ? found : find_in (project->by_dotted, target);
}

/* The dotted name of the package that @level dots mean in @file, behind the files' own package.
 * (transfer full) (nullable) */
static char *
dup_relative_base (const SondeSourceProject *project, const SondeSourceFile *file, guint level)
{
  const char *dotted = dotted_of (project, file);
  g_autofree char *base = *project->package == '\0' ? g_strdup (dotted)
                          : *dotted == '\0'         ? g_strdup (project->package)
                                            : g_strdup_printf ("%s.%s", project->package, dotted);

  for (guint up = file->is_package ? 1 : 0; up < level; up++)
    {
      char *dot = strrchr (base, '.');

      if (dot != NULL)
        *dot = '\0';
      else if (*base != '\0')
        *base = '\0';
      else
        return NULL;
    }
  return g_steal_pointer (&base);
}

guint32
sonde_source_project_find_module (const SondeSourceProject *project, guint32 from, guint level,
                                  const char *target)
{
  g_autofree char *base = NULL, *whole = NULL;
  const char *inner;

  if (level == 0)
    return find_absolute (project, from, target);
  base = dup_relative_base (project, project->files->pdata[from], level);
  if (base == NULL)
    return SONDE_SOURCE_NO_FILE;
  whole = *base == '\0'     ? g_strdup (target)
          : *target == '\0' ? g_strdup (base)
                            : g_strdup_printf ("%s.%s", base, target);
  inner = *project->package == '\0' ? whole : strip_package (project, whole);
  return inner == NULL ? SONDE_SOURCE_NO_FILE : find_in (project->by_dotted, inner);
}

guint32
sonde_source_project_find_submodule (const SondeSourceProject *project, guint32 file,
                                     const char *name)
{
  const SondeSourceFile *at = project->files->pdata[file];
  const char *dotted = dotted_of (project, at);
  g_autofree char *inner = NULL;

  if (!at->is_package)
    return SONDE_SOURCE_NO_FILE;
  inner = *dotted == '\0' ? g_strdup (name) : g_strdup_printf ("%s.%s", dotted, name);
  return find_in (project->by_dotted, inner);
}
