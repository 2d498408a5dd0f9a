import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { folderOf } from '../../support/cli/run-in-folder.ts';
import { parquetOf, textOfParquet } from '../../support/parquet.ts';
import { root } from '../../support/root.ts';
import { exits, rowcast } from '../../support/rowcast.ts';
import { csv } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';

/** A report of which the inputs here have two columns. */
const ONE = ['--report', 'one', '--allow-missing', '--max-unseen', 'none'];

type Row = Record<string, string>;

/** The smallest inputs. */
const ROWS = csv([
  ['tenure', 'plan'],
  ['1', 'a'],
]);

const bytesOfFixture = (name: string): Promise<Buffer> => readFile(join(root, 'fixtures/parquet', name));

describe('a run that reads or writes Parquet', () => {
  it('writes it to a pipe', async t => {
    const { run, bytesIn, write } = await folderOf(t, await trainedHome());
    const rows = csv([
      ['tenure', 'plan'],
      ['1', 'a'],
      ['', 'b'],
    ]);
    await write('in.csv', rows);
    const score = ['score', 'in.csv', ...ONE];
    const { stdout } = await run(...score, '--output-format', 'parquet');
    await run(...score, '-o', 'out.parquet');
    assert.deepEqual(Buffer.from(stdout as unknown as Uint8Array), await bytesIn('out.parquet'));
  });

  it('keeps and renames columns, which are copied', async t => {
    const { run, bytesIn, write } = await folderOf(t, await trainedHome());
    const rows = csv([
      ['id', 'tenure', 'plan', 'note'],
      ['7', '1', 'a', 'x'],
    ]);
    await write('in.parquet', await parquetOf(rows));
    await run('score', 'in.parquet', '-o', 'out.parquet', ...ONE, '--keep', 'note,id', '--rename', 'id=key');
    const [header] = (await textOfParquet(await bytesIn('out.parquet'))).split('\n');
    assert.match(header ?? '', /^note,key,probability_/);
    await run('verify', 'in.parquet', 'out.parquet', '--keep', 'note,id', '--rename', 'id=key');
  });

  it('finds a wrong value', async t => {
    const { folder, run, bytesIn, write } = await folderOf(t, await trainedHome());
    const rows = (note: string): string =>
      csv([
        ['tenure', 'plan', 'note'],
        ['1', 'a', 'x'],
        ['2', 'b', note],
      ]);
    await write('in.csv', rows('y'));
    await run('score', 'in.csv', '-o', 'out.parquet', ...ONE);
    await write('in.csv', rows('z'));
    const { code, stderr } = await rowcast(['verify', 'in.csv', 'out.parquet'], { cwd: folder });
    assert.deepEqual([code, /the column "note" differs from row 2/.test(stderr)], [4, true], stderr);
    assert.ok((await bytesIn('out.parquet')).length > 0);
  });

  it('refuses a pipe', async t => {
    const { folder, write } = await folderOf(t);
    await write('in.parquet', await bytesOfFixture('polars.parquet'));
    const stdin = await bytesOfFixture('polars.parquet');
    const { code, stderr } = await rowcast(['score', '-', ...ONE], {
      cwd: folder,
      env: { ROWCAST_HOME: await trainedHome() },
      stdin,
    });
    assert.deepEqual([code, /\[needs_file\]/.test(stderr)], [2, true], stderr);
  });

  it('refuses columns that it cannot read, with their names', async t => {
    const { refuse, write } = await folderOf(t, await trainedHome());
    await write('in.parquet', await bytesOfFixture('pyarrow-nested.parquet'));
    const score = ['score', 'in.parquet', ...ONE, '--features', 'id'];
    assert.match(await refuse('unsupported_column', ...score, '-o', 'out.csv'), /column "list".*--keep/s);
  });

  it('refuses row groups that are too large', async t => {
    const { refuse, write } = await folderOf(t, await trainedHome());
    await write('in.parquet', await parquetOf(ROWS));
    const score = ['score', 'in.parquet', ...ONE, '-o', 'out.csv'];
    await refuse('group_too_large', ...score, '--max-group-bytes', '10');
  });

  it('refuses outputs that would not be what their names say', async t => {
    const { refuse, write } = await folderOf(t, await trainedHome());
    await write('in.csv', ROWS);
    await write('in.parquet', await parquetOf(ROWS));
    for (const [input = '', output = '', ...more] of [
      ['in.csv', 'out.parquet.gz'],
      ['in.parquet', 'out.parquet.zst'],
      ['in.csv', 'out.gz', '--output-format', 'parquet'],
    ])
      await refuse('wrong_suffix', 'score', input, ...ONE, '-o', output, ...more);
  });

  it('names no repair of an output that lacks columns, which is refused', async t => {
    const { folder, run, write, bytesIn } = await folderOf(t, await trainedHome());
    // The second row is malformed, and so not in the output.
    await write('in.csv', 'tenure,plan,note\n1,a,x\n2,b\n3,c,z\n');
    const env = { ROWCAST_HOME: await trainedHome() };
    const columns = ['--keep', 'note,tenure', '--rename', 'note=remark', '--group-rows', '2'];
    const scored = await exits(
      rowcast(['score', 'in.csv', '-o', 'out.parquet', ...ONE, ...columns], {
        cwd: folder,
        env,
      }),
      1,
      /out\.parquet\.rejects; .*Parquet that lacks columns cannot be repaired/,
    );
    assert.doesNotMatch(scored.stderr, /rowcast repair/);
    await write('out.parquet.rejects', String(await bytesIn('out.parquet.rejects')).replace('2,b', '2,b,y'));
    await run('score', 'out.parquet.rejects', ...ONE, '-o', 'out.parquet.corrected');
    const before = await bytesIn('out.parquet');
    await exits(
      rowcast(['repair', 'out.parquet', 'out.parquet.corrected', ...columns.slice(0, 4)], {
        cwd: folder,
        env,
      }),
      2,
      /cannot be repaired: it has no column "plan"/,
    );
    assert.deepEqual(await bytesIn('out.parquet'), before);
  });

  it('writes Parquet where neither name nor option says anything else', async t => {
    const { run, write, bytesIn } = await folderOf(t, await trainedHome());
    await write('in.parquet', await parquetOf(ROWS));
    await run('score', 'in.parquet', '-o', 'out.parquet', ...ONE);
    await run('score', 'in.parquet', '-o', 'out', ...ONE);
    const { stdout } = await run('score', 'in.parquet', ...ONE);
    const wanted = await bytesIn('out.parquet');
    assert.deepEqual(await bytesIn('out'), wanted);
    assert.deepEqual(Buffer.from(stdout as unknown as Uint8Array), wanted);
  });

  it('writes JSON lines with the types of its columns', async t => {
    const { folder, run, write, bytesIn } = await folderOf(t, await trainedHome());
    await write('in.parquet', await bytesOfFixture('polars.parquet'));
    // The report does not know the column, so all rows are rejected, and in the output all the same.
    const args = ['score', 'in.parquet', '-o', 'out.jsonl.gz', ...ONE, '--features', 'plain'];
    const env = { ROWCAST_HOME: await trainedHome() };
    await exits(rowcast([...args, '--rename', 'plain=text'], { cwd: folder, env }), 1);
    await run('verify', 'in.parquet', 'out.jsonl.gz', '--rename', 'plain=text');
    const lines = gunzipSync(await bytesIn('out.jsonl.gz'))
      .toString()
      .trimEnd()
      .split('\n');
    const wanted = parse(await readFile(join(root, 'fixtures/parquet/polars.txt')), {
      columns: true,
    }) as Row[];
    for (const [index, line] of lines.entries()) {
      const row = JSON.parse(line);
      const { id = '', s = '', b = '', f64 = '', d38 = '', us = '', plain = '' } = wanted[index] ?? {};
      // An integer that a double does not have, and all digits of a decimal.
      assert.ok(line.startsWith(`{"id":${id},`), line);
      assert.ok(d38 === '' || line.includes(`"d38":${d38},`));
      assert.deepEqual([row.s ?? '', row.us ?? '', row.text ?? ''], [s, us, plain]);
      assert.deepEqual([`${row.b ?? ''}`, row.f64 ?? ''], [b, f64 === '' ? '' : Number(f64)]);
    }
    assert.equal(lines.length, wanted.length);
  });

  it('refuses two columns of one name', async t => {
    const { run, refuse, write } = await folderOf(t, await trainedHome());
    await write(
      'in.parquet',
      await parquetOf(
        csv([
          ['tenure', 'plan', 'note'],
          ['1', 'a', 'x'],
        ]),
      ),
    );
    await run('score', 'in.parquet', '-o', 'once.parquet', ...ONE);
    await refuse('duplicate_columns', 'score', 'once.parquet', '-o', 'twice.parquet', ...ONE);
    const renamed = ['score', 'in.parquet', '-o', 'out.parquet', ...ONE, '--rename', 'note=plan'];
    await refuse('duplicate_columns', ...renamed);
  });

  it('refuses options that Parquet does not have', async t => {
    const { refuse, write } = await folderOf(t, await trainedHome());
    await write('in.parquet', await parquetOf(ROWS));
    const score = ['score', 'in.parquet', '-o', 'out.csv', ...ONE];
    for (const [option = '', value = ''] of [
      ['--delimiter', ';'],
      ['--quote', 'none'],
      ['--names', 'a,b'],
      ['--encoding', 'windows-1252'],
    ])
      await refuse('bad_option', ...score, option, value);
    await refuse('wrong_suffix', 'score', 'in.parquet', '-o', 'out.tsv', ...ONE);
  });

  it('refuses a limit, because groups are copied whole', async t => {
    const { refuse, write } = await folderOf(t, await trainedHome());
    await write('in.parquet', await parquetOf(ROWS));
    await refuse('bad_option', 'score', 'in.parquet', ...ONE, '-o', 'out.parquet', '--limit', '1');
  });
});
