import { execFile } from 'node:child_process';
import { rowcast } from '../in-process.ts';

/** How a command line has ended, and what it has printed. */
export interface Said {
  code: number;
  said: string;
}

/** Between what the commands before rowcast have printed, its folder, the number of its words, these, and its stdin. */
const MARK = '\0rowcast\0';

/**
 * Runs a line as it is printed in a shell, of which rowcast, which may be in it once, has no process of its own. It is
 * `sh`, which may know less than bash.
 */
export async function shell(line: string, cwd: string, env: Record<string, string> = {}): Promise<Said> {
  const told = `rowcast() { printf '\\0rowcast\\0'; printf '%s\\0' "$PWD" "$#" "$@"; cat; }\n${line}`;
  const { code, stdout, stderr } = await new Promise<Said & Record<'stdout' | 'stderr', string>>(done => {
    const options = { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'latin1' } as const;
    const child = execFile('sh', ['-c', told], { ...options, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), said: '', stdout, stderr }),
    );
    child.stdin?.end();
  });
  const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
  const at = stdout.indexOf(MARK);
  if (at < 0) return { code, said: bytesOf(stdout + stderr).toString() };
  const [folder = '', count, ...given] = stdout.slice(at + MARK.length).split('\0');
  const words = given.splice(0, Number(count)).map(word => bytesOf(word).toString());
  const stdin = bytesOf(given.join('\0'));
  const ended = await rowcast(words, { cwd: folder, env, stdin });
  return { code: Number(ended.code), said: `${stdout.slice(0, at)}${stderr}${ended.stdout}${ended.stderr}` };
}

/** The words of a shell that stand for a name. */
export const asWord = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`;
