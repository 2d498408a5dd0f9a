import { fileURLToPath } from 'node:url';

/** The package's folder, absolute, without a slash at the end. Tests run from `dist/test/`. */
export const root: string = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');
