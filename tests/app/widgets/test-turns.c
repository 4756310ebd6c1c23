/* SPDX-License-Identifier: Apache-2.0
 * Turns: in order, one an iteration, none for who has given up. */
#include "app/widgets/sonde-turns.h"

#include <gio/gio.h>

typedef struct
{
  GObject *owner;
  GString *order;
  char name;
  gboolean asks_again;
} Worker;

static void
work (void *data)
{
  Worker *worker = data;

  g_string_append_c (worker->order, worker->name);
  if (worker->asks_again)
    sonde_turns_take (worker->owner, work, worker);
  worker->asks_again = FALSE;
}

static void
test_order (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (GString) order = g_string_new (NULL);
  Worker workers[] = { { owner, order, 'a', TRUE }, { owner, order, 'b' }, { owner, order, 'c' } };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (workers); i++)
    sonde_turns_take (owner, work, &workers[i % G_N_ELEMENTS (workers)]);
  for (gsize i = 0; i < 4; i++)
    {
      g_assert_cmpuint (order->len, ==, i);
      g_assert_true (g_main_context_iteration (NULL, FALSE));
    }
  g_assert_cmpstr (order->str, ==, "abca");
  g_assert_false (g_main_context_iteration (NULL, FALSE));
  g_assert_false (sonde_turns_waits (owner, &workers[0]));
}

static gboolean
draw (void *data)
{
  g_string_append_c (data, '|');
  return G_SOURCE_REMOVE;
}

/* A frame that was asked for by the first comes before the second. */
static void
test_frames (void)
{
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (GString) order = g_string_new (NULL);
  Worker workers[] = { { owner, order, 'a' }, { owner, order, 'b' } };

  sonde_turns_take (owner, work, &workers[0]);
  sonde_turns_take (owner, work, &workers[1]);
  g_main_context_iteration (NULL, FALSE);
  g_idle_add_full (G_PRIORITY_HIGH_IDLE + 20, draw, order, NULL);
  while (g_main_context_iteration (NULL, FALSE))
    continue;
  g_assert_cmpstr (order->str, ==, "a|b");
}

static void
test_giving_up (void)
{
  GObject *owner = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (GString) order = g_string_new (NULL);
  Worker workers[] = { { owner, order, 'a' }, { owner, order, 'b' }, { owner, order, 'c' } };

  sonde_turns_give_up (owner, &workers[0]);
  for (gsize i = 0; i < G_N_ELEMENTS (workers); i++)
    sonde_turns_take (owner, work, &workers[i]);
  sonde_turns_give_up (owner, &workers[0]);
  g_assert_false (sonde_turns_waits (owner, &workers[0]));
  g_assert_true (sonde_turns_waits (owner, &workers[1]));
  g_main_context_iteration (NULL, FALSE);
  g_assert_cmpstr (order->str, ==, "b");
  /* and with the owner goes what still waits */
  g_object_unref (owner);
  g_assert_false (g_main_context_iteration (NULL, FALSE));
  g_assert_cmpstr (order->str, ==, "b");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/widgets/turns/order", test_order);
  g_test_add_func ("/app/widgets/turns/frames", test_frames);
  g_test_add_func ("/app/widgets/turns/giving-up", test_giving_up);
  return g_test_run ();
}
