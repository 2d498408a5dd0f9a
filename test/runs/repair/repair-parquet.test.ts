import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scoreDefaults } from '../../../src/base/options/values/score-defaults.ts';
import { type RepairOptions, repair } from '../../../src/runs/repair/repair.ts';
import { type VerifyOptions, verify } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { parquetOf } from '../../support/parquet.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

const ROWS = 40;
/** Every tenth row is rejected as it is. */
const isBad = (row: number): boolean => row % 10 === 7;
const value = (row: number): string => (isBad(row) ? 'bad' : `v${row}`);
const text = (correct: (row: number) => string): string =>
  `id,value,note\n${Array.from({ length: ROWS }, (_, i) => `${i + 1}.5,${correct(i + 1)},"a ""note"" of ${i + 1}"\n`).join('')}`;

async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const { client } = await connect(t, {
    behave({ body, defaultResponse }) {
      for (const [index, { features }] of body.personas.entries())
        if (features.value === 'bad')
          Object.assign(defaultResponse.predictions, { [index]: { error: { code: 'bad', message: 'no' } } });
      return false;
    },
  });
  const at = (name: string): string => join(folder, name);
  await writeFile(at('in.parquet'), await parquetOf(text(value), { groupRows: 15, numbers: ['id'] }));
  const scoring = (input: string, output: string, more = {}) =>
    score(
      {
        ...scoreDefaults,
        input: at(input),
        output: at(output),
        report: 'r',
        classes: ['no', 'yes'],
        features: ['value'],
        ...more,
      },
      client,
    );
  const { maxRecordBytes } = scoreDefaults;
  /** Corrects rejects, all or those that are chosen, scores them, and repairs the output. */
  const repairing = async (
    output: string,
    isChosen: (record: string) => boolean = () => true,
    more: Pick<RepairOptions, 'keep'> = {},
  ) => {
    const kind = output.endsWith('.jsonl') ? '.jsonl' : '.csv';
    const records = (await readFile(at(`${output}.rejects`), 'utf8')).split('\n');
    const corrected = records.map(record =>
      isChosen(record) ? record.replace(/"bad"|bad(?=,|$)/g, found => found.replace('bad', 'good')) : record,
    );
    await writeFile(at(`corrections${kind}`), corrected.join('\n'));
    await scoring(`corrections${kind}`, `corrected${kind}`, more);
    return repair({
      output: at(output),
      corrected: at(`corrected${kind}`),
      maxRecordBytes,
      private: false,
      ...more,
    });
  };
  const verifying = async (output: string, more: Partial<VerifyOptions> = {}) => {
    const [rejects, repaired] = ['rejects', 'repaired'].map(suffix =>
      existsSync(at(`${output}.${suffix}`)) ? at(`${output}.${suffix}`) : undefined,
    );
    return verify({
      input: at('in.parquet'),
      output: at(output),
      maxRecordBytes,
      rejects,
      repaired,
      ...more,
    });
  };
  return { at, scoring, repairing, verifying };
}

describe('a repaired output of Parquet', () => {
  for (const output of ['out.csv', 'out.jsonl'])
    it(`as ${output} is that of the corrected input`, async t => {
      const { at, scoring, repairing, verifying } = await bench(t);
      await scoring('in.parquet', output);
      const before = await verifying(output);
      assert.deepEqual([before.scored, before.unscored], [36, 4]);
      // One of them first.
      const isFirst = (record: string): boolean => /\b7\.5/.test(record) && !/\d7\.5/.test(record);
      assert.deepEqual(await repairing(output, isFirst), { placed: 1, already: 0, left: 3 });
      const half = await verifying(output);
      assert.deepEqual([half.repaired, half.unscored], [1, 3]);
      assert.equal((await repairing(output)).left, 0);
      const after = await verifying(output);
      assert.deepEqual([after.scored, after.repaired], [40, 4]);
      const whole = text(row => (isBad(row) ? 'good' : value(row)));
      await writeFile(at('whole.parquet'), await parquetOf(whole, { groupRows: 15, numbers: ['id'] }));
      await scoring('whole.parquet', `whole.${output}`);
      assert.deepEqual(await readFile(at(output), 'utf8'), await readFile(at(`whole.${output}`), 'utf8'));
    });

  it('is verified, whichever columns it and its rejects have', async t => {
    const { scoring, repairing, verifying } = await bench(t);
    for (const [output, more] of [
      ['all.parquet', {}],
      ['kept.parquet', { keep: ['note'] }],
      ['kept.csv', { keep: ['note', 'value'] }],
      ['kept.jsonl', { keep: ['note', 'value'] }],
    ] as const) {
      const columns = { keep: 'all' as const, ...more };
      await scoring('in.parquet', output, columns);
      const { scored, unscored } = await verifying(output, columns);
      assert.deepEqual([scored, unscored], [36, 4], output);
      if (output.endsWith('.parquet')) continue;
      await repairing(output, () => true, columns);
      const { repaired } = await verifying(output, columns);
      assert.equal(repaired, 4, output);
    }
  });
});
