import { fileURLToPath } from 'node:url';

/** The absolute path of the package, without a trailing slash. Tests run from `dist/test/`. */
export const root: string = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');
