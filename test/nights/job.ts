import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { serve } from '../cli/commands/serving.ts';
import { mountDisk, noSmallDisk, unmountDisk } from '../cluster/harness/small-disk.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { bin, rowcast } from '../support/rowcast.ts';
import { type Gate, openGate } from './gate.ts';

const examples = join(root, 'examples/schedulers');
/** How many milliseconds an hour takes where time is simulated. */
const HOUR_MS = '12000';

/** What became of an attempt, which is a line of the crontab. */
export interface Attempt {
  /** The exit code of `rowcast run`. */
  code: number;
  /** What cron mails; empty if it mails nothing. */
  mail: string;
}

/** The shipped job, `nightly.yaml`, with the shipped crontab, and a service that predicts for it. */
export class NightlyJob {
  readonly folder: string;
  readonly #home: string;
  readonly #gate: Gate;
  /** The key that the scheduler has for the job. */
  key: string;

  private constructor(folder: string, home: string, gate: Gate, key: string) {
    this.folder = folder;
    this.#home = home;
    this.#gate = gate;
    this.key = key;
  }

  static async begin(t: TestContext): Promise<NightlyJob> {
    let disk: string | undefined;
    t.after(() => disk !== undefined && unmountDisk(disk));
    const [folder, home] = [await newFolder(t), await newFolder(t)];
    if (!noSmallDisk) {
      mountDisk(folder, '64m');
      disk = folder;
    }
    await cp(join(examples, 'nightly.yaml'), join(folder, 'nightly.yaml'));
    await mkdir(join(folder, 'bin'));
    // The command of the crontab, which also notes its exit code.
    const command = `#!/bin/sh\n'${process.execPath}' '${bin}' "$@"\ncode=$?\necho $code >'${folder}/code'\nexit $code\n`;
    await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
    const history = join(root, 'fixtures/telecom-history.csv');
    const train = ['train', history, '--predict', 'churned', '--report', 'churn', '--home', home];
    const { code, stderr } = await rowcast(train);
    assert.equal(code, 0, stderr);
    const { url } = await serve(t, { ROWCAST_HOME: home });
    const gate = await openGate(Number(new URL(url).port));
    t.after(() => gate.close());
    const job = new NightlyJob(folder, home, gate, '');
    job.key = await job.addKey('night');
    return job;
  }

  /** The service as the job sees it. */
  get service(): Gate {
    return this.#gate;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs an attempt as cron does: one of the night's, or the last one. */
  async attempt(which: 'usual' | 'last' = 'usual', options: { isFast?: boolean } = {}): Promise<Attempt> {
    const [usual = '', last = ''] = cronLines();
    const line = (which === 'last' ? last : usual).replaceAll('/srv/churn', this.folder);
    const child = spawn('sh', ['-c', line], {
      cwd: this.folder,
      env: { ...this.#env(options.isFast), PATH: [this.path('bin'), process.env.PATH].join(delimiter) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'close'),
    ]);
    return { code: Number(await readFile(this.path('code'), 'utf8')), mail: stdout + stderr };
  }

  /** Waits until the log says something that it has not said before. */
  async says(what: RegExp): Promise<void> {
    const log = this.path('nightly.log');
    const before = (await readFile(log, 'utf8')).length;
    while (!what.test((await readFile(log, 'utf8')).slice(before))) await sleep(20);
  }

  /** Starts what the crontab runs, in a process of its own, for example to kill it. */
  start(): ChildProcess {
    const args = [bin, 'run', this.path('nightly.yaml')];
    return spawn(process.execPath, args, { cwd: this.folder, env: this.#env(), stdio: 'ignore' });
  }

  /** Runs `rowcast ARGS…` on the machine of the service. */
  async administer(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await rowcast([...args, '--home', this.#home]);
    assert.equal(code, 0, stderr);
    return String(stdout);
  }

  /** Makes a key and returns it. */
  async addKey(name: string): Promise<string> {
    return (await this.administer('keys', 'add', name)).trim();
  }

  async summary(): Promise<Summary> {
    return JSON.parse(await readFile(this.path('summary.json'), 'utf8'));
  }

  /** The samples of the metrics by name and, if they have one, the label that tells them apart. */
  async metrics(): Promise<Map<string, number>> {
    const samples = (await readFile(this.path('metrics.prom'), 'utf8')).matchAll(
      /^rowcast_run_(\w+)\{([^}]*)\} (\S+)$/gm,
    );
    return new Map(
      [...samples].map(([, name = '', labels = '', value]) => {
        const own = labels.match(/(?<=\b(?:result|status)=")[^"]*/)?.[0];
        return [own === undefined ? name : `${name} ${own}`, Number(value)] as const;
      }),
    );
  }

  #env(isFast = false): Record<string, string> {
    const fast = {
      NIGHT_HOUR_MS: HOUR_MS,
      NODE_OPTIONS: `--import=${join(root, 'dist/test/nights/fast-clock.js')}`,
    };
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      ROWCAST_URL: this.#gate.url,
      ROWCAST_API_KEY: this.key,
      ...(isFast && fast),
    };
  }
}

/** The commands of the crontab: of the night, and of its last attempt. */
const cronLines = (): string[] =>
  [...readFileSync(join(examples, 'crontab'), 'utf8').matchAll(/^[\d*]\S* (?:\S+ ){4}(.*)$/gm)].map(
    ([, command = '']) => command,
  );
