import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { importReport } from '../../../src/training/imported/import-report.ts';
import { savedModels } from '../../models/imported/files.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';

it('an empty field is the empty category of CatBoost, and an unknown category is not', async t => {
  const folder = await newFolder(t);
  const [saved] = savedModels('catboost-1.2-listed');
  assert.ok(saved !== undefined);
  const { file, columns, rows, raw } = saved;
  const texts = rows.map(row => row.map(cell => cell ?? ''));
  assert.ok(['', 'unseen'].every(text => texts.some(row => row.includes(text))));
  const quoted = (cell: unknown): string => `"${String(cell).replaceAll('"', '""')}"`;
  const lines = texts.map((row, i) => [...row, ...(raw[i] ?? [])].map(quoted).join());
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
});
