"""The .npz files; see make-binary.py."""
from binary_common import add
from binary_npy import header, npy, npy_raw
from binary_zip import Entry, deflate_fixed, deflate_stored, zip_file


def weight(base, columns):
    """Entry (h, r, c) of a matrix; 6 entries per head."""
    return lambda h, r, c: base + 6 * h + columns * r + c


def arrays(code="f8", order="<", fortran=False, heads=2, **replace):
    made = {"WQ": npy(code, (heads, 2, 3), weight(0, 3), order, fortran),
            "WK": npy(code, (heads, 2, 3), weight(20, 3), order, fortran),
            "WV": npy(code, (heads, 2, 3), weight(40, 3), order, fortran),
            "WO": npy(code, (heads, 3, 2), weight(60, 2), order, fortran)}
    made.update(replace)
    return {name: content for name, content in made.items() if content is not None}


def entries(made=None, **how):
    return [Entry(name + ".npy", content, **how) for name, content in (made or arrays()).items()]


def make_npz():
    def good(name, content, about):
        add("good-weights-%s.npz" % name, content, about=about)

    good("stored", zip_file(entries(method=0)), "entries as they are")
    good("deflated", zip_file(entries()), "deflated with fixed codes")
    stored = entries()
    for entry in stored:
        entry.packed = deflate_stored(entry.content)
    good("deflate-stored", zip_file(stored), "deflated without compression")
    for form in ["mark", "bare", "mark64", "bare64"]:
        good("descriptor-" + form, zip_file(entries(descriptor=form)),
             "sizes behind the data, %s signature, %s bits" % (
                 "with" if "mark" in form else "without", 64 if "64" in form else 32))
    good("zip64", zip_file(entries(zip64=True), zip64=True), "zip64 throughout")
    good("zip64-entries", zip_file(entries(zip64=True, method=0)),
         "zip64 sizes of the entries, as numpy.savez writes them")
    good("comment", zip_file(entries(), comment=b"made by hand PK\5\6"),
         "a comment with the end record's signature in it")
    good("gap", zip_file(entries(), gap=b"padding"), "unused bytes between the entries")
    good("extra", zip_file(
        entries() + [Entry("b.npy", b"not an array"), Entry("notes.txt", b"hello", method=0)]),
        "entries that are ignored")
    mixed = arrays()
    mixed["WQ"] = npy("i1", (2, 2, 3), weight(0, 3))
    mixed["WK"] = npy("f2", (2, 2, 3), weight(20, 3), ">")
    mixed["WV"] = npy("u8", (2, 2, 3), weight(40, 3), "<", True)
    mixed["WO"] = npy("f4", (2, 3, 2), weight(60, 2), ">", True)
    good("mixed", zip_file(entries(mixed)), "four types, both byte and storage orders")
    bad_archives()
    bad_weights()


