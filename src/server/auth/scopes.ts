/** What a key can grant access to: groups of endpoints, and the web platform. */
export const scopes = ['predict', 'report', 'testing-results', 'platform'] as const;
export type Scope = (typeof scopes)[number];

/** The scopes of a new key. Testing results contain labelled rows, so their scope must be requested. */
export const defaultScopes: readonly Scope[] = ['predict', 'report'];
