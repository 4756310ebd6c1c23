/* SPDX-License-Identifier: Apache-2.0
 * Two widgets side by side or one above the other, with a divider; the one in front alone where there is
 * no room for both. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_SPLIT (sonde_split_get_type ())
G_DECLARE_FINAL_TYPE (SondeSplit, sonde_split, SONDE, SPLIT, GtkWidget)

typedef enum
{
  SONDE_SPLIT_NONE,  /* the one in front alone */
  SONDE_SPLIT_RIGHT, /* the second right of the first */
  SONDE_SPLIT_DOWN,  /* the second below the first */
} SondeSplitWay;

/* The word that is remembered: "none", "right", "down"; NULL and any other mean SONDE_SPLIT_NONE. */
const char *sonde_split_way_to_word (SondeSplitWay way);
SondeSplitWay sonde_split_way_from_word (const char *word);

/* Property "folded" (boolean, notified): there is no room for both. Signal "moved" (double before): a hand or a key moved
 * the divider, from that fraction. */
SondeSplit *sonde_split_new (void);

void sonde_split_set_children (SondeSplit *split, GtkWidget *first, GtkWidget *second);
void sonde_split_set_way (SondeSplit *split, SondeSplitWay way);
SondeSplitWay sonde_split_get_way (SondeSplit *split);
/* @front: 0 or 1 */
void sonde_split_set_front (SondeSplit *split, guint front);
guint sonde_split_get_front (SondeSplit *split);
gboolean sonde_split_is_folded (SondeSplit *split);
/* Whether the first (0) or second (1) is to be seen. */
gboolean sonde_split_is_shown (SondeSplit *split, guint which);

/* The part of the room that the first has, from 0.1 to 0.9; 0.5 at first. */
void sonde_split_set_fraction (SondeSplit *split, double fraction);
double sonde_split_get_fraction (SondeSplit *split);

G_END_DECLS
