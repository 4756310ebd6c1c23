/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-record-card.h"

#include "app/pages/media/sonde-mesh-list.h"
#include "app/pages/media/sonde-sound-list.h"
#include "app/pages/media/sonde-text-diff-list.h"
#include "app/pages/media/sonde-text-list.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-step-loader.h"

#define MIN_MESH_SIZE 160 /* px, however low the card is */

struct _SondeRecordCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondeRecordKind kind;
  SondeStepLoader *loader;
  GtkWidget *scrolled, *list; /* a GtkBox, SondeSoundList or SondeMeshList, as the kind is */
  guint n_records;
  char *problem; /* (nullable) */

  /* of texts alone */
  SondeCompareBar *compare;
  SondeStepLoader *other_loader; /* of what is compared with */
  SondeTextDiffList *diff;
  GtkStack *stack;         /* of the list and the differences */
  char *text, *other_text; /* (nullable) */
  GRegex *pattern;         /* (nullable): that is marked */

  /* what is to be scrolled to */
  const char *sought_tag; /* (nullable), interned */
  gint64 sought_step;
  guint sought_nth;
  guint reveal_tick, n_ticks;
};

G_DEFINE_FINAL_TYPE (SondeRecordCard, sonde_record_card, SONDE_TYPE_TAG_CARD)

static void
tell (SondeRecordCard *card)
{
  g_signal_emit_by_name (card, "state-changed");
}

/* ---- comparing texts ----------------------------------------------------- */

/* All texts of a step, one after the other; NULL: there is none. */
static char *
join_texts (GPtrArray *records)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < records->len; i++)
    {
      const char *part = sonde_text_list_get_text (records->pdata[i]);

      g_string_append (text, part);
      if (i + 1 < records->len && !g_str_has_suffix (part, "\n"))
        g_string_append_c (text, '\n');
    }
  return g_string_free (text, records->len == 0);
}

/* FALSE: with nothing. */
static gboolean
find_other (SondeRecordCard *card, SondeRun **other, gint64 *step)
{
  SondeRun *run = sonde_workspace_get_run (card->workspace);

  return card->kind == SONDE_RECORD_TEXT && run != NULL
         && sonde_compare_bar_find (card->compare, run, sonde_step_loader_get_step (card->loader),
                                    other, step);
}

static void
show_difference (SondeRecordCard *card)
{
  SondeRun *other;
  gint64 wanted, step = sonde_step_loader_get_step (card->loader);
  g_autofree char *first = NULL, *second = NULL;

  if (!find_other (card, &other, &wanted))
    return;
  first = sonde_compare_bar_dup_name (
      card->workspace, other,
      card->other_text != NULL ? sonde_step_loader_get_step (card->other_loader) : wanted, wanted);
  second = sonde_compare_bar_dup_name (card->workspace, sonde_workspace_get_run (card->workspace),
                                       step, step);
  sonde_text_diff_list_set_beside (card->diff, sonde_compare_bar_get_mode (card->compare) == 1);
  sonde_text_diff_list_set_texts (card->diff, card->other_text, card->text, first, second);
}

static void
on_other_records (GPtrArray *records, const char *problem, void *user_data)
{
  SondeRecordCard *card = user_data;

  g_free (card->other_text);
  card->other_text = join_texts (records);
  show_difference (card);
  if (sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) != NULL)
    tell (card);
}

/* What is compared with, where there is something. */
static void
update_other (SondeRecordCard *card)
{
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));
  SondeRun *other = NULL;
  gint64 step = 0;
  gboolean compares = find_other (card, &other, &step);

  gtk_stack_set_visible_child (card->stack, compares ? GTK_WIDGET (card->diff) : card->scrolled);
  sonde_step_loader_update (card->other_loader, other, compares ? g_intern_string (tag) : NULL,
                            card->kind, step);
}

static void
on_compare_changed (SondeRecordCard *card)
{
  if (sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) == NULL)
    return;
  update_other (card);
  show_difference (card);
  tell (card);
}

static void
take_texts (SondeRecordCard *card, GPtrArray *records)
{
  sonde_text_list_fill (GTK_BOX (card->list), records);
  sonde_text_list_mark (GTK_BOX (card->list), card->pattern);
  g_free (card->text);
  card->text = join_texts (records);
  update_other (card);
  show_difference (card);
}

/* ---- the place that was found -------------------------------------------- */

#define LAID_OUT 2 /* frames until what was put in has its place */
#define AROUND 48  /* px that are seen above and below it */

