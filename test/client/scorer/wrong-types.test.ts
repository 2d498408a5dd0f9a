import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { mlflow } from '../../support/protocols/dialects.ts';
import type { Behave, ModelCall } from '../../support/protocols/model-server.ts';
import { type Outcome, scoreWith, withShortWaits } from '../../support/protocols/scored-by.ts';

/**
 * Every seventh row has a text where an integer belongs; a block of them fills a batch, and one record is too short.
 */
const isWrong = (row: number): boolean => row % 7 === 3 || (row >= 100 && row < 125);
const rows = Array.from({ length: 300 }, (_, row) => `${isWrong(row) ? `no-${row}` : row},text ${row}\n`);
const input = `id,text\n${rows.with(50, 'short\n').join('')}`;
const wrong = rows.filter((_, row) => isWrong(row) && row !== 50).length;

const lists = { protocol: protocolOf('mlflow'), dialect: mlflow() };

/** Scores these rows instead of the usual ones. */
const scoreIn = (
  t: TestContext,
  folder: string,
  behave?: Behave,
  protocol = lists.protocol,
): Promise<Outcome> =>
  scoreWith(t, { ...lists, protocol }, behave, {
    folder,
    text: input,
    types: { id: 'integer' },
    client: { concurrency: 2 },
  });

/** Responds with an error of MLflow. */
function refuse({ response }: ModelCall, status: number, error_code: string, message: string): boolean {
  response.writeHead(status).end(JSON.stringify({ error_code, message }));
  return true;
}

/** Asserts that the wrong rows were never sent, and that they are in the output without probabilities. */
function assertRejected({ failure, output, rejects, result, calls }: Outcome, more = {}): void {
  assert.equal(failure, undefined);
  assert.deepEqual(result?.rowCounts.rejectedBy, { wrong_type: wrong, too_few_fields: 1, ...more });
  for (const { rows } of calls) for (const { id } of rows) assert.ok(Number.isInteger(id), String(id));
  const lines = output.toString().split('\n').slice(1, -1);
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
  withShortWaits();

  it('are rejected without being sent, and the output can be verified', async t => {
    const folder = await newFolder(t);
    assertRejected(await scoreIn(t, folder));
    const files = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
    const { maxRecordBytes } = scoreDefaults;
    const counts = await verifyOutput({ ...files, rejects: `${files.output}.rejects`, maxRecordBytes });
    assert.deepEqual([counts.unscored, counts.malformed], [wrong, 1]);
  });

  it('are rejected again when a request is repeated, and when its batch is halved', async t => {
    const outcome = await scoreIn(t, await newFolder(t), call => {
      const { number, rows } = call;
      if (number === 2) return refuse(call, 503, 'BUSY', 'busy');
      return number > 3 && rows.some(({ id }) => id === 205) && refuse(call, 400, 'BAD_REQUEST', 'no');
    });
    assertRejected(outcome, { bad_request: 1 });
  });

  it('do not change which rows the service names in its response', async t => {
    const protocol: Protocol = {
      ...lists.protocol,
      problemOf(status, body, ...others) {
        const [, row] = /row (\d+)/.exec(body) ?? [];
        return {
          ...lists.protocol.problemOf(status, body, ...others),
          ...(row && { rows: [{ row: Number(row), message: 'no' }] }),
        };
      },
    };
    const nameRow: Behave = call => {
      const at = call.rows.findIndex(({ id }) => id === 210);
      return call.number >= 4 && at >= 0 && refuse(call, 422, 'BAD_ROW', `row ${at}`);
    };
    const outcome = await scoreIn(t, await newFolder(t), nameRow, protocol);
    assertRejected(outcome, { bad_row: 1 });
    assert.match(outcome.rejects, /,bad_row,.*,210,text 210\n/);
    assert.equal(outcome.calls.filter(({ rows }) => rows.some(({ id }) => id === 210)).length, 1);
  });

  it('are rejected again by the run that resumes, and end with the same bytes', async t => {
    const folder = await newFolder(t);
    const whole = await scoreIn(t, await newFolder(t));
    const half = await scoreIn(t, folder, call => call.number >= 6 && refuse(call, 404, 'GONE', ''));
    assert.equal(half.failure?.code, 'gone');
    const resumed = await scoreIn(t, folder);
    assert.deepEqual([resumed.output, resumed.rejects], [whole.output, whole.rejects]);
    assert.equal(resumed.failure, undefined);
  });
});
