/* SPDX-License-Identifier: Apache-2.0
 * Undo keeps whole texts: a layout is small, and a text is what is known to be read back. */
#include "data/charts/sonde-chart-board.h"

#define MAX_UNDO 200            /* as many as the history of the window */
#define GLIDE_US G_USEC_PER_SEC /* changes of a number that follow each other sooner are one step */

struct _SondeChartBoard
{
  GObject parent_instance;
  SondeChartSetup *common;
  GHashTable *own;                    /* char * -> SondeChartSetup */
  GPtrArray *pinned, *added, *closed; /* char * */
  SondeChartSize size;
  GPtrArray *undo, *redo; /* texts, the next one last */
  gboolean is_gliding;    /* the last change belongs to the step before */
  gint64
      glide_end_us; /* a change of the same number until then belongs to the last step; 0: none does */
  SondeChartField glide_field;
  char *glide_card;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeChartBoard, sonde_chart_board, G_TYPE_OBJECT)

/* ---- text ---------------------------------------------------------------- */

static void
add_list (GVariantBuilder *builder, const char *name, GPtrArray *list)
{
  if (list->len > 0)
    g_variant_builder_add (builder, "{sv}", name,
                           g_variant_new_strv ((const char *const *) list->pdata, list->len));
}

static int
compare_texts (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static GVariant *
own_to_variant (SondeChartBoard *board)
{
  guint n;
  g_autofree char **cards = (char **) g_hash_table_get_keys_as_array (board->own, &n);
  GVariantBuilder builder;

  qsort (cards, n, sizeof *cards, compare_texts);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sv}"));
  for (guint i = 0; i < n; i++)
    g_variant_builder_add (
        &builder, "{sv}", cards[i],
        sonde_chart_setup_to_variant (g_hash_table_lookup (board->own, cards[i])));
  return g_variant_builder_end (&builder);
}

char *
sonde_chart_board_dup_text (SondeChartBoard *board)
{
  g_autoptr (GVariant) whole = NULL;
  GVariantBuilder builder;

  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), NULL);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "common", sonde_chart_setup_to_variant (board->common));
  g_variant_builder_add (&builder, "{sv}", "cards", own_to_variant (board));
  add_list (&builder, "pinned", board->pinned);
  add_list (&builder, "added", board->added);
  add_list (&builder, "closed", board->closed);
  g_variant_builder_add (&builder, "{sv}", "size", g_variant_new_int32 (board->size));
  whole = g_variant_ref_sink (g_variant_builder_end (&builder));
  return g_variant_print (whole, FALSE);
}

static void
read_list (GVariant *whole, const char *name, GPtrArray *list)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (whole, name, G_VARIANT_TYPE_STRING_ARRAY);
  g_autofree const char **texts = value != NULL ? g_variant_get_strv (value, NULL) : NULL;

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    g_ptr_array_add (list, g_strdup (texts[i]));
}

static void
read_own (SondeChartBoard *board, GVariant *cards)
{
  GVariantIter iter;
  const char *card;
  GVariant *value;

  g_variant_iter_init (&iter, cards);
  while (g_variant_iter_next (&iter, "{&sv}", &card, &value))
    {
      if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT))
        g_hash_table_replace (board->own, g_strdup (card), sonde_chart_setup_from_variant (value));
      g_variant_unref (value);
    }
}

static void
clear (SondeChartBoard *board)
{
  sonde_chart_setup_free (board->common);
  board->common = sonde_chart_setup_new ();
  g_hash_table_remove_all (board->own);
  g_ptr_array_set_size (board->pinned, 0);
  g_ptr_array_set_size (board->added, 0);
  g_ptr_array_set_size (board->closed, 0);
  board->size = SONDE_CHART_SIZE_MEDIUM;
}

static void
read_text (SondeChartBoard *board, const char *text)
{
  g_autoptr (GVariant) whole
      = text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL) : NULL;
  g_autoptr (GVariant) common = NULL, cards = NULL;
  int size;

  clear (board);
  if (whole == NULL)
    return;
  common = g_variant_lookup_value (whole, "common", G_VARIANT_TYPE_VARDICT);
  cards = g_variant_lookup_value (whole, "cards", G_VARIANT_TYPE_VARDICT);
  if (common != NULL)
    {
      sonde_chart_setup_free (board->common);
      board->common = sonde_chart_setup_from_variant (common);
    }
  if (cards != NULL)
    read_own (board, cards);
  read_list (whole, "pinned", board->pinned);
  read_list (whole, "added", board->added);
  read_list (whole, "closed", board->closed);
  if (g_variant_lookup (whole, "size", "i", &size))
    board->size = (SondeChartSize) CLAMP (size, 0, SONDE_CHART_N_SIZES - 1);
}

