/* SPDX-License-Identifier: Apache-2.0
 * What lies where in the memory of intermediate values while a plan is made: the best gap for a
 * value that lives from one step to another, and who writes over whom. All in O(log n) a value,
 * however many live at once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeArenaBox: memory that is taken for some steps
 * @first, @last: the steps it is taken in, both included
 * @offset, @bytes: the place; bytes > 0
 * @slot: for the caller
 */
typedef struct
{
  guint slot;
  guint first, last;
  gsize bytes, offset;
} SondeArenaBox;

typedef struct _SondeArena SondeArena;

/* @n_steps: larger than every @last */
SondeArena *sonde_arena_new (guint n_steps);
void sonde_arena_free (SondeArena *arena);

/**
 * sonde_arena_place:
 * @box: (inout): gets its offset
 *
 * The smallest gap that is free in all steps of @box, the lowest of equal ones; behind everything
 * when there is none, or none between the first 512 spans that are taken.
 */
void sonde_arena_place (SondeArena *arena, SondeArenaBox *box);

/**
 * sonde_arena_find_overwrites:
 * @boxes: (element-type SondeArenaBox): placed; sorted anew by this function
 * @gone: (inout): by slot: the first step that writes where the box of that slot lies, after it;
 *   left alone where there is none
 */
void sonde_arena_find_overwrites (GArray *boxes, guint *gone);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeArena, sonde_arena_free)

G_END_DECLS
