/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-card-grid.h"

#include "app/pages/cards/sonde-card-strip.h"
#include "app/widgets/sonde-accessible.h"
#include "viewers/sonde-text-scale.h"

#define RESOURCE "/org/sonde/Sonde/pages/cards/sonde-card-grid.ui"
#define MIN_WIDTH 290 /* px of a cell, its air included */
#define MIN_VIEW_HEIGHT 200
#define MAX_VIEW_HEIGHT 460
#define CARD_HEIGHT 74 /* px of a cell that are not the chart: title, padding, air */
#define CARD_WIDTH 44  /* px of a cell beside the chart: padding, air */
#define MAX_COLUMNS 6
#define AIR 20 /* px above and below all cards */

/* Of cards that do not share out the page: px of a cell, and of the chart in it. */
static const struct
{
  int width, height;
} sizes[] = {
  [SONDE_CARD_SMALL] = { 220, 130 },
  [SONDE_CARD_MEDIUM] = { 350, 210 },
  [SONDE_CARD_LARGE] = { 600, 380 },
};

struct _SondeCardGrid
{
  AdwBin parent_instance;
  GtkStack *stack;
  GtkScrolledWindow *scrolled;
  GtkListView *view;
  AdwBin *single;
  GtkStringList *tags;
  GListStore *rows; /* SondeCardRow: the tags by sections and columns */
  guint n_columns;
  SondeCardSize size;
  SondeCardSections sections;
  void *sections_data;
  GPtrArray *cards; /* alive now, not owned */
  SondeCardFunc make;
  void *user_data;
  char *expanded;
  guint fit_source;
  /* All in px at a text scale of 1. */
  int width, height;           /* px of the grid, 0 until they are known */
  int view_width, view_height; /* px of a card's content in the grid */
  gboolean fill;
};

enum
{
  EXPANDED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeCardGrid, sonde_card_grid, ADW_TYPE_BIN)

/* ---- size of cells ------------------------------------------------------- */

/* As few columns as still let all rows be seen; when even the most do not, rows of the least
 * height. */
static void
choose_layout (guint n_tags, int width, int height, gboolean fill, guint *n_columns,
               int *view_height)
{
  guint max_columns = (guint) CLAMP (width / MIN_WIDTH, 1, MAX_COLUMNS);
  guint columns = 1, n_rows;
  int room;

  while (columns < max_columns)
    {
      n_rows = (n_tags + columns - 1) / columns;
      room = height / (int) MAX (n_rows, 1) - CARD_HEIGHT;
      /* Enough height, and no letterbox of a card. */
      if (room >= MIN_VIEW_HEIGHT && width / (int) columns <= 2 * (room + CARD_HEIGHT))
        break;
      columns++;
    }
  if (fill)
    columns = MIN (columns, MAX (n_tags, 1));
  n_rows = (n_tags + columns - 1) / columns;
  *n_columns = columns;
  *view_height = CLAMP (height / (int) MAX (n_rows, 1) - CARD_HEIGHT, MIN_VIEW_HEIGHT,
                        fill ? G_MAXINT : MAX_VIEW_HEIGHT);
}

/* Cells of the size that was asked for: sections have no use for a share of the page. */
static void
choose_cells (SondeCardSize size, int width, guint *n_columns, int *view_height)
{
  *n_columns = (guint) CLAMP (width / sizes[size].width, 1, MAX_COLUMNS);
  *view_height = sizes[size].height;
}

static void
get_size (SondeCardGrid *grid, int *width, int *height)
{
  double scale = sonde_text_scale_get (GTK_WIDGET (grid));

  *width = (int) (gtk_widget_get_width (GTK_WIDGET (grid->stack)) / scale);
  *height = (int) (gtk_widget_get_height (GTK_WIDGET (grid->stack)) / scale);
}

static void
set_room (SondeCardGrid *grid, SondeTagCard *card)
{
  int width, height;

  if (adw_bin_get_child (grid->single) == GTK_WIDGET (card))
    {
      get_size (grid, &width, &height);
      sonde_tag_card_set_room (card, width - CARD_WIDTH, height - CARD_HEIGHT);
      return;
    }
  sonde_tag_card_set_height (card, grid->view_height);
  sonde_tag_card_set_room (card, grid->view_width, grid->view_height);
}

/* ---- rows ---------------------------------------------------------------- */

static char *
dup_section (SondeCardGrid *grid, guint i)
{
  return grid->sections.dup_section != NULL ? grid->sections.dup_section (
             gtk_string_list_get_string (grid->tags, i), i, grid->sections_data)
                                            : NULL;
}

