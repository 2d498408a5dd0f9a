import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../../support/folder.ts';
import { bin } from '../../support/rowcast.ts';
import { serve } from './serving.ts';

const page = { accept: 'text/html' };
const noTerminal = spawnSync('script', ['--version']).status === 0 ? false : 'script(1) is not installed';

const signIn = (url: string): Promise<Response> => fetch(url, { redirect: 'manual', headers: page });

describe('rowcast serve, with the web platform', () => {
  it('prints the sign-in URL on a terminal', { skip: noTerminal }, async t => {
    const env = { PATH: process.env.PATH, ROWCAST_HOME: await newFolder(t) };
    const command = `exec ${process.execPath} ${bin} serve --port 0`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env });
    t.after(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const output = child.stdout.setEncoding('utf8');
    let said = '';
    for await (const chunk of output.iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (/serving the reports/.test(said) && /sign-in\?token=[\w-]{43}\s/.test(said)) break;
    }
    const [url = ''] = /http:\S+\/sign-in\?token=[\w-]{43}/.exec(said) ?? [];
    assert.equal((await signIn(url)).status, 303);
    assert.equal((await signIn(url)).status, 401);
    // The service outlives its terminal, because SIGHUP makes it read its files again: Ctrl-C ends it.
    child.stdin.write('\x03');
    output.resume();
    assert.deepEqual(await exited, [0, null]);
  });

  it('prints no token anywhere else', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t) });
    assert.equal((await signIn(`${url}/`)).headers.get('location'), '/sign-in');
    assert.doesNotMatch((await end()).join('\n'), /token=/);
  });

  it('opens a browser with a file that only the owner can read, and no token in an argument', async t => {
    const folder = await newFolder(t);
    const opener = join(folder, 'bin', process.platform === 'darwin' ? 'open' : 'xdg-open');
    await mkdir(join(folder, 'bin'));
    await writeFile(opener, `#!/bin/sh\nprintf %s "$*" > '${folder}/opened'\n`);
    await chmod(opener, 0o755);
    const env = { ROWCAST_HOME: join(folder, 'home'), PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const { end } = await serve(t, env, ['--open']);
    while ((await readFile(join(folder, 'opened'), 'utf8').catch(() => '')) === '') await sleep(20);
    const opened = await readFile(join(folder, 'opened'), 'utf8');
    assert.match(opened, /^file:\/\/\/.*\/open-\d+\.html$/);
    const file = fileURLToPath(opened);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const [url = ''] = /http:\S+token=[\w-]{43}/.exec(await readFile(file, 'utf8')) ?? [];
    assert.equal((await signIn(url)).status, 303);
    await end();
    await assert.rejects(access(file));
  });

  it('says that there is no browser, and serves', async t => {
    const home = await newFolder(t);
    const { url, says, end } = await serve(t, { ROWCAST_HOME: home, PATH: '/nowhere' }, ['--open']);
    await says(/cannot open a browser/);
    assert.equal((await signIn(`${url}/sign-in`)).status, 200);
    await end();
  });

  it('is left out by --no-web', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t) }, ['--no-web']);
    for (const path of ['/', '/sign-in']) assert.equal((await signIn(url + path)).status, 404);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    await end();
  });

  it('shuts down while a browser keeps its connection', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t) });
    const response = await fetch(`${url}/sign-in`);
    await response.text();
    await end();
  });
});
