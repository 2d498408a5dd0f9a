import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { bin } from '../../support/rowcast.ts';

/** How a process ended. */
export interface End {
  /** Null if it was killed. */
  code: number | null;
  stderr: string;
}

/** What follows from the end of a process. */
export type Verdict = 'done' | 'again' | 'wrong';

export interface SupervisedOptions {
  name: string;
  /** The arguments of `rowcast`. */
  args: readonly string[];
  cwd: string;
  /** Asked for each start. */
  env: () => Record<string, string>;
  judge: (end: End) => Verdict | Promise<Verdict>;
}

/** A command that is started again until it is done, as a scheduler does. */
export class Supervised {
  readonly name: string;
  /** Rejects if it ended in a way that is wrong. */
  readonly ended: Promise<End>;
  readonly #options: SupervisedOptions;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(options: SupervisedOptions) {
    this.name = options.name;
    this.#options = options;
    this.ended = this.#run();
    this.ended.catch(() => {}); // whoever waits for it sees it
  }

  /** Undefined between two starts, and after the last. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it no more. */
  leave(): void {
    this.#isOver = true;
  }

  async #run(): Promise<End> {
    const { name, args, cwd, env, judge } = this.#options;
    for (;;) {
      const child = spawn(process.execPath, [bin, ...args], {
        cwd,
        env: { PATH: process.env.PATH, ...env() },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      this.#child = child;
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', chunk => {
        stderr += chunk;
      });
      // Not close: its own children may keep the pipe open.
      const [code] = await once(child, 'exit');
      this.#child = undefined;
      await delay(20); // the rest of what it wrote
      const end = { code: code as number | null, stderr };
      const verdict = this.#isOver ? 'done' : await judge(end);
      if (verdict === 'wrong') throw new Error(`${name} ended with ${code}: ${stderr}`);
      if (verdict === 'done' || this.#isOver) return end;
      await delay(300);
    }
  }
}
