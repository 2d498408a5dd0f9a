// A run of the library that may kill itself; argv has its parameters as JSON.

import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { recordedFiles } from './recorded-files.ts';

export interface ScoreUntil extends Partial<RunValues> {
  url: string;
  key: string;
  input: string;
  output: string;
  /** The file operation before which the process is killed: its number, 1-based, or its text. */
  before?: number | string;
  /** The file operation after which it is killed. */
  after?: string;
}

const { url, key, before, after, ...options }: ScoreUntil = JSON.parse(process.argv[2] ?? '');
const client = connectReports({ url: new URL(url), key, name: 'stub', concurrency: 1 });
let operations = 0;
const files = recordedFiles({
  before({ text }) {
    if (++operations === before || text === before) process.kill(process.pid, 'SIGKILL');
  },
  after({ text }) {
    if (text === after) process.kill(process.pid, 'SIGKILL');
  },
});
await score(job(options), client, {}, { files: files });
await client.close();
