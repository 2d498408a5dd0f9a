// Trains a report, starts the prediction service in this process, and scores a CSV with it.
//
//     npm install
//     node score.js history.csv churned personas.csv scored.csv

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, readBaseUrl, RowcastError, score, scoreDefaults, startService, train } from 'rowcast';

const [historyFile, predict, input, output] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), 'rowcast-example-'));
const key = randomUUID();

let service;
try {
  const { id, tech_specs } = await train({ historyFile, predict, home });
  console.log(`trained ${id}: ${tech_specs.testing_accuracy} of the testing rows are predicted correctly`);

  service = await startService({ home, host: '127.0.0.1', port: 0, key });
  const client = new Client({ url: readBaseUrl(service.url, false), key, name: 'example' });
  const result = await score({ ...scoreDefaults, input, output, report: id }, client, {
    onReject: ({ line, code, reason }) => console.log(`line ${line} rejected: ${reason} [${code}]`),
  });
  await client.close();
  console.log(`${result.accounts.scored} rows scored, to ${output}`);
} catch (error) {
  if (!(error instanceof RowcastError)) throw error;
  console.error(`${error.message} [${error.code}]`);
  process.exitCode = 1;
} finally {
  await service?.close();
  await rm(home, { recursive: true });
}
