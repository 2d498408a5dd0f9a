import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '../../src/library/scorers/client.ts';
import { LocalScorer } from '../../src/library/scorers/local-scorer.ts';
import { newFolder } from '../support/folder.ts';
import { serving } from '../support/service/serving.ts';
import { type StubOptions, startStub } from '../support/stub/service.ts';

/** A folder with three rows, a service and the options of runs that use it; those of a `job` have files, too. */
export async function bench(t: TestContext, options: StubOptions = {}) {
  const stub = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
    ...options,
  });
  const client = new Client({ url: stub.url, key: stub.key });
  t.after(() => client.close());
  const folder = await newFolder(t, { 'in.csv': csv(3) });
  const at = (name: string): string => join(folder, name);
  const run = { report: 'r', scorer: client };
  return {
    stub,
    client,
    folder,
    at,
    run,
    job: { ...run, input: at('in.csv'), output: at('out.csv') },
    read: (name: string): Promise<string> => readFile(at(name), 'utf8'),
    write: async (name: string, text: string | Buffer): Promise<string> => {
      await writeFile(at(name), text);
      return at(name);
    },
  };
}

/** The reports of a folder, and a client of a service that has them. */
export async function clientAndLocal(
  t: TestContext,
  home: string,
): Promise<{ client: Client; local: LocalScorer }> {
  const client = new Client(await serving(t, { home }));
  const local = await LocalScorer.open({ home });
  t.after(() => Promise.all([client.close(), local.close()]));
  return { client, local };
}

/** Rows with two columns. */
export const csv = (rows: number, from = 0): string =>
  `id,amount\n${Array.from({ length: rows }, (_, row) => `r${from + row},${row}\n`).join('')}`;
