import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Random, random } from '../../../fixtures/random.ts';
import { startServer } from '../../../src/server/server.ts';
import type { RunningService } from '../../../src/server/service.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { seed } from '../../support/random-tests.ts';
import { root } from '../../support/root.ts';
import type { Finished } from '../../support/rowcast.ts';
import { csv, homeWith } from '../../support/service/history.ts';

/** LOCAL_ROWS=100000 compares more. */
const ROWS = Number(process.env.LOCAL_ROWS ?? 8_000);

const spellings = ['NA', 'n/a', '-', ' ', '', 'null', '?', '-999'];
const amounts = [
  '$1,234.50',
  '12 %',
  '1e3',
  ' 7 ',
  ...'.5 5. -0 1e39 123456789012345678 0x10 1_000'.split(' '),
];
const dates = ['2024-02-30', '2024-01-01T10:00:00+02:00', '3 Mar 2024', '1.2.2003', '12/31/99 11:59 PM'];

/** A value for each column: mostly a usual one, sometimes a missing or an odd one. */
function personaOf({ whole, pick }: Random, row: number): string[] {
  const day = new Date(Date.UTC(2020, 0, 1 + whole(0, 1500), whole(0, 23))).toISOString();
  const rarely = (usual: string, odd: readonly string[]): string => (whole(0, 19) === 0 ? pick(odd) : usual);
  return [
    String(row),
    rarely((whole(0, 90_000) / 100).toFixed(2), [...amounts, ...spellings]),
    rarely(`${whole(0, 9)}.${whole(100, 999)},${whole(0, 99)} €`, ['1,5', '12', '1.234', ...spellings]),
    rarely(day.slice(0, 16).replace('T', ' '), [...dates, ...spellings]),
    rarely(pick(['Basic', 'Größe "L", 5G', 'プレミアム', 'a\nb']), [
      'basic',
      ' Basic',
      '\u00a0',
      'new',
      ...spellings,
    ]),
    rarely(`store ${whole(0, 699)}`, ['store 700', 'Store 1', ...spellings]),
    rarely(pick(['true', 'false']), ['True', 'yes', '1', ...spellings]),
    rarely(String(whole(0, 999)).padStart(5, '0'), ['7', '12345678901234567890', ...spellings]),
  ];
}

const header = ['row', 'amount', 'betrag', 'since', 'plan', 'store', 'flag', 'code'];

function tableOf(rows: number, of: Random): string[][] {
  return Array.from({ length: rows }, (_, row) => personaOf(of, row));
}

/** The same rows with an outcome that depends on the columns. */
function historyOf(rows: number, classes: number, of: Random): string[][] {
  const labelled = tableOf(rows, of).map(persona => {
    const [, amount = '', betrag = '', since = '', plan = '', store = ''] = persona;
    const sum =
      (Number(amount) || 0) / 90 + betrag.length + since.length + plan.length + Number(store.slice(6)) / 70;
    return [...persona, `class ${(Math.floor(sum / 3) + (of.whole(0, 9) === 0 ? 1 : 0)) % classes}`];
  });
  return [[...header, 'outcome'], ...labelled];
}

