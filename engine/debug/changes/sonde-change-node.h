/* SPDX-License-Identifier: Apache-2.0
 * Changes of one node of a graph: an attribute, or that it does nothing. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/**
 * SondeNodeChange: strings are owned
 * @node: name
 * @key: (nullable): attribute that gets @value; NULL: the node is bypassed
 * @value: as text: "3", "0.5", "[1, 1]", "SAME_UPPER"
 */
typedef struct
{
  char *node;
  char *key;
  char *value;
} SondeNodeChange;

SondeNodeChange *sonde_node_change_new (const char *node, const char *key, const char *value);
void sonde_node_change_free (SondeNodeChange *change);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeNodeChange, sonde_node_change_free)

/* "NODE.key = value"; the key is what stands behind the last dot. Errors: INVALID. */
SondeNodeChange *sonde_node_change_parse_attribute (const char *text, GError **error);

/* The node of that name, or which makes a value of that name; in @graph, then in the bodies inside
 * it. @inside: (out) (optional): the graph that has it. (transfer none) (nullable) */
SondeNode *sonde_find_node_deep (SondeGraph *graph, const char *name, SondeGraph **inside);

/**
 * sonde_node_change_apply:
 * @graph: changed in place: at best a copy
 *
 * A bypassed node becomes an Identity of its first input under its name: its value stays to be
 * looked at. Errors, with nothing changed: NOT_FOUND for the node, and for an attribute that the
 * operator does not have, naming those it has; INVALID for a value of another kind or beyond what
 * the operator's row allows; STATE for a node whose further outputs are read.
 */
gboolean sonde_node_change_apply (const SondeNodeChange *change, SondeGraph *graph, GError **error);

G_END_DECLS
