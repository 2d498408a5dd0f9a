import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Random } from '../../../fixtures/random.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import type { Store } from '../../support/stores/store.ts';
import { hostileText, inputKinds } from './hostile-input.ts';
import { type CuttableProxy, startProxy } from './proxy.ts';
import { type Predictor, type PredictorKind, startPredictor } from './services.ts';
import { mountDisk, noSmallDisk, unmountDisk } from './small-disk.ts';
import { type Way, ways } from './ways.ts';

export interface HarnessQueue {
  /** For --queue: leads through the proxy. */
  url: string;
  server: Store;
  proxy: CuttableProxy;
}

/** A run that is to be disturbed. */
export interface Scenario {
  /** In words. */
  name: string;
  folder: string;
  way: Way;
  workers: number;
  predictor: Predictor;
  /** The queue, if there is one. */
  queue: HarnessQueue | undefined;
  /** Inputs and options that determine the output, for `plan` and `score`. */
  scoring: readonly string[];
  /** The pattern of the outputs, and their folder. */
  output: string;
  outputs: string;
  shards: string;
  /** A folder on a disk that can be filled. */
  disk: string | undefined;
  /** Removes everything. */
  close(): Promise<void>;
}

const MIB = 1 << 20;
/** More than the run needs: filling it is quick. */
const DISK = '160m';

/** Everything about the run follows from the seed. @param t ends the server of the queue */
export async function newScenario(t: TestContext, random: Random): Promise<Scenario> {
  const root = await mkdtemp(join(tmpdir(), 'rowcast-test-'));
  const way = random.pick(ways);
  const kind = random.pick(inputKinds);
  const service = random.pick<PredictorKind>(['local report', 'rowcast serve', 'stub that rejects rows']);
  const ending = random.pick(['.csv', '.csv', '.csv.gz']);
  const place = noSmallDisk === false ? random.pick(['none', 'all', 'shards'] as const) : 'none';
  const folder = join(root, 'run');
  const disk = place === 'none' ? undefined : place === 'all' ? folder : join(folder, 'disk');
  for (const path of [folder, ...(disk === undefined ? [] : [disk])]) mkdirSync(path, { recursive: true });
  if (disk !== undefined) mountDisk(disk, DISK);
  for (const name of ['in', 'scored', 'single']) mkdirSync(join(folder, name));
  const files = random.whole(1, 2);
  for (let file = 0; file < files; file++) {
    const size = random.whole(2 * MIB, 5 * MIB);
    const text = random.chance(0.3) ? hardCsv(size).replace('\ufeff', '') : hostileText(random, size);
    writeFileSync(join(folder, `in/${file}${kind.suffix}`), kind.encode(text));
  }
  const predictor = await startPredictor(t, service);
  const queue = way.store && (await startQueue(await way.store.start(t)));
  return {
    folder,
    way,
    predictor,
    queue,
    workers: 3,
    disk,
    name: [way.name, service, `${files} × ${kind.name} to ${ending}`, `disk: ${place}`].join(', '),
    scoring: [`in/*${kind.suffix}`, '--report', predictor.report, '--allow-missing', ...kind.options],
    output: `scored/{name}${ending}`,
    outputs: join(folder, 'scored'),
    shards: join(place === 'shards' ? join(folder, 'disk') : folder, 'shards'),
    async close() {
      await predictor.close();
      await queue?.proxy.close();
      if (disk !== undefined) unmountDisk(disk);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function startQueue(server: Store): Promise<HarnessQueue> {
  const proxy = await startProxy({ path: server.socket });
  return { url: server.urlAt(proxy.port), server, proxy };
}

/** The files of a folder, without the ledger that runs over several inputs keep. */
export async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter(name => name !== '.rowcast-runs.json').sort();
  const files = new Map<string, Buffer>();
  for (const name of names) files.set(name, await readFile(join(folder, name)));
  return files;
}
