import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { edgeCases } from '../../fixtures/edge-cases.ts';
import { Client } from '../../src/api/client.ts';
import { positionOf, startOf } from '../../src/csv/batch.ts';
import { contentEnd } from '../../src/csv/dialect.ts';
import { scoreDefaults } from '../../src/definition/defaults.ts';
import { RowcastError } from '../../src/errors.ts';
import { Merger } from '../../src/pipeline/merge.ts';
import { rejectsHeaderText, rejectsText } from '../../src/pipeline/rejects.ts';
import { score } from '../../src/pipeline/score.ts';
import { verify } from '../../src/pipeline/verify.ts';
import { legalCsv } from '../csv/legal.ts';
import { type ReadOptions, read } from '../csv/read.ts';
import { newFolder } from '../folder.ts';
import { connect } from '../stub/connect.ts';
import { startStub } from '../stub/service.ts';
import { outcomeOf } from './compared.ts';
import { type EncodedInput, encodeText } from './encoded.ts';

const { maxRecordBytes } = scoreDefaults;

describe('what score writes', () => {
  it('verifies, whatever the CSV; with a record or a byte of it changed it does not', async t => {
    const folder = await newFolder(t);
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    const classes = ['no', 'a,b', 'é "x"'];
    const stub = await startStub({ classes });
    const client = new Client({ url: new URL(stub.url), key: stub.key, name: 'stub' });
    t.after(async () => {
      await client.close();
      await stub.close();
    });
    await fc.assert(
      fc.asyncProperty(
        legalCsv(2),
        fc.boolean(),
        changes,
        async ({ text, delimiter }, prediction, changes) => {
          await writeFile(input, text);
          const how = { delimiter, prediction, classes };
          await score({ ...scoreDefaults, ...how, input, output, report: 'r' }, client);
          await verify({ input, output, delimiter, maxRecordBytes });
          const scored = await readFile(output);
          const own = recordsOf(text, { delimiter }).map(record => record.content + 1);
          for (const { changed, what } of changesOf(scored, own, { delimiter }, changes))
            assert.notEqual(outcomeOf(text, changed, { delimiter }), 'equal', what);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('verifies with rejects, whatever the bytes; with a record or a byte of either file changed it does not', () => {
    const bytes = fc.array(fc.constantFrom(...'ab,"\n\r;é', '\n', '1,2\n'), { maxLength: 60 });
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.func(fc.boolean()),
        changes,
        (parts, ending, fails, changes) => {
          const text = `a,b${ending}${parts.join('')}`;
          let encoded: EncodedInput;
          try {
            encoded = encodeText(text);
          } catch (error) {
            assert.match(String(error), /quote that opens/);
            return;
          }
          const { output, rejects } = scoredWithRejects(encoded, fails);
          assert.equal(outcomeOf(text, output, { rejects }), 'equal');
          assert.equal(outcomeOf(text, output), 'equal');
          const own = recordsOf(text)
            .filter(({ isMalformed }) => !isMalformed)
            .map(record => record.content + 1);
          for (const { changed, what } of changesOf(output, own, {}, changes))
            assert.notEqual(outcomeOf(text, changed, { rejects }), 'equal', what);
          for (const { changed, what } of changesOf(rejects, undefined, {}, changes))
            assert.notEqual(outcomeOf(text, output, { rejects: changed }), 'equal', what);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('verifies for every edge case that scores', async t => {
    const folder = await newFolder(t);
    const { client } = await connect(t);
    const verified: string[] = [];
    for (const [name, bytes] of edgeCases()) {
      const [input, output] = [join(folder, name), join(folder, `scored-${name}`)];
      const delimiter = name.startsWith('semicolon') ? ';' : undefined;
      // Two columns of one name, or without one, cannot be sent.
      const drop = /duplicate|empty-name/.test(name) ? { columns: ['tenure', 'contract'] } : {};
      await writeFile(input, bytes);
      const options = { ...scoreDefaults, ...drop, delimiter, input, output, classes: ['no', 'yes'] };
      const scored = await score({ ...options, report: 'r' }, client).catch(error => {
        assert.ok(error instanceof RowcastError, String(error));
      });
      if (scored === undefined) continue;
      const tally = await verify({ input, output, delimiter, maxRecordBytes });
      assert.equal(tally.scored, scored.accounts.scored, name);
      assert.equal(tally.blank, scored.accounts.blank, name);
      verified.push(name);
    }
    assert.equal(verified.length, 33, verified.join(' '));
  });
});

describe('verify', () => {
  /** Enough rows for several batches of every file, and blank lines. */
  const rows = Array.from({ length: 60_000 }, (_, index) => `${index},"a ""b""",${'x'.repeat(30)}`);
  const input = `id,note,long\n${rows.join('\n')}\n`;
  const output = `id,note,long,p_no,p_yes\n${rows.map(row => `${row},0.25,0.75`).join('\n')}\n`;

  it('reads files of many batches side by side, gzip or plain', async t => {
    const folder = await newFolder(t);
    const files = { plain: join(folder, 'in.csv'), gzip: join(folder, 'in.csv.gz') };
    await writeFile(files.plain, input);
    await writeFile(files.gzip, gzipSync(input));
    await writeFile(join(folder, 'out.csv'), output);
    await writeFile(join(folder, 'out.csv.gz'), gzipSync(output));
    for (const file of Object.values(files))
      for (const name of ['out.csv', 'out.csv.gz']) {
        const tally = await verify({ input: file, output: join(folder, name), maxRecordBytes });
        assert.deepEqual(tally, { rows: 60_000, scored: 60_000, unscored: 0, malformed: 0, blank: 0 });
      }
  });

  it('says the line of a difference far into the files', async t => {
    const folder = await newFolder(t);
    const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    await writeFile(from, input);
    await writeFile(to, output.replace('\n54321,', '\n5432I,'));
    await assert.rejects(verify({ input: from, output: to, maxRecordBytes }), {
      code: 'difference',
      consequence: 'unbalanced',
      message: `the column "id" differs from row 54322, at ${from}:54323`,
      place: { file: to, line: 54_323, row: 54_322 },
    });
  });

  const broken: [string, string, RegExp][] = [
    [
      'an output with an open quote',
      output.replace('59999,"a ""b""",', '59999,"a ""b"",'),
      /^the quote that opens on this line is not closed .*; what stands at .*in\.csv:60001 should be here$/,
    ],
    [
      'an output that is cut off',
      output.slice(0, -3),
      /^p_yes is written as "0\.", not as 0, in row 60000, /,
    ],
    ['an output that is empty', '', /^the file is empty$/],
    ['an output whose header is cut off', 'id,"no', /a quote in the header is not closed/],
  ];
  for (const [name, text, says] of broken)
    it(`calls ${name} a difference`, async t => {
      const folder = await newFolder(t);
      const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
      await writeFile(from, input);
      await writeFile(to, text);
      await assert.rejects(verify({ input: from, output: to, maxRecordBytes }), (error: unknown) => {
        assert.ok(error instanceof RowcastError);
        assert.deepEqual([error.code, error.place.file], ['difference', to]);
        assert.match(error.message, says);
        return true;
      });
    });

  it('does not call a damaged file a difference', async t => {
    const folder = await newFolder(t);
    const [from, to] = [join(folder, 'in.csv'), join(folder, 'out.csv.gz')];
    await writeFile(from, input);
    await writeFile(to, gzipSync(output).subarray(0, 9000));
    await assert.rejects(verify({ input: from, output: to, maxRecordBytes }), { code: 'bad_gzip' });
    await writeFile(from, 'id,note,long\n1,2,"3\n');
    await assert.rejects(verify({ input: from, output: to, maxRecordBytes }), { code: 'unclosed_quote' });
    await assert.rejects(verify({ input: join(folder, 'none'), output: to, maxRecordBytes }), {
      code: 'no_such_file',
    });
  });
});

/** Two records, by numbers that are taken modulo how many there are, and a byte. */
type Change = [number, number, number];
const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(255)), { minLength: 2, maxLength: 8 });

interface WrittenRecord {
  bytes: Buffer;
  /** Bytes before its line ending. */
  content: number;
  isMalformed: boolean;
}

/** The records of a CSV, its header first. */
function recordsOf(csv: string | Buffer, options: ReadOptions = {}): WrittenRecord[] {
  const { head, batches, faults } = read(csv, { ...options, batchRows: 1000 });
  const malformed = new Set(faults.map(({ line }) => line));
  const records: WrittenRecord[] = [{ bytes: head.bytes, content: head.contentEnd, isMalformed: false }];
  for (const batch of batches)
    for (const index of batch.ends.keys()) {
      const [start, end] = [startOf(batch, index), startOf(batch, index + 1)];
      records.push({
        bytes: batch.bytes.subarray(start, end),
        content: contentEnd(batch.bytes, start, end, head.dialect) - start,
        isMalformed: malformed.has(positionOf(batch, index, head.dialect).line),
      });
    }
  return records;
}

/**
 * A CSV with records dropped, doubled or swapped, or a byte changed.
 *
 * @param own how many bytes of each record must not change; line endings neither. Undefined: no byte is changed
 */
function* changesOf(
  csv: Buffer,
  own: readonly number[] | undefined,
  options: ReadOptions,
  changes: readonly Change[],
): Generator<{ changed: Buffer; what: string }> {
  const records = recordsOf(csv, options);
  const whole = records.map(({ bytes }) => bytes);
  for (const [one, two, byte] of changes) {
    const [a, b] = [one % whole.length, two % whole.length];
    const [first = csv, second = csv] = [whole[a], whole[b]];
    const variants: [string, Buffer[]][] = [
      [`record ${a} dropped`, whole.toSpliced(a, 1)],
      [`record ${a} doubled`, whole.toSpliced(a, 0, first)],
      [`records ${a} and ${b} swapped`, whole.with(a, second).with(b, first)],
    ];
    if (own !== undefined) {
      const at = two % first.length;
      const matters = at < (own[a] ?? 0) || at >= (records[a]?.content ?? 0);
      const flipped = Buffer.from(first);
      flipped[at] = byte;
      if (matters) variants.push([`byte ${at} of record ${a} changed to ${byte}`, whole.with(a, flipped)]);
    }
    for (const [name, parts] of variants) {
      const changed = Buffer.concat(parts);
      if (!changed.equals(csv)) yield { changed, what: `${name}: ${JSON.stringify(changed.toString())}` };
    }
  }
}

/** What a run writes of an input in which some personas cannot be scored. */
function scoredWithRejects(
  { header, encoded }: EncodedInput,
  fails: (row: number) => boolean,
): { output: Buffer; rejects: Buffer } {
  const classes = ['no', 'yes'];
  const report = { tech_specs: {}, drivers: [], predicts: 'x' };
  const merger = new Merger({ header, report, classes, prefix: 'p', prediction: true });
  const merged = encoded.flatMap(one => {
    const probabilities = new Float64Array(2 * one.personas).map((_, at) => (at % 2 === 0 ? 0.1 : 0.9));
    const failed = Array.from({ length: one.personas }, (_, persona) => persona).filter(fails);
    const error = { code: 'odd', message: 'the "reason", in words' };
    const answer = { classes, probabilities, errors: new Map(failed.map(persona => [persona, error])) };
    return [...merger.merge({ ...one, answer })];
  });
  merged.push(...merger.end());
  const all = merged.flatMap(({ rejects }) => rejects);
  return {
    output: Buffer.concat(merged.map(({ bytes }) => bytes)),
    rejects: Buffer.concat([rejectsHeaderText(header), rejectsText(all, header, false)]),
  };
}
