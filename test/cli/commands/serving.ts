import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { spawnRowcast } from '../../support/rowcast.ts';

/** Starts `rowcast serve` in a separate process, which runs until it is stopped; collects the lines that it logs. */
export async function serve(t: TestContext, env: Record<string, string>, args: readonly string[] = []) {
  const child = spawnRowcast(['serve', '--port', '0', ...args], { env });
  t.after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stderr });
  const url = await new Promise<string>((resolve, reject) => {
    reader.on('line', line => {
      lines.push(line);
      const [found] = /https?:\/\/[\w.:]+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(lines.join('\n'))));
  });
  return {
    child,
    url,
    /** Waits for a line that matches. */
    async says(what: RegExp): Promise<string> {
      for (;;) {
        const found = lines.find(line => what.test(line));
        if (found !== undefined) return found;
        await once(reader, 'line');
      }
    },
    /** Stops reading its stderr, so that the pipe fills up. */
    stopReading(): void {
      reader.close();
      child.stderr.pause();
    },
    /** Stops it, and returns all lines except those about the shutdown. */
    async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<string[]> {
      const closed = once(child, 'close');
      child.kill(signal);
      assert.deepEqual(await closed, [0, null]);
      return lines.filter(line => !/^rowcast: SIG|"SIG/.test(line));
    },
  };
}
