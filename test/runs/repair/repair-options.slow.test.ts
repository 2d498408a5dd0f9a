import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import type { ColumnOptions } from '../../../src/formats/output-columns.ts';
import { runs } from '../../support/random-tests.ts';
import { repairBench } from '../../support/scoring/repairs.ts';

type Options = Partial<RunValues>;

/** Lines of an input of the columns id, note and value. */
const texts = {
  good: 'n,x',
  bad: 'n,bad',
  short: undefined,
  blank: undefined,
  wide: '"two\nlines",x',
  wideBad: '"two\nlines",bad',
} as const;
type Line = keyof typeof texts;
const lineNames = Object.keys(texts) as Line[]; // the keys of a constant
const lineOf = (kind: Line, id: number): string =>
  kind === 'blank' ? '' : [`${id}`, texts[kind]].filter(text => text !== undefined).join(',');

const appended: fc.Arbitrary<Options> = fc.constantFrom<Options[]>(
  {},
  { prediction: true },
  { probabilities: ['yes'] },
  { probabilities: 'none', prediction: true },
  { probabilities: ['yes', 'no'], threshold: { yes: 0.3 } },
  { decimals: 3, prediction: true },
  { prefix: 'p' },
);
const columns: fc.Arbitrary<ColumnOptions> = fc.constantFrom<ColumnOptions[]>(
  {},
  { keep: ['value', 'id'] },
  { keep: ['note'] },
  { keep: 'none' },
  { rename: { id: 'key' } },
  { keep: ['value', 'id'], rename: { id: 'key' } },
);

/** Nothing in the output tells that it has one column, and therefore no blank line. */
const withoutRows = {
  columns: { keep: 'none' },
  appended: { probabilities: 'none', prediction: true },
  ending: '\n',
  delimiter: ',',
  encoding: undefined,
  hasNames: false,
  outputHeader: false,
  correctedHeader: undefined,
  output: 'out.csv',
} as const;

describe('a repaired output', () => {
  it('is the output of the corrected input and verifies, with any columns and any form of the input', async t => {
    const { folder, at, scoring, repairing, verifying, read } = await repairBench(t, 'in.csv', {
      maxRejects: { percent: 100 },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...lineNames), { maxLength: 20 }),
        fc.record({
          columns,
          appended,
          ending: fc.constantFrom('\n', '\r\n', '\r'),
          delimiter: fc.constantFrom(',', ';'),
          encoding: fc.constantFrom(undefined, 'utf-16'),
          hasNames: fc.boolean(),
          outputHeader: fc.constantFrom(undefined, false),
          correctedHeader: fc.constantFrom(undefined, true),
          output: fc.constantFrom('out.csv', 'out.csv.gz'),
        }),
        fc.func(fc.boolean()),
        async (lines, how, isLeft) => {
          const { ending, delimiter, encoding, output, hasNames, outputHeader } = how;
          for (const name of await readdir(folder)) await rm(at(name));
          // The first record must have as many fields as there are names.
          const kinds: Line[] = [...(hasNames ? ['good' as const] : []), ...lines, 'short'];
          const records = kinds.map(lineOf);
          const written = hasNames ? records : ['id,note,value', ...records];
          const text = written.map(line => line.replaceAll(',', delimiter) + ending).join('');
          const encode = (content: string) =>
            encoding === undefined ? content : Buffer.from(`\ufeff${content}`, 'utf16le');
          const shown: Options = { ...how.columns, ...how.appended, outputHeader, delimiter };
          const reading: Options = { encoding, ...(hasNames && { names: ['id', 'note', 'value'] }) };
          const correct = (content: string, left: (index: number) => boolean): string => {
            let index = 0;
            return content
              .replaceAll(/(?<=[,;])bad$/gm, value => (left(index++) ? value : 'good'))
              .replaceAll(/(?<=^|too_few_fields,"[^"]*",|too_few_fields;[^;]*;)(\d+)$/gm, id =>
                left(index++) ? id : `${id}${delimiter}n1${delimiter}good`,
              );
          };
          await writeFile(at('in.csv'), encode(text));
          await scoring('in.csv', output, { ...shown, ...reading });
          for (const left of [isLeft, () => false]) {
            const rejects = await read(`${output}.rejects`).catch(() => undefined);
            if (rejects === undefined) break;
            await writeFile(at('corrected'), correct(rejects, left));
            await scoring('corrected', 'corrected.csv', {
              ...shown,
              outputHeader: how.correctedHeader ?? outputHeader,
            });
            await repairing(output, shown);
            await verifying(output, { ...shown, ...reading });
          }
          assert.ok(!(await readdir(folder)).includes(`${output}.rejects`));
          await writeFile(at('whole.csv'), encode(correct(text, () => false)));
          await scoring('whole.csv', 'expected.csv', { ...shown, ...reading });
          const [found, expected] = [await read(output), await read('expected.csv')];
          // Where no line tells it, blank lines may be on the other side of a row that was malformed.
          const { keep = 'all' } = how.columns;
          const isTold =
            !hasNames && (keep === 'all' || keep.includes('note') || !kinds.some(kind => /wide/.test(kind)));
          const comparable = (content: string) =>
            isTold ? content : content.replaceAll(/(\r\n?|\n)+/g, '\n').replace(/^\n/, '');
          assert.equal(comparable(found), comparable(expected));
        },
      ),
      { numRuns: runs(80), examples: [[['blank'], withoutRows, () => true]] },
    );
  });
});
