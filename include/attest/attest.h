/* attest.h -- the whole public interface of libattest. */
#ifndef ATTEST_ATTEST_H
#define ATTEST_ATTEST_H

#include <attest/approximate.h>
#include <attest/attention.h>
#include <attest/ball.h>
#include <attest/boltzmann.h>
#include <attest/boltzmann_difference.h>
#include <attest/certificate.h>
#include <attest/certify.h>
#include <attest/conll.h>
#include <attest/contextual.h>
#include <attest/counterexample.h>
#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/filter.h>
#include <attest/flint.h>
#include <attest/format.h>
#include <attest/import.h>
#include <attest/input.h>
#include <attest/lemma1.h>
#include <attest/lemma_f.h>
#include <attest/kernel.h>
#include <attest/matrix.h>
#include <attest/memorize.h>
#include <attest/network.h>
#include <attest/number.h>
#include <attest/positional.h>
#include <attest/separated.h>
#include <attest/sequence.h>
#include <attest/status.h>
#include <attest/theorem1.h>
#include <attest/theorem2.h>
#include <attest/version.h>
#include <attest/weights.h>

#endif
