import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { bin, exits, rowcast } from '../../support/rowcast.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { startStub } from '../../support/stub/service.ts';
import { type Ended, runProgram } from './processes.ts';

/** Shards of the input of a test. */
export const SHARDS = 4;

/** A folder with an input, a slow service and the files of an example, in which `rowcast` is a command. */
export interface ShardedJob {
  folder: string;
  /** The folder of the shards. */
  shards: string;
  env: NodeJS.ProcessEnv;
  /** Arguments of `rowcast plan`, as the examples take them. */
  plan: readonly string[];
  run(program: string, ...args: string[]): Promise<Ended>;
  /** The pid of the process that scores a shard now. */
  holderOf(shard: number): number | undefined;
  /** How many attempts were made to score a shard; none once the run is assembled. */
  attemptsOf(shard: number): number;
  /** Checks that output and rejects are those of one process, and that nothing else is left. */
  checkResult(): Promise<void>;
}

const common = ['--report', 'r', '--allow-missing'];

/**
 * Workers need about two seconds for a shard, so that they can be killed while they score it.
 *
 * @param example folder of the example in `examples/cluster`
 */
export async function newJob(t: TestContext, example: string): Promise<ShardedJob> {
  const columns = ['id', 'monthly amount', 'plan', 'note'].map(name => ({ name }));
  const stub = await startStub(t, {
    report: { columns, classes: ['no', 'yes'] },
    behave: async () => {
      await delay(100);
      return false;
    },
  });
  const folder = await newFolder(t);
  await mkdir(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
  await cp(join(root, 'examples/cluster', example), join(folder, 'example'), { recursive: true });
  await writeFile(join(folder, 'personas.csv'), hardCsv(SHARDS * (1 << 20) - 200_000));
  const service = stub.env;
  const path = [join(folder, 'bin'), process.env.PATH, join(process.execPath, '..')].join(delimiter);
  const env = { ...service, PATH: path, HOME: folder, WORK_OPTIONS: '--concurrency 1 --batch-rows 400' };
  const shards = join(folder, 'scored.csv.shards');
  const namesIn = (name: string): string[] => {
    try {
      return readdirSync(join(shards, name));
    } catch {
      return []; // not planned yet, or assembled
    }
  };
  const leasesOf = (shard: number) =>
    namesIn('leases').filter(name => Number(name.split('.', 1)[0]) === shard && name.endsWith('.json'));
  return {
    folder,
    shards,
    env,
    plan: [
      'personas.csv',
      ...common,
      ...'-o scored.csv --shards scored.csv.shards --shard-bytes 1MiB'.split(' '),
    ],
    run: (program, ...args) => runProgram(program, args, { cwd: folder, env }),
    holderOf(shard) {
      const last = leasesOf(shard).at(-1);
      if (last === undefined || namesIn('done').some(name => Number(name.split('.', 1)[0]) === shard))
        return undefined;
      try {
        return JSON.parse(readFileSync(join(shards, 'leases', last), 'utf8')).pid;
      } catch {
        return undefined; // removed in the meantime
      }
    },
    attemptsOf: shard => leasesOf(shard).length,
    async checkResult() {
      const left = (await readdir(folder)).filter(
        name => name.startsWith('scored.csv') && !name.endsWith('.log'),
      );
      assert.deepEqual(left.sort(), ['scored.csv', 'scored.csv.rejects']);
      await exits(
        rowcast(['score', 'personas.csv', ...common, '-o', 'one.csv'], {
          cwd: folder,
          env: service,
        }),
        1,
      );
      for (const ending of ['', '.rejects']) {
        const [ours, one] = await Promise.all(
          ['scored', 'one'].map(name => readFile(join(folder, `${name}.csv${ending}`))),
        );
        assert.ok(ours?.equals(one ?? Buffer.alloc(0)), `scored.csv${ending} has other bytes`);
      }
    },
  };
}
