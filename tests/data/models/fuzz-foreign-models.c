/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for models of other formats than ONNX. With libFuzzer, its entry is used: one file whose
 * content tells the format. Built alone, it takes folders of cases (a model with what belongs to it),
 * and loads each with every file cut and flipped in turn. */
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/models/sonde-model-file.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A graph or a reason, and a graph can be listed and written. */
static void
load (const char *path)
{
  static const SondeModelOptions options = { .partial = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeConversion) conversion = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_read (NULL, path, &options, &conversion, &error);
  g_autofree char *listing = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    {
      g_assert_cmpuint (strlen (error->message), <=, 2000);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return;
    }
  listing = sonde_graph_listing (graph, NULL);
  bytes = sonde_model_serialise (graph, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-fuzz-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model", NULL);

  g_assert_true (g_file_set_contents (path, (const char *) data, (gssize) size, NULL));
  load (path);
  g_unlink (path);
  g_rmdir (folder);
  return 0;
}

#ifndef SONDE_LIBFUZZER

#define FLIPS 60
#define CUTS 30

static guint n_cases;

static gboolean
is_of_model (const char *name)
{
  return !g_str_has_suffix (name, ".npy") && !g_str_has_suffix (name, ".npz")
         && !g_str_equal (name, "case.json");
}

/* Files of @from, also in folders; links to them in @to. @names: relative */
static void
link_files (const char *from, const char *to, const char *below, GPtrArray *names)
{
  g_autofree char *folder = g_build_filename (from, below, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *relative = g_build_filename (below, name, NULL);
      g_autofree char *source = g_build_filename (from, relative, NULL);
      g_autofree char *target = g_build_filename (to, relative, NULL);
      g_autofree char *content = NULL;
      gsize length = 0;

      if (g_file_test (source, G_FILE_TEST_IS_DIR))
        {
          g_mkdir (target, 0700);
          link_files (from, to, relative, names);
        }
      else if (is_of_model (name))
        {
          g_assert_true (g_file_get_contents (source, &content, &length, NULL));
          g_assert_true (g_file_set_contents (target, content, (gssize) length, NULL));
          g_ptr_array_add (names, g_strdup (relative));
        }
    }
}

static void
load_with (const char *model, const char *path, const char *data, gsize length)
{
  g_assert_true (
      g_file_set_contents_full (path, data, (gssize) length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  load (model);
}

static void
damage_file (const char *model, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  for (gsize i = 0; i < CUTS; i++)
    load_with (model, path, content, i * length / CUTS);
  for (gsize i = 0; i < FLIPS && length > 0; i++)
    {
      gsize at = i * length / FLIPS;
      char kept = content[at];

      content[at] = (char) (kept ^ (1 << (i % 8)));
      load_with (model, path, content, length);
      content[at] = kept;
    }
  load_with (model, path, content, length);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      if (g_file_test (inner, G_FILE_TEST_IS_DIR))
        remove_folder (inner);
      else
        g_unlink (inner);
    }
  g_rmdir (path);
}

/* (transfer full) (nullable): what case.json calls the model; a word search is enough for our own files */
static char *
dup_model_name (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "case.json", NULL), *text = NULL;
  g_auto (GStrv) parts = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  parts = g_strsplit (text, "\"model\": \"", 2);
  return g_strv_length (parts) == 2 ? g_strndup (parts[1], strcspn (parts[1], "\"")) : NULL;
}

static void
damage_case (const char *folder, const char *model_name)
{
  g_autofree char *copy = g_dir_make_tmp ("sonde-damaged-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (copy, model_name, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  link_files (folder, copy, ".", names);
  for (guint i = 0; i < names->len; i++)
    damage_file (model, copy, names->pdata[i]);
  remove_folder (copy);
  printf ("ok %u %s\n", ++n_cases, folder);
}

static void
damage_below (const char *path)
{
  g_autofree char *model = dup_model_name (path);
  g_autoptr (GDir) dir = model == NULL ? g_dir_open (path, 0, NULL) : NULL;
  const char *name = NULL;

  if (model != NULL)
    damage_case (path, model);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      damage_below (inner);
    }
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    damage_below (argv[i]);
  printf ("1..%u\n", n_cases);
  return n_cases > 0 ? 0 : 1;
}

#endif
