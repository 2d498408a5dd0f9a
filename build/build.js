// Builds `dist`, unless it is up to date. It is JavaScript, because it runs before anything is compiled.
//   npm run build

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** Says what was built from what; it is there only after the last step of a build. */
const stamp = join(dist, '.built');

const inputs = inputDigest();
if (textOf(stamp) !== `${inputs}\n${outputDigest()}\n`) build();

function build() {
  // First, so that a build that is cut off is never taken for a complete one.
  rmSync(stamp, { force: true });
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  // Another build at the same time removes this file, so that its files and ours are not taken for one build.
  const own = join(dist, `.built-${process.pid}`);
  writeFileSync(own, '');
  // `npm run types` checks the types; a build that did so too would take twice as long.
  const compile = ['node_modules/typescript/bin/tsc', '--noCheck'];
  for (const step of [compile, ['dist/build/bundle.js'], ['dist/build/library.js']]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  if (!existsSync(own)) {
    console.error('Another build has replaced dist while this one ran. Build again.');
    process.exit(1);
  }
  writeFileSync(own, `${inputs}\n${outputDigest()}\n`);
  renameSync(own, stamp);
}

/** By content, because Git sets the times of files when it switches branches. */
function inputDigest() {
  const hash = createHash('sha256');
  const sources = ['src', 'build', 'test', 'fixtures']
    .flatMap(filesIn)
    .filter(file => /\.(ts|js)$/.test(file));
  // The last one lists the versions of the installed packages.
  const settings = [
    'assembly/kernel.wasm',
    'package.json',
    'tsconfig.json',
    'node_modules/.package-lock.json',
  ];
  for (const file of [...sources, ...settings])
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(textOf(join(root, file)))
        .digest(),
    );
  return hash.digest('hex');
}

/** Of names, sizes and modes, so that a file that was deleted, edited or copied without its mode is built again. */
function outputDigest() {
  const hash = createHash('sha256');
  for (const file of filesIn('dist').filter(file => !file.startsWith('dist/.'))) {
    const { size, mode } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mode}\0`);
  }
  return hash.digest('hex');
}

/**
 * The files of a folder and of those in it, in the same order each time.
 * @param {string} folder
 */
function filesIn(folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(root, join(entry.parentPath, entry.name)))
      .sort();
  } catch {
    return []; // A folder that does not exist has no files.
  }
}

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
