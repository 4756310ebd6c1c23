/* SPDX-License-Identifier: Apache-2.0
 * The chip in the header bar: what is debugged and how far it is, else how many runs there are and how
 * many of them are being written. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_STATE_CHIP (sonde_state_chip_get_type ())
G_DECLARE_FINAL_TYPE (SondeStateChip, sonde_state_chip, SONDE, STATE_CHIP, GtkBox)

void sonde_state_chip_set_workspace (SondeStateChip *chip, SondeWorkspace *workspace);

G_END_DECLS
