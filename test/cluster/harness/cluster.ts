import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../fixtures/random.ts';
import { isRunning, until } from '../support/processes.ts';
import type { Scenario } from './scenario.ts';
import { type End, Supervised, type Verdict } from './supervised.ts';
import { noWrongClock, wrongClock } from './wrong-clock.ts';

/** The processes of a run, each started again until it is done. */
export class Cluster {
  readonly scenario: Scenario;
  /** The command that plans or joins, now. */
  coordinator: Supervised | undefined;
  readonly workers: Supervised[] = [];
  /** Shards that were given up and scored by hand. */
  givenUp = 0;
  /** Whether it is being cancelled and planned again: joining now would make that plan a new run. */
  isReplanned = false;
  /** Processes that are suspended. */
  readonly suspended = new Set<number>();
  /** Rejects as soon as a process ends in a way that is wrong. */
  readonly failure: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #random: Random;
  #byHand: Promise<unknown> = Promise.resolve();

  constructor(scenario: Scenario, random: Random) {
    this.scenario = scenario;
    this.#random = random;
    let fail: (error: Error) => void = () => {};
    this.failure = new Promise((_, reject) => {
      fail = reject;
    });
    this.#fail = fail;
    this.failure.catch(() => {}); // there may be nobody who waits for it
  }

  /** Starts a command, and starts it again until it is done. @param clocks probability that its clock is wrong */
  start(args: readonly string[], clocks = 0): Supervised {
    const { folder, predictor } = this.scenario;
    const hasWrongClock = noWrongClock === false && this.#random.chance(clocks);
    const extra = hasWrongClock ? wrongClock(this.#random) : {};
    const process = new Supervised({
      name: args[0] ?? '',
      args,
      cwd: folder,
      env: () => ({ ...predictor.env, ...extra }),
      judge: end => this.#judge(args, end),
    });
    process.ended.catch(this.#fail);
    return process;
  }

  addWorker(clocks = 0): void {
    const { way } = this.scenario;
    if (way.worker !== undefined) this.workers.push(this.start(way.worker(this.scenario), clocks));
  }

  /** Whether there is a plan that workers can read. */
  get isPlanned(): boolean {
    return existsSync(join(this.scenario.shards, 'plan.json'));
  }

  /** Whether all shards have results, or are joined already. */
  get isScored(): boolean {
    const planned = this.#read('planned.json');
    if (planned === undefined) return !this.isPlanned && this.#isJoined;
    return this.list('done').length >= JSON.parse(planned).shards;
  }

  /** Numbers of the published shards that have no result. */
  get unfinished(): number[] {
    const done = new Set(this.list('done'));
    return this.list('shards')
      .filter(name => !done.has(name))
      .map(name => Number.parseInt(name, 10));
  }

  /** The processes that score a shard now, whoever started them. */
  get holders(): number[] {
    const pids = this.list('leases').flatMap(name => {
      const text = this.#read(`leases/${name}`);
      return text === undefined || text === '' ? [] : [Number(JSON.parse(text).pid)];
    });
    return [...new Set(pids)].filter(pid => isRunning(pid) && this.#isOwn(pid));
  }

  /** The files of a folder of the run, without those that are still being written. */
  list(name: string): string[] {
    try {
      return readdirSync(join(this.scenario.shards, name)).filter(file => /^[\d.]+\.json$/.test(file));
    } catch {
      return []; // not planned yet, or joined
    }
  }

  /** Waits until every process of this run has ended. @throws if one stays */
  async allEnded(): Promise<void> {
    for (const worker of this.workers) await worker.ended;
    await this.#byHand;
    await until('the end of all processes', () => this.#processes().length === 0);
  }

  /** Kills everything that is left, after a failure. */
  async close(): Promise<void> {
    for (const each of [...this.workers, ...(this.coordinator ? [this.coordinator] : [])]) each.leave();
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL');
    await delay(200);
  }

  get #isJoined(): boolean {
    return readdirSync(this.scenario.outputs).length > 0;
  }

  async #judge(args: readonly string[], { code, stderr }: End): Promise<Verdict> {
    const [command] = args;
    if (code === 0 || (code === 1 && command !== 'work')) return 'done';
    // Killed; try again later; ended by a signal; cancelled, which is undone soon.
    if (code === null || code === 75 || code > 128 || stderr.includes('[cancelled]')) return 'again';
    if (stderr.includes('[no_plan]') && !this.isPlanned) return this.#isJoined ? 'done' : 'again';
    if (!stderr.includes('[shards_failed]')) return 'wrong';
    await this.#retryByHand(stderr);
    return 'again';
  }

  /** As the message says. */
  async #retryByHand(stderr: string): Promise<void> {
    for (const [, shard = ''] of stderr.matchAll(/--shard (\d+)/g)) {
      this.givenUp++;
      const { ended } = this.start(['work', this.scenario.shards, '--shard', shard]);
      this.#byHand = this.#byHand.then(() => ended);
      await ended;
    }
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(join(this.scenario.shards, name), 'utf8');
    } catch {
      return undefined; // removed in the meantime
    }
  }

  /** Processes of rowcast that work in the folder of this run. */
  #processes(): number[] {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)
      .filter(pid => this.#isOwn(pid) && isRunning(pid));
  }

  #isOwn(pid: number): boolean {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.scenario.shards);
    } catch {
      return false; // it has ended
    }
  }
}
