import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { writeRow } from '../../../src/base/write-row.ts';
import { character, runs } from '../../support/random-tests.ts';
import { scoredAs } from '../../support/scoring/scored-as.ts';

const scored = (t: TestContext, text: string, to: string, options?: Partial<RunValues>) =>
  scoredAs(t, { from: 'in.csv', text, to }, options);

/** The lines without the predictions. */
const ownOf = (lines: string): string =>
  lines.replaceAll(/,?"probability_no":[\d.]+,"probability_yes":[\d.]+\}/g, '}');

describe('JSON lines of a CSV', () => {
  const csv = 'id,n,"a ""b""",e\r\n1,5.50,"x\n""y\\",""\r\n\r\n02,n/a,\u00fc,\r\n3,-0,\u0001,"z"';

  it('have a member for each column: numbers in columns of numbers, null for an empty field, else texts', async t => {
    const { bytes } = await scored(t, csv, 'out.jsonl', { types: { n: 'numerical', id: 'integer' } });
    assert.equal(
      ownOf(bytes.toString()),
      [
        '{"id":1,"n":5.50,"a \\"b\\"":"x\\n\\"y\\\\","e":""}',
        '{"id":"02","n":"n/a","a \\"b\\"":"\u00fc","e":null}',
        '{"id":3,"n":-0,"a \\"b\\"":"\\u0001","e":"z"}',
      ].join('\n'),
    );
  });

  it('may be compressed, and may have some of the columns, with other names', async t => {
    const { bytes } = await scored(t, csv, 'out.jsonl.gz', { keep: ['e', 'id'], rename: { e: 'f' } });
    assert.match(ownOf(gunzipSync(bytes).toString()), /^\{"f":"","id":"1"\}\n\{"f":null,"id":"02"\}\n/);
  });

  it('leave out malformed rows, which are in the rejects as CSV', async t => {
    const { bytes, rejects } = await scored(t, 'id,a\n1,x\n2\n3,y\n', 'out.jsonl', {
      maxRejects: { rows: 1 },
    });
    assert.equal(ownOf(bytes.toString()), '{"id":"1","a":"x"}\n{"id":"3","a":"y"}\n');
    assert.match(rejects, /^reject_row,.*,id,a\n2,3,too_few_fields,/);
  });

  it('may have nothing but predictions, and a name that does not tell what they are', async t => {
    const { bytes } = await scored(t, csv, 'out.jsonl', { keep: 'none' });
    assert.match(bytes.toString(), /^\{"probability_no":0,/);
    await scored(t, csv, 'out', { outputFormat: 'jsonl' });
  });

  it('are refused if two columns have the same name', async t => {
    await scored(t, 'id,a,a\n1,2,3\n', 'out.jsonl', { keep: ['id'] });
    await assert.rejects(scored(t, 'id,id\n1,2\n', 'out.jsonl'), { code: 'duplicate_columns' });
  });

  it('are different if a value is', async t => {
    const { folder, bytes, check } = await scored(t, csv, 'out.jsonl', { types: { n: 'numerical' } });
    for (const [from, to] of [
      ['5.50', '5.5'],
      ['"e":""', '"e":null'],
      ['"02"', '"2"'],
      ['{', '{"more":1,'],
    ] as const) {
      await writeFile(join(folder, 'wrong.jsonl'), bytes.toString().replace(from, to));
      await assert.rejects(check(join(folder, 'wrong.jsonl')), { code: 'difference' });
    }
  });

  it('have the texts of the fields, whatever they are', async t => {
    const field = fc.string({ unit: character, maxLength: 8 }).map(text => text.replaceAll('\r', ''));
    const row = fc.tuple(fc.nat().map(String), field, field);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async rows => {
        const text = [['id', 'a', 'b\n'], ...rows].map(fields => writeRow(fields)).join('');
        const { bytes } = await scored(t, text, 'out.jsonl', { types: { a: 'float', id: 'integer' } });
        const lines = bytes.toString().trimEnd().split('\n');
        assert.deepEqual(
          lines.map(line => {
            const own = JSON.parse(line) as Record<string, unknown>;
            return ['id', 'a', 'b\n'].map(name => String(own[name] ?? ''));
          }),
          rows.map(([id, a, b]) => [id, isNumber(a) ? String(Number(a)) : a, b]),
        );
      }),
      { numRuns: runs(200) },
    );
  });
});

const isNumber = (text: string): boolean => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
