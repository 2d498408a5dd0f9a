import type { MemberPath } from './document.ts';
import { optionAt } from './members.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Names of variables that hold, or probably hold, a secret. */
export const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|QUEUE/;
const REFERENCE = /\$\{([^}]*)\}/g;
const NAME = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/;

/**
 * Puts the values of variables into the values of a definition: `${ROWCAST_DAY}`, or `${ROWCAST_DAY:-today}` if it may
 * be unset or empty. A definition from someone else must not send other variables out in a URL or a path.
 *
 * @param refuse is told what is wrong with a reference
 */
export function fillVariables(
  definition: unknown,
  env: Variables,
  refuse: (message: string, path: MemberPath) => void,
): unknown {
  const keys = keyVariables(definition);
  const lookUp = (reference: string, path: MemberPath): string => {
    const [, name, fallback] = NAME.exec(reference) ?? [];
    if (name?.startsWith('ROWCAST_') !== true) {
      refuse(`only variables whose names begin with ROWCAST_ may be used, not \${${reference}}`, path);
      return '';
    }
    if (SECRET.test(name) || keys.has(name)) {
      refuse(`${name} may hold a key, so it cannot be put into a definition`, path);
      return '';
    }
    const value = env[name] || fallback;
    if (value === undefined)
      refuse(`the variable ${name} is not set; set it, or give a default: \${${name}:-…}`, path);
    return value ?? '';
  };
  const fill = (value: unknown, path: MemberPath): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index]));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, fill(item, [...path, key])]),
      );
    if (typeof value !== 'string' || !value.includes('${')) return value;
    return typed(
      value.replace(REFERENCE, (_, reference: string) => lookUp(reference, path)),
      path,
    );
  };
  return fill(definition, []);
}

/** The variables that the definition names as holding a key, or the value of a header. */
function keyVariables(definition: unknown): ReadonlySet<string> {
  const { score, service } = Object(definition);
  return new Set(
    [score, service].flatMap(section => {
      const { 'api-key-env': key, 'header-env': headers, 'notify-env': notified } = Object(section);
      return [key, notified, ...Object.values(Object(headers))].map(String);
    }),
  );
}

/** The text of a variable as a value of its option: variables have no types. */
function typed(text: string, path: MemberPath): unknown {
  const kind = path.length === 2 ? optionAt(path)?.kind : undefined;
  if (kind === 'integer' || kind === 'number') return text.trim() === '' ? text : Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
