import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a temporary file without a name: the system removes it when it is closed, however the process ends.
 *
 * @returns its descriptor, to write and read
 * @throws what `node:fs` throws
 */
export function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'rowcast-'));
  try {
    return openSync(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