static gboolean
on_reveal (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (widget);
  GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW (card->scrolled);
  graphene_rect_t area;

  if (++card->n_ticks < LAID_OUT)
    return G_SOURCE_CONTINUE;
  card->reveal_tick = 0;
  card->sought_tag = NULL;
  if (card->pattern != NULL
      && sonde_text_list_find (GTK_BOX (card->list), card->pattern, card->sought_nth, &area))
    gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (scrolled),
                               area.origin.y - AROUND, area.origin.y + area.size.height + AROUND);
  tell (card);
  return G_SOURCE_REMOVE;
}

/* When the text that is shown is the one that has the place. */
static void
try_reveal (SondeRecordCard *card)
{
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));

  if (card->sought_tag == NULL || tag == NULL || card->sought_tag != g_intern_string (tag)
      || card->sought_step != sonde_step_loader_get_step (card->loader) || card->n_records == 0
      || sonde_step_loader_is_busy (card->loader))
    return;
  card->n_ticks = 0;
  if (card->reveal_tick == 0)
    card->reveal_tick = gtk_widget_add_tick_callback (GTK_WIDGET (card), on_reveal, NULL, NULL);
}

void
sonde_record_card_reveal (SondeRecordCard *card, const char *tag, gint64 step, guint nth)
{
  g_return_if_fail (SONDE_IS_RECORD_CARD (card));
  card->sought_tag = g_intern_string (tag);
  card->sought_step = step;
  card->sought_nth = nth;
  try_reveal (card);
}

/* ---- records ------------------------------------------------------------- */

static void
on_records (GPtrArray *records, const char *problem, void *user_data)
{
  SondeRecordCard *card = user_data;

  card->n_records = records->len;
  g_free (card->problem);
  card->problem = g_strdup (problem);
  if (card->kind == SONDE_RECORD_AUDIO)
    sonde_sound_list_take (SONDE_SOUND_LIST (card->list), records);
  else if (card->kind == SONDE_RECORD_MESH)
    sonde_mesh_list_take (SONDE_MESH_LIST (card->list), sonde_workspace_get_run (card->workspace),
                          records->len > 0 ? records->pdata[0] : NULL);
  else
    take_texts (card, records);
  try_reveal (card);
  if (sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) != NULL)
    tell (card);
}

static void
update (SondeRecordCard *card)
{
  SondeRun *run = sonde_workspace_get_run (card->workspace);
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));

  if (tag == NULL)
    return;
  sonde_tag_card_take_note (SONDE_TAG_CARD (card), run);
  sonde_step_loader_update (
      card->loader, run, g_intern_string (tag), card->kind,
      sonde_step_cursor_get_step (sonde_workspace_get_cursor (card->workspace)));
}

/* ---- card ---------------------------------------------------------------- */

static void
sonde_record_card_tag_changed (SondeTagCard *base)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (base);

  if (sonde_tag_card_get_tag (base) == NULL)
    {
      sonde_step_loader_update (card->loader, NULL, NULL, card->kind, 0);
      if (card->other_loader != NULL)
        sonde_step_loader_update (card->other_loader, NULL, NULL, card->kind, 0);
    }
  else
    update (card);
}

static gboolean
sonde_record_card_is_settled (SondeTagCard *base)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (base);

  if (card->kind == SONDE_RECORD_AUDIO && sonde_sound_list_is_busy (SONDE_SOUND_LIST (card->list)))
    return FALSE;
  if (card->kind == SONDE_RECORD_MESH && sonde_mesh_list_is_busy (SONDE_MESH_LIST (card->list)))
    return FALSE;
  if (card->other_loader != NULL && sonde_step_loader_is_busy (card->other_loader))
    return FALSE;
  if (card->reveal_tick != 0 && gtk_widget_get_mapped (GTK_WIDGET (card)))
    return FALSE;
  return !sonde_step_loader_is_busy (card->loader);
}

static void
sonde_record_card_room_changed (SondeTagCard *base, int width, int height)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (base);

  if (card->kind == SONDE_RECORD_MESH)
    sonde_mesh_list_set_max_size (SONDE_MESH_LIST (card->list), MAX (height, MIN_MESH_SIZE));
}

void
sonde_record_card_mark (SondeRecordCard *card, GRegex *pattern)
{
  g_return_if_fail (SONDE_IS_RECORD_CARD (card));
  if (card->kind != SONDE_RECORD_TEXT || card->pattern == pattern)
    return;
  g_clear_pointer (&card->pattern, g_regex_unref);
  card->pattern = pattern != NULL ? g_regex_ref (pattern) : NULL;
  sonde_text_list_mark (GTK_BOX (card->list), pattern);
}

guint
sonde_record_card_get_n_records (SondeRecordCard *card)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CARD (card), 0);
  return card->n_records;
}

