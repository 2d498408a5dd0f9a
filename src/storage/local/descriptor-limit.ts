import { setTimeout as delay } from 'node:timers/promises';

/** A descriptor is free again as soon as a connection or a file closes: tries, and the wait between them. */
const TRIES = 20;
const WAIT_MS = 50;

/**
 * Does something that needs a file descriptor, again for a second where there is none.
 *
 * @throws what `act` fails with; the process's limit is named where that is what it reached
 */
export async function withDescriptor<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException; // what fs throws
      if (code !== 'EMFILE' && code !== 'ENFILE') throw cause;
      if (tries === TRIES) throw Object.assign(new Error(describeLimit(code), { cause }), { code });
    }
    await delay(WAIT_MS);
  }
}

function describeLimit(code: 'EMFILE' | 'ENFILE'): string {
  if (code === 'ENFILE') return 'ENFILE: this machine has too many open files (fs.file-max)';
  // Nothing else in Node says it, and files cannot be opened now, those of /proc included.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = report.userLimits?.open_files?.soft ?? 'unknown';
  return `EMFILE: this process has too many open files; its limit is ${limit} (ulimit -n)`;
}
