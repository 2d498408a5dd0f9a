import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addKey, listKeys, revokeKey } from '../../../src/server/auth/key-store.ts';
import { newFolder } from '../../support/folder.ts';

test('only the hash of a key is stored, readable only by the owner', async t => {
  const home = join(await newFolder(t), 'home');
  const key = await addKey(home, 'etl', { reports: 'all' });
  assert.match(key, /^rowcast_[\w-]{43}$/);
  assert.deepEqual(await readdir(join(home, 'keys')), ['etl.json']);
  const file = join(home, 'keys', 'etl.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(join(home, 'keys'))).mode & 0o777, 0o700);
  const text = await readFile(file, 'utf8');
  assert.ok(!text.includes(key.slice('rowcast_'.length)));
  assert.match(text, /"sha256": "[0-9a-f]{64}"/);
});

test('keys are unique, and a duplicate name is refused', async t => {
  const home = await newFolder(t);
  const made = await Promise.allSettled([1, 2, 3].map(() => addKey(home, 'etl', { reports: 'all' })));
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
  const before = await readFile(join(home, 'keys', 'etl.json'));
  await assert.rejects(addKey(home, 'etl', { reports: ['one'] }), { code: 'key_exists' });
  assert.deepEqual(await readFile(join(home, 'keys', 'etl.json')), before);
  await revokeKey(home, 'etl');
  const [one, two] = [
    await addKey(home, 'etl', { reports: 'all' }),
    await addKey(home, 'other', { reports: 'all' }),
  ];
  assert.notEqual(one, two);
});

test('keys created concurrently are all stored', async t => {
  const home = await newFolder(t);
  const names = Array.from({ length: 20 }, (_, i) => `key-${String(i).padStart(2, '0')}`);
  await Promise.all(names.map(name => addKey(home, name, { reports: 'all' })));
  assert.deepEqual(
    (await listKeys(home)).map(({ name }) => name),
    names,
  );
});

test('a damaged key file is listed as damaged; other files are ignored', async t => {
  const home = await newFolder(t);
  await addKey(home, 'good', { reports: ['one', 'two'] });
  const whole = JSON.parse(await readFile(join(home, 'keys/good.json'), 'utf8'));
  const contents = {
    'empty.json': '',
    'list.json': '[]',
    'hashless.json': JSON.stringify({ ...whole, sha256: undefined }),
    'short.json': JSON.stringify({ ...whole, sha256: '00' }),
    'none.json': JSON.stringify({ ...whole, reports: [] }),
    'newer.json': JSON.stringify({ ...whole, format: 2 }),
    'README.txt': 'no key',
    '.hidden.json': '{}',
    'good.json.0123456789ab': '',
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(join(home, 'keys', name), text);
  const keys = await listKeys(home);
  assert.deepEqual(
    keys.map(({ name, key }) => [name, key?.reports]),
    [
      ['empty', undefined],
      ['good', ['one', 'two']],
      ['hashless', undefined],
      ['list', undefined],
      ['newer', undefined],
      ['none', undefined],
      ['short', undefined],
    ],
  );
});

test('names and reports that could be paths are refused before any path is built', async t => {
  const home = await newFolder(t);
  for (const name of ['', '.', '../x', 'a/b', 'a\0', 'x'.repeat(65), '-x', 'a b', '(own)']) {
    await assert.rejects(addKey(home, name, { reports: 'all' }), { code: 'bad_key_name' });
    await assert.rejects(revokeKey(home, name), { code: 'bad_key_name' });
  }
  await assert.rejects(addKey(home, 'x', { reports: ['one', '../two'] }), { code: 'bad_report_id' });
  assert.deepEqual(await readdir(home), []);
});

test('a data directory without keys lists none; an unreadable or read-only one is an error', async t => {
  const home = await newFolder(t);
  assert.deepEqual(await listKeys(home), []);
  await assert.rejects(revokeKey(home, 'x'), { code: 'no_such_key' });
  const file = join(home, 'file');
  await writeFile(file, '');
  await assert.rejects(listKeys(file), { code: 'unreadable_home', location: { file: join(file, 'keys') } });
  await assert.rejects(addKey(file, 'x', { reports: 'all' }), {
    code: 'unwritable_home',
    message: /^cannot write keys: /,
    location: { file },
  });
});
