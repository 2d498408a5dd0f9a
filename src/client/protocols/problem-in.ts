import type { Problem } from '../transport/error-response.ts';

/** Reads the body of an error as JSON; anything else, such as a proxy's HTML, is shown as text. */
export function problemIn(body: string, read: ReadProblem): Problem {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { detail: body.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ') };
  }
  const { code, message } = read(Object(parsed)); // members of unknown type
  return {
    code: typeof code === 'string' && CODE.test(code) ? code : undefined,
    detail: typeof message === 'string' ? message : body,
  };
}

/** Finds what an error has as its code and as its message, whatever that is. */
export type ReadProblem = (members: Readonly<Record<string, unknown>>) => {
  code?: unknown;
  message?: unknown;
};

/** Codes are counted, so no other text, which may hold values of rows, is taken for one. */
const CODE = /^[a-z][a-z0-9_]{0,40}$/;
