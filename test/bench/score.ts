// Medians of alternating scoring runs against a stub in another process that responds immediately:
//   npm run bench [-- ROWS [RUNS]]             the usual input, next to the scripts in test/bench/peers
//   npm run bench -- readme                    what the README says about speed, once: in less than two minutes
//   npm run bench -- shapes [ROWS [RUNS]]      other inputs
//   npm run bench -- against OTHER [ROWS [RUNS]]   against another build, a folder with the dist/ of another commit;
//   and Python

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bin } from '../support/rowcast.ts';
import { peers, writeUsual } from './input.ts';
import { installPython } from './local/python.ts';
import { alternate, type Command, machine, startRespondingStub, table } from './runs.ts';
import { type Shape, shapes, writeShape } from './shapes.ts';

const words = process.argv.slice(2);
const mode = ['shapes', 'against', 'readme'].includes(words[0] ?? '') ? words.shift() : undefined;
const other = mode === 'against' ? words.shift() : undefined;
const rows = Number(words[0] ?? (mode === 'readme' ? 200_000 : 500_000));
const runs = Number(words[1] ?? (mode === 'readme' ? 1 : 5));

const node = process.execPath;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
/** With aiohttp. What the README says can be repeated where only Python with venv is installed. */
const interpreter = mode === 'readme' ? await installPython('aiohttp', say) : '/usr/bin/python3';

const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const stub = await startRespondingStub();
const input = join(folder, 'personas.csv');
const output = join(folder, 'out.csv');
const env = { ROWCAST_URL: stub.url, ROWCAST_API_KEY: 'k' };
try {
  say(machine());
  if (mode === 'shapes')
    for (const shape of shapes) {
      await measure(shape.name, shape, new Map([['rowcast', score()], ...python()]));
    }
  else if (other !== undefined) {
    const { bin: theirBin } = JSON.parse(await readFile(join(other, 'package.json'), 'utf8'));
    const theirs = join(resolve(other), theirBin.rowcast);
    await measure(
      'against another build',
      undefined,
      new Map([['the other', score(theirs)], ['this', score()], ...python()]),
    );
  } else if (mode === 'readme')
    await measure('the README', undefined, new Map([['rowcast', score()], ...python(), ...script()]));
  else {
    const usual = new Map<string, Command>([
      ['rowcast, file to file, a checkpoint per second', score()],
      ['rowcast, file to file, without checkpoints', score(bin, ['--checkpoint-interval', '3600'])],
      [
        'rowcast, stdin to stdout',
        { file: node, args: [bin, 'score', '--report', 'R'], env, pipes: { input, output } },
      ],
      ...script(),
      ...python(),
    ]);
    await measure('the usual input', undefined, usual);
  }
} finally {
  stub.end();
  await rm(folder, { recursive: true });
}

async function measure(
  name: string,
  shape: Shape | undefined,
  commands: ReadonlyMap<string, Command>,
): Promise<void> {
  if (shape === undefined) await writeUsual(rows, input);
  else await writeShape(shape, rows, input);
  const taken = await alternate(commands, runs, () => rm(output, { force: true }));
  say(`\n${name}: ${rows.toLocaleString('en-US')} rows, ${runs} runs\n\n${table(taken, rows)}`);
}

function score(main = bin, more: readonly string[] = []): Command {
  return { file: node, args: [main, 'score', input, '--report', 'R', '-o', output, ...more], env };
}

/** The script that most people write. */
function script(): [string, Command][] {
  const path = join(peers, 'plain_score.mjs');
  return [['plain_score.mjs', { file: node, args: [path, stub.url, input, output] }]];
}

function python(): [string, Command][] {
  const path = join(peers, 'aiohttp_score.py');
  return [['aiohttp_score.py', { file: interpreter, args: [path, stub.url, input, output] }]];
}
