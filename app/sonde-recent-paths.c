/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-recent-paths.h"

#define MAX_RECENT 10
#define APPLICATION "sonde"

void
sonde_recent_paths_add (const char *const *paths)
{
  const GtkRecentData data = { .mime_type = (char *) "application/octet-stream",
                               .app_name = (char *) APPLICATION,
                               .app_exec = (char *) APPLICATION " %f" };

  for (gsize i = 0; paths[i] != NULL; i++)
    {
      g_autoptr (GFile) file = g_file_new_for_path (paths[i]);
      g_autofree char *uri = g_file_get_uri (file);

      if (g_file_query_exists (file, NULL))
        gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
    }
}

static int
compare_visits (gconstpointer a, gconstpointer b)
{
  GtkRecentInfo *one = *(GtkRecentInfo *const *) a, *other = *(GtkRecentInfo *const *) b;

  return g_date_time_compare (gtk_recent_info_get_modified (other),
                              gtk_recent_info_get_modified (one));
}

/* (element-type GtkRecentInfo) (transfer full): ours, latest first */
static GPtrArray *
list_recent (void)
{
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  GPtrArray *ours = g_ptr_array_new_with_free_func ((GDestroyNotify) gtk_recent_info_unref);

  for (GList *item = items; item != NULL; item = item->next)
    if (gtk_recent_info_has_application (item->data, APPLICATION)
        && gtk_recent_info_exists (item->data))
      g_ptr_array_add (ours, item->data);
    else
      gtk_recent_info_unref (item->data);
  g_list_free (items);
  g_ptr_array_sort (ours, compare_visits);
  if (ours->len > MAX_RECENT)
    g_ptr_array_set_size (ours, MAX_RECENT);
  return ours;
}

/* A menu takes an underscore for the mark of a key. */
static char *
make_label (const char *path)
{
  g_autofree char *shown = g_filename_display_name (path);
  g_auto (GStrv) parts = g_strsplit (shown, "_", -1);

  return g_strjoinv ("__", parts);
}

void
sonde_recent_paths_fill_menu (GMenu *menu, const char *action)
{
  g_autoptr (GPtrArray) recent = list_recent ();

  g_menu_remove_all (menu);
  for (guint i = 0; i < recent->len; i++)
    {
      GtkRecentInfo *info = recent->pdata[i];
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (info), NULL, NULL);
      g_autofree char *label = path != NULL ? make_label (path) : NULL;
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      if (path == NULL)
        continue;
      g_menu_item_set_action_and_target_value (
          item, action, g_variant_new_bytestring_array ((const char *const[]){ path }, 1));
      g_menu_append_item (menu, item);
    }
}
