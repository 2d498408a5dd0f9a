#!/usr/bin/env node
import { readVersion } from './version.ts';

const argv = process.argv.slice(2);
// Answered before anything else is loaded: a script asks for it.
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`${readVersion()}\n`);
else await (await import('./command-line.ts')).main(argv);
