import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newFolder, sharedFolder } from './support/folder.ts';
import { root } from './support/root.ts';

/** Runs a program of node_modules; if it fails, its output is in the message. */
async function check(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const file = join(root, 'node_modules/.bin', program);
  await run(process.execPath, [file, ...args], root, env);
}

async function run(file: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const options = { cwd, env: { ...process.env, NO_COLOR: '1', ...env }, maxBuffer: 1 << 26 };
  return promisify(execFile)(file, args, options).catch(error =>
    assert.fail(`${error.message}\n${error.stdout}`),
  );
}

describe('the packed files', () => {
  let tarball: string;
  before(async () => {
    const folder = await sharedFolder();
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    tarball = join(folder, (await run('npm', args, root)).stdout.trim());
  });

  it('are only what is needed at run time', async () => {
    const packed = await packedFiles();
    const files = packed.map(({ path }) => path);
    const isNeeded =
      /^(dist\/(library|src\/bundle)\/.*|src\/web\/assets\/(style\/)?[\w-]+\.(css|js|svg)|fixtures\/telecom-history\.csv|pipelines\/definition\.schema\.json|[A-Z]+(\.md)?|package\.json)$/;
    assert.deepEqual(
      files.filter(file => !isNeeded.test(file) || /\.map$|\/cli\/|\.test\./.test(file)),
      [],
    );
    const { bin, exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const entries = [bin.rowcast, exports['.'].default, exports['.'].types].map((path: string) =>
      normalize(path),
    );
    const threads = ['dist/src/bundle/scoring-worker.js', 'dist/library/training/training-worker.js'];
    for (const file of [...entries, ...threads, 'dist/src/bundle/LICENSES.txt'])
      assert.ok(files.includes(file), file);
    const command = packed.find(({ path }) => path === normalize(bin.rowcast));
    assert.equal((command?.mode ?? 0) & 0o111, 0o111, 'the command may be run');
  });

  it('pass publint', () => check('publint', ['run', tarball, '--strict']));

  it('have types that every module resolution finds', () =>
    check('attw', [tarball, '--profile', 'esm-only', '--no-emoji']));

  it('have the types that the documentation promises', () =>
    check('tstyche', [], { TSTYCHE_TYPESCRIPT_MODULE: 'typescript6' }));

  it('install, and run the example of the library', async t => {
    const folder = await newFolder(t);
    await cp(join(root, 'examples/library'), folder, { recursive: true });
    const quiet = ['--no-audit', '--no-fund', '--no-save', '--prefer-offline'];
    await run('npm', ['install', ...quiet, '--engine-strict', tarball], folder);
    const [history, personas] = ['history', 'personas'].map(name =>
      join(root, `fixtures/telecom-${name}.csv`),
    );
    assert.ok(history && personas);
    const args = ['score.js', history, 'churned', personas, 'scored.csv'];
    const { stdout } = await run(process.execPath, args, folder);
    assert.match(stdout, /2000 rows scored, to scored\.csv\n$/);
    const scored = await readFile(join(folder, 'scored.csv'), 'utf8');
    assert.match(scored, /^[^\n]*,probability_no,probability_yes\n/);
    const bin = join(folder, 'node_modules/.bin/rowcast');
    await run(process.execPath, [bin, 'verify', personas, 'scored.csv'], folder);
  });
});

async function packedFiles(): Promise<{ path: string; mode: number }[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], root);
  const [{ files }]: [{ files: { path: string; mode: number }[] }] = JSON.parse(stdout);
  return files;
}
