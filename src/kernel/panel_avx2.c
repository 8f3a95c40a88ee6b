/* panel_avx2.c -- attention of longer sequences with tiles of 6 rows and 2 vectors of four. */
#include "kernel/vector_avx2.h"

#include "kernel/panel.h"

#include "kernel/panel_debug.h"

#define PANEL_WEIGHTS attest_avx2_weights
#define PANEL_SOFTMAX attest_avx2_panel_softmax
#define PANEL_HARDMAX attest_avx2_panel_hardmax
#define PANEL_HEIGHTS(define) define(1) define(2) define(3) define(4) define(5) define(6)

#include "kernel/panel_norms.inc"

#include "kernel/panel_pack.inc"

#include "kernel/panel_tile.inc"

#include "kernel/panel_spectral.inc"

#include "kernel/panel_bound.inc"

#include "kernel/panel_softmax.inc"

#include "kernel/panel_hardmax.inc"
