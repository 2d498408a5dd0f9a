/** What a key can be good for: groups of endpoints. */
export const scopes = ['predict', 'report', 'testing-results'] as const;
export type Scope = (typeof scopes)[number];

/** What a new key is good for. Testing results hold labelled rows, so they have to be asked for. */
export const defaultScopes: readonly Scope[] = ['predict', 'report'];
