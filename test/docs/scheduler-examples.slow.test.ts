import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { bin, spawnRowcast } from '../support/rowcast.ts';
import { csv } from '../support/scoring/files.ts';
import { startStub } from '../support/stub/service.ts';

const examples = join(root, 'examples/schedulers');
const example = (name: string): string => readFileSync(join(examples, name), 'utf8');
const oneRejected = csv(200).replace('r7,7', 'r7');

describe('the examples for schedulers', { timeout: 300_000 }, () => {
  it('cron: work that is done, or that another attempt does, is not reported before the last attempt', async t => {
    const { folder, run, env } = await newJob(t, ['nightly.yaml']);
    const [attempt = '', last = ''] = cronLines().map(line => line.replaceAll('/srv/churn', folder));
    await writeFile(join(folder, 'personas.csv'), csv(3));
    assert.deepEqual(await run('sh', '-c', attempt), { code: 0, output: '' });
    assert.equal((await readFile(join(folder, 'scored.csv'), 'utf8')).split('\n').length, 5);
    assert.deepEqual(await run('sh', '-c', last), { code: 0, output: '' });

    await writeFile(join(folder, 'personas.csv'), csv(4));
    const other = spawnRowcast(['score', '-o', 'scored.csv', '--report', 'churn'], { cwd: folder, env });
    other.stdin.write(csv(3));
    while (!existsSync(join(folder, 'scored.csv.lock'))) await sleep(10);
    assert.deepEqual(await run('sh', '-c', attempt), { code: 0, output: '' });
    assert.match((await run('sh', '-c', last)).output, /\[locked\]/);
    other.stdin.end();
    await once(other, 'close');

    await writeFile(join(folder, 'personas.csv'), 'id\nr1\n');
    assert.match(
      (await run('sh', '-c', attempt)).output,
      /^rowcast: .*"amount" \[missing_columns\]\n {2}Add it/,
    );
  });

  it('Make: new and changed files are scored, and a file that fails does not stop the others', {
    skip: missing('make'),
  }, async t => {
    const { folder, run } = await newJob(t, ['Makefile']);
    await inputs(folder, { a: csv(3), b: oneRejected, c: 'id\nr1\n' });
    const first = await run('make', '-k', '-j2');
    assert.equal(first.code, 2, first.output);
    assert.match(first.output, /scored\/c\.csv\] Error 2/);
    assert.deepEqual(outputs(folder), ['a.csv', 'b.csv', 'b.csv.rejects']);
    await inputs(folder, { c: csv(2) });
    const { code, output } = await run('make', '-k', '-j2');
    assert.equal(code, 0, output);
    assert.deepEqual(output.match(/in\/\w+\.csv/g), ['in/c.csv'], output);
  });

  it('GNU parallel: the exit code says whether running it again may help', {
    skip: missing('parallel'),
  }, async t => {
    const { folder, run, env } = await newJob(t, ['parallel.sh']);
    await inputs(folder, { a: csv(3), b: oneRejected, c: 'id\nr1\n' });
    const first = await run('./parallel.sh');
    assert.equal(first.code, 3, first.output);
    assert.match(first.output, /\nexit code 3, signal 0: rowcast score in\/c\.csv /);
    await inputs(folder, { c: csv(2) });
    const other = spawnRowcast(['score', '-o', 'scored/c.csv', '--report', 'churn'], { cwd: folder, env });
    other.stdin.write(csv(3));
    while (!existsSync(join(folder, 'scored/c.csv.lock'))) await sleep(10);
    assert.equal((await run('./parallel.sh')).code, 75);
    other.stdin.end();
    await once(other, 'close');
    assert.deepEqual(await run('./parallel.sh'), { code: 0, output: '' });
  });

  it('systemd: the units are valid', { skip: missing('systemd-analyze') }, async t => {
    const { folder, run } = await newJob(t, ['rowcast-nightly.timer']);
    const unit = 'rowcast-nightly.service';
    await writeFile(join(folder, unit), example(unit).replace('/usr/local/bin', join(folder, 'bin')));
    const { code, output } = await run('systemd-analyze', 'verify', unit, 'rowcast-nightly.timer');
    assert.equal(code, 0, output);
  });
});

/** The reason to skip a test of a program that is not installed. */
function missing(program: string): string | false {
  return spawnSync(program, ['--version']).error === undefined ? false : `${program} is not installed`;
}

/** A folder with examples and the command in `bin`, and a service that predicts from an amount. */
async function newJob(t: TestContext, files: readonly string[]) {
  const { env } = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
  });
  const folder = await newFolder(t);
  for (const name of files) await cp(join(examples, name), join(folder, name));
  await mkdir(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
  const path = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  /** What a program writes, and its exit code. */
  const run = async (program: string, ...args: string[]) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...env, PATH: path, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'close'),
    ]);
    return { code, output: stdout + stderr };
  };
  return { folder, run, env };
}

/** The commands of the crontab. */
const cronLines = (): string[] =>
  [...example('crontab').matchAll(/^[\d*]\S* (?:\S+ ){4}(.*)$/gm)].map(([, command = '']) => command);

async function inputs(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, 'in'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `in/${name}.csv`), text);
}

const outputs = (folder: string): string[] =>
  readdirSync(join(folder, 'scored')).filter(name => !name.startsWith('.'));
