import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, mock, type TestContext } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { describedProtocol } from '../../../src/client/protocols/described/described-protocol.ts';
import { mlflow as description } from '../../../src/client/protocols/described/descriptions.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import type { RunResult } from '../../../src/runs/observer.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import {
  connectMlflow,
  type Invocation,
  type MlflowOptions,
  refuse,
} from '../../support/protocols/mlflow-server.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';

const mlflow = describedProtocol(description);

/**
 * Every seventh row has a text where an integer belongs; a block of them fills a batch, and one record is too short.
 */
const isWrong = (row: number): boolean => row % 7 === 3 || (row >= 100 && row < 125);
const rows = Array.from({ length: 300 }, (_, row) => `${isWrong(row) ? `no-${row}` : row},text ${row}\n`);
const input = `id,text\n${rows.with(50, 'short\n').join('')}`;
const wrong = rows.filter((_, row) => isWrong(row) && row !== 50).length;

interface Outcome {
  output: string;
  rejects: string;
  result: RunResult | undefined;
  failure: RowcastError | undefined;
  invocations: Invocation[];
}

async function scoreIn(
  t: TestContext,
  folder: string,
  behave?: MlflowOptions['behave'],
  protocol: Protocol = mlflow,
): Promise<Outcome> {
  const { client, invocations } = await connectMlflow(t, {
    maxOutage: 600,
    concurrency: 2,
    protocol,
    ...(behave && { behave }),
  });
  const paths = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
  await writeFile(paths.input, input);
  let failure: RowcastError | undefined;
  const options = job({ ...paths, batchRows: 25, classes: ['no', 'yes'], types: { id: 'integer' } });
  const result = await score(options, client).catch(error => {
    failure = error;
    return undefined;
  });
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  return {
    output: await read(paths.output),
    rejects: await read(`${paths.output}.rejects`),
    result,
    failure,
    invocations,
  };
}

/** Asserts that the wrong rows were never sent, and that they are in the output without probabilities. */
function assertRejected({ failure, output, rejects, result, invocations }: Outcome, more = {}): void {
  assert.equal(failure, undefined);
  assert.deepEqual(result?.rowCounts.rejectedBy, { wrong_type: wrong, too_few_fields: 1, ...more });
  for (const { rows } of invocations) for (const { id } of rows) assert.ok(Number.isInteger(id), String(id));
  const lines = output.split('\n').slice(1, -1);
  assert.equal(lines.length, 299);
  for (const line of lines)
    if (line.startsWith('no-')) assert.match(line, /^no-\d+,text \d+,,$/);
    else assert.match(line, /^\d+,text \d+,[\d.]*,[\d.]*$/);
  const listed = rejects.split('\n').filter(line => line.includes(',wrong_type,'));
  assert.equal(listed.length, wrong);
  for (const line of listed)
    assert.match(line, /the value of column ""id"" is not an integer of 64 bits",no-\d+,text/);
}

describe('rows with a value of the wrong type', { concurrency: 2 }, () => {
  const random = Math.random;
  before(() => {
    mock.method(Math, 'random', () => random() / 50);
  });
  after(() => mock.restoreAll());

  it('are rejected without being sent, and the output can be verified', async t => {
    const folder = await newFolder(t);
    assertRejected(await scoreIn(t, folder));
    const files = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
    const { maxRecordBytes } = scoreDefaults;
    const counts = await verifyOutput({ ...files, rejects: `${files.output}.rejects`, maxRecordBytes });
    assert.deepEqual([counts.unscored, counts.malformed], [wrong, 1]);
  });

  it('are rejected again when a request is repeated, and when its batch is halved', async t => {
    const outcome = await scoreIn(t, await newFolder(t), ({ number, rows, response }) => {
      if (number === 2) response.writeHead(503).end('busy');
      else if (number > 3 && rows.some(({ id }) => id === 205)) refuse(response, 400, 'BAD_REQUEST', 'no');
      else return false;
      return true;
    });
    assertRejected(outcome, { bad_request: 1 });
  });

  it('do not change which rows the service names in its response', async t => {
    const protocol: Protocol = {
      ...mlflow,
      problemOf(status, body, ...others) {
        const [, row] = /row (\d+)/.exec(body) ?? [];
        return {
          ...mlflow.problemOf(status, body, ...others),
          ...(row && { rows: [{ row: Number(row), message: 'no' }] }),
        };
      },
    };
    const nameRow = ({ number, rows, response }: Invocation): boolean => {
      const at = rows.findIndex(({ id }) => id === 210);
      if (number < 4 || at < 0) return false;
      refuse(response, 422, 'BAD_ROW', `row ${at}`);
      return true;
    };
    const outcome = await scoreIn(t, await newFolder(t), nameRow, protocol);
    assertRejected(outcome, { bad_row: 1 });
    assert.match(outcome.rejects, /,bad_row,.*,210,text 210\n/);
    assert.equal(outcome.invocations.filter(({ rows }) => rows.some(({ id }) => id === 210)).length, 1);
  });

  it('are rejected again by the run that resumes, and end with the same bytes', async t => {
    const folder = await newFolder(t);
    const whole = await scoreIn(t, await newFolder(t));
    const half = await scoreIn(t, folder, ({ number, response }) => {
      if (number < 6) return false;
      response.writeHead(404).end();
      return true;
    });
    assert.equal(half.failure?.code, 'http_404');
    const resumed = await scoreIn(t, folder);
    assert.deepEqual([resumed.output, resumed.rejects], [whole.output, whole.rejects]);
    assert.equal(resumed.failure, undefined);
  });
});
