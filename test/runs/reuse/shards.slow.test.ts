import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { startStub } from '../../support/stub/service.ts';

const ROWS = 1800;
const NOTE_BYTES = 1500;

/** A row of which `id` and `x` are sent, and none is equal to another one. */
const row = (id: number, x = id % 100) => ({
  ...{ id, x },
  note: createHash('shake256', { outputLength: NOTE_BYTES }).update(`${id}`).digest('base64'),
});
type Row = ReturnType<typeof row>;

async function fileOf(rows: readonly Row[], format: string): Promise<Buffer> {
  const csv = `id,x,note\n${rows.map(({ id, x, note }) => `${id},${x},${note}`).join('\n')}\n`;
  if (format === 'parquet') return parquetOf(csv, { groupRows: 200 });
  if (format === 'jsonl') return Buffer.from(`${rows.map(each => JSON.stringify(each)).join('\n')}\n`);
  return format === 'csv.gz' ? gzipSync(csv) : Buffer.from(csv);
}

const first = Array.from({ length: ROWS }, (_, id) => row(id));
/** Rows that were changed, deleted, and inserted. */
const next = first.flatMap(each => {
  if (each.id % 50 === 7) return [row(each.id, 1000)];
  if (each.id % 90 === 8) return [];
  return each.id % 80 === 9 ? [each, row(ROWS + each.id)] : [each];
});
const NEW = next.filter(({ id, x }) => id >= ROWS || x === 1000).length;

async function nights(t: TestContext) {
  const folder = await newFolder(t);
  const stub = await startStub(t, { report: { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) } });
  const command = async (...args: string[]) => {
    stub.bodies.length = 0;
    const { code, stdout, stderr } = await rowcast(args, { cwd: folder, env: stub.env });
    const sent = stub.bodies.reduce((sum, { personas }) => sum + personas.length, 0);
    return { code, stdout: stdout.toString(), stderr, sent };
  };
  const options = ['--report', 'r', '--features', 'id,x'];
  const score = async (...args: string[]) => {
    const done = await exits(command('score', ...args, ...options), 0);
    return done;
  };
  /** Scores in shards, of which the last is the first. */
  const shards = async (input: string, output: string, ...others: string[]) => {
    const planned = await exits(
      command(
        ...['plan', input, '-o', output, ...options],
        ...['--shards', 'dir', '--shard-bytes', '1MiB', '--json', ...others],
      ),
      0,
    );
    const count: number = JSON.parse(planned.stdout).shards;
    let sent = 0;
    for (let shard = count - 1; shard >= 0; shard--) {
      const done = await exits(command('work', 'dir', '--shard', `${shard}`), 0);
      sent += done.sent;
    }
    await exits(command('assemble', 'dir', '--summary', 'summary.json'), 0);
    const { rows } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
    return { count, sent, rows };
  };
  const isSame = async (one: string, other: string): Promise<void> =>
    assert.ok((await readFile(join(folder, one))).equals(await readFile(join(folder, other))), other);
  return { folder, command, score, shards, isSame, options };
}

describe('--reuse of a run in shards', () => {
  for (const [format, count] of [
    ['csv', 3],
    ['jsonl', 3],
    ['parquet', 3],
    ['csv.gz', 1],
  ] as const)
    it(`sends only what has changed of a ${format}, night after night, in the same order and in another`, async t => {
      const { folder, score, shards, isSame } = await nights(t);
      const shuffled = next.toSorted((a, b) => ((a.id * 7919) % 3607) - ((b.id * 7919) % 3607));
      for (const [name, rows] of Object.entries({ first, next, shuffled }))
        await writeFile(join(folder, `${name}.${format}`), await fileOf(rows, format));
      const [one, two, three, full] = ['one', 'two', 'three', 'full'].map(name => `${name}.${format}`);
      assert.ok(one && two && three && full);

      const begun = await shards(`first.${format}`, one, '--reuse', 'none-yet');
      assert.ok(begun.count >= count, `${begun.count}`);
      assert.deepEqual([begun.sent, begun.rows.reused], [ROWS, 0]);
      const { places } = JSON.parse(await readFile(join(folder, `${one}.reuse`), 'utf8'));
      assert.equal(places?.length, format === 'csv' || format === 'jsonl' ? begun.count : undefined);

      const again = await shards(`next.${format}`, two, '--reuse', one);
      await score(`next.${format}`, '-o', full);
      await isSame(full, two);
      assert.deepEqual([again.sent, again.rows.reused], [NEW, next.length - NEW]);

      // What a run without shards has left serves as well.
      await score(`next.${format}`, '-o', full, '--reuse', two);
      await isSame(full, two);
      const other = await shards(`shuffled.${format}`, three, '--reuse', full);
      assert.equal(other.sent, 0);
      await score(`shuffled.${format}`, '-o', full);
      await isSame(full, three);
    });

  it('finds rows far from where they were, if thousands were deleted before them', async t => {
    const { folder, score, shards, isSame } = await nights(t);
    const many = Array.from({ length: 150_000 }, (_, id) => ({
      id: 100_000 + id,
      x: id,
      note: 'of this row',
    }));
    await writeFile(join(folder, 'first.csv'), await fileOf(many, 'csv'));
    await writeFile(join(folder, 'next.csv'), await fileOf(many.slice(4000), 'csv'));
    await shards('first.csv', 'one.csv', '--reuse', 'none');
    const { count, sent } = await shards('next.csv', 'two.csv', '--reuse', 'one.csv');
    assert.ok(count >= 3);
    assert.equal(sent, 0);
    await score('next.csv', '-o', 'full.csv', '--reuse', 'one.csv');
    await isSame('full.csv', 'two.csv');
  });

  it('is refused when it is planned, and by machines that do not have the planned file', async t => {
    const { folder, command, score, options } = await nights(t);
    await writeFile(join(folder, 'in.csv'), await fileOf(first, 'csv'));
    await score('in.csv', '-o', 'one.csv', '--reuse', 'none');
    const plan = ['plan', 'in.csv', '-o', 'two.csv', '--shards', 'dir', '--shard-bytes', '1MiB', ...options];
    await exits(
      command(...plan, '--reuse', 'one.csv', '--prefix', 'p'),
      2,
      /--prefix was not given, now it is "p"/,
    );
    assert.equal((await command(...plan, '--reuse', 'one.csv')).code, 0);

    await rename(join(folder, 'one.csv'), join(folder, 'moved.csv'));
    await exits(
      command('work', 'dir', '--shard', '0'),
      2,
      /one\.csv: the earlier output that the plan reuses is not there/,
    );
    await rename(join(folder, 'moved.csv'), join(folder, 'one.csv'));
    assert.equal((await command('work', 'dir', '--shard', '0')).code, 0);

    await appendFile(join(folder, 'one.csv'), '\n');
    await exits(
      command('work', 'dir'),
      2,
      /the earlier output that the plan reuses has changed since/,
      /rowcast abort/,
    );
  });
});

describe('--dedupe of a run in shards', () => {
  it('sends equal rows of a shard once', async t => {
    const { folder, score, shards, isSame } = await nights(t);
    const rows = first.map(each => ({ ...each, id: each.id % 10 }));
    await writeFile(join(folder, 'in.csv'), await fileOf(rows, 'csv'));
    const { count, sent, rows: counts } = await shards('in.csv', 'out.csv', '--dedupe');
    assert.ok(sent >= 100 && sent <= 100 * count, `${sent}`);
    assert.equal(counts.equal, ROWS - sent);
    await score('in.csv', '-o', 'full.csv');
    await isSame('full.csv', 'out.csv');
  });
});
