import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { type LegalCsv, legalCsv } from '../../support/csv/legal.ts';
import { newFolder } from '../../support/folder.ts';
import { runs } from '../../support/random-tests.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

const classes = ['no', 'yes', 'a,"b'];

const isEmpty = (record: readonly string[]): boolean => record.every(field => /^ *$/.test(field));

/** The records of a CSV as an independent parser reads them, without blank lines. */
function parsed(text: string, { delimiter, loneCr }: Omit<LegalCsv, 'text'>, columns: number): string[][] {
  const endings = loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'];
  const rows: string[][] = parse(text, {
    delimiter,
    record_delimiter: endings,
    relax_quotes: true,
    relax_column_count: true,
  });
  return rows.filter(row => columns === 1 || row.length > 1 || row[0] !== '');
}

const subset = <T>(items: readonly T[]): fc.Arbitrary<T[]> => fc.shuffledSubarray([...items]);

describe('the columns of an output', () => {
  it('are those asked for, whatever the CSV is, and verify', async t => {
    const folder = await newFolder(t);
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    const { client } = await connect(t, { classes });
    const choices = fc.record({
      keep: fc.oneof(fc.constantFrom('all' as const, 'none' as const), subset([0, 1, 2, 3])),
      rename: subset([0, 1, 2, 3]),
      decimals: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
      threshold: fc.option(fc.dictionary(fc.constantFrom(...classes), fc.constantFrom(0.2, 0.35, 0.6)), {
        nil: undefined,
      }),
      probabilities: fc.oneof(fc.constantFrom('all' as const, 'none' as const), subset(classes)),
      prediction: fc.boolean(),
      outputHeader: fc.boolean(),
      hasNames: fc.boolean(),
    });
    const inputs = runs(150);
    let verified = 0;
    await fc.assert(
      fc.asyncProperty(legalCsv(2), choices, async (csv, { hasNames, ...chosen }) => {
        const [header = []] = parsed(csv.text, csv, 2);
        const own = header.map((_, index) => `c${index}`);
        const names = own.filter(name => header.includes(name));
        const keep = typeof chosen.keep === 'string' ? chosen.keep : chosen.keep.flatMap(i => names[i] ?? []);
        const kept = keep === 'all' ? names : keep === 'none' ? [] : keep;
        const rename = Object.fromEntries(
          chosen.rename.flatMap(i => (kept.includes(`c${i}`) ? [[`c${i}`, `new "${i}", name`]] : [])),
        );
        const shown =
          chosen.probabilities === 'all'
            ? classes
            : chosen.probabilities === 'none'
              ? []
              : chosen.probabilities;
        const hasPrediction = chosen.prediction || chosen.threshold !== undefined;
        fc.pre(shown.length > 0 || hasPrediction);
        // Without its header, the input has the same records under the same names.
        const lines = csv.text.indexOf(names.at(-1) ?? '') + (names.at(-1)?.length ?? 0);
        const rest = csv.text.slice(lines).replace(/^(\r\n|\r|\n)/, '');
        // Without a header line, a byte order mark in the first field would be that of the file.
        fc.pre(chosen.outputHeader || !rest.includes('\ufeff'));
        const isNamed = hasNames && !csv.loneCr && rest !== '' && !rest.startsWith('\ufeff');
        // Zeros in the first bytes of a file would be those of UTF-16.
        fc.pre((!isNamed && chosen.outputHeader) || !rest.includes('\u0000'));
        // A record without any value is a reject.
        fc.pre(!parsed(csv.text, csv, names.length).some(isEmpty));
        await writeFile(input, isNamed ? rest : csv.text);
        const options = {
          ...chosen,
          keep,
          rename,
          classes,
          delimiter: csv.delimiter,
          ...(isNamed && { names }),
        };
        await score({ ...scoreDefaults, ...options, restart: true, input, output, report: 'r' }, client);
        const scored = await readFile(output, 'utf8');

        const width = kept.length + shown.length + (hasPrediction ? 1 : 0);
        const rows = parsed(scored, csv, width);
        const expectedHeader = [
          ...kept.map(name => rename[name] ?? name),
          ...shown.map(name => `probability_${name}`),
          ...(hasPrediction ? ['predicted_class'] : []),
        ];
        if (chosen.outputHeader) assert.deepEqual(rows.shift(), expectedHeader);
        const records = parsed(isNamed ? rest : csv.text, csv, names.length).slice(isNamed ? 0 : 1);
        assert.equal(rows.length, records.length);
        await score(
          {
            ...scoreDefaults,
            classes,
            delimiter: csv.delimiter,
            ...(isNamed && { names }),
            restart: true,
            input,
            output: `${output}.all`,
            report: 'r',
          },
          client,
        );
        const whole = parsed(await readFile(`${output}.all`, 'utf8'), csv, 9).slice(1);
        for (const [row, record] of records.entries()) {
          const fields = kept.map(name => record[names.indexOf(name)] ?? '');
          const all = whole[row]?.slice(-classes.length).map(Number) ?? [];
          const numbers = shown.map(name => {
            const probability = all[classes.indexOf(name)] ?? 0;
            return chosen.decimals === undefined ? String(probability) : probability.toFixed(chosen.decimals);
          });
          const reached = classes.filter((name, i) => (all[i] ?? 0) >= (chosen.threshold?.[name] ?? 2));
          const others = classes.filter(name => chosen.threshold?.[name] === undefined);
          const among = [reached, others, classes].find(({ length }) => length > 0) ?? [];
          const best = among.toSorted(
            (a, b) => (all[classes.indexOf(b)] ?? 0) - (all[classes.indexOf(a)] ?? 0),
          )[0];
          assert.deepEqual(rows[row], [...fields, ...numbers, ...(hasPrediction ? [best] : [])]);
        }
        const { maxRecordBytes } = scoreDefaults;
        await verifyOutput({ ...options, input, output, maxRecordBytes });
        verified++;
      }),
      { numRuns: inputs },
    );
    assert.ok(verified > inputs / 4, `only ${verified} of ${inputs} were verified`);
  });

  it('keep their bytes: all of them by name are the columns that are kept by default', async t => {
    const folder = await newFolder(t);
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    const { client } = await connect(t, { classes });
    const scored = async (delimiter: string, keep?: readonly string[]): Promise<string> => {
      await score(
        { ...scoreDefaults, classes, delimiter, keep, restart: true, input, output, report: 'r' },
        client,
      );
      return readFile(output, 'utf8');
    };
    await fc.assert(
      fc.asyncProperty(legalCsv(2), async ({ text, delimiter, loneCr }) => {
        const names = ['c0', 'c1', 'c2', 'c3'].filter(name => text.includes(name));
        fc.pre(!parsed(text, { delimiter, loneCr }, names.length).some(isEmpty));
        await writeFile(input, text);
        assert.equal(await scored(delimiter, names), await scored(delimiter));
      }),
      { numRuns: runs(60) },
    );
  });
});
