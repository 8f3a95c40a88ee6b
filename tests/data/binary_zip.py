"""Zip archives with everything in them open to damage; see make-binary.py."""
import struct
import zlib


def deflate_stored(data):
    return b"\1" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data


class Bits:
    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, count):  # least significant bit first
        self.value |= value << self.count
        self.count += count

    def code(self, value, count):  # Huffman codes go most significant bit first
        self.put(int(format(value, "0%db" % count)[::-1], 2), count)

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def deflate_fixed(data):
    """RFC 1951 with fixed Huffman codes: literals, and runs of one byte as matches."""
    out, i = Bits(), 0
    out.put(1, 1)  # last block
    out.put(1, 2)  # fixed codes
    while i < len(data):
        run = 0
        while i and run < 258 and i + run < len(data) and data[i + run] == data[i - 1]:
            run += 1
        if run == 258:
            out.code(0b11000101, 8)  # length 258
            out.code(0, 5)           # distance 1
            i += run
        else:
            byte = data[i]
            if byte < 144:
                out.code(0x30 + byte, 8)
            else:
                out.code(0x190 + byte - 144, 9)
            i += 1
    out.code(0, 7)  # end of block
    return out.bytes()


class Entry:
    """One entry, with everything in it open to damage."""

    def __init__(self, name, content, method=8, flags=0, descriptor=None, zip64=False, **wrong):
        self.name, self.content, self.method, self.flags = name.encode(), content, method, flags
        self.packed = {0: lambda d: d, 8: deflate_fixed}.get(method, lambda d: d)(content)
        self.crc = zlib.crc32(content)
        self.size = len(content)
        self.descriptor, self.zip64 = descriptor, zip64
        if descriptor:
            self.flags |= 8
        self.local = {}
        self.disk = 0
        self.skip_local = False
        self.at = None
        self.__dict__.update(wrong)

    def local_bytes(self):
        name = self.local.get("name", self.name)
        size, packed, crc = self.size, len(self.packed), self.local.get("crc", self.crc)
        size = self.local.get("size", size)
        extra = b""
        if self.descriptor:
            size = packed = crc = 0
        elif self.zip64:
            extra = struct.pack("<HHQQ", 1, 16, size, packed)
            size = packed = 0xFFFFFFFF
        head = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45 if self.zip64 else 20,
                           self.local.get("flags", self.flags),
                           self.local.get("method", self.method), 0, 33, crc, packed, size,
                           len(name), len(extra))
        tail = b""
        if self.descriptor:
            wide = "<IQQ" if "64" in self.descriptor else "<III"
            tail = struct.pack(wide, self.crc, len(self.packed), self.size)
            if "mark" in self.descriptor:
                tail = b"PK\7\10" + tail
            if "wrong" in self.descriptor:
                tail = b"\0" * len(tail)
        return head + name + extra + self.packed + tail

    def central_bytes(self, at):
        size, packed, extra = self.size, self.__dict__.get("packed_size", len(self.packed)), b""
        at = self.at if self.at is not None else at
        if self.zip64 == "cut":
            extra = struct.pack("<HH", 1, 0)
            size = 0xFFFFFFFF
        elif self.zip64:
            extra = b"\x55\x54\4\0abcd" + struct.pack("<HHQQQ", 1, 24, size, packed, at)
            size = packed = at = 0xFFFFFFFF
        return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 20, self.flags, self.method, 0,
                           33, self.crc, packed, size, len(self.name), len(extra), 0, self.disk,
                           0, 0, at) + self.name + extra


def zip_file(entries, comment=b"", zip64=False, gap=b"", **end):
    body, central = b"", b""
    for entry in entries:
        central += entry.central_bytes(len(body))
        if not entry.skip_local:
            body += entry.local_bytes() + gap
    count = end.get("count", len(entries))
    start, size = end.get("start", len(body)), end.get("size", len(central))
    body += central + end.get("tail", b"")
    if zip64:
        at = end.get("at64", len(body))
        body += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, end.get("disk64", 0), 0,
                            count, count, size, start)
        if not end.get("no_locator"):
            body += struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
        count, size, start = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF
    body += struct.pack("<4sHHHHIIH", b"PK\5\6", end.get("disk", 0), 0, count, count, size,
                        start, len(comment))
    return body + comment
