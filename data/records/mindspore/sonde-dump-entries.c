/* SPDX-License-Identifier: Apache-2.0
 * The tensors of a dump's iteration, and the graph that ran. */
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"
#include "data/records/mindspore/sonde-mindspore-dump-private.h"
#include "data/records/mindspore/sonde-mindspore-file-private.h"
#include "data/records/mindspore/sonde-dump-folder-private.h"

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"

#include <string.h>

#define NPY ".npy"
#define MAX_ENTRIES 1000000

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeRecord, sonde_record_clear)

static void
entry_free (gpointer data)
{
  SondeDumpEntry *entry = data;

  g_free (entry->node);
  g_free (entry->op);
  g_free (entry->path);
  g_free (entry);
}

static SondeDumpEntry *
entry_new (const char *path, const SondeMindsporeDump *dump, guint part)
{
  SondeDumpEntry *entry = g_new0 (SondeDumpEntry, 1);

  entry->path = g_strdup (path);
  entry->node = g_strdup (dump->node);
  entry->op = g_strdup (dump->op);
  entry->is_input = g_str_equal (dump->io, "input");
  entry->slot = MAX (dump->slot, 0);
  entry->wall_time_ns = dump->wall_time_ns;
  entry->part = part;
  entry->type = sonde_type_unknown ();
  return entry;
}

/* A file with another name in the dump's folder goes by that name. */
static void
add_array (SondeDumpFolder *folder, const char *path, const char *base, GPtrArray *entries)
{
  SondeMindsporeDump dump;
  SondeDumpEntry *entry;
  SondeDtype dtype;
  SondeShape shape;

  if (!sonde_mindspore_dump_parse (folder->io, path, TRUE, &dump))
    dump = (SondeMindsporeDump){
      g_strdup ("Parameter"), g_strndup (base, strlen (base) - strlen (NPY)), "output", 0, 0, 0
    };
  entry = entry_new (path, &dump, 0);
  sonde_mindspore_dump_clear (&dump);
  if (sonde_npy_look (folder->io, path, &dtype, &shape, NULL))
    entry->type = sonde_type_tensor (dtype, &shape);
  g_ptr_array_add (entries, entry);
}

/* "NODE/output/3": what is behind the node. */
static void
split_tag (const char *tag, SondeMindsporeDump *dump)
{
  const char *slot = strrchr (tag, '/');

  if (slot == NULL || slot == tag)
    return;
  dump->slot = g_ascii_strtoll (slot + 1, NULL, 10);
  dump->io = "output";
  if (slot - tag >= (gssize) strlen ("/input")
      && strncmp (slot - strlen ("/input"), "/input", strlen ("/input")) == 0)
    dump->io = "input";
}

/* The tensors of a device's own file. */
static void
add_message (SondeDumpFolder *folder, const char *path, const char *base, GPtrArray *entries)
{
  const SondeMindsporeFile file = { .io = folder->io, .path = path, .name = base };
  SondeRecordDecoder *tags;
  SondeRecordBatch batch;
  SondeMindsporeDump dump;

  if (!sonde_mindspore_file_async.recognises (base) || !sonde_mindspore_file_async.probe (&file)
      || !sonde_mindspore_dump_parse (folder->io, path, FALSE, &dump))
    return;
  tags = sonde_mindspore_decoder_new (NULL, 0);
  sonde_record_batch_init (&batch);
  if (sonde_mindspore_file_async.scan (&file, tags, &batch, NULL))
    for (guint i = 0; i < batch.refs->len; i++)
      {
        const SondeRecordRef *ref = &g_array_index (batch.refs, SondeRecordRef, i);
        guint part = sonde_record_place_part (ref->place);
        g_auto (SondeRecord) record = { .session = 1 };
        SondeDumpEntry *entry;

        if (ref->kind != SONDE_RECORD_TENSOR)
          continue;
        split_tag (g_array_index (tags->tags, SondeRecordTag, ref->tag).name, &dump);
        entry = entry_new (path, &dump, part);
        if (sonde_mindspore_file_async.read (&file, part, &record, NULL) && record.u.tensor != NULL)
          entry->type = sonde_type_tensor (record.u.tensor->dtype, &record.u.tensor->shape);
        g_ptr_array_add (entries, entry);
      }
  sonde_record_batch_clear (&batch);
  sonde_mindspore_decoder_free (tags);
  sonde_mindspore_dump_clear (&dump);
}

