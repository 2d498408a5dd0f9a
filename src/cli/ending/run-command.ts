import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SECRET } from '../../library/definition/variables.ts';
import type { Ending } from './notification.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options that name variables with a secret. */
const NAMING_SECRETS = ['api-key-env', 'header-env', 'input-env', 'notify-env'];

/**
 * The environment of the command of `--on-end`: that of this one, without the secrets that only rowcast needs, and with how
 * it has ended.
 *
 * @param given flags and definition, which may name variables with secrets
 */
export function commandEnvironment(
  env: Environment,
  given: readonly Readonly<Record<string, unknown>>[],
  { ending, text, summary }: { ending: Ending; text: string; summary: string },
): Environment {
  const named = new Set(
    given.flatMap(section =>
      NAMING_SECRETS.flatMap(option => JSON.stringify(section[option] ?? '').match(/[A-Za-z_]\w*/g) ?? []),
    ),
  );
  const isSecret = (name: string): boolean =>
    named.has(name) ||
    (name.startsWith('ROWCAST_') && SECRET.test(name)) ||
    name === 'OPENLINEAGE_API_KEY' ||
    /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name);
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name))),
    ROWCAST_EXIT_CODE: String(ending.exit_code),
    ROWCAST_STATUS: ending.status,
    ROWCAST_ERROR: ending.error?.code ?? '',
    ROWCAST_OUTPUT: ending.output ?? '',
    ROWCAST_SUMMARY: summary,
    ROWCAST_TEXT: text,
  };
}

/**
 * Runs a command in a shell. What it writes, to stdout as well, is passed on.
 *
 * @param over kills it, with all that it has started
 * @returns why it has failed, if it has
 */
export async function runCommand(
  command: string,
  { env, over, onOutput }: { env: Environment; over: AbortSignal; onOutput: (text: string) => void },
): Promise<string | undefined> {
  // In a group of its own, so that all of it can be ended.
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  let isLate = false;
  const kill = (): void => {
    isLate = true;
    try {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // It has ended in this moment.
    }
  };
  over.addEventListener('abort', kill);
  if (over.aborted) kill();
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (isLate) return 'took too long';
    if (code === 0) return undefined;
    return code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  } finally {
    over.removeEventListener('abort', kill);
    // What it has left running may hold the pipes.
    await new Promise(resolve => setImmediate(resolve));
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
