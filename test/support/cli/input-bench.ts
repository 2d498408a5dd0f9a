import type { TestContext } from 'node:test';
import { startStub } from '../stub/service.ts';
import { commandsIn } from './commands.ts';

/** Commands in a folder with an input, and its output. */
export async function inputBench(t: TestContext, input: Buffer | string, name = 'in.csv') {
  const { env } = await startStub(t);
  const commands = await commandsIn(t, { [name]: input }, env);
  const output = name.replace('in.', 'out.');
  const score = (more = '') => commands.run(`score ${name} --report r -o ${output} ${more}`);
  const verify = (more = '') => commands.run(`verify ${name} ${output} ${more}`);
  return { ...commands, score, verify, output };
}
