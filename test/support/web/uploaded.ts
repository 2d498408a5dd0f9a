import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DataStore } from '../../../src/web/data/data-store.ts';
import { arrivingSource, profileSource } from '../../../src/web/data/profile/profile-source.ts';
import { noSettings } from '../../../src/web/data/settings.ts';
import { Incoming } from '../../../src/web/data/upload/incoming.ts';
import { root } from '../root.ts';

/** Puts a CSV among the data of a store, without the thread that checks an upload. @returns its id */
export async function stored(
  store: DataStore,
  csv: string | Buffer,
  { name = 'history.csv', by = 'a-test' } = {},
): Promise<string> {
  const bytes = Buffer.from(csv);
  const profile = await profileSource(arrivingSource(Readable.from([bytes]).iterator(), name), {
    name,
    format: 'csv',
    delimiter: undefined,
    maxRecordBytes: 1 << 20,
    maxColumns: 10_000,
    maxContentBytes: store.quota.total,
    maxGroupBytes: 1,
  });
  const file = 'data.csv';
  const incoming = await Incoming.create(store.home, file);
  store.space.begin(incoming.id, by);
  await incoming.write(bytes);
  const meta = {
    id: incoming.id,
    name,
    file,
    created: new Date().toISOString(),
    by,
    bytes: incoming.size,
    contentBytes: profile.contentBytes,
    rows: profile.rows,
    columns: profile.columns.length,
    settings: noSettings,
  } as const;
  store.space.set(incoming.id, await incoming.finish(meta, profile));
  return incoming.id;
}

/** Puts a CSV among the uploaded data of a data directory that no service has opened yet. @returns its id */
export const uploaded = async (home: string, csv: string | Buffer, name?: string): Promise<string> =>
  stored(await DataStore.open(home, 2 ** 30), csv, { ...(name !== undefined && { name }) });

/** The first lines of a file in `fixtures`: the header, and as many rows as given. */
export async function fixture(name: string, rows = Number.POSITIVE_INFINITY): Promise<string> {
  const text = await readFile(join(root, 'fixtures', name), 'utf8');
  return rows === Number.POSITIVE_INFINITY ? text : `${text.split('\n', rows + 1).join('\n')}\n`;
}
