import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { before, describe, it, type TestContext } from 'node:test';
import { parseRowCounts } from '../../../src/base/contract/row-counts-trailer.ts';
import { classesResponse } from '../../../src/base/contract/schemas.ts';
import { readBaseUrl } from '../../../src/client/base-url.ts';
import { connectReports, ReportClient } from '../../../src/client/protocols/report/report-client.ts';
import { Client as LibraryClient } from '../../../src/index.ts';
import { LocalService } from '../../../src/models/local/local-service.ts';
import { post } from '../../support/service/client.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';

const known = { 'monthly amount': 12.5, plan: 'Basic' };

describe('what a service says about values that its model does not know', () => {
  let home: string;
  before(async () => {
    home = await trainedHome();
  });

  async function clientOf(t: TestContext) {
    const target = await serving(t, { home });
    const client = connectReports({ url: readBaseUrl(target.url, false), key: target.key, name: 'test' });
    t.after(() => client.close());
    return { client: new ReportClient(client), target };
  }

  it('names an unknown category and a value of another type, as a local prediction does', async t => {
    const { client, target } = await clientOf(t);
    const features = { 'monthly amount': 'much', plan: 'x90' };
    const response = await post(target, '/user/persona', { id: 'one', features });
    const { warnings, probabilities } = classesResponse.parse(await response.json());
    assert.deepEqual(
      warnings?.map(({ code, column }) => [column, code]),
      [
        ['monthly amount', 'mismatched'],
        ['plan', 'unseen'],
      ],
    );
    assert.match(
      warnings?.[0]?.message ?? '',
      /^the value of "monthly amount" is not a number: it counts as missing$/,
    );
    const local = new LocalService(home);
    t.after(() => local.close());
    assert.deepEqual(await local.persona('one', features), { probabilities, warnings });
    assert.deepEqual(await client.persona('one', features), { probabilities, warnings });
  });

  it('says nothing of known, missing and padded values', async t => {
    const { client } = await clientOf(t);
    const predicted = await client.persona('one', known);
    assert.deepEqual(predicted.warnings, []);
    for (const features of [
      { ...known, plan: ' Basic ' },
      { ...known, plan: 'Basic\t', 'monthly amount': ' 12.5' },
    ])
      assert.deepEqual(await client.persona('one', features), predicted);
    const missing = await client.persona('one', { 'monthly amount': 'N/A', plan: null });
    assert.deepEqual(missing.warnings, []);
  });

  it('is what the library calls back with', async t => {
    const { target } = await clientOf(t);
    const client = new LibraryClient({ url: target.url, key: target.key });
    t.after(() => client.close());
    const columns: string[] = [];
    const onWarnings = (warnings: readonly { column: string }[]) =>
      void columns.push(...warnings.map(({ column }) => column));
    await client.persona('one', known, { onWarnings });
    assert.deepEqual(columns, []);
    await client.persona('one', { ...known, plan: 'x90' }, { onWarnings });
    assert.deepEqual(columns, ['plan']);
  });

  it('is counted in the trailer of an upload, and by a local one', async t => {
    const csv =
      'monthly amount,plan,__proto__\nmuch,x90,1\n1,x91,2\n2, Basic,\n3,Basic,\n,,2\nmany,Basic,\nsome,Basic,\n';
    const local = new LocalService(home);
    t.after(() => local.close());
    const { client } = await clientOf(t);
    for (const service of [client, local]) {
      const chunks = (async function* () {
        yield Buffer.from(csv);
      })();
      const scored = await service.batchPredict(
        'one',
        { bytes: chunks, format: 'csv', name: 'in.csv' },
        undefined,
      );
      await buffer(scored.chunks);
      assert.deepEqual(scored.rowCounts(), {
        ...scored.rowCounts(),
        read: 7,
        scored: 7,
        mismatched: 3,
        unseen: 2,
      });
    }
    assert.equal(parseRowCounts('read=1, scored=1, rejected=0')?.unseen, undefined);
  });
});
