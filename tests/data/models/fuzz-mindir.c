/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for MindIR files. With libFuzzer, its entry is used; built alone, it replays files given as
 * arguments, or, without any, the fixtures cut and changed at many places. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "data/models/lowering/sonde-lowering.h"
#include "data/models/mindir/sonde-mindir.h"

#define CUTS 40
#define FLIPS 160
#define MAX_MESSAGE 2000

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* What is read can be sorted or says why not, and can be listed; what is not says what is wrong. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const SondeModelOptions options = { .partial = TRUE };
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("mindir", "fuzz", &options);
  g_autoptr (SondeConversion) conversion = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *listing = NULL;

  sonde_mindir_parse (lowering, data, size);
  graph = sonde_lowering_finish (lowering, &conversion, &error);
  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    {
      g_assert_cmpuint (strlen (error->message), <=, MAX_MESSAGE);
      g_assert_nonnull (strstr (error->message, "fuzz"));
      return 0;
    }
  listing = sonde_graph_listing (graph, NULL);
  return 0;
}

#ifndef SONDE_LIBFUZZER

static guint n_replayed;

static void
pass (const char *name)
{
  printf ("ok %u %s\n", ++n_replayed, name);
}

static void
replay_path (const char *path)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  if (g_file_get_contents (path, &text, &length, NULL))
    LLVMFuzzerTestOneInput ((const guint8 *) text, length);
  pass (path);
}

static void
damage (const char *name, const guint8 *data, gsize length)
{
  g_autofree guint8 *copy = g_memdup2 (data, length);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  LLVMFuzzerTestOneInput (data, length);
  for (guint i = 0; i < CUTS; i++)
    LLVMFuzzerTestOneInput (data, length * i / CUTS);
  for (guint i = 0; i < FLIPS; i++)
    {
      const gsize at = (gsize) g_rand_int_range (random, 0, (gint32) length);
      const guint8 kept = copy[at];

      copy[at] = (guint8) g_rand_int_range (random, 0, 256);
      LLVMFuzzerTestOneInput (copy, length);
      if (i % 4 != 0) /* every fourth stays for a while: damage adds up */
        copy[at] = kept;
      if (i % 16 == 15)
        memcpy (copy, data, length);
    }
  pass (name);
}

static void
damage_fixtures (void)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir", NULL);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, "model.mindir", NULL);
      g_autofree char *text = NULL;
      gsize length = 0;

      if (g_file_get_contents (file, &text, &length, NULL))
        damage (name, (const guint8 *) text, length);
    }
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    replay_path (argv[i]);
  if (argc == 1)
    damage_fixtures ();
  printf ("1..%u\n", n_replayed);
  return n_replayed > 0 ? 0 : 1;
}

#endif
