import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.ts';

/** Few enough that the processes at the end finish together, and enough that starting them takes little of the time. */
const FILES_PER_PROCESS = 30;

/** Whether a test file (a path of its source or of what it is compiled to) has a process of its own. */
export const isAlone = (file: string): boolean => /\.(alone|slow|cluster)\.test\.[jt]s$/.test(file);

/**
 * The files to start so that these test files run: for neighbouring ones a file that imports them, because starting a
 * process and loading the modules takes longer than most tests. Paths are relative to the package.
 */
export function inSharedProcesses(files: readonly string[]): string[] {
  const folder = join(root, 'dist/shared-processes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const together = files.filter(file => !isAlone(file));
  const starting: string[] = [];
  // From the end, because the last folders take longest: the runner starts files in the order of their names.
  for (let end = together.length; end > 0; end -= FILES_PER_PROCESS) {
    const path = join(folder, `${String(starting.length + 1).padStart(2, '0')}.js`);
    const imports = together.slice(Math.max(0, end - FILES_PER_PROCESS), end).map(file => {
      const specifier = relative(folder, join(root, file)).replaceAll('\\', '/');
      return `import '${specifier}';\n`;
    });
    writeFileSync(path, imports.join(''));
    starting.push(relative(root, path));
  }
  return [...starting, ...files.filter(isAlone)];
}
