/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-card-row.h"

struct _SondeCardRow
{
  GObject parent_instance;
  char *section;
  char **tags;
  guint n_cards, n_columns;
  gboolean closed;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeCardRow, sonde_card_row, G_TYPE_OBJECT)

static void
sonde_card_row_finalize (GObject *object)
{
  SondeCardRow *row = SONDE_CARD_ROW (object);

  g_free (row->section);
  g_strfreev (row->tags);
  G_OBJECT_CLASS (sonde_card_row_parent_class)->finalize (object);
}

static void
sonde_card_row_class_init (SondeCardRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_card_row_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_card_row_init (SondeCardRow *row)
{
}

SondeCardRow *
sonde_card_row_new_heading (const char *section, guint n_cards, gboolean closed)
{
  SondeCardRow *row = g_object_new (SONDE_TYPE_CARD_ROW, NULL);

  row->section = g_strdup (section);
  row->n_cards = n_cards;
  row->closed = closed;
  return row;
}

SondeCardRow *
sonde_card_row_new (const char *const *tags, guint n_tags, guint n_columns)
{
  SondeCardRow *row = g_object_new (SONDE_TYPE_CARD_ROW, NULL);

  row->tags = g_new0 (char *, n_tags + 1);
  for (guint i = 0; i < n_tags; i++)
    row->tags[i] = g_strdup (tags[i]);
  row->n_cards = n_tags;
  row->n_columns = n_columns;
  return row;
}

const char *
sonde_card_row_get_section (SondeCardRow *row)
{
  return row->section;
}

guint
sonde_card_row_get_n_cards (SondeCardRow *row)
{
  return row->n_cards;
}

gboolean
sonde_card_row_is_closed (SondeCardRow *row)
{
  return row->closed;
}

guint
sonde_card_row_get_n_columns (SondeCardRow *row)
{
  return row->n_columns;
}

const char *
sonde_card_row_get_tag (SondeCardRow *row, guint i)
{
  return row->section == NULL && i < row->n_cards ? row->tags[i] : NULL;
}

char *
sonde_card_row_dup_name (SondeCardRow *row)
{
  g_return_val_if_fail (SONDE_IS_CARD_ROW (row), NULL);
  return row->section != NULL ? g_strdup (row->section) : g_strjoinv (", ", row->tags);
}

static gboolean
is_same_row (const SondeCardRow *a, const SondeCardRow *b)
{
  return a->section == NULL && b->section == NULL && a->n_columns == b->n_columns
         && g_strv_equal ((const char *const *) a->tags, (const char *const *) b->tags);
}

/* A heading is the same whatever its state: the focus stays on it. */
static gboolean
take_state (SondeCardRow *old, const SondeCardRow *row)
{
  if (old->section == NULL || g_strcmp0 (old->section, row->section) != 0)
    return FALSE;
  if (old->n_cards != row->n_cards || old->closed != row->closed)
    {
      old->n_cards = row->n_cards;
      old->closed = row->closed;
      g_signal_emit (old, signals[CHANGED], 0);
    }
  return TRUE;
}

static gboolean
stays (GListStore *store, guint i, SondeCardRow *row)
{
  g_autoptr (SondeCardRow) old = g_list_model_get_item (G_LIST_MODEL (store), i);

  return is_same_row (old, row) || take_state (old, row);
}

void
sonde_card_row_update_store (GListStore *store, GPtrArray *rows)
{
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (store)), head = 0, tail = 0;

  while (head < n_old && head < rows->len && stays (store, head, rows->pdata[head]))
    head++;
  while (tail < n_old - head && tail < rows->len - head
         && stays (store, n_old - 1 - tail, rows->pdata[rows->len - 1 - tail]))
    tail++;
  if (head + tail < n_old || head + tail < rows->len)
    g_list_store_splice (store, head, n_old - head - tail, rows->pdata + head,
                         rows->len - head - tail);
}