gint64
sonde_record_card_get_step (SondeRecordCard *card)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CARD (card), 0);
  return sonde_step_loader_get_step (card->loader);
}

const char *
sonde_record_card_get_problem (SondeRecordCard *card)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CARD (card), NULL);
  return card->problem;
}

const char *
sonde_record_card_get_facts (SondeRecordCard *card)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CARD (card), NULL);
  return card->kind == SONDE_RECORD_MESH ? sonde_mesh_list_get_facts (SONDE_MESH_LIST (card->list))
                                         : NULL;
}

static void
sonde_record_card_dispose (GObject *object)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (object);

  g_clear_pointer (&card->loader, sonde_step_loader_free);
  g_clear_pointer (&card->other_loader, sonde_step_loader_free);
  G_OBJECT_CLASS (sonde_record_card_parent_class)->dispose (object);
  g_clear_object (&card->workspace);
}

static void
sonde_record_card_finalize (GObject *object)
{
  SondeRecordCard *card = SONDE_RECORD_CARD (object);

  g_free (card->problem);
  g_free (card->text);
  g_free (card->other_text);
  g_clear_pointer (&card->pattern, g_regex_unref);
  G_OBJECT_CLASS (sonde_record_card_parent_class)->finalize (object);
}

static void
sonde_record_card_class_init (SondeRecordCardClass *klass)
{
  SondeTagCardClass *card_class = SONDE_TAG_CARD_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_record_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_record_card_finalize;
  card_class->tag_changed = sonde_record_card_tag_changed;
  card_class->is_settled = sonde_record_card_is_settled;
  card_class->room_changed = sonde_record_card_room_changed;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

static void
sonde_record_card_init (SondeRecordCard *card)
{
  card->scrolled = gtk_scrolled_window_new ();
  /* No bar below, and no width that a narrow window would have to give. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (card->scrolled), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_AUTOMATIC);
}

/* ---- lists --------------------------------------------------------------- */

static GtkWidget *
make_sounds (SondeRecordCard *card, SondeSoundDecoder *decoder, SondeSoundPlayer *player)
{
  SondeSoundList *list = g_object_new (SONDE_TYPE_SOUND_LIST, NULL);

  sonde_sound_list_set_up (list, decoder, player);
  g_signal_connect_object (list, "state-changed", G_CALLBACK (tell), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (list, "problem", G_CALLBACK (sonde_workspace_report), card->workspace,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (list);
}

static GtkWidget *
make_meshes (SondeRecordCard *card)
{
  GtkWidget *list = g_object_new (SONDE_TYPE_MESH_LIST, NULL);

  g_signal_connect_object (list, "state-changed", G_CALLBACK (tell), card, G_CONNECT_SWAPPED);
  return list;
}

static void
make_list (SondeRecordCard *card, SondeSoundDecoder *decoder, SondeSoundPlayer *player)
{
  const char *name = card->kind == SONDE_RECORD_AUDIO  ? _ ("Sounds")
                     : card->kind == SONDE_RECORD_MESH ? _ ("Meshes")
                                                       : _ ("Texts");

  card->list = card->kind == SONDE_RECORD_AUDIO  ? make_sounds (card, decoder, player)
               : card->kind == SONDE_RECORD_MESH ? make_meshes (card)
                                                 : gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  gtk_accessible_update_property (GTK_ACCESSIBLE (card->list), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (card->scrolled), card->list);
}

static void
add_differences (SondeRecordCard *card, SondeCompareBar *compare)
{
  card->compare = compare;
  card->diff = g_object_new (SONDE_TYPE_TEXT_DIFF_LIST, NULL);
  card->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_child (card->stack, card->scrolled);
  gtk_stack_add_child (card->stack, GTK_WIDGET (card->diff));
  card->other_loader = sonde_step_loader_new (TRUE, on_other_records, card);
  g_signal_connect_object (compare, "changed", G_CALLBACK (on_compare_changed), card,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_record_card_new (SondeWorkspace *workspace, SondeRecordKind kind, SondeSoundDecoder *decoder,
                       SondeSoundPlayer *player, SondeCompareBar *compare)
{
  SondeRecordCard *card = g_object_new (SONDE_TYPE_RECORD_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  card->kind = kind;
  make_list (card, decoder, player);
  if (kind == SONDE_RECORD_TEXT)
    add_differences (card, compare);
  sonde_tag_card_set_content (
      SONDE_TAG_CARD (card), kind == SONDE_RECORD_TEXT ? GTK_WIDGET (card->stack) : card->scrolled);
  card->loader = sonde_step_loader_new (kind != SONDE_RECORD_MESH, on_records, card);
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
