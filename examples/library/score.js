// Trains a report, starts the prediction service in this process, and scores a CSV with it.
//
//     npm install
//     node score.js history.csv churned personas.csv scored.csv

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, RowcastError, score, startService, train } from 'rowcast';

const [history, predict, input, output] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), 'rowcast-example-'));
const key = randomUUID();

let service;
try {
  const { id, tech_specs } = await train({ history, predict, home });
  console.log(`trained ${id}: ${tech_specs.testing_accuracy} of the testing rows are predicted correctly`);

  service = await startService({ home, key });
  const scorer = new Client({ url: service.url, key });
  const { rows } = await score({
    input,
    output,
    report: id,
    scorer,
    onReject: ({ line, code, reason }) => console.log(`line ${line} rejected: ${reason} [${code}]`),
  });
  await scorer.close();
  console.log(`${rows.scored} rows scored, to ${output}`);
} catch (error) {
  if (!(error instanceof RowcastError)) throw error;
  console.error(`${error.message} [${error.code}]`);
  process.exitCode = error.exitCode;
} finally {
  await service?.close();
  await rm(home, { recursive: true });
}