/* ---- changes ------------------------------------------------------------- */

static void
push (GPtrArray *stack, char *text)
{
  if (stack->len == MAX_UNDO)
    g_ptr_array_remove_index (stack, 0);
  g_ptr_array_add (stack, text);
}

/* Before every change. */
static void
remember (SondeChartBoard *board)
{
  push (board->undo, sonde_chart_board_dup_text (board));
  g_ptr_array_set_size (board->redo, 0);
  board->is_gliding = FALSE;
  board->glide_end_us = 0;
}

/* Instead of remember(), before @old becomes @changed. @card: (nullable): of all */
static void
remember_glide (SondeChartBoard *board, const char *card, const SondeChartSetup *old,
                const SondeChartSetup *changed)
{
  gint64 now = g_get_monotonic_time ();
  SondeChartField field;
  gboolean is_number = sonde_chart_setup_find_number (old, changed, &field);

  if (is_number && now < board->glide_end_us && field == board->glide_field
      && g_strcmp0 (card, board->glide_card) == 0)
    board->is_gliding = TRUE;
  else
    remember (board);
  if (!is_number)
    return;
  board->glide_end_us = now + GLIDE_US;
  board->glide_field = field;
  if (g_strcmp0 (card, board->glide_card) != 0)
    {
      g_free (board->glide_card);
      board->glide_card = g_strdup (card);
    }
}

static void
tell (SondeChartBoard *board, const char *card)
{
  g_signal_emit (board, signals[CHANGED], 0, card);
}

static gboolean
go (SondeChartBoard *board, GPtrArray *from, GPtrArray *to)
{
  g_autofree char *text = NULL;

  if (from->len == 0)
    return FALSE;
  text = g_ptr_array_steal_index (from, from->len - 1);
  push (to, sonde_chart_board_dup_text (board));
  board->is_gliding = FALSE;
  board->glide_end_us = 0;
  read_text (board, text);
  tell (board, NULL);
  return TRUE;
}

gboolean
sonde_chart_board_undo (SondeChartBoard *board)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), FALSE);
  return go (board, board->undo, board->redo);
}

gboolean
sonde_chart_board_redo (SondeChartBoard *board)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), FALSE);
  return go (board, board->redo, board->undo);
}

gboolean
sonde_chart_board_is_gliding (SondeChartBoard *board)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), FALSE);
  return board->is_gliding;
}

gboolean
sonde_chart_board_can_undo (SondeChartBoard *board)
{
  return board->undo->len > 0;
}

gboolean
sonde_chart_board_can_redo (SondeChartBoard *board)
{
  return board->redo->len > 0;
}

const SondeChartSetup *
sonde_chart_board_get_common (SondeChartBoard *board)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), NULL);
  return board->common;
}

const SondeChartSetup *
sonde_chart_board_get_own (SondeChartBoard *board, const char *card)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board), NULL);
  return g_hash_table_lookup (board->own, card);
}

SondeChartSetup *
sonde_chart_board_dup_setup (SondeChartBoard *board, const char *card)
{
  return sonde_chart_setup_join (sonde_chart_board_get_own (board, card), board->common);
}

void
sonde_chart_board_set_common (SondeChartBoard *board, const SondeChartSetup *setup)
{
  SondeChartSetup *copy;

  g_return_if_fail (SONDE_IS_CHART_BOARD (board) && setup != NULL);
  if (sonde_chart_setup_equal (board->common, setup))
    return;
  remember_glide (board, NULL, board->common, setup);
  copy = sonde_chart_setup_copy (setup);
  sonde_chart_setup_free (board->common);
  board->common = copy;
  tell (board, NULL);
}

