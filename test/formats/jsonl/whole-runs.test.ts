import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { repair } from '../../../src/runs/repair/repair.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

const maxRecordBytes = 1 << 20;
const ROWS = 200;

/** The record of a row: some have another order of members, spaces, or another line ending. */
const recordOf = (row: number, value = `row ${row}`): string =>
  row % 3 === 1 ? `{"text": "${value}", "id": ${row}}` : `{"id":${row},"text":"${value}"}`;

const textOf = (records: readonly string[]): string =>
  records.map((record, row) => `${record}${row % 5 === 4 ? '\r\n\n' : '\n'}`).join('');

async function bench(t: TestContext, records = Array.from({ length: ROWS }, (_, row) => recordOf(row))) {
  const folder = await newFolder(t);
  const { client } = await connect(t, {
    report: { classes: ['no', 'yes'] },
    behave({ body, defaultResponse }) {
      for (const [index, { features }] of body.personas.entries())
        if (features.text === 'bad')
          Object.assign(defaultResponse.predictions, { [index]: { error: { code: 'bad', message: 'no' } } });
      return false;
    },
  });
  const at = (name: string): string => join(folder, name);
  const input = at('in.jsonl');
  await writeFile(input, textOf(records));
  const scoring = (output: string, options = {}, watch = {}) =>
    score(
      job({ input, output: at(output), batchRows: 10, features: ['id', 'text'], ...options }),
      client,
      watch,
    );
  const verifying = (output: string, files = {}) =>
    verifyOutput({ input, output: at(output), maxRecordBytes, ...files });
  const textIn = (name: string) => readFile(at(name), 'utf8');
  return { at, scoring, verifying, textIn };
}

