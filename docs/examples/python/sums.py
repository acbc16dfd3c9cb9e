#!/usr/bin/env python3
"""sums.py [DEVICE]: running sums of 16 numbers, and the minimum of each tile of 2^L."""
import sys

import numpy as np

import qd

TEXT = """
kernel running(src: in f32[], dst: out f32[]) block(64) {
  for i in grid(src.len) { dst[i] = subgroup.inclusive_add_tiled(src[i], 2); }
}
kernel least<T in {i32, f32}, static L in 0..=5>(src: in T[], dst: out T[]) block(64) {
  for i in grid(src.len) {
    let v = subgroup.reduce_all_min_tiled(src[i] else T.max, L);
    if subgroup.tile_lane(L) == 0 { dst[i >> L] = v; }
  }
}
"""

device = qd.Device(sys.argv[1] if len(sys.argv) > 1 else None)
x = np.arange(16, dtype=np.float32)
sums, least = np.empty_like(x), np.empty(4, np.int32)
device.run(TEXT, x, sums, kernel="running", name="sums.py")
device.run(TEXT, (x * x).astype(np.int32) % 7, least, kernel="least", name="sums.py", T=np.int32, L=2)
print(*map(int, sums))
print(*least)