static gboolean
add_files (SondeDumpFolder *folder, const char *path, GPtrArray *entries, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, error);
  const char *base;

  if (dir == NULL)
    return FALSE;
  while ((base = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, base, NULL);

      if (entries->len >= MAX_ENTRIES)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
              "“%s” contains more than %u tensors, the maximum that can be opened at once.", path,
              MAX_ENTRIES);
          return FALSE;
        }
      if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
        continue;
      if (g_str_has_suffix (base, NPY))
        add_array (folder, file, base, entries);
      else
        add_message (folder, file, base, entries);
    }
  return TRUE;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const SondeDumpEntry *x = *(SondeDumpEntry *const *) a, *y = *(SondeDumpEntry *const *) b;

  if (x->wall_time_ns != y->wall_time_ns)
    return x->wall_time_ns < y->wall_time_ns ? -1 : 1;
  if (!g_str_equal (x->path, y->path))
    return strcmp (x->path, y->path);
  return x->part < y->part ? -1 : x->part > y->part;
}

/* The last of each name stays. */
static void
drop_earlier (GPtrArray *entries)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = entries->len; i > 0; i--)
    {
      const SondeDumpEntry *entry = g_ptr_array_index (entries, i - 1);
      char *key = g_strdup_printf ("%s %d %" PRIi64, entry->node, entry->is_input, entry->slot);

      if (!g_hash_table_add (seen, key))
        {
          entry_free ((gpointer) entry);
          entries->pdata[i - 1] = NULL;
        }
    }
  for (guint i = 0, n = 0, all = entries->len; i < all; i++)
    {
      if (entries->pdata[i] != NULL)
        {
          gpointer kept = entries->pdata[i];

          entries->pdata[i] = NULL;
          entries->pdata[n++] = kept;
        }
      if (i + 1 == all)
        {
          g_ptr_array_set_free_func (entries, NULL);
          g_ptr_array_set_size (entries, (int) n);
          g_ptr_array_set_free_func (entries, entry_free);
        }
    }
}

GPtrArray *
sonde_dump_folder_list (SondeDumpFolder *folder, guint index, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_autofree char *constants = g_build_filename (folder->place.path, "constants", NULL);

  if (g_file_test (constants, G_FILE_TEST_IS_DIR) && !add_files (folder, constants, entries, error))
    return NULL;
  if (!add_files (folder, g_array_index (folder->iterations, SondeDumpIteration, index).path,
                  entries, error))
    return NULL;
  g_ptr_array_sort (entries, compare_entries);
  drop_earlier (entries);
  return g_steal_pointer (&entries);
}

SondeTensor *
sonde_dump_folder_read (SondeDumpFolder *folder, const SondeDumpEntry *entry, GError **error)
{
  g_autofree char *base = g_path_get_basename (entry->path);
  const SondeMindsporeFile file = { .io = folder->io, .path = entry->path, .name = base };
  g_auto (SondeRecord) record = { .session = 1 };

  if (g_str_has_suffix (base, NPY))
    return sonde_npy_read (folder->io, entry->path, error);
  if (!sonde_mindspore_file_async.read (&file, entry->part, &record, error))
    {
      sonde_prefix_error (error, "“%s”: ", entry->path);
      return NULL;
    }
  if (record.kind == SONDE_RECORD_TENSOR && record.u.tensor != NULL)
    return sonde_tensor_ref (record.u.tensor);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” no longer contains tensor %u.", entry->path, entry->part);
  return NULL;
}

/* ---- the graph ----------------------------------------------------------- */

/* The one of this graph as it ran; else the only one there is. (transfer full) (nullable) */
static char *
find_graph (SondeDumpFolder *folder)
{
  g_autofree char *net = g_path_get_dirname (folder->place.path), *rank = g_path_get_dirname (net);
  g_autofree char *graphs = g_build_filename (rank, "graphs", NULL);
  g_autofree char *name
      = g_strdup_printf ("ms_output_trace_code_graph_%" PRIi64 ".pb", folder->place.graph);
  g_autofree char *path = g_build_filename (graphs, name, NULL), *only = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *base;
  guint n = 0;

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&path);
  dir = g_dir_open (graphs, 0, NULL);
  while (dir != NULL && (base = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (base, ".pb"))
      {
        g_free (only);
        only = g_build_filename (graphs, base, NULL);
        n++;
      }
  return n == 1 ? g_steal_pointer (&only) : NULL;
}

SondeGraph *
sonde_dump_folder_read_graph (SondeDumpFolder *folder, GError **error)
{
  g_autofree char *path = find_graph (folder),
                  *base = path != NULL ? g_path_get_basename (path) : NULL;
  const SondeMindsporeFile file = { .io = folder->io, .path = path, .name = base };
  g_auto (SondeRecord) record = { .session = 1 };

  if (path == NULL)
    return NULL;
  if (!sonde_mindspore_file_graph.read (&file, 0, &record, error))
    {
      sonde_prefix_error (error, "“%s”: ", path);
      return NULL;
    }
  return sonde_graph_ref (record.u.graph.graph);
}
