/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-operator-list.h"

#include <string.h>

/* ---- a row --------------------------------------------------------------- */

struct _SondeOperatorRow
{
  GObject parent_instance;
  SondeOperatorCell cell;
};

G_DEFINE_FINAL_TYPE (SondeOperatorRow, sonde_operator_row, G_TYPE_OBJECT)

static void
sonde_operator_row_class_init (SondeOperatorRowClass *klass)
{
}

static void
sonde_operator_row_init (SondeOperatorRow *row)
{
}

const SondeOperatorCell *
sonde_operator_row_get_cell (SondeOperatorRow *row)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_ROW (row), NULL);
  return &row->cell;
}

/* ---- the list ------------------------------------------------------------ */

/* @cells: SondeOperatorCell, shared with threads and constant; @order: places in it */
struct _SondeOperatorList
{
  GObject parent_instance;
  SondeTraceDocument *document;
  GArray *types; /* (nullable) */
  GArray *cells;
  GArray *order;             /* guint32 */
  struct _Arranging *newest; /* (nullable): lent */
};

enum
{
  REARRANGING,
  ARRANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static GType
get_item_type (GListModel *model)
{
  return SONDE_TYPE_OPERATOR_ROW;
}

static guint
get_n_items (GListModel *model)
{
  return SONDE_OPERATOR_LIST (model)->order->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  SondeOperatorList *list = SONDE_OPERATOR_LIST (model);
  SondeOperatorRow *row;

  if (position >= list->order->len)
    return NULL;
  row = g_object_new (SONDE_TYPE_OPERATOR_ROW, NULL);
  row->cell = *sonde_operator_list_get_cell (list, position);
  return row;
}

static void
init_model (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (SondeOperatorList, sonde_operator_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, init_model))

/* ---- arranging, in any thread -------------------------------------------- */

/* @keys: (nullable): of @cells, where the column is one of texts; @cancelled: atomic */
typedef struct _Arranging
{
  SondeTraceDocument *document;
  GArray *cells, *types;
  const SondeOperatorColumn *column;
  gboolean falling;
  char *filter; /* (nullable): in lower case */
  char **keys;
  int cancelled;
  GArray *order;
} Arranging;

static void
free_arranging (gpointer data)
{
  Arranging *arranging = data;

  for (guint i = 0; arranging->keys != NULL && i < arranging->cells->len; i++)
    g_free (arranging->keys[i]);
  g_free (arranging->keys);
  g_clear_pointer (&arranging->order, g_array_unref);
  g_clear_pointer (&arranging->types, g_array_unref);
  g_array_unref (arranging->cells);
  g_object_unref (arranging->document);
  g_free (arranging->filter);
  g_free (arranging);
}

static gboolean
contains (const char *text, const char *lower)
{
  g_autofree char *folded = text != NULL ? g_utf8_strdown (text, -1) : NULL;

  return folded != NULL && strstr (folded, lower) != NULL;
}

static gboolean
is_left (const SondeProfileOperator *op, const char *filter)
{
  if (filter == NULL || contains (op->op, filter) || contains (op->node, filter))
    return TRUE;
  for (guint i = 0; op->facts != NULL && op->facts->nodes != NULL && op->facts->nodes[i] != NULL;
       i++)
    if (contains (op->facts->nodes[i], filter))
      return TRUE;
  return FALSE;
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Arranging *arranging = data;
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  int order;

  if (g_atomic_int_get (&arranging->cancelled))
    return 0;
  order = arranging->keys != NULL
              ? strcmp (arranging->keys[x], arranging->keys[y])
              : sonde_operator_column_compare (
                  arranging->column, &g_array_index (arranging->cells, SondeOperatorCell, x),
                  &g_array_index (arranging->cells, SondeOperatorCell, y));
  if (arranging->falling)
    order = -order;
  return order != 0 ? order : (x > y) - (x < y);
}

/* What strcmp() compares as g_utf8_collate() would the texts. */
static void
make_keys (Arranging *arranging)
{
  arranging->keys = g_new0 (char *, arranging->cells->len + 1);
  for (guint i = 0; i < arranging->cells->len && !g_atomic_int_get (&arranging->cancelled); i++)
    arranging->keys[i] = g_utf8_collate_key (
        arranging->column->text (&g_array_index (arranging->cells, SondeOperatorCell, i)), -1);
}

static void
arrange (Arranging *arranging)
{
  arranging->order = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < arranging->cells->len; i++)
    if (is_left (g_array_index (arranging->cells, SondeOperatorCell, i).op, arranging->filter))
      g_array_append_val (arranging->order, i);
  if (arranging->column == NULL)
    return;
  if (arranging->column->number == NULL)
    make_keys (arranging);
  g_array_sort_with_data (arranging->order, compare_places, arranging);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  arrange (data);
  g_task_return_boolean (task, TRUE);
}

/* ---- what comes of it ---------------------------------------------------- */

