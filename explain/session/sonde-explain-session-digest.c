/* SPDX-License-Identifier: Apache-2.0
 * What answers depend on, as one number: when it is the same, what was kept can be  used. */
#include "explain/session/sonde-explain-session-digest.h"

#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define FORMAT "sonde explanation session 6" /* counted up when answers or their files change */
#define BLOCK_BYTES ((gsize) 1 << 20)

static void
add_text (GChecksum *checksum, const char *text)
{
  g_checksum_update (checksum, (const guchar *) (text != NULL ? text : "\1"),
                     text != NULL ? (gssize) strlen (text) + 1 : 2);
}

static void
add_number (GChecksum *checksum, gint64 number)
{
  g_checksum_update (checksum, (const guchar *) &number, sizeof number);
}

char *
sonde_explain_hash_texts (const char *first, ...)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  va_list arguments;

  va_start (arguments, first);
  for (const char *text = first; text != NULL; text = va_arg (arguments, const char *))
    add_text (checksum, text);
  va_end (arguments);
  return g_strdup (g_checksum_get_string (checksum));
}

/* ---- the model ----------------------------------------------------------- */

static gboolean
add_file (GChecksum *checksum, const char *path)
{
  g_autofree guint8 *block = g_malloc (BLOCK_BYTES);
  FILE *file = g_fopen (path, "rbe");
  gsize n;

  if (file == NULL)
    return FALSE;
  while ((n = fread (block, 1, BLOCK_BYTES, file)) > 0)
    g_checksum_update (checksum, block, (gssize) n);
  fclose (file);
  return TRUE;
}

/* Bytes of all constants; with @checksum they are added. */
static guint64
walk_constants (SondeGraph *model, GChecksum *checksum)
{
  guint64 total = 0;

  for (guint i = 0; i < model->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (model->values, i);
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;
      g_autoptr (SondeTensor) plain = NULL;

      if (tensor == NULL || tensor->dtype == SONDE_DTYPE_STRING)
        continue;
      total += sonde_tensor_n_bytes (tensor);
      plain = checksum != NULL ? sonde_tensor_contiguous (tensor) : NULL;
      if (plain != NULL)
        g_checksum_update (checksum, plain->data, (gssize) sonde_tensor_n_bytes (plain));
    }
  return total;
}

/* A file whose weights lie in another one, or a folder, goes by its constants, too. */
static void
add_model (GChecksum *checksum, const char *path, SondeGraph *model)
{
  GStatBuf status;
  gboolean whole
      = g_stat (path, &status) == 0 && S_ISREG (status.st_mode) && add_file (checksum, path);

  if (!whole || walk_constants (model, NULL) > (guint64) status.st_size)
    walk_constants (model, checksum);
}

/* ---- the data ------------------------------------------------------------ */

static void
add_status (GChecksum *checksum, const char *path)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return;
  add_number (checksum, (gint64) status.st_size);
  add_number (checksum, (gint64) status.st_mtim.tv_sec);
  add_number (checksum, (gint64) status.st_mtim.tv_nsec);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Files right in a folder: packed samples. */
static void
add_folder (GChecksum *checksum, const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_texts);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      if (!g_file_test (name, G_FILE_TEST_IS_REGULAR))
        continue;
      add_text (checksum, name);
      add_status (checksum, name);
    }
}

/* The absolute path in a source "KIND:PATH;OPTIONS" or "PATH"; @options: (out): what stands before
 * and behind it. NULL: the source is no file. (transfer full) */
static char *
find_root (const char *source, char **options)
{
  const char *path = source, *colon = strchr (source, ':');
  g_autofree char *end = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) && colon != NULL)
    path = colon + 1;
  end = g_strndup (path, strcspn (path, ";"));
  if (!g_file_test (end, G_FILE_TEST_EXISTS))
    return NULL;
  *options = g_strdup_printf ("%.*s%s", (int) (path - source), source, path + strlen (end));
  return g_canonicalize_filename (end, NULL);
}

static void
add_data (GChecksum *checksum, const char *source, SondeDataset *dataset,
          const SondeSplitPart *split)
{
  g_autofree char *options = NULL, *folder = NULL;
  g_autofree char *root = source != NULL ? find_root (source, &options) : NULL;
  gboolean is_folder = root != NULL && g_file_test (root, G_FILE_TEST_IS_DIR);

  /* absolute: the command names data from where it runs, the page by their whole path */
  add_text (checksum, root != NULL ? options : source);
  add_text (checksum, root);
  if (is_folder)
    add_folder (checksum, root);
  else if (root != NULL)
    add_status (checksum, root);
  folder = root == NULL ? NULL : is_folder ? g_strdup (root) : g_path_get_dirname (root);
  add_number (checksum, dataset->channels);
  add_number (checksum, dataset->height);
  add_number (checksum, dataset->width);
  g_checksum_update (checksum, (const guchar *) dataset->mean, sizeof dataset->mean);
  g_checksum_update (checksum, (const guchar *) dataset->std, sizeof dataset->std);
  for (guint c = 0; c < dataset->n_classes; c++)
    add_text (checksum, dataset->classes[c]);
  for (guint i = 0; i < split->n_test; i++)
    {
      g_autofree char *name = sonde_dataset_dup_name (dataset, split->test[i]);
      g_autofree char *path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;

      add_number (checksum, split->test[i]);
      add_text (checksum, name);
      add_number (checksum, sonde_dataset_get_label (dataset, split->test[i]));
      if (path != NULL)
        add_status (checksum, path);
    }
}

char *
sonde_explain_session_make_digest (const SondeExplanationSettings *settings, SondeGraph *model,
                                   SondeDataset *dataset, const SondeSplitPart *split,
                                   SondeDataset *training, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const char *const texts[] = { settings->mean, settings->std, settings->size, settings->channels,
                                settings->device != NULL ? settings->device : "cpu" };

  add_text (checksum, FORMAT);
  add_model (checksum, settings->model, model);
  if (settings->weights != NULL)
    walk_constants (model, checksum);
  add_text (checksum, settings->signature);
  add_text (checksum, settings->shapes);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    add_text (checksum, texts[i]);
  add_number (checksum, settings->seed);
  add_data (checksum, training == NULL ? settings->data : settings->training,
            training == NULL ? dataset : training, split);
  return g_strdup (g_checksum_get_string (checksum));
}
