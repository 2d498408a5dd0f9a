import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { job } from '../../support/scoring/job.ts';
import { labels, numbers } from '../../support/scoring/predictions.ts';
import { rowScorer } from '../../support/scoring/row-scorer.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

const maxRecordBytes = 1 << 20;
const features = ['a', 'b.c'];

/** Scores lines, verifies the output, and returns it with the rejects and what was sent. */
async function scored(
  t: TestContext,
  text: string | Buffer,
  { name = 'out.jsonl', ...options }: Partial<RunValues> & { name?: string } = {},
) {
  const folder = await newFolder(t);
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, name)];
  await writeFile(input, text);
  const connected = await connect(t, { report: { classes: ['no', 'yes'] } });
  const values = job({ input, output, features, ...options });
  const result = await score(values, connected.client);
  const { keep, rename, probabilities, decimals } = values;
  const rejects = await readFile(`${output}.rejects`, 'utf8').catch(() => '');
  const verified = await verifyOutput({
    input,
    output,
    maxRecordBytes,
    keep,
    rename,
    probabilities,
    decimals,
    ...(rejects !== '' && { rejects: `${output}.rejects` }),
  });
  return {
    text: await readFile(output, 'utf8'),
    rejects,
    result,
    verified,
    sent: connected.stub.bodies.flatMap(body => body.personas.map(({ features: own }) => own)),
  };
}

const PROBABILITIES = /"probability_no":[\d.]+,"probability_yes":[\d.]+/g;

/** The output with an asterisk for the appended members. */
const shortened = (text: string): string => text.replaceAll(PROBABILITIES, '*');

describe('the output of JSON lines', () => {
  it('has the bytes of each line, with members before the closing brace', async t => {
    const { text } = await scored(
      t,
      '\ufeff{"a":1}\n{ "b" : { "c" : "x" } , "a":"" }  \r\n\n\r\n{"a":null}\n{ "a":null }\n{"a":[1,{"a":"}"}],"z":"}{"}',
    );
    assert.equal(
      shortened(text),
      '\ufeff{"a":1,*}\n{ "b" : { "c" : "x" } , "a":"" ,*}  \r\n\n\r\n{"a":null,*}\n{ "a":null ,*}\n{"a":[1,{"a":"}"}],"z":"}{",*}',
    );
  });

  it('may be empty', async t => {
    assert.equal((await scored(t, '')).text, '');
    assert.equal((await scored(t, '\n\n')).text, '\n\n');
  });

  it('leaves out lines that are no objects, each of which is a reject that is JSON', async t => {
    const lines = [
      '{"a":1,"b":{"c":1}}',
      '[1]',
      '{"a":1,"a":2}',
      '{"a":"cut off',
      '{"probability_yes":0.5}',
      '{"a":null}',
      'null',
      ' ',
      '{"a":"\u00e4"}',
    ];
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from('{"a":"\xff"}\n', 'latin1'),
      // If most lines are malformed, a run stops.
      Buffer.from('{"a":2}\n'.repeat(4)),
    ]);
    const { text, rejects, verified } = await scored(t, bytes);
    assert.equal(
      shortened(text),
      `{"a":1,"b":{"c":1},*}\n{"a":null,*}\n{"a":"\u00e4",*}\n${'{"a":2,*}\n'.repeat(4)}`,
    );
    assert.deepEqual([verified.scored, verified.malformed], [7, 7]);
    const objects = rejects
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      objects.map(({ reject_row, reject_line, reject_code, reject_reason: _, ...rest }) => [
        reject_row,
        reject_line,
        reject_code,
        rest,
      ]),
      [
        [2, 2, 'bad_json', { reject_record: '[1]' }],
        [3, 3, 'repeated_member', { a: 2 }],
        [4, 4, 'bad_json', { reject_record: '{"a":"cut off' }],
        [5, 5, 'scored_before', { probability_yes: 0.5 }],
        [7, 7, 'bad_json', { reject_record: 'null' }],
        [8, 8, 'bad_json', { reject_record: ' ' }],
        [10, 10, 'not_utf8', { a: '\ufffd' }],
      ],
    );
  });

  it('has the kept members in their order, with their bytes, and others names if asked for', async t => {
    const lines = '{"x":1.50,"a" : 1, "b":{"c":[ 2 ]}}\n{"b":{}, "q":1}\r\n{"a":{"a":1},"x":null}\n';
    const kept = await scored(t, lines, { keep: ['b', 'x'] });
    assert.equal(shortened(kept.text), '{"b":{"c":[ 2 ]},"x":1.50,*}\n{"b":{},*}\r\n{"x":null,*}\n');
    const renamed = await scored(t, lines, { rename: { a: 'the "a"', probability_no: 'no' } });
    assert.equal(
      renamed.text.replaceAll(/"no":[\d.]+,"probability_yes":[\d.]+/g, '*'),
      '{"x":1.50,"the \\"a\\"" : 1, "b":{"c":[ 2 ]},*}\n{"b":{}, "q":1,*}\r\n{"the \\"a\\"":{"a":1},"x":null,*}\n',
    );
    const both = await scored(t, lines, { keep: ['x', 'a'], rename: { x: 'a', a: 'x' } });
    assert.equal(shortened(both.text), '{"a":1.50,"x" : 1,*}\n{*}\r\n{"a":null,"x":{"a":1},*}\n');
    assert.equal(shortened((await scored(t, lines, { keep: 'none' })).text), '{*}\n{*}\r\n{*}\n');
    await assert.rejects(scored(t, lines, { keep: ['bb'] }), { code: 'missing_columns' });
    await assert.rejects(scored(t, lines, { rename: { x: 'probability_no' } }), {
      code: 'duplicate_columns',
    });
  });

  it('has the chosen probabilities, with as many decimals, and the prediction', async t => {
    const values = {
      probabilities: ['no'],
      decimals: 3,
      prediction: true,
      predict: 'say "x"',
      prefix: 'p',
      features: ['a'],
    };
    const { text } = await scored(t, '{"a":1}\n{"a":2}\n', values);
    for (const line of text.trimEnd().split('\n')) {
      const object = JSON.parse(line) as Record<string, unknown>;
      assert.deepEqual(Object.keys(object), ['a', 'p_no', 'predicted_say "x"']);
      assert.equal(object['predicted_say "x"'], Number(object.p_no) >= 0.5 ? 'no' : 'yes');
      assert.match(line, /"p_no":\d\.\d{3},/);
    }
  });

  it('is refused if a line has such a member already, or if the columns are not known', async t => {
    await assert.rejects(scored(t, '{"a":1,"b":{},"probability_yes":1}\n'), { code: 'duplicate_columns' });
    await assert.rejects(scored(t, '{"a":1}\n', { features: undefined }), {
      code: 'no_columns',
      message: 'the columns of JSON lines are not known before the first row',
    });
  });
});

