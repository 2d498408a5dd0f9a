import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.ts';

/** Few enough that the processes at the end finish together, and enough that starting them takes little of the time. */
const FILES_PER_PROCESS = 45;

/** Whether a test file (a path of its source or of what it is compiled to) has a process of its own. */
export const isAlone = (file: string): boolean => /\.(alone|slow|cluster)\.test\.[jt]s$/.test(file);

/** Whether a test file mostly waits for a browser. */
const usesBrowser = (file: string): boolean => /\.browser\.slow\.test\.[jt]s$/.test(file);

/**
 * The files to start so that these test files run: for neighbouring ones a file that imports them, because starting a
 * process and loading the modules takes longer than most tests. The runner starts files in the order of their names.
 * Between them are those that take long: they leave most of a core to the others. Paths are relative to the package.
 */
export function inSharedProcesses(files: readonly string[]): string[] {
  const folder = join(root, 'dist/shared-processes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const starting: string[] = [];
  const start = (together: readonly string[]): void => {
    if (together.length === 0) return;
    const path = join(folder, `${String(starting.length + 1).padStart(2, '0')}.js`);
    const imports = together.map(file => {
      const specifier = relative(folder, join(root, file)).replaceAll('\\', '/');
      return `import '${specifier}';\n`;
    });
    writeFileSync(path, imports.join(''));
    starting.push(relative(root, path));
  };
  const together = files.filter(file => !isAlone(file));
  const [browsers, alone] = [files.filter(usesBrowser), files.filter(file => /\.alone\./.test(file))];
  // From the end, because the last folders take longest.
  for (let end = together.length; end > 0; end -= FILES_PER_PROCESS) {
    start(together.slice(Math.max(0, end - FILES_PER_PROCESS), end));
    start(browsers.splice(0, 1));
    for (const file of alone.splice(-2)) start([file]);
  }
  for (const file of [...browsers, ...alone]) start([file]);
  return [...starting, ...files.filter(file => /\.slow\./.test(file) && !usesBrowser(file))];
}
