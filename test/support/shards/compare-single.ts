import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exits } from '../rowcast.ts';
import { bytesOf, run, type Sharded, scoreArguments } from './sharded.ts';

/** The options that `verify` needs, too. */
const VERIFIED: readonly string[] = ['limit', 'decimals', 'rejects', 'escape', 'skip-lines'];

/** Scores in one process too, and compares all files. */
export async function compareSingle(sharded: Sharded, suffix: string, code: number): Promise<void> {
  const { cwd, flags, inputs, outputs } = sharded;
  const { summary: _, ...others } = flags;
  const single = { ...others, ...(flags.rejects !== undefined && { rejects: 'whole.rejects' }) };
  for (const [i, input] of inputs.entries()) {
    const whole = `whole-${i}${suffix}`;
    const one = await run(sharded, ...scoreArguments({ flags: single, inputs: [input] }, whole));
    assert.ok([0, 1].includes(one.code ?? -1), one.stderr);
  }
  const ended = await run(sharded, 'assemble', sharded.shards.path);
  assert.equal(ended.code, code, ended.stderr);
  for (const [i, output] of outputs.entries()) {
    const whole = `whole-${i}${suffix}`;
    assert.deepEqual(await bytesOf(join(cwd, output)), await bytesOf(join(cwd, whole)));
    for (const [rejects, wanted] of [
      [`${output}.rejects`, `${whole}.rejects`],
      [String(flags.rejects ?? 'none'), 'whole.rejects'],
    ])
      assert.deepEqual(
        await bytesOf(join(cwd, rejects ?? '')),
        await bytesOf(join(cwd, wanted ?? '')),
        rejects,
      );
    if (flags['output-header'] === false) continue;
    const shape = Object.entries(flags).filter(([name]) => VERIFIED.includes(name));
    const options = shape.map(([name, value]) => `--${name}=${value}`);
    await exits(run(sharded, 'verify', inputs[i] ?? '', output, ...options), 0);
  }
  assert.equal(existsSync(sharded.shards.path), false);
  assert.deepEqual(
    (await readdir(cwd)).filter(name => /partial|checkpoint|lock/.test(name)),
    [],
  );
}
