import { createHash } from 'node:crypto';
import type { StoredExtent } from '../../storage/durable-output.ts';

/** The members whose bytes a checkpoint may carry, in the order in which they follow its JSON. */
const CARRIED = [
  ['output', 'carried'],
  ['output', 'open'],
  ['rejects', 'carried'],
] as const;

/** An extent with the text of a member that is not complete. */
type Carrier = StoredExtent & { open?: Buffer };

/**
 * The bytes of a checkpoint: JSON on one line. The bytes that are not in the output yet follow a line feed, and the
 * JSON has their number instead of them, and the SHA-256 of all of them.
 */
export function checkpointBytes(checkpoint: Readonly<Record<(typeof CARRIED)[number][0], Carrier>>): Buffer {
  const carried = CARRIED.flatMap(([extent, member]) => checkpoint[extent][member] ?? []);
  if (carried.length === 0) return Buffer.from(JSON.stringify(checkpoint));
  const [output, rejects] = [counted(checkpoint.output), counted(checkpoint.rejects)];
  const json = JSON.stringify({ ...checkpoint, output, rejects, sha256: sha256Of(carried) });
  return Buffer.concat([Buffer.from(`${json}\n`), ...carried]);
}

const counted = ({ carried, open, ...extent }: Carrier): object => ({
  ...extent,
  carried: carried?.length,
  open: open?.length,
});

function sha256Of(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** The JSON of a checkpoint with the bytes that it carries in their places; undefined if it is damaged. */
export function parseCheckpoint(bytes: Buffer): unknown {
  const line = bytes.indexOf('\n');
  const end = line < 0 ? bytes.length : line;
  const json = jsonOf(bytes.subarray(0, end));
  if (json === undefined) return undefined;
  const { sha256, ...parsed } = json;
  let at = end + 1;
  // Checkpoints of stores had no digest at first.
  if (sha256 !== undefined && sha256 !== sha256Of([bytes.subarray(at)])) return undefined;
  for (const [name, member] of CARRIED) {
    const extent = parsed[name] as Record<string, unknown> | undefined; // its shape is checked later
    const length = extent?.[member];
    if (extent === undefined || typeof length !== 'number') continue;
    extent[member] = bytes.subarray(at, at + length);
    at += length;
    if (at > bytes.length) return undefined;
  }
  return parsed;
}

function jsonOf(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
