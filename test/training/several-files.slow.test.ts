import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TrainedReport } from '../../src/base/contract/schemas.ts';
import { parquetOf } from '../support/parquet.ts';
import { csv, history, homeWith, trainClasses } from '../support/service/history.ts';

const table = history({ rows: 300 });
const [header = [], ...rows] = table;
const parts = [rows.slice(0, 1), rows.slice(1, 170), [], rows.slice(170)];
const asLines = (part: readonly string[][]) =>
  part
    .map(row => `${JSON.stringify(Object.fromEntries(row.map((text, i) => [header[i], text])))}\n`)
    .join('');

/** Writers of a file by its ending. */
const kinds: Readonly<Record<string, (part: string[][]) => string | Buffer | Promise<Buffer>>> = {
  csv: part => csv([header, ...part]),
  'csv.gz': part => gzipSync(csv([header, ...part])),
  'jsonl.gz': part => gzipSync(asLines(part)),
  parquet: part => parquetOf(csv([header, ...part])),
};

for (const [kind, bytesOf] of Object.entries(kinds))
  test(`training on parts of a history makes the report of the whole, in files named .${kind}`, async () => {
    const { home } = await homeWith(table);
    const write = async (name: string, part: string[][]): Promise<string> => {
      const path = join(home, `${name}.${kind}`);
      await writeFile(path, await bytesOf(part));
      return path;
    };
    const trained = async (id: string, files: readonly string[]) => {
      const [historyFile = '', ...furtherFiles] = files;
      const report = await trainClasses({ historyFile, furtherFiles, predict: 'outcome', home, id });
      const made = ['model.zip', 'testing-results.csv'].map(name =>
        readFile(join(home, 'reports', id, name), 'hex'),
      );
      return { report: without(report), made: await Promise.all(made) };
    };
    const whole = await trained('whole', [await write('whole', rows)]);
    const files = [];
    for (const [index, part] of parts.entries())
      if (part.length > 0 || kind !== 'jsonl.gz') files.push(await write(`part-${index}`, part));
    assert.deepEqual(await trained('parts', files), whole);
  });

const without = ({ id, trained_from, ...report }: TrainedReport) => ({
  report,
  options: trained_from?.options,
});
