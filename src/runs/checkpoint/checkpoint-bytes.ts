import type { StoredExtent } from '../../storage/durable-output.ts';

/** The extents whose bytes a checkpoint may carry, in the order in which they follow its JSON. */
const carriers = ['output', 'rejects'] as const;

/**
 * The bytes of a checkpoint: JSON on one line, which is all of them for local files. The bytes that a storage cannot keep
 * itself follow a line feed, and the JSON has their number instead of them.
 */
export function checkpointBytes(
  checkpoint: Readonly<Record<(typeof carriers)[number], StoredExtent>>,
): Buffer {
  const carried = carriers.flatMap(name => checkpoint[name].carried ?? []);
  if (carried.length === 0) return Buffer.from(JSON.stringify(checkpoint));
  const [output, rejects] = [counted(checkpoint.output), counted(checkpoint.rejects)];
  const json = JSON.stringify({ ...checkpoint, output, rejects });
  return Buffer.concat([Buffer.from(`${json}\n`), ...carried]);
}

const counted = ({ carried, ...extent }: StoredExtent): object =>
  carried === undefined ? extent : { ...extent, carried: carried.length };

/** The JSON of a checkpoint with the bytes that it carries in their places; undefined if it is damaged. */
export function parseCheckpoint(bytes: Buffer): unknown {
  const end = bytes.indexOf('\n');
  const isPlain = end < 0;
  let at = isPlain ? bytes.length : end + 1;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(bytes.toString('utf8', 0, isPlain ? at : end));
  } catch {
    return undefined;
  }
  for (const name of carriers) {
    const extent = parsed?.[name] as Partial<Record<'carried', unknown>> | undefined; // its shape is checked later
    if (typeof extent?.carried !== 'number') continue;
    const length = extent.carried;
    extent.carried = bytes.subarray(at, at + length);
    at += length;
    if (at > bytes.length) return undefined;
  }
  return parsed;
}
