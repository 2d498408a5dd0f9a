import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { parquetOf, textOfParquet } from '../../support/parquet.ts';
import { root } from '../../support/root.ts';
import { trainedHome } from '../../support/service/serving.ts';

/** A report of which the inputs here have two columns. */
const ONE = '--report one --allow-missing --max-unseen none';

type Row = Record<string, string>;

/** The smallest inputs. */
const ROWS = 'tenure,plan\n1,a\n';

const fixture = (name: string): Promise<Buffer> => readFile(join(root, 'fixtures/parquet', name));

/** A folder with files, and commands with local reports. */
async function bench(t: TestContext, files: Record<string, string | Buffer>) {
  const commands = await commandsIn(t, files, { ROWCAST_HOME: await trainedHome() });
  const refused = (code: string, line: string) => exits(commands.run(line), 2, new RegExp(`\\[${code}\\]`));
  return { ...commands, refused };
}

describe('a run that reads or writes Parquet', () => {
  it('writes it to a pipe', async t => {
    const { run, bytesIn } = await bench(t, { 'in.csv': `${ROWS},b\n` });
    const { bytes } = await exits(run(`score in.csv ${ONE} --output-format parquet`), 0);
    await exits(run(`score in.csv ${ONE} -o out.parquet`), 0);
    assert.deepEqual(bytes, await bytesIn('out.parquet'));
  });

  it('keeps and renames columns, which are copied', async t => {
    const { run, bytesIn } = await bench(t, {
      'in.parquet': await parquetOf('id,tenure,plan,note\n7,1,a,x\n'),
    });
    const columns = '--keep note,id --rename id=key';
    await exits(run(`score in.parquet -o out.parquet ${ONE} ${columns}`), 0);
    assert.match(await textOfParquet(await bytesIn('out.parquet')), /^note,key,probability_.*\n/);
    await exits(run(`verify in.parquet out.parquet ${columns}`), 0);
  });

  it('finds a wrong value', async t => {
    const rows = (note: string): string => `tenure,plan,note\n1,a,x\n2,b,${note}\n`;
    const { run, write } = await bench(t, { 'in.csv': rows('y') });
    await exits(run(`score in.csv -o out.parquet ${ONE}`), 0);
    await write('in.csv', rows('z'));
    await exits(run('verify in.csv out.parquet'), 4, /the column "note" differs from row 2/);
  });

  it('refuses a pipe', async t => {
    const { run } = await bench(t, {});
    await exits(run(`score - ${ONE}`, { stdin: await fixture('polars.parquet') }), 2, /\[needs_file\]/);
  });

  it('refuses columns that it cannot read, with their names', async t => {
    const { refused } = await bench(t, { 'in.parquet': await fixture('pyarrow-nested.parquet') });
    const { stderr } = await refused(
      'unsupported_column',
      `score in.parquet ${ONE} --features id -o out.csv`,
    );
    assert.match(stderr, /column "list".*--keep/s);
  });

  it('refuses row groups that are too large, and what would not be what its name says', async t => {
    const { refused } = await bench(t, { 'in.csv': ROWS, 'in.parquet': await parquetOf(ROWS) });
    await refused('group_too_large', `score in.parquet ${ONE} -o out.csv --max-group-bytes 10`);
    for (const files of [
      'in.csv -o out.parquet.gz',
      'in.parquet -o out.parquet.zst',
      'in.csv -o out.gz --output-format parquet',
      'in.parquet -o out.tsv',
    ])
      await refused('wrong_suffix', `score ${ONE} ${files}`);
  });

  it('names no repair of an output that lacks columns, which is refused', async t => {
    // The second row is malformed, and so not in the output.
    const { run, read, write, bytesIn } = await bench(t, {
      'in.csv': 'tenure,plan,note\n1,a,x\n2,b\n3,c,z\n',
    });
    const columns = '--keep note,tenure --rename note=remark';
    const says = /out\.parquet\.rejects; .*Parquet that lacks columns cannot be repaired/;
    const scoring = run(`score in.csv -o out.parquet ${ONE} ${columns} --group-rows 2`);
    assert.doesNotMatch((await exits(scoring, 1, says)).stderr, /rowcast repair/);
    await write('out.parquet.rejects', (await read('out.parquet.rejects')).replace('2,b', '2,b,y'));
    await exits(run(`score out.parquet.rejects ${ONE} -o out.parquet.corrected`), 0);
    const before = await bytesIn('out.parquet');
    const repairing = run(`repair out.parquet out.parquet.corrected ${columns}`);
    await exits(repairing, 2, /cannot be repaired: it has no column "plan"/);
    assert.deepEqual(await bytesIn('out.parquet'), before);
  });

  it('writes Parquet where neither name nor option says anything else', async t => {
    const { run, bytesIn } = await bench(t, { 'in.parquet': await parquetOf(ROWS) });
    for (const name of ['out.parquet', 'out']) await exits(run(`score in.parquet -o ${name} ${ONE}`), 0);
    const wanted = await bytesIn('out.parquet');
    assert.deepEqual(await bytesIn('out'), wanted);
    assert.deepEqual((await run(`score in.parquet ${ONE}`)).bytes, wanted);
  });

  it('writes JSON lines with the types of its columns', async t => {
    const { run, bytesIn } = await bench(t, { 'in.parquet': await fixture('polars.parquet') });
    const renamed = '--rename plain=text';
    // The report does not know the column, so all rows are rejected, and in the output all the same.
    await exits(run(`score in.parquet -o out.jsonl.gz ${ONE} --features plain ${renamed}`), 1);
    await exits(run(`verify in.parquet out.jsonl.gz ${renamed}`), 0);
    const lines = gunzipSync(await bytesIn('out.jsonl.gz'))
      .toString()
      .trimEnd()
      .split('\n');
    const wanted = parse(await fixture('polars.txt'), { columns: true }) as Row[];
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
    const { run, refused } = await bench(t, { 'in.parquet': await parquetOf('tenure,plan,note\n1,a,x\n') });
    await exits(run(`score in.parquet -o once.parquet ${ONE}`), 0);
    await refused('duplicate_columns', `score once.parquet -o twice.parquet ${ONE}`);
    await refused('duplicate_columns', `score in.parquet -o out.parquet ${ONE} --rename note=plan`);
  });

  it('refuses options that Parquet does not have, and a limit, because groups are copied whole', async t => {
    const { refused } = await bench(t, { 'in.parquet': await parquetOf(ROWS) });
    const options = ['--delimiter ;', '--quote none', '--names a,b', '--encoding windows-1252'];
    for (const option of [...options, '-o out.parquet --limit 1'])
      await refused('bad_option', `score in.parquet -o out.csv ${ONE} ${option}`);
  });
});
