/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A rectangle in pixels: [x, x + width) × [y, y + height), from the top left corner of an image. */
typedef struct
{
  int x, y, width, height;
} SondeBox;
