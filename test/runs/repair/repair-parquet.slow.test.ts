import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { ELEMENT, FILE, REQUIRED } from '../../../src/formats/parquet/footer/numbers.ts';
import type { RepairOptions } from '../../../src/runs/repair/repair.ts';
import { changeAll, parquetOf, textOfParquet, withFooter } from '../../support/parquet.ts';
import { runs } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import { repairBench } from '../../support/scoring/repairs.ts';

const ROWS = 40;
/** Every tenth row is rejected as it is. */
const isBad = (row: number): boolean => row % 10 === 7;
const value = (row: number): string => (isBad(row) ? 'bad' : `v${row}`);
const text = (correct: (row: number) => string): string =>
  `id,value,note\n${Array.from({ length: ROWS }, (_, i) => `${i + 1}.5,${correct(i + 1)},"a ""note"" of ${i + 1}"\n`).join('')}`;

async function bench(t: TestContext) {
  const { repairing: repairWith, ...others } = await repairBench(t, 'in.parquet', { features: ['value'] });
  const { at, scoring } = others;
  await writeFile(at('in.parquet'), await parquetOf(text(value), { groupRows: 15, numbers: ['id'] }));
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
    return repairWith(output, more, `corrected${kind}`);
  };
  return {
    ...others,
    repairing,
    /** Scores corrections into corrected.csv. */
    async scoreCorrections(records: string, options: Parameters<typeof scoring>[2] = {}): Promise<void> {
      await writeFile(at('corrections.csv'), records);
      await scoring('corrections.csv', 'corrected.csv', options);
    },
    /** Repairs out.parquet with corrected.csv. */
    repairCorrected: (more: Partial<RepairOptions> = {}) => repairWith('out.parquet', more),
    textOf: async (name: string): Promise<string> => textOfParquet(await readFile(at(name))),
  };
}

