/* SPDX-License-Identifier: Apache-2.0
 * Files that a debugged run is compared with. */
#include "app/worker/sonde-worker-files.h"

#include <string.h>

#include "app/worker/dumps/sonde-dump-modules.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "data/records/mindspore/sonde-dump-folder.h"

#define MOST_DEPTH 8
#define MOST_FILES 100000

static GHashTable *
table_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify) sonde_tensor_unref);
}

/* "Conv2D.net_conv1_Conv2D-op1.0.0.17.output.0.DefaultFormat" -> "net_conv1_Conv2D-op1"; other
 * names as they are; NULL: an input of a node. (transfer full) */
static char *
name_of_file (const char *base)
{
  g_autofree char *stem = g_strndup (base, strlen (base) - strlen (".npy"));
  g_auto (GStrv) parts = g_strsplit (stem, ".", -1);
  guint n = g_strv_length (parts);

  for (guint i = 3; i + 1 < n; i++)
    {
      if (g_str_equal (parts[i], "input"))
        return NULL;
      if (g_str_equal (parts[i], "output"))
        return g_str_equal (parts[i + 1], "0") ? g_strdup (parts[1])
                                               : g_strdup_printf ("%s:%s", parts[1], parts[i + 1]);
    }
  return g_steal_pointer (&stem);
}

static gboolean
take_file (GHashTable *tensors, const char *path, const char *base, GError **error)
{
  char *name = name_of_file (base);
  SondeTensor *tensor;

  if (name == NULL || g_hash_table_size (tensors) >= MOST_FILES)
    {
      g_free (name);
      return TRUE;
    }
  tensor = sonde_npy_read (NULL, path, error);
  if (tensor == NULL)
    g_free (name);
  else
    g_hash_table_insert (tensors, name, tensor);
  return tensor != NULL;
}

