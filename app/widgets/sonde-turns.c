/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-turns.h"

#define KEY "sonde-turns"
#define PRIORITY (G_PRIORITY_HIGH_IDLE + 30) /* frames have + 20 */

typedef struct
{
  SondeTurnFunc func;
  void *data;
} Turn;

typedef struct
{
  GQueue turns; /* element-type Turn */
  guint source;
} Turns;

static void
turns_free (void *data)
{
  Turns *turns = data;

  g_clear_handle_id (&turns->source, g_source_remove);
  g_queue_clear_full (&turns->turns, g_free);
  g_free (turns);
}

static GList *
find_turn (GObject *owner, void *data)
{
  Turns *turns = g_object_get_data (owner, KEY);
  GList *link = turns != NULL ? turns->turns.head : NULL;

  while (link != NULL && ((Turn *) link->data)->data != data)
    link = link->next;
  return link;
}

static gboolean
on_turn (void *data)
{
  GObject *owner = data;
  Turns *turns = g_object_get_data (owner, KEY);
  g_autofree Turn *turn = g_queue_pop_head (&turns->turns);

  turn->func (turn->data);
  if (!g_queue_is_empty (&turns->turns))
    return G_SOURCE_CONTINUE;
  turns->source = 0;
  return G_SOURCE_REMOVE;
}

void
sonde_turns_take (GObject *owner, SondeTurnFunc func, void *data)
{
  Turns *turns = g_object_get_data (owner, KEY);
  Turn *turn;

  if (find_turn (owner, data) != NULL)
    return;
  if (turns == NULL)
    {
      turns = g_new0 (Turns, 1);
      g_object_set_data_full (owner, KEY, turns, turns_free);
    }
  turn = g_new (Turn, 1);
  *turn = (Turn){ func, data };
  g_queue_push_tail (&turns->turns, turn);
  if (turns->source == 0)
    turns->source = g_idle_add_full (PRIORITY, on_turn, owner, NULL);
}

gboolean
sonde_turns_waits (GObject *owner, void *data)
{
  return find_turn (owner, data) != NULL;
}

void
sonde_turns_give_up (GObject *owner, void *data)
{
  GList *link = find_turn (owner, data);
  Turns *turns = g_object_get_data (owner, KEY);

  if (link == NULL)
    return;
  g_free (link->data);
  g_queue_delete_link (&turns->turns, link);
  if (g_queue_is_empty (&turns->turns))
    g_clear_handle_id (&turns->source, g_source_remove);
}
