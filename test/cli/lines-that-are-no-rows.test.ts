import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { startStub } from '../support/stub/service.ts';

/** Runs commands in a folder with an input. */
async function bench(t: TestContext, input: Buffer | string, name = 'in.csv') {
  const stub = await startStub();
  t.after(() => stub.close());
  const cwd = await newFolder(t);
  await writeFile(join(cwd, name), input);
  const env = { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key };
  const run = async (...args: string[]) => rowcast(args, { cwd, env });
  const output = name.replace('in.', 'out.');
  const score = (...args: string[]) => run('score', name, '--report', 'r', '-o', output, ...args);
  const verify = (...args: string[]) => run('verify', name, output, ...args);
  return { run, score, verify, read: (file: string) => readFile(join(cwd, file), 'utf8'), cwd, output };
}

const ROWS = Array.from({ length: 30 }, (_, row) => `${row},${row * 7}.5,x${row}\n`).join('');
const HEADER = 'age,pay,city\n';

describe('an input whose rows are all malformed stops the run, with its cause and what to do', () => {
  const cases: Record<string, { text: Buffer | string; name?: string; says: RegExp; does: RegExp }> = {
    'a delimiter at the end of each line': {
      text: HEADER + ROWS.replaceAll('\n', ',\n'),
      says: /all of the first 30 rows are malformed: each record has one field more than the header, and it is empty/,
      does: /sed 's\/,\$\/\/' < in\.csv \| rowcast/,
    },
    'the same with CRLF': {
      text: (HEADER + ROWS.replaceAll('\n', ',\n')).replaceAll('\n', '\r\n'),
      says: /one field more than the header, and it is empty/,
      does: /tr -d '\\r' \| sed 's\/,\$\/\/'/,
    },
    'an index without a name': {
      text: HEADER + ROWS.replace(/^/gm, (_, at: number) => (at === ROWS.length ? '' : `${at},`)),
      says: /the header lacks the name of an index/,
      does: /sed '1s\/\^\/index,\/' < in\.csv/,
    },
    'a title before the header': {
      text: `Report of 2026\n${HEADER}${ROWS}`,
      says: /line 2 has 3 columns, as the rows after it have/,
      does: /--skip-lines 1/,
    },
    'another encoding under a header in ASCII': {
      text: Buffer.from(HEADER + ROWS.replaceAll('x', 'é'), 'latin1'),
      says: /not valid UTF-8/,
      does: /--encoding windows-1252/,
    },
    'a list of objects': {
      text: `[\n${'{"age":1},\n'.repeat(9)}{"age":1}\n]\n`,
      name: 'in.jsonl',
      says: /11 of the first 12 rows are malformed: the lines are those of a list/,
      does: /jq -c '\.\[\]' < in\.jsonl/,
    },
    'commas after objects': {
      text: '{"age":1},\n'.repeat(9),
      name: 'in.jsonl',
      says: /the lines end with a comma/,
      does: /sed 's\/,\[\[:space:\]\]\*\$\/\/' < in\.jsonl/,
    },
    'too many fields in more than half of them': {
      text: HEADER + ROWS + '1,2,3,4,5\n'.repeat(31),
      says: /31 of the first 61 rows are malformed: the record has 5 fields, the header 3/,
      does: /--delimiter/,
    },
  };
  for (const [title, { text, name = 'in.csv', says, does }] of Object.entries(cases))
    it(title, async t => {
      const { score, cwd, output } = await bench(t, text, name);
      await writeFile(join(cwd, output), 'yesterday');
      const columns = name.endsWith('.jsonl') ? ['--features', 'age'] : [];
      const { code, stderr } = await score(...columns);
      assert.equal(code, 3, stderr);
      assert.match(stderr, says);
      assert.match(stderr, does);
      assert.equal(await readFile(join(cwd, output), 'utf8'), 'yesterday');
    });

  it('unless --max-rejects allows it', async t => {
    const { score, read } = await bench(t, HEADER + ROWS.replaceAll('\n', ',\n'));
    const { code, stderr } = await score('--max-rejects', '100%', '--classes', 'no,yes');
    assert.equal(code, 1, stderr);
    assert.equal((await read('out.csv')).split('\n').length, 2);
  });

  it('but not a run with fewer of them', async t => {
    const { score } = await bench(t, `${HEADER}1\n2\n${ROWS}`);
    assert.equal((await score()).code, 1);
  });

  it('nor that of rejects of which few were corrected', async t => {
    const { score, run } = await bench(t, `${HEADER}${'1\n'.repeat(9)}${ROWS}${ROWS}`);
    assert.equal((await score()).code, 1);
    const args = ['score', 'out.csv.rejects', '--report', 'r', '--classes', 'no,yes', '-o', 'again.csv'];
    const again = await run(...args);
    assert.equal(again.code, 1, again.stderr);
  });
});

describe('a header line among the rows', () => {
  it('is a reject, also after a byte order mark, with other line endings and quotes, and in a later gzip member', async t => {
    const part = HEADER + ROWS;
    const quoted = '"age","pay","city"\r\n';
    const { score, verify, read } = await bench(
      t,
      Buffer.concat([gzipSync(`${part}\ufeff${part}${quoted}1,2,x\n`), gzipSync(part)]),
      'in.csv.gz',
    );
    const { code, stderr } = await score('-o', 'out.csv');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /91 rows scored, 3 rejected \(3 × repeated_header\)/);
    const rejects = await read('out.csv.rejects');
    assert.deepEqual(rejects.match(/^\d+,\d+,\w+/gm), [
      '31,32,repeated_header',
      '62,63,repeated_header',
      '64,65,repeated_header',
    ]);
    assert.equal((await verify()).code, 2);
  });

  it('verifies, and stays a reject when the rejects are scored again', async t => {
    const { score, verify, run } = await bench(t, `${HEADER}${ROWS}\ufeff${HEADER}${ROWS}${HEADER}`);
    assert.equal((await score()).code, 1);
    const verified = await verify();
    assert.equal(verified.code, 0, verified.stderr);
    const args = ['score', 'out.csv.rejects', '--report', 'r', '--classes', 'no,yes', '-o', 'again.csv'];
    const again = await run(...args);
    assert.match(again.stderr, /0 rows scored, 2 rejected \(2 × repeated_header\)/);
  });

  it('stops the run if its columns are in another order', async t => {
    const { score, cwd } = await bench(t, `${HEADER}${ROWS}city,age,pay\n${ROWS}`);
    const { code, stderr } = await score();
    assert.equal(code, 3, stderr);
    assert.match(stderr, /in\.csv:32: this line is a header with the same columns in another order/);
    assert.ok(!existsSync(join(cwd, 'out.csv')));
  });

  it('is none if its names are numbers, or only some of them are names', async t => {
    const { score } = await bench(t, `0,1,2\n0,1,2\n2,1,0\n`);
    const { code, stderr } = await score();
    assert.equal(code, 0, stderr);
    const other = await bench(t, `${HEADER}age,pay,x\n`);
    assert.equal((await other.score()).code, 0);
  });

  it('is left out by train, which notes it, and a class of few rows with its line', async t => {
    const history = `age,plan\n${Array.from({ length: 60 }, (_, row) => `${row * row},${row % 2 ? 'a' : 'b'}\n`).join('')}`;
    const { run } = await bench(t, `${history}${history}3000,Total\n`);
    const { code, stderr } = await run('train', 'in.csv', '--predict', 'plan', '--report', 'r');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Left out 1 repeated header line\./);
    assert.match(stderr, /classes with fewer than five rows: "Total" \(1 row, line 123\)/);
  });
});
