/* SPDX-License-Identifier: Apache-2.0
 * What tensors hold, for who accounts for memory. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Bytes that go when the last tensor on @tensor's buffer does, strings included: of a view those of the whole;
 * 0 where the memory is somebody else's. */
gsize sonde_tensor_get_held_bytes (const SondeTensor *tensor);

G_END_DECLS
