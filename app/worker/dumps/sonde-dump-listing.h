/* SPDX-License-Identifier: Apache-2.0
 * The values of one iteration of a dump, whoever wrote it. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeDumpItem:
 * @name: as people call the value; owned
 * @item: what its source knows of it; lent by the listing's @owner
 */
typedef struct
{
  char *name;
  SondeType type;
  gconstpointer item;
} SondeDumpItem;

/**
 * SondeDumpListing: immutable once it is signed
 * @items: (element-type SondeDumpItem): in the order in which they were written
 * @by_name: name -> index + 1
 * @signature: equal for two iterations that have the same values of the same types, by the same
 *   operators
 * @owner: of what items point to
 */
typedef struct
{
  GArray *items;
  GHashTable *by_name;
  char *signature;
  gpointer owner;
  GDestroyNotify free_owner;
} SondeDumpListing;

/* @owner: (transfer full) */
SondeDumpListing *sonde_dump_listing_new (gpointer owner, GDestroyNotify free_owner);
SondeDumpListing *sonde_dump_listing_ref (SondeDumpListing *listing);
void sonde_dump_listing_unref (SondeDumpListing *listing); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDumpListing, sonde_dump_listing_unref)

/* @name: (transfer full): no other has it */
void sonde_dump_listing_add (SondeDumpListing *listing, char *name, const SondeType *type,
                             gconstpointer item);
/* @lines: (element-type utf8): whatever makes it another than one with the same names and types; sorted
 * here */
void sonde_dump_listing_sign (SondeDumpListing *listing, GPtrArray *lines);

/* (nullable) */
const SondeDumpItem *sonde_dump_listing_find (const SondeDumpListing *listing, const char *name);

G_END_DECLS
