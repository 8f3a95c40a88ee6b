/* attest.h -- the whole public interface of libattest. */
#ifndef ATTEST_ATTEST_H
#define ATTEST_ATTEST_H

#include <attest/attention.h>
#include <attest/ball.h>
#include <attest/certificate.h>
#include <attest/certify.h>
#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/filter.h>
#include <attest/flint.h>
#include <attest/format.h>
#include <attest/input.h>
#include <attest/kernel.h>
#include <attest/matrix.h>
#include <attest/number.h>
#include <attest/sequence.h>
#include <attest/status.h>
#include <attest/version.h>
#include <attest/weights.h>

#endif
