const [K0, K1, K2, K3] = [
  0xc3a5c85c97cb3127n,
  0xb492b66fbe98f273n,
  0x9ae16a3b2f90404fn,
  0xc949d7c7509e6557n,
] as const;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => u64((value >> by) | (value << (64n - by)));
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

/** CityHash64 of version 1.0 by Geoff Pike and Jyrki Alakuijala, which CatBoost uses; later versions differ. */
export function cityHash64(text: string): bigint {
  const bytes = Buffer.from(text, 'utf8');
  const { length } = bytes;
  const at = (offset: number): bigint => bytes.readBigUInt64LE(offset);
  const fromEnd = (offset: number): bigint => at(length - offset);
  if (length <= 16) return hashTo16(bytes);
  if (length <= 32) {
    const a = u64(at(0) * K1);
    const b = at(8);
    const c = u64(fromEnd(8) * K2);
    const d = u64(fromEnd(16) * K0);
    return hashPair(
      rotate(u64(a - b), 43n) + rotate(c, 30n) + d,
      a + rotate(b ^ K3, 20n) - c + BigInt(length),
    );
  }
  if (length <= 64) {
    const [first, second] = half(at(0), at(8), at(16), at(24), (BigInt(length) + fromEnd(16)) * K0);
    const [third, fourth] = half(fromEnd(32) + at(16), fromEnd(24), fromEnd(16), fromEnd(8), 0n);
    const mixed = shiftMix(u64((first + fourth) * K2 + (third + second) * K0));
    return u64(shiftMix(u64(mixed * K0 + second)) * K2);
  }

  let x = at(0);
  let y = fromEnd(16) ^ K1;
  let z = fromEnd(56) ^ K0;
  let v = weakHash(bytes, length - 64, BigInt(length), y);
  let w = weakHash(bytes, length - 32, u64(BigInt(length) * K1), K0);
  z = u64(z + shiftMix(v[1]) * K1);
  x = u64(rotate(u64(z + x), 39n) * K1);
  y = u64(rotate(y, 33n) * K1);
  // Whole pieces of 64 bytes; the last bytes were hashed above.
  for (let offset = 0; offset < ((length - 1) & ~63); offset += 64) {
    x = u64(rotate(u64(x + y + v[0] + at(offset + 16)), 37n) * K1) ^ w[1];
    y = u64(rotate(u64(y + v[1] + at(offset + 48)), 42n) * K1) ^ v[0];
    z = rotate(z ^ w[0], 33n);
    v = weakHash(bytes, offset, u64(v[1] * K1), u64(x + w[0]));
    w = weakHash(bytes, offset + 32, u64(z + w[1]), y);
    [x, z] = [z, x];
  }
  return hashPair(hashPair(v[0], w[0]) + shiftMix(y) * K1 + z, hashPair(v[1], w[1]) + x);
}

function hashPair(low: bigint, high: bigint): bigint {
  const multiplier = 0x9ddfea08eb382d69n;
  const a = u64((u64(low) ^ u64(high)) * multiplier);
  const b = u64((u64(high) ^ shiftMix(a)) * multiplier);
  return u64(shiftMix(b) * multiplier);
}

function hashTo16(bytes: Buffer): bigint {
  const { length } = bytes;
  if (length > 8) {
    const last = bytes.readBigUInt64LE(length - 8);
    const rotated = rotate(u64(last + BigInt(length)), BigInt(length));
    return hashPair(bytes.readBigUInt64LE(0), rotated) ^ last;
  }
  if (length >= 4) {
    const first = BigInt(bytes.readUInt32LE(0));
    return hashPair(BigInt(length) + (first << 3n), BigInt(bytes.readUInt32LE(length - 4)));
  }
  if (length === 0) return K2;
  const y = BigInt(bytes.readUInt8(0) + (bytes.readUInt8(length >> 1) << 8));
  const z = BigInt(length + (bytes.readUInt8(length - 1) << 2));
  return u64(shiftMix(u64(y * K2) ^ u64(z * K3)) * K2);
}

/** The hash of the 32 bytes at one end of a text of 33 to 64. */
function half(first: bigint, second: bigint, third: bigint, last: bigint, seed: bigint): [bigint, bigint] {
  let a = u64(first + seed);
  const b = rotate(u64(a + last), 52n);
  let c = rotate(a, 37n);
  a = u64(a + second);
  c += rotate(a, 7n);
  a = u64(a + third);
  return [u64(a + last), u64(b + rotate(a, 31n) + c)];
}

/** The hash of the 32 bytes from an offset on. */
function weakHash(bytes: Buffer, offset: number, seed: bigint, secondSeed: bigint): [bigint, bigint] {
  const at = (index: number): bigint => bytes.readBigUInt64LE(offset + 8 * index);
  const start = u64(seed + at(0));
  const b = rotate(u64(secondSeed + start + at(3)), 21n);
  const a = u64(start + at(1) + at(2));
  return [u64(a + at(3)), u64(b + rotate(a, 44n) + start)];
}