static gboolean
is_same (const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len * sizeof (guint32)) == 0;
}

static void
take (SondeOperatorList *list, Arranging *arranging)
{
  const guint n_old = list->order->len;

  if (!is_same (list->order, arranging->order))
    {
      g_signal_emit (list, signals[REARRANGING], 0);
      g_array_unref (list->order);
      list->order = g_steal_pointer (&arranging->order);
      g_list_model_items_changed (G_LIST_MODEL (list), 0, n_old, list->order->len);
    }
  g_signal_emit (list, signals[ARRANGED], 0);
}

static void
on_arranged (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeOperatorList *list = SONDE_OPERATOR_LIST (source);
  Arranging *arranging = g_task_get_task_data (G_TASK (result));

  if (list->newest == arranging)
    {
      list->newest = NULL;
      take (list, arranging);
    }
  sonde_trace_document_release (arranging->document);
}

void
sonde_operator_list_arrange (SondeOperatorList *list, const SondeOperatorColumn *column,
                             gboolean falling, const char *filter)
{
  g_autoptr (GTask) task = NULL;
  Arranging *arranging;

  g_return_if_fail (SONDE_IS_OPERATOR_LIST (list));
  if (list->newest != NULL)
    g_atomic_int_set (&list->newest->cancelled, 1);
  list->newest = NULL;
  arranging = g_new0 (Arranging, 1);
  arranging->document = g_object_ref (list->document);
  arranging->cells = g_array_ref (list->cells);
  arranging->types = list->types != NULL ? g_array_ref (list->types) : NULL;
  arranging->column = column;
  arranging->falling = falling;
  arranging->filter = filter != NULL && *filter != '\0' ? g_utf8_strdown (filter, -1) : NULL;
  if (list->cells->len <= SONDE_OPERATOR_LIST_SHORT)
    {
      arrange (arranging);
      take (list, arranging);
      free_arranging (arranging);
      return;
    }
  list->newest = arranging;
  task = g_task_new (list, NULL, on_arranged, NULL);
  g_task_set_task_data (task, arranging, free_arranging);
  sonde_trace_document_hold (list->document);
  g_task_run_in_thread (task, work);
}

gboolean
sonde_operator_list_is_busy (SondeOperatorList *list)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_LIST (list), FALSE);
  return list->newest != NULL;
}

/* ---- reading ------------------------------------------------------------- */

guint
sonde_operator_list_get_n (SondeOperatorList *list)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_LIST (list), 0);
  return list->order->len;
}

const SondeOperatorCell *
sonde_operator_list_get_cell (SondeOperatorList *list, guint position)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_LIST (list) && position < list->order->len, NULL);
  return &g_array_index (list->cells, SondeOperatorCell,
                         g_array_index (list->order, guint32, position));
}

guint
sonde_operator_list_find (SondeOperatorList *list, const SondeProfileOperator *op)
{
  g_return_val_if_fail (SONDE_IS_OPERATOR_LIST (list), G_MAXUINT);
  for (guint i = 0; i < list->order->len; i++)
    if (sonde_operator_list_get_cell (list, i)->op == op)
      return i;
  return G_MAXUINT;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_operator_list_finalize (GObject *object)
{
  SondeOperatorList *list = SONDE_OPERATOR_LIST (object);

  g_clear_pointer (&list->types, g_array_unref);
  g_array_unref (list->cells);
  g_array_unref (list->order);
  g_clear_object (&list->document);
  G_OBJECT_CLASS (sonde_operator_list_parent_class)->finalize (object);
}

static void
sonde_operator_list_class_init (SondeOperatorListClass *klass)
{
  static const char *const names[N_SIGNALS] = { "rearranging", "arranged" };

  G_OBJECT_CLASS (klass)->finalize = sonde_operator_list_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_operator_list_init (SondeOperatorList *list)
{
  list->cells = g_array_new (FALSE, FALSE, sizeof (SondeOperatorCell));
  list->order = g_array_new (FALSE, FALSE, sizeof (guint32));
}

SondeOperatorList *
sonde_operator_list_new (SondeTraceDocument *document, const GArray *types)
{
  SondeOperatorList *list = g_object_new (SONDE_TYPE_OPERATOR_LIST, NULL);
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const guint n = types != NULL ? types->len : profile->operators->len;

  list->document = g_object_ref (document);
  list->types = types != NULL ? g_array_ref ((GArray *) types) : NULL;
  for (guint32 i = 0; i < n; i++)
    {
      SondeOperatorCell cell = { NULL, 1 };

      if (types != NULL)
        {
          const SondeOperatorType *type = &g_array_index (types, SondeOperatorType, i);

          cell = (SondeOperatorCell){ &type->sum, type->n_operators };
        }
      else
        cell.op = sonde_profile_get_operator (profile, i);
      g_array_append_val (list->cells, cell);
      g_array_append_val (list->order, i);
    }
  return list;
}