void
sonde_chart_board_set_own (SondeChartBoard *board, const char *card, const SondeChartSetup *setup)
{
  const SondeChartSetup *old = sonde_chart_board_get_own (board, card);
  g_autofree char *name = g_strdup (card);

  if (setup != NULL && setup->said == 0)
    setup = NULL;
  if (old == setup || (old != NULL && setup != NULL && sonde_chart_setup_equal (old, setup)))
    return;
  if (old != NULL && setup != NULL)
    remember_glide (board, card, old, setup);
  else
    remember (board);
  if (setup != NULL)
    g_hash_table_replace (board->own, g_strdup (name), sonde_chart_setup_copy (setup));
  else
    g_hash_table_remove (board->own, name);
  tell (board, name);
}

/* ---- lists --------------------------------------------------------------- */

static gboolean
find (GPtrArray *list, const char *text, guint *index)
{
  return g_ptr_array_find_with_equal_func (list, text, g_str_equal, index);
}

/* FALSE when nothing changed. */
static gboolean
put (SondeChartBoard *board, GPtrArray *list, const char *text, gboolean there)
{
  g_autofree char *copy = g_strdup (text);
  guint index;

  if (find (list, copy, &index) == there)
    return FALSE;
  remember (board);
  if (there)
    g_ptr_array_add (list, g_steal_pointer (&copy));
  else
    g_ptr_array_remove_index (list, index);
  tell (board, NULL);
  return TRUE;
}

gboolean
sonde_chart_board_is_pinned (SondeChartBoard *board, const char *card)
{
  return find (board->pinned, card, NULL);
}

void
sonde_chart_board_set_pinned (SondeChartBoard *board, const char *card, gboolean pinned)
{
  g_return_if_fail (SONDE_IS_CHART_BOARD (board) && card != NULL);
  put (board, board->pinned, card, pinned);
}

GPtrArray *
sonde_chart_board_get_pinned (SondeChartBoard *board)
{
  return board->pinned;
}

GPtrArray *
sonde_chart_board_get_added (SondeChartBoard *board)
{
  return board->added;
}

gboolean
sonde_chart_board_add_card (SondeChartBoard *board, const char *card)
{
  g_return_val_if_fail (SONDE_IS_CHART_BOARD (board) && card != NULL, FALSE);
  return put (board, board->added, card, TRUE);
}

void
sonde_chart_board_remove_card (SondeChartBoard *board, const char *card)
{
  g_return_if_fail (SONDE_IS_CHART_BOARD (board) && card != NULL);
  put (board, board->added, card, FALSE);
}

gboolean
sonde_chart_board_is_closed (SondeChartBoard *board, const char *section)
{
  return find (board->closed, section, NULL);
}

void
sonde_chart_board_set_closed (SondeChartBoard *board, const char *section, gboolean closed)
{
  g_return_if_fail (SONDE_IS_CHART_BOARD (board) && section != NULL);
  put (board, board->closed, section, closed);
}

SondeChartSize
sonde_chart_board_get_size (SondeChartBoard *board)
{
  return board->size;
}

void
sonde_chart_board_set_size (SondeChartBoard *board, SondeChartSize size)
{
  g_return_if_fail (SONDE_IS_CHART_BOARD (board) && size < SONDE_CHART_N_SIZES);
  if (board->size == size)
    return;
  remember (board);
  board->size = size;
  tell (board, NULL);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_chart_board_finalize (GObject *object)
{
  SondeChartBoard *board = SONDE_CHART_BOARD (object);

  sonde_chart_setup_free (board->common);
  g_hash_table_unref (board->own);
  g_ptr_array_unref (board->pinned);
  g_ptr_array_unref (board->added);
  g_ptr_array_unref (board->closed);
  g_free (board->glide_card);
  g_ptr_array_unref (board->undo);
  g_ptr_array_unref (board->redo);
  G_OBJECT_CLASS (sonde_chart_board_parent_class)->finalize (object);
}

static void
sonde_chart_board_class_init (SondeChartBoardClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_chart_board_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_chart_board_init (SondeChartBoard *board)
{
  board->own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                      (GDestroyNotify) sonde_chart_setup_free);
  board->pinned = g_ptr_array_new_with_free_func (g_free);
  board->added = g_ptr_array_new_with_free_func (g_free);
  board->closed = g_ptr_array_new_with_free_func (g_free);
  board->undo = g_ptr_array_new_with_free_func (g_free);
  board->redo = g_ptr_array_new_with_free_func (g_free);
}

SondeChartBoard *
sonde_chart_board_new (const char *text)
{
  SondeChartBoard *board = g_object_new (SONDE_TYPE_CHART_BOARD, NULL);

  read_text (board, text);
  return board;
}
