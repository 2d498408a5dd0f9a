import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readLightgbm } from '../../../src/models/imported/lightgbm.ts';
import { toModel } from '../../../src/models/imported/to-model.ts';
import { readXgboost } from '../../../src/models/imported/xgboost.ts';
import { compileModel } from '../../../src/models/model/compiled-model.ts';
import { engineOf } from '../../../src/models/model/engine.ts';
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

  it('is refused if a score differs, or a probability by more than two units in the last place', async t => {
    const home = await newFolder(t);
    const file = 'lightgbm-4.7-binary.txt';
    const saved = JSON.parse(readFileSync(join(folder, 'lightgbm-4.7-binary.json'), 'utf8'));
    const { rows, scores, predictions } = saved as Record<'scores' | 'predictions', number[][]> & {
      rows: Cell[][];
    };
    const { features } = readLightgbm(readFileSync(join(folder, file)), 'default');
    const outcome = async (ofScore: number, ofProbability: number): Promise<string | undefined> => {
      const expect = join(home, 'expected.csv');
      const header = [...features.map(({ name = '' }) => name), 'raw_score', 'probability_1'].join(',');
      const lines = rows.map((row, i) =>
        [
          ...row.map(quoted),
          (scores[i]?.[0] ?? 0) * (1 + ofScore),
          (predictions[i]?.[0] ?? 0) + ofProbability,
        ].join(','),
      );
      await writeFile(expect, `${[header, ...lines].join('\n')}\n`);
      return importReport({ file: join(folder, file), id: 'r', home, expect, ifExists: 'replace' }).then(
        () => undefined,
        error => error.code,
      );
    };
    assert.equal(await outcome(0, 0), undefined);
    assert.equal(await outcome(0, 2 ** -52), undefined);
    assert.equal(await outcome(0, 2 ** -50), 'differs_from_expected');
    assert.equal(await outcome(2 ** -52, 0), 'differs_from_expected');
  });

  it('is compared with the shortest texts of single precision as with the singles', async t => {
    const home = await newFolder(t);
    const file = join(folder, 'xgboost-3.4-dart.ubj');
    const { columns, rows } = savedModels('xgboost-3.4-dart')[0] ?? assert.fail();
    const { model } = toModel(readXgboost(readFileSync(file), 'default'), {});
    const { predictor, columns: own, prediction, output } = model;
    const engine = engineOf(compileModel(predictor, own, prediction, output));
    const values = rows.flatMap(row => own.map(({ name }) => row[columns.indexOf(name)] ?? Number.NaN));
    const predicted = engine.predict(Float64Array.from(values.map(Number)), rows.length);
    const expect = join(home, 'expected.csv');
    const lines = rows.map((row, i) => {
      // Two units of numbers from 0.5 to 1 away, as its shortest text.
      const share = Math.fround((predicted[i * engine.width] ?? 0) + 2 ** -23);
      return [...row.map(quoted), shortest(share)].join(',');
    });
    await writeFile(expect, `${[[...columns, 'probability_0'].join(','), ...lines].join('\n')}\n`);
    const { report } = await importReport({ file, id: 'r', home, expect });
    assert.equal(report.imported_from.compared?.largest_difference, 2 ** -23);
  });
});

function shortest(single: number): string {
  for (let digits = 1; ; digits++)
    if (Math.fround(Number(single.toPrecision(digits))) === single) return single.toPrecision(digits);
}
