/* SPDX-License-Identifier: Apache-2.0
 * Where values lie: the same places as a plain search over all of them finds, and who overwrites
 * whom. */
#include "data/base/sonde-random.h"
#include "engine/plan/sonde-arena.h"

#include <time.h>

#define N_STEPS 60

/* The plain search: @boxes by offset, so far @n of them. */
static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  const SondeArenaBox *x = a, *y = b;

  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static gsize
search_plainly (const SondeArenaBox *boxes, guint n, const SondeArenaBox *box)
{
  g_autoptr (GArray) placed = g_array_new (FALSE, FALSE, sizeof *boxes);
  gsize end = 0, best = 0, best_size = G_MAXSIZE;

  g_array_append_vals (placed, boxes, n);
  g_array_sort (placed, compare_offsets);
  for (guint i = 0; i < n; i++)
    {
      const SondeArenaBox *other = &g_array_index (placed, SondeArenaBox, i);

      if (other->last < box->first || box->last < other->first)
        continue;
      if (other->offset >= end + box->bytes && other->offset - end < best_size)
        {
          best = end;
          best_size = other->offset - end;
        }
      end = MAX (end, other->offset + other->bytes);
    }

  return best_size != G_MAXSIZE ? best : end;
}

static guint
overwritten_plainly (const SondeArenaBox *boxes, guint n, const SondeArenaBox *box)
{
  guint first = G_MAXUINT;

  for (guint i = 0; i < n; i++)
    if (boxes[i].first > box->first && boxes[i].offset < box->offset + box->bytes
        && box->offset < boxes[i].offset + boxes[i].bytes)
      first = MIN (first, boxes[i].first);
  return first;
}

static void
draw_box (guint64 seed, guint slot, guint longest, SondeArenaBox *box)
{
  box->slot = slot;
  box->first = (guint) (sonde_random_bits (seed, slot, 0) % N_STEPS);
  box->last = MIN (N_STEPS - 1, box->first + (guint) (sonde_random_bits (seed, slot, 1) % longest));
  box->bytes = 64 * (1 + sonde_random_bits (seed, slot, 2) % 40);
}

/* Sizes in any order, so that there are more gaps than a plan has. */
static void
test_places (void)
{
  for (guint64 seed = 1; seed <= 200; seed++)
    {
      SondeArenaBox boxes[150];
      guint gone[G_N_ELEMENTS (boxes)], n = G_N_ELEMENTS (boxes);
      g_autoptr (SondeArena) arena = sonde_arena_new (N_STEPS);
      g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof *boxes);

      for (guint i = 0; i < n; i++)
        {
          draw_box (seed, i, seed % 2 == 0 ? 5 : N_STEPS, &boxes[i]);
          sonde_arena_place (arena, &boxes[i]);
          g_assert_cmpuint (boxes[i].offset, ==, search_plainly (boxes, i, &boxes[i]));
          gone[i] = G_MAXUINT;
        }

      g_array_append_vals (sorted, boxes, n);
      sonde_arena_find_overwrites (sorted, gone);
      for (guint i = 0; i < n; i++)
        g_assert_cmpuint (gone[i], ==, overwritten_plainly (boxes, n, &boxes[i]));
    }
}

static void
test_one_step (void)
{
  g_autoptr (SondeArena) arena = sonde_arena_new (1);
  SondeArenaBox a = { .bytes = 64 }, b = { .bytes = 128 };

  sonde_arena_place (arena, &a);
  sonde_arena_place (arena, &b);
  g_assert_cmpuint (a.offset, ==, 0);
  g_assert_cmpuint (b.offset, ==, 64);
}

/* @n live at once, then as many gaps between them, each too small for what follows. Returns: time
 * of the processor */
static clock_t
time_many (guint n)
{
  g_autoptr (SondeArena) arena = sonde_arena_new (2 * n);
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (SondeArenaBox));
  g_autofree guint *gone = g_new0 (guint, 3 * n);
  clock_t start = clock ();

  for (guint i = 0; i < 3 * n; i++)
    {
      SondeArenaBox box = { .slot = i, .bytes = i < 2 * n ? 128 : 192 };

      box.first = i < 2 * n ? i : n + (i - 2 * n) / 2;
      box.last = i >= 2 * n ? 2 * n - 1 : i < n ? n - 1 + (i % 2) * n : box.first;
      sonde_arena_place (arena, &box);
      g_array_append_val (boxes, box);
    }
  sonde_arena_find_overwrites (boxes, gone);
  return clock () - start;
}

/* Eight times as many take eight times as long and a little more, not 64 times. */
static void
test_many (void)
{
  clock_t few = MIN (time_many (2500), time_many (2500)), many = time_many (20000);

  g_test_message ("%.3f s, %.3f s", (double) few / CLOCKS_PER_SEC, (double) many / CLOCKS_PER_SEC);
  g_assert_cmpint (many, <, 24 * few);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/arena/places", test_places);
  g_test_add_func ("/engine/plan/arena/one-step", test_one_step);
  g_test_add_func ("/engine/plan/arena/many", test_many);
  return g_test_run ();
}
