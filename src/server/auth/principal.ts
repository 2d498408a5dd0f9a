import type { Scope, StoredKey } from './key-file.ts';

/** The holder of an API key. */
export interface Principal {
  /** The key's name, safe to log. */
  name: string;
  /** Whether the key has the scope of an endpoint. */
  hasScope(scope: Scope): boolean;
  /** Whether the key grants access to a report. */
  canAccess(report: string): boolean;
  /** The reports that the key is bound to. */
  reports: 'all' | readonly string[];
  /** Milliseconds since the epoch; tells a key from a former one of the same name. */
  created: number;
  /** Milliseconds since the epoch; Infinity for a key that does not expire. */
  expires: number;
}

/** Who may do everything. */
export const everything = (name: string): Principal => ({
  name,
  hasScope: () => true,
  canAccess: () => true,
  reports: 'all',
  created: Number.NEGATIVE_INFINITY,
  expires: Number.POSITIVE_INFINITY,
});

/** What a stored key grants. */
export const principalOf = ({ name, created, reports, scopes, expires }: StoredKey): Principal => ({
  name,
  hasScope: scope => scopes.includes(scope),
  canAccess: report => reports === 'all' || reports.includes(report),
  reports,
  created: Date.parse(created),
  expires: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
});

/** The name in the log of the key from the options; no stored key can have this name. */
export const OWN_KEY = '(own)';
