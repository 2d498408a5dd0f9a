import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from './folder.ts';

const execute = promisify(execFile);

/**
 * Installs Python packages in an environment of their own. The test is skipped without Python, or if the packages
 * cannot be had.
 *
 * @returns the folder of their commands; undefined if the test was skipped
 */
export async function pythonVenv(
  t: TestContext,
  ...packages: readonly string[]
): Promise<string | undefined> {
  const folder = join(await newFolder(t), 'venv');
  const commands = join(folder, 'bin');
  try {
    await execute('python3', ['-m', 'venv', folder]);
    await execute(join(commands, 'pip'), ['install', '--quiet', ...packages], { timeout: 180_000 });
    return commands;
  } catch (error) {
    t.skip(`${packages.join(', ')} cannot be installed: ${String(error).split('\n')[0]}`);
    return undefined;
  }
}
