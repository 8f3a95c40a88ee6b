"""python -m attest: the program."""

import os
import sys

from attest._library import Error
from attest._program import find_program

if __name__ == "__main__":
    try:
        program = find_program()
    except Error as error:
        sys.exit(f"attest: {error}")
    os.execv(program, [program, *sys.argv[1:]])
