import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DataStore } from '../../../src/web/data/data-store.ts';
import { receiveUpload } from '../../../src/web/data/upload/receive-upload.ts';
import { root } from '../root.ts';
import { patientClient } from './uploads.ts';

/** Puts a file among the uploaded data of a data directory that no service has opened yet. @returns its id */
export async function uploaded(home: string, csv: string | Buffer, name = 'history.csv'): Promise<string> {
  const store = await DataStore.open(home, 2 ** 30);
  const { id } = await receiveUpload(store, {
    body: Readable.from([Buffer.from(csv)]),
    name,
    by: 'a-test',
    client: patientClient,
    limits: { recordBytes: 1 << 20, columns: 10_000, groupBytes: 1 << 28 },
  });
  return id;
}

/** The first lines of a file in `fixtures`: the header, and as many rows as given. */
export async function fixture(name: string, rows = Number.POSITIVE_INFINITY): Promise<string> {
  const text = await readFile(join(root, 'fixtures', name), 'utf8');
  return rows === Number.POSITIVE_INFINITY ? text : `${text.split('\n', rows + 1).join('\n')}\n`;
}