static void
append_cards (SondeCardGrid *grid, GPtrArray *rows, guint from, guint to)
{
  for (guint i = from; i < to; i += grid->n_columns)
    {
      const char *tags[MAX_COLUMNS];
      guint n = MIN (grid->n_columns, to - i);

      for (guint k = 0; k < n; k++)
        tags[k] = gtk_string_list_get_string (grid->tags, i + k);
      g_ptr_array_add (rows, sonde_card_row_new (tags, n, grid->n_columns));
    }
}

static void
update_rows (SondeCardGrid *grid)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  guint n_tags = g_list_model_get_n_items (G_LIST_MODEL (grid->tags)), next;

  for (guint first = 0; first < n_tags; first = next)
    {
      g_autofree char *section = dup_section (grid, first);
      gboolean closed = section != NULL && grid->sections.is_closed (section, grid->sections_data);

      for (next = first + 1; next < n_tags; next++)
        {
          g_autofree char *other = dup_section (grid, next);

          if (g_strcmp0 (section, other) != 0)
            break;
        }
      if (section != NULL)
        g_ptr_array_add (rows, sonde_card_row_new_heading (section, next - first, closed));
      if (!closed)
        append_cards (grid, rows, first, next);
    }
  sonde_card_row_update_store (grid->rows, rows);
}

static void
choose_size (SondeCardGrid *grid, int width, int height)
{
  g_autofree char *section
      = g_list_model_get_n_items (G_LIST_MODEL (grid->tags)) > 0 ? dup_section (grid, 0) : NULL;
  gboolean shares = grid->size == SONDE_CARD_MEDIUM && section == NULL;

  if (shares || grid->fill)
    choose_layout (g_list_model_get_n_items (G_LIST_MODEL (grid->tags)), width, height, grid->fill,
                   &grid->n_columns, &grid->view_height);
  else
    choose_cells (grid->size, width, &grid->n_columns, &grid->view_height);
  grid->view_width = MAX (width / (int) grid->n_columns - CARD_WIDTH, 100);
}

static gboolean
on_fit (void *user_data)
{
  SondeCardGrid *grid = user_data;
  int width, height;

  get_size (grid, &width, &height);
  height -= AIR;
  grid->fit_source = 0;
  /* While the page says that it is empty the grid has no size: it will be the one it had. */
  if (width > 0 && height > 0)
    {
      grid->width = width;
      grid->height = height;
    }
  if (grid->width > 0)
    choose_size (grid, grid->width, grid->height);
  for (guint i = 0; i < grid->cards->len; i++)
    set_room (grid, grid->cards->pdata[i]);
  update_rows (grid);
  return G_SOURCE_REMOVE;
}

/* Sizes must not change while they are being allocated. */
static void
queue_fit (SondeCardGrid *grid)
{
  if (grid->fit_source == 0)
    grid->fit_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_fit, grid, NULL);
}

/* ---- cards --------------------------------------------------------------- */

/* The picture of the card, or whatever of it takes keys. */
static void
focus_card (SondeTagCard *card)
{
  SondeView *view = sonde_tag_card_get_view (card);

  if (view != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (view));
  else
    gtk_widget_child_focus (GTK_WIDGET (card), GTK_DIR_TAB_FORWARD);
}

static gboolean
has_tag (SondeCardRow *row, const char *tag)
{
  if (sonde_card_row_get_section (row) != NULL)
    return FALSE;
  for (guint i = 0; i < sonde_card_row_get_n_cards (row); i++)
    if (g_str_equal (sonde_card_row_get_tag (row, i), tag))
      return TRUE;
  return FALSE;
}

void
sonde_card_grid_reveal (SondeCardGrid *grid, const char *tag)
{
  GListModel *rows;

  g_return_if_fail (SONDE_IS_CARD_GRID (grid) && tag != NULL);
  rows = G_LIST_MODEL (grid->rows);
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (SondeCardRow) row = g_list_model_get_item (rows, i);

      if (has_tag (row, tag))
        gtk_widget_activate_action (GTK_WIDGET (grid->view), "list.scroll-to-item", "u", i);
    }
}

static SondeTagCard *
find_in_grid (SondeCardGrid *grid, const char *tag)
{
  for (guint i = 0; i < grid->cards->len; i++)
    {
      SondeTagCard *card = grid->cards->pdata[i];

      if (adw_bin_get_child (grid->single) != GTK_WIDGET (card)
          && g_strcmp0 (sonde_tag_card_get_tag (card), tag) == 0)
        return card;
    }
  return NULL;
}

