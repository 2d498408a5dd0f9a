import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { sharedFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';

describe('a build', () => {
  let folder: string;
  before(async () => {
    folder = await smallProject();
  });

  it('is not repeated when nothing has changed', () => {
    assert.equal(build(), 'built');
    assert.equal(build(), 'up to date');
  });

  it('follows a source that changes back and forth, whatever its time says', async () => {
    const { atime, mtime } = statSync(join(folder, 'src/a.ts'));
    for (const text of ['other', 'first']) {
      await source(`export const a = '${text}';\n`);
      await utimes(join(folder, 'src/a.ts'), atime, mtime);
      assert.equal(build(), 'built');
      assert.match(readFileSync(join(folder, 'dist/src/a.js'), 'utf8'), new RegExp(text));
    }
    await writeFile(join(folder, 'src/a.ts'), readFileSync(join(folder, 'src/a.ts')));
    assert.equal(build(), 'up to date');
  });

  it('drops what a deleted source was compiled to', async () => {
    await writeFile(join(folder, 'src/b.ts'), 'export const b = 1;\n');
    assert.equal(build(), 'built');
    rmSync(join(folder, 'src/b.ts'));
    assert.equal(build(), 'built');
    assert.throws(() => statSync(join(folder, 'dist/src/b.js')), /ENOENT/);
  });

  for (const settings of ['package.json', 'tsconfig.json'])
    it(`follows ${settings}`, async () => {
      await writeFile(join(folder, settings), `${readFileSync(join(folder, settings), 'utf8')}\n`);
      assert.equal(build(), 'built');
    });

  it('repeats what failed', async () => {
    await source('export const = 1;\n');
    assert.equal(build(), 'failed');
    assert.equal(build(), 'failed');
    await source("export const a = 'first';\n");
    assert.equal(build(), 'built');
  });

  it('repeats what was cut off after it had begun to delete', () => {
    rmSync(join(folder, 'dist/src/a.js'));
    assert.equal(build(), 'built');
  });

  it('repairs a file that was cut short or lost its mode', async () => {
    await truncate(join(folder, 'dist/src/a.js'), 5);
    assert.equal(build(), 'built');
    await chmod(join(folder, 'dist/src/a.js'), 0o600);
    assert.equal(build(), 'built');
    assert.equal(build(), 'up to date');
  });

  /** Each build adds a character to a file. */
  function build(): 'built' | 'up to date' | 'failed' {
    const log = join(folder, 'builds.log');
    const size = statSync(log, { throwIfNoEntry: false })?.size;
    const { status } = spawnSync(process.execPath, ['build/build.js'], { cwd: folder });
    if (status !== 0) return 'failed';
    return statSync(log).size === size ? 'up to date' : 'built';
  }

  const source = (text: string): Promise<void> => writeFile(join(folder, 'src/a.ts'), text);
});

/** What is built as rowcast is, but in a second: its bundle only notes that it was made. */
async function smallProject(): Promise<string> {
  const folder = await sharedFolder();
  for (const name of ['src', 'build']) await mkdir(join(folder, name));
  for (const name of ['build/build.js', 'tsconfig.json', 'package.json'])
    await cp(join(root, name), join(folder, name));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'src/a.ts'), "export const a = 'first';\n");
  await writeFile(
    join(folder, 'build/bundle.ts'),
    "import { appendFileSync } from 'node:fs';\nappendFileSync('builds.log', '.');\n",
  );
  await writeFile(join(folder, 'build/library.ts'), '');
  return folder;
}
