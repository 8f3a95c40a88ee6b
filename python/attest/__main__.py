"""python -m attest: the program, and convert, which needs PyTorch."""

import os
import sys

from attest._library import Error
from attest._program import find_program

if __name__ == "__main__":
    if sys.argv[1:2] == ["convert"]:
        from attest._convert import main

        sys.exit(main(sys.argv[2:]))
    try:
        program = find_program()
    except Error as error:
        sys.exit(f"attest: {error}")
    os.execv(program, [program, *sys.argv[1:]])