/* The keys go where the eye goes. */
static void
expand_and_focus (SondeCardGrid *grid, const char *tag)
{
  g_autofree char *left = g_strdup (grid->expanded);
  SondeTagCard *card;

  sonde_card_grid_expand (grid, tag);
  card
      = tag != NULL ? SONDE_TAG_CARD (adw_bin_get_child (grid->single)) : find_in_grid (grid, left);
  if (card != NULL)
    focus_card (card);
}

static void
on_expand (SondeTagCard *card, const char *tag, SondeCardGrid *grid)
{
  expand_and_focus (grid, grid->expanded == NULL ? tag : NULL);
}

static gboolean
on_escape (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeCardGrid *grid = SONDE_CARD_GRID (widget);

  if (grid->expanded == NULL)
    return GDK_EVENT_PROPAGATE;
  expand_and_focus (grid, NULL);
  return GDK_EVENT_STOP;
}

static void
on_card_gone (void *user_data, GObject *card)
{
  g_ptr_array_remove (((SondeCardGrid *) user_data)->cards, card);
}

static SondeTagCard *
make_card (SondeCardGrid *grid)
{
  SondeTagCard *card = grid->make (grid->user_data);

  g_ptr_array_add (grid->cards, card);
  g_object_weak_ref (G_OBJECT (card), on_card_gone, grid);
  g_signal_connect_object (card, "expand", G_CALLBACK (on_expand), grid, 0);
  return card;
}

static SondeTagCard *
make_grid_card (void *user_data)
{
  SondeTagCard *card = make_card (user_data);

  set_room (user_data, card);
  return card;
}

static void
on_toggled (SondeCardStrip *strip, const char *section, SondeCardGrid *grid)
{
  grid->sections.set_closed (section, !grid->sections.is_closed (section, grid->sections_data),
                             grid->sections_data);
  sonde_card_grid_sections_changed (grid);
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, SondeCardGrid *grid)
{
  GtkWidget *strip = sonde_card_strip_new (make_grid_card, grid);

  g_signal_connect_object (strip, "toggled", G_CALLBACK (on_toggled), grid, 0);
  gtk_list_item_set_child (item, strip);
  gtk_list_item_set_activatable (item, FALSE);
  /* Else a press anywhere in the card gives the focus to the cell around it. */
  gtk_list_item_set_selectable (item, FALSE);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, SondeCardGrid *grid)
{
  SondeCardRow *row = gtk_list_item_get_item (item);
  g_autofree char *name = sonde_card_row_dup_name (row);

  sonde_card_strip_set_row (SONDE_CARD_STRIP (gtk_list_item_get_child (item)), row);
  sonde_list_item_set_name (item, name);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, SondeCardGrid *grid)
{
  sonde_card_strip_set_row (SONDE_CARD_STRIP (gtk_list_item_get_child (item)), NULL);
}

void
sonde_card_grid_set_up (SondeCardGrid *grid, SondeCardFunc make, void *user_data)
{
  GtkNoSelection *selection;

  g_return_if_fail (SONDE_IS_CARD_GRID (grid) && grid->make == NULL);
  grid->make = make;
  grid->user_data = user_data;
  sonde_card_grid_remake (grid);
  selection = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (grid->rows)));
  gtk_list_view_set_model (grid->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
}

void
sonde_card_grid_remake (SondeCardGrid *grid)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  SondeTagCard *single;

  g_return_if_fail (SONDE_IS_CARD_GRID (grid) && grid->make != NULL);
  single = make_card (grid);
  sonde_tag_card_set_expanded (single, TRUE);
  adw_bin_set_child (grid->single, GTK_WIDGET (single));
  sonde_tag_card_set_tag (single, grid->expanded);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), grid);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), grid);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), grid);
  gtk_list_view_set_factory (grid->view, factory);
  g_object_unref (factory);
}

void
sonde_card_grid_set_fill (SondeCardGrid *grid, gboolean fill)
{
  g_return_if_fail (SONDE_IS_CARD_GRID (grid));
  grid->fill = fill;
  queue_fit (grid);
}

void
sonde_card_grid_set_sections (SondeCardGrid *grid, const SondeCardSections *sections,
                              void *user_data)
{
  g_return_if_fail (SONDE_IS_CARD_GRID (grid));
  grid->sections = *sections;
  grid->sections_data = user_data;
  queue_fit (grid);
}

void
sonde_card_grid_sections_changed (SondeCardGrid *grid)
{
  g_return_if_fail (SONDE_IS_CARD_GRID (grid));
  queue_fit (grid);
}

void
sonde_card_grid_set_size (SondeCardGrid *grid, SondeCardSize size)
{
  g_return_if_fail (SONDE_IS_CARD_GRID (grid) && size <= SONDE_CARD_LARGE);
  grid->size = size;
  queue_fit (grid);
}

