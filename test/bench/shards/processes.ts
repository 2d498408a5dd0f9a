import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';

/** A service in a process of its own. */
export async function startSlowService(ms: number): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(root, 'dist/test/bench/stub.js'), String(ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url, child };
}

/** Runs `rowcast ARGS…`. @returns its seconds */
export async function timed(args: readonly string[], env: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`rowcast ${args.join(' ')}: exit code ${code}\n${stderr}`);
  return (performance.now() - begun) / 1000;
}
