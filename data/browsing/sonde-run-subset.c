/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-run-subset.h"

struct _SondeRunSubset
{
  GListModel *runs;
  SondeRunFunc matches;
  void *user_data;
  GListStore *model;
  GByteArray *flags; /* a byte for each of @runs: it is in @model */
  gulong handler;
};

static guint
count_flags (SondeRunSubset *subset, guint start, guint n)
{
  guint count = 0;

  for (guint i = start; i < start + n; i++)
    count += subset->flags->data[i];
  return count;
}

/* Replaces the flags of @removed runs from @position on by those of @added ones, and their items
 * with them. */
static void
splice (SondeRunSubset *subset, guint position, guint removed, guint added)
{
  guint at = count_flags (subset, 0, position), n_gone = count_flags (subset, position, removed);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GByteArray) flags = g_byte_array_new ();

  g_byte_array_append (flags, subset->flags->data, position);
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (subset->runs, i);
      guint8 flag = subset->matches (run, subset->user_data) ? 1 : 0;

      g_byte_array_append (flags, &flag, 1);
      if (flag)
        g_ptr_array_add (items, g_steal_pointer (&run));
    }
  g_byte_array_append (flags, subset->flags->data + position + removed,
                       subset->flags->len - position - removed);
  g_byte_array_unref (subset->flags);
  subset->flags = g_steal_pointer (&flags);
  if (n_gone > 0 || items->len > 0)
    g_list_store_splice (subset->model, at, n_gone, items->pdata, items->len);
}

static void
on_items_changed (GListModel *runs, guint position, guint removed, guint added,
                  SondeRunSubset *subset)
{
  splice (subset, position, removed, added);
}

void
sonde_run_subset_update (SondeRunSubset *subset)
{
  guint first = G_MAXUINT, last = 0;

  for (guint i = 0; i < subset->flags->len; i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (subset->runs, i);

      if (!subset->matches (run, subset->user_data) == !subset->flags->data[i])
        continue;
      first = MIN (first, i);
      last = i;
    }
  if (first <= last)
    splice (subset, first, last + 1 - first, last + 1 - first);
}

GListModel *
sonde_run_subset_get_model (SondeRunSubset *subset)
{
  return G_LIST_MODEL (subset->model);
}

SondeRunSubset *
sonde_run_subset_new (GListModel *runs, SondeRunFunc matches, void *user_data)
{
  SondeRunSubset *subset = g_new0 (SondeRunSubset, 1);

  subset->runs = g_object_ref (runs);
  subset->matches = matches;
  subset->user_data = user_data;
  subset->model = g_list_store_new (SONDE_TYPE_RUN);
  subset->flags = g_byte_array_new ();
  subset->handler = g_signal_connect (runs, "items-changed", G_CALLBACK (on_items_changed), subset);
  splice (subset, 0, 0, g_list_model_get_n_items (runs));
  return subset;
}

void
sonde_run_subset_free (SondeRunSubset *subset)
{
  if (subset == NULL)
    return;
  g_signal_handler_disconnect (subset->runs, subset->handler);
  g_object_unref (subset->runs);
  g_object_unref (subset->model);
  g_byte_array_unref (subset->flags);
  g_free (subset);
}
