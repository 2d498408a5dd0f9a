import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** The limit of peak memory (G5) for every input. */
export const MAX_BYTES = 200 * 1_000_000;

export const GIGABYTE = 1_000_000_000;

/** Rows of 1,000 bytes in chunks of 1,000 rows; `id` is the only short column, and ids repeat. */
const rows: Buffer = Buffer.from(
  Array.from({ length: 1000 }, (_, row) => `${String(row).padStart(9, '1')},${'x'.repeat(989)}\n`).join(''),
);

/** A CSV of this many bytes, generated while it is read; after its first row, the same chunk is repeated. */
export function bytesOfRows(bytes: number, chunk: Buffer = rows): Readable {
  return Readable.from(
    (function* () {
      yield Buffer.from('id,text\n1,2\n');
      for (let at = 0; at < bytes; at += chunk.length) yield chunk;
    })(),
    { highWaterMark: 1 },
  );
}

/** Peak resident memory of a process so far, in bytes (VmHWM of proc_pid_status(5)); 0 if it has ended. */
export async function peakOf(pid: number | undefined): Promise<number> {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

/** Bytes that a process has read and written so far (proc_pid_io(5)). */
export async function movedBy(pid: number | undefined): Promise<string> {
  return readFile(`/proc/${pid}/io`, 'utf8');
}
