/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/convert/sonde-convert-split.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"
#include "data/models/sonde-model-split.h"

gboolean
sonde_convert_split_write (SondeConvertSplit *split, SondeGraph *graph, const char *out,
                           GError **error)
{
  g_autofree char *name = g_path_get_basename (out);
  g_autofree char *temporary = NULL;

  split->folder = g_path_get_dirname (out);
  temporary = g_build_filename (split->folder, ".sonde-convert-XXXXXX", NULL);
  if (g_mkdtemp (temporary) == NULL)
    {
      sonde_data_error_set_errno (error, errno, "cannot make a folder beside “%s”", out);
      return FALSE;
    }
  split->temporary = g_steal_pointer (&temporary);
  split->model
      = sonde_model_write_split (NULL, split->temporary, name, graph, &split->weights, error);
  return split->model != NULL;
}

static char *
dup_path (const SondeConvertSplit *split, const char *name)
{
  return g_build_filename (split->temporary, name, NULL);
}

SondeGraph *
sonde_convert_split_load (const SondeConvertSplit *split, GError **error)
{
  g_autofree char *path = dup_path (split, split->model);

  return sonde_model_load (NULL, path, error);
}

guint64
sonde_convert_split_get_size (const SondeConvertSplit *split)
{
  const char *const names[] = { split->model, split->weights };
  guint64 size = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = dup_path (split, names[i]);
      GStatBuf status;

      if (g_stat (path, &status) == 0)
        size += (guint64) status.st_size;
    }
  return size;
}

static gboolean
move (const SondeConvertSplit *split, const char *name, GError **error)
{
  g_autofree char *from = dup_path (split, name);
  g_autofree char *to = g_build_filename (split->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (to);

  if (!sonde_io_make_directories (NULL, parent, error))
    return FALSE;
  if (g_rename (from, to) == 0)
    return TRUE;
  sonde_data_error_set_errno (error, errno, "cannot write “%s”", to);
  return FALSE;
}

char *
sonde_convert_split_move (SondeConvertSplit *split, GError **error)
{
  if (!move (split, split->weights, error) || !move (split, split->model, error))
    return NULL;
  return g_build_filename (split->folder, split->model, NULL);
}

void
sonde_convert_split_clear (SondeConvertSplit *split)
{
  const char *const names[] = { split->model, split->weights };

  for (guint i = 0; split->temporary != NULL && i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = names[i] != NULL ? dup_path (split, names[i]) : NULL;
      g_autofree char *parent = path != NULL ? g_path_get_dirname (path) : NULL;

      if (path != NULL)
        g_unlink (path);
      if (parent != NULL)
        g_rmdir (parent);
    }
  if (split->temporary != NULL)
    g_rmdir (split->temporary);
  g_clear_pointer (&split->folder, g_free);
  g_clear_pointer (&split->temporary, g_free);
  g_clear_pointer (&split->model, g_free);
  g_clear_pointer (&split->weights, g_free);
}
