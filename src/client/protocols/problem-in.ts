import type { Problem } from '../transport/error-response.ts';

/**
 * Reads the body of an error as JSON; anything else, such as a proxy's HTML, is shown as text.
 */
export function problemIn(
  body: string,
  read: (members: Readonly<Record<string, unknown>>) => ProblemMembers,
): Problem {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { detail: body.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ') };
  }
  const { code, detail = body } = read(Object(parsed)); // members of unknown type, which `read` checks
  return { code, detail };
}

/** The members of an error that hold its code and its message, as far as they are there. */
interface ProblemMembers {
  code?: string | undefined;
  detail?: string | undefined;
}
