// A run of the library whose output is in an object store; argv has its parameters as JSON.

import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';

export interface ScoreToStore extends Partial<RunValues> {
  url: string;
  key: string;
  input: string;
  output: string;
  endpoint: string;
}

const { url, key, endpoint, ...options }: ScoreToStore = JSON.parse(process.argv[2] ?? '');
const client = connectReports({ url: new URL(url), key, name: 'stub', concurrency: 2 });
const backends = withObjectStore(endpoint, { client: String(process.pid) });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const say = (what: string): void => void process.stderr.write(what);
const observer = {
  stop: stop.signal,
  resumed: () => say('resuming at row\n'),
  suspended: () => say('to resume, run it again\n'),
};
const result = await score(job(options), client, observer, { backends }).catch(error => {
  if (!stop.signal.aborted) throw error;
  process.exitCode = 143;
});
process.stdout.write(String(result?.resumedFrom ?? 1));
await client.close();
