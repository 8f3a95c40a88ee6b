/* panel_avx512.c -- attention of longer sequences with tiles of 12 rows and 2 vectors of eight.
 */
#include "kernel/attention_avx512.h"
#include "kernel/vector_avx512.h"

#include "kernel/panel.h"

#include "kernel/panel_debug.h"

#define PANEL_WEIGHTS attest_avx512_weights
#define PANEL_SOFTMAX attest_avx512_panel_softmax
#define PANEL_HARDMAX attest_avx512_panel_hardmax
#define PANEL_HEIGHTS(define)                                                                  \
    define(1) define(2) define(3) define(4) define(5) define(6) define(7) define(8) define(9)  \
        define(10) define(11) define(12)

#include "kernel/panel_norms.inc"

#include "kernel/panel_pack.inc"

#include "kernel/panel_tile.inc"

#include "kernel/panel_spectral.inc"

#include "kernel/panel_bound.inc"

#include "kernel/panel_softmax.inc"

#include "kernel/panel_hardmax.inc"
