import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import { isVariableOfDefinition } from '../../library/service/own-variable.ts';
import { postJson } from '../../runs/observers/post-json.ts';

/** Waits between the attempts, in milliseconds. */
const WAITS = [300, 900, 2_700];

/** @throws RowcastError `usage` for a variable whose value is not meant to be sent to */
export function checkVariable(name: string): void {
  if (isVariableOfDefinition(name)) return;
  throw new RowcastError('usage', `--notify-env: ${name} is not the name of a variable for it`, {
    hint: 'Give a name that begins with ROWCAST_, in capitals, such as ROWCAST_NOTIFY_URL.',
  });
}

/**
 * Sends what a command has come to, to the URL in a variable.
 *
 * @param over ends the waiting
 * @returns why it was not accepted, without the URL, which is a secret; undefined if it was
 */
export async function notify(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  body: unknown,
  over: AbortSignal,
): Promise<string | undefined> {
  const given = env[variable]?.trim();
  if (given === undefined || given === '') return 'the variable is not set';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'it is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'it must not contain user info';
  for (let attempt = 0; ; attempt++) {
    const failure = await postJson(body, { url }, over);
    if (failure === undefined) return undefined;
    const wait = WAITS[attempt];
    if (!failure.isPassing || wait === undefined || over.aborted) return failure.reason;
    await sleep(wait, undefined, { signal: over }).catch(() => {}); // the next attempt says that there is no time
  }
}
