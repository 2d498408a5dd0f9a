import { RowcastError } from '../../base/errors.ts';
import { isVariableOfDefinition } from '../../library/service/own-variable.ts';

/** An input whose URL may hold a secret, such as a presigned one. */
export interface SecretInput {
  /** The URL without what may be secret: it names the input in messages, logs and checkpoints. */
  shown: string;
  url: string;
}

/**
 * The input that a variable names.
 *
 * @param variable the value of --input-env
 * @throws RowcastError `usage`
 */
export function secretInput(variable: string | undefined, env: NodeJS.ProcessEnv): SecretInput | undefined {
  if (variable === undefined) return undefined;
  if (!isVariableOfDefinition(variable))
    throw new RowcastError('usage', `--input-env: ${variable} is not the name of a variable for it`, {
      hint: 'Give a name that begins with ROWCAST_, in capitals, such as ROWCAST_INPUT.',
    });
  const url = env[variable];
  if (url === undefined || url === '')
    throw new RowcastError('usage', `--input-env: the variable ${variable} is not set`, {
      hint: `Set it to the URL of the input: export ${variable}=…`,
    });
  const found = URL.canParse(url) ? new URL(url) : undefined;
  if (found === undefined || !/^https?:$/.test(found.protocol))
    throw new RowcastError('usage', `--input-env: the variable ${variable} has no https:// URL`, {
      hint: 'Give other inputs by their names.',
    });
  return { shown: `${found.origin}${found.pathname}`, url };
}
