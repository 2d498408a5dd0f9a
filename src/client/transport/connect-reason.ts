const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed',
};

/** Why a connection could not be opened, with the address or the error code; undefined for other errors. */
export function connectReason({ code = '', message }: NodeJS.ErrnoException): string | undefined {
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const [, address] = /^connect E[A-Z]+ (\S+)/.exec(message) ?? [];
  return reason && `${reason} (${address ?? code})`;
}