def bad_archives():
    def bad(name, content, message):
        add("bad-%s.npz" % name, content, message)

    def one(**how):  # an archive whose first entry is damaged
        made = entries()
        made[0] = Entry("WQ.npy", arrays()["WQ"], **how)
        return zip_file(made)

    good = zip_file(entries())
    bad("zip-no-end", good[:-22], "no end record")
    bad("zip-tail", good + b"\0", "no end record")
    bad("zip-front-only", good[:4], "no end record")
    bad("zip-disk", zip_file(entries(), disk=1), "several disks")
    bad("zip-entry-disk", one(disk=1), "several disks")
    bad("zip-encrypted", one(flags=1), "encrypted")
    bad("zip-strongly-encrypted", one(flags=64), "encrypted")
    bad("zip-method", one(method=12), "method other than deflate")
    bad("zip-count", zip_file(entries(), count=5), "fewer entries")
    bad("zip-count-huge", zip_file(entries(), count=0xFFFE), "fewer entries")
    bad("zip-count-less", zip_file(entries(), count=3), "more than its entries")
    bad("zip-directory-outside", zip_file(entries(), start=0xFFFFFFFE), "outside the file")
    bad("zip-directory-size", zip_file(entries(), size=0xFFFFFFFE), "outside the file")
    bad("zip-directory-shifted", zip_file(entries(), start=1), "damaged")
    bad("zip-twice", zip_file(entries() + [Entry("WQ.npy", arrays()["WQ"])]), "occurs twice")
    bad("zip-same-bytes", zip_file(entries() + [Entry("X.npy", b"", at=0, skip_local=True)]),
        "another name")
    # An entry that lies inside another one, local header and all.
    inner = Entry("X.npy", b"abc", method=0)
    outer = Entry("Y.npy", inner.local_bytes() + b"tail", method=0)
    inner.at, inner.skip_local = 30 + len("Y.npy"), True
    bad("zip-overlap", zip_file([outer, inner]), "overlaps another one")
    bad("zip-offset", one(at=0xFFFFFFFE), "beyond the file")
    bad("zip-offset-directory", one(at=len(b"".join(e.local_bytes() for e in entries()))),
        "beyond the file")
    bad("zip-offset-shifted", one(at=1), "no local header")
    bad("zip-local-name", one(local={"name": b"WK.npy"}), "another name in its local header")
    bad("zip-local-method", one(local={"method": 0}), "another method in its local header")
    bad("zip-local-flags", one(local={"flags": 8}), "another method in its local header")
    bad("zip-local-size", one(local={"size": 7}), "other sizes in its local header")
    bad("zip-local-crc", one(local={"crc": 7}), "other sizes in its local header")
    bad("zip-descriptor", one(descriptor="wrong"), "no data descriptor")
    bad("zip-crc", one(crc=1), "fails its CRC")
    bad("zip-stored-size", one(method=0, size=7), "cannot have the size")
    bad("zip-ratio", one(size=1032 * 4096), "cannot have the size")
    bad("zip-inflates-more", one(packed=deflate_fixed(arrays()["WQ"] + b"\0")), "is damaged")
    bad("zip-inflates-less", one(packed=deflate_fixed(arrays()["WQ"][:-1])), "is damaged")
    bad("zip-deflate-tail", one(packed=deflate_fixed(arrays()["WQ"]) + b"\0"), "is damaged")
    bad("zip-deflate-cut", one(packed=deflate_fixed(arrays()["WQ"])[:-1]), "is damaged")
    bad("zip-deflate-block", one(packed=b"\7" + b"\0" * 200), "is damaged")
    bad("zip64-no-locator", zip_file(entries(), zip64=True, no_locator=True),
        "zip64 end record is missing")
    bad("zip64-outside", zip_file(entries(), zip64=True, at64=2**63), "outside the file")
    bad("zip64-elsewhere", zip_file(entries(), zip64=True, at64=1), "zip64 end record is missing")
    bad("zip64-disk", zip_file(entries(), zip64=True, disk64=1), "several disks")
    bad("zip64-directory", zip_file(entries(), zip64=True, start=2**64 - 1, size=2**64 - 1),
        "outside the file")
    bad("zip64-count", zip_file(entries(), zip64=True, count=2**60), "fewer entries")
    bad("zip64-cut-field", one(zip64="cut"), "lacks its zip64 sizes")


def bad_weights():
    def bad(name, message, made=None, **replace):
        add("bad-weights-%s.npz" % name,
            zip_file(entries(made or arrays(**replace))), message)

    bad("no-wo", "WO.npy", WO=None)
    bad("no-arrays", "WQ.npy", {"x": npy()})
    bad("not-npy", "WK: not an .npy file", WK=b"some text")
    bad("empty-entry", "WV: not an .npy file", WV=b"")
    bad("short", "WQ: shape (2, 2, 3) takes 96 bytes", WQ=arrays()["WQ"][:-8])
    bad("long", "WQ: shape (2, 2, 3) takes 96 bytes", WQ=arrays()["WQ"] + b"\0" * 8)
    # A megabyte of zeros in a kilobyte, and a header that says more than there is.
    bad("bomb", "takes 8000000000 bytes", WQ=npy_raw(
        header(shape=(1000, 1000, 1000)), b"\0" * 2**20))
    bad("two-dimensional", "WQ: shape (2, 3)", WQ=npy("f8", (2, 3), lambda r, c: r))
    bad("heads", "WK", WK=npy("f8", (3, 2, 3), weight(20, 3)))
    bad("size", "WV", WV=npy("f8", (2, 3, 3), weight(20, 3)))
    bad("transposed", "WO", WO=npy("f8", (2, 2, 3), weight(20, 3)))
    bad("dim", "WO", WO=npy("f8", (2, 4, 2), weight(20, 2)))
    bad("empty", "empty", heads=0)
    bad("nan", "WV: [1][1][2] is NaN", WV=npy(
        "f8", (2, 2, 3), lambda h, r, c: float("nan") if (h, r, c) == (1, 1, 2) else 0.5))
    bad("bool", "WV: these are truth values", WV=npy_raw(header("|b1", shape=(2, 2, 3)),
                                                         b"\1" * 12))
