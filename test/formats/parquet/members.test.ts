import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ColumnOptions } from '../../../src/formats/output-columns.ts';
import { ELEMENT, FILE } from '../../../src/formats/parquet/footer/numbers.ts';
import { readParquetLayout } from '../../../src/formats/parquet/read-layout.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { changeAll, parquetSource, textOfParquet, withFooter } from '../../support/parquet.ts';
import { root } from '../../support/root.ts';
import { job } from '../../support/scoring/job.ts';
import { numbers } from '../../support/scoring/predictions.ts';
import { rowScorer } from '../../support/scoring/row-scorer.ts';
import { score } from '../../support/scoring/score.ts';

/** `id`, `profile` with `zip`, `plan` and a list `tags`, and `must`, in three groups. */
const INPUT = readFileSync(join(root, 'fixtures/parquet/pyarrow-structs-v1.parquet'));
const ROWS = readFileSync(join(root, 'fixtures/parquet/pyarrow-structs-v1.txt'), 'utf8')
  .trimEnd()
  .split('\n');

const features = ['profile.zip', 'profile.plan.fee'];

/** Scores the file. @returns the texts of all features, and what verifies the output */
async function scored(t: TestContext, output: string, columns: ColumnOptions) {
  const folder = await newFolder(t);
  const files = { input: join(folder, 'in.parquet'), output: join(folder, output) };
  await writeFile(files.input, INPUT);
  const texts: (string | undefined)[][] = [];
  const scorer = rowScorer(
    rows => {
      texts.push(...rows.map(row => row.slice(0, 2)));
      return numbers(rows.map((_, row) => row));
    },
    { predicts: 'fee', predictionType: { kind: 'numbers', names: [] } },
  );
  await score(job({ ...files, features, ...columns } as Parameters<typeof job>[0]), scorer);
  return {
    texts,
    bytes: await readFile(files.output),
    verified: () =>
      verifyOutput({ ...files, maxRecordBytes: 1000, rejects: undefined, repaired: undefined, ...columns }),
  };
}

/** What a run needs of a file to write another one. */
const opened = (bytes: Buffer, options: ColumnOptions & { columns?: readonly string[] }) =>
  readParquetLayout(parquetSource(bytes), { maxRecordBytes: 1000, ...options });

const csv = { name: 'out.csv', format: 'csv' };
const parquet = { name: 'out.parquet', format: 'parquet' };

/** `verify` and `plan` of a copy say nothing of what is written. */
const nothing = undefined;

describe('a member of a struct of Parquet', () => {
  it('is sent, and written to a CSV, by its full name', async t => {
    const keep = ['profile.plan.name', 'id'];
    const { bytes, verified } = await scored(t, 'out.csv', { keep, rename: { 'profile.plan.name': 'plan' } });
    assert.match(bytes.toString(), /^plan,id,predicted_fee\n,0,0\n,1,1\n"a,b",2,2\nbasic,3,3\n/);
    assert.equal((await verified()).scored, 24);
  });

  it('is one of the members of JSON lines', async t => {
    const { bytes, verified } = await scored(t, 'out.jsonl', {
      keep: ['id', 'must.note', 'profile.plan.fee'],
    });
    const [first, , third] = bytes
      .toString()
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line));
    assert.deepEqual(first, { id: 0, 'must.note': 'é 0', 'profile.plan.fee': null, predicted_fee: 0 });
    assert.deepEqual(third, { id: 2, 'must.note': '', 'profile.plan.fee': 0.5, predicted_fee: 2 });
    assert.equal((await verified()).scored, 24);
  });

  it('is copied to Parquet in its struct', async t => {
    for (const columns of [{}, { keep: ['must', 'profile'], rename: { profile: 'p' } }]) {
      const { texts, bytes, verified } = await scored(t, 'out.parquet', columns);
      assert.deepEqual(texts.slice(0, 4), [
        ['', ''],
        ['', ''],
        ['00014', '0.5'],
        ['', '0.75'],
      ]);
      const [header, ...rows] = (await textOfParquet(bytes)).trimEnd().split('\n');
      const isKept = 'keep' in columns;
      assert.equal(
        header,
        isKept
          ? 'must.n,must.note,p.zip,p.plan.name,p.plan.fee,p.plan.months,p.active,predicted_fee'
          : `${ROWS[0]},predicted_fee`,
      );
      assert.equal(rows[3], isKept ? '9,é 3,,basic,0.75,3,false,3' : `${ROWS[4]},3`);
      assert.equal((await verified()).scored, 24);
    }
  });

  it('is refused by name where it is a list, and where a struct or a member is named in place of the other', async () => {
    for (const [options, message, hint] of [
      [
        { columns: ['id'], keep: 'all', writes: csv },
        /column "profile\.tags" cannot be read: it has a list/,
        /--keep/,
      ],
      [
        { columns: ['profile'], writes: parquet },
        /column "profile" cannot be read: it is a struct/,
        /"profile\.zip"/,
      ],
      [
        { columns: ['id'], keep: ['profile'], writes: csv },
        /"profile" cannot be read: it is a struct/,
        /"profile\.zip"/,
      ],
      [
        { columns: ['id'], keep: ['profile.plan.fee'], writes: parquet },
        /--keep: "profile\.plan\.fee" is a member of "profile", which is copied whole/,
        /Keep "profile"/,
      ],
      [
        { columns: ['id'], keep: ['profile.plan.fee'], writes: nothing },
        /--keep: "profile\.plan\.fee" is a member of "profile", which is copied whole/,
        /Keep "profile"/,
      ],
    ] as const)
      await assert.rejects(opened(INPUT, options), (error: Error & { code?: string; hint?: string }) => {
        assert.equal(error.code, 'unsupported_column');
        assert.match(error.message, message);
        assert.match(error.hint ?? '', hint);
        return true;
      });
  });

  it('is refused if another column has its full name, and one of them is needed', async () => {
    const twice = withFooter(INPUT, footer =>
      changeAll(footer, FILE.schema, element => {
        if (element.text(ELEMENT.name) === 'id') element.setText(ELEMENT.name, 'profile.zip');
      }),
    );
    const wanted = { columns: ['profile.zip'], writes: parquet };
    await assert.rejects(opened(twice, wanted), {
      code: 'duplicate_columns',
      message: /two columns "profile\.zip"/,
    });
    await opened(twice, { columns: ['must.n'], writes: parquet });
    const { layout } = await opened(twice, {});
    assert.equal(layout.names.filter(name => name === 'profile.zip').length, 1);
  });

  it('is not read if the names around it are too long', async () => {
    const long = withFooter(INPUT, footer =>
      changeAll(footer, FILE.schema, element => {
        if (element.text(ELEMENT.name) === 'plan') element.setText(ELEMENT.name, 'p'.repeat(1_025));
      }),
    );
    const { layout } = await opened(long, {});
    assert.deepEqual(layout.names, ['id', 'profile.zip', 'profile.active', 'must.n', 'must.note']);
  });
});
