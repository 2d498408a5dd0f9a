import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { reportsFolder } from '../../reports/report-store.ts';
import { keysFolder, unlessMissing } from '../auth/key-store.ts';
import { RequestError } from '../problems/problems.ts';

/** How long the home may take to respond before it counts as unavailable, such as behind a hung network mount. */
const LOOK_MS = 1_000;
/** How long one look at the home is good for: whoever asks has no key, and must not make work. */
const GOOD_FOR_MS = 500;

/**
 * Whether the service wants new work: not once it shuts down, nor while its home cannot be read. Needs nothing of the
 * thread that it lives in, so each thread that tells it has its own.
 */
export class Readiness {
  readonly #home: string;
  #isDraining = false;
  #look: { begun: number; failure: Promise<RequestError | undefined> } | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** From here on the service is not ready, whatever its home is like. */
  drain(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Why the service is not ready: `draining` or `home_unavailable`; undefined when it is ready. Never rejects. */
  async problem(): Promise<RequestError | undefined> {
    if (this.#isDraining) return shuttingDown();
    const now = performance.now();
    // A look that hangs is not begun again: each one holds a thread of Node's pool.
    if (this.#look === undefined || now - this.#look.begun > GOOD_FOR_MS) {
      const look = { begun: Number.POSITIVE_INFINITY, failure: this.#lookAtHome() };
      look.failure.then(() => {
        look.begun = now;
      });
      this.#look = look;
    }
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<RequestError>(resolve => {
      late = setTimeout(() => resolve(unavailable('it does not respond')), LOOK_MS);
    });
    return Promise.race([this.#look.failure, timeout]).finally(() => clearTimeout(late));
  }

  async #lookAtHome(): Promise<RequestError | undefined> {
    try {
      await access(this.#home, constants.R_OK | constants.X_OK);
      await readdir(this.#home);
      for (const folder of [reportsFolder(this.#home), keysFolder(this.#home)])
        await access(folder, constants.R_OK | constants.X_OK).catch(unlessMissing);
      return undefined;
    } catch (cause) {
      return unavailable((cause as NodeJS.ErrnoException).code ?? 'it cannot be read');
    }
  }
}

export const shuttingDown = (): RequestError => new RequestError('draining', 'The service is shutting down.');

/** The folder is no business of a client's; its error code is enough for who runs the service. */
const unavailable = (reason: string): RequestError =>
  new RequestError('home_unavailable', `The folder of reports and keys cannot be used: ${reason}.`);
