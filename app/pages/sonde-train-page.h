/* SPDX-License-Identifier: Apache-2.0
 * A training is put together, started and watched: the form, the recipe that it makes, what the training would be, and
 * what was started from this window. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRAIN_PAGE (sonde_train_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrainPage, sonde_train_page, SONDE, TRAIN_PAGE, SondePage)

G_END_DECLS
