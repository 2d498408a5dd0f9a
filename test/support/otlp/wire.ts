/**
 * The fields of a protobuf message by their numbers, in order: numbers as bigint or double, everything else as bytes.
 */
export type Message = ReadonlyMap<number, readonly (bigint | number | Buffer)[]>;

/** Reads the encoding of a message (protobuf.dev/programming-guides/encoding), without knowing its type. */
export function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, (bigint | number | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wireType = key & 7;
    let value: bigint | number | Buffer;
    if (wireType === 0) value = varint();
    else if (wireType === 1) value = take(8);
    else if (wireType === 2) value = take(Number(varint()));
    else if (wireType === 5) value = take(4);
    else throw new Error(`wire type ${wireType}`);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

export const messagesOf = (message: Message, field: number): Message[] =>
  bytesOf(message, field).map(readMessage);

export const bytesOf = (message: Message, field: number): Buffer[] =>
  (message.get(field) ?? []).filter(value => Buffer.isBuffer(value));

export const textOf = (message: Message, field: number): string =>
  bytesOf(message, field)[0]?.toString() ?? '';

export const hexOf = (message: Message, field: number): string =>
  bytesOf(message, field)[0]?.toString('hex') ?? '';

/** A number of whatever encoding: varint, fixed64 as an integer. */
export function integerOf(message: Message, field: number): number {
  const [value = 0n] = message.get(field) ?? [];
  return Number(Buffer.isBuffer(value) ? value.readBigInt64LE() : value);
}
