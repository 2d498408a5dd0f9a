import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { reportsFolder } from '../../models/store/report-version.ts';
import { unlessAbsent } from '../../storage/local/missing.ts';
import { keysFolder } from '../auth/key-file.ts';
import { RequestError } from '../problems/problems.ts';

/** How long the data directory may take to respond, for example on a hung network mount, before it is unavailable. */
const TIMEOUT_MS = 1_000;
/** How long the result of a check is reused: readiness needs no key, so asking must not cause work. */
const REUSE_MS = 500;

/**
 * Whether the service accepts new work: not during shutdown, nor while its data directory cannot be read. Uses nothing
 * of the thread it runs in, so every thread that reports readiness has its own instance.
 */
export class Readiness {
  readonly #home: string;
  #isDraining = false;
  #check: { startedAt: number; failure: Promise<RequestError | undefined> } | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** Makes the service not ready for good. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Why the service is not ready: `draining` or `home_unavailable`; undefined if it is ready. Never rejects. */
  async problem(): Promise<RequestError | undefined> {
    if (this.#isDraining) return shuttingDown();
    const now = performance.now();
    // A check that hangs is not started again: each one holds a thread of Node's pool.
    if (this.#check === undefined || now - this.#check.startedAt > REUSE_MS) {
      const check = { startedAt: Number.POSITIVE_INFINITY, failure: this.#checkHome() };
      check.failure.then(() => {
        check.startedAt = now;
      });
      this.#check = check;
    }
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<RequestError>(resolve => {
      late = setTimeout(() => resolve(unavailable('it does not respond')), TIMEOUT_MS);
    });
    return Promise.race([this.#check.failure, timeout]).finally(() => clearTimeout(late));
  }

  async #checkHome(): Promise<RequestError | undefined> {
    try {
      await access(this.#home, constants.R_OK | constants.X_OK);
      await readdir(this.#home);
      for (const folder of [reportsFolder(this.#home), keysFolder(this.#home)])
        await access(folder, constants.R_OK | constants.X_OK).catch(unlessAbsent);
      return undefined;
    } catch (cause) {
      return unavailable((cause as NodeJS.ErrnoException).code ?? 'it cannot be read');
    }
  }
}

export const shuttingDown = (): RequestError => new RequestError('draining', 'The service is shutting down.');

/** The path is not disclosed to clients; the error code is enough for operators. */
const unavailable = (reason: string): RequestError =>
  new RequestError('home_unavailable', `Cannot use the data directory: ${reason}.`);
