/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-timeline-menu.h"

#include "data/base/sonde-text.h"

/* Of a view: the track that its menu was opened on. */
#define TRACK "sonde-timeline-menu-track"

static const struct
{
  const char *name, *title;
} sorts[] = {
  [SONDE_TIMELINE_BY_FILE] = { "file", N_ ("As in the File") },
  [SONDE_TIMELINE_BY_BUSY] = { "busy", N_ ("Busiest First") },
  [SONDE_TIMELINE_BY_NAME] = { "name", N_ ("By Name") },
};

static guint32
get_track (SondeTimelineView *view)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (view), TRACK));
}

static void
set_enabled (GActionMap *actions, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (actions, name)),
                               enabled);
}

/* What can be done with the track below the pointer, or that of the selected span. */
static void
on_menu (SondeTimelineView *view, gint64 id, GActionMap *actions)
{
  const SondeTimelinePlaces *places = sonde_timeline_view_get_places (view);
  const guint32 track = sonde_timeline_view_find_track (view, id);
  const gboolean known = track != SONDE_TIMELINE_NONE && track < places->n_tracks;
  GAction *pin = g_action_map_lookup_action (actions, "pin");

  g_object_set_data (G_OBJECT (view), TRACK, GUINT_TO_POINTER (track));
  set_enabled (actions, "hide", known);
  set_enabled (actions, "show-all", sonde_timeline_places_count_hidden (places) > 0);
  set_enabled (actions, "pin",
               known
                   && g_array_index (places->index->tracks, SondeTimelineTrack, track).kind
                          != SONDE_TRACK_PROCESS);
  g_simple_action_set_state (G_SIMPLE_ACTION (pin),
                             g_variant_new_boolean (known && places->pinned[track] != 0));
}

static void
on_pin (GSimpleAction *action, GVariant *state, gpointer view)
{
  sonde_timeline_view_pin (view, get_track (view), g_variant_get_boolean (state));
  g_simple_action_set_state (action, state);
}

static void
on_hide (GSimpleAction *action, GVariant *parameter, gpointer view)
{
  sonde_timeline_view_hide (view, get_track (view));
}

static void
on_show_all (GSimpleAction *action, GVariant *parameter, gpointer view)
{
  sonde_timeline_view_show_all (view);
}

static void
on_sort (GSimpleAction *action, GVariant *state, gpointer view)
{
  for (guint i = 0; i < G_N_ELEMENTS (sorts); i++)
    if (g_str_equal (sorts[i].name, g_variant_get_string (state, NULL)))
      {
        sonde_timeline_view_sort (view, i);
        g_simple_action_set_state (action, state);
      }
}

static GMenuModel *
make_menu (void)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) order = g_menu_new ();

  g_menu_append (menu, _ ("Pin Track at the Top"), "tracks.pin");
  g_menu_append (menu, _ ("Hide Track"), "tracks.hide");
  g_menu_append (menu, _ ("Show All Tracks"), "tracks.show-all");
  for (guint i = 0; i < G_N_ELEMENTS (sorts); i++)
    {
      g_autofree char *action = g_strdup_printf ("tracks.sort::%s", sorts[i].name);

      g_menu_append (order, _ (sorts[i].title), action);
    }
  g_menu_append_submenu (menu, _ ("Order of Tracks"), G_MENU_MODEL (order));
  return G_MENU_MODEL (menu);
}

void
sonde_timeline_menu_add (SondeTimelineView *view)
{
  static const GActionEntry entries[] = {
    { .name = "pin", .state = "false", .change_state = on_pin },
    { .name = "hide", .activate = on_hide },
    { .name = "show-all", .activate = on_show_all },
    { .name = "sort", .parameter_type = "s", .state = "'file'", .change_state = on_sort },
  };
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();
  g_autoptr (GMenuModel) menu = make_menu ();

  g_object_set_data (G_OBJECT (view), TRACK, GUINT_TO_POINTER (SONDE_TIMELINE_NONE));
  g_action_map_add_action_entries (G_ACTION_MAP (actions), entries, G_N_ELEMENTS (entries), view);
  gtk_widget_insert_action_group (GTK_WIDGET (view), "tracks", G_ACTION_GROUP (actions));
  sonde_view_set_menu (SONDE_VIEW (view), menu);
  g_signal_connect_object (view, "menu", G_CALLBACK (on_menu), actions, 0);
}
