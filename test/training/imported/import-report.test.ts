import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readLightgbm } from '../../../src/models/imported/lightgbm.ts';
import { importReport } from '../../../src/training/imported/import-report.ts';
import type { Cell } from '../../models/imported/evaluate.ts';
import { savedModels } from '../../models/imported/files.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';

const folder = join(root, 'fixtures/models');

interface Case {
  file: string;
  columns: readonly string[];
  isNamed: boolean;
  rows: readonly (readonly Cell[])[];
  raw: readonly (readonly number[])[];
  levels?: Readonly<Record<string, readonly string[]>> | undefined;
}

function lightgbmCases(): Case[] {
  return readdirSync(folder)
    .filter(name => name.startsWith('lightgbm-') && name.endsWith('.json'))
    .map(name => {
      const file = name.replace(/json$/, 'txt');
      const { rows, scores } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      const { features } = readLightgbm(readFileSync(join(folder, file)), 'default');
      const isNamed = features.every(feature => feature.name !== undefined);
      const columns = features.map((feature, i) => feature.name ?? `column ${i}`);
      return { file, columns, isNamed, rows, raw: scores };
    });
}

const otherCases = (): Case[] =>
  ['xgboost-', 'catboost-']
    .flatMap(savedModels)
    // Counters of CatBoost are refused.
    .filter(({ file }) => !file.includes('counters'))
    .map(({ file, columns, rows, raw, levels }) => {
      const isNamed = !file.includes('gamma');
      return { file, columns, isNamed, rows, raw, levels: levels ?? textsOf(file, columns, rows) };
    });

/** The categories of a file of CatBoost that has only their hashes: any that occur, in any order. */
function textsOf(file: string, columns: readonly string[], rows: Case['rows']): Case['levels'] {
  if (file !== 'catboost-1.2-categories.json') return undefined;
  const own = ['color', 'plan'].map(column => {
    const at = columns.indexOf(column);
    return [column, [...new Set(rows.map(row => String(row[at] ?? '')))]] as const;
  });
  return Object.fromEntries(own);
}

const quoted = (cell: Cell): string => (cell === null ? '' : `"${String(cell).replaceAll('"', '""')}"`);

/** A file of the rows with the library's raw scores. */
function expectedCsv({ columns, rows, raw }: Case): string {
  const scores = raw[0]?.length === 1 ? ['raw_score'] : (raw[0] ?? []).map((_, i) => `raw_score_${i}`);
  const lines = rows.map((row, i) => [...row.map(quoted), ...(raw[i] ?? []).map(String)].join(','));
  return `${[[...columns.map(quoted), ...scores].join(','), ...lines].join('\n')}\n`;
}

describe('a report of a model that was imported', () => {
  for (const each of [...lightgbmCases(), ...otherCases()])
    it(`has the library's raw scores, bit for bit, of rows in a CSV: ${each.file}`, async t => {
      const home = await newFolder(t);
      const expect = join(home, 'expected.csv');
      await writeFile(expect, expectedCsv(each));
      const { report } = await importReport({
        file: join(folder, each.file),
        id: 'r',
        home,
        expect,
        features: each.isNamed ? undefined : each.columns,
        categories: each.levels,
      });
      const { compared } = report.imported_from;
      assert.equal(compared?.rows, each.rows.length);
      assert.equal(compared?.identical, compared?.numbers);
    });
});
