import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root } from '../support/root.ts';
import { fixture } from '../support/web/uploaded.ts';

const run = promisify(execFile);

/** A prefix of npm's own, so that the tests change nothing of the machine's. */
const envOf = (prefix: string) => ({
  ...process.env,
  npm_config_prefix: prefix,
  npm_config_audit: 'false',
  npm_config_fund: 'false',
});

/**
 * What the README says, in a clone of the last commit: its files get the modes that Git gives them. The packages are
 * those of this folder, and every script builds what it needs.
 *
 * @returns the folder of the commands
 */
export async function installClone(folder: string): Promise<string> {
  const clone = join(folder, 'clone');
  const prefix = join(folder, 'prefix');
  await run('git', ['clone', '--quiet', '--no-hardlinks', '--depth', '1', `file://${root}`, clone]);
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
  await mkdir(prefix);
  const npm = (...args: string[]) => run('npm', args, { cwd: clone, env: envOf(prefix) });
  await npm('start');
  await npm('link');
  return join(prefix, 'bin');
}

/** The packed files, installed for everybody. @returns the folder of the commands */
export async function installTarball(folder: string): Promise<string> {
  const prefix = join(folder, 'prefix');
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: root });
  const tarball = join(folder, stdout.trim());
  await run('npm', ['install', '--global', '--prefer-offline', tarball], { env: envOf(prefix) });
  return join(prefix, 'bin');
}

/** What readers of any page have: the files of the checkout that pages name, and files of their own. */
export async function filesOfReader(folder: string): Promise<void> {
  for (const name of ['fixtures', 'pipelines'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  // Fewer rows than the shipped file has, because pages train on it often.
  await writeFile(join(folder, 'fixtures/telecom-history.csv'), await fixture('telecom-history.csv', 1200));
  const personas = await readFile(join(root, 'fixtures/telecom-personas.csv'));
  const zipped = gzipSync(personas);
  for (const name of ['in/eu', 'data']) await mkdir(join(folder, name), { recursive: true });
  for (const name of ['personas.csv', 'monday.csv', 'tuesday.csv', 'data/personas.csv'])
    await writeFile(join(folder, name), personas);
  for (const name of ['personas.csv.gz', 'in/eu/first.csv.gz']) await writeFile(join(folder, name), zipped);
  const definition = 'score: {input: personas.csv, output: scored.csv, report: churn}\n';
  await writeFile(join(folder, 'nightly.yaml'), definition);
  const renamed = personas.toString().replace('tenure', 'Tenure');
  await writeFile(join(folder, 'personas-new.csv'), renamed);
}
