import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { importReport } from '../../../src/training/imported/import-report.ts';
import type { Cell } from '../../models/imported/evaluate.ts';
import { savedModel, savedModels } from '../../models/imported/files.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';

interface Rows {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** By row, what the library gives. */
  scores: readonly (readonly number[])[];
}

const quoted = (cell: unknown): string => `"${String(cell ?? '').replaceAll('"', '""')}"`;

/** Imports a model and compares it with scores of the library, which are in a CSV beside the rows. */
async function compare(t: TestContext, file: string, { columns, rows, scores }: Rows): Promise<void> {
  const folder = await newFolder(t);
  const lines = rows.map((row, i) => [...row, ...(scores[i] ?? [])].map(quoted).join());
  await writeFile(join(folder, 'rows.csv'), [[...columns, 'raw_score'].join(), ...lines, ''].join('\n'));
  const { report } = await importReport({
    file: join(root, 'fixtures/models', file),
    id: 'r',
    home: join(folder, 'home'),
    expect: join(folder, 'rows.csv'),
  });
  const { compared } = report.imported_from;
  assert.equal(compared?.identical, rows.length);
  assert.equal(compared.numbers, rows.length);
}

describe('an imported model gives the scores of the library to the rows of a file', () => {
  it('with the empty category of CatBoost, and with an unknown one, which is another', async t => {
    const [saved] = savedModels('catboost-1.2-listed');
    assert.ok(saved !== undefined);
    assert.ok(['', 'unseen'].every(text => saved.rows.some(row => row.includes(text))));
    await compare(t, saved.file, { ...saved, scores: saved.raw });
  });

  for (const name of ['3.3-ordered', '4.7-binary', '4.7-codes', '4.7-inf'])
    it(`with infinities, and numbers that no float32 holds: LightGBM ${name}`, async t => {
      const file = `lightgbm-${name}.txt`;
      const [, names = ''] = /^feature_names=(.*)$/m.exec(savedModel(file).toString()) ?? [];
      const json = await readFile(join(root, `fixtures/models/lightgbm-${name}.json`), 'utf8');
      const saved = JSON.parse(json) as Omit<Rows, 'columns'>;
      assert.ok(['-inf', 1e300].every(value => saved.rows.some(row => row.includes(value))));
      await compare(t, file, { columns: names.split(' '), ...saved });
    });
});
