import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no disk of a given size can be mounted here; false if one can. */
export const noSmallDisk: string | false = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'rowcast-disk-'));
  try {
    mountDisk(folder, '1m');
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return false;
  } catch {
    return 'full disks are left out: tmpfs cannot be mounted, which takes root';
  } finally {
    rmdirSync(folder);
  }
})();

export function mountDisk(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** Also while a process still has a file open. */
export function unmountDisk(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}

/** Writes until nothing more fits. @returns what frees the space again */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  for (const size of [1 << 20, 1 << 12])
    try {
      for (const zeros = Buffer.alloc(size); ; ) writeSync(file, zeros);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // errors of fs
    }
  closeSync(file);
  return () => rmSync(path, { force: true });
}
