import { setImmediate } from 'node:timers/promises';
import type { Random } from '../../../fixtures/random.ts';
import { workerName } from '../../../src/shards/folder/names.ts';
import { PaceMember } from '../../../src/shards/pace/pace-member.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';

/** A worker of another machine. */
export class SimulatedWorker {
  readonly member: PaceMember;
  isAlive = true;
  /** As after SIGSTOP, until this time. */
  stoppedUntil = 0;
  /** For how many milliseconds it leaves the others after its next look; undefined: it stays. */
  leaves: number | undefined;
  /** When it first had a share, in milliseconds after it was started. */
  waited: number | undefined;

  constructor(member: PaceMember) {
    this.member = member;
  }
}

/**
 * Workers in a folder whose operations take their time. Time passes only between events, so a test waits for nothing.
 */
export class PaceSimulation {
  now = 0;
  /** Files of workers that were read so far. */
  reads = 0;
  readonly workers: SimulatedWorker[] = [];
  readonly #random: Random;
  readonly #files = new Map<string, string>();
  #events: { at: number; act: () => void }[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The part of the limit that all who can act now would use. */
  get sum(): number {
    const acting = this.workers.filter(({ isAlive, stoppedUntil }) => isAlive && stoppedUntil <= this.now);
    return acting.reduce((sum, { member }) => sum + member.limits(this.now).share, 0);
  }

  get files(): string[] {
    return [...this.#files.keys()];
  }

  fileOf(worker: SimulatedWorker): string {
    return workerName(`w${this.workers.indexOf(worker)}`);
  }

  /** Writes a file as it may be after a power loss. */
  damage(name: string): void {
    this.#files.set(name, '');
  }

  later(ms: number, act: () => void): void {
    const at = this.now + ms;
    const next = this.#events.findLastIndex(event => event.at <= at) + 1;
    this.#events.splice(next, 0, { at, act });
  }

  /** Starts a worker, which looks at the others until it is killed or leaves. */
  start(requests: number | null = 100): SimulatedWorker {
    const begun = this.now;
    const id = `w${this.workers.length}`;
    const worker: SimulatedWorker = new SimulatedWorker(
      new PaceMember({
        folder: this.#folderOf(() => worker),
        worker: id,
        process: { pid: 1, started: '1', realm: 'another machine' },
        given: { requests, rows: null },
        clock: () => this.now,
      }),
    );
    this.workers.push(worker);
    const next = (): void => {
      if (worker.member.hasShare) worker.waited ??= this.now - begun;
      if (worker.leaves !== undefined) leave(worker.leaves);
      else
        this.later(worker.member.hasShare ? 500 : 100, () =>
          this.#whenAble(worker, () => worker.member.look().then(next)),
        );
    };
    const leave = (ms: number): void => {
      worker.leaves = undefined;
      const join = (): void => void worker.member.join().then(next);
      void worker.member.leave().then(() => this.later(ms, () => this.#whenAble(worker, join)));
    };
    void worker.member.join().then(next);
    return worker;
  }

  /** Lets time pass. @param check called after each event */
  async run(until: number, check: () => void): Promise<void> {
    for (;;) {
      const [event] = this.#events;
      if (event === undefined || event.at > until) break;
      this.#events.shift();
      this.now = Math.max(this.now, event.at);
      event.act();
      await setImmediate(); // what waits for it goes on
      check();
    }
    this.now = until;
  }

  /** A worker that is stopped goes on later, and one that was killed does not. */
  #whenAble(worker: SimulatedWorker, act: () => void): void {
    if (!worker.isAlive) return;
    if (worker.stoppedUntil <= this.now) act();
    else this.later(worker.stoppedUntil - this.now, () => this.#whenAble(worker, act));
  }

  /** Each operation takes effect some time after it was asked for, and its result arrives some time after that. */
  #folderOf(worker: () => SimulatedWorker): SharedFolder {
    const operate = <T>(effect: () => T): Promise<T> =>
      new Promise(resolve => {
        const delay = (): number => (this.#random.chance(0.05) ? 1_000 : 20) * this.#random.unit();
        this.later(delay(), () => {
          const result = effect();
          this.later(delay(), () => this.#whenAble(worker(), () => resolve(result)));
        });
      });
    const files = this.#files;
    return {
      path: '/shards',
      prepare: async () => {},
      create: (name, text) => operate(() => !files.has(name) && files.set(name, text).size > 0),
      replace: (name, text) => operate(() => void files.set(name, text)),
      read: name => {
        this.reads++;
        return operate(() => files.get(name));
      },
      list: folder =>
        operate(() => [...files.keys()].flatMap(name => name.split(`${folder}/`)[1] ?? []).sort()),
      modified: name => operate(() => (files.has(name) ? new Date() : undefined)),
      remove: name => operate(() => void files.delete(name)),
      discard: async () => {},
    };
  }
}
