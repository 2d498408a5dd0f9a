// A file through the embedded service in one process, alternating with the engine alone:
//   node dist/test/bench/embedded.js [ROWS [RUNS]]

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { train } from '../../src/training/train.ts';
import { bin } from '../support/rowcast.ts';
import { csv } from '../support/service/history.ts';
import { makeHistory, personasOf, predictFor } from './engine.ts';
import { machine, median, run, type Taken, table } from './runs.ts';

const rows = Number(process.argv[2] ?? 500_000);
const runs = Number(process.argv[3] ?? 5);
const PREDICT_SECONDS = 3;

const home = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
try {
  const history = makeHistory(6000);
  const [header = [], ...labelled] = history;
  const historyFile = join(home, 'history.csv');
  await writeFile(historyFile, csv([header, ...labelled]));
  const { tech_specs: specs } = await train({ historyFile, predict: 'outcome', home, id: 'bench' });

  const input = join(home, 'personas.csv');
  const unlabelled = labelled.map(row => row.slice(0, -1));
  const all = Array.from({ length: rows }, (_, at) => unlabelled[at % unlabelled.length] ?? []);
  await writeFile(input, csv([header.slice(0, -1), ...all]));

  const output = join(home, 'out.csv');
  const args = [bin, 'score', input, '--report', 'bench', '-o', output];
  const taken: Taken[] = [];
  const alone: number[] = [];
  // The first round warms up and is not counted.
  for (let round = 0; round <= runs; round++) {
    const one = await run({ file: process.execPath, args, env: { ROWCAST_HOME: home } });
    await rm(output, { force: true });
    const rate = await predictFor(PREDICT_SECONDS, home, personasOf(history.slice(0, 1001)));
    if (round === 0) continue;
    if (one !== undefined) taken.push(one);
    alone.push(rate);
  }
  process.stdout.write(
    `${machine()}\n\n${specs.algorithm}, 20 columns, ${rows.toLocaleString('en-US')} rows, ${runs} runs\n\n` +
      `${table(new Map([['rowcast, the embedded service, file to file', taken]]), rows)}\n\n` +
      `The engine alone, in one thread: ${Math.round(median(alone)).toLocaleString('en-US')} rows/s.\n`,
  );
} finally {
  await rm(home, { recursive: true });
}
