/** Where to go after signing in: a path of the platform, never another host. */
export const nextPath = (given: string | undefined): string =>
  given !== undefined && /^(?:\/[\w-]{1,64}){1,4}$/.test(given) && !given.startsWith('/platform')
    ? given
    : '/';
