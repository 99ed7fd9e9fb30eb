"""Buckets of crosses by another implementation of XXH3: pip install xxhash. test_cross.c has the numbers."""

import struct

import xxhash

CASES = [(["a.org", "tv"], 1000), (["tv", "a.org"], 1000), (["3", "-1.5"], 1000), ([None, "tv"], 1000), ([None, None], 1000),
         (["", "tv"], 1000), (["1", "7", "3"], 97), (["0", "0", "4"], 97), (["2", "29", None], 97)]


def bucket(texts, buckets):
    """docs/columns.md, "Hash of a cross"; None is NULL."""
    keys = [0 if text is None else xxhash.xxh3_64_intdigest(text.encode()) for text in texts]
    return xxhash.xxh3_64_intdigest(struct.pack(f"<{len(keys)}Q", *keys)) % buckets


if __name__ == "__main__":
    for texts, buckets in CASES:
        print(texts, buckets, bucket(texts, buckets))
    print("hash bucket of s7.org among 5:", xxhash.xxh3_64_intdigest(b"s7.org") % 5)
