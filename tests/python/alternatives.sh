#!/bin/sh
exec sh "$srcdir/tests/python/with-python" "$srcdir/tests/python/alternatives.py"