describe('a repaired output of Parquet', () => {
  for (const output of ['out.csv', 'out.jsonl', 'out.parquet'])
    it(`as ${output} is that of the corrected input`, async t => {
      const { at, scoring, repairing, verifying } = await bench(t);
      await scoring('in.parquet', output);
      const before = await verifying(output);
      assert.deepEqual([before.scored, before.unscored], [36, 4]);
      // One of them first.
      const isFirst = (record: string): boolean => /^(?:\{"reject_row":)?7,/.test(record);
      assert.deepEqual(await repairing(output, isFirst), { placed: 1, already: 0, left: 3 });
      const half = await verifying(output);
      assert.deepEqual([half.repaired, half.unscored], [1, 3]);
      assert.equal((await repairing(output)).left, 0);
      const after = await verifying(output);
      assert.deepEqual([after.scored, after.repaired], [40, 4]);
      const whole = text(row => (isBad(row) ? 'good' : value(row)));
      await writeFile(at('whole.parquet'), await parquetOf(whole, { groupRows: 15, numbers: ['id'] }));
      await scoring('whole.parquet', `whole.${output}`);
      const [found, wanted] = [await readFile(at(output)), await readFile(at(`whole.${output}`))];
      if (output !== 'out.parquet') assert.deepEqual(found.toString(), wanted.toString());
      else assert.deepEqual(await textOfParquet(found), await textOfParquet(wanted));
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

  it('keeps the bytes of columns that are not corrected, whatever their types are', async t => {
    const { at, scoring, verifying, service, repairCorrected } = await bench(t);
    await copyFile(join(root, 'fixtures/parquet/pyarrow-nested.parquet'), at('in.parquet'));
    const only = { features: ['id'] };
    service.isBad = ({ id }) => `${id}` === '2';
    await scoring('in.parquet', 'out.parquet', only);
    service.isBad = () => false;
    // As it is: the service has changed.
    await scoring('out.parquet.rejects', 'corrected.csv', only);
    const names = (await readdir(at('.'))).sort();
    const before = await readFile(at('out.parquet'));
    await assert.rejects(repairCorrected({ stop: AbortSignal.abort() }));
    assert.deepEqual([(await readdir(at('.'))).sort(), await readFile(at('out.parquet'))], [names, before]);
    assert.deepEqual(await repairCorrected(), { placed: 1, already: 0, left: 0 });
    const { scored, repaired } = await verifying('out.parquet');
    assert.deepEqual([scored, repaired], [24, 1]);
    await scoring('in.parquet', 'whole.parquet', only);
    assert.deepEqual(await readFile(at('out.parquet')), await readFile(at('whole.parquet')));
    // Once more: nothing is left to do.
    assert.deepEqual(await repairCorrected(), { placed: 0, already: 1, left: 0 });
  });

  it('has renamed columns of the input and of the predictions, as the run gave them', async t => {
    const { scoring, verifying, scoreCorrections, repairCorrected, textOf, read } = await bench(t);
    const renamed = { rename: { value: 'v', probability_no: 'stays' } };
    await scoring('in.parquet', 'out.parquet', renamed);
    assert.match(await textOf('out.parquet'), /^id,v,note,stays,probability_yes\n/);
    const rejects = await read('out.parquet.rejects');
    await scoreCorrections(rejects.replaceAll(',bad\n', ',good\n'));
    const { placed } = await repairCorrected(renamed);
    assert.equal(placed, 4);
    const { scored, repaired } = await verifying('out.parquet', renamed);
    assert.deepEqual([scored, repaired], [40, 4]);
    await assert.rejects(scoring('in.parquet', 'other.parquet', { rename: { nothing: 'x' } }), {
      code: 'missing_columns',
    });
  });

  it('keeps members of structs, and refuses other values of them', async t => {
    const { at, scoring, verifying, service, scoreCorrections, repairCorrected, textOf, read } =
      await bench(t);
    await copyFile(join(root, 'fixtures/parquet/pyarrow-structs-v1.parquet'), at('in.parquet'));
    const run = { features: ['id', 'profile.zip', 'must.n'] };
    const renamed = { rename: { profile: 'p', must: 'profile' } };
    service.isBad = ({ id }) => `${id}` === '4';
    await scoring('in.parquet', 'out.parquet', { ...run, ...renamed });
    service.isBad = () => false;
    const rejects = await read('out.parquet.rejects');
    assert.ok(rejects.includes(',4,00000,16\n'));
    const correct = async (row: string): Promise<void> => {
      await scoreCorrections(rejects.replace(',4,00000,16\n', row), run);
    };
    for (const [row, column] of [
      [',4,00001,16\n', 'p.zip'],
      [',4,00000,17\n', 'profile.n'],
    ] as const) {
      await correct(row);
      await assert.rejects(repairCorrected(renamed), {
        code: 'bad_corrections',
        message: new RegExp(`row 5: the column "${column}" .* members of structs are not written again`),
      });
    }
    await correct(',-4,00000,16\n');
    assert.deepEqual(await repairCorrected(renamed), { placed: 1, already: 0, left: 0 });
    const { scored, repaired } = await verifying('out.parquet', renamed);
    assert.deepEqual([scored, repaired], [24, 1]);
    assert.match(await textOf('out.parquet'), /\n-4,00000,,1,4,true,16,,/);
  });

  it('has corrected values of the types that are written, and refuses others', async t => {
    const { at, scoring, verifying, service, scoreCorrections, repairCorrected, textOf, read } =
      await bench(t);
    await copyFile(join(root, 'fixtures/parquet/polars.parquet'), at('in.parquet'));
    const features = ['id', 'i8', 'u32', 'f32', 'f64', 'b', 'plain'];
    service.isBad = ({ i8 }) => `${i8}` === '-95';
    await scoring('in.parquet', 'out.parquet', { features });
    const before = await readFile(at('out.parquet'));
    service.isBad = () => false;
    const rejects = await read('out.parquet.rejects');
    const [header = '', row = ''] = rejects.split('\n');
    const names = header.split(',');
    const correct = async (changes: Record<string, string>): Promise<void> => {
      const fields = row.split(',').map((field, index) => changes[names[index] ?? ''] ?? field);
      await scoreCorrections(`${header}\n${fields.join(',')}\n`, { features });
    };
    for (const [column, value, wrong] of [
      ['i8', '128', /"i8" \(signed\) cannot have the corrected value/],
      ['id', '1.5', /"id" \(signed\) cannot have/],
      ['b', 'yes', /"b" \(boolean\) cannot have/],
      ['f64', 'many', /"f64" \(double\) cannot have/],
      ['u32', '7', /"u32" \(unsigned\) cannot be changed: values of its type are not written/],
    ] as const) {
      await correct({ [column]: value });
      await assert.rejects(repairCorrected(), { code: 'bad_corrections', message: wrong });
      assert.deepEqual(await readFile(at('out.parquet')), before, column);
    }
    const changes = {
      id: '-9223372036854775808',
      i8: '-128',
      f32: '0.1',
      f64: '-2.5e-3',
      b: 'true',
      plain: 'é',
    };
    await correct(changes);
    assert.deepEqual(await repairCorrected(), { placed: 1, already: 0, left: 0 });
    await verifying('out.parquet');
    const [titles = [], ...found] = parse(await textOf('out.parquet')) as string[][];
    const repaired = found.find(([id]) => id === changes.id) ?? [];
    const values = Object.fromEntries(titles.map((title, index) => [title, repaired[index]]));
    assert.deepEqual(
      Object.keys(changes).map(name => values[name]),
      ['-9223372036854775808', '-128', '0.1', '-0.0025', 'true', 'é'],
    );
  });

  it('of a CSV has the rows that were malformed, wherever they are, in row groups of any size', async t => {
    const { at, scoring, verifying, scoreCorrections, repairCorrected, textOf, read } = await bench(t);
    const kinds = fc.array(fc.constantFrom('good', 'bad', 'short', 'long', 'quoted'), {
      minLength: 1,
      maxLength: 14,
    });
    const lineOf: Readonly<Record<string, (row: number) => string>> = {
      good: row => `${row},"a ""${row}""",v`,
      bad: row => `${row},"a ""${row}""",bad`,
      short: row => `${row}`,
      long: row => `${row},"a ""${row}""",v,`,
      quoted: row => `"${row}"x`,
    };
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (rows, groupRows, isTwice) => {
          // A group is needed, to which rows are added.
          const all = [...rows, 'good'];
          const textWith = (isWrong: (row: number) => boolean): string =>
            `id,note,value\n${all.map((kind, row) => `${lineOf[isWrong(row) ? kind : 'good']?.(row)}\n`).join('')}`;
          await writeFile(
            at('in.csv'),
            textWith(() => true),
          );
          const run = {
            restart: true,
            types: { id: 'float' },
            features: ['id', 'value'],
            maxRejects: { percent: 100 },
          };
          await scoring('in.csv', 'out.parquet', { ...run, groupRows });
          const wrong = all.flatMap((kind, row) => (kind === 'good' ? [] : [row]));
          if (wrong.length === 0) return;
          for (const isLeft of [(row: number) => isTwice && row % 2 === 0, () => false]) {
            if (!existsSync(at('out.parquet.rejects'))) continue;
            const [header, ...records] = (await read('out.parquet.rejects')).trim().split('\n');
            const corrected = records.map(record => {
              const row = Number(/^\d+/.exec(record)) - 1;
              const head = /^\d+,\d+,\w+,(?:"(?:[^"]|"")*"|[^,]*),/.exec(record)?.[0] ?? '';
              return isLeft(row) ? record : head + lineOf.good?.(row);
            });
            await scoreCorrections(`${[header, ...corrected].join('\n')}\n`, run);
            await repairCorrected();
            await verifying('out.parquet', { input: at('in.csv') });
          }
          assert.ok(!existsSync(at('out.parquet.rejects')));
          await writeFile(
            at('whole.csv'),
            textWith(() => false),
          );
          await scoring('whole.csv', 'whole.parquet', { ...run, groupRows });
          assert.deepEqual(await textOf('out.parquet'), await textOf('whole.parquet'));
          assert.deepEqual(await repairCorrected().then(({ placed, left }) => [placed, left]), [0, 0]);
        },
      ),
      { numRuns: runs(60, 10) },
    );
  });

  it('refuses rows that were malformed if the file has no group', async t => {
    const { at, scoring, scoreCorrections, repairCorrected, read } = await bench(t);
    await writeFile(at('in.csv'), 'id,value\n1\n');
    await scoring('in.csv', 'out.parquet', { maxRejects: { percent: 100 } });
    const rejects = await read('out.parquet.rejects');
    await scoreCorrections(rejects.replace(/,1\n$/, ',1,a\n'));
    await assert.rejects(repairCorrected(), { code: 'bad_corrections', message: /row 1 was malformed/ });
  });

  it('of a CSV keeps the values of fields that were not corrected, whatever their texts are', async t => {
    const { at, scoring, scoreCorrections, repairCorrected, textOf, read } = await bench(t);
    await writeFile(
      at('in.csv'),
      'id,a,b,c,d,value\n1,-99,NA, 5,"",v\n2,-99,NA, 5,"",bad\n3,-99,NA, 5,"",bad\n',
    );
    const numbers = {
      types: { a: 'float', b: 'float', c: 'float', d: 'float' },
      nulls: ['NA', '-99'],
    } as const;
    const features = ['a', 'b', 'c', 'd', 'value'];
    await scoring('in.csv', 'out.parquet', { ...numbers, features });
    const rejects = (await read('out.parquet.rejects')).replaceAll(',bad\n', ',good\n');
    await scoreCorrections(rejects.replace(/3,-99,NA, 5,"",good/, '3, 7,1e3,"",6,good'), {
      ...numbers,
      features,
    });
    assert.deepEqual(await repairCorrected({ nulls: numbers.nulls }), { placed: 2, already: 0, left: 0 });
    const text = await textOf('out.parquet');
    assert.match(text, /\n1,,,5,,v,.*\n2,,,5,,good,.*\n3,7,1000,,6,good,/);
  });

  it('has the values that were corrected in the rejects file itself', async t => {
    const { at, scoring, verifying, repairCorrected, textOf, read } = await bench(t);
    await writeFile(at('in.csv'), 'id,a,value\n1,2.5,v\n2,,bad\n3,007,bad\n4,1e3,bad\n5,-9,bad\n');
    const run = { types: { a: 'float' }, features: ['a', 'value'], nulls: ['-9'] } as const;
    await scoring('in.csv', 'out.parquet', run);
    const rejects = await read('out.parquet.rejects');
    const corrected = rejects.replaceAll(',bad\n', ',good\n').replace('2,,good', '2,7.25,good');
    await writeFile(at('out.parquet.rejects'), corrected.replace('3,007,good', '3,8,fine'));
    await scoring('out.parquet.rejects', 'corrected.csv', run);
    assert.deepEqual(await repairCorrected({ nulls: run.nulls }), { placed: 4, already: 0, left: 0 });
    const text = await textOf('out.parquet');
    assert.match(text, /\n1,2.5,v,.*\n2,7.25,good,.*\n3,8,fine,.*\n4,1000,good,.*\n5,,good,/);
    await verifying('out.parquet', { input: at('in.csv'), nulls: run.nulls });
    assert.deepEqual(await repairCorrected({ nulls: run.nulls }), { placed: 0, already: 4, left: 0 });
  });

  it('is not made where a text of another row would lose bytes that are not UTF-8', async t => {
    const { at, scoring, repairing } = await bench(t);
    await writeFile(at('in.parquet'), await parquetOf('id,value\n1,?\n2,bad\n').then(withBadUtf8));
    await scoring('in.parquet', 'out.parquet');
    const before = await readFile(at('out.parquet'));
    await assert.rejects(repairing('out.parquet'), {
      code: 'bad_corrections',
      message: /row 1: the column "value" \(text\) may have a text that is not UTF-8/,
    });
    assert.deepEqual(await readFile(at('out.parquet')), before);
  });

  it('cannot have other values in a column without nulls, and says so', async t => {
    const { at, scoring, repairing } = await bench(t);
    await writeFile(at('in.parquet'), await parquetOf('id,value\n1,a\n2,bad\n'));
    await scoring('in.parquet', 'out.parquet');
    const written = await readFile(at('out.parquet'));
    await writeFile(at('out.parquet'), requiring(written, 'value'));
    await assert.rejects(repairing('out.parquet'), {
      code: 'bad_corrections',
      message: /"value" \(text\) cannot be changed: only columns that may have nulls are written again/,
    });
  });
});

/** A file whose only question mark is a byte that is not UTF-8. */
function withBadUtf8(bytes: Buffer): Buffer {
  const wrong = Buffer.from(bytes);
  for (let at = 0; at < wrong.length; at++) if (wrong[at] === 0x3f) wrong[at] = 0xff;
  return wrong;
}

/** A file whose schema says that a column has no nulls. */
const requiring = (bytes: Buffer, column: string): Buffer =>
  withFooter(bytes, footer =>
    changeAll(footer, FILE.schema, element => {
      if (element.text(ELEMENT.name) === column) element.setInteger(ELEMENT.repetition, REQUIRED, 'i32');
    }),
  );
