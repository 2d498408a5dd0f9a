import { RowcastError } from '../base/errors.ts';

/**
 * Checks that a definition, which may be from someone else, does not have the credentials of this machine sent to a host that
 * it names: a URL and its credentials come from the same level.
 *
 * @param defined what the section of the command has in the definition
 * @throws RowcastError `usage`
 */
export function checkEndpoint(
  flags: Readonly<Record<string, unknown>>,
  defined: Readonly<Record<string, unknown>>,
): void {
  if (flags['store-options'] !== undefined) return;
  const { endpoint, profile, unsigned } = membersOf(defined['store-options']);
  if (endpoint === undefined || profile !== undefined || unsigned === 'true') return;
  throw new RowcastError(
    'usage',
    'store-options of a definition names an endpoint, but not whose credentials it gets',
    {
      hint: `Add profile or unsigned there, or give the endpoint as a flag: --store-options endpoint=${endpoint}.`,
    },
  );
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
