/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tag-list.h"

/* Replaces only what lies between the common beginning and the common end. */
void
sonde_tag_list_set (GtkStringList *list, GPtrArray *tags)
{
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (list)), head = 0, tail = 0;

  while (head < n_old && head < tags->len
         && g_str_equal (gtk_string_list_get_string (list, head), tags->pdata[head]))
    head++;
  while (tail < n_old - head && tail < tags->len - head
         && g_str_equal (gtk_string_list_get_string (list, n_old - 1 - tail),
                         tags->pdata[tags->len - 1 - tail]))
    tail++;
  if (head + tail < n_old || head + tail < tags->len)
    {
      guint n_new = tags->len - head - tail;
      g_autofree const char **additions = g_new0 (const char *, n_new + 1);

      for (guint i = 0; i < n_new; i++)
        additions[i] = tags->pdata[head + i];
      gtk_string_list_splice (list, head, n_old - head - tail, additions);
    }
}

guint
sonde_tag_list_update (GtkStringList *list, GListModel *runs, SondeRecordKind kind,
                       const char *filter, SondeTagOrderFunc order)
{
  g_autoptr (GPtrArray) all = sonde_tag_names_collect (runs, kind);
  g_autoptr (GPtrArray) tags = g_ptr_array_new ();

  for (guint i = 0; i < all->len; i++)
    if (sonde_tag_matches (all->pdata[i], filter))
      g_ptr_array_add (tags, all->pdata[i]);
  if (order != NULL)
    order (tags);
  sonde_tag_list_set (list, tags);
  return all->len;
}
