// npm run bench -- protocols runs [ROWS [RUNS]]: whole runs of the usual input with each protocol, alternating, against
// a stub.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from '../../support/rowcast.ts';
import { writeUsual } from '../input.ts';
import { alternate, type Command, machine, startRespondingStub, table } from '../runs.ts';

const rows = Number(process.argv[4] ?? 200_000);
const runs = Number(process.argv[5] ?? 5);
const protocols = ['report', 'mlflow', 'azureml', 'kserve-v1', 'datarobot', 'open-inference'];

const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const { url, end } = await startRespondingStub();
const [input, output] = [join(folder, 'personas.csv'), join(folder, 'out.csv')];
try {
  await writeUsual(rows, input);
  const [header = ''] = (await readFile(input, 'utf8')).split('\n', 1);
  // A tensor needs a type for each column; all others decide by the value, as the report API does.
  const types = header
    .split(',')
    .map(name => `${name}=text`)
    .join(',');
  const commands = new Map(
    protocols.map((protocol): [string, Command] => [
      protocol,
      {
        file: process.execPath,
        args: [
          ...[bin, 'score', input, '--report', 'R', '-o', output, '--url', url, '--protocol', protocol],
          ...['--classes', 'No,Yes', '--checkpoint-interval', '3600'],
          ...(protocol === 'open-inference' ? ['--types', types] : []),
        ],
        env: { ROWCAST_API_KEY: 'k' },
      },
    ]),
  );
  const taken = await alternate(commands, runs, () => rm(output, { force: true }));
  process.stdout.write(`${machine()}\n\n${table(taken, rows)}\n`);
} finally {
  end();
  await rm(folder, { recursive: true });
}
