/* SPDX-License-Identifier: Apache-2.0
 * Two pages at a time: what is done, what can be undone of them, and what is remembered. */
#include "app/sonde-window-private.h"

#include "data/base/sonde-text.h"

/* ---- undo ---------------------------------------------------------------- */

typedef struct
{
  GWeakRef window;
  SondePageLayout before, after;
} LayoutChange;

static void
layout_change_apply (gpointer data, gboolean redo)
{
  LayoutChange *change = data;
  g_autoptr (SondeWindow) window = g_weak_ref_get (&change->window);

  if (window != NULL)
    sonde_window_set_layout (window, redo ? &change->after : &change->before);
}

static void
layout_change_free (gpointer data)
{
  LayoutChange *change = data;

  g_weak_ref_clear (&change->window);
  g_free (change);
}

static void
change_layout (SondeWindow *window, const SondePageLayout *layout, const char *label)
{
  LayoutChange *change = g_new0 (LayoutChange, 1);

  g_weak_ref_init (&change->window, window);
  sonde_page_split_get_layout (window->pages, &change->before);
  change->after = *layout;
  sonde_window_set_layout (window, layout);
  sonde_history_add (sonde_workspace_get_history (window->workspace), label, layout_change_apply,
                     change, layout_change_free);
}

typedef struct
{
  GWeakRef window;
  double before, after; /* fractions */
} DividerChange;

static void
divider_change_apply (gpointer data, gboolean redo)
{
  DividerChange *change = data;
  g_autoptr (SondeWindow) window = g_weak_ref_get (&change->window);

  if (window != NULL)
    sonde_page_split_set_fraction (window->pages, redo ? change->after : change->before);
}

static void
divider_change_free (gpointer data)
{
  DividerChange *change = data;

  g_weak_ref_clear (&change->window);
  g_free (change);
}

void
sonde_window_divider_moved (SondeWindow *window, double before)
{
  DividerChange *change = g_new0 (DividerChange, 1);

  g_weak_ref_init (&change->window, window);
  change->before = before;
  change->after = sonde_page_split_get_fraction (window->pages);
  sonde_history_add (sonde_workspace_get_history (window->workspace), _ ("Move the Divider"),
                     divider_change_apply, change, divider_change_free);
}

/* ---- what is done -------------------------------------------------------- */

gboolean
sonde_window_show_beside (SondeWindow *window, const char *name, SondeSplitWay way)
{
  const SondePageInfo *info = sonde_page_info_find (name);
  SondePageLayout layout;

  g_return_val_if_fail (way != SONDE_SPLIT_NONE, FALSE);
  if (info == NULL || sonde_page_split_is_shown (window->pages, name))
    return FALSE;
  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way == SONDE_SPLIT_NONE)
    layout = (SondePageLayout){ .pages = { layout.pages[layout.active] } };
  layout.way = way;
  layout.active = 1 - layout.active;
  layout.pages[layout.active] = info->name;
  change_layout (window, &layout, _ ("Two Pages"));
  return TRUE;
}

void
sonde_window_end_split (SondeWindow *window)
{
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way == SONDE_SPLIT_NONE)
    return;
  layout.way = SONDE_SPLIT_NONE;
  layout.pages[1 - layout.active] = NULL;
  change_layout (window, &layout, _ ("Close a Page"));
}

void
sonde_window_open_in_half (SondeWindow *window, const char *name, SondeSplitWay way)
{
  const SondePageInfo *info = sonde_page_info_find (name);
  g_autofree char *sentence = NULL;

  if (info == NULL || sonde_window_show_beside (window, name, way))
    return;
  sentence = g_strdup_printf (
      _ ("“%s” is shown already, and a page is there once; choose another one to show beside it."),
      _ (info->title));
  sonde_workspace_report (window->workspace, sentence);
}

/* The page that was left last; else what most people want to see beside another one. */
static const char *
choose_second (SondeWindow *window)
{
  const char *const names[] = { window->previous_page, "scalars", "overview" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i] != NULL && !sonde_page_split_is_shown (window->pages, names[i]))
      return names[i];
  g_return_val_if_reached (NULL);
}

void
sonde_window_split (SondeWindow *window, SondeSplitWay way)
{
  SondePageLayout layout;

  g_return_if_fail (way != SONDE_SPLIT_NONE);
  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way == way)
    return;
  if (layout.way == SONDE_SPLIT_NONE)
    {
      sonde_window_show_beside (window, choose_second (window), way);
      return;
    }
  layout.way = way;
  change_layout (window, &layout, _ ("Two Pages"));
}

void
sonde_window_close_half (SondeWindow *window)
{
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way == SONDE_SPLIT_NONE)
    return;
  sonde_page_split_activate (window->pages, 1 - layout.active);
  sonde_window_end_split (window);
}

void
sonde_window_swap_halves (SondeWindow *window)
{
  SondePageLayout layout, swapped;

  sonde_page_split_get_layout (window->pages, &layout);
  if (layout.way == SONDE_SPLIT_NONE)
    return;
  swapped
      = (SondePageLayout){ layout.way, { layout.pages[1], layout.pages[0] }, 1 - layout.active };
  change_layout (window, &swapped, _ ("Swap the Pages"));
}

/* ---- what is remembered -------------------------------------------------- */

static const char *
get_setting (SondeWindow *window, const char *key)
{
  return sonde_workspace_get_setting (window->workspace, "window", key);
}

static void
restore_split (SondeWindow *window)
{
  const SondePageInfo *beside = sonde_page_info_find (get_setting (window, "page-beside"));
  SondeSplitWay way = sonde_split_way_from_word (get_setting (window, "split"));
  const char *fraction = get_setting (window, "split-fraction");
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  if (fraction != NULL)
    sonde_page_split_set_fraction (window->pages, g_ascii_strtod (fraction, NULL));
  if (way == SONDE_SPLIT_NONE || beside == NULL
      || g_str_equal (beside->name, layout.pages[layout.active]))
    return;
  layout.way = way;
  layout.pages[1] = beside->name;
  if (g_strcmp0 (get_setting (window, "split-active"), "second") == 0)
    layout = (SondePageLayout){ way, { layout.pages[1], layout.pages[0] }, 1 };
  sonde_window_set_layout (window, &layout);
}

void
sonde_window_restore_layout (SondeWindow *window)
{
  const SondePageInfo *info = sonde_page_info_find (get_setting (window, "page"));

  sonde_window_show_page (window, info != NULL ? info->name : sonde_page_table[0].name, NULL);
  restore_split (window);
}

/* "page", that of the active half, is kept whenever it becomes another. */
void
sonde_window_remember_layout (SondeWindow *window)
{
  SondeWorkspace *workspace = window->workspace;
  char fraction[G_ASCII_DTOSTR_BUF_SIZE];
  SondePageLayout layout;

  sonde_page_split_get_layout (window->pages, &layout);
  g_ascii_formatd (fraction, sizeof fraction, "%.3f",
                   sonde_page_split_get_fraction (window->pages));
  sonde_workspace_set_setting (workspace, "window", "split", sonde_split_way_to_word (layout.way));
  sonde_workspace_set_setting (workspace, "window", "split-active",
                               layout.active == 1 ? "second" : "first");
  sonde_workspace_set_setting (workspace, "window", "split-fraction", fraction);
  sonde_workspace_set_setting (workspace, "window", "page-beside", layout.pages[1 - layout.active]);
}
