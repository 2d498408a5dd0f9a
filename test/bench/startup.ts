// Start-up times, medians of alternating runs:
//   npm run bench:startup [-- RUNS]

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, rowcast } from '../support/rowcast.ts';
import { alternate, type Command, machine, median, startRespondingStub } from './runs.ts';

const runs = Number(process.argv[2] ?? 15);
const node = process.execPath;
const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const stub = await startRespondingStub();
try {
  const home = { ROWCAST_HOME: join(folder, 'home') };
  const row = join(folder, 'row.csv');
  await writeFile(row, 'tenure,contract\n3,rolling\n');
  const history = Array.from({ length: 400 }, (_, at) =>
    [at % 72, at % 3 === 0 ? 'rolling' : 'yearly', at % 5 === 0 ? 'yes' : 'no'].join(','),
  );
  await writeFile(join(folder, 'history.csv'), `tenure,contract,left\n${history.join('\n')}\n`);
  const trained = await rowcast(['train', 'history.csv', '--predict', 'left', '--report', 'R'], {
    cwd: folder,
    env: home,
  });
  if (trained.code !== 0) throw new Error(trained.stderr);

  const output = join(folder, 'out.csv');
  const score = [bin, 'score', row, '--report', 'R', '-o', output];
  const commands = new Map<string, Command>([
    ['node -e 0', { file: node, args: ['-e', '0'] }],
    ['rowcast --version', { file: node, args: [bin, '--version'] }],
    ['rowcast --help', { file: node, args: [bin, '--help'] }],
    [
      'one row, a running service',
      { file: node, args: score, env: { ROWCAST_URL: stub.url, ROWCAST_API_KEY: 'k' } },
    ],
    ['one row, a local report', { file: node, args: score, env: home }],
  ]);
  // Loading the memory measurement would take time.
  for (const [name, command] of commands)
    commands.set(name, { ...command, env: { ...command.env, NODE_OPTIONS: '' } });
  const taken = await alternate(commands, runs, () => rm(output, { force: true }));
  const of = (name: string): number => median((taken.get(name) ?? []).map(({ seconds }) => seconds));
  process.stdout.write(`${machine()}, ${runs} runs\n\n| | ms (median) | of node -e 0 |\n|---|---|---|\n`);
  for (const name of commands.keys())
    process.stdout.write(
      `| ${name} | ${(of(name) * 1000).toFixed(0)} | ${(of(name) / of('node -e 0')).toFixed(2)} |\n`,
    );
} finally {
  stub.end();
  await rm(folder, { recursive: true });
}
