/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for model files. With libFuzzer, its entry is used; built alone, it replays files and
 * folders given as arguments, or, without any, models it has just written. */
#include <stdint.h>
#include <stdio.h>

#include "data/models/sonde-model-file.h"
#include "tests/data/models/compare-models.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* What loads must sort or say why, list, copy; what can be written must read back the same. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_parse (data, size, "fuzz", &error);
  g_autoptr (SondeGraph) copy = NULL, again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *listing = NULL;
  const guint8 *written = NULL;
  gsize length = 0;

  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return 0;

  copy = sonde_graph_copy (graph, TRUE);
  listing = sonde_graph_listing (copy, NULL);
  bytes = sonde_model_serialise (graph, NULL);
  if (bytes == NULL)
    return 0;
  written = g_bytes_get_data (bytes, &length);
  again = sonde_model_parse (written, length, "again", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, sonde_graph_count_nodes (again));
  return 0;
}

#ifndef SONDE_LIBFUZZER

static guint n_replayed;

static void
replay_bytes (const guint8 *data, gsize length, const char *name)
{
  LLVMFuzzerTestOneInput (data, length);
  printf ("ok %u %s\n", ++n_replayed, name);
}

static void
replay_path (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  g_autofree char *text = NULL;
  const char *name = NULL;
  gsize length = 0;

  if (folder == NULL && g_file_get_contents (path, &text, &length, NULL))
    replay_bytes ((const guint8 *) text, length, path);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      replay_path (inner);
    }
}

/* Whole, and cut and flipped at a few places that stay the same. */
static void
replay_written (SondeGraph *graph, const char *name)
{
  g_autoptr (GBytes) bytes = sonde_model_serialise (graph, NULL);
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  replay_bytes (data, length, name);
  for (gsize i = 1; i < 200; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, length);

      copy[i * length / 200] ^= (guint8) (1u << (i % 8));
      LLVMFuzzerTestOneInput (copy, length);
      LLVMFuzzerTestOneInput (data, i * length / 200);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (SondeGraph) rich = make_rich_model ();
  g_autoptr (SondeGraph) empty = sonde_graph_new ("empty");

  for (int i = 1; i < argc; i++)
    replay_path (argv[i]);
  if (argc < 2)
    {
      replay_written (rich, "rich");
      replay_written (empty, "empty");
      replay_bytes ((const guint8 *) "", 0, "nothing");
    }
  printf ("1..%u\n", n_replayed);
  return 0;
}

#endif
