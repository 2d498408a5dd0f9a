// Assembles in a process that may kill itself; argv has its parameters as JSON. Prints the number of file operations.
import type { Files } from '../../../src/storage/durable-files.ts';
import { recordedFiles } from '../../crash/files/recorded-files.ts';
import { assembleHere } from '../../support/shards/assemble-here.ts';
import { onTwoDisks } from '../../support/shards/two-disks.ts';

export interface AssembleUntil {
  path: string;
  /** The file operation before which the process is killed, 1-based. */
  before?: number;
  /** Whether parts cannot be renamed to the output. */
  hasTwoDisks: boolean;
}

const { path, before, hasTwoDisks }: AssembleUntil = JSON.parse(process.argv[2] ?? '');
let operations = 0;
const recorded: Files = recordedFiles({
  before() {
    if (++operations === before) process.kill(process.pid, 'SIGKILL');
  },
});
await assembleHere(path, hasTwoDisks ? onTwoDisks(recorded) : recorded);
process.stdout.write(String(operations));
