/* SPDX-License-Identifier: Apache-2.0
 * Which of all samples are looked at: all errors, a cell of the confusion matrix or a cluster in it,
 * an error category, a difference of two models; and what is said of them. What does not live here:
 * widgets. */
#pragma once

#include "explain/browsing/sonde-explain-table.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_SCOPE_ALL,
  SONDE_SCOPE_CELL,
  SONDE_SCOPE_CATEGORY,
  SONDE_SCOPE_CHANGE,
} SondeScope;

/**
 * SondeSampleSelection: read it; it is changed by the functions below
 * @items: (element-type SondeExplainItem): all
 * @table: of @items
 * @recorded: they are explained samples of a run, of which most are errors
 * @chosen: number of the cell, the category or the change; -1: none
 * @group: of the cell's clusters; -1: all
 */
typedef struct
{
  GPtrArray *items;
  SondeExplainTable *table;
  GPtrArray *clusters; /* (nullable) (element-type SondeErrorCluster) */
  GHashTable *by_sample;
  guint max_classes;
  gboolean recorded;
  SondeScope scope;
  gint64 chosen;
  int group;
} SondeSampleSelection;

/* @max_classes: that the table counts */
SondeSampleSelection *sonde_sample_selection_new (guint max_classes);
void sonde_sample_selection_free (SondeSampleSelection *selection);

/* @items: referenced. @classes: (array length=n_classes) (nullable). A chosen cell stays chosen where
 * it is still there. */
void sonde_sample_selection_set_items (SondeSampleSelection *selection, GPtrArray *items,
                                       char **classes, guint n_classes);
void sonde_sample_selection_set_clusters (SondeSampleSelection *selection,
                                          GPtrArray *clusters); /* (nullable) */
void sonde_sample_selection_choose (SondeSampleSelection *selection, SondeScope scope,
                                    gint64 chosen);

gboolean sonde_sample_selection_has (const SondeSampleSelection *selection, SondeExplainItem *item);
/* (transfer full) (element-type SondeExplainItem): lent items */
GPtrArray *sonde_sample_selection_list (const SondeSampleSelection *selection);
/* Clusters of the chosen cell, and the item that stands for each. (transfer full) */
GPtrArray *sonde_sample_selection_list_clusters (const SondeSampleSelection *selection,
                                                 GPtrArray **medoids);
/* For people. @n: how many it has. (transfer full) */
char *sonde_sample_selection_dup_title (const SondeSampleSelection *selection);
char *sonde_sample_selection_dup_sentence (const SondeSampleSelection *selection, guint n);

/* By its name, as "sample:NAME", or as "sample:NUMBER" by its place from 0. (nullable) */
SondeExplainItem *sonde_sample_selection_find (const SondeSampleSelection *selection,
                                               const char *what);
/* "cat > dog"; -1: there is no such cell. */
gint64 sonde_sample_selection_find_cell (const SondeSampleSelection *selection, const char *what);

G_END_DECLS
