import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Makes a named pipe (mkfifo(1)), which Node cannot. */
export async function makeFifo(path: string): Promise<string> {
  await promisify(execFile)('mkfifo', [path]);
  return path;
}
