/* SPDX-License-Identifier: Apache-2.0 */
#include "data/runs/sonde-run-update-private.h"

#define FIRST_UPDATES 16u

void
sonde_run_block_update_clear (SondeRunBlockUpdate *update)
{
  g_ref_string_release (update->order);
  sonde_run_block_unref (update->block);
}

static void
clear_update (gpointer update)
{
  sonde_run_block_update_clear (update);
}

void
sonde_run_updates_add (GArray **updates, SondeRunBlockUpdate update)
{
  if (!*updates)
    {
      *updates = g_array_sized_new (FALSE, FALSE, sizeof update, FIRST_UPDATES);
      g_array_set_clear_func (*updates, clear_update);
    }
  g_array_append_val (*updates, update);
}
