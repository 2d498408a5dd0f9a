import { join } from 'node:path';
import { root } from '../../support/root.ts';

const environments = process.env.ROWCAST_TEST_SERVERS ?? join(root, '.servers');

/** The folder with the Python environment of a server. */
export const environmentOf = (name: string): string => join(environments, name);

/** The folder of the commands of a server. */
export const binOf = (name: string): string => join(environmentOf(name), 'bin');

/** The folder with the Python programs for a server, or for the model. */
export const sourceOf = (name: string): string => join(root, 'test/servers', name);
