import { RowcastError } from '../../../src/base/errors.ts';
import { type OutputLock, takenOver } from '../../../src/storage/durable-output.ts';
import { processIsGone } from '../../../src/storage/local/locks/lock-holder.ts';
import { type ObjectClient, type ObjectHead, StoreError, unless } from './object-client.ts';

/** Who may write an output: enough to know on the same machine that the process is gone. */
export interface ClaimHolder {
  pid: number;
  started: string;
  realm: string;
}

/** A checkpoint object: who holds it, and the checkpoint, which is empty before the first one. */
export interface Claimed {
  holder: ClaimHolder | null;
  payload: Buffer;
  head: ObjectHead;
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The checkpoint object of an output, which is also its lock: each write replaces the version that this process wrote
 * last, so a process whose claim was taken over cannot write it any more.
 */
export class Claim {
  readonly #object: ObjectClient;
  readonly #name: string;
  readonly #holder: ClaimHolder;
  readonly #leaseMs: number;
  /** The last version that this process wrote; undefined if it does not hold the claim. */
  #version: string | undefined;
  #payload: Buffer = NOTHING;
  #writes = 0;
  #writtenAt = 0;
  #isUncertain = false;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(object: ObjectClient, name: string, holder: ClaimHolder, leaseMs: number) {
    this.#object = object;
    this.#name = name;
    this.#holder = holder;
    this.#leaseMs = leaseMs;
  }

  /** @throws RowcastError `locked` */
  async take(): Promise<OutputLock> {
    for (;;) {
      const found = await this.find();
      if (found !== undefined && this.isHeld(found))
        throw new RowcastError('locked', `another run is writing this object, process ${found.holder?.pid}`, {
          severity: 'temporary',
          location: { file: this.#name },
          hint: 'Wait for it or stop it.',
        });
      this.#payload = found?.payload ?? NOTHING;
      const version = await this.#object
        .put(this.#bytes(this.#holder), found?.head.etag ?? null)
        .catch(unless(412));
      if (version === undefined) continue;
      this.#written(version);
      this.#timer = setInterval(() => {
        // A failure is reported by the next write.
        this.renew().catch(() => {});
      }, this.#leaseMs / 3).unref();
      return { tookOver: (found?.holder ?? null) !== null, release: () => this.#release() };
    }
  }

  /** What is there now. */
  async find(): Promise<Claimed | undefined> {
    const found = await this.#object.get();
    if (found === undefined) return undefined;
    const end = found.bytes.indexOf('\n');
    const { holder } = JSON.parse(found.bytes.toString('utf8', 0, end));
    return { holder, payload: found.bytes.subarray(end + 1), head: found.head };
  }

  isHeld({ holder, head }: Claimed): boolean {
    if (holder === null || processIsGone(holder)) return false;
    return head.now - head.modified.getTime() < this.#leaseMs;
  }

  async read(): Promise<Buffer | undefined> {
    const payload = this.#version === undefined ? (await this.find())?.payload : this.#payload;
    return payload === undefined || payload.length === 0 ? undefined : payload;
  }

  /** @throws RowcastError `locked` if another process has taken it over */
  write(payload: Buffer): Promise<void> {
    return this.#inOrder(async () => {
      this.#payload = payload;
      await this.#put(this.#holder);
    });
  }

  /** Writes it again if the lease is half over, or may be over already. */
  async renew(): Promise<void> {
    if (performance.now() - this.#writtenAt > this.#leaseMs / 2) await this.confirm();
  }

  /** @throws RowcastError `locked` if another process has taken it over */
  confirm(): Promise<void> {
    return this.#inOrder(() => this.#put(this.#holder));
  }

  /** Writes that wait for each other: each one needs the version of the one before. */
  #inOrder(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (this.#version !== undefined) await act();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Whether a checkpoint may be there of which this process does not know that it was written. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  async #put(holder: ClaimHolder | null): Promise<void> {
    const version = await this.#object.put(this.#bytes(holder), this.#version).catch(error => {
      this.#isUncertain ||= !(error instanceof StoreError);
      return unless(412)(error);
    });
    if (version === undefined) throw takenOver(this.#name);
    this.#written(version);
  }

  #written(version: string): void {
    this.#version = version;
    this.#writtenAt = performance.now();
  }

  /** Two writes never have the same bytes, and so never the same version. */
  #bytes(holder: ClaimHolder | null): Buffer {
    const header = JSON.stringify({ holder, by: this.#holder.pid, at: Date.now(), write: this.#writes++ });
    return Buffer.concat([Buffer.from(`${header}\n`), this.#payload]);
  }

  /** Removes the object if no checkpoint is in it. That it was taken over is known already, or does not matter now. */
  async #release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#inOrder(async () => {
      if (this.#payload.length > 0) await this.#put(null);
      else await this.#object.remove(this.#version ?? '');
    }).catch(() => {});
    this.#version = undefined;
  }
}
