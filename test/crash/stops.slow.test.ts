import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { random as randomOf } from '../../fixtures/random.ts';
import { bundled } from '../support/bundled.ts';
import { newFolder } from '../support/folder.ts';
import { type ObjectService, startObjectService } from '../support/object-store/object-service.ts';
import { parquetOf } from '../support/parquet.ts';
import { seed } from '../support/random-tests.ts';
import { root } from '../support/root.ts';
import { spawnRowcast } from '../support/rowcast.ts';
import { type Stub, startStub } from '../support/stub/service.ts';
import type { ScoreToStore } from './stores/score-to-store.ts';
import { rowsOf } from './variants.ts';

/** Stops for each kind of output, and the most of them for one output. STOPS=20 makes more. */
const STOPS = Number(process.env.STOPS ?? 2);
const MOST = 5;

/** A third of the kinds, others for each seed; with STOPS, all. */
const isChosen = (_: unknown, index: number): boolean =>
  process.env.STOPS !== undefined || index % 3 === seed % 3;

const ROWS = 2000;
const BATCH_ROWS = 40;
const GROUP_ROWS = 700;
const FILES = 8;

/** What is stopped and begun again. */
interface Work {
  /** Its outputs, or the keys of objects. */
  outputs: readonly string[];
  start(): ChildProcess;
  /** An output; undefined if it is not there. */
  read(output: string): Promise<Buffer | undefined>;
  remove(output: string): Promise<void>;
}

interface Bench {
  folder: string;
  stub: Stub;
  /** Called for each request. */
  onCall(): void;
}

async function newBench(t: TestContext): Promise<Bench> {
  const folder = await newFolder(t);
  const random = randomOf(seed);
  const bench = {
    folder,
    stub: await startStub(t, {
      report: { classes: ['no', 'yes'] },
      async behave() {
        bench.onCall();
        await delay(random.whole(0, 4));
        return false;
      },
    }),
    onCall() {},
  };
  return bench;
}

/**
 * Stops work at random moments until all of its outputs are there, again and again. The service counts: no row is sent
 * twice, and the bytes are those of work that was not stopped.
 */
async function stopAtRandom(t: TestContext, bench: Bench, work: Work): Promise<void> {
  const { stub } = bench;
  const random = randomOf(seed + 1);
  const wanted = new Map<string, Buffer | undefined>();
  let calls = 0;
  let stops = 0;
  let resumes = 0;
  for (let isFirst = true; isFirst || stops < STOPS; isFirst = false) {
    stub.bodies.length = 0;
    for (let left = isFirst ? 0 : random.whole(1, MOST); ; left--) {
      const child = work.start();
      const at = left > 0 ? random.whole(1, calls) : Number.POSITIVE_INFINITY;
      const ms = random.whole(0, 20);
      let received = 0;
      bench.onCall = () => {
        if (++received === at) setTimeout(() => child.kill('SIGTERM'), ms);
      };
      assert.ok(child.stderr);
      const said = text(child.stderr);
      const [code, signal] = await once(child, 'exit');
      const stderr = await said;
      if (stderr.includes('resuming at row')) resumes++;
      if (code === 0) break;
      assert.equal(code, 143, `${signal}: ${stderr}`);
      assert.match(stderr, /to resume, run/);
      stops++;
    }
    const ids = stub.bodies.flatMap(({ personas }) => personas.map(({ features }) => features.id));
    assert.equal(new Set(ids).size, ROWS);
    assert.equal(ids.length, ROWS, 'rows were sent twice');
    for (const output of work.outputs) {
      const bytes = await work.read(output);
      assert.ok(bytes, output);
      if (isFirst) wanted.set(output, bytes);
      else assert.ok(wanted.get(output)?.equals(bytes), `${output} has other bytes`);
      await work.remove(output);
    }
    if (isFirst) calls = stub.bodies.length;
  }
  t.diagnostic(`${stops} stops, ${resumes} runs resumed, seed ${seed}`);
}

/** The command, whose inputs and outputs are files. */
function scoreFiles({ folder, stub }: Bench, outputs: string[], words: string[]): Work {
  const args = ['score', ...words, '--report', 'r', '--url', stub.url, '--features', 'id'];
  args.push('--batch-rows', `${BATCH_ROWS}`);
  return {
    outputs,
    start: () => spawnRowcast(args, { cwd: folder, env: { ROWCAST_API_KEY: stub.key } }),
    read: output => readFile(join(folder, output)).catch(() => undefined),
    remove: output => rm(join(folder, output)),
  };
}

function scoreToStore(bench: Bench, service: ObjectService, input: string, output: string): Work {
  const { stub } = bench;
  const key = `/${output}`;
  const parameters: ScoreToStore = {
    url: stub.url,
    key: stub.key,
    input,
    output: service.nameOf(key),
    endpoint: service.endpoint,
    features: ['id'],
    batchRows: BATCH_ROWS,
    groupRows: GROUP_ROWS,
  };
  return {
    outputs: [key],
    start: () => spawn(process.execPath, [script, JSON.stringify(parameters)]),
    read: async output => service.objects.get(output)?.bytes,
    // The next run replaces it.
    remove: async () => {},
  };
}

/** Files of rows in a folder `in`. @returns the names of their outputs */
async function writeFolder(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'in'));
  const [header, ...lines] = rowsOf({ words: 8 }, ROWS).toString().trimEnd().split('\n');
  const share = ROWS / FILES;
  const names = Array.from({ length: FILES }, (_, index) => `${index}.csv`);
  for (const [index, name] of names.entries()) {
    const own = lines.slice(index * share, (index + 1) * share);
    await writeFile(join(folder, 'in', name), `${[header, ...own].join('\n')}\n`);
  }
  return names.map(name => `out/${name}.gz`);
}

const kinds = [
  ['in.csv', 'out.csv'],
  ['in.csv', 'out.csv.gz'],
  ['in.csv', 'out.csv.zst'],
  ['in.csv', 'out.parquet'],
  ['in.csv', 'out.parquet', '--group-rows', `${GROUP_ROWS}`],
  ['in.parquet', 'out.parquet'],
  ['in.parquet', 'out.jsonl.gz'],
  ['in/*.csv', 'out/{name}.csv.gz', '--jobs', '2'],
  ['in.csv', 's3:/out.csv.gz'],
  ['in.csv', 's3:/out.parquet'],
] as const;

/** score-to-store.js, bundled because it is started for each stop. */
let script = '';

describe('a run that is stopped at random moments sends no row twice, and writes the same bytes', () => {
  before(async () => {
    script = await bundled(join(root, 'dist/test/crash/stores/score-to-store.js'));
  });

  for (const [input, output, ...more] of kinds.filter(isChosen))
    it(`from ${input} to ${[output, ...more].join(' ')}`, async t => {
      const bench = await newBench(t);
      const service = await startObjectService(t);
      const { folder } = bench;
      if (input === 'in/*.csv') {
        const outputs = await writeFolder(folder);
        await stopAtRandom(t, bench, scoreFiles(bench, outputs, [input, '-o', output, ...more]));
        return;
      }
      const rows = rowsOf({ words: 100 }, ROWS);
      const bytes = input === 'in.csv' ? rows : await parquetOf(rows, { groupRows: GROUP_ROWS });
      await writeFile(join(folder, input), bytes);
      const work = output.startsWith('s3:')
        ? scoreToStore(bench, service, join(folder, input), output.slice('s3:/'.length))
        : scoreFiles(bench, [output], [input, '-o', output, ...more]);
      await stopAtRandom(t, bench, work);
    });
});
