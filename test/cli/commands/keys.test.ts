import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn, wordsOf } from '../../support/cli/commands.ts';
import { newFolder } from '../../support/folder.ts';
import { exits } from '../../support/in-process.ts';

/** Commands with a home of their own, which is the folder of the commands. */
async function keysIn(t: TestContext) {
  const cwd = await newFolder(t);
  return {
    ...(await commandsIn(t, {}, { ROWCAST_HOME: cwd })),
    cwd,
    path: (name: string) => join(cwd, name),
  };
}

describe('rowcast keys', () => {
  it('creates, lists and revokes keys; a new key is the only thing on stdout, and is shown once', async t => {
    const { run, json, path } = await keysIn(t);
    for (const id of ['churn', 'telco']) await mkdir(path(`reports/${id}`), { recursive: true });
    const added = await exits(run('keys add etl --report churn --report telco'), 0);
    const key = added.stdout;
    assert.match(key, /^rowcast_[\w-]{43}\n$/);
    assert.ok(!added.stderr.includes(key.trim()));
    await exits(run('keys add laptop --scope testing-results --expires 90d'), 0);
    const listed = await run('keys');
    assert.match(
      listed.stdout,
      /^KEY +CREATED +LAST USED +EXPIRES +REPORTS +SCOPES\netl +20\d\d-\S+Z +never +never +churn, telco +predict, report\nlaptop +20\d\d-\S+Z +never +20\d\d-\S+Z +all +testing-results\n$/,
    );
    const { keys } = await json('keys --json');
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
    const revoked = await exits(run('keys revoke etl'), 0);
    assert.equal(revoked.stdout.length, 0);
    assert.doesNotMatch((await run('keys')).stdout, /etl/);
  });

  it('warns of a home in which everybody can write, unless only owners replace their files there', async t => {
    const { run, cwd: home } = await keysIn(t);
    const said: string[] = [];
    for (const mode of [0o777, 0o1777, 0o775]) {
      await chmod(home, mode);
      const { stderr } = await exits(run(`keys add key-${mode}`), 0);
      said.push(stderr);
    }
    assert.ok(said[0]?.includes(`keys in ${home}; if that is not wanted: chmod o-w ${home}`), said[0]);
    for (const other of said.slice(1)) assert.doesNotMatch(other, /chmod/);
  });

  it('reports that there are no keys, and where it looked', async t => {
    const { run } = await keysIn(t);
    const { stdout } = await exits(run('keys'), 0, /^rowcast: no keys in .*rowcast keys add/);
    assert.equal(stdout, '');
  });

  const refusals: [what: string, line: string | string[], says: RegExp, before?: string][] = [
    [
      'a name that is already used',
      'add x',
      /named "x" already exists \[key_exists\]\n.*rowcast keys revoke x/,
      'add x',
    ],
    ['a name that could be a path', 'add ../x', /invalid key name "\.\.\/x" \[bad_key_name\]/],
    [
      'a report that does not exist',
      'add x --report nope',
      /there is no report "nope" \[no_such_report\]\n.*Train one first/,
    ],
    ['an invalid report id', 'add x --report a/b', /invalid report id "a\/b" \[bad_report_id\]/],
    ['to revoke a key that does not exist', 'revoke x', /no key named "x" \[no_such_key\]\n.*rowcast keys/],
    [
      'to revoke a key whose name is misspelled',
      'revoke nihgtly',
      /\[no_such_key\]\n +Did you mean nightly\? /,
      'add nightly',
    ],
    ['an empty report', ['add', 'x', '--report', ''], /--report is empty \[usage\]/],
    ['an empty report among others', 'add x --report a --report=', /invalid report id ""/],
    ['an unknown scope', 'add x --scope predict,all', /unknown scope "all" \[bad_option\]/],
    ['an expiry that is not a duration', 'add x --expires soon', /--expires: .*\[bad_option\]/],
    ['no name', 'add', /\[usage\]/],
  ];
  for (const [what, line, says, before] of refusals)
    it(`refuses ${what}`, async t => {
      const { run } = await keysIn(t);
      if (before !== undefined) await exits(run(`keys ${before}`), 0);
      const { stdout } = await exits(run(['keys', ...wordsOf(line)]), 2, says);
      assert.equal(stdout, '');
    });
});