describe('labels and numbers', () => {
  const texts = ['yes', 'a,b', 'say "no"', 'two\nlines', 'überall', '\u0001', '0.5', 'null'];
  const values = [0.1 + 0.2, 1e21, -5e-324, 7];
  const textOf = (id: number): string => texts[id % texts.length] ?? '';
  const numberOf = (id: number): number => values[id % values.length] ?? 0;
  const lines = Array.from({ length: 40 }, (_, row) => `{"id":${row}}`);
  const several = (ids: number[]) =>
    numbers(
      ids.flatMap(id => [id, 1 - id / 3]),
      ['mean', '"upper"'],
    );

  for (const [kind, predict, membersOf] of [
    ['label', (ids: number[]) => labels(ids.map(textOf)), (id: number) => ({ predicted_x: textOf(id) })],
    [
      'numbers',
      (ids: number[]) => numbers(ids.map(numberOf)),
      (id: number) => ({ predicted_x: numberOf(id) }),
    ],
    ['numbers', several, (id: number) => ({ probability_mean: id, 'probability_"upper"': 1 - id / 3 })],
  ] as const)
    it(`are appended and verified: ${Object.keys(membersOf(0)).join(', ')} of the kind ${kind}`, async t => {
      const folder = await newFolder(t);
      const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
      await writeFile(input, lines.join('\r\n'));
      const scorer = rowScorer(rows => predict(rows.map(([id]) => Number(id))), { predicts: 'x' });
      await score(job({ input, output, features: ['id'], batchRows: 7 }), scorer);
      assert.equal((await verifyOutput({ input, output, maxRecordBytes, kind })).scored, lines.length);
      const objects = (await readFile(output, 'utf8')).split('\r\n').map(line => JSON.parse(line));
      assert.deepEqual(
        objects,
        lines.map((_, id) => ({ id, ...membersOf(id) })),
      );
    });
});

describe('what is sent of JSON lines', () => {
  it('has an object as its text, whatever the format of the output', async t => {
    const lines = '{"id":1,"a":{"x": [1]},"b":{"c":"x"}}\n{"id":2,"a":{"x":2},"b":{"c":"y"}}\n';
    for (const name of ['out.jsonl', 'out.csv', 'out.parquet']) {
      const { sent } = await scored(t, lines, { name });
      assert.deepEqual(
        sent,
        [
          { a: '{"x": [1]}', 'b.c': 'x' },
          { a: '{"x":2}', 'b.c': 'y' },
        ],
        name,
      );
    }
  });

  it('has the types of JSON, unless the column has one', async t => {
    const lines = [
      '{"a":34,"b":{"c":"34"}}',
      '{"a":true,"b":{"c":false}}',
      '{"a":null,"b":{"c":""}}',
      '{"b":{}}',
      '{"a":"","b":5}',
      '{"a":"\\u00e4\\n","b":{"c":1e2}}',
      '{"a":-0.5,"b":{"c":"null"}}',
    ];
    const { sent } = await scored(t, lines.join('\n'));
    assert.deepEqual(sent, [
      { a: 34, 'b.c': '34' },
      { a: true, 'b.c': false },
      { a: null, 'b.c': '' },
      { a: null, 'b.c': null },
      { a: '', 'b.c': null },
      { a: 'ä\n', 'b.c': 100 },
      { a: -0.5, 'b.c': 'null' },
    ]);
    const typed = await scored(t, lines.join('\n'), { types: { a: 'categorical', 'b.c': 'numerical' } });
    assert.deepEqual(typed.sent, [
      { a: '34', 'b.c': 34 },
      { a: 'true', 'b.c': 'false' },
      { a: null, 'b.c': null },
      { a: null, 'b.c': null },
      { a: '', 'b.c': null },
      { a: 'ä\n', 'b.c': 100 },
      { a: '-0.5', 'b.c': 'null' },
    ]);
  });
});
