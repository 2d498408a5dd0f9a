import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';

describe('rowcast keys', () => {
  it('creates, lists and revokes keys; a new key is the only thing on stdout, and is shown once', async t => {
    const env = { ROWCAST_HOME: await newFolder(t) };
    for (const id of ['churn', 'telco'])
      await mkdir(join(env.ROWCAST_HOME, 'reports', id), { recursive: true });
    const added = await exits(
      rowcast(['keys', 'add', 'etl', '--report', 'churn', '--report', 'telco'], { env }),
      0,
    );
    const key = added.stdout.toString();
    assert.match(key, /^rowcast_[\w-]{43}\n$/);
    assert.ok(!added.stderr.includes(key.trim()));
    await exits(
      rowcast(['keys', 'add', 'laptop', '--scope', 'testing-results', '--expires', '90d'], {
        env,
      }),
      0,
    );
    const listed = await rowcast(['keys'], { env });
    assert.match(
      listed.stdout.toString(),
      /^KEY +CREATED +LAST USED +EXPIRES +REPORTS +SCOPES\netl +20\d\d-\S+Z +never +never +churn, telco +predict, report\nlaptop +20\d\d-\S+Z +never +20\d\d-\S+Z +all +testing-results\n$/,
    );
    const { keys } = JSON.parse((await rowcast(['keys', '--json'], { env })).stdout.toString());
    const { created, ...etl } = keys[0];
    assert.match(created, /^20\d\d-\S+Z$/);
    assert.deepEqual(etl, {
      name: 'etl',
      last_used: null,
      expires: null,
      reports: ['churn', 'telco'],
      scopes: ['predict', 'report'],
      damaged: false,
    });
    assert.deepEqual([keys.length, keys[1].reports], [2, 'all']);
    const revoked = await exits(rowcast(['keys', 'revoke', 'etl'], { env }), 0);
    assert.equal(revoked.stdout.length, 0);
    assert.doesNotMatch((await rowcast(['keys'], { env })).stdout.toString(), /etl/);
  });

  it('warns of a home in which everybody can write, unless only owners replace their files there', async t => {
    const home = await newFolder(t);
    const said: string[] = [];
    for (const mode of [0o777, 0o1777, 0o775]) {
      await chmod(home, mode);
      const { stderr } = await exits(
        rowcast(['keys', 'add', `key-${mode}`], { env: { ROWCAST_HOME: home } }),
        0,
      );
      said.push(stderr);
    }
    assert.ok(said[0]?.includes(`keys in ${home}; if that is not wanted: chmod o-w ${home}`), said[0]);
    for (const other of said.slice(1)) assert.doesNotMatch(other, /chmod/);
  });

  it('reports that there are no keys, and where it looked', async t => {
    const { code, stdout, stderr } = await rowcast(['keys'], {
      env: { ROWCAST_HOME: await newFolder(t) },
    });
    assert.deepEqual([code, stdout.length], [0, 0]);
    assert.match(stderr, /^rowcast: no keys in .*rowcast keys add/);
  });

  const refusals = [
    {
      what: 'a name that is already used',
      before: ['add', 'x'],
      args: ['add', 'x'],
      says: /named "x" already exists \[key_exists\]\n.*rowcast keys revoke x/,
    },
    {
      what: 'a name that could be a path',
      args: ['add', '../x'],
      says: /invalid key name "\.\.\/x" \[bad_key_name\]/,
    },
    {
      what: 'a report that does not exist',
      args: ['add', 'x', '--report', 'nope'],
      says: /there is no report "nope" \[no_such_report\]\n.*Train one first/,
    },
    {
      what: 'an invalid report id',
      args: ['add', 'x', '--report', 'a/b'],
      says: /invalid report id "a\/b" \[bad_report_id\]/,
    },
    {
      what: 'to revoke a key that does not exist',
      args: ['revoke', 'x'],
      says: /no key named "x" \[no_such_key\]\n.*rowcast keys/,
    },
    {
      what: 'to revoke a key whose name is misspelled',
      before: ['add', 'nightly'],
      args: ['revoke', 'nihgtly'],
      says: /\[no_such_key\]\n +Did you mean nightly\? /,
    },
    { what: 'an empty report', args: ['add', 'x', '--report', ''], says: /--report is empty \[usage\]/ },
    {
      what: 'an empty report among others',
      args: ['add', 'x', '--report', 'a', '--report='],
      says: /invalid report id ""/,
    },
    {
      what: 'an unknown scope',
      args: ['add', 'x', '--scope', 'predict,all'],
      says: /unknown scope "all" \[bad_option\]/,
    },
    {
      what: 'an expiry that is not a duration',
      args: ['add', 'x', '--expires', 'soon'],
      says: /--expires: .*\[bad_option\]/,
    },
    { what: 'no name', args: ['add'], says: /\[usage\]/ },
  ];

  for (const { what, before, args, says } of refusals)
    it(`refuses ${what}`, async t => {
      const env = { ROWCAST_HOME: await newFolder(t) };
      if (before !== undefined) assert.equal((await rowcast(['keys', ...before], { env })).code, 0);
      const { stdout, stderr } = await exits(rowcast(['keys', ...args], { env }), 2);
      assert.equal(stdout.length, 0);
      assert.match(stderr, says);
    });
});
