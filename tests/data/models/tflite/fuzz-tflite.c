/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for .tflite files. With libFuzzer, its entry is used; built alone, it replays files and
 * folders given as arguments, or, without any, a model written by hand; each whole, cut and flipped. */
#include <stdint.h>
#include <stdio.h>

#include "data/models/sonde-model-file.h"
#include "data/models/tflite/sonde-tflite.h"
#include "tests/data/models/tflite/tflite-builder.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static SondeGraph *
parse (const uint8_t *data, size_t size, const SondeModelOptions *options, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("tflite", "fuzz", options);

  sonde_tflite_parse (lowering, bytes, "fuzz");
  return sonde_lowering_finish (lowering, NULL, error);
}

/* What loads must sort or say why, list, copy, and be written if it can be. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const SondeModelOptions options
      = { .partial = size % 2 == 0,
          .quantised = size % 3 == 0 ? SONDE_QUANTISED_QDQ : SONDE_QUANTISED_EXACT };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = parse (data, size, &options, &error);
  g_autoptr (SondeGraph) copy = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autofree char *listing = NULL;

  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return 0;
  copy = sonde_graph_copy (graph, TRUE);
  listing = sonde_graph_listing (copy, NULL);
  g_assert_true (g_utf8_validate (listing, -1, NULL));
  written = sonde_model_serialise (graph, NULL);
  return 0;
}

#ifndef SONDE_LIBFUZZER

#define ROUNDS 400

static guint n_replayed;

/* At places that stay the same. */
static void
replay_bytes (const guint8 *data, gsize length, const char *name)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (21);

  LLVMFuzzerTestOneInput (data, length);
  for (guint i = 1; i < ROUNDS; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, length);

      for (guint k = 0; k < 1 + i % 4; k++)
        {
          guint8 *at = &copy[g_rand_int_range (rand, 0, (gint32) length)];

          *at = i % 3 == 0   ? 0xff
                : i % 3 == 1 ? *at ^ (guint8) (1u << (i % 8))
                             : (guint8) (*at + 1);
        }
      LLVMFuzzerTestOneInput (copy, length);
      LLVMFuzzerTestOneInput (data, i * length / ROUNDS);
    }
  printf ("ok %u %s\n", ++n_replayed, name);
}

static void
replay_path (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  g_autofree char *text = NULL;
  const char *name = NULL;
  gsize length = 0;

  if (folder == NULL && g_str_has_suffix (path, ".tflite")
      && g_file_get_contents (path, &text, &length, NULL) && length > 0)
    replay_bytes ((const guint8 *) text, length, path);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      replay_path (inner);
    }
}

int
main (int argc, char **argv)
{
  TinyModel tiny = tiny_model_new ();

  for (int i = 1; i < argc; i++)
    replay_path (argv[i]);
  replay_bytes (tiny.bytes->data, tiny.bytes->len, "by hand");
  g_byte_array_unref (tiny.bytes);
  printf ("1..%u\n", n_replayed);
  return 0;
}

#endif