static gboolean
take_folder (GHashTable *tensors, const char *path, guint depth, GError **error)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, error);
  const char *base;

  if (folder == NULL)
    return FALSE;
  while ((base = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, base, NULL);
      gboolean link = g_file_test (inside, G_FILE_TEST_IS_SYMLINK);

      if (!link && depth < MOST_DEPTH && g_file_test (inside, G_FILE_TEST_IS_DIR))
        {
          if (!take_folder (tensors, inside, depth + 1, error))
            return FALSE;
        }
      else if (g_str_has_suffix (base, ".npy") && !take_file (tensors, inside, base, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- dumps of MindSpore -------------------------------------------------- */

/* "conv1-Conv2d" of a scope is the cell conv1. */
static void
append_cell (GString *name, const char *part)
{
  const char *type = strchr (part, '-');

  g_string_append_len (name, part,
                       type != NULL && type > part ? type - part : (gssize) strlen (part));
  g_string_append_c (name, '/');
}

/* "Default/net/conv1-Conv2d/Conv2D-op0" -> "Default/net/conv1/Conv", as exporters to ONNX name it:
 * a cell's bias is a node of its own in MindSpore, and what comes out of that is what the exported
 * node makes. @has_bias: the cell has one. (transfer full) (nullable): nothing of the model is
 * it */
static char *
exported_name (const SondeDumpEntry *entry, gboolean has_bias)
{
  static const struct
  {
    const char *op, *plain, *biased;
  } ops[] = {
    { "Conv2D", "Conv", NULL }, { "MatMul", "MatMul", NULL },        { "BiasAdd", "Add", "" },
    { "ReLU", "Relu", "Relu" }, { "SoftMax", "Softmax", "Softmax" },
  };
  g_auto (GStrv) parts = g_strsplit (entry->node, "/", -1);
  guint n = g_strv_length (parts);
  char *number = n > 0 ? g_strrstr (parts[n - 1], "-op") : NULL;
  guint again = number != NULL ? (guint) g_ascii_strtoull (number + strlen ("-op"), NULL, 10) : 0;
  g_autoptr (GString) name = g_string_new (NULL);
  const char *op = n > 0 ? parts[n - 1] : "";

  if (number != NULL)
    *number = '\0';
  for (guint i = 0; i + 1 < n; i++)
    append_cell (name, parts[i]);
  if (again > 0 && name->len > 0) /* the same cell once more */
    {
      g_string_truncate (name, name->len - 1);
      g_string_append_printf (name, "_%u/", again);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    if (g_str_equal (ops[i].op, op))
      {
        op = has_bias ? ops[i].biased : ops[i].plain;
        break;
      }
  if (op == NULL)
    return NULL;
  if (*op == '\0')
    op = strstr (entry->node, "-Dense/") != NULL ? "Gemm" : "Conv";
  return g_strconcat (name->str, op, NULL);
}

static char *
dup_scope (const char *node)
{
  const char *slash = strrchr (node, '/');

  return slash != NULL ? g_strndup (node, (gsize) (slash - node)) : g_strdup ("");
}

/* Scopes of cells whose bias is added. */
static GHashTable *
find_biased (const GPtrArray *entries)
{
  GHashTable *scopes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < entries->len; i++)
    {
      const SondeDumpEntry *entry = g_ptr_array_index (entries, i);

      if (g_str_equal (entry->op, "BiasAdd"))
        g_hash_table_add (scopes, dup_scope (entry->node));
    }
  return scopes;
}

static gboolean
take_entry (GHashTable *tensors, SondeDumpFolder *dump, const SondeDumpEntry *entry,
            GHashTable *biased, GError **error)
{
  gboolean scoped
      = g_str_has_prefix (entry->node, "Default/") || g_str_has_prefix (entry->node, "Gradients/");
  g_autofree char *scope = dup_scope (entry->node), *node = NULL;
  SondeTensor *tensor;

  if (entry->is_input || g_hash_table_size (tensors) >= MOST_FILES)
    return TRUE;
  node = scoped ? exported_name (entry, g_hash_table_contains (biased, scope))
                : g_strdup (entry->node);
  if (node == NULL)
    return TRUE;
  tensor = sonde_dump_folder_read (dump, entry, error);
  if (tensor == NULL)
    return FALSE;
  g_hash_table_insert (tensors,
                       entry->slot == 0 ? g_steal_pointer (&node)
                                        : g_strdup_printf ("%s:%" PRIi64, node, entry->slot),
                       tensor);
  return TRUE;
}

/* The iteration's tensors; of several it must be said which. */
static gboolean
take_dump (GHashTable *tensors, SondeDumpFolder *dump, const char *path, GError **error)
{
  guint n = sonde_dump_folder_get_n_iterations (dump);
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GHashTable) biased = NULL;

  if (n > 1)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” contains %u iterations, from %" PRIi64 " to %" PRIi64
                       "; specify the folder of one of them, in %s.",
                       path, n, sonde_dump_folder_get_iteration (dump, 0),
                       sonde_dump_folder_get_iteration (dump, n - 1),
                       sonde_dump_folder_get_name (dump));
      return FALSE;
    }
  entries = sonde_dump_folder_list (dump, 0, error);
  if (entries == NULL)
    return FALSE;
  biased = find_biased (entries);
  for (guint i = 0; i < entries->len; i++)
    if (!take_entry (tensors, dump, g_ptr_array_index (entries, i), biased, error))
      return FALSE;
  return TRUE;
}

/* ---- reading ------------------------------------------------------------- */

static GHashTable *
read_folder (const char *path, GError **error)
{
  gboolean is_dump;
  g_autoptr (GHashTable) modules = sonde_dump_modules_read (path, &is_dump, error),
                         tensors = table_new ();
  g_autoptr (SondeDumpFolder) dump = NULL;

  if (is_dump)
    return g_steal_pointer (&modules);
  dump = sonde_dump_folder_open (NULL, path, NULL, NULL);
  if (dump != NULL ? !take_dump (tensors, dump, path, error)
                   : !take_folder (tensors, path, 0, error))
    return NULL;
  if (g_hash_table_size (tensors) > 0)
    return g_steal_pointer (&tensors);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” contains no file with the output of a node.", path);
  return NULL;
}

GHashTable *
sonde_worker_read_tensors (const char *path, GError **error)
{
  g_autoptr (GHashTable) tensors = table_new ();
  g_autoptr (SondeNamedTensors) named = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return read_folder (path, error);
  named = sonde_weights_read (NULL, path, error);
  for (gsize i = 0; named != NULL && i < sonde_named_tensors_get_size (named); i++)
    g_hash_table_insert (tensors, g_strdup (sonde_named_tensors_get_name (named, i)),
                         sonde_tensor_ref (sonde_named_tensors_get_tensor (named, i)));
  return named != NULL ? g_steal_pointer (&tensors) : NULL;
}

SondeGraph *
sonde_worker_load_graph (const char *path, GError **error)
{
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, path, error);
  SondeGraph *graph = original != NULL ? sonde_prepare_inference (original, error) : NULL;

  if (original != NULL && graph == NULL)
    sonde_prefix_error (error, "“%s”: ", path);
  return graph;
}
