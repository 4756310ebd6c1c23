/* SPDX-License-Identifier: Apache-2.0
 * Random sequences of valid requests (row DP12). SONDE_SEQUENCES: how many in all; SONDE_SEQUENCE:
 * only that one of each net. */
#include <stdlib.h>

#include "tests/engine/session/state-machine.h"

#define SEED 20261121
#define SEQUENCES 300
#define TURNS 16

static const char *const small_words[]
    = { "v0",          "v1",      "v2",  "v3",          "v4",      "n0",     "n1",
        "n2",          "n3",      "n4",  "big",         "words",   "x",      "tall",
        "op:*",        "op:Relu", "n*",  "*",           "step:2",  "step:9", "phase:forward",
        "end:forward", "scope:*", "end", "iteration:1", "nothing", "",       "v1[",
        NULL };
static const char *const loops_words[] = { "first",
                                           "outer",
                                           "inner",
                                           "twice",
                                           "mul",
                                           "add",
                                           "cast",
                                           "after",
                                           "rest",
                                           "v_add",
                                           "v_mul",
                                           "v_outer",
                                           "v_rest",
                                           "v_twice",
                                           "x",
                                           "two",
                                           "o_i",
                                           "n_y",
                                           "op:Add",
                                           "op:Loop",
                                           "*",
                                           "iteration:1",
                                           "iteration:9",
                                           "end",
                                           "outer/body/v_twice",
                                           "step:1",
                                           "nothing",
                                           "",
                                           NULL };
static const char *const scan_words[]
    = { "scan",  "sum",     "less",     "choose", "low",    "high",        "rest",
        "v_sum", "v_less",  "v_choose", "v_scan", "v_rest", "v_low",       "v_high",
        "rows",  "start",   "op:Sqrt",  "op:If",  "*",      "iteration:2", "end",
        "state", "nothing", "",         NULL };
static const char *const fails_words[]
    = { "first",       "loop",   "reshape", "total",     "count", "concat",
        "v_first",     "v_loop", "v_total", "v_reshape", "x",     "op:*",
        "iteration:1", "end",    "*",       "nothing",   NULL };

static const MachineNet nets[] = {
  { "inference", small_words, "v4", 0, FALSE }, { "training", small_words, "v4", 12, FALSE },
  { "loops", loops_words, "v_rest", 0, FALSE }, { "scan", scan_words, "v_rest", 0, FALSE },
  { "fails", fails_words, NULL, 0, TRUE },
};

static void
test_sequences (gconstpointer data)
{
  const MachineNet *net = data;
  const char *many = g_getenv ("SONDE_SEQUENCES"), *one = g_getenv ("SONDE_SEQUENCE");
  guint before = 0;
  guint64 n = (many != NULL ? strtoull (many, NULL, 10) : SEQUENCES) / G_N_ELEMENTS (nets);

  if (one != NULL)
    {
      machine_run (net, SEED, strtoull (one, NULL, 10), TURNS);
      return;
    }
  for (guint64 k = 0; k < n; k++)
    {
      machine_run (net, SEED, k, TURNS);
      before = k == 0 ? machine_count_descriptors () : before; /* some stay from the first */
      if (machine_count_descriptors () != before)
        g_error ("sequence %" G_GUINT64_FORMAT ": %u descriptors, %u before", k,
                 machine_count_descriptors (), before);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/session/DP12/", nets[i].subject, NULL);

      g_test_add_data_func (path, &nets[i], test_sequences);
    }
  return g_test_run ();
}
