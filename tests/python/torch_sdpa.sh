#!/bin/sh
exec sh "$srcdir/tests/python/with-python" "$srcdir/tests/python/torch_sdpa.py"
