import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { jsonValue } from '../../base/json-value.ts';
import { type OutputLock, takenOver } from '../durable-output.ts';
import { processIsGone } from '../local/locks/lock-holder.ts';
import type { ObjectHead, WritableObject } from './object-client.ts';
import { StoreError, storeError, unless } from './store-error.ts';

/** Who may write an output: enough to know on the same machine that the process is gone. */
const holderShape = z.object({ pid: z.int(), started: z.string(), realm: z.string() });
export type ClaimHolder = z.infer<typeof holderShape>;

/** The first line of a checkpoint object; the checkpoint follows it. */
const headerShape = z.object({
  rowcast: z.literal('claim'),
  holder: holderShape.nullable(),
  /** Identifies the process that wrote it and counts its writes, so that no two writes have the same bytes. */
  by: z.string(),
  write: z.int(),
});

/** A checkpoint object: who holds it, and the checkpoint, which is empty before the first one. */
interface Claimed {
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
  readonly #object: WritableObject;
  /** The URL of the output, for messages. */
  readonly #name: string;
  readonly #holder: ClaimHolder;
  readonly #leaseMs: number;
  readonly #by = randomUUID();
  /** The last version that this process wrote; undefined if it does not hold the claim. */
  #version: string | undefined;
  #payload: Buffer = NOTHING;
  #writes = 0;
  /** Checkpoints that were handed over to be written; their bytes are copies. */
  saves = 0;
  #writtenAt = 0;
  #isUncertain = false;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param object the checkpoint object
   * @param name of the output, for messages
   * @param leaseMs how long the claim holds without being written again; 0 if something else decides who may take it
   *   over
   */
  constructor(object: WritableObject, name: string, holder: ClaimHolder, leaseMs: number) {
    this.#object = object;
    this.#name = name;
    this.#holder = holder;
    this.#leaseMs = leaseMs;
  }

  /** @throws RowcastError `locked`, `store_without_conditions`, and others of `storeError` */
  async take(): Promise<OutputLock> {
    for (;;) {
      const found = await this.find();
      if (found !== undefined && this.isHeld(found)) throw this.#locked(found);
      this.#payload = found?.payload ?? NOTHING;
      const version = await this.#write(this.#holder, found?.head.version ?? null)
        .catch(unless('changed'))
        .catch(this.#refuse);
      if (version === undefined) continue;
      this.#written(version);
      if (found === undefined)
        await this.#checkConditions().catch(async error => {
          await this.#release();
          return this.#refuse(error);
        });
      if (this.#leaseMs > 0)
        this.#timer = setInterval(() => {
          // A failure is reported by the next write.
          this.renew().catch(() => {});
        }, this.#leaseMs / 3).unref();
      return { tookOver: (found?.holder ?? null) !== null, release: () => this.#release() };
    }
  }

  /** What is there now. @throws RowcastError `bad_checkpoint`, and others of `storeError` */
  async find(): Promise<Claimed | undefined> {
    const found = await this.#object.get().catch(error => {
      throw storeError(this.#object.name, 'read', error);
    });
    if (found === undefined) return undefined;
    const { bytes, head } = found;
    const end = bytes.indexOf('\n');
    const header = headerShape.safeParse(jsonValue(bytes.toString('utf8', 0, Math.max(0, end)))).data;
    if (header === undefined)
      throw new RowcastError('bad_checkpoint', 'the object is not a checkpoint of rowcast', {
        location: { file: this.#object.name },
        hint: 'Move it elsewhere, or write to another URL.',
      });
    return { holder: header.holder, payload: bytes.subarray(end + 1), head };
  }

  isHeld({ holder, head }: Claimed): boolean {
    if (holder === null || processIsGone(holder)) return false;
    return this.#ageOf(head) < this.#leaseMs;
  }

  async read(): Promise<Buffer | undefined> {
    const payload = this.#version === undefined ? (await this.find())?.payload : this.#payload;
    return payload === undefined || payload.length === 0 ? undefined : payload;
  }

  /** @throws RowcastError `locked` if another process has taken it over */
  write(payload: Buffer): Promise<void> {
    this.saves++;
    return this.#inOrder(async () => {
      this.#payload = payload;
      await this.#replace(this.#holder);
    });
  }

  /** Writes it again if the lease is half over, or may be over already. */
  async renew(): Promise<void> {
    if (performance.now() - this.#writtenAt > this.#leaseMs / 2) await this.confirm();
  }

  /** @throws RowcastError `locked` if another process has taken it over */
  confirm(): Promise<void> {
    return this.#inOrder(() => this.#replace(this.#holder));
  }

  /** Whether a checkpoint may be there of which this process does not know that it was written. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  /** Writes that wait for each other: each one needs the version of the one before. */
  #inOrder(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (this.#version !== undefined) await act();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #replace(holder: ClaimHolder | null): Promise<void> {
    const version = await this.#write(holder, this.#version).catch(error => {
      // S3 responds with 404 if the object to be replaced is gone.
      const isLost = error instanceof StoreError && ['changed', 'missing'].includes(error.failure);
      this.#isUncertain ||= !isLost;
      if (isLost) throw takenOver(this.#name);
      throw storeError(this.#name, 'write', error);
    });
    this.#written(version);
  }

  /** @throws StoreError `changed` if another process has written it */
  async #write(holder: ClaimHolder | null, replaces: string | null | undefined): Promise<string> {
    const header = { rowcast: 'claim', holder, by: this.#by, write: this.#writes++ };
    const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), this.#payload]);
    try {
      return await this.#object.put(bytes, replaces);
    } catch (error) {
      unless('changed')(error);
      // The write may have been made again because the response to the first one was lost.
      const found = await this.#object.get();
      if (found?.bytes.equals(bytes)) return found.head.version;
      throw error;
    }
  }

  /** A store that ignores conditions cannot tell two processes apart, so each would destroy the output of the other. */
  async #checkConditions(): Promise<void> {
    const version = await this.#object.put(NOTHING, null).catch(unless('changed'));
    if (version === undefined) return;
    await this.#object.remove();
    this.#version = undefined;
    throw new RowcastError('store_without_conditions', 'this store ignores conditions (If-None-Match)', {
      location: { file: this.#name },
      hint: 'Two processes could write the same output. Write to a local file, then copy it to the store.',
    });
  }

  #written(version: string): void {
    this.#version = version;
    this.#writtenAt = performance.now();
  }

  #ageOf({ now, modified }: ObjectHead): number {
    return now - modified.getTime();
  }

  #locked({ holder, head }: Claimed): RowcastError {
    const [host = ''] = holder?.realm.split(' ', 1) ?? [];
    const left = Math.ceil((this.#leaseMs - this.#ageOf(head)) / 1000);
    return new RowcastError(
      'locked',
      `another run is writing this object, process ${holder?.pid} on ${host}`,
      {
        severity: 'temporary',
        location: { file: this.#name },
        hint: `Wait for it or stop it. If it was killed, its claim ends in ${left} s.`,
      },
    );
  }

  readonly #refuse = (error: unknown): never => {
    throw storeError(this.#name, 'write', error);
  };

  /** Removes the object if no checkpoint is in it. That it was taken over is known already, or does not matter now. */
  async #release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#inOrder(async () => {
      await this.#replace(null);
      if (this.#payload.length === 0) await this.#object.remove(this.#version);
    }).catch(() => {});
    this.#version = undefined;
  }
}