GtkStringList *
sonde_card_grid_get_tags (SondeCardGrid *grid)
{
  g_return_val_if_fail (SONDE_IS_CARD_GRID (grid), NULL);
  return grid->tags;
}

void
sonde_card_grid_foreach (SondeCardGrid *grid, SondeCardEachFunc func, void *user_data)
{
  g_return_if_fail (SONDE_IS_CARD_GRID (grid));
  for (guint i = 0; i < grid->cards->len; i++)
    func (grid->cards->pdata[i], user_data);
}

gboolean
sonde_card_grid_is_settled (SondeCardGrid *grid)
{
  g_return_val_if_fail (SONDE_IS_CARD_GRID (grid), TRUE);
  for (guint i = 0; i < grid->cards->len; i++)
    if (!sonde_tag_card_is_settled (grid->cards->pdata[i]))
      return FALSE;
  return grid->fit_source == 0;
}

void
sonde_card_grid_expand (SondeCardGrid *grid, const char *tag)
{
  char *expanded = g_strdup (tag);

  g_return_if_fail (SONDE_IS_CARD_GRID (grid));
  g_free (grid->expanded);
  grid->expanded = expanded;
  sonde_tag_card_set_tag (SONDE_TAG_CARD (adw_bin_get_child (grid->single)), expanded);
  gtk_stack_set_visible_child_name (grid->stack, expanded != NULL ? "single" : "grid");
  queue_fit (grid);
  g_signal_emit (grid, signals[EXPANDED], 0);
}

const char *
sonde_card_grid_get_expanded (SondeCardGrid *grid)
{
  g_return_val_if_fail (SONDE_IS_CARD_GRID (grid), NULL);
  return grid->expanded;
}

static void
sonde_card_grid_dispose (GObject *object)
{
  SondeCardGrid *grid = SONDE_CARD_GRID (object);

  g_clear_handle_id (&grid->fit_source, g_source_remove);
  for (guint i = 0; i < grid->cards->len; i++)
    g_object_weak_unref (grid->cards->pdata[i], on_card_gone, grid);
  g_ptr_array_set_size (grid->cards, 0);
  /* By its owner's way: AdwBin does not see gtk_widget_dispose_template() take its child. */
  adw_bin_set_child (ADW_BIN (grid), NULL);
  g_clear_object (&grid->tags);
  g_clear_object (&grid->rows);
  G_OBJECT_CLASS (sonde_card_grid_parent_class)->dispose (object);
}

static void
sonde_card_grid_finalize (GObject *object)
{
  SondeCardGrid *grid = SONDE_CARD_GRID (object);

  g_ptr_array_unref (grid->cards);
  g_free (grid->expanded);
  G_OBJECT_CLASS (sonde_card_grid_parent_class)->finalize (object);
}

static void
sonde_card_grid_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (sonde_card_grid_parent_class)->system_setting_changed (widget, setting);
  if (setting == GTK_SYSTEM_SETTING_DPI)
    queue_fit (SONDE_CARD_GRID (widget));
}

static void
sonde_card_grid_class_init (SondeCardGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_card_grid_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_card_grid_finalize;
  widget_class->system_setting_changed = sonde_card_grid_system_setting_changed;
  signals[EXPANDED] = g_signal_new ("expanded", SONDE_TYPE_CARD_GRID, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, on_escape, NULL);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeCardGrid, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeCardGrid, scrolled);
  gtk_widget_class_bind_template_child (widget_class, SondeCardGrid, view);
  gtk_widget_class_bind_template_child (widget_class, SondeCardGrid, single);
}

static void
sonde_card_grid_init (SondeCardGrid *grid)
{
  grid->cards = g_ptr_array_new ();
  grid->tags = gtk_string_list_new (NULL);
  grid->rows = g_list_store_new (SONDE_TYPE_CARD_ROW);
  grid->n_columns = 1;
  grid->size = SONDE_CARD_MEDIUM;
  grid->view_width = MIN_WIDTH - CARD_WIDTH;
  grid->view_height = MIN_VIEW_HEIGHT;
  gtk_widget_init_template (GTK_WIDGET (grid));
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (grid->scrolled),
                           "notify::page-size", G_CALLBACK (queue_fit), grid, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (grid->scrolled),
                           "notify::page-size", G_CALLBACK (queue_fit), grid, G_CONNECT_SWAPPED);
  g_signal_connect_object (grid->tags, "items-changed", G_CALLBACK (queue_fit), grid,
                           G_CONNECT_SWAPPED);
}
