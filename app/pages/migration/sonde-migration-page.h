/* SPDX-License-Identifier: Apache-2.0
 * What a port of the Python sources that are open costs: the names of frameworks that they use, what takes
 * their place, and the source beside them. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MIGRATION_PAGE (sonde_migration_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeMigrationPage, sonde_migration_page, SONDE, MIGRATION_PAGE, SondePage)

G_END_DECLS
