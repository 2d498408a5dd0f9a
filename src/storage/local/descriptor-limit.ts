import { setTimeout as delay } from 'node:timers/promises';

/** A descriptor becomes free when a connection or file is closed: number of attempts and the wait between them. */
const TRIES = 20;
const WAIT_MS = 50;

/**
 * Runs something that needs a file descriptor. If none is free, it is retried for a second.
 *
 * @throws errors of `act`; if the descriptor limit was reached, the message names it
 */
export async function withDescriptor<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException; // errors of fs
      if (code !== 'EMFILE' && code !== 'ENFILE') throw cause;
      if (tries === TRIES) throw Object.assign(new Error(describeLimit(code), { cause }), { code });
    }
    await delay(WAIT_MS);
  }
}

function describeLimit(code: 'EMFILE' | 'ENFILE'): string {
  if (code === 'ENFILE') return 'ENFILE: this machine has too many open files (fs.file-max)';
  // The only way to get the limit in Node: files, including those of /proc, cannot be opened now.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = report.userLimits?.open_files?.soft ?? 'unknown';
  return `EMFILE: this process has too many open files; its limit is ${limit} (ulimit -n)`;
}
