/* expect.h -- checks that the kernels of a scene stay within the bound and come near it. */
#ifndef TESTS_JUDGE_EXPECT_H
#define TESTS_JUDGE_EXPECT_H

#include "tests/judge/scene.h"
#include "tests/tap.h"

static void expect(scene *x, double least, const char *name)
{
    double part = scene_measure(x);

    TAP_OK(part <= 1 && part >= least, "%s: kernels reach %.3f of the bound, at least %.2f",
           name, part, least);
}

#endif