describe('JSON lines', () => {
  it('is scored, stopped and resumed to the same bytes, which are those of the input with members added', async t => {
    const { scoring, textIn, at } = await bench(t);
    await scoring('whole.jsonl');
    const stopping = new AbortController();
    const stop = stopping.signal;
    const progress = (): void => stopping.abort();
    await assert.rejects(scoring('out.jsonl', {}, { stop, progress }));
    await assert.rejects(readFile(at('out.jsonl')), { code: 'ENOENT' });
    let from: number | undefined;
    const resumed = ({ row }: { row: number }): void => {
      from = row;
    };
    await scoring('out.jsonl', {}, { resumed });
    assert.ok(from !== undefined && from > 1, 'it began again');
    const text = await textIn('out.jsonl');
    assert.equal(text, await textIn('whole.jsonl'));
    const own = text.replaceAll(/,"probability_no":[\d.e-]+,"probability_yes":[\d.e-]+(?=\})/g, '');
    assert.equal(own, await textIn('in.jsonl'));
  });

  it('is verified: every record of the input is in the output with its own bytes, and predictions', async t => {
    const { scoring, verifying, textIn, at } = await bench(t);
    await scoring('out.jsonl');
    assert.deepEqual(await verifying('out.jsonl'), {
      rows: ROWS,
      scored: ROWS,
      repaired: 0,
      unscored: 0,
      malformed: 0,
      blank: ROWS / 5,
    });
    const text = await textIn('out.jsonl');
    for (const [changed, message] of [
      [text.replace(/(?<="probability_yes":)[\d.]+/, '0.123'), /sum to/],
      [text.replace(/(?<="probability_yes":)[\d.]+/, '"high"'), /probability_yes/],
      [text.replace('row 7"', 'row 8"'), /the column "text" differs from row 8,/],
      [text.replace(/^\{"id":6,.*\n/m, ''), /row 7, .*, should be here, but row 8 is/],
      [text.replace('\r\n', '\n'), /the line ending differs/],
      [text.replace('\n\n', '\n'), /the blank line/],
      [text.replace(/^\{"id":0,"text":"row 0".*\n/, '$&$&'), /is repeated here/],
      [text.slice(0, text.lastIndexOf('{')), /the output ends before row 200/],
    ] as const) {
      assert.notEqual(changed, text);
      await writeFile(at('changed.jsonl'), changed);
      await assert.rejects(verifying('changed.jsonl'), { code: 'difference', message });
    }
  });

  it('keeps a rejected line that is no object among the rejects until it is corrected, beside others or alone', async t => {
    const records = [recordOf(0), '{"id":1,"text":', recordOf(2, 'bad'), '[3]', recordOf(4)];
    const { scoring, verifying, textIn, at } = await bench(t, records);
    for (const more of [{}, { keep: ['text'], prefix: 'p_q', prediction: true }]) {
      await scoring('out.jsonl', { ...more, restart: true });
      const correct = async (...changes: [from: string, to: string][]) => {
        const rejects = await textIn('out.jsonl.rejects');
        const corrected = changes.reduce((text, [from, to]) => text.replace(from, to), rejects);
        assert.notEqual(corrected, rejects);
        await writeFile(at('corrections.jsonl'), corrected);
        await scoring('corrected.jsonl', { ...more, input: at('corrections.jsonl'), restart: true });
        return again();
      };
      const again = () =>
        repair({
          output: at('out.jsonl'),
          corrected: at('corrected.jsonl'),
          maxRecordBytes,
          private: false,
          ...more,
        });
      assert.deepEqual(await correct(['"text":"bad"', '"text":"good"']), { placed: 1, already: 0, left: 2 });
      assert.match(
        await textIn('corrected.jsonl.rejects'),
        /"bad_json","reject_reason":"the line was rejected because/,
      );
      const files = { rejects: at('out.jsonl.rejects'), repaired: at('out.jsonl.repaired'), ...more };
      assert.equal((await verifying('out.jsonl', files)).malformed, 2);
      // None of those that are left has columns.
      const first = ['"reject_record":"{\\"id\\":1,\\"text\\":"', '"id":1,"text":"one"'] as const;
      assert.deepEqual(await correct([...first]), { placed: 1, already: 0, left: 1 });
      assert.deepEqual(await correct(['"reject_record":"[3]"', '"id":3,"text":"three"']), {
        placed: 1,
        already: 0,
        left: 0,
      });
      assert.deepEqual(await again(), { placed: 0, already: 1, left: 0 });
      const { scored, repaired } = await verifying('out.jsonl', { ...files, rejects: undefined });
      assert.deepEqual([scored, repaired], [5, 3]);
      const texts = (await textIn('out.jsonl'))
        .trim()
        .split('\n')
        .filter(line => line.trim() !== '');
      assert.deepEqual(
        texts.map(line => (JSON.parse(line) as { text: string }).text),
        ['row 0', 'one', 'good', 'three', 'row 4'],
      );
    }
  });

  for (const where of ['in their place', 'in a copy'])
    it(`takes rejects that a program has corrected ${where} and written again, with spaces and escapes of its own`, async t => {
      const bad = ['bad', 'é bad'].map((text, id) => `{"id":${id},"text":"${text}"}`);
      const records = [...bad, '{"id":2,"text":', '["é"]', '{"id":4,"id":4,"text":"bad"}', recordOf(5)];
      const { scoring, verifying, textIn, at } = await bench(t, records);
      await scoring('out.jsonl');
      const written = (object: object): string => {
        const members = Object.entries(object).map(
          ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value).replace('é', '\\u00e9')}`,
        );
        return `{${members.join(', ')} }\n`;
      };
      const correct = async (isCorrected: (row: number) => boolean) => {
        const lines = (await textIn('out.jsonl.rejects')).trim().split('\n');
        const corrected = lines.map(line => {
          const { reject_record, ...reject } = JSON.parse(line);
          const { reject_row: row } = reject;
          if (!isCorrected(row)) return written(JSON.parse(line));
          return written({ ...reject, id: row - 1, text: `goed ${row}` });
        });
        const file = where === 'in a copy' ? 'copy.jsonl' : 'out.jsonl.rejects';
        await writeFile(at(file), corrected.join(''));
        await scoring('corrected.jsonl', { input: at(file), restart: true });
        const files = { output: at('out.jsonl'), corrected: at('corrected.jsonl') };
        return repair({ ...files, maxRecordBytes, private: false });
      };
      assert.deepEqual(await correct(row => row !== 2 && row !== 4), { placed: 3, already: 0, left: 1 });
      const files = { rejects: at('out.jsonl.rejects'), repaired: at('out.jsonl.repaired') };
      const { scored, repaired, malformed } = await verifying('out.jsonl', files);
      assert.deepEqual([scored, repaired, malformed], [5, 3, 1]);
      const left = await textIn('out.jsonl.rejects');
      for (const [from, to] of [
        ['"reject_line":4', '"reject_line":5'],
        ['"reject_line": 4', '"reject_line": 5'],
        ['bad_json', 'bad_jsom'],
        ['\\u00e9', 'e'],
        ['é', 'e'],
      ] as const) {
        await writeFile(at('out.jsonl.rejects'), left.replace(from, to));
        if (left.includes(from)) await assert.rejects(verifying('out.jsonl', files), { code: 'difference' });
      }
      await writeFile(at('out.jsonl.rejects'), left);
      assert.deepEqual(await correct(() => true), { placed: 1, already: 0, left: 0 });
      assert.equal((await verifying('out.jsonl', { ...files, rejects: undefined })).repaired, 4);
      const texts = (await textIn('out.jsonl')).trim().split('\n');
      assert.deepEqual(
        texts.filter(line => line.trim() !== '').map(line => JSON.parse(line).id),
        [0, 1, 2, 3, 4, 5],
      );
    });
});

describe('The columns of JSON lines', () => {
  const scoringOf = async (t: TestContext, records: readonly string[]) => {
    const { scoring, textIn } = await bench(t, [...records]);
    const scored = async (options = {}) => {
      const result = await scoring('out.jsonl', options);
      assert.ok(result);
      return result;
    };
    return { scored, textIn };
  };
  const lines = (record: string, count = 3): string[] => new Array<string>(count).fill(record);

  for (const [what, record] of [
    ['in upper case', '{"ID":1,"TEXT":"a"}'],
    ['in an envelope', '{"Item":{"id":{"N":"1"},"text":{"S":"a"}}}'],
    ['of an error page', '{"message":"Unauthorized"}'],
  ] as const)
    it(`are missing if they are ${what}`, async t => {
      const { scored } = await scoringOf(t, lines(record));
      await assert.rejects(scored(), {
        code: 'missing_columns',
        message: /^the input has no column "id", "text"$/,
      });
      await assert.rejects(scored(), ({ hint }: { hint: string }) => !hint.includes('--allow-missing'));
    });

  it('are missing if no row of the first ones has them, of which a single other name is suggested', async t => {
    const { scored } = await scoringOf(t, lines('{"id":1,"txet":"a"}', 150));
    await assert.rejects(scored(), {
      code: 'missing_columns',
      message: /^the input has no column "text"$/,
      hint: /"txet"/,
    });
    await scored({ allowMissing: true });
  });

  it('may be absent from many rows, or null in all', async t => {
    const { scored } = await scoringOf(t, [...lines('{"id":1}', 99), '{"id":2,"text":null}']);
    const { rowCounts } = await scored();
    assert.deepEqual([rowCounts.scored, rowCounts.rejected], [100, 0]);
  });

  it('are each nowhere in a row that is rejected, which is kept', async t => {
    const { scored, textIn } = await scoringOf(t, [
      '{"id":1,"text":"a"}',
      '{"message":"Unauthorized"}',
      '{}',
      '{"text":null}',
    ]);
    const { rowCounts } = await scored();
    assert.deepEqual(rowCounts.rejectedBy, { unknown_columns: 2 });
    assert.match(await textIn('out.jsonl'), /^\{"message":"Unauthorized","probability_no":null/m);
  });

  it('need not be in each of the corrected rejects', async t => {
    const { scored } = await scoringOf(t, [
      '{"reject_row":1,"reject_line":1,"reject_code":"bad","reject_reason":"no","id":1}',
    ]);
    assert.equal((await scored()).rowCounts.scored, 1);
  });
});