describe('scoring with a local report', () => {
  let home = '';
  let fixtures = '';
  let service: RunningService;
  before(async () => {
    const made = await homeWith(historyOf(3000, 2, random(1)));
    home = made.home;
    const options = { predict: 'outcome', home, excludeFeatures: ['row'] };
    await trainReport({ ...options, historyFile: made.historyFile, id: 'two' });
    const many = await homeWith(historyOf(3000, 12, random(2)));
    await trainReport({ ...options, historyFile: many.historyFile, id: 'twelve' });
    fixtures = join(root, 'fixtures');
    await trainReport({
      predict: 'churned',
      home,
      historyFile: join(fixtures, 'telecom-history.csv'),
      id: 'telecom',
    });
    service = await startServer({ home, host: '127.0.0.1', port: 0, key: 'key-of-a-test' });
  });
  after(() => service.close());

  /** Scores with the local report and with a service of it; both must write the same files. */
  async function compare(t: TestContext, input: string, args: readonly string[]): Promise<Finished> {
    const folder = await newFolder(t);
    const hosted = { ROWCAST_URL: service.url, ROWCAST_API_KEY: 'key-of-a-test' };
    const outputs = ['far', 'near', 'nearer'].map(name => join(folder, `${name}.csv`));
    const run = (output = '', more: readonly string[], env: Record<string, string>) =>
      rowcast(['score', input, '-o', output, ...args, ...more], { env });
    const far = await run(outputs[0], [], hosted);
    const near = await run(outputs[1], ['--threads', '3'], { ROWCAST_HOME: home });
    const nearer = await run(outputs[2], ['--threads', '1', '--batch-rows', '77'], { ROWCAST_HOME: home });
    assert.deepEqual([near.code, nearer.code], [far.code, far.code], near.stderr + far.stderr);
    const read = (output: string) =>
      Promise.all(['', '.rejects'].map(suffix => readFile(output + suffix).catch(() => undefined)));
    const [expected, ...actual] = await Promise.all(outputs.map(read));
    for (const own of actual) assert.deepEqual(own, expected);
    return near;
  }

  const wide = async (t: TestContext, options: { rows?: number; change?: (text: string) => string } = {}) => {
    const { rows = ROWS, change = text => text } = options;
    const folder = await newFolder(t);
    const input = join(folder, 'personas.csv');
    await writeFile(input, change(csv([header, ...tableOf(rows, random(seed))])));
    return input;
  };

  const reordered = Array.from({ length: 12 }, (_, i) => `class ${(i * 5) % 12}`).join();
  for (const [what, args] of [
    ['with two classes', ['--report', 'two']],
    [
      'with twelve classes in another order, the predicted one, and a prefix',
      ['--report', 'twelve', '--prediction', '--prefix', 'p', '--classes', reordered],
    ],
    [
      'with some values missing, and a single column and no header',
      [
        ...['--report', 'two', '--nulls', 'Basic,store 7,true,2020-01-01 00:00'],
        ...['--keep', 'none', '--probabilities', 'none', '--prediction', '--no-output-header'],
      ],
    ],
    [
      'without some columns, up to a limit',
      ['--report', 'two', '--exclude-features', 'plan,amount', '--limit', '2345'],
    ],
    ['with a few columns', ['--report', 'twelve', '--features', 'code,since']],
    [
      'with a few columns in another order, under other names, and rounded probabilities',
      [
        ...['--report', 'twelve', '--keep', 'plan,row', '--rename', 'plan=tariff,probability_class 3=three'],
        ...['--probabilities', 'class 3,class 1', '--decimals', '4', '--threshold', 'class 3=0.2'],
      ],
    ],
  ] as const)
    it(`gives the bytes that the service gives ${what}`, async t => {
      await exits(compare(t, await wide(t), args), 0);
    });

  it('rejects all rows, as the service does, if the report knows none of the columns', async t => {
    await exits(
      compare(t, await wide(t, { rows: 500 }), ['--report', 'two', '--features', 'row']),
      1,
      /500 rejected \(500 × unknown_columns\)/,
    );
  });

  it('gives the bytes that the service gives for malformed rows', async t => {
    const change = (text: string) => text.replaceAll('\n7', '\n"x"y,').replaceAll(',true', ',true,more');
    const args = ['--report', 'two', '--max-rejects', '100%'];
    await exits(compare(t, await wide(t, { rows: 3000, change }), args), 1);
  });

  it('gives the bytes that the service gives when columns are missing or in another order', async t => {
    const change = (text: string) => text.replace('betrag', 'other').replace('flag', 'plan2');
    await compare(t, await wide(t, { rows: 3000, change }), ['--report', 'two', '--allow-missing']);
  });

  it('gives the bytes that the service gives for each of the edge cases', async t => {
    const folder = join(fixtures, 'edge-cases');
    for (const name of await readdir(folder))
      await compare(t, join(folder, name), ['--report', 'telecom', '--allow-missing']);
  });

  it('gives the same rows in a compressed output', async t => {
    const folder = await newFolder(t);
    const input = await wide(t);
    const env = { ROWCAST_HOME: home };
    const [plain, packed] = [join(folder, 'out.csv'), join(folder, 'out.csv.gz')];
    for (const output of [plain, packed])
      assert.equal((await rowcast(['score', input, '-o', output, '--report', 'twelve'], { env })).code, 0);
    assert.deepEqual(gunzipSync(await readFile(packed)), await readFile(plain));
  });
});
