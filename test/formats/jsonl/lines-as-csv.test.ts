import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { textOfParquet } from '../../support/parquet.ts';
import { character, runs } from '../../support/random-tests.ts';
import { scoredAs } from '../../support/scoring/scored-as.ts';
import { slow } from '../../support/slow.ts';

const scored = (t: TestContext, text: string, to: string, options?: Partial<RunValues>) =>
  scoredAs(t, { from: 'in.jsonl', text, to }, options);

/** The rows of a CSV with an empty field for a missing value and `""` for an empty text, without the predictions. */
const ownOf = (csv: string): string =>
  csv.replaceAll(/,(?:probability_no,probability_yes|[\d.]+,[\d.]+)$/gm, '');

describe('a CSV of JSON lines', () => {
  const lines = [
    '{"id": 1, "name": "a,\\"b\\"\\n", "plan": {"fee": 9.50, "tags": ["x", "y"]}, "e": ""}',
    '',
    '{"id": 2, "plan": null, "name": "\\u00fc", "ok": true}\r',
    '{"id":null}',
  ].join('\n');

  it('has a column for each value of the first objects', async t => {
    const { bytes } = await scored(t, lines, 'out.csv');
    assert.equal(
      ownOf(bytes.toString()),
      [
        'id,name,plan.fee,plan.tags,e,ok',
        '1,"a,""b""\n",9.50,"[""x"", ""y""]","",',
        '2,ü,,,,true',
        ',,,,,',
      ].join('\n'),
    );
  });

  it('has no column whose name has half a character: a line with one is a reject, but not if lines are written', async t => {
    const text = `{"id":1,"b\\ud83d":2}\n{"id":3}\n`;
    const { bytes, rejects } = await scored(t, text, 'out.csv', { maxRejects: { rows: 1 } });
    assert.equal(ownOf(bytes.toString()), 'id\n3\n');
    assert.match(rejects, /"reject_code":"not_utf8".*half a character/);
    assert.equal((await scored(t, text, 'out.jsonl')).rejects, '');
  });

  it('may be compressed, and may have some of the columns, with other names', async t => {
    const { bytes } = await scored(t, lines, 'out.csv.gz', {
      keep: ['plan.fee', 'id', 'later'],
      rename: { 'plan.fee': 'fee' },
    });
    assert.equal(ownOf(gunzipSync(bytes).toString()), 'fee,id,later\n9.50,1,\n,2,\n,,');
  });

  it('has only predictions if nothing else is kept, or there is no object', async t => {
    const options = { keep: 'none' } as const;
    assert.equal(
      (await scored(t, lines, 'out.csv', options)).bytes.toString().split('\n')[0],
      'probability_no,probability_yes',
    );
    assert.equal((await scored(t, '', 'out.csv')).bytes.toString(), 'probability_no,probability_yes\n');
  });

  it('loses no value: a line with one that has no column is a reject, unless columns are chosen', async t => {
    const objects = Array.from({ length: 100 }, (_, id) => `{"id":${id},"a":{"b":1}}\n`).join('');
    const more =
      '{"id":100,"a":{"b":1,"c":{"d":2}}}\n{"id":101,"late":"\\u0041"}\n{"id":102,"late":null,"x":{}}\n';
    const { bytes, rejects } = await scored(t, objects + more, 'out.csv', { maxRejects: { rows: 2 } });
    assert.deepEqual(
      rejects
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
        .map(({ reject_row: row, reject_code: code, reject_reason: reason }) => [row, code, reason]),
      [
        [
          101,
          'unknown_member',
          'the output has no column for the member "a.c.d"; name the columns of the output with --keep',
        ],
        [
          102,
          'unknown_member',
          'the output has no column for the member "late"; name the columns of the output with --keep',
        ],
      ],
    );
    assert.match(ownOf(bytes.toString()), /\n99,1\n102,\n$/);
    const kept = await scored(t, objects + more, 'out.csv', { keep: ['id', 'a'] });
    assert.match(ownOf(kept.bytes.toString()), /\n100,"\{""b"":1,""c"":\{""d"":2\}\}"\n101,\n102,\n$/);
  });

  it('has one column for a member that is an object in some lines and another value in others', async t => {
    const mixed = [
      '{"id":1,"plan":"basic","at":{"x":{"y":1}}}',
      '{"id":2,"plan":{"name":"plus","fee":9.50},"at":{"x":null}}',
      '{"id":3,"plan":null,"at":{"x":[2]}}',
      '{"id":4,"plan":{"other":1},"at":null}',
    ].join('\n');
    const { bytes, rejects } = await scored(t, mixed, 'out.csv');
    assert.equal(
      ownOf(bytes.toString()),
      [
        'id,plan,at.x',
        '1,basic,"{""y"":1}"',
        '2,"{""name"":""plus"",""fee"":9.50}",',
        '3,,[2]',
        '4,"{""other"":1}",',
      ].join('\n'),
    );
    assert.equal(rejects, '');
  });

  it('has the columns in the order of the members, some of which are objects, or have points in their names', async t => {
    const lines = '{"b":1,"2020":"x","price":5,"price.usd":6,"p":{}}\n{"1":null,"p":{"q":2}}\n';
    const { bytes } = await scored(t, lines, 'out.csv', { features: ['p'] });
    assert.equal(ownOf(bytes.toString()), 'b,2020,price,price.usd,1,p.q\n1,x,5,6,,\n,,,,,2\n');
  });

  it('takes no names from lines that are malformed: too deep, or with a name twice', async t => {
    const deep = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
    const lines = `${deep}\n{"twice":1,"twice":2}\n{"id":1}\n`;
    const { bytes } = await scored(t, lines, 'out.csv', { maxRejects: { rows: 2 } });
    assert.equal(ownOf(bytes.toString()), 'id\n1\n');
  });

  slow('takes a null for nothing, however many names there were', async t => {
    const objects = Array.from({ length: 100 }, () => '{"id":1}\n').join('');
    const others = Array.from({ length: 10_100 }, (_, row) => `{"id":2,"m${row}":null}\n`).join('');
    const { rejects } = await scored(t, `${objects}${others}{"id":3,"late":1}\n`, 'out.csv', {
      maxRejects: { rows: 1 },
    });
    assert.deepEqual(rejects.match(/"reject_row":\d+,.*?"unknown_member"/g)?.length, 1);
  });

  it('refuses options that it does not have, and names of which one is part of another', async t => {
    for (const options of [{ delimiter: ';' }, { quote: 'none' }, { keep: ['plan', 'plan.fee'] }] as const)
      await assert.rejects(scored(t, lines, 'out.csv', options), { code: 'bad_option' });
  });

  it('is verified by its first bytes if its name does not tell what it is', async t => {
    await scored(t, lines, 'out', { outputFormat: 'csv' });
    await scored(t, lines, 'out');
    await scored(t, '\n', 'out');
  });

  it('is different if a value is', async t => {
    const { folder, bytes, check } = await scored(t, lines, 'out.csv');
    for (const [from, to] of [
      ['9.50', '9.5'],
      ['"",', ','],
      ['true', 'false'],
    ] as const) {
      await writeFile(join(folder, 'wrong.csv'), bytes.toString().replace(from, to));
      await assert.rejects(check(join(folder, 'wrong.csv')), { code: 'difference' });
    }
  });

  it('has the values that JSON.parse finds', async t => {
    const names = ['a', 'b', 'c,"d"', 'e\n'];
    const text = fc.string({ unit: character, maxLength: 8 });
    const value = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      text,
      fc.array(text, { maxLength: 3 }),
    );
    const object = fc.dictionary(fc.constantFrom(...names), value);
    await fc.assert(
      fc.asyncProperty(fc.array(object, { minLength: 1, maxLength: 20 }), async objects => {
        const all = objects.map(own => `${JSON.stringify({ id: 1, a: null, ...own })}\n`).join('');
        const { bytes } = await scored(t, all, 'out.csv', { features: names, allowMissing: true });
        const rows = parse(bytes, {
          columns: true,
          cast: (own, { quoting }) => (own === '' && !quoting ? null : own),
        });
        assert.equal(rows.length, objects.length);
        for (const [index, own] of objects.entries())
          for (const name of names) {
            const wanted = own[name] ?? null;
            const written = typeof wanted === 'string' || wanted === null ? wanted : JSON.stringify(wanted);
            assert.equal((rows as Record<string, unknown>[])[index]?.[name] ?? null, written);
          }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('Parquet of JSON lines', () => {
  it('is verified with nothing but predictions, and with rounded ones', async t => {
    await scored(t, '', 'out.parquet');
    await scored(t, '{"id":1}\n{"id":2}\n', 'out.parquet', { keep: 'none' });
    await scored(t, '{"id":1}\n{"id":2}\n', 'out.parquet', { decimals: 3 });
  });

  it('has nothing where a number stands for a missing one, and is verified so', async t => {
    const { bytes } = await scored(t, '{"id":1,"n":-99}\n{"id":2,"n":5}\n', 'out.parquet', {
      features: ['id', 'n'],
      types: { n: 'float' },
      nulls: ['-99'],
    });
    assert.match(await textOfParquet(bytes), /^id,n,probability_no,probability_yes\n1,,0,1\n2,5,/);
  });

  it('has numbers where the options say so, in row groups', async t => {
    const lines = Array.from({ length: 10 }, (_, id) => `{"id":${id},"n":"${id}.50","t":${id}}\n`).join('');
    const { bytes, check, folder } = await scored(t, lines, 'out.parquet', {
      features: ['id', 'n'],
      types: { n: 'float' },
      groupRows: 4,
    });
    const text = await textOfParquet(bytes);
    assert.match(text, /^id,n,t,probability_no,probability_yes\n0,0.5,0,0,1\n1,1.5,1,/);
    await scored(t, lines.replace('"t":7', '"t":8'), 'out.parquet');
    await writeFile(join(folder, 'in.jsonl'), lines.replace('"n":"7.50"', '"n":"7.51"'));
    await assert.rejects(check(), { code: 'difference' });
  });
});
