import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exits, waitForStderr } from '../support/rowcast.ts';
import { csv, filesWith } from '../support/scoring/files.ts';
import { slow } from '../support/slow.ts';

describe('--wait-for-input', () => {
  for (const [name, input, missing] of [
    ['a file', 'late.csv', /late\.csv: the input is not ready: no such file \(waited 1 s\)/],
    ['a pattern', 'in/*.csv', /in\/\*\.csv: the input is not ready: no file matches the pattern/],
  ] as const)
    it(`ends with 75 if ${name} is not there in time, and the summary says so`, async t => {
      const { score, summary } = await filesWith(t, {});
      const output = input.includes('*') ? 'out/{name}.csv' : 'out.csv';
      const words = `${input} -o ${output} --wait-for-input 1s --summary s.json`;
      await exits(score(words), 75, missing, /waiting for .*for up to/);
      const { status, exit_code, error } = await summary();
      assert.deepEqual([status, exit_code], ['stopped', 75]);
      assert.deepEqual([error.code, error.retryable], ['input_not_ready', true]);
    });

  it('takes no file for complete that has no rows, or ends too early, and leaves nothing of it behind', async t => {
    const { score, path, write } = await filesWith(t, {
      'header.csv': csv(0),
      'cut.csv.gz': gzipSync(csv(1000)).subarray(0, 900),
      'empty.csv': '',
    });
    for (const [file, why] of [
      ['header.csv', 'it has no rows'],
      ['cut.csv.gz', 'the gzip data is truncated'],
      ['empty.csv', 'the input is empty'],
    ] as const) {
      await utimes(path(file), 1e9, 1e9);
      const { stderr } = await exits(score(`${file} -o out.csv --wait-for-input 100ms`), 75);
      assert.match(stderr, new RegExp(`${file}: the input is not ready: ${why}`));
    }
    await exits(score('*.csv* -o out/{name}.csv --wait-for-input 100ms'), 75);
    await write('good.csv', csv(3));
    await exits(score('good.csv -o out.csv --ready-file header.csv'), 0);
  });

  slow('reads the one of many files again that was cut off when the rest of it has arrived', async t => {
    const whole = gzipSync(csv(1000));
    const { start, path, read, write, score } = await filesWith(t, {
      'in/cut.csv.gz': whole.subarray(0, 900),
      'in/header.csv': csv(0),
      'in/whole.csv': csv(5),
    });
    for (const name of ['cut.csv.gz', 'header.csv', 'whole.csv']) await utimes(path(`in/${name}`), 1e9, 1e9);
    const words = 'in/* -o out/{name}.csv --jobs 1';
    const { child, finished } = start(`score ${words} --report r --wait-for-input 1h`);
    const arrive = async (name: string, content: string | Buffer): Promise<void> => {
      await write(`in/${name}`, content);
      await utimes(path(`in/${name}`), 1e9 + 1, 1e9 + 1);
    };
    await waitForStderr(child, /waiting for .*cut\.csv\.gz: the gzip data is truncated/);
    await arrive('cut.csv.gz', whole);
    await waitForStderr(child, /waiting for .*header\.csv: it has no rows/);
    await arrive('header.csv', csv(7));
    await exits(finished, 0, /3 files: 3 scored; 1,012 rows/);
    assert.match(await read('out/cut.csv'), /^r999,/m);
    assert.match((await score(words)).stderr, /3 unchanged/);
  });

  it('takes what a file says to be complete as it is, and waits for none without the time to', async t => {
    const { score, write } = await filesWith(t, { 'header.csv': csv(0) });
    const words = 'header.csv -o out.csv --ready-file _SUCCESS';
    await exits(score(words), 75, /_SUCCESS: the input is not ready: the file that says/);
    await write('_SUCCESS', '');
    await exits(score(`${words} --wait-for-input 1h`), 0);
  });

  it('is ended by a signal, says "running" until then, and keeps a second run out', async t => {
    const { start, score, summary } = await filesWith(t, {});
    const words = 'late.csv -o out.csv --summary s.json --wait-for-input 1h';
    const { child, finished } = start(`score ${words} --report r`);
    await waitForStderr(child, /waiting for late\.csv/);
    assert.equal((await summary()).status, 'running');
    await exits(score(words), 75, /\[locked\]/);
    child.kill('SIGTERM');
    const { code, signal } = await finished;
    assert.ok(code === 143 || signal === 'SIGTERM');
    const { status, exit_code } = await summary();
    assert.deepEqual([status, exit_code], ['stopped', 143]);
  });

  for (const [what, text, warning] of [
    ['no rows', 'id,amount\n', 'no_rows'],
    ['one row without a line ending', 'id,amount\na,1', 'unended_record'],
    ['one row with a line ending', 'id,amount\na,1\n', undefined],
    ['one row that ends as all lines of old files do', 'id,amount\ra,1\r', undefined],
    ['rows of which the last one has no line ending', 'id,amount\na,1\nb,2', undefined],
  ] as const)
    it(`is named by a warning${warning === undefined ? ' never' : ''} if an input has ${what}`, async t => {
      const { score, summary } = await filesWith(t, { 'in.csv': text });
      const { code, stderr } = await score('in.csv -o out.csv --summary s.json');
      assert.equal(code, 0, stderr);
      const warnings = (await summary()).warnings.map(({ code }: { code: string }) => code);
      assert.deepEqual(warnings, warning === undefined ? [] : [warning]);
      assert.equal(/--wait-for-input/.test(stderr), warning !== undefined);
    });

  it('is the hint of an input that ends too early', async t => {
    const { score } = await filesWith(t, { 'cut.csv.gz': gzipSync(csv(1000)).subarray(0, 900) });
    const says =
      /wait for it with --wait-for-input\. Transfer it again; to check it: gzip -t < cut\.csv\.gz\n$/;
    await exits(score('cut.csv.gz -o out.csv'), 3, says);
  });
});
